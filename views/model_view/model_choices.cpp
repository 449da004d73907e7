// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/model_view/model_choices.h"

#include <QCoreApplication>

#include "experiment/edits.h"
#include "experiment/model_settings.h"
#include "experiment/network_edits.h"
#include "words/utf8.h"

namespace shardscope {

namespace {

struct ModelTexts {
    Q_DECLARE_TR_FUNCTIONS(ModelForm)
};

template <class Enumeration>
ModelChoice::Option option(const QString& title, Enumeration value)
{
    return { title, static_cast<int>(value) };
}

std::vector<ModelChoice::Option> elementTypes()
{
    std::vector<ModelChoice::Option> types;
    for (const DType dtype : { DType::BF16, DType::F16, DType::F32, DType::F64 })
        types.push_back(option(words::fromStd(name(dtype)), dtype));
    return types;
}

} // namespace

std::vector<ModelChoice> modelChoices()
{
    return {
        { "blocks", "parameter_dtype", ModelTexts::tr("Parameter type"), elementTypes() },
        { "blocks", "compute_dtype", ModelTexts::tr("Activation type"), elementTypes() },
        { "training", "optimizer", ModelTexts::tr("Optimizer"),
            { option(ModelTexts::tr("SGD"), OptimizerKind::Sgd),
                option(ModelTexts::tr("Momentum"), OptimizerKind::Momentum),
                option(ModelTexts::tr("Adam"), OptimizerKind::Adam),
                option(ModelTexts::tr("AdamW"), OptimizerKind::AdamW),
                option(ModelTexts::tr("Adafactor"), OptimizerKind::Adafactor) } },
        { "training", "step", ModelTexts::tr("Program"),
            { option(ModelTexts::tr("train step"), NetworkProgram::TrainStep),
                option(ModelTexts::tr("forward pass"), NetworkProgram::Forward),
                option(ModelTexts::tr("initialisation"), NetworkProgram::Initializer) } },
        { "blocks", "form", ModelTexts::tr("Layers are"),
            { option(ModelTexts::tr("unrolled"), LayerForm::Unrolled),
                option(ModelTexts::tr("scanned"), LayerForm::Scanned) } },
        { "blocks", "layers_name", ModelTexts::tr("Dimension name"),
            { { QStringLiteral("layers"), 0 }, { QStringLiteral("layer"), 1 } }, true },
    };
}

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

std::optional<QString> textOption(const Experiment& experiment, const std::string& name)
{
    const auto* mlp = std::get_if<MlpModel>(&experiment.model);
    if (!mlp || name != "layers_name" || mlp->settings.form != LayerForm::Scanned)
        return std::nullopt;
    return words::fromStd(mlp->settings.layersName.value_or(std::string()));
}

Result<Experiment> withText(const Experiment& experiment, const std::string&, const QString& text)
{
    return withLayersName(experiment, text.isEmpty() ? std::nullopt : std::optional(text.toStdString()));
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
