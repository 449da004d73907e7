// SPDX-License-Identifier: GPL-3.0-or-later
#include "experiment/network_edits.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <system_error>
#include <utility>

#include "base/codes.h"
#include "experiment/edit_support.h"
#include "experiment/model_settings.h"
#include "networks/chosen_parts.h"
#include "networks/presets.h"

namespace shardscope {

namespace {

Result<Experiment> noSetting(std::string_view what)
{
    return fail(Code::InvalidAttribute, { { "op", what }, { "wrong", "network" } });
}

/// Notes and unknown keys of a chosen sharding go with it, wherever it stands now.
void moveNotes(Experiment& experiment, const char* key, const std::vector<ChosenSharding>& before,
    const std::vector<ChosenSharding>& now)
{
    if (before == now)
        return;
    const std::string list = std::string("/model/") + key + '/';
    const auto isGone = [&](std::string& pointer) {
        std::size_t index = 0;
        const char* end = pointer.data() + pointer.size();
        if (!pointer.starts_with(list))
            return false;
        const auto [rest, error] = std::from_chars(pointer.data() + list.size(), end, index);
        if (error != std::errc() || index >= before.size())
            return false;
        auto found = std::find(now.begin(), now.end(), before[index]);
        if (found == now.end() && now.size() >= before.size()) // it has other axes
            found = std::find_if(
                now.begin(), now.end(), [&](const ChosenSharding& each) { return each.at == before[index].at; });
        if (found == now.end())
            return true;
        pointer = list + std::to_string(found - now.begin()) + std::string(rest, end);
        return false;
    };
    edit_support::moveAdditions(experiment, isGone);
    std::sort(experiment.innerNotes.begin(), experiment.innerNotes.end());
}

void moveNotes(Experiment& experiment, const TransformerSettings& before, const TransformerSettings& now)
{
    moveNotes(experiment, "constraints", before.constraints, now.constraints);
    moveNotes(experiment, "parameter_specs", before.parameterSpecs, now.parameterSpecs);
}

/// The transformer after a change of its settings.
template <class Change> // void(TransformerTraining&)
Result<Experiment> withTraining(const Experiment& before, std::string_view what, const Change& change)
{
    Experiment after = before;
    auto* transformer = std::get_if<TransformerModel>(&after.model);
    if (!transformer)
        return noSetting(what);
    change(transformer->settings);
    SHARDSCOPE_CHECK(checkTraining(transformer->settings));
    moveNotes(after, std::get<TransformerModel>(before.model).settings.model, transformer->settings.model);
    return after;
}

/// What a person chooses beside the published model.
void keepChoices(TransformerSettings& settings, const TransformerSettings& before)
{
    settings.axisNames = before.axisNames;
    settings.form = before.form;
    settings.layersAxis = before.layersAxis;
    settings.remat = before.remat;
    settings.dropout = before.dropout;
    settings.attentionDropout = before.attentionDropout;
    settings.dropoutSeed = before.dropoutSeed;
    settings.parameterDtype = before.parameterDtype;
    settings.computeDtype = before.computeDtype;
    settings.constraints = before.constraints;
    settings.parameterSpecs = before.parameterSpecs;
}

/// The last one counts, so that it stands after all others.
void choose(std::vector<ChosenSharding>& chosen, const std::string& at, Annotation axes)
{
    std::erase_if(chosen, [&](const ChosenSharding& each) { return each.at == at; });
    chosen.push_back({ at, std::move(axes) });
}

Result<Experiment> notChosen(const char* key, const std::string& at, const std::vector<ChosenSharding>& chosen)
{
    std::vector<std::string> known;
    for (const ChosenSharding& each : chosen)
        known.push_back(each.at);
    std::string nearest = nearestName(at, known);
    return fail(Code::UnknownValue,
        { { "key", key }, { "value", at }, { "known", std::move(known) }, { "nearest", std::move(nearest) } });
}

Result<Experiment> withoutOne(const Experiment& before, const char* key,
    std::vector<ChosenSharding> TransformerSettings::*list, std::size_t index)
{
    const auto* transformer = std::get_if<TransformerModel>(&before.model);
    SHARDSCOPE_CHECK(
        edit_support::checkIndex(key, index, transformer ? (transformer->settings.model.*list).size() : 0));
    return withTraining(before, key, [&](TransformerTraining& training) {
        std::vector<ChosenSharding>& chosen = training.model.*list;
        chosen.erase(chosen.begin() + static_cast<std::ptrdiff_t>(index));
    });
}

Result<Experiment> unknownNetwork(std::string_view id)
{
    std::vector<std::string> known{ std::string(mlpNetwork) };
    for (const TransformerPreset& preset : transformerPresets())
        known.emplace_back(preset.id);
    std::string nearest = nearestName(std::string(id), known);
    return fail(Code::UnknownValue,
        { { "key", "preset" }, { "value", std::string(id) }, { "known", std::move(known) },
            { "nearest", std::move(nearest) } });
}

std::vector<std::int64_t> powersOfTwo()
{
    std::vector<std::int64_t> sizes;
    for (std::int64_t size = 1; size <= std::int64_t{ 1 } << 24; size *= 2)
        sizes.push_back(size);
    return sizes;
}

/// 0 before them.
std::vector<std::int64_t> withNone(std::vector<std::int64_t> sizes)
{
    sizes.insert(sizes.begin(), 0);
    return sizes;
}

/// The multiples of `of` from 1 to `largest` that divide `divided`; 0 is divided by all.
std::vector<std::int64_t> counts(std::int64_t largest, std::int64_t of = 1, std::int64_t divided = 0)
{
    std::vector<std::int64_t> sizes;
    for (std::int64_t size = of; size <= largest; size += of)
        if (divided % size == 0)
            sizes.push_back(size);
    return sizes;
}

} // namespace

Result<Experiment> withNetwork(const Experiment& before, std::string_view id)
{
    Experiment after = before;
    const auto* old = std::get_if<TransformerModel>(&before.model);
    if (id == mlpNetwork) {
        if (!std::holds_alternative<MlpModel>(before.model))
            after.model = MlpModel{};
        return after;
    }
    const TransformerPreset* preset = findPreset(id);
    if (!preset)
        return unknownNetwork(id);
    TransformerTraining training;
    if (old)
        training = old->settings;
    else if (const auto* mlp = std::get_if<MlpModel>(&before.model))
        training.optimizer = OptimizerSettings(mlp->settings.adam);
    training.model = preset->settings;
    if (old) {
        keepChoices(training.model, old->settings.model);
        keepFittingShardings(training.model);
    }
    if (training.model.batch % training.microbatches != 0)
        training.microbatches = 1;
    SHARDSCOPE_CHECK(checkTraining(training));
    if (old)
        moveNotes(after, old->settings.model, training.model);
    after.model = TransformerModel{ std::move(training) };
    return after;
}

std::string_view networkOf(const Experiment& experiment)
{
    if (std::holds_alternative<MlpModel>(experiment.model))
        return mlpNetwork;
    const auto* transformer = std::get_if<TransformerModel>(&experiment.model);
    if (!transformer)
        return {};
    const TransformerSettings& own = transformer->settings.model;
    for (const TransformerPreset& preset : transformerPresets()) {
        TransformerSettings settings = preset.settings;
        keepChoices(settings, own);
        settings.batch = own.batch;
        settings.length = own.length;
        if (settings == own)
            return preset.id;
    }
    return {};
}

Result<Experiment> withParameterType(const Experiment& before, DType dtype)
{
    Experiment after = before;
    auto* mlp = std::get_if<MlpModel>(&after.model);
    if (!mlp)
        return withTraining(
            before, "parameter_dtype", [&](TransformerTraining& training) { training.model.parameterDtype = dtype; });
    if (dtype != DType::F32 && dtype != DType::F64)
        return fail(
            Code::InvalidAttribute, { { "op", "mlp" }, { "wrong", "dtype" }, { "dtype", std::string(name(dtype)) } });
    mlp->settings.dtype = dtype;
    return after;
}

Result<Experiment> withComputeType(const Experiment& before, DType dtype)
{
    return withTraining(
        before, "compute_dtype", [&](TransformerTraining& training) { training.model.computeDtype = dtype; });
}

Result<Experiment> withOptimizer(const Experiment& before, OptimizerKind kind)
{
    return withTraining(before, "optimizer", [&](TransformerTraining& training) { training.optimizer.kind = kind; });
}

Result<Experiment> withMicrobatches(const Experiment& before, std::int64_t count)
{
    return withTraining(before, "microbatches", [&](TransformerTraining& training) { training.microbatches = count; });
}

Result<Experiment> withLayerForm(const Experiment& before, LayerForm form)
{
    if (std::holds_alternative<MlpModel>(before.model)) {
        Experiment after = before;
        std::get<MlpModel>(after.model).settings.form = form;
        return after;
    }
    SHARDSCOPE_TRY(
        after, withTraining(before, "form", [&](TransformerTraining& training) { training.model.form = form; }));
    if (form == LayerForm::Scanned) // a loop is built of one layer, at once
        SHARDSCOPE_CHECK(buildTransformer(std::get<TransformerModel>(after->model).settings));
    return std::move(*after);
}

std::optional<LayerForm> layerFormOf(const Experiment& experiment)
{
    if (const auto* mlp = std::get_if<MlpModel>(&experiment.model))
        return mlp->settings.form;
    if (const auto* transformer = std::get_if<TransformerModel>(&experiment.model))
        return transformer->settings.model.form;
    return std::nullopt;
}

Result<Experiment> withLayersName(const Experiment& before, std::optional<std::string> name)
{
    Experiment after = before;
    auto* mlp = std::get_if<MlpModel>(&after.model);
    if (!mlp)
        return noSetting("layers_name");
    if (name)
        SHARDSCOPE_CHECK(edit_support::checkName("layers_name", *name));
    mlp->settings.layersName = std::move(name);
    return after;
}

Result<Experiment> withNetworkProgram(const Experiment& before, NetworkProgram program)
{
    Experiment after = before;
    const auto set = [program](auto& settings) {
        settings.initialise = program == NetworkProgram::Initializer;
        if (!settings.initialise) // the state that is made is that of the step before
            settings.trainStep = program == NetworkProgram::TrainStep;
    };
    if (auto* mlp = std::get_if<MlpModel>(&after.model))
        set(mlp->settings);
    else if (auto* transformer = std::get_if<TransformerModel>(&after.model))
        set(transformer->settings);
    else
        return noSetting("step");
    return after;
}

std::optional<NetworkProgram> networkProgramOf(const Experiment& experiment)
{
    const auto of = [](const auto& settings) {
        return settings.initialise ? NetworkProgram::Initializer
            : settings.trainStep   ? NetworkProgram::TrainStep
                                   : NetworkProgram::Forward;
    };
    if (const auto* mlp = std::get_if<MlpModel>(&experiment.model))
        return of(mlp->settings);
    if (const auto* transformer = std::get_if<TransformerModel>(&experiment.model))
        return of(transformer->settings);
    return std::nullopt;
}

Result<Experiment> withRemat(const Experiment& before, RematPolicy policy)
{
    if (std::holds_alternative<MlpModel>(before.model)) {
        Experiment after = before;
        std::get<MlpModel>(after.model).settings.remat = policy;
        return after;
    }
    return withTraining(before, "remat", [&](TransformerTraining& training) { training.model.remat = policy; });
}

std::optional<RematPolicy> rematOf(const Experiment& experiment)
{
    if (networkProgramOf(experiment) != NetworkProgram::TrainStep)
        return std::nullopt;
    if (const auto* mlp = std::get_if<MlpModel>(&experiment.model))
        return mlp->settings.remat;
    return std::get<TransformerModel>(experiment.model).settings.model.remat;
}

Result<Experiment> withWindow(const Experiment& before, std::int64_t tokens)
{
    return withTraining(
        before, "sliding_window", [&](TransformerTraining& training) { training.model.slidingWindow = tokens; });
}

Result<Experiment> withWindowPattern(const Experiment& before, std::int64_t layers)
{
    return withTraining(
        before, "window_pattern", [&](TransformerTraining& training) { training.model.windowPattern = layers; });
}

Result<Experiment> withDropout(const Experiment& before, double rate)
{
    return withTraining(before, "dropout", [&](TransformerTraining& training) { training.model.dropout = rate; });
}

Result<Experiment> withExperts(const Experiment& before, std::int64_t count)
{
    if (count < 0)
        return fail(Code::OutOfRange, { { "key", "experts" }, { "value", count }, { "min", 0 } });
    return withTraining(before, "experts", [&](TransformerTraining& training) {
        if (count == 0) {
            training.model.experts.reset();
            return;
        }
        ExpertSettings experts = training.model.experts.value_or(ExpertSettings{});
        experts.experts = count;
        experts.perToken = std::min(experts.perToken, count);
        training.model.experts = experts;
    });
}

Result<Experiment> withConstraint(const Experiment& before, const std::string& at, Annotation axes)
{
    return withTraining(before, "constraints",
        [&](TransformerTraining& training) { choose(training.model.constraints, at, std::move(axes)); });
}

Result<Experiment> withoutConstraints(const Experiment& before, const std::string& at)
{
    bool any = false;
    SHARDSCOPE_TRY(after, withTraining(before, "constraints", [&](TransformerTraining& training) {
        any = takeOut(training.model.constraints, at, constrainableModules(training.model));
    }));
    if (any)
        return std::move(*after);
    return notChosen("constraints", at, std::get<TransformerModel>(before.model).settings.model.constraints);
}

Result<Experiment> withParameterSpec(const Experiment& before, const std::string& at, Annotation axes)
{
    return withTraining(before, "parameter_specs",
        [&](TransformerTraining& training) { choose(training.model.parameterSpecs, at, std::move(axes)); });
}

Result<Experiment> withoutParameterSpecs(const Experiment& before, const std::string& at)
{
    bool any = false;
    SHARDSCOPE_TRY(after, withTraining(before, "parameter_specs", [&](TransformerTraining& training) {
        any = takeOutSpecs(training.model, at);
    }));
    if (any)
        return std::move(*after);
    return notChosen("parameter_specs", at, std::get<TransformerModel>(before.model).settings.model.parameterSpecs);
}

Result<Experiment> withoutConstraint(const Experiment& before, std::size_t index)
{
    return withoutOne(before, "constraints", &TransformerSettings::constraints, index);
}

Result<Experiment> withoutParameterSpec(const Experiment& before, std::size_t index)
{
    return withoutOne(before, "parameter_specs", &TransformerSettings::parameterSpecs, index);
}

std::vector<std::int64_t> sizesInReach(const Experiment& experiment, std::string_view name)
{
    constexpr std::int64_t maximumLayers = 4096, maximumHeads = 1024, maximumExperts = 1024;
    if (!isNetwork(experiment))
        return {};
    if (const auto* transformer = std::get_if<TransformerModel>(&experiment.model)) {
        const TransformerSettings& s = transformer->settings.model;
        if (name == "heads")
            return counts(std::max(maximumHeads, s.heads), s.latent ? 1 : s.kvHeads);
        if (name == "kv_heads" && !s.latent)
            return counts(std::min(s.heads, maximumHeads), 1, s.heads);
        if (name == "microbatches")
            return counts(std::min(s.batch, std::int64_t{ 1 } << 20), 1, s.batch);
        if (name == "expert")
            return withNone(counts(maximumExperts));
        if (name == "sliding_window")
            return withNone(powersOfTwo());
        if (name == "window_pattern")
            return withNone(counts(s.layers));
    }
    ModelSetting model = experiment.model;
    if (!sizeNamed(model, name))
        return {};
    if (const auto* transformer = std::get_if<TransformerModel>(&model); transformer && name == "dense_layers")
        return counts(transformer->settings.model.layers);
    return name == "layers" ? counts(maximumLayers) : powersOfTwo();
}

std::vector<std::int64_t> sizesOnSlider(const Experiment& experiment, std::string_view name)
{
    ModelSetting model = experiment.model;
    const std::int64_t* const present = sizeNamed(model, name);
    if (!present || *present < 1)
        return {};
    const std::int64_t times = name == "batch" ? 1024 : 8;
    const std::int64_t limit = *present > (std::int64_t{ 1 } << 40) / times ? *present : *present * times;
    std::vector<std::int64_t> sizes = sizesInReach(experiment, name);
    std::erase_if(sizes, [limit](std::int64_t size) {
        return size < 1 || size > limit || !std::has_single_bit(static_cast<std::uint64_t>(size));
    });
    return sizes;
}

} // namespace shardscope
