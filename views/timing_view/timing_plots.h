// SPDX-License-Identifier: GPL-3.0-or-later
// The plots of the Timing dock with what they show as tables for screen readers.
#pragma once

#include <functional>

#include "plot/device_bars_plot.h"
#include "plot/step_time_plot.h"
#include "views/timing_view/timing_summary.h"
#include "views/widgets/painted_table.h"

namespace shardscope {

/// One row per step, oldest first.
class AccessibleStepPlot : public plot::StepTimePlot, public PaintedTable {
    Q_OBJECT
public:
    explicit AccessibleStepPlot(QWidget* parent = nullptr);
    void setSteps(std::int64_t first, std::vector<double> seconds);

    [[nodiscard]] int tableRowCount() const override { return static_cast<int>(m_seconds.size()); }
    [[nodiscard]] int tableColumnCount() const override { return 2; }
    [[nodiscard]] QString tableHeader(int column) const override;
    [[nodiscard]] QString tableText(int row, int column) const override;
    [[nodiscard]] QRect tableRect(int row) const override { return stepRect(m_first + row); }
    [[nodiscard]] int tableRowAt(QPoint point) const override;
    [[nodiscard]] int tableCurrentRow() const override;

private:
    std::int64_t m_first = 1;
    std::vector<double> m_seconds;
};

/// One row per bar.
class AccessibleBarsPlot : public plot::DeviceBarsPlot, public PaintedTable {
    Q_OBJECT
public:
    explicit AccessibleBarsPlot(QWidget* parent = nullptr);
    /// `names` says which devices a bar stands for.
    void setTimes(std::vector<DeviceBar> bars, QStringList names);

    [[nodiscard]] int tableRowCount() const override { return static_cast<int>(m_bars.size()); }
    [[nodiscard]] int tableColumnCount() const override { return 4; }
    [[nodiscard]] QString tableHeader(int column) const override;
    [[nodiscard]] QString tableText(int row, int column) const override;
    [[nodiscard]] QRect tableRect(int row) const override { return barRect(row); }
    [[nodiscard]] int tableRowAt(QPoint point) const override { return barAt(point); }
    [[nodiscard]] int tableCurrentRow() const override { return current(); }
    void tableActivate(int row) override { Q_EMIT clicked(row); }

private:
    std::vector<DeviceBar> m_bars;
    QStringList m_names;
};

} // namespace shardscope
