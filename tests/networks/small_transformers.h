// SPDX-License-Identifier: GPL-3.0-or-later
// The transformers that tests compute with: well-known ones in small sizes, and numbers for their arguments.
#pragma once

#include <functional>
#include <random>
#include <vector>

#include "networks/transformer.h"
#include "networks/transformer_parameters.h"
#include "program/interpret.h"

namespace shardscope::test {

using Edit = std::function<void(TransformerSettings&)>;

/// Two layers of width 8, in double: a small Llama, whose sizes all differ.
inline TransformerSettings tiny()
{
    TransformerSettings s;
    s.batch = 2;
    s.length = 5;
    s.embed = 8;
    s.heads = 4;
    s.kvHeads = 2;
    s.headSize = 6;
    s.mlp = 7;
    s.vocab = 11;
    s.parameterDtype = s.computeDtype = DType::F64;
    return s;
}

inline TransformerSettings edited(const Edit& edit)
{
    TransformerSettings s = tiny();
    edit(s);
    return s;
}

inline void gpt2(TransformerSettings& s)
{
    s.kvHeads = s.heads;
    s.positions = PositionKind::Learned;
    s.maximumLength = 9;
    s.norm = NormKind::Layer;
    s.normEpsilon = 1e-5;
    s.activation = ActivationKind::Gelu;
    s.gatedMlp = false;
    s.qkvBias = s.outputBias = s.mlpBias = s.tiedLogits = true;
}

inline void mixtral(TransformerSettings& s)
{
    s.length = 6;
    s.experts = ExpertSettings{ .experts = 4, .perToken = 2, .mlp = 5, .capacityFactor = 0.75 };
}

/// Shared experts behind a gate.
inline void qwen2Moe(TransformerSettings& s)
{
    mixtral(s);
    s.experts->normalise = false;
    s.experts->sharedMlp = 3;
    s.experts->sharedGate = s.qkvBias = true;
}

/// Latent attention, an MLP in the first layer, then shared experts and a router of separate probabilities.
inline void deepSeek(TransformerSettings& s)
{
    mixtral(s);
    s.kvHeads = s.heads;
    s.experts->sharedMlp = 3;
    s.experts->denseLayers = 1;
    s.experts->score = RouterScore::Sigmoid;
    s.experts->scale = 1.5;
    s.latent = LatentSettings{ .rank = 5, .queryRank = 4, .rotarySize = 2, .valueSize = 3 };
}

inline void t5(TransformerSettings& s)
{
    s.kvHeads = s.heads;
    s.encoderLayers = 2;
    s.encoderLength = 7;
    s.positions = PositionKind::RelativeBias;
    s.relativeBuckets = 8;
    s.relativeMaximumDistance = 6;
    s.activation = ActivationKind::Relu;
    s.gatedMlp = s.scaledAttention = false;
    s.tiedLogits = s.scaledLogits = true;
}

inline void gemma2(TransformerSettings& s)
{
    s.normPlacement = NormPlacement::BeforeAndAfter;
    s.normPlusOne = s.tiedLogits = s.scaledEmbedding = s.queryKeyNorm = true;
    s.activation = ActivationKind::Gelu;
    s.slidingWindow = 3;
    s.attentionSoftcap = 1.5;
    s.logitSoftcap = 2;
}

/// Of three layers the second sees all.
inline void gemma3(TransformerSettings& s)
{
    gemma2(s);
    s.layers = 3;
    s.slidingWindow = 2;
    s.windowPattern = 2;
    s.windowRotaryBase = 50;
    s.rotaryFactor = 4;
    s.attentionScalar = 9;
}

inline void palm(TransformerSettings& s)
{
    s.kvHeads = 1;
    s.parallelBlock = true;
    s.norm = NormKind::LayerWithoutBias;
    s.embedByOneHot = true;
}

/// Arguments of the program of those settings: normal numbers, tokens of the vocabulary.
inline std::vector<Array> drawnArguments(const TransformerSettings& s)
{
    std::mt19937 random(11);
    std::normal_distribution<double> normal(0, 0.6);
    std::uniform_int_distribution<std::int64_t> token(0, s.vocab - 1);
    std::vector<Array> arguments;
    for (const TransformerParameter& parameter : parametersOf(s)) {
        Array& values = arguments.emplace_back();
        for (std::int64_t e = TensorType{ DType::F64, parameter.shape }.elementCount(); e > 0; --e)
            values.push_back(normal(random));
    }
    for (const TransformerInput& input : inputsOf(s)) {
        Array& values = arguments.emplace_back();
        for (std::int64_t e = input.type.elementCount(); e > 0; --e)
            values.push_back(static_cast<double>(token(random)));
    }
    return arguments;
}

} // namespace shardscope::test
