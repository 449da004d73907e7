// SPDX-License-Identifier: GPL-3.0-or-later
// The map of the devices: squares in the colours of the selected tensor's shards, hosts outlined. Hovering over a
// device lights every holder of the same shard in all views.
//
// A large mesh is folded, and shown with several devices to a square where single ones would be too small. Plus and
// minus, Ctrl and the wheel or a double click lead to single devices and to their names; the map is scrolled then.
#pragma once

#include <QWidget>
#include <optional>

#include "sharding/layout.h"
#include "views/mesh_view/device_map_layout.h"
#include "views/widgets/painted_table.h"
#include "words/words.h"

class QScrollBar;

namespace shardscope {

class Selection;
struct Theme;

class DeviceMap : public QWidget, public PaintedTable {
    Q_OBJECT
public:
    explicit DeviceMap(Selection* selection, QWidget* parent = nullptr);
    /// `layout` absent: no tensor is selected, squares stay plain.
    void setMesh(MeshPtr mesh, const DeviceSet& devices, std::optional<Layout> layout);
    [[nodiscard]] const DeviceMapLayout& map() const { return m_map; }
    /// Where a square is now, scrolled as the map is.
    [[nodiscard]] QRect shownRect(std::int64_t square) const;

    [[nodiscard]] MapZoom zoom() const { return m_zoom; }
    /// `anchor` is the mesh position to keep in sight: by default the one walked to, or the first one shown.
    void zoomIn(std::optional<std::int64_t> anchor = std::nullopt);
    void zoomOut(std::optional<std::int64_t> anchor = std::nullopt);
    [[nodiscard]] bool canZoomIn() const;
    [[nodiscard]] bool canZoomOut() const { return m_zoom != MapZoom::Fit; }
    /// The square under the pointer or walked to, in words; else what a square stands for.
    [[nodiscard]] QString caption() const;
    /// "d5: data 1, model 1, host 0"; ranges for a square of several devices.
    [[nodiscard]] QString describe(std::int64_t square) const;
    /// The heading of a line: its coordinates, the last one a range where the line has several rows.
    [[nodiscard]] words::Text lineName(std::int64_t line) const;

    [[nodiscard]] int tableRowCount() const override;
    [[nodiscard]] int tableColumnCount() const override { return 3; }
    [[nodiscard]] QString tableHeader(int column) const override;
    [[nodiscard]] QString tableText(int row, int column) const override;
    [[nodiscard]] QRect tableRect(int row) const override;
    [[nodiscard]] int tableRowAt(QPoint point) const override;
    [[nodiscard]] int tableCurrentRow() const override;
    void tableActivate(int row) override;

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

Q_SIGNALS:
    void captionChanged(); ///< or whether there is something to zoom

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void arrange();
    void setZoom(MapZoom zoom, std::optional<std::int64_t> anchor);
    void followSelection();
    [[nodiscard]] bool hasColumnHeading() const;
    [[nodiscard]] QRect viewport() const; ///< of the squares
    [[nodiscard]] std::optional<std::int64_t> squareAt(QPoint point) const;
    [[nodiscard]] std::optional<std::int64_t> positionAt(QPoint point) const; ///< of the first device of that square
    void ensureVisible(std::int64_t square);
    void hover(std::optional<std::int64_t> square);
    void select(std::int64_t square);
    void walk(std::int64_t lines, std::int64_t slots);

    [[nodiscard]] std::vector<std::int32_t> devicesOf(std::int64_t square) const;
    /// Those of the square, and all others that hold the same shard where the square holds one alone.
    [[nodiscard]] std::vector<std::int32_t> holdersOf(std::int64_t square) const;
    /// The one shard that all devices of a square hold, -1 if there are several.
    [[nodiscard]] std::int64_t shardOf(std::int64_t square) const;
    [[nodiscard]] std::vector<bool> marksOf(const std::vector<std::int32_t>& devices) const;
    [[nodiscard]] bool namesFit() const;
    [[nodiscard]] QString blockText(const MeshBlock& block) const;

    void paintSquares(QPainter& painter, const Theme& theme, std::int64_t firstLine, std::int64_t lastLine) const;
    void paintParts(QPainter& painter, const Theme& theme, std::int64_t square) const;
    void paintColumnHeading(QPainter& painter, const Theme& theme) const;
    void paintLineNames(QPainter& painter, const Theme& theme, std::int64_t firstLine, std::int64_t lastLine) const;

    Selection* m_selection;
    QScrollBar* m_scroll;
    MeshPtr m_mesh;
    DevicePlaces m_places{ DeviceSet() };
    std::optional<Layout> m_layout;
    DeviceMapLayout m_map;
    MapZoom m_zoom = MapZoom::Fit;
    bool m_fitShowsNames = true, m_fitShowsDevices = true;
    int m_top = 0; ///< of the squares, below the heading
    std::vector<std::int64_t> m_positions; ///< by device; empty for the plain order
    mutable std::vector<std::int64_t> m_shards; ///< shardOf() by square where squares are blocks; -2 = not asked yet
    std::vector<bool> m_selected, m_lit; ///< squares
    std::optional<std::int64_t> m_hovered; ///< square
    std::int64_t m_current = -1; ///< mesh position walked to
};

} // namespace shardscope
