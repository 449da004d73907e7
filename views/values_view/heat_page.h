// SPDX-License-Identifier: GPL-3.0-or-later
// The heat map with all that explains it: legend, what a point stands for, and the element pointed at. These stand
// beside the map where it is wide, below it where it is high.
#pragma once

#include <QWidget>

#include "geometry/heat_data.h"
#include "views/panel/panel.h"

class QBoxLayout;
class QComboBox;

namespace shardscope {

class HeatCanvas;
class HeatLegend;
class Selection;

class HeatPage : public QWidget {
    Q_OBJECT
public:
    explicit HeatPage(Selection* selection, QWidget* parent = nullptr);

    /// Reads; nothing is drawn without content.
    void setContent(std::optional<ShownValues> shown, ReadSample read);
    [[nodiscard]] HeatCanvas* canvas() const { return m_canvas; }
    [[nodiscard]] HeatLegend* legend() const { return m_legend; }
    [[nodiscard]] QComboBox* reduction() const { return m_reduction; }
    [[nodiscard]] QString note() const { return m_note->text(); }
    /// Of differences from the reference, the word before the note: whether they are those of roundings; else "".
    [[nodiscard]] QString verdict() const { return m_verdict->text(); }

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    [[nodiscard]] bool isBeside() const { return width() >= Metrics::scaled(440) && width() * 2 >= height() * 3; }
    void arrange();
    void follow();
    void showLines(); ///< the note with its verdict, or in their place the element pointed at
    [[nodiscard]] HeatReduction chosenReduction() const;

    HeatCanvas* m_canvas;
    QWidget* m_side;
    QBoxLayout* m_both;
    QBoxLayout* m_sideColumn;
    HeatLegend* m_legend;
    QComboBox* m_reduction;
    RoleLabel* m_verdict;
    RoleLabel* m_note;
    RoleLabel* m_pointed;
    std::optional<ShownValues> m_shown;
    ReadSample m_read;
};

} // namespace shardscope
