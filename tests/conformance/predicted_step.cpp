// SPDX-License-Identifier: GPL-3.0-or-later
#include "conformance/predicted_step.h"

#include <cstdlib>
#include <stdexcept>

#include "analysis/analyse.h"
#include "analysis/compare_compiled.h"
#include "analysis/compiled_reasons.h"
#include "conformance/network_parameters.h"
#include "experiment/network_rules.h"
#include "networks/presets.h"
#include "pipeline/cache.h"
#include "pipeline/collective_list.h"

namespace shardscope::conformance {

namespace {

/// Weights are sharded along one axis; where the groups are of a mesh of two, data replicates them.
std::vector<MeshAxis> replicasAndShards(const Json& oneCase)
{
    const Json& sizes = oneCase.at("mesh_that_explains_the_groups");
    const bool isContext = oneCase.value("note", "").starts_with("context parallel");
    std::vector<MeshAxis> axes;
    if (sizes.size() == 2)
        axes.push_back({ "data", sizes.at(0) });
    const bool hasExperts = oneCase.at("model").get<std::string>().starts_with("mixtral-");
    axes.push_back({ isContext ? "context" : hasExperts ? "expert" : "fsdp", sizes.back() });
    return axes;
}

/// As MaxText's configurations of these models have it: weights in f32, work in bf16, an embedding that is multiplied
/// by one-hot vectors, and nothing kept for the backward pass that was gathered. With `ownSettings` only the form of
/// the layers is that of the case; the rest is as `shardscope new` has it.
Result<Experiment> experimentOf(const TransformerPreset& preset, const Json& oneCase, bool ownSettings)
{
    TransformerSettings settings = preset.settings;
    settings.form = oneCase.value("layers", "") == "unrolled" ? LayerForm::Unrolled : LayerForm::Scanned;
    settings.layersAxis = settings.form == LayerForm::Scanned ? 1 : 0;
    settings.layers = oneCase.value("layers_in_the_loop", settings.layers);
    if (!ownSettings) {
        settings.remat = RematPolicy::Full;
        settings.embedByOneHot = true;
    }
    settings.parameterDtype = DType::F32;
    settings.computeDtype = DType::BF16;
    settings.batch = oneCase.at("devices").get<std::int64_t>();
    settings.length = 8192;
    const PublishedRules* const rules = findPublishedRules("maxtext-base-2025-06");
    if (!rules)
        throw std::runtime_error("no rules of MaxText");
    return networkExperiment(settings, std::string(preset.title), { replicasAndShards(oneCase), {} },
        boundRules(*rules), std::nullopt, rules);
}

bool isNear(std::int64_t predicted, std::int64_t compiled)
{
    return std::abs(static_cast<double>(predicted - compiled)) <= 0.01 * static_cast<double>(compiled);
}

struct PredictedStep {
    CompiledComparison comparison;
    std::vector<CompiledReason> reasons;
};

/// "" and what is predicted, or why nothing is.
std::string predict(const TransformerPreset& preset, const Json& oneCase, bool ownSettings, const HloModule& module,
    const HloCollectives& compiled, PredictedStep& step)
{
    Result<Experiment> experiment = experimentOf(preset, oneCase, ownSettings);
    if (!experiment)
        return "no experiment: " + std::string(experiment.error().kind());
    AnalysisCache cache;
    const auto shared = std::make_shared<const Experiment>(std::move(*experiment));
    const SnapshotPtr snapshot = analyse(shared, 1, cache);
    const auto predicted = collectivesOf(*snapshot);
    if (!predicted)
        return "not partitioned: " + std::string(predicted.error().kind());
    Result<CompiledComparison> comparison = compareCompiled(*snapshot, **predicted, module, compiled);
    if (!comparison)
        return "not comparable: " + std::string(comparison.error().kind());
    step.comparison = std::move(*comparison);
    step.reasons = reasonsFor(step.comparison, *shared);
    return {};
}

/// Of a text that ends within the loop of the forward pass: it has every weight of a layer once, which is predicted to
/// be gathered there and once more in the backward pass.
std::string layerDifference(const CompiledComparison& comparison)
{
    std::size_t weights = 0;
    for (const ExchangeRow& row : comparison.rows) {
        if (row.compiled.collectives == 0)
            continue;
        ++weights;
        if (row.weight.empty() || row.predicted.collectives != 2 * row.compiled.collectives
            || row.predicted.kinds != row.compiled.kinds
            || row.predicted.bytes / row.predicted.times != row.compiled.bytes / row.compiled.times)
            return "line " + std::to_string(row.compiled.lines.front()) + ": "
                + std::to_string(row.predicted.collectives) + " are predicted";
        if (row.remarks != std::vector<ExchangeRemark>{ { ExchangeRemark::Kind::TimesUnknown, 0 } })
            return "line " + std::to_string(row.compiled.lines.front()) + " is said to differ";
    }
    return weights > 0 ? std::string() : "nothing is compared";
}

/// What the settings of the network have to do with it is said, to the byte: the reasons make up for what differs.
std::string unexplained(const PredictedStep& step)
{
    std::int64_t differs = 0, compiled = 0;
    for (const ExchangeSum& sum : step.comparison.sums) {
        differs += sum.compiledWeights - sum.predictedWeights;
        compiled += sum.compiledWeights;
    }
    for (const CompiledReason& reason : step.reasons)
        if (reason.kind != CompiledReason::Kind::KeysGoRound)
            differs -= reason.compiledBytes - reason.predictedBytes;
    return isNear(compiled + differs, compiled)
        ? std::string()
        : "with settings of its own " + std::to_string(differs) + " bytes of weights differ for no reason";
}

} // namespace

std::string predictedDifference(const Json& oneCase, const HloModule& module, const HloCollectives& compiled)
{
    const auto model = oneCase.at("model").get<std::string>();
    if (model == "deepseek3-test") // a model for tests of MaxText's own
        return {};
    const TransformerPreset* const preset = findPreset(presetOf(model));
    if (!preset)
        return "no network of this name: " + model;
    PredictedStep step;
    if (std::string wrong = predict(*preset, oneCase, false, module, compiled, step); !wrong.empty())
        return wrong;
    if (step.comparison.endsEarly)
        return layerDifference(step.comparison);
    std::int64_t gathered = 0, reduced = 0;
    for (const ExchangeSum& sum : step.comparison.sums) {
        (sum.exchange == ExchangeKind::Gather ? gathered : reduced) += sum.predictedWeights;
        if (!isNear(sum.predictedWeights, sum.compiledWeights))
            return std::string(sum.exchange == ExchangeKind::Gather ? "gathers" : "reductions") + " along " + sum.axes
                + ": " + std::to_string(sum.predictedWeights) + " bytes of weights are predicted, "
                + std::to_string(sum.compiledWeights) + " compiled";
    }
    // The same without matching shapes: totals with a closed form, where there is one.
    const Json checks = oneCase.value("checks", Json::array());
    std::int64_t sums = 0;
    for (const Json& check : checks) {
        const auto value = check.at("value").get<std::int64_t>();
        if (check.at("what") == "bytes_out of all all-gathers above 256 KiB") {
            if (!isNear(gathered, value))
                return "gathers of " + std::to_string(gathered) + " bytes of weights, not " + std::to_string(value);
        } else {
            sums += value;
        }
    }
    if (!checks.empty() && !isNear(reduced, sums))
        return "reductions of " + std::to_string(reduced) + " bytes of gradients, not " + std::to_string(sums);
    for (const CompiledReason& reason : step.reasons)
        if (reason.kind != CompiledReason::Kind::KeysGoRound)
            return "a setting of the network is said to be another one";
    PredictedStep own;
    if (std::string wrong = predict(*preset, oneCase, true, module, compiled, own); !wrong.empty())
        return wrong;
    return unexplained(own);
}

} // namespace shardscope::conformance
