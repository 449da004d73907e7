// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/theme/text_width.h"

#include <QFontMetrics>
#include <QHash>
#include <utility>

namespace shardscope {

int textWidth(const QFont& font, const QString& text)
{
    constexpr qsizetype maxKept = 8192; // texts of a few hundred bytes each
    static QHash<std::pair<QFont, QString>, int> known;
    const std::pair key(font, text);
    if (const auto found = known.constFind(key); found != known.cend())
        return *found;
    if (known.size() >= maxKept)
        known.clear();
    return *known.insert(key, QFontMetrics(font).horizontalAdvance(text));
}

} // namespace shardscope
