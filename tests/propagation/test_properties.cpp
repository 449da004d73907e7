// SPDX-License-Identifier: GPL-3.0-or-later
// What holds for every program, mesh and sharding; and the records by which axes are traced back.
#include <numeric>

#include <QtTest>

#include "program/program_text.h"
#include "propagation/driver.h"
#include "propagation/notation.h"
#include "propagation/random_program.h"
#include "random_properties.h"
#include "registered_test.h"

using namespace shardscope;

namespace {

void logInput(const AnnotatedInput& input, std::ostream& out)
{
    const Mesh& mesh = *input.mesh;
    out << print(*input.program);
    for (std::size_t a = 0; a < mesh.rank(); ++a)
        out << mesh.axis(a).name << "=" << mesh.size(a) << " ";
    const auto list = [&](const char* what, const std::vector<std::optional<TensorSharding>>& shardings) {
        for (std::size_t i = 0; i < shardings.size(); ++i) {
            if (shardings[i])
                out << "\n" << what << " " << i << " " << notation::print(mesh, *shardings[i]);
        }
    };
    list("argument", input.arguments);
    list("operation", input.constraints);
    list("result", input.results);
    out << "\nstrategy " << static_cast<int>(input.strategy) << "\n";
}

void assertDisjoint(const TensorSharding& sharding)
{
    std::vector<AxisRef> all(sharding.replicated.begin(), sharding.replicated.end());
    all.insert(all.end(), sharding.unreduced.begin(), sharding.unreduced.end());
    for (const DimensionSharding& dim : sharding.dims) {
        all.insert(all.end(), dim.axes.begin(), dim.axes.end());
        for (std::size_t i = 1; i < dim.axes.size(); ++i)
            RC_ASSERT(!canMerge(dim.axes[i - 1], dim.axes[i]));
    }
    for (std::size_t i = 0; i < all.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j)
            RC_ASSERT(!overlaps(all[i], all[j]) && all[i] != all[j]);
    }
}

/// Closed dimensions stay, open ones only grow.
void assertGrown(const TensorSharding& specified, const TensorSharding& grown)
{
    RC_ASSERT(specified.rank() == grown.rank());
    RC_ASSERT(specified.replicated == grown.replicated);
    RC_ASSERT(specified.unreduced == grown.unreduced);
    for (std::size_t d = 0; d < specified.rank(); ++d) {
        RC_ASSERT(specified.dims[d].open == grown.dims[d].open);
        RC_ASSERT(specified.dims[d].priority == grown.dims[d].priority);
        if (specified.dims[d].open)
            RC_ASSERT(isPrefixOf(
                std::span<const AxisRef>(specified.dims[d].axes), std::span<const AxisRef>(grown.dims[d].axes)));
        else
            RC_ASSERT(specified.dims[d].axes == grown.dims[d].axes);
    }
}

TensorSharding relabelled(TensorSharding sharding, const std::vector<std::int32_t>& to)
{
    const auto relabel = [&](AxisList& axes) {
        for (AxisRef& axis : axes)
            axis.axis = to[static_cast<std::size_t>(axis.axis)];
    };
    for (DimensionSharding& dim : sharding.dims)
        relabel(dim.axes);
    relabel(sharding.replicated);
    relabel(sharding.unreduced);
    std::sort(sharding.replicated.begin(), sharding.replicated.end());
    std::sort(sharding.unreduced.begin(), sharding.unreduced.end());
    return sharding;
}

std::vector<std::optional<TensorSharding>> relabelled(
    std::vector<std::optional<TensorSharding>> shardings, const std::vector<std::int32_t>& to)
{
    for (std::optional<TensorSharding>& sharding : shardings) {
        if (sharding)
            sharding = relabelled(*sharding, to);
    }
    return shardings;
}

} // namespace

