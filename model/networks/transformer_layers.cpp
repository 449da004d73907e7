// SPDX-License-Identifier: GPL-3.0-or-later
#include "networks/transformer_layers.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "networks/chosen_parts.h"
#include "networks/experts.h"
#include "networks/feed_forward.h"
#include "networks/norms.h"
#include "networks/transformer_parameters.h"
#include "program/scan.h"

namespace shardscope {

namespace {

/// x and the result are (B, L, D). The parameters are those of the part: "decoder/layers.0".
ValueId transformerLayer(const NetworkPart& layer, ValueId x, const LayerInputs& inputs)
{
    Builder& b = layer.builder();
    const TransformerSettings& s = layer.settings();
    const std::string own = inputs.isEncoder ? "attention" : "self_attention";
    const auto add = [&](ValueId lhs, ValueId rhs) { return b.binary(OpKind::Add, lhs, rhs); };
    const auto normAfter = [&](ValueId y, const std::string& of) {
        return s.normPlacement == NormPlacement::BeforeAndAfter ? normalised(layer, "post_" + of + "_layer_norm", y)
                                                                : y;
    };
    const auto dropped = [&](ValueId y, const std::string& of, DropoutPlace place) {
        const NetworkPart part(layer, of + "_dropout");
        return droppedOut(part, y, inputs.dropout, place);
    };
    const auto mlp = [&](ValueId y) {
        const ValueId hidden =
            normAfter(inputs.hasExperts ? mixtureOfExperts(layer, y) : feedForward(layer, "mlp", y), "mlp");
        return dropped(hidden, "mlp", DropoutPlace::Mlp);
    };

    AttentionForm ofTokens = inputs.selfAttention;
    ofTokens.dropout = inputs.dropout;
    const ValueId input = normalised(layer, "pre_" + own + "_layer_norm", x);
    const ValueId attended =
        dropped(normAfter(attention(layer, own, input, input, ofTokens), own), own, DropoutPlace::SelfAttention);
    if (s.parallelBlock) {
        const ValueId hidden = mlp(s.parallelNorms ? normalised(layer, mlpNormName(s), x) : input);
        x = add(x, add(attended, hidden));
    } else {
        x = add(x, attended);
        if (inputs.encoded.valid()) {
            const ValueId query = normalised(layer, "pre_cross_attention_layer_norm", x);
            AttentionForm ofEncoded;
            ofEncoded.dropout = inputs.dropout;
            ofEncoded.place = DropoutPlace::CrossAttention;
            const ValueId crossed = attention(layer, "encoder_decoder_attention", query, inputs.encoded, ofEncoded);
            const std::string cross = "cross_attention";
            x = add(x, dropped(normAfter(crossed, cross), cross, DropoutPlace::CrossAttention));
        }
        x = add(x, mlp(normalised(layer, mlpNormName(s), x)));
    }
    return constrainedOutput(
        layer, layer.activation(x, "output", { Axis::Batch, Axis::ResidualLength, Axis::ResidualEmbed }));
}

/// A parameter of all layers with the dimension "layers" first.
ValueId layersFirst(const NetworkPart& part, ValueId parameter)
{
    Builder& b = part.builder();
    const std::size_t rank = b.type(parameter).rank();
    const auto place = std::min(static_cast<std::size_t>(part.settings().layersAxis), rank - 1);
    if (place == 0)
        return parameter;
    Dimensions permutation(rank);
    std::iota(permutation.begin(), permutation.end(), std::int64_t{ 0 });
    std::rotate(permutation.begin(), permutation.begin() + place, permutation.begin() + place + 1);
    return b.transpose(parameter, permutation);
}

/// Of scalars.
ValueId plusNumber(Builder& b, ValueId x, std::int64_t number)
{
    return number == 0 ? x : plus(b, x, static_cast<double>(number));
}

/// Of a loop's trip: whether that layer sees all tokens before it, by its number in the stack.
ValueId seesAll(Builder& b, std::int64_t pattern, ValueId number)
{
    const TensorType type = b.type(number);
    const ValueId rest =
        b.binary(OpKind::Remainder, plusNumber(b, number, 1), b.constant(type, static_cast<double>(pattern)));
    return b.compare(Comparison::Equal, rest, b.constant(type, 0));
}

/// What a layer reads, by its number in the stack.
LayerInputs inputsOfLayer(const TransformerSettings& s, LayerInputs inputs, std::int64_t number)
{
    inputs.hasExperts = hasExperts(s, inputs.isEncoder, number);
    if (s.windowPattern > 0 && (number + 1) % s.windowPattern == 0)
        inputs.selfAttention.window = 0;
    return inputs;
}

ValueId scannedLayers(const NetworkPart& stack, ValueId x, const LayerInputs& inputs, const LayerGroup& group)
{
    const std::string prefix = stack.path() + '/' + group.name + '/';
    std::vector<std::string> paths;
    std::vector<ValueId> stacked;
    {
        const NetworkPart all(stack, group.name);
        for (const auto& [path, value] : stack.parameters()) {
            if (!path.starts_with(prefix))
                continue;
            paths.push_back(path);
            stacked.push_back(layersFirst(all, value));
        }
    }
    const auto trip = [&](Builder& b, const Trip& of) {
        ParameterValues own;
        for (std::size_t i = 0; i < paths.size(); ++i)
            own.emplace(paths[i], of.inputs[i]);
        const NetworkPart layer(stack, group.name, own);
        const TransformerSettings& s = layer.settings();
        LayerInputs ofLayer = inputsOfLayer(s, inputs, group.first);
        ofLayer.selfAttention.window = inputs.selfAttention.window;
        if (s.windowPattern > 0 && inputs.selfAttention.window > 0)
            ofLayer.selfAttention.seesAll = seesAll(b, s.windowPattern, plusNumber(b, of.index, group.first));
        if (drops(s, inputs.dropout.source))
            ofLayer.dropout.layer = plusNumber(b, of.index, group.first);
        return TripResults{ { transformerLayer(layer, of.carried[0], ofLayer) }, {} };
    };
    return scan(stack.builder(), group.count, std::array{ x }, stacked, trip).carried[0];
}

} // namespace

ValueId transformerLayers(
    const NetworkPart& stack, ValueId x, const LayerInputs& inputs, std::vector<RematRegion>& regions)
{
    const TransformerSettings& s = stack.settings();
    const std::int64_t layers = inputs.isEncoder ? s.encoderLayers : s.layers;
    if (s.form == LayerForm::Scanned) {
        for (const LayerGroup& group : layerGroups(s, inputs.isEncoder))
            x = scannedLayers(stack, x, inputs, group);
        return x;
    }
    for (std::int64_t i = 0; i < layers; ++i) {
        const NetworkPart layer(stack, "layers." + std::to_string(i));
        const std::size_t first = stack.builder().program().main().operations.size();
        LayerInputs ofLayer = inputsOfLayer(s, inputs, i);
        if (drops(s, inputs.dropout.source))
            ofLayer.dropout.layer = stack.builder().constant({ DType::I32, {} }, static_cast<double>(i));
        x = transformerLayer(layer, x, ofLayer);
        if (s.remat != RematPolicy::None)
            regions.push_back({ first, stack.builder().program().main().operations.size(), s.remat });
    }
    return x;
}

} // namespace shardscope
