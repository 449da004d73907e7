// SPDX-License-Identifier: GPL-3.0-or-later
// The look of a table whose rows are things to be chosen, one at a time, and not edited.
#pragma once

#include <QHeaderView>
#include <QTableView>

#include "views/theme/theme.h"
#include "views/widgets/context_menu.h"

namespace shardscope {

inline void makeRowTable(QTableView* table, QAbstractItemModel* model, const QString& name)
{
    table->setModel(model);
    table->setAccessibleName(name);
    table->setFrameShape(QFrame::NoFrame);
    table->setShowGrid(false);
    table->setSelectionBehavior(QAbstractItemView::SelectRows);
    table->setSelectionMode(QAbstractItemView::SingleSelection);
    table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table->setTabKeyNavigation(false);
    table->setWordWrap(false);
    table->setTextElideMode(Qt::ElideMiddle);
    table->verticalHeader()->hide();
    table->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    table->verticalHeader()->setDefaultSectionSize(Metrics::scaled(22));
    table->horizontalHeader()->setHighlightSections(false);
    giveCopyMenu(table);
}

/// The same of a longer list: every other row is shaded, and the last column takes what is left.
inline void makeListTable(QTableView* table, QAbstractItemModel* model, const QString& name)
{
    makeRowTable(table, model, name);
    table->setAlternatingRowColors(true);
    table->setTextElideMode(Qt::ElideRight);
    table->horizontalHeader()->setStretchLastSection(true);
}

/// Opens the editor of a cell that can be edited. Of one that is open already, as after the second press of a double
/// click, Qt would warn.
inline void editCell(QTableView* table, const QModelIndex& cell)
{
    if (!table->isPersistentEditorOpen(cell))
        table->edit(cell);
}

} // namespace shardscope
