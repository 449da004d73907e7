// SPDX-License-Identifier: GPL-3.0-or-later
// The dock of collectives: its layouts, its tables under Qt's tester, filters and sums, the way to the selection and
// back, what it says when there is nothing, and the list of a text that is made beside the window.
#include <QAbstractItemModelTester>
#include <QComboBox>
#include <QHeaderView>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTableView>
#include <cmath>

#include "experiment/edits.h"
#include "experiment_file/gallery.h"
#include "panel_fixture.h"
#include "pipeline/exchange_subject.h"
#include "registered_test.h"
#include "views/collectives_view/collective_page.h"
#include "views/collectives_view/collectives_view.h"
#include "views/collectives_view/exchange_view.h"
#include "views/collectives_view/side_by_side.h"
#include "views/collectives_view/sums_bars.h"
#include "views/panel/panel.h"
#include "views/shard_grid_view/grid_canvas.h"
#include "views/span_text/span_text.h"
#include "views/theme/appearance.h"
#include "views/theme/theme.h"
#include "views/widgets/elided_name.h"
#include "views/widgets/segmented_bar.h"
#include "words/collective_texts.h"

using namespace shardscope;
using namespace Qt::StringLiterals;

namespace {

Experiment programOf(const char* text, const char* title)
{
    return *experimentOf(ProgramModel{ {}, std::make_shared<const std::string>(text) }, title);
}

/// The contracted dimension is cut: one all-reduce over x, of [8, 32].
Experiment contraction()
{
    return programOf(R"(sdy.mesh @mesh = <["x"=4, "y"=2]>
func.func @main(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %b: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>
  return %0 : tensor<8x32xf32>
})",
        "contraction");
}

/// Cut alike from end to end: nothing is sent.
Experiment elementwise(const char* mesh)
{
    const std::string text = std::string("sdy.mesh @mesh = <[") + mesh + R"(]>
func.func @main(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<8x16xf32> {
  %0 = stablehlo.add %a, %a : tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
})";
    return programOf(text.c_str(), "elementwise");
}

/// A manual computation that has a collective of its own, on what each device holds.
Experiment manual()
{
    return programOf(R"(sdy.mesh @mesh = <["x"=4]>
func.func @main(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> tensor<8x4xf32> {
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{}, {"x"}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%arg: tensor<8x4xf32>) {
    %1 = "stablehlo.reduce_scatter"(%arg) ({
    ^bb0(%l: tensor<f32>, %r: tensor<f32>):
      %2 = stablehlo.add %l, %r : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) {scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids} : (tensor<8x4xf32>) -> tensor<2x4xf32>
    sdy.return %1 : tensor<2x4xf32>
  } : (tensor<8x16xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
})",
        "manual");
}

/// What XLA has compiled for eight devices: weights are gathered in a loop of three trips along the second axis of 2 x
/// 4, and a number is added up along the first.
Experiment compiledProgram()
{
    return programOf(R"(HloModule jit_step, is_scheduled=true, num_partitions=8

%add (a: f32[], b: f32[]) -> f32[] {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %s = f32[] add(%a, %b)
}

%body (t: (s32[], f32[2,8])) -> (s32[], f32[2,8]) {
  %t = (s32[], f32[2,8]{1,0}) parameter(0)
  %i = s32[] get-tuple-element(%t), index=0
  %x = f32[2,8]{1,0} get-tuple-element(%t), index=1
  %one = s32[] constant(1)
  %next = s32[] add(%i, %one)
  %g = f32[8,8]{1,0} all-gather(%x), channel_id=1, replica_groups=mesh['data'=2,'model'=4] {'model'}, dimensions={0}, use_global_device_ids=true, metadata={op_name="jit(step)/layers/dot_general" source_file="train.py" source_line=38}
  %y = f32[2,8]{1,0} slice(%g), slice={[0:2], [0:8]}
  ROOT %n = (s32[], f32[2,8]{1,0}) tuple(%next, %y)
}

%condition (t: (s32[], f32[2,8])) -> pred[] {
  %t = (s32[], f32[2,8]{1,0}) parameter(0)
  %i = s32[] get-tuple-element(%t), index=0
  %n = s32[] constant(3)
  ROOT %c = pred[] compare(%i, %n), direction=LT
}

ENTRY %main_spmd (p: f32[2,8]) -> f32[] {
  %p = f32[2,8]{1,0} parameter(0), sharding={mesh['data'=2,'model'=4], [{'model'}, {}]}, metadata={op_name="w"}
  %zero = s32[] constant(0)
  %init = (s32[], f32[2,8]{1,0}) tuple(%zero, %p)
  %loop = (s32[], f32[2,8]{1,0}) while(%init), condition=%condition, body=%body
  %y = f32[2,8]{1,0} get-tuple-element(%loop), index=1
  %z = f32[] constant(0)
  %local = f32[] reduce(%y, %z), dimensions={0,1}, to_apply=%add
  ROOT %loss = f32[] all-reduce(%local), channel_id=2, replica_groups=[4,2]<=[2,4]T(1,0), use_global_device_ids=true, to_apply=%add, metadata={op_name="jit(step)/reduce_sum" source_file="train.py" source_line=41}
}
)",
        "compiled");
}

