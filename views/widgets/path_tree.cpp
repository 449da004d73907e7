// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/widgets/path_tree.h"

#include <utility>

#include "document/selection.h"
#include "views/theme/theme.h"

namespace shardscope {

PathTree::PathTree(const QString& name, Rows rows, Selection* selection, QSet<QString> unfolded, QWidget* parent)
    : QTreeView(parent)
    , m_rows(std::move(rows))
    , m_selection(selection)
    , m_unfolded(std::move(unfolded))
{
    setModel(m_rows.model);
    setAccessibleName(name);
    setFrameShape(QFrame::NoFrame);
    setUniformRowHeights(true);
    setAllColumnsShowFocus(true);
    setIndentation(Metrics::scaled(12));
    setIconSize({ Metrics::scaled(14), Metrics::scaled(14) });
    setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    connect(m_rows.model, &QAbstractItemModel::modelReset, this, &PathTree::restoreUnfolded);
    connect(this, &QTreeView::expanded, this, [this](const QModelIndex& row) {
        if (!m_quiet)
            m_unfolded.insert(keyOf(row));
    });
    connect(this, &QTreeView::collapsed, this, [this](const QModelIndex& row) {
        if (!m_quiet)
            m_unfolded.remove(keyOf(row));
    });
    connect(selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& row) {
        const QString path = m_rows.path(row);
        if (!m_quiet && !path.isEmpty())
            m_selection->setTensor(path);
    });
}

void PathTree::enter()
{
    setFocus(Qt::OtherFocusReason);
    if (!currentIndex().isValid())
        setCurrentIndex(model()->index(0, 0));
}

void PathTree::quietly(const std::function<void()>& change)
{
    const bool before = std::exchange(m_quiet, true);
    change();
    m_quiet = before;
}

bool PathTree::followSelection()
{
    const QModelIndex current = currentIndex(), wanted = m_rows.find(m_selection->tensor());
    if (m_rows.path(current) == m_selection->tensor() && selectionModel()->isSelected(current))
        return false;
    quietly([&] {
        if (wanted.isValid()) {
            setCurrentIndex(wanted);
            scrollTo(wanted);
        } else if (!m_rows.path(current).isEmpty()) {
            selectionModel()->clear();
        }
    });
    return wanted.isValid();
}

void PathTree::restoreUnfolded()
{
    const auto unfold = [&](const auto& self, const QModelIndex& parent) -> void {
        for (int i = 0; i < model()->rowCount(parent); ++i) {
            const QModelIndex child = model()->index(i, 0, parent);
            if (!model()->hasChildren(child))
                continue;
            if (m_rows.isOpened(child) || m_unfolded.contains(keyOf(child)))
                expand(child);
            self(self, child);
        }
    };
    quietly([&] { unfold(unfold, {}); });
}

} // namespace shardscope
