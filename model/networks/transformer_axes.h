// SPDX-License-Identifier: GPL-3.0-or-later
// The dimensions of a transformer's arrays, and their logical names in T5X and in MaxText.
//
//     logicalName(s, Axis::KeyHeads)      // T5X: heads    MaxText: kv_heads
//     logicalName(s, Axis::VocabEmbed)    // T5X: embed    MaxText: embed_vocab (2025: embed)
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "networks/transformer_settings.h"
#include "sharding/logical_rules.h"

namespace shardscope {

enum class Axis : std::uint8_t {
    // of parameters
    Vocab,
    VocabEmbed, ///< of the embedding and the logits' kernel
    Embed,
    Qkv, ///< query, key and value in one kernel
    QueryHeads,
    Kv, ///< elements of a head
    KeyHeads, ///< heads of keys and values
    KeyKv,
    OutputHeads,
    Mlp,
    Norm,
    HeadNorm, ///< of the norms of query and key
    Positions,
    Buckets,
    BiasHeads,
    Expert,
    RouterEmbed,
    RouterExpert,
    ExpertEmbed,
    ExpertMlp,
    Layers,
    DenseLayers, ///< those without experts, in front of others
    MoeLayers, ///< the others
    QueryRank, ///< of latent queries
    QueryRankUp, ///< the same, where the layer's input becomes them
    KeyRank, ///< of latent keys and values
    KeyRankUp, ///< with the rotated elements of keys
    RankNorm, ///< of the norms of either
    // of activations
    Batch,
    Length,
    ResidualLength, ///< of what is added up from layer to layer
    ResidualEmbed,
    AttentionBatch, ///< of query, key and value
    AttentionQueryHeads,
    AttentionKeyHeads,
    AttentionKv,
    ContextHeads, ///< of what attention has put together
    ContextKv,
    HiddenMlp,
    LogitsBatch,
    LogitsVocab,
    ExpertBatch, ///< sequences whose tokens are with the experts
    ActiveExpert,
    RoutedExpert, ///< experts for which tokens are meant, before they are there and after
    Capacity,
    KeyLength,
    Group, ///< query heads that share a key head
};

/// For people: "embed", "heads", "kv_heads".
[[nodiscard]] std::string dimensionName(Axis axis);
[[nodiscard]] std::vector<std::string> dimensionNames(std::span<const Axis> axes);
/// For rules. None where the project has no name for it, and for a single head of keys in T5X, where that dimension
/// does not exist.
[[nodiscard]] LogicalName logicalName(const TransformerSettings& settings, Axis axis);
/// Of all axes that have one, by kind.
[[nodiscard]] LogicalNames allLogicalNames(const TransformerSettings& settings);
[[nodiscard]] LogicalNames logicalNames(const TransformerSettings& settings, std::span<const Axis> axes);

} // namespace shardscope
