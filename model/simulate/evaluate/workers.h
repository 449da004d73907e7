// SPDX-License-Identifier: GPL-3.0-or-later
// The threads of an execution. They are started with the first work that is worth them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>

#include "simulate/thread_pool.h"

namespace shardscope::evaluate {

class Workers {
public:
    /// 0 = one per core, for work over enough bytes; a number = as many, for all work.
    explicit Workers(int threads)
        : m_asked(threads)
    {
    }

    /// Calls work(task) once for every task below `count`, in any order and from several threads; what a task throws is
    /// thrown here when all are done. `bytes` is what all of them together read and write. Not to be called from within
    /// a task.
    template <class Work>
    void run(std::int64_t count, double bytes, const Work& work)
    {
        ThreadPool* pool = count > 1 ? poolFor(bytes) : nullptr;
        if (!pool) {
            for (std::int64_t task = 0; task < count; ++task)
                work(task);
            return;
        }
        std::mutex mutex;
        std::exception_ptr thrown;
        pool->run(count, [&](std::int64_t task, int) {
            try {
                work(task);
            } catch (...) {
                const std::scoped_lock lock(mutex);
                thrown = std::current_exception();
            }
        });
        if (thrown)
            std::rethrow_exception(thrown);
    }

private:
    /// Null where the calling thread does it alone.
    [[nodiscard]] ThreadPool* poolFor(double bytes)
    {
        constexpr double worthIt = 256 * 1024;
        if (m_asked == 1 || (m_asked <= 0 && bytes < worthIt))
            return nullptr;
        if (!m_pool)
            m_pool = std::make_unique<ThreadPool>(
                m_asked > 0 ? m_asked : std::max(1, static_cast<int>(std::thread::hardware_concurrency())));
        return m_pool->threads() > 1 ? m_pool.get() : nullptr;
    }

    int m_asked;
    std::unique_ptr<ThreadPool> m_pool;
};

} // namespace shardscope::evaluate
