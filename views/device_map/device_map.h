// SPDX-License-Identifier: GPL-3.0-or-later
// The map of devices: of the machine, or of the mesh, in the views Mesh and Devices. Hovering over a cell lights the
// device in all views; a click selects it. Arrow keys walk from cell to cell.
//
// Where the devices are many a tile stands for a block of them. Plus and minus, Ctrl and the wheel, a pinch or a double
// click lead to hosts, to devices and to what these hold; 0 leads back to all of them. The map is scrolled then, by
// wheel, bars or dragging.
#pragma once

#include <QPixmap>
#include <QPolygonF>
#include <QRgb>
#include <QScrollBar>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "geometry/device_field.h"
#include "sharding/device_group.h"
#include "sharding/layout.h"
#include "views/device_map/device_colours.h"
#include "views/widgets/canvas.h"

namespace shardscope {

class Selection;
struct Theme;

/// The way along a mesh axis through the group of one device.
struct MapPath {
    int axis = -1; ///< mesh axis; -1 = none
    std::vector<std::int32_t> devices;
    bool operator==(const MapPath&) const = default;
};

/// Devices that form a box, framed in every panel that has some of them.
struct MapRegion {
    enum class Kind : std::uint8_t {
        Asked, ///< framed
        Wrong, ///< framed and hatched in the colour of errors
    };
    Kind kind = Kind::Asked;
    std::vector<std::int32_t> devices;
    bool operator==(const MapRegion&) const = default;
};

/// Colours that a tile of several devices shows beside each other; more are hatched.
constexpr std::size_t maxBands = 32;

enum class MapZoom : std::uint8_t {
    Fit, ///< all devices in the room there is
    Hosts, ///< a tile for every host
    Devices, ///< a cell with its name for every device
    Holdings, ///< and what the device holds
};

class DeviceMap : public Canvas {
    Q_OBJECT
public:
    enum class Room : std::uint8_t {
        Square, ///< about as high as wide
        Flat, ///< low and wide: cells become wide, and a mesh that is long one way is folded even where cells are tiles
    };
    DeviceMap(Selection* selection, const QString& name, Room room = Room::Square, QWidget* parent = nullptr);

    /// A mesh in the colours of an array's shards; their numbers below the names of devices, where there is room.
    void setMesh(const MeshPtr& mesh, const DeviceSet& devices, std::optional<Layout> array);
    /// Null: only the text of setEmptyText() is shown. `hosts` by device, for the outlines.
    void setField(std::shared_ptr<const DeviceField> field, std::vector<std::int32_t> hosts);
    void setEmptyText(const QString& text);
    void setFills(DeviceFills fills);
    /// How long the device at each mesh position was busy in the last step; empty before there was one.
    void setSeconds(std::vector<double> seconds);
    /// Of the array of setMesh(), by what the selection says that colours tell.
    [[nodiscard]] DeviceFills fillsOfArray(const Theme& theme) const;
    /// Set by setMesh(): pointing at a device lights all that hold the same shard of it.
    [[nodiscard]] const std::optional<Layout>& array() const { return m_array; }
    /// What stands out in the machine, drawn in this order.
    void setRegions(std::vector<MapRegion> regions);
    [[nodiscard]] const std::vector<MapRegion>& regions() const { return m_regions; }
    void setPath(MapPath path);
    /// What is said of a device: "d12: x 0, y 3, host 3, data 1"; by default where it is in the field, and its host.
    void setDescription(std::function<QString(std::int32_t)> describe) { m_describe = std::move(describe); }
    /// What is written below the name of a device where cells have room: "data 3", "embed 0–63".
    void setHolding(std::function<QStringList(std::int32_t)> holding);
    void holdingChanged(); ///< for other ones
    /// In the map's coordinates while it is not zoomed; see shownRect().
    [[nodiscard]] const DeviceMapLayout& layoutOfCells() const { return m_layout; }
    /// Where the tile of a cell is now, scrolled as the map is.
    [[nodiscard]] QRect shownRect(std::int64_t cell) const { return m_layout.rectOf(cell).translated(-offset()); }

