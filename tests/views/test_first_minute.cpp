// SPDX-License-Identifier: GPL-3.0-or-later
// What somebody meets who starts the program for the first time: a question, tips, and files that can or cannot be
// opened. The start page has a test of its own.
#include <QCheckBox>
#include <QDir>
#include <QFile>
#include <QLabel>
#include <QPushButton>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>
#include <QToolBar>
#include <QToolButton>

#include "analysis/first_selection.h"
#include "experiment/edits.h"
#include "experiment_file/gallery.h"
#include "pipeline/collective_list.h"
#include "registered_test.h"
#include "views/collectives_view/collectives_view.h"
#include "views/explain_view/explain_view.h"
#include "views/main_window/file_names.h"
#include "views/main_window/main_window.h"
#include "views/main_window/settings.h"
#include "views/main_window/status_message.h"
#include "views/mesh_view/axis_row.h"
#include "views/mesh_view/mesh_view.h"
#include "views/panel_fixture.h"
#include "views/problems_view/problems_view.h"
#include "views/widgets/dock_frame.h"
#include "views/widgets/notice_strip.h"
#include "views/widgets/size_slider.h"
#include "views/widgets/tip_strip.h"

using namespace shardscope;
using namespace Qt::StringLiterals;

namespace {

void clearSettings()
{
    QDir(QStandardPaths::writableLocation(QStandardPaths::AppConfigLocation)).removeRecursively();
}

bool writeFile(const QString& path, const QByteArray& content)
{
    QFile file(path);
    return file.open(QIODevice::WriteOnly) && file.write(content) == content.size();
}

/// Texts of labels that can be seen and contain the words.
QStringList saying(const QWidget& window, const QString& words)
{
    QStringList texts;
    for (const QLabel* label : window.findChildren<QLabel*>())
        if (label->isVisible() && label->text().contains(words))
            texts << label->text();
    return texts;
}

/// A window that remembers begins maximized on a small screen, in the form for that one; here it has a size of its own.
void showWide(MainWindow& window)
{
    window.setWindowState(Qt::WindowNoState);
    window.resize(1600, 1000);
    window.show();
}

} // namespace

class TestFirstMinute : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

