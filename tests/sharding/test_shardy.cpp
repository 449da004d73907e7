// SPDX-License-Identifier: GPL-3.0-or-later
// Shardy's attributes, read and written.
#include <QtTest>

#include "registered_test.h"
#include "sharding/generators.h"
#include "sharding/sharding_text.h"

using namespace shardscope;

class TestShardy : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void texts_data();
    void texts();
    void meshes_data();
    void meshes();
    void randomTexts();
};

namespace {

QString shardyText(std::string_view utf8)
{
    return QString::fromUtf8(utf8.data(), static_cast<qsizetype>(utf8.size()));
}

QString shardyPlace(const Error& error)
{
    return shardyText(error.kind()) + QStringLiteral(" %1:%2").arg(error.where.line).arg(error.where.column);
}

} // namespace

void TestShardy::texts_data()
{
    QTest::addColumn<QString>("declared");
    QTest::addColumn<QString>("result"); // printed, or kind and place
    const auto row = [](const char* declared, const char* result) {
        QTest::newRow(declared) << declared << (*result ? result : declared);
    };
    // On x=2, y=8, z=3.
    row("<@mesh, []>", "");
    row("<@mesh, [{}, {?}, {\"x\"}, {\"y\", \"z\", ?}]>", "");
    row("<@mesh, [{\"x\"}p0, {?}p12]>", "");
    row("<@mesh, [{\"y\":(2)2, \"y\":(1)2}]>", "");
    row("<@mesh, [{}], replicated={\"x\", \"y\":(4)2}, unreduced={\"z\"}>", "");
    row("#sdy.sharding<@mesh, [{ \"x\" , ? }]>", "<@mesh, [{\"x\", ?}]>");
    row("sdy.sharding = #sdy.sharding<@\"mesh 0\", [{\"x\"}]>", "<@mesh, [{\"x\"}]>");
    row("sdy.sharding<mesh<[\"x\"=2, \"y\"=8, \"z\"=3]>, [{\"\\78\"}]>", "<@mesh, [{\"x\"}]>");
    row("<@mesh, [{\"x\"} // a comment\n]>", "<@mesh, [{\"x\"}]>");

    row("<mesh<[\"x\"=2]>, [{}]>", "mesh_mismatch 1:2");
    row("<@mesh, [{\"w\"}]>", "unknown_axis 1:11");
    row("<@mesh, [{\"x\"}, {\"x\"}]>", "axis_used_twice 1:18");
    row("<@mesh, [{\"x\"}], replicated={\"x\"}>", "axis_used_twice 1:30");
    row("<@mesh, [{\"y\":(1)4}, {\"y\":(2)4}]>", "overlapping_axes 1:23");
    row("<@mesh, [{\"y\"}, {\"y\":(2)4}]>", "bad_sub_axis 1:18");
    row("<@mesh, [{\"y\":(1)2, \"y\":(2)2}]>", "bad_sub_axis 1:21");
    row("<@mesh, [{}], unreduced={\"y\":(1)2, \"y\":(2)2}>", "bad_sub_axis 1:36");
    row("<@mesh, [{\"y\":(0)2}]>", "bad_sub_axis 1:11");
    row("<@mesh, [{\"y\":(3)2}]>", "bad_sub_axis 1:11");
    row("<@mesh, [{\"y\":(1)1}]>", "bad_sub_axis 1:11");
    row("<@mesh, [{\"y\":(1)8}]>", "bad_sub_axis 1:11");
    row("<@mesh, [{\"y\":(4)4}]>", "bad_sub_axis 1:11");
    row("<@mesh, [{\"y\":(9223372036854775807)2}]>", "bad_sub_axis 1:11");
    row("<@mesh, [{}], replicated={\"y\", \"x\"}>", "axis_order 1:32");
    row("<@mesh, [{}p1]>", "priority 1:12");
    row("<@mesh, [{?}q]>", "syntax 1:13");
    row("<@mesh, [{?}p]>", "syntax 1:13");
    row("<@mesh, [{?}p99999999999]>", "syntax 1:13");
    row("<@mesh, [{?, \"x\"}]>", "syntax 1:12");
    row("<@mesh, [{x}]>", "syntax 1:11");
    row("<@mesh, [{\"x\" \"y\"}]>", "syntax 1:15");
    row("<@mesh, [{\"y\":(2 2}]>", "syntax 1:18");
    row("<@mesh, [{}], unreduced={}, replicated={}>", "syntax 1:29");
    row("<@mesh, [{}], unreduced=max{\"x\"}>", "unsupported_sharding 1:25");
    row("<@mesh, [{}]> x", "syntax 1:15");
    row("<@mesh>", "syntax 1:7");
    row("<[{}]>", "syntax 1:2");
    row("<@mesh, [{}]", "syntax 1:13");
    row("", "syntax 1:1");
}

