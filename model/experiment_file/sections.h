// SPDX-License-Identifier: GPL-3.0-or-later
// Readers of the sections of an experiment file. Each reports what is wrong into the cursor's context and leaves the
// default in its place.
#pragma once

#include "experiment_file/read_support.h"

namespace shardscope {

void readHardware(const ValueCursor& value, HardwareSetting& hardware);
void readMesh(const ValueCursor& value, MeshSetting& mesh);
void readRules(const ValueCursor& value, RulesSetting& rules);
/// Shardings of a program's values are read over `mesh`. False where nobody knows which kind of model it is.
bool readModel(const ValueCursor& value, const MeshSetting& mesh, ModelSetting& model);
void readTransformer(ObjectCursor& object, TransformerSettings& settings);
/// The optimizer and what else a train step has.
void readStep(const ValueCursor& value, MlpSettings& settings);
void readStep(const ValueCursor& value, TransformerTraining& training);
/// Reports settings that contradict each other, at one of them: the errors of checkTraining(). `model` and `step` are
/// the objects that they were read of.
void checkTransformerModel(
    const ValueCursor& model, const std::optional<ValueCursor>& step, const TransformerTraining& training);
void readPropagation(const ValueCursor& value, PropagationSetting& propagation);
void readRun(const ValueCursor& value, RunSetting& run);
void readAcknowledged(const ValueCursor& value, std::vector<Acknowledgement>& acknowledged);
/// Patches are kept as they are; what they make of the experiment is not looked at (variants.h).
void readVariants(const ValueCursor& value, std::vector<Variant>& variants);
/// Where arrays lie that say nothing of it themselves.
void readPlacement(const ValueCursor& value, PlacementSetting& placement);

/// What a rule or a dimension maps to: null, an axis, or a list of axes.
[[nodiscard]] std::optional<SpecEntry> readSpecEntry(const ValueCursor& value);
/// The name of a dimension, or null.
[[nodiscard]] std::optional<LogicalName> readLogicalName(const ValueCursor& value);

} // namespace shardscope
