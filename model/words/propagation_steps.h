// SPDX-License-Identifier: GPL-3.0-or-later
// Steps of propagation in words.
#pragma once

#include <cstdint>

#include "propagation/replay.h"
#include "words/words.h"

namespace shardscope::words {

/// What specifies a sharding before propagation: where the first axes of a propagation come from.
enum class Specifier : std::uint8_t {
    Input, ///< the annotation of an argument of main
    Output, ///< the sharding declared for a result of main
    Constraint,
    InShardings, ///< of a manual or named computation
    OutShardings,
    Own ///< the annotation of any other value
};
/// What specified the axis of a seed, a log entry of step 0.
[[nodiscard]] Specifier specifierOf(const Program& program, const PropagationStep& seed);
/// The value whose sharding the seed specifies: for in_shardings of a computation its operand, for a constraint on a
/// value without a name the constraint's result.
[[nodiscard]] ValueId askedValue(const Program& program, const PropagationStep& seed);

/// "Step 12, round 2: model passes dot_general, from layers.0/y (dimension 1) to grad(x) (dimension 0)." For a seed
/// what was given, for an identity with a declared result what it took over.
[[nodiscard]] Text propagationStep(const Program& program, const Mesh& mesh, const PropagationStep& step);
/// What happens in the step of a replay, with how many dimensions; of step 0 what was given.
[[nodiscard]] Text stepSentence(const Program& program, const Mesh& mesh, const Replay& replay, std::uint32_t step);
/// The same of all steps by which an axis came to a value, with a sentence wherever it passes between values that share
/// one sharding, which is no step.
[[nodiscard]] std::vector<Text> propagationChain(
    const Program& program, const Mesh& mesh, ValueId value, const std::vector<PropagationStep>& chain);
/// That sentence: "%b has it as well: it is in one sharding group with %a."
[[nodiscard]] Text sharedSharding(const Program& program, const Mesh& mesh, ValueId from, ValueId to);
/// Where a chain goes on from another value than the one that it had come to, or ends at another one, the former of the
/// two; invalid otherwise. `next`: the number of the step, or the length of the chain.
[[nodiscard]] ValueId sharedBefore(const std::vector<PropagationStep>& chain, std::size_t next, ValueId value);
[[nodiscard]] bool inOneGroup(const Program& program, ValueId a, ValueId b);
/// Whether somebody gave the operation a sharding rule of its own (a custom rule).
[[nodiscard]] bool hasOwnRule(const Program& program, const Operation& operation);
/// What the round lets pass, as a sentence: "Round 1: element-wise ops and the like only."; empty without rounds.
[[nodiscard]] QString propagationRound(int round);
/// Axes come into the arguments of a function from what its calls hand it: no operation of the function does that.
[[nodiscard]] bool isCallArgument(const PropagationStep& step);
/// An operation's name as a person reads it: "dot_general", with its dialect where it is not StableHLO's.
[[nodiscard]] QString operationName(const Operation& operation);

} // namespace shardscope::words
