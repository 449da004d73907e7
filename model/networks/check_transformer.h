// SPDX-License-Identifier: GPL-3.0-or-later
// Whether a transformer can be built as its settings describe it.
#pragma once

#include "base/diagnostics.h"
#include "networks/transformer_settings.h"

namespace shardscope {

/// Errors: OutOfRange for sizes below 1 (of encoder and window below 0), more than 4096 layers, sequences and
/// vocabularies beyond 2^31 - 1, learned positions for less than a sequence, more experts per token than there are, and
/// factors that are no positive numbers, a dropout that is no number from 0 to below 1 and seeds beyond 65535;
/// InvalidAttribute where settings contradict each other, with `wrong`: kv_heads (heads, kv_heads), fused_qkv (heads,
/// kv_heads), rotary (size, head_size), buckets (buckets), latent (with), parallel_block, dtype (dtype); TooLarge when
/// the parameters or an activation exceed 2^62 bytes; those of checkChosenShardings().
[[nodiscard]] Result<void> checkTransformer(const TransformerSettings& settings);

} // namespace shardscope
