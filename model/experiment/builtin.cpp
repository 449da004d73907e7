// SPDX-License-Identifier: GPL-3.0-or-later
#include "experiment/builtin.h"

namespace shardscope {

namespace {

/// What both forms of the Flax notebook share: its sizes, its mesh, its rules and the fact that no rules are bound
/// where the model is traced.
Experiment notebook()
{
    Experiment experiment;
    experiment.hardware.devices = { "generic-cpu", "cpu", 2, 4 };
    experiment.mesh.axes = { { "data", 2 }, { "model", 4 } };
    experiment.rules.version = FlaxVersion::Year2024;
    experiment.rules.fallback = RulesFallback::AxisIsUnsharded;
    experiment.rules.boundWhenTraced = false;
    experiment.rules.rules.list = { { LogicalName::of("batch"), SpecEntry::axis("data") },
        { LogicalName::of("hidden"), SpecEntry::axis("model") } };
    MlpSettings settings;
    settings.layers = 4;
    settings.batch = 8;
    settings.embed = 1024;
    settings.hidden = 1024;
    settings.dtype = DType::F32;
    settings.adam.learningRate = 0.001;
    settings.yConstraint = MlpSettings::Axes::Device;
    experiment.model = MlpModel{ settings };
    return experiment;
}

Experiment flaxMlpLogical()
{
    Experiment experiment = notebook();
    experiment.title = "Flax MLP on 2 × 4, logical axes";
    experiment.notes = "Parameters and inputs are annotated with logical names; the rules map batch to data and hidden "
                       "to model. The rules are not bound where the model is traced, so z's logical constraint does "
                       "nothing; y's is written with device axes.";
    std::get<MlpModel>(experiment.model).settings.axes = MlpSettings::Axes::Logical;
    experiment.acknowledged = {
        { "W206", "layers.0/z",
            "The rules are not bound where the model is traced, so the constraint on z does nothing." },
        { "W210", "layers.0/y",
            "The constraint on y is written with mesh axes on purpose: both forms stand side by side." },
    };
    return experiment;
}

Experiment flaxMlpDevice()
{
    Experiment experiment = notebook();
    experiment.title = "Flax MLP on 2 × 4, device axes";
    experiment.notes = "Every annotation names mesh axes directly. The specs come out equal to those of the logical "
                       "form.";
    std::get<MlpModel>(experiment.model).settings.axes = MlpSettings::Axes::Device;
    return experiment;
}

Experiment ruleLab()
{
    Experiment experiment;
    experiment.title = "Rule lab";
    experiment.notes = "Four rules compete for three mesh axes. Move rule 2 above rule 1 and the result becomes "
                       "P(Z, None, Y, X).";
    experiment.hardware.devices = { "generic-cpu", "cpu", 2, 4 };
    experiment.mesh.axes = { { "X", 2 }, { "Y", 2 }, { "Z", 2 } };
    experiment.rules.version = FlaxVersion::Current;
    experiment.rules.rules.list = { { LogicalName::of("batch"), SpecEntry::axis("X") },
        { LogicalName::of("features"), SpecEntry::axis("X") }, { LogicalName::of("heads"), SpecEntry::axis("Y") },
        { LogicalName::of("batch"), SpecEntry::axis("Z") } };
    experiment.model = ArraysModel{ { { "array",
        { LogicalName::of("batch"), LogicalName::of("length"), LogicalName::of("heads"), LogicalName::of("features") },
        { 8, 128, 4, 64 }, DType::F32 } } };
    return experiment;
}

} // namespace

const std::vector<Example>& builtinExamples()
{
    static const std::vector<Example> examples{
        { "flax-mlp-logical", "Flax MLP on 2 × 4, logical axes",
            "How do logical axis rules lay out an MLP's train step over eight devices?", flaxMlpLogical },
        { "flax-mlp-device", "Flax MLP on 2 × 4, device axes",
            "Do annotations by mesh axes give the same shardings as logical rules?", flaxMlpDevice },
        { "rule-lab", "Rule lab", "Which rule wins when several compete for one mesh axis?", ruleLab },
    };
    return examples;
}

} // namespace shardscope
