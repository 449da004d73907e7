// SPDX-License-Identifier: GPL-3.0-or-later
// Chunks of hosts against the layouts of single devices: a host holds what its devices hold.
#include <QtTest>

#include <map>
#include <set>

#include "base/codes.h"
#include "mesh/host_block.h"
#include "random_properties.h"
#include "registered_test.h"
#include "rules/local_chunker.h"
#include "sharding/sharding.h"

using namespace shardscope;

class TestLocalChunker : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void documentedExample();
    void hostsWithoutABlock();
    void refusals();
    void truncatedChunks();
    void dataLayouts();
    void chunksAreTheUnionOfDevices();
    void oneHostWritesEachSlice();
    void sameDataSameShard();
};

namespace {

Mesh meshOf(std::vector<MeshAxis> axes)
{
    return *Mesh::create(std::move(axes));
}

/// A mesh cut into equal blocks, one per host; hosts are numbered along the blocks, first axis major.
struct Hosted {
    MeshPtr mesh;
    std::vector<std::int32_t> hosts;
    std::int32_t count = 1;
};

Hosted arbitraryHosted()
{
    Hosted hosted;
    std::vector<MeshAxis> axes;
    std::vector<std::int64_t> blocks;
    const std::size_t rank = *rc::gen::inRange<std::size_t>(1, 4);
    for (std::size_t i = 0; i < rank; ++i) {
        blocks.push_back(*rc::gen::element<std::int64_t>(1, 1, 2, 3, 4));
        const std::int64_t inside = *rc::gen::element<std::int64_t>(1, 2, 2, 3);
        axes.push_back({ std::string(1, static_cast<char>('a' + i)), blocks.back() * inside });
        hosted.count *= static_cast<std::int32_t>(blocks.back());
    }
    hosted.mesh = std::make_shared<const Mesh>(meshOf(std::move(axes)));
    for (std::int64_t position = 0; position < hosted.mesh->deviceCount(); ++position) {
        std::int64_t host = 0;
        for (std::size_t axis = 0; axis < rank; ++axis)
            host =
                host * blocks[axis] + hosted.mesh->coordinate(position, axis) * blocks[axis] / hosted.mesh->size(axis);
        hosted.hosts.push_back(static_cast<std::int32_t>(host));
    }
    return hosted;
}

/// One axis at most per dimension, each once, and sizes that divide.
struct Array {
    PartitionSpec spec;
    std::vector<std::int64_t> shape;
};

Array arbitraryArray(const Mesh& mesh)
{
    Array array;
    const std::size_t rank = *rc::gen::inRange<std::size_t>(0, 4);
    std::set<std::size_t> used;
    for (std::size_t d = 0; d < rank; ++d) {
        const auto axis = *rc::gen::inRange<std::size_t>(0, mesh.rank() + 1);
        const bool sharded = axis < mesh.rank() && used.insert(axis).second;
        array.spec.entries.push_back(sharded ? SpecEntry::axis(mesh.axis(axis).name) : SpecEntry::none());
        array.shape.push_back(*rc::gen::inRange<std::int64_t>(1, 4) * (sharded ? mesh.size(axis) : 1));
    }
    return array;
}

/// What the devices of a host hold, dimension by dimension: the smallest ranges around their ranges.
std::vector<IndexRange> unionOf(const Layout& layout, const Hosted& hosted, std::int32_t host)
{
    std::vector<IndexRange> all;
    for (std::size_t position = 0; position < hosted.hosts.size(); ++position) {
        if (hosted.hosts[position] != host)
            continue;
        const std::vector<IndexRange> ranges = layout.rangesAt(static_cast<std::int64_t>(position));
        if (all.empty())
            all = ranges;
        for (std::size_t d = 0; d < ranges.size(); ++d) {
            all[d].begin = std::min(all[d].begin, ranges[d].begin);
            all[d].end = std::max(all[d].end, ranges[d].end);
        }
    }
    return all;
}

std::vector<IndexRange> filled(const LocalChunk& chunk, const std::vector<std::int64_t>& shape)
{
    std::vector<IndexRange> ranges;
    for (std::size_t d = 0; d < shape.size(); ++d)
        ranges.push_back(chunk.slice[d].value_or(IndexRange{ 0, shape[d] }));
    return ranges;
}

LocalChunker chunkerOf(const Hosted& hosted, std::int32_t host)
{
    return *LocalChunker::create(*hosted.mesh, hosted.hosts, host);
}

} // namespace

