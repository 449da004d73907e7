// SPDX-License-Identifier: GPL-3.0-or-later
// Sentences for what is wrong with devices and their order. For describe().
#pragma once

#include "words/words.h"

namespace shardscope::words {

[[nodiscard]] ProblemText describeDevices(const Diagnostic& diagnostic);

} // namespace shardscope::words
