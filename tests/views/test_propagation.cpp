// SPDX-License-Identifier: GPL-3.0-or-later
// The drawer of propagation: its tables under Qt's tester, the step at which the player stands, strategies and rules.
#include <QAbstractItemModelTester>
#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QTableView>
#include <QToolButton>
#include <QUndoStack>
#include <initializer_list>

#include "experiment/edits.h"
#include "experiment_file/gallery.h"
#include "panel_fixture.h"
#include "registered_test.h"
#include "views/propagation_view/explicit_row.h"
#include "views/propagation_view/propagation_view.h"
#include "views/propagation_view/rule_row.h"
#include "views/propagation_view/step_model.h"
#include "views/propagation_view/strategy_bar.h"
#include "views/theme/appearance.h"
#include "views/widgets/chips_delegate.h"
#include "views/widgets/segmented_bar.h"

using namespace shardscope;
using namespace Qt::StringLiterals;

namespace {

/// Rows of a and columns of b ask for x in the product; the aggressive strategy gives it to one of them.
Experiment contended()
{
    return *experimentOf(ProgramModel{ {}, std::make_shared<const std::string>(R"(sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %b: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> tensor<8x32xf32> {
  %c = stablehlo.constant dense<1.0> : tensor<8x32xf32>
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>
  %1 = stablehlo.add %0, %c : tensor<8x32xf32>
  %2 = stablehlo.multiply %1, %c : tensor<8x32xf32>
  return %2 : tensor<8x32xf32>
})") },
        "contended");
}

ValueId productOf(const Program& program)
{
    for (const Operation& operation : program.operations)
        if (operation.kind == OpKind::DotGeneral)
            return operation.results[0];
    return {};
}

void waitFor(const PropagationView& view)
{
    QTRY_VERIFY(!view.isWorking());
}

} // namespace

