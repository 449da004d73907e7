// SPDX-License-Identifier: GPL-3.0-or-later
// One layer of a stack. Each part reads a norm of what has been added up so far, and its result is added to that:
//
//     x += attention(norm(x))    x += attention(norm(x), encoded)    x += mlp(norm(x))
//
// A parallel block adds attention and MLP of the same x at once. Outputs of the layer and of its parts are behind the
// constraints that are chosen for them (networks/chosen_parts.h). What is added goes through dropout before.
#pragma once

#include "networks/attention.h"
#include "networks/dropout.h"
#include "networks/transformer_parts.h"

namespace shardscope {

/// What a layer reads beside x.
struct LayerInputs {
    AttentionForm selfAttention;
    ValueId encoded = {}; ///< (B, S, D) of the encoder, for a decoder's layers; else invalid
    bool isEncoder = false;
    bool hasExperts = false; ///< in the place of the MLP
    Dropout dropout = {};
};
/// x and the result are (B, L, D). The parameters are those of the part: "decoder/layers.0".
[[nodiscard]] ValueId transformerLayer(const NetworkPart& layer, ValueId x, const LayerInputs& inputs);

} // namespace shardscope
