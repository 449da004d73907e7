// SPDX-License-Identifier: GPL-3.0-or-later
#include "conformance/predicted_step.h"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <utility>

#include "analysis/analyse.h"
#include "analysis/compare_compiled.h"
#include "analysis/compiled_reasons.h"
#include "conformance/network_parameters.h"
#include "experiment/network_rules.h"
#include "experiment_file/variants.h"
#include "networks/presets.h"
#include "pipeline/cache.h"
#include "pipeline/collective_list.h"

namespace shardscope::conformance {

namespace {

using ReasonKind = CompiledReason::Kind;

/// What of a case the prediction is made from: the model, and the text's form and groups.
struct StepCase {
    TransformerSettings settings; ///< the model's, with the form of the case
    std::string title;
    std::string shards; ///< the axis along which weights are sharded
    std::int64_t shardCount = 1, replicas = 1, devices = 1;
    bool hasRing = false; ///< arrays go from device to device
};

/// Weights are sharded along one axis: that of the experts where there are any, that of the sequence where its keys and
/// values go round. Where the groups are those of a mesh of two, data replicates the weights.
StepCase stepCase(const TransformerPreset& preset, const Json& oneCase, const HloCollectives& compiled)
{
    StepCase step{ preset.settings, std::string(preset.title), {}, 1, 1, oneCase.at("devices"), false };
    step.hasRing = std::any_of(compiled.list.begin(), compiled.list.end(),
        [](const HloCollective& collective) { return collective.kind == HloCollectiveKind::CollectivePermute; });
    step.shards = preset.settings.experts ? "expert" : step.hasRing ? "context" : "fsdp";
    const Json& sizes = oneCase.at("mesh_that_explains_the_groups");
    step.shardCount = sizes.back();
    if (sizes.size() == 2)
        step.replicas = sizes.at(0);
    TransformerSettings& settings = step.settings;
    settings.form = oneCase.value("layers", "") == "unrolled" ? LayerForm::Unrolled : LayerForm::Scanned;
    settings.layersAxis = settings.form == LayerForm::Scanned ? 1 : 0;
    settings.layers = oneCase.value("layers_in_the_loop", settings.layers);
    settings.parameterDtype = DType::F32;
    settings.computeDtype = DType::BF16;
    settings.batch = step.devices;
    settings.length = 8192;
    return step;
}

/// As MaxText's configurations of these models have it: weights in f32, work in bf16, an embedding that is multiplied
/// by one-hot vectors, and nothing kept for the backward pass that was gathered. With `ownSettings` only form and types
/// are those of the case; the rest is as `shardscope new` has it.
Result<Experiment> experimentOf(const StepCase& step, bool ownSettings)
{
    TransformerSettings settings = step.settings;
    if (!ownSettings) {
        settings.remat = RematPolicy::Full;
        settings.embedByOneHot = true;
    }
    const PublishedRules* const rules = findPublishedRules("maxtext-base-2025-06");
    if (!rules)
        throw std::runtime_error("no rules of MaxText");
    std::vector<MeshAxis> axes;
    if (step.replicas > 1)
        axes.push_back({ "data", step.replicas });
    axes.push_back({ step.shards, step.shardCount });
    return networkExperiment(settings, step.title, { axes, {} }, boundRules(*rules), std::nullopt, rules);
}

struct PredictedStep {
    CompiledComparison comparison;
    std::vector<CompiledReason> reasons;
};

/// "" and what is predicted, or why nothing is.
std::string predict(Experiment experiment, const HloModule& module, const HloCollectives& compiled, PredictedStep& step)
{
    AnalysisCache cache;
    const auto shared = std::make_shared<const Experiment>(std::move(experiment));
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

using SumKey = std::pair<ExchangeKind, std::string>;

struct SumBytes {
    std::int64_t predicted = 0, compiled = 0;
};

/// What the sizes of a model say of its weights' traffic, without any shape of either program.
struct ClosedForm {
    std::map<SumKey, SumBytes> sums;
    std::int64_t gathered = 0, reduced = 0; ///< of matrices, as XLA does it
    /// Of all that XLA adds up: a router works in f32, which XLA turns into bf16 before it exchanges anything.
    std::int64_t reducedInF32 = 0;
};

/// Both passes gather the matrices of the layers; embedding and head are gathered once. All of them have gradients that
/// are added up along the same axis, and what a device keeps of it between the replicas. Scales of norms are on every
/// device: theirs are added up over all.
ClosedForm closedForm(const StepCase& step)
{
    const TransformerSettings& s = step.settings;
    const std::int64_t attention = 2 * s.embed * s.heads * s.headSize + 2 * s.embed * s.kvHeads * s.headSize;
    const std::int64_t router = s.experts ? s.embed * s.experts->experts : 0;
    const std::int64_t mlp = s.experts ? 0 : 3 * s.embed * s.mlp; // those of experts stay where they are
    const std::int64_t ends = 2 * s.vocab * s.embed;
    const std::int64_t scales = (2 * s.layers + 1) * s.embed;
    constexpr std::int64_t bytes = 2; // bf16; f32 has as many again
    ClosedForm form;
    form.gathered = bytes * (2 * s.layers * (attention + router + mlp) + ends);
    form.reducedInF32 = bytes * s.layers * router;
    form.sums[{ ExchangeKind::Gather, step.shards }] = { form.gathered + 2 * form.reducedInF32, form.gathered };
    const std::int64_t gradients = bytes * (s.layers * (attention + router + mlp) + ends);
    form.reduced = gradients;
    form.sums[{ ExchangeKind::Reduction, step.shards }] = { gradients + form.reducedInF32, gradients };
    if (step.replicas > 1) {
        form.reduced += gradients / step.shardCount;
        form.sums[{ ExchangeKind::Reduction, "data" }] = { gradients / step.shardCount, gradients / step.shardCount };
    }
    SumBytes& all = form.sums[{ ExchangeKind::Reduction, step.replicas > 1 ? "data, " + step.shards : step.shards }];
    all.predicted += bytes * scales;
    all.compiled += bytes * scales;
    return form;
}

std::string sumName(const SumKey& key)
{
    return std::string(key.first == ExchangeKind::Gather  ? "gathers"
                   : key.first == ExchangeKind::Reduction ? "reductions"
                                                          : "other exchanges")
        + " along " + key.second;
}

/// Both sides have what the closed form has, to the byte, and nothing else.
std::string sumsDifference(const CompiledComparison& comparison, const ClosedForm& form)
{
    std::map<SumKey, SumBytes> missing = form.sums;
    for (const ExchangeSum& sum : comparison.sums) {
        const SumKey key{ sum.exchange, sum.axes };
        const auto found = missing.find(key);
        const SumBytes wanted = found == missing.end() ? SumBytes() : found->second;
        if (sum.predictedWeights != wanted.predicted)
            return sumName(key) + ": " + std::to_string(sum.predictedWeights) + " bytes of weights are predicted, not "
                + std::to_string(wanted.predicted);
        if (sum.compiledWeights != wanted.compiled)
            return sumName(key) + ": " + std::to_string(sum.compiledWeights) + " bytes of weights are compiled, not "
                + std::to_string(wanted.compiled);
        missing.erase(key);
    }
    return missing.empty() ? std::string() : sumName(missing.begin()->first) + " are missing";
}

/// The totals of the case, which whoever wrote it has from sizes as well.
std::string checksDifference(const Json& checks, const ClosedForm& form)
{
    std::int64_t reduced = 0;
    for (const Json& check : checks) {
        const auto value = check.at("value").get<std::int64_t>();
        if (check.at("what") != "bytes_out of all all-gathers above 256 KiB")
            reduced += value;
        else if (value != form.gathered)
            return "gathers of " + std::to_string(form.gathered) + " bytes of weights, not " + std::to_string(value);
    }
    return checks.empty() || reduced == form.reduced
        ? std::string()
        : "reductions of " + std::to_string(form.reduced) + " bytes of gradients, not " + std::to_string(reduced);
}

/// Of a text that ends within the loop of the forward pass: it has every matrix of a layer once, which is predicted to
/// be gathered there and once more in the backward pass.
std::string layerDifference(const PredictedStep& step, const TransformerSettings& settings)
{
    constexpr std::string_view ofLayers = "params/decoder/layers/";
    std::int64_t weights = 0;
    for (const ExchangeRow& row : step.comparison.rows) {
        const bool isOfLayer = row.exchange == ExchangeKind::Gather && row.weight.starts_with(ofLayers);
        if (row.compiled.collectives == 0 && !isOfLayer)
            continue;
        if (row.compiled.collectives == 0)
            return row.weight + " is not gathered";
        const std::string line = "line " + std::to_string(row.compiled.lines.front());
        if (!isOfLayer)
            return line + " is of no weight of a layer";
        weights += row.compiled.collectives;
        if (row.predicted.collectives != 2 * row.compiled.collectives || row.predicted.kinds != row.compiled.kinds
            || row.predicted.bytes / row.predicted.times != row.compiled.bytes / row.compiled.times)
            return line + ": " + std::to_string(row.predicted.collectives) + " are predicted";
        if (row.remarks != std::vector<ExchangeRemark>{ { ExchangeRemark::Kind::TimesUnknown, 0 } })
            return line + " is said to differ";
    }
    if (!step.reasons.empty())
        return "a reason is given for a text that ends early";
    const std::int64_t wanted = 4 + (settings.gatedMlp ? 3 : 2); // query, key, value, out; wi_0, wi_1, wo
    return weights == wanted
        ? std::string()
        : std::to_string(weights) + " weights of a layer are gathered, not " + std::to_string(wanted);
}

std::string reasonsText(std::vector<ReasonKind> kinds)
{
    std::sort(kinds.begin(), kinds.end());
    std::string text;
    for (const ReasonKind kind : kinds)
        text += std::string(text.empty() ? "" : " ") + std::to_string(static_cast<int>(kind));
    return '[' + text + ']';
}

/// These reasons are given, in whatever order, and no others.
std::string kindsDifference(
    const std::vector<CompiledReason>& reasons, const std::vector<ReasonKind>& wanted, const std::string& when)
{
    std::vector<ReasonKind> kinds;
    for (const CompiledReason& reason : reasons)
        kinds.push_back(reason.kind);
    const std::string given = reasonsText(kinds), expected = reasonsText(wanted);
    return given == expected ? std::string() : when + " reasons " + given + " are given, not " + expected;
}

/// What users do who believe a reason: they set what it names to what it says.
Experiment withReason(const Experiment& experiment, const CompiledReason& reason)
{
    const Json value = Json::parse(reason.value, nullptr, false);
    Json patch = Json::object();
    patch[Json::json_pointer(reason.pointer)] = value.is_discarded() ? Json(reason.value) : value;
    auto set = applyVariant(experiment, { "as the reason says", patch.dump() });
    if (!set || !set->warnings.empty())
        throw std::runtime_error(reason.pointer + " cannot be set to " + reason.value);
    return std::move(set->experiment);
}

/// The network with settings of its own: every reason that there is for a difference is given, and no other; they make
/// up for all that differs; each is gone once its setting is set; and then all is as with MaxText's settings.
std::string ownDifference(
    const StepCase& step, const ClosedForm& form, const HloModule& module, const HloCollectives& compiled)
{
    Result<Experiment> experiment = experimentOf(step, true);
    if (!experiment)
        return "no experiment: " + std::string(experiment.error().kind());
    PredictedStep own;
    if (std::string wrong = predict(*experiment, module, compiled, own); !wrong.empty())
        return wrong;
    std::vector<ReasonKind> wanted{ ReasonKind::EmbedsByProduct };
    if (step.settings.form == LayerForm::Unrolled) // a loop keeps nothing that was gathered
        wanted.push_back(ReasonKind::GathersAgain);
    if (step.hasRing)
        wanted.push_back(ReasonKind::KeysGoRound);
    if (std::string wrong = kindsDifference(own.reasons, wanted, "with settings of its own"); !wrong.empty())
        return wrong;
    std::int64_t differs = form.reducedInF32;
    for (const ExchangeSum& sum : own.comparison.sums)
        differs += sum.compiledWeights - sum.predictedWeights;
    for (const CompiledReason& reason : own.reasons)
        if (reason.kind != ReasonKind::KeysGoRound) // which is about activations
            differs -= reason.compiledBytes - reason.predictedBytes;
    if (differs != 0)
        return "with settings of its own " + std::to_string(differs) + " bytes of weights differ for no reason";
    PredictedStep set;
    for (const CompiledReason& reason : own.reasons) {
        if (reason.pointer.empty() != (reason.kind == ReasonKind::KeysGoRound))
            return "a reason names the setting “" + reason.pointer + "”";
        if (reason.pointer.empty())
            continue;
        *experiment = withReason(*experiment, reason);
        if (std::string wrong = predict(*experiment, module, compiled, set); !wrong.empty())
            return wrong;
        std::erase(wanted, reason.kind);
        const std::string when = "with " + reason.pointer + " set to " + reason.value;
        if (std::string wrong = kindsDifference(set.reasons, wanted, when); !wrong.empty())
            return wrong;
    }
    const std::string wrong = sumsDifference(set.comparison, form);
    return wrong.empty() ? std::string() : "with the settings that the reasons name " + wrong;
}

std::string predictionDifference(
    const StepCase& step, const Json& checks, const HloModule& module, const HloCollectives& compiled)
{
    Result<Experiment> experiment = experimentOf(step, false);
    if (!experiment)
        return "no experiment: " + std::string(experiment.error().kind());
    PredictedStep first;
    if (std::string wrong = predict(std::move(*experiment), module, compiled, first); !wrong.empty())
        return wrong;
    if (first.comparison.endsEarly)
        return layerDifference(first, step.settings);
    const ClosedForm form = closedForm(step);
    for (const std::string& wrong : { sumsDifference(first.comparison, form), checksDifference(checks, form),
             kindsDifference(first.reasons,
                 step.hasRing ? std::vector{ ReasonKind::KeysGoRound } : std::vector<ReasonKind>(),
                 "with MaxText's settings") })
        if (!wrong.empty())
            return wrong;
    return ownDifference(step, form, module, compiled);
}

} // namespace

CaseResult checkPrediction(const Json& oneCase, const HloModule& module, const HloCollectives& compiled)
{
    const auto model = oneCase.at("model").get<std::string>();
    const TransformerPreset* const preset = findPreset(presetOf(model));
    if (!preset)
        return CaseResult::unsupported("nothing is predicted of " + model + ", which is no network of the product");
    if (const auto type = oneCase.at("dtype").get<std::string>(); type != "bf16")
        return CaseResult::unsupported("nothing is predicted of work in " + type);
    std::string wrong = predictionDifference(
        stepCase(*preset, oneCase, compiled), oneCase.value("checks", Json::array()), module, compiled);
    return wrong.empty() ? CaseResult::passed()
                         : CaseResult::failed("predicted from rules and mesh: " + std::move(wrong));
}

} // namespace shardscope::conformance
