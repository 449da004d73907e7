// SPDX-License-Identifier: GPL-3.0-or-later
// Meshes over devices in any order and with any ids: what is filled and gathered goes by positions, and costs no more
// than in plain order.
#include <QTest>

#include <numeric>

#include "program/builder.h"
#include "registered_test.h"
#include "simulate/mlp_plan.h"
#include "simulate/run/run.h"
#include "simulate/small_mlp.h"

using namespace shardscope;
using namespace shardscope::test;

namespace {

/// One array of 6 elements, cut in two along `a`.
Program doubled()
{
    Builder builder("doubled");
    const Annotation annotation = onAxes({ SpecEntry::axis("a") });
    const ValueId x = builder.argument({ DType::F32, { 6 } }, "x", Role::Input, {}, annotation);
    builder.result(builder.binary(OpKind::Add, x, x), annotation);
    return std::move(builder).finish();
}

} // namespace

class TestDeviceOrder : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void goesByPositions()
    {
        const auto mesh = std::make_shared<const Mesh>(
            Mesh::createOver({ { "a", 2 }, { "b", 3 } }, { 70, 11, 5, 3, 900, 12 }).value());
        RunOptions options = randomInputs();
        options.initial.byPath["x"] = { 1, 2, 3, 4, 5, 6 };
        const auto run = Run::create(makePlan(onDevices(doubled(), mesh)), options).value();
        const ValueId x = run->plan().program->program->find("x");
        QCOMPARE(run->gather(x), options.initial.byPath["x"]);
        QCOMPARE(run->shard(x, 2), (std::vector<double>{ 1, 2, 3 }));
        QCOMPARE(run->shard(x, 3), (std::vector<double>{ 4, 5, 6 }));
        QVERIFY(!run->replicaDifference(x));
        const auto bytes = run->bytes(x, 4);
        const_cast<std::byte*>(bytes.data())[4] ^= std::byte{ 1 };
        const ReplicaDifference found = run->replicaDifference(x).value();
        QCOMPARE(found.device, 3);
        QCOMPARE(found.other, 900);
        QCOMPARE(found.element, std::int64_t(4));
        run->reset();
        run->step();
        QCOMPARE(run->gatherResult(0), (std::vector<double>{ 2, 4, 6, 8, 10, 12 }));
    }

    // 3e10 comparisons for every array, if devices are looked up in the order one by one:
    // the test would not end in its time.
    void costsNothing()
    {
        constexpr std::int64_t half = 1 << 17;
        std::vector<std::int32_t> order(2 * half);
        std::iota(order.rbegin(), order.rend(), 0);
        const auto mesh = std::make_shared<const Mesh>(Mesh::create({ { "a", 2 }, { "b", half } }, order).value());
        const PlanPtr plan = makePlan(onDevices(doubled(), mesh));
        RunOptions options = randomInputs(1);
        options.memoryLimit = std::int64_t{ 2 } << 30;
        options.initial.byPath["x"] = { 1, 2, 3, 4, 5, 6 };
        const auto run = Run::create(plan, options).value();
        const ValueId x = plan->program->program->find("x");
        QCOMPARE(run->gather(x), options.initial.byPath["x"]);
        QVERIFY(!run->replicaDifference(x));
    }
};

REGISTER_TEST(TestDeviceOrder)
#include "test_device_order.moc"
