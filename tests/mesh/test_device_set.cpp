// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtTest>

#include <set>

#include "base/codes.h"
#include "mesh/code_metatype.h"
#include "mesh/device_presets.h"
#include "mesh/device_set.h"
#include "mesh/mesh.h"
#include "random_properties.h"
#include "registered_test.h"

using namespace shardscope;

using Three = std::array<std::int32_t, 3>;

class TestDeviceSet : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void hostsWithoutAGrid();
    void slicesAsListed();
    void slicesAgainstNestedLoops();
    void refusesGrids();
    void ownLists();
    void partsOfAList();
    void presets_data();
    void presets();
    void presetErrors_data();
    void presetErrors();
    void readsOwnLists();
    void anySetAsAList();
    void ownListErrors_data();
    void ownListErrors();
};

namespace {

std::vector<std::int32_t> listedIds(const DeviceSet& set)
{
    std::vector<std::int32_t> ids;
    for (std::int64_t i = 0; i < set.count(); ++i)
        ids.push_back(set.listed(i).id);
    return ids;
}

} // namespace

void TestDeviceSet::hostsWithoutAGrid()
{
    const DeviceSet set = DeviceSet::ofHosts("generic-gpu", "gpu", 2, 4);
    QCOMPARE(set.count(), std::int64_t{ 8 });
    QCOMPARE(set.listed(6).process, 1);
    QVERIFY(!set.hasCoordinates() && !set.hasChipGrid());
    const Device device = set.device(5);
    QCOMPARE(device.id, 5);
    QCOMPARE(device.kind, std::string("generic-gpu"));
    QCOMPARE(device.platform, std::string("gpu"));
}

void TestDeviceSet::slicesAsListed()
{
    const DeviceSet set = *DeviceSet::ofChips("TPU v5 lite", { 4, 2, 1 }, { 2, 2, 1 });
    QCOMPARE(listedIds(set), (std::vector<std::int32_t>{ 0, 1, 4, 5, 2, 3, 6, 7 }));
    QCOMPARE(set.hosts, 2);
    QCOMPARE(set.listed(4).process, 1);
    QCOMPARE(set.place(6).coordinates, (Three{ 2, 1, 0 }));
    QVERIFY(set.hasCoordinates() && set.hasChipGrid());
    // The eight cores of the JAX notebook's machine.
    const DeviceSet cores = *DeviceSet::ofChips("TPU v3", { 2, 2, 1 }, { 2, 2, 1 }, 2);
    QCOMPARE(cores.place(5).coordinates, (Three{ 0, 1, 0 }));
    QCOMPARE(cores.place(5).core, 1);
    QCOMPARE(cores.place(5).process, 0);
}

void TestDeviceSet::slicesAgainstNestedLoops()
{
    const bool holds = test::propertyHolds(2000, "listing, ids and hosts of a grid", [] {
        const Three hosts{ *rc::gen::inRange(1, 4), *rc::gen::inRange(1, 4), *rc::gen::inRange(1, 4) };
        const Three block{ *rc::gen::inRange(1, 4), *rc::gen::inRange(1, 3), *rc::gen::inRange(1, 3) };
        const std::int32_t cores = *rc::gen::inRange(1, 3);
        const std::int32_t slices = *rc::gen::inRange(1, 4);
        const Three chips{ hosts[0] * block[0], hosts[1] * block[1], hosts[2] * block[2] };
        const Result<DeviceSet> set = DeviceSet::ofChips("TPU v4", chips, block, cores, slices);
        RC_ASSERT(set.has_value());
        std::int64_t position = 0;
        for (std::int32_t slice = 0; slice < slices; ++slice)
            for (std::int32_t hz = 0; hz < hosts[2]; ++hz)
                for (std::int32_t hy = 0; hy < hosts[1]; ++hy)
                    for (std::int32_t hx = 0; hx < hosts[0]; ++hx)
                        for (std::int32_t z = hz * block[2]; z < (hz + 1) * block[2]; ++z)
                            for (std::int32_t y = hy * block[1]; y < (hy + 1) * block[1]; ++y)
                                for (std::int32_t x = hx * block[0]; x < (hx + 1) * block[0]; ++x)
                                    for (std::int32_t core = 0; core < cores; ++core) {
                                        const DevicePlace expected{ core
                                                + cores * (x + chips[0] * (y + chips[1] * (z + chips[2] * slice))),
                                            hx + hosts[0] * (hy + hosts[1] * (hz + hosts[2] * slice)), { x, y, z },
                                            core, slice };
                                        RC_ASSERT(set->listed(position) == expected);
                                        RC_ASSERT(set->place(expected.id) == expected);
                                        ++position;
                                    }
        RC_ASSERT(position == set->count());
    });
    QVERIFY(holds);
}

