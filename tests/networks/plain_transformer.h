// SPDX-License-Identifier: GPL-3.0-or-later
// A transformer's loss by plain loops over one sequence after the other, in double, from the formulas of the papers.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "networks/plain_dropout.h"
#include "networks/plain_parts.h"

namespace shardscope::test {

struct PlainTransformer : PlainParts {
    using Numbers = std::vector<std::size_t>;

    std::vector<Row> logits = {}; ///< of all tokens, sequence after sequence
    std::optional<std::uint32_t> step = {}; ///< of dropout; nothing: there is none
    std::size_t sequence = 0; ///< that is worked on

    /// The mean of -log p(target) over all tokens. Sequences lie one after the other; `read` is for the encoder.
    double loss(const Numbers& tokens, const Numbers& targets, const Numbers& read)
    {
        const auto length = static_cast<std::size_t>(s.length);
        const std::size_t batch = tokens.size() / length, readLength = read.size() / batch;
        const auto part = [](const Numbers& all, std::size_t i, std::size_t n) {
            const auto begin = all.begin() + static_cast<std::ptrdiff_t>(i * n);
            return Numbers(begin, begin + static_cast<std::ptrdiff_t>(n));
        };
        double sum = 0;
        logits.clear();
        for (std::size_t i = 0; i < batch; ++i) {
            sequence = i;
            Rows encoded;
            if (s.encoderLayers > 0)
                encoded = stack("encoder", s.encoderLayers, part(read, i, readLength), {});
            for (const Row& x : stack("decoder", s.layers, part(tokens, i, length), encoded)) {
                logits.push_back(logitsOf(x));
                double all = 0;
                for (const double logit : logits.back())
                    all += std::exp(logit);
                sum += std::log(all) - logits.back()[targets[logits.size() - 1]];
            }
        }
        return sum / static_cast<double>(tokens.size());
    }

private:
    /// T5's number of a distance, as its authors compute it.
    [[nodiscard]] std::size_t bucket(std::int64_t distance, bool bothDirections) const
    {
        std::int64_t count = s.relativeBuckets, first = 0, n = -distance;
        if (bothDirections) {
            count /= 2;
            first = n < 0 ? count : 0;
            n = std::abs(n);
        }
        n = std::max<std::int64_t>(n, 0);
        const std::int64_t exact = count / 2;
        if (n < exact)
            return static_cast<std::size_t>(first + n);
        const double ratio = std::log(double(n) / double(exact) + 1e-6);
        const double range = std::log(double(s.relativeMaximumDistance) / double(exact));
        const auto far = exact + static_cast<std::int64_t>(ratio / range * double(count - exact));
        return static_cast<std::size_t>(first + std::min(far, count - 1));
    }

    /// Layers count from 0; each one whose number from 1 on the pattern divides sees all.
    [[nodiscard]] std::int64_t windowOf(std::int64_t layer) const
    {
        return s.windowPattern > 0 && (layer + 1) % s.windowPattern == 0 ? 0 : s.slidingWindow;
    }

    void rotate(double* head, std::size_t size, std::size_t position, std::int64_t window) const
    {
        const bool near = window > 0 && s.windowRotaryBase > 0;
        for (std::size_t i = 0; i < size / 2; ++i) {
            const double turns = double(position) / (near ? 1 : s.rotaryFactor);
            const double angle =
                turns * std::pow(near ? s.windowRotaryBase : s.rotaryBase, -double(2 * i) / double(size));
            const double a = head[i], b = head[i + size / 2];
            head[i] = a * std::cos(angle) - b * std::sin(angle);
            head[i + size / 2] = b * std::cos(angle) + a * std::sin(angle);
        }
    }

    enum class Mask { None, Causal };
    /// `bias` is the table (heads, buckets), or null.
    [[nodiscard]] Rows attention(const std::string& path, const Rows& x, const Rows& memory, Mask mask, bool rotary,
        const Row* bias, std::int64_t window = 0) const
    {
        const auto size = static_cast<std::size_t>(s.headSize);
        const auto rotarySize = static_cast<std::size_t>(double(s.headSize) * s.rotaryFraction + 0.5);
        const auto project = [&](const Rows& from, const std::string& name) {
            Rows to;
            for (std::size_t t = 0; t < from.size(); ++t) {
                to.push_back(linear(from[t], path + '/' + name));
                for (std::size_t i = 0; name != "value" && i < to.back().size(); i += size) {
                    if (s.queryKeyNorm)
                        rms(&to.back()[i], size, at(path + '/' + name + "_norm/scale"));
                    if (rotary)
                        rotate(&to.back()[i], rotarySize, t, window);
                }
            }
            return to;
        };
        return attended(
            path, project(x, "query"), project(memory, "key"), project(memory, "value"), mask, bias, window);
    }

