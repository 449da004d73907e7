// SPDX-License-Identifier: GPL-3.0-or-later
// The initial values of a run, made where they are held.
#pragma once

#include <optional>
#include <span>
#include <stop_token>

#include "schedule/plan.h"
#include "simulate/run/device_memory.h"
#include "simulate/run/initial_values.h"
#include "simulate/run/thread_pool.h"

namespace shardscope {

/// Every shard of every argument, or of `only` those, by number; on all its holders; a part of them if stopped.
/// `initial` is that of the program.
void fillArguments(const Plan& plan, const DeviceMemory& memory, const InitialArrays& initial, ThreadPool& pool,
    const std::stop_token& stop, std::optional<std::span<const std::size_t>> only = {});

} // namespace shardscope
