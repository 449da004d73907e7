// SPDX-License-Identifier: GPL-3.0-or-later
// Paints a shard grid and lets it be walked: colour says which shard, pattern in what state, text on which devices.
#pragma once

#include <QImage>
#include <QWidget>
#include <optional>

#include "geometry/grid_layout.h"
#include "views/device_map/device_colours.h"
#include "views/theme/theme.h"
#include "views/widgets/canvas.h"
#include "words/grid_subject.h"

namespace shardscope {

class Selection;
struct Theme;

class GridCanvas : public Canvas {
    Q_OBJECT
public:
    explicit GridCanvas(Selection* selection, QWidget* parent = nullptr);

    void setSubject(std::optional<GridSubject> subject);
    [[nodiscard]] const std::optional<GridSubject>& subject() const { return m_subject; }
    void setChoice(GridLayout::Choice choice);
    [[nodiscard]] const GridLayout::Choice& choice() const { return m_choice; }
    /// Whether a dimension can go to a place of the axis tray, and taking it there.
    [[nodiscard]] bool canMove(int dimension, GridPlace place) const;
    bool moveDimension(int dimension, GridPlace place);
    /// Another block of a dimension that is on a slider.
    void setSlide(int dimension, std::int64_t block);
    void setColour(ColourBy colour);
    void chooseColour(ColourBy colour); ///< the same for the mesh beside it
    /// How long the device at each mesh position was busy in the last step; empty before there was one.
    void setSeconds(std::vector<double> seconds);
    /// What colours tell where they do not tell shards, devices or hosts; empty where they do.
    [[nodiscard]] const ColouredGrades& grades() const { return m_grades; }
    /// The devices, hosts or groups of devices whose colours a cell has, each once, at most 64 of them; none where
    /// colours are those of shards.
    [[nodiscard]] std::vector<std::int32_t> coloursIn(const GridCell& cell) const;
    /// What is said when there is nothing to draw.
    void setEmptyText(const QString& text);
    [[nodiscard]] const GridLayout& grid() const { return m_grid; }
    /// The cell that arrow keys walk from.
    [[nodiscard]] std::optional<GridCell> currentCell() const { return m_current; }
    void setCurrentCell(std::optional<GridCell> cell);

    /// Nearer to a cell: by default the one walked to, or the one in the middle. Cells get room for their names, then
    /// for all that is said of a shard; the window is moved by keys and wheel.
    void zoomIn(std::optional<GridCell> anchor = std::nullopt);
    void zoomOut();
    [[nodiscard]] bool canZoomIn() const { return m_subject && m_level < m_levels.size(); }
    [[nodiscard]] bool canZoomOut() const { return m_level > 0; }
    /// From the whole grid to what is in sight: "16,384 shards", "host 37", "shard 296".
    [[nodiscard]] QStringList trail() const;
    /// Back to one of its places.
    void zoomTo(int place);

    // Cells as a table, for screen readers.
    [[nodiscard]] int tableRowCount() const override;
    [[nodiscard]] int tableColumnCount() const override;
    [[nodiscard]] QString tableHeader(int column) const override { return tr("column %1").arg(column); }
    [[nodiscard]] QString tableRowName(int row) const override { return tr("row %1").arg(row); }
    [[nodiscard]] QString tableText(int row, int column) const override;
    [[nodiscard]] QString tableDescription(int row, int column) const override;
    [[nodiscard]] QRect tableRect(int row) const override;
    [[nodiscard]] QRect tableCellRect(int row, int column) const override;
    [[nodiscard]] int tableRowAt(QPoint point) const override;
    [[nodiscard]] int tableColumnAt(QPoint point) const override;
    [[nodiscard]] int tableCurrentRow() const override;
    [[nodiscard]] int tableCurrentColumn() const override;
    void tableActivateCell(int row, int column) override;

