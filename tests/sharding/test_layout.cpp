// SPDX-License-Identifier: GPL-3.0-or-later
// Layouts against a walk over every element: which devices hold it.
#include <QElapsedTimer>
#include <QtTest>

#include <map>
#include <set>

#include "random_properties.h"
#include "registered_test.h"
#include "sharding/generators.h"
#include "sharding/sharding.h"

using namespace shardscope;

class TestLayout : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void workedExample();
    void holdersOfEveryElement();
    void groupsOfAxes();
    void replicatedAxesAreWhatIsLeft();
    void uneven();
    void withoutElements();
    void manyDevices();
    void specErrors_data();
    void specErrors();
    void specsAndShardings();
    void equalityAndEquivalence();
};

namespace {

MeshPtr orderedMesh(std::vector<MeshAxis> axes, std::vector<std::int32_t> order = {})
{
    return std::make_shared<const Mesh>(*Mesh::create(std::move(axes), std::move(order)));
}

/// The block that an axis list puts a mesh position into, derived from coordinates alone: the axis as digits
/// [pre, size, rest], all lists of digits in one mixed radix number.
std::int64_t blockOf(const Mesh& mesh, const AxisList& axes, std::int64_t position)
{
    std::int64_t block = 0;
    for (const AxisRef& ref : axes) {
        std::int64_t remaining = position;
        std::vector<std::int64_t> coordinates(mesh.rank());
        for (std::size_t axis = mesh.rank(); axis-- > 0;) {
            coordinates[axis] = remaining % mesh.size(axis);
            remaining /= mesh.size(axis);
        }
        const auto axis = static_cast<std::size_t>(ref.axis);
        const std::int64_t rest = mesh.size(axis) / ref.pre / ref.size;
        block = block * ref.size + coordinates[axis] / rest % ref.size;
    }
    return block;
}

} // namespace

void TestLayout::replicatedAxesAreWhatIsLeft()
{
    const MeshPtr mesh = orderedMesh({ { "x", 12 }, { "one", 1 }, { "y", 2 } });
    TensorSharding sharding = TensorSharding::fullyReplicated(2);
    const auto left = [&] {
        const AxisList axes = replicatedAxes(sharding, *mesh);
        std::string names;
        for (const AxisRef& axis : axes)
            names += (names.empty() ? "" : ", ") + toString(*mesh, axis);
        return product(axes) == Layout(mesh, sharding, { 24, 24 }).copies() ? names : "not as many devices as copies";
    };
    QCOMPARE(left(), std::string("x, y"));
    sharding.dims[0].axes = { AxisRef{ 0, 2, 3 } }; // the middle digit of the coordinate
    QCOMPARE(left(), std::string("x:(1)2, x:(6)2, y"));
    sharding.unreduced = { AxisRef{ 2, 1, 2 } };
    QCOMPARE(left(), std::string("x:(1)2, x:(6)2"));
    sharding.dims[1].axes = { AxisRef{ 0, 6, 2 }, AxisRef{ 0, 1, 2 } };
    QCOMPARE(left(), std::string());
}

