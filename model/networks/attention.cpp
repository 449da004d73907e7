// SPDX-License-Identifier: GPL-3.0-or-later
#include "networks/attention.h"

#include <array>
#include <cmath>

#include "networks/chosen_parts.h"
#include "networks/norms.h"
#include "networks/positions.h"
#include "networks/transformer_parameters.h"

namespace shardscope {

namespace {

constexpr double maskedLogit = -1e30; ///< whose exponential is 0 beside any other

/// Truth values (L, S): whether a query sees a key.
ValueId seenKeys(Builder& b, std::int64_t length, std::int64_t keys, const AttentionForm& form)
{
    const std::int64_t window = form.window;
    const TensorType type{ DType::I32, { length, keys } };
    const ValueId causal = b.compare(Comparison::LessEqual, b.iota(type, 1), b.iota(type, 0));
    if (window == 0 || window >= keys)
        return causal;
    const ValueId distance = b.binary(OpKind::Subtract, b.iota(type, 0), b.iota(type, 1));
    ValueId near = b.compare(Comparison::Less, distance, b.constant(type, static_cast<double>(window)));
    if (form.seesAll.valid())
        near = b.binary(OpKind::Or, near, b.broadcastScalar(form.seesAll, type.shape));
    return b.binary(OpKind::And, causal, near);
}

/// Of shape (B, K, L, S), or (B, K, L, H/K, S) where query heads share keys.
class AttentionLogits {
public:
    AttentionLogits(Builder& builder, const TransformerSettings& settings)
        : b(builder)
        , s(settings)
        , m_group(settings.heads / settings.kvHeads)
    {
    }

