// SPDX-License-Identifier: GPL-3.0-or-later
// Configurations of models as Hugging Face publishes them (config.json), read as settings of transformers.
//
//     { "model_type": "llama", "hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32,
//       "num_key_value_heads": 8, "intermediate_size": 14336, "vocab_size": 128256, "rope_theta": 500000.0 }
//     readHuggingFace(text)->settings        // 32 layers of width 4096; head size 128, which is 4096 / 32
//
// Every key of the file stands in one list of the result: used, ignored (it says nothing about shapes or operations:
// token ids, dropout, caches), or in a warning. GELU in all its forms is read as its tanh approximation. Of a model of
// several kinds of input the text decoder is read ("text_config").
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "networks/transformer_settings.h"

namespace shardscope {

/// Configurations have a few kilobytes, and with tables of labels some hundred.
inline constexpr std::size_t maximumConfigBytes = std::size_t{ 4 } << 20;

struct ConfigField {
    std::string key; ///< "rope_theta"; of inner objects "attn_config.alibi"
    std::string value; ///< for people
    int line = 0; ///< 0 where the file does not have it
    bool operator==(const ConfigField&) const = default;
};

struct ReadHuggingFace {
    std::string architecture; ///< one of huggingFaceFamilies()
    bool verified = false; ///< whether the reader of that architecture has been tried on a real file
    /// `batch` is that of all settings; `length` is 2048, or 512 with an encoder, or the model's maximum if that is
    /// less.
    TransformerSettings settings;
    std::vector<ConfigField> used, ignored;
    std::vector<ConfigField> assumed; ///< what the file leaves to the defaults of the architecture
    /// UnverifiedArchitecture, FieldLeftOut, UnknownField; many alike are summed up.
    std::vector<Diagnostic> warnings;
};

/// `as` reads the file as that architecture, whatever it says itself. Errors with line and column: Syntax, TooLarge,
/// DuplicateKey, WrongType, OutOfRange, UnknownValue, MissingKey (key, architecture), UnknownArchitecture,
/// UnsupportedBlock, ContradictoryFields, and those of checkTransformer().
[[nodiscard]] Result<ReadHuggingFace> readHuggingFace(std::string_view text, std::string_view as = {});

/// Whether the text is such a configuration: an object that says its architecture ("model_type" or "architectures").
/// What bears a "format" is an experiment.
[[nodiscard]] bool looksLikeHuggingFace(std::string_view text);

/// What `as` may be: "llama", "mistral", ...
[[nodiscard]] std::vector<std::string> huggingFaceFamilies();

} // namespace shardscope