void TestLayout::workedExample()
{
    const MeshPtr mesh = orderedMesh({ { "data", 2 }, { "model", 4 } });
    const NamedSharding sharding{ mesh, { { SpecEntry::none(), SpecEntry::axis("model") } } };
    const std::vector<std::int64_t> shape{ 1024, 1024 };
    const Layout layout = *layoutOf(sharding, shape);
    QCOMPARE(layout.shardShape(), (Shape{ 1024, 256 }));
    QCOMPARE(layout.shardGrid(), (Shape{ 1, 4 }));
    QCOMPARE(layout.distinctShards(), std::int64_t{ 4 });
    QCOMPARE(layout.copies(), std::int64_t{ 2 });
    QCOMPARE(layout.holders(1), (std::vector<std::int32_t>{ 1, 5 }));
    QVERIFY(!layout.isUneven());
    QCOMPARE(layout.paddedElements(), std::int64_t{ 0 });
    const std::vector<IndexRange> ranges = layout.rangesAt(6);
    QCOMPARE(ranges[1].begin, std::int64_t{ 512 });
    QCOMPARE(ranges[1].end, std::int64_t{ 768 });

    // Partial sums over model: everyone holds an addend of the full array, and nobody a copy along model.
    TensorSharding partial = TensorSharding::fullyReplicated(2);
    partial.unreduced.push_back(fullAxis(*mesh, 1));
    const Layout addends(mesh, partial, Shape{ 8, 8 });
    QCOMPARE(addends.addends(), std::int64_t{ 4 });
    QCOMPARE(addends.copies(), std::int64_t{ 2 });
    QCOMPARE(addends.holders(0).size(), std::size_t{ 8 });
}

void TestLayout::holdersOfEveryElement()
{
    const bool holds = test::propertyHolds(2000, "who holds which element", [] {
        const MeshPtr mesh = generators::mesh();
        const std::size_t rank = *rc::gen::inRange<std::size_t>(0, 4);
        Shape shape;
        for (std::size_t d = 0; d < rank; ++d)
            shape.push_back(*rc::gen::inRange<std::int64_t>(1, 9));
        const Layout layout(mesh, generators::sharding(*mesh, rank, true, true), shape);

        RC_ASSERT(layout.distinctShards() * layout.copies() * layout.addends() == mesh->deviceCount());
        std::int64_t elements = 1;
        for (std::size_t d = 0; d < rank; ++d)
            elements *= shape[d];
        std::map<std::int64_t, std::vector<std::int32_t>> holders; // by shard, as the ranges say
        std::int64_t held = 0;
        for (std::int64_t position = 0; position < mesh->deviceCount(); ++position) {
            const Shape block = layout.blockAt(position);
            const std::vector<IndexRange> ranges = layout.rangesAt(position);
            std::int64_t shard = 0;
            std::int64_t count = 1;
            for (std::size_t d = 0; d < rank; ++d) {
                const std::int64_t expected = blockOf(*mesh, layout.sharding().dims[d].axes, position);
                RC_ASSERT(block[d] == expected);
                shard = shard * layout.shardGrid()[d] + expected;
                for (std::int64_t i = 0; i < shape[d]; ++i)
                    RC_ASSERT((i >= ranges[d].begin && i < ranges[d].end) == (i / layout.shardShape()[d] == expected));
                count *= ranges[d].size();
            }
            held += count;
            RC_ASSERT(layout.shardAt(position) == shard);
            RC_ASSERT(layout.rangesOfShard(shard) == ranges);
            holders[shard].push_back(mesh->deviceAt(position));
        }
        // Every element is held once per copy and addend, the rest of the room is padding.
        RC_ASSERT(held == elements * layout.copies() * layout.addends());
        std::int64_t room = 1;
        for (std::size_t d = 0; d < rank; ++d)
            room *= layout.shardShape()[d];
        RC_ASSERT(layout.paddedElements() == room * mesh->deviceCount() - held);
        RC_ASSERT(layout.isUneven() == (layout.paddedElements() > 0));

        const std::vector<std::vector<std::int32_t>> groups = layout.replicaGroups();
        RC_ASSERT(static_cast<std::int64_t>(groups.size()) == layout.distinctShards());
        for (std::size_t shard = 0; shard < groups.size(); ++shard) {
            RC_ASSERT(groups[shard] == holders[static_cast<std::int64_t>(shard)]);
            RC_ASSERT(layout.holders(static_cast<std::int64_t>(shard)) == groups[shard]);
        }
    });
    QVERIFY(holds);
}

