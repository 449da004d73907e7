// SPDX-License-Identifier: GPL-3.0-or-later
// The Tensors view: every array of the step with its shapes, spec, bytes per device and copies.
#pragma once

#include "views/panel/dock_view.h"
#include "views/widgets/elided_name.h"
#include "views/widgets/path_tree.h"

class QComboBox;
class QMenu;

namespace shardscope {

class EmptyPage;
class SearchField;
class TensorsModel;

/// Rows of the tree: specs with mesh axes in colour, the marks ALL and PAD, remarks in the secondary colour.
class TensorsDelegate : public NameDelegate {
    Q_OBJECT
public:
    using NameDelegate::NameDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override;
    /// Width that a mark takes after a spec, its gap included; 0 for none.
    [[nodiscard]] static int markWidth(const QString& mark);
};

class TensorsView : public DockView {
    Q_OBJECT
public:
    TensorsView(Document* document, Selection* selection, QWidget* parent = nullptr);

    [[nodiscard]] TensorsModel* model() const { return m_model; }
    [[nodiscard]] QTreeView* tree() const { return m_tree; }
    void focusFilter();
    /// Of the view's content, to show all rows that are unfolded; of very many, as much as anybody has room for.
    [[nodiscard]] int contentHeight() const;

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void showSnapshot();
    void followSelection();
    void showFromTop();
    void applyFilter();
    PathTree* makeTree();
    void fitColumns();
    void fillMenu(QMenu& menu, const QModelIndex& row);
    void fillRoles(QMenu& menu, const QString& path); ///< of an argument or a result of a program in a text
    void showEmpty(); ///< instead of a tree without rows

    TensorsModel* m_model;
    SearchField* m_filter;
    QComboBox* m_kinds;
    PathTree* m_tree;
    EmptyPage* m_empty;
    bool m_fromTop = true; ///< nobody has scrolled since the experiment was opened
    bool m_columnsByHand = false;
    bool m_fitting = false;
};

} // namespace shardscope
