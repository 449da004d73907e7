// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/shard_grid_view/grid_accessible.h"

#include <QAccessible>
#include <QAccessibleWidget>
#include <QHash>
#include <algorithm>

#include "views/shard_grid_view/grid_canvas.h"

namespace shardscope {

namespace {

class CellInterface;

/// All panels one below the other make one table. Tables with more cells than a person would walk are cut off; the
/// figures of every shard remain reachable with the arrow keys.
class GridInterface : public QAccessibleWidget, public QAccessibleTableInterface {
public:
    explicit GridInterface(GridCanvas* canvas)
        : QAccessibleWidget(canvas, QAccessible::Table)
    {
    }
    ~GridInterface() override;

    [[nodiscard]] GridCanvas* canvas() const { return static_cast<GridCanvas*>(widget()); }
    [[nodiscard]] GridCell cellAtIndex(int row, int column) const
    {
        const int rows = std::max(rowsPerPanel(), 1);
        return { row / rows, row % rows, column };
    }

    void* interface_cast(QAccessible::InterfaceType type) override
    {
        if (type == QAccessible::TableInterface)
            return static_cast<QAccessibleTableInterface*>(this);
        return QAccessibleWidget::interface_cast(type);
    }
    [[nodiscard]] int childCount() const override { return rowCount() * columnCount(); }
    [[nodiscard]] QAccessibleInterface* child(int index) const override
    {
        const int columns = columnCount();
        return columns == 0 ? nullptr : cellAt(index / columns, index % columns);
    }
    [[nodiscard]] int indexOfChild(const QAccessibleInterface* child) const override;
    [[nodiscard]] QAccessibleInterface* childAt(int x, int y) const override
    {
        const auto cell = canvas()->grid().cellAt(canvas()->mapFromGlobal(QPoint(x, y)));
        if (!cell)
            return nullptr;
        return cellAt(static_cast<int>(cell->row) + cell->panel * rowsPerPanel(), static_cast<int>(cell->column));
    }

    // The table.
    [[nodiscard]] QAccessibleInterface* caption() const override { return nullptr; }
    [[nodiscard]] QAccessibleInterface* summary() const override { return nullptr; }
    [[nodiscard]] QAccessibleInterface* cellAt(int row, int column) const override;
    [[nodiscard]] int selectedCellCount() const override { return 0; }
    [[nodiscard]] QList<QAccessibleInterface*> selectedCells() const override { return {}; }
    [[nodiscard]] QString columnDescription(int column) const override
    {
        return GridCanvas::tr("column %1").arg(column);
    }
    [[nodiscard]] QString rowDescription(int row) const override { return GridCanvas::tr("row %1").arg(row); }
    [[nodiscard]] int selectedColumnCount() const override { return 0; }
    [[nodiscard]] int selectedRowCount() const override { return 0; }
    [[nodiscard]] int columnCount() const override
    {
        return hasGrid() ? static_cast<int>(std::min<std::int64_t>(canvas()->grid().columns().pieces, limit)) : 0;
    }
    [[nodiscard]] int rowCount() const override
    {
        return hasGrid() ? rowsPerPanel() * static_cast<int>(canvas()->grid().panels().size()) : 0;
    }
    [[nodiscard]] QList<int> selectedColumns() const override { return {}; }
    [[nodiscard]] QList<int> selectedRows() const override { return {}; }
    [[nodiscard]] bool isColumnSelected(int) const override { return false; }
    [[nodiscard]] bool isRowSelected(int) const override { return false; }
    bool selectRow(int) override { return false; }
    bool selectColumn(int) override { return false; }
    bool unselectRow(int) override { return false; }
    bool unselectColumn(int) override { return false; }
    void modelChange(QAccessibleTableModelChangeEvent*) override { }

private:
    static constexpr std::int64_t limit = 256;
    [[nodiscard]] bool hasGrid() const { return canvas()->subject() && !canvas()->grid().panels().empty(); }
    [[nodiscard]] int rowsPerPanel() const
    {
        return static_cast<int>(std::min<std::int64_t>(canvas()->grid().rows().pieces, limit));
    }
    mutable QHash<int, QAccessible::Id> m_cells; ///< by row * limit + column
};

class CellInterface : public QAccessibleInterface, public QAccessibleTableCellInterface {
public:
    CellInterface(GridInterface* table, int row, int column)
        : m_table(table)
        , m_row(row)
        , m_column(column)
    {
    }
    [[nodiscard]] int row() const { return m_row; }
    [[nodiscard]] int column() const { return m_column; }

