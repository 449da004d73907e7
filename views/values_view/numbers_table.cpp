// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/values_view/numbers_table.h"

#include <QEvent>
#include <QHeaderView>
#include <QPainter>

#include "views/theme/theme.h"
#include "views/values_view/numbers_model.h"
#include "views/widgets/context_menu.h"

namespace shardscope {

void BorderDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    QStyledItemDelegate::paint(painter, option, index);
    const Theme& theme = Theme::current();
    const auto line = [&](int role, const QPoint& to) {
        const int axis = index.data(role).toInt();
        if (axis == -1)
            return;
        painter->save();
        painter->setPen(axis >= 0 ? theme.axisPen(axis, 2) : QPen(theme.strongLine, 2));
        painter->drawLine(option.rect.topLeft(), to);
        painter->restore();
    };
    line(NumbersModel::TopBorder, option.rect.topRight());
    line(NumbersModel::LeftBorder, option.rect.bottomLeft());
}

NumbersTable::NumbersTable(NumbersModel* model, QWidget* parent)
    : QTableView(parent)
{
    setModel(model);
    setItemDelegate(new BorderDelegate(this));
    setAccessibleName(tr("Numbers"));
    setFrameShape(QFrame::NoFrame);
    setShowGrid(false);
    setEditTriggers(QAbstractItemView::NoEditTriggers);
    setSelectionMode(QAbstractItemView::ContiguousSelection);
    setTabKeyNavigation(false);
    giveRowMenu(this, [](QMenu& menu, const QModelIndex& at) {
        addCopyAction(menu, "copyNumber", tr("Copy number"), at.data().toString());
        addCopyAction(menu, "copyPlace", tr("Copy number and place"), at.data(Qt::ToolTipRole).toString());
    });
    setCornerButtonEnabled(false);
    setWordWrap(false);
    for (QHeaderView* header : { horizontalHeader(), verticalHeader() }) {
        header->setSectionResizeMode(QHeaderView::Fixed); // no cell is asked for its size
        header->setHighlightSections(false);
        header->setMinimumSectionSize(1);
    }
    verticalHeader()->setDefaultAlignment(Qt::AlignRight | Qt::AlignVCenter);
    fit();
}

void NumbersTable::fit()
{
    const int text = QFontMetrics(Metrics::fixed()).horizontalAdvance(QStringLiteral("-1.2346e-10"));
    horizontalHeader()->setDefaultSectionSize(text + Metrics::scaled(12));
    verticalHeader()->setDefaultSectionSize(Metrics::scaled(22));
}

void NumbersTable::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::FontChange)
        fit();
    QTableView::changeEvent(event);
}

} // namespace shardscope
