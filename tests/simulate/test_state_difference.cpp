// SPDX-License-Identifier: GPL-3.0-or-later
// Differences of two states of a run, against what the devices hold element by element, and what a run began with.
#include <QtTest>

#include <cmath>

#include "program/builder.h"
#include "registered_test.h"
#include "simulate/mlp_plan.h"
#include "simulate/run/state_difference.h"
#include "simulate/run/step_replay.h"
#include "simulate/small_mlp.h"

using namespace shardscope;

namespace {

struct DifferenceRun {
    std::shared_ptr<const FlatProgram> onMesh;
    std::unique_ptr<Run> run;

    explicit DifferenceRun(int data, int model, DType dtype = DType::F32)
        : onMesh(test::mlpOnDevices(test::smallMlp(dtype), test::makeMesh({ { "data", data }, { "model", model } })))
        , run(Run::create(test::makePlan(onMesh), test::randomInputs()).value())
    {
    }
    [[nodiscard]] const StepState& state() const { return onMesh->state; }
    /// Every array of the state in full, by pair.
    [[nodiscard]] std::vector<std::vector<double>> arrays() const
    {
        std::vector<std::vector<double>> all;
        for (const StatePair& pair : state().pairs)
            all.push_back(run->gather(pair.argument));
        return all;
    }
};

} // namespace

class TestStateDifference : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void isThatOfTheElements()
    {
        for (const auto& [data, model] : { std::pair{ 1, 1 }, std::pair{ 2, 4 } }) {
            DifferenceRun each(data, model);
            std::vector<HeldState> held{ heldState(*each.run, each.state()) };
            std::vector<std::vector<std::vector<double>>> arrays{ each.arrays() };
            for (int step = 0; step < 3; ++step) {
                each.run->step();
                held.push_back(heldState(*each.run, each.state()));
                arrays.push_back(each.arrays());
                QCOMPARE(held.back().steps, step + 1);
            }
            for (const auto& [from, to] : { std::pair{ 0, 1 }, std::pair{ 1, 3 }, std::pair{ 3, 0 } }) {
                const auto found = stateDifference(*each.onMesh, each.state(), held[static_cast<std::size_t>(to)],
                    held[static_cast<std::size_t>(from)]);
                QCOMPARE(found.size(), each.state().pairs.size());
                for (std::size_t i = 0; i < found.size(); ++i) {
                    const std::vector<double>& later = arrays[static_cast<std::size_t>(to)][i];
                    const std::vector<double>& earlier = arrays[static_cast<std::size_t>(from)][i];
                    QCOMPARE(found[i].full.count(), static_cast<std::int64_t>(later.size()));
                    double largest = 0, squares = 0;
                    std::int64_t changed = 0;
                    for (std::size_t e = 0; e < later.size(); ++e) {
                        // f32 numbers are exact as doubles: their difference is rounded once.
                        const double wanted = found[i].full.type.dtype == DType::F32
                            ? static_cast<double>(static_cast<float>(later[e] - earlier[e]))
                            : later[e] - earlier[e];
                        QCOMPARE(kernels::numberAt(found[i].full, static_cast<std::int64_t>(e)), wanted);
                        largest = std::max(largest, std::abs(wanted));
                        squares += wanted * wanted;
                        changed += wanted != 0 ? 1 : 0;
                    }
                    QCOMPARE(found[i].largest, largest);
                    QVERIFY(std::abs(found[i].norm - std::sqrt(squares)) <= 1e-12 * std::sqrt(squares));
                    QCOMPARE(found[i].changed, changed);
                }
            }
        }
    }

    /// A tree less itself is zeros, in shards of the same shapes as those of the array.
    void ofAStateAndItselfIsZero()
    {
        DifferenceRun each(2, 4, DType::F64);
        each.run->step();
        const HeldState held = heldState(*each.run, each.state());
        for (const ArrayDifference& difference : stateDifference(*each.onMesh, each.state(), held, held)) {
            QCOMPARE(difference.largest, 0.0);
            QCOMPARE(difference.norm, 0.0);
            QCOMPARE(difference.changed, 0);
            const kernels::Arrays own = each.run->shardsOfArgument(difference.argument);
            QCOMPARE(difference.shards.size(), own.size());
            for (std::size_t device = 0; device < own.size(); ++device)
                QVERIFY(difference.shards[device].type == own[device].type);
        }
        QVERIFY(differenceBytes(*each.onMesh, each.state()) > 0);
    }

    /// Five elements over two devices, one with padding, that double in every step; and a counter of integers.
    void unevenShardsAndIntegers()
    {
        Builder builder("doubling");
        const ValueId x = builder.argument(
            { DType::F32, { 5 } }, "x", Role::Parameter, { "e" }, test::onAxes({ SpecEntry::axis("d") }));
        const ValueId n = builder.argument({ DType::I32, {} }, "n", Role::Step);
        builder.state(x, builder.result(builder.binary(OpKind::Add, x, x)));
        builder.state(n, builder.result(builder.binary(OpKind::Add, n, n)));
        const auto onMesh = test::onDevices(std::move(builder).finish(), test::makeMesh({ { "d", 2 } }));
        RunOptions options;
        options.initial.byPath = { { "x", { 1, 2, 3, 4, 5 } }, { "n", { 3 } } };
        const auto run = Run::create(test::makePlan(onMesh), options).value();
        HeldState before = heldState(*run, onMesh->state);
        run->step();
        run->step();
        const auto found = stateDifference(*onMesh, onMesh->state, heldState(*run, onMesh->state), std::move(before));
        QCOMPARE(found.size(), std::size_t{ 2 });
        for (std::int64_t i = 0; i < 5; ++i)
            QCOMPARE(kernels::numberAt(found[0].full, i), 3.0 * static_cast<double>(i + 1)); // 4 x - x
        QCOMPARE(found[0].largest, 15.0);
        QCOMPARE(found[0].changed, 5);
        QVERIFY(found[0].shards[1].type.shape == Shape{ 3 });
        QCOMPARE(kernels::numberAt(found[0].shards[1], 2), 0.0); // padding
        QCOMPARE(kernels::integerAt(found[1].full, 0), 9);
    }

    void whatARunBeganWith()
    {
        DifferenceRun each(2, 4);
        const StepReplay replay(each.onMesh, test::randomValues());
        const Program& program = *each.onMesh->program;
        const auto arrays = each.arrays(); // before the first step
        for (std::size_t i = 0; i < arrays.size(); ++i) {
            const StatePair& pair = each.state().pairs[i];
            const auto start = replay.start(pair.argument), ofNew = replay.start(program.main().results[pair.result]);
            QVERIFY(start && *start && ofNew && *ofNew);
            QVERIFY(**start == arrays[i]);
            QVERIFY(**ofNew == arrays[i]); // the new value takes its place
        }
        const auto computed = replay.start(program.find("loss"));
        QVERIFY(computed && !*computed);
        StepReplay::Limits limits;
        limits.bytes = 100;
        QVERIFY(!replay.start(program.find("params/layers.0/W1"), limits));
    }
};

REGISTER_TEST(TestStateDifference)
#include "test_state_difference.moc"
