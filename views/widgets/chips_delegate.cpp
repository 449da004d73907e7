// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/widgets/chips_delegate.h"

#include <QApplication>
#include <QLineEdit>
#include <QPainter>
#include <algorithm>

#include "views/theme/theme.h"
#include "views/widgets/chip.h"
#include "views/widgets/column_model.h"
#include "views/widgets/span_line.h"

namespace shardscope {

void ChipsDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    const QStringList axes = index.data(AxesRole).toStringList();
    if (axes.isEmpty()) {
        QStyledItemDelegate::paint(painter, option, index);
        return;
    }
    QStyleOptionViewItem blank(option);
    initStyleOption(&blank, index);
    blank.text.clear();
    const QWidget* widget = option.widget;
    widget->style()->drawControl(QStyle::CE_ItemViewItem, &blank, painter, widget);
    const QVariantList indices = index.data(AxisIndicesRole).toList();
    painter->save();
    painter->setClipRect(option.rect);
    const auto more = [&axes](qsizetype from) {
        return from < axes.size() ? QStringLiteral("+%1").arg(axes.size() - from) : QString();
    };
    int x = option.rect.left() + 4;
    for (qsizetype i = 0; i < axes.size(); ++i) {
        QSize size = chipSize(axes[i]);
        const int room = option.rect.right() - x - option.fontMetrics.horizontalAdvance(more(i + 1)) - 4;
        // One that does not fit is not cut off at the next column: that there are more is said.
        if (i > 0 && size.width() > room) {
            painter->setPen(Theme::current().text);
            painter->drawText(
                option.rect.adjusted(x - option.rect.left(), 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, more(i));
            break;
        }
        size.setWidth(std::min(size.width(), std::max(room, 0)));
        paintChip(*painter, QRect(QPoint(x, option.rect.center().y() - size.height() / 2 + 1), size), axes[i],
            i < indices.size() ? indices[i].toInt() : -1, Theme::current());
        x += size.width() + 4;
    }
    painter->restore();
}

QSize ChipsDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    QSize size = QStyledItemDelegate::sizeHint(option, index);
    int width = 8;
    for (const QString& axis : index.data(AxesRole).toStringList())
        width += chipSize(axis).width() + 4;
    return { std::max(size.width(), width), std::max(size.height(), Metrics::scaled(22)) };
}

QWidget* ChipsDelegate::createEditor(QWidget* parent, const QStyleOptionViewItem&, const QModelIndex& index) const
{
    auto* editor = new QLineEdit(parent);
    editor->setAccessibleName(index.model()->headerData(index.column(), Qt::Horizontal).toString());
    return editor;
}

void ChipsDelegate::setModelData(QWidget* editor, QAbstractItemModel* model, const QModelIndex& index) const
{
    const auto* line = qobject_cast<QLineEdit*>(editor);
    if (!line)
        return;
    QMetaObject::invokeMethod(
        model,
        [model, at = QPersistentModelIndex(index), text = line->text()] {
            if (at.isValid())
                model->setData(at, text);
        },
        Qt::QueuedConnection);
}

void ChipsDelegate::updateEditorGeometry(QWidget* editor, const QStyleOptionViewItem& option, const QModelIndex&) const
{
    QRect rect = option.rect;
    rect.setWidth(std::max(rect.width(), Metrics::scaled(110)));
    editor->setGeometry(rect);
}

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
