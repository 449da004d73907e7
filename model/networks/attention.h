// SPDX-License-Identifier: GPL-3.0-or-later
// Attention with grouped heads (Ainslie et al., 2023): H query heads, in groups of H / K that share one of K heads of
// keys and values.
//
//     q = x Wq (B, L, H, h)    k, v = memory Wk, memory Wv (B, S, K, h)
//     with one kernel: (q, k, v) = x Wqkv (B, L, 3, H, h)
//     y = dropped(softmax(cap(q kᵀ / sqrt(h)) + bias, masked)) v, heads and their elements times Wo (H, h, D)
//
// Latent attention (DeepSeek-AI, 2024), with h elements of a head without and r with positions, value size v:
//
//     (c, p) = x Wa (B, L, C), (B, L, r)       (k, v) = norm(c) Wb (B, L, H, h + v)    keys (k, rotated(p))
//     queries (q, rotated(q')) = x Wq (B, L, H, h + r), or norm(x Wqa) Wqb             logits q kᵀ / sqrt(h + r)
#pragma once

#include <cstdint>

#include "networks/dropout.h"
#include "networks/transformer_parts.h"

namespace shardscope {

struct AttentionForm {
    bool causal = false; ///< a query sees its own position and those before it
    std::int64_t window = 0; ///< of those the last so many; 0 = all
    ValueId seesAll = {}; ///< a scalar truth value: no window after all; or invalid
    bool rotary = false;
    ValueId bias = {}; ///< (H, L, S), or invalid
    Dropout dropout = {}; ///< of the probabilities
    DropoutPlace place = DropoutPlace::SelfAttention;
};
/// The part called `name` of a layer: x (B, L, D) attends to memory (B, S, D), which is x itself in self-attention.
/// The result is (B, L, D).
[[nodiscard]] ValueId attention(
    const NetworkPart& layer, std::string_view name, ValueId x, ValueId memory, const AttentionForm& form);

} // namespace shardscope
