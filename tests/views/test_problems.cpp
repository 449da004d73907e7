// SPDX-License-Identifier: GPL-3.0-or-later
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QSignalSpy>
#include <QTest>

#include "base/codes.h"
#include "experiment/edits.h"
#include "experiment_file/experiment_file.h"
#include "registered_test.h"
#include "views/panel_fixture.h"
#include "views/problems_view/problem_row.h"
#include "views/problems_view/problems_view.h"

using namespace shardscope;
using namespace Qt::StringLiterals;
using test::Fixture;

namespace {

/// Two embeds that nobody can divide by the axes they are sharded along.
Experiment indivisible()
{
    Experiment experiment = test::example("flax-mlp-logical");
    std::get<MlpModel>(experiment.model).settings.hidden = 1022;
    return experiment;
}

/// The notebook with its findings as warnings.
Experiment unacknowledged()
{
    Experiment experiment = test::example("flax-mlp-logical");
    experiment.acknowledged.clear();
    return experiment;
}

} // namespace

class TestProblems : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { test::failOnWarnings(); }

    void everyProblemHasARow()
    {
        Fixture fixture(unacknowledged());
        ProblemsView view(&fixture.document, &fixture.selection);
        view.resize(1200, 120);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        const Snapshot& snapshot = fixture.snapshot();
        QVERIFY(!snapshot.problems.empty()); // the notebook's constraints
        QCOMPARE(view.rows().size(), snapshot.problems.size());
        for (std::size_t i = 0; i < view.rows().size(); ++i) {
            ProblemRow* row = view.rows()[i];
            QVERIFY(!row->cause().isEmpty());
            QCOMPARE(row->fixButtons().size(), snapshot.problems[i].fixes.size());
            QVERIFY(row->accessibleName().contains(row->cause()));
            if (!row->showButton())
                continue;
            fixture.selection.clear();
            QTest::mouseClick(row->showButton(), Qt::LeftButton);
            QVERIFY(!fixture.selection.tensor().isEmpty() || fixture.selection.rule() >= 0);
        }
        QCOMPARE(view.worst(), snapshot.errorCount() > 0 ? Severity::Error : Severity::Warning);
        QVERIFY(view.keyFigure().startsWith(QString::number(snapshot.errorCount()) + u" error"_s));
    }

    void placesAreNamedAndShown()
    {
        Experiment experiment = test::example("flax-mlp-logical");
        const auto rule = [](const char* name, SpecEntry target) {
            return LogicalRule{ LogicalName::of(name), std::move(target), false, 2 };
        };
        experiment.rules.rules.list = { rule("batch", SpecEntry::axis("data")),
            rule("hidden", SpecEntry::axis("model")), rule("heads", SpecEntry::axis("model")) };
        experiment.mesh.axes.push_back({ "pod", 1 });
        Fixture fixture(experiment);
        ProblemsView view(&fixture.document, &fixture.selection);
        view.resize(1600, 300);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        int found = 0;
        for (std::size_t i = 0; i < view.rows().size(); ++i) {
            QStringList texts;
            for (const QLabel* label : view.rows()[i]->findChildren<QLabel*>())
                texts << label->text();
            for (const QString& text : texts)
                QVERIFY2(!text.startsWith(u'/'), qPrintable(text)); // a pointer into a file
            const Code code = fixture.snapshot().problems[i].diagnostic.code;
            fixture.selection.clear();
            if (code == Code::RuleUnused) {
                ++found;
                QVERIFY2(texts.contains(u"rule 3, heads"_s), qPrintable(texts.join(u'|')));
                QTest::mouseClick(view.rows()[i]->showButton(), Qt::LeftButton);
                QCOMPARE(fixture.selection.rule(), 2);
            } else if (code == Code::SizeOneAxis) {
                ++found;
                QVERIFY2(texts.contains(u"mesh axis pod"_s), qPrintable(texts.join(u'|')));
                QTest::mouseClick(view.rows()[i]->showButton(), Qt::LeftButton);
                QCOMPARE(fixture.selection.meshAxis(), u"pod"_s);
            }
        }
        QCOMPARE(found, 2);
    }

    void everyFixIsOneUndoStep()
    {
        for (const Experiment& experiment : { unacknowledged(), indivisible() }) {
            Fixture fixture(experiment);
            ProblemsView view(&fixture.document, &fixture.selection);
            view.resize(1200, 300);
            view.show();
            std::size_t fixes = 0;
            for (const Problem& problem : fixture.snapshot().problems)
                fixes += problem.fixes.size();
            QVERIFY(fixes > 0);
            for (std::size_t number = 0; number < fixes; ++number) {
                // Each fix from the same start.
                std::size_t seen = 0;
                QPushButton* button = nullptr;
                Problem problem;
                for (std::size_t i = 0; i < view.rows().size(); ++i)
                    for (QPushButton* candidate : view.rows()[i]->fixButtons())
                        if (seen++ == number) {
                            button = candidate;
                            problem = fixture.snapshot().problems[i];
                        }
                QVERIFY(button);
                button->click();
                QCOMPARE(fixture.document.undoStack()->count(), 1);
                QVERIFY(*fixture.document.experiment() != experiment);
                fixture.document.waitForAnalysis();
                for (const Problem& left : fixture.snapshot().problems)
                    QVERIFY2(!(left.diagnostic == problem.diagnostic), "the fix does not mend its problem");
                QCOMPARE(view.rows().size(), fixture.snapshot().problems.size());
                fixture.document.undoStack()->undo();
                QVERIFY(*fixture.document.experiment() == experiment);
                fixture.document.undoStack()->clear();
                fixture.document.waitForAnalysis();
                QCOMPARE(view.rows().size(), fixture.snapshot().problems.size());
            }
        }
    }

    /// They take longer than the analysis: their row says so, and keeps the last ones until the next ones are there.
    void whatNeedsLessMemoryComesLater()
    {
        Experiment experiment = unacknowledged();
        experiment.hardware.memoryPerDevice = 1 << 10;
        Fixture fixture(experiment);
        ProblemsView view(&fixture.document, &fixture.selection);
        view.resize(1200, 300);
        const auto rowOf = [&view]() -> ProblemRow* {
            for (ProblemRow* row : view.rows())
                if (row->accessibleName().contains(u"W209"_s))
                    return row;
            return nullptr;
        };
        QVERIFY(rowOf());
        QVERIFY(rowOf()->fixButtons().empty());
        QVERIFY(!view.isWorking()); // nobody sees it
        view.show();
        QVERIFY(view.isWorking());
        QTRY_VERIFY(!view.isWorking() && rowOf()->isVisible());
        QVERIFY(!rowOf()->fixButtons().empty());
        const int height = rowOf()->height();
        for (const QPushButton* button : rowOf()->findChildren<QPushButton*>())
            QVERIFY(button->isEnabled());

        // Those of the last analysis keep their room, and can do nothing.
        view.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&view));
        rowOf()->fixButtons().front()->setFocus();
        QTest::keyClick(rowOf()->fixButtons().front(), Qt::Key_Space);
        QCOMPARE(fixture.document.undoStack()->count(), 1);
        fixture.document.waitForAnalysis();
        QVERIFY(rowOf()); // a kilobyte is not much
        QVERIFY(!rowOf()->fixButtons().empty());
        for (const QPushButton* button : rowOf()->fixButtons())
            QVERIFY(!button->isEnabled());
        rowOf()->fixButtons().front()->click();
        QCOMPARE(fixture.document.undoStack()->count(), 1);
        QTRY_VERIFY(!view.isWorking() && rowOf()->isVisible());
        QCOMPARE(rowOf()->height(), height);
        for (const QPushButton* button : rowOf()->fixButtons())
            QVERIFY(button->isEnabled());
        // The keyboard waited for them: the next press needs no way back to the row.
        QVERIFY(rowOf()->isAncestorOf(QApplication::focusWidget()));
        QVERIFY(qobject_cast<QPushButton*>(QApplication::focusWidget()));

        // Not for somebody who went elsewhere meanwhile, whatever changes later.
        fixture.document.undoStack()->undo();
        fixture.document.waitForAnalysis();
        QVERIFY(view.hasFocus());
        view.findChild<QScrollArea*>()->setFocus();
        QTRY_VERIFY(!view.isWorking() && rowOf()->isVisible());
        view.setFocus();
        fixture.document.undoStack()->redo();
        fixture.document.waitForAnalysis();
        QTRY_VERIFY(!view.isWorking() && rowOf()->isVisible());
        QVERIFY(view.hasFocus());
    }

    void refusedEditsAreToldUntilTheNextOne()
    {
        Fixture fixture;
        ProblemsView view(&fixture.document, &fixture.selection);
        view.resize(900, 200);
        view.show();
        const std::size_t problems = view.rows().size();
        QVERIFY(!fixture.document.edit(withAxisSize(*fixture.document.experiment(), 9, 2, false), u"impossible"_s));
        QCOMPARE(view.messages().size(), 1U);
        QCOMPARE(view.rows().size(), problems + 1);
        QCOMPARE(view.worst(), Severity::Error);
        QVERIFY(fixture.document.edit(withRulesBound(*fixture.document.experiment(), true), u"bind"_s));
        QVERIFY(view.messages().empty());

        view.showMessages({ Diagnostic{ Code::Unreadable, { { "file", "x" }, { "reason", "y" } }, {} } });
        for (QPushButton* button : view.rows().front()->findChildren<QPushButton*>())
            button->click(); // Dismiss is its only one
        QVERIFY(view.messages().empty());
    }

    void nothingWrong()
    {
        Experiment experiment = test::example("flax-mlp-logical");
        Fixture fixture(experiment);
        ProblemsView view(&fixture.document, &fixture.selection);
        view.show();
        // Mend all there is.
        for (int rounds = 0; rounds < 20 && !fixture.snapshot().problems.empty(); ++rounds) {
            const Problem problem = fixture.snapshot().problems.front();
            QVERIFY(!problem.fixes.empty());
            QVERIFY(view.fix(problem, 0));
            fixture.document.waitForAnalysis();
        }
        QVERIFY(fixture.snapshot().problems.empty());
        QVERIFY(view.rows().empty());
        QCOMPARE(view.keyFigure(), u"0 errors, 0 warnings"_s);
    }

    void longNamesAreShortenedInTheMiddle()
    {
        Experiment experiment = test::example("rule-lab");
        NamedArraySetting& array = std::get<ArraysModel>(experiment.model).arrays.front();
        array.path = "decoder/" + std::string(60, 'x') + "/kernel";
        array.shape[0] = 9;
        const std::string name = "batch_" + std::string(60, 'y') + "_end";
        array.names[0] = LogicalName::of(name);
        experiment.rules.rules.list[0].name = LogicalName::of(name);
        Fixture fixture(experiment);
        ProblemsView view(&fixture.document, &fixture.selection);
        view.resize(1600, 300);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        const std::vector<QPushButton*>& fixes = view.rows().front()->fixButtons();
        QVERIFY(!fixes.empty());
        QVERIFY(fixes[0]->text().contains(u'…') && fixes[0]->text().endsWith(u"= 10"_s));
        QVERIFY(fixes[0]->accessibleName().contains(QString::fromStdString(name)));
        QVERIFY(fixes[0]->toolTip().contains(QString::fromStdString(name)));
        for (const ProblemRow* row : view.rows())
            for (const QPushButton* button : row->fixButtons())
                QVERIFY(row->rect().contains(button->geometry()));
        // A cause that would be cut to parts has lines of its own.
        QVERIFY(view.rows().front()->isNarrow());
    }

    void acknowledgedFindingsAreInformation()
    {
        Fixture fixture; // the notebook says why its two findings stay
        ProblemsView view(&fixture.document, &fixture.selection);
        view.resize(1500, 200);
        view.show();
        QCOMPARE(view.keyFigure(), u"0 errors, 0 warnings"_s);
        QCOMPARE(view.worst(), Severity::Info);
        QCOMPARE(view.rows().size(), 2U);
        QVERIFY2(view.rows().front()->cause().contains(u"(W206, acknowledged)"_s)
                && view.rows().front()->cause().startsWith(u"The rules are not bound"_s),
            qPrintable(view.rows().front()->cause()));
        QVERIFY(!view.rows().front()->fixButtons().empty()); // it can be mended all the same
    }

    /// Whatever said them: what was read of the file, what was tried, what was analysed.
    void errorsComeFirst()
    {
        Experiment experiment = unacknowledged();
        experiment.hardware.pinned = true;
        const QByteArray text = QByteArray::fromStdString(writeExperiment(experiment))
                                    .replace("\n}\n", ",\n  \"colour\": \"red\"\n}\n")
                                    .replace("[\"data\", 2]", "[\"data\", 4]");
        Fixture fixture;
        QVERIFY(
            fixture.document.openText(std::string_view(text.constData(), size_t(text.size())), u"odd.json"_s).empty());
        fixture.document.waitForAnalysis();
        QCOMPARE(fixture.document.readWarnings().size(), 1U);
        QVERIFY(fixture.snapshot().errorCount() > 0);
        ProblemsView view(&fixture.document, &fixture.selection);
        view.resize(1500, 200);
        view.show();
        QVERIFY2(view.rows().front()->accessibleName().contains(u"E102"_s),
            qPrintable(view.rows().front()->accessibleName()));
        const QStringList severities{ u"Error"_s, u"Warning"_s, u"Information"_s };
        qsizetype at = 0;
        for (const ProblemRow* row : view.rows()) {
            while (at < severities.size() && !row->accessibleName().startsWith(severities[at]))
                ++at;
            QVERIFY2(at < severities.size(), qPrintable(row->accessibleName()));
        }
        // The name of the file stands by what was found in it.
        QVERIFY(std::any_of(view.rows().begin(), view.rows().end(), [](const ProblemRow* row) {
            const auto labels = row->findChildren<QLabel*>();
            return std::any_of(labels.begin(), labels.end(),
                [](const QLabel* label) { return label->text().startsWith(u"odd.json, line "_s); });
        }));
    }

    void narrowRowsPutButtonsBelow()
    {
        Fixture fixture;
        ProblemsView view(&fixture.document, &fixture.selection);
        view.resize(1500, 200);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        ProblemRow* row = view.rows().front();
        QVERIFY(!row->isNarrow());
        const int flat = row->height();
        view.resize(340, 300);
        QTRY_VERIFY(row->isNarrow());
        QTRY_VERIFY(row->height() > flat);
        for (QPushButton* button : row->fixButtons()) {
            QVERIFY(row->rect().contains(button->geometry()));
            QVERIFY(button->width() >= button->fontMetrics().horizontalAdvance(button->text()));
        }
    }
};

REGISTER_TEST(TestProblems)
#include "test_problems.moc"
