// SPDX-License-Identifier: GPL-3.0-or-later
#include "experiment/model_settings.h"

#include <algorithm>

#include "experiment/transformer_fields.h"

namespace shardscope {

namespace {

struct NamedSize {
    std::string_view dimension; ///< in the shapes of arrays
    std::string pointer; ///< in files
    std::int64_t* size;
};

std::vector<NamedSize> namedSizesOf(MlpSettings& mlp)
{
    return { { "batch", "/model/dims/batch", &mlp.batch }, { "embed", "/model/dims/embed", &mlp.embed },
        { "hidden", "/model/dims/hidden", &mlp.hidden }, { "layers", "/model/layers", &mlp.layers } };
}

std::vector<NamedSize> namedSizesOf(TransformerSettings& transformer)
{
    std::vector<NamedSize> sizes;
    forEachSize(transformer, [&](std::string_view key, std::int64_t& size, const IntegerRange&) {
        if (transformer.latent && &size == &transformer.kvHeads)
            return; // as many as heads
        sizes.push_back({ &size == &transformer.headSize ? "kv" : key, "/model/dims/" + std::string(key), &size });
    });
    sizes.push_back({ "layers", "/model/layers", &transformer.layers });
    if (transformer.experts)
        sizes.push_back({ "expert", "/model/experts/experts", &transformer.experts->experts });
    if (transformer.experts && transformer.experts->denseLayers > 0)
        sizes.push_back({ "dense_layers", "/model/experts/dense_layers", &transformer.experts->denseLayers });
    if (transformer.latent)
        sizes.push_back({ "rank", "/model/latent/rank", &transformer.latent->rank });
    if (transformer.latent && transformer.latent->queryRank > 0)
        sizes.push_back({ "query_rank", "/model/latent/query_rank", &transformer.latent->queryRank });
    if (transformer.positions == PositionKind::RelativeBias)
        sizes.push_back({ "bucket", "/model/relative_buckets", &transformer.relativeBuckets });
    if (transformer.positions == PositionKind::Learned && transformer.maximumLength > 0)
        sizes.push_back({ "position", "/model/maximum_length", &transformer.maximumLength });
    return sizes;
}

std::vector<NamedSize> namedSizesOf(ModelSetting& model)
{
    if (auto* mlp = std::get_if<MlpModel>(&model))
        return namedSizesOf(mlp->settings);
    if (auto* transformer = std::get_if<TransformerModel>(&model))
        return namedSizesOf(transformer->settings.model);
    return {};
}

} // namespace

bool isNetwork(const Experiment& experiment)
{
    return std::holds_alternative<MlpModel>(experiment.model)
        || std::holds_alternative<TransformerModel>(experiment.model);
}

const std::string* sourceText(const Experiment& experiment)
{
    const auto* model = std::get_if<ProgramModel>(&experiment.model);
    return model ? model->text.get() : nullptr;
}

std::string sourceFile(const Experiment& experiment)
{
    const auto* model = std::get_if<ProgramModel>(&experiment.model);
    return model ? model->file : std::string();
}

const std::vector<NamedArraySetting>& listedArrays(const Experiment& experiment)
{
    static const std::vector<NamedArraySetting> none;
    const auto* model = std::get_if<ArraysModel>(&experiment.model);
    return model ? model->arrays : none;
}

const NamedArraySetting* listedArray(const Experiment& experiment, std::string_view path)
{
    const std::vector<NamedArraySetting>& arrays = listedArrays(experiment);
    const auto found =
        std::find_if(arrays.begin(), arrays.end(), [&](const NamedArraySetting& array) { return array.path == path; });
    return found == arrays.end() ? nullptr : &*found;
}

const std::vector<ValueSharding>* ownShardings(const Experiment& experiment)
{
    const auto* model = std::get_if<ProgramModel>(&experiment.model);
    return model ? &model->shardings : nullptr;
}

const std::vector<RuleOverride>* ownRules(const Experiment& experiment)
{
    const auto* model = std::get_if<ProgramModel>(&experiment.model);
    return model ? &model->shardingRules : nullptr;
}

bool namesMeshAxis(const Experiment& experiment, std::string_view axis)
{
    const auto has = [axis](const SpecEntry& entry) {
        return std::find(entry.axes.begin(), entry.axes.end(), axis) != entry.axes.end();
    };
    if (const auto* mlp = std::get_if<MlpModel>(&experiment.model))
        return std::any_of(mlp->settings.deviceAxes.begin(), mlp->settings.deviceAxes.end(),
            [&](const auto& dimension) { return has(dimension.second); });
    const auto* transformer = std::get_if<TransformerModel>(&experiment.model);
    if (!transformer)
        return false;
    const auto chosenOn = [&](const std::vector<ChosenSharding>& list) {
        return std::any_of(list.begin(), list.end(), [&](const ChosenSharding& chosen) {
            const auto* device = std::get_if<DeviceAxes>(&chosen.axes);
            return device && std::any_of(device->spec.entries.begin(), device->spec.entries.end(), has);
        });
    };
    const TransformerSettings& settings = transformer->settings.model;
    return chosenOn(settings.constraints) || chosenOn(settings.parameterSpecs);
}

std::int64_t* sizeNamed(ModelSetting& model, std::string_view name)
{
    for (const NamedSize& size : namedSizesOf(model))
        if (size.dimension == name)
            return size.size;
    return nullptr;
}

std::vector<std::string> sizeNames(const ModelSetting& model)
{
    ModelSetting copy = model;
    std::vector<std::string> names;
    for (const NamedSize& size : namedSizesOf(copy))
        names.emplace_back(size.dimension);
    return names;
}

Experiment withLayersAtMost(Experiment experiment, std::int64_t maximum)
{
    if (auto* mlp = std::get_if<MlpModel>(&experiment.model))
        mlp->settings.layers = std::min(mlp->settings.layers, maximum);
    if (auto* transformer = std::get_if<TransformerModel>(&experiment.model)) {
        TransformerSettings& settings = transformer->settings.model;
        for (std::int64_t* layers : { &settings.layers, &settings.encoderLayers })
            *layers = std::min(*layers, maximum);
        if (settings.experts)
            settings.experts->denseLayers = std::min(settings.experts->denseLayers, maximum);
    }
    return experiment;
}

} // namespace shardscope
