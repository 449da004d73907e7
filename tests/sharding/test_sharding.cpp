// SPDX-License-Identifier: GPL-3.0-or-later
// Shardings of all kinds: text, memory, equality and equivalence.
#include <QtTest>

#include <map>
#include <set>

#include "mesh/physical_mesh.h"
#include "registered_test.h"
#include "sharding/generators.h"
#include "sharding/sharding_edit.h"
#include "sharding/sharding_text.h"

using namespace shardscope;

class TestSharding : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void documents();
    void texts_data();
    void texts();
    void memoryKinds();
    void copiesShareDimensions();
    void uneven();
    void tilesTheArray();
    void printedAndRead();
    void equivalenceIsARelation();
    void memoriesCountAndLayoutsDoNot();
    void equivalenceMeansTheSameParts();
};

namespace {

// Both headers speak of versions of JAX, and mean different ones.
static_assert(!std::is_same_v<MeshUtilsVersion, JaxVersion>);

QString shardingText(std::string_view utf8)
{
    return QString::fromUtf8(utf8.data(), static_cast<qsizetype>(utf8.size()));
}

/// A sharding of any kind over the devices of the mesh, for arrays of that rank.
Sharding anySharding(const MeshPtr& mesh, std::size_t rank)
{
    std::vector<std::int32_t> devices = devicesOf(Sharding(NamedSharding{ mesh, {} }));
    switch (*rc::gen::inRange(0, 5)) {
    case 0: {
        NamedSharding named{ mesh, generators::spec(*mesh, rank) };
        named.memoryKind = generators::memoryKind();
        return named;
    }
    case 1: {
        PositionalSharding positional = generators::positional(devices);
        if (positional.rank() == rank)
            return positional;
        return *positional.replicate();
    }
    case 2: {
        SingleDeviceSharding single;
        single.device.id = devices.front();
        single.device.platform = *rc::gen::element<std::string>("cpu", "gpu", "tpu");
        single.memoryKind = generators::memoryKind();
        return single;
    }
    case 3: {
        HloSharding hlo = generators::hlo(rank, mesh->deviceCount());
        if (hlo.kind == HloSharding::Kind::Maximal)
            hlo.device = *rc::gen::inRange<std::int64_t>(0, mesh->deviceCount());
        return GspmdSharding{ std::move(devices), std::move(hlo), generators::memoryKind() };
    }
    default:
        return ShardySharding{ mesh, generators::sharding(*mesh, rank, true, true), generators::memoryKind() };
    }
}

/// What is_equivalent_to compares: memory, order of devices, and what every device holds of an array that is large and
/// round enough to tell all cuts apart. Nothing where the text leaves that open.
struct Parts {
    std::optional<MemoryKind> memory;
    std::vector<std::int32_t> devices;
    std::map<std::int32_t, std::vector<IndexRange>> ranges;
    std::set<std::set<std::int32_t>> addends; ///< devices that hold addends of one another
    bool operator==(const Parts&) const = default;
};

std::optional<Parts> partsOf(const Sharding& sharding, std::size_t rank)
{
    const Result<Layout> layout = layoutOf(sharding, Shape(rank, 256 * 81));
    if (!layout)
        return std::nullopt;
    Parts parts{ memoryKindOf(sharding), devicesOf(sharding), {}, {} };
    for (std::int64_t position = 0; position < layout->mesh().deviceCount(); ++position)
        parts.ranges[layout->mesh().deviceAt(position)] = layout->rangesAt(position);
    if (layout->addends() > 1)
        for (const std::vector<std::int32_t>& group : axisGroups(layout->mesh(), layout->sharding().unreduced)) {
            std::set<std::int32_t> ids;
            for (const std::int32_t position : group)
                ids.insert(layout->mesh().deviceAt(position));
            parts.addends.insert(ids);
        }
    return parts;
}

} // namespace

