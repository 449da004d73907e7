// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulate/run/memory_needed.h"

#include <algorithm>
#include <thread>

#include "base/alignment.h"
#include "base/codes.h"
#include "simulate/run/device_memory.h"
#include "simulate/run/phases.h"
#include "simulate/run/step_trace.h"

namespace shardscope {

Result<double> runBytes(const Plan& plan, ReplicaMode replicas, int threads, double limit, const std::stop_token& stop)
{
    MemoryBudget budget = MemoryBudget::counter(limit);
    // Addresses of all slots on all devices, places of what is filled; times and clocks, each in a cache line.
    const std::size_t perDevice = plan.slots.size() * sizeof(std::byte*)
        + plan.arguments.size() * 2 * sizeof(std::int64_t) + sizeof(Arena) + sizeof(DeviceTimes) + 3 * memoryAlignment
        + sizeof(std::optional<Error>);
    (void)budget.take(static_cast<double>(perDevice) * static_cast<double>(plan.program->mesh->deviceCount()));
    ReplicaSharing sharing;
    if (replicas == ReplicaMode::Shared) {
        constexpr double modest = 64 << 20; // to be had in any case
        const double tables = sharingBytes(plan);
        (void)budget.take(tables);
        if (tables <= std::max(limit, modest))
            sharing = shareReplicas(plan);
    }
    (void)budget.take(DeviceMemory(plan, sharing).bytesNeeded());
    SHARDSCOPE_TRY(phases, preparePhases(plan, sharing, budget, {}, stop));
    (void)budget.take(Arena::bytesTaken(phases->scratchBytes) * threads);
    return budget.taken();
}

tl::unexpected<Error> runOutOfMemory(
    const Plan& plan, const RunOptions& options, int threads, double needed, std::int64_t limit)
{
    auto error = fail(Code::OutOfMemory, { { "bytes", toBytes(needed + options.reservedBytes) }, { "limit", limit } });
    const auto fits = [limit](double bytes) { return bytes <= static_cast<double>(limit); };
    if (options.reservedBytes > 0 && fits(needed))
        error.value().args.emplace_back("alone_bytes", toBytes(needed));
    if (options.replicas == ReplicaMode::Own)
        if (const auto shared = runBytes(plan, ReplicaMode::Shared, threads, static_cast<double>(limit), options.stop);
            shared && fits(*shared + options.reservedBytes))
            error.value().args.emplace_back("shared_bytes", toBytes(*shared + options.reservedBytes));
    return error;
}

Result<RunNeeds> checkRunMemory(const Plan& plan, const RunOptions& options)
{
    const std::int64_t limit = memoryLimit(options);
    const int threads = threadsOf(options);
    SHARDSCOPE_TRY(needed, runBytes(plan, options.replicas, threads, static_cast<double>(limit), options.stop));
    const double traced =
        StepTrace::bytes(static_cast<std::size_t>(plan.program->mesh->deviceCount()), options.tracedInstructions);
    if (!options.stop.stop_requested() && *needed + traced + options.reservedBytes > static_cast<double>(limit))
        return runOutOfMemory(plan, options, threads, *needed, limit);
    return RunNeeds{ *needed, traced, limit };
}

Error runOutOfMemory(const Error& tooLarge, std::int64_t devices, const RunOptions& options)
{
    const double bytes = static_cast<double>(tooLarge.number("bytes")) * static_cast<double>(devices);
    return { Code::OutOfMemory, { { "bytes", toBytes(bytes) }, { "limit", memoryLimit(options) } }, {} };
}

int threadsOf(const RunOptions& options)
{
    return options.threads > 0 ? options.threads : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

std::int64_t memoryLimit(const RunOptions& options)
{
    if (options.memoryLimit > 0)
        return options.memoryLimit;
    constexpr std::int64_t cautious = std::int64_t{ 4 } << 30; // where nobody knows
    const auto available = availableMemory();
    return available ? *available / 4 * 3 : cautious;
}

} // namespace shardscope