void TestLayout::groupsOfAxes()
{
    const MeshPtr example = orderedMesh({ { "data", 2 }, { "model", 4 } });
    const std::vector<AxisRef> minor{ { 1, 2, 2 } };
    using Groups = std::vector<std::vector<std::int32_t>>;
    QCOMPARE(axisGroups(*example, minor), (Groups{ { 0, 1 }, { 2, 3 }, { 4, 5 }, { 6, 7 } }));
    const std::vector<AxisRef> crossed{ { 1, 1, 2 }, { 0, 1, 2 } };
    QCOMPARE(axisGroups(*example, crossed), (Groups{ { 0, 4, 2, 6 }, { 1, 5, 3, 7 } }));

    const bool holds = test::propertyHolds(2000, "groups split the positions by the other coordinates", [] {
        const MeshPtr mesh = generators::mesh();
        std::vector<AxisRef> axes = generators::shuffledRefs(*mesh, true);
        axes.resize(*rc::gen::inRange<std::size_t>(0, axes.size() + 1));
        const AxisList list(axes.begin(), axes.end());
        std::set<std::int32_t> seen;
        for (const std::vector<std::int32_t>& group : axisGroups(*mesh, axes)) {
            RC_ASSERT(static_cast<std::int64_t>(group.size()) == product(axes));
            for (std::size_t i = 0; i < group.size(); ++i) {
                RC_ASSERT(seen.insert(group[i]).second);
                RC_ASSERT(blockOf(*mesh, list, group[i]) == static_cast<std::int64_t>(i));
                for (const AxisRef& other : generators::shuffledRefs(*mesh, true)) {
                    const bool free =
                        std::none_of(axes.begin(), axes.end(), [&](AxisRef a) { return overlaps(a, other); });
                    const AxisList one{ other };
                    if (free)
                        RC_ASSERT(blockOf(*mesh, one, group[i]) == blockOf(*mesh, one, group.front()));
                }
            }
        }
        RC_ASSERT(static_cast<std::int64_t>(seen.size()) == mesh->deviceCount());
    });
    QVERIFY(holds);
}

void TestLayout::uneven()
{
    const MeshPtr mesh = orderedMesh({ { "x", 4 } });
    TensorSharding sharding = TensorSharding::fullyReplicated(1);
    sharding.dims[0].axes.push_back(fullAxis(*mesh, 0));
    const Layout layout(mesh, sharding, Shape{ 5 }); // 2 2 1 0
    QCOMPARE(layout.shardShape(), (Shape{ 2 }));
    QVERIFY(layout.isUneven());
    QCOMPARE(layout.rangesAt(2).front().size(), std::int64_t{ 1 });
    QCOMPARE(layout.rangesAt(3).front().size(), std::int64_t{ 0 });
    QCOMPARE(layout.paddedElements(), std::int64_t{ 3 });
    QCOMPARE(layout.paddedElementsOfWorstShard(), std::int64_t{ 2 });

    // Room and content are beyond 64 bits, their difference is not: one row of padding, of 2^21 elements, 512 times.
    const MeshPtr large = orderedMesh({ { "x", 2 }, { "y", 512 } });
    TensorSharding rows = TensorSharding::fullyReplicated(2);
    rows.dims[0].axes.push_back(fullAxis(*large, 0));
    const Layout huge(large, rows, Shape{ (std::int64_t{ 1 } << 40) + 1, 1 << 21 });
    QCOMPARE(huge.paddedElements(), std::int64_t{ 1 } << 30);
    QCOMPARE(huge.paddedElementsOfWorstShard(), std::int64_t{ 1 } << 21);
    const Layout beyond(large, rows, Shape{ 3, std::int64_t{ 1 } << 62 });
    QCOMPARE(beyond.paddedElements(), std::numeric_limits<std::int64_t>::max());
}

