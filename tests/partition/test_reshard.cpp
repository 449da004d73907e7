// SPDX-License-Identifier: GPL-3.0-or-later
// Reshards as collectives: bytes, and a simulation of who holds what for random pairs.
#include <numeric>
#include <random>

#include <QtTest>

#include "partition/axis_text.h"
#include "partition/partition_program.h"
#include "partition/reshard_bytes.h"
#include "partition/reshard_simulation.h"
#include "random_properties.h"
#include "registered_test.h"

using namespace shardscope;

namespace {

std::string describe(const Mesh& mesh, const std::vector<ReshardStep>& steps)
{
    std::string text;
    for (const ReshardStep& step : steps) {
        const Collective& c = step.collective;
        text += std::string(name(c.kind)) + ' ';
        if (c.kind == CollectiveKind::AllToAll)
            text += std::to_string(c.sourceDimension) + ">" + std::to_string(c.targetDimension) + ' '
                + joined({ toText(mesh, c.moved) }) + ' ';
        if (!c.perDimension.empty()) {
            AxisTexts lists;
            for (const AxisList& list : c.perDimension)
                lists.push_back(toText(mesh, list));
            text += joined(lists) + ' ';
        }
        text += "-> " + joined(toText(mesh, step.after)) + '\n';
    }
    return text;
}

std::string wrongness(const TensorSharding& from, const TensorSharding& to, const TensorType& type, const MeshPtr& mesh)
{
    const Reshard reshard{ type, from, to, mesh.get() };
    return simulate(reshard, shardySteps(reshard)).wrong;
}

bool isLess(Rational a, Rational b)
{
    return (b + a * Rational(-1)).numerator() > 0;
}

/// Every dimension divides, before and behind.
bool isEven(const Reshard& reshard)
{
    for (std::size_t d = 0; d < reshard.type.rank(); ++d)
        for (const TensorSharding* sharding : { &reshard.from, &reshard.to })
            if (reshard.type.shape[d] % shardCount(sharding->dims[d]) != 0)
                return false;
    return true;
}

/// Random mesh, shape and shardings; axes are cut into random parts.
struct Pair {
    MeshPtr mesh;
    TensorType type;
    TensorSharding from, to;
};

Pair randomPair(std::mt19937& random)
{
    const auto draw = [&](int below) { return static_cast<std::size_t>(random() % static_cast<unsigned>(below)); };
    Pair pair;
    std::vector<MeshAxis> axes;
    std::int64_t devices = 1;
    const std::size_t rank = 1 + draw(4);
    constexpr std::array<std::int64_t, 8> sizes{ 2, 2, 2, 3, 4, 4, 6, 1 };
    for (std::size_t a = 0; a < rank; ++a) {
        const std::int64_t size = sizes[draw(8)];
        if (devices * size > 48)
            continue;
        devices *= size;
        axes.push_back({ std::string(1, static_cast<char>('a' + a)), size });
    }
    pair.mesh = std::make_shared<const Mesh>(Mesh::create(axes).value());
    const std::size_t dims = 1 + draw(3);
    const bool whole = draw(2) == 0; // axes in one piece
    for (TensorSharding* sharding : { &pair.from, &pair.to }) {
        *sharding = TensorSharding::fullyReplicated(dims);
        std::vector<AxisRef> parts;
        for (std::size_t a = 0; a < pair.mesh->rank(); ++a) {
            std::int64_t pre = 1;
            std::int64_t rest = pair.mesh->size(a);
            while (rest > 1) {
                std::vector<std::int64_t> divisors;
                for (std::int64_t k = 2; k <= rest; ++k)
                    if (rest % k == 0)
                        divisors.push_back(k);
                const std::int64_t size = whole ? rest : divisors[draw(static_cast<int>(divisors.size()))];
                parts.push_back(
                    { static_cast<std::int32_t>(a), static_cast<std::int32_t>(pre), static_cast<std::int32_t>(size) });
                pre *= size;
                rest /= size;
            }
        }
        std::shuffle(parts.begin(), parts.end(), random);
        for (const AxisRef& part : parts) {
            const std::size_t d = draw(static_cast<int>(dims) + 1);
            if (d < dims)
                appendMerged(sharding->dims[d].axes, part);
        }
        // Permutations of axes within the same pieces are the hardest: let the target often be a shuffled source.
        if (sharding == &pair.to && draw(3) == 0) {
            pair.to = pair.from;
            std::shuffle(pair.to.dims.begin(), pair.to.dims.end(), random);
            for (DimensionSharding& dim : pair.to.dims)
                std::shuffle(dim.axes.begin(), dim.axes.end(), random);
            for (DimensionSharding& dim : pair.to.dims) {
                AxisList list;
                for (const AxisRef& ref : dim.axes)
                    appendMerged(list, ref);
                dim.axes = list;
            }
        }
    }
    for (std::size_t d = 0; d < dims; ++d) {
        const std::int64_t even = std::lcm(shardCount(pair.from.dims[d]), shardCount(pair.to.dims[d]));
        pair.type.shape.push_back(draw(4) != 0 && even <= 24 ? even : static_cast<std::int64_t>(1 + draw(13)));
    }
    return pair;
}

} // namespace

