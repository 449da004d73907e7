// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/widgets/painted_table.h"

#include <QAccessible>
#include <QAccessibleWidget>
#include <QHash>
#include <QWidget>
#include <algorithm>

namespace shardscope {

namespace {

class TableInterface : public QAccessibleWidget, public QAccessibleTableInterface {
public:
    explicit TableInterface(QWidget* widget)
        : QAccessibleWidget(widget, QAccessible::Table)
    {
    }
    ~TableInterface() override;

    /// Null while the widget goes: then it is a bare QWidget already.
    [[nodiscard]] PaintedTable* table() const { return dynamic_cast<PaintedTable*>(widget()); }
    [[nodiscard]] bool isValid() const override { return QAccessibleWidget::isValid() && table(); }

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
        if (!isValid())
            return nullptr;
        const QPoint point = widget()->mapFromGlobal(QPoint(x, y));
        const int row = table()->tableRowAt(point);
        return row < 0 ? nullptr : cellAt(row, table()->tableColumnAt(point));
    }

    // The table.
    [[nodiscard]] QAccessibleInterface* caption() const override { return nullptr; }
    [[nodiscard]] QAccessibleInterface* summary() const override { return nullptr; }
    [[nodiscard]] QAccessibleInterface* cellAt(int row, int column) const override;
    [[nodiscard]] int selectedCellCount() const override { return 0; }
    [[nodiscard]] QList<QAccessibleInterface*> selectedCells() const override { return {}; }
    [[nodiscard]] QString columnDescription(int column) const override
    {
        return isValid() ? table()->tableHeader(column) : QString();
    }
    [[nodiscard]] QString rowDescription(int row) const override
    {
        return isValid() ? table()->tableRowName(row) : QString();
    }
    [[nodiscard]] int selectedColumnCount() const override { return 0; }
    [[nodiscard]] int selectedRowCount() const override { return 0; }
    [[nodiscard]] int columnCount() const override { return isValid() ? table()->tableColumnCount() : 0; }
    [[nodiscard]] int rowCount() const override { return isValid() ? table()->tableRowCount() : 0; }
    [[nodiscard]] QList<int> selectedColumns() const override { return {}; }
    [[nodiscard]] QList<int> selectedRows() const override { return {}; }
    [[nodiscard]] bool isColumnSelected(int) const override { return false; }
    [[nodiscard]] bool isRowSelected(int row) const override
    {
        return isValid() && table()->tableCurrentRow() == row && table()->tableCurrentColumn() < 0;
    }
    bool selectRow(int row) override
    {
        if (row < 0 || row >= rowCount())
            return false;
        table()->tableActivate(row);
        return true;
    }
    bool selectColumn(int) override { return false; }
    bool unselectRow(int) override { return false; }
    bool unselectColumn(int) override { return false; }
    void modelChange(QAccessibleTableModelChangeEvent*) override { }

private:
    mutable QHash<std::pair<int, int>, QAccessible::Id> m_cells;
};

class CellInterface : public QAccessibleInterface,
                      public QAccessibleTableCellInterface,
                      public QAccessibleActionInterface {
public:
    CellInterface(TableInterface* table, int row, int column)
        : m_table(table)
        , m_row(row)
        , m_column(column)
    {
    }
    void* interface_cast(QAccessible::InterfaceType type) override
    {
        if (type == QAccessible::TableCellInterface)
            return static_cast<QAccessibleTableCellInterface*>(this);
        if (type == QAccessible::ActionInterface)
            return static_cast<QAccessibleActionInterface*>(this);
        return nullptr;
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
        if (!isValid())
            return {};
        if (which == QAccessible::Name)
            return m_table->table()->tableText(m_row, m_column);
        return which == QAccessible::Description ? m_table->table()->tableDescription(m_row, m_column) : QString();
    }
    void setText(QAccessible::Text, const QString&) override { }
    [[nodiscard]] QRect rect() const override
    {
        if (!isValid())
            return {};
        const QRect local = m_table->table()->tableCellRect(m_row, m_column);
        const auto* widget = static_cast<const QWidget*>(m_table->object());
        return local.isEmpty() ? QRect() : QRect(widget->mapToGlobal(local.topLeft()), local.size());
    }
    [[nodiscard]] QAccessible::Role role() const override { return QAccessible::Cell; }
    [[nodiscard]] QAccessible::State state() const override
    {
        QAccessible::State state;
        state.focusable = true;
        state.selectable = true;
        state.focused = state.selected = isSelected();
        state.offscreen = rect().isEmpty();
        return state;
    }

    // The cell.
    [[nodiscard]] bool isSelected() const override
    {
        if (!isValid() || m_table->table()->tableCurrentRow() != m_row)
            return false;
        const int column = m_table->table()->tableCurrentColumn();
        return column < 0 || column == m_column;
    }
    [[nodiscard]] QList<QAccessibleInterface*> columnHeaderCells() const override { return {}; }
    [[nodiscard]] QList<QAccessibleInterface*> rowHeaderCells() const override { return {}; }
    [[nodiscard]] int columnIndex() const override { return m_column; }
    [[nodiscard]] int rowIndex() const override { return m_row; }
    [[nodiscard]] int columnExtent() const override { return 1; }
    [[nodiscard]] int rowExtent() const override { return 1; }
    [[nodiscard]] QAccessibleInterface* table() const override { return m_table; }

    // What a click does.
    [[nodiscard]] QStringList actionNames() const override { return { pressAction() }; }
    void doAction(const QString& name) override
    {
        if (isValid() && name == pressAction())
            m_table->table()->tableActivateCell(m_row, m_column);
    }
    [[nodiscard]] QStringList keyBindingsForAction(const QString&) const override { return {}; }

private:
    TableInterface* m_table;
    int m_row, m_column;
};

TableInterface::~TableInterface()
{
    for (const QAccessible::Id id : std::as_const(m_cells))
        QAccessible::deleteAccessibleInterface(id);
}

QAccessibleInterface* TableInterface::cellAt(int row, int column) const
{
    if (row < 0 || column < 0 || row >= rowCount() || column >= columnCount())
        return nullptr;
    const std::pair key(row, column);
    if (const auto known = m_cells.constFind(key); known != m_cells.constEnd())
        return QAccessible::accessibleInterface(*known);
    auto* cell = new CellInterface(const_cast<TableInterface*>(this), row, column);
    m_cells.insert(key, QAccessible::registerAccessibleInterface(cell));
    return cell;
}

int TableInterface::indexOfChild(const QAccessibleInterface* child) const
{
    const auto* cell = dynamic_cast<const CellInterface*>(child);
    return cell ? cell->rowIndex() * columnCount() + cell->columnIndex() : -1;
}

QAccessibleInterface* makeInterface(const QString&, QObject* object)
{
    auto* widget = qobject_cast<QWidget*>(object);
    return dynamic_cast<PaintedTable*>(widget) ? new TableInterface(widget) : nullptr;
}

} // namespace

PaintedTable::PaintedTable()
{
    QAccessible::installFactory(makeInterface); // Qt ignores a factory that is installed already
}

QString PaintedTable::tableDescription(int row, int) const
{
    QStringList parts;
    for (int column = 0; column < tableColumnCount(); ++column)
        if (const QString cell = tableText(row, column); !cell.isEmpty())
            parts << QStringLiteral("%1: %2").arg(tableHeader(column), cell);
    return parts.join(QStringLiteral(", "));
}

void PaintedTable::tableChanged(QWidget* widget)
{
    if (!QAccessible::isActive())
        return;
    QAccessibleTableModelChangeEvent event(widget, QAccessibleTableModelChangeEvent::ModelReset);
    QAccessible::updateAccessibility(&event);
}

void PaintedTable::tableCurrentChanged(QWidget* widget)
{
    const auto* table = dynamic_cast<const PaintedTable*>(widget);
    if (!QAccessible::isActive() || !table || table->tableCurrentRow() < 0)
        return;
    QAccessibleEvent event(widget, QAccessible::Focus);
    event.setChild(table->tableCurrentRow() * table->tableColumnCount() + std::max(0, table->tableCurrentColumn()));
    QAccessible::updateAccessibility(&event);
}

} // namespace shardscope
