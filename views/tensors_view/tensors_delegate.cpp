// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/tensors_view/tensors_delegate.h"

#include <QApplication>
#include <QPainter>

#include "views/span_text/span_text.h"
#include "views/tensors_view/tensors_model.h"

namespace shardscope {

namespace {

QFont markFont()
{
    QFont font = Metrics::small();
    font.setWeight(QFont::DemiBold);
    font.setPointSizeF(font.pointSizeF() * 0.88);
    return font;
}

QString markText()
{
    return TensorsModel::tr("ALL");
}

} // namespace

int TensorsDelegate::markWidth()
{
    return QFontMetrics(markFont()).horizontalAdvance(markText()) + Metrics::scaled(10);
}

QSize TensorsDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    QSize size = QStyledItemDelegate::sizeHint(option, index);
    const auto* model = qobject_cast<const TensorsModel*>(index.model());
    if (model && index.column() == static_cast<int>(TensorColumn::Spec))
        size.setWidth(spanLineWidth(model->specSpans(index), Metrics::fixed()) + 2 * Metrics::scaled(6));
    if (index.data(TensorsModel::EverywhereRole).toBool() && index.column() == static_cast<int>(TensorColumn::Copies))
        size.rwidth() += markWidth();
    size.setHeight(Metrics::scaled(22));
    return size;
}

void TensorsDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    const auto* model = qobject_cast<const TensorsModel*>(index.model());
    const bool isSpec = index.column() == static_cast<int>(TensorColumn::Spec);
    const bool isMarked =
        index.column() == static_cast<int>(TensorColumn::Copies) && index.data(TensorsModel::EverywhereRole).toBool();
    if (!model || (!isSpec && !isMarked)) {
        QStyledItemDelegate::paint(painter, option, index);
        return;
    }
    const Theme& theme = Theme::current();
    const bool selected = option.state & QStyle::State_Selected;
    QStyleOptionViewItem styled(option);
    initStyleOption(&styled, index);
    if (isSpec)
        styled.text.clear();
    const QWidget* widget = styled.widget;
    const QStyle* style = widget ? widget->style() : QApplication::style();
    style->drawControl(QStyle::CE_ItemViewItem, &styled, painter, widget);

    painter->save();
    if (isSpec) {
        const bool quiet = index.data(TensorsModel::QuietRole).toBool();
        painter->setFont(quiet ? option.font : Metrics::fixed());
        painter->setPen(quiet && !selected ? theme.secondary : theme.text);
        const int margin = style->pixelMetric(QStyle::PM_FocusFrameHMargin, nullptr, widget) + 1;
        drawSpanLine(*painter, option.rect.adjusted(margin, 0, -2, 0), model->specSpans(index), theme, selected);
    } else {
        const QFontMetrics metrics(markFont());
        const int width = markWidth() - Metrics::scaled(2), height = metrics.height() + 1;
        const QRectF plate(
            option.rect.left() + 1.5, option.rect.center().y() - height / 2 + 0.5, width - 1, height - 1);
        painter->setRenderHint(QPainter::Antialiasing);
        painter->setPen(QPen(selected ? theme.text : theme.secondary, 1));
        painter->drawRoundedRect(plate, 2, 2);
        painter->setFont(markFont());
        painter->drawText(plate, Qt::AlignCenter, markText());
    }
    painter->restore();
}

} // namespace shardscope
