// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers with the thing that they count, for things that few sentences speak of. See words::counted.
#pragma once

#include "words/words.h"

namespace shardscope::words {

enum class Thing : std::uint8_t { Cell, Line, Link, List, Partition, Place, Row };
/// "1 partition", "4 partitions".
[[nodiscard]] QString counted(qint64 number, Thing thing);
/// Sizes as they are shown: "3 × 2 × 1 × 2" for "3x2x1x2", which is what command lines take. In a text every one of
/// them, but not those that are a part of a word: "tpu-v4:4x4x4" stays.
[[nodiscard]] QString crossed(QString sizes);
/// What describe() says, as a window shows it.
[[nodiscard]] inline ProblemText shown(const Diagnostic& diagnostic)
{
    ProblemText text = describe(diagnostic);
    text.cause = crossed(text.cause);
    text.remedy = crossed(text.remedy);
    return text;
}

} // namespace shardscope::words
