// SPDX-License-Identifier: GPL-3.0-or-later
// Worker threads that live as long as a Run. Waiting threads spin for a moment, since the parts of a step follow each
// other within microseconds, and then sleep.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

namespace shardscope {

class ThreadPool {
public:
    /// `threads` >= 1 counts the calling thread, which works too. Where the system starts fewer, it is fewer: see
    /// threads().
    explicit ThreadPool(int threads);
    ~ThreadPool();
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    [[nodiscard]] int threads() const { return static_cast<int>(m_workers.size()) + 1; }

    /// Calls work(task, worker) once for every task below `count` (which is below 2^32), 0 <= worker < threads(), and
    /// returns when all are done. Every worker begins with a share of its own, the same one for the same count, so that
    /// its caches hold what it worked on before; who is through helps the others. Not to be called from within a task.
    template <class Work>
    void run(std::int64_t count, const Work& work)
    {
        const auto call = [](const void* context, std::int64_t task, int worker) {
            (*static_cast<const Work*>(context))(task, worker);
        };
        runTasks(count, call, &work);
    }

private:
    using Call = void (*)(const void* context, std::int64_t task, int worker);

    void runTasks(std::int64_t count, Call call, const void* context);
    void workerLoop(int worker);
    /// Takes one task and does it; false when none is left.
    bool takeTask(int worker);
    /// Until none is left.
    void takeTasks(int worker);

    struct Tasks {
        std::uint32_t begin = 0, end = 0;
    };
    struct alignas(64) Share {
        std::atomic<Tasks> left; ///< tasks not yet taken
    };

    // The job may be read by whoever took one of its tasks: it does not change before all of them are done.
    Call m_call = nullptr;
    const void* m_context = nullptr;
    int m_spins = 0;
    std::vector<Share> m_shares; ///< per worker: its owner takes the first one, others the last one
    alignas(64) std::atomic<std::int64_t> m_unfinished{ 0 };
    alignas(64) std::atomic<std::uint32_t> m_jobs{ 0 }; ///< how many there have been; sleepers wait for the next
    std::atomic<std::uint32_t> m_finishedJobs{ 0 };
    std::atomic<bool> m_stop{ false };
    std::vector<std::jthread> m_workers;
};

} // namespace shardscope
