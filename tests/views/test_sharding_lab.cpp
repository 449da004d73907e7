// SPDX-License-Identifier: GPL-3.0-or-later
// The sharding laboratory: its state without a window, and the dock with everything that can be edited in it.
#include <QAbstractItemModelTester>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QElapsedTimer>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>
#include <QUndoStack>

#include "base/codes.h"
#include "experiment/edits.h"
#include "registered_test.h"
#include "sharding/text.h"
#include "views/panel_fixture.h"
#include "views/sharding_lab/form_row.h"
#include "views/sharding_lab/forms_panel.h"
#include "views/sharding_lab/lab_words.h"
#include "views/sharding_lab/result_panel.h"
#include "views/sharding_lab/sharding_lab_view.h"
#include "views/theme/appearance.h"
#include "views/widgets/segmented_bar.h"

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

void type(QLineEdit* edit, const QString& text)
{
    edit->setFocus();
    edit->selectAll();
    QTest::keyClicks(edit, text);
}

} // namespace

class TestShardingLab : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { test::failOnWarnings(); }

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

    void arraysOfAnyRank_data()
    {
        QTest::addColumn<QByteArray>("shape");
        QTest::addColumn<QByteArray>("spec");
        QTest::addColumn<QList<qint64>>("shard");
        QTest::newRow("0") << QByteArray("()") << QByteArray("P()") << QList<qint64>{};
        QTest::newRow("1") << QByteArray("8") << QByteArray("P(('a', 'b'))") << QList<qint64>{ 2 };
        QTest::newRow("2") << QByteArray("8, 4") << QByteArray("P('a', 'b')") << QList<qint64>{ 4, 2 };
        QTest::newRow("3") << QByteArray("(2, 4, 6)") << QByteArray("P('a', 'b', 'c')") << QList<qint64>{ 1, 2, 3 };
        QTest::newRow("4") << QByteArray("[2, 4, 6, 8]") << QByteArray("P('a', None, 'b', 'c')")
                           << QList<qint64>{ 1, 4, 3, 4 };
        QTest::newRow("5") << QByteArray("2, 2, 2, 2, 2") << QByteArray("P('c', 'b', 'a', None, None)")
                           << QList<qint64>{ 1, 1, 1, 2, 2 };
        QTest::newRow("6") << QByteArray("2, 2, 2, 2, 2, 10") << QByteArray("P('c', 'b', None, None, None, 'a')")
                           << QList<qint64>{ 1, 1, 2, 2, 2, 5 };
    }
    void arraysOfAnyRank()
    {
        QFETCH(QByteArray, shape);
        QFETCH(QByteArray, spec);
        QFETCH(QList<qint64>, shard);
        test::Fixture fixture;
        Appearance appearance(ThemeChoice::Light);
        Experiment experiment = *fixture.document.experiment();
        experiment.mesh = { { { "a", 2 }, { "b", 2 }, { "c", 2 } }, {} };
        fixture.document.edit(experiment, QStringLiteral("mesh"));
        ShardingLabView view(&fixture.document, &fixture.selection);
        view.resize(900, 600);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        type(view.forms()->row(ShardingForm::Spec)->edit(), QString::fromUtf8(spec));
        type(view.forms()->shapeRow()->edit(), QString::fromUtf8(shape));
        QVERIFY2(!view.state().isStale(), qPrintable(view.forms()->row(ShardingForm::Spec)->problem()));
        QVERIFY(view.state().result()->layout.shardShape() == Shape(shard.begin(), shard.end()));
        QVERIFY(!view.grab().isNull());
        QVERIFY(!view.results()->canvas()->grid().panels().empty());
        view.results()->pageBar()->setCurrent(ResultPanel::Text);
        QVERIFY(!view.results()->gridText().isEmpty());
        view.results()->pageBar()->setCurrent(ResultPanel::Groups);
        QAbstractItemModelTester tester(
            view.results()->groups(), QAbstractItemModelTester::FailureReportingMode::QtTest);
        QCOMPARE(view.results()->groups()->rowCount(), view.state().result()->layout.distinctShards());
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

    void theDock()
    {
        test::Fixture fixture;
        Appearance appearance(ThemeChoice::Light);
        ShardingLabView view(&fixture.document, &fixture.selection);
        QSignalSpy figures(&view, &ShardingLabView::keyFigureChanged);
        view.resize(900, 600);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        // It begins with something that can be used.
        QVERIFY(!view.state().isStale());
        QCOMPARE(
            view.forms()->row(ShardingForm::Spec)->edit()->text(), QStringLiteral("PartitionSpec('data', 'model')"));
        QCOMPARE(view.keyFigure(), QStringLiteral("[8, 16] → [4, 4]"));

        // One row edited, all others follow; the grid too.
        type(view.forms()->row(ShardingForm::Shardy)->edit(), QStringLiteral("<@mesh, [{}, {\"data\"}]>"));
        QCOMPARE(view.forms()->row(ShardingForm::HloV2)->edit()->text(),
            QStringLiteral("{devices=[1,2,4]<=[8] last_tile_dim_replicate}"));
        QVERIFY(view.results()->canvas()->subject()->layout.shardShape() == Shape({ 8, 8 }));
        QVERIFY(figures.count() > 0);

        // An error stands under its row, in words and with its place; the others keep what they had.
        FormRow* hlo = view.forms()->row(ShardingForm::HloV1);
        type(hlo->edit(), QStringLiteral("{devices=[2,4]<=[8"));
        QVERIFY(!hlo->problem().isEmpty());
        QVERIFY(hlo->edit()->accessibleDescription().contains(QStringLiteral("Column 19")));
        QCOMPARE(view.forms()->row(ShardingForm::Spec)->edit()->text(), QStringLiteral("PartitionSpec(None, 'data')"));
        QVERIFY(view.forms()->row(ShardingForm::Spec)->problem().isEmpty());
        QVERIFY(!view.grab().isNull());
        QTest::keyClicks(hlo->edit(), QStringLiteral("]}"));
        QVERIFY(hlo->problem().isEmpty());
        QCOMPARE(
            view.forms()->row(ShardingForm::Spec)->edit()->text(), QStringLiteral("PartitionSpec('data', 'model')"));
        type(hlo->edit(), QStringLiteral("{dev"));
        QVERIFY(!hlo->problem().isEmpty());
        QTest::keyClick(hlo->edit(), Qt::Key_Escape);
        QVERIFY(hlo->problem().isEmpty());
        QCOMPARE(hlo->edit()->text(), QStringLiteral("{devices=[2,4]0,1,2,3,4,5,6,7}"));

        // A form that cannot say it says why.
        type(
            view.forms()->row(ShardingForm::Shardy)->edit(), QStringLiteral("<@mesh, [{}, {}], unreduced={\"data\"}>"));
        QVERIFY(view.forms()->row(ShardingForm::Spec)->edit()->text().isEmpty());
        QVERIFY(view.forms()->row(ShardingForm::Spec)->edit()->placeholderText().contains(QStringLiteral("sum")));
        view.forms()->row(ShardingForm::HloV2)->copyButton()->click();
        QCOMPARE(QApplication::clipboard()->text(), QString::fromStdString(view.state().text(ShardingForm::HloV2)));

        // A chain is made by buttons, too.
        type(view.forms()->row(ShardingForm::Spec)->edit(), QStringLiteral("P('data', 'model')"));
        view.findChild<QToolButton*>(QStringLiteral("replicate"))->click();
        QLineEdit* chain = view.forms()->row(ShardingForm::PositionalCode)->edit();
        QCOMPARE(chain->text(), QStringLiteral("PositionalSharding(devices).reshape(2, 4).replicate(0)"));
        QCOMPARE(chain->selectedText(), QStringLiteral("0"));
        QTest::keyClicks(chain, QStringLiteral("1"));
        QCOMPARE(view.forms()->row(ShardingForm::Spec)->edit()->text(), QStringLiteral("PartitionSpec('data', None)"));

        // As the current JAX prints it.
        QComboBox* version = view.forms()->versionBox();
        version->setCurrentIndex(1);
        Q_EMIT version->activated(1);
        QCOMPARE(view.forms()->row(ShardingForm::Spec)->edit()->text(), QStringLiteral("P('data', None)"));

        // A tensor of the experiment.
        fixture.selection.setTensor(QStringLiteral("params/layers.0/W1"));
        QVERIFY(view.forms()->fromTensorButton()->isEnabled());
        view.forms()->fromTensorButton()->click();
        QCOMPARE(view.keyFigure(), QStringLiteral("[1024, 1024] → [1024, 256]"));
        QCOMPARE(view.results()->canvas()->subject()->dimensionName(0), QStringLiteral("embed"));

        // With its memory, as JAX prints it.
        Experiment onHost = *fixture.document.experiment();
        onHost.placement.paramsOnDevices = false;
        fixture.document.edit(onHost, QStringLiteral("host"));
        fixture.document.waitForAnalysis();
        view.forms()->fromTensorButton()->click();
        QCOMPARE(view.forms()->memoryBox()->currentText(), QStringLiteral("pinned_host"));
        QVERIFY(view.forms()
                    ->row(ShardingForm::Named)
                    ->edit()
                    ->text()
                    .endsWith(QStringLiteral("memory_kind=pinned_host)")));
        fixture.document.undoStack()->undo();
        fixture.document.waitForAnalysis();
        view.forms()->fromTensorButton()->click();
        QCOMPARE(view.forms()->memoryBox()->currentIndex(), 0);

        // The experiment's mesh changes: the array and its spec stay.
        fixture.document.edit(withAxisSize(*fixture.document.experiment(), 1, 2, true), QStringLiteral("model 2"));
        QCOMPARE(view.keyFigure(), QStringLiteral("[1024, 1024] → [1024, 512]"));
        // While nobody sees the dock nothing is worked out; the mesh of then is there when it is shown again.
        view.hide();
        fixture.document.undoStack()->undo();
        QCOMPARE(view.keyFigure(), QStringLiteral("[1024, 1024] → [1024, 512]"));
        view.show();
        QCOMPARE(view.keyFigure(), QStringLiteral("[1024, 1024] → [1024, 256]"));
    }

    void pagesOfTheResult()
    {
        test::Fixture fixture;
        Appearance appearance(ThemeChoice::Dark);
        ShardingLabView view(&fixture.document, &fixture.selection);
        view.resize(700, 420);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        ResultPanel* results = view.results();
        results->pageBar()->setCurrent(ResultPanel::Text);
        QVERIFY(results->gridText().contains(QStringLiteral("│  CPU 0  │"))
            || results->gridText().contains(QStringLiteral("CPU 7")));
        results->pageBar()->setCurrent(ResultPanel::Groups);
        QCOMPARE(results->groups()->rowCount(), 8);
        QCOMPARE(results->groups()->index(5, ReplicaGroupsModel::Ranges).data().toString(),
            QStringLiteral("dimension 0 4–7, dimension 1 4–7"));
        QCOMPARE(results->groups()->index(5, ReplicaGroupsModel::Devices).data().toString(), QStringLiteral("d5"));
        results->pageBar()->setCurrent(ResultPanel::Compare);
        view.findChild<QToolButton*>(QStringLiteral("takeA"))->click();
        QVERIFY2(results->verdictText().startsWith(QStringLiteral("Equal")), qPrintable(results->verdictText()));
        type(results->otherRow()->edit(), QStringLiteral("P('model', 'data')"));
        QVERIFY2(results->verdictText().startsWith(QStringLiteral("Different: d0 is the first"))
                || results->verdictText().contains(QStringLiteral("d1 is the first")),
            qPrintable(results->verdictText()));
        type(results->otherRow()->edit(), QStringLiteral("P('model'"));
        QVERIFY(!results->otherRow()->problem().isEmpty());
        QVERIFY(!view.grab().isNull());
    }

    void fastAtManyDevices()
    {
        test::Fixture fixture(test::example("rule-lab"));
        Appearance appearance(ThemeChoice::Light);
        ShardingLabView view(&fixture.document, &fixture.selection);
        view.resize(900, 600);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        Experiment experiment = *fixture.document.experiment();
        experiment.mesh.axes = { { "data", 4096 }, { "model", 16 } };
        experiment.mesh.deviceOrder.clear();
        fixture.document.edit(experiment, QStringLiteral("mesh"));
        QCOMPARE(view.state().devices().mesh->deviceCount(), 65536);
        for (int page = 0; page < 4; ++page) {
            view.results()->pageBar()->setCurrent(page);
            QElapsedTimer timer;
            timer.start();
            type(view.forms()->row(ShardingForm::Spec)->edit(), QStringLiteral("P('data', 'model')"));
            view.grab();
            // Eighteen keys, each of which derives and shows everything.
            QVERIFY2(
                timer.elapsed() < 3000, qPrintable(QStringLiteral("page %1: %2 ms").arg(page).arg(timer.elapsed())));
        }
    }
};

REGISTER_TEST(TestShardingLab)
#include "test_sharding_lab.moc"