    /// Latent attention, as DeepSeek V2's paper has it: a head's query and key end in what is rotated.
    [[nodiscard]] Rows latentAttention(const std::string& path, const Rows& x, bool rotary, std::int64_t window) const
    {
        const auto of = [](std::int64_t number) { return static_cast<std::size_t>(number); };
        const std::size_t heads = of(s.heads), plain = of(s.headSize), turned = of(s.latent->rotarySize);
        const std::size_t rank = of(s.latent->rank), value = of(s.latent->valueSize);
        Rows q, k, v;
        for (std::size_t t = 0; t < x.size(); ++t) {
            if (s.latent->queryRank > 0) {
                Row down = linear(x[t], path + "/wq_a");
                rms(down.data(), down.size(), at(path + "/q_norm/scale"));
                q.push_back(linear(down, path + "/wq_b"));
            } else {
                q.push_back(linear(x[t], path + "/query"));
            }
            Row down = linear(x[t], path + "/wkv_a");
            Row shared(down.begin() + static_cast<std::ptrdiff_t>(rank), down.end());
            down.resize(rank);
            rms(down.data(), rank, at(path + "/kv_norm/scale"));
            if (rotary)
                rotate(shared.data(), turned, t, window);
            const Row up = linear(down, path + "/wkv_b");
            k.emplace_back();
            v.emplace_back();
            for (std::size_t h = 0; h < heads; ++h) {
                if (rotary)
                    rotate(&q[t][h * (plain + turned) + plain], turned, t, window);
                for (std::size_t i = 0; i < plain; ++i)
                    k[t].push_back(up[h * (plain + value) + i]);
                k[t].insert(k[t].end(), shared.begin(), shared.end());
                for (std::size_t i = 0; i < value; ++i)
                    v[t].push_back(up[h * (plain + value) + plain + i]);
            }
        }
        return attended(path, q, k, v, Mask::Causal, nullptr, window);
    }

    /// Rows of queries, keys and values, head after head.
    [[nodiscard]] Rows attended(const std::string& path, const Rows& q, const Rows& k, const Rows& v, Mask mask,
        const Row* bias, std::int64_t window) const
    {
        const auto heads = static_cast<std::size_t>(s.heads), keyHeads = static_cast<std::size_t>(s.kvHeads);
        const std::size_t size = q.front().size() / heads, valueSize = v.front().size() / keyHeads;
        const std::size_t group = heads / keyHeads;
        const double scalar = s.attentionScalar > 0 ? s.attentionScalar : double(size);
        Rows result;
        for (std::size_t t = 0; t < q.size(); ++t) {
            Row context(heads * valueSize);
            for (std::size_t h = 0; h < heads; ++h) {
                const std::size_t shared = h / group * size;
                Row weights(k.size());
                double sum = 0;
                for (std::size_t u = 0; u < k.size(); ++u) {
                    const auto distance = static_cast<std::int64_t>(u) - static_cast<std::int64_t>(t);
                    if (mask == Mask::Causal && (distance > 0 || (window > 0 && -distance >= window)))
                        continue;
                    double logit = 0;
                    for (std::size_t i = 0; i < size; ++i)
                        logit += q[t][h * size + i] * k[u][shared + i];
                    if (s.scaledAttention)
                        logit /= std::sqrt(scalar);
                    if (s.attentionSoftcap != 0)
                        logit = s.attentionSoftcap * std::tanh(logit / s.attentionSoftcap);
                    if (bias)
                        logit += (*bias)[h * static_cast<std::size_t>(s.relativeBuckets)
                            + bucket(distance, mask == Mask::None)];
                    sum += weights[u] = std::exp(logit);
                }
                for (std::size_t u = 0; u < k.size(); ++u)
                    weights[u] *= keptWeight(path, sequence * q.size() + t, h * k.size() + u);
                for (std::size_t u = 0; u < k.size(); ++u)
                    for (std::size_t i = 0; i < valueSize; ++i)
                        context[h * valueSize + i] += weights[u] / sum * v[u][h / group * valueSize + i];
            }
            result.push_back(linear(context, path + "/out"));
        }
        return result;
    }

