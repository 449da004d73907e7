// SPDX-License-Identifier: GPL-3.0-or-later
#include "words/value_changes.h"

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
    QString text = all == 1 ? Words::tr("1 of %1 values changes.").arg(count(changes.compared))
                            : Words::tr("%1 of %2 values change.").arg(count(all), count(changes.compared));
    const auto stated = [](std::int64_t bytesInAll) { return bytes(static_cast<double>(bytesInAll)); };
    if (less > 0 && more > 0)
        text += Words::tr(" Added up, %2 take %1 less per device, %4 take %3 more.")
                    .arg(stated(changes.smallerBytes), count(less), stated(changes.largerBytes), count(more));
    else if (less > 0)
        text += Words::tr(" Added up, they take %1 less per device.").arg(stated(changes.smallerBytes));
    else if (more > 0)
        text += Words::tr(" Added up, they take %1 more per device.").arg(stated(changes.largerBytes));
    else
        text += Words::tr(" Each device holds as much as before.");
    return text;
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
