// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/compiled_reasons.h"

#include <algorithm>
#include <optional>
#include <set>

namespace shardscope {

namespace {

using ReasonKind = CompiledReason::Kind;

/// How a network's backward pass comes by its weights.
struct WeightSettings {
    LayerForm form = LayerForm::Unrolled;
    RematPolicy remat = RematPolicy::None;
    /// A loop's way back keeps nothing gathered, whatever is kept of its trips.
    [[nodiscard]] bool keepsGathered() const { return form == LayerForm::Unrolled && remat == RematPolicy::None; }
};

std::optional<WeightSettings> weightSettings(const Experiment& experiment)
{
    if (const auto* transformer = std::get_if<TransformerModel>(&experiment.model))
        return WeightSettings{ transformer->settings.model.form, transformer->settings.model.remat };
    if (const auto* mlp = std::get_if<MlpModel>(&experiment.model))
        return WeightSettings{ mlp->settings.form, mlp->settings.remat };
    return std::nullopt;
}

void addBytes(CompiledReason& reason, const ExchangeRow& row)
{
    reason.predictedBytes = saturatingSum(reason.predictedBytes, row.predicted.bytes);
    reason.compiledBytes = saturatingSum(reason.compiledBytes, row.compiled.bytes);
}

bool isGatheredWeight(const ExchangeRow& row)
{
    return row.exchange == ExchangeKind::Gather && !row.weight.empty() && row.predicted.timesKnown
        && row.compiled.timesKnown;
}

/// Weights that one side gathers twice as often as the other.
CompiledReason gathers(const CompiledComparison& comparison, ReasonKind kind, const std::optional<WeightSettings>& own)
{
    CompiledReason reason{ kind, 0, 0, {}, {} };
    const bool again = kind == ReasonKind::GathersAgain;
    for (const ExchangeRow& row : comparison.rows) {
        const std::int64_t fewer = again ? row.predicted.times : row.compiled.times;
        const std::int64_t more = again ? row.compiled.times : row.predicted.times;
        if (isGatheredWeight(row) && fewer > 0 && more == saturatingProduct(2, fewer) && more > fewer)
            addBytes(reason, row);
    }
    if (!own || own->keepsGathered() != again)
        return reason;
    // Of a loop nothing gathered can be kept: its layers have to stand one after the other.
    const bool isLoop = own->form == LayerForm::Scanned;
    reason.pointer = isLoop ? "/model/form" : "/model/remat";
    reason.value = again ? "full" : isLoop ? "unrolled" : "none";
    return reason;
}

/// What is exchanged of the embedding alone on the side that gathers all of it. Where it looks rows up the other one
/// may gather it as well, but has no gradient of all of it to add up.
CompiledReason embedding(const CompiledComparison& comparison, const TransformerModel& transformer)
{
    const bool byProduct = transformer.settings.model.embedByOneHot;
    CompiledReason reason{ byProduct ? ReasonKind::EmbedsByLookup : ReasonKind::EmbedsByProduct, 0, 0,
        "/model/embed_by_one_hot", byProduct ? "false" : "true" };
    bool isGathered = false;
    for (const ExchangeRow& row : comparison.rows) {
        if (row.weight != "params/token_embedder/embedding")
            continue;
        const std::int64_t own = byProduct ? row.compiled.times : row.predicted.times;
        const std::int64_t other = byProduct ? row.predicted.times : row.compiled.times;
        isGathered = isGathered || (row.exchange == ExchangeKind::Gather && other > 0);
        if (own == 0)
            addBytes(reason, row);
    }
    if (!isGathered)
        return {};
    return reason;
}

/// Activations that are predicted to be gathered, and what is added up of them on the way back, where XLA has none of
/// it and sends along the same axes from device to device.
CompiledReason keysGoingRound(const CompiledComparison& comparison)
{
    CompiledReason reason{ ReasonKind::KeysGoRound, 0, 0, {}, {} };
    std::set<std::string> rings;
    for (const ExchangeRow& row : comparison.rows)
        if (row.exchange == ExchangeKind::Permute && row.predicted.times == 0 && !row.axes.empty()) {
            rings.insert(row.axes);
            addBytes(reason, row);
        }
    bool isGathered = false;
    for (const ExchangeRow& row : comparison.rows) {
        const bool gathers = row.exchange == ExchangeKind::Gather;
        if (!rings.contains(row.axes) || !row.weight.empty() || row.compiled.times > 0
            || !(gathers || row.exchange == ExchangeKind::Reduction))
            continue;
        addBytes(reason, row);
        isGathered = isGathered || gathers;
    }
    if (!isGathered)
        return {};
    return reason;
}

} // namespace

std::vector<CompiledReason> reasonsFor(const CompiledComparison& comparison, const Experiment& experiment)
{
    const std::optional<WeightSettings> own = weightSettings(experiment);
    std::vector<CompiledReason> reasons{ gathers(comparison, ReasonKind::GathersAgain, own),
        gathers(comparison, ReasonKind::KeepsGathered, own) };
    // What is on one side alone says nothing of a text that ends early.
    if (const auto* transformer = std::get_if<TransformerModel>(&experiment.model);
        transformer && !comparison.endsEarly) {
        reasons.push_back(embedding(comparison, *transformer));
        reasons.push_back(keysGoingRound(comparison));
    }
    std::erase_if(reasons, [](const CompiledReason& reason) { return reason.predictedBytes == reason.compiledBytes; });
    std::stable_sort(reasons.begin(), reasons.end(), [](const CompiledReason& a, const CompiledReason& b) {
        const auto difference = [](const CompiledReason& reason) {
            return std::max(reason.predictedBytes, reason.compiledBytes)
                - std::min(reason.predictedBytes, reason.compiledBytes);
        };
        return difference(a) > difference(b);
    });
    return reasons;
}

} // namespace shardscope
