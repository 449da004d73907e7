// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/timing_view/timing_plots.h"

#include <limits>
#include <utility>

#include "words/words.h"

namespace shardscope {

AccessibleStepPlot::AccessibleStepPlot(QString head, QWidget* parent)
    : plot::StepPlot(parent)
    , m_head(std::move(head))
{
    connect(this, &plot::StepPlot::hovered, this, [this] { tableCurrentChanged(this); });
}

void AccessibleStepPlot::setSteps(std::int64_t first, std::vector<double> seconds)
{
    setTimes(first, seconds);
    m_first = first;
    m_areTimes = true;
    m_numbers.assign(seconds.begin(), seconds.end());
    tableChanged(this);
}

void AccessibleStepPlot::setFigures(std::int64_t first, std::vector<std::optional<double>> figures)
{
    std::vector<double> numbers;
    for (const std::optional<double>& figure : figures)
        numbers.push_back(figure.value_or(std::numeric_limits<double>::quiet_NaN()));
    setNumbers(first, numbers);
    m_first = first;
    m_areTimes = false;
    m_numbers = std::move(figures);
    tableChanged(this);
}

QString AccessibleStepPlot::stepText(std::int64_t step) const
{
    return tr("Step %1: %2").arg(words::count(step), tableText(static_cast<int>(step - m_first), 1));
}

QString AccessibleStepPlot::tableHeader(int column) const
{
    return column == 0 ? tr("Step") : m_head;
}

QString AccessibleStepPlot::tableText(int row, int column) const
{
    if (column == 0)
        return words::count(m_first + row);
    const std::optional<double>& number = m_numbers[static_cast<std::size_t>(row)];
    return m_areTimes && number ? words::seconds(*number) : figureText(number);
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
