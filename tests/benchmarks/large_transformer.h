// SPDX-License-Identifier: GPL-3.0-or-later
// A training step of a large decoder-only transformer, unrolled: attention with rotated queries and keys, a gated MLP,
// norms, a loss over the vocabulary and the whole backward pass. With 126 layers about 30,000 operations.
#pragma once

#include "program/program.h"

namespace shardscope::bench {

struct TransformerSettings {
    std::int64_t layers = 126;
    std::int64_t batch = 256, length = 4096, heads = 128, headSize = 128, hidden = 53248, vocabulary = 131072;
    /// data=.. x model=.., or data x fsdp x tensor x sequence: 16,384 devices either way.
    bool fourAxes = false;
};

/// Arguments and the activations that a library would constrain carry shardings over the program's own mesh, as if
/// read from a text. Constants are one per use.
[[nodiscard]] Program largeTransformer(const TransformerSettings& settings);

} // namespace shardscope::bench
