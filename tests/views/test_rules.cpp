// SPDX-License-Identifier: GPL-3.0-or-later
// The Rules dock and the rule trace: the model under Qt's tester, targets as people type them, priorities changed by
// keys and mouse, names dropped on axes, and the trace of the resolver's documented example.
#include <QAbstractItemModelTester>
#include <QComboBox>
#include <QLineEdit>
#include <QPushButton>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QStyleOption>
#include <QTest>
#include <QThreadPool>
#include <QToolButton>

#include "document/document.h"
#include "document/edit_preview.h"
#include "document/selection.h"
#include "experiment/builtin.h"
#include "experiment/rule_edits.h"
#include "experiment_file/experiment_file.h"
#include "experiment_file/gallery.h"
#include "registered_test.h"
#include "sharding/text.h"
#include "views/panel_fixture.h"
#include "views/rules_view/axis_tray.h"
#include "views/rules_view/rule_entry.h"
#include "views/rules_view/rule_list_bar.h"
#include "views/rules_view/rule_trace_view.h"
#include "views/rules_view/rules_menu.h"
#include "views/rules_view/rules_model.h"
#include "views/rules_view/rules_table.h"
#include "views/rules_view/rules_view.h"
#include "views/rules_view/trace_matrix.h"
#include "views/theme/appearance.h"
#include "views/widgets/chip.h"
#include "views/widgets/notice_strip.h"
#include "views/widgets/short_combo.h"

using namespace shardscope;
using namespace Qt::StringLiterals;

namespace {

Experiment example(std::string_view id)
{
    for (const Example& candidate : builtinExamples())
        if (candidate.id == id)
            return candidate.make();
    return {};
}

/// The table as text, one row per line.
QStringList rowsOf(const QAbstractItemModel& model)
{
    QStringList lines;
    for (int row = 0; row < model.rowCount(); ++row) {
        QStringList cells;
        for (int column = 0; column < 3; ++column)
            cells << model.index(row, column).data().toString();
        lines << cells.join(QStringLiteral(" | "));
    }
    return lines;
}

QComboBox* pathEdit(const RuleListBar* bar)
{
    return bar->findChild<QComboBox*>(u"rulesPart"_s);
}

} // namespace

