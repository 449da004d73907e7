// SPDX-License-Identifier: GPL-3.0-or-later
// The log played up to a step: it ends where propagation ends, and begins with what was given.
#include <QtTest>

#include "propagation/differences.h"
#include "propagation/random_program.h"
#include "propagation/replay.h"
#include "random_properties.h"
#include "registered_test.h"

using namespace shardscope;

namespace {

/// (x + y) as a product with w: x [{a}, {}] over a=2, b=4 and w [{}, {b}].
struct Small {
    AnnotatedInput input;
    ValueId x, sum, product;
};

Small small()
{
    Builder b("small");
    Small made;
    made.x = b.argument({ DType::F32, { 8, 16 } }, "x", Role::Input);
    const ValueId y = b.argument({ DType::F32, { 8, 16 } }, "y", Role::Input);
    const ValueId w = b.argument({ DType::F32, { 16, 32 } }, "w", Role::Parameter);
    made.sum = b.binary(OpKind::Add, made.x, y);
    made.product = b.dot(made.sum, w);
    b.result(made.product);
    made.input.program = std::make_shared<const Program>(std::move(b).finish());
    made.input.mesh = std::make_shared<const Mesh>(*Mesh::create({ { "a", 2 }, { "b", 4 } }));
    TensorSharding cutRows = TensorSharding::open(2), cutColumns = TensorSharding::open(2);
    cutRows.dims[0].axes = { fullAxis(*made.input.mesh, 0) };
    cutColumns.dims[1].axes = { fullAxis(*made.input.mesh, 1) };
    made.input.arguments = { cutRows, std::nullopt, cutColumns };
    made.input.strategy = Strategy::Basic;
    return made;
}

} // namespace

class TestReplay : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void endsWherePropagationEnds()
    {
        QVERIFY(test::propertyHolds(100, "replay", [] {
            AnnotatedInput input = random_program::anyInput();
            input.strategy =
                *rc::gen::element(Strategy::Basic, Strategy::Aggressive, Strategy::OperationPriority, Strategy::Full);
            const PropagationResult result = propagate(input);
            const Replay replay(result);
            for (std::size_t v = 0; v < result.shardings.size(); ++v) {
                const ValueId value(v);
                for (std::size_t d = 0; d < result.shardings[v].rank(); ++d) {
                    const AxisList& current = result.shardings[v].dims[d].axes;
                    RC_ASSERT(replay.axesAt(value, d, replay.steps()) == current);
                    RC_ASSERT(replay.axesAt(value, d, replay.settledAt(value)) == current);
                }
                const std::uint32_t settled = replay.settledAt(value);
                if (settled > 0) {
                    const std::vector<const PropagationStep*> records = replay.recordsOf(settled);
                    RC_ASSERT(std::any_of(records.begin(), records.end(), [&](const PropagationStep* record) {
                        return record->seed != SeedKind::Result && record->to == value;
                    }));
                }
            }
            RC_ASSERT(differences(*input.program, result, *input.program, result).empty());
        }));
    }

    void stepByStep()
    {
        const Small made = small();
        const PropagationResult result = propagate(made.input);
        const Replay replay(result);
        const AxisList a{ fullAxis(*made.input.mesh, 0) };
        QCOMPARE(replay.axesAt(made.x, 0, 0), a);
        QVERIFY(replay.axesAt(made.sum, 0, 0).empty());
        QVERIFY(replay.axesAt(made.product, 0, 0).empty());
        // The addition is visited first, then the product.
        QCOMPARE(replay.axesAt(made.sum, 0, 1), a);
        QVERIFY(replay.axesAt(made.product, 0, 1).empty());
        QCOMPARE(replay.axesAt(made.product, 0, 2), a);
        QCOMPARE(replay.settledAt(made.sum), 1U);
        QCOMPARE(replay.settledAt(made.x), 0U);
        for (const PropagationStep* record : replay.recordsOf(1))
            QCOMPARE(record->step, 1U);
        QVERIFY(replay.recordsOf(replay.steps() + 1).empty());
        QVERIFY(replay.axesAt(ValueId(), 0, 0).empty());
    }

    void whereTwoRunsPart()
    {
        Small made = small();
        const PropagationResult first = propagate(made.input);
        // The other run has nothing to say of x: no value is sharded along a.
        made.input.arguments[0].reset();
        const PropagationResult second = propagate(made.input);
        const AxisList a{ fullAxis(*made.input.mesh, 0) };
        const std::vector<PropagationDifference> found =
            differences(*made.input.program, first, *made.input.program, second);
        QCOMPARE(countValues(found), found.size()); // one dimension each
        const auto of = [&](ValueId value) {
            return std::find_if(found.begin(), found.end(), [&](const auto& d) { return d.value == value; });
        };
        const auto check = [&](ValueId value, std::uint32_t step) {
            const auto difference = of(value);
            QVERIFY(difference != found.end());
            QCOMPARE(difference->dimension, 0U);
            QCOMPARE(difference->first, a);
            QVERIFY(difference->second.empty());
            QCOMPARE(difference->firstStep, step);
            // Only the first run took an axis that the other lacks.
            QVERIFY(difference->firstRecord < first.log.size());
            QCOMPARE(first.log[difference->firstRecord].to, value);
            QCOMPARE(first.log[difference->firstRecord].axis, a.front());
            QCOMPARE(difference->secondRecord, PropagationDifference::noRecord);
        };
        check(made.x, 0);
        check(made.sum, 1);
        check(made.product, 2);
        // The other way round it is the second run that took the axis.
        for (const PropagationDifference& each : differences(*made.input.program, second, *made.input.program, first)) {
            QCOMPARE(each.firstRecord, PropagationDifference::noRecord);
            QVERIFY(each.secondRecord < first.log.size());
        }
    }

    /// What only one of two programs has is no difference: constants that were copied, say.
    void onlyWhatStandsInBoth()
    {
        Small made = small();
        const PropagationResult first = propagate(made.input);
        Program shorter = *made.input.program;
        std::vector<OperationId>& operations = shorter.regions[0].operations;
        QCOMPARE(shorter.operation(operations.back()).results[0], made.product);
        operations.pop_back();
        made.input.arguments[0].reset();
        const PropagationResult second = propagate(made.input);
        for (const PropagationDifference& each : differences(*made.input.program, first, shorter, second))
            QVERIFY(each.value != made.product);
        QVERIFY(!differences(*made.input.program, first, shorter, second).empty());
    }
};

REGISTER_TEST(TestReplay)
#include "test_replay.moc"
