// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/what_if_view/changes_delegate.h"

#include <QApplication>
#include <QPainter>

#include "views/span_text/span_text.h"
#include "views/what_if_view/changes_model.h"

namespace shardscope {

void ChangesDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    const auto* model = qobject_cast<const ChangesModel*>(index.model());
    if (!model || (index.column() != ChangesModel::Now && index.column() != ChangesModel::Then)) {
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
    painter->setFont(Metrics::fixed());
    painter->setPen(theme.text);
    const int margin = style->pixelMetric(QStyle::PM_FocusFrameHMargin, nullptr, styled.widget) + 1;
    drawSpanLine(*painter, option.rect.adjusted(margin, 0, -2, 0), model->spec(index), theme,
        option.state & QStyle::State_Selected);
    painter->restore();
}

} // namespace shardscope
