// SPDX-License-Identifier: GPL-3.0-or-later
// How busy others keep the machine while something is measured here.
#pragma once

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include <sys/resource.h>

namespace shardscope::bench {

/// Samples taken while others used more of the machine than this do not count.
constexpr double largestForeignLoad = 0.06;
/// With fewer that do the result is "inconclusive".
constexpr std::size_t cleanSamplesNeeded = 7;

/// Seconds of processor time: of everything on the machine, and of this process.
struct Load {
    double all = 0, busy = 0, own = 0;

    static Load now()
    {
        Load load;
        std::ifstream stat("/proc/stat");
        std::string cpu;
        stat >> cpu;
        for (int field = 0; field < 8; ++field) {
            double ticks = 0;
            stat >> ticks;
            load.all += ticks;
            if (field != 3 && field != 4) // idle and waiting for devices
                load.busy += ticks;
        }
        rusage usage{};
        getrusage(RUSAGE_SELF, &usage);
        const auto seconds = [](const timeval& t) {
            return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
        };
        load.own = seconds(usage.ru_utime) + seconds(usage.ru_stime);
        return load;
    }
};

/// Share of the machine that others used in between. Ticks are a hundredth of a second long: short samples are coarse.
inline double foreignLoad(const Load& before, const Load& after)
{
    constexpr double ticksPerSecond = 100;
    const double all = after.all - before.all;
    return all <= 0 ? 0 : std::max(0.0, (after.busy - before.busy - (after.own - before.own) * ticksPerSecond) / all);
}

inline double median(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    return values.empty() ? 0 : (values[values.size() / 2] + values[(values.size() - 1) / 2]) / 2;
}

} // namespace shardscope::bench
