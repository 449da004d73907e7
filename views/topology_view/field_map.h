// SPDX-License-Identifier: GPL-3.0-or-later
// A map of devices: the machine, or the mesh. Hovering over a cell lights the device in all views; a click selects it.
// Arrow keys walk from cell to cell.
#pragma once

#include <QPixmap>
#include <QRgb>
#include <QWidget>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "views/topology_view/device_field.h"
#include "views/widgets/painted_table.h"

namespace shardscope {

class Selection;
struct Theme;

/// The way along a mesh axis through the group of one device.
struct FieldPath {
    int axis = -1; ///< mesh axis; -1 = none
    std::vector<std::int32_t> devices;
    bool operator==(const FieldPath&) const = default;
};

class FieldMap : public QWidget, public PaintedTable {
    Q_OBJECT
public:
    FieldMap(Selection* selection, const QString& name, QWidget* parent = nullptr);

    /// Null: nothing to show but `emptyText`. `hosts` by device, for the outlines.
    void setField(std::shared_ptr<const DeviceField> field, std::vector<std::int32_t> hosts);
    void setEmptyText(const QString& text);
    /// Fill of every device, by id.
    void setFills(std::vector<QRgb> fills);
    void setPath(FieldPath path);
    /// What is said of a device: "d12: x 0, y 3, host 3, data 1".
    void setDescription(std::function<QString(std::int32_t)> describe) { m_describe = std::move(describe); }
    [[nodiscard]] const FieldLayout& layoutOfCells() const { return m_layout; }
    [[nodiscard]] const DeviceField* field() const { return m_field.get(); }
    [[nodiscard]] const FieldPath& path() const { return m_path; }
    /// The device pointed at or walked to.
    [[nodiscard]] std::optional<std::int32_t> currentDevice() const;
    [[nodiscard]] QString describe(std::int32_t device) const;

    [[nodiscard]] int tableRowCount() const override;
    [[nodiscard]] int tableColumnCount() const override { return 1; }
    [[nodiscard]] QString tableHeader(int column) const override;
    [[nodiscard]] QString tableText(int row, int column) const override;
    [[nodiscard]] QRect tableRect(int row) const override;
    [[nodiscard]] int tableRowAt(QPoint point) const override;
    [[nodiscard]] int tableCurrentRow() const override;
    void tableActivate(int row) override;

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

Q_SIGNALS:
    void currentChanged(); ///< of the device pointed at or walked to

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void arrange();
    void followSelection();
    void hover(std::optional<std::int64_t> cell);
    void walkTo(std::int64_t cell);
    [[nodiscard]] std::int32_t deviceAt(std::int64_t cell) const;
    [[nodiscard]] std::int64_t cellOf(std::int32_t device) const;
    [[nodiscard]] QRect cellRect(std::int64_t cell) const; ///< without the gap beside it
    [[nodiscard]] int gapAfter(std::int64_t cell) const;
    [[nodiscard]] bool isSmall() const; ///< a picture of pixels, without outlines
    [[nodiscard]] bool hasNames() const; ///< ids stand in the cells

    void paintBase(QPainter& painter, const Theme& theme) const;
    void paintPixels(QPainter& painter) const;
    void paintHosts(QPainter& painter, const Theme& theme) const;
    void paintPath(QPainter& painter, const Theme& theme) const;

    Selection* m_selection;
    std::shared_ptr<const DeviceField> m_field;
    std::vector<std::int32_t> m_hosts; ///< by device
    std::vector<QRgb> m_fills; ///< by device
    FieldPath m_path;
    std::function<QString(std::int32_t)> m_describe;
    FieldLayout m_layout;
    QString m_emptyText;
    QPixmap m_base; ///< all but what is selected, hovered and drawn over; null = to be made
    std::vector<std::int32_t> m_selected, m_lit;
    std::optional<std::int64_t> m_hovered; ///< cell
    std::int64_t m_current = -1; ///< cell walked to
};

} // namespace shardscope