void TestDeviceSet::refusesGrids()
{
    QCOMPARE(DeviceSet::ofChips("TPU v4", { 0, 2, 2 }, { 1, 1, 1 }).error().code, Code::OutOfRange);
    QCOMPARE(DeviceSet::ofChips("TPU v4", { 4, 2, 2 }, { 3, 1, 1 }).error().code, Code::OutOfRange);
    QCOMPARE(DeviceSet::ofChips("TPU v4", { 4, 2, 2 }, { 2, 0, 1 }).error().code, Code::OutOfRange);
    QCOMPARE(DeviceSet::ofChips("TPU v4", { 2000, 2000, 2000 }, { 2, 2, 1 }).error().code, Code::TooLarge);
    QCOMPARE(DeviceSet::ofChips("TPU v4", { 1 << 30, 1 << 30, 1 << 30 }, { 1, 1, 1 }).error().code, Code::TooLarge);
    QCOMPARE(DeviceSet::usualHostChips({ 8, 3, 4 }), (Three{ 2, 1, 1 }));
}

void TestDeviceSet::ownLists()
{
    const std::vector<DevicePlace> places{ { 7, 0, { 0, 0, 0 }, 0, 0 }, { 3, 1, { 1, 0, 0 }, 0, 1 },
        { 5, 1, { 2, 0, 0 }, 0, 1 } };
    const DeviceSet set = *DeviceSet::ofList("TPU v4", "tpu", places);
    QCOMPARE(set.count(), std::int64_t{ 3 });
    QCOMPARE(set.hosts, 2);
    QCOMPARE(set.devicesPerHost, 2);
    QCOMPARE(set.slices, 2);
    QVERIFY(set.listed(1) == places[1] && set.place(5) == places[2] && !set.hasChipGrid());

    QCOMPARE(DeviceSet::ofList("TPU v4", "tpu", {}).error().code, Code::OutOfRange);
    QCOMPARE(DeviceSet::ofList("TPU v4", "tpu", { { 1 }, { 2 }, { 1 } }).error().code, Code::DuplicateDevice);
    QCOMPARE(DeviceSet::ofList("TPU v4", "tpu", { { -1 } }).error().code, Code::OutOfRange);
    const Error error = DeviceSet::ofList("TPU v4", "tpu", { { 1, 0, { 0, -4, 0 } } }).error();
    QCOMPARE(error.text("key"), std::string("y"));
}

void TestDeviceSet::partsOfAList()
{
    const DeviceSet set = *DeviceSet::ofChips("TPU v5 lite", { 4, 2, 1 }, { 2, 2, 1 });
    const DeviceList all(set);
    QCOMPARE(all.first(3).size(), std::int64_t{ 3 });
    QCOMPARE(all.first(3)[2].id, 4);
    const DeviceList some = all.at({ 7, 2, 4 });
    QCOMPARE(some.size(), std::int64_t{ 3 });
    QCOMPARE(some[0].id, 7);
    QCOMPARE(some[1].id, 4);
    QCOMPARE(some.at({ 2, 0 })[0].id, 2); // positions in the part, not in the set
    QCOMPARE(some.first(2).at({ 1 })[0].id, 4);
    QCOMPARE(all.at({}).size(), std::int64_t{ 0 });
}

void TestDeviceSet::presets_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("kind");
    QTest::addColumn<int>("hosts");
    QTest::addColumn<int>("perHost");
    QTest::addColumn<QString>("again");
    const auto row = [](const char* text, const char* kind, int hosts, int perHost, const char* again = nullptr) {
        QTest::newRow(text) << text << kind << hosts << perHost << (again ? again : text);
    };
    row("cpu:8", "generic-cpu", 1, 8);
    row("cpu:2x4", "generic-cpu", 2, 4);
    row("cpu:1x4", "generic-cpu", 1, 4, "cpu:4");
    row("gpu:4x8", "generic-gpu", 4, 8);
    row("tpu-v2:2x2", "TPU v2", 1, 8);
    row("tpu-v3:4x4", "TPU v3", 4, 8);
    row("tpu-v4:4x4x4", "TPU v4", 16, 4);
    row("tpu-v4:2x2", "TPU v4", 1, 4, "tpu-v4:2x2x1");
    row("tpu-v5e:2x4", "TPU v5 lite", 2, 4);
    row("2*tpu-v5e:4x4", "TPU v5 lite", 8, 4);
    row(" 2 * TPU-v5e : 4 X 4 ", "TPU v5 lite", 8, 4, "2*tpu-v5e:4x4");
    row("tpu-v5p:2x2x4", "TPU v5p", 4, 4);
    row("tpu-v6e:16x16", "TPU v6 lite", 64, 4);
    row("tpu-v7:2x2x4", "TPU7x", 4, 8);
    row("tpu-v4:3x1x5", "TPU v4", 15, 1);
    row("cpu:1048576", "generic-cpu", 1, 1048576);
}

