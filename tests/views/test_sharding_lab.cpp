// SPDX-License-Identifier: GPL-3.0-or-later
// The dock of the sharding laboratory, with everything that can be edited in it.
#include <QAbstractItemModelTester>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QElapsedTimer>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
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
#include "views/shard_grid_view/grid_tray.h"
#include "views/sharding_lab/form_row.h"
#include "views/sharding_lab/forms_panel.h"
#include "views/sharding_lab/result_panel.h"
#include "views/sharding_lab/sharding_lab_view.h"
#include "views/theme/appearance.h"
#include "views/widgets/segmented_bar.h"
#include "words/lab_words.h"

using namespace shardscope;
using namespace Qt::StringLiterals;

namespace {

void type(QLineEdit* edit, const QString& text)
{
    edit->setFocus();
    edit->selectAll();
    QTest::keyClicks(edit, text);
}

SegmentedBar* pageBar(const ResultPanel* results)
{
    return test::named<SegmentedBar>(results, u"What is shown of the sharding"_s);
}

QString gridText(const ResultPanel* results)
{
    return test::named<QPlainTextEdit>(results, u"Grid as visualize_array_sharding prints it"_s)->toPlainText();
}

} // namespace

class TestShardingLab : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { test::failOnWarnings(); }

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
        type(test::named<QLineEdit>(view.forms(), u"Shape"_s), QString::fromUtf8(shape));
        QVERIFY2(!view.state().isStale(), qPrintable(view.forms()->row(ShardingForm::Spec)->problem()));
        QVERIFY(view.state().result()->layout.shardShape() == Shape(shard.begin(), shard.end()));
        QVERIFY(!view.grab().isNull());
        QVERIFY(!view.results()->canvas()->grid().panels().empty());
        pageBar(view.results())->setCurrent(ResultPanel::Text);
        QVERIFY(!gridText(view.results()).isEmpty());
        pageBar(view.results())->setCurrent(ResultPanel::Groups);
        QAbstractItemModelTester tester(
            view.results()->groups(), QAbstractItemModelTester::FailureReportingMode::QtTest);
        QCOMPARE(view.results()->groups()->rowCount(), view.state().result()->layout.distinctShards());
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
        QComboBox* version = test::named<QComboBox>(view.forms(), u"How JAX prints specs and meshes"_s);
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
        QCOMPARE(test::named<QComboBox>(view.forms(), u"Memory kind"_s)->currentText(), QStringLiteral("pinned_host"));
        QVERIFY(view.forms()
                    ->row(ShardingForm::Named)
                    ->edit()
                    ->text()
                    .endsWith(QStringLiteral("memory_kind=pinned_host)")));
        fixture.document.undoStack()->undo();
        fixture.document.waitForAnalysis();
        view.forms()->fromTensorButton()->click();
        QCOMPARE(test::named<QComboBox>(view.forms(), u"Memory kind"_s)->currentIndex(), 0);

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
        pageBar(results)->setCurrent(ResultPanel::Text);
        QVERIFY(gridText(results).contains(QStringLiteral("│  CPU 0  │"))
            || gridText(results).contains(QStringLiteral("CPU 7")));
        pageBar(results)->setCurrent(ResultPanel::Groups);
        QCOMPARE(results->groups()->rowCount(), 8);
        QCOMPARE(results->groups()->index(5, ReplicaGroupsModel::Ranges).data().toString(),
            QStringLiteral("dimension 0 4–7, dimension 1 4–7"));
        QCOMPARE(results->groups()->index(5, ReplicaGroupsModel::Devices).data().toString(), QStringLiteral("d5"));
        pageBar(results)->setCurrent(ResultPanel::Compare);
        view.findChild<QToolButton*>(QStringLiteral("takeA"))->click();
        auto* other = test::named<QLineEdit>(results, u"B"_s);
        QVERIFY2(results->verdictText().startsWith(QStringLiteral("Equal")), qPrintable(results->verdictText()));
        type(other, QStringLiteral("P('model', 'data')"));
        QVERIFY2(results->verdictText().startsWith(QStringLiteral("Different: d0 is the first"))
                || results->verdictText().contains(QStringLiteral("d1 is the first")),
            qPrintable(results->verdictText()));
        type(other, QStringLiteral("P('model'"));
        QVERIFY(!qobject_cast<FormRow*>(other->parentWidget())->problem().isEmpty());
        QVERIFY(!view.grab().isNull());
    }

    /// In a low pane one of the two sides is shown; nothing lies on anything else, and the grid has a height.
    void inALowPane()
    {
        test::Fixture fixture;
        Appearance appearance(ThemeChoice::Light);
        ShardingLabView view(&fixture.document, &fixture.selection);
        view.resize(920, 230);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        auto* side = test::named<SegmentedBar>(&view, u"What is shown"_s);
        QTRY_VERIFY(side->isVisible());
        QVERIFY(view.forms()->isVisible() && !view.results()->isVisible());
        side->setCurrent(1);
        for (const QSize size : { QSize(920, 230), QSize(400, 230), QSize(920, 330) }) {
            view.resize(size);
            QTRY_VERIFY(view.results()->isVisible() && !view.forms()->isVisible());
            QTRY_VERIFY(view.results()->canvas()->height() >= Metrics::scaled(120));
            QList<const QWidget*> parts{ pageBar(view.results()), view.results()->canvas(), view.results()->tray() };
            for (const QLabel* label : view.results()->findChildren<QLabel*>(QString(), Qt::FindDirectChildrenOnly))
                if (label->isVisible())
                    parts << label;
            const auto place = [&view](const QWidget* part) {
                return QRect(part->mapTo(view.results(), QPoint()), part->size());
            };
            for (const QWidget* part : parts)
                for (const QWidget* other : parts)
                    QTRY_VERIFY2(
                        part == other || !place(part).intersects(place(other)), qPrintable(part->accessibleName()));
        }
        // In a pane of that width the figures stand beside the grid, which can be seen without scrolling.
        view.resize(920, 230);
        QTRY_VERIFY(view.results()->height() <= 230);
        view.resize(1000, 600);
        QTRY_VERIFY(view.forms()->isVisible() && view.results()->isVisible() && !side->isVisible());
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
            pageBar(view.results())->setCurrent(page);
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
