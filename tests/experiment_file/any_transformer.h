// SPDX-License-Identifier: GPL-3.0-or-later
// Random transformers with a train step, whose settings do not contradict each other.
#pragma once

#include <rapidcheck.h>

#include "experiment/experiment.h"

namespace shardscope::test {

/// From 0 up to, but not including, the limit.
inline double anyNumber(double limit)
{
    return limit * static_cast<double>(*rc::gen::inRange<std::int64_t>(0, std::int64_t{ 1 } << 53)) / 0x1p53;
}
inline std::int64_t anySize(std::int64_t limit = 100)
{
    return *rc::gen::inRange<std::int64_t>(1, limit);
}
template <class Enum>
Enum anyOf(int count)
{
    return static_cast<Enum>(*rc::gen::inRange(0, count));
}
/// True, or what the setting has by itself.
inline bool anyTruth()
{
    return *rc::gen::arbitrary<bool>();
}

/// Settings that do not contradict each other.
inline TransformerSettings anyTransformerSettings()
{
    TransformerSettings s;
    for (std::int64_t* size : { &s.batch, &s.length, &s.layers, &s.embed, &s.kvHeads, &s.mlp, &s.vocab })
        *size = anySize();
    s.batch *= 2;
    s.heads = s.kvHeads * anySize(5);
    s.headSize = 4 * anySize(9);
    s.positions = anyOf<PositionKind>(4);
    s.rotaryBase = anyNumber(1e6) + 1;
    s.rotaryFraction = *rc::gen::element(1.0, 0.5);
    s.encoderLayers = *rc::gen::inRange<std::int64_t>(0, 3);
    s.encoderLength = *rc::gen::inRange<std::int64_t>(0, 9);
    s.maximumLength = *rc::gen::element<std::int64_t>(0, s.length + s.encoderLength);
    s.relativeBuckets = 4 * anySize(10);
    s.relativeMaximumDistance = s.relativeBuckets + anySize();
    s.slidingWindow = *rc::gen::inRange<std::int64_t>(0, 9);
    s.norm = anyOf<NormKind>(3);
    s.normPlacement = anyOf<NormPlacement>(2);
    s.normEpsilon = anyNumber(1);
    s.activation = anyOf<ActivationKind>(3);
    for (bool* option :
        { &s.normPlusOne, &s.queryKeyNorm, &s.parallelNorms, &s.gatedMlp, &s.qkvBias, &s.outputBias, &s.mlpBias,
            &s.tiedLogits, &s.finalNorm, &s.scaledLogits, &s.scaledEmbedding, &s.embedByOneHot, &s.scaledAttention })
        *option = anyTruth();
    s.fusedQkv = s.heads == s.kvHeads && anyTruth();
    s.parallelBlock = s.encoderLayers == 0 && anyTruth();
    s.attentionSoftcap = *rc::gen::element(0.0, 50.0);
    s.logitSoftcap = anyNumber(100) + 1e-3;
    s.dropout = *rc::gen::element(0.0, 0.125);
    s.attentionDropout = *rc::gen::element(0.0, 0.25);
    s.dropoutSeed = *rc::gen::inRange<std::int64_t>(0, 65536);
    if (anyTruth())
        s.experts =
            ExpertSettings{ 8, anySize(9), *rc::gen::inRange<std::int64_t>(0, 9), anyNumber(2) + 0.5, anyTruth() };
    if (s.experts && anyTruth()) {
        s.experts->score = anyOf<RouterScore>(2);
        s.experts->scale = anyNumber(3) + 0.5;
        s.experts->sharedMlp = *rc::gen::inRange<std::int64_t>(0, 9);
        s.experts->sharedGate = anyTruth();
        s.experts->denseLayers = *rc::gen::inRange<std::int64_t>(0, s.layers + 1);
    }
    if (anyTruth() && s.encoderLayers == 0) {
        s.latent = LatentSettings{ anySize(), *rc::gen::inRange<std::int64_t>(0, 9), 2 * anySize(9), anySize() };
        s.kvHeads = s.heads;
        s.fusedQkv = s.qkvBias = s.queryKeyNorm = false;
    }
    s.rotaryFactor = *rc::gen::element(1.0, 8.0);
    s.windowPattern = *rc::gen::inRange<std::int64_t>(0, 7);
    s.windowRotaryBase = *rc::gen::element(0.0, 10000.0);
    s.attentionScalar = *rc::gen::element(0.0, 24.0);
    s.form = anyOf<LayerForm>(2);
    s.layersAxis = *rc::gen::inRange<std::int64_t>(0, 9);
    s.axisNames = anyOf<AxisNames>(3);
    s.remat = anyOf<RematPolicy>(4);
    if (anyTruth())
        s.constraints = { { "decoder/layers.*", LogicalAxes{ { LogicalName::of("batch"), LogicalName::none() } } },
            { "**/mlp", DeviceAxes{ { { SpecEntry::axis("data"), SpecEntry::tuple({ "a", "b" }) } } } } };
    if (anyTruth())
        s.parameterSpecs = { { "decoder/layers.*/mlp/**", DeviceAxes{ { { SpecEntry::none() } } } } };
    s.parameterDtype = *rc::gen::element(DType::BF16, DType::F16, DType::F32, DType::F64);
    s.computeDtype = *rc::gen::element(DType::BF16, DType::F16, DType::F32, DType::F64);
    return s;
}

inline TransformerModel anyTransformer()
{
    TransformerTraining training;
    training.model = anyTransformerSettings();
    training.trainStep = anyTruth();
    training.initialise = anyTruth();
    training.microbatches = *rc::gen::element<std::int64_t>(1, 2);
    OptimizerSettings& o = training.optimizer;
    o = OptimizerSettings(AdamSettings{ anyNumber(1e6), anyNumber(1), anyNumber(1), anyNumber(1) });
    o.kind = anyOf<OptimizerKind>(5);
    o.weightDecay = anyNumber(1);
    o.momentum = anyNumber(1);
    o.nesterov = anyTruth();
    o.clipNorm = *rc::gen::element(0.0, 1.0);
    o.masterWeights = anyTruth();
    if (anyTruth())
        o.stateDtype = *rc::gen::element(DType::BF16, DType::F32);
    if (anyTruth())
        o.adafactor = { anyNumber(2), anySize(), anyNumber(3), anyTruth() };
    return { training };
}

} // namespace shardscope::test
