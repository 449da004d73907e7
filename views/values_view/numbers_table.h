// SPDX-License-Identifier: GPL-3.0-or-later
// The table of numbers: cells in the tint of their shard, its borders as lines of the mesh axis that shards there.
#pragma once

#include <QStyledItemDelegate>
#include <QTableView>

namespace shardscope {

class NumbersModel;

class BorderDelegate : public QStyledItemDelegate {
    Q_OBJECT
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

class NumbersTable : public QTableView {
    Q_OBJECT
public:
    explicit NumbersTable(NumbersModel* model, QWidget* parent = nullptr);

protected:
    void changeEvent(QEvent* event) override;

private:
    void fit();
};

} // namespace shardscope
