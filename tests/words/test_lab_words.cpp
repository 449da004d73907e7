// SPDX-License-Identifier: GPL-3.0-or-later
// The state of the sharding laboratory, and what is said of it.
#include <QElapsedTimer>
#include <QTest>

#include "base/codes.h"
#include "registered_test.h"
#include "sharding/text.h"
#include "words/lab_words.h"

using namespace shardscope;

namespace {

LabDevices devicesOf(const char* mesh, const char* platform = "cpu")
{
    return { std::make_shared<const Mesh>(*parseMesh(mesh)), platform, 8 };
}

LabState labOn(const char* mesh, const char* shape, const char* spec)
{
    LabState lab;
    lab.setDevices(devicesOf(mesh));
    lab.setShape(shape);
    lab.edit(ShardingForm::Spec, spec);
    return lab;
}

QString shown(const LabState& lab, ShardingForm form)
{
    return QString::fromStdString(lab.text(form)).simplified();
}

} // namespace

class TestLabWords : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { QLocale::setDefault(QLocale(QLocale::English)); }

    /// Whichever form is edited, the other ones say the same.
    void everyFormIsASource_data()
    {
        QTest::addColumn<int>("form");
        QTest::addColumn<QByteArray>("text");
        const auto row = [](ShardingForm form, const char* text) {
            QTest::newRow(lab::formWords(form).name.toUtf8().constData()) << static_cast<int>(form) << QByteArray(text);
        };
        row(ShardingForm::Spec, "P(None, 'y')");
        row(ShardingForm::Named, "NamedSharding(mesh=Mesh('x': 2, 'y': 4), spec=P(None, 'y'))");
        row(ShardingForm::Positional,
            "PositionalSharding([[{CPU 0, 4} {CPU 1, 5} {CPU 2, 6} {CPU 3, 7}]], shape=(1, 4))");
        row(ShardingForm::PositionalCode, "PositionalSharding(mesh.devices).replicate(axis=0, keepdims=True)");
        row(ShardingForm::HloV1, "{devices=[1,4,2]0,4,1,5,2,6,3,7 last_tile_dim_replicate}");
        row(ShardingForm::HloV2, "{devices=[1,4,2]<=[2,4]T(1,0) last_tile_dim_replicate}");
        row(ShardingForm::Gspmd, "GSPMDSharding({devices=[1,4,2]<=[2,4]T(1,0) last_tile_dim_replicate})");
        row(ShardingForm::Shardy, "#sdy.sharding<@mesh, [{}, {\"y\"}]>");
    }
    void everyFormIsASource()
    {
        QFETCH(int, form);
        QFETCH(QByteArray, text);
        LabState lab = labOn("x=2,y=4", "8, 16", "P('x')");
        lab.edit(static_cast<ShardingForm>(form), text.toStdString());
        QVERIFY(!lab.isStale());
        const QStringList expected{ QStringLiteral("PartitionSpec(None, 'y')"),
            QStringLiteral("NamedSharding(mesh=Mesh('x': 2, 'y': 4), spec=PartitionSpec(None, 'y'))"),
            QStringLiteral("PositionalSharding([[{CPU 0, 4} {CPU 1, 5} {CPU 2, 6} {CPU 3, 7}]], shape=(1, 4))"),
            QStringLiteral("PositionalSharding(devices).reshape(2, 4).replicate(0)"),
            QStringLiteral("{devices=[1,4,2]0,4,1,5,2,6,3,7 last_tile_dim_replicate}"),
            QStringLiteral("{devices=[1,4,2]<=[2,4]T(1,0) last_tile_dim_replicate}"),
            QStringLiteral("GSPMDSharding({devices=[1,4,2]<=[2,4]T(1,0) last_tile_dim_replicate})"),
            QStringLiteral("#sdy.sharding<@mesh, [{}, {\"y\"}]>") };
        for (const ShardingForm other : shardingForms())
            QCOMPARE(shown(lab, other),
                static_cast<int>(other) == form ? QString::fromUtf8(text) : expected[static_cast<qsizetype>(other)]);
        QVERIFY(lab.result()->layout.shardShape() == Shape({ 8, 4 }));
        QCOMPARE(lab.result()->layout.copies(), 2);
        QCOMPARE(lab.result()->shardBytes(), 8 * 4 * 4);
        // The layout is by the mesh's own axes, whatever the text was.
        QVERIFY(lab.result()->layout.mesh() == *lab.devices().mesh);
    }

    void badTextKeepsTheLastResult_data()
    {
        QTest::addColumn<int>("form");
        QTest::addColumn<QByteArray>("text");
        for (const ShardingForm form : shardingForms())
            QTest::newRow(lab::formWords(form).name.toUtf8().constData())
                << static_cast<int>(form) << QByteArray("{[ (");
    }
    void badTextKeepsTheLastResult()
    {
        QFETCH(int, form);
        QFETCH(QByteArray, text);
        LabState lab = labOn("x=2,y=4", "8, 16", "P('x', 'y')");
        lab.edit(static_cast<ShardingForm>(form), text.toStdString());
        QVERIFY(lab.isStale());
        QVERIFY(lab.sourceProblem().has_value());
        QVERIFY(lab.sourceProblem()->where.column > 0);
        QVERIFY(!lab::problemText(*lab.sourceProblem()).isEmpty());
        QCOMPARE(QString::fromStdString(lab.text(static_cast<ShardingForm>(form))), QString::fromUtf8(text));
        QVERIFY(lab.result()->layout.shardShape() == Shape({ 4, 4 }));
        for (const ShardingForm other : shardingForms())
            if (static_cast<int>(other) != form)
                QVERIFY2(!lab.text(other).empty(), qPrintable(lab::formWords(other).name));
        lab.revert();
        QVERIFY(!lab.isStale());
        QCOMPARE(shown(lab, ShardingForm::Spec), QStringLiteral("PartitionSpec('x', 'y')"));
    }

    void unevenArraysAreShown()
    {
        LabState lab = labOn("x=2,y=4", "10, 16", "P('y', 'x')");
        QVERIFY(!lab.isStale());
        QVERIFY(lab.result()->layout.shardShape() == Shape({ 3, 8 }));
        QVERIFY(lab.result()->uneven.has_value());
        QVERIFY(lab.result()->uneven->code == Code::Indivisible);
        const QString stated = lab::unevenText(*lab.result());
        QVERIFY2(
            stated.contains(QStringLiteral("Dimension 0 does not divide: 10 in 4 shards of 3, 2 of 12 are padding.")),
            qPrintable(stated));
        QVERIFY(stated.contains(QStringLiteral("JAX refuses")));
        lab.setShape("12, 16");
        QVERIFY(lab::unevenText(*lab.result()).isEmpty());
    }

    void memoryIsPartOfIt()
    {
        LabState lab = labOn("x=2,y=4", "8, 16", "P('x', 'y')");
        QVERIFY(lab.result()->memoryKind == MemoryKind::UnpinnedHost && lab.result()->memoryKindIsDefault);
        lab.setMemoryKind(MemoryKind::PinnedHost);
        QVERIFY(shown(lab, ShardingForm::Named).endsWith(QStringLiteral("memory_kind=pinned_host)")));
        QVERIFY(shown(lab, ShardingForm::PositionalCode).endsWith(QStringLiteral(".with_memory_kind('pinned_host')")));
        QVERIFY(lab::memoryText(*lab.result(), lab.devices()).contains(QStringLiteral("pinned_host")));
        // What the devices lack is said, and the last result stays.
        lab.setDevices(devicesOf("x=2,y=4", "gpu"));
        lab.setMemoryKind(MemoryKind::UnpinnedHost);
        QVERIFY(lab.memoryProblem().has_value());
        QVERIFY(lab.result()->memoryKind == MemoryKind::PinnedHost);
        lab.setMemoryKind(std::nullopt);
        QVERIFY(!lab.isStale());
    }

    void nothingIsLostWhenTheMeshChanges()
    {
        LabState lab = labOn("x=2,y=4", "8, 16", "P('x', 'y')");
        lab.edit(ShardingForm::Named, "NamedSharding(mesh=Mesh('x': 2, 'y': 4), spec=P('y', 'x'))");
        lab.setDevices(devicesOf("x=4,y=2"));
        QVERIFY(!lab.isStale());
        QCOMPARE(shown(lab, ShardingForm::Named),
            QStringLiteral("NamedSharding(mesh=Mesh('x': 4, 'y': 2), spec=PartitionSpec('y', 'x'))"));
        QVERIFY(lab.result()->layout.shardShape() == Shape({ 4, 4 }));
        // An axis that is gone is an error of the text, which stays.
        lab.setDevices(devicesOf("a=8"));
        QVERIFY(lab.sourceProblem().has_value() && lab.sourceProblem()->code == Code::UnknownAxis);
        QCOMPARE(shown(lab, ShardingForm::Spec), QStringLiteral("PartitionSpec('y', 'x')"));
        QVERIFY(lab.result()->layout.shardShape() == Shape({ 4, 4 }));
        lab.setDevices(devicesOf("x=2,y=2"));
        QVERIFY(!lab.isStale());
        QVERIFY(lab.result()->layout.shardShape() == Shape({ 4, 8 }));
        // HLO text is over as many devices as it says.
        lab.edit(ShardingForm::HloV2, "{devices=[4,1]<=[4]}");
        lab.setDevices(devicesOf("x=2,y=4"));
        QVERIFY(lab.sourceProblem().has_value() && lab.sourceProblem()->code == Code::DeviceCount);
        lab.setDevices(devicesOf("x=4"));
        QVERIFY(!lab.isStale());
    }

    void theOrderOfDevicesCounts()
    {
        LabState lab;
        lab.setDevices({ std::make_shared<const Mesh>(*Mesh::create({ { "x", 4 } }, { 0, 2, 1, 3 })), "cpu", 8 });
        lab.setShape("8");
        lab.edit(ShardingForm::Spec, "P('x')");
        QCOMPARE(shown(lab, ShardingForm::Positional),
            QStringLiteral("PositionalSharding([{CPU 0} {CPU 2} {CPU 1} {CPU 3}], shape=(4,))"));
        // HLO numbers positions, not ids.
        QCOMPARE(shown(lab, ShardingForm::HloV1), QStringLiteral("{devices=[4]0,1,2,3}"));
        QVERIFY(lab.result()->layout.holders(1) == std::vector<std::int32_t>{ 2 });
        QCOMPARE(lab::addressableText(*lab.result(), lab.devices()),
            QStringLiteral("Fully addressable: one host has them all."));
        lab.setDevices({ std::make_shared<const Mesh>(*Mesh::create({ { "x", 4 } }, { 0, 2, 1, 3 })), "cpu", 2 });
        QCOMPARE(lab::addressableText(*lab.result(), lab.devices()),
            QStringLiteral("Not fully addressable: the devices belong to 2 hosts."));
    }

    void twoShardings_data()
    {
        QTest::addColumn<QByteArray>("other");
        QTest::addColumn<QString>("stated");
        QTest::newRow("equal") << QByteArray("P('x', None)") << QStringLiteral("Equal: A and B say the same");
        QTest::newRow("equivalent") << QByteArray("{devices=[2,1,4]<=[8] last_tile_dim_replicate}")
                                    << QStringLiteral("Equivalent: Every device holds the same");
        QTest::newRow("different") << QByteArray("P(None, 'x')")
                                   << QStringLiteral("d0 is the first device that differs. Under A it holds dimension "
                                                     "0 0–3, dimension 1 0–15; under B it holds dimension 0 0–7, "
                                                     "dimension 1 0–7.");
        QTest::newRow("later") << QByteArray("{devices=[2,1,4]0,1,2,4,3,5,6,7 last_tile_dim_replicate}")
                               << QStringLiteral("d3 is the first device that differs");
        QTest::newRow("parts") << QByteArray("#sdy.sharding<@mesh, [{\"x\"}, {}], unreduced={\"y\"}>")
                               << QStringLiteral("under B one of 4 partial sums");
        QTest::newRow("memory") << QByteArray("NamedSharding(mesh=mesh, spec=P('x', None), memory_kind=pinned_host)")
                                << QStringLiteral("A lies in unpinned_host and B in pinned_host memory");
        QTest::newRow("fewer") << QByteArray("PositionalSharding([0, 1]).reshape(2, 1)")
                               << QStringLiteral("d2 is among the devices of A alone");
    }
    void twoShardings()
    {
        QFETCH(QByteArray, other);
        QFETCH(QString, stated);
        LabState lab = labOn("x=2,y=4", "8, 16", "P('x', None)");
        lab.setOther(other.toStdString());
        QVERIFY(!lab.otherProblem());
        QVERIFY(lab.comparison() && lab.otherResult());
        const lab::Verdict verdict = lab::verdict(*lab.comparison(), *lab.result(), *lab.otherResult());
        const QString text = verdict.title + QStringLiteral(": ") + verdict.sentence;
        QVERIFY2(text.contains(stated), qPrintable(text));
        for (const QStringList& row : lab::facts(*lab.result(), &*lab.otherResult()))
            QVERIFY(row.size() == 3 && !row[1].isEmpty() && !row[2].isEmpty());
    }

    void placesInTheText()
    {
        const std::u32string text = U"{devices=[2,1,4]<=[8] last_tile_dim_replicated}";
        const Excerpt full = excerptAround(text, 1, 23, 80);
        QVERIFY(full.text == text);
        QCOMPARE(full.column, 22);
        QCOMPARE(full.length, 24);
        for (int width = 8; width < 60; ++width) {
            for (int column = 1; column <= static_cast<int>(text.size()) + 1; ++column) {
                const Excerpt part = excerptAround(text, 1, column, width);
                QVERIFY(static_cast<int>(part.text.size()) <= std::max(width, 8));
                QVERIFY(part.column >= 0 && part.column <= static_cast<int>(part.text.size()));
                if (column <= static_cast<int>(text.size()) && part.column < static_cast<int>(part.text.size())) {
                    const char32_t at = part.text[static_cast<std::size_t>(part.column)];
                    QVERIFY(at == text[static_cast<std::size_t>(column - 1)] || at == U'…');
                }
            }
        }
        QCOMPARE(excerptAround(U"a\nbc", 2, 2, 20).column, 1);
        QVERIFY(excerptAround(U"a\nbc", 2, 2, 20).text == U"bc");
        QCOMPARE(excerptAround(U"", 1, 1, 20).column, 0);
    }

    void manyDevicesAreNoWork()
    {
        LabState lab = labOn("data=4096,model=16", "65536, 16384", "P('data', 'model')");
        QElapsedTimer timer;
        timer.start();
        constexpr int edits = 10;
        for (int i = 0; i < edits; ++i)
            lab.edit(ShardingForm::Spec, i % 2 == 0 ? "P('model', 'data')" : "P(('data', 'model'), None)");
        const qint64 each = timer.elapsed() / edits;
        QVERIFY2(each < 50, qPrintable(QString::number(each)));
        QCOMPARE(lab.result()->layout.distinctShards(), 65536);
        // Lists of devices are made on demand alone.
        QCOMPARE(lab.form(ShardingForm::HloV1).listed, 65536);
        QVERIFY(lab.text(ShardingForm::HloV1).empty());
        QVERIFY(lab::whyEmpty(lab.form(ShardingForm::HloV1)).contains(QStringLiteral("65,536 devices")));
        QVERIFY(lab.fullText(ShardingForm::HloV1)->size() > 65536 * 5);
        QVERIFY(!lab.text(ShardingForm::PositionalCode).empty());
        timer.restart();
        lab.setOther("P('data', None)");
        QVERIFY(lab.comparison().has_value());
        QVERIFY2(timer.elapsed() < 200, qPrintable(QString::number(timer.elapsed())));
    }
};

REGISTER_TEST(TestLabWords)
#include "test_lab_words.moc"
