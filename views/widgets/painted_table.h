// SPDX-License-Identifier: GPL-3.0-or-later
// What a painted widget shows, as a table for screen readers: one row per thing that can be pointed at. A widget gets
// one by being a PaintedTable beside a QWidget.
#pragma once

#include <QPoint>
#include <QRect>
#include <QString>

class QWidget;

namespace shardscope {

class PaintedTable {
public:
    PaintedTable();
    virtual ~PaintedTable() = default;

    [[nodiscard]] virtual int tableRowCount() const = 0;
    [[nodiscard]] virtual int tableColumnCount() const = 0;
    [[nodiscard]] virtual QString tableHeader(int column) const = 0;
    [[nodiscard]] virtual QString tableText(int row, int column) const = 0;
    /// Where a row is painted, in the widget's coordinates; empty if it is out of sight.
    [[nodiscard]] virtual QRect tableRect(int row) const = 0;
    [[nodiscard]] virtual int tableRowAt(QPoint point) const = 0; ///< -1 for none
    [[nodiscard]] virtual int tableCurrentRow() const { return -1; } ///< walked to by keyboard
    /// What a click does.
    virtual void tableActivate(int row) { (void)row; }

protected:
    /// Tells screen readers that the content is another one, or that another row is the current one.
    static void tableChanged(QWidget* widget);
    static void tableCurrentChanged(QWidget* widget);
    PaintedTable(const PaintedTable&) = default;
    PaintedTable& operator=(const PaintedTable&) = default;
};

} // namespace shardscope
