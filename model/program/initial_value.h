// SPDX-License-Identifier: GPL-3.0-or-later
// What the elements of an argument are before the first step, as somebody chooses it; and its form in texts:
//
//     zeros   ones   constant 0.5   normal 0.02   uniform -1 1   fan_in   xavier   non_negative
//     integers 8 (0 to 7)   integers 1 8 (1 to 7)   iota (0, 1, 2, ...)   numpy_normal 0   file weights.npz
//
// What has no number here is made to measure from the argument's type and from what the program does with it:
// simulate/initial_values.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "program/types.h"

namespace shardscope {

struct InitialValue {
    enum class Kind : std::uint8_t {
        Zeros,
        Ones,
        Constant, ///< `low`
        Normal, ///< mean 0, standard deviation `low`
        Uniform, ///< from `low` up to, but not including, `high`
        FanIn, ///< uniform, of the variance 1 / terms, where it is the scaled factor of a contraction; else -1 to 1
        Xavier, ///< normal, with the variance 2 / (fan_in + fan_out) of the shape (Glorot and Bengio, 2010)
        NonNegative, ///< uniform, from 1/16 to 1; of a factor of a contraction as much smaller as FanIn
        Integers, ///< from `least` up to, but not including, `bound`, each as often
        Iota, ///< 0, 1, 2, ... in row-major order, as jnp.arange(n).reshape(shape); from 0 again beyond what a type
              ///< holds
        NumpyNormal, ///< those of np.random.default_rng(`least`).normal() from number `bound` on (at most 2^30), in
                     ///< row-major order
        File, ///< the array of a .npy or .npz file
    };
    Kind kind = Kind::Zeros;
    double low = 0, high = 0;
    std::int64_t least = 0, bound = 0;
    std::string file; ///< as it was given; relative to the experiment's folder
    bool operator==(const InitialValue&) const = default;
};

/// A choice for the arguments that `argument` names: a path ("params/layers.0/W1"), a number ("arg3"), or a glob of
/// either. Of several that name an argument the last counts.
struct ChosenInitial {
    std::string argument;
    InitialValue value;
    bool operator==(const ChosenInitial&) const = default;
};

/// An argument that begins as others would, one after the other along a dimension: a parameter of all layers of a loop
/// as those of the single layers, whose numbers are drawn by their paths.
///
///     { "params/decoder/layers/mlp/wo/kernel", 0, { "params/decoder/layers.0/mlp/wo/kernel", ... } }
struct StackedInitial {
    std::string argument; ///< a path
    std::size_t dimension = 0;
    std::vector<std::string> parts; ///< as many paths as the dimension has elements
    bool operator==(const StackedInitial&) const = default;
};

/// The forms of all kinds, for lists: "zeros", "constant C", ...
[[nodiscard]] const std::vector<std::string>& initialValueForms();
/// "normal 0.02"; parsed again it is equal.
[[nodiscard]] std::string toString(const InitialValue& value);
/// Errors: UnknownValue {key: initial} with the known forms; CountMismatch {what: numbers}; WrongType for what is no
/// number; OutOfRange for a negative deviation, an empty range or a bound below 1.
[[nodiscard]] Result<InitialValue> parseInitialValue(std::string_view text);
/// "NAME=FORM", as on the command line. Errors: those of parseInitialValue(); Syntax without a name or "=".
[[nodiscard]] Result<ChosenInitial> parseChosenInitial(std::string_view text);

/// Whether an array of such elements can begin so: of integers and truth values no fraction and no bell, and no number
/// that they do not hold; of floats no integers.
[[nodiscard]] bool fitsType(const InitialValue& value, DType dtype);
/// The forms that fit.
[[nodiscard]] std::vector<std::string> initialValueForms(DType dtype);

/// The names of argument `number`: "arg3", and its own where it has one.
[[nodiscard]] std::vector<std::string> namesOfArgument(std::size_t number, const std::string& path);
/// Whether a choice for `pattern` is one for that argument.
[[nodiscard]] bool namesArgument(std::string_view pattern, std::size_t number, const std::string& path);

/// The last of the choices for that argument that fits its type; nothing if there is none.
[[nodiscard]] std::optional<std::size_t> choiceFor(
    std::span<const ChosenInitial> chosen, std::size_t number, const std::string& path, DType dtype);

} // namespace shardscope
