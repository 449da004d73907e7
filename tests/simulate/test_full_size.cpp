// SPDX-License-Identifier: GPL-3.0-or-later
// The notebook's model at full size on its five meshes, two steps, f32 and f64, against the unsharded reference, with
// equal bits for 1 and 4 workers. On its input, which is all ones, and on random numbers. Smaller, with a note,
// where the build is not optimised.
#include <QtTest>

#include <cmath>
#include <optional>

#include "base/hash.h"
#include "registered_test.h"
#include "simulate/faults.h"
#include "simulate/mlp_plan.h"

using namespace shardscope;
using namespace shardscope::test;

namespace {

#if defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
constexpr std::int64_t width = 1024;
#else
constexpr std::int64_t width = 64;
#endif

/// Nothing if some device holds nothing of some state.
std::optional<std::uint64_t> hashOfState(const Run& run)
{
    Hasher hasher;
    for (const StatePair& pair : run.plan().program->program->state)
        for (std::int64_t p = 0; p < run.plan().program->mesh->deviceCount(); ++p) {
            const auto bytes = run.bytes(pair.argument, p);
            if (bytes.empty())
                return std::nullopt;
            hasher.add(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
        }
    return hasher.value();
}

} // namespace

class TestFullSize : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        if (width < 1024)
            qInfo("not optimised, or with sanitizers: the model is %d wide here instead of 1024",
                static_cast<int>(width));
    }
    void train_data();
    void train();
    void trainOnRandomNumbers();

private:
    void check(const std::vector<MeshAxis>& axes, bool random);
};

void TestFullSize::train_data()
{
    QTest::addColumn<int>("pod");
    QTest::addColumn<int>("data");
    QTest::addColumn<int>("model");
    QTest::newRow("1x8") << 0 << 1 << 8;
    QTest::newRow("2x4") << 0 << 2 << 4;
    QTest::newRow("4x2") << 0 << 4 << 2;
    QTest::newRow("8x1") << 0 << 8 << 1;
    QTest::newRow("2x2x2") << 2 << 2 << 2;
}

void TestFullSize::train()
{
    QFETCH(int, pod);
    QFETCH(int, data);
    QFETCH(int, model);
    std::vector<MeshAxis> axes{ { "data", data }, { "model", model } };
    if (pod > 0)
        axes.insert(axes.begin(), { "pod", pod });
    check(axes, false);
}

void TestFullSize::trainOnRandomNumbers()
{
    check({ { "data", 2 }, { "model", 4 } }, true);
}

void TestFullSize::check(const std::vector<MeshAxis>& axes, bool random)
{
    for (const DType dtype : { DType::F32, DType::F64 }) {
        MlpSettings settings;
        settings.embed = settings.hidden = width;
        settings.dtype = dtype;
        const auto program = mlpOnDevices(settings, makeMesh(axes));
        RunOptions options;
        options.threads = 2;
        if (random)
            options.initial.chosen = { { "x", parseInitialValue("normal 1").value() } };
        const auto report = checkAgainstReference(program, options, 2);
        QVERIFY(report.has_value());
        for (const ValueCheck& line : report->values)
            QVERIFY2(line.passed() && line.compared > 0, describe(line).c_str());
        QVERIFY(report->passed());
        const double apart = std::fabs(*report->loss - *report->lossReference);
        QVERIFY(apart <= (dtype == DType::F64 ? 1e-9 : 1e-5) * std::fabs(*report->lossReference));

        const auto plan = makePlan(program);
        std::vector<std::optional<std::uint64_t>> hashes;
        for (const int threads : { 1, 4 }) {
            options.threads = threads;
            auto run = Run::create(plan, options).value();
            run->step();
            run->step();
            hashes.push_back(hashOfState(*run));
        }
        QVERIFY(hashes[0].has_value());
        QVERIFY(hashes[1] == hashes[0]);
    }
}

REGISTER_TEST(TestFullSize)
#include "test_full_size.moc"
