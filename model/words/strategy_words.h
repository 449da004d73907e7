// SPDX-License-Identifier: GPL-3.0-or-later
// Strategies of propagation in words, and what two of them do differently.
#pragma once

#include "propagation/differences.h"
#include "propagation/setting.h"
#include "words/words.h"

namespace shardscope::words {

/// "Operation priorities": short, as the choice of a list.
[[nodiscard]] QString strategyName(StrategyChoice strategy);
/// What it does, in a sentence.
[[nodiscard]] QString strategyMeaning(StrategyChoice strategy);
/// What conservative propagation does, and what priorities of users do.
[[nodiscard]] QString conservativeMeaning();
[[nodiscard]] QString userPrioritiesMeaning(StrategyChoice strategy);
/// With the switches that are not as usual: "Basic, conservative".
[[nodiscard]] QString settingName(const PropagationSetting& setting);

/// "12 dimensions of 5 tensors differ."
[[nodiscard]] QString differenceCount(const std::vector<PropagationDifference>& list);
/// That there is nothing to see.
[[nodiscard]] QString sameShardings(const QString& first, const QString& second);
/// The axes of a dimension: "data", "(data, model)"; "-" for none.
[[nodiscard]] Text dimensionAxes(const Mesh& mesh, const AxisList& axes);
/// "batch", "dimension 1"
[[nodiscard]] QString dimensionName(const Program& program, ValueId value, std::size_t dimension);

/// The two propagations that are compared, by what a record needs to be named.
struct ComparedRun {
    const Program* program = nullptr;
    const PropagationResult* result = nullptr;
    const Mesh* mesh = nullptr;
    QString name; ///< "Basic"
};
/// The operation through which the two came to differ: of the first run's record, else of the second's; "given" for
/// what was given.
[[nodiscard]] QString differencePlace(
    const ComparedRun& first, const ComparedRun& second, const PropagationDifference& difference);
/// "Basic at step 3, Full pipeline from the beginning": since when they differ.
[[nodiscard]] QString differenceSince(
    const ComparedRun& first, const ComparedRun& second, const PropagationDifference& difference);
/// What each did: a sentence per run that took an axis.
[[nodiscard]] std::vector<Text> differenceReasons(
    const ComparedRun& first, const ComparedRun& second, const PropagationDifference& difference);

} // namespace shardscope::words
