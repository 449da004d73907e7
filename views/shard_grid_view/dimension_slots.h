// SPDX-License-Identifier: GPL-3.0-or-later
// The slots of the axis tray: rows, columns, nest, multiples, slider and fold, with a chip per dimension in the one
// where it goes. Chips are dragged from slot to slot; by keyboard the arrow keys walk them, Alt with an arrow key does
// what dragging does, and Return lists the slots.
#pragma once

#include <QPoint>
#include <QRect>
#include <QWidget>
#include <optional>
#include <span>
#include <vector>

#include "geometry/slots_layout.h"
#include "views/theme/theme.h"
#include "views/widgets/canvas.h"

namespace shardscope {

class DimensionSlots : public Canvas {
    Q_OBJECT
public:
    struct Chip {
        int dimension = 0;
        QString text; ///< "layers @pod"
        QString name; ///< "layers": where there is no room for all of the text
        int axis = -1; ///< mesh axis whose colour it bears
        GridPlace place = GridPlace::Rows;
        std::vector<GridPlace> others; ///< where else it can go
        bool operator==(const Chip&) const = default;
    };
    explicit DimensionSlots(QWidget* parent = nullptr);

    /// One per dimension. Two dimensions have but two slots.
    void setChips(std::vector<Chip> chips);
    [[nodiscard]] const std::vector<Chip>& chips() const { return m_chips; }
    [[nodiscard]] const SlotsLayout& slotsLayout() const { return m_layout; }
    /// How high it would be at that width.
    [[nodiscard]] int heightAt(int width) const;
    /// The width from which on all chips have their names, with the axes.
    [[nodiscard]] int widthForNames() const;
    /// The dimension that the keys are at, -1 for none.
    [[nodiscard]] int currentDimension() const;
    static QString placeName(GridPlace place); ///< "Rows"
    /// Why the dragged dimension cannot be dropped under the pointer; "" where it can, and while nothing is dragged.
    [[nodiscard]] QString refusal() const;

    // One row per dimension: its name and its slot.
    [[nodiscard]] int tableRowCount() const override { return static_cast<int>(m_layout.chips.size()); }
    [[nodiscard]] QStringList tableHeads() const override { return { tr("Dimension"), tr("Slot") }; }
    [[nodiscard]] QString tableText(int row, int column) const override;
    [[nodiscard]] QRect tableRect(int row) const override { return m_layout.chips[static_cast<std::size_t>(row)].rect; }
    [[nodiscard]] int tableRowAt(QPoint point) const override { return m_layout.chipAt(point); }
    [[nodiscard]] int tableCurrentRow() const override { return m_current; }
    void tableActivate(int row) override { walkTo(row); }

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override { return { Metrics::scaled(112), sizeHint().height() }; }

Q_SIGNALS:
    void moveRequested(int dimension, GridPlace place);

protected:
    [[nodiscard]] Tip tipAt(QPoint point) const override;
    void arrange() override;
    void paintEvent(QPaintEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool event(QEvent* event) override; ///< its keys come before those of the window
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    void walkTo(int chip);
    void moveBy(int steps); ///< the current chip, to the next slot that takes it
    void listPlaces(int chip);
    [[nodiscard]] const Chip& chipOf(int chip) const;
    [[nodiscard]] std::vector<SlotsLayout::Caption> captions() const;
    [[nodiscard]] std::vector<SlotsLayout::Item> items() const;
    /// The slot under the pointer, if the dragged chip can go there.
    [[nodiscard]] std::optional<GridPlace> target() const;
    void stopDragging();
    [[nodiscard]] bool takes(GridPlace place, const Chip& chip) const;

    std::vector<Chip> m_chips;
    SlotsLayout m_layout;
    int m_current = -1; ///< index into m_layout.chips
    int m_pressed = -1;
    bool m_dragging = false;
    QPoint m_pressedAt, m_pointer;
};

} // namespace shardscope
