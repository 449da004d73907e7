// SPDX-License-Identifier: GPL-3.0-or-later
// All layers of a stack: one after the other, or as a loop over parameters that have a dimension "layers".
#pragma once

#include "networks/transformer_layer.h"

namespace shardscope {

/// x and the result are (B, L, D); `stack` is the part "decoder" or "encoder". In a loop every trip takes its layer's
/// elements of the parameters "layers/..." and hands x on; what `inputs` has is the same for all. First layers without
/// experts have a loop of their own.
/// Layers one after the other are added to `regions` where they have a policy of rematerialisation.
[[nodiscard]] ValueId transformerLayers(
    const NetworkPart& stack, ValueId x, const LayerInputs& inputs, std::vector<RematRegion>& regions);

} // namespace shardscope
