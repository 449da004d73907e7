// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulate/run/step_statistics.h"

#include <algorithm>
#include <cmath>

namespace shardscope {

namespace {

void addShare(DeviceTimes& sum, const DeviceTimes& times, double share)
{
    sum.compute += times.compute * share;
    sum.communication += times.communication * share;
    sum.wait += times.wait * share;
}

} // namespace

TimeStatistics statistics(std::span<const double> seconds)
{
    TimeStatistics result;
    result.count = seconds.size();
    if (seconds.empty())
        return result;
    const auto count = static_cast<double>(seconds.size());
    for (const double s : seconds)
        result.mean += s / count;
    double squares = 0;
    for (const double s : seconds)
        squares += (s - result.mean) * (s - result.mean) / count;
    result.deviation = std::sqrt(squares);
    std::vector<double> sorted(seconds.begin(), seconds.end());
    std::sort(sorted.begin(), sorted.end());
    result.median = (sorted[(sorted.size() - 1) / 2] + sorted[sorted.size() / 2]) / 2;
    return result;
}

std::vector<DeviceTimes> meanDevices(std::span<const StepTiming> steps)
{
    if (steps.empty())
        return {};
    const std::size_t devices = steps.back().devices.size();
    const auto fits = [devices](const StepTiming& step) { return step.devices.size() == devices; };
    const auto count = static_cast<double>(std::count_if(steps.begin(), steps.end(), fits));
    std::vector<DeviceTimes> mean(devices);
    for (const StepTiming& step : steps)
        if (fits(step))
            for (std::size_t i = 0; i < devices; ++i)
                addShare(mean[i], step.devices[i], 1 / count);
    return mean;
}

DeviceTimes meanOf(std::span<const DeviceTimes> devices)
{
    DeviceTimes mean;
    for (const DeviceTimes& times : devices)
        addShare(mean, times, 1 / static_cast<double>(devices.size()));
    return mean;
}

double longestOf(std::span<const DeviceTimes> devices)
{
    double longest = 0;
    for (const DeviceTimes& times : devices)
        longest = std::max(longest, times.compute + times.communication + times.wait);
    return longest;
}

bool hasFigures(std::span<const StepFigures> figures)
{
    return std::any_of(
        figures.begin(), figures.end(), [](const StepFigures& each) { return !(each == StepFigures()); });
}

std::optional<std::int64_t> firstNonFiniteStep(std::int64_t first, std::span<const StepFigures> figures)
{
    const auto isStrange = [](const std::optional<double>& figure) { return figure && !std::isfinite(*figure); };
    for (std::size_t i = 0; i < figures.size(); ++i)
        if (isStrange(figures[i].loss) || isStrange(figures[i].parameterNorm) || isStrange(figures[i].gradientNorm))
            return first + static_cast<std::int64_t>(i);
    return std::nullopt;
}

std::vector<DeviceBar> deviceBars(std::span<const DeviceTimes> devices, std::size_t maximumBars)
{
    std::vector<DeviceBar> bars;
    if (devices.empty() || maximumBars == 0)
        return bars;
    const std::size_t each = (devices.size() + maximumBars - 1) / maximumBars;
    for (std::size_t first = 0; first < devices.size(); first += each) {
        const std::size_t count = std::min(each, devices.size() - first);
        bars.push_back({ first, count, meanOf(devices.subspan(first, count)) });
    }
    return bars;
}

} // namespace shardscope