    /// What a probability of attention is multiplied by: of "decoder/layers.3/self_attention" and so on, by the number
    /// of the query's token in the batch and the place among (heads, keys).
    [[nodiscard]] double keptWeight(const std::string& path, std::size_t token, std::size_t place) const
    {
        if (!step || s.attentionDropout == 0)
            return 1;
        const std::int64_t layer = std::stoll(path.substr(path.find("layers.") + 7));
        const std::int64_t own = path.ends_with("encoder_decoder_attention") ? 2 : 1;
        const std::int64_t number =
            s.dropoutSeed * 65536 + (layer + 1) * 8 + (path.starts_with("encoder/") ? 4 : 0) + own;
        const std::uint32_t bits = plainRandomBits({ *step + 0x80000000U, static_cast<std::uint32_t>(number) },
            { static_cast<std::uint32_t>(token), static_cast<std::uint32_t>(place) });
        return double(bits) / 0x1p32 < s.attentionDropout ? 0 : 1 / (1 - s.attentionDropout);
    }

    [[nodiscard]] Rows mlp(const std::string& path, const Rows& x, bool hasExperts) const
    {
        if (hasExperts)
            return experts(path, x);
        Rows y;
        for (const Row& row : x)
            y.push_back(linear(s.gatedMlp ? hidden(linear(row, path + "/wi_0"), linear(row, path + "/wi_1"))
                                          : hidden(linear(row, path + "/wi"), {}),
                path + "/wo"));
        return y;
    }

    /// One expert's part of an array that has all of them one after the other.
    [[nodiscard]] Row expertLinear(const Row& x, const std::string& path, std::size_t expert) const
    {
        const auto count = static_cast<std::size_t>(s.experts->experts);
        const auto own = [&](const std::string& of) {
            const Row& all = at(of);
            const std::size_t size = all.size() / count;
            const auto begin = all.begin() + static_cast<std::ptrdiff_t>(expert * size);
            return Row(begin, begin + static_cast<std::ptrdiff_t>(size));
        };
        PlainTransformer one{ s, { { "e/kernel", own(path + "/kernel") } } };
        if (s.mlpBias)
            one.parameters["e/bias"] = own(path + "/bias");
        return one.linear(x, "e");
    }

