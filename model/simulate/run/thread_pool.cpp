// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulate/run/thread_pool.h"

#include <new>
#include <optional>
#include <system_error>

namespace shardscope {

namespace {

inline void pauseThread()
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#else
    std::this_thread::yield();
#endif
}

constexpr int spinsWhenEveryThreadHasACore = 20000; // some tenths of a millisecond
constexpr int spinsWhenCoresAreShared = 50;

} // namespace

ThreadPool::ThreadPool(int threads)
    : m_shares(static_cast<std::size_t>(threads))
{
    const unsigned cores = std::thread::hardware_concurrency();
    m_spins = static_cast<unsigned>(threads) <= cores ? spinsWhenEveryThreadHasACore : spinsWhenCoresAreShared;
    m_workers.reserve(static_cast<std::size_t>(threads)); // once a thread runs, nothing here may throw
    try {
        for (int worker = 1; worker < threads; ++worker)
            m_workers.emplace_back([this, worker] { workerLoop(worker); });
    } catch (const std::system_error&) { // the system starts no more of them: those that run do the work
    } catch (const std::bad_alloc&) {
    }
}

ThreadPool::~ThreadPool()
{
    m_stop.store(true);
    m_jobs.fetch_add(1);
    m_jobs.notify_all();
}

bool ThreadPool::takeTask(int worker)
{
    std::optional<std::uint32_t> task;
    for (std::size_t i = 0; i < m_shares.size() && !task; ++i) {
        std::atomic<Tasks>& share = m_shares[(static_cast<std::size_t>(worker) + i) % m_shares.size()].left;
        Tasks left = share.load(std::memory_order_acquire);
        while (left.begin < left.end && !task) {
            const Tasks rest = i == 0 ? Tasks{ left.begin + 1, left.end } : Tasks{ left.begin, left.end - 1 };
            if (share.compare_exchange_weak(left, rest, std::memory_order_acq_rel, std::memory_order_acquire))
                task = i == 0 ? left.begin : rest.end;
        }
    }
    if (!task)
        return false;
    m_call(m_context, *task, worker);
    return true;
}

void ThreadPool::takeTasks(int worker)
{
    std::int64_t done = 0; // told at the end: what others write to comes slowly from core to core
    while (takeTask(worker))
        ++done;
    if (done > 0 && m_unfinished.fetch_sub(done, std::memory_order_acq_rel) == done) {
        m_finishedJobs.fetch_add(1, std::memory_order_release);
        m_finishedJobs.notify_one();
    }
}

void ThreadPool::runTasks(std::int64_t count, Call call, const void* context)
{
    if (count <= 1 || m_workers.empty()) {
        for (std::int64_t task = 0; task < count; ++task)
            call(context, task, 0);
        return;
    }
    const std::uint32_t finished = m_finishedJobs.load(std::memory_order_acquire);
    m_call = call;
    m_context = context;
    m_unfinished.store(count, std::memory_order_relaxed);
    const auto shares = static_cast<std::int64_t>(m_workers.size()) + 1; // those of threads that there are
    for (std::int64_t share = 0; share < shares; ++share)
        m_shares[static_cast<std::size_t>(share)].left.store(
            { static_cast<std::uint32_t>(count * share / shares),
                static_cast<std::uint32_t>(count * (share + 1) / shares) },
            std::memory_order_release);
    m_jobs.fetch_add(1, std::memory_order_release);
    m_jobs.notify_all();
    takeTasks(0);
    for (int spin = 0; spin < m_spins; ++spin) {
        if (m_finishedJobs.load(std::memory_order_acquire) != finished)
            return;
        pauseThread();
    }
    m_finishedJobs.wait(finished, std::memory_order_acquire);
}

void ThreadPool::workerLoop(int worker)
{
    std::uint32_t seen = m_jobs.load(std::memory_order_acquire);
    while (!m_stop.load(std::memory_order_acquire)) {
        takeTasks(worker);
        for (int spin = 0; spin < m_spins && m_jobs.load(std::memory_order_acquire) == seen; ++spin)
            pauseThread();
        m_jobs.wait(seen, std::memory_order_acquire);
        seen = m_jobs.load(std::memory_order_acquire);
    }
}

} // namespace shardscope
