// SPDX-License-Identifier: GPL-3.0-or-later
// One sharding in all forms: what each says, that each is read back as the same, and two shardings compared.
#include <QElapsedTimer>
#include <QtTest>

#include <map>

#include "base/codes.h"
#include "registered_test.h"
#include "sharding/comparison.h"
#include "sharding/generators.h"
#include "sharding/sharding_forms.h"

using namespace shardscope;
using Relation = ShardingComparison::Relation;
using Difference = ShardingComparison::Difference;

namespace {

MeshPtr formsMesh(const char* text)
{
    return std::make_shared<const Mesh>(*parseMesh(text));
}

QString shown(const Result<std::string>& text)
{
    return text ? QString::fromStdString(*text) : QString::fromLatin1(codeRow(text.error().code).kind.data());
}

FormContext contextOf(const MeshPtr& mesh, std::size_t rank)
{
    return { mesh, rank, JaxVersion::Year2024, "cpu" };
}

/// What every device holds, found device by device; nothing for one that holds nothing.
std::map<std::int32_t, std::vector<IndexRange>> holdings(const Layout& layout)
{
    std::map<std::int32_t, std::vector<IndexRange>> result;
    for (std::int64_t position = 0; position < layout.mesh().deviceCount(); ++position)
        result[layout.mesh().deviceAt(position)] = layout.rangesAt(position);
    return result;
}

} // namespace

