// SPDX-License-Identifier: GPL-3.0-or-later
// The workers of a run, also where the system starts fewer of them than were asked for.
#include <QTest>

#include <sys/resource.h>

#include <atomic>
#include <fstream>
#include <vector>

#include "registered_test.h"
#include "simulate/run/thread_pool.h"

using namespace shardscope;

namespace {

/// Leaves the process so many bytes of addresses beyond what it has, as long as this lives: each thread takes a stack.
class FewAddresses {
public:
    explicit FewAddresses(rlim_t bytes)
    {
        getrlimit(RLIMIT_AS, &m_old);
        rlim_t pages = 0;
        std::ifstream("/proc/self/statm") >> pages;
        const rlimit limit{ pages * 4096 + bytes, m_old.rlim_max };
        m_set = pages > 0 && setrlimit(RLIMIT_AS, &limit) == 0;
    }
    ~FewAddresses() { setrlimit(RLIMIT_AS, &m_old); }
    FewAddresses(const FewAddresses&) = delete;
    FewAddresses& operator=(const FewAddresses&) = delete;
    [[nodiscard]] bool isSet() const { return m_set; }

private:
    rlimit m_old{};
    bool m_set = false;
};

void doesEveryTaskOnce(ThreadPool& pool)
{
    std::vector<std::atomic<int>> done(1000);
    std::atomic<bool> inside = true;
    pool.run(1000, [&](std::int64_t task, int worker) {
        ++done[static_cast<std::size_t>(task)];
        inside = inside && worker >= 0 && worker < pool.threads();
    });
    QVERIFY(inside);
    for (const std::atomic<int>& times : done)
        QCOMPARE(times.load(), 1);
}

} // namespace

class TestThreadPool : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void doesEveryTaskOnce_data()
    {
        QTest::addColumn<int>("threads");
        for (const int threads : { 1, 2, 7 })
            QTest::addRow("%d", threads) << threads;
    }
    void doesEveryTaskOnce()
    {
        QFETCH(int, threads);
        ThreadPool pool(threads);
        QCOMPARE(pool.threads(), threads);
        ::doesEveryTaskOnce(pool);
    }
    void takesTheThreadsThatItGets()
    {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
        QSKIP("sanitizers take addresses of their own");
#endif
        const FewAddresses few(100 << 20);
        if (!few.isSet())
            QSKIP("no way to have few addresses here");
        ThreadPool pool(5000);
        QVERIFY(pool.threads() < 5000);
        ::doesEveryTaskOnce(pool);
    }
};

REGISTER_TEST(TestThreadPool)
#include "test_thread_pool.moc"