struct ShownCollectives : test::Fixture {
    explicit ShownCollectives(Experiment experiment, QSize size = { 1100, 600 })
        : Fixture(std::move(experiment))
        , view(&document, &selection)
    {
        view.resize(size);
        view.show();
    }
    CollectivesView view;
    void settle() { QTRY_VERIFY_WITH_TIMEOUT(!view.isWorking(), 30000); }
};

int rowsOn(const CollectiveList& list, const char* axis)
{
    return static_cast<int>(std::count_if(list.entries.begin(), list.entries.end(),
        [&](const CollectiveEntry& entry) { return keyOf(entry, CollectiveKey::Axes) == axis; }));
}

SumsBars* sumsBars(const CollectivesView& view)
{
    return view.findChild<SumsBars*>();
}

} // namespace

class TestCollectives : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { test::failOnWarnings(); }

    void listsWhatXlaHasCompiled()
    {
        ShownCollectives shown(compiledProgram());
        const SnapshotPtr snapshot = shown.document.snapshot();
        QVERIFY(snapshot->isPartitioned());
        QVERIFY(snapshot->mesh->axes()[0] == (MeshAxis{ "data", 2 }) && snapshot->mesh->axes()[1].name == "model");
        CollectivesModel* model = shown.view.model();
        QCOMPARE(model->rowCount(), 2);
        QAbstractItemModelTester tester(model);
        const auto text = [&](int row, int column) { return model->index(row, column).data().toString(); };
        QCOMPARE(text(0, CollectivesModel::Kind), QStringLiteral("all-gather"));
        QCOMPARE(text(0, CollectivesModel::Axes), QStringLiteral("model"));
        QCOMPARE(text(0, CollectivesModel::Sent), QStringLiteral("192 B")); // 64 bytes to three others
        QCOMPARE(model->entry(0).times, std::int64_t{ 3 });
        QCOMPARE(text(0, CollectivesModel::Source), QStringLiteral("train.py:38"));
        QCOMPARE(text(0, CollectivesModel::Through), QStringLiteral("jit(step)/layers/dot_general"));
        QCOMPARE(text(1, CollectivesModel::Axes), QStringLiteral("data"));
        QVERIFY(!model->isIdle(CollectivesModel::Source));
        QVERIFY(model->isIdle(CollectivesModel::Rule)); // nobody decides any more
        QCOMPARE(shown.view.choice(CollectiveKey::Source)->count(), 2); // all, and the one line that is stated
        // The argument is shown as the array that it is a part of.
        QCOMPARE(snapshot->tensors.size(), std::size_t{ 1 });
        QVERIFY(snapshot->tensors[0].type.shape == (Shape{ 8, 8 }));
        QCOMPARE(snapshot->tensors[0].copies, std::int64_t{ 2 });
        QCOMPARE(snapshot->tensors[0].bytesPerDevice, std::int64_t{ 64 });
    }
    void ofACompiledProgramNothingIsShardedOtherwise()
    {
        ShownCollectives shown(compiledProgram());
        QSignalSpy refused(&shown.document, &Document::editRefused);
        Experiment other = *shown.document.experiment();
        std::swap(other.mesh.axes[0], other.mesh.axes[1]);
        QVERIFY(!shown.document.edit(other, QStringLiteral("order of the axes")));
        QCOMPARE(refused.count(), 1);
        QCOMPARE(shown.document.undoStack()->count(), 0);
        other = *shown.document.experiment();
        other.notes = "what XLA made";
        QVERIFY(shown.document.edit(other, QStringLiteral("notes")));
    }
    void listsTheCollectivesOfANetwork()
    {
        Appearance appearance(ThemeChoice::Light);
        ShownCollectives shown(findExample("flax-mlp-logical")->experiment);
        CollectivesView& view = shown.view;
        QAbstractItemModelTester tester(view.model(), QAbstractItemModelTester::FailureReportingMode::QtTest);
        QAbstractItemModelTester filterTester(view.filter(), QAbstractItemModelTester::FailureReportingMode::QtTest);
        QAbstractItemModelTester priceTester(
            view.page()->alternatives(), QAbstractItemModelTester::FailureReportingMode::QtTest);
        const auto& list = *view.model()->list();
        QCOMPARE(view.model()->rowCount(), static_cast<int>(shown.snapshot().collectives->entries.size()));
        QCOMPARE(view.model()->rowCount(), 16);
        const auto text = [&](int row, int column) { return view.model()->index(row, column).data().toString(); };
        QCOMPARE(text(0, CollectivesModel::Tensor), QStringLiteral("Layer 0 / z"));
        QCOMPARE(text(0, CollectivesModel::Axes), QStringLiteral("model"));
        QCOMPARE(text(0, CollectivesModel::Groups), QStringLiteral("2 × 4"));
        QCOMPARE(text(0, CollectivesModel::Sent), QStringLiteral("24 KiB"));
        QVERIFY(text(0, CollectivesModel::Rule).contains(QStringLiteral("rule 2")));
        QVERIFY(view.keyFigure().startsWith(QStringLiteral("16 collectives, 8.16 MiB")));
        QVERIFY(view.model()->isIdle(CollectivesModel::Times)); // once each
        QVERIFY(view.model()->isIdle(CollectivesModel::Kind)); // all-reduce all of them

        // Sums and filters: seven along model, the loss apart.
        QCOMPARE(rowsOn(list, "model"), 7);
        test::named<SegmentedBar>(&view, u"Sums by kind, axes, layer or line of the source"_s)
            ->setCurrent(static_cast<int>(CollectiveKey::Axes));
        QCOMPARE(sumsBars(view)->bars().size(), std::size_t(2));
        QCOMPARE(sumsBars(view)->bars()[0].name, QStringLiteral("data"));
        QCOMPARE(sumsBars(view)->bars()[1].name, QStringLiteral("model"));
        QVERIFY(std::abs(sumsBars(view)->bars()[0].share + sumsBars(view)->bars()[1].share - 1) < 1e-9);
        sumsBars(view)->tableActivate(1);
        QCOMPARE(view.filter()->rowCount(), 7);
        QCOMPARE(view.choice(CollectiveKey::Axes)->currentText(), QStringLiteral("model"));
        QVERIFY(view.total().startsWith(QStringLiteral("7 of 16 collectives, 168 KiB of 8.16 MiB")));
        QCOMPARE(sumsBars(view)->bars().size(), std::size_t(2)); // what is left out can be had back
        sumsBars(view)->tableActivate(1);
        QCOMPARE(view.filter()->rowCount(), 16);

        // By keyboard.
        sumsBars(view)->setFocus();
        QTest::keyClick(sumsBars(view), Qt::Key_Home);
        QTest::keyClick(sumsBars(view), Qt::Key_Space);
        QCOMPARE(view.filter()->rowCount(), 9);
        QTest::keyClick(&view, Qt::Key_Escape);
        QCOMPARE(view.filter()->rowCount(), 16);

        view.search()->setText(QStringLiteral("model layer 2"));
        QVERIFY(view.filter()->rowCount() > 0 && view.filter()->rowCount() < 7);
        view.search()->setText(QStringLiteral("nothing like it"));
        QCOMPARE(view.filter()->rowCount(), 0);
        QVERIFY(!view.table()->isVisible());
        view.search()->clear();
        QVERIFY(view.table()->isVisible());

        // The most sent first.
        view.table()->sortByColumn(CollectivesModel::Sent, Qt::DescendingOrder);
        double last = INFINITY;
        for (int row = 0; row < view.filter()->rowCount(); ++row) {
            const double sent =
                view.filter()->index(row, CollectivesModel::Sent).data(CollectivesModel::SortRole).toDouble();
            QVERIFY(sent <= last);
            last = sent;
        }
    }

    /// What is sent can be read beside what sends it, and no head is seen in part, on a laptop and in a small window.
    void columnsCanBeRead()
    {
        ShownCollectives shown(findExample("transformer-experts")->experiment);
        CollectivesView& view = shown.view;
        for (const QSize size : { QSize(1272, 430), QSize(1016, 430), QSize(1020, 620), QSize(1700, 620) }) {
            view.resize(size);
            const QTableView* table = view.table();
            const auto end = [table](int column) {
                return table->columnViewportPosition(column) + table->columnWidth(column);
            };
            const auto at = [&size](int column) { return QStringLiteral("%1: %2").arg(size.width()).arg(column); };
            QTRY_VERIFY2(
                end(CollectivesModel::Sent) <= table->viewport()->width(), qPrintable(at(CollectivesModel::Sent)));
            QTRY_VERIFY2(table->columnWidth(CollectivesModel::Tensor) >= Metrics::scaled(80),
                qPrintable(at(CollectivesModel::Tensor)));
            // Of a path that is too long the last part stays, in which those of one layer differ.
            const auto* names = qobject_cast<NameDelegate*>(table->itemDelegateForColumn(CollectivesModel::Tensor));
            QVERIFY(names);
            for (int row = 0; row < table->model()->rowCount(); ++row) {
                const QModelIndex index = table->model()->index(row, CollectivesModel::Tensor);
                const QString last = index.data().toString().section(QLatin1Char('/'), -1).trimmed();
                QStyleOptionViewItem option;
                option.widget = table;
                option.font = table->font();
                option.rect = QRect(0, 0, table->columnWidth(CollectivesModel::Tensor), 22);
                names->initStyleOption(&option, index);
                if (table->fontMetrics().horizontalAdvance(QStringLiteral("…/ ") + last) < option.rect.width() - 20
                    && index.data().toString().count(QLatin1Char('/')) > 1)
                    QVERIFY2(option.text.endsWith(last), qPrintable(option.text));
            }
            for (int column = 0; column < CollectivesModel::ColumnCount; ++column)
                if (!table->isColumnHidden(column))
                    QVERIFY2(end(column) <= table->viewport()->width()
                            || table->columnViewportPosition(column) >= table->viewport()->width(),
                        qPrintable(at(column)));
        }
    }

    /// In the width of an inspector the list has all of it: how often is seen beside what is sent each time, and the
    /// sums stand below, or nowhere where there is no height for them.
    void columnsInANarrowInspector()
    {
        QWidget dock; // gives the view less width than it asks for
        ShownCollectives shown(compiledProgram());
        CollectivesView& view = shown.view;
        view.setParent(&dock);
        dock.resize(1200, 900);
        view.show();
        dock.show();
        const QTableView* table = view.table();
        for (const QSize size : { QSize(500, 850), QSize(500, 500), QSize(360, 500), QSize(1016, 430) }) {
            view.resize(size);
            QVERIFY(!table->isColumnHidden(CollectivesModel::Times));
            const auto end = [table] {
                return table->columnViewportPosition(CollectivesModel::Times)
                    + table->columnWidth(CollectivesModel::Times);
            };
            QTRY_VERIFY2(end() <= table->viewport()->width(), qPrintable(QString::number(size.width())));
            for (const int column : { CollectivesModel::Kind, CollectivesModel::Axes, CollectivesModel::Tensor })
                QTRY_VERIFY2(table->columnWidth(column) >= Metrics::scaled(60), qPrintable(QString::number(column)));
            const QWidget* sums = sumsBars(view);
            QTRY_COMPARE(sums->isVisible(), size.height() != 500);
            if (size.width() < 520) {
                QTRY_VERIFY(table->width() >= view.width() - 4);
                QVERIFY(!sums->isVisible()
                    || sums->mapTo(&view, QPoint()).y() > table->mapTo(&view, QPoint()).y() + table->height() - 1);
            }
        }
    }

    /// From the first row on, also where the view gets its height later; a row below what is seen comes into sight with
    /// those before it. What was scrolled by hand stays.
    void theListBeginsAtTheTop()
    {
        ShownCollectives shown(findExample("transformer-experts")->experiment, { 1016, 60 });
        CollectivesView& view = shown.view;
        QTableView* table = view.table();
        view.choose(1);
        view.resize(1016, 600);
        QTRY_VERIFY(table->viewport()->height() > 150);
        QTRY_COMPARE(table->verticalScrollBar()->value(), 0);
        const auto seen = [table](int row) {
            const QRect place = table->visualRect(table->model()->index(row, 0));
            return place.top() >= 0 && place.bottom() < table->viewport()->height();
        };
        const int last = table->model()->rowCount() - 5;
        QVERIFY(last > 12 && !seen(last));
        view.choose(last);
        QTRY_VERIFY(seen(last) && seen(last - 1));
        view.resize(1016, 560);
        QTRY_VERIFY(seen(last) && seen(last - 1));
        table->verticalScrollBar()->triggerAction(QAbstractSlider::SliderToMaximum);
        const int scrolled = table->verticalScrollBar()->value();
        view.resize(1016, 570);
        QCoreApplication::processEvents();
        QVERIFY(scrolled > 0 && table->verticalScrollBar()->value() >= scrolled - 1);
    }

    void theOneChosenIsExplainedAndPriced()
    {
        ShownCollectives shown(findExample("flax-mlp-logical")->experiment);
        CollectivesView& view = shown.view;
        view.choose(0);
        shown.settle();
        QVERIFY(view.page()->why().contains(QStringLiteral("must add their partial values")));
        const GridCanvas* before = view.page()->exchange()->before();
        const GridCanvas* after = view.page()->exchange()->after();
        QCOMPARE(before->subject()->layout.addends(), std::int64_t(4));
        QCOMPARE(after->subject()->layout.addends(), std::int64_t(1));
        QCOMPARE(before->subject()->names, (std::vector<std::string>{ "batch", "embed" }));
        QVERIFY(before->choice() == after->choice());

        const AlternativesModel& prices = *view.page()->alternatives();
        QVERIFY(prices.rowCount() >= 3);
        QCOMPARE(prices.index(0, AlternativesModel::Sent).data().toString(), QStringLiteral("24 KiB"));
        bool halved = false;
        for (int row = 1; row < prices.rowCount(); ++row)
            halved = halved
                || prices.index(row, AlternativesModel::Difference).data().toString() == QStringLiteral("−12 KiB");
        QVERIFY(halved);
        // To gather the operands is to work out all of the product on each of the 4 devices along model.
        QStringList computed;
        for (int row = 0; row < prices.rowCount(); ++row)
            if (prices.alternatives()[static_cast<std::size_t>(row)].kind
                == CollectiveAlternative::Kind::GatherOperands)
                computed << prices.index(row, AlternativesModel::Work).data().toString();
        QCOMPARE(computed, QStringList{ QStringLiteral("4 ×") });
        QVERIFY(!prices.isIdle(AlternativesModel::Work));
        // A name that is longer than its column has a second line.
        const QTableView* table = view.page()->table();
        for (int row = 0; row < prices.rowCount(); ++row)
            QVERIFY2(table->fontMetrics().horizontalAdvance(prices.title(row)) < table->columnWidth(0)
                    || table->rowHeight(row) > table->verticalHeader()->defaultSectionSize(),
                qPrintable(prices.title(row)));

        // Another sharding can be looked at before it counts.
        const auto& all = prices.alternatives();
        const auto tried = std::find_if(
            all.begin(), all.end(), [](const CollectiveAlternative& each) { return each.after.has_value(); });
        QVERIFY(tried != all.end());
        QSignalSpy previews(&view, &CollectivesView::previewRequested);
        auto* preview = test::named<QPushButton>(view.page(), u"Look at this sharding before it counts"_s);
        QVERIFY(!preview->isVisible());
        view.page()->table()->setCurrentIndex(prices.index(static_cast<int>(tried - all.begin()), 0));
        QVERIFY(preview->isVisible());
        preview->click();
        QCOMPARE(previews.size(), 1);
        QVERIFY(!previews[0][1].toString().isEmpty());

        // The rule is one click away.
        QString ruleLink;
        auto* why = test::named<SpanLabel>(view.page(), u"Why it is there"_s);
        for (const words::Span& span : why->text())
            if (span.link.startsWith(QStringLiteral("rule:")))
                ruleLink = span.link;
        QSignalSpy docks(&view, &CollectivesView::dockRequested);
        Q_EMIT why->linkActivated(ruleLink);
        QCOMPARE(docks.size(), 1);
        QCOMPARE(docks[0][0].toString(), QStringLiteral("rules"));
        QCOMPARE(shown.selection.rule(), 1);
    }

    void choosingSelectsTheValueAndTheOtherWayRound()
    {
        ShownCollectives shown(findExample("flax-mlp-logical")->experiment);
        CollectivesView& view = shown.view;
        view.table()->setCurrentIndex(view.filter()->index(2, 0));
        QCOMPARE(shown.selection.tensor(), QStringLiteral("layers.2/z"));
        QCOMPARE(shown.selection.collective(), 2);
        QVERIFY(view.model()->isMarked(2));
        QVERIFY(!view.model()->isMarked(1));
        shown.selection.setTensor(QStringLiteral("layers.1/z"));
        QCOMPARE(view.current(), 1);
        QVERIFY(view.model()->isMarked(1) && !view.model()->isMarked(2));
        // A value that nothing is sent for leaves the choice as it is.
        shown.selection.setTensor(QStringLiteral("layers.1/y"));
        QCOMPARE(view.current(), 1);
        QCOMPARE(shown.selection.tensor(), QStringLiteral("layers.1/y"));
        QVERIFY(!view.model()->isMarked(1));

        // A nameless value stands for its operation, and what is chosen stays so whatever else is selected.
        const auto nameless = [&] {
            for (int row = 0; row < view.model()->rowCount(); ++row)
                if (view.model()->index(row, 0).data(CollectivesModel::PathRole).toString().isEmpty())
                    return row;
            return -1;
        }();
        QVERIFY(nameless >= 0);
        view.choose(nameless);
        QVERIFY(!shown.selection.operation().isEmpty());
        QCOMPARE(view.current(), nameless);
        shown.selection.setMeshAxis(QStringLiteral("data"));
        QCOMPARE(view.current(), nameless);

        // By its number, as the graph of the program selects it.
        shown.selection.setCollective(5);
        QCOMPARE(view.current(), 5);

        // An edit keeps what is chosen.
        view.choose(3);
        QVERIFY(shown.document.edit(withAxisSize(*shown.document.experiment(), 1, 2, true), QStringLiteral("smaller")));
        shown.document.waitForAnalysis();
        shown.settle();
        QCOMPARE(view.current(), 3);
        QCOMPARE(view.model()->entry(0).groupSize, std::int64_t(2));
    }

    void aTextIsPartitionedBesideTheWindow()
    {
        ShownCollectives shown(contraction());
        CollectivesView& view = shown.view;
        shown.settle();
        QVERIFY2(view.emptyText().isEmpty(), qPrintable(view.emptyText()));
        QCOMPARE(view.model()->rowCount(), 1);
        const CollectiveEntry& entry = view.model()->entry(0);
        QCOMPARE(entry.kind, CollectiveKind::AllReduce);
        QCOMPARE(entry.groupSize, std::int64_t(4));
        QCOMPARE(view.page()->exchange()->before()->subject()->layout.addends(), std::int64_t(4));
    }

    void nothingIsDoneForADockThatIsNotSeen()
    {
        test::Fixture fixture(contraction());
        CollectivesView view(&fixture.document, &fixture.selection);
        QVERIFY(!view.isWorking());
        QVERIFY(!view.model()->list());
        view.show();
        QTRY_VERIFY_WITH_TIMEOUT(view.model()->list() && !view.isWorking(), 30000);
        QCOMPARE(view.model()->rowCount(), 1);
    }

    void saysWhyThereIsNothing()
    {
        {
            ShownCollectives shown(elementwise("\"x\"=4"));
            shown.settle();
            QVERIFY2(shown.view.emptyText().startsWith(QStringLiteral("Nothing is sent")),
                qPrintable(shown.view.emptyText()));
        }
        {
            // What goes between memories is no message, and is said.
            ShownCollectives shown(findExample("jax-memory-transfer")->experiment);
            shown.settle();
            QVERIFY2(shown.view.emptyText().startsWith(QStringLiteral(
                         "Nothing is sent: every device has what it needs. Between memories, each device "
                         "copies 16 B (128 B in all) from the host and 16 B (128 B in all) to it.")),
                qPrintable(shown.view.emptyText()));
        }
        {
            Experiment onHost = findExample("flax-mlp-logical")->experiment;
            onHost.placement.paramsOnDevices = false;
            ShownCollectives shown(onHost);
            shown.settle();
            QVERIFY2(shown.view.total().contains(QStringLiteral("between memories, each device copies 8 MiB")),
                qPrintable(shown.view.total()));
        }
        {
            ShownCollectives shown(elementwise("\"x\"=1"));
            shown.settle();
            QVERIFY2(shown.view.emptyText().startsWith(QStringLiteral("There is one device")),
                qPrintable(shown.view.emptyText()));
        }
        {
            // Sizes that do not fit the devices.
            Experiment pinned = findExample("flax-mlp-logical")->experiment;
            pinned.hardware.pinned = true;
            ShownCollectives shown(*withAxisSize(pinned, 1, 3, false));
            shown.settle();
            QVERIFY2(shown.view.emptyText() == QStringLiteral("No step can run: E102, see Problems."),
                qPrintable(shown.view.emptyText()));
        }
        {
            // Arrays without a step.
            ShownCollectives shown(findExample("jax-layer")->experiment);
            shown.settle();
            QVERIFY2(shown.view.emptyText().contains(QStringLiteral("no step")), qPrintable(shown.view.emptyText()));
        }
    }

    void whatAProgramWritesItselfIsDrawnForOneGroup()
    {
        ShownCollectives shown(manual());
        shown.settle();
        QVERIFY2(shown.view.emptyText().isEmpty(), qPrintable(shown.view.emptyText()));
        const CollectiveList& list = *shown.view.model()->list();
        const auto found = std::find_if(list.entries.begin(), list.entries.end(),
            [](const CollectiveEntry& entry) { return entry.kind == CollectiveKind::ReduceScatter; });
        QVERIFY(found != list.entries.end());
        const ExchangeSubject subject = exchangeSubject(list, *found);
        QVERIFY(subject.ofOneGroup);
        QCOMPARE(subject.type.shape, (Shape{ 8, 4 }));
        const Layout before(subject.mesh, subject.before, subject.type.shape);
        const Layout after(subject.mesh, subject.after, subject.type.shape);
        QCOMPARE(before.addends(), std::int64_t(4));
        QCOMPARE(before.shardShape(), (Shape{ 8, 4 }));
        QCOMPARE(after.shardShape(), (Shape{ 2, 4 }));
        QCOMPARE(after.addends(), std::int64_t(1));
    }

    void theLayersOfTheNotebookStandSideBySide()
    {
        ShownCollectives shown(findExample("jax-layer-program")->experiment);
        shown.settle();
        CollectivesView& view = shown.view;
        view.showSideBySide(true);
        QVERIFY(view.sideBySide()->isVisible());
        shown.settle();
        const auto& columns = view.sideBySide()->columns();
        QCOMPARE(columns.size(), std::size_t(3));
        // Cut inputs, constraints inside, shard_map: each adds up 4 floats over 8 devices, and sends 2 * 7/8 * 16
        // bytes.
        for (const ExampleColumn* column : columns) {
            QCOMPARE(column->model()->rowCount(), 1);
            QCOMPARE(column->model()->entry(0).kind, CollectiveKind::AllReduce);
            QCOMPARE(*column->sent(), Rational(28));
        }
        QVERIFY2(view.sideBySide()->summary().startsWith(QStringLiteral("All of them send 28 B")),
            qPrintable(view.sideBySide()->summary()));
        // The same numbers on the same inputs, and the reason why the exchanges are no different.
        for (const ExampleColumn* column : columns) {
            QVERIFY(column->numbers());
            QVERIFY(words::numbersText(*column->numbers()).startsWith(QStringLiteral("Result on the devices: ")));
        }
        QVERIFY2(view.sideBySide()->note().startsWith(QStringLiteral("On the same inputs all give the same numbers")),
            qPrintable(view.sideBySide()->note()));
        QVERIFY(view.sideBySide()->note().contains(QStringLiteral("The collectives are the same in all")));
        std::vector<words::ExampleNumbers> changed{ *columns[0]->numbers(), *columns[1]->numbers() };
        changed[1].results[0] = kernels::Array::zeros(changed[1].results[0].type);
        QVERIFY2(words::agreementText(changed).contains(
                     QStringLiteral("number 2 gives other numbers than the first: 0 and")),
            qPrintable(words::agreementText(changed)));
        changed[1].inputs.pop_back();
        QVERIFY(words::agreementText(changed).isEmpty());
        // Another example in one of them.
        columns[1]->choice()->setCurrentIndex(columns[1]->choice()->findData(QStringLiteral("flax-mlp-logical")));
        shown.settle();
        QCOMPARE(columns[1]->model()->rowCount(), 16);
        QVERIFY(view.sideBySide()->summary().startsWith(QStringLiteral("They send from 28 B to 8.16 MiB")));
        QVERIFY(view.sideBySide()->note().isEmpty());
        QTest::keyClick(&view, Qt::Key_Escape);
        QVERIFY(!view.sideBySide()->isVisible());
        QVERIFY(view.table()->isVisible());
    }

    void everyControlHasAName()
    {
        ShownCollectives shown(findExample("flax-mlp-logical")->experiment);
        shown.settle();
        for (QWidget* widget : shown.view.findChildren<QWidget*>())
            if (widget->focusPolicy() != Qt::NoFocus && widget->isVisibleTo(&shown.view)
                && !qobject_cast<QLineEdit*>(widget->parentWidget())
                && !qobject_cast<QComboBox*>(widget->parentWidget())
                && !qobject_cast<QAbstractScrollArea*>(widget->parentWidget()))
                QVERIFY2(!widget->accessibleName().isEmpty() || qobject_cast<QPushButton*>(widget),
                    widget->metaObject()->className());
    }
};

REGISTER_TEST(TestCollectives)
#include "test_collectives.moc"