class TestForms : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everyForm_data()
    {
        QTest::addColumn<QByteArray>("mesh");
        QTest::addColumn<QByteArray>("declared");
        QTest::addColumn<int>("rank");
        QTest::addColumn<QStringList>("expected");
        const auto row = [](const char* name, const char* mesh, const char* declared, int rank,
                             std::initializer_list<const char*> expected) {
            QStringList texts;
            for (const char* text : expected)
                texts << QString::fromUtf8(text);
            QTest::newRow(name) << QByteArray(mesh) << QByteArray(declared) << rank << texts;
        };
        constexpr const char* no = "unsupported_sharding";
        row("copies along the first axis", "x=2,y=4", "P(None, 'y')", 2,
            { "PartitionSpec(None, 'y')", "NamedSharding(mesh=Mesh('x': 2, 'y': 4), spec=PartitionSpec(None, 'y'))",
                "PositionalSharding([[{CPU 0, 4} {CPU 1, 5} {CPU 2, 6} {CPU 3, 7}]], shape=(1, 4))",
                "PositionalSharding(devices).reshape(2, 4).replicate(0)",
                "{devices=[1,4,2]0,4,1,5,2,6,3,7 last_tile_dim_replicate}",
                "{devices=[1,4,2]<=[2,4]T(1,0) last_tile_dim_replicate}",
                "GSPMDSharding({devices=[1,4,2]<=[2,4]T(1,0) last_tile_dim_replicate})",
                "#sdy.sharding<@mesh, [{}, {\"y\"}]>" });
        row("copies along the last axis", "x=2,y=4", "{devices=[2,1,4]<=[8] last_tile_dim_replicate}", 2,
            { "PartitionSpec('x', None)", "NamedSharding(mesh=Mesh('x': 2, 'y': 4), spec=PartitionSpec('x', None))",
                "PositionalSharding([[{CPU 0, 1, 2, 3}]\n"
                "                    [{CPU 4, 5, 6, 7}]], shape=(2, 1))",
                "PositionalSharding(devices).reshape(2, 4).replicate(1)",
                "{devices=[2,1,4]0,1,2,3,4,5,6,7 last_tile_dim_replicate}",
                "{devices=[2,1,4]<=[8] last_tile_dim_replicate}",
                "GSPMDSharding({devices=[2,1,4]<=[8] last_tile_dim_replicate})",
                "#sdy.sharding<@mesh, [{\"x\"}, {}]>" });
        row("whole", "x=2,y=4", "P()", 1,
            { "PartitionSpec()", "NamedSharding(mesh=Mesh('x': 2, 'y': 4), spec=PartitionSpec())",
                "PositionalSharding([{CPU 0, 1, 2, 3, 4, 5, 6, 7}], shape=(1,))",
                "PositionalSharding(devices).replicate()", "{replicated}", "{replicated}",
                "GSPMDSharding({replicated})", "#sdy.sharding<@mesh, [{}]>" });
        row("partial sums", "x=2", "#sdy.sharding<@mesh, [{}], unreduced={\"x\"}>", 1,
            { no, no, no, no, "{unreduced}", "{unreduced}", "GSPMDSharding({unreduced})",
                "#sdy.sharding<@mesh, [{}], unreduced={\"x\"}>" });
        row("part of an axis", "y=4", "#sdy.sharding<@mesh, [{\"y\":(2)2}]>", 1,
            { no, no, "PositionalSharding([{CPU 0, 2} {CPU 1, 3}], shape=(2,))",
                "PositionalSharding(devices).reshape(2, 2).transpose(1, 0).replicate(1, "
                "keepdims=False)",
                "{devices=[2,2]0,2,1,3 last_tile_dim_replicate}",
                "{devices=[2,2]<=[2,2]T(1,0) last_tile_dim_replicate}",
                "GSPMDSharding({devices=[2,2]<=[2,2]T(1,0) last_tile_dim_replicate})",
                "#sdy.sharding<@mesh, [{\"y\":(2)2}]>" });
        row("no parts by axes", "x=4", "{devices=[4]0,2,3,1}", 1,
            { "not_on_mesh", "not_on_mesh", "PositionalSharding([{CPU 0} {CPU 2} {CPU 3} {CPU 1}], shape=(4,))",
                "PositionalSharding([0, 2, 3, 1]).reshape(4)", "{devices=[4]0,2,3,1}", "{devices=[4]0,2,3,1}",
                "GSPMDSharding({devices=[4]0,2,3,1})", "not_on_mesh" });
    }
    void everyForm()
    {
        QFETCH(QByteArray, mesh);
        QFETCH(QByteArray, declared);
        QFETCH(int, rank);
        QFETCH(QStringList, expected);
        const MeshPtr on = formsMesh(mesh.constData());
        const Result<Sharding> sharding = parseSharding(declared.toStdString(), on);
        QVERIFY(sharding.has_value());
        QStringList texts;
        for (const ShardingForm form : shardingForms())
            texts << shown(formText(*sharding, form, contextOf(on, static_cast<std::size_t>(rank))));
        QCOMPARE(texts, expected);
    }

    /// Whatever a form says is read back, in its own place and in any other, as the same parts.
    void writtenAndRead()
    {
        QVERIFY(generators::holds("forms round-trip", [] {
            const MeshPtr mesh = generators::mesh();
            const std::size_t rank = *rc::gen::inRange<std::size_t>(0, 5);
            Sharding sharding = NamedSharding{ mesh, generators::spec(*mesh, rank) };
            if (*rc::gen::arbitrary<bool>())
                sharding = *rc::gen::arbitrary<bool>()
                    ? ShardySharding{ mesh, generators::sharding(*mesh, rank, true, false), {} }
                    : ShardySharding{ mesh, generators::sharding(*mesh, rank, false, true), {} };
            sharding = withMemoryKind(std::move(sharding), generators::memoryKind());
            const ShardingForm elsewhere =
                *rc::gen::elementOf(std::vector<ShardingForm>(shardingForms().begin(), shardingForms().end()));
            for (const ShardingForm form : shardingForms()) {
                const Result<std::string> text = formText(sharding, form, contextOf(mesh, rank));
                if (!text) {
                    RC_ASSERT(form != ShardingForm::HloV1 && form != ShardingForm::HloV2 && form != ShardingForm::Shardy
                        && form != ShardingForm::Gspmd);
                    continue;
                }
                // HLO and Shardy text leave the memory out; PositionalSharding has no order of devices of its own.
                const bool memory = form == ShardingForm::Named || form == ShardingForm::Positional
                    || form == ShardingForm::PositionalCode || form == ShardingForm::Gspmd;
                for (const ShardingForm place : { form, elsewhere }) {
                    const Result<Sharding> read = readForm(*text, place, mesh);
                    RC_LOG() << *text << " as form " << static_cast<int>(place) << '\n';
                    RC_ASSERT(read.has_value());
                    const Sharding same = memory ? sharding : withMemoryKind(sharding, std::nullopt);
                    const Shape shape(rank, 256 * 81); // whatever axes cut it, the parts are equal
                    const Result<Layout> before = layoutOf(same, shape), after = layoutOf(*read, shape);
                    RC_ASSERT(before.has_value() && after.has_value());
                    RC_ASSERT(holdings(*before) == holdings(*after));
                    RC_ASSERT(memoryKindOf(same) == memoryKindOf(*read));
                    if (form != ShardingForm::PositionalCode)
                        RC_ASSERT(isEquivalent(same, *read, rank));
                }
            }
        }));
    }

    void badTextInEveryForm_data()
    {
        QTest::addColumn<int>("form");
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("kind");
        QTest::addColumn<int>("column");
        const auto row = [](const char* name, ShardingForm form, const char* text, const char* kind, int column) {
            QTest::newRow(name) << static_cast<int>(form) << QByteArray(text) << QString::fromLatin1(kind) << column;
        };
        row("spec, unclosed", ShardingForm::Spec, "P('x', ", "syntax", 8);
        row("spec, no such axis", ShardingForm::Spec, "P('z')", "unknown_axis", 0);
        row("named, a bare name", ShardingForm::Named, "'x', None", "syntax", 1);
        row("named, no spec", ShardingForm::Named, "NamedSharding(mesh=Mesh('x': 2, 'y': 4))", "syntax", 15);
        row("named, another mesh", ShardingForm::Named, "NamedSharding(mesh=Mesh('a': 8), spec=P('a'))",
            "mesh_mismatch", 15);
        row("positional, nothing", ShardingForm::Positional, "reshape(2, 4)", "syntax", 1);
        row("positional, no such operation", ShardingForm::PositionalCode, "PositionalSharding(devices).sum(0)",
            "syntax", 29);
        row("positional, no such grid", ShardingForm::PositionalCode, "PositionalSharding(devices).reshape(3, 4)",
            "bad_reshape", 29);
        row("positional, no such axis", ShardingForm::PositionalCode,
            "PositionalSharding(devices).reshape(2, 4).replicate(2)", "bad_axis", 43);
        row("HLO, no brace", ShardingForm::HloV1, "devices=[2,1]0,1", "syntax", 1);
        row("HLO, cut off", ShardingForm::HloV2, "{devices=[2,4]<=[8", "syntax", 19);
        row("HLO, too few devices", ShardingForm::HloV1, "{devices=[2,4]0,1,2}", "device_count_differs_from_tiles", 0);
        row("GSPMD, nothing", ShardingForm::Gspmd, "replicated", "syntax", 1);
        row("GSPMD, no such subgroup", ShardingForm::Gspmd, "GSPMDSharding({devices=[2,4]<=[8] last_tile_dims={x}})",
            "syntax", 51);
        row("Shardy, no mesh", ShardingForm::Shardy, "[{\"x\"}, {}]", "syntax", 1);
        row("Shardy, no such axis", ShardingForm::Shardy, "#sdy.sharding<@mesh, [{\"z\"}, {}]>", "unknown_axis", 24);
    }
    void badTextInEveryForm()
    {
        QFETCH(int, form);
        QFETCH(QByteArray, text);
        QFETCH(QString, kind);
        QFETCH(int, column);
        const MeshPtr mesh = formsMesh("x=2,y=4");
        Result<Sharding> read = readForm(text.toStdString(), static_cast<ShardingForm>(form), mesh);
        if (read) { // what only shows where it is used
            const Result<Layout> layout = layoutOf(*read, Shape{ 8, 16 });
            QVERIFY(!layout.has_value());
            read = tl::unexpected(layout.error());
        }
        QCOMPARE(QString::fromLatin1(read.error().kind().data()), kind);
        if (column > 0)
            QCOMPARE(read.error().where.column, column);
    }

    void stepsOfAChain()
    {
        const MeshPtr mesh = formsMesh("x=2,y=4");
        const std::vector<PositionalStep> steps =
            positionalSteps("PositionalSharding(mesh.devices).reshape(8).reshape((4, 2)).replicate(axis=0).T", mesh);
        const std::vector<PositionalStep> expected{ { "PositionalSharding(mesh.devices)", { 2, 4 }, 1 },
            { ".reshape(8)", { 8 }, 1 }, { ".reshape((4, 2))", { 4, 2 }, 1 }, { ".replicate(axis=0)", { 1, 2 }, 4 },
            { ".T", { 2, 1 }, 4 } };
        QVERIFY(steps == expected);
        // Up to the step that cannot be taken.
        QCOMPARE(
            positionalSteps("PositionalSharding(devices).reshape(2, 4).reshape(3)", mesh).size(), std::size_t{ 2 });
        QVERIFY(positionalSteps("P('x')", mesh).empty());
    }

    void compared_data()
    {
        QTest::addColumn<QByteArray>("a");
        QTest::addColumn<QByteArray>("b");
        QTest::addColumn<int>("relation");
        QTest::addColumn<int>("difference");
        QTest::addColumn<int>("device");
        const auto row = [](const char* name, const char* a, const char* b, Relation relation, Difference difference,
                             int device) {
            QTest::newRow(name) << QByteArray(a) << QByteArray(b) << static_cast<int>(relation)
                                << static_cast<int>(difference) << device;
        };
        row("the same", "P('x', None)", "P('x', None)", Relation::Equal, Difference::None, -1);
        row("trailing None", "P('x', None)", "P('x')", Relation::Equivalent, Difference::None, -1);
        row("another class", "P('x', None)", "{devices=[2,1,4]<=[8] last_tile_dim_replicate}", Relation::Equivalent,
            Difference::None, -1);
        row("another dimension", "P('x', None)", "P(None, 'x')", Relation::Different, Difference::Parts, 0);
        row("other copies", "P('x', None)", "{devices=[2,1,4]0,1,2,4,3,5,6,7 last_tile_dim_replicate}",
            Relation::Different, Difference::Parts, 3);
        row("fewer devices", "P()", "PositionalSharding([0, 1, 2, 3]).reshape(4, 1)", Relation::Different,
            Difference::Devices, 4);
        row("more devices", "PositionalSharding([0, 1]).reshape(2, 1)", "P('x', None)", Relation::Different,
            Difference::Devices, 2);
        row("parts of a sum", "P()", "#sdy.sharding<@mesh, [{}, {}], unreduced={\"x\"}>", Relation::Different,
            Difference::Addends, 0);
        row("memory", "P('x', None)", "NamedSharding(mesh=mesh, spec=P('x', None), memory_kind=pinned_host)",
            Relation::Different, Difference::MemoryKind, -1);
    }
    void compared()
    {
        QFETCH(QByteArray, a);
        QFETCH(QByteArray, b);
        QFETCH(int, relation);
        QFETCH(int, difference);
        QFETCH(int, device);
        const MeshPtr mesh = formsMesh("x=2,y=4");
        const Result<ShardingComparison> result =
            compare(*parseSharding(a.toStdString(), mesh), *parseSharding(b.toStdString(), mesh), Shape{ 8, 16 });
        QVERIFY(result.has_value());
        QCOMPARE(static_cast<int>(result->relation), relation);
        QCOMPARE(static_cast<int>(result->difference), difference);
        QCOMPARE(result->device, device);
    }

    /// JAX compares the order of devices too, even where all hold everything.
    void orderOfDevices()
    {
        const auto full = [](std::vector<std::int32_t> order) -> Sharding {
            return NamedSharding{ std::make_shared<const Mesh>(*Mesh::create({ { "x", 3 } }, std::move(order))), {} };
        };
        const Result<ShardingComparison> result = compare(full({}), full({ 0, 2, 1 }), Shape{ 8 });
        QVERIFY(result.has_value());
        QVERIFY(result->relation == Relation::Different && result->difference == Difference::DeviceOrder);
        QCOMPARE(result->device, 1);
    }

    /// The comparison says what ==, is_equivalent_to and a walk over all devices say.
    void comparisonAgreesWithAWalk()
    {
        QVERIFY(generators::holds("first difference", [] {
            const MeshPtr mesh = generators::mesh();
            const std::size_t rank = *rc::gen::inRange<std::size_t>(0, 4);
            const auto any = [&]() -> Sharding {
                if (*rc::gen::arbitrary<bool>())
                    return NamedSharding{ mesh, generators::spec(*mesh, rank) };
                return ShardySharding{ mesh, generators::sharding(*mesh, rank, true, true), {} };
            };
            const Sharding a = any(), b = *rc::gen::inRange(0, 4) == 0 ? a : any();
            Shape shape(rank, 1);
            for (std::int64_t& size : shape)
                size = *rc::gen::inRange<std::int64_t>(1, 40);
            const Result<ShardingComparison> result = compare(a, b, shape);
            RC_ASSERT(result.has_value());
            RC_ASSERT((result->relation == Relation::Equal) == (a == b));
            RC_ASSERT((result->relation != Relation::Different) == (a == b || isEquivalent(a, b, rank)));
            if (result->relation != Relation::Different)
                return;
            const auto ofA = holdings(*layoutOf(a, shape, Uneven::Padded));
            const auto ofB = holdings(*layoutOf(b, shape, Uneven::Padded));
            std::int32_t first = -1;
            for (const std::int32_t device : devicesOf(a))
                if (first < 0 && ofA.at(device) != ofB.at(device))
                    first = device;
            if (result->difference == Difference::Parts) {
                RC_ASSERT(result->device == first);
                RC_ASSERT(result->a == ofA.at(first) && result->b == ofB.at(first));
            } else {
                RC_ASSERT(first == -1);
            }
        }));
    }

    void manyDevices()
    {
        const MeshPtr mesh = formsMesh("data=4096,model=16");
        const FormContext context = contextOf(mesh, 2);
        const Sharding a = *parseSharding("P('data', 'model')", mesh), b = *parseSharding("P('data', None)", mesh);
        QElapsedTimer timer;
        timer.start();
        for (const ShardingForm form : shardingForms())
            if (listedDevices(a, form, context) == 0)
                QVERIFY(formText(a, form, context).has_value());
        QCOMPARE(listedDevices(a, ShardingForm::HloV1, context), 65536);
        QCOMPARE(listedDevices(a, ShardingForm::Positional, context), 65536);
        QCOMPARE(listedDevices(a, ShardingForm::PositionalCode, context), 0);
        const Result<ShardingComparison> result = compare(a, b, Shape{ 65536, 16384 });
        QVERIFY(result.has_value());
        QCOMPARE(result->device, 0);
        QVERIFY2(timer.elapsed() < 200, qPrintable(QString::number(timer.elapsed())));
    }
};

REGISTER_TEST(TestForms)
#include "test_forms.moc"
