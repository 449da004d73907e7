// SPDX-License-Identifier: GPL-3.0-or-later
// Rules, meshes and tables as they are given on the command line.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "experiment/experiment.h"
#include "interchange/maxtext_config.h"
#include "interchange/parameter_table.h"
#include "rules/dialect.h"
#include "sharding/logical_rules.h"

namespace shardscope::cli {

class Command;

struct RulesInput {
    std::string name; ///< where they are from: a file, "standard input", the id of a published set, or the option
    LogicalRules rules;
    std::optional<Dialect> dialect; ///< where the source says one
    std::vector<std::string> meshAxes; ///< of a published set
    std::optional<ReadMaxText> maxText; ///< of a MaxText configuration
    std::optional<Experiment> experiment; ///< whose rules these are
    std::vector<Diagnostic> warnings; ///< of reading
};

/// A file (MaxText's YAML if its name ends in .yml or .yaml, or an experiment), - for standard input, the id of a
/// published set or of a built-in experiment, or the rules themselves. Diagnostics name the source. `option` is what it
/// was given with: "--rules".
[[nodiscard]] Result<RulesInput> readRulesInput(const std::string& specified, const std::string& option);
/// The rules of an experiment and the axes of its mesh, without the experiment itself.
[[nodiscard]] RulesInput rulesOf(const std::string& name, const Experiment& experiment);
/// Whether the text is that of an experiment, by what it says of itself.
[[nodiscard]] bool isExperimentText(std::string_view text);
/// The text of a MaxText configuration.
[[nodiscard]] Result<RulesInput> readMaxTextInput(const std::string& name, const std::string& text);
/// A published set. UnknownValue with the nearest id otherwise.
[[nodiscard]] Result<RulesInput> publishedInput(const std::string& id, const std::string& option);

/// A file with an own table, or - for standard input.
struct TableInput {
    std::string name;
    ParameterTable table;
};
[[nodiscard]] tl::expected<TableInput, std::vector<Diagnostic>> readTableInput(const std::string& specified);

/// The mesh of --mesh, that of an experiment, or that of a MaxText configuration on a machine; nothing without any.
/// Of a MaxText source it has all axes, in the source's order, with the sizes that --mesh names, else of size 1. Where
/// --mesh names all of them it keeps its order; where it orders devices, those that it lacks come last.
struct MeshOptions {
    std::string mesh;
    std::int64_t devices = 0; ///< 0 = not given
    std::int64_t slices = 0;
};
/// --devices and --slices: how many there are where a MaxText configuration leaves that open.
void addDeviceCounts(Command& command, MeshOptions& mesh);
[[nodiscard]] Result<std::optional<Mesh>> readMeshOption(const MeshOptions& options, const RulesInput* rules);
[[nodiscard]] MaxTextMachine machineOf(const MeshOptions& options);
/// The slices that --slices or the sizes of a MaxText configuration say; nothing where neither does.
[[nodiscard]] std::optional<std::int64_t> statedSlices(const MeshOptions& options, const RulesInput* rules);

/// What parseShape() reads: "8,1024", "8x1024". Diagnostics name the option.
[[nodiscard]] Result<std::vector<std::int64_t>> parseSizes(const std::string& text, const std::string& option);

} // namespace shardscope::cli
