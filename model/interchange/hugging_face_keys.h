// SPDX-License-Identifier: GPL-3.0-or-later
// What the readers of several architectures share: activations, element types, heads.
#pragma once

#include <cstdint>
#include <string_view>

#include "interchange/config_fields.h"
#include "networks/transformer_settings.h"

namespace shardscope {

/// Longer sequences than that are the user's wish.
inline constexpr std::int64_t usualLength = 2048;

inline constexpr std::int64_t asHeads = -1;

/// What an architecture assumes where a key is absent. 0: the key has to be there.
struct DecoderDefaults {
    bool tied = false;
    std::int64_t heads = 0;
    std::int64_t kvHeads = 0; ///< or asHeads
    std::int64_t headSize = 0; ///< here 0 is an equal part of the model's width
    std::int64_t vocab = 0;
};

struct HeadKeys {
    const char* embed;
    const char* heads;
    const char* kvHeads = nullptr; ///< null: as many as heads
    const char* size = nullptr; ///< null: an equal part of the model's width
};

/// All forms of GELU are its tanh approximation. An error in `fields` for other values than relu, silu, swish, gelu...
[[nodiscard]] ActivationKind readActivation(ConfigFields& fields, std::string_view key, std::string_view value);
/// Of parameters and activations: "dtype", in older files "torch_dtype".
void readTypes(ConfigFields& fields, TransformerSettings& settings);
/// Query heads, key heads and their size; `embed` is there already. Errors in `fields`, of heads that do not divide,
/// too.
void readHeads(
    ConfigFields& fields, TransformerSettings& settings, const HeadKeys& keys, const DecoderDefaults& defaults = {});

} // namespace shardscope
