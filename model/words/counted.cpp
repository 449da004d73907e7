// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers with the thing that they count. The English forms are chosen here, so that they are right without a
// translation file; a translation chooses its own forms by the number that tr() gets.
// Declared in words.h.
#include "words/things.h"
#include "words/words.h"

#include <QRegularExpression>
#include <algorithm>
#include <array>
#include <limits>

#include "words/tr.h"

namespace shardscope::words {

namespace {

template <class Kind>
struct Forms {
    Kind noun;
    const char* one;
    const char* several;
};

using Nouns = Forms<Noun>;
using Things = Forms<Thing>;

constexpr std::array things{
    Things{ Thing::Cell, QT_TRANSLATE_N_NOOP("Words", "%1 cell"), QT_TRANSLATE_N_NOOP("Words", "%1 cells") },
    Things{ Thing::Line, QT_TRANSLATE_N_NOOP("Words", "%1 line"), QT_TRANSLATE_N_NOOP("Words", "%1 lines") },
    Things{ Thing::Link, QT_TRANSLATE_N_NOOP("Words", "%1 link"), QT_TRANSLATE_N_NOOP("Words", "%1 links") },
    Things{ Thing::List, QT_TRANSLATE_N_NOOP("Words", "%1 list"), QT_TRANSLATE_N_NOOP("Words", "%1 lists") },
    Things{
        Thing::Partition, QT_TRANSLATE_N_NOOP("Words", "%1 partition"), QT_TRANSLATE_N_NOOP("Words", "%1 partitions") },
    Things{ Thing::Place, QT_TRANSLATE_N_NOOP("Words", "%1 place"), QT_TRANSLATE_N_NOOP("Words", "%1 places") },
    Things{ Thing::Row, QT_TRANSLATE_N_NOOP("Words", "%1 row"), QT_TRANSLATE_N_NOOP("Words", "%1 rows") },
};

constexpr std::array nouns{
    Nouns{ Noun::Array, QT_TRANSLATE_N_NOOP("Words", "%1 array"), QT_TRANSLATE_N_NOOP("Words", "%1 arrays") },
    Nouns{ Noun::Byte, QT_TRANSLATE_N_NOOP("Words", "%1 byte"), QT_TRANSLATE_N_NOOP("Words", "%1 bytes") },
    Nouns{ Noun::Chip, QT_TRANSLATE_N_NOOP("Words", "%1 chip"), QT_TRANSLATE_N_NOOP("Words", "%1 chips") },
    Nouns{ Noun::Collective, QT_TRANSLATE_N_NOOP("Words", "%1 collective"),
        QT_TRANSLATE_N_NOOP("Words", "%1 collectives") },
    Nouns{ Noun::Device, QT_TRANSLATE_N_NOOP("Words", "%1 device"), QT_TRANSLATE_N_NOOP("Words", "%1 devices") },
    Nouns{
        Noun::Dimension, QT_TRANSLATE_N_NOOP("Words", "%1 dimension"), QT_TRANSLATE_N_NOOP("Words", "%1 dimensions") },
    Nouns{ Noun::Element, QT_TRANSLATE_N_NOOP("Words", "%1 element"), QT_TRANSLATE_N_NOOP("Words", "%1 elements") },
    Nouns{ Noun::Entry, QT_TRANSLATE_N_NOOP("Words", "%1 entry"), QT_TRANSLATE_N_NOOP("Words", "%1 entries") },
    Nouns{ Noun::Error, QT_TRANSLATE_N_NOOP("Words", "%1 error"), QT_TRANSLATE_N_NOOP("Words", "%1 errors") },
    Nouns{ Noun::Host, QT_TRANSLATE_N_NOOP("Words", "%1 host"), QT_TRANSLATE_N_NOOP("Words", "%1 hosts") },
    Nouns{ Noun::Layer, QT_TRANSLATE_N_NOOP("Words", "%1 layer"), QT_TRANSLATE_N_NOOP("Words", "%1 layers") },
    Nouns{ Noun::Line, QT_TRANSLATE_N_NOOP("Words", "%1 line"), QT_TRANSLATE_N_NOOP("Words", "%1 lines") },
    Nouns{ Noun::Loop, QT_TRANSLATE_N_NOOP("Words", "%1 loop"), QT_TRANSLATE_N_NOOP("Words", "%1 loops") },
    Nouns{ Noun::Operation, QT_TRANSLATE_N_NOOP("Words", "%1 op"), QT_TRANSLATE_N_NOOP("Words", "%1 ops") },
    Nouns{ Noun::Rule, QT_TRANSLATE_N_NOOP("Words", "%1 rule"), QT_TRANSLATE_N_NOOP("Words", "%1 rules") },
    Nouns{ Noun::Run, QT_TRANSLATE_N_NOOP("Words", "%1 run"), QT_TRANSLATE_N_NOOP("Words", "%1 runs") },
    Nouns{ Noun::Shard, QT_TRANSLATE_N_NOOP("Words", "%1 shard"), QT_TRANSLATE_N_NOOP("Words", "%1 shards") },
    Nouns{ Noun::Size, QT_TRANSLATE_N_NOOP("Words", "%1 size"), QT_TRANSLATE_N_NOOP("Words", "%1 sizes") },
    Nouns{ Noun::Slice, QT_TRANSLATE_N_NOOP("Words", "%1 slice"), QT_TRANSLATE_N_NOOP("Words", "%1 slices") },
    Nouns{ Noun::Step, QT_TRANSLATE_N_NOOP("Words", "%1 step"), QT_TRANSLATE_N_NOOP("Words", "%1 steps") },
    Nouns{ Noun::Tensor, QT_TRANSLATE_N_NOOP("Words", "%1 tensor"), QT_TRANSLATE_N_NOOP("Words", "%1 tensors") },
    Nouns{ Noun::Thread, QT_TRANSLATE_N_NOOP("Words", "%1 thread"), QT_TRANSLATE_N_NOOP("Words", "%1 threads") },
    Nouns{ Noun::Warning, QT_TRANSLATE_N_NOOP("Words", "%1 warning"), QT_TRANSLATE_N_NOOP("Words", "%1 warnings") },
};

template <class Kind, std::size_t size>
QString countedOf(const std::array<Forms<Kind>, size>& all, qint64 number, Kind noun)
{
    const auto* forms = std::find_if(all.begin(), all.end(), [&](const Forms<Kind>& f) { return f.noun == noun; });
    const auto plural = static_cast<int>(std::clamp<qint64>(number, 0, std::numeric_limits<int>::max()));
    return Words::tr(number == 1 ? forms->one : forms->several, nullptr, plural).arg(count(number));
}

} // namespace

QString counted(qint64 number, Noun noun)
{
    return countedOf(nouns, number, noun);
}

QString counted(qint64 number, Thing thing)
{
    return countedOf(things, number, thing);
}

QString crossed(QString sizes)
{
    static const QRegularExpression between(QStringLiteral("(?<![\\w:])(\\d+(?:x\\d+)+)(?!\\w)"));
    for (QRegularExpressionMatch match = between.match(sizes); match.hasMatch(); match = between.match(sizes))
        sizes.replace(match.capturedStart(), match.capturedLength(),
            match.captured().replace(QLatin1Char('x'), QStringLiteral(" \u00d7 ")));
    return sizes;
}

QString paddingOf(qint64 padding, qint64 room)
{
    return (padding == 1 ? Words::tr("%1 of %2 is padding") : Words::tr("%1 of %2 are padding"))
        .arg(count(padding), count(room));
}

} // namespace shardscope::words
