// SPDX-License-Identifier: GPL-3.0-or-later
// What other programs' files give, put together as an experiment: rules, a mesh, and somebody's own arrays.
#pragma once

#include "experiment/experiment.h"
#include "interchange/maxtext_config.h"
#include "interchange/parameter_table.h"

namespace shardscope {

struct Import {
    std::string title;
    Dialect dialect = Dialect::FlaxLinen;
    LogicalRules rules;
    std::vector<InnerRules> inner; ///< of parts of the model; read as `rules` are
    bool mapping = false; ///< of names to axes, in place of a list
    std::vector<MeshAxis> mesh;
    std::vector<std::int32_t> deviceOrder; ///< as in MeshSetting
    std::int64_t hosts = 1; ///< or slices; they have to divide the devices
    std::vector<ParameterRow> rows;
};

/// Sizes of the axes, their order and the slices.
void takeMesh(const MaxTextMesh& mesh, Import& import);

/// The devices of a mesh as hosts (slices) of as many each. Errors: DevicesMismatch.
[[nodiscard]] Result<void> spreadOverHosts(DeviceSet& devices, std::int64_t deviceCount, std::int64_t hosts);

/// An experiment of the arrays alone. Errors: those of Mesh::create, DevicesMismatch, RulesType, RuleArity,
/// NestedTuple, AxisUsedTwice (twice in one rule), TooLarge, WrongType for names that are empty or have control
/// characters.
[[nodiscard]] Result<Experiment> toExperiment(const Import& import);

/// The arrays that an experiment lists, else the arguments that its program has as parameters, as rows.
[[nodiscard]] std::vector<ParameterRow> toRows(const Experiment& experiment);

} // namespace shardscope
