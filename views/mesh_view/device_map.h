// SPDX-License-Identifier: GPL-3.0-or-later
// The map of the devices: squares in the colours of the selected tensor's shards, hosts outlined. Hovering over a
// device lights every holder of the same shard in all views.
//
// A large mesh is folded, and shown with a square for every host, or for a block of several, where single devices would
// be too small. Plus and minus, Ctrl and the wheel, a pinch or a double click lead to hosts, to devices and to their
// shards; the map is scrolled then, and a trail leads back. What does not change is painted once.
#pragma once

#include <QPixmap>
#include <QWidget>
#include <optional>

#include "sharding/layout.h"
#include "views/mesh_view/device_map_layout.h"
#include "views/widgets/painted_table.h"
#include "views/widgets/pinch_zoom.h"
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
    /// From the whole mesh to what is in sight: "16,384 devices", "host 37", "d296".
    [[nodiscard]] QStringList trail() const;
    /// Back to one of its places.
    void zoomTo(int place);
    /// The square under the pointer or walked to, in words; else what a square stands for.
    [[nodiscard]] QString caption() const;
    /// "d5: data 1, model 1, host 0"; ranges for a square of several devices.
    [[nodiscard]] QString describe(std::int64_t square) const;
    /// Which rows of a line a block of it holds: "seq 2", or "data +2" counted from the line's first one.
    [[nodiscard]] words::Text groupName(std::int64_t group) const;
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
    void forgetPicture();
    void findLevels(const MapSizes& sizes);
    [[nodiscard]] static QString shardText(std::int64_t shard);
    [[nodiscard]] std::size_t level() const;
    void setZoom(MapZoom zoom, std::optional<std::int64_t> anchor);
    void followSelection();
    [[nodiscard]] bool hasColumnHeading() const;
    [[nodiscard]] QRect viewport() const; ///< of the squares
    [[nodiscard]] std::optional<std::int64_t> squareAt(QPoint point) const;
    [[nodiscard]] std::optional<std::int64_t> positionAt(QPoint point) const; ///< of the first device of that square
    void ensureVisible(std::int64_t square);
    /// Whose square it is that is lit in all views, if one is.
    enum class LitBy : std::uint8_t { Nobody, Pointer, Keys };
    void light(std::optional<std::int64_t> square, LitBy by);
    void followPointer(); ///< the map moved below it
    void select(std::int64_t square);
    void walk(std::int64_t lines, std::int64_t slots);

    [[nodiscard]] DeviceGroup devicesOf(std::int64_t square) const;
    /// Those of the square, and all others that hold the same shard where the square holds one alone.
    [[nodiscard]] DeviceGroup holdersOf(std::int64_t square) const;
    /// "same shard on d1, d5"; empty where no other device holds the shard.
    [[nodiscard]] QString sharedText(std::int64_t square) const;
    /// The one shard that all devices of a square hold, -1 if there are several.
    [[nodiscard]] std::int64_t shardOf(std::int64_t square) const;
    /// Which squares a group of devices touches.
    struct Marks {
        DeviceGroup group; ///< of this mesh: asked square by square
        std::vector<bool> squares; ///< otherwise
    };
    [[nodiscard]] Marks marksOf(const DeviceGroup& devices) const;
    [[nodiscard]] bool isMarked(const Marks& marks, std::int64_t square) const;
    [[nodiscard]] bool namesFit() const;
    [[nodiscard]] QString placeText(std::int64_t square) const;

    void paintPicture(QPainter& painter, const Theme& theme) const;
    void paintSquares(QPainter& painter, const Theme& theme, std::int64_t firstLine, std::int64_t lastLine) const;
    /// Colours alone, pixel by pixel: for squares that have room for nothing else, and for thousands of them.
    void paintRaster(QPainter& painter, const Theme& theme, std::int64_t firstLine, std::int64_t lastLine) const;
    [[nodiscard]] QColor fillOf(const Theme& theme, std::int64_t square, bool odd) const;
    void paintMarks(QPainter& painter, const Marks& marks, const QColor& colour, qreal width, std::int64_t firstLine,
        std::int64_t lastLine) const;
    void paintParts(QPainter& painter, const Theme& theme, std::int64_t square, bool odd) const;
    void paintColumnHeading(QPainter& painter, const Theme& theme) const;
    [[nodiscard]] bool paintGroupHeads(QPainter& painter, const Theme& theme, int top) const;
    void paintLineNames(QPainter& painter, const Theme& theme, std::int64_t firstLine, std::int64_t lastLine) const;

    Selection* m_selection;
    QScrollBar* m_scroll;
    MeshPtr m_mesh;
    DevicePlacesPtr m_places = std::make_shared<const DevicePlaces>(DeviceSet());
    std::optional<Layout> m_layout;
    DeviceMapLayout m_map;
    MapZoom m_zoom = MapZoom::Fit;
    std::vector<MapZoom> m_levels{ MapZoom::Fit }; ///< that show more than the one before, the whole mesh first
    bool m_fitShowsNames = true;
    std::int64_t m_focus = 0; ///< mesh position that was zoomed to
    mutable QPixmap m_picture; ///< all but what is selected and lit; null if it has to be painted anew
    PinchZoom m_pinch;
    int m_top = 0; ///< of the squares, below the heading
    DevicePositions m_positions;
    ShardDigits m_digits; ///< of the layout
    MapHosts m_hosts;
    Marks m_selected, m_lit;
    std::optional<std::int64_t> m_litSquare;
    LitBy m_litBy = LitBy::Nobody;
    std::optional<QPoint> m_pointer; ///< while it is over the map
    std::int64_t m_current = -1; ///< mesh position walked to
};

} // namespace shardscope
