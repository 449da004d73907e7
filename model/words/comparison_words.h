// SPDX-License-Identifier: GPL-3.0-or-later
// Two experiments side by side, in words. A is what is compared with, B the other one.
//
//     largestDifference(...)  "Each device holds twice the parameters, gradients and moments, 64 MiB instead of 32 MiB,
//                             since 4 × 2 shards them 2 ways instead of 4."
#pragma once

#include "comparison/comparison.h"
#include "words/words.h"

namespace shardscope::words {

/// One sentence on what differs most and why; where one of them has no layout, that.
[[nodiscard]] QString largestDifference(const SnapshotComparison& comparison);
/// "Mesh axes of one size and in one place count as the same: data is fsdp in B, model is tensor." Empty without any.
[[nodiscard]] QString renamedAxes(const SnapshotComparison& comparison);

/// "mesh axis data", "rule 2, hidden", "size of batch", "text of the program"; by the experiment that has it.
[[nodiscard]] QString settingName(const SettingDifference& setting, const SnapshotComparison& comparison);
/// What stands there, as people write it: "data" without quotes, "data 2 × model 4" for mesh axes, "31 lines, 7 of them
/// not in the other one" for a program's text; "–" for nothing.
[[nodiscard]] QString settingValue(const std::optional<std::string>& json, std::string_view pointer = {});
/// "all-reduce along data (sum)"
[[nodiscard]] QString collectivesName(const ComparedCollectives& each, const SnapshotComparison& comparison);
/// "8: 8 MiB": how many in a step, and what a device sends for all of them; "–" for none.
[[nodiscard]] QString collectivesAmount(std::int64_t times, Rational sent);
/// "2 added, 1 removed, 5 changed"; of none "no difference".
[[nodiscard]] QString operationCounts(std::int64_t added, std::int64_t removed, std::int64_t changed);

/// "+32 MiB", "−7 MiB", "0 B"
[[nodiscard]] QString signedBytes(double bytes);
[[nodiscard]] QString signedSeconds(double value);

} // namespace shardscope::words
