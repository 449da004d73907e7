// SPDX-License-Identifier: GPL-3.0-or-later
// Declared in run.h.
#include "simulate/run/step_statistics.h"

namespace shardscope {

TimeitResult timeit(Stepper& run, std::int64_t runs, std::int64_t loops, std::stop_token stop,
    const std::function<void(const StepTiming&)>& onStep)
{
    TimeitResult result;
    result.loops = loops;
    std::int64_t steps = 0;
    for (std::int64_t r = 0; r < runs && !result.stopped; ++r) {
        double seconds = 0;
        for (std::int64_t loop = 0; loop < loops; ++loop) {
            if (stop.stop_requested()) {
                result.stopped = true;
                break;
            }
            const StepTiming& timing = run.step();
            if (run.stopped()) {
                result.stopped = true;
                break;
            }
            seconds += timing.wall; // what is shown of the step: mean and single steps are one measure
            result.devices.resize(timing.devices.size());
            for (std::size_t d = 0; d < timing.devices.size(); ++d) {
                result.devices[d].compute += timing.devices[d].compute;
                result.devices[d].communication += timing.devices[d].communication;
                result.devices[d].wait += timing.devices[d].wait;
            }
            ++steps;
            if (onStep)
                onStep(timing);
        }
        if (!result.stopped) // a run that was cut short has no time per loop
            result.perLoop.push_back(seconds / static_cast<double>(loops));
    }
    for (DeviceTimes& times : result.devices) {
        times.compute /= static_cast<double>(steps);
        times.communication /= static_cast<double>(steps);
        times.wait /= static_cast<double>(steps);
    }
    if (result.perLoop.empty())
        return result;
    const TimeStatistics measured = statistics(result.perLoop);
    result.mean = measured.mean;
    result.deviation = measured.deviation;
    return result;
}

} // namespace shardscope
