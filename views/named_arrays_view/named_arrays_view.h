// SPDX-License-Identifier: GPL-3.0-or-later
// The view of named arrays: the arrays of the experiment as a tree with the names of their axes, the rules as a mapping
// from these names to mesh axes, and what becomes of every array. All edits are the document's.
#pragma once

#include "document/named_arrays.h"
#include "views/panel/dock_view.h"
#include "views/panel/panel.h"

class QCheckBox;
class QComboBox;
class QTableView;
class QToolButton;
class QTreeView;

namespace shardscope {

class EmptyPage;
class GridCanvas;
class GridTray;
class MappingModel;
class NamedTreeModel;
class NoticeStrip;
class TwoSides;

class NamedArraysView : public DockView {
    Q_OBJECT
public:
    NamedArraysView(Document* document, Selection* selection, QWidget* parent = nullptr);
    ~NamedArraysView() override;

    [[nodiscard]] NamedArrays* arrays() const { return m_arrays; }
    [[nodiscard]] QTreeView* tree() const { return m_tree; }
    [[nodiscard]] QTableView* mapping() const { return m_mapping; }
    [[nodiscard]] GridCanvas* canvas() const { return m_canvas; }
    /// What is wrong with the current array.
    [[nodiscard]] QString problemText() const { return m_problem->text(); }
    /// Why the last edit was refused; that the arrays are no list; that the rules are read in order.
    [[nodiscard]] NoticeStrip* refusal() const { return m_refusal; }
    [[nodiscard]] NoticeStrip* sourceNotice() const { return m_sourceNotice; }
    [[nodiscard]] NoticeStrip* dialectNotice() const { return m_dialectNotice; }
    /// In place of all else where there are no arrays with names.
    [[nodiscard]] EmptyPage* emptyPage() const { return m_empty; }
    /// The array whose row, or whose axis, is the current one; -1 for none.
    [[nodiscard]] int currentArray() const;

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    QWidget* makeArraysSide();
    QWidget* makeResultSide();
    void makeTree(QWidget* side);
    void makeMapping(QWidget* side);
    void refresh();
    void sayState();
    void showArray();
    void showOutcome(const NamedArraySetting& array, const ArrayOutcome& outcome);
    void showGrid(const NamedArraySetting& array, const ArrayOutcome& outcome);
    void clearArray();
    void currentChanged();
    void followSelection();
    void addArray();
    void removeCurrent();
    void select(int array);
    void fitColumns();

    NamedArrays* m_arrays;
    NamedTreeModel* m_treeModel;
    MappingModel* m_mappingModel;
    RoleLabel* m_notice;
    NoticeStrip* m_refusal;
    NoticeStrip* m_sourceNotice;
    NoticeStrip* m_dialectNotice;
    EmptyPage* m_empty;
    QTreeView* m_tree = nullptr;
    QTableView* m_mapping = nullptr;
    QCheckBox* m_ignoreUnnamed = nullptr;
    QComboBox* m_dtype = nullptr;
    QToolButton* m_add = nullptr;
    QToolButton* m_addAxis = nullptr;
    QToolButton* m_remove = nullptr;
    QToolButton* m_sameNames = nullptr;
    RoleLabel* m_title = nullptr;
    RoleLabel* m_spec = nullptr;
    RoleLabel* m_bytes = nullptr;
    RoleLabel* m_outcome = nullptr;
    RoleLabel* m_problem = nullptr;
    GridCanvas* m_canvas = nullptr;
    GridTray* m_tray = nullptr;
    TwoSides* m_sides = nullptr;
    QString m_statedSource, m_statedDialect; ///< what the strips said last: once closed they stay closed
    std::string m_shown; ///< path of the array in the grid
    int m_current = 0; ///< kept when the tree is made anew
    bool m_following = false;
};

} // namespace shardscope
