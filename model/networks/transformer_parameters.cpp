// SPDX-License-Identifier: GPL-3.0-or-later
#include "networks/transformer_parameters.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace shardscope {

namespace {

constexpr const char* crossAttention = "encoder_decoder_attention";

class ParameterList {
public:
    explicit ParameterList(const TransformerSettings& settings)
        : m_settings(settings)
    {
    }

    std::vector<TransformerParameter> list() &&
    {
        const TransformerSettings& s = m_settings;
        add("token_embedder/embedding", { { Axis::Vocab, s.vocab }, { Axis::VocabEmbed, s.embed } });
        if (s.encoderLayers > 0)
            addStack("encoder", s.encoderLayers, encoderLength(s));
        addStack("decoder", s.layers, s.length);
        if (!s.tiedLogits)
            add("decoder/logits_dense/kernel", { { Axis::VocabEmbed, s.embed }, { Axis::Vocab, s.vocab } });
        return std::move(m_list);
    }

private:
    struct Dimension {
        Axis axis;
        std::int64_t size;
    };

    void add(const std::string& path, const std::vector<Dimension>& dimensions)
    {
        TransformerParameter& parameter = m_list.emplace_back();
        parameter.path = m_prefix + path;
        for (const Dimension& dimension : dimensions) {
            parameter.axes.push_back(dimension.axis);
            parameter.shape.push_back(dimension.size);
        }
        if (m_stacked == 0)
            return;
        const auto place = static_cast<std::ptrdiff_t>(
            std::min(m_settings.layersAxis, static_cast<std::int64_t>(parameter.axes.size())));
        parameter.axes.insert(parameter.axes.begin() + place, m_stackedAxis);
        Shape shape(parameter.shape.begin(), parameter.shape.begin() + place);
        shape.push_back(m_stacked);
        for (auto size = parameter.shape.begin() + place; size != parameter.shape.end(); ++size)
            shape.push_back(*size);
        parameter.shape = std::move(shape);
    }

    void addNorm(const std::string& path)
    {
        add(path + "/scale", { { Axis::Norm, m_settings.embed } });
        if (m_settings.norm == NormKind::Layer)
            add(path + "/bias", { { Axis::Norm, m_settings.embed } });
    }

    void addAttention(std::string_view name)
    {
        const TransformerSettings& s = m_settings;
        const std::string path(name);
        const Dimension embed{ Axis::Embed, s.embed };
        const auto addProjection = [&](const char* part, Dimension heads, Dimension size) {
            add(path + part + "/kernel", { embed, heads, size });
            if (s.qkvBias)
                add(path + part + "/bias", { heads, size });
        };
        if (s.latent) {
            addLatentProjections(path, *s.latent);
        } else if (s.fusedQkv && name != crossAttention) {
            const Dimension qkv{ Axis::Qkv, 3 }, heads{ Axis::OutputHeads, s.heads }, size{ Axis::Kv, s.headSize };
            add(path + "/qkv_proj/kernel", { embed, qkv, heads, size });
            if (s.qkvBias)
                add(path + "/qkv_proj/bias", { qkv, heads, size });
        } else {
            addProjection("/query", { Axis::QueryHeads, s.heads }, { Axis::Kv, s.headSize });
            for (const char* part : { "/key", "/value" })
                addProjection(part, { Axis::KeyHeads, s.kvHeads }, { Axis::KeyKv, s.headSize });
        }
        if (s.queryKeyNorm)
            for (const char* norm : { "/query_norm/scale", "/key_norm/scale" })
                add(path + norm, { { Axis::HeadNorm, s.headSize } });
        add(path + "/out/kernel", { { Axis::OutputHeads, s.heads }, { Axis::Kv, valueSize(s) }, embed });
        if (s.outputBias)
            add(path + "/out/bias", { embed });
    }

