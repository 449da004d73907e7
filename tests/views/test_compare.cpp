// SPDX-License-Identifier: GPL-3.0-or-later
// The dock that compares: A stays, B follows; variants and runs beside it, by mouse and by keyboard.
#include <QAbstractItemModelTester>
#include <QFile>
#include <QFileInfo>
#include <QHeaderView>
#include <QLineEdit>
#include <QPushButton>
#include <QTableView>
#include <QTemporaryDir>
#include <QToolButton>
#include <QTreeView>

#include "base/codes.h"
#include "document/run_controller.h"
#include "experiment/edits.h"
#include "experiment_file/experiment_file.h"
#include "panel_fixture.h"
#include "registered_test.h"
#include "views/compare_view/compare_model.h"
#include "views/compare_view/compare_view.h"
#include "views/compare_view/mesh_scatter.h"
#include "views/compare_view/meshes_pane.h"
#include "views/compare_view/pin_choices.h"
#include "views/compare_view/runs_pane.h"
#include "views/compare_view/variants_pane.h"
#include "views/panel/panel.h"
#include "views/widgets/segmented_bar.h"
#include "words/words.h"

using namespace shardscope;
using namespace Qt::StringLiterals;

namespace {

Experiment smallMlp()
{
    Experiment experiment = test::example("flax-mlp-logical");
    auto& settings = std::get<MlpModel>(experiment.model).settings;
    settings.layers = 2;
    settings.embed = 32;
    settings.hidden = 64;
    return experiment;
}

struct Compared {
    test::Fixture fixture;
    RunController controller{ &fixture.document };
    CompareView view{ &fixture.document, &fixture.selection, &controller };

    explicit Compared(Experiment experiment = test::example("flax-mlp-logical"))
        : fixture(std::move(experiment))
    {
        view.resize(1000, 700);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
    }
    void setData(std::int64_t size)
    {
        Document& document = fixture.document;
        QVERIFY(document.edit(withAxisSize(*document.experiment(), 0, size, true), u"data"_s));
        document.waitForAnalysis();
    }
    /// "name | A | B | B − A" of every row, sections first.
    [[nodiscard]] QStringList dump() const
    {
        QStringList lines;
        const QAbstractItemModel& model = *view.model();
        for (int section = 0; section < model.rowCount(); ++section) {
            const QModelIndex parent = model.index(section, 0);
            lines << parent.data().toString();
            for (int row = 0; row < model.rowCount(parent); ++row) {
                QStringList cells;
                for (int column = 0; column < CompareModel::Bar; ++column)
                    cells << model.index(row, column, parent).data().toString();
                lines << u"  "_s + cells.join(u" | "_s);
            }
        }
        return lines;
    }
    [[nodiscard]] QStringList variantNames() const
    {
        QStringList names;
        for (const Variant& variant : fixture.document.experiment()->variants)
            names << QString::fromStdString(variant.name);
        return names;
    }
};

} // namespace

