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
        parameter.axes.insert(parameter.axes.begin() + place, Axis::Layers);
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
        if (s.fusedQkv && name != crossAttention) {
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
        add(path + "/out/kernel", { { Axis::OutputHeads, s.heads }, { Axis::Kv, s.headSize }, embed });
        if (s.outputBias)
            add(path + "/out/bias", { embed });
    }

    void addMlp()
    {
        const TransformerSettings& s = m_settings;
        const std::int64_t hidden = hiddenSize(s);
        std::string path = "mlp/";
        std::vector<Dimension> experts;
        if (s.experts) {
            add("mlp/router/kernel", { { Axis::RouterEmbed, s.embed }, { Axis::RouterExpert, s.experts->experts } });
            experts.push_back({ Axis::Expert, s.experts->experts });
            path += "experts/";
        }
        const auto addLinear = [&](const char* name, Dimension from, Dimension to) {
            std::vector<Dimension> kernel = experts, bias = experts;
            kernel.insert(kernel.end(), { from, to });
            bias.push_back(to);
            add(path + name + "/kernel", kernel);
            if (s.mlpBias)
                add(path + name + "/bias", bias);
        };
        const Dimension embed{ s.experts ? Axis::ExpertEmbed : Axis::Embed, s.embed };
        const Dimension mlp{ s.experts ? Axis::ExpertMlp : Axis::Mlp, hidden };
        for (const char* name : s.gatedMlp ? std::vector{ "wi_0", "wi_1" } : std::vector{ "wi" })
            addLinear(name, embed, mlp);
        addLinear("wo", mlp, embed);
    }

    void addLayer(bool isEncoder)
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
        addMlp();
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
            m_prefix = stack + "/layers/";
            m_stacked = layers;
            addLayer(isEncoder);
            m_stacked = 0;
        } else {
            for (std::int64_t i = 0; i < layers; ++i) {
                m_prefix = stack + "/layers." + std::to_string(i) + '/';
                addLayer(isEncoder);
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

std::int64_t hiddenSize(const TransformerSettings& settings)
{
    return settings.experts && settings.experts->mlp > 0 ? settings.experts->mlp : settings.mlp;
}

} // namespace shardscope
