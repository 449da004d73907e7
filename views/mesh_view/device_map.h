// SPDX-License-Identifier: GPL-3.0-or-later
// The map of the devices: tiles in the colours of the selected tensor's shards, hosts outlined. Hovering over a device
// lights every holder of the same shard in all views.
#pragma once

#include <QWidget>
#include <optional>

#include "sharding/layout.h"
#include "views/mesh_view/device_map_layout.h"

namespace shardscope {

class Selection;
struct Theme;

class DeviceMap : public QWidget {
    Q_OBJECT
public:
    explicit DeviceMap(Selection* selection, QWidget* parent = nullptr);
    /// `layout` absent: no tensor is selected, tiles stay plain.
    void setMesh(MeshPtr mesh, std::int32_t devicesPerHost, std::optional<Layout> layout);
    [[nodiscard]] const DeviceMapLayout& map() const { return m_map; }

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

private:
    void arrange();
    void hover(std::optional<std::int64_t> position);
    [[nodiscard]] QColor fillOf(std::int64_t position, const Theme& theme) const;
    [[nodiscard]] std::vector<std::int32_t> holdersAt(std::int64_t position) const;
    [[nodiscard]] QString rowName(std::int64_t row) const;
    void paintTiles(QPainter& painter, const Theme& theme) const;
    void paintHeadings(QPainter& painter, const Theme& theme) const;

    Selection* m_selection;
    MeshPtr m_mesh;
    std::int32_t m_devicesPerHost = 1;
    std::optional<Layout> m_layout;
    DeviceMapLayout m_map;
    std::optional<std::int64_t> m_hovered;
    std::int64_t m_current = -1; ///< walked to by arrow keys
};

} // namespace shardscope
