// SPDX-License-Identifier: GPL-3.0-or-later
// Norms over the last dimension, in f32 where activations are narrower.
//
//     RMS     y = x / sqrt(mean(x²) + ε) · w                     (Zhang and Sennrich, 2019)
//     Layer   y = (x - mean(x)) / sqrt(variance(x) + ε) · w + b  (Ba, Kiros and Hinton, 2016)
#pragma once

#include "networks/transformer_parts.h"

namespace shardscope {

/// The norm of that name within the part, of the kind that the settings say; x is (..., D).
[[nodiscard]] ValueId normalised(const NetworkPart& part, std::string_view name, ValueId x);
/// RMSNorm with the weights "name/scale" alone: of the heads of query and key, (B, L, H, h).
[[nodiscard]] ValueId rmsNormalised(const NetworkPart& part, std::string_view name, ValueId x);

} // namespace shardscope
