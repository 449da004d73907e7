// SPDX-License-Identifier: GPL-3.0-or-later
// Dropout (Srivastava et al., 2014): elements become 0 with probability `rate`, and the others are divided by 1 - rate,
// so that their mean stays. What is dropped follows from the number of the step, the place in the network, the token
// and the element alone: it is the same on every mesh, for unrolled and scanned layers, for any number of microbatches,
// and where the backward pass computes a layer again.
//
//     bits = randomBits(key (step, seed · 2^16 + place), counter (token of the batch, element of the width))
//     y = bits < rate · 2^32 ? 0 : x / (1 - rate)
//
// Of probabilities of attention the token is the query's, the element its place among (heads, keys), and the step's
// highest bit is set in the key, so that both kinds are independent of each other.
//
// rate 0.25 keeps bits from 0x40000000 on, three of four, and multiplies them by 4/3.
#pragma once

#include <cstdint>

#include "networks/transformer_parts.h"

namespace shardscope {

/// Where random numbers come from; by itself from nowhere, and nothing is dropped.
struct DropoutSource {
    ValueId step = {}; ///< i32 scalar
    std::int64_t firstSequence = 0; ///< of the batch, where a microbatch begins
};
enum class DropoutPlace : std::uint8_t { Embedding, SelfAttention, CrossAttention, Mlp };

/// What a stack drops.
struct Dropout {
    DropoutSource source;
    bool isEncoder = false;
    ValueId layer = {}; ///< its number, i32 scalar; invalid: in front of the layers, or nothing is dropped
};
/// Whether settings and source drop anything.
[[nodiscard]] bool drops(const TransformerSettings& settings, const DropoutSource& source);
/// x (B, L, D) in the scope of the part, with the rate `dropout`; x itself where nothing is dropped. Of more than 2^32
/// tokens of a batch those that lie so far apart are treated alike.
[[nodiscard]] ValueId droppedOut(const NetworkPart& part, ValueId x, const Dropout& dropout, DropoutPlace place);

/// Probabilities (B, K, L, S), or (B, K, L, H/K, S) where query heads share keys, with the rate `attentionDropout`. The
/// place is that of the attention.
[[nodiscard]] ValueId droppedProbabilities(
    const NetworkPart& part, ValueId probabilities, const Dropout& dropout, DropoutPlace place);

} // namespace shardscope