    [[nodiscard]] MapZoom zoom() const { return m_levels[m_level]; }
    /// `anchor` is the cell to keep in sight: by default the one walked to, or that in the middle.
    void zoomIn(std::optional<std::int64_t> anchor = std::nullopt);
    void zoomOut(std::optional<std::int64_t> anchor = std::nullopt);
    /// Back to one of the places of trail().
    void zoomTo(int place);
    [[nodiscard]] bool canZoomIn() const { return m_field && m_level + 1 < m_levels.size(); }
    [[nodiscard]] bool canZoomOut() const { return m_level > 0; }
    /// From all devices to what was zoomed to: "16,384 devices", "host 37", "d148"; empty where all are shown.
    [[nodiscard]] QStringList trail() const;
    /// "Each tile is 64 devices: x 8 × y 8, in bands of their 8 colours."; empty where a cell is a device.
    [[nodiscard]] QString tileText() const;
    [[nodiscard]] const DeviceField* field() const { return m_field.get(); }
    [[nodiscard]] const MapPath& path() const { return m_path; }
    /// The device pointed at or walked to, or the first one of the tile.
    [[nodiscard]] std::optional<std::int32_t> currentDevice() const;
    /// The same in words, a whole tile where that stands for several: "64 devices: z 0, y 0–7, x 8–15"; empty for none.
    [[nodiscard]] QString currentText() const;
    [[nodiscard]] QString describe(std::int32_t device) const;

    [[nodiscard]] int tableRowCount() const override { return m_field ? static_cast<int>(m_field->devices.size()) : 0; }
    [[nodiscard]] int tableColumnCount() const override { return m_array ? 2 : 1; }
    [[nodiscard]] QStringList tableHeads() const override { return { tr("Device and place"), tr("Same shard on") }; }
    [[nodiscard]] QString tableText(int row, int column) const override;
    [[nodiscard]] QRect tableRect(int row) const override;
    [[nodiscard]] int tableRowAt(QPoint point) const override;
    [[nodiscard]] int tableCurrentRow() const override { return static_cast<int>(m_current); }
    void tableActivate(int row) override;

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

Q_SIGNALS:
    void currentChanged(); ///< of the device pointed at or walked to
    void zoomChanged(); ///< or what there is to zoom to

protected:
    void paintEvent(QPaintEvent* event) override;
    [[nodiscard]] Tip tipAt(QPoint point) const override;
    void arrange() override;
    void recolour() override;
    void hoverAt(std::optional<QPoint> point) override;
    void zoomAt(int steps, QPoint at) override;
    bool scrollBy(QPoint turned, Qt::KeyboardModifiers keys) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void findLevels();
    void showArray();
    [[nodiscard]] QStringList shardAt(std::int32_t device) const;
    void zoomLayout();
    void setLevel(std::size_t level, std::optional<std::int64_t> anchor);
    void scrollTo(QPoint offset);
    void ensureVisible(std::int64_t cell);
    [[nodiscard]] QPoint offset() const { return m_level == 0 ? QPoint() : QPoint(m_across->value(), m_down->value()); }
    [[nodiscard]] QRect viewport() const; ///< of the cells, without the heads
    [[nodiscard]] QSize headRoom() const;
    [[nodiscard]] QSize tileSize(MapZoom zoom) const;
    [[nodiscard]] std::optional<std::int64_t> cellAt(QPoint point) const;
    void followSelection();
    void followPointer(); ///< after the map has moved under the pointer
    /// What chose the cell that all views highlight, if there is one.
    enum class HighlightSource : std::uint8_t { None, Pointer, Keys };
    void highlight(std::optional<std::int64_t> cell, HighlightSource by);
    void walkTo(std::int64_t cell);
    void select(std::int64_t cell, bool more);
    [[nodiscard]] std::int32_t deviceAt(std::int64_t cell) const;
    [[nodiscard]] std::int64_t cellOf(std::int32_t device) const;
    [[nodiscard]] std::int32_t hostOf(std::int32_t device) const;
    [[nodiscard]] std::int32_t hostOfRow(const MapPanel& panel, std::int64_t row) const;
    [[nodiscard]] DeviceGroup devicesAt(std::int64_t cell) const; ///< of its tile
    /// Those of its tile, and all others that hold the same shard where the tile holds one alone.
    [[nodiscard]] DeviceGroup holdersAt(std::int64_t cell) const;
    [[nodiscard]] QString textAt(std::int64_t cell) const; ///< of its tile
    /// "same shard on d1, d5"; empty where no other device holds the shard, or no array is shown.
    [[nodiscard]] QString sharedText(std::int64_t cell) const;
    [[nodiscard]] QRect cellRect(std::int64_t cell) const; ///< without the gap beside it
    [[nodiscard]] int gapAfter(std::int64_t cell) const;
    [[nodiscard]] QRgb fillOf(std::int32_t device) const;
    [[nodiscard]] int markOf(std::int32_t device) const;
    /// Different fills in a block, in the order of its cells; at most one more than `most`. Of large blocks a sample.
    [[nodiscard]] std::vector<QRgb> coloursIn(const MapBlock& block, std::size_t most) const;
    [[nodiscard]] bool isSmall() const; ///< tiles, or cells of a few pixels
    [[nodiscard]] bool hasNames() const;
    [[nodiscard]] bool hasHoldings() const; ///< below the names
    [[nodiscard]] MapSizes sizes() const;
    [[nodiscard]] bool hasHeading() const; ///< "model →, data ↓" above panels in low rooms

