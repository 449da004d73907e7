// SPDX-License-Identifier: GPL-3.0-or-later
// The table of rules. Rows are dragged by their number to change priority; a logical name is dragged out of the table
// (see RulesView for where it can go). Both have twins on the keyboard.
#pragma once

#include <QTableView>

#include "views/widgets/chips_delegate.h"

namespace shardscope {

class RulesModel;

class RulesDelegate : public ChipsDelegate {
    Q_OBJECT
public:
    using ChipsDelegate::ChipsDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    QWidget* createEditor(QWidget* parent, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    /// At once: rows stay where they are.
    void setModelData(QWidget* editor, QAbstractItemModel* model, const QModelIndex& index) const override;
    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

protected:
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override;
};

class RulesTable : public QTableView {
    Q_OBJECT
public:
    explicit RulesTable(RulesModel* model, QWidget* parent = nullptr);
    /// Where the row under the pointer has the button that removes its rule, in the viewport; empty for none.
    [[nodiscard]] QRect removeRect(int row) const;
    /// The row with that button, -1 for none.
    [[nodiscard]] int hoveredRow() const { return m_hovered; }

Q_SIGNALS:
    /// A row is dragged from where it is now to another place. `start` marks the first move of a drag.
    void rowDragged(int from, int to, bool start);
    void rowDropped();
    void rowDragCancelled();
    void nameDragged(int row, const QPoint& global);
    void nameDropped(int row, const QPoint& global, bool append);
    void nameDragCancelled();
    void moveRequested(int row, int step);
    void removeRequested(int row);
    void addRequested();
    void pasteRequested();

protected:
    void mousePressEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    bool viewportEvent(QEvent* event) override;

private:
    void fitColumns();
    void setHovered(int row);
    enum class Drag { None, PressedRow, PressedName, PressedRemove, Row, Name };
    RulesModel* m_rules;
    Drag m_drag = Drag::None;
    QPoint m_start;
    int m_row = -1;
    int m_hovered = -1;
};

} // namespace shardscope