class TestReshard : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void ring()
    {
        QCOMPARE(ringBytes(CollectiveKind::AllGather, 4, 4096), Rational(12288));
        QCOMPARE(ringBytes(CollectiveKind::ReduceScatter, 4, 16384), Rational(12288));
        QCOMPARE(ringBytes(CollectiveKind::AllReduce, 8, 2), Rational(7, 2));
        QCOMPARE(ringBytes(CollectiveKind::AllToAll, 4, 128), Rational(96));
        QCOMPARE(ringBytes(CollectiveKind::CollectivePermute, 4, 128), Rational(128));
        QCOMPARE(ringBytes(CollectiveKind::AllSlice, 4, 128), Rational(0));
        QCOMPARE(ringBytes(CollectiveKind::AllReduce, 1, 128), Rational(0));
        // The largest arrays do not overflow: 2^61 bytes all-reduced by three devices, or gathered by 2^20.
        constexpr std::int64_t huge = std::int64_t{ 1 } << 61;
        QCOMPARE(ringBytes(CollectiveKind::AllReduce, 3, huge), Rational(4, 3) * Rational(huge));
        QVERIFY(ringBytes(CollectiveKind::AllReduce, 3, huge).value() > 3.07e18);
        QCOMPARE(
            ringBytes(CollectiveKind::AllGather, 1 << 20, huge), Rational(std::numeric_limits<std::int64_t>::max()));
    }

    void devicesHoldTheTarget()
    {
        QVERIFY(
            test::propertyHolds(100, "after the steps every device holds the target's ranges", [](std::uint32_t seed) {
                std::mt19937 random(seed);
                for (int i = 0; i < 20; ++i) {
                    const Pair pair = randomPair(random);
                    const std::string wrong = wrongness(pair.from, pair.to, pair.type, pair.mesh);
                    if (!wrong.empty())
                        RC_FAIL(wrong + ": " + joined(toText(*pair.mesh, pair.from)) + " to "
                            + joined(toText(*pair.mesh, pair.to)) + '\n'
                            + describe(*pair.mesh, reshardSteps(pair.from, pair.to, pair.type, *pair.mesh)));
                }
            }));
    }

    void bothPlanners()
    {
        int fewer = 0;
        QVERIFY(test::propertyHolds(
            100, "both planners are right, and the optimal one is never dearer", [&](std::uint32_t seed) {
                std::mt19937 random(seed);
                for (int i = 0; i < 10; ++i) {
                    const Pair pair = randomPair(random);
                    Reshard there{ pair.type, pair.from, pair.to, pair.mesh.get() };
                    // Some axes that the source does not use are partial, and have to be added up.
                    if (random() % 3 == 0)
                        for (std::size_t a = 0; a < pair.mesh->rank(); ++a) {
                            const AxisRef axis = fullAxis(*pair.mesh, a);
                            const bool free = std::none_of(
                                there.from.dims.begin(), there.from.dims.end(), [&](const DimensionSharding& dim) {
                                    return std::any_of(dim.axes.begin(), dim.axes.end(),
                                        [&](const AxisRef& ref) { return overlaps(ref, axis); });
                                });
                            if (free && axis.size > 1 && product(there.from.unreduced) * axis.size < 32)
                                there.from.unreduced.push_back(axis);
                        }
                    const std::vector<ReshardStep> shardy = shardySteps(there);
                    const std::vector<ReshardStep> optimal = optimalSteps(there);
                    const std::string text = joined(toText(*pair.mesh, there.from)) + " to "
                        + joined(toText(*pair.mesh, there.to)) + '\n' + describe(*pair.mesh, optimal);
                    for (const auto& steps : { shardy, optimal })
                        if (const Simulated done = simulate(there, steps); !done.wrong.empty())
                            RC_FAIL(done.wrong + ": " + text);
                    if (isLess(sentBytes(shardy), sentBytes(optimal)))
                        RC_FAIL("the optimal plan sends more: " + text);
                    fewer += isLess(sentBytes(optimal), sentBytes(shardy)) ? 1 : 0;
                    if (there.from.unreduced.empty() && isEven(there)
                        && sentBytes(optimal).value() < static_cast<double>(missingBytes(there).neediestDevice))
                        RC_FAIL("less is sent than is missing: " + text);

                    // There and back again.
                    if (there.from.unreduced.empty()) {
                        const Reshard back{ pair.type, pair.to, pair.from, pair.mesh.get() };
                        const Reshard round{ pair.type, pair.from, pair.from, pair.mesh.get() };
                        std::vector<ReshardStep> steps = shardy;
                        for (const ReshardStep& step : optimalSteps(back))
                            steps.push_back(step);
                        if (const Simulated done = simulate(round, steps); !done.wrong.empty())
                            RC_FAIL("there and back: " + text);
                    }
                }
            }));
        QVERIFY(fewer > 0 || !test::triesAllRandomCases());
    }

    /// Programs of devices have arrays of one shape: where both ends divide, all that lies between does.
    void blocksOfOneSize()
    {
        int gathered = 0;
        QVERIFY(test::propertyHolds(100, "no step cuts unevenly", [&](std::uint32_t seed) {
            std::mt19937 random(seed);
            for (int i = 0; i < 20; ++i) {
                const Pair pair = randomPair(random);
                Reshard reshard{ pair.type, pair.from, pair.to, pair.mesh.get() };
                for (std::size_t d = 0; d < reshard.type.rank(); ++d)
                    reshard.type.shape[d] = std::lcm(shardCount(pair.from.dims[d]), shardCount(pair.to.dims[d]));
                const auto dividing = [&](const std::vector<ReshardStep>& steps) {
                    return std::all_of(steps.begin(), steps.end(), [&](const ReshardStep& step) {
                        return isEven({ reshard.type, step.after, step.after, pair.mesh.get() });
                    });
                };
                reshard.blocks = Blocks::AsIfEven;
                const std::vector<ReshardStep> asIfEven = shardySteps(reshard);
                reshard.blocks = Blocks::Even;
                const std::vector<ReshardStep> shardy = shardySteps(reshard), optimal = optimalSteps(reshard);
                const std::string text = joined(toText(*pair.mesh, reshard.from)) + " to "
                    + joined(toText(*pair.mesh, reshard.to)) + '\n' + describe(*pair.mesh, shardy)
                    + describe(*pair.mesh, optimal);
                for (const auto& steps : { shardy, optimal }) {
                    if (!dividing(steps))
                        RC_FAIL("uneven: " + text);
                    if (const Simulated done = simulate(reshard, steps); !done.wrong.empty())
                        RC_FAIL(done.wrong + ": " + text);
                }
                if (isLess(sentBytes(shardy), sentBytes(optimal)))
                    RC_FAIL("the optimal plan sends more: " + text);
                if (dividing(asIfEven) && describe(*pair.mesh, asIfEven) != describe(*pair.mesh, shardy))
                    RC_FAIL("another way, though Shardy's divides: " + text);
                gathered += dividing(asIfEven) ? 0 : 1;
            }
        }));
        QVERIFY(gathered > 0 || !test::triesAllRandomCases());
    }

    void devicesInAnyOrder()
    {
        QVERIFY(test::propertyHolds(
            100, "other devices in the mesh change nothing; axes of size 1 change nothing", [](std::uint32_t seed) {
                std::mt19937 random(seed);
                const Pair pair = randomPair(random);
                std::vector<std::int32_t> order(static_cast<std::size_t>(pair.mesh->deviceCount()));
                std::iota(order.begin(), order.end(), 0);
                std::shuffle(order.begin(), order.end(), random);
                std::vector<MeshAxis> axes(pair.mesh->axes().begin(), pair.mesh->axes().end());
                const Mesh shuffled = Mesh::create(axes, order).value();
                axes.push_back({ "one", 1 });
                const Mesh wider = Mesh::create(axes).value();
                TensorSharding withOne = pair.from;
                withOne.dims.front().axes.push_back(fullAxis(wider, axes.size() - 1));
                const Reshard plain{ pair.type, pair.from, pair.to, pair.mesh.get() };
                for (const auto plan : { shardySteps, optimalSteps }) {
                    const std::string expected = describe(*pair.mesh, plan(plain));
                    const Reshard elsewhere{ pair.type, pair.from, pair.to, &shuffled };
                    RC_ASSERT(describe(*pair.mesh, plan(elsewhere)) == expected);
                    const Reshard withUnit{ pair.type, withOne, pair.to, &wider };
                    RC_ASSERT(describe(*pair.mesh, plan(withUnit)) == expected);
                    // From one order of devices to the other.
                    const Reshard across{ pair.type, pair.from, pair.to, &shuffled, pair.mesh.get() };
                    RC_ASSERT(simulate(across, plan(across)).wrong == std::string());
                }
            }));
    }
};

REGISTER_TEST(TestReshard)
#include "test_reshard.moc"