void TestDeviceSet::presets()
{
    QFETCH(QString, text);
    QFETCH(QString, kind);
    QFETCH(int, hosts);
    QFETCH(int, perHost);
    QFETCH(QString, again);
    const Result<DeviceSet> set = parseDevices(text.toStdString());
    QVERIFY(set);
    QCOMPARE(QString::fromStdString(set->kind), kind);
    QCOMPARE(set->hosts, hosts);
    QCOMPARE(set->devicesPerHost, perHost);
    QCOMPARE(QString::fromStdString(toText(*set)), again);
    QVERIFY(*parseDevices(toText(*set)) == *set);
    std::set<std::int32_t> ids;
    std::set<std::int32_t> processes;
    for (std::int64_t i = 0; i < set->count(); ++i) {
        ids.insert(set->listed(i).id);
        processes.insert(set->listed(i).process);
    }
    QCOMPARE(static_cast<std::int64_t>(ids.size()), set->count());
    QCOMPARE(*ids.rbegin(), static_cast<std::int32_t>(set->count()) - 1);
    QCOMPARE(static_cast<int>(processes.size()), hosts);
}

void TestDeviceSet::presetErrors_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<Code>("code");
    QTest::addColumn<int>("column");
    QTest::newRow("nothing") << "" << Code::Syntax << 1;
    QTest::newRow("blanks") << "  " << Code::Syntax << 3;
    QTest::newRow("no name") << ":8" << Code::Syntax << 1;
    QTest::newRow("unknown") << "tpu-v8:2x2" << Code::UnknownValue << 1;
    QTest::newRow("unknown behind slices") << "2*tpu-5e:2x2" << Code::UnknownValue << 3;
    QTest::newRow("no size") << "tpu-v4" << Code::Syntax << 1;
    QTest::newRow("empty size") << "cpu:" << Code::Syntax << 5;
    QTest::newRow("word for a size") << "cpu:many" << Code::Syntax << 5;
    QTest::newRow("empty second size") << "gpu:4x" << Code::Syntax << 7;
    QTest::newRow("text behind a size") << "cpu:8 devices" << Code::Syntax << 5;
    QTest::newRow("a fraction") << "cpu:8.5" << Code::Syntax << 5;
    QTest::newRow("zero") << "cpu:0" << Code::OutOfRange << 5;
    QTest::newRow("negative") << "tpu-v4:4x-4x4" << Code::OutOfRange << 10;
    QTest::newRow("too large a number") << "cpu:99999999999999999999" << Code::OutOfRange << 5;
    QTest::newRow("too many hosts") << "gpu:2048x1024" << Code::TooLarge << 0;
    QTest::newRow("too many chips") << "tpu-v4:1024x1024x1024" << Code::TooLarge << 0;
    QTest::newRow("too many slices") << "1048576*tpu-v4:2x2x1" << Code::TooLarge << 0;
    QTest::newRow("three dimensions of a flat machine") << "tpu-v5e:2x2x2" << Code::Syntax << 13;
    QTest::newRow("four dimensions") << "tpu-v4:2x2x2x2" << Code::Syntax << 14;
    QTest::newRow("three sizes of hosts") << "gpu:2x2x2" << Code::Syntax << 9;
    QTest::newRow("slices of GPUs") << "2*gpu:8" << Code::Syntax << 3;
    QTest::newRow("no slices") << "0*tpu-v4:2x2x1" << Code::OutOfRange << 1;
    QTest::newRow("slices without a number") << "*tpu-v4:2x2x1" << Code::Syntax << 1;
}

void TestDeviceSet::presetErrors()
{
    QFETCH(QString, text);
    QFETCH(Code, code);
    QFETCH(int, column);
    const Result<DeviceSet> set = parseDevices(text.toStdString());
    QVERIFY(!set);
    QCOMPARE(set.error().code, code);
    QCOMPARE(set.error().where.column, column);
    if (text == QStringLiteral("2*tpu-5e:2x2"))
        QCOMPARE(set.error().text("nearest"), std::string("tpu-v5e"));
}

