// SPDX-License-Identifier: GPL-3.0-or-later
// Groups of devices against the lists of ids that they stand for.
#include <QtTest>

#include <algorithm>
#include <set>

#include "registered_test.h"
#include "sharding/device_group.h"
#include "sharding/generators.h"

using namespace shardscope;

namespace {

MeshPtr groupMesh(std::vector<MeshAxis> axes, std::vector<std::int32_t> order = {})
{
    return std::make_shared<const Mesh>(*Mesh::create(std::move(axes), std::move(order)));
}

MeshBlock blockIn(const Mesh& mesh)
{
    const std::int64_t columns = columnsOf(mesh), rows = mesh.deviceCount() / columns;
    MeshBlock block;
    block.firstRow = *rc::gen::inRange<std::int64_t>(0, rows);
    block.endRow = *rc::gen::inRange<std::int64_t>(block.firstRow, rows) + 1;
    block.firstColumn = *rc::gen::inRange<std::int64_t>(0, columns);
    block.endColumn = *rc::gen::inRange<std::int64_t>(block.firstColumn, columns) + 1;
    return block;
}

std::vector<std::int64_t> positionsOf(const Mesh& mesh, const MeshBlock& block)
{
    std::vector<std::int64_t> positions;
    for (std::int64_t row = block.firstRow; row < block.endRow; ++row)
        for (std::int64_t column = block.firstColumn; column < block.endColumn; ++column)
            positions.push_back(row * columnsOf(mesh) + column);
    return positions;
}

Layout layoutOn(const MeshPtr& mesh)
{
    TensorSharding sharding = TensorSharding::fullyReplicated(2);
    for (const AxisRef& ref : generators::shuffledRefs(*mesh, true)) {
        const int where = *rc::gen::inRange(0, 4);
        if (where < 2)
            sharding.dims[static_cast<std::size_t>(where)].axes.push_back(ref);
    }
    return { mesh, std::move(sharding), { 64, 48 } };
}

} // namespace

class TestDeviceGroup : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void holdersAreThoseOfTheLayout()
    {
        QVERIFY(generators::holds("holders of a shard", [] {
            const MeshPtr mesh = generators::mesh();
            const Layout layout = layoutOn(mesh);
            const std::int64_t shard = *rc::gen::inRange<std::int64_t>(0, layout.distinctShards());
            const DeviceGroup group = DeviceGroup::holders(layout, shard);
            // Every position is asked what it holds.
            std::vector<std::int32_t> ids;
            const MeshBlock block = blockIn(*mesh);
            const std::vector<std::int64_t> inBlock = positionsOf(*mesh, block);
            std::int64_t common = 0;
            for (std::int64_t position = 0; position < mesh->deviceCount(); ++position)
                if (layout.shardAt(position) == shard) {
                    ids.push_back(mesh->deviceAt(position));
                    common += std::find(inBlock.begin(), inBlock.end(), position) != inBlock.end();
                }
            RC_ASSERT(group.ids() == ids);
            RC_ASSERT(layout.holders(shard) == ids);
            RC_ASSERT(group.size() == static_cast<std::int64_t>(ids.size()));
            RC_ASSERT(group.countIn(block) == common);
            RC_ASSERT(group == DeviceGroup(ids));
            RC_ASSERT(group.shardIn(layout) == shard);
            bool range = true;
            for (std::size_t n = 1; n < ids.size(); ++n)
                range = range && ids[n] == ids[0] + static_cast<std::int32_t>(n);
            RC_ASSERT(group.isRange() == range);
            RC_ASSERT(DeviceGroup(ids).isRange() == range);
        }));
    }

    void blocksHoldWhatTheirDevicesHold()
    {
        QVERIFY(generators::holds("shards of a block", [] {
            const MeshPtr mesh = generators::mesh();
            const Layout layout = layoutOn(mesh);
            const MeshBlock block = blockIn(*mesh), other = blockIn(*mesh);
            const std::vector<std::int64_t> positions = positionsOf(*mesh, block);
            std::set<std::int64_t> shards;
            std::vector<std::int32_t> ids;
            for (const std::int64_t position : positions) {
                shards.insert(layout.shardAt(position));
                ids.push_back(mesh->deviceAt(position));
            }
            const ShardDigits digits(layout);
            RC_ASSERT(digits.shardOf(block) == (shards.size() == 1 ? *shards.begin() : -1));
            RC_ASSERT((digits.varyAlongRows(block) || digits.varyAlongColumns(block)) == (shards.size() > 1));
            const DeviceGroup group = DeviceGroup::block(mesh, block);
            RC_ASSERT(group.ids() == ids);
            const std::vector<std::int64_t> others = positionsOf(*mesh, other);
            const auto common = std::count_if(positions.begin(), positions.end(),
                [&](std::int64_t p) { return std::find(others.begin(), others.end(), p) != others.end(); });
            RC_ASSERT(group.countIn(other) == common);
            RC_ASSERT((group == DeviceGroup::block(mesh, other)) == (block == other));
            RC_ASSERT(!group.shardIn(layout));
            const DevicePositions places(*mesh);
            for (const std::int64_t position : positions)
                RC_ASSERT(places.of(mesh->deviceAt(position)) == position);
            RC_ASSERT(!places.of(static_cast<std::int32_t>(mesh->deviceCount())));
            RC_ASSERT(!places.of(-1));
        }));
    }

    void groupsAreEqualByTheirDevices()
    {
        const MeshPtr mesh = groupMesh({ { "data", 2 }, { "model", 4 } });
        const Layout columns(
            mesh, toTensorSharding({ { SpecEntry::none(), SpecEntry::axis("model") } }, *mesh, 2), { 64, 64 });
        const DeviceGroup group = DeviceGroup::holders(columns, 1);
        QVERIFY((group == DeviceGroup{ 1, 5 }));
        QVERIFY(!(group == DeviceGroup{ 5, 1 }));
        QVERIFY(!(group == DeviceGroup::holders(columns, 2)));
        QVERIFY(DeviceGroup().empty() && DeviceGroup().ids().empty() && !DeviceGroup().isRange());
        // The same shard of the same sharding, by another mesh that is equal; not of another sharding.
        const MeshPtr again = groupMesh({ { "data", 2 }, { "model", 4 } });
        const Layout same(again, columns.sharding(), { 64, 64 });
        QCOMPARE(group.shardIn(same), std::optional<std::int64_t>(1));
        const Layout rows(mesh, toTensorSharding({ { SpecEntry::axis("model") } }, *mesh, 2), { 64, 64 });
        QVERIFY(!group.shardIn(rows));
        QCOMPARE(DeviceGroup::holders(rows, 1), group);
    }

    void largeMeshesCostNoMore()
    {
        const MeshPtr mesh = groupMesh({ { "data", 1024 }, { "model", 1024 } });
        const Layout full(mesh, TensorSharding::fullyReplicated(2), { 64, 64 });
        QElapsedTimer timer;
        timer.start();
        std::int64_t sum = 0;
        for (int i = 0; i < 1'000; ++i) {
            const DeviceGroup all = DeviceGroup::holders(full, 0);
            sum += all.size() + all.deviceAt(all.size() - 1) + all.countIn({ 0, 16, 0, 16 });
            sum += all == DeviceGroup::holders(full, 0) && all.isRange() ? 1 : 0;
        }
        QCOMPARE(sum, 1'000 * (1'048'576 + 1'048'575 + 256 + 1LL));
        QVERIFY2(timer.elapsed() < 1'000, qPrintable(QString::number(timer.elapsed())));
    }
};

REGISTER_TEST(TestDeviceGroup)
#include "test_device_group.moc"
