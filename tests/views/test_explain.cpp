// SPDX-License-Identifier: GPL-3.0-or-later
#include <QApplication>
#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QSignalSpy>
#include <QTest>
#include <algorithm>

#include "registered_test.h"
#include "views/explain_view/explain_view.h"
#include "views/panel_fixture.h"
#include "views/span_text/span_text.h"
#include "views/widgets/segmented_bar.h"

using namespace shardscope;
using namespace Qt::StringLiterals;
using test::Fixture;

class TestExplain : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { test::failOnWarnings(); }

    void spansKeepTheirTextAndPlace()
    {
        const words::Text text{ { u"sharded along "_s }, { u"model"_s, words::Span::Style::Axis, 1 },
            { u", which has 4 devices and is named at some length so that the line has to be broken."_s } };
        const Theme& theme = Theme::light();
        const SpanLayout otherAttributes = SpanLayout::make(text, QFont(), 0, AxisMarks::Chips, theme);
        QCOMPARE(otherAttributes.text->lineCount(), 1);
        QCOMPARE(otherAttributes.chips.size(), 1U);
        QCOMPARE(otherAttributes.chips[0].axis, 1);
        QVERIFY(otherAttributes.chips[0].rect.left() > 0
            && otherAttributes.chips[0].rect.right() < otherAttributes.naturalWidth);
        const SpanLayout narrow =
            SpanLayout::make(text, QFont(), otherAttributes.naturalWidth / 3, AxisMarks::Chips, theme);
        QVERIFY(narrow.text->lineCount() >= 3);
        QVERIFY(narrow.naturalWidth <= otherAttributes.naturalWidth / 3);
        QVERIFY(narrow.height >= 3 * otherAttributes.height - 1);
        QVERIFY(SpanLayout::make(text, QFont(), 0, AxisMarks::Coloured, theme).chips.empty());

        SpanLabel label(text);
        QCOMPARE(label.accessibleName(), words::plain(text));
        QVERIFY(label.accessibleDescription().isEmpty());
        // A name that it was given stays, whatever is said next; the text is the description then.
        SpanLabel named;
        named.setAccessibleName(u"Why it is there"_s);
        for (const words::Text& said : { text, words::Text{ { u"Nothing"_s, words::Span::Style::Plain, -1 } } }) {
            named.setText(said);
            QCOMPARE(named.accessibleName(), u"Why it is there"_s);
            QCOMPARE(named.accessibleDescription(), words::plain(said));
        }
        label.setText({ { u"Another one"_s, words::Span::Style::Plain, -1 } });
        QCOMPARE(label.accessibleName(), u"Another one"_s);
        label.setText(text);
        QVERIFY(label.heightForWidth(120) > label.heightForWidth(600));
    }

    void explainsTheSelectedTensor()
    {
        Fixture fixture;
        ExplainView view(&fixture.document, &fixture.selection);
        view.resize(530, 400);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));

        // Nothing selected: one sentence, one button.
        auto* button = view.findChild<QPushButton*>(QString(), Qt::FindChildrenRecursively);
        QVERIFY(button);
        QPushButton* first = nullptr;
        for (QPushButton* candidate : view.findChildren<QPushButton*>())
            if (candidate->isVisible())
                first = candidate;
        QVERIFY(first);
        QTest::mouseClick(first, Qt::LeftButton);
        QCOMPARE(fixture.selection.tensor(), u"params/layers.0/W1"_s);
        QCOMPARE(view.keyFigure(), u"P(-, model)"_s);

        const QString paragraph = view.asText();
        QVERIFY(paragraph.contains(u"W1"_s) && paragraph.contains(u"hidden"_s) && paragraph.contains(u"model"_s));
        view.setLength(words::Length::Tip);
        const QString tip = view.asText();
        view.setLength(words::Length::Derivation);
        const QString derivation = view.asText();
        QVERIFY(tip.size() < paragraph.size());
        QVERIFY(paragraph.size() < derivation.size());
    }

    /// A compiled program has axes that nobody has named.
    void numberedAxesAreExplained()
    {
        Fixture fixture(*experimentOf(
            ProgramModel{
                {}, std::make_shared<const std::string>(R"(HloModule jit_f, is_scheduled=true, num_partitions=4

ENTRY %main_spmd (x: f32[2,8]) -> f32[8,8] {
  %x = f32[2,8]{1,0} parameter(0), sharding={devices=[4,1]<=[4]}
  ROOT %g = f32[8,8]{1,0} all-gather(%x), channel_id=1, replica_groups=[1,4]<=[4], dimensions={0}, use_global_device_ids=true
}
)") },
            "compiled"));
        fixture.selection.setTensor(u"x"_s);
        ExplainView view(&fixture.document, &fixture.selection);
        view.resize(530, 400);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        view.setLength(words::Length::Paragraph);
        QVERIFY2(
            view.asText().contains(u"axis_0 has 4 devices. XLA keeps groups of devices"_s), qPrintable(view.asText()));
    }

    /// A loop over thirty values is no list of thirty names.
    void manyOperandsAreCounted()
    {
        std::string text = "func.func public @main(", names, types;
        for (int i = 0; i < 9; ++i) {
            const std::string comma = i == 0 ? "" : ", ", name = "%arg" + std::to_string(i);
            text += comma + name + ": tensor<8xf32>";
            names += comma + name;
            types += comma + "tensor<8xf32>";
        }
        text += ") -> tensor<72xf32> {\n  %0 = stablehlo.concatenate " + names + ", dim = 0 : (" + types
            + ") -> tensor<72xf32>\n  return %0 : tensor<72xf32>\n}\n";
        Experiment experiment = test::example("rule-lab");
        experiment.mesh.axes = { { "x", 2 } };
        experiment.hardware.devices = DeviceSet{ "generic-cpu", "cpu", 1, 2 };
        experiment.model = ProgramModel{ {}, std::make_shared<const std::string>(text), {} };
        Fixture fixture(experiment);
        fixture.selection.setTensor(u"0"_s);
        ExplainView view(&fixture.document, &fixture.selection);
        view.resize(530, 400);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        view.setLength(words::Length::Paragraph);
        QVERIFY2(view.asText().contains(u"computed from %arg0, %arg1, %arg2, %arg3 and 5 more by concatenate"_s),
            qPrintable(view.asText()));
        QVERIFY(!view.asText().contains(u"%arg4"_s));
        view.setLength(words::Length::Derivation);
        QVERIFY2(view.asText().contains(u"%arg7 and %arg8 by concatenate"_s), qPrintable(view.asText()));
    }

    void saysWhatDoesNotDivideAndWhatWould()
    {
        Experiment experiment = test::example("flax-mlp-logical");
        experiment.mesh.axes = { { "data", 4 }, { "model", 2 } };
        std::get<MlpModel>(experiment.model).settings.batch = 10;
        Fixture fixture(experiment);
        fixture.selection.setTensor(u"x"_s);
        ExplainView view(&fixture.document, &fixture.selection);
        view.resize(530, 400);
        view.show();
        for (const auto length : { words::Length::Tip, words::Length::Paragraph, words::Length::Derivation }) {
            view.setLength(length);
            const QString text = view.asText();
            for (const char* part : { "rule 1 maps batch to data", "E101", "size 10", "4 devices along data",
                     "2 of 12 are padding, 17 %", "No step can run", "8 or 12", "2 devices along data" })
                QVERIFY2(text.contains(QLatin1String(part)), qPrintable(QLatin1String(part) + u": "_s + text));
            QCOMPARE(text.count(u"E101"_s), 1);
        }
        // Where nobody asked for it, there is padding and nothing to mend.
        fixture.selection.setTensor(u"layers.0/z"_s);
        QVERIFY(view.asText().contains(u"2 of 12 are padding"_s));
        QVERIFY(!view.asText().contains(u"E101"_s));
    }

    void whatIfIsOneUndoStep()
    {
        Fixture fixture;
        fixture.selection.setTensor(u"params/layers.0/W1"_s);
        ExplainView view(&fixture.document, &fixture.selection);
        QSignalSpy ready(&view, &ExplainView::whatIfsChanged);
        view.resize(530, 500);
        view.show();
        QVERIFY(view.whatIfs().empty());
        QTRY_VERIFY_WITH_TIMEOUT(!view.whatIfs().empty(), 20000);
        QVERIFY(ready.count() >= 1);

        const Experiment before = *fixture.document.experiment();
        const Experiment expected = view.whatIfs().front().after;
        QPushButton* apply = nullptr;
        for (QPushButton* candidate : view.findChildren<QPushButton*>())
            if (!apply && candidate->isVisible() && candidate->text() == u"Apply"_s)
                apply = candidate;
        QVERIFY(apply);
        apply->click();
        QCOMPARE(fixture.document.undoStack()->count(), 1);
        QVERIFY(*fixture.document.experiment() == expected);
        // What was worked out for the earlier state cannot be applied to this one.
        QVERIFY(!view.apply(0));
        QCOMPARE(fixture.document.undoStack()->count(), 1);
        fixture.document.waitForAnalysis();
        QTRY_VERIFY_WITH_TIMEOUT(!view.whatIfs().empty(), 20000);
        fixture.document.undoStack()->undo();
        QVERIFY(*fixture.document.experiment() == before);
    }

    void linksLeadToWhatTheyName()
    {
        Fixture fixture;
        fixture.selection.setTensor(u"params/layers.0/W1"_s);
        ExplainView view(&fixture.document, &fixture.selection);
        QSignalSpy docks(&view, &ExplainView::dockRequested);
        view.resize(530, 500);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        const auto labelWith = [&](const QString& link) -> SpanLabel* {
            for (SpanLabel* label : view.findChildren<SpanLabel*>())
                for (const words::Span& span : label->text())
                    if (span.link == link && label->isVisible())
                        return label;
            return nullptr;
        };
        // By pointer.
        SpanLabel* label = labelWith(u"rule:1"_s);
        QVERIFY(label);
        QPoint at(-1, -1);
        for (int y = 0; y < label->height() && at.x() < 0; y += 3)
            for (int x = 0; x < label->width() && at.x() < 0; x += 3)
                if (label->linkAt({ x, y }) == u"rule:1"_s)
                    at = { x, y };
        QVERIFY(at.x() >= 0);
        QTest::mouseClick(label, Qt::LeftButton, {}, at);
        QTRY_COMPARE(docks.count(), 1);
        QCOMPARE(docks.takeFirst().front().toString(), u"rules"_s);
        QCOMPARE(fixture.selection.rule(), 1);
        // By keyboard.
        fixture.selection.setTensor(u"grad(params/layers.0/W1)"_s);
        QTRY_VERIFY((label = labelWith(u"value:opt/mu/layers.0/W1"_s)));
        QVERIFY(!label->accessibleDescription().isEmpty());
        label->setFocus(Qt::TabFocusReason);
        QSignalSpy followed(label, &SpanLabel::linkActivated);
        const auto reached = [&] {
            return !followed.isEmpty() && followed.last().front().toString() == u"value:opt/mu/layers.0/W1"_s;
        };
        for (int i = 0; i < 6 && !reached(); ++i) {
            QTest::keyClick(label, Qt::Key_Return);
            QTest::keyClick(label, Qt::Key_Right);
        }
        QTRY_COMPARE(fixture.selection.tensor(), u"opt/mu/layers.0/W1"_s);
    }

    void whyNot()
    {
        Fixture fixture;
        fixture.selection.setTensor(u"params/layers.0/W1"_s);
        ExplainView view(&fixture.document, &fixture.selection);
        view.resize(530, 700);
        view.show();
        QTRY_VERIFY_WITH_TIMEOUT(!view.whyNot().empty(), 20000);
        QVERIFY(view.asText().contains(words::plain(view.whyNot().front())));
        const auto isShown = [&] {
            const auto labels = view.findChildren<SpanLabel*>();
            return std::any_of(labels.begin(), labels.end(),
                [&](const SpanLabel* label) { return label->isVisible() && label->text() == view.whyNot().front(); });
        };
        QTRY_VERIFY(isShown());
        // Of one dimension other axes count.
        const auto all = view.whyNot();
        fixture.selection.setDimension(0);
        QVERIFY(view.whyNot().empty());
        QTRY_VERIFY_WITH_TIMEOUT(!view.whyNot().empty(), 20000);
        QVERIFY(view.whyNot() != all);
        // Scalars have no dimensions.
        fixture.selection.setTensor(u"loss"_s);
        QTRY_VERIFY_WITH_TIMEOUT(!view.isWorking(), 20000);
        QVERIFY(view.whyNot().empty());
    }

    void operations()
    {
        Fixture fixture;
        fixture.selection.setTensor(u"params/layers.0/W1"_s);
        ExplainView view(&fixture.document, &fixture.selection);
        view.resize(530, 500);
        view.show();
        fixture.selection.setOperation(u"%26"_s, {});
        QVERIFY2(view.asText().contains(u"It takes "_s), qPrintable(view.asText()));
        QCOMPARE(fixture.selection.tensor(), u"params/layers.0/W1"_s);
        fixture.selection.setTensor(u"x"_s);
        QVERIFY(!view.asText().contains(u"It takes "_s));
        // One that a tensor comes from is explained with it.
        fixture.selection.setOperation(u"layers.0/h"_s, u"layers.0/h"_s);
        QVERIFY(view.asText().startsWith(u"Why Layer 0 / h looks like this"_s));
    }

    /// Where there is no room for all of the title, it is the name that stays.
    void theTitleKeepsTheName()
    {
        Fixture fixture;
        fixture.selection.setTensor(u"layers.0/h"_s);
        ExplainView view(&fixture.document, &fixture.selection);
        view.show();
        const auto title = [&view] {
            const auto labels = view.findChildren<QLabel*>();
            const auto found = std::find_if(labels.begin(), labels.end(),
                [](const QLabel* label) { return label->isVisible() && label->text().startsWith(u"Why "_s); });
            return found == labels.end() ? nullptr : *found;
        };
        for (const int width : { 900, 560, 340, 240 }) {
            view.resize(width, 400);
            QTRY_VERIFY(title());
            QTRY_VERIFY2(title()->fontMetrics().horizontalAdvance(title()->text()) <= title()->width()
                    || title()->text() == u"Why Layer 0 / h"_s,
                qPrintable(title()->text()));
            if (width == 900)
                QCOMPARE(title()->text(), u"Why Layer 0 / h looks like this"_s);
        }
        QVERIFY(view.asText().startsWith(u"Why Layer 0 / h looks like this"_s));
    }

    void lowDocksShowTheTip()
    {
        Fixture fixture;
        fixture.selection.setTensor(u"params/layers.0/W1"_s);
        ExplainView view(&fixture.document, &fixture.selection);
        view.resize(600, 400);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        const QString full = view.asText();
        view.resize(600, 80);
        QTRY_VERIFY(view.asText().size() < full.size());
        view.resize(600, 400);
        QTRY_VERIFY(view.asText().startsWith(full.left(40)));
        QCOMPARE(view.length(), words::Length::Paragraph);
    }

    /// The bar of lengths goes where the view is low: its keyboard is with what leads on, and comes back with the bar.
    void theKeyboardGoesOnInLowDocks()
    {
        Fixture fixture;
        fixture.selection.setTensor(u"params/layers.0/W1"_s);
        QWidget window;
        window.resize(640, 480);
        ExplainView view(&fixture.document, &fixture.selection, &window);
        view.resize(600, 400);
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        view.setFocus();
        QWidget* const lengths = view.findChild<SegmentedBar*>();
        QCOMPARE(QApplication::focusWidget(), lengths);
        view.resize(600, 80);
        auto* more = qobject_cast<QPushButton*>(QApplication::focusWidget());
        QVERIFY(more && more->isVisible());
        QCOMPARE(more->text(), u"More"_s);
        view.resize(600, 400);
        QCOMPARE(QApplication::focusWidget(), lengths);
        // All of it is scrolled there.
        view.resize(600, 80);
        const QString tip = view.asText();
        QTest::keyClick(more, Qt::Key_Space);
        QVERIFY(view.asText().size() > tip.size());
        QTRY_VERIFY_WITH_TIMEOUT(!view.whatIfs().empty(), 60'000);
        QCOMPARE(QApplication::focusWidget(), static_cast<QWidget*>(view.findChild<QScrollArea*>()));
    }

    /// The window takes the focus proxy of every view away, since Tab would not reach what stands before it.
    void nothingIsExplainedInALowDock()
    {
        Fixture fixture;
        ExplainView view(&fixture.document, &fixture.selection);
        view.setFocusProxy(nullptr);
        view.resize(600, 400);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        const QWidget* const lengths = view.findChild<SegmentedBar*>();
        QCOMPARE(view.usualControl(), lengths);
        view.resize(600, 80);
        QVERIFY(view.usualControl() != lengths);
        view.resize(600, 400);
        QCOMPARE(view.usualControl(), lengths);
    }

    void longNamesLeaveTheReasonsTheirRoom()
    {
        Experiment experiment = test::example("rule-lab");
        NamedArraySetting& array = std::get<ArraysModel>(experiment.model).arrays.front();
        const std::string name = "batch_" + std::string(80, 'y') + "_end";
        array.names[0] = LogicalName::of(name);
        experiment.rules.rules.list[0].name = LogicalName::of(name);
        Fixture fixture(experiment);
        fixture.selection.setTensor(u"array"_s);
        ExplainView view(&fixture.document, &fixture.selection);
        view.resize(420, 400);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        const auto* scroll = view.findChild<QScrollArea*>();
        QVERIFY2(scroll->widget()->width() <= scroll->viewport()->width(),
            qPrintable(u"%1 > %2"_s.arg(scroll->widget()->width()).arg(scroll->viewport()->width())));
        QVERIFY(view.asText().contains(QString::fromStdString(name)));
    }

    /// The combo box moves the array, and one step of undo takes it back.
    void movesAnArrayToTheHost()
    {
        Fixture fixture(test::example("rule-lab"));
        fixture.selection.setTensor(u"array"_s);
        ExplainView view(&fixture.document, &fixture.selection);
        view.resize(530, 400);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        QComboBox* memory = view.memory();
        QVERIFY(memory->isVisible() && !memory->accessibleName().isEmpty());
        QVERIFY(memory->focusPolicy() & Qt::TabFocus);
        QCOMPARE(memory->currentIndex(), 0);
        QVERIFY(memory->currentText().startsWith(u"Default: "_s));
        QVERIFY(!view.asText().contains(u"pinned_host"_s));
        const Experiment before = *fixture.document.experiment();
        memory->setFocus();
        memory->setCurrentIndex(memory->findText(u"pinned_host"_s));
        Q_EMIT memory->activated(memory->currentIndex());
        fixture.document.waitForAnalysis();
        QCOMPARE(fixture.document.undoStack()->count(), 1);
        QCOMPARE(fixture.document.undoStack()->undoText(), u"array in pinned_host memory"_s);
        QVERIFY2(view.asText().contains(u"It lies in pinned_host memory"_s), qPrintable(view.asText()));
        QCOMPARE(memory->currentText(), u"pinned_host"_s);
        fixture.document.undoStack()->undo();
        fixture.document.waitForAnalysis();
        QVERIFY(*fixture.document.experiment() == before);
        QCOMPARE(memory->currentIndex(), 0);
        QVERIFY(!view.asText().contains(u"pinned_host"_s));
        view.setLength(words::Length::Tip);
        QVERIFY(!memory->isVisible());
        // A network's arrays are not moved one by one.
        view.setLength(words::Length::Paragraph);
        fixture.document.setExperiment(test::example("flax-mlp-logical"), {});
        fixture.document.waitForAnalysis();
        fixture.selection.setTensor(u"x"_s);
        QVERIFY(!memory->isVisible());
    }

    /// A kind that the platform lacks stays in sight until another one is chosen.
    void showsAMemoryThatThePlatformLacks()
    {
        Experiment experiment = test::example("rule-lab");
        experiment.hardware.devices = DeviceSet::ofHosts("generic-gpu", "gpu", 1, 8);
        std::get<ArraysModel>(experiment.model).arrays.front().memoryKind = MemoryKind::UnpinnedHost;
        Fixture fixture(experiment);
        fixture.selection.setTensor(u"array"_s);
        ExplainView view(&fixture.document, &fixture.selection);
        view.show();
        QCOMPARE(view.memory()->currentText(), u"unpinned_host"_s);
        QCOMPARE(view.memory()->count(), 4);
    }

    void survivesWhatTheExperimentLacks()
    {
        Fixture fixture;
        fixture.selection.setTensor(u"params/layers.3/W1"_s);
        ExplainView view(&fixture.document, &fixture.selection);
        view.show();
        fixture.document.setExperiment(test::example("rule-lab"), {});
        fixture.document.waitForAnalysis();
        QVERIFY(view.keyFigure().isEmpty());
        fixture.selection.setTensor(u"no/such"_s);
        fixture.selection.setTensor({});
        QVERIFY(view.whatIfs().empty());
    }
};

REGISTER_TEST(TestExplain)
#include "test_explain.moc"
