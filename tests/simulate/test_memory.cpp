// SPDX-License-Identifier: GPL-3.0-or-later
// What a run and its check take is counted before it is taken: never less than what is taken, never much more, and
// nothing where it is too much.
#include <QTemporaryDir>
#include <QtTest>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <new>

#include "base/codes.h"
#include "registered_test.h"
#include "simulate/faults.h"
#include "simulate/run/memory.h"
#include "simulate/run/memory_needed.h"

namespace {

std::atomic<std::int64_t> taken = 0; ///< bytes at this moment
std::atomic<std::int64_t> maxTaken = 0;
std::atomic<std::int64_t> largestRequest = 0;

void raise(std::atomic<std::int64_t>& most, std::int64_t value)
{
    std::int64_t old = most.load();
    while (old < value && !most.compare_exchange_weak(old, value)) { }
}

/// Stands before every block.
struct Header {
    std::int64_t size;
    void* block;
};

void* take(std::size_t size, std::size_t alignment) noexcept
{
    raise(largestRequest, static_cast<std::int64_t>(size));
    alignment = std::max(alignment, sizeof(Header));
    void* block = std::malloc(size + sizeof(Header) + alignment);
    if (block == nullptr)
        return nullptr;
    std::size_t space = size + alignment;
    void* memory = static_cast<std::byte*>(block) + sizeof(Header);
    std::align(alignment, size, memory, space);
    const Header header{ static_cast<std::int64_t>(size), block };
    std::memcpy(static_cast<std::byte*>(memory) - sizeof header, &header, sizeof header);
    raise(maxTaken, taken += header.size);
    return memory;
}

void giveBack(void* memory) noexcept
{
    if (memory == nullptr)
        return;
    Header header;
    std::memcpy(&header, static_cast<std::byte*>(memory) - sizeof header, sizeof header);
    taken -= header.size;
    std::free(header.block);
}

} // namespace

