// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/widgets/spans_delegate.h"

#include <QApplication>
#include <QPainter>

#include "views/theme/theme.h"
#include "views/widgets/column_model.h"
#include "views/widgets/span_line.h"

namespace shardscope {

void SpansDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    const QVariant spans = index.data(ColumnModel::SpansRole);
    if (!spans.isValid()) {
        QStyledItemDelegate::paint(painter, option, index);
        return;
    }
    const Theme& theme = Theme::current();
    QStyleOptionViewItem styled(option);
    initStyleOption(&styled, index);
    styled.text.clear();
    const QStyle* style = styled.widget ? styled.widget->style() : QApplication::style();
    style->drawControl(QStyle::CE_ItemViewItem, &styled, painter, styled.widget);
    painter->save();
    const int margin = style->pixelMetric(QStyle::PM_FocusFrameHMargin, nullptr, styled.widget) + 1;
    paintSpans(*painter, option.rect.adjusted(margin, 0, -2, 0), spans.value<words::Text>(), Metrics::fixed(),
        theme.text, theme, option.state.testFlag(QStyle::State_Selected));
    painter->restore();
}

} // namespace shardscope
