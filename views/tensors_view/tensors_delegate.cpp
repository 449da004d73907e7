// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/tensors_view/tensors_delegate.h"

#include <QApplication>
#include <QPainter>

#include "views/tensors_view/tensors_model.h"
#include "views/theme/theme.h"
#include "views/widgets/elided_name.h"
#include "views/widgets/span_line.h"

namespace shardscope {

namespace {

QFont markFont()
{
    QFont font = Metrics::small();
    font.setWeight(QFont::DemiBold);
    font.setPointSizeF(font.pointSizeF() * 0.88);
    return font;
}

} // namespace

int TensorsDelegate::markWidth(const QString& mark)
{
    return mark.isEmpty() ? 0 : QFontMetrics(markFont()).horizontalAdvance(mark) + Metrics::scaled(14);
}

void TensorsDelegate::initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const
{
    QStyledItemDelegate::initStyleOption(option, index);
    if (index.column() != static_cast<int>(TensorColumn::Name) || option->rect.width() <= 0)
        return;
    const QStyle* style = option->widget ? option->widget->style() : QApplication::style();
    const int margins = 2 * (style->pixelMetric(QStyle::PM_FocusFrameHMargin, option, option->widget) + 1);
    const QRect place = style->subElementRect(QStyle::SE_ItemViewItemText, option, option->widget);
    option->text = elidedName(option->text, QFontMetrics(option->font), place.width() - margins);
}

QSize TensorsDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    QSize size = QStyledItemDelegate::sizeHint(option, index);
    if (const QVariant spans = index.data(ColumnModel::SpansRole); spans.isValid())
        size.setWidth(spansWidth(spans.value<words::Text>(), Metrics::fixed()) + 2 * Metrics::scaled(6)
            + markWidth(index.data(TensorsModel::MarkRole).toString()));
    size.setHeight(Metrics::scaled(22));
    return size;
}

void TensorsDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    const QVariant spans = index.data(ColumnModel::SpansRole);
    if (!spans.isValid()) {
        QStyledItemDelegate::paint(painter, option, index);
        return;
    }
    const Theme& theme = Theme::current();
    const bool selected = option.state & QStyle::State_Selected;
    QStyleOptionViewItem styled(option);
    initStyleOption(&styled, index);
    styled.text.clear();
    const QWidget* widget = styled.widget;
    const QStyle* style = widget ? widget->style() : QApplication::style();
    style->drawControl(QStyle::CE_ItemViewItem, &styled, painter, widget);

    painter->save();
    const bool quiet = index.data(TensorsModel::QuietRole).toBool();
    const QString mark = index.data(TensorsModel::MarkRole).toString();
    const int margin = style->pixelMetric(QStyle::PM_FocusFrameHMargin, nullptr, widget) + 1;
    const QRect cell = option.rect.adjusted(margin, 0, -2, 0);
    const int room = cell.width() - markWidth(mark);
    const int used =
        paintSpans(*painter, QRect(cell.left(), cell.top(), room, cell.height()), spans.value<words::Text>(),
            quiet ? option.font : Metrics::fixed(), quiet && !selected ? theme.secondary : theme.text, theme, selected);
    if (!mark.isEmpty()) {
        const QFont font = markFont();
        const QFontMetrics metrics(font);
        const int gap = Metrics::scaled(6), height = metrics.height() + 1;
        const QRectF plate(cell.left() + used + gap + 0.5, cell.center().y() - height / 2 + 0.5,
            markWidth(mark) - gap - 1, height - 1);
        painter->setRenderHint(QPainter::Antialiasing);
        const bool wrong = index.data(TensorsModel::WrongRole).toBool();
        painter->setPen(QPen(selected ? theme.text : wrong ? theme.error : theme.secondary, 1));
        painter->drawRoundedRect(plate, 2, 2);
        painter->setFont(font);
        painter->drawText(plate, Qt::AlignCenter, mark);
    }
    painter->restore();
}

} // namespace shardscope
