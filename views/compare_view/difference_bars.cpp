// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/compare_view/difference_bars.h"

#include <QPainter>
#include <algorithm>
#include <cmath>

#include "views/compare_view/compare_model.h"
#include "views/theme/theme.h"

namespace shardscope {

DifferenceBar DifferenceBar::make(const QRect& cell, double share)
{
    constexpr int margin = 4, least = 2;
    const QRect room = cell.adjusted(margin, margin, -margin, -margin);
    DifferenceBar made;
    made.zero = room.left() + room.width() / 2;
    if (share == 0 || room.isEmpty())
        return made;
    const int half = room.width() / 2;
    const int length = std::max(least, static_cast<int>(std::lround(std::abs(share) * half)));
    made.bar = share > 0 ? QRect(made.zero, room.top(), length, room.height())
                         : QRect(made.zero - length, room.top(), length, room.height());
    return made;
}

void DifferenceBars::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    QStyledItemDelegate::paint(painter, option, index);
    const double share = index.data(CompareModel::ShareRole).toDouble();
    if (!index.parent().isValid())
        return; // a section
    const Theme& theme = Theme::current();
    const DifferenceBar at = DifferenceBar::make(option.rect, share);
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing, false);
    painter->fillRect(QRect(at.zero, option.rect.top(), 1, option.rect.height()), theme.border);
    if (share > 0) {
        painter->fillRect(at.bar, theme.secondary);
    } else if (share < 0) {
        painter->setPen(theme.secondary);
        painter->setBrush(Qt::NoBrush);
        painter->drawRect(at.bar.adjusted(0, 0, -1, -1));
    }
    painter->restore();
}

} // namespace shardscope
