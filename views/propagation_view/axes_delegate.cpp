// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/propagation_view/axes_delegate.h"

#include <QApplication>
#include <QPainter>

#include "views/propagation_view/difference_model.h"
#include "views/span_text/span_text.h"

namespace shardscope {

void AxesDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    const auto* model = qobject_cast<const DifferenceModel*>(index.model());
    if (!model) {
        QStyledItemDelegate::paint(painter, option, index);
        return;
    }
    QStyleOptionViewItem styled(option);
    initStyleOption(&styled, index);
    styled.text.clear();
    const QWidget* widget = styled.widget;
    const QStyle* style = widget ? widget->style() : QApplication::style();
    style->drawControl(QStyle::CE_ItemViewItem, &styled, painter, widget);
    painter->save();
    painter->setFont(Metrics::fixed());
    painter->setPen(Theme::current().text);
    const int margin = style->pixelMetric(QStyle::PM_FocusFrameHMargin, nullptr, widget) + 1;
    drawSpanLine(*painter, option.rect.adjusted(margin, 0, -2, 0), model->axes(index.row(), index.column()),
        Theme::current(), option.state.testFlag(QStyle::State_Selected));
    painter->restore();
}

} // namespace shardscope
