// SPDX-License-Identifier: GPL-3.0-or-later
#include <QCheckBox>
#include <QLabel>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QTest>
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "experiment/edits.h"
#include "experiment_file/gallery.h"
#include "registered_test.h"
#include "schedule/plan.h"
#include "views/memory_view/memory_view.h"
#include "views/memory_view/memory_widgets.h"
#include "views/panel/panel.h"
#include "views/panel_fixture.h"
#include "views/tensors_view/tensors_view.h"
#include "views/theme/appearance.h"
#include "views/theme/theme.h"
#include "views/widgets/section.h"
#include "words/shown_memory.h"
#include "words/words.h"

using namespace shardscope;
using namespace Qt::StringLiterals;
using test::Fixture;

namespace {

words::ShownMemory shownMemory(const SnapshotPtr& snapshot)
{
    return { snapshot, std::make_shared<const PlannedMemory>(plannedMemory(*snapshot->plan)) };
}

} // namespace

class TestMemory : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { test::failOnWarnings(); }

    void saysWhyNothingIsDrawn()
    {
        Experiment experiment = test::example("flax-mlp-logical");
        std::get<MlpModel>(experiment.model).settings.batch = 7;
        Fixture fixture(experiment);
        MemoryView view(&fixture.document, &fixture.selection);
        view.show();
        QStringList stated;
        for (const QLabel* label : view.findChildren<QLabel*>())
            if (label->isVisible())
                stated << label->text();
        // Parameters, both moments, two counters and x: 3 x 8 x 1 MiB + 8 B + 4 rows of 4 KiB.
        const QString text = stated.join(u'\n');
        QVERIFY2(
            text.contains(u"E101"_s) && text.contains(u"24 MiB"_s) && text.contains(u"padding"_s), qPrintable(text));
        QVERIFY(view.keyFigure().isEmpty());
        fixture.document.edit(withDimension(experiment, "batch", 8), u"batch"_s);
        fixture.document.waitForAnalysis();
        QVERIFY(!view.keyFigure().isEmpty());
    }

    /// The page over time has the curve, and nothing that the bar's view says.
    void theCurveAlone()
    {
        Fixture fixture;
        MemoryView view(&fixture.document, &fixture.selection, MemoryView::Shows::OverTime);
        view.resize(600, 160);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        QVERIFY(view.plot()->isVisible());
        QVERIFY(!view.bar()->isVisible() && !view.onHost()->isVisible());
        MemoryView peak(&fixture.document, &fixture.selection);
        peak.resize(600, 160);
        peak.show();
        QVERIFY(QTest::qWaitForWindowExposed(&peak));
        QVERIFY(peak.bar()->isVisible() && peak.onHost()->isVisible());
        peak.resize(600, 500);
        QVERIFY(!peak.plot()->isVisible()); // however much room there is
        // The value that is selected, at the instruction that computes it.
        QCOMPARE(view.plot()->cursor(), -1);
        for (int i = 0; i < view.plot()->tableRowCount() && fixture.selection.tensor().isEmpty(); ++i)
            view.plot()->tableActivate(i);
        const QString computed = fixture.selection.tensor();
        QVERIFY(!computed.isEmpty());
        const int cursor = view.plot()->cursor();
        QCOMPARE(
            QString::fromStdString(shownMemory(fixture.document.snapshot()).pathAt(static_cast<std::size_t>(cursor))),
            computed);
        fixture.selection.setTensor(u"params/layers.0/W1"_s); // computed by none
        QCOMPARE(view.plot()->cursor(), -1);
    }

    /// What stands beside the curve says what it is: the peak over its point, the limit where it is near or exceeded,
    /// and which value the upright line belongs to.
    void theLinesHaveNames()
    {
        Experiment experiment = test::example("flax-mlp-logical");
        Fixture fixture(experiment);
        const std::int64_t peak = fixture.snapshot().plan->memory.peakBytes;
        MemoryView view(&fixture.document, &fixture.selection, MemoryView::Shows::OverTime);
        view.resize(600, 200);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        LiveMemoryPlot& plot = *view.plot();
        QTRY_VERIFY(plot.height() > 100);
        const LiveLine line = plot.lineLayout();
        const qreal dot = line.middleOf(fixture.snapshot().plan->memory.peakInstruction);
        const LiveMemoryPlot::Name name = plot.peakName();
        QCOMPARE(name.text, u"peak "_s + words::bytes(static_cast<double>(peak)));
        QVERIFY(name.place.left() <= dot + 1 && name.place.right() >= dot - 1);
        QVERIFY(name.place.bottom() <= line.peak.y() && name.place.bottom() > line.peak.y() - 8);
        QVERIFY(plot.limitName().text.isEmpty() && plot.cursorName().text.isEmpty()); // 16 GiB are far away

        fixture.selection.setTensor(QString());
        for (int i = plot.tableRowCount() - 1; i >= 0 && fixture.selection.tensor().isEmpty(); --i)
            plot.tableActivate(i);
        const LiveMemoryPlot::Name cursor = plot.cursorName();
        QCOMPARE(cursor.text, words::tensorName(fixture.selection.tensor().toStdString()));
        QVERIFY(QRectF(plot.rect()).contains(cursor.place) && cursor.place.top() >= line.plot.bottom());

        experiment.hardware.memoryPerDevice = peak - peak / 4;
        fixture.document.edit(experiment, u"memory"_s);
        fixture.document.waitForAnalysis();
        const LiveMemoryPlot::Name limit = plot.limitName();
        QVERIFY2(limit.text.contains(words::bytes(static_cast<double>(experiment.hardware.memoryPerDevice))),
            qPrintable(limit.text));
        QVERIFY(QRectF(plot.rect()).contains(limit.place) && !limit.place.intersects(plot.peakName().place));
        QVERIFY(plot.grab().toImage().size().isValid());
    }

    /// No words under the line of the limit.
    void wordsKeepClearOfTheLimit()
    {
        const std::int64_t mib = 1 << 20;
        for (const std::int64_t limit : { 9 * mib, 12 * mib, 15 * mib, 17 * mib, 31 * mib }) {
            const MemoryBar bar =
                MemoryBar::make({ 8 * mib, 8 * mib, 8 * mib, 8 * mib, 0, 0 }, limit, { 0, 0, 600, 28 });
            QVERIFY(bar.overLimit);
            const QRect line(bar.limitX, 0, 2, 28);
            int sharded = 0;
            for (const MemoryBar::Segment& segment : bar.segments) {
                const QRect label = bar.labelRect(segment, 8);
                QVERIFY(!label.intersects(line));
                QVERIFY(segment.rect.contains(label));
                QVERIFY(label.width() >= segment.rect.width() / 2 - 18);
                sharded += label.width() < segment.rect.width() - 16;
            }
            QCOMPARE(sharded, 1);
        }
        const MemoryBar within = MemoryBar::make({ 8 * mib, 0, 0, 0, 0, 0 }, 9 * mib, { 0, 0, 600, 28 });
        QCOMPARE(within.labelRect(within.segments[0], 8), within.segments[0].rect.adjusted(8, 0, -8, 0));
    }

    /// What was held before the last edit stands in the bar, on one scale with what is held now.
    void whatWasThereBefore()
    {
        test::Fixture f;
        MemoryView view(&f.document, &f.selection);
        view.resize(500, 300);
        view.show();
        const auto legend = [&] { return view.bar()->legend(); };
        QVERIFY2(!legend().contains(QStringLiteral("before")), qPrintable(legend()));
        // A drag over several sizes is one edit.
        const int drag = f.document.newMergeId();
        for (const int size : { 4, 8 }) {
            f.document.edit(withAxisSize(*f.document.experiment(), 0, size, true), QStringLiteral("data"), drag);
            f.document.waitForAnalysis();
        }
        const MemoryBar bar = view.bar()->barLayout();
        QVERIFY(bar.beforeX > 0 && bar.beforeX < bar.segments.back().rect.right());
        QVERIFY2(legend().contains(QStringLiteral("before: 32 MiB")), qPrintable(legend()));
        f.document.undoStack()->undo();
        f.document.waitForAnalysis();
        QVERIFY(view.bar()->barLayout().beforeX > view.bar()->barLayout().segments.back().rect.right());
        f.document.setExperiment(test::example("flax-mlp-logical"), {});
        f.document.waitForAnalysis();
        QVERIFY2(!legend().contains(QStringLiteral("before")), qPrintable(legend()));
    }

    void partsAddUpAsPrinted()
    {
        const std::vector<std::vector<double>> sums{ { 1.907, 1.907 }, { 0.333, 0.333, 0.334 }, { 8, 8, 8, 8.02 }, {},
            { 0.004, 0.004, 0.004 }, { 123.456, 0.044, 7.5 } };
        for (const std::vector<double>& parts : sums)
            for (int decimals = 0; decimals <= 2; ++decimals) {
                const double scale = std::pow(10.0, decimals);
                const std::vector<double> rounded = words::roundedParts(parts, decimals);
                const double sum = std::accumulate(parts.begin(), parts.end(), 0.0);
                const double printed = std::accumulate(rounded.begin(), rounded.end(), 0.0);
                QCOMPARE(std::round(printed * scale), std::round(sum * scale));
                for (std::size_t i = 0; i < parts.size(); ++i)
                    QVERIFY(std::abs(rounded[i] - parts[i]) * scale <= 1.0);
            }
    }

    void slicesOfAnOwnerCoverIt()
    {
        Fixture fixture;
        const Snapshot& snapshot = fixture.snapshot();
        QVERIFY(snapshot.ok());
        const words::ShownMemory shown = shownMemory(fixture.document.snapshot());
        std::map<double, double> slices; // begin, end
        for (const TensorRow& row : snapshot.tensors) {
            if (row.role != Role::Parameter)
                continue;
            const words::MemorySlice slice = shown.sliceOf(row);
            QCOMPARE(slice.owner, Owner::Parameters);
            slices.emplace(slice.begin, slice.end);
        }
        double end = 0;
        for (const auto& [from, to] : slices) {
            QCOMPARE(from, end);
            end = to;
        }
        QCOMPARE(end, 1.0);
        QCOMPARE(slices.size(), std::size_t{ 8 });
    }

    void viewSelectsTheBiggestTensorOfAnOwner()
    {
        Fixture fixture;
        MemoryView view(&fixture.document, &fixture.selection);
        view.resize(700, 240);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        const MemorySummary& memory = fixture.snapshot().plan->memory;
        QCOMPARE(view.keyFigure(), u"%1 per device"_s.arg(words::bytes(static_cast<double>(memory.peakBytes))));
        const MemoryBar bar = view.bar()->barLayout();
        std::int64_t sum = 0;
        for (const MemoryBar::Segment& segment : bar.segments) {
            sum += segment.bytes;
            fixture.selection.setTensor({});
            QTest::mouseClick(view.bar(), Qt::LeftButton, {}, segment.rect.center());
            QCOMPARE(fixture.selection.tensor(), shownMemory(fixture.document.snapshot()).largest(segment.owner).path);
        }
        QCOMPARE(sum, memory.peakBytes);
        const QList<QLabel*> labels = view.findChildren<QLabel*>();
        QVERIFY(std::any_of(labels.begin(), labels.end(), [](const QLabel* label) {
            return label->accessibleDescription().contains(
                u"freed after their last reader, the peak would be 25.1 MiB."_s);
        }));
        const QString first = shownMemory(fixture.document.snapshot()).largest(Owner::Parameters).path;
        QCOMPARE(first, QStringLiteral("params/layers.0/W1"));

        // The same by keyboard.
        view.bar()->setFocus();
        fixture.selection.setTensor({});
        for (std::size_t i = 0; i < bar.segments.size(); ++i)
            QTest::keyClick(view.bar(), Qt::Key_Left);
        QTest::keyClick(view.bar(), Qt::Key_Return);
        QCOMPARE(fixture.selection.tensor(), first);

        view.resize(700, 98);
        QVERIFY(view.bar()->isVisible());
    }

    void parametersGoToTheHost()
    {
        Fixture fixture;
        MemoryView view(&fixture.document, &fixture.selection);
        view.resize(700, 240);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        QCheckBox* onHost = view.onHost();
        QVERIFY(onHost->isVisible() && !onHost->isChecked() && !onHost->accessibleName().isEmpty());
        QVERIFY(view.hostText().isEmpty());
        const QString before = view.keyFigure();
        onHost->setFocus();
        QTest::keyClick(onHost, Qt::Key_Space);
        QVERIFY(!fixture.document.experiment()->placement.paramsOnDevices);
        fixture.document.waitForAnalysis();
        QCOMPARE(view.hostText(), u"8 MiB per device on the host, 8 MiB in, 8 MiB back"_s);
        QVERIFY(view.keyFigure() != before);
        QCOMPARE(view.keyFigure(),
            u"%1 per device"_s.arg(words::bytes(static_cast<double>(fixture.snapshot().plan->memory.peakBytes))));
        QCOMPARE(fixture.document.undoStack()->undoText(), u"Parameters on the host"_s);
        fixture.document.undoStack()->undo();
        fixture.document.waitForAnalysis();
        QVERIFY(!onHost->isChecked());
        QVERIFY(view.hostText().isEmpty());
        QCOMPARE(view.keyFigure(), before);
    }

    /// However many arrays have one name, it is said once, with their number.
    void everyNameIsSaidOnce()
    {
        Fixture fixture(test::example("transformer-t5x"));
        MemoryView view(&fixture.document, &fixture.selection);
        QVERIFY2(view.largestText().contains(u" × "_s), qPrintable(view.largestText()));
        QStringList names;
        for (const QString& each : view.largestText().section(u": "_s, 1).split(u"; "_s))
            if (const auto bytes = each.indexOf(QRegularExpression(u" (up to )?[0-9.,]+ [KMG]?i?B"_s)); bytes > 0)
                names << each.left(bytes);
        QVERIFY(names.size() > 5);
        QCOMPARE(names.removeDuplicates(), 0);
    }

    /// In little height the legend is whole, and what is told beside it goes.
    void theLegendGoesFirst()
    {
        Appearance appearance(ThemeChoice::Light);
        Fixture fixture(test::example("transformer-t5x"));
        MemoryView view(&fixture.document, &fixture.selection);
        view.show();
        const auto isTold = [&view] {
            const auto labels = view.findChildren<QLabel*>();
            return std::any_of(labels.begin(), labels.end(),
                [](const QLabel* label) { return label->isVisible() && label->text().startsWith(u"Largest"_s); });
        };
        for (const int width : { 380, 520, 900 }) {
            view.resize(width, 300);
            QTRY_VERIFY(isTold());
            const int least = 2 * 6 + view.bar()->heightForWidth(width - 12) + 20 // the head
                + view.findChild<QCheckBox*>()->parentWidget()->sizeHint().height() + 4;
            view.resize(width, least);
            QTRY_VERIFY(!isTold());
            QTRY_VERIFY2(view.bar()->height() >= view.bar()->heightForWidth(view.bar()->width()),
                qPrintable(u"%1: %2 of %3"_s.arg(width)
                               .arg(view.bar()->height())
                               .arg(view.bar()->heightForWidth(view.bar()->width()))));
        }
    }

    /// More than a device has is said in red wherever the figure stands, with how much of it that is.
    void tooMuchIsSaidInTitles()
    {
        Fixture fixture;
        MemoryView view(&fixture.document, &fixture.selection);
        TensorsView tensors(&fixture.document, &fixture.selection);
        Section section(u"memory"_s, u"Memory"_s, new QWidget);
        QVERIFY(!view.isFigureBad() && !tensors.isFigureBad());
        QSignalSpy changes(&view, &DockView::keyFigureChanged);
        Experiment small = *fixture.document.experiment();
        small.hardware.memoryPerDevice = fixture.snapshot().plan->memory.peakBytes / 2;
        fixture.document.setExperiment(std::move(small), {});
        fixture.document.waitForAnalysis();
        QTRY_VERIFY(view.isFigureBad() && tensors.isFigureBad());
        QVERIFY(!changes.isEmpty());
        for (const DockView* each : { static_cast<DockView*>(&view), static_cast<DockView*>(&tensors) })
            QVERIFY2(each->keyFigure().contains(u" per device, 200 % of "_s), qPrintable(each->keyFigure()));
        section.setKeyFigure(view.keyFigure(), view.isFigureBad());
        const QList<RoleLabel*> labels = section.findChildren<RoleLabel*>();
        QVERIFY(std::any_of(labels.begin(), labels.end(), [&](const RoleLabel* label) {
            return label->text() == view.keyFigure()
                && label->palette().color(QPalette::WindowText) == Theme::current().error;
        }));
    }

    /// Programs in texts as well.
    void programsArePlanned()
    {
        const auto text = std::make_shared<const std::string>(R"(sdy.mesh @mesh = <["x"=2]>
func.func @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %w: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) -> tensor<8x8xf32> {
  %0 = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = stablehlo.tanh %0 : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
})");
        Fixture fixture(experimentOf(ProgramModel{ {}, text }, "text").value());
        MemoryView view(&fixture.document, &fixture.selection);
        view.resize(700, 260);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        QTRY_VERIFY(!view.keyFigure().isEmpty());
        QCOMPARE(view.keyFigure(), u"640 B per device"_s);
        QCOMPARE(view.largestText(), u"Largest: w 256 B; a 128 B; %0 128 B; %1 128 B"_s);
        QVERIFY(view.bar()->tableRowCount() > 0);
        QCOMPARE(view.bar()->tableText(0, 0), u"parameters"_s); // guessed: a factor, and no data
        QCOMPARE(view.bar()->tableText(0, 2), u"w"_s);
        QCOMPARE(view.plot()->tableRowCount(), 2);
        QCOMPARE(view.plot()->tableText(1, 1), u"640 B"_s);
        view.plot()->tableActivate(0);
        QCOMPARE(fixture.selection.tensor(), u"0"_s);
        view.bar()->tableActivate(0);
        QCOMPARE(fixture.selection.tensor(), u"w"_s);
        // Replicated, a takes more; the picture follows.
        fixture.document.setExperiment(
            experimentOf(
                ProgramModel{ {},
                    std::make_shared<const std::string>(
                        QString::fromStdString(*text).replace(u"[{\"x\"}, {}]"_s, u"[{}, {}]"_s).toStdString()) },
                "text")
                .value(),
            {});
        fixture.document.waitForAnalysis();
        QTRY_COMPARE(view.keyFigure(), u"1 KiB per device"_s);
    }

    /// A program says itself where its arrays lie; that is shown, and nothing is chosen here.
    void programsSayThemselves()
    {
        Fixture fixture(findExample("jax-memory-transfer")->experiment);
        MemoryView view(&fixture.document, &fixture.selection);
        view.resize(700, 240);
        view.show();
        QVERIFY(!view.onHost()->isVisible());
        QStringList stated;
        for (const QLabel* label : view.findChildren<QLabel*>())
            if (label->isVisible())
                stated << label->text();
        QVERIFY2(stated.join(u'\n').contains(u"16 B per device, less than 0.1 % of 16 GiB"_s),
            qPrintable(stated.join(u'\n')));
        QCOMPARE(view.hostText(), u"16 B per device on the host, 16 B in, 16 B back"_s);
    }
};

REGISTER_TEST(TestMemory)
#include "test_memory.moc"