/// What the five documents print.
void TestSharding::documents()
{
    const auto mesh = std::make_shared<const Mesh>(*Mesh::create({ { "x", 2 }, { "y", 4 } }));
    NamedSharding named{ mesh, { { SpecEntry::axis("x"), SpecEntry::axis("y") } } };
    QCOMPARE(shardingText(toJax(Sharding(named))),
        QString("NamedSharding(mesh=Mesh('x': 2, 'y': 4), spec=PartitionSpec('x', 'y'))"));
    named.memoryKind = MemoryKind::Device;
    QCOMPARE(shardingText(toJax(Sharding(named))),
        QString("NamedSharding(mesh=Mesh('x': 2, 'y': 4), spec=PartitionSpec('x', 'y'), memory_kind=device)"));
    QCOMPARE(shardingText(toJax(Sharding(named), JaxVersion::Current)),
        QString("NamedSharding(mesh=Mesh('x': 2, 'y': 4, axis_types=(Auto, Auto)), spec=P('x', 'y'), "
                "memory_kind=device)"));
    SingleDeviceSharding single;
    single.device.platform = "tpu";
    single.memoryKind = MemoryKind::Device;
    QCOMPARE(shardingText(toJax(Sharding(single))),
        QString("SingleDeviceSharding(device=TpuDevice(id=0, process_index=0, coords=(0,0,0), core_on_chip=0), "
                "memory_kind=device)"));
    QCOMPARE(
        toJax(PartitionSpec{ { SpecEntry::axis("y") } }, JaxVersion::Year2024), std::string("PartitionSpec('y',)"));
    QCOMPARE(toJax(PartitionSpec{}, JaxVersion::Year2024), std::string("PartitionSpec()"));
    // Newer JAX writes tuples of one axis as the axis, and empty ones as None.
    const PartitionSpec tuples{ { SpecEntry::tuple({ "x" }), SpecEntry::tuple({}), SpecEntry::tuple({ "y", "z" }) } };
    QCOMPARE(toJax(tuples, JaxVersion::Year2024), std::string("PartitionSpec(('x',), (), ('y', 'z'))"));
    QCOMPARE(toJax(tuples, JaxVersion::Current), std::string("P('x', None, ('y', 'z'))"));
    QCOMPARE(toJax(*Mesh::create({}), JaxVersion::Current), std::string("Mesh(axis_types=())"));
    QCOMPARE(
        toJax(*Mesh::create({ { "x", 2 } }), JaxVersion::Current), std::string("Mesh('x': 2, axis_types=(Auto,))"));
}

