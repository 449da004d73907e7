// SPDX-License-Identifier: GPL-3.0-or-later
// Declared in step_program.h.
#include "conformance/plain_shardings.h"
#include "conformance/step_program.h"
#include "networks/transformer_layers.h"
#include "networks/transformer_parameters.h"
#include "program/differentiate.h"

namespace shardscope::conformance {

namespace {

/// Of each layer: one column-parallel product for query, key and value, and no bias.
TransformerSettings layerSettings(const Json& oneCase, RematPolicy remat)
{
    TransformerSettings s;
    s.layers = oneCase.at("L");
    s.batch = oneCase.at("batch");
    s.length = oneCase.at("seq");
    s.embed = oneCase.at("hidden");
    s.heads = s.kvHeads = 8; // which all meshes divide
    s.headSize = s.embed / s.heads;
    s.mlp = 4 * s.embed;
    s.positions = PositionKind::None;
    s.norm = NormKind::Layer;
    s.activation = ActivationKind::Gelu;
    s.gatedMlp = false;
    s.fusedQkv = true;
    s.finalNorm = false;
    s.axisNames = AxisNames::MaxText; // which tell the length between blocks from that within them
    s.remat = remat;
    s.parameterDtype = s.computeDtype = plainType(oneCase);
    return s;
}

LogicalRules tensorParallelRules(bool sequenceParallel)
{
    std::vector<std::string> sharded{ "heads", "mlp", "activation_kv_heads", "activation_heads", "activation_mlp" };
    if (sequenceParallel)
        sharded.emplace_back("activation_norm_length");
    LogicalRules rules;
    for (const std::string& name : sharded)
        rules.list.push_back({ LogicalName::of(name), SpecEntry::axis("T") });
    return rules;
}

Result<Program> layersGradients(const TransformerSettings& s)
{
    Builder builder("step");
    ParameterValues values;
    std::vector<ValueId> wrt;
    for (const TransformerParameter& parameter : parametersOf(s)) {
        if (!parameter.path.starts_with("decoder/layers."))
            continue;
        const ValueId value = builder.argument({ s.parameterDtype, parameter.shape }, parameter.path, Role::Parameter,
            dimensionNames(parameter.axes), LogicalAxes{ logicalNames(s, parameter.axes) });
        values.emplace(parameter.path, value);
        if (parameter.path.ends_with("/kernel"))
            wrt.push_back(value);
    }
    const TensorType type{ s.computeDtype, { s.batch, s.length, s.embed } };
    const std::vector<Axis> axes{ Axis::Batch, Axis::ResidualLength, Axis::ResidualEmbed };
    const auto argument = [&](const char* path, Role role) {
        return builder.argument(type, path, role, dimensionNames(axes), LogicalAxes{ logicalNames(s, axes) });
    };
    ValueId x = argument("x", Role::Input);
    const ValueId cotangent = argument("dy", Role::Input);
    wrt.push_back(x);

    DifferentiateOptions options;
    {
        const NetworkPart network(builder, s, values);
        LayerInputs inputs;
        inputs.selfAttention.causal = true;
        x = transformerLayers(NetworkPart(network, "decoder"), x, inputs, options.regions);
    }
    const auto gradients = differentiateFrom(builder, x, cotangent, wrt, options);
    if (!gradients)
        return tl::unexpected(gradients.error());
    builder.result(x);
    for (const ValueId gradient : *gradients)
        builder.result(gradient);
    return std::move(builder).finish();
}

} // namespace

std::optional<Result<StepProgram>> layersStep(const Json& oneCase, MeshPtr mesh)
{
    const std::string scheme = oneCase.value("scheme", "");
    const bool sequenceParallel = scheme == "tp_sp";
    if (!sequenceParallel && scheme != "tp")
        return std::nullopt;
    Result<Program> program =
        layersGradients(layerSettings(oneCase, sequenceParallel ? RematPolicy::Gathered : RematPolicy::None));
    if (!program)
        return tl::unexpected(program.error());
    return StepProgram{ annotatedOnMesh(std::move(*program), std::move(mesh), tensorParallelRules(sequenceParallel)) };
}

} // namespace shardscope::conformance
