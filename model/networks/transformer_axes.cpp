// SPDX-License-Identifier: GPL-3.0-or-later
#include "networks/transformer_axes.h"

#include <array>

namespace shardscope {

namespace {

/// Names of one dimension; an empty one stands for none.
struct AxisRow {
    Axis axis;
    std::string_view dimension, t5x, maxText2025, maxText;
};

// T5X: examples/t5/network.py and the mixtures of experts of flaxformer. MaxText: layers of July 2025 and of August
// 2026.
constexpr std::array axisTable{
    AxisRow{ Axis::Vocab, "vocab", "vocab", "vocab", "vocab" },
    AxisRow{ Axis::VocabEmbed, "embed", "embed", "embed", "embed_vocab" },
    AxisRow{ Axis::Embed, "embed", "embed", "embed", "embed" },
    AxisRow{ Axis::Qkv, "qkv", "qkv", "qkv", "qkv" },
    AxisRow{ Axis::QueryHeads, "heads", "heads", "q_heads", "q_heads" },
    AxisRow{ Axis::Kv, "kv", "kv", "kv", "kv" },
    AxisRow{ Axis::KeyHeads, "kv_heads", "heads", "kv_heads", "kv_heads" },
    AxisRow{ Axis::KeyKv, "kv", "kv", "kv_head_dim", "kv_head_dim" },
    AxisRow{ Axis::OutputHeads, "heads", "heads", "heads", "heads" },
    AxisRow{ Axis::Mlp, "mlp", "mlp", "mlp", "mlp" },
    AxisRow{ Axis::Norm, "embed", "embed", "norm", "norm" },
    AxisRow{ Axis::HeadNorm, "kv", "kv", "norm", "norm" },
    AxisRow{ Axis::Positions, "position", "abspos_buckets", "", "" },
    AxisRow{ Axis::Buckets, "bucket", "relpos_buckets", "", "" },
    AxisRow{ Axis::BiasHeads, "heads", "heads", "q_heads", "q_heads" },
    AxisRow{ Axis::Expert, "expert", "expert", "exp", "exp" },
    AxisRow{ Axis::RouterEmbed, "embed", "embed", "embed", "embed_moe" },
    AxisRow{ Axis::RouterExpert, "expert", "expert", "", "" },
    AxisRow{ Axis::ExpertEmbed, "embed", "embed", "embed_no_exp", "embed_moe" },
    AxisRow{ Axis::ExpertMlp, "mlp", "mlp", "mlp", "mlp_moe" },
    AxisRow{ Axis::Layers, "layers", "layers", "layers", "layers" },
    AxisRow{ Axis::DenseLayers, "dense_layers", "layers", "dense_layers", "dense_layers" },
    AxisRow{ Axis::MoeLayers, "moe_layers", "layers", "moe_layers", "moe_layers" },
    AxisRow{ Axis::QueryRank, "query_rank", "", "q_lora", "q_lora" },
    AxisRow{ Axis::QueryRankUp, "query_rank", "", "q_lora_up_proj", "q_lora_up_proj" },
    AxisRow{ Axis::KeyRank, "rank", "", "kv_lora", "kv_lora" },
    AxisRow{ Axis::KeyRankUp, "rank_and_rotary", "", "kv_lora_up_proj", "kv_lora_up_proj" },
    AxisRow{ Axis::RankNorm, "rank", "", "norm", "norm" },

    AxisRow{ Axis::Batch, "batch", "batch", "activation_batch", "activation_batch" },
    AxisRow{ Axis::Length, "length", "length", "activation_length", "activation_length" },
    AxisRow{ Axis::ResidualLength, "length", "length", "activation_norm_length", "activation_norm_length" },
    AxisRow{ Axis::ResidualEmbed, "embed", "embed", "activation_embed", "activation_embed" },
    AxisRow{ Axis::AttentionBatch, "batch", "batch", "activation_kv_batch", "activation_kv_batch" },
    AxisRow{ Axis::AttentionQueryHeads, "heads", "heads", "activation_kv_heads", "activation_kv_heads" },
    AxisRow{ Axis::AttentionKeyHeads, "kv_heads", "heads", "activation_kv_heads", "activation_kv_heads" },
    AxisRow{ Axis::AttentionKv, "kv", "kv", "activation_kv_head_dim", "activation_kv_head_dim" },
    AxisRow{ Axis::ContextHeads, "heads", "heads", "activation_heads", "activation_heads" },
    AxisRow{ Axis::ContextKv, "kv", "kv", "activation_kv", "activation_kv" },
    AxisRow{ Axis::HiddenMlp, "mlp", "mlp", "activation_mlp", "activation_mlp" },
    AxisRow{
        Axis::LogitsBatch, "batch", "batch", "activation_embed_and_logits_batch", "activation_embed_and_logits_batch" },
    AxisRow{ Axis::LogitsVocab, "vocab", "vocab", "activation_vocab", "activation_vocab" },
    AxisRow{ Axis::ExpertBatch, "batch", "expert_replicas", "activation_batch_no_exp", "activation_batch_moe" },
    AxisRow{ Axis::ActiveExpert, "expert", "expert", "activation_exp", "activation_exp" },
    AxisRow{ Axis::RoutedExpert, "expert", "", "", "" },
    AxisRow{ Axis::Capacity, "capacity", "", "", "" },
    AxisRow{ Axis::KeyLength, "kv_length", "", "", "" },
    AxisRow{ Axis::Group, "group", "", "", "" },
};

constexpr bool isInOrder()
{
    for (std::size_t i = 0; i < axisTable.size(); ++i)
        if (static_cast<std::size_t>(axisTable[i].axis) != i)
            return false;
    return axisTable.size() == static_cast<std::size_t>(Axis::Group) + 1;
}
static_assert(isInOrder());

const AxisRow& axisRow(Axis axis)
{
    return axisTable[static_cast<std::size_t>(axis)];
}

} // namespace

std::string dimensionName(Axis axis)
{
    return std::string(axisRow(axis).dimension);
}

std::vector<std::string> dimensionNames(std::span<const Axis> axes)
{
    std::vector<std::string> names;
    for (const Axis axis : axes)
        names.push_back(dimensionName(axis));
    return names;
}

LogicalName logicalName(const TransformerSettings& settings, Axis axis)
{
    const AxisRow& row = axisRow(axis);
    const bool ofKeyHeads = axis == Axis::KeyHeads || axis == Axis::AttentionKeyHeads;
    if (settings.axisNames == AxisNames::T5x && ofKeyHeads && settings.kvHeads == 1 && settings.heads > 1)
        return LogicalName::none();
    const std::string_view name = settings.axisNames == AxisNames::T5x ? row.t5x
        : settings.axisNames == AxisNames::MaxText2025                 ? row.maxText2025
                                                                       : row.maxText;
    return name.empty() ? LogicalName::none() : LogicalName::of(std::string(name));
}

LogicalNames allLogicalNames(const TransformerSettings& settings)
{
    LogicalNames names;
    for (const AxisRow& row : axisTable)
        if (LogicalName name = logicalName(settings, row.axis); name.kind == LogicalName::Kind::Name)
            names.push_back(std::move(name));
    return names;
}

LogicalNames logicalNames(const TransformerSettings& settings, std::span<const Axis> axes)
{
    LogicalNames names;
    for (const Axis axis : axes)
        names.push_back(logicalName(settings, axis));
    return names;
}

} // namespace shardscope