    void* interface_cast(QAccessible::InterfaceType type) override
    {
        return type == QAccessible::TableCellInterface ? static_cast<QAccessibleTableCellInterface*>(this) : nullptr;
    }
    [[nodiscard]] bool isValid() const override
    {
        return m_table->isValid() && m_row < m_table->rowCount() && m_column < m_table->columnCount();
    }
    [[nodiscard]] QObject* object() const override { return nullptr; }
    [[nodiscard]] QWindow* window() const override { return m_table->window(); }
    [[nodiscard]] QAccessibleInterface* childAt(int, int) const override { return nullptr; }
    [[nodiscard]] QAccessibleInterface* parent() const override { return m_table; }
    [[nodiscard]] QAccessibleInterface* child(int) const override { return nullptr; }
    [[nodiscard]] int childCount() const override { return 0; }
    [[nodiscard]] int indexOfChild(const QAccessibleInterface*) const override { return -1; }
    [[nodiscard]] QString text(QAccessible::Text which) const override
    {
        const GridCanvas* canvas = m_table->canvas();
        if (!isValid() || (which != QAccessible::Name && which != QAccessible::Description))
            return {};
        const CellText cell =
            describeCell(*canvas->subject(), canvas->grid().shardOf(m_table->cellAtIndex(m_row, m_column)));
        if (which == QAccessible::Name)
            return GridCanvas::tr("shard row %1 column %2, %3").arg(m_row).arg(m_column).arg(cell.ranges);
        return cell.holding + QLatin1Char(' ') + cell.copies;
    }
    void setText(QAccessible::Text, const QString&) override { }
    [[nodiscard]] QRect rect() const override
    {
        const GridCanvas* canvas = m_table->canvas();
        if (!isValid())
            return {};
        const GridCell cell = m_table->cellAtIndex(m_row, m_column);
        if (!canvas->grid().shows(cell))
            return {}; // zoomed away
        const QRect local = canvas->grid().cellRect(cell);
        return { canvas->mapToGlobal(local.topLeft()), local.size() };
    }
    [[nodiscard]] QAccessible::Role role() const override { return QAccessible::Cell; }
    [[nodiscard]] QAccessible::State state() const override
    {
        QAccessible::State state;
        state.focusable = true;
        state.focused = isValid() && m_table->canvas()->currentCell() == m_table->cellAtIndex(m_row, m_column);
        return state;
    }

    // The cell.
    [[nodiscard]] bool isSelected() const override { return state().focused; }
    [[nodiscard]] QList<QAccessibleInterface*> columnHeaderCells() const override { return {}; }
    [[nodiscard]] QList<QAccessibleInterface*> rowHeaderCells() const override { return {}; }
    [[nodiscard]] int columnIndex() const override { return m_column; }
    [[nodiscard]] int rowIndex() const override { return m_row; }
    [[nodiscard]] int columnExtent() const override { return 1; }
    [[nodiscard]] int rowExtent() const override { return 1; }
    [[nodiscard]] QAccessibleInterface* table() const override { return m_table; }

private:
    GridInterface* m_table;
    int m_row, m_column;
};

GridInterface::~GridInterface()
{
    for (const QAccessible::Id id : std::as_const(m_cells))
        QAccessible::deleteAccessibleInterface(id);
}

QAccessibleInterface* GridInterface::cellAt(int row, int column) const
{
    if (row < 0 || column < 0 || row >= rowCount() || column >= columnCount())
        return nullptr;
    const int key = row * static_cast<int>(limit) + column;
    if (const auto known = m_cells.constFind(key); known != m_cells.constEnd())
        return QAccessible::accessibleInterface(*known);
    auto* cell = new CellInterface(const_cast<GridInterface*>(this), row, column);
    m_cells.insert(key, QAccessible::registerAccessibleInterface(cell));
    return cell;
}

int GridInterface::indexOfChild(const QAccessibleInterface* child) const
{
    const auto* cell = dynamic_cast<const CellInterface*>(child);
    return cell ? cell->row() * columnCount() + cell->column() : -1;
}

QAccessibleInterface* makeInterface(const QString& className, QObject* object)
{
    if (className == QLatin1String(GridCanvas::staticMetaObject.className()))
        return new GridInterface(static_cast<GridCanvas*>(object));
    return nullptr;
}

} // namespace

void installGridAccessibility()
{
    QAccessible::installFactory(makeInterface); // Qt ignores a factory that is installed already
}

} // namespace shardscope