void TestLocalChunker::documentedExample()
{
    const Mesh mesh = meshOf({ { "data", 4 }, { "model", 2 } });
    const std::vector<std::int32_t> hosts{ 0, 0, 1, 1, 2, 2, 3, 3 };
    const HostBlock block = *hostBlock({ 4, 2 }, hosts, 1);
    QCOMPARE(block.start, (MeshShape{ 1, 0 }));
    QCOMPARE(block.shape, (MeshShape{ 1, 2 }));
    const LocalChunker chunker = *LocalChunker::create(mesh, hosts, 1);
    QCOMPARE(chunker.chunks(0), std::int64_t{ 4 });
    QCOMPARE(chunker.chunks(1), std::int64_t{ 1 });
    QCOMPARE(chunker.chunkId(0), std::int64_t{ 1 });

    const std::vector<std::int64_t> shape{ 16, 8 };
    const LocalChunk sharded = *chunker.chunk(shape, { { SpecEntry::axis("data"), SpecEntry::none() } });
    QCOMPARE(sharded.slice[0], std::optional(IndexRange{ 4, 8 }));
    QVERIFY(!sharded.slice[1].has_value());
    QVERIFY(sharded.writes());
    const LocalChunk full = *chunker.chunk(shape, { { SpecEntry::none(), SpecEntry::axis("model") } });
    QCOMPARE(full.slice[1], std::optional(IndexRange{ 0, 8 }));
    QCOMPARE(full.replica, std::int64_t{ 1 });
    QVERIFY(!full.writes());

    const std::vector<std::string> both{ "data", "model" };
    const std::vector<std::string> reversed{ "model", "data" };
    QCOMPARE(*chunker.shardId(both), std::int64_t{ 1 });
    QCOMPARE(*chunker.shardId(reversed), std::int64_t{ 1 });
    QCOMPARE(chunker.replicaId(both), std::int64_t{ 0 });
    QCOMPARE(chunker.replicaId({}), std::int64_t{ 1 });
}

void TestLocalChunker::hostsWithoutABlock()
{
    const Mesh mesh = meshOf({ { "data", 2 }, { "model", 4 } });
    const std::vector<std::int32_t> interleaved{ 0, 1, 0, 1, 0, 1, 0, 1 };
    const Result<LocalChunker> chunker = LocalChunker::create(mesh, interleaved, 1);
    QCOMPARE(chunker.error().code, Code::LocalDevicesNotContiguous);
    QCOMPARE(chunker.error().number("devices"), std::int64_t{ 4 });
    QCOMPARE(chunker.error().number("block"), std::int64_t{ 6 });
    const std::vector<std::int32_t> corners{ 0, 1, 1, 0, 0, 1, 1, 0 };
    QCOMPARE(LocalChunker::create(mesh, corners, 0).error().code, Code::LocalDevicesNotContiguous);
    QVERIFY(LocalChunker::create(mesh, corners, 1).has_value());
    const HostBlock middle = *hostBlock({ 2, 4 }, corners, 1);
    QCOMPARE(middle.start, (MeshShape{ 0, 1 }));
    QCOMPARE(middle.shape, (MeshShape{ 2, 2 }));
    QCOMPARE(LocalChunker::create(mesh, corners, 7).error().code, Code::NoLocalDevices);
}

