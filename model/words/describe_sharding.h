// SPDX-License-Identifier: GPL-3.0-or-later
// Cause and remedy of errors in meshes, shardings and rules, and phrases that other findings about them share.
#pragma once

#include "words/words.h"

namespace shardscope::words {

/// Empty for codes of other subjects.
[[nodiscard]] ProblemText describeSharding(const Diagnostic& diagnostic);

/// "the 4 devices along model", "8 devices" where the axes are not known.
[[nodiscard]] QString devicesAlong(const Diagnostic& diagnostic);
/// What could be meant by a mesh axis that is not there.
[[nodiscard]] QString knownAxes(const Diagnostic& diagnostic);
/// What would divide: the sizes next to the one that does not, and fewer devices along an axis that shards alone.
[[nodiscard]] QString divisibleSizes(const Diagnostic& diagnostic);

} // namespace shardscope::words
