// SPDX-License-Identifier: GPL-3.0-or-later
// A comparison as a tree: name, A, B, B − A, and a bar.
#pragma once

#include <QRect>
#include <QString>
#include <QStyledItemDelegate>
#include <algorithm>
#include <vector>

#include "comparison/comparison.h"
#include "views/widgets/column_model.h"

namespace shardscope {

// Bars of differences in a column: to the right and filled for more, to the left and hollow for less.

/// Where the bar of a cell lies. At least 2 px wide where there is any difference.
struct DifferenceBar {
    int zero = 0; ///< of the line from which bars go
    QRect bar; ///< empty for no difference
    static DifferenceBar make(const QRect& cell, double share);
};

/// For the column CompareModel::Bar.
class DifferenceBars : public QStyledItemDelegate {
    Q_OBJECT
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

// A comparison as a tree of two levels: sections, and in each what differs, with A, B and B − A. Without a window.
//
//     Inputs
//       mesh axis data                2          4
//     Memory per device
//       parameters                8 MiB     16 MiB     +8 MiB
//     Sent per device and step
//       along data                8 MiB     24 MiB    +16 MiB
//
// Memory and what is sent are there whether they differ or not; other sections only where something does.

struct CompareRow : TreeNode {
    QString name;
    QString before, after, difference;
    double bytes = 0; ///< B − A, of what is held or sent; 0 where it is about no bytes
    QString path = {}; ///< of an array that B has
    QString about = {}; ///< more than the columns say
    bool isSection = false;
    bool isStrong = false; ///< a sum
};

/// [0] is the root.
[[nodiscard]] std::vector<CompareRow> compareRows(const SnapshotComparison& comparison);

/// The bytes that a bar of full length stands for. They are those of the largest difference, except during a drag: then
/// the scale from the start of the drag stays, so that a growing difference is a growing bar, and is only enlarged for
/// a bar that would not fit.
class BarScale {
public:
    void update(double largest, bool dragging)
    {
        m_full = dragging && m_full > 0 ? std::max(m_full, largest) : largest;
    }
    /// The signed length of a bar as a share of the full length, from −1 to 1; 0 without a scale.
    [[nodiscard]] double share(double value) const { return m_full > 0 ? std::clamp(value / m_full, -1.0, 1.0) : 0; }
    [[nodiscard]] double full() const { return m_full; }

private:
    double m_full = 0;
};

class CompareModel : public ColumnTreeModel {
    Q_OBJECT
public:
    enum Column { Name, Before, After, Difference, Bar, ColumnCount };
    enum Role {
        ShareRole = Qt::UserRole, ///< double from −1 to 1, of the column Bar: how long, and to which side
        PathRole, ///< of an array that B has; ""
    };
    explicit CompareModel(QObject* parent = nullptr);

    /// `dragging`: as in BarScale.
    void setRows(std::vector<CompareRow> rows, bool dragging);
    [[nodiscard]] const CompareRow& row(const QModelIndex& index) const;
    [[nodiscard]] const BarScale& scale() const { return m_scale; }

protected:
    [[nodiscard]] int count() const override { return static_cast<int>(m_rows.size()); }
    [[nodiscard]] const TreeNode& node(int item) const override { return at(item); }
    [[nodiscard]] QVariant cell(int item, int column, int role) const override;

private:
    [[nodiscard]] const CompareRow& at(int item) const { return m_rows[static_cast<std::size_t>(item)]; }
    std::vector<CompareRow> m_rows{ CompareRow() }; ///< the root at least
    BarScale m_scale;
};

} // namespace shardscope
