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
    const QString heads[] = { tr("Devices"), tr("Compute"), tr("Communication"), tr("Wait") };
    return heads[column];
}

QString AccessibleBarsPlot::tableText(int row, int column) const
{
    const DeviceTimes& times = m_bars[static_cast<std::size_t>(row)].times;
    const double parts[] = { times.compute, times.communication, times.wait };
    return column == 0 ? m_names.value(row) : words::seconds(parts[column - 1]);
}

} // namespace shardscope
