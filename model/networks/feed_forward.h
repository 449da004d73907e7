// SPDX-License-Identifier: GPL-3.0-or-later
// The MLP of a layer: act(x W_i) W_o, or with a gate (Shazeer, 2020) (act(x W_0) · (x W_1)) W_o.
#pragma once

#include <functional>

#include "networks/transformer_parts.h"

namespace shardscope {

/// relu(x) = max(x, 0); gelu(x) = x/2 · (1 + tanh(√(2/π) (x + 0.044715 x³))); silu(x) = x / (1 + exp(-x)).
[[nodiscard]] ValueId activated(Builder& builder, ActivationKind kind, ValueId x);
/// The hidden values: the activation of "wi", or of "wi_0" times "wi_1". `linear` computes what such a kernel makes of
/// the input.
[[nodiscard]] ValueId hiddenValues(
    const NetworkPart& part, const std::function<ValueId(const std::string& kernel)>& linear);
/// The part of that name, "mlp" of a layer; x and result are (B, L, D).
[[nodiscard]] ValueId feedForward(const NetworkPart& parent, std::string_view name, ValueId x);

} // namespace shardscope