class TestRules : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// The second press of two quick ones arrives as a double click: it edits nothing, and removes the next rule.
    void twoQuickPressesRemoveTwoRules()
    {
        test::Fixture fixture(test::example("rule-lab"));
        RulesView view(&fixture.document, &fixture.selection);
        view.resize(420, 360);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        RulesTable* table = view.table();
        const auto count = [&] { return fixture.document.experiment()->rules.rules.list.size(); };
        const std::size_t before = count();
        QVERIFY(before >= 3);
        const QPoint at = table->removeRect(0).center();
        QTest::mouseMove(table->viewport(), at);
        for (const auto type : { QEvent::MouseButtonDblClick, QEvent::MouseButtonRelease }) {
            QMouseEvent event(type, at, table->viewport()->mapToGlobal(at), Qt::LeftButton,
                type == QEvent::MouseButtonRelease ? Qt::NoButton : Qt::LeftButton, Qt::NoModifier);
            QCoreApplication::sendEvent(table->viewport(), &event);
        }
        QCOMPARE(count(), before - 1);
        QVERIFY(!table->findChild<QLineEdit*>());
    }

    void init()
    {
        QTest::failOnWarning(
            QRegularExpression(QStringLiteral("^(?!This plugin does not support propagateSizeHints)")));
    }

    void theModelFollowsTheDocument()
    {
        Document document;
        document.setExperiment(example("flax-mlp-logical"), {});
        RulesModel model(&document);
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        document.waitForAnalysis();
        QCOMPARE(rowsOf(model),
            (QStringList{ QStringLiteral("1 | batch | data"), QStringLiteral("2 | hidden | model"),
                QStringLiteral("– | embed | no rule") }));
        QVERIFY(model.index(1, RulesModel::Uses).data().toInt() > 0);
        for (int row = 0; row < model.rowCount(); ++row) { // a long name is shortened
            const QModelIndex name = model.index(row, RulesModel::Name);
            QVERIFY(name.data(Qt::ToolTipRole).toString().startsWith(name.data().toString() + u'\n'));
        }

        // Both sides can be typed over; the name without a rule gets one by its target.
        QVERIFY(model.setData(model.index(0, RulesModel::Axes), QStringLiteral("data, model")));
        QCOMPARE(model.index(0, RulesModel::Axes).data().toString(), QStringLiteral("(data, model)"));
        QCOMPARE(model.index(0, 0).data(RulesModel::AxesRole).toStringList(),
            (QStringList{ QStringLiteral("data"), QStringLiteral("model") }));
        QVERIFY(model.setData(model.index(2, RulesModel::Axes), QStringLiteral("data")));
        QCOMPARE(model.ruleCount(), 3);
        QCOMPARE(model.index(2, RulesModel::Name).data().toString(), QStringLiteral("embed"));
        QCOMPARE(model.index(2, 0).data(RulesModel::AxisIndicesRole).toList(), QVariantList{ 0 });
        document.waitForAnalysis();
        QCOMPARE(model.rowCount(), 3);
        QVERIFY(!model.setData(model.index(0, RulesModel::Name), QString()));
        for (int i = 0; i < 2; ++i)
            document.undoStack()->undo();
        document.waitForAnalysis();
        QCOMPARE(model.rowCount(), 3);
        QCOMPARE(model.ruleCount(), 2);

        // A rule for an axis that the mesh lacks is kept and shown without an axis' colour.
        QVERIFY(model.setData(model.index(1, RulesModel::Axes), QStringLiteral("nowhere")));
        QCOMPARE(model.index(1, 0).data(RulesModel::AxisIndicesRole).toList(), QVariantList{ -1 });
    }

    void editorsLeftAsTheyAreChangeNothing()
    {
        Experiment experiment = example("flax-mlp-logical");
        auto& rules = experiment.rules.rules.list;
        rules = { { LogicalName::of("batch"), SpecEntry::unconstrained(), false, 2 },
            { LogicalName::of("hidden"), SpecEntry::tuple({}), false, 2 },
            { LogicalName::unconstrained(), SpecEntry::axis("model"), false, 2 },
            { LogicalName::none(), SpecEntry::none(), false, 2 } };
        Document document;
        document.setExperiment(experiment, {});
        RulesModel model(&document);
        for (int row = 0; row < model.rowCount(); ++row)
            for (const int column : { int(RulesModel::Name), int(RulesModel::Axes) }) {
                const QModelIndex index = model.index(row, column);
                QVERIFY(!model.setData(index, index.data(Qt::EditRole)));
            }
        QCOMPARE(document.undoStack()->count(), 0);
        QCOMPARE(*document.experiment() == experiment, true);
        // What is typed over it counts.
        QVERIFY(model.setData(model.index(0, RulesModel::Axes), QStringLiteral("data")));
        QVERIFY(model.setData(model.index(0, RulesModel::Axes), QStringLiteral("?")));
        QCOMPARE(*document.experiment() == experiment, true);
    }

    void prioritiesByKeyAndMouse()
    {
        Appearance appearance(ThemeChoice::Light);
        Document document;
        Selection selection;
        document.setExperiment(example("rule-lab"), {});
        document.waitForAnalysis();
        RulesView view(&document, &selection);
        view.resize(400, 300);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        RulesTable* table = view.table();
        const auto names = [&] {
            QStringList list;
            for (int row = 0; row < view.model()->ruleCount(); ++row)
                list << view.model()->nameAt(row);
            return list.join(QLatin1Char(' '));
        };
        table->setCurrentIndex(view.model()->index(1, RulesModel::Name));
        QCOMPARE(selection.rule(), 1);
        QTest::keyClick(table, Qt::Key_Up, Qt::AltModifier);
        QCOMPARE(names(), QStringLiteral("features batch heads batch"));
        QCOMPARE(selection.rule(), 0);
        QTest::keyClick(table, Qt::Key_Up, Qt::AltModifier); // at the top already
        QCOMPARE(document.undoStack()->count(), 1);
        document.undoStack()->undo();

        const auto at = [&](int row) {
            return table->visualRect(view.model()->index(row, RulesModel::Number)).center();
        };
        QTest::mousePress(table->viewport(), Qt::LeftButton, Qt::NoModifier, at(0));
        QTest::mouseMove(table->viewport(), at(0) + QPoint(0, 6));
        QTest::mouseMove(table->viewport(), at(1));
        QCOMPARE(names(), QStringLiteral("features batch heads batch")); // shown while the drag goes on
        QTest::mouseMove(table->viewport(), at(2));
        QTest::mouseRelease(table->viewport(), Qt::LeftButton, Qt::NoModifier, at(2));
        QCOMPARE(names(), QStringLiteral("features heads batch batch"));
        QCOMPARE(document.undoStack()->count(), 1);
        document.undoStack()->undo();
        QCOMPARE(names(), QStringLiteral("batch features heads batch"));

        // Given up with Esc, nothing has happened.
        QTest::mousePress(table->viewport(), Qt::LeftButton, Qt::NoModifier, at(0));
        QTest::mouseMove(table->viewport(), at(0) + QPoint(0, 6));
        QTest::mouseMove(table->viewport(), at(2));
        QTest::keyClick(table, Qt::Key_Escape);
        QTest::mouseRelease(table->viewport(), Qt::LeftButton, Qt::NoModifier, at(2));
        QCOMPARE(names(), QStringLiteral("batch features heads batch"));
        QVERIFY(!document.isModified());

        QTest::keyClick(table, Qt::Key_Delete);
        QCOMPARE(view.model()->ruleCount(), 3);
        document.undoStack()->undo();

        // A name dropped on an axis: here length, which has no rule, on Z.
        const int unruled = view.model()->ruleCount();
        QCOMPARE(view.model()->nameAt(unruled), QStringLiteral("length"));
        const QPoint from = table->visualRect(view.model()->index(unruled, RulesModel::Name)).center();
        const QPoint to = table->viewport()->mapFromGlobal(view.tray()->mapToGlobal(view.tray()->chipRect(2).center()));
        QTest::mousePress(table->viewport(), Qt::LeftButton, Qt::NoModifier, from);
        QTest::mouseMove(table->viewport(), from + QPoint(6, 0));
        QTest::mouseMove(table->viewport(), to);
        QTest::mouseRelease(table->viewport(), Qt::LeftButton, Qt::NoModifier, to);
        QCOMPARE(view.model()->ruleCount(), 5);
        QCOMPARE(view.model()->index(4, RulesModel::Axes).data().toString(), QStringLiteral("Z"));
    }

    void rulesAreTypedInPlace()
    {
        Appearance appearance(ThemeChoice::Light);
        Document document;
        Selection selection;
        document.setExperiment(example("flax-mlp-logical"), {});
        document.waitForAnalysis();
        RulesView view(&document, &selection);
        view.resize(400, 240);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        view.table()->setFocus();
        view.table()->setCurrentIndex(view.model()->index(1, RulesModel::Axes));
        QTest::keyClick(view.table(), Qt::Key_F2);
        auto* editor = view.table()->viewport()->findChild<QLineEdit*>();
        QVERIFY(editor);
        editor->selectAll();
        QTest::keyClicks(editor, QStringLiteral("data, model"));
        QTest::keyClick(editor, Qt::Key_Return);
        QTRY_COMPARE(view.model()->index(1, RulesModel::Axes).data().toString(), QStringLiteral("(data, model)"));
    }

    /// A rule that nothing uses is a grey zero; a triangle stands where Problems warns of it, too.
    void warningsAreThoseOfProblems()
    {
        Document document;
        document.setExperiment(example("flax-mlp-logical"), {});
        document.waitForAnalysis();
        RulesModel model(&document);
        const auto warned = [&](int row) {
            return model.index(row, RulesModel::Uses).data(RulesModel::WarningRole).toBool();
        };
        const auto isTold = [&](int row) {
            const auto& problems = document.snapshot()->problems;
            return std::any_of(problems.begin(), problems.end(), [&](const Problem& problem) {
                const auto place = rulePlaceOf(problem.diagnostic.where.pointer);
                return place && place->list.isOuter() && place->rule == row
                    && problem.diagnostic.severity() == Severity::Warning;
            });
        };
        for (int row = 0; row < model.ruleCount(); ++row)
            QCOMPARE(warned(row), isTold(row));
        // A rule for a name that nothing has is told, and warned of in its row.
        const auto after =
            withRuleInserted(*document.experiment(), {}, 0, { LogicalName::of("nobody"), SpecEntry::none(), false, 2 });
        QVERIFY(after);
        QVERIFY(document.edit(*after, QStringLiteral("rule")));
        document.waitForAnalysis();
        QVERIFY(warned(0));
        QCOMPARE(model.index(0, RulesModel::Uses).data().toString(), QStringLiteral("0"));
        for (int row = 0; row < model.ruleCount(); ++row)
            QCOMPARE(warned(row), isTold(row));
    }

    /// Two choices and Return; nothing is a rule before.
    void aNewRuleIsChosen()
    {
        test::Fixture f;
        RulesView view(&f.document, &f.selection);
        view.resize(400, 300);
        view.show();
        QVERIFY(QTest::qWaitForWindowActive(&view));
        RuleEntry* entry = view.entry();
        QVERIFY(entry->isHidden());
        QTest::keyClick(view.table(), Qt::Key_Insert);
        QVERIFY(entry->isVisible());
        QCOMPARE(f.document.undoStack()->count(), 0);
        QCOMPARE(view.model()->ruleCount(), 2);
        // The name that has no rule, selected, so that what is typed takes its place.
        QCOMPARE(entry->names()->currentText(), QStringLiteral("embed"));
        QCOMPARE(entry->names()->lineEdit()->selectedText(), QStringLiteral("embed"));
        QTest::keyClick(entry->names()->lineEdit(), Qt::Key_Escape);
        QVERIFY(entry->isHidden());
        QVERIFY(view.table()->hasFocus());
        QCOMPARE(f.document.undoStack()->count(), 0);

        view.addRule(QStringLiteral("embed"));
        QVERIFY(entry->toggle(0)->hasFocus());
        QTest::keyClick(entry->toggle(1), Qt::Key_Space);
        QTest::keyClick(entry->toggle(0), Qt::Key_Space);
        QCOMPARE(entry->chosen(), (QStringList{ QStringLiteral("model"), QStringLiteral("data") }));
        QCOMPARE(entry->toggle(1)->place(), 1);
        QCOMPARE(entry->toggle(0)->place(), 2);
        QTest::keyClick(entry->toggle(1), Qt::Key_Space); // off again
        QCOMPARE(entry->chosen(), QStringList{ QStringLiteral("data") });
        QTest::keyClick(entry->toggle(1), Qt::Key_Return);
        QVERIFY(entry->isHidden());
        QCOMPARE(view.model()->ruleCount(), 3);
        QCOMPARE(view.model()->nameAt(2), QStringLiteral("embed"));
        QCOMPARE(view.model()->index(2, RulesModel::Axes).data().toString(), QStringLiteral("data"));
        QCOMPARE(view.table()->currentIndex().row(), 2);
        QCOMPARE(f.document.undoStack()->count(), 1); // one step
    }

    void previewsSayWhatWouldChange()
    {
        Document document;
        document.setExperiment(example("flax-mlp-logical"), {});
        document.waitForAnalysis();
        const auto after = withAxisSize(*document.experiment(), 0, 4, true);
        QVERIFY(after);
        AnalysisCache cache;
        const auto preview = editPreview(*document.snapshot(), *after, cache);
        QVERIFY(preview);
        const QString text = preview->sentence();
        // P(-, model) stays P(-, model): what changes is what a device holds and sends.
        QVERIFY2(text.contains(QStringLiteral("8 weights change, 32 → 64 MiB per device")), qPrintable(text));
        QVERIFY2(text.contains(QStringLiteral("sent 8.16 → 24.1 MiB per step")), qPrintable(text));
        const auto same = editPreview(*document.snapshot(), *document.experiment(), cache);
        QCOMPARE(same->sentence(), QStringLiteral("nothing changes"));
        using Part = EditPreview::Part;
        QCOMPARE(same->parts(true),
            (QList<Part>{ { QStringLiteral("nothing changes"), false }, { QStringLiteral("32 MiB per device"), false },
                { QStringLiteral("sent 8.16 MiB per step"), false } }));
        const QList<Part> changed = preview->parts(true);
        QCOMPARE(changed.size(), 3);
        QVERIFY(std::all_of(changed.begin(), changed.end(), [](const Part& part) { return part.changes; }));

        // Beside the window: only the newest one asked for is answered, and none that was given up.
        EditPreviewer previewer;
        QSignalSpy ready(&previewer, &EditPreviewer::ready);
        previewer.request(document.snapshot(), *document.experiment());
        previewer.request(document.snapshot(), *after);
        QCOMPARE(ready.count(), 0); // not while the mouse moves
        QTRY_COMPARE(ready.count(), 1);
        QCOMPARE(ready.front().front().value<EditPreview>().sentence(), text);
        previewer.request(document.snapshot(), *after);
        previewer.cancel();
        QThreadPool::globalInstance()->waitForDone();
        QCoreApplication::processEvents();
        QCOMPARE(ready.count(), 1);
    }

    void traceOfTheDocumentedExample()
    {
        Appearance appearance(ThemeChoice::Light);
        Document document;
        Selection selection;
        document.setExperiment(example("rule-lab"), {});
        document.waitForAnalysis();
        RuleTraceView view(&document, &selection);
        view.resize(1000, 500);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        selection.setTensor(QStringLiteral("array"));
        QCOMPARE(view.keyFigure(), QStringLiteral("P(X, -, Y, -)"));
        // It opens at the first rule that was skipped, and says what the other order would give.
        QCOMPARE(view.matrix()->currentRule(), 1);
        const QString otherOrder = QStringLiteral("P(X, -, Y, -) → P(Z, -, Y, X)");
        QVERIFY(test::shows(&view, otherOrder));
        QTest::keyClick(view.matrix(), Qt::Key_Right);
        QCOMPARE(view.matrix()->currentRule(), 2);
        QVERIFY(!test::shows(&view, otherOrder));
        QCOMPARE(selection.rule(), 2);
        QTest::keyClick(view.matrix(), Qt::Key_Home);
        QTest::keyClick(view.matrix(), Qt::Key_Right);
        QVERIFY(view.applyWhatIf());
        QCOMPARE(view.keyFigure(), QStringLiteral("P(Z, -, Y, X)"));
        QCOMPARE(view.matrix()->currentRule(), 0);
        QCOMPARE(document.undoStack()->count(), 1);
        QVERIFY(view.matrix()->subject().leftover().empty());
        document.undoStack()->undo();

        view.traceNames(QStringLiteral("heads, batch"));
        QCOMPARE(view.keyFigure(), QStringLiteral("P(Y, X)"));
        view.traceNames(QStringLiteral("batch, batch")); // a name twice is an error, said in words
        QVERIFY(view.keyFigure().isEmpty());
        view.traceNames(QString());
        QCOMPARE(view.keyFigure(), QStringLiteral("P(X, -, Y, -)"));
    }

    /// The list that is edited is chosen; what is done acts on it alone, and the trace says whose rules decide.
    void rulesOfParts()
    {
        Appearance appearance(ThemeChoice::Light);
        Document document;
        Selection selection;
        Experiment experiment = example("flax-mlp-logical");
        experiment.rules.boundWhenTraced = true;
        document.setExperiment(experiment, {});
        document.waitForAnalysis();
        RulesView view(&document, &selection);
        QAbstractItemModelTester tester(view.model(), QAbstractItemModelTester::FailureReportingMode::QtTest);
        RuleTraceView trace(&document, &selection);
        view.resize(400, 300);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        RuleListBar* bar = view.findChild<RuleListBar*>();
        QVERIFY(!bar->isVisible()); // one list needs no choice

        // A part is asked for by its path; those of the model are offered, what cannot be is refused in words.
        view.menu()->findChild<QAction*>(QStringLiteral("rulesForPart"))->trigger();
        QVERIFY(bar->isVisible() && pathEdit(bar)->isVisible());
        QCOMPARE(pathEdit(bar)->itemText(1), QStringLiteral("layers.1"));
        QTest::keyClicks(pathEdit(bar)->lineEdit(), QStringLiteral("layers.1/"));
        QTest::keyClick(pathEdit(bar)->lineEdit(), Qt::Key_Return);
        QCOMPARE(document.undoStack()->count(), 0);
        QVERIFY2(view.notice()->text().contains(QStringLiteral("slash")), qPrintable(view.notice()->text()));
        QTest::keyClick(pathEdit(bar)->lineEdit(), Qt::Key_Escape);
        QVERIFY(!bar->isAsking() && !bar->isVisible());
        view.menu()->findChild<QAction*>(QStringLiteral("rulesForPart"))->trigger();
        QTest::keyClicks(pathEdit(bar)->lineEdit(), QStringLiteral("layers.1"));
        QTest::keyClick(pathEdit(bar)->lineEdit(), Qt::Key_Return);
        QCOMPARE(document.undoStack()->count(), 1);
        document.waitForAnalysis();
        QCOMPARE(view.model()->list(), RuleList{ 0 });
        QVERIFY(bar->isVisible() && !bar->isAsking());
        QVERIFY2(bar->lists()->currentText().startsWith(QStringLiteral("within layers.1 · ")),
            qPrintable(bar->lists()->currentText()));
        QVERIFY(bar->lists()->toolTip().contains(QStringLiteral("Layer 1 / W1")));
        // It begins as the arrays had it: nothing changes.
        QCOMPARE(rowsOf(*view.model()),
            (QStringList{ QStringLiteral("1 | batch | data"), QStringLiteral("2 | hidden | model"),
                QStringLiteral("– | embed | no rule") }));
        const auto spec = [&](const char* path) {
            return QString::fromStdString(toColumn(document.snapshot()->row(path)->spec));
        };
        QCOMPARE(spec("params/layers.1/W1"), QStringLiteral("P(-, model)"));

        // Edits by table, keys and drops act on the part.
        QVERIFY(view.model()->setData(view.model()->index(1, RulesModel::Axes), QStringLiteral("data")));
        QCOMPARE(document.undoStack()->undoText(), QStringLiteral("rule 2: hidden → data within layers.1"));
        document.waitForAnalysis();
        QCOMPARE(spec("params/layers.1/W1"), QStringLiteral("P(-, data)"));
        QCOMPARE(spec("params/layers.0/W1"), QStringLiteral("P(-, model)"));
        QVERIFY(document.experiment()->rules.rules == experiment.rules.rules);
        view.table()->setCurrentIndex(view.model()->index(1, RulesModel::Name));
        QCOMPARE(selection.rule(), ruleNumber({ { 0 }, 1 }));
        QTest::keyClick(view.table(), Qt::Key_Up, Qt::AltModifier);
        QCOMPARE(document.experiment()->rules.inner[0].rules.list[0].name.name, std::string("hidden"));
        QVERIFY(view.importText(QStringLiteral("[('embed', 'model')]"), QStringLiteral("text")));
        QCOMPARE(QString::fromStdString(toPython(document.experiment()->rules.inner[0].rules)),
            QStringLiteral("(('embed', 'model'),)"));
        QVERIFY(document.experiment()->rules.rules == experiment.rules.rules);
        document.waitForAnalysis();

        // The selected tensor leads to the list that decides for it, in the dock and in the trace.
        selection.setTensor(QStringLiteral("params/layers.0/W1"));
        QCOMPARE(view.model()->list(), RuleList{});
        QCOMPARE(trace.list(), RuleList{});
        QCOMPARE(trace.keyFigure(), QStringLiteral("P(-, model)"));
        selection.setTensor(QStringLiteral("params/layers.1/W1"));
        QCOMPARE(view.model()->list(), RuleList{ 0 });
        QCOMPARE(trace.list(), RuleList{ 0 });
        QCOMPARE(trace.keyFigure(), QStringLiteral("P(model, -)"));

        // The outer list again, by the box; another name for the part; and none.
        bar->lists()->setFocus();
        bar->lists()->setCurrentIndex(0);
        Q_EMIT bar->lists()->activated(0);
        QCOMPARE(view.model()->list(), RuleList{});
        QCOMPARE(view.model()->ruleCount(), 2);
        QVERIFY(!bar->removeButton()->isEnabled());
        view.chooseList({ 0 });
        bar->findChild<QToolButton*>(u"renameRuleList"_s)->click();
        QCOMPARE(pathEdit(bar)->currentText(), QStringLiteral("layers.1"));
        pathEdit(bar)->setEditText(QStringLiteral("layers.9"));
        QTest::keyClick(pathEdit(bar)->lineEdit(), Qt::Key_Return);
        QCOMPARE(document.experiment()->rules.inner[0].within, std::string("layers.9"));
        document.waitForAnalysis();
        QVERIFY2(
            bar->lists()->currentText().endsWith(QStringLiteral("no array")), qPrintable(bar->lists()->currentText()));
        // Within "opt/mu" they hold for the moments.
        bar->findChild<QToolButton*>(u"renameRuleList"_s)->click();
        pathEdit(bar)->setEditText(QStringLiteral("opt/mu"));
        QTest::keyClick(pathEdit(bar)->lineEdit(), Qt::Key_Return);
        document.waitForAnalysis();
        QVERIFY2(bar->lists()->currentText().startsWith(QStringLiteral("within opt/mu · 8 arrays")),
            qPrintable(bar->lists()->currentText()));
        bar->removeButton()->click();
        QVERIFY(document.experiment()->rules.inner.empty());
        QCOMPARE(view.model()->list(), RuleList{});
        QVERIFY(!bar->isVisible());
        document.undoStack()->undo();
        QCOMPARE(document.experiment()->rules.inner.size(), std::size_t{ 1 });
        document.undoStack()->setIndex(0);
        QVERIFY(*document.experiment() == experiment);
        QCOMPARE(view.model()->list(), RuleList{});
    }

    /// A list is known by its part: what is typed for one is not given to another, and where an earlier one goes, the
    /// one that is shown stays.
    void listsAreKnownByTheirParts()
    {
        Appearance appearance(ThemeChoice::Light);
        Document document;
        Selection selection;
        Experiment experiment = *withInnerRules(*withInnerRules(example("flax-mlp-logical"), "layers.0"), "layers.1");
        document.setExperiment(experiment, {});
        document.waitForAnalysis();
        RulesView view(&document, &selection);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        RuleListBar* bar = view.findChild<RuleListBar*>();
        view.chooseList({ 0 });
        bar->findChild<QToolButton*>(u"renameRuleList"_s)->click();
        QVERIFY(bar->isAskingForName());
        pathEdit(bar)->setEditText(QStringLiteral("layers.7"));
        selection.setTensor(QStringLiteral("params/layers.1/W1"));
        QCOMPARE(view.model()->list(), RuleList{ 1 });
        QVERIFY(!bar->isAsking() && bar->lists()->isVisible());
        QVERIFY(document.experiment()->rules == experiment.rules);

        bar->findChild<QToolButton*>(u"renameRuleList"_s)->click();
        document.edit(withoutInnerRules(experiment, { 1 }), QStringLiteral("gone"));
        QVERIFY(!bar->isAsking());
        QCOMPARE(view.model()->list(), RuleList{});
        document.undoStack()->undo();
        view.chooseList({ 1 });
        document.edit(withoutInnerRules(experiment, { 0 }), QStringLiteral("an earlier one"));
        QCOMPARE(view.model()->list(), RuleList{ 0 });
        QCOMPARE(withinOf(document.experiment()->rules, view.model()->list()), std::string("layers.1"));

        // An experiment's rules are taken without those of its parts, which is said.
        QVERIFY(view.importText(QString::fromStdString(writeExperiment(findExample("rule-lab-parts")->experiment)),
            QStringLiteral("parts.json")));
        QVERIFY2(view.notice()->text().contains(QStringLiteral("rules for parts of the model are not taken")),
            qPrintable(view.notice()->text()));
    }

    /// On a mesh of replica, data and model T5X' partitioner maps batch to both: it is said, and one step does it.
    void batchOverReplicaAndData()
    {
        Experiment experiment = example("rule-lab");
        experiment.mesh.axes = { { "replica", 2 }, { "data", 2 }, { "model", 2 } };
        experiment.rules.dialect = Dialect::T5x;
        experiment.rules.rules = *parseRules("[('batch', 'data'), ('features', 'model')]");
        Document document;
        document.setExperiment(experiment, {});
        document.waitForAnalysis();
        Selection selection;
        Appearance appearance(ThemeChoice::Light);
        RulesView view(&document, &selection);
        view.resize(360, 300);
        view.show();
        QVERIFY2(view.notice()->text().contains(QStringLiteral("(replica, data)")), qPrintable(view.notice()->text()));
        QVERIFY(view.menu()->rewriteBatch()->isEnabled());
        view.notice()->button()->click();
        QCOMPARE(QString::fromStdString(toPython(document.experiment()->rules.rules)),
            QStringLiteral("(('batch', ('replica', 'data')), ('features', 'model'))"));
        QVERIFY(view.notice()->text().isEmpty() && !view.menu()->rewriteBatch()->isEnabled());
        document.undoStack()->undo();
        QVERIFY(*document.experiment() == experiment);
        view.notice()->dismiss();
        view.menu()->rewriteBatch()->trigger();
        QCOMPARE(document.undoStack()->count(), 1);
        // Flax rewrites nothing.
        document.edit(withDialect(experiment, Dialect::FlaxLinen), QStringLiteral("Flax"));
        QVERIFY(view.notice()->text().isEmpty() && !view.menu()->rewriteBatch()->isEnabled());
    }

    /// In a narrow column the chips stand in one row, for which the words before them go, and no choice is cut off.
    void aNarrowColumnSaysEverything()
    {
        Appearance appearance(ThemeChoice::Light);
        test::Fixture fixture(test::example("maxtext-llama3-8b"));
        RulesView view(&fixture.document, &fixture.selection);
        view.resize(330, 400);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        const QStringList full{ QStringLiteral("No match: unsharded"), QStringLiteral("No match: error"),
            QStringLiteral("No match: no constraint") };
        for (const int width : { 330, 700 }) {
            view.resize(width, 400);
            AxisTray* tray = view.tray();
            QCOMPARE(tray->tableRowCount(), 3);
            QTRY_VERIFY(tray->rect().contains(tray->chipRect(2)));
            QTRY_COMPARE(tray->chipRect(2).center().y(), tray->chipRect(0).center().y());
            auto* fallback = view.findChild<ShortCombo*>(QStringLiteral("rulesFallback"));
            for (int i = 0; i < full.size(); ++i) {
                fallback->setCurrentIndex(i);
                QCoreApplication::processEvents();
                for (const ShortCombo* combo : view.findChildren<ShortCombo*>()) {
                    QStyleOptionComboBox option;
                    option.initFrom(combo);
                    const QRect room = combo->style()->subControlRect(
                        QStyle::CC_ComboBox, &option, QStyle::SC_ComboBoxEditField, combo);
                    QVERIFY2(combo->fontMetrics().horizontalAdvance(combo->shownText()) <= room.width(),
                        qPrintable(combo->shownText()));
                }
                QCOMPARE(fallback->currentText(), full[i]); // which the list and screen readers have
                QVERIFY(full[i].endsWith(fallback->shownText()));
            }
            if (width == 700)
                QCOMPARE(fallback->shownText(), full.back());
        }
    }

    /// All mesh axes can be dropped on, however narrow the dock is.
    void theTrayHasLines()
    {
        Appearance appearance(ThemeChoice::Light);
        AxisTray tray;
        const QStringList axes{ QStringLiteral("replica"), QStringLiteral("data"), QStringLiteral("model"),
            QStringLiteral("expert") };
        tray.setAxes(axes);
        tray.show();
        QVERIFY(QTest::qWaitForWindowExposed(&tray));
        const int line = tray.sizeHint().height();
        tray.resize(tray.sizeHint().width(), line);
        for (int i = 1; i < axes.size(); ++i)
            QCOMPARE(tray.chipRect(i).center().y(), tray.chipRect(0).center().y());
        tray.resize(tray.sizeHint().width() / 2, line);
        QVERIFY(tray.sizeHint().height() >= 2 * line);
        tray.resize(tray.width(), tray.sizeHint().height());
        for (int i = 0; i < axes.size(); ++i) {
            QVERIFY(tray.rect().contains(tray.chipRect(i)));
            QCOMPARE(tray.axisAt(tray.mapToGlobal(tray.chipRect(i).center())), i);
            for (int j = 0; j < i; ++j)
                QVERIFY(!tray.chipRect(i).intersects(tray.chipRect(j)));
        }
    }
};

REGISTER_TEST(TestRules)
#include "test_rules.moc"
