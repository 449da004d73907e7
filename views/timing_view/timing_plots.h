// SPDX-License-Identifier: GPL-3.0-or-later
// The plots of the Timing view with what they show as tables for screen readers.
#pragma once

#include <functional>
#include <optional>

#include "plot/device_bars_plot.h"
#include "plot/step_plot.h"
#include "views/timing_view/timing_summary.h"
#include "views/widgets/painted_table.h"

namespace shardscope {

/// One row per step, oldest first: its time, or a figure of it.
class AccessibleStepPlot : public plot::StepPlot, public PaintedTable {
    Q_OBJECT
public:
    /// `head`: what its numbers are, "Time", "Loss".
    explicit AccessibleStepPlot(QString head, QWidget* parent = nullptr);
    void setSteps(std::int64_t first, std::vector<double> seconds);
    void setFigures(std::int64_t first, std::vector<std::optional<double>> figures);
    /// "Step 12: 4.85417", "Step 12: 9.42 ms".
    [[nodiscard]] QString stepText(std::int64_t step) const;

    [[nodiscard]] int tableRowCount() const override { return static_cast<int>(m_numbers.size()); }
    [[nodiscard]] int tableColumnCount() const override { return 2; }
    [[nodiscard]] QString tableHeader(int column) const override;
    [[nodiscard]] QString tableText(int row, int column) const override;
    [[nodiscard]] QRect tableRect(int row) const override { return stepRect(m_first + row); }
    [[nodiscard]] int tableRowAt(QPoint point) const override;
    [[nodiscard]] int tableCurrentRow() const override;

private:
    QString m_head;
    std::int64_t m_first = 1;
    bool m_areTimes = true;
    std::vector<std::optional<double>> m_numbers;
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