void TestDeviceSet::readsOwnLists()
{
    const Result<DeviceSet> lines = parseDeviceList("# a part of a board\nkind: TPU v5 lite\n"
                                                    "0 0 0 0 0\n1, 0, 1, 0, 0, 0   # a comment\n\n2 1 0 1 0 0 1\r\n");
    QVERIFY(lines);
    QCOMPARE(lines->kind, std::string("TPU v5 lite"));
    QCOMPARE(lines->platform, std::string("tpu"));
    QCOMPARE(lines->count(), std::int64_t{ 3 });
    QVERIFY(lines->own[2] == (DevicePlace{ 2, 1, { 0, 1, 0 }, 0, 1 }));
    QCOMPARE(toText(*lines), std::string("list of 3 TPU v5 lite devices"));

    const Result<DeviceSet> json = parseDeviceList("[[0, 0, 0, 0, 0, 0], [1, 0, 1, 0, 0, 0],\n [2, 1, 0, 1, 0, 0]]");
    QVERIFY(json);
    QCOMPARE(json->count(), std::int64_t{ 3 });
    QCOMPARE(json->kind, std::string("TPU v4"));

    const Result<DeviceSet> hosts = parseDeviceList("platform: gpu\n4 0\n5 0\n6 1");
    QVERIFY(hosts);
    QCOMPARE(hosts->kind, std::string("generic-gpu"));
    QCOMPARE(hosts->hosts, 2);
    QVERIFY(!hosts->hasCoordinates());
}

/// Device by device, in the same order, whatever form it had.
void TestDeviceSet::anySetAsAList()
{
    for (const char* text : { "cpu:8", "gpu:4x8", "tpu-v3:2x2", "tpu-v4:4x4x4", "2*tpu-v5e:4x4" }) {
        const DeviceSet set = *parseDevices(text);
        const Result<DeviceSet> list = parseDeviceList(toListText(set));
        QVERIFY2(list.has_value(), text);
        QCOMPARE(list->kind, set.kind);
        QCOMPARE(list->platform, set.platform);
        QCOMPARE(list->count(), set.count());
        for (std::int64_t i = 0; i < set.count(); ++i) {
            DevicePlace place = set.listed(i);
            if (!set.hasCoordinates())
                place.coordinates = {};
            QVERIFY2(list->listed(i) == place, text);
        }
        QCOMPARE(toListText(*list), toListText(set));
    }
}

void TestDeviceSet::ownListErrors_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<Code>("code");
    QTest::addColumn<int>("line");
    QTest::addColumn<int>("column");
    QTest::newRow("nothing") << "" << Code::OutOfRange << 0 << 0;
    QTest::newRow("comments") << "# nothing\n" << Code::OutOfRange << 0 << 0;
    QTest::newRow("a word") << "0 0 0 0 0\n1 zero 1 0 0" << Code::Syntax << 2 << 3;
    QTest::newRow("too few numbers") << "0 0 0 0" << Code::Syntax << 1 << 1;
    QTest::newRow("too many numbers") << "0 0 0 0 0 0 0\n0 0 0 0 0 0 0 0" << Code::Syntax << 2 << 1;
    QTest::newRow("very many numbers") << QString("0 ").repeated(100'000) << Code::Syntax << 1 << 1;
    QTest::newRow("more than there can be") << QString("[0]").repeated(1'048'577) << Code::TooLarge << 1 << 1;
    QTest::newRow("negative") << "0 -1 0 0 0" << Code::OutOfRange << 1 << 3;
    QTest::newRow("huge") << "0 0 0 99999999999999999999 0" << Code::OutOfRange << 1 << 7;
    QTest::newRow("an id twice") << "0 0 0 0 0\n0 0 1 0 0" << Code::DuplicateDevice << 0 << 0;
    QTest::newRow("unknown platform") << "platform: npu" << Code::UnknownValue << 1 << 11;
    QTest::newRow("unknown header") << "\nkidn: TPU v4" << Code::UnknownValue << 2 << 1;
}

void TestDeviceSet::ownListErrors()
{
    QFETCH(QString, text);
    QFETCH(Code, code);
    QFETCH(int, line);
    QFETCH(int, column);
    const Result<DeviceSet> set = parseDeviceList(text.toStdString());
    QVERIFY(!set);
    QCOMPARE(set.error().code, code);
    QCOMPARE(set.error().where.line, line);
    QCOMPARE(set.error().where.column, column);
}

REGISTER_TEST(TestDeviceSet)
#include "test_device_set.moc"
