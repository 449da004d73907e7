// SPDX-License-Identifier: GPL-3.0-or-later
// Paints a shard grid and lets it be walked: colour says which shard, pattern in what state, text on which devices.
#pragma once

#include <QWidget>
#include <optional>

#include "views/shard_grid_view/grid_subject.h"
#include "views/widgets/painted_table.h"

namespace shardscope {

class Selection;
struct Theme;

class GridCanvas : public QWidget, public PaintedTable {
    Q_OBJECT
public:
    explicit GridCanvas(Selection* selection, QWidget* parent = nullptr);

    void setSubject(std::optional<GridSubject> subject);
    [[nodiscard]] const std::optional<GridSubject>& subject() const { return m_subject; }
    void setChoice(GridLayout::Choice choice);
    void setColour(GridColour colour);
    /// What is said when there is nothing to draw.
    void setEmptyText(const QString& text);
    [[nodiscard]] const GridLayout& grid() const { return m_grid; }
    /// The cell that arrow keys walk from.
    [[nodiscard]] std::optional<GridCell> currentCell() const { return m_current; }
    void setCurrentCell(std::optional<GridCell> cell);

    // One cell per shard.
    [[nodiscard]] int tableRowCount() const override;
    [[nodiscard]] int tableColumnCount() const override;
    [[nodiscard]] QString tableHeader(int column) const override;
    [[nodiscard]] QString tableRowName(int row) const override;
    [[nodiscard]] QString tableText(int row, int column) const override;
    [[nodiscard]] QString tableDescription(int row, int column) const override;
    [[nodiscard]] QRect tableRect(int row) const override;
    [[nodiscard]] QRect tableCellRect(int row, int column) const override;
    [[nodiscard]] int tableRowAt(QPoint point) const override;
    [[nodiscard]] int tableColumnAt(QPoint point) const override;
    [[nodiscard]] int tableCurrentRow() const override;
    [[nodiscard]] int tableCurrentColumn() const override;
    void tableActivate(int row) override { tableActivateCell(row, 0); }
    void tableActivateCell(int row, int column) override;

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    [[nodiscard]] int rowsPerPanel() const; ///< of the table
    [[nodiscard]] GridCell cellOfTable(int row, int column) const;
    void arrange();
    void layOut();
    void hover(std::optional<GridCell> cell);
    [[nodiscard]] std::vector<GridCell> litCells(const std::vector<std::int32_t>& devices) const;
    [[nodiscard]] QColor fillOf(const GridCell& cell, const Theme& theme) const;
    [[nodiscard]] bool legendBeside() const;

    void paintPanel(QPainter& painter, int panel, const Theme& theme) const;
    void paintRaster(QPainter& painter, int panel, const Theme& theme) const;
    void paintCell(QPainter& painter, const GridCell& cell, const Theme& theme) const;
    /// Returns whether the words of a cell stand on padding.
    bool paintPlates(QPainter& painter, int panel, const Theme& theme) const;
    /// Returns false where there is too little room for the words.
    bool paintPlate(QPainter& painter, const QRect& cell, const QColor& fill, std::int64_t shard, bool patterned,
        const Theme& theme) const;
    void paintPadding(QPainter& painter, const QRect& panel, const Theme& theme) const;
    void paintPaddingWords(QPainter& painter, const QRect& panel, const Theme& theme) const;
    [[nodiscard]] QRect faceOf(const GridCell& cell) const; ///< of a cell, without the gap and the sheets behind it
    [[nodiscard]] int sheetsBehind() const; ///< addends drawn behind the first
    void paintColumnHeader(QPainter& painter, const Theme& theme) const;
    void paintRowHeader(QPainter& painter, const Theme& theme) const;
    void paintPanelTitles(QPainter& painter, const Theme& theme) const;
    void paintLegend(QPainter& painter, const Theme& theme) const;
    void paintMarks(QPainter& painter, const Theme& theme) const;

    Selection* m_selection;
    std::optional<GridSubject> m_subject;
    GridLayout::Choice m_choice;
    GridColour m_colour = GridColour::Shard;
    QString m_emptyText;
    GridLayout m_grid;
    std::optional<GridCell> m_current, m_hovered;
    QRect m_legend;
    bool m_ring = false; ///< the focus came by keyboard
};

} // namespace shardscope
