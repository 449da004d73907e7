// SPDX-License-Identifier: GPL-3.0-or-later
// Work for another thread while this one goes on.
//
//     auto plan = meanwhile(isLarge, [&] { return makePlan(); });
//     show();                       // does not need the plan
//     use(plan.get());              // what work throws is thrown here
//
// What `work` refers to has to outlive the future, whose destructor waits.
#pragma once

#include <cstddef>
#include <future>
#include <utility>

namespace shardscope {

/// Operations or values of a program from which on starting a thread is worth its time, some tens of microseconds.
inline constexpr std::size_t largeForThreads = 4096;

/// Where it is not worth a thread, or the system starts none, get() does the work.
template <class Work>
[[nodiscard]] auto meanwhile(bool isWorthThread, Work work)
{
    return std::async(
        isWorthThread ? std::launch::async | std::launch::deferred : std::launch::deferred, std::move(work));
}

} // namespace shardscope
