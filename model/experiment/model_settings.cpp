// SPDX-License-Identifier: GPL-3.0-or-later
#include "experiment/model_settings.h"

#include <algorithm>

namespace shardscope {

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
    const auto* mlp = std::get_if<MlpModel>(&experiment.model);
    return mlp
        && std::any_of(mlp->settings.deviceAxes.begin(), mlp->settings.deviceAxes.end(), [axis](const auto& dimension) {
               const std::vector<std::string>& axes = dimension.second.axes;
               return std::find(axes.begin(), axes.end(), axis) != axes.end();
           });
}

Experiment withLayersAtMost(Experiment experiment, std::int64_t maximum)
{
    if (auto* mlp = std::get_if<MlpModel>(&experiment.model))
        mlp->settings.layers = std::min(mlp->settings.layers, maximum);
    return experiment;
}

} // namespace shardscope
