// SPDX-License-Identifier: GPL-3.0-or-later
// Sentences for hosts, partitioners and imported configurations; a part of describe().
#pragma once

#include "words/words.h"

namespace shardscope::words {

/// Without a cause when the code is another's.
[[nodiscard]] ProblemText describeHosts(const Diagnostic& diagnostic);

} // namespace shardscope::words