    void addLatentProjections(const std::string& path, const LatentSettings& latent)
    {
        const TransformerSettings& s = m_settings;
        const Dimension embed{ Axis::Embed, s.embed }, heads{ Axis::QueryHeads, s.heads };
        const Dimension query{ Axis::Kv, querySize(s) };
        if (latent.queryRank > 0) {
            add(path + "/wq_a/kernel", { embed, { Axis::QueryRankUp, latent.queryRank } });
            add(path + "/q_norm/scale", { { Axis::RankNorm, latent.queryRank } });
            add(path + "/wq_b/kernel", { { Axis::QueryRank, latent.queryRank }, heads, query });
        } else {
            add(path + "/query/kernel", { embed, heads, query });
        }
        add(path + "/wkv_a/kernel", { embed, { Axis::KeyRankUp, latent.rank + latent.rotarySize } });
        add(path + "/kv_norm/scale", { { Axis::RankNorm, latent.rank } });
        add(path + "/wkv_b/kernel",
            { { Axis::KeyRank, latent.rank }, { Axis::KeyHeads, s.heads },
                { Axis::KeyKv, s.headSize + latent.valueSize } });
    }

    /// The kernels of an MLP, or of all experts, which `experts` is the dimension of.
    void addKernels(const std::string& path, const std::vector<Dimension>& experts, Dimension embed, Dimension mlp)
    {
        const TransformerSettings& s = m_settings;
        const auto addLinear = [&](const char* name, Dimension from, Dimension to) {
            std::vector<Dimension> kernel = experts, bias = experts;
            kernel.insert(kernel.end(), { from, to });
            bias.push_back(to);
            add(path + name + "/kernel", kernel);
            if (s.mlpBias)
                add(path + name + "/bias", bias);
        };
        for (const char* name : s.gatedMlp ? std::vector{ "wi_0", "wi_1" } : std::vector{ "wi" })
            addLinear(name, embed, mlp);
        addLinear("wo", mlp, embed);
    }

    void addMlp(bool withExperts)
    {
        const TransformerSettings& s = m_settings;
        const Dimension embed{ Axis::Embed, s.embed };
        if (!withExperts) {
            addKernels("mlp/", {}, embed, { Axis::Mlp, s.mlp });
            return;
        }
        const ExpertSettings& experts = *s.experts;
        add("mlp/router/kernel", { { Axis::RouterEmbed, s.embed }, { Axis::RouterExpert, experts.experts } });
        addKernels("mlp/experts/", { { Axis::Expert, experts.experts } }, { Axis::ExpertEmbed, s.embed },
            { Axis::ExpertMlp, hiddenSize(s) });
        if (experts.sharedMlp > 0)
            addKernels("mlp/shared_experts/", {}, embed, { Axis::Mlp, experts.sharedMlp });
        if (experts.sharedMlp > 0 && experts.sharedGate)
            add("mlp/shared_expert_gate/kernel", { embed });
    }

    void addLayer(bool isEncoder, std::int64_t number)
    {
        const TransformerSettings& s = m_settings;
        const bool after = s.normPlacement == NormPlacement::BeforeAndAfter;
        const std::string own = isEncoder ? "attention" : "self_attention";
        const auto addNormAfter = [&](const std::string& name) {
            if (after)
                addNorm("post_" + name + "_layer_norm");
        };
        addNorm("pre_" + own + "_layer_norm");
        addAttention(own);
        addNormAfter(own);
        if (!isEncoder && s.encoderLayers > 0) {
            addNorm("pre_cross_attention_layer_norm");
            addAttention(crossAttention);
            addNormAfter("cross_attention");
        }
        if (!s.parallelBlock || s.parallelNorms)
            addNorm(mlpNormName(s));
        addMlp(hasExperts(s, isEncoder, number));
        addNormAfter("mlp");
    }

