// SPDX-License-Identifier: GPL-3.0-or-later
// What many steps have in common: mean and deviation of their times, and which of them gives numbers that are none.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "simulate/run/run.h"
#include "simulate/run/step_figures.h"

namespace shardscope {

struct TimeStatistics {
    double mean = 0;
    double deviation = 0; ///< population standard deviation
    std::size_t count = 0;
    double median = 0;
    /// Some took so much longer than the rest that the mean is that of none: the first step often does.
    [[nodiscard]] bool isUneven() const { return count > 3 && deviation > mean / 2; }
    [[nodiscard]] double usual() const { return isUneven() ? median : mean; }
};
[[nodiscard]] TimeStatistics statistics(std::span<const double> seconds);

/// Mean over steps of each device's times. Steps with another number of devices than the newest are left out.
[[nodiscard]] std::vector<DeviceTimes> meanDevices(std::span<const StepTiming> steps);
[[nodiscard]] DeviceTimes meanOf(std::span<const DeviceTimes> devices);
/// One bar: a device, or neighbours taken together when there are more devices than bars.
struct DeviceBar {
    std::size_t first = 0; ///< mesh position
    std::size_t count = 1;
    DeviceTimes times; ///< mean over the bar's devices
};
/// No more than that many bars.
[[nodiscard]] std::vector<DeviceBar> deviceBars(std::span<const DeviceTimes> devices, std::size_t maximumBars);

/// How long the device takes that is busy and waits longest: the time of a step, did all run at once.
[[nodiscard]] double longestOf(std::span<const DeviceTimes> devices);

/// Whether any of them has a loss or a norm.
[[nodiscard]] bool hasFigures(std::span<const StepFigures> figures);
/// The first step with a loss or a norm that is NaN or infinite.
[[nodiscard]] std::optional<std::int64_t> firstNonFiniteStep(std::int64_t first, std::span<const StepFigures> figures);

} // namespace shardscope