void TestSharding::texts_data()
{
    QTest::addColumn<QString>("declared");
    QTest::addColumn<QString>("result"); // printed, or kind and place
    const auto row = [](const char* declared, const char* result) {
        QTest::newRow(declared) << declared << (*result ? result : declared);
    };
    // On x=2, y=4.
    row("P('x', None)", "NamedSharding(mesh=Mesh('x': 2, 'y': 4), spec=PartitionSpec('x', None))");
    row("x, -", "NamedSharding(mesh=Mesh('x': 2, 'y': 4), spec=PartitionSpec('x', None))");
    row("NamedSharding(mesh=Mesh('x': 2, 'y': 4), spec=PartitionSpec(None, ('x', 'y')), memory_kind=pinned_host)", "");
    row("NamedSharding(mesh=Mesh('x': 2, 'y': 4, axis_types=(Auto, Explicit)), spec=P('x',))",
        "NamedSharding(mesh=Mesh('x': 2, 'y': 4), spec=PartitionSpec('x',))");
    row("NamedSharding(Mesh(axis_sizes=(2, 4), axis_names=('x', 'y'), axis_types=(Auto, Auto)), P())",
        "NamedSharding(mesh=Mesh('x': 2, 'y': 4), spec=PartitionSpec())");
    row("jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec('x'))",
        "NamedSharding(mesh=Mesh('x': 2, 'y': 4), spec=PartitionSpec('x',))");
    row("NamedSharding(mesh=Mesh(device_ids=array([[0, 1, 2, 3], [4, 5, 6, 7]]), axis_names=('x', 'y')), spec=P())",
        "NamedSharding(mesh=Mesh('x': 2, 'y': 4), spec=PartitionSpec())");
    row("SingleDeviceSharding(device=CpuDevice(id=3))", "");
    row("SingleDeviceSharding(device=TpuDevice(id=1, process_index=2, coords=(0,1,-1), core_on_chip=1), "
        "memory_kind=pinned_host)",
        "");
    row("SingleDeviceSharding(CudaDevice(id=0))", "SingleDeviceSharding(device=CudaDevice(id=0))");
    row("GSPMDSharding({devices=[2,1,4]<=[8] last_tile_dim_replicate}, memory_kind=device)", "");
    row("{devices=[2,1,4]<=[8] last_tile_dim_replicate}",
        "GSPMDSharding({devices=[2,1,4]<=[8] last_tile_dim_replicate})");
    row("sharding={replicated}", "GSPMDSharding({replicated})");
    row("mhlo.sharding = \"{devices=[8]<=[8]}\"", "GSPMDSharding({devices=[8]<=[8]})");
    row("#sdy.sharding<@mesh, [{\"x\"}, {?}]>", "GSPMDSharding({devices=[2,1,4]<=[8] last_tile_dim_replicate})");

    row("", "syntax 1:1");
    row("NamedSharding(mesh=Mesh('x': 4), spec=P())", "mesh_mismatch 1:15");
    row("NamedSharding(mesh=Mesh('x': 2, 'y': 4))", "syntax 1:15");
    row("NamedSharding(mesh=Mesh('x': 0), spec=P())", "invalid_axis_size 1:25");
    row("NamedSharding(mesh=Mesh(axis_sizes=(2, 4), axis_names=('x',)), spec=P())", "syntax 1:55");
    row("NamedSharding(mesh=Mesh(axis_names=('x',)), spec=P())", "syntax 1:36");
    row("NamedSharding(mesh=Mesh(device_ids=[[0, 1], [2]], axis_names=('x', 'y')), spec=P())", "syntax 1:45");
    row("NamedSharding(mesh, spec=P(), memory_kind=tape)", "unknown_memory_kind 1:43");
    row("NamedSharding(mesh, spec=P(), P())", "syntax 1:31");
    row("SingleDeviceSharding(device=Device(id=3))", "syntax 1:29");
    row("SingleDeviceSharding(device=CpuDevice(id=x))", "syntax 1:42");
    row("GSPMDSharding({devices=[2]})", "syntax 1:27");
    row("{{replicated}}", "unsupported_sharding 1:2");
    row("mhlo.sharding = \"{replicate}\"", "syntax 1:19");
    row("sharding = sharding = {replicated}", "syntax 1:10");
    row("<@mesh, [{\"w\"}]>", "unknown_axis 1:11");
    row("P('x', 3)", "syntax 1:8");
}

void TestSharding::texts()
{
    QFETCH(QString, declared);
    QFETCH(QString, result);
    const auto mesh = std::make_shared<const Mesh>(*Mesh::create({ { "x", 2 }, { "y", 4 } }));
    const Result<Sharding> sharding = parseSharding(declared.toStdString(), mesh);
    const QString found = sharding ? shardingText(toJax(*sharding))
                                   : shardingText(sharding.error().kind())
            + QStringLiteral(" %1:%2").arg(sharding.error().where.line).arg(sharding.error().where.column);
    QCOMPARE(found, result);

    // Without a mesh, only what says which devices there are.
    for (const auto& [form, kind] : std::map<std::string, std::string>{ { "P('x')", "missing_mesh" },
             { "P('x', 'x')", "axis_used_twice" }, { "P(('x', 'x'))", "axis_used_twice" },
             { "x, x", "axis_used_twice" }, { "{replicated}", "missing_mesh" }, { "<@mesh, []>", "missing_mesh" },
             { "PositionalSharding(devices)", "missing_mesh" }, { "NamedSharding(mesh, P())", "missing_mesh" },
             { "{devices=[2]<=[2]}", "" }, { "NamedSharding(Mesh('x': 2), P('x'))", "" } }) {
        const Result<Sharding> alone = parseSharding(form);
        QCOMPARE(alone ? std::string() : std::string(alone.error().kind()), kind);
    }
}