void TestLocalChunker::refusals()
{
    const Mesh mesh = meshOf({ { "data", 2 }, { "model", 2 } });
    const std::vector<std::int32_t> hosts{ 0, 0, 1, 1 };
    const LocalChunker chunker = *LocalChunker::create(mesh, hosts, 0);
    const std::vector<std::int64_t> shape{ 8, 8 };
    const auto code = [&](SpecEntry entry) { return chunker.chunk(shape, { { std::move(entry) } }).error().code; };
    QCOMPARE(code(SpecEntry::tuple({ "data", "model" })), Code::TupleAxisNotSupported);
    QCOMPARE(code(SpecEntry::tuple({ "data" })), Code::TupleAxisNotSupported);
    QCOMPARE(code(SpecEntry::axis("rows")), Code::UnknownAxis);
    QVERIFY(chunker.chunk(shape, { { SpecEntry::tuple({}) } }).has_value());
    const std::vector<std::string> unknown{ "rows" };
    QCOMPARE(chunker.shardId(unknown).error().code, Code::UnknownAxis);
    QCOMPARE(dataLayout(mesh, hosts, 0, SpecEntry::axis("rows"), 4).error().code, Code::UnknownAxis);
}

void TestLocalChunker::truncatedChunks()
{
    const Mesh mesh = meshOf({ { "data", 4 } });
    const std::vector<std::int32_t> hosts{ 0, 1, 2, 3 };
    const std::vector<std::int64_t> shape{ 10 };
    const PartitionSpec spec{ { SpecEntry::axis("data") } };
    const LocalChunk last = *LocalChunker::create(mesh, hosts, 3)->chunk(shape, spec);
    QCOMPARE(last.slice[0], std::optional(IndexRange{ 6, 8 }));
    QCOMPARE(last.uncovered, std::vector<std::int64_t>{ 2 });
}

void TestLocalChunker::dataLayouts()
{
    const Mesh mesh = meshOf({ { "replica", 2 }, { "data", 2 }, { "model", 2 } });
    const std::vector<std::int32_t> hosts{ 0, 1, 2, 3, 4, 5, 6, 7 };
    const SpecEntry axes = SpecEntry::tuple({ "replica", "data" });
    QCOMPARE(*dataLayout(mesh, hosts, 7, axes, 12), (DataLayout{ 12, 3, 4, false }));
    QCOMPARE(*dataLayout(mesh, hosts, 2, axes, std::nullopt), (DataLayout{ 4, 1, 4, true }));
    QCOMPARE(*dataLayout(mesh, hosts, 2, axes, 0), (DataLayout{ 4, 1, 4, true }));
    QCOMPARE(dataLayout(mesh, hosts, 2, axes, 6).error().code, Code::BatchNotDivisibleByDataMesh);
    QCOMPARE(*dataLayout(mesh, hosts, 5, SpecEntry::none(), 7), (DataLayout{ 7, 0, 1, false }));
    QCOMPARE(*dataLayout(mesh, hosts, 0, SpecEntry::none(), std::nullopt), (DataLayout{ std::nullopt, 0, 1, true }));
    // The batch is looked at before the hosts are.
    const std::vector<std::int32_t> scattered{ 0, 1, 1, 0, 0, 1, 1, 0 };
    QCOMPARE(dataLayout(mesh, scattered, 0, axes, 3).error().code, Code::BatchNotDivisibleByDataMesh);
    QCOMPARE(dataLayout(mesh, scattered, 0, axes, 4).error().code, Code::LocalDevicesNotContiguous);
}

void TestLocalChunker::chunksAreTheUnionOfDevices()
{
    QVERIFY(test::propertyHolds(2000, "a host holds what its devices hold", [] {
        const Hosted hosted = arbitraryHosted();
        const Array array = arbitraryArray(*hosted.mesh);
        const Layout layout = *layoutOf(NamedSharding{ hosted.mesh, array.spec }, array.shape);
        for (std::int32_t host = 0; host < hosted.count; ++host) {
            const LocalChunk chunk = *chunkerOf(hosted, host).chunk(array.shape, array.spec);
            RC_ASSERT(filled(chunk, array.shape) == unionOf(layout, hosted, host));
            for (const std::int64_t rest : chunk.uncovered)
                RC_ASSERT(rest == 0);
        }
    }));
}