void TestLayout::withoutElements()
{
    const MeshPtr mesh = orderedMesh({ { "x", 2 } });
    const NamedSharding sharded{ mesh, { { SpecEntry::axis("x") } } };
    const Layout empty = *layoutOf(sharded, std::vector<std::int64_t>{ 0 });
    QCOMPARE(empty.shardShape(), (Shape{ 0 }));
    QCOMPARE(empty.rangesAt(1).front().size(), std::int64_t{ 0 });
    QCOMPARE(empty.paddedElements(), std::int64_t{ 0 });
    const NamedSharding scalar{ mesh, {} };
    const Layout one = *layoutOf(scalar, {});
    QCOMPARE(one.distinctShards(), std::int64_t{ 1 });
    QCOMPARE(one.holders(0), (std::vector<std::int32_t>{ 0, 1 }));
    QCOMPARE(
        Layout(orderedMesh({}), TensorSharding::open(2), Shape{ 3, 4 }).holders(0), std::vector<std::int32_t>{ 0 });
}

void TestLayout::manyDevices()
{
    const MeshPtr mesh = orderedMesh({ { "pod", 16 }, { "data", 64 }, { "model", 64 } });
    const NamedSharding sharding{ mesh, { { SpecEntry::tuple({ "model", "pod" }), SpecEntry::axis("data") } } };
    const Layout layout = *layoutOf(sharding, std::vector<std::int64_t>{ 8192, 8192 });
    QElapsedTimer timer;
    timer.start();
    std::int64_t sum = 0;
    for (std::int64_t shard = 0; shard < layout.distinctShards(); shard += 64)
        sum += layout.holders(shard).front() + layout.shardAt(shard) + layout.rangesOfShard(shard).front().begin;
    QVERIFY(sum > 0);
    QCOMPARE(layout.replicaGroups().size(), std::size_t{ 65536 });
    QVERIFY2(timer.elapsed() < 2000, "1,024 queries and one expansion over 65,536 devices");
}

void TestLayout::specErrors_data()
{
    QTest::addColumn<QString>("spec");
    QTest::addColumn<QString>("kind");
    QTest::addColumn<QString>("arguments");
    // Dimensions 6, 8 on a mesh x=2, y=4, w=1. Axes of a dimension are joined by '+'.
    QTest::newRow("good") << "x,y"
                          << ""
                          << "";
    QTest::newRow("all axes on one dimension") << "-,x+y+w"
                                               << ""
                                               << "";
    QTest::newRow("twice, before unknown") << "y+z,x+y"
                                           << "axis_used_twice"
                                           << "y";
    QTest::newRow("several twice, in the order of first use") << "y+x,x+y"
                                                              << "axis_used_twice"
                                                              << "y, x";
    QTest::newRow("unknown, before too long") << "x,z,-"
                                              << "unknown_axis"
                                              << "z";
    QTest::newRow("too long, trailing None counts") << "x,y,-"
                                                    << "rank_too_small"
                                                    << "3 2";
    QTest::newRow("first dimension that does not divide") << "y,x+w"
                                                          << "not_divisible"
                                                          << "0 6 4";
}

void TestLayout::specErrors()
{
    QFETCH(QString, spec);
    QFETCH(QString, kind);
    QFETCH(QString, arguments);
    PartitionSpec parsed;
    for (const QString& entry : spec.split(',')) {
        std::vector<std::string> axes;
        for (const QString& axis : entry.split('+'))
            axes.push_back(axis.toStdString());
        parsed.entries.push_back(entry == "-" ? SpecEntry::none() : SpecEntry::tuple(std::move(axes)));
    }
    const Mesh mesh = *Mesh::create({ { "x", 2 }, { "y", 4 }, { "w", 1 } });
    const std::vector<std::int64_t> shape{ 6, 8 };
    const Result<void> valid = validate(parsed, mesh, shape);
    QCOMPARE(valid ? QString() : QString::fromUtf8(valid.error().kind().data()), kind);
    if (valid)
        return;
    QStringList values;
    for (const char* name : { "axes", "axis", "spec_len", "rank", "dim", "size", "partitions" })
        if (valid.error().arg(name))
            values.append(QString::fromStdString(valid.error().text(name)));
    QCOMPARE(values.join(' '), arguments);
}

