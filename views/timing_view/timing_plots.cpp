// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/timing_view/timing_plots.h"

#include <utility>

#include "words/words.h"

namespace shardscope {

AccessibleStepPlot::AccessibleStepPlot(QWidget* parent)
    : plot::StepTimePlot(parent)
{
    connect(this, &plot::StepTimePlot::hovered, this, [this] { tableCurrentChanged(this); });
}

void AccessibleStepPlot::setSteps(std::int64_t first, std::vector<double> seconds)
{
    setTimes(first, seconds);
    m_first = first;
    m_seconds = std::move(seconds);
    tableChanged(this);
}

QString AccessibleStepPlot::tableHeader(int column) const
{
    return column == 0 ? tr("Step") : tr("Time");
}

QString AccessibleStepPlot::tableText(int row, int column) const
{
    return column == 0 ? words::count(m_first + row) : words::seconds(m_seconds[static_cast<std::size_t>(row)]);
}

int AccessibleStepPlot::tableRowAt(QPoint point) const
{
    const qint64 step = stepAt(point);
    return step < 0 ? -1 : static_cast<int>(step - m_first);
}

int AccessibleStepPlot::tableCurrentRow() const
{
    return current() < 0 ? -1 : static_cast<int>(current() - m_first);
}

AccessibleBarsPlot::AccessibleBarsPlot(QWidget* parent)
    : plot::DeviceBarsPlot(parent)
{
    connect(this, &plot::DeviceBarsPlot::hovered, this, [this] { tableCurrentChanged(this); });
}

void AccessibleBarsPlot::setTimes(std::vector<DeviceBar> bars, QStringList names)
{
    m_bars = std::move(bars);
    m_names = std::move(names);
    tableChanged(this);
}

QString AccessibleBarsPlot::tableHeader(int column) const
{
    switch (column) {
    case 0:
        return tr("Devices");
    case 1:
        return tr("Compute");
    case 2:
        return tr("Communication");
    default:
        return tr("Wait");
    }
}

QString AccessibleBarsPlot::tableText(int row, int column) const
{
    const DeviceTimes& times = m_bars[static_cast<std::size_t>(row)].times;
    switch (column) {
    case 0:
        return m_names.value(row);
    case 1:
        return words::seconds(times.compute);
    case 2:
        return words::seconds(times.communication);
    default:
        return words::seconds(times.wait);
    }
}

} // namespace shardscope
