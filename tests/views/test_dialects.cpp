// SPDX-License-Identifier: GPL-3.0-or-later
// The comparison of two dialects: the model under Qt's tester, what differs and where, and the dock around it.
#include <QAbstractItemModelTester>
#include <QCheckBox>
#include <QComboBox>
#include <QTableView>

#include "experiment/edits.h"
#include "experiment_file/gallery.h"
#include "panel_fixture.h"
#include "registered_test.h"
#include "views/dialects_view/dialects_view.h"
#include "views/rules_view/rule_trace_view.h"
#include "views/rules_view/trace_matrix.h"
#include "views/theme/appearance.h"

using namespace shardscope;

namespace {

QStringList rowsOf(const QAbstractItemModel& model)
{
    QStringList lines;
    for (int row = 0; row < model.rowCount(); ++row) {
        QStringList cells;
        for (int column = 0; column < model.columnCount(); ++column)
            cells << model.index(row, column).data().toString();
        lines << cells.join(QStringLiteral(" | "));
    }
    return lines;
}

} // namespace

class TestDialects : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { test::failOnWarnings(); }

    void onlyWhatDiffers()
    {
        Appearance appearance(ThemeChoice::Light);
        test::Fixture fixture(findExample("trap-indivisible")->experiment);
        DialectsView view(&fixture.document, &fixture.selection);
        view.resize(900, 300);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        QAbstractItemModelTester tester(view.model(), QAbstractItemModelTester::FailureReportingMode::QtTest);
        // The experiment has MaxText's dialect: Flax, which refuses what does not divide, stands against it.
        QCOMPARE(view.model()->headerData(1, Qt::Horizontal).toString(), QStringLiteral("MaxText current"));
        QCOMPARE(view.model()->headerData(2, Qt::Horizontal).toString(), QStringLiteral("Flax current"));
        QCOMPARE(view.keyFigure(), QStringLiteral("2 of 3 arrays differ"));
        QCOMPARE(rowsOf(*view.model()),
            (QStringList{ QStringLiteral("embedding | P(-, data) | P(model, data) | MaxText current drops model "
                                         "from vocab: 50,257 does not divide by 4, so the dimension stays replicated."),
                QStringLiteral(
                    "attention / key / kernel | P(data, -, -) | P(data, model, -) | MaxText current "
                    "drops model from kv_heads: 2 does not divide by 4, so the dimension stays replicated.") }));
        view.findChild<QCheckBox*>()->setChecked(true);
        QCOMPARE(view.model()->rowCount(), 3);
        QVERIFY(rowsOf(*view.model())[1].endsWith(QStringLiteral("| the same")));
        // A row is a tensor to look at.
        view.table()->setCurrentIndex(view.model()->index(2, 0));
        QCOMPARE(fixture.selection.tensor(), QStringLiteral("attention/key/kernel"));
        fixture.selection.setTensor(QStringLiteral("embedding"));
        QCOMPARE(view.table()->currentIndex().row(), 0);
    }

    void followsEditsAndChoices()
    {
        Appearance appearance(ThemeChoice::Light);
        test::Fixture fixture(test::example("rule-lab"));
        DialectsView view(&fixture.document, &fixture.selection);
        QAbstractItemModelTester tester(view.model(), QAbstractItemModelTester::FailureReportingMode::QtTest);
        QCOMPARE(view.keyFigure(), QStringLiteral("no difference in 1 array"));
        // Y becomes an axis of one device, which MaxText does not write into specs.
        QVERIFY(fixture.document.edit(withAxisSize(*fixture.document.experiment(), 1, 1, false), QStringLiteral("y")));
        fixture.document.waitForAnalysis();
        QCOMPARE(view.keyFigure(), QStringLiteral("1 of 1 array differs"));
        QVERIFY2(rowsOf(*view.model()).front().contains(QStringLiteral("drops Y from heads, which has 1 device")),
            qPrintable(rowsOf(*view.model()).front()));

        // The two versions of Flax part at a rule for None.
        Experiment experiment = test::example("rule-lab");
        auto& names = std::get<ArraysModel>(experiment.model).arrays[0].names;
        names[1] = LogicalName::none();
        experiment.rules.rules.list = { { LogicalName::none(), SpecEntry::axis("X") },
            { LogicalName::of("batch"), SpecEntry::axis("X") } };
        fixture.document.setExperiment(experiment, {});
        fixture.document.waitForAnalysis();
        const auto boxes = view.findChildren<QComboBox*>();
        boxes[0]->setCurrentIndex(0);
        boxes[1]->setCurrentIndex(1);
        Q_EMIT boxes[1]->activated(1);
        QCOMPARE(view.model()->rowCount(), 1);
        QVERIFY2(rowsOf(*view.model()).front().contains(QStringLiteral("Rule 1 fires in Flax 2024")),
            qPrintable(rowsOf(*view.model()).front()));
        QCOMPARE(view.model()->index(0, 0).data(DialectsModel::RuleRole).toInt(), 0);
        // A choice stays when the experiment's dialect changes.
        QVERIFY(fixture.document.edit(
            withDialect(*fixture.document.experiment(), Dialect::MaxText), QStringLiteral("maxtext")));
        QCOMPARE(boxes[0]->currentIndex(), 0);
        QCOMPARE(boxes[1]->currentIndex(), 1);
    }

    void nothingToCompare()
    {
        Appearance appearance(ThemeChoice::Light);
        test::Fixture fixture(test::example("flax-mlp-device"));
        DialectsView view(&fixture.document, &fixture.selection);
        QAbstractItemModelTester tester(view.model(), QAbstractItemModelTester::FailureReportingMode::QtTest);
        QCOMPARE(view.model()->rowCount(), 0);
        QVERIFY(view.table()->isHidden());
    }

    /// Stepping through the rules: what is settled so far, two rules made one, and what others would say.
    void stepByStep()
    {
        Appearance appearance(ThemeChoice::Light);
        test::Fixture fixture(test::example("rule-lab"));
        RuleTraceView view(&fixture.document, &fixture.selection);
        view.resize(1000, 500);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        fixture.selection.setTensor(QStringLiteral("array"));
        const QStringList expected{ QStringLiteral("P(X, -, -, -)"), QStringLiteral("P(X, -, -, -)"),
            QStringLiteral("P(X, -, Y, -)"), QStringLiteral("P(X, -, Y, -)") };
        QTest::keyClick(view.matrix(), Qt::Key_Home);
        for (int rule = 0; rule < expected.size(); ++rule) {
            QCOMPARE(view.matrix()->currentRule(), rule);
            QVERIFY(test::shows(&view,
                (rule + 1 < expected.size() ? QStringLiteral("After rule %1: ").arg(rule + 1)
                                            : QStringLiteral("After the last rule: "))
                    + expected[rule]));
            QTest::keyClick(view.matrix(), Qt::Key_Right);
        }
        QTest::keyClick(view.matrix(), Qt::Key_Left);
        QCOMPARE(view.matrix()->currentRule(), 2);
        QCOMPARE(view.matrix()->subject().count(Verdict::Applied), 2);
        QVERIFY(test::shows(&view,
            QStringLiteral("Elsewhere: the same in Flax 2024, T5X current, MaxText current, MaxText state current")));
        // Rule 4 finds batch settled by rule 1: both become (X, Z).
        QTest::keyClick(view.matrix(), Qt::Key_End);
        QVERIFY(view.joinRules());
        QCOMPARE(view.keyFigure(), QStringLiteral("P((X, Z), -, Y, -)"));
        QCOMPARE(fixture.document.undoStack()->count(), 1);
        QTest::keyClick(view.matrix(), Qt::Key_End);
        QVERIFY(!view.joinRules()); // it has Z already
    }
};

REGISTER_TEST(TestDialects)
#include "test_dialects.moc"
