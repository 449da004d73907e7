// SPDX-License-Identifier: GPL-3.0-or-later
// Where arrays of the devices stand: apart as in the plan, and arrays that a step reads side by side at different
// places of a page.
#include <QtTest>

#include <cstring>
#include <map>
#include <set>

#include "registered_test.h"
#include "simulate/mlp_plan.h"
#include "simulate/run/device_memory.h"

using namespace shardscope;
using namespace shardscope::test;

namespace {

PlanPtr planOfWidth(std::int64_t width, bool loop = false)
{
    MlpSettings settings;
    settings.form = loop ? LayerForm::Scanned : LayerForm::Unrolled;
    settings.embed = settings.hidden = width;
    settings.batch = 8;
    return makePlan(mlpOnDevices(settings, makeMesh({ { "data", 2 }, { "model", 4 } })));
}

std::uintptr_t placeInPage(const std::byte* address)
{
    return reinterpret_cast<std::uintptr_t>(address) % 4096;
}

} // namespace

class TestDeviceMemory : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void slotsStandApart_data() { modes(); }
    void slotsStandApart();
    void arraysOfPagesAreStaggered_data() { modes(); }
    void arraysOfPagesAreStaggered();

private:
    static void modes()
    {
        QTest::addColumn<bool>("shared");
        QTest::addRow("own copies") << false;
        QTest::addRow("shared replicas") << true;
    }
};

// What has an interval of the arena for itself has one in memory, on its device and among all that is shared; what
// overlaps stays as far apart as it was. Nobody has anything where another device has something else.
void TestDeviceMemory::slotsStandApart()
{
    QFETCH(bool, shared);
    struct Interval {
        std::uintptr_t begin = 0, end = 0;
        [[nodiscard]] bool overlaps(const Interval& other) const { return begin < other.end && other.begin < end; }
    };
    for (const bool loop : { false, true })
        for (const std::int64_t width : { 4, 36, 256 }) {
            const PlanPtr plan = planOfWidth(width, loop);
            const ReplicaSharing sharing = shared ? shareReplicas(*plan) : ReplicaSharing();
            DeviceMemory memory(*plan, sharing);
            QVERIFY(memory.allocate());
            const auto intervalOf = [&](std::size_t position, std::size_t slot) {
                std::byte* address = memory.address(position, SlotId(slot));
                const auto begin = reinterpret_cast<std::uintptr_t>(address);
                const auto bytes = static_cast<std::size_t>(plan->slots[slot].bytes);
                std::memset(address, 1, bytes);
                return Interval{ begin, begin + bytes };
            };
            const std::size_t slots = plan->slots.size();
            std::vector<std::vector<Interval>> own(8);
            std::map<std::pair<std::size_t, std::int32_t>, Interval> ofShards;
            for (std::size_t position = 0; position < 8; ++position)
                for (std::size_t slot = 0; slot < slots; ++slot) {
                    const Interval interval = intervalOf(position, slot);
                    if (!sharing.isShared(SlotId(slot)))
                        own[position].push_back(interval);
                    else if (const auto [known, isNew] =
                                 ofShards.try_emplace({ slot, sharing.shards[slot][position] }, interval);
                             !isNew)
                        QCOMPARE(known->second.begin, interval.begin);
                }
            for (std::size_t a = 0; a < slots; ++a)
                for (std::size_t b = 0; b < a; ++b) {
                    const Slot &one = plan->slots[a], &other = plan->slots[b];
                    const Interval first = intervalOf(0, a), second = intervalOf(0, b);
                    if (one.offset < other.offset + other.bytes && other.offset < one.offset + one.bytes)
                        QCOMPARE(first.begin - second.begin, static_cast<std::uintptr_t>(one.offset - other.offset));
                    else
                        QVERIFY(!first.overlaps(second));
                }
            std::vector<Interval> common;
            for (const auto& [shard, interval] : ofShards)
                common.push_back(interval);
            for (std::size_t i = 0; i < common.size(); ++i)
                for (std::size_t k = 0; k < i; ++k)
                    QVERIFY(!common[i].overlaps(common[k]));
            QCOMPARE(common.empty(), !shared);
            own.push_back(std::move(common));
            for (std::size_t p = 0; p < own.size(); ++p)
                for (std::size_t q = 0; q < p; ++q)
                    for (const Interval& mine : own[p])
                        for (const Interval& theirs : own[q])
                            QVERIFY(!mine.overlaps(theirs));
            double bytes = 0; // of slots that are certainly apart
            for (const auto& [shard, interval] : ofShards)
                bytes += static_cast<double>(interval.end - interval.begin);
            if (!shared)
                bytes = 8 * static_cast<double>(plan->memory.arenaBytes);
            QVERIFY(memory.bytesNeeded() >= bytes);
        }
}

void TestDeviceMemory::arraysOfPagesAreStaggered()
{
    QFETCH(bool, shared);
    const PlanPtr plan = planOfWidth(256);
    DeviceMemory memory(*plan, shared ? shareReplicas(*plan) : ReplicaSharing());
    QVERIFY(memory.allocate());
    std::set<std::uintptr_t> places;
    std::size_t arrays = 0;
    for (const auto& [argument, result] : plan->program->main().state) {
        const SlotId slot = plan->slotOf[argument.index];
        if (plan->slot(slot).bytes < 65536)
            continue;
        ++arrays;
        places.insert(placeInPage(memory.address(0, slot)));
    }
    QCOMPARE(arrays, std::size_t{ 24 }); // eight matrices and their moments
    QCOMPARE(places.size(), arrays);
}

REGISTER_TEST(TestDeviceMemory)
#include "test_device_memory.moc"