class TestPropagation : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { test::failOnWarnings(); }

    /// The list goes along with the player under the graph, which is the selection's step, and leads it.
    void followsThePlayer()
    {
        Appearance appearance(ThemeChoice::Light);
        test::Fixture fixture(findExample("flax-mlp-logical")->experiment);
        PropagationView view(&fixture.document, &fixture.selection);
        view.resize(700, 400);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        QAbstractItemModelTester tester(view.model(), QAbstractItemModelTester::FailureReportingMode::QtTest);
        const auto& propagation = *fixture.document.snapshot()->propagation;
        const int last = static_cast<int>(propagation.steps);
        QCOMPARE(view.model()->rowCount(), static_cast<int>(propagation.log.size()));
        QCOMPARE(view.step(), last);
        QCOMPARE(fixture.selection.step(), -1); // nobody plays it

        // The rows of the step are current, and in the middle where the list is long enough.
        const int step = last / 2;
        fixture.selection.setStep(step);
        QCOMPARE(view.step(), step);
        const int row = view.model()->firstRowOf(step);
        QVERIFY(row > 0);
        QCOMPARE(view.table()->currentIndex().row(), row);
        const QRect seen = view.table()->visualRect(view.model()->index(row, 0));
        QVERIFY2(std::abs(seen.center().y() - view.table()->viewport()->height() / 2) <= 2 * seen.height(),
            qPrintable(QString::number(seen.center().y())));

        // A row leads the player, and an edit shows where it leads.
        view.table()->setCurrentIndex(view.model()->index(view.model()->firstRowOf(1), 0));
        QCOMPARE(fixture.selection.step(), 1);
        QVERIFY(fixture.document.edit(withPropagation(*fixture.document.experiment(), { StrategyChoice::Basic }), {}));
        fixture.document.waitForAnalysis();
        QCOMPARE(fixture.selection.step(), static_cast<int>(fixture.snapshot().propagation->steps));
        QCOMPARE(view.step(), fixture.selection.step());

        // Axes are chips, in their colours.
        const QModelIndex axis = view.model()->index(0, StepModel::Axis);
        QCOMPARE(axis.data(ChipsDelegate::AxesRole).toStringList(), QStringList{ axis.data().toString() });
        QCOMPARE(axis.data(ChipsDelegate::AxisIndicesRole).toList().size(), 1);
        QVERIFY(qobject_cast<ChipsDelegate*>(view.table()->itemDelegateForColumn(StepModel::Axis)));
    }

    /// What was sharded is read in full where the other columns have nothing to say, or room to spare.
    void arrivalsHaveTheirWidth()
    {
        Appearance appearance(ThemeChoice::Light);
        test::Fixture fixture(contended());
        PropagationView view(&fixture.document, &fixture.selection);
        view.resize(560, 400);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        const QTableView* table = view.table();
        const QFontMetrics metrics(table->font());
        QVERIFY(view.model()->rowCount() > 0);
        for (int row = 0; row < view.model()->rowCount(); ++row) {
            const QString to = view.model()->index(row, StepModel::To).data().toString();
            QTRY_VERIFY2(metrics.horizontalAdvance(to) + 6 <= table->columnWidth(StepModel::To), qPrintable(to));
        }
        QTRY_VERIFY(table->columnViewportPosition(StepModel::To) + table->columnWidth(StepModel::To)
            <= table->viewport()->width() + 1);
    }

    /// Whether JAX's explicit mode would take the program: worked out when it is in sight, listed on demand, anew with
    /// every edit.
    void explicitModeOnDemand()
    {
        Appearance appearance(ThemeChoice::Light);
        test::Fixture fixture(contended());
        PropagationView view(&fixture.document, &fixture.selection);
        ExplicitRow& row = *view.findChild<ExplicitRow*>();
        QVERIFY(!row.isWorking()); // not in sight
        view.resize(700, 500);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        QTRY_VERIFY(!row.isWorking());
        QVERIFY2(row.verdict().startsWith(QStringLiteral("JAX's explicit mode would refuse one operation: ")),
            qPrintable(row.verdict()));
        QVERIFY(!row.table()->isVisible());

        QVERIFY(!row.toggle()->accessibleName().isEmpty() && !row.table()->accessibleName().isEmpty());
        row.toggle()->setFocus();
        QTest::keyClick(row.toggle(), Qt::Key_Space);
        QVERIFY(row.isOpen() && row.table()->isVisible());
        QAbstractItemModel& model = *row.table()->model();
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        QCOMPARE(model.rowCount(), 1);
        row.table()->setFocus();
        row.table()->setCurrentIndex(model.index(0, 0));
        QCOMPARE(fixture.selection.operation(), QStringLiteral("0"));
        QVERIFY2(row.detail().contains(QStringLiteral("Write out_sharding=P(")), qPrintable(row.detail()));
        fixture.selection.setOperation({}, {});
        QTest::mouseClick(
            row.table()->viewport(), Qt::LeftButton, {}, row.table()->visualRect(model.index(0, 0)).center());
        QCOMPARE(fixture.selection.operation(), QStringLiteral("0"));

        // Without the axis on b there is nothing to refuse.
        Experiment edited = *fixture.document.experiment();
        std::get<ProgramModel>(edited.model).shardings = { { "b", "[{}, {}]" } };
        fixture.document.edit(std::move(edited), QStringLiteral("b whole"));
        fixture.document.waitForAnalysis();
        QTRY_COMPARE(row.verdict(), QStringLiteral("JAX's explicit mode would accept this program."));
        QVERIFY(!row.table()->isVisible());
        QCOMPARE(model.rowCount(), 0);

        // Out of sight nothing is worked out.
        view.hide();
        fixture.document.undoStack()->undo();
        fixture.document.waitForAnalysis();
        QVERIFY(!row.isWorking());
        QCOMPARE(model.rowCount(), 0);
        view.show();
        QTRY_COMPARE(model.rowCount(), 1);
    }

    void followsTheSelectionAndSetsIt()
    {
        test::Fixture fixture(findExample("flax-mlp-logical")->experiment);
        PropagationView view(&fixture.document, &fixture.selection);
        const Replay replay(*fixture.document.snapshot()->propagation);
        const Program& program = *fixture.document.snapshot()->program;
        const auto found = std::find_if(program.values.begin(), program.values.end(), [&](const Value& each) {
            const ValueId id(static_cast<std::size_t>(&each - program.values.data()));
            return !each.path.empty() && replay.settledAt(id) > 0;
        });
        QVERIFY(found != program.values.end());
        const std::uint32_t settled = replay.settledAt(program.find(found->path));
        fixture.selection.setTensor(QString::fromStdString(found->path));
        QCOMPARE(view.step(), static_cast<int>(settled));
        const int row = view.model()->firstRowOf(1);
        QVERIFY(row >= 0);
        view.table()->setCurrentIndex(view.model()->index(row, 0));
        QCOMPARE(view.step(), 1);
        QCOMPARE(fixture.selection.step(), 1);
        // While it is played, a tensor that is chosen elsewhere leads the player.
        view.table()->clearFocus();
        fixture.selection.setTensor(QString::fromStdString(found->path));
        QCOMPARE(fixture.selection.step(), static_cast<int>(settled));
    }

    /// The switches edit the experiment, as single steps of undo, and follow it.
    void strategyAndSwitches()
    {
        test::Fixture fixture(contended());
        PropagationView view(&fixture.document, &fixture.selection);
        view.resize(800, 500);
        view.show();
        StrategyBar* bar = view.findChild<StrategyBar*>();
        QCOMPARE(bar->strategy()->currentIndex(), static_cast<int>(StrategyChoice::Full));
        QVERIFY(bar->userPriorities()->isEnabled() && bar->userPriorities()->isChecked());
        bar->strategy()->setFocus();
        QTest::keyClick(bar->strategy(), Qt::Key_Home);
        QCOMPARE(fixture.document.experiment()->propagation.strategy, StrategyChoice::Basic);
        QCOMPARE(fixture.document.undoStack()->count(), 1);
        QVERIFY(!bar->userPriorities()->isEnabled()); // basic knows none
        fixture.document.waitForAnalysis();
        QVERIFY(view.model()->rowCount() > 0);
        for (int row = 0; row < view.model()->rowCount(); ++row)
            QCOMPARE(view.model()->record(row).round, std::int8_t{ -1 });
        bar->conservative()->click();
        QVERIFY(fixture.document.experiment()->propagation.conservative);
        fixture.document.undoStack()->undo();
        fixture.document.undoStack()->undo();
        QVERIFY(fixture.document.experiment()->propagation == PropagationSetting{});
        QCOMPARE(bar->strategy()->currentIndex(), static_cast<int>(StrategyChoice::Full));
        QVERIFY(!bar->conservative()->isChecked());
        bar->userPriorities()->click();
        QVERIFY(!fixture.document.experiment()->propagation.userPriorities);
    }

    /// Where they have no room side by side its parts stand below each other, and nothing of them is out of sight.
    void strategiesInNarrowDrawers()
    {
        test::Fixture fixture(contended());
        StrategyBar bar(&fixture.document);
        bar.resize(1200, 40);
        bar.show();
        QTRY_COMPARE(bar.compared()->mapTo(&bar, QPoint()).y(), bar.strategy()->mapTo(&bar, QPoint()).y());
        bar.resize(bar.minimumSizeHint().width(), 200);
        QTRY_VERIFY(bar.conservative()->mapTo(&bar, QPoint()).y() > bar.strategy()->mapTo(&bar, QPoint()).y());
        for (const QWidget* part :
            std::initializer_list<const QWidget*>{ bar.strategy(), bar.conservative(), bar.compared() }) {
            QTRY_VERIFY(part->mapTo(&bar, QPoint(part->width(), 0)).x() <= bar.width());
            QVERIFY(part->width() >= part->minimumSizeHint().width());
        }
    }

    /// A text is prepared by the full strategy: its values have other names then. What was chosen stays chosen.
    void theSelectionSurvivesAStrategy()
    {
        test::Fixture fixture(contended());
        PropagationView view(&fixture.document, &fixture.selection);
        const ValueId product = productOf(*fixture.snapshot().program);
        const QString before = QString::fromStdString(fixture.snapshot().program->value(product).path);
        fixture.selection.setTensor(before);
        QVERIFY(
            fixture.document.edit(withPropagation(*fixture.document.experiment(), { StrategyChoice::Aggressive }), {}));
        fixture.document.waitForAnalysis();
        const QString after = QString::fromStdString(fixture.snapshot().program->value(product).path);
        QCOMPARE(fixture.selection.tensor(), after);
    }

    void comparesTwoStrategies()
    {
        Experiment experiment = contended();
        experiment.propagation.strategy = StrategyChoice::Aggressive;
        test::Fixture fixture(experiment);
        PropagationView view(&fixture.document, &fixture.selection);
        view.resize(800, 600);
        view.show();
        QAbstractItemModelTester tester(view.differences(), QAbstractItemModelTester::FailureReportingMode::QtTest);
        QVERIFY(!view.pages()->isVisibleTo(&view));
        view.compareWith(PropagationSetting{ StrategyChoice::Basic });
        QVERIFY(view.isWorking());
        waitFor(view);
        QVERIFY(view.pages()->isVisibleTo(&view));
        QCOMPARE(view.pages()->current(), 1);
        const auto& list = view.differences()->comparison()->differences;
        QVERIFY(!list.empty());
        QCOMPARE(view.differences()->rowCount(), static_cast<int>(list.size()));
        QVERIFY2(view.comparisonText().contains(QStringLiteral("differ")), qPrintable(view.comparisonText()));

        // A row leads to its tensor, its dimension and the step since which the two differ.
        const Program& program = *fixture.snapshot().program;
        for (int row = 0; row < view.differences()->rowCount(); ++row) {
            test::named<QTableView>(&view, u"What the two strategies shard differently"_s)
                ->setCurrentIndex(view.differences()->index(row, 0));
            const PropagationDifference& each = list[static_cast<std::size_t>(row)];
            QCOMPARE(fixture.selection.tensor(), QString::fromStdString(program.value(each.value).path));
            QCOMPARE(fixture.selection.dimension(), static_cast<int>(each.dimension));
            QCOMPARE(view.step(), static_cast<int>(each.firstStep));
            for (int column = 0; column < view.differences()->columnCount(); ++column)
                QVERIFY(!view.differences()->index(row, column).data().toString().isEmpty());
            QCOMPARE(view.differences()->reasons(row).size(), std::size_t{ 2 });
        }
        // An edit: the two are compared anew. Compared with what it is now itself, nothing differs any more.
        QVERIFY(fixture.document.edit(
            withPropagation(*fixture.document.experiment(), { StrategyChoice::Basic, true }), {}));
        fixture.document.waitForAnalysis();
        waitFor(view);
        QCOMPARE(view.findChild<StrategyBar*>()->comparedSetting(), PropagationSetting{ StrategyChoice::Basic });
        QCOMPARE(view.differences()->rowCount(), 0);
        QVERIFY2(
            view.comparisonText().contains(QStringLiteral("the same shardings")), qPrintable(view.comparisonText()));
        QVERIFY(fixture.document.edit(withPropagation(*fixture.document.experiment(), { StrategyChoice::Basic }), {}));
        QVERIFY(!view.findChild<StrategyBar*>()->comparedSetting());
        QVERIFY(!view.pages()->isVisibleTo(&view));
    }

    /// The rule of the operation that computes the selected tensor, another one in its place, and back.
    void rulesOfOperations()
    {
        test::Fixture fixture(contended());
        PropagationView view(&fixture.document, &fixture.selection);
        view.resize(800, 600);
        view.show();
        const ValueId product = productOf(*fixture.snapshot().program);
        fixture.selection.setTensor(QString::fromStdString(fixture.snapshot().program->value(product).path));
        RuleRow* row = view.findChild<RuleRow*>();
        QVERIFY(row->isVisibleTo(&view));
        const QString usual = row->rule();
        QVERIFY2(usual.startsWith(QStringLiteral("([i, k], [k, j])->([i, j])")), qPrintable(usual));
        QVERIFY(!test::named<QLabel>(row, u"custom"_s)->isVisibleTo(row));

        test::named<QToolButton>(row, u"Change the rule"_s)->click();
        QVERIFY(row->line()->isVisibleTo(row));
        QCOMPARE(row->line()->text(), usual);
        QTest::keyClick(row->line(), Qt::Key_Escape);
        QVERIFY(!row->line()->isVisibleTo(row));
        test::named<QToolButton>(row, u"Change the rule"_s)->click();
        row->line()->setText(QStringLiteral("([i, j])->([i]) {i=8, j=16} reduction={j}"));
        QVERIFY2(row->message().contains(QStringLiteral("operands")), qPrintable(row->message()));
        QTest::keyClick(row->line(), Qt::Key_Return); // refused: it stays as it is written
        QVERIFY(row->line()->isVisibleTo(row));
        QCOMPARE(fixture.document.undoStack()->count(), 0);
        row->line()->setText(usual + QStringLiteral(" blocked_propagation={i, j}"));
        QVERIFY(row->message().isEmpty());
        QTest::keyClick(row->line(), Qt::Key_Return);
        QCOMPARE(fixture.document.undoStack()->count(), 1);
        fixture.document.waitForAnalysis();
        QVERIFY(test::named<QLabel>(row, u"custom"_s)->isVisibleTo(row));
        QCOMPARE(row->rule(), usual + QStringLiteral(" blocked_propagation={i, j}"));
        QVERIFY(test::named<QToolButton>(row, u"Back to the operation's own rule"_s)->isVisibleTo(&view));
        for (const DimensionSharding& dim : fixture.snapshot().propagation->shardings[product.index].dims)
            QVERIFY(dim.axes.empty());
        test::named<QToolButton>(row, u"Back to the operation's own rule"_s)->click();
        fixture.document.waitForAnalysis();
        QVERIFY(!test::named<QLabel>(row, u"custom"_s)->isVisibleTo(row));
        QCOMPARE(row->rule(), usual);
        QVERIFY(fixture.document.experiment()->model == contended().model);

        // A network that comes with the program shows rules; they are its own.
        test::Fixture notebook;
        PropagationView other(&notebook.document, &notebook.selection);
        const std::vector<PropagationStep>& log = notebook.snapshot().propagation->log;
        const auto through = std::find_if(log.begin(), log.end(),
            [](const PropagationStep& step) { return step.step > 0 && step.operation.valid(); });
        other.setStep(static_cast<int>(through->step));
        QVERIFY(other.findChild<RuleRow*>()->isVisibleTo(&other));
        QVERIFY(!test::named<QToolButton>(other.findChild<RuleRow*>(), u"Change the rule"_s)->isVisibleTo(&other));
    }
};

REGISTER_TEST(TestPropagation)
#include "test_propagation.moc"
