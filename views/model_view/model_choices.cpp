// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/model_view/model_choices.h"

#include <QCoreApplication>

#include "experiment/model_settings.h"
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

} // namespace shardscope
