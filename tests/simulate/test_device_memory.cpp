// SPDX-License-Identifier: GPL-3.0-or-later
// Where arrays of the devices stand: apart as in the plan, and arrays that a step reads side by side at different
// places of a page.
#include <QtTest>

#include <set>

#include "registered_test.h"
#include "simulate/mlp_plan.h"
#include "simulate/run/device_memory.h"

using namespace shardscope;
using namespace shardscope::test;

namespace {

PlanPtr planOfWidth(std::int64_t width)
{
    MlpSettings settings;
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
// overlaps stays as far apart as it was.
void TestDeviceMemory::slotsStandApart()
{
    QFETCH(bool, shared);
    for (const std::int64_t width : { 4, 36, 256 }) {
        const PlanPtr plan = planOfWidth(width);
        const ReplicaSharing sharing = shared ? shareReplicas(*plan) : ReplicaSharing();
        DeviceMemory memory(*plan, sharing);
        QVERIFY(memory.allocate());
        const auto overlap = [](auto begin, std::int64_t bytes, auto otherBegin, std::int64_t otherBytes) {
            return begin < otherBegin + otherBytes && otherBegin < begin + bytes;
        };
        for (std::size_t position = 0; position < 8; ++position)
            for (std::size_t a = 0; a < plan->slots.size(); ++a)
                for (std::size_t b = 0; b < a; ++b) {
                    const Slot &one = plan->slots[a], &other = plan->slots[b];
                    const std::byte* first = memory.address(position, SlotId(a));
                    const std::byte* second = memory.address(position, SlotId(b));
                    if (overlap(one.offset, one.bytes, other.offset, other.bytes))
                        QCOMPARE(first - second, one.offset - other.offset);
                    else
                        QVERIFY(!overlap(first, one.bytes, second, other.bytes));
                }
        // Nobody writes where another device has something else.
        for (std::size_t slot = 0; slot < plan->slots.size(); ++slot) {
            std::set<const std::byte*> places;
            for (std::size_t position = 0; position < 8; ++position)
                places.insert(memory.address(position, SlotId(slot)));
            const bool isShared = sharing.isShared(SlotId(slot));
            const auto shards = isShared
                ? std::set<std::int32_t>(sharing.shards[slot].begin(), sharing.shards[slot].end()).size()
                : std::size_t{ 8 };
            QCOMPARE(places.size(), plan->slots[slot].bytes == 0 ? places.size() : shards);
        }
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
