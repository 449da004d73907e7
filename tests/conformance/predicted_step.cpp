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
    axes.push_back({ isContext ? "context" : "fsdp", sizes.back() });
    return axes;
}

/// As MaxText's configurations of these models have it: weights in f32, work in bf16, layers as one loop, of which the
/// backward pass keeps nothing that was gathered, and an embedding that is multiplied by one-hot vectors.
Result<Experiment> experimentOf(const TransformerPreset& preset, const Json& oneCase)
{
    TransformerSettings settings = preset.settings;
    settings.form = LayerForm::Scanned;
    settings.layersAxis = 1;
    settings.remat = RematPolicy::Full;
    settings.embedByOneHot = true;
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

} // namespace

std::string predictedDifference(const Json& oneCase, const HloModule& module, const HloCollectives& compiled)
{
    const TransformerPreset* const preset = findPreset(presetOf(oneCase.at("model").get<std::string>()));
    if (!preset || !oneCase.contains("checks")) // text that ends early, or of another network
        return {};
    Result<Experiment> experiment = experimentOf(*preset, oneCase);
    if (!experiment)
        return "no experiment: " + std::string(experiment.error().kind());
    AnalysisCache cache;
    const auto shared = std::make_shared<const Experiment>(std::move(*experiment));
    const SnapshotPtr snapshot = analyse(shared, 1, cache);
    const auto predicted = collectivesOf(*snapshot);
    if (!predicted)
        return "not partitioned: " + std::string(predicted.error().kind());
    const Result<CompiledComparison> comparison = compareCompiled(*snapshot, **predicted, module, compiled);
    if (!comparison)
        return "not comparable: " + std::string(comparison.error().kind());
    std::int64_t gathered = 0, reduced = 0;
    for (const ExchangeSum& sum : comparison->sums) {
        (sum.exchange == ExchangeKind::Gather ? gathered : reduced) += sum.predictedWeights;
        if (!isNear(sum.predictedWeights, sum.compiledWeights))
            return std::string(sum.exchange == ExchangeKind::Gather ? "gathers" : "reductions") + " along " + sum.axes
                + ": " + std::to_string(sum.predictedWeights) + " bytes of weights are predicted, "
                + std::to_string(sum.compiledWeights) + " compiled";
    }
    // The same without matching shapes: totals with a closed form.
    std::int64_t sums = 0;
    for (const Json& check : oneCase.at("checks")) {
        const auto value = check.at("value").get<std::int64_t>();
        if (check.at("what") == "bytes_out of all all-gathers above 256 KiB") {
            if (!isNear(gathered, value))
                return "gathers of " + std::to_string(gathered) + " bytes of weights, not " + std::to_string(value);
        } else {
            sums += value;
        }
    }
    if (!isNear(reduced, sums))
        return "reductions of " + std::to_string(reduced) + " bytes of gradients, not " + std::to_string(sums);
    for (const CompiledReason& reason : reasonsFor(*comparison, *shared))
        if (reason.kind != CompiledReason::Kind::KeysGoRound)
            return "a setting of the network is said to be another one";
    return {};
}

} // namespace shardscope::conformance