// A change of one sharding is not seen by its copies; what needs no change stays shared.
void TestSharding::copiesShareDimensions()
{
    const auto list = [](const TensorSharding& sharding) { return sharding.dims.data(); };
    const TensorSharding open = TensorSharding::open(2);
    TensorSharding closed = open;
    QCOMPARE(list(closed), list(open));
    closeDimensions(closed);
    QVERIFY(open.dims[0].open && open.dims[1].open);
    QVERIFY(closed == TensorSharding::fullyReplicated(2));
    TensorSharding again = closed;
    closeDimensions(again);
    dropPriorities(again);
    QCOMPARE(list(again), list(closed));
    again.dims[1].priority = 3;
    QCOMPARE(std::as_const(closed).dims[1].priority, -1);
    dropPriorities(again);
    QVERIFY(again == closed);
    again.dims[0].axes.push_back({ 0, 1, 2 });
    QVERIFY(closed.isFullyReplicated() && !again.isFullyReplicated());
    QVERIFY(TensorSharding::fullyReplicated(2).isFullyReplicated());
    QCOMPARE(TensorSharding::open(9).rank(), std::size_t(9));
}

void TestSharding::memoryKinds()
{
    QVERIFY(*parseMemoryKind("pinned_host") == MemoryKind::PinnedHost);
    QCOMPARE(shardingText(parseMemoryKind("hbm").error().kind()), QString("unknown_memory_kind"));
    QVERIFY(!settledMemoryKind(MemoryKind::UnpinnedHost, "gpu").has_value());
    QVERIFY(*settledMemoryKind({}, "gpu") == MemoryKind::Device);
    QVERIFY(*settledMemoryKind({}, "tpu") == MemoryKind::Device);
    QVERIFY(*settledMemoryKind({}, "cpu") == MemoryKind::UnpinnedHost);
    const auto mesh = std::make_shared<const Mesh>(*Mesh::create({ { "x", 2 } }));
    const Sharding onDevice = *parseSharding("NamedSharding(mesh, P('x'), memory_kind=device)", mesh);
    const Sharding onHost = withMemoryKind(onDevice, MemoryKind::PinnedHost);
    QVERIFY(onDevice != onHost);
    QVERIFY(!isEquivalent(onDevice, onHost, 1));
    QVERIFY(!isEquivalent(std::get<NamedSharding>(onDevice), std::get<NamedSharding>(onHost), 1));
    QVERIFY(withMemoryKind(onHost, MemoryKind::Device) == onDevice);
    // A sharding without a kind is the one with the default kind, once that is filled in.
    const Sharding without = *parseSharding("P('x')", mesh);
    QVERIFY(without != onDevice);
    QVERIFY(withMemoryKind(without, *settledMemoryKind(memoryKindOf(without), "tpu")) == onDevice);
}

void TestSharding::uneven()
{
    const auto mesh = std::make_shared<const Mesh>(*Mesh::create({ { "x", 4 }, { "y", 2 } }));
    const std::vector<std::int64_t> shape{ 5, 3 };
    for (const char* form :
        { "P('x', 'y')", "{devices=[4,2]<=[8]}", "<@mesh, [{\"x\"}, {\"y\"}]>", "PositionalSharding(mesh.devices)" }) {
        const Sharding sharding = *parseSharding(form, mesh);
        const Result<Layout> refused = layoutOf(sharding, shape);
        QVERIFY(!refused);
        QCOMPARE(shardingText(refused.error().kind()), QString("not_divisible"));
        QCOMPARE(refused.error().number("dim"), std::int64_t{ 0 });
        const Layout padded = *layoutOf(sharding, shape, Uneven::Padded);
        QCOMPARE(padded.shardShape(), (Shape{ 2, 2 }));
        QCOMPARE(padded.paddedElements(), std::int64_t{ 32 - 15 });
        QCOMPARE(padded.rangesAt(padded.mesh().positionOf(7))[0].size(), std::int64_t{ 0 });
    }
}