class TestProperties : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void invariants();
    void fixpoint();
    void relabelling();
    void everyAxisHasASeed();
    void constraintIsCopied();
    void rounds();
    void provenanceOfAChain();
    void provenanceThroughTheDeclaredResult();
};

void TestProperties::invariants()
{
    QVERIFY(test::propertyHolds(100, "given shardings only grow where they are open, no axis occurs twice", [] {
        const AnnotatedInput input = random_program::anyInput();
        std::ostringstream text;
        logInput(input, text);
        RC_LOG() << text.str();
        const PropagationResult result = propagate(input);
        for (const TensorSharding& sharding : result.shardings)
            assertDisjoint(sharding);
        for (std::size_t a = 0; a < input.arguments.size(); ++a) {
            if (input.arguments[a])
                assertGrown(*input.arguments[a], result.shardings[input.program->main().arguments[a].index]);
        }
        for (std::size_t o = 0; o < input.constraints.size(); ++o) {
            if (input.constraints[o])
                assertGrown(*input.constraints[o], result.shardings[input.program->operations[o].results[0].index]);
        }
        for (std::size_t r = 0; r < input.results.size(); ++r) {
            assertDisjoint(result.results[r]);
            if (input.results[r])
                assertGrown(*input.results[r], result.results[r]);
        }
        // The same again: nothing depends on addresses or earlier runs.
        const PropagationResult again = propagate(input);
        RC_ASSERT(again.shardings == result.shardings);
        RC_ASSERT(again.steps == result.steps);
        RC_ASSERT(again.log == result.log);
    }));
}

void TestProperties::fixpoint()
{
    QVERIFY(test::propertyHolds(100, "a result does not change when it is propagated again", [] {
        AnnotatedInput input = random_program::anyInput();
        input.applyConstraints = false; // which changes what operations read: the second run would not know
        std::ostringstream text;
        logInput(input, text);
        RC_LOG() << text.str();
        const PropagationResult result = propagate(input);
        const PropagationInput same = input;
        Driver driver(same, result);
        driver.run(-1);
        const PropagationResult again = std::move(driver).finish();
        RC_ASSERT(again.shardings == result.shardings);
        RC_ASSERT(again.results == result.results);
        RC_ASSERT(again.steps == 0U);
    }));
}

void TestProperties::relabelling()
{
    QVERIFY(test::propertyHolds(100, "renumbering the mesh axes renumbers the result", [] {
        const AnnotatedInput input = random_program::anyInput();
        std::vector<std::int32_t> to(input.mesh->rank());
        std::iota(to.begin(), to.end(), 0);
        for (std::size_t i = to.size(); i > 1; --i)
            std::swap(to[i - 1], to[*rc::gen::inRange<std::size_t>(0, i)]);
        std::vector<MeshAxis> axes(input.mesh->rank());
        for (std::size_t a = 0; a < axes.size(); ++a)
            axes[static_cast<std::size_t>(to[a])] = input.mesh->axis(a);
        AnnotatedInput other = input;
        other.mesh = std::make_shared<const Mesh>(Mesh::create(axes).value());
        other.arguments = relabelled(input.arguments, to);
        other.constraints = relabelled(input.constraints, to);
        other.results = relabelled(input.results, to);
        const PropagationResult first = propagate(input);
        const PropagationResult second = propagate(other);
        RC_ASSERT(first.steps == second.steps);
        for (std::size_t v = 0; v < first.shardings.size(); ++v)
            RC_ASSERT(relabelled(first.shardings[v], to) == second.shardings[v]);
    }));
}