void TestLocalChunker::oneHostWritesEachSlice()
{
    QVERIFY(test::propertyHolds(2000, "replicas of a slice are numbered from 0", [] {
        const Hosted hosted = arbitraryHosted();
        const Array array = arbitraryArray(*hosted.mesh);
        std::map<std::vector<std::int64_t>, std::set<std::int64_t>> replicas;
        std::int64_t declared = 0;
        for (std::int32_t host = 0; host < hosted.count; ++host) {
            const LocalChunk chunk = *chunkerOf(hosted, host).chunk(array.shape, array.spec);
            std::vector<std::int64_t> key;
            std::int64_t elements = 1;
            for (const IndexRange& range : filled(chunk, array.shape)) {
                key.push_back(range.begin);
                elements *= range.size();
            }
            RC_ASSERT(replicas[key].insert(chunk.replica).second);
            declared += chunk.writes() ? elements : 0;
        }
        for (const auto& [slice, ids] : replicas)
            RC_ASSERT(*ids.begin() == 0 && *ids.rbegin() == static_cast<std::int64_t>(ids.size()) - 1);
        std::int64_t size = 1;
        for (const std::int64_t extent : array.shape)
            size *= extent;
        RC_ASSERT(declared == size); // every element once
    }));
}

void TestLocalChunker::sameDataSameShard()
{
    QVERIFY(test::propertyHolds(2000, "hosts read different data exactly when their shard ids differ", [] {
        const Hosted hosted = arbitraryHosted();
        std::vector<std::string> axes;
        for (const MeshAxis& axis : hosted.mesh->axes())
            if (*rc::gen::arbitrary<bool>())
                axes.push_back(axis.name);
        const SpecEntry entry = axes.empty() ? SpecEntry::none() : SpecEntry::tuple(axes);
        const std::int64_t batch = *dataMeshSize(*hosted.mesh, entry) * *rc::gen::inRange<std::int64_t>(1, 4);
        const std::vector<std::int64_t> shape{ batch };
        const Layout layout = *layoutOf(NamedSharding{ hosted.mesh, { { entry } } }, shape);
        std::map<std::int64_t, IndexRange> data;
        std::map<std::int64_t, int> first;
        for (std::int32_t host = 0; host < hosted.count; ++host) {
            const DataLayout own = *dataLayout(*hosted.mesh, hosted.hosts, host, entry, batch);
            const LocalChunker chunker = *LocalChunker::create(*hosted.mesh, hosted.hosts, host);
            RC_ASSERT(own == *dataLayout(chunker, host, entry, batch));
            RC_ASSERT(own.batchSize == batch);
            RC_ASSERT(own.shardId >= 0 && own.shardId < own.shards);
            first[own.shardId] += own.firstHostInReplicaSet ? 1 : 0;
            // Along one axis, or along several of which each but the first lies inside the hosts, data is one range.
            if (axes.size() > 1)
                continue;
            const IndexRange range = unionOf(layout, hosted, host).front();
            const auto [known, added] = data.emplace(own.shardId, range);
            RC_ASSERT(known->second == range);
            RC_ASSERT(range.size() * own.shards == batch);
        }
        RC_ASSERT(
            static_cast<std::int64_t>(first.size()) == dataLayout(*hosted.mesh, hosted.hosts, 0, entry, batch)->shards);
        for (const auto& [shard, hosts] : first)
            RC_ASSERT(hosts == 1);
    }));
}

REGISTER_TEST(TestLocalChunker)
#include "test_local_chunker.moc"