void TestSharding::tilesTheArray()
{
    QVERIFY(generators::holds("the parts are the array, once per copy", [] {
        const MeshPtr mesh = generators::mesh();
        const std::size_t rank = *rc::gen::inRange<std::size_t>(0, 4);
        const Sharding sharding = anySharding(mesh, rank);
        Shape shape;
        for (std::size_t d = 0; d < rank; ++d)
            shape.push_back(*rc::gen::inRange<std::int64_t>(1, 9));
        const Result<Layout> layout = layoutOf(sharding, shape, Uneven::Padded);
        if (!layout)
            return;
        const std::vector<std::vector<std::int32_t>> groups = layout->replicaGroups();
        std::map<std::vector<std::int64_t>, std::int64_t> holders; // by element
        std::set<std::int32_t> devices;
        std::int64_t elements = 1;
        for (std::size_t d = 0; d < rank; ++d)
            elements *= shape[d];
        for (std::size_t shard = 0; shard < groups.size(); ++shard) {
            RC_ASSERT(static_cast<std::int64_t>(groups[shard].size()) == layout->copies() * layout->addends());
            devices.insert(groups[shard].begin(), groups[shard].end());
            const std::vector<IndexRange> ranges = layout->rangesOfShard(static_cast<std::int64_t>(shard));
            std::vector<std::vector<std::int64_t>> inside{ {} };
            for (const IndexRange& range : ranges) {
                std::vector<std::vector<std::int64_t>> next;
                for (const std::vector<std::int64_t>& index : inside)
                    for (std::int64_t i = range.begin; i < range.end; ++i) {
                        next.push_back(index);
                        next.back().push_back(i);
                    }
                inside = std::move(next);
            }
            for (const std::vector<std::int64_t>& index : inside)
                ++holders[index];
        }
        RC_ASSERT(static_cast<std::int64_t>(holders.size()) == elements);
        for (const auto& [index, count] : holders)
            RC_ASSERT(count == 1); // by one group of devices, each element exactly once
        const std::vector<std::int32_t> all = devicesOf(sharding);
        const bool maximal = std::holds_alternative<GspmdSharding>(sharding)
            && std::get<GspmdSharding>(sharding).hlo.kind == HloSharding::Kind::Maximal;
        RC_ASSERT(devices.size() == (maximal ? 1 : all.size()));
    }));
}

void TestSharding::printedAndRead()
{
    QVERIFY(generators::holds("JAX's text is read as what was printed", [] {
        const MeshPtr mesh = generators::mesh();
        const Sharding sharding = anySharding(mesh, *rc::gen::inRange<std::size_t>(0, 4));
        for (const JaxVersion version : { JaxVersion::Year2024, JaxVersion::Current }) {
            const std::string printed = toJax(sharding, version);
            const Result<Sharding> read = parseSharding(printed, mesh);
            RC_ASSERT(read.has_value());
            RC_ASSERT(toJax(*read, version) == printed);
            RC_ASSERT(*read == sharding || std::holds_alternative<ShardySharding>(sharding));
        }
    }));
}

