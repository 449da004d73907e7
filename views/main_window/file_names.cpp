// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/main_window/file_names.h"

namespace shardscope {

QString fileNameOf(const QString& title)
{
    constexpr qsizetype longest = 60;
    QString name;
    for (const QChar sign : title.toLower()) {
        if (sign.isLetterOrNumber())
            name += sign;
        else if (!name.isEmpty() && !name.endsWith(QLatin1Char('-')))
            name += QLatin1Char('-');
    }
    name.truncate(longest);
    while (name.endsWith(QLatin1Char('-')))
        name.chop(1);
    return name.isEmpty() ? QStringLiteral("experiment") : name;
}

} // namespace shardscope