class TestCompare : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { QLocale::setDefault(QLocale(QLocale::English)); }
    void init() { test::failOnWarnings(); }

    void barsLieOnOneScale()
    {
        const QRect cell(100, 0, 88, 22); // 80 within its margins: 40 to each side
        QCOMPARE(DifferenceBar::make(cell, 0).zero, 144);
        QVERIFY(DifferenceBar::make(cell, 0).bar.isEmpty());
        QCOMPARE(DifferenceBar::make(cell, 0.5).bar, QRect(144, 4, 20, 14));
        QCOMPARE(DifferenceBar::make(cell, -0.5).bar, QRect(124, 4, 20, 14));
        QCOMPARE(DifferenceBar::make(cell, 1e-6).bar.width(), 2);
    }

    void scaleHoldsWhileSomethingIsDragged()
    {
        BarScale scale;
        scale.update(32, false);
        QCOMPARE(scale.share(16), 0.5);
        scale.update(16, true);
        QCOMPARE(scale.share(16), 0.5);
        scale.update(64, true); // does not fit any more
        QCOMPARE(scale.share(-16), -0.25);
        scale.update(16, false);
        QCOMPARE(scale.share(16), 1.0);
        scale.update(0, false);
        QCOMPARE(scale.share(16), 0.0);
    }

    void nothingPinned()
    {
        Compared compared;
        QVERIFY(!compared.view.comparison());
        QVERIFY(compared.view.keyFigure().isEmpty());
        // What B holds and sends stands under what can be A, and follows B.
        QTreeView* tree = compared.view.tree();
        QVERIFY(tree->isVisible());
        QVERIFY(tree->isColumnHidden(CompareModel::Before) && tree->isColumnHidden(CompareModel::Bar));
        QVERIFY(!tree->isColumnHidden(CompareModel::After));
        QVERIFY(compared.view.choices()->geometry().bottom() < tree->geometry().top());
        // A name may be shortened; the tip has all of it.
        for (int section = 0; section < compared.view.model()->rowCount(); ++section) {
            const QModelIndex name = compared.view.model()->index(section, CompareModel::Name);
            QVERIFY(name.data(Qt::ToolTipRole).toString().startsWith(name.data().toString()));
        }
        QVERIFY2(compared.dump().contains(u"  parameters |  | 8 MiB | "_s), qPrintable(compared.dump().join(u"\n"_s)));
        compared.setData(4);
        QVERIFY2(compared.dump().contains(u"  parameters |  | 16 MiB | "_s), qPrintable(compared.dump().join(u"\n"_s)));
        // The focus stays there while B changes.
        tree->setFocus();
        QTRY_VERIFY(tree->hasFocus());
        compared.setData(2);
        QVERIFY(tree->hasFocus());
        compared.view.pin();
        QVERIFY(!tree->isColumnHidden(CompareModel::Before) && !compared.view.choices()->isVisible());
        // What A is called is read in a small window, too. There one side has all of the width.
        compared.view.unpin();
        const auto* sides = test::named<SegmentedBar>(&compared.view, u"What is shown"_s);
        compared.view.resize(900, 500);
        QTRY_VERIFY(!sides->isVisible());
        compared.view.resize(700, 500);
        QTRY_VERIFY(sides->isVisible());
        compared.view.resize(560, 500);
        QTest::qWait(0);
        for (const RoleLabel* label : compared.view.findChildren<RoleLabel*>())
            if (label->text() == u"nothing pinned"_s)
                QVERIFY(label->width() >= label->fontMetrics().horizontalAdvance(label->text()));
    }

    /// Without A the view says what can be A, and what other meshes there are.
    void whatCanBeCompared()
    {
        QTemporaryDir folder;
        const QString path = folder.filePath(u"before.json"_s);
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(QByteArray::fromStdString(writeExperiment(smallMlp())));
        file.close();
        Experiment experiment = smallMlp();
        experiment.variants = { { "4x2", R"({ "mesh": { "axes": [["data", 4], ["model", 2]] } })" } };
        Compared compared(std::move(experiment));
        compared.view.setRecentFiles([path] { return QStringList{ path }; });
        compared.view.hide();
        compared.view.show();
        PinChoices& choices = *compared.view.choices();
        QAbstractItemModelTester tester(choices.model(), QAbstractItemModelTester::FailureReportingMode::QtTest);
        const auto names = [&choices] {
            QStringList texts;
            for (int row = 0; row < choices.model()->rowCount(); ++row)
                texts << choices.model()->index(row, PinChoicesModel::Name).data().toString() + u" | "_s
                        + choices.model()->index(row, PinChoicesModel::About).data().toString();
            return texts;
        };
        QVERIFY(choices.isVisible());
        QCOMPARE(
            names().mid(1), (QStringList{ u"4x2 | variant"_s, u"before.json | last file"_s, u"Another file… | "_s }));
        QVERIFY(names().front().endsWith(u" | open now"_s));
        QCOMPARE(compared.view.usualControl(), static_cast<QWidget*>(&choices));
        const QString tip = choices.model()->index(2, 0).data(Qt::ToolTipRole).toString(); // which of that name
        QVERIFY2(tip.contains(QFileInfo(path).path()), qPrintable(tip));
        compared.controller.runStep();
        QTRY_COMPARE_WITH_TIMEOUT(compared.controller.stepsDone(), 1, 60'000);
        QTRY_VERIFY(names().value(2).endsWith(u", 2 × 4 | run 1"_s));

        // Return pins: a file, and once nothing is pinned again, what is open.
        choices.table()->setCurrentIndex(choices.model()->index(3, 0));
        QTest::keyClick(choices.table(), Qt::Key_Return);
        QTRY_VERIFY_WITH_TIMEOUT(compared.view.pinned(), 60'000);
        QVERIFY(compared.view.comparison() && compared.view.comparison()->nothing());
        QVERIFY(!choices.isVisible());
        QCOMPARE(compared.view.usualControl(), static_cast<QWidget*>(compared.view.tree()));
        compared.view.unpin();
        QVERIFY(choices.isVisible());
        QCOMPARE(compared.view.usualControl(), static_cast<QWidget*>(&choices));
        choices.table()->setCurrentIndex(choices.model()->index(0, 0));
        QTest::keyClick(choices.table(), Qt::Key_Return);
        QCOMPARE(compared.view.pinned(), compared.fixture.document.snapshot());
    }

    /// A reason that holds for several batches is said once, over the table; each row has it as its tip.
    void batchesWithoutAMesh()
    {
        FoundMeshes found;
        found.compared.emplace_back().axes = { { "data", 2 }, { "model", 4 } };
        for (const std::int64_t batch : { 8, 32, 128 }) {
            BatchFigures& each = found.batches.emplace_back();
            each.batch = batch;
            each.closest = 0;
            each.problem = Diagnostic{ Code::OverMemoryLimit, { { "bytes", 3 << 20 }, { "limit", 2 << 20 } }, {} };
        }
        BatchesModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setFound(found);
        for (int row = 0; row < 3; ++row) {
            const QModelIndex least = model.index(row, BatchesModel::Least);
            QCOMPARE(least.data().toString(), u"none"_s);
            QVERIFY(least.data(Qt::ToolTipRole).toString().contains(u"does not fit: 3 MiB of 2 MiB"_s));
            QVERIFY(least.data(Qt::AccessibleDescriptionRole).toString().contains(u"does not fit"_s));
        }
        QCOMPARE(model.sentence().count(u"does not fit"_s), 1);
        QVERIFY2(model.sentence().startsWith(u"With a batch of 8 to 128 none of the meshes can be used."_s),
            qPrintable(model.sentence()));
    }

    /// Other meshes of as many devices are found by themselves, opened and pinned.
    void otherMeshes()
    {
        Experiment experiment = test::example("flax-mlp-logical");
        std::get<MlpModel>(experiment.model).settings.batch = 512;
        Compared compared(std::move(experiment));
        Document& document = compared.fixture.document;
        MeshesPane& pane = *compared.view.meshes();
        QAbstractItemModelTester tester(pane.model(), QAbstractItemModelTester::FailureReportingMode::QtTest);
        QAbstractItemModelTester batches(pane.batches(), QAbstractItemModelTester::FailureReportingMode::QtTest);
        QVERIFY(pane.isVisible()); // nothing is pinned, and there is no variant
        QTRY_COMPARE_WITH_TIMEOUT(pane.model()->rowCount(), 4, 60'000);
        const auto row = [&pane](int of) {
            QStringList cells;
            for (int column = 0; column < MeshesModel::ColumnCount; ++column)
                cells << pane.model()->index(of, column).data().toString();
            return cells.join(u" | "_s);
        };
        const auto planned = [&document] { return document.snapshot()->plan->memory.peakBytes; };
        const auto peak = [&pane](int of) {
            return words::bytes(static_cast<double>(pane.model()->mesh(of).peakBytes.value_or(0)));
        };
        QCOMPARE(pane.model()->mesh(0).peakBytes.value_or(0), planned()); // that of 2 x 4, which is open
        // The front first, and of it what sends least.
        QCOMPARE(row(0), u"data 2 × model 4 | 32 MiB | "_s + peak(0) + u" | 18.5 MiB | front"_s);
        QCOMPARE(row(1), u"data 1 × model 8 | 16 MiB | "_s + peak(1) + u" | 24.5 MiB | front"_s);
        QCOMPARE(row(2), u"data 4 × model 2 | 64 MiB | "_s + peak(2) + u" | 27.5 MiB | beaten by data 2 × model 4"_s);
        QVERIFY(pane.model()->isOpen(0) && !pane.model()->isOpen(1));
        QCOMPARE(pane.batches()->sentence(),
            u"data 1 × model 8 sends least with a batch of 128; from a batch of 293 on it is data 2 × model 4, from "
            "1,171 on data 4 × model 2, from 4,682 on data 8 × model 1."_s);
        QVERIFY(test::named<QTableView>(&pane, u"Sensitivity to batch"_s)->isVisible());
        // The same as points; a click on one makes its row the current one.
        QTRY_VERIFY(pane.scatter()->isVisible());
        QCOMPARE(pane.scatter()->tableRowCount(), 4);
        QTest::mouseClick(pane.scatter(), Qt::LeftButton, {}, pane.scatter()->tableRect(3).center());
        QCOMPARE(pane.current(), 3);
        QCOMPARE(pane.scatter()->tableCurrentRow(), 3);
        QTest::keyClick(pane.scatter(), Qt::Key_Left);
        QCOMPARE(pane.current(), 2);
        // No name lies on the figures below the lowest point.
        double lowest = 0;
        for (const ScatterLayout::Dot& dot : pane.scatter()->layoutOfDots().dots)
            lowest = std::max(lowest, dot.at.y());
        for (const MeshScatter::Label& label : pane.scatter()->labels())
            QVERIFY(label.place.bottom() <= lowest + 6);
        // With another batch the meshes stand in another order, and the same one is current.
        Experiment larger = *document.experiment();
        std::get<MlpModel>(larger.model).settings.batch = 2048;
        QVERIFY(document.edit(std::move(larger), u"batch"_s));
        QTRY_VERIFY_WITH_TIMEOUT(row(0).startsWith(u"data 4 × model 2 | "_s), 60'000);
        QCOMPARE(pane.current(), 0);
        QCOMPARE(pane.scatter()->tableCurrentRow(), 0);
        document.undoStack()->undo();
        QTRY_VERIFY_WITH_TIMEOUT(row(0).startsWith(u"data 2 × model 4 | "_s), 60'000);
        QCOMPARE(pane.current(), 2);

        // Return opens one, in one step of undo; the rows stay, and the open one is another.
        pane.table()->setCurrentIndex(pane.model()->index(2, 0));
        QTest::keyClick(pane.table(), Qt::Key_Return);
        QCOMPARE(document.experiment()->mesh.axes[0].size, std::int64_t{ 4 });
        QCOMPARE(document.undoStack()->count(), 1);
        document.waitForAnalysis();
        QCOMPARE(pane.model()->rowCount(), 4);
        QVERIFY(pane.model()->isOpen(2));
        QCOMPARE(pane.model()->mesh(2).peakBytes.value_or(0), planned());
        QTRY_VERIFY_WITH_TIMEOUT(!compared.view.isWorking(), 60'000);

        // What was found can still be pinned where another search was given up.
        pane.search();
        QVERIFY(pane.isWorking());
        pane.cancel();
        QVERIFY(!pane.isWorking());
        QCOMPARE(pane.model()->rowCount(), 4);
        pane.table()->setCurrentIndex(pane.model()->index(1, 0));
        pane.pin();
        QTRY_VERIFY_WITH_TIMEOUT(compared.view.pinned(), 60'000);
        QCOMPARE(compared.view.pinned()->mesh->size(1), std::int64_t{ 8 });
        QVERIFY(compared.view.variants()->isVisible());
        QVERIFY(!pane.isVisible());

        // The meshes of one experiment are not those of another one.
        document.setExperiment(test::example("jax-layer"), {});
        QCOMPARE(pane.model()->rowCount(), 0);
        QCOMPARE(pane.batches()->rowCount(), 0);
        document.waitForAnalysis();
    }

    /// In a low pane the table, the points and the batches are shown one at a time, each with a height of its own, and
    /// the open mesh is among the rows that are seen.
    void otherMeshesInALowPane()
    {
        Experiment experiment = test::example("flax-mlp-logical");
        experiment.mesh = { { { "data", 2 }, { "model", 2 }, { "a", 2 }, { "b", 1 } }, {} };
        Compared compared(std::move(experiment));
        MeshesPane& pane = *compared.view.meshes();
        compared.view.resize(1000, 230);
        QTRY_VERIFY_WITH_TIMEOUT(pane.model()->rowCount() >= 10, 60'000);
        QTRY_VERIFY(!pane.isWorking());
        QTRY_VERIFY(pane.parts()->isVisible());
        QVERIFY(pane.table()->isVisible() && !pane.scatter()->isVisible());
        int open = 0;
        while (!pane.model()->isOpen(open))
            ++open;
        QVERIFY2(open > 5, qPrintable(QString::number(open)));
        QTRY_VERIFY(pane.table()->viewport()->rect().contains(
            pane.table()->visualRect(pane.model()->index(open, MeshesModel::Mesh)).center()));
        compared.view.resize(1000, 360);
        pane.parts()->setCurrent(1);
        QTRY_VERIFY(pane.scatter()->isVisible() && !pane.table()->isVisible());
        QTRY_VERIFY2(pane.scatter()->height() >= 160, qPrintable(QString::number(pane.scatter()->height())));
        // The open one has its name first.
        const auto& dots = pane.scatter()->layoutOfDots().dots;
        const std::vector<MeshScatter::Label> labels = pane.scatter()->labels();
        for (std::size_t i = 0; i < dots.size(); ++i)
            if (static_cast<int>(dots[i].mesh) == open)
                QVERIFY(!labels[i].place.isNull());
        compared.view.resize(1000, 800);
        QTRY_VERIFY(!pane.parts()->isVisible());
        QVERIFY(pane.scatter()->isVisible() && pane.table()->isVisible());
    }

    void aStaysAndBFollows()
    {
        Compared compared;
        QAbstractItemModelTester tester(compared.view.model(), QAbstractItemModelTester::FailureReportingMode::QtTest);
        test::named<QPushButton>(&compared.view, u"Pin A"_s)->click();
        QVERIFY(compared.view.comparison() && compared.view.comparison()->nothing());
        QVERIFY(compared.view.tree()->isVisible());
        const SnapshotPtr pinned = compared.view.pinned();
        compared.setData(4);
        QCOMPARE(compared.view.pinned(), pinned);
        QCOMPARE(compared.view.comparison()->after, compared.fixture.document.snapshot());
        const QStringList rows = compared.dump();
        // What differs in the inputs stands first.
        QCOMPARE(rows.value(0), u"Inputs"_s);
        QCOMPARE(rows.value(1), u"  mesh axis data | 2 | 4 | "_s);
        QCOMPARE(rows.value(2), u"  mesh axis model | 4 | 2 | "_s);
        QVERIFY2(rows.contains(u"  parameters | 8 MiB | 16 MiB | +8 MiB"_s), qPrintable(rows.join(u"\n"_s)));
        QVERIFY(rows.contains(u"  state and gradients | 32 MiB | 64 MiB | +32 MiB"_s));
        QVERIFY(rows.contains(u"  along data | 8 MiB | 24 MiB | +16 MiB"_s));
        QCOMPARE(compared.view.sentence(),
            u"Each device holds twice the parameters, gradients and moments, 64 MiB instead of 32 MiB, since 4 × 2 "
            "shards them 2 ways instead of 4."_s);
        QCOMPARE(compared.view.keyFigure(), u"2 × 4 → 4 × 2"_s);

        // The longest bar is that of the largest difference.
        const QModelIndex memory = compared.view.model()->index(1, 0);
        double largest = 0;
        for (int row = 0; row < compared.view.model()->rowCount(memory); ++row)
            largest = std::max(largest,
                compared.view.model()->index(row, CompareModel::Bar, memory).data(CompareModel::ShareRole).toDouble());
        QCOMPARE(largest, 1.0);

        compared.setData(2); // A and B are the same again
        QVERIFY(compared.view.comparison()->nothing());
        QCOMPARE(compared.view.sentence(), u"A and B are the same."_s);
        compared.view.unpin();
        QVERIFY(!compared.view.comparison());
    }

    /// What was folded stays so while B changes, and what is chosen in the tree is shown elsewhere.
    void theTree()
    {
        Compared compared;
        compared.view.pin();
        compared.setData(4);
        QTreeView* tree = compared.view.tree();
        const auto section = [&](const QString& name) {
            for (int row = 0; row < tree->model()->rowCount(); ++row)
                if (tree->model()->index(row, 0).data().toString() == name)
                    return tree->model()->index(row, 0);
            return QModelIndex();
        };
        QVERIFY(tree->isExpanded(section(u"Arrays"_s)));
        tree->collapse(section(u"Arrays"_s));
        compared.setData(8);
        QVERIFY(!tree->isExpanded(section(u"Arrays"_s)));
        QVERIFY(tree->isExpanded(section(u"Inputs"_s)));
        const QModelIndex array = tree->model()->index(0, 0, section(u"Arrays"_s));
        tree->expand(section(u"Arrays"_s));
        tree->setCurrentIndex(array);
        QTest::keyClick(tree, Qt::Key_Return);
        QVERIFY(!compared.fixture.selection.tensor().isEmpty());
        QCOMPARE(compared.fixture.selection.tensor(), array.data(CompareModel::PathRole).toString());
    }

    /// Nothing is compared while nobody sees it.
    void hidden()
    {
        Compared compared;
        compared.view.pin();
        compared.view.hide();
        const SnapshotPtr seen = compared.view.comparison()->after;
        compared.setData(4);
        QCOMPARE(compared.view.comparison()->after, seen);
        compared.view.show();
        QCOMPARE(compared.view.comparison()->after, compared.fixture.document.snapshot());
    }

    void pinnedWhileStale()
    {
        Compared compared;
        Document& document = compared.fixture.document;
        QVERIFY(document.edit(withAxisSize(*document.experiment(), 0, 4, true), u"data"_s));
        compared.view.pin();
        QVERIFY(compared.view.isWorking());
        const auto names = [&compared] {
            QStringList texts;
            for (const RoleLabel* label : compared.view.findChildren<RoleLabel*>())
                texts << label->text();
            return texts.join(QLatin1Char('\n'));
        };
        QVERIFY2(names().contains(u", once it is analysed"_s), qPrintable(names()));
        document.waitForAnalysis();
        QCOMPARE(compared.view.pinned(), document.snapshot());
        QTRY_VERIFY_WITH_TIMEOUT(!compared.view.isWorking(), 60'000);
        QVERIFY(!names().contains(u", once it is analysed"_s));
    }

    /// What is edited after pinning is B, also where the analysis of A had not arrived by then.
    void editedBeforeThePinnedOneArrived()
    {
        Compared compared;
        Document& document = compared.fixture.document;
        QVERIFY(document.edit(withAxisSize(*document.experiment(), 0, 4, true), u"data"_s));
        compared.view.pin();
        QVERIFY(document.edit(withAxisSize(*document.experiment(), 0, 8, true), u"data"_s));
        document.waitForAnalysis();
        QTRY_VERIFY_WITH_TIMEOUT(compared.view.pinned(), 60'000);
        QCOMPARE(compared.view.pinned()->mesh->size(0), std::int64_t{ 4 });
        QCOMPARE(document.snapshot()->mesh->size(0), std::int64_t{ 8 });
        QTRY_VERIFY_WITH_TIMEOUT(!compared.view.isWorking(), 60'000);
    }

    void anotherFileAsA()
    {
        QTemporaryDir folder;
        const QString path = folder.filePath(u"other.json"_s);
        Experiment other = test::example("flax-mlp-logical");
        other.mesh.axes = { { "data", 8 }, { "model", 1 } };
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(QByteArray::fromStdString(writeExperiment(other)));
        file.close();
        Compared compared;
        compared.view.pinFile(path);
        QTRY_VERIFY_WITH_TIMEOUT(compared.view.comparison().has_value(), 60'000);
        QCOMPARE(compared.view.comparison()->stateBefore, std::int64_t{ 128 } << 20);
        // What cannot be read says why, and A stays.
        compared.view.pinFile(folder.filePath(u"there-is-none.json"_s));
        QTRY_VERIFY_WITH_TIMEOUT(!compared.view.failure().isEmpty(), 60'000);
        QVERIFY(compared.view.failure().contains(u"there-is-none"_s));
        QVERIFY(compared.view.pinned());
    }

    void variantsByButtonsAndKeys()
    {
        Compared compared;
        Document& document = compared.fixture.document;
        VariantsPane& pane = *compared.view.variants();
        QAbstractItemModelTester tester(pane.model(), QAbstractItemModelTester::FailureReportingMode::QtTest);
        QVERIFY(!pane.table()->isVisible());
        compared.view.pin();
        compared.setData(4);
        pane.keepButton()->click();
        QCOMPARE(compared.variantNames(), QStringList{ u"4x2"_s });
        QCOMPARE(document.experiment()->variants.front().patch,
            std::string(R"({ "mesh": { "axes": [["data", 4], ["model", 2]] } })"));
        QVERIFY(pane.table()->isVisible());
        QCOMPARE(pane.current(), 0);

        QTest::keyClick(pane.table(), Qt::Key_D, Qt::ControlModifier);
        QCOMPARE(compared.variantNames(), (QStringList{ u"4x2"_s, u"4x2 (2)"_s }));
        QCOMPARE(pane.current(), 1);
        // The second press of a double click finds the editor open: Qt warns of another one.
        QToolButton* rename = nullptr;
        for (QToolButton* button : pane.findChildren<QToolButton*>())
            if (button->accessibleName() == QStringLiteral("Rename") || button->text() == QStringLiteral("Rename"))
                rename = button;
        QVERIFY(rename);
        QTest::mouseDClick(rename, Qt::LeftButton);
        rename->click();
        QTest::keyClick(pane.table()->viewport()->findChild<QLineEdit*>(), Qt::Key_Escape);
        QTRY_VERIFY(!pane.table()->findChild<QLineEdit*>());
        QTest::keyClick(pane.table(), Qt::Key_F2);
        auto* editor = pane.table()->findChild<QLineEdit*>();
        QVERIFY(editor);
        editor->setText(u"copy"_s);
        QTest::keyClick(editor, Qt::Key_Return);
        QTRY_COMPARE(compared.variantNames(), (QStringList{ u"4x2"_s, u"copy"_s }));
        QTest::keyClick(pane.table(), Qt::Key_Up, Qt::AltModifier);
        QCOMPARE(compared.variantNames(), (QStringList{ u"copy"_s, u"4x2"_s }));
        QCOMPARE(pane.current(), 0);
        QTest::keyClick(pane.table(), Qt::Key_Delete);
        QCOMPARE(compared.variantNames(), QStringList{ u"4x2"_s });

        // Opened in place of the experiment, which undo takes back.
        compared.setData(2);
        pane.table()->setCurrentIndex(pane.model()->index(0, 0));
        QTest::keyClick(pane.table(), Qt::Key_Return);
        QCOMPARE(document.experiment()->mesh.axes.front().size, std::int64_t{ 4 });
        QCOMPARE(compared.variantNames(), QStringList{ u"4x2"_s });
        document.undoStack()->undo();
        QCOMPARE(document.experiment()->mesh.axes.front().size, std::int64_t{ 2 });
        document.waitForAnalysis();

        // Pinned as A.
        Q_EMIT pane.pinRequested(0);
        QTRY_VERIFY_WITH_TIMEOUT(compared.view.pinned()->mesh->size(0) == 4, 60'000);
        while (document.undoStack()->canUndo())
            document.undoStack()->undo();
        QVERIFY(compared.variantNames().isEmpty());
        document.waitForAnalysis();
    }

    /// Of many axes those of size 1 are not in the name.
    void nameOfALongMesh()
    {
        Experiment experiment = smallMlp();
        experiment.mesh.axes = { { "pod", 1 }, { "data", 2 }, { "stage", 1 }, { "model", 4 } };
        Compared compared(std::move(experiment));
        compared.view.variants()->keep();
        QCOMPARE(compared.variantNames(), QStringList{ u"2x4"_s });
    }

    void variantsSayWhatTheyComeTo()
    {
        Experiment experiment = test::example("flax-mlp-logical");
        experiment.variants = { { "4x2", R"({ "mesh": { "axes": [["data", 4], ["model", 2]] } })" },
            { "broken", R"({ "mesh": 3 })" } };
        Compared compared(std::move(experiment));
        VariantsPane& pane = *compared.view.variants();
        const auto text = [&pane](int row, int column) { return pane.model()->index(row, column).data().toString(); };
        QTRY_COMPARE_WITH_TIMEOUT(text(0, VariantsModel::State), u"64 MiB"_s, 60'000);
        QCOMPARE(text(0, VariantsModel::Mesh), u"4 × 2"_s);
        const QHeaderView& head = *pane.table()->horizontalHeader(); // no column is narrower than its head
        for (int column = 0; column < VariantsModel::Changes; ++column)
            QVERIFY2(head.sectionSize(column) >= head.sectionSizeHint(column), qPrintable(QString::number(column)));
        QVERIFY(text(0, VariantsModel::Changes).startsWith(u"mesh/axes "_s));
        QVERIFY(pane.model()->problem(0).isEmpty());
        QVERIFY(pane.model()->problem(1).contains(u"mesh"_s));
        // It cannot be opened, and says so; nothing is lost.
        pane.table()->setCurrentIndex(pane.model()->index(1, 0));
        pane.open();
        QVERIFY(!pane.message().isEmpty());
        QCOMPARE(compared.variantNames(), (QStringList{ u"4x2"_s, u"broken"_s }));
    }

    void runsStay()
    {
        Compared compared(smallMlp());
        RunsPane& pane = *compared.view.runs();
        QAbstractItemModelTester tester(pane.model(), QAbstractItemModelTester::FailureReportingMode::QtTest);
        test::named<SegmentedBar>(&compared.view, u"What is kept"_s)->setCurrent(1);
        QVERIFY(pane.isVisible() && !compared.view.variants()->isVisible());
        const auto step = [&] {
            compared.controller.runStep();
            QTRY_COMPARE_WITH_TIMEOUT(compared.controller.stepsDone(), 1, 60'000);
        };
        step();
        compared.view.pin();
        compared.setData(4);
        step();
        QCOMPARE(pane.model()->rowCount(), 2);
        QCOMPARE(pane.model()->index(0, RunsModel::Mesh).data().toString(), u"4 × 2"_s); // newest first
        QCOMPARE(pane.model()->index(1, RunsModel::Mesh).data().toString(), u"2 × 4"_s);
        QCOMPARE(pane.model()->index(0, RunsModel::Inputs).data().toString(), u"2"_s);
        QCOMPARE(pane.model()->index(1, RunsModel::Inputs).data().toString(), u"1"_s);
        // Both sides have run: their times are compared.
        QTRY_VERIFY(compared.view.comparison()->timeBefore && compared.view.comparison()->timeAfter);
        QVERIFY(compared.dump().contains(u"Measured"_s));

        pane.table()->setCurrentIndex(pane.model()->index(1, 0));
        pane.checkAgreement();
        QTRY_COMPARE_WITH_TIMEOUT(pane.model()->index(1, RunsModel::Agreement).data().toString(), u"agrees"_s, 60'000);
        QVERIFY(pane.current() && pane.current()->number == 1);
        QTest::keyClick(pane.table(), Qt::Key_Delete);
        QCOMPARE(pane.model()->rowCount(), 1);
        QTRY_VERIFY(!compared.view.comparison()->timeBefore);
    }

    void everythingHasAName()
    {
        Compared compared;
        compared.view.pin();
        for (const QAbstractButton* button : compared.view.findChildren<QAbstractButton*>())
            if (button->isVisible() && !qobject_cast<const QAbstractItemView*>(button->parent()))
                QVERIFY2(
                    !button->accessibleName().isEmpty() || !button->text().isEmpty(), qPrintable(button->objectName()));
        for (const QAbstractItemView* table : compared.view.findChildren<QAbstractItemView*>())
            if (!qobject_cast<const QHeaderView*>(table))
                QVERIFY(!table->accessibleName().isEmpty());
    }
};

REGISTER_TEST(TestCompare)
#include "test_compare.moc"
