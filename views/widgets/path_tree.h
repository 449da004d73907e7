// SPDX-License-Identifier: GPL-3.0-or-later
// A tree of modules or tensors. Rows that have a path lead the selection and follow it; what the user unfolds stays
// unfolded, whatever the model is filled with.
#pragma once

#include <QSet>
#include <QTreeView>
#include <functional>

namespace shardscope {

class Selection;

class PathTree : public QTreeView {
    Q_OBJECT
public:
    struct Rows {
        QAbstractItemModel* model = nullptr;
        int keyRole = 0; ///< by which unfolded rows are known
        std::function<QString(const QModelIndex& row)> path; ///< "" where it is no tensor
        std::function<QModelIndex(const QString& path)> find;
        std::function<bool(const QModelIndex& row)> isOpened; ///< by a filter, whatever the user unfolded
    };
    PathTree(const QString& name, Rows rows, Selection* selection, QSet<QString> unfolded, QWidget* parent = nullptr);

    /// Takes the keyboard.
    void enter();
    /// True where the selected tensor has a row, which is the current one only now.
    bool followSelection();
    /// While it changes, nothing is selected and nothing is remembered as unfolded.
    void quietly(const std::function<void()>& change);

private:
    void restoreUnfolded();
    [[nodiscard]] QString keyOf(const QModelIndex& row) const { return row.data(m_rows.keyRole).toString(); }
    Rows m_rows;
    Selection* m_selection;
    QSet<QString> m_unfolded; ///< keys, as the user left them; not what a filter unfolds
    bool m_quiet = false;
};

} // namespace shardscope