void TestLayout::specsAndShardings()
{
    const bool holds = test::propertyHolds(2000, "specs to shardings and back", [] {
        const MeshPtr mesh = generators::mesh();
        const std::size_t rank = *rc::gen::inRange<std::size_t>(0, 5);
        const PartitionSpec spec = generators::spec(*mesh, rank);
        RC_ASSERT(validate(spec, *mesh).has_value());
        const TensorSharding sharding = toTensorSharding(spec, *mesh, rank);
        PartitionSpec expected = canonical(spec);
        for (std::size_t d = 0; d < rank; ++d) {
            RC_ASSERT(sharding.dims[d].open == (spec.entries[d].kind == SpecEntry::Kind::Unconstrained));
            if (expected.entries[d].kind == SpecEntry::Kind::Unconstrained)
                expected.entries[d] = SpecEntry::none();
        }
        RC_ASSERT(toPartitionSpec(sharding, *mesh) == expected);
        RC_ASSERT(sharding.isEquivalent(toTensorSharding(canonical(spec), *mesh, rank)));
        RC_ASSERT(canonical(canonical(spec)) == canonical(spec));
        RC_ASSERT(TensorSharding::open(rank).isEquivalent(TensorSharding::fullyReplicated(rank)));
        bool sharded = false;
        for (std::size_t d = 0; d < rank; ++d)
            sharded = sharded || !spec.axesOf(d).empty();
        RC_ASSERT(sharding.isFullyReplicated() == !sharded);
    });
    QVERIFY(holds);
}

void TestLayout::equalityAndEquivalence()
{
    const MeshPtr mesh = orderedMesh({ { "x", 2 }, { "y", 4 } });
    const auto sharding = [&](std::vector<SpecEntry> entries) { return NamedSharding{ mesh, { std::move(entries) } }; };
    const NamedSharding x = sharding({ SpecEntry::axis("x") });
    QVERIFY(x == sharding({ SpecEntry::tuple({ "x" }) }));
    QVERIFY(!(x == sharding({ SpecEntry::axis("x"), SpecEntry::none() })));
    QVERIFY(isEquivalent(x, sharding({ SpecEntry::axis("x"), SpecEntry::none() }), 2));
    QVERIFY(!(x == NamedSharding{ orderedMesh({ { "x", 2 }, { "z", 4 } }), x.spec }));
    QVERIFY(isEquivalent(x, NamedSharding{ orderedMesh({ { "x", 2 }, { "z", 4 } }), x.spec }, 1));

    const bool holds = test::propertyHolds(2000, "equivalent shardings put the same ranges on the same devices", [] {
        const MeshPtr a = generators::mesh();
        const MeshPtr b = *rc::gen::arbitrary<bool>() ? a : generators::mesh();
        const NamedSharding first{ a, generators::spec(*a, 2) };
        const NamedSharding second{ b, generators::spec(*b, 2) };
        const Shape shape{ 144 * 9, 144 * 9 }; // divides by any product of the sizes
        bool same = a->deviceCount() == b->deviceCount();
        for (std::int64_t position = 0; same && position < a->deviceCount(); ++position)
            same = a->deviceAt(position) == b->deviceAt(position)
                && Layout(a, toTensorSharding(first.spec, *a, 2), shape).rangesAt(position)
                    == Layout(b, toTensorSharding(second.spec, *b, 2), shape).rangesAt(position);
        RC_ASSERT(isEquivalent(first, second, 2) == same);
        RC_ASSERT(isEquivalent(second, first, 2) == same);
        RC_ASSERT(isEquivalent(first, first, 2));
    });
    QVERIFY(holds);
}

REGISTER_TEST(TestLayout)
#include "test_layout.moc"
