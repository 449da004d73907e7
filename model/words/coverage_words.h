// SPDX-License-Identifier: GPL-3.0-or-later
// How far parameters are sharded, in sentences.
#pragma once

#include "analysis/own_spec.h"
#include "analysis/parameter_coverage.h"
#include "words/words.h"

namespace shardscope::words {

/// "7.48 GiB of 8 GiB of parameters are sharded 8 ways or more, 512 MiB are replicated."
[[nodiscard]] QString coverage(const ParameterCoverage& coverage);
/// One line per number of ways, for a tool tip: "8 ways: 7.48 GiB in 291 arrays".
[[nodiscard]] QStringList coverageByShards(const ParameterCoverage& coverage);
/// "was P(model, -) by the rule mlp -> model": of a parameter with a spec of its own, what the rules say.
[[nodiscard]] QString wasByRules(const OwnSpec& own);
/// "decoder/layers.*/mlp_norm/scale, 32 arrays, 512 KiB; embed: no rule; no match means unsharded", the name as a link
/// to the first of them.
[[nodiscard]] Text replicated(const Snapshot& snapshot, const ParameterCoverage::Replicated& array);

} // namespace shardscope::words
