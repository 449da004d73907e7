// SPDX-License-Identifier: GPL-3.0-or-later
#include "networks/presets.h"

#include <algorithm>
#include <vector>

namespace shardscope {

namespace {

/// In the order of the rows below. kvHeads 0: as many as heads.
struct PresetSizes {
    std::int64_t layers, embed, heads, kvHeads, headSize, mlp, vocab;
};

/// What most decoders of today share: rotary positions, RMSNorm, a gated MLP, no biases.
TransformerSettings gatedDecoder(const PresetSizes& sizes, double base, bool tied)
{
    TransformerSettings s;
    s.length = 2048;
    s.layers = sizes.layers;
    s.embed = sizes.embed;
    s.heads = sizes.heads;
    s.kvHeads = sizes.kvHeads > 0 ? sizes.kvHeads : sizes.heads;
    s.headSize = sizes.headSize;
    s.mlp = sizes.mlp;
    s.vocab = sizes.vocab;
    s.rotaryBase = base;
    s.tiedLogits = tied;
    s.parameterDtype = s.computeDtype = DType::BF16;
    return s;
}

TransformerSettings llama(const PresetSizes& sizes, double base = 10000, bool tied = false)
{
    TransformerSettings s = gatedDecoder(sizes, base, tied);
    s.normEpsilon = 1e-5;
    return s;
}

TransformerSettings mixtral(const PresetSizes& sizes, ExpertSettings experts)
{
    TransformerSettings s = llama(sizes, 1e6);
    s.experts = experts;
    return s;
}

TransformerSettings gemma(const PresetSizes& sizes)
{
    TransformerSettings s = gatedDecoder(sizes, 10000, true);
    s.activation = ActivationKind::Gelu;
    s.normPlusOne = s.scaledEmbedding = true;
    return s;
}

TransformerSettings gemma2(const PresetSizes& sizes)
{
    TransformerSettings s = gemma(sizes);
    s.normPlacement = NormPlacement::BeforeAndAfter;
    s.attentionSoftcap = 50;
    s.logitSoftcap = 30;
    s.slidingWindow = 4096;
    s.windowPattern = 2;
    return s;
}

TransformerSettings gemma3(const PresetSizes& sizes, std::int64_t window, double factor)
{
    TransformerSettings s = gemma(sizes);
    s.normPlacement = NormPlacement::BeforeAndAfter;
    s.queryKeyNorm = true;
    s.rotaryBase = 1e6;
    s.rotaryFactor = factor;
    s.slidingWindow = window;
    s.windowPattern = 6;
    s.windowRotaryBase = 10000;
    return s;
}

/// Logits of attention divided by the root of another number than the head size.
TransformerSettings withScalar(TransformerSettings s, double scalar)
{
    s.attentionScalar = scalar;
    return s;
}

TransformerSettings qwen2(const PresetSizes& sizes, bool tied)
{
    TransformerSettings s = gatedDecoder(sizes, 1e6, tied);
    s.qkvBias = true;
    return s;
}

TransformerSettings qwen3(const PresetSizes& sizes, bool tied)
{
    TransformerSettings s = gatedDecoder(sizes, 1e6, tied);
    s.queryKeyNorm = true;
    return s;
}

TransformerSettings qwen3Moe(const PresetSizes& sizes, ExpertSettings experts)
{
    TransformerSettings s = qwen3(sizes, false);
    s.experts = experts;
    return s;
}

TransformerSettings qwen2Moe(const PresetSizes& sizes, ExpertSettings experts)
{
    TransformerSettings s = qwen2(sizes, false);
    s.experts = experts;
    s.experts->normalise = false;
    s.experts->sharedGate = true;
    return s;
}

/// Head size is that of the elements without position.
TransformerSettings deepSeek(
    const PresetSizes& sizes, std::int64_t queryRank, ExpertSettings experts, double scale, RouterScore score)
{
    TransformerSettings s = gatedDecoder(sizes, 10000, false);
    s.latent = LatentSettings{ .rank = 512, .queryRank = queryRank, .rotarySize = 64, .valueSize = 128 };
    s.experts = experts;
    s.experts->scale = scale;
    s.experts->score = score;
    s.experts->normalise = score == RouterScore::Sigmoid;
    return s;
}

/// LayerNorm and biases everywhere, an MLP of two layers.
TransformerSettings biasedDecoder(const PresetSizes& sizes, bool tied)
{
    TransformerSettings s = gatedDecoder(sizes, 10000, tied);
    s.norm = NormKind::Layer;
    s.normEpsilon = 1e-5;
    s.activation = ActivationKind::Gelu;
    s.gatedMlp = false;
    s.qkvBias = s.outputBias = s.mlpBias = true;
    return s;
}

/// With `positions` learned positions.
TransformerSettings gpt(const PresetSizes& sizes, std::int64_t positions)
{
    TransformerSettings s = biasedDecoder(sizes, true);
    s.positions = PositionKind::Learned;
    s.maximumLength = positions;
    s.length = std::min(s.length, positions);
    return s;
}

TransformerSettings opt(const PresetSizes& sizes)
{
    TransformerSettings s = gpt(sizes, 2050); // 2048 tokens, from position 2 on
    s.activation = ActivationKind::Relu;
    return s;
}

TransformerSettings gptNeoX(const PresetSizes& sizes)
{
    TransformerSettings s = biasedDecoder(sizes, false);
    s.rotaryFraction = 0.25;
    s.parallelBlock = s.parallelNorms = true;
    return s;
}

TransformerSettings palm(const PresetSizes& sizes)
{
    TransformerSettings s = gatedDecoder(sizes, 10000, true);
    s.norm = NormKind::LayerWithoutBias;
    s.parallelBlock = true;
    return s;
}

/// As many layers in the encoder as in the decoder.
TransformerSettings t5(const PresetSizes& sizes)
{
    TransformerSettings s = gatedDecoder(sizes, 10000, true);
    s.encoderLayers = sizes.layers;
    s.length = s.encoderLength = 512;
    s.positions = PositionKind::RelativeBias;
    s.activation = ActivationKind::Relu;
    s.gatedMlp = s.scaledAttention = false;
    s.scaledLogits = true;
    return s;
}

TransformerSettings t5v11(const PresetSizes& sizes)
{
    TransformerSettings s = t5(sizes);
    s.activation = ActivationKind::Gelu;
    s.gatedMlp = true;
    s.tiedLogits = s.scaledLogits = false;
    return s;
}

constexpr std::string_view ownConfig =
    "the model's published configuration, which gives as many parameters as its published weights have";
constexpr std::string_view ownRounded =
    "the model's published configuration; the number of its parameters is published rounded";
constexpr std::string_view textOnly = "the published configuration of the text decoder, without the vision encoder";
constexpr std::string_view foundry = "MosaicML's llm-foundry, table of benchmarks: learned positions, 2048 tokens";
constexpr std::string_view gptPaper = "Brown et al. 2020 (GPT-3), table 2.1, whose number of parameters is rounded";
constexpr std::string_view nanotron = "Nanotron's benchmark summary";
constexpr std::string_view optConfig = "Zhang et al. 2022 (OPT) and the published configuration; parameters by formula";
constexpr std::string_view palmPaper =
    "Chowdhery et al. 2022 (PaLM), table 1; parameters by formula, 540.35B is published";
constexpr std::string_view t5v11Config =
    "the published configuration; parameters by formula, a rounded number is published";

/// A row per model:
///     id, title, family, source, parameters, exact, { layers, embed, heads, kvHeads, headSize, mlp, vocab }
std::vector<TransformerPreset> allPresets()
{
    return {
        { "llama2-7b", "Llama 2 7B", "llama", ownConfig, 6738415616, true,
            llama({ 32, 4096, 32, 32, 128, 11008, 32000 }) },
        { "llama2-13b", "Llama 2 13B", "llama", ownConfig, 13015864320, true,
            llama({ 40, 5120, 40, 40, 128, 13824, 32000 }) },
        { "llama2-70b", "Llama 2 70B", "llama", ownConfig, 68976648192, true,
            llama({ 80, 8192, 64, 8, 128, 28672, 32000 }) },
        { "llama3-8b", "Llama 3 8B", "llama", ownConfig, 8030261248, true,
            llama({ 32, 4096, 32, 8, 128, 14336, 128256 }, 5e5) },
        { "llama3-70b", "Llama 3 70B", "llama", ownConfig, 70553706496, true,
            llama({ 80, 8192, 64, 8, 128, 28672, 128256 }, 5e5) },
        { "llama3.1-405b", "Llama 3.1 405B", "llama", ownConfig, 405853388800, true,
            llama({ 126, 16384, 128, 8, 128, 53248, 128256 }, 5e5) },
        { "llama3.2-1b", "Llama 3.2 1B", "llama", ownConfig, 1235814400, true,
            llama({ 16, 2048, 32, 8, 64, 8192, 128256 }, 5e5, true) },
        { "llama3.2-3b", "Llama 3.2 3B", "llama", ownConfig, 3212749824, true,
            llama({ 28, 3072, 24, 8, 128, 8192, 128256 }, 5e5, true) },
        { "nanotron-1.34b", "Nanotron 1.34B", "llama", nanotron, 1340000000, false,
            llama({ 16, 2048, 32, 32, 64, 8192, 131072 }, 10000, true) },
        { "nanotron-8.86b", "Nanotron 8.86B", "llama", nanotron, 8860000000, false,
            llama({ 32, 4096, 32, 32, 128, 14336, 131072 }) },
        { "mistral-7b", "Mistral 7B", "mistral", ownConfig, 7241732096, true,
            llama({ 32, 4096, 32, 8, 128, 14336, 32000 }) },
        { "mixtral-8x7b", "Mixtral 8x7B", "mixtral", ownConfig, 46702792704, true,
            mixtral({ 32, 4096, 32, 8, 128, 14336, 32000 }, { 8, 2, 0, 1.25, true }) },
        { "gemma-2b", "Gemma 2B", "gemma", ownConfig, 2506172416, true, gemma({ 18, 2048, 8, 1, 256, 16384, 256000 }) },
        { "gemma-7b", "Gemma 7B", "gemma", ownConfig, 8537680896, true,
            gemma({ 28, 3072, 16, 16, 256, 24576, 256000 }) },
        { "gemma2-2b", "Gemma 2 2B", "gemma2", ownConfig, 2614341888, true,
            gemma2({ 26, 2304, 8, 4, 256, 9216, 256000 }) },
        { "gemma2-9b", "Gemma 2 9B", "gemma2", ownConfig, 9241705984, true,
            gemma2({ 42, 3584, 16, 8, 256, 14336, 256000 }) },
        { "gemma2-27b", "Gemma 2 27B", "gemma2", ownConfig, 27227128320, true,
            withScalar(gemma2({ 46, 4608, 32, 16, 128, 36864, 256000 }), 144) },
        { "gemma3-1b", "Gemma 3 1B", "gemma3", ownConfig, 999885952, true,
            gemma3({ 26, 1152, 4, 1, 256, 6912, 262144 }, 512, 1) },
        { "gemma3-4b-text", "Gemma 3 4B, text decoder", "gemma3", textOnly, 3880263168, true,
            gemma3({ 34, 2560, 8, 4, 256, 10240, 262208 }, 1024, 8) },
        { "gemma3-12b-text", "Gemma 3 12B, text decoder", "gemma3", textOnly, 11766034176, false,
            gemma3({ 48, 3840, 16, 8, 256, 15360, 262208 }, 1024, 8) },
        { "gemma3-27b-text", "Gemma 3 27B, text decoder", "gemma3", textOnly, 27009346304, false,
            withScalar(gemma3({ 62, 5376, 32, 16, 128, 21504, 262208 }, 1024, 8), 168) },
        { "qwen2.5-0.5b", "Qwen2.5 0.5B", "qwen2", ownConfig, 494032768, true,
            qwen2({ 24, 896, 14, 2, 64, 4864, 151936 }, true) },
        { "qwen2.5-1.5b", "Qwen2.5 1.5B", "qwen2", ownConfig, 1543714304, true,
            qwen2({ 28, 1536, 12, 2, 128, 8960, 151936 }, true) },
        { "qwen2.5-14b", "Qwen2.5 14B", "qwen2", ownConfig, 14770033664, true,
            qwen2({ 48, 5120, 40, 8, 128, 13824, 152064 }, false) },
        { "qwen1.5-moe-a2.7b", "Qwen1.5 MoE A2.7B", "qwen2_moe", ownRounded, 14300000000, false,
            qwen2Moe({ 24, 2048, 16, 16, 128, 5632, 151936 },
                { .experts = 60, .perToken = 4, .mlp = 1408, .sharedMlp = 5632 }) },
        { "qwen2-57b-a14b", "Qwen2 57B A14B", "qwen2_moe", ownRounded, 57400000000, false,
            qwen2Moe({ 28, 3584, 28, 4, 128, 18944, 151936 },
                { .experts = 64, .perToken = 8, .mlp = 2560, .sharedMlp = 20480 }) },
        { "qwen3-4b", "Qwen3 4B", "qwen3", ownConfig, 4022468096, true,
            qwen3({ 36, 2560, 32, 8, 128, 9728, 151936 }, true) },
        { "qwen3-8b", "Qwen3 8B", "qwen3", ownConfig, 8190735360, true,
            qwen3({ 36, 4096, 32, 8, 128, 12288, 151936 }, false) },
        { "qwen3-32b", "Qwen3 32B", "qwen3", ownConfig, 32762123264, true,
            qwen3({ 64, 5120, 64, 8, 128, 25600, 151936 }, false) },
        { "qwen3-235b-a22b", "Qwen3 235B A22B", "qwen3_moe", ownConfig, 235093634560, true,
            qwen3Moe({ 94, 4096, 64, 4, 128, 12288, 151936 }, { 128, 8, 1536, 1.25, true }) },
        { "deepseek-v2-lite", "DeepSeek V2 Lite", "deepseek_v2", ownRounded, 15700000000, false,
            deepSeek({ 27, 2048, 16, 16, 128, 10944, 102400 }, 0,
                { .experts = 64, .perToken = 6, .mlp = 1408, .sharedMlp = 2816, .denseLayers = 1 }, 1,
                RouterScore::Softmax) },
        { "deepseek-v2", "DeepSeek V2", "deepseek_v2", ownRounded, 236000000000, false,
            deepSeek({ 60, 5120, 128, 128, 128, 12288, 102400 }, 1536,
                { .experts = 160, .perToken = 6, .mlp = 1536, .sharedMlp = 3072, .denseLayers = 1 }, 16,
                RouterScore::Softmax) },
        { "deepseek-v3", "DeepSeek V3, without prediction of further tokens", "deepseek_v3", ownRounded, 671000000000,
            false,
            deepSeek({ 61, 7168, 128, 128, 128, 18432, 129280 }, 1536,
                { .experts = 256, .perToken = 8, .mlp = 2048, .sharedMlp = 2048, .denseLayers = 3 }, 2.5,
                RouterScore::Sigmoid) },
        { "gpt2", "GPT-2", "gpt2", ownConfig, 124439808, true, gpt({ 12, 768, 12, 0, 64, 3072, 50257 }, 1024) },
        { "gpt2-medium", "GPT-2 Medium", "gpt2", ownConfig, 354823168, true,
            gpt({ 24, 1024, 16, 0, 64, 4096, 50257 }, 1024) },
        { "gpt2-large", "GPT-2 Large", "gpt2", ownConfig, 774030080, true,
            gpt({ 36, 1280, 20, 0, 64, 5120, 50257 }, 1024) },
        { "gpt2-xl", "GPT-2 XL", "gpt2", ownConfig, 1557611200, true, gpt({ 48, 1600, 25, 0, 64, 6400, 50257 }, 1024) },
        { "gpt3-125m", "GPT-3 125M", "gpt3", gptPaper, 125000000, false,
            gpt({ 12, 768, 12, 0, 64, 3072, 50257 }, 2048) },
        { "gpt3-6.7b", "GPT-3 6.7B", "gpt3", gptPaper, 6660000000, false,
            gpt({ 32, 4096, 32, 0, 128, 16384, 50257 }, 2048) },
        { "gpt3-13b", "GPT-3 13B", "gpt3", gptPaper, 12850000000, false,
            gpt({ 40, 5140, 40, 0, 128, 20560, 50257 }, 2048) },
        { "gpt-neox-20b", "GPT-NeoX 20B", "gpt_neox", ownConfig, 20554567680, true,
            gptNeoX({ 44, 6144, 64, 0, 96, 24576, 50432 }) },
        { "mpt-125m", "MPT 125M", "mpt", foundry, 125311488, true, gpt({ 12, 768, 12, 0, 64, 3072, 50368 }, 2048) },
        { "mpt-1b", "MPT 1B", "mpt", foundry, 1315950592, true, gpt({ 24, 2048, 16, 0, 128, 8192, 50368 }, 2048) },
        { "mpt-3b", "MPT 3B", "mpt", foundry, 2651837440, true, gpt({ 32, 2560, 20, 0, 128, 10240, 50368 }, 2048) },
        { "mpt-7b", "MPT 7B", "mpt", foundry, 6658859008, true, gpt({ 32, 4096, 32, 0, 128, 16384, 50368 }, 2048) },
        { "mpt-13b", "MPT 13B", "mpt", foundry, 12853954560, true, gpt({ 40, 5120, 40, 0, 128, 20480, 50368 }, 2048) },
        { "mpt-70b", "MPT 70B", "mpt", foundry, 64862437376, true, gpt({ 80, 8192, 64, 0, 128, 32768, 50368 }, 2048) },
        { "opt-175b", "OPT 175B", "opt", optConfig, 174604468224, false, opt({ 96, 12288, 96, 0, 128, 49152, 50272 }) },
        { "palm-540b", "PaLM 540B", "palm", palmPaper, 540356474880, false,
            palm({ 118, 18432, 48, 1, 256, 73728, 256000 }) },
        { "t5-small", "T5 Small", "t5", ownConfig, 60506624, true, t5({ 6, 512, 8, 0, 64, 2048, 32128 }) },
        { "t5-base", "T5 Base", "t5", ownConfig, 222903552, true, t5({ 12, 768, 12, 0, 64, 3072, 32128 }) },
        { "t5-large", "T5 Large", "t5", ownConfig, 737668096, true, t5({ 24, 1024, 16, 0, 64, 4096, 32128 }) },
        { "t5-11b", "T5 11B", "t5", ownConfig, 11307321344, true, t5({ 24, 1024, 128, 0, 128, 65536, 32128 }) },
        { "t5-v1.1-small", "T5 v1.1 Small", "t5", t5v11Config, 76961152, false,
            t5v11({ 8, 512, 6, 0, 64, 1024, 32128 }) },
        { "t5-v1.1-base", "T5 v1.1 Base", "t5", t5v11Config, 247577856, false,
            t5v11({ 12, 768, 12, 0, 64, 2048, 32128 }) },
        { "t5-v1.1-xl", "T5 v1.1 XL", "t5", t5v11Config, 2849757184, false,
            t5v11({ 24, 2048, 32, 0, 64, 5120, 32128 }) },
    };
}

} // namespace

std::span<const TransformerPreset> transformerPresets()
{
    static const std::vector<TransformerPreset> presets = [] {
        std::vector<TransformerPreset> all = allPresets();
        for (TransformerPreset& preset : all)
            preset.settings.form = LayerForm::Scanned;
        return all;
    }();
    return presets;
}

const TransformerPreset* findPreset(std::string_view id)
{
    const std::span<const TransformerPreset> all = transformerPresets();
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const TransformerPreset& each) { return each.id == id; });
    return found != all.end() ? &*found : nullptr;
}

} // namespace shardscope