void* operator new(std::size_t size)
{
    if (void* memory = take(size, 1))
        return memory;
    throw std::bad_alloc();
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept
{
    return take(size, 1);
}
void* operator new(std::size_t size, std::align_val_t alignment)
{
    if (void* memory = take(size, static_cast<std::size_t>(alignment)))
        return memory;
    throw std::bad_alloc();
}
void* operator new(std::size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept
{
    return take(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept
{
    giveBack(memory);
}
void operator delete(void* memory, std::size_t) noexcept
{
    giveBack(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept
{
    giveBack(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept
{
    giveBack(memory);
}

using namespace shardscope;
using namespace shardscope::test;

namespace {

const std::vector<MeshAxis> meshOfEight{ { "data", 2 }, { "model", 4 } };

MlpSettings mlpOf(std::int64_t layers, std::int64_t batch, std::int64_t width, DType dtype = DType::F32)
{
    MlpSettings settings;
    settings.layers = layers;
    settings.batch = batch;
    settings.embed = settings.hidden = width;
    settings.dtype = dtype;
    return settings;
}

/// The bytes that somebody counts who may take a single one.
template <class Function>
std::int64_t countedBy(const Function& function, RunOptions options)
{
    options.memoryLimit = 1;
    const auto refused = function(options);
    return refused.has_value() || refused.error().code != Code::OutOfMemory ? -1 : refused.error().number("bytes");
}

void write(const QTemporaryDir& root, const char* file, const char* text)
{
    const QString path = root.filePath(QString::fromLatin1(file));
    QDir().mkpath(QFileInfo(path).path());
    std::ofstream(path.toStdString()) << text;
}

} // namespace

class TestMemory : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void countsWhatARunTakes_data();
    void countsWhatARunTakes();
    void countsWhatACheckTakes_data();
    void countsWhatACheckTakes();
    void refusesBeforeItTakes_data();
    void refusesBeforeItTakes();
    void saysWhatWouldHelp();
    void readsWhatTheSystemLeaves();
    void readsWhatControlGroupsLeave();
};

void TestMemory::countsWhatARunTakes_data()
{
    QTest::addColumn<int>("layers");
    QTest::addColumn<int>("batch");
    QTest::addColumn<int>("width");
    QTest::addColumn<int>("devices");
    QTest::addColumn<bool>("shared");
    QTest::addColumn<int>("threads");
    for (const int threads : { 3, 4 }) // with four there are clusters of devices
        for (const bool shared : { false, true }) {
            const auto row = [=](const char* name) -> QTestData& {
                return QTest::addRow("%s, %s, %d threads", name, shared ? "shared" : "own", threads);
            };
            row("weights") << 2 << 8 << 512 << 8 << shared << threads;
            row("operands that are one number everywhere") << 1 << 40000 << 16 << 8 << shared << threads;
            row("large blocks") << 1 << 100000 << 64 << 4 << shared << threads;
            row("tables of many devices") << 1 << 128 << 32 << 512 << shared << threads;
        }
}

void TestMemory::countsWhatARunTakes()
{
    QFETCH(int, layers);
    QFETCH(int, batch);
    QFETCH(int, width);
    QFETCH(int, devices);
    QFETCH(bool, shared);
    QFETCH(int, threads);
    const auto plan =
        makePlan(mlpOnDevices(mlpOf(layers, batch, width), makeMesh({ { "data", devices / 4 }, { "model", 4 } })));
    RunOptions options;
    options.threads = threads;
    options.replicas = shared ? ReplicaMode::Shared : ReplicaMode::Own;
    const std::int64_t counted =
        countedBy([&](const RunOptions& limited) { return Run::create(plan, limited); }, options);
    QVERIFY(counted > 0);
    const std::int64_t before = taken;
    maxTaken = before;
    options.memoryLimit = counted; // it does with that
    const auto run = Run::create(plan, options);
    QVERIFY(run.has_value());
    (*run)->step();
    const std::int64_t most = maxTaken - before;
    const std::string stated = "counted " + std::to_string(counted) + ", taken " + std::to_string(most);
    QVERIFY2(most <= counted + counted / 50 + (64 << 10), stated.c_str()); // headers of many small blocks
    QVERIFY2(counted <= most + most / 4 + (64 << 10), stated.c_str());
    options.memoryLimit = counted - 1;
    QCOMPARE(Run::create(plan, options).error().code, Code::OutOfMemory);
}

void TestMemory::countsWhatACheckTakes_data()
{
    QTest::addColumn<int>("batch");
    QTest::addColumn<int>("width");
    QTest::addColumn<int>("dtype");
    for (const DType dtype : { DType::F32, DType::F64 }) {
        QTest::addRow("weights, %s", std::string(name(dtype)).c_str()) << 8 << 384 << static_cast<int>(dtype);
        QTest::addRow("activations, %s", std::string(name(dtype)).c_str()) << 20000 << 16 << static_cast<int>(dtype);
    }
}

void TestMemory::countsWhatACheckTakes()
{
    QFETCH(int, batch);
    QFETCH(int, width);
    QFETCH(int, dtype);
    const auto program = mlpOnDevices(mlpOf(2, batch, width, static_cast<DType>(dtype)), makeMesh(meshOfEight));
    RunOptions options;
    options.threads = 2;
    const std::int64_t counted =
        countedBy([&](const RunOptions& limited) { return checkAgainstReference(program, limited, 2); }, options);
    QVERIFY(counted > 0);
    const std::int64_t before = taken;
    maxTaken = before;
    options.memoryLimit = counted;
    const auto report = checkAgainstReference(program, options, 2);
    QVERIFY(report.has_value());
    QVERIFY(report->passed());
    const std::int64_t most = maxTaken - before;
    const std::string stated = "counted " + std::to_string(counted) + ", taken " + std::to_string(most);
    QVERIFY2(most <= counted + (64 << 10), stated.c_str());
    QVERIFY2(counted <= 2 * most, stated.c_str());
}

void TestMemory::refusesBeforeItTakes_data()
{
    QTest::addColumn<qint64>("batch");
    QTest::addColumn<qint64>("width");
    QTest::addColumn<bool>("shared");
    for (const bool shared : { false, true }) {
        QTest::addRow("batch 8e6, %s", shared ? "shared" : "own") << qint64{ 8'000'000 } << qint64{ 64 } << shared;
        QTest::addRow("depth 1e5, %s", shared ? "shared" : "own") << qint64{ 8 } << qint64{ 100'000 } << shared;
        QTest::addRow("both, %s", shared ? "shared" : "own") << qint64{ 1'000'000 } << qint64{ 20'000 } << shared;
    }
}

void TestMemory::refusesBeforeItTakes()
{
    QFETCH(qint64, batch);
    QFETCH(qint64, width);
    QFETCH(bool, shared);
    RunOptions options;
    options.threads = 2;
    options.replicas = shared ? ReplicaMode::Shared : ReplicaMode::Own;
    options.memoryLimit = std::int64_t{ 16 } << 30;
    const auto program = mlpOnDevices(mlpOf(4, batch, width), makeMesh(meshOfEight));
    const auto plan = makePlan(program);
    const std::int64_t before = taken;
    maxTaken = before;
    largestRequest = 0;
    const auto refused = Run::create(plan, options);
    QVERIFY(!refused.has_value());
    QCOMPARE(refused.error().code, Code::OutOfMemory);
    QVERIFY(refused.error().number("bytes") > options.memoryLimit);
    QCOMPARE(refused.error().number("limit"), options.memoryLimit);
    if (!shared) // all of it, not only what broke the limit
        QVERIFY(refused.error().number("bytes") > plan->memory.arenaBytes * 8);

    const auto unchecked = checkAgainstReference(program, options);
    QVERIFY(!unchecked.has_value());
    QCOMPARE(unchecked.error().code, Code::OutOfMemory);
    QVERIFY(unchecked.error().number("bytes") > refused.error().number("bytes"));
    QVERIFY(largestRequest < 1 << 20);
    QVERIFY(maxTaken - before < 4 << 20);
}

void TestMemory::saysWhatWouldHelp()
{
    // Weights on 8 rows of replicas: sharing takes an eighth, about.
    const auto program = mlpOnDevices(mlpOf(1, 8, 512), makeMesh({ { "data", 8 }, { "model", 1 } }));
    const auto plan = makePlan(program);
    const auto create = [&](const RunOptions& limited) { return Run::create(plan, limited); };
    RunOptions own;
    own.threads = 2;
    RunOptions shared = own;
    shared.replicas = ReplicaMode::Shared;
    const std::int64_t needed = countedBy(create, own);
    const std::int64_t less = countedBy(create, shared);
    QVERIFY(less < needed / 2);
    own.memoryLimit = needed - 1;
    const Error tooMuch = create(own).error();
    QCOMPARE(tooMuch.number("bytes"), needed);
    QCOMPARE(tooMuch.number("shared_bytes"), less);
    QVERIFY(tooMuch.arg("alone_bytes") == nullptr);
    own.memoryLimit = less - 1; // nothing helps
    QVERIFY(create(own).error().arg("shared_bytes") == nullptr);

    own.memoryLimit = needed;
    QVERIFY(create(own).has_value());
    own.reservedBytes = 1;
    const Error withMore = create(own).error();
    QCOMPARE(withMore.number("bytes"), needed + 1);
    QCOMPARE(withMore.number("alone_bytes"), needed);
    own.reservedBytes = 1e30;
    QCOMPARE(create(own).error().number("bytes"), std::numeric_limits<std::int64_t>::max());

    // The reference alone is too much.
    own.reservedBytes = 0;
    const Error unchecked = checkAgainstReference(program, own).error();
    QCOMPARE(unchecked.code, Code::OutOfMemory);
    // What is said is the limit that was decided by, not what the system leaves by now.
    own.memoryLimit = 0;
    const Error stated = runOutOfMemory(*plan, own, 2, static_cast<double>(needed), less).value();
    QCOMPARE(stated.number("limit"), less);
    QCOMPARE(stated.number("shared_bytes"), less);
    QVERIFY(unchecked.number("bytes") > needed
            + static_cast<std::int64_t>(CheckReference::of(program->program, *program).value().bytes(own).value()));
}

void TestMemory::readsWhatTheSystemLeaves()
{
    QVERIFY(availableMemory().value() > 0);
    QTemporaryDir root;
    write(root, "proc/meminfo", "MemTotal:       16000000 kB\nMemFree:  1000 kB\nMemAvailable:    2000 kB\n");
    QCOMPARE(availableMemory(root.path().toStdString()).value(), std::int64_t{ 2000 } * 1024);
    RunOptions options;
    options.memoryLimit = 5;
    QCOMPARE(memoryLimit(options), std::int64_t{ 5 });
    options.memoryLimit = 0;
    QVERIFY(memoryLimit(options) > 0 && memoryLimit(options) < std::int64_t{ 1 } << 50);
}

void TestMemory::readsWhatControlGroupsLeave()
{
    QTemporaryDir root;
    const std::string at = root.path().toStdString();
    write(root, "proc/meminfo", "MemAvailable: 8192 kB\n");
    write(root, "proc/self/cgroup", "0::/user/app\n");
    write(root, "sys/fs/cgroup/user/app/memory.max", "max\n");
    write(root, "sys/fs/cgroup/user/app/memory.current", "100\n");
    QCOMPARE(availableMemory(at).value(), std::int64_t{ 8192 } * 1024); // no limit
    write(root, "sys/fs/cgroup/user/memory.max", "1000000\n");
    write(root, "sys/fs/cgroup/user/memory.current", "400000\n");
    QCOMPARE(availableMemory(at).value(), std::int64_t{ 600000 }); // of the group around
    write(root, "sys/fs/cgroup/user/memory.stat", "anon 300000\ninactive_file 50000\n");
    QCOMPARE(availableMemory(at).value(), std::int64_t{ 650000 });
    write(root, "sys/fs/cgroup/user/app/memory.max", "90\n");
    QCOMPARE(availableMemory(at).value(), std::int64_t{ 0 }); // full: nothing is left
    write(root, "sys/fs/cgroup/user/app/memory.max", "300\n");
    QCOMPARE(availableMemory(at).value(), std::int64_t{ 200 });

    write(root, "proc/self/cgroup", "5:cpu,cpuacct:/other\n4:memory:/docker/abc\n0::/\n");
    QCOMPARE(availableMemory(at).value(), std::int64_t{ 8192 } * 1024); // a path outside of what can be seen
    write(root, "sys/fs/cgroup/memory/memory.limit_in_bytes", "2000000\n");
    write(root, "sys/fs/cgroup/memory/memory.usage_in_bytes", "500000\n");
    QCOMPARE(availableMemory(at).value(), std::int64_t{ 1500000 });
}

REGISTER_TEST(TestMemory)
#include "test_memory.moc"
