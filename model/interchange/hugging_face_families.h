// SPDX-License-Identifier: GPL-3.0-or-later
// How the keys of each architecture of Hugging Face make the settings of a transformer.
#pragma once

#include <span>
#include <string_view>

#include "interchange/config_fields.h"
#include "networks/transformer_settings.h"

namespace shardscope {

struct HuggingFaceFamily {
    std::string_view name; ///< its "model_type"; the class in "architectures" begins with that name, too
    bool verified; ///< tried on a real file
    TransformerSettings (*read)(ConfigFields& fields); ///< errors are in `fields`
};

[[nodiscard]] std::span<const HuggingFaceFamily> huggingFaceFamilyRows();
/// By "gemma3", "gemma3_text", "Gemma3ForCausalLM" or "Gemma3ForConditionalGeneration"; null where there is none.
[[nodiscard]] const HuggingFaceFamily* findHuggingFaceFamily(std::string_view name);

// Readers of the architectures whose keys are not Llama's: GPT-2, GPT-NeoX, MPT and T5.

[[nodiscard]] TransformerSettings readGpt2(ConfigFields& fields);
[[nodiscard]] TransformerSettings readGptNeoX(ConfigFields& fields);
[[nodiscard]] TransformerSettings readMpt(ConfigFields& fields);
[[nodiscard]] TransformerSettings readT5(ConfigFields& fields);

} // namespace shardscope