private Q_SLOTS:
    void initTestCase()
    {
        QStandardPaths::setTestModeEnabled(true);
        QCoreApplication::setApplicationName(u"shardscope-test-first-minute"_s);
        QVERIFY(m_folder.isValid());
    }
    void init()
    {
        test::failOnWarnings();
        clearSettings();
    }
    void cleanupTestCase() { clearSettings(); }

    void theFirstExampleAsksAQuestion()
    {
        Appearance appearance(ThemeChoice::Light);
        {
            MainWindow window(&appearance, { .remember = true });
            showWide(window);
            QVERIFY(QTest::qWaitForWindowActive(&window));
            QCOMPARE(window.size(), QSize(1600, 1000));
            window.document()->waitForAnalysis();
            // No warning on what nobody has touched yet.
            QCOMPARE(window.document()->snapshot()->warningCount(), 0);
            QCOMPARE(statusText(*window.document()).problems, u"No problems"_s);
            QCOMPARE(statusText(*window.document()).saved, u"Example, not edited"_s);
            const GalleryExample& first = gallery().front();
            NoticeStrip* strip = window.question();
            QVERIFY(strip->isVisible());
            QCOMPARE(strip->title(), QString::fromStdString(std::string(first.question)));
            QCOMPARE(strip->text(), QString::fromStdString(first.experiment.notes));
            // All of it can be read, in the window.
            for (const QLabel* label : strip->findChildren<QLabel*>())
                QVERIFY2(label->height() >= label->heightForWidth(label->width()), qPrintable(label->text()));
            QVERIFY(window.rect().contains(QRect(strip->mapTo(&window, QPoint()), strip->size())));
            QVERIFY(strip->height() <= 60);

            // An edit leaves it; closing it lasts.
            window.document()->edit(
                withAxisSize(*window.document()->experiment(), 1, 2, true), QStringLiteral("model 4 → 2"));
            QVERIFY(strip->isVisible());
            QTest::mouseClick(strip->closeButton(), Qt::LeftButton);
            QVERIFY(!strip->isVisible());
            window.document()->undoStack()->undo();
            QVERIFY(!strip->isVisible());
            // Another example has a question of its own; an experiment without question and notes has no strip.
            window.openExample(u"rule-lab"_s);
            QVERIFY(strip->isVisible() && strip->title().startsWith(u"Which rule wins"_s));
            QVERIFY(window.openNew(NewKind::Mlp));
            QVERIFY(!strip->isVisible());
            window.close();
        }
        MainWindow again(&appearance, { .remember = true });
        again.show();
        QVERIFY(again.question()->isHidden());
        again.openExample(u"flax-mlp-logical"_s); // who asks for it sees it
        QVERIFY(again.question()->isVisible());
    }

    void tipsFollowWhatIsDone()
    {
        Appearance appearance(ThemeChoice::Light);
        {
            MainWindow window(&appearance, { .remember = true });
            showWide(window);
            QVERIFY(QTest::qWaitForWindowActive(&window));
            QCOMPARE(window.size(), QSize(1600, 1000));
            window.document()->waitForAnalysis();
            const TipStrip* drag = window.findChild<MeshView*>()->tip();
            TipStrip* why = window.findChild<ExplainView*>()->tip();
            QCOMPARE(drag->title(), u"Drag model from 4 to 2"_s);
            QVERIFY(drag->isVisible() && why->isHidden());
            // Below the axis that it is about.
            QVERIFY(drag->mapTo(window.findChild<MeshView*>(), QPoint()).y()
                >= window.findChild<MeshView*>()->row(1)->mapTo(window.findChild<MeshView*>(), QPoint()).y());

            // Followed: the next one comes, in Explain.
            SizeSlider* slider = window.findChild<MeshView*>()->row(1)->slider();
            QTest::mousePress(slider, Qt::LeftButton, Qt::NoModifier, slider->handleAt(2));
            QTest::mouseMove(slider, slider->handleAt(1));
            QTest::mouseRelease(slider, Qt::LeftButton, Qt::NoModifier, slider->handleAt(1));
            window.document()->waitForAnalysis();
            QVERIFY(drag->isHidden());
            QCOMPARE(why->title(), u"See why"_s);
            QVERIFY(why->isVisible());
            // Taking it back does not bring the first one again.
            window.document()->undoStack()->undo();
            window.document()->waitForAnalysis();
            QVERIFY(drag->isHidden() && why->isVisible());
            QTest::mouseClick(why->closeButton(), Qt::LeftButton);
            QVERIFY(why->isHidden());
            window.document()->undoStack()->redo();
            window.document()->waitForAnalysis();
            QVERIFY(drag->isHidden() && why->isHidden());
            while (window.document()->undoStack()->canUndo())
                window.document()->undoStack()->undo();
            window.close();
        }
        MainWindow again(&appearance, { .remember = true });
        again.show();
        again.document()->waitForAnalysis();
        QVERIFY(again.findChild<MeshView*>()->tip()->isHidden() && again.findChild<ExplainView*>()->tip()->isHidden());
        again.document()->edit(withAxisSize(*again.document()->experiment(), 1, 2, true), u"model 4 → 2"_s);
        again.document()->waitForAnalysis();
        QVERIFY(again.findChild<ExplainView*>()->tip()->isHidden());
        again.document()->undoStack()->undo();
    }

    void aTipThatIsClosedStaysClosed()
    {
        Appearance appearance(ThemeChoice::Light);
        for (const bool first : { true, false }) {
            MainWindow window(&appearance, { .remember = true });
            window.resize(1600, 1000);
            window.show();
            window.document()->waitForAnalysis();
            TipStrip* tip = window.findChild<MeshView*>()->tip();
            QCOMPARE(tip->isVisible(), first);
            if (first)
                QTest::mouseClick(tip->closeButton(), Qt::LeftButton);
            QVERIFY(tip->isHidden());
        }
        // Until they are asked for again.
        {
            MainWindow window(&appearance, { .remember = true });
            window.resize(1600, 1000);
            window.show();
            window.document()->waitForAnalysis();
            QVERIFY(window.findChild<MeshView*>()->tip()->isHidden());
            window.action(u"showTips"_s)->trigger();
            QVERIFY(window.findChild<MeshView*>()->tip()->isVisible());
        }
        // A mesh that cannot be halved has none.
        clearSettings();
        MainWindow window(&appearance, { .remember = false });
        window.openExample(u"jax-layer"_s);
        window.show();
        window.document()->waitForAnalysis();
        QVERIFY(window.findChild<MeshView*>()->tip()->isHidden());
    }

    /// The question's strip takes no more room than its title where there is little, and gives back what it had.
    void closingTheQuestionGivesItsRoomToTheDocks()
    {
        Appearance appearance(ThemeChoice::Light);
        MainWindow window(&appearance, { .remember = false, .tips = false });
        window.resize(1600, 1000);
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        window.document()->waitForAnalysis();
        const DockFrame* inputs = window.dock(u"inputs"_s);
        const DockFrame* grid = window.dock(u"layout"_s);
        QTest::qWait(50);
        const int before = grid->height(), strip = window.question()->height();
        QVERIFY(strip > 20);
        QTest::mouseClick(window.question()->closeButton(), Qt::LeftButton);
        QTRY_VERIFY2(inputs->mapTo(&window, QPoint()).y() <= 90,
            qPrintable(QString::number(inputs->mapTo(&window, QPoint()).y())));
        QTRY_VERIFY2(grid->height() >= before + strip / 3, qPrintable(u"%1 → %2"_s.arg(before).arg(grid->height())));
        window.openExample(u"rule-lab"_s);
        window.resize(640, 400);
        QTRY_VERIFY(window.question()->height() <= 48);
        QCOMPARE(window.question()->text(), QString::fromStdString(window.document()->experiment()->notes));
    }

    /// On a laptop long notes take no more height than short ones, and are read in their tip.
    void notesHaveOneLineOnALaptop()
    {
        Appearance appearance(ThemeChoice::Light);
        MainWindow window(&appearance, { .remember = false });
        window.resize(1280, 800);
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        window.openExample(u"flax-mlp-program"_s);
        const auto label = [&window] {
            for (QLabel* each : window.question()->findChildren<QLabel*>())
                if (each->isVisible() && each->text() == window.question()->text())
                    return each;
            return static_cast<QLabel*>(nullptr);
        };
        QTRY_VERIFY(label());
        const int line = label()->height();
        window.openExample(u"transformer-experts"_s);
        QTRY_VERIFY(label() && label()->fontMetrics().horizontalAdvance(label()->text()) > label()->width());
        QTRY_COMPARE(label()->height(), line);
        QCOMPARE(label()->toolTip(), label()->text());
        window.resize(1600, 1000);
        QTRY_VERIFY(
            label()->fontMetrics().horizontalAdvance(label()->text()) <= label()->width() || label()->height() > line);
    }

    /// What somebody wrote in lines keeps them.
    void notesOfSeveralLines()
    {
        NoticeStrip strip;
        strip.setOneLine(true);
        const auto wraps = [&strip](const QString& notes) {
            strip.say(Severity::Info, u"A question?"_s, notes, std::vector<NoticeStrip::Button>());
            for (const QLabel* label : strip.findChildren<QLabel*>())
                if (label->text() == notes)
                    return label->wordWrap();
            return false;
        };
        QVERIFY(!wraps(u"Notes of one line."_s));
        QVERIFY(wraps(u"First.\nSecond."_s));
    }

    /// Tab goes from the tool bar to the question on top before it goes to the docks.
    void theQuestionIsReachedBeforeTheDocks()
    {
        Appearance appearance(ThemeChoice::Light);
        MainWindow window(&appearance, { .remember = false });
        window.resize(1600, 1000);
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        QWidget* reached = window.question()->closeButton();
        reached->setFocus();
        QTest::keyClick(reached, Qt::Key_Backtab, Qt::ShiftModifier);
        QCOMPARE(QApplication::focusWidget(), window.question()->button());
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Backtab, Qt::ShiftModifier);
        QVERIFY(QApplication::focusWidget()
            && window.findChild<QToolBar*>(u"tools"_s)->isAncestorOf(QApplication::focusWidget()));
    }

    /// Another name for an axis is not what the tip asked for.
    void aTipStaysWhereAnAxisIsRenamed()
    {
        Appearance appearance(ThemeChoice::Light);
        MainWindow window(&appearance, { .remember = false });
        window.resize(1600, 1000);
        window.show();
        Document* document = window.document();
        document->waitForAnalysis();
        QVERIFY(window.findChild<MeshView*>()->tip()->isVisible());
        QVERIFY(document->edit(withAxisRenamed(*document->experiment(), 0, "rows"), u"data → rows"_s));
        document->waitForAnalysis();
        QVERIFY(window.findChild<MeshView*>()->tip()->isVisible());
        document->undoStack()->undo();
    }

    void aFileThatCannotBeSavedIsNamed()
    {
        Appearance appearance(ThemeChoice::Light);
        MainWindow window(&appearance, { .remember = false });
        window.show();
        QVERIFY(!window.saveTo(m_folder.filePath(u"not/there.json"_s)));
        QCOMPARE(window.unreadable()->title(), u"there.json could not be saved"_s);
        QVERIFY(window.saveTo(m_folder.filePath(u"there.json"_s)));
        QVERIFY(window.unreadable()->isHidden());
    }

    void filesThatCannotBeOpenedAreNamed()
    {
        const QString broken = m_folder.filePath(u"broken.json"_s);
        QVERIFY(
            writeFile(broken, "{\n  \"format\": \"sharding-experiment\",\n  \"version\": \"1.0\",\n  \"mesh\": [ 1, "));
        Appearance appearance(ThemeChoice::Light);
        MainWindow window(&appearance, { .remember = false });
        window.resize(1600, 1000);
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        const ExperimentPtr before = window.document()->experiment();
        NoticeStrip* strip = window.unreadable();
        QVERIFY(strip->isHidden());
        QVERIFY(!window.openFile(broken));
        QVERIFY(strip->isVisible());
        QCOMPARE(strip->title(), u"broken.json could not be opened"_s);
        QVERIFY2(strip->text().startsWith(u"line 4, column "_s), qPrintable(strip->text()));
        QCOMPARE(window.document()->experiment(), before);
        // Its button leads to the row in Problems.
        window.dock(u"problems"_s)->close();
        QCOMPARE(strip->button(0)->text(), u"Show"_s);
        QTest::mouseClick(strip->button(0), Qt::LeftButton);
        QVERIFY(window.dock(u"problems"_s)->isVisible());
        QCOMPARE(strip->button(1)->text(), u"Open another…"_s);
        // It stays while the experiment is edited, and goes with the next file that opens.
        window.document()->edit(withAxisSize(*before, 1, 2, true), u"model 4 → 2"_s);
        QVERIFY(strip->isVisible());
        window.document()->undoStack()->undo();
        const QString good = m_folder.filePath(u"good.json"_s);
        QVERIFY(writeFile(good, QByteArray(gallery()[1].text.data(), qsizetype(gallery()[1].text.size()))));
        QVERIFY(window.openFile(good));
        QVERIFY(strip->isHidden());
        QVERIFY(!window.openText("[", u"standard input"_s));
        QCOMPARE(strip->title(), u"standard input could not be opened"_s);
        QTest::mouseClick(strip->closeButton(), Qt::LeftButton);
        QVERIFY(strip->isHidden());
    }

    void filesKeepTheirNames()
    {
        const GalleryExample* example = findExample("flax-mlp-program");
        const auto& program = std::get<ProgramModel>(example->experiment.model);
        const QString path = m_folder.filePath(u"train.step.mlir"_s);
        QVERIFY(writeFile(path, QByteArray::fromStdString(*program.text)));
        Appearance appearance(ThemeChoice::Light);
        MainWindow window(&appearance, { .remember = false });
        QVERIFY(window.openFile(path));
        window.document()->waitForAnalysis();
        QCOMPARE(window.windowTitle(), u"train.step.mlir[*]"_s);
        QCOMPARE(statusText(*window.document()).saved, u"Program, not edited"_s);
        // What is worth looking at: not the first value, but what most is sent for.
        const SnapshotPtr snapshot = window.document()->snapshot();
        const TensorRow* row = snapshot->row(window.selection()->tensor().toStdString());
        QVERIFY(row && row == firstSelection(*snapshot));
        const int collective = window.selection()->collective();
        QVERIFY(collective >= 0);
        const CollectiveList& list = *snapshot->collectives;
        const double most = list.entries[static_cast<std::size_t>(collective)].sentPerStep().value();
        for (const CollectiveEntry& other : list.entries)
            QVERIFY(other.sentPerStep().value() <= most || !snapshot->row(*list.program->value(other.value).path));
        QVERIFY(row->type.rank() > 0);
        // Debug, where collectives are, has that one in front.
        window.show();
        window.action(u"perspective-debug"_s)->trigger();
        const auto* collectives = qobject_cast<CollectivesView*>(window.part(u"collectives"_s));
        QTRY_COMPARE(collectives->current(), collective);

        const QString table = m_folder.filePath(u"model.csv"_s);
        QVERIFY(writeFile(table, "path,shape,dtype,names\nkernel,8x8,f32,\"batch,hidden\"\n"));
        QVERIFY(window.openFile(table));
        QCOMPARE(window.windowTitle(), u"model.csv[*]"_s);
        QCOMPARE(statusText(*window.document()).saved, u"Table, not edited"_s);
        QVERIFY(window.saveTo(m_folder.filePath(u"saved.json"_s)));
        QCOMPARE(window.windowTitle(), u"saved.json[*]"_s);
        QCOMPARE(statusText(*window.document()).saved, u"Saved"_s);
        QVERIFY(window.openNew(NewKind::Mlp));
        QCOMPARE(statusText(*window.document()).saved, u"Not saved yet"_s);
    }

    void savedFilesAreNamedByTheTitle()
    {
        QCOMPARE(fileNameOf(u"Flax MLP on 2 × 4, logical axes"_s), u"flax-mlp-on-2-4-logical-axes"_s);
        QCOMPARE(fileNameOf(u"  ../a/b: c  "_s), u"a-b-c"_s);
        QCOMPARE(fileNameOf(u"Llama 3 8B"_s), u"llama-3-8b"_s);
        QCOMPARE(fileNameOf(u"…"_s), u"experiment"_s);
        QCOMPARE(fileNameOf(QString()), u"experiment"_s);
        QCOMPARE(fileNameOf(QString(100, u'a')).size(), 60);
    }

    /// A dialog that is given a folder that is not there proposes its name as a file.
    void dialogsBeginInAFolderThatIsThere()
    {
        Settings settings;
        QVERIFY(QFileInfo(settings.folder()).isDir());
        settings.setFolder(m_folder.path());
        QCOMPARE(settings.folder(), m_folder.path());
        settings.setFolder(m_folder.filePath(u"gone"_s));
        QVERIFY(QFileInfo(settings.folder()).isDir());
    }

    /// A mesh that pinned hardware cannot take: one sentence beside its cause, one row in Problems; elsewhere no more
    /// than that something is stale.
    void oneMessageBesideItsCause()
    {
        Appearance appearance(ThemeChoice::Light);
        MainWindow window(&appearance, { .remember = false });
        window.resize(1600, 1000);
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        Document* document = window.document();
        document->waitForAnalysis();
        QVERIFY(window.present(u"devices"_s));
        // By itself the hardware follows: nothing to say.
        window.findChild<MeshView*>()->findChild<QCheckBox*>()->setChecked(false);
        window.findChild<MeshView*>()->row(0)->spinBox()->setValue(4);
        document->waitForAnalysis();
        QVERIFY(document->snapshot()->ok());
        QCOMPARE(document->experiment()->hardware.devices.count(), 16);
        QVERIFY(saying(window, u"E102"_s).isEmpty());
        document->undoStack()->undo();

        document->edit(withHardwarePinned(*document->experiment(), true), u"pin"_s);
        window.findChild<MeshView*>()->row(0)->spinBox()->setValue(4);
        document->waitForAnalysis();
        QTRY_VERIFY(window.isSettled());
        QCOMPARE(document->snapshot()->errorCount(), 1);
        const QString message = window.findChild<MeshView*>()->message();
        QVERIFY2(message.startsWith(u"E102 "_s), qPrintable(message));
        const QStringList sentences = saying(window, message.mid(5));
        QCOMPARE(sentences.size(), 2); // in Mesh and in Problems
        int fixes = 0;
        for (const QPushButton* button : window.findChildren<QPushButton*>())
            if (button->isVisible() && (button->text().startsWith(u"Fix"_s) || button->text().startsWith(u"Fit"_s))) {
                ++fixes;
                QVERIFY2(window.findChild<MeshView*>()->isAncestorOf(button)
                        || window.findChild<ProblemsView*>()->isAncestorOf(button),
                    qPrintable(button->text()));
            }
        QVERIFY(fixes >= 2);

        // The same where a file has the error from the beginning, and nothing can be shown.
        const QString file = m_folder.filePath(u"mismatch.json"_s);
        QVERIFY(window.saveTo(file));
        QVERIFY(window.openFile(file));
        document->waitForAnalysis();
        QTRY_VERIFY(window.isSettled());
        QCOMPARE(document->snapshot()->errorCount(), 1);
        QVERIFY(!document->lastGood() || document->lastGood()->tensors.empty());
        QStringList names;
        for (const QPushButton* button : window.findChildren<QPushButton*>())
            if (button->isVisible() && button->text().startsWith(u"Fix"_s)) {
                QVERIFY2(window.findChild<MeshView*>()->isAncestorOf(button)
                        || window.findChild<ProblemsView*>()->isAncestorOf(button),
                    qPrintable(button->text()));
                names << button->text();
            }
        QVERIFY2(names.count(u"Fix: use 16 devices"_s) == 2, qPrintable(names.join(u'|')));
    }
};

REGISTER_TEST(TestFirstMinute)
#include "test_first_minute.moc"