void TestProperties::everyAxisHasASeed()
{
    QVERIFY(test::propertyHolds(100, "every axis is traced back to what was given", [] {
        const AnnotatedInput input = random_program::anyInput();
        std::ostringstream text;
        logInput(input, text);
        RC_LOG() << text.str();
        const PropagationResult result = propagate(input);
        for (std::size_t v = 0; v < result.shardings.size(); ++v) {
            for (std::size_t d = 0; d < result.shardings[v].rank(); ++d) {
                for (const AxisRef& axis : result.shardings[v].dims[d].axes) {
                    const std::vector<PropagationStep> chain = provenance(result, ValueId(v), d, axis);
                    RC_ASSERT(!chain.empty());
                    RC_ASSERT(chain.front().seed.has_value());
                    RC_ASSERT(chain.back().to == ValueId(v));
                    RC_ASSERT(chain.back().toDimension == static_cast<std::int16_t>(d));
                    for (std::size_t i = 1; i < chain.size(); ++i) {
                        RC_ASSERT(chain[i].from == chain[i - 1].to);
                        RC_ASSERT(chain[i].step > chain[i - 1].step);
                        RC_ASSERT(overlaps(chain[i].axis, chain[i - 1].axis) || chain[i].axis == chain[i - 1].axis);
                        RC_ASSERT(!chain[i].seed.has_value());
                    }
                }
            }
        }
        for (const PropagationStep& step : result.log) {
            RC_ASSERT(step.step <= result.steps);
            if (step.seed != SeedKind::Result) {
                const AxisList& axes =
                    result.shardings[step.to.index].dims[static_cast<std::size_t>(step.toDimension)].axes;
                RC_ASSERT(std::any_of(axes.begin(), axes.end(), [&](AxisRef a) { return contains(a, step.axis); }));
            }
        }
    }));
}

void TestProperties::constraintIsCopied()
{
    const auto argumentOf = [](const char* first, const char* second) {
        notation::Case test = notation::parseCase(std::string("mesh a=2 b=2\na0 8x8\nv0 = constrain a0 : ") + first
            + "\nv1 = constrain a0 : " + second + "\nv2 = add v0 v1\nreturn v2");
        const PropagationResult result = propagate(test.input);
        return notation::print(*test.input.mesh, result.shardings[0]);
    };
    QCOMPARE(argumentOf("[{a},{}]", "[{a},{}]"), std::string("[{a},{}]"));
    QCOMPARE(argumentOf("[{a},{}]", "[{a},{b}]"), std::string("[{a,?},{b,?}]")); // disputed: propagated, open
    QCOMPARE(argumentOf("[{a},{?}]", "[{a},{?}]"), std::string("[{a,?},{?}]")); // not closed
    // An inactive constraint asks for nothing.
    notation::Case test = notation::parseCase(
        "mesh a=2\na0 8x8\nv0 = constrain a0 : [{a},{}]\nv1 = constrain a0\nv2 = add v0 v1\nreturn v2");
    QCOMPARE(notation::print(*test.input.mesh, propagate(test.input).shardings[0]), std::string("[{a},{}]"));
}

