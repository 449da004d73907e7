// SPDX-License-Identifier: GPL-3.0-or-later
// What XLA does otherwise than predicted, in sentences.
#pragma once

#include <span>

#include "analysis/compare_compiled.h"
#include "analysis/compiled_reasons.h"
#include "words/words.h"

namespace shardscope::words {

[[nodiscard]] QString exchangeName(ExchangeKind exchange); ///< "gather", "reduction", "all-to-all", "permutation"
/// "reduce-scatter × 32", "all-reduce, reduce-scatter × 64"; a dash where there is none.
[[nodiscard]] QString exchangeSide(const ExchangeSide& side);
/// "bf16[4096, 512] and 2 more".
[[nodiscard]] QString exchangedTypes(const ExchangeRow& row);
/// Where the row comes from: the operation's name, or the first value or operation that is known and how many more
/// there are, or the parameter that it is of.
[[nodiscard]] QString exchangeCause(const ExchangeRow& row);
/// "XLA adds up with all-reduce and keeps a slice, where a reduce-scatter is predicted: every device sends 2 GiB in a
/// step instead of 1 GiB."
[[nodiscard]] QString remarkText(const ExchangeRow& row, const ExchangeRemark& remark);
/// What XLA does otherwise, the same of several rows said once, with what is sent in all of them: "3–5, 8: XLA adds up
/// with all-reduce and keeps a slice, where a reduce-scatter is predicted: every device sends 24 GiB in a step instead
/// of 12 GiB." Rows count from 1.
[[nodiscard]] QStringList remarkLines(std::span<const ExchangeRow> rows);

/// "14 GiB more: XLA gathers weights again in the backward pass; this network keeps what its forward pass has gathered.
/// Set remat to full, or to gathered."
[[nodiscard]] QString reasonText(const CompiledReason& reason);
/// How much XLA exchanges of what is predicted: "100 %", "× 12", "none"; a dash where nothing is predicted, or where
/// nobody can tell how much is compiled: it is not known how often XLA does it, or the text ends early.
[[nodiscard]] QString shareOfPredicted(std::int64_t predicted, std::int64_t compiled, bool isKnown);

} // namespace shardscope::words
