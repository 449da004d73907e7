// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers with the thing that they count. The English forms are chosen here, so that they are right without a
// translation file; a translation chooses its own forms by the number that tr() gets.
#include "words/words.h"

#include <algorithm>
#include <array>
#include <limits>

#include "words/tr.h"

namespace shardscope::words {

namespace {

struct Forms {
    Noun noun;
    const char* one;
    const char* several;
};

constexpr std::array nouns{
    Forms{ Noun::Array, QT_TRANSLATE_N_NOOP("Words", "%1 array"), QT_TRANSLATE_N_NOOP("Words", "%1 arrays") },
    Forms{ Noun::Byte, QT_TRANSLATE_N_NOOP("Words", "%1 byte"), QT_TRANSLATE_N_NOOP("Words", "%1 bytes") },
    Forms{ Noun::Chip, QT_TRANSLATE_N_NOOP("Words", "%1 chip"), QT_TRANSLATE_N_NOOP("Words", "%1 chips") },
    Forms{ Noun::Collective, QT_TRANSLATE_N_NOOP("Words", "%1 collective"),
        QT_TRANSLATE_N_NOOP("Words", "%1 collectives") },
    Forms{ Noun::Device, QT_TRANSLATE_N_NOOP("Words", "%1 device"), QT_TRANSLATE_N_NOOP("Words", "%1 devices") },
    Forms{
        Noun::Dimension, QT_TRANSLATE_N_NOOP("Words", "%1 dimension"), QT_TRANSLATE_N_NOOP("Words", "%1 dimensions") },
    Forms{ Noun::Element, QT_TRANSLATE_N_NOOP("Words", "%1 element"), QT_TRANSLATE_N_NOOP("Words", "%1 elements") },
    Forms{ Noun::Entry, QT_TRANSLATE_N_NOOP("Words", "%1 entry"), QT_TRANSLATE_N_NOOP("Words", "%1 entries") },
    Forms{ Noun::Error, QT_TRANSLATE_N_NOOP("Words", "%1 error"), QT_TRANSLATE_N_NOOP("Words", "%1 errors") },
    Forms{ Noun::Host, QT_TRANSLATE_N_NOOP("Words", "%1 host"), QT_TRANSLATE_N_NOOP("Words", "%1 hosts") },
    Forms{ Noun::Layer, QT_TRANSLATE_N_NOOP("Words", "%1 layer"), QT_TRANSLATE_N_NOOP("Words", "%1 layers") },
    Forms{ Noun::Loop, QT_TRANSLATE_N_NOOP("Words", "%1 loop"), QT_TRANSLATE_N_NOOP("Words", "%1 loops") },
    Forms{ Noun::Operation, QT_TRANSLATE_N_NOOP("Words", "%1 op"), QT_TRANSLATE_N_NOOP("Words", "%1 ops") },
    Forms{ Noun::Piece, QT_TRANSLATE_N_NOOP("Words", "%1 piece"), QT_TRANSLATE_N_NOOP("Words", "%1 pieces") },
    Forms{ Noun::Rule, QT_TRANSLATE_N_NOOP("Words", "%1 rule"), QT_TRANSLATE_N_NOOP("Words", "%1 rules") },
    Forms{ Noun::Run, QT_TRANSLATE_N_NOOP("Words", "%1 run"), QT_TRANSLATE_N_NOOP("Words", "%1 runs") },
    Forms{ Noun::Shard, QT_TRANSLATE_N_NOOP("Words", "%1 shard"), QT_TRANSLATE_N_NOOP("Words", "%1 shards") },
    Forms{ Noun::Size, QT_TRANSLATE_N_NOOP("Words", "%1 size"), QT_TRANSLATE_N_NOOP("Words", "%1 sizes") },
    Forms{ Noun::Slice, QT_TRANSLATE_N_NOOP("Words", "%1 slice"), QT_TRANSLATE_N_NOOP("Words", "%1 slices") },
    Forms{ Noun::Step, QT_TRANSLATE_N_NOOP("Words", "%1 step"), QT_TRANSLATE_N_NOOP("Words", "%1 steps") },
    Forms{ Noun::Tensor, QT_TRANSLATE_N_NOOP("Words", "%1 tensor"), QT_TRANSLATE_N_NOOP("Words", "%1 tensors") },
    Forms{ Noun::Thread, QT_TRANSLATE_N_NOOP("Words", "%1 thread"), QT_TRANSLATE_N_NOOP("Words", "%1 threads") },
    Forms{ Noun::Warning, QT_TRANSLATE_N_NOOP("Words", "%1 warning"), QT_TRANSLATE_N_NOOP("Words", "%1 warnings") },
};

} // namespace

QString counted(qint64 number, Noun noun)
{
    const auto* forms = std::find_if(nouns.begin(), nouns.end(), [&](const Forms& f) { return f.noun == noun; });
    const auto plural = static_cast<int>(std::clamp<qint64>(number, 0, std::numeric_limits<int>::max()));
    return Words::tr(number == 1 ? forms->one : forms->several, nullptr, plural).arg(count(number));
}

QString paddingOf(qint64 padding, qint64 room)
{
    return (padding == 1 ? Words::tr("%1 of %2 is padding") : Words::tr("%1 of %2 are padding"))
        .arg(count(padding), count(room));
}

} // namespace shardscope::words
