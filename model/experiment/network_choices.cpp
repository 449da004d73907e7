// SPDX-License-Identifier: GPL-3.0-or-later
#include "experiment/network_choices.h"

#include "experiment/edits.h"
#include "experiment/model_settings.h"
#include "experiment/network_edits.h"

namespace shardscope {

std::optional<int> chosenOption(const Experiment& experiment, const std::string& name)
{
    if (name == "step") {
        const std::optional<NetworkProgram> program = networkProgramOf(experiment);
        return program ? std::optional(static_cast<int>(*program)) : std::nullopt;
    }
    if (const auto* mlp = std::get_if<MlpModel>(&experiment.model))
        return name == "parameter_dtype" ? std::optional(static_cast<int>(mlp->settings.dtype))
            : name == "form"             ? std::optional(static_cast<int>(mlp->settings.form))
                                         : std::nullopt;
    const auto* transformer = std::get_if<TransformerModel>(&experiment.model);
    if (!transformer)
        return std::nullopt;
    const TransformerTraining& training = transformer->settings;
    if (name == "parameter_dtype")
        return static_cast<int>(training.model.parameterDtype);
    if (name == "compute_dtype")
        return static_cast<int>(training.model.computeDtype);
    if (name == "optimizer")
        return static_cast<int>(training.optimizer.kind);
    return static_cast<int>(training.model.form);
}

Result<Experiment> withOption(const Experiment& experiment, const std::string& name, int value)
{
    if (name == "parameter_dtype")
        return withParameterType(experiment, static_cast<DType>(value));
    if (name == "compute_dtype")
        return withComputeType(experiment, static_cast<DType>(value));
    if (name == "optimizer")
        return withOptimizer(experiment, static_cast<OptimizerKind>(value));
    if (name == "step")
        return withNetworkProgram(experiment, static_cast<NetworkProgram>(value));
    return withLayerForm(experiment, static_cast<LayerForm>(value));
}

std::optional<std::string> textOption(const Experiment& experiment, const std::string& name)
{
    const auto* mlp = std::get_if<MlpModel>(&experiment.model);
    if (!mlp || name != "layers_name" || mlp->settings.form != LayerForm::Scanned)
        return std::nullopt;
    return mlp->settings.layersName.value_or(std::string());
}

Result<Experiment> withText(const Experiment& experiment, const std::string&, const std::string& text)
{
    return withLayersName(experiment, text.empty() ? std::nullopt : std::optional(text));
}

std::optional<std::int64_t> shownSize(const Experiment& experiment, const std::string& name)
{
    if (!isNetwork(experiment)) // and not copied, however long
        return std::nullopt;
    if (const auto* transformer = std::get_if<TransformerModel>(&experiment.model)) {
        const std::optional<ExpertSettings>& experts = transformer->settings.model.experts;
        if (name == "expert")
            return experts ? experts->experts : 0;
        if (name == "microbatches")
            return transformer->settings.microbatches;
        if (name == "sliding_window")
            return transformer->settings.model.slidingWindow;
        if (name == "window_pattern") // of windows alone
            return transformer->settings.model.slidingWindow > 0
                ? std::optional(transformer->settings.model.windowPattern)
                : std::nullopt;
    }
    ModelSetting model = experiment.model;
    const std::int64_t* size = sizeNamed(model, name);
    return size ? std::optional(*size) : std::nullopt;
}

Result<Experiment> withSize(const Experiment& experiment, const std::string& name, std::int64_t size)
{
    if (name == "expert")
        return withExperts(experiment, size);
    if (name == "microbatches")
        return withMicrobatches(experiment, size);
    if (name == "sliding_window")
        return withWindow(experiment, size);
    if (name == "window_pattern")
        return withWindowPattern(experiment, size);
    return withDimension(experiment, name, size);
}

std::optional<double> shownDropout(const Experiment& experiment)
{
    const auto* transformer = std::get_if<TransformerModel>(&experiment.model);
    if (!transformer || !transformer->settings.trainStep)
        return std::nullopt;
    return transformer->settings.model.dropout;
}

} // namespace shardscope