    void paintBase(QPainter& painter, const Theme& theme) const;
    void paintTiles(QPainter& painter, const Theme& theme) const;
    void paintCells(QPainter& painter, const Theme& theme) const;
    struct NameLook {
        bool onPlate = false; ///< over what is drawn there
        bool holding = false; ///< with what the device holds
    };
    void paintName(QPainter& painter, const Theme& theme, std::int32_t device, const QRect& cell, NameLook look) const;
    void paintPixels(QPainter& painter) const;
    void paintTitles(QPainter& painter, const Theme& theme) const;
    void paintHeads(QPainter& painter, const Theme& theme) const;
    void paintHosts(QPainter& painter, const Theme& theme) const;
    void paintGroups(QPainter& painter, const Theme& theme) const;
    void paintPath(QPainter& painter, const Theme& theme) const;
    void paintPathDots(QPainter& painter, const Theme& theme) const;
    void paintPathLines(QPainter& painter, const Theme& theme, const std::vector<QPolygonF>& lines) const;
    void paintPathEnds(QPainter& painter, const Theme& theme, QPointF first, const QPolygonF& last, double size) const;
    [[nodiscard]] std::vector<QPolygonF> pathLines() const;
    [[nodiscard]] bool inOneLine(std::int32_t from, std::int32_t to) const;
    void paintRegions(QPainter& painter, const Theme& theme) const;
    void paintBands(QPainter& painter, const QRect& rect, const std::vector<QRgb>& colours, const Theme& theme) const;
    void paintMarks(QPainter& painter, const Theme& theme) const;
    void outline(QPainter& painter, const DeviceGroup& devices, const QColor& colour, int width) const;
    void outline(QPainter& painter, const QRect& cell, const QColor& colour, int width) const;

    Selection* m_selection;
    Room m_room;
    QScrollBar* m_across;
    QScrollBar* m_down;
    std::shared_ptr<const DeviceField> m_field;
    std::vector<std::int32_t> m_hosts; ///< by device
    MapTile m_hostTile; ///< one cell where hosts fill no tiles
    DeviceFills m_fills;
    std::shared_ptr<const DevicePlaces> m_places; ///< of setMesh()
    std::vector<double> m_seconds;
    const Theme* m_fillsTheme = nullptr; ///< of the colours of an array
    std::optional<Layout> m_array;
    ShardDigits m_digits; ///< of the array
    std::vector<MapRegion> m_regions;
    MapPath m_path;
    std::function<QString(std::int32_t)> m_describe;
    std::function<QStringList(std::int32_t)> m_holding;
    DeviceMapLayout m_fit, m_layout; ///< all of it, and as it is zoomed
    std::vector<MapZoom> m_levels{ MapZoom::Fit }; ///< that show more than the one before, the whole first
    std::size_t m_level = 0;
    std::int64_t m_focus = 0; ///< cell that was zoomed to
    QString m_emptyText;
    QPixmap m_base; ///< all but what is selected, hovered and drawn over; null = to be made
    DeviceGroup m_selected, m_highlighted;
    std::optional<std::int64_t> m_highlightedCell;
    HighlightSource m_highlightSource = HighlightSource::None;
    std::optional<QPoint> m_pressed, m_dragged; ///< where pressed; the offset when dragging
    std::int64_t m_current = -1; ///< cell walked to
};

} // namespace shardscope