    /// q (B, L, H, h), k (B, S, K, h)
    ValueId products(ValueId q, ValueId k) const
    {
        const Shape shape = b.type(q).shape;
        if (m_group > 1)
            q = b.reshape(q, { shape[0], shape[1], s.kvHeads, m_group, shape[3] });
        return b.dotGeneral(q, k, { { 0, 2 }, { 0, 2 }, { m_group > 1 ? 4 : 3 }, { 3 } });
    }
    /// plus bias (H, L, S)
    ValueId withBias(ValueId logits, ValueId bias) const
    {
        if (!bias.valid())
            return logits;
        const Shape shape = b.type(logits).shape, plain = b.type(bias).shape;
        if (m_group > 1) {
            bias = b.reshape(bias, { s.kvHeads, m_group, plain[1], plain[2] });
            bias = b.transpose(bias, { 0, 2, 1, 3 });
        }
        return b.binary(OpKind::Add, logits, spreadAlongLast(b, bias, shape));
    }
    ValueId masked(ValueId logits, const AttentionForm& form) const
    {
        const TensorType type = b.type(logits);
        const auto last = static_cast<std::int64_t>(type.rank()) - 1;
        const ValueId seen = seenKeys(b, type.shape[2], type.shape.back(), form);
        return b.select(b.broadcast(seen, type.shape, { 2, last }), logits, b.constant(type, maskedLogit));
    }
    /// Probabilities times v (B, S, K, h), as (B, L, H, h).
    ValueId context(ValueId probabilities, ValueId v) const
    {
        const std::int64_t last = m_group > 1 ? 4 : 3;
        const ValueId product = b.dotGeneral(probabilities, v, { { 0, 1 }, { 0, 2 }, { last }, { 1 } });
        const Shape shape = b.type(product).shape; // (B, K, L, (H/K,) h)
        if (m_group == 1)
            return b.transpose(product, { 0, 2, 1, 3 });
        return b.reshape(b.transpose(product, { 0, 2, 1, 3, 4 }), { shape[0], shape[2], s.heads, shape[4] });
    }
    ValueId named(const NetworkPart& part, ValueId x, std::string_view name) const
    {
        if (m_group > 1)
            return part.named(
                x, name, { Axis::Batch, Axis::AttentionKeyHeads, Axis::Length, Axis::Group, Axis::KeyLength });
        return part.named(x, name, { Axis::Batch, Axis::AttentionQueryHeads, Axis::Length, Axis::KeyLength });
    }

private:
    Builder& b;
    const TransformerSettings& s;
    std::int64_t m_group;
};

/// x W (B, L, heads, h), with its bias.
ValueId projected(const NetworkPart& part, std::string_view name, ValueId x, Axis heads)
{
    const std::string own(name);
    const ValueId y = part.withBias(part.builder().dot(x, part.parameter(own + "/kernel")), own + "/bias");
    return part.activation(y, name, { Axis::AttentionBatch, Axis::Length, heads, Axis::AttentionKv });
}

struct Projections {
    ValueId q, k, v;
};

/// Of one kernel, as (B, L, 3, H, h); each is a slice of that.
Projections fusedProjections(const NetworkPart& part, ValueId x)
{
    Builder& b = part.builder();
    const ValueId product = part.withBias(b.dot(x, part.parameter("qkv_proj/kernel")), "qkv_proj/bias");
    const ValueId all = part.activation(product, "qkv_proj",
        { Axis::AttentionBatch, Axis::Length, Axis::Qkv, Axis::AttentionQueryHeads, Axis::AttentionKv });
    const Shape shape = b.type(all).shape;
    const auto sliced = [&](std::int64_t number, std::string_view name, Axis heads) {
        Dimensions starts(shape.size(), 0), limits(shape.begin(), shape.end());
        starts[2] = number;
        limits[2] = number + 1;
        return part.activation(b.reshape(b.slice(all, starts, limits), { shape[0], shape[1], shape[3], shape[4] }),
            name, { Axis::AttentionBatch, Axis::Length, heads, Axis::AttentionKv });
    };
    const ValueId q = sliced(0, "query", Axis::AttentionQueryHeads);
    const ValueId k = sliced(1, "key", Axis::AttentionKeyHeads);
    return { q, k, sliced(2, "value", Axis::AttentionKeyHeads) };
}

/// Of a layer with a window, of one that sees all, or of both where that is known later.
Rotation rotationOf(const TransformerSettings& s, const AttentionForm& form)
{
    const RotaryTurn all{ s.rotaryBase, s.rotaryFactor };
    const RotaryTurn near = s.windowRotaryBase > 0 ? RotaryTurn{ s.windowRotaryBase, 1 } : all;
    const std::int64_t size = s.latent ? s.latent->rotarySize : rotarySize(s);
    return { size, form.window > 0 ? near : all, form.seesAll, all };
}

/// By way of one vector per token. Keys share the elements that are rotated.
Projections latentProjections(const NetworkPart& part, ValueId x, const AttentionForm& form)
{
    Builder& b = part.builder();
    const TransformerSettings& s = part.settings();
    const std::int64_t plain = s.headSize, rotary = s.latent->rotarySize, rank = s.latent->rank;
    const auto turned = [&](ValueId y) { return form.rotary ? rotated(part, y, rotationOf(s, form)) : y; };
    const auto named = [&](ValueId y, const char* name, Axis heads) {
        return part.activation(y, name, { Axis::AttentionBatch, Axis::Length, heads, Axis::AttentionKv });
    };

    ValueId q;
    if (s.latent->queryRank > 0) {
        const ValueId down =
            part.named(b.dot(x, part.parameter("wq_a/kernel")), "wq_a", { Axis::Batch, Axis::Length, Axis::QueryRank });
        q = b.dot(rmsNormalised(part, "q_norm", down), part.parameter("wq_b/kernel"));
    } else {
        q = b.dot(x, part.parameter("query/kernel"));
    }
    q = named(q, "query", Axis::AttentionQueryHeads);
    q = b.concatenate(std::array{ sliceOfLast(b, q, 0, plain), turned(sliceOfLast(b, q, plain, plain + rotary)) }, 3);

    const ValueId down =
        part.named(b.dot(x, part.parameter("wkv_a/kernel")), "wkv_a", { Axis::Batch, Axis::Length, Axis::KeyRankUp });
    const ValueId latent = rmsNormalised(part, "kv_norm", sliceOfLast(b, down, 0, rank));
    const ValueId up = b.dot(latent, part.parameter("wkv_b/kernel")); // (B, L, H, h + v)
    const Shape shape = b.type(up).shape;
    ValueId positions = sliceOfLast(b, down, rank, rank + rotary); // (B, L, r)
    positions = turned(b.reshape(positions, { shape[0], shape[1], 1, rotary }));
    positions = b.reshape(positions, { shape[0], shape[1], rotary });
    positions = b.broadcast(positions, { shape[0], shape[1], shape[2], rotary }, { 0, 1, 3 });
    const ValueId k = b.concatenate(std::array{ sliceOfLast(b, up, 0, plain), positions }, 3);
    return { q, named(k, "key", Axis::AttentionKeyHeads),
        named(sliceOfLast(b, up, plain, shape[3]), "value", Axis::AttentionKeyHeads) };
}

Projections projections(const NetworkPart& part, ValueId x, ValueId memory)
{
    if (part.has("qkv_proj/kernel"))
        return fusedProjections(part, x);
    const ValueId q = projected(part, "query", x, Axis::AttentionQueryHeads);
    const ValueId k = projected(part, "key", memory, Axis::AttentionKeyHeads);
    return { q, k, projected(part, "value", memory, Axis::AttentionKeyHeads) };
}

} // namespace

ValueId attention(const NetworkPart& layer, std::string_view name, ValueId x, ValueId memory, const AttentionForm& form)
{
    const NetworkPart part(layer, name);
    Builder& b = part.builder();
    const TransformerSettings& s = part.settings();
    auto [q, k, v] = s.latent ? latentProjections(part, x, form) : projections(part, x, memory);
    if (s.queryKeyNorm) {
        q = rmsNormalised(part, "query_norm", q);
        k = rmsNormalised(part, "key_norm", k);
    }
    if (form.rotary && !s.latent) {
        const Rotation rotation = rotationOf(s, form);
        q = rotated(part, q, rotation);
        k = rotated(part, k, rotation);
    }
    if (s.scaledAttention)
        q = times(b, q, 1 / std::sqrt(s.attentionScalar > 0 ? s.attentionScalar : static_cast<double>(querySize(s))));

    const AttentionLogits heads(b, s);
    ValueId logits = converted(b, heads.products(q, k), accurateType(s.computeDtype));
    logits = heads.withBias(softCapped(b, logits, s.attentionSoftcap), form.bias);
    if (form.causal)
        logits = heads.masked(logits, form);
    heads.named(part, logits, "logits");
    const ValueId probabilities = converted(b, softmax(b, logits), s.computeDtype);
    heads.named(part, probabilities, "probabilities");
    const ValueId kept = droppedProbabilities(part, probabilities, form.dropout, form.place);
    if (kept != probabilities)
        heads.named(part, kept, "kept_probabilities");
    const ValueId context = part.activation(
        heads.context(kept, v), "context", { Axis::Batch, Axis::Length, Axis::ContextHeads, Axis::ContextKv });
    const ValueId y = b.dotGeneral(context, part.parameter("out/kernel"), { {}, {}, { 2, 3 }, { 0, 1 } });
    return constrainedOutput(
        part, part.named(part.withBias(y, "out/bias"), "out", { Axis::Batch, Axis::Length, Axis::ResidualEmbed }));
}

} // namespace shardscope