void TestShardy::texts()
{
    QFETCH(QString, declared);
    QFETCH(QString, result);
    const Mesh mesh = *Mesh::create({ { "x", 2 }, { "y", 8 }, { "z", 3 } });
    const Result<TensorSharding> sharding = parseShardy(declared.toStdString(), mesh);
    QCOMPARE(sharding ? shardyText(toShardy(*sharding, mesh)) : shardyPlace(sharding.error()), result);
}

void TestShardy::meshes_data()
{
    QTest::addColumn<QString>("declared");
    QTest::addColumn<QString>("result");
    const auto row = [](const char* declared, const char* result) {
        QTest::newRow(declared) << declared << (*result ? result : declared);
    };
    row("<[]>", "");
    row("<[\"x\"=2, \"y\"=1]>", "");
    row("<[\"x\"=2], device_ids=[1, 0]>", "");
    row("#sdy.mesh<[\"x\"=2], device_ids=[0, 1]>", "<[\"x\"=2]>");
    row("sdy.mesh @mesh = <[\"a\\22\"=4]>", "<[\"a\\22\"=4]>");
    row("mesh<[\"x\"=2]>", "<[\"x\"=2]>");
    row("<[\"x\"=0]>", "invalid_axis_size 1:2");
    row("<[\"x\"=2, \"x\"=2]>", "duplicate_axis 1:2");
    row("<[\"x\"=2], device_ids=[1, 1]>", "invalid_attribute 1:2");
    row("<[\"x\"=2], device_ids=[-1, 0]>", "syntax 1:23");
    row("<[\"x\"]>", "syntax 1:6");
    row("<[\"x\"=2]> y", "syntax 1:11");
}

void TestShardy::meshes()
{
    QFETCH(QString, declared);
    QFETCH(QString, result);
    const Result<Mesh> mesh = parseShardyMesh(declared.toStdString());
    QCOMPARE(mesh ? shardyText(toShardy(*mesh, true)) : shardyPlace(mesh.error()), result);
}

void TestShardy::randomTexts()
{
    QVERIFY(generators::holds("Shardy text is read as what was written", [] {
        const MeshPtr mesh = generators::mesh();
        RC_ASSERT(*parseShardyMesh(toShardy(*mesh, true)) == *mesh);
        const std::size_t rank = *rc::gen::inRange<std::size_t>(0, 5);
        TensorSharding sharding = generators::sharding(*mesh, rank, true, true);
        for (DimensionSharding& dim : sharding.dims) {
            dim.open = *rc::gen::arbitrary<bool>();
            if ((dim.open || !dim.axes.empty()) && *rc::gen::arbitrary<bool>())
                dim.priority = *rc::gen::inRange(0, 1000);
        }
        // What is left over may not be used.
        std::vector<AxisRef> left = generators::shuffledRefs(*mesh, false);
        std::sort(left.begin(), left.end());
        for (const AxisRef& ref : left) {
            const auto meets = [&](const AxisRef& other) { return overlaps(ref, other) || ref == other; };
            bool used = std::any_of(sharding.unreduced.begin(), sharding.unreduced.end(), meets);
            for (const DimensionSharding& dim : sharding.dims)
                used = used || std::any_of(dim.axes.begin(), dim.axes.end(), meets);
            if (!used && *rc::gen::arbitrary<bool>())
                sharding.replicated.push_back(ref);
        }
        // Neighbouring parts of one axis are one part.
        AxisList merged;
        for (const AxisRef& ref : sharding.unreduced)
            appendMerged(merged, ref);
        sharding.unreduced = merged;
        const Result<TensorSharding> read = parseShardy(toShardy(sharding, *mesh), *mesh);
        RC_ASSERT(read.has_value());
        RC_ASSERT(*read == sharding);
        // The dimensions alone, as people type them.
        const Result<TensorSharding> typed = parseDimensions(dimensionsText(sharding, *mesh), *mesh);
        RC_ASSERT(typed.has_value());
        RC_ASSERT(*typed == sharding);
    }));
}

REGISTER_TEST(TestShardy)
#include "test_shardy.moc"
