// SPDX-License-Identifier: GPL-3.0-or-later
// All layers of a stack: one after the other, or as a loop over parameters that have a dimension "layers". Each part of
// a layer reads a norm of what has been added up so far, and its result is added to that:
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

/// x and the result are (B, L, D); `stack` is the part "decoder" or "encoder". In a loop every trip takes its layer's
/// elements of the parameters "layers/..." and hands x on; what `inputs` has is the same for all. First layers without
/// experts have a loop of their own.
/// Layers one after the other are added to `regions` where they have a policy of rematerialisation.
[[nodiscard]] ValueId transformerLayers(
    const NetworkPart& stack, ValueId x, const LayerInputs& inputs, std::vector<RematRegion>& regions);

} // namespace shardscope