    [[nodiscard]] QSize sizeHint() const override { return { Metrics::scaled(560), Metrics::scaled(360) }; }
    [[nodiscard]] QSize minimumSizeHint() const override { return { Metrics::scaled(220), Metrics::scaled(140) }; }

Q_SIGNALS:
    void zoomChanged();
    void choiceChanged();

protected:
    [[nodiscard]] Tip tipAt(QPoint point) const override;
    void arrange() override;
    void recolour() override;
    void hoverAt(std::optional<QPoint> point) override;
    void zoomAt(int steps, QPoint at) override;
    bool scrollBy(QPoint turned, Qt::KeyboardModifiers keys) override;
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    void layOut();
    [[nodiscard]] int tableRowsPerPanel() const;
    [[nodiscard]] GridCell tableCell(int row, int column) const;
    [[nodiscard]] GridMargins margins() const;
    [[nodiscard]] GridCell windowCentre() const;
    void setLevel(std::size_t level, std::optional<GridCell> anchor);
    void moveWindow(std::int64_t rows, std::int64_t columns);
    /// The next block on the sliders, or the next panel where there is no slider.
    void turnPage(int by);
    void ensureVisible(const GridCell& cell);
    void forgetPictures();
    /// Lights the holders of a cell in all views, for the pointer or for the keys.
    void highlight(std::optional<GridCell> cell, bool byKeys);
    void followSelection();
    [[nodiscard]] std::vector<GridCell> cellsOf(const DeviceGroup& devices);
    /// Colours are those of shards: chosen so, or for want of what they are to tell.
    [[nodiscard]] bool byShard() const
    {
        return m_colour == ColourBy::Shard || (m_colour > ColourBy::Host && m_grades.isEmpty());
    }
    [[nodiscard]] std::int32_t colourKeyOf(std::int32_t device) const;
    [[nodiscard]] QColor colourOfKey(std::int32_t key, const Theme& theme) const;
    [[nodiscard]] QColor fillOf(const GridCell& cell, const Theme& theme) const;
    void paintFill(QPainter& painter, const QRect& rect, const GridCell& cell, const Theme& theme) const;
    [[nodiscard]] bool legendBeside() const { return width() >= Metrics::scaled(440); }

    void paintPanel(QPainter& painter, int panel, const Theme& theme) const;
    void paintRaster(QPainter& painter, int panel, const Theme& theme) const;
    [[nodiscard]] QImage rasterOf(int panel, const Theme& theme) const;
    void paintCell(QPainter& painter, const GridCell& cell, const Theme& theme) const;
    [[nodiscard]] QSize smallestFace() const;
    [[nodiscard]] bool haveAllNames() const;
    /// Returns whether the words of a cell stand on padding.
    bool paintPlates(QPainter& painter, int panel, const Theme& theme) const;
    /// Returns false where there is too little room for the words.
    bool paintPlate(QPainter& painter, const QRect& cell, const QColor& fill, std::int64_t shard, bool patterned,
        const Theme& theme) const;
    void paintPadding(QPainter& painter, const QRect& panel, const Theme& theme) const;
    void paintPaddingWords(QPainter& painter, const QRect& panel, const Theme& theme) const;
    [[nodiscard]] QRect faceOf(const GridCell& cell) const; ///< of a cell, without the gap and the sheets behind it
    [[nodiscard]] int sheetsBehind() const; ///< addends drawn behind the first
    [[nodiscard]] int sheetStep(const GridCell& cell) const; ///< how far they stand out: less in a low cell
    void paintColumnHeader(QPainter& painter, const Theme& theme) const;
    void paintRowHeader(QPainter& painter, const Theme& theme) const;
    void paintPanelTitles(QPainter& painter, const Theme& theme) const;
    /// Of a grid whose cells are too small for marks: how many devices and shards there are, and what a tile is.
    [[nodiscard]] QStringList tileWords() const;
    struct Legend;
    void paintLegend(QPainter& painter, const Theme& theme) const;
    void paintMarks(QPainter& painter, const Theme& theme) const;

    Selection* m_selection;
    std::optional<GridSubject> m_subject;
    GridLayout::Choice m_choice;
    ColourBy m_colour = ColourBy::Shard;
    ColouredGrades m_grades;
    QString m_gradedAxis; ///< the selected one, when they were made
    std::vector<double> m_seconds;
    QString m_emptyText;
    GridLayout m_grid;
    QSize m_smallestFace; ///< of its cells
    bool m_hasNames = true; ///< in its cells, where these have the size for that
    std::optional<GridCell> m_current, m_highlightedCell;
    bool m_highlightedByKeys = false;
    std::vector<GridCell> m_selectedCells, m_highlightedCells; ///< of the selection's devices
    std::optional<DevicePositions> m_positions; ///< made when ids are asked for
    QRect m_legend;
    QSize m_area; ///< of the grid with its headers
    GridWindow m_window;
    std::vector<GridDetail> m_levels; ///< that are nearer than the whole grid
    std::size_t m_level = 0; ///< 0: the whole grid
    GridCell m_focus; ///< that was zoomed to
    mutable std::vector<QImage> m_rasters; ///< of panels with many cells; null if they have to be painted anew
    bool m_ring = false; ///< the focus came by keyboard
};

} // namespace shardscope
