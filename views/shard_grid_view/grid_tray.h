// SPDX-License-Identifier: GPL-3.0-or-later
// The axis tray over a shard grid: where each dimension goes, which blocks sliders show, and what the colours tell.
#pragma once

#include <QHBoxLayout>
#include <QWidget>
#include <vector>

class QBoxLayout;
class QComboBox;
class QLabel;
class QSlider;

namespace shardscope {

class DimensionSlots;
class GridCanvas;
class RoleLabel;

class GridTray : public QWidget {
    Q_OBJECT
public:
    explicit GridTray(GridCanvas* canvas, QWidget* parent = nullptr);

    /// A further control, after the dimensions.
    void addControl(QWidget* control) { m_line->insertWidget(m_controls++, control, 0, Qt::AlignTop); }
    /// Shows the dimensions of the array that the canvas has got, and where they go.
    void follow();
    /// A key from 1 on chooses what the colours tell; false for any other key.
    bool chooseByKey(int key, Qt::KeyboardModifiers modifiers);
    /// Of the dimensions on sliders, in their order.
    [[nodiscard]] std::vector<QSlider*> sliders() const;
    /// Without the label, which gives way where there is little room and to names of dimensions.
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    struct SliderRow {
        QWidget* row;
        RoleLabel* block; ///< "layers 2–3"
        QSlider* slider;
        RoleLabel* place; ///< "2 of 4"
        int dimension;
    };
    void showLabel();
    [[nodiscard]] int roomBeside() const; ///< for the slots in one line with the other controls, without the label
    void followSlots();
    void placeSlots();
    void followSliders();
    SliderRow makeSlider();

    GridCanvas* m_canvas;
    QBoxLayout* m_column;
    QHBoxLayout* m_line;
    DimensionSlots* m_slots;
    QLabel* m_colourLabel;
    QComboBox* m_colour;
    std::vector<SliderRow> m_sliders;
    int m_controls = 0; ///< in m_line before the stretch
    bool m_ownLine = false; ///< the slots have a line of their own
};

} // namespace shardscope
