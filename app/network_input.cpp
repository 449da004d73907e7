// SPDX-License-Identifier: GPL-3.0-or-later
#include "network_input.h"

#include <algorithm>
#include <utility>

#include "base/codes.h"
#include "experiment/edits.h"
#include "experiment_file/file_words.h"

namespace shardscope::cli {

AxisNames axisNamesOf(const RulesInput& rules)
{
    if (rules.dialect != Dialect::MaxText && !rules.maxText)
        return AxisNames::T5x;
    const std::vector<LogicalRule>& list = rules.rules.list;
    const bool isNew = std::any_of(list.begin(), list.end(), [](const LogicalRule& rule) {
        return rule.name.name == "embed_vocab" || rule.name.name == "embed_moe" || rule.name.name == "mlp_moe";
    });
    return isNew ? AxisNames::MaxText : AxisNames::MaxText2025;
}

Result<Experiment> networkExperiment(
    const TransformerSettings& settings, std::string title, const NetworkOptions& options)
{
    std::optional<RulesInput> rules;
    if (!options.rules.empty()) {
        SHARDSCOPE_TRY(read, readRulesInput(options.rules, "--rules"));
        rules = std::move(*read);
    }
    SHARDSCOPE_TRY(mesh, readMeshOption(options.mesh, rules ? &*rules : nullptr));
    if (!*mesh)
        return fail(Code::UnresolvedAxisSize,
            { { "option", "--mesh" }, { "axes", rules ? rules->meshAxes : std::vector<std::string>() } });

    Experiment experiment;
    experiment.title = std::move(title);
    experiment.mesh.axes.assign((*mesh)->axes().begin(), (*mesh)->axes().end());
    experiment.mesh.deviceOrder.assign((*mesh)->deviceOrder().begin(), (*mesh)->deviceOrder().end());
    experiment = withHardwareFollowing(std::move(experiment), HardwareSetting());
    TransformerModel model{ { settings, {} } };
    if (rules) {
        if (rules->experiment)
            experiment.rules = rules->experiment->rules;
        else
            experiment.rules.rules = rules->rules;
        experiment.rules.dialect = rules->dialect.value_or(experiment.rules.dialect);
        model.settings.model.axisNames = axisNamesOf(*rules);
    }
    if (!options.axisNames.empty()) {
        const std::vector<std::string>& known = file_words::axisNames;
        const auto found = std::find(known.begin(), known.end(), options.axisNames);
        model.settings.model.axisNames = static_cast<AxisNames>(found - known.begin());
    }
    experiment.model = std::move(model);
    return experiment;
}

} // namespace shardscope::cli
