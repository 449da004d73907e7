// SPDX-License-Identifier: GPL-3.0-or-later
// T5X' partitioner over the rules and the mesh of an experiment.
//
//     dialect t5x, rules batch -> data, embed -> None, mesh replica 2, data 4, model 8: the axes are those of a mesh
//     over slices, for which T5X writes (replica, data) into every rule for batch
#pragma once

#include <optional>

#include "experiment/experiment.h"
#include "rules/t5x_partitioner.h"

namespace shardscope {

/// The partitioner that T5X would make; absent where the experiment reads its rules in another way. A mesh of replica,
/// data and model stands for shapes inside and across slices. Errors: those of makePartitioner().
[[nodiscard]] std::optional<Result<Partitioner>> t5xPartitioner(const Experiment& experiment);

/// Whether the partitioner works with other rules for batch than the experiment has.
[[nodiscard]] bool rewritesBatch(const Experiment& experiment);
/// The rules as the partitioner has them. Errors: those of makePartitioner(); nothing changes without a partitioner.
[[nodiscard]] Result<Experiment> withPartitionerRules(const Experiment& experiment);

} // namespace shardscope
