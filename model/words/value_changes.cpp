// SPDX-License-Identifier: GPL-3.0-or-later
#include "words/value_changes.h"

#include <cmath>

#include "words/tr.h"

namespace shardscope::words {

QString changesSummary(const ValueChanges& changes)
{
    if (changes.values.empty())
        return Words::tr("No value changes.");
    qint64 more = 0, less = 0;
    for (const ValueChange& change : changes.values) {
        more += change.bytesAfter > change.bytesBefore ? 1 : 0;
        less += change.bytesAfter < change.bytesBefore ? 1 : 0;
    }
    const auto all = static_cast<qint64>(changes.values.size());
    QStringList parts;
    if (more > 0)
        parts << (more == 1 ? Words::tr("1 grows (%1 per device)", "+56 MiB")
                                  .arg(bytesChange(static_cast<double>(changes.largerBytes)))
                            : Words::tr("%1 grow (%2 per device)", "56, +56 MiB")
                                  .arg(count(more), bytesChange(static_cast<double>(changes.largerBytes))));
    if (less > 0)
        parts << (less == 1 ? Words::tr("1 shrinks (%1 per device)", "−40 KiB")
                                  .arg(bytesChange(-static_cast<double>(changes.smallerBytes)))
                            : Words::tr("%1 shrink (%2 per device)", "5, −40 KiB")
                                  .arg(count(less), bytesChange(-static_cast<double>(changes.smallerBytes))));
    if (parts.isEmpty())
        parts << Words::tr("each device holds as much as before");
    return (all == 1 ? Words::tr("1 of %1 values changes: %2.").arg(count(changes.compared))
                     : Words::tr("%1 of %2 values change: %3.").arg(count(all), count(changes.compared)))
        .arg(parts.join(Words::tr(", ")));
}

QString bytesChange(double change)
{
    if (change == 0)
        return QStringLiteral("0");
    const QChar minus(0x2212);
    return (change > 0 ? QString(QLatin1Char('+')) : QString(minus)) + bytes(std::abs(change));
}

QString amountStep(const QString& before, const QString& after)
{
    if (before == after)
        return after;
    const qsizetype unit = after.lastIndexOf(QLatin1Char(' '));
    const bool same = unit > 0 && before.endsWith(after.mid(unit));
    return (same ? before.left(before.size() - (after.size() - unit)) : before) + QStringLiteral(" → ") + after;
}

QString bytesStep(std::int64_t before, std::int64_t after)
{
    return amountStep(bytes(static_cast<double>(before)), bytes(static_cast<double>(after)));
}

} // namespace shardscope::words
