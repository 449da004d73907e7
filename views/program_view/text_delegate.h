// SPDX-License-Identifier: GPL-3.0-or-later
// Paints lines of a program's text: their number, mesh axes in their colours, the current value wherever it is read,
// what a search found, and a mark at lines with a problem.
#pragma once

#include <QStyledItemDelegate>

namespace shardscope {

class TextPane;

class TextDelegate : public QStyledItemDelegate {
    Q_OBJECT
public:
    explicit TextDelegate(TextPane* pane);
    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;

private:
    [[nodiscard]] int gutter() const; ///< width of the numbers
    TextPane* m_pane;
};

} // namespace shardscope
