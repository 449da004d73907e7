// SPDX-License-Identifier: GPL-3.0-or-later
// Initial values that do not depend on the sharding: element i of an argument is a function of what it begins with, of
// the seed, of the argument's name or number, and of i alone, by a counter-based generator. Any device can make its own
// shard without the rest.
//
//     InitialValues initial;
//     initial.seed = 7;
//     initial.chosen = { { "params/**", { InitialValue::Kind::Normal, 0.02 } } };
//     const InitialArrays arrays(program, initial);
//     arrays.fill(program.find("params/layers.0/W1"), { { 0, 8 }, { 4, 8 } }, shard); // 8 rows, columns 4 to 7
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "program/initial_value.h"
#include "program/program.h"
#include "sharding/layout.h"
#include "simulate/kernels/array.h"

namespace shardscope {

/// What arguments begin with that nobody has chosen anything for.
enum class InitialDefaults : std::uint8_t {
    /// Of a network: parameters xavier, inputs ones, as in the notebook, unless it says otherwise
    /// (InitialValues::ofNetwork), and the state zeros. Elements are drawn by
    /// path: another layer leaves them as they are, and layers in a loop begin as those of no loop. Master weights
    /// begin as their parameter, before it is rounded.
    ByRole,
    /// Of a program in a text: moments and counters of an optimizer zeros, single numbers 0.001, the rest what its
    /// operations can work with (simulate/run/argument_uses.h). Elements are drawn by the number of the argument.
    ByUse,
};

/// The elements of an argument in a step, counted from 0: row-major, global, as many as its type has. A function of the
/// step alone, since steps are taken again for the reference.
using StepSource = std::function<std::vector<double>(std::int64_t step)>;

struct InitialValues {
    std::uint64_t seed = 0;
    InitialDefaults defaults = InitialDefaults::ByRole;
    std::vector<ChosenInitial> chosen = {};
    /// With ByRole: what a network's own arguments begin with, in place of their role's.
    std::vector<ChosenInitial> ofNetwork = {};
    /// With ByRole: arguments whose random numbers are those of others, put together.
    std::vector<StackedInitial> stacks = {};
    /// Given arrays (row-major, global) that replace all others, by path.
    std::map<std::string, std::vector<double>> byPath = {};
    /// What stands in the files that `chosen` names, by the number of the argument; each of the argument's type.
    std::map<std::size_t, kernels::Array> files = {};
    /// Per argument of main, or empty: what they begin with, in place of everything else. One without elements is not
    /// given.
    std::vector<kernels::Array> arrays = {};
    /// Arguments that hold other numbers in every step, such as batches of data, by their number; before files, and
    /// after `arrays` and `byPath`. Not of the state, which the steps themselves make.
    std::map<std::size_t, StepSource> perStep = {};
};

/// Why an argument begins as it does.
enum class InitialReason : std::uint8_t {
    Chosen,
    Parameter, ///< of a network
    State,
    Input,
    Index, ///< is an index, or compared with numbered elements
    Positive, ///< goes through a root, a logarithm, a power, or is a denominator
    Fraction, ///< is taken from 1
    Factor, ///< is a factor of a contraction
    TruthValues,
    Scalar, ///< a single number: that of a step, a rate
    Free, ///< nothing is asked of it
};

/// What an argument of main begins with.
struct ArgumentStart {
    InitialValue value;
    InitialReason reason = InitialReason::Free;
    std::size_t choice = 0; ///< with Chosen: index in InitialValues::chosen
    bool operator==(const ArgumentStart&) const = default;
};

/// Per argument of main. A choice that does not fit the type of the argument does not count;
/// InitialValues::given is not looked at.
[[nodiscard]] std::vector<ArgumentStart> argumentStarts(const Program& program, const InitialValues& values);

/// A choice that does not count somewhere: no argument has that name, or the type of one cannot begin so.
struct UnusedChoice {
    std::size_t choice = 0; ///< index in InitialValues::chosen
    std::optional<std::size_t> argument; ///< whose type does not fit; absent: none has the name
    bool operator==(const UnusedChoice&) const = default;
};
/// A glob counts where it fits at least one argument.
[[nodiscard]] std::vector<UnusedChoice> unusedChoices(const Program& program, std::span<const ChosenInitial> chosen);

/// Makes the elements of the arguments of one program. Keeps what it was given of `values`, and not the program. What
/// begins with a file whose array is not among `values.files` is zeros.
class InitialArrays {
public:
    InitialArrays() = default;
    InitialArrays(const Program& program, const InitialValues& values);

    /// The arguments with other numbers in every step, by number, ascending.
    [[nodiscard]] const std::vector<std::size_t>& changing() const { return m_changing; }
    /// These arguments have the numbers of that step from now on; before, those of step 0.
    void setStep(std::int64_t step);

    /// Per argument of main, as argumentStarts().
    [[nodiscard]] const std::vector<ArgumentStart>& starts() const { return m_starts; }
    /// The global element with row-major index `element` of an argument of main. Not of complex ones, nor in fill():
    /// array() makes those.
    [[nodiscard]] double at(ValueId argument, std::int64_t element) const;
    /// Fills a shard: `ranges` in global indices, row-major within the shard, `out` of the shard's size.
    void fill(ValueId argument, std::span<const IndexRange> ranges, std::span<double> out) const;
    /// The whole argument `number`; of integers every bit.
    [[nodiscard]] kernels::Array array(std::size_t number) const;
    /// Of all arguments.
    [[nodiscard]] std::vector<kernels::Array> all() const;

private:
    class Source;
    [[nodiscard]] const Source& sourceOf(ValueId argument) const;
    std::vector<ArgumentStart> m_starts;
    std::vector<TensorType> m_types;
    std::vector<std::shared_ptr<const Source>> m_sources; ///< by argument
    std::vector<std::pair<ValueId, std::size_t>> m_numbers; ///< of arguments, in order of the ids
    std::vector<std::size_t> m_changing;
    std::vector<StepSource> m_steps; ///< of these
};

} // namespace shardscope
