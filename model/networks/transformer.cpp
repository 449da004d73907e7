// SPDX-License-Identifier: GPL-3.0-or-later
#include "networks/transformer.h"

#include <cmath>

#include "networks/check_transformer.h"
#include "networks/chosen_parts.h"
#include "networks/norms.h"
#include "networks/positions.h"
#include "networks/transformer_layers.h"
#include "networks/transformer_parameters.h"
#include "program/other_attributes.h"

namespace shardscope {

namespace {

/// 1 where an element's place along the last dimension of `shape` is the number of its row; truth values.
ValueId isNumberOfRow(Builder& b, ValueId numbers, const Shape& shape)
{
    return b.compare(Comparison::Equal, b.iota({ DType::I32, shape }, static_cast<std::int64_t>(shape.size()) - 1),
        spreadOverLast(b, numbers, shape));
}

/// Rows of the embedding, (B, L, D).
ValueId embedded(const NetworkPart& network, ValueId tokens)
{
    const NetworkPart part(network, "token_embedder");
    Builder& b = part.builder();
    const TransformerSettings& s = part.settings();
    const ValueId table = part.parameter("embedding");
    const Shape places = b.type(tokens).shape;
    ValueId x;
    if (s.embedByOneHot) {
        const Shape shape{ places[0], places[1], s.vocab };
        x = b.dot(b.convert(isNumberOfRow(b, tokens, shape), s.computeDtype), table);
    } else {
        GatherAttributes rows;
        rows.offsetDims = { 2 };
        rows.collapsedSliceDims = rows.startIndexMap = { 0 };
        rows.indexVectorDim = 2;
        rows.sliceSizes = { 1, s.embed };
        x = b.gather(table, tokens, rows);
    }
    return s.scaledEmbedding ? times(b, x, std::sqrt(static_cast<double>(s.embed))) : x;
}

/// A stack over the embedded tokens, (B, L, D). `encoded` is invalid for an encoder and for a decoder alone. Layers
/// with a policy are added to `regions`.
ValueId stackOutput(const NetworkPart& network, bool isEncoder, ValueId tokens, ValueId encoded,
    const DropoutSource& dropout, std::vector<RematRegion>& regions)
{
    const std::string name = isEncoder ? "encoder" : "decoder";
    const TransformerSettings& s = network.settings();
    ValueId x = embedded(network, tokens);
    const NetworkPart stack(network, name);
    if (s.positions == PositionKind::Learned)
        x = withLearnedPositions(stack, x);
    LayerInputs inputs;
    inputs.dropout = { dropout, isEncoder, {} };
    {
        const NetworkPart part(stack, "input_dropout");
        x = droppedOut(part, x, inputs.dropout, DropoutPlace::Embedding);
    }
    x = stack.activation(x, "input", { Axis::Batch, Axis::ResidualLength, Axis::ResidualEmbed });

    inputs.isEncoder = isEncoder;
    inputs.encoded = encoded;
    inputs.selfAttention.causal = !isEncoder;
    inputs.selfAttention.window = isEncoder ? 0 : s.slidingWindow;
    inputs.selfAttention.rotary = s.positions == PositionKind::Rotary;
    if (s.positions == PositionKind::RelativeBias)
        inputs.selfAttention.bias = relativeBias(stack, network.builder().type(x).shape[1], isEncoder);
    x = transformerLayers(stack, x, inputs, regions);
    return constrainedOutput(stack, s.finalNorm ? normalised(stack, name + "_norm", x) : x);
}

/// (B, L, V), in the type of sums.
ValueId logitsOf(const NetworkPart& network, ValueId x)
{
    const NetworkPart decoder(network, "decoder");
    Builder& b = network.builder();
    const TransformerSettings& s = network.settings();
    if (s.scaledLogits)
        x = times(b, x, 1 / std::sqrt(static_cast<double>(s.embed)));
    const ValueId product = s.tiedLogits
        ? b.dotGeneral(x, network.parameter("token_embedder/embedding"), { {}, {}, { 2 }, { 1 } })
        : b.dot(x, decoder.parameter("logits_dense/kernel"));
    const ValueId logits = softCapped(b, converted(b, product, accurateType(s.computeDtype)), s.logitSoftcap);
    return decoder.activation(logits, "logits", { Axis::LogitsBatch, Axis::Length, Axis::LogitsVocab });
}

/// The mean over all tokens of log(sum(exp(logits))) - logits[target].
ValueId crossEntropy(Builder& b, ValueId logits, ValueId targets)
{
    const TensorType type = b.type(logits);
    const ValueId maximum = fixedMaximum(b, logits);
    const ValueId shifted = b.binary(OpKind::Subtract, logits, spreadOverLast(b, maximum, type.shape));
    const ValueId sum = reducedOverLast(b, ReduceKind::Sum, b.unary(OpKind::Exponential, shifted));
    const ValueId ofTarget =
        b.select(isNumberOfRow(b, targets, type.shape), shifted, b.constant(type, 0)); // 0 everywhere else
    const ValueId losses =
        b.binary(OpKind::Subtract, b.unary(OpKind::Log, sum), reducedOverLast(b, ReduceKind::Sum, ofTarget));
    const double tokens = static_cast<double>(type.shape[0]) * static_cast<double>(type.shape[1]);
    return times(b, b.reduce(ReduceKind::Sum, losses, { 0, 1 }), 1 / tokens);
}

} // namespace

std::vector<TransformerInput> inputsOf(const TransformerSettings& s)
{
    const std::vector<Axis> axes{ Axis::Batch, Axis::Length };
    const TensorType type{ DType::I32, { s.batch, s.length } };
    std::vector<TransformerInput> inputs{ { "tokens", type, axes }, { "targets", type, axes } };
    if (s.encoderLayers > 0)
        inputs.push_back({ "encoder_tokens", { DType::I32, { s.batch, encoderLength(s) } }, axes });
    return inputs;
}

Result<TransformerResults> transformerForward(Builder& builder, const TransformerSettings& settings,
    std::span<const ValueId> parameters, std::span<const ValueId> inputs, const DropoutSource& dropout)
{
    SHARDSCOPE_CHECK(checkTransformer(settings));
    ParameterValues values;
    const std::vector<TransformerParameter> list = parametersOf(settings);
    for (std::size_t i = 0; i < list.size(); ++i)
        values.emplace(list[i].path, parameters[i]);

    const NetworkPart network(builder, settings, values);
    TransformerResults results;
    results.derivative.keeps = keptOfLoops(settings.remat);
    ValueId encoded;
    if (settings.encoderLayers > 0)
        encoded = stackOutput(network, true, inputs[2], {}, dropout, results.derivative.regions);
    results.logits =
        logitsOf(network, stackOutput(network, false, inputs[0], encoded, dropout, results.derivative.regions));
    const NetworkPart loss(network, "loss");
    results.loss = builder.named(crossEntropy(builder, results.logits, inputs[1]), "loss", Role::Loss);
    return results;
}

Result<Program> buildTransformerForward(const TransformerSettings& settings)
{
    SHARDSCOPE_CHECK(checkTransformer(settings));
    Builder builder("apply");
    std::vector<ValueId> parameters, inputs;
    for (const TransformerParameter& p : parametersOf(settings))
        parameters.push_back(builder.argument({ settings.parameterDtype, p.shape }, "params/" + p.path, Role::Parameter,
            dimensionNames(p.axes), annotationOf(settings, p)));
    for (const TransformerInput& input : inputsOf(settings))
        inputs.push_back(builder.argument(input.type, input.path, Role::Input, dimensionNames(input.axes),
            LogicalAxes{ logicalNames(settings, input.axes) }));
    SHARDSCOPE_TRY(results, transformerForward(builder, settings, parameters, inputs));
    builder.result(results->loss);
    builder.result(results->logits);
    return std::move(builder).finish();
}

} // namespace shardscope
