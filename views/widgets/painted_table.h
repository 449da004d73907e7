// SPDX-License-Identifier: GPL-3.0-or-later
// What a painted widget shows, as a table for screen readers: one row per thing that can be pointed at, or one cell
// where cells have places of their own. A widget gets one by being a PaintedTable beside a QWidget.
#pragma once

#include <QPoint>
#include <QRect>
#include <QStringList>

class QWidget;

namespace shardscope {

class PaintedTable {
public:
    PaintedTable();
    virtual ~PaintedTable() = default;

    [[nodiscard]] virtual int tableRowCount() const = 0;
    [[nodiscard]] virtual QStringList tableHeads() const { return {}; }
    [[nodiscard]] virtual int tableColumnCount() const { return static_cast<int>(tableHeads().size()); }
    [[nodiscard]] virtual QString tableHeader(int column) const { return tableHeads().value(column); }
    [[nodiscard]] virtual QString tableText(int row, int column) const = 0;
    /// Where a row is painted, in the widget's coordinates; empty if it is out of sight.
    [[nodiscard]] virtual QRect tableRect(int row) const = 0;
    [[nodiscard]] virtual int tableRowAt(QPoint point) const = 0; ///< -1 for none
    [[nodiscard]] virtual int tableCurrentRow() const { return -1; } ///< walked to by keyboard
    /// What a click does.
    virtual void tableActivate(int row) { (void)row; }

    // Where single cells can be pointed at. By default a row is one thing: all its cells lie in the same place.
    [[nodiscard]] virtual QString tableRowName(int row) const { return QString::number(row + 1); }
    /// Of a cell, beside its text: the whole row, since readers stop at one cell when the current row changes.
    [[nodiscard]] virtual QString tableDescription(int row, int column) const;
    [[nodiscard]] virtual QRect tableCellRect(int row, int) const { return tableRect(row); }
    [[nodiscard]] virtual int tableColumnAt(QPoint) const { return 0; } ///< within the row that is there
    [[nodiscard]] virtual int tableCurrentColumn() const { return -1; } ///< -1: the whole row is the current one
    virtual void tableActivateCell(int row, int) { tableActivate(row); }

protected:
    /// Tells screen readers that the content is another one, or that another row is the current one.
    static void tableChanged(QWidget* widget);
    static void tableCurrentChanged(QWidget* widget);
    PaintedTable(const PaintedTable&) = default;
    PaintedTable& operator=(const PaintedTable&) = default;
};

} // namespace shardscope