    void addStack(const std::string& stack, std::int64_t layers, std::int64_t length)
    {
        const TransformerSettings& s = m_settings;
        const bool isEncoder = stack == "encoder";
        m_prefix = stack + '/';
        if (s.positions == PositionKind::Learned)
            add("position_embedder/embedding",
                { { Axis::Positions, learnedPositions(s, length) }, { Axis::Embed, s.embed } });
        if (s.positions == PositionKind::RelativeBias)
            add("relpos_bias/rel_embedding", { { Axis::BiasHeads, s.heads }, { Axis::Buckets, s.relativeBuckets } });
        if (s.form == LayerForm::Scanned) {
            for (const LayerGroup& group : layerGroups(s, isEncoder)) {
                m_prefix = stack + '/' + group.name + '/';
                m_stacked = group.count;
                m_stackedAxis = group.axis;
                addLayer(isEncoder, group.first);
            }
            m_stacked = 0;
        } else {
            for (std::int64_t i = 0; i < layers; ++i) {
                m_prefix = stack + "/layers." + std::to_string(i) + '/';
                addLayer(isEncoder, i);
            }
        }
        m_prefix = stack + '/';
        if (s.finalNorm)
            addNorm(stack + "_norm");
        m_prefix.clear();
    }

    const TransformerSettings& m_settings;
    std::vector<TransformerParameter> m_list;
    std::string m_prefix;
    std::int64_t m_stacked = 0; ///< layers that share what is added; 0 = none
    Axis m_stackedAxis = Axis::Layers;
};

std::int64_t elementCountOf(const TransformerParameter& parameter)
{
    return TensorType{ DType::F32, parameter.shape }.elementCount();
}

} // namespace

std::vector<TransformerParameter> parametersOf(const TransformerSettings& settings)
{
    return ParameterList(settings).list();
}

std::int64_t parameterCount(const TransformerSettings& settings)
{
    std::int64_t count = 0;
    for (const TransformerParameter& parameter : parametersOf(settings))
        count = saturatingSum(count, elementCountOf(parameter));
    return count;
}

std::int64_t activeParameterCount(const TransformerSettings& settings)
{
    std::int64_t count = 0;
    for (const TransformerParameter& parameter : parametersOf(settings)) {
        std::int64_t own = elementCountOf(parameter);
        if (std::find(parameter.axes.begin(), parameter.axes.end(), Axis::Expert) != parameter.axes.end())
            own = own / settings.experts->experts * settings.experts->perToken;
        count = saturatingSum(count, own);
    }
    return count;
}

std::string mlpNormName(const TransformerSettings& settings)
{
    const bool afterAttention = settings.axisNames != AxisNames::T5x && settings.encoderLayers == 0
        && settings.normPlacement == NormPlacement::Before;
    return afterAttention ? "post_self_attention_layer_norm" : "pre_mlp_layer_norm";
}

std::int64_t learnedPositions(const TransformerSettings& settings, std::int64_t length)
{
    return settings.maximumLength > 0 ? settings.maximumLength : length;
}

std::int64_t rotarySize(const TransformerSettings& settings)
{
    return std::llround(static_cast<double>(settings.headSize) * settings.rotaryFraction);
}

std::int64_t encoderLength(const TransformerSettings& settings)
{
    return settings.encoderLength > 0 ? settings.encoderLength : settings.length;
}

bool hasExperts(const TransformerSettings& settings, bool isEncoder, std::int64_t layer)
{
    return settings.experts && (isEncoder || layer >= settings.experts->denseLayers);
}

std::vector<LayerGroup> layerGroups(const TransformerSettings& settings, bool isEncoder)
{
    const std::int64_t layers = isEncoder ? settings.encoderLayers : settings.layers;
    const std::int64_t dense = settings.experts && !isEncoder ? settings.experts->denseLayers : 0;
    if (dense == 0)
        return { { "layers", 0, layers, Axis::Layers } };
    std::vector<LayerGroup> groups{ { "dense_layers", 0, dense, Axis::DenseLayers } };
    if (dense < layers)
        groups.push_back({ "moe_layers", dense, layers - dense, Axis::MoeLayers });
    return groups;
}

std::int64_t querySize(const TransformerSettings& settings)
{
    return settings.headSize + (settings.latent ? settings.latent->rotarySize : 0);
}

std::int64_t valueSize(const TransformerSettings& settings)
{
    return settings.latent ? settings.latent->valueSize : settings.headSize;
}

std::int64_t hiddenSize(const TransformerSettings& settings)
{
    return settings.experts && settings.experts->mlp > 0 ? settings.experts->mlp : settings.mlp;
}

} // namespace shardscope