    [[nodiscard]] Rows experts(const std::string& path, const Rows& x) const
    {
        const auto count = static_cast<std::size_t>(s.experts->experts);
        const auto perToken = static_cast<std::size_t>(s.experts->perToken);
        const double wanted = std::ceil(s.experts->capacityFactor * double(x.size() * perToken) / double(count));
        std::vector<std::size_t> free(count, static_cast<std::size_t>(std::min(wanted, double(x.size()))));

        Rows probabilities, y(x.size(), Row(x.front().size()));
        std::vector<Numbers> chosen; // of each token, best first
        for (const Row& row : x) {
            Row p = linear(row, path + "/router");
            double sum = 0;
            for (double& element : p)
                sum += element = std::exp(element);
            for (double& element : p)
                element /= s.experts->score == RouterScore::Softmax ? sum : 1 + element;
            Numbers order(count);
            for (std::size_t e = 0; e < count; ++e)
                order[e] = e;
            std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return p[a] > p[b]; });
            order.resize(perToken);
            chosen.push_back(order);
            probabilities.push_back(p);
        }
        for (std::size_t choice = 0; choice < perToken; ++choice)
            for (std::size_t t = 0; t < x.size(); ++t) {
                const std::size_t expert = chosen[t][choice];
                if (free[expert] == 0)
                    continue;
                --free[expert];
                double weight = probabilities[t][expert], sum = 0;
                for (const std::size_t e : chosen[t])
                    sum += probabilities[t][e];
                if (s.experts->normalise)
                    weight /= sum;
                weight *= s.experts->scale;
                const std::string own = path + "/experts/";
                const Row h = s.gatedMlp
                    ? hidden(expertLinear(x[t], own + "wi_0", expert), expertLinear(x[t], own + "wi_1", expert))
                    : hidden(expertLinear(x[t], own + "wi", expert), {});
                const Row out = expertLinear(h, own + "wo", expert);
                for (std::size_t i = 0; i < out.size(); ++i)
                    y[t][i] += weight * out[i];
            }
        if (s.experts->sharedMlp == 0)
            return y;
        const Rows shared = mlp(path + "/shared_experts", x, false);
        for (std::size_t t = 0; t < x.size(); ++t) {
            const double logit = s.experts->sharedGate ? linear(x[t], path + "/shared_expert_gate")[0] : 0;
            const double share = s.experts->sharedGate ? 1 / (1 + std::exp(-logit)) : 1;
            for (std::size_t i = 0; i < y[t].size(); ++i)
                y[t][i] += share * shared[t][i];
        }
        return y;
    }

    /// After what is added to the residual of a layer, or after the embedding (layer -1): places 0 to 3 are embedding,
    /// self-attention, cross-attention and MLP, and 4 more in the encoder.
    [[nodiscard]] Rows dropped(Rows x, const std::string& stack, std::int64_t layer, std::int64_t place) const
    {
        if (!step || s.dropout == 0)
            return x;
        const std::int64_t number = s.dropoutSeed * 65536 + (layer + 1) * 8 + (stack == "encoder" ? 4 : 0) + place;
        for (std::size_t t = 0; t < x.size(); ++t)
            for (std::size_t i = 0; i < x[t].size(); ++i) {
                const std::size_t token = sequence * x.size() + t;
                const std::uint32_t bits = plainRandomBits({ *step, static_cast<std::uint32_t>(number) },
                    { static_cast<std::uint32_t>(token), static_cast<std::uint32_t>(i) });
                x[t][i] = double(bits) / 0x1p32 < s.dropout ? 0 : x[t][i] / (1 - s.dropout);
            }
        return x;
    }

    static void add(Rows& x, const Rows& y)
    {
        for (std::size_t t = 0; t < x.size(); ++t)
            for (std::size_t i = 0; i < x[t].size(); ++i)
                x[t][i] += y[t][i];
    }

    [[nodiscard]] Rows stack(
        const std::string& name, std::int64_t layers, const Numbers& tokens, const Rows& encoded) const
    {
        const auto embed = static_cast<std::size_t>(s.embed);
        const Mask mask = name == "encoder" ? Mask::None : Mask::Causal;
        const std::string own = name == "encoder" ? "attention" : "self_attention";
        const Row* bias =
            s.positions == PositionKind::RelativeBias ? &at(name + "/relpos_bias/rel_embedding") : nullptr;
        Rows x(tokens.size(), Row(embed));
        for (std::size_t t = 0; t < tokens.size(); ++t)
            for (std::size_t i = 0; i < embed; ++i) {
                x[t][i] = at("token_embedder/embedding")[tokens[t] * embed + i];
                if (s.scaledEmbedding)
                    x[t][i] *= std::sqrt(double(embed));
                if (s.positions == PositionKind::Learned)
                    x[t][i] += at(name + "/position_embedder/embedding")[t * embed + i];
            }
        x = dropped(std::move(x), name, -1, 0);
        for (std::int64_t i = 0; i < layers; ++i) {
            const std::string layer = name + "/layers." + std::to_string(i) + '/';
            const Rows input = norm(x, layer + "pre_" + own + "_layer_norm");
            const bool rotary = s.positions == PositionKind::Rotary;
            const std::int64_t window = mask == Mask::Causal ? windowOf(i) : 0;
            const Rows ofTokens =
                dropped(normAfter(s.latent ? latentAttention(layer + own, input, rotary, window)
                                           : attention(layer + own, input, input, mask, rotary, bias, window),
                            layer + "post_" + own + "_layer_norm"),
                    name, i, 1);
            const auto mlpOf = [&](const Rows& of) {
                const bool hasExperts = s.experts && (name == "encoder" || i >= s.experts->denseLayers);
                return dropped(
                    normAfter(mlp(layer + "mlp", of, hasExperts), layer + "post_mlp_layer_norm"), name, i, 3);
            };
            if (s.parallelBlock) {
                const Rows second = mlpOf(s.parallelNorms ? norm(x, layer + "pre_mlp_layer_norm") : input);
                add(x, ofTokens);
                add(x, second);
                continue;
            }
            add(x, ofTokens);
            if (!encoded.empty())
                add(x,
                    dropped(normAfter(attention(layer + "encoder_decoder_attention",
                                          norm(x, layer + "pre_cross_attention_layer_norm"), encoded, Mask::None, false,
                                          nullptr),
                                layer + "post_cross_attention_layer_norm"),
                        name, i, 2));
            add(x, mlpOf(norm(x, layer + "pre_mlp_layer_norm")));
        }
        return s.finalNorm ? norm(x, name + '/' + name + "_norm") : x;
    }

    [[nodiscard]] Row logitsOf(Row x) const
    {
        if (s.scaledLogits)
            for (double& element : x)
                element /= std::sqrt(double(x.size()));
        Row y;
        if (s.tiedLogits) {
            const Row& table = at("token_embedder/embedding");
            for (std::size_t v = 0; v < table.size(); v += x.size()) {
                y.push_back(0);
                for (std::size_t i = 0; i < x.size(); ++i)
                    y.back() += x[i] * table[v + i];
            }
        } else {
            y = linear(x, "decoder/logits_dense");
        }
        for (double& logit : y)
            if (s.logitSoftcap != 0)
                logit = s.logitSoftcap * std::tanh(logit / s.logitSoftcap);
        return y;
    }
};

} // namespace shardscope::test
