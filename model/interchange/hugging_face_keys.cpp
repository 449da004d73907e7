// SPDX-License-Identifier: GPL-3.0-or-later
#include "interchange/hugging_face_keys.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace shardscope {

ActivationKind readActivation(ConfigFields& fields, std::string_view key, std::string_view value)
{
    if (value == "relu")
        return ActivationKind::Relu;
    if (value == "silu" || value == "swish")
        return ActivationKind::Silu;
    const std::array gelu{ "gelu", "gelu_new", "gelu_fast", "gelu_python", "gelu_pytorch_tanh" };
    if (std::find(gelu.begin(), gelu.end(), value) == gelu.end())
        fields.unknownValue(key, std::string(value), { "silu", "gelu", "gelu_new", "gelu_pytorch_tanh", "relu" });
    return ActivationKind::Gelu;
}

void readTypes(ConfigFields& fields, TransformerSettings& s)
{
    const char* const key = fields.has("dtype") ? "dtype" : "torch_dtype";
    const std::string type = fields.word(key, "float32");
    const std::array known{ std::pair{ "float32", DType::F32 }, std::pair{ "bfloat16", DType::BF16 },
        std::pair{ "float16", DType::F16 }, std::pair{ "float64", DType::F64 }, std::pair{ "auto", DType::F32 } };
    const auto found = std::find_if(known.begin(), known.end(), [&](const auto& each) { return each.first == type; });
    if (found == known.end())
        fields.unknownValue(key, type, { "float32", "bfloat16", "float16", "float64" });
    else
        s.parameterDtype = s.computeDtype = found->second;
}

void readHeads(ConfigFields& fields, TransformerSettings& s, const HeadKeys& keys, const DecoderDefaults& defaults)
{
    s.heads = fields.size(keys.heads, defaults.heads);
    s.kvHeads = s.heads;
    if (keys.kvHeads) {
        s.kvHeads = fields.size(keys.kvHeads, defaults.kvHeads == asHeads ? s.heads : defaults.kvHeads);
        if (s.heads % s.kvHeads != 0)
            fields.contradict(keys.heads, s.heads, keys.kvHeads, s.kvHeads, "divide");
    }
    const bool isStated = keys.size && fields.has(keys.size);
    if (isStated || defaults.headSize > 0) {
        s.headSize = fields.size(keys.size, defaults.headSize);
        return;
    }
    if (s.embed % s.heads != 0)
        fields.contradict(keys.embed, s.embed, keys.heads, s.heads, "divide");
    s.headSize = std::max<std::int64_t>(s.embed / s.heads, 1);
}

} // namespace shardscope
