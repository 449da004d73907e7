// SPDX-License-Identifier: GPL-3.0-or-later
// The state of a step: which results of main are the next step's arguments.
//
//     main(%params {tf.aliasing_output = 0 : i32}, %batch) -> (params', loss)
//     stateOf(program).pairs     [{ params, 0 }], by StateSource::Aliases
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "program/program.h"

namespace shardscope {

class ElementUpdates;

/// What says so, the surest first.
enum class StateSource : std::uint8_t {
    None, ///< nothing: the program is no step, or does not look like one
    Program, ///< Program::state, of a network that was built here
    Aliases, ///< tf.aliasing_output: JAX writes it where it knows which result takes a donated argument's place
    Donors, ///< jax.buffer_donor: each donated argument, in order, with the next result of its type and sharding
    DonatedNames, ///< donated arguments, with the results that have their names; the rest as JAX hands on their memory
    Names, ///< a guess: arguments and results whose names agree, "params['w']" and "[0]['w']"
    Order, ///< a guess: the longest run of neighbouring arguments and results with the same types and shardings
    Stated, ///< by a person
};
[[nodiscard]] std::string_view name(StateSource source); ///< "aliases"
[[nodiscard]] constexpr bool isGuess(StateSource source)
{
    return source == StateSource::Names || source == StateSource::Order;
}

struct StepState {
    StateSource source = StateSource::None;
    std::vector<StatePair> pairs; ///< by argument, in the order of main's; no argument and no result twice
    /// What the argument is in the next step; nothing where it stays as it is.
    [[nodiscard]] std::optional<std::size_t> resultOf(ValueId argument) const;
    bool operator==(const StepState&) const = default;
};

/// Memory of donated arguments goes to the first result of its type, whatever that is: where the names of donated
/// arguments pair them with results of their types, the names count. Aliases that cannot be are passed over.
///
/// A guess by names takes what a named location calls an argument and what jax.result_info calls a result. The names
/// agree where they are the same ("params['w']" and "['params']['w']"), or where everything under one argument of the
/// Python function comes back under one of its results, with the same types and shardings:
///
///     params['w'], params['b'], x['w'] -> [0]['w'], [0]['b'], [1]    results 0, 1 are arguments 0, 1
///
/// A guess needs an argument whose result is worked out from itself element by element (program/element_updates.h), as
/// updates of parameters are. Of several results of its names an argument takes such a one. What jax.grad returns is no
/// state, nor is what a layer makes of its data.
///
/// A guess by order needs such a pair with dimensions, and a loss or that what is computed for it depends on the state.
/// It prefers the longest run, of those as long the one that begins first. Floating-point scalars at its ends are left
/// out: a result of that kind is the loss rather than, say, the next learning rate.
///
///     main(f32[8], f32[8], i32[], f32[4,8]) -> (f32[], f32[8], f32[8], i32[])    results 1, 2, 3 are arguments 0, 1, 2
[[nodiscard]] StepState stateOf(const Program& program);
/// As a person has stated it in `text`; with "", or where the text does not fit the program, as above.
[[nodiscard]] StepState stateOf(const Program& program, std::string_view text);

/// "0=1,1=2": argument 0 is result 1 of the step before. "none" for no state. Errors: Syntax; OutOfRange for an
/// argument or a result that there is not; TypeMismatch where their types differ; Duplicate for one that stands twice.
[[nodiscard]] Result<StepState> parseState(const Program& program, std::string_view text);
/// The same text back.
[[nodiscard]] std::string stateText(const Program& program, const StepState& state);

/// The same without a program, for what is wrong in any: Syntax and Duplicate.
[[nodiscard]] Result<void> checkStateText(std::string_view text);
/// The state with argument `argument` as `result` of the step before, nothing for one that stays as it is. Another
/// argument that was that result stays as it is.
[[nodiscard]] StepState withPair(
    const Program& program, StepState state, std::size_t argument, std::optional<std::size_t> result);
/// Results that can be the next step's argument: those of its type.
[[nodiscard]] std::vector<std::size_t> resultsFor(const Program& program, std::size_t argument);

/// Results that stand where a state would and are worked out from the rest of the program: what jax.grad and
/// jax.value_and_grad return, beside the arguments that they are derivatives by, if those are parameters. By names,
/// else by the order of types.
[[nodiscard]] std::vector<StatePair> returnedGradients(const Program& program, const StepState& state);

/// The result that says how good the step was: that with the role Loss. Else of the floating-point scalars that are no
/// state the first one with the word loss in its name ("[1]['loss']", then "[1]['total_loss']"), else the first one
/// that is no maximum or minimum of others; one of possibleLosses() rather than a rate, a number of tokens or a norm of
/// gradients.
[[nodiscard]] std::optional<std::size_t> lossResult(const Program& program, const StepState& state);
/// Whether there is one.
[[nodiscard]] bool hasLoss(const Program& program, const StepState& state);
/// All floating-point scalars that may be losses by what they are computed from, such as those of two networks: from
/// parameters, and not from gradients. In a program without state, from any arrays.
[[nodiscard]] std::vector<std::size_t> possibleLosses(
    const Program& program, const StepState& state, ElementUpdates& updates);

} // namespace shardscope