void TestProperties::rounds()
{
    // a comes over the contracting dimension, b over the elementwise operation: b is first although a is bigger.
    notation::Case test =
        notation::parseCase("mesh a=4 b=2\na0 64x64 [{?},{a,?}]\na1 64x64\nv0 = dot a0 a1 contract 1 x 0\n"
                            "a2 64x64 [{?},{b,?}]\nv1 = add a1 a2\nreturn v0\nreturn v1");
    const Mesh& mesh = *test.input.mesh;
    const PropagationResult result = propagate(test.input);
    QCOMPARE(notation::print(mesh, result.shardings[test.values["a1"].index]), std::string("[{a,?},{b,?}]"));
    std::vector<int> roundsOfA1;
    for (const PropagationStep& step : result.log) {
        if (step.to == test.values["a1"])
            roundsOfA1.push_back(step.round);
    }
    QCOMPARE(roundsOfA1, (std::vector<int>{ 1, 3 })); // a1 has two uses; contracting factors move from round 3 on
    // A broadcast that only adds dimensions of size 1 is a reshape, and goes both ways before a product gives anything.
    for (const bool isReshape : { true, false }) {
        notation::Case spread = notation::parseCase(
            std::string("mesh a=2\na0 8x8 [{a,?},{?}]\na1 8x8 [{?},{a,?}]\nv0 = ") + "broadcast a0 to "
            + (isReshape ? "1" : "4") + "x8x8 dims 1,2\nv1 = dot v0 a1 contract 2 x 0\nreturn v1");
        const PropagationResult spreadResult = propagate(spread.input);
        QCOMPARE(notation::print(*spread.input.mesh, spreadResult.shardings[spread.values["v0"].index]),
            std::string("[{?},{a,?},{?}]"));
        int round = -1;
        for (const PropagationStep& step : spreadResult.log)
            if (step.to == spread.values["v0"] && round < 0)
                round = step.round;
        QCOMPARE(round, isReshape ? 0 : 4);
    }
    for (const OpKind kind : { OpKind::Add, OpKind::Reshape, OpKind::Transpose, OpKind::ShardingConstraint })
        QCOMPARE(priorityClass(kind), PriorityClass::PassThrough);
    QCOMPARE(allowance(PriorityClass::PassThrough, false, 0).direction, Direction::None);
    QCOMPARE(allowance(PriorityClass::PassThrough, true, 0).direction, Direction::Both);
    QCOMPARE(allowance(PriorityClass::Other, true, 1).direction, Direction::None);
    QCOMPARE(allowance(PriorityClass::Other, true, 2).along(FactorKind::Reduction), Direction::None);
    QCOMPARE(allowance(PriorityClass::Broadcast, true, 3).along(FactorKind::PassThrough), Direction::Backward);
    QCOMPARE(allowance(PriorityClass::Broadcast, true, 4).along(FactorKind::PassThrough), Direction::Both);
}

void TestProperties::provenanceOfAChain()
{
    notation::Case test =
        notation::parseCase("mesh a=2 b=2\na0 8x4 [{a,?},{?}]\na1 4x16\nv0 = dot a0 a1 contract 1 x 0\n"
                            "v1 = transpose v0 dims 1,0\nv2 = tanh v1\nreturn v2");
    const PropagationResult result = propagate(test.input);
    const AxisRef a = fullAxis(*test.input.mesh, 0);
    const ValueId end = test.values["v2"];
    const std::vector<PropagationStep> chain = provenance(result, end, 1, a);
    QCOMPARE(chain.size(), std::size_t{ 4 });
    QVERIFY(chain[0].seed == SeedKind::Argument);
    QCOMPARE(chain[0].to, test.values["a0"]);
    QCOMPARE(chain[1].to, test.values["v0"]);
    QCOMPARE(chain[1].factor, std::int16_t{ 0 });
    QCOMPARE(chain[2].to, test.values["v1"]);
    QCOMPARE(chain[2].toDimension, std::int16_t{ 1 });
    QCOMPARE(chain[3].operation, test.input.program->value(end).definition);
    QVERIFY(provenance(result, end, 0, a).empty());
    QVERIFY(provenance(result, end, 1, fullAxis(*test.input.mesh, 1)).empty());
    QVERIFY(provenance(result, end, 7, a).empty());
    QVERIFY(provenance(result, ValueId(), 0, a).empty());
}

void TestProperties::provenanceThroughTheDeclaredResult()
{
    notation::Case test = notation::parseCase("mesh a=2\na0 8\nv0 = tanh a0\nreturn v0 : [{a}]");
    const PropagationResult result = propagate(test.input);
    const std::vector<PropagationStep> chain = provenance(result, test.values["a0"], 0, fullAxis(*test.input.mesh, 0));
    QCOMPARE(chain.size(), std::size_t{ 3 });
    QVERIFY(chain[0].seed == SeedKind::Result);
    QCOMPARE(chain[1].from, chain[1].to);
    QVERIFY(!chain[1].operation.valid());
    QCOMPARE(chain[2].to, test.values["a0"]);
}

REGISTER_TEST(TestProperties)
#include "test_properties.moc"
