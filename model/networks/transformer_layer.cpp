// SPDX-License-Identifier: GPL-3.0-or-later
#include "networks/transformer_layer.h"

#include "networks/chosen_parts.h"
#include "networks/experts.h"
#include "networks/feed_forward.h"
#include "networks/norms.h"
#include "networks/transformer_parameters.h"

namespace shardscope {

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

} // namespace shardscope
