// SPDX-License-Identifier: GPL-3.0-or-later
// The dock of named arrays: a tree of arrays whose axes have names, a mapping from these names to mesh axes, and what
// becomes of every array. It begins with the arrays of the Penzai notebook and changes nothing in the experiment.
#pragma once

#include <QWidget>

#include "views/named_arrays_view/named_arrays.h"

class QCheckBox;
class QComboBox;
class QTableView;
class QToolButton;
class QTreeView;

namespace shardscope {

class Document;
class GridCanvas;
class GridTray;
class MappingModel;
class NamedTreeModel;
class RoleLabel;
class Selection;
class TwoSides;

class NamedArraysView : public QWidget {
    Q_OBJECT
public:
    NamedArraysView(Document* document, Selection* selection, QWidget* parent = nullptr);
    ~NamedArraysView() override;

    /// "3 arrays", "3 arrays, 1 with a problem".
    [[nodiscard]] QString keyFigure() const { return m_keyFigure; }
    [[nodiscard]] NamedArrays* arrays() const { return m_arrays; }
    [[nodiscard]] NamedTreeModel* treeModel() const { return m_treeModel; }
    [[nodiscard]] MappingModel* mappingModel() const { return m_mappingModel; }
    [[nodiscard]] QTreeView* tree() const { return m_tree; }
    [[nodiscard]] QTableView* mapping() const { return m_mapping; }
    [[nodiscard]] GridCanvas* canvas() const { return m_canvas; }
    [[nodiscard]] QString problemText() const;
    /// The array whose row, or whose axis, is the current one; -1 for none.
    [[nodiscard]] int currentArray() const;

Q_SIGNALS:
    void keyFigureChanged();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QWidget* makeArraysSide();
    QWidget* makeResultSide(Selection* selection);
    void followMesh();
    void refresh();
    void showArray();
    void addArray();
    void addAxis();
    void removeCurrent();
    void select(int array);

    Document* m_document;
    NamedArrays* m_arrays;
    NamedTreeModel* m_treeModel;
    MappingModel* m_mappingModel;
    RoleLabel* m_notice;
    QTreeView* m_tree = nullptr;
    QTableView* m_mapping = nullptr;
    QCheckBox* m_sameNames = nullptr;
    QCheckBox* m_ignoreUnnamed = nullptr;
    QComboBox* m_dtype = nullptr;
    QToolButton* m_addAxis = nullptr;
    QToolButton* m_remove = nullptr;
    RoleLabel* m_title = nullptr;
    RoleLabel* m_spec = nullptr;
    RoleLabel* m_bytes = nullptr;
    RoleLabel* m_outcome = nullptr;
    RoleLabel* m_problem = nullptr;
    GridCanvas* m_canvas = nullptr;
    GridTray* m_tray = nullptr;
    TwoSides* m_sides = nullptr;
    QString m_keyFigure;
    std::string m_shown; ///< path of the array in the grid
    int m_current = 0; ///< kept when the tree is made anew
    bool m_touched = false;
};

} // namespace shardscope
