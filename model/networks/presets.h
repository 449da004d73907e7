// SPDX-License-Identifier: GPL-3.0-or-later
// Published models as settings of transformers.
//
//     findPreset("llama3-8b")->settings      // 32 layers of width 4096, 32 heads, 8 KV heads, ...
//     parameterCount(...)                    // 8,030,261,248, which is what the model's authors say
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "networks/transformer_settings.h"

namespace shardscope {

struct TransformerPreset {
    std::string_view id; ///< "llama3-8b"
    std::string_view title; ///< "Llama 3 8B"
    std::string_view family; ///< "llama"; one of huggingFaceFamilies() where there is one
    std::string_view source; ///< where sizes and number of parameters stand
    std::int64_t parameters = 0; ///< as published
    bool exact = false; ///< that number is counted; otherwise rounded, or that of a formula
    /// Batch and length are those of a small training step, types are BF16, and the layers are one loop over stacked
    /// parameters, as MaxText trains them.
    TransformerSettings settings;
};

/// Family by family, small models first.
[[nodiscard]] std::span<const TransformerPreset> transformerPresets();
/// Null where there is none.
[[nodiscard]] const TransformerPreset* findPreset(std::string_view id);

} // namespace shardscope