void TestSharding::equivalenceIsARelation()
{
    QVERIFY(generators::holds("reflexive, symmetric, transitive; equal is equivalent", [] {
        const MeshPtr mesh = generators::mesh();
        const std::size_t rank = *rc::gen::inRange<std::size_t>(0, 3);
        const Sharding a = withMemoryKind(anySharding(mesh, rank), {});
        // Often the same in another form.
        const auto related = [&](const Sharding& sharding) -> Sharding {
            const Result<HloSharding> hlo = toHloSharding(sharding, rank);
            const int choice = *rc::gen::inRange(0, 3);
            if (choice == 0 || !hlo)
                return withMemoryKind(anySharding(mesh, rank), {});
            if (choice == 1)
                return GspmdSharding{ devicesOf(sharding), *parseHlo(toHlo(*hlo, HloForm::V1)), {} };
            const Result<TensorSharding> axes = toTensorSharding(sharding, *mesh, rank);
            if (!axes)
                return GspmdSharding{ devicesOf(sharding), *hlo, {} };
            return ShardySharding{ mesh, *axes, {} };
        };
        const Sharding b = related(a);
        const Sharding c = related(b);
        for (const Sharding& each : { a, b, c }) {
            RC_ASSERT(each == each);
            RC_ASSERT(isEquivalent(each, each, rank));
        }
        RC_ASSERT((a == b) == (b == a));
        RC_ASSERT(isEquivalent(a, b, rank) == isEquivalent(b, a, rank));
        RC_ASSERT(!(a == b) || isEquivalent(a, b, rank));
        RC_ASSERT(!(isEquivalent(a, b, rank) && isEquivalent(b, c, rank)) || isEquivalent(a, c, rank));
        RC_ASSERT(!isEquivalent(a, withMemoryKind(a, MemoryKind::PinnedHost), rank));
        RC_CLASSIFY(isEquivalent(a, b, rank) && isEquivalent(b, c, rank), "equivalent");
    }));
}

void TestSharding::memoriesCountAndLayoutsDoNot()
{
    QVERIFY(generators::holds("another memory is another sharding of the same parts", [] {
        const MeshPtr mesh = generators::mesh();
        const std::size_t rank = *rc::gen::inRange<std::size_t>(0, 3);
        const Sharding a = anySharding(mesh, rank);
        const Sharding b = withMemoryKind(a, generators::memoryKind());
        const bool same = memoryKindOf(a) == memoryKindOf(b);
        RC_ASSERT((a == b) == same);
        RC_ASSERT(isEquivalent(a, b, rank) == same);
        RC_ASSERT(withMemoryKind(b, memoryKindOf(a)) == a);
        const std::vector<std::int64_t> shape(rank, 48);
        const Result<Layout> first = layoutOf(a, shape, Uneven::Padded), second = layoutOf(b, shape, Uneven::Padded);
        RC_ASSERT(first.has_value() == second.has_value());
        if (first) {
            RC_ASSERT(first->shardShape() == second->shardShape());
            RC_ASSERT(first->replicaGroups() == second->replicaGroups());
        }
        RC_CLASSIFY(!same, "another memory");
    }));
}

void TestSharding::equivalenceMeansTheSameParts()
{
    QVERIFY(generators::holds("equivalent where every device holds the same", [] {
        const MeshPtr mesh = generators::mesh();
        const std::size_t rank = *rc::gen::inRange<std::size_t>(0, 3);
        const Sharding a = anySharding(mesh, rank);
        const Result<TensorSharding> axes = toTensorSharding(a, *mesh, rank);
        const bool sameInAxes = axes && *rc::gen::arbitrary<bool>();
        const Sharding b =
            sameInAxes ? Sharding(ShardySharding{ mesh, *axes, memoryKindOf(a) }) : anySharding(mesh, rank);
        RC_LOG() << toJax(a) << "\n" << toJax(b);
        const std::optional<Parts> first = partsOf(a, rank);
        const std::optional<Parts> second = partsOf(b, rank);
        // XLA tells apart in which order addends are numbered; unreduced axes have none: those keep the parts alone.
        if (sameInAxes) {
            RC_ASSERT(!first || first == second); // there is no layout of tiles on a single device, which XLA refuses
            RC_ASSERT(isEquivalent(a, b, rank) || (first && !first->addends.empty()));
        }
        if (!first || !second)
            return;
        if (isEquivalent(a, b, rank))
            RC_ASSERT(*first == *second);
        else if (first->addends.empty())
            RC_ASSERT(*first != *second);
    }));
}

REGISTER_TEST(TestSharding)
#include "test_sharding.moc"
