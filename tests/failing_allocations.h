// SPDX-License-Identifier: GPL-3.0-or-later
// Counts what a test program asks the system for, and lets a chosen request fail. To be included by one source file of
// a program: it replaces operator new. Aligned requests, such as those for the memory of devices, are not counted.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <stop_token>

namespace shardscope::test {

inline std::atomic<std::int64_t> allocations = 0; ///< on all threads
inline thread_local bool neverFails = false; ///< set by threads whose requests are left alone
/// The request that will fail, counted from 1 over all threads but those; 0 for none.
inline std::atomic<std::int64_t> failingRequest = 0;
inline std::atomic<bool> hasFailed = false;
/// A stop is asked for when so many allocations have been made; 0 for never.
inline std::atomic<std::int64_t> stopAt = 0;
inline std::stop_source* stopped = nullptr;

/// From now on the request with that number fails, once.
inline void failRequest(std::int64_t number)
{
    hasFailed = false;
    failingRequest = number;
}

/// Requests from that number on wait until release(), but for those of the same threads; 0 for none.
inline std::atomic<std::int64_t> holdFrom = 0;
inline void release()
{
    holdFrom = 0;
    holdFrom.notify_all();
}

inline bool failsNow()
{
    const std::int64_t made = allocations.fetch_add(1) + 1;
    if (made == stopAt)
        stopped->request_stop();
    if (neverFails)
        return false;
    for (std::int64_t from = holdFrom; from != 0 && made >= from; from = holdFrom)
        holdFrom.wait(from);
    if (failingRequest == 0 || failingRequest.fetch_sub(1) != 1)
        return false;
    hasFailed = true;
    return true;
}

} // namespace shardscope::test

void* operator new(std::size_t size)
{
    if (!shardscope::test::failsNow())
        if (void* memory = std::malloc(size))
            return memory;
    throw std::bad_alloc();
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept
{
    return shardscope::test::failsNow() ? nullptr : std::malloc(size);
}
void operator delete(void* memory) noexcept
{
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept
{
    std::free(memory);
}
