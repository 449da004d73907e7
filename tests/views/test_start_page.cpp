// SPDX-License-Identifier: GPL-3.0-or-later
// The start page: gallery, search, tasks with their live state, last files, new experiments; by mouse and by keyboard.
#include <QAccessible>
#include <QDir>
#include <QFile>
#include <QImage>
#include <QMenu>
#include <QMessageBox>
#include <QPainter>
#include <QPushButton>
#include <QScrollArea>
#include <QSignalSpy>
#include <QStandardPaths>
#include <QStatusBar>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <QToolBar>
#include <QToolButton>
#include <QTreeWidgetItemIterator>

#include <algorithm>
#include <array>
#include <set>

#include "experiment/edits.h"
#include "experiment_file/gallery.h"
#include "networks/presets.h"
#include "registered_test.h"
#include "tasks/tasks.h"
#include "views/main_window/main_window.h"
#include "views/main_window/settings.h"
#include "views/panel_fixture.h"
#include "views/start_page/example_cards.h"
#include "views/start_page/left_changes.h"
#include "views/start_page/start_page.h"
#include "views/start_page/task_list.h"
#include "views/start_page/task_watch.h"
#include "views/theme/theme.h"
#include "views/widgets/dock_frame.h"
#include "views/widgets/notice_strip.h"
#include "views/widgets/search_field.h"
#include "views/widgets/segmented_bar.h"

using namespace shardscope;
using namespace Qt::StringLiterals;

namespace {

void clearStartSettings()
{
    QDir(QStandardPaths::writableLocation(QStandardPaths::AppConfigLocation)).removeRecursively();
}

QString textOfView(std::string_view text)
{
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

/// A window with its page.
struct Started {
    Appearance appearance{ ThemeChoice::Light };
    MainWindow window{ &appearance, { .remember = false, .tips = false } };
    StartPage* page = nullptr;

    explicit Started(QSize size = { 1280, 800 })
    {
        window.resize(size);
        window.show();
        if (!QTest::qWaitForWindowActive(&window))
            return;
        window.document()->waitForAnalysis();
        window.showStartPage();
        page = window.findChild<StartPage*>();
        QCoreApplication::processEvents();
    }
};

/// Every control in the page by Tab, each once.
QList<QWidget*> reachedByTab(StartPage* page)
{
    QList<QWidget*> reached;
    page->searchField()->setFocus();
    for (int i = 0; i < 100; ++i) {
        QWidget* at = QApplication::focusWidget();
        if (!at || reached.contains(at))
            break;
        reached << at;
        QTest::keyClick(at, Qt::Key_Tab);
    }
    return reached;
}

} // namespace

class TestStartPage : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

private Q_SLOTS:
    void initTestCase()
    {
        QStandardPaths::setTestModeEnabled(true);
        QCoreApplication::setApplicationName(u"shardscope-test-start-page"_s);
        QVERIFY(m_folder.isValid());
    }
    void init()
    {
        test::failOnWarnings();
        clearStartSettings();
    }
    void cleanupTestCase() { clearStartSettings(); }

    void itIsOneClickAway()
    {
        Appearance appearance(ThemeChoice::Light);
        MainWindow window(&appearance, { .remember = false });
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        QVERIFY(!window.findChild<StartPage*>());
        auto* button = qobject_cast<QToolButton*>(
            window.findChild<QToolBar*>(u"tools"_s)->widgetForAction(window.action(u"examples"_s)));
        QVERIFY(button && button->isVisible());
        QTest::mouseClick(button, Qt::LeftButton);
        StartPage* page = window.findChild<StartPage*>();
        QVERIFY(page && page->isVisible() && page->searchField()->hasFocus());
        QCOMPARE(page->cards()->current(), u"flax-mlp-logical"_s); // the one that is open
        QVERIFY(!window.question()->isVisible()); // it is about another example

        // Escape empties the search, then closes the page.
        QTest::keyClicks(page->searchField(), u"hosts batch"_s);
        QTest::keyClick(page->searchField(), Qt::Key_Escape);
        QVERIFY(page->isVisible() && page->searchField()->text().isEmpty());
        QTest::keyClick(page->searchField(), Qt::Key_Escape);
        QVERIFY(!page->isVisible() && window.question()->isVisible());

        // From the question, and by its keys; it begins with all of them.
        QTest::mouseClick(window.question()->button(), Qt::LeftButton);
        QVERIFY(page->isVisible());
        QTest::keyClicks(page->searchField(), u"hosts"_s);
        page->leave();
        QTest::keyClick(&window, Qt::Key_O, Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY(page->isVisible() && page->searchField()->text().isEmpty());
        QTest::mouseClick(page->findChild<QToolButton*>(u"closeStartPage"_s), Qt::LeftButton);
        QVERIFY(!page->isVisible());
    }

    void itIsShownAtTheFirstStart()
    {
        Appearance appearance(ThemeChoice::Light);
        for (const bool first : { true, false }) {
            MainWindow window(&appearance, { .remember = true });
            window.show();
            window.greet();
            QCOMPARE(window.findChild<StartPage*>() != nullptr, first);
        }
    }

    void itFillsTheWindowBetweenItsBars_data()
    {
        QTest::addColumn<QSize>("size");
        for (const QSize size : { QSize(640, 400), QSize(1024, 640), QSize(1600, 1000) })
            QTest::addRow("%d x %d", size.width(), size.height()) << size;
    }
    void itFillsTheWindowBetweenItsBars()
    {
        QFETCH(QSize, size);
        Started started(size);
        QVERIFY(started.page);
        const auto fits = [&] {
            const QRect page = started.page->geometry();
            const QToolBar* tools = started.window.findChild<QToolBar*>(u"tools"_s);
            return page.left() == 0 && page.width() == started.window.width()
                && page.top() == tools->geometry().bottom() + 1
                && page.bottom() + 1 == started.window.statusBar()->geometry().top();
        };
        QTRY_VERIFY(fits());
        const ExampleCards* cards = started.page->cards();
        QVERIFY(cards->layoutOfCards().cards.size() == gallery().size());
        for (const QRect& card : cards->layoutOfCards().cards)
            QVERIFY(cards->rect().contains(card));
        started.window.resize(size + QSize(100, 60));
        QTRY_VERIFY(fits());
        // What is raised stays below it, and where somebody goes on in a dock the page goes.
        started.window.docks().back()->raise();
        const QPoint middle = started.page->geometry().center();
        QVERIFY(started.page->isAncestorOf(started.window.childAt(middle))
            || started.window.childAt(middle) == started.page);
        started.window.docks().front()->present();
        QVERIFY(!started.page->isVisible());
    }

    /// Every example with its question, by document or by the first word of the question.
    void allExamplesAreThere()
    {
        Started started;
        QVERIFY(started.page);
        ExampleCards* cards = started.page->cards();
        QCOMPARE(cards->headings().size(), static_cast<qsizetype>(exampleGroups().size()));
        for (const StartPage::Shows shows : { StartPage::Shows::ByQuestion, StartPage::Shows::ByDocument }) {
            started.page->setShows(shows);
            QCOMPARE(started.page->shows(), shows);
            QCOMPARE(cards->tableRowCount(), static_cast<int>(gallery().size()));
            std::set<QString> titles;
            for (int row = 0; row < cards->tableRowCount(); ++row) {
                QVERIFY(cards->tableText(row, 0).endsWith(u'?'));
                titles.insert(cards->tableText(row, 1));
            }
            QCOMPARE(titles.size(), gallery().size());
            if (shows == StartPage::Shows::ByQuestion) {
                QVERIFY(cards->headings().contains(u"Why"_s) && cards->headings().contains(u"How"_s));
                int row = 0;
                QStringList words;
                for (; row < cards->tableRowCount(); ++row)
                    words << cards->tableText(row, 0).section(u' ', 0, 0);
                QVERIFY(std::is_sorted(words.begin(), words.end()));
            }
        }
        // Each gets its picture.
        QTRY_VERIFY_WITH_TIMEOUT(!cards->isWorking(), 20'000);
        for (const GalleryExample& example : gallery())
            QVERIFY2(cards->hasThumbnail(textOfView(example.id)), std::string(example.id).c_str());
    }

    void thumbnailsShowShards()
    {
        const GalleryExample* example = findExample("flax-mlp-logical");
        QVERIFY(example);
        const Thumbnail thumbnail = thumbnailOf(example->experiment);
        QVERIFY(thumbnail.array.has_value());
        QCOMPARE(thumbnail.array->distinctShards(), 4); // W1 over model
        QCOMPARE(thumbnail.mesh, (std::vector<std::int64_t>{ 2, 4 }));
        for (const Theme* theme : { &Theme::light(), &Theme::darkTheme() }) {
            QImage image(160, 80, QImage::Format_ARGB32_Premultiplied);
            image.fill(theme->base);
            QPainter painter(&image);
            paintThumbnail(painter, image.rect(), thumbnail, *theme, 1);
            painter.end();
            std::set<QRgb> colours;
            for (int y = 0; y < image.height(); ++y)
                for (int x = 0; x < image.width(); ++x)
                    colours.insert(image.pixel(x, y));
            for (int shard = 0; shard < 4; ++shard)
                QVERIFY(colours.contains(theme->shards[static_cast<std::size_t>(shard)].rgb()));
            QVERIFY(!colours.contains(theme->shards[4].rgb()));
        }
        // Of what cannot be laid out the mesh alone.
        Experiment wrong = example->experiment;
        wrong.mesh.axes = { { "data", 2 }, { "data", 4 } };
        QVERIFY(!thumbnailOf(wrong).array.has_value());
    }

    void searchFindsWhileTyping()
    {
        Started started;
        QVERIFY(started.page);
        StartPage* page = started.page;
        ExampleCards* cards = page->cards();
        QTest::keyClicks(page->searchField(), u"HOSTS batch"_s);
        QCOMPARE(cards->current(), u"t5x-hosts"_s);
        QVERIFY(cards->tableRowCount() < 5);
        page->searchField()->clear();
        QTest::keyClicks(page->searchField(), u"nothing has these words"_s);
        QVERIFY(cards->current().isEmpty());
        QCOMPARE(cards->tableRowCount(), 0);
        QSignalSpy opened(page, &StartPage::exampleRequested);
        QTest::keyClick(page->searchField(), Qt::Key_Return);
        QVERIFY(opened.isEmpty());
        page->searchField()->clear();
        QCOMPARE(cards->tableRowCount(), static_cast<int>(gallery().size()));
        // By keyboard alone: search, down, Return.
        QTest::keyClicks(page->searchField(), u"rule compete"_s);
        QTest::keyClick(page->searchField(), Qt::Key_Down);
        QVERIFY(cards->hasFocus());
        QCOMPARE(cards->current(), u"rule-lab"_s);
        QTest::keyClick(cards, Qt::Key_Return);
        QVERIFY(!page->isVisible());
        QCOMPARE(started.window.document()->experiment()->title, std::string("Rule lab"));
        QVERIFY(!started.window.document()->isModified());
        // The tasks as well.
        started.window.showStartPage();
        page->setShows(StartPage::Shows::Tasks);
        QTest::keyClicks(page->searchField(), u"scanned layers"_s);
        QCOMPARE(page->findChild<TaskList*>()->current(), u"shard-the-layers"_s);
    }

    void cardsAreWalkedAndClicked()
    {
        Started started;
        QVERIFY(started.page);
        ExampleCards* cards = started.page->cards();
        cards->setFocus();
        cards->select(u"flax-mlp-logical"_s);
        QTest::keyClick(cards, Qt::Key_Right);
        QCOMPARE(cards->current(), textOfView(gallery()[1].id));
        QTest::keyClick(cards, Qt::Key_End);
        QCOMPARE(cards->current(), textOfView(gallery().back().id));
        // It is scrolled into sight.
        const auto* room = qobject_cast<QScrollArea*>(cards->parentWidget()->parentWidget());
        QVERIFY(room);
        const QRect card = cards->tableRect(cards->tableCurrentRow());
        QVERIFY(room->viewport()->rect().contains(card.translated(cards->mapTo(room->viewport(), QPoint())).center()));
        QTest::keyClick(cards, Qt::Key_Home);
        QTest::keyClick(cards, Qt::Key_Down);
        const int below = cards->tableCurrentRow();
        QVERIFY(cards->tableRect(below).top() > cards->tableRect(0).top());
        const QString id = cards->current();
        // Pressed at one and released at another is nothing.
        QTest::mousePress(cards, Qt::LeftButton, {}, cards->tableRect(1).center());
        QTest::mouseRelease(cards, Qt::LeftButton, {}, cards->tableRect(0).center());
        QVERIFY(started.page->isVisible());
        QTest::mouseClick(cards, Qt::LeftButton, {}, cards->tableRect(below).center());
        QVERIFY(!started.page->isVisible());
        QCOMPARE(started.window.document()->experiment()->title, findExample(id.toStdString())->experiment.title);
    }

    void everythingIsReachedAndHasAName()
    {
        for (const StartPage::Shows shows : { StartPage::Shows::ByDocument, StartPage::Shows::Tasks }) {
            Started started;
            QVERIFY(started.page);
            started.page->setShows(shows);
            const QList<QWidget*> reached = reachedByTab(started.page);
            QVERIFY(reached.contains(shows == StartPage::Shows::Tasks
                    ? static_cast<QWidget*>(started.page->findChild<TaskList*>())
                    : started.page->cards()));
            QVERIFY(reached.contains(started.page->order()));
            for (int kind = 0; kind <= static_cast<int>(NewKind::Blank); ++kind)
                QVERIFY(reached.contains(started.page->newButton(static_cast<NewKind>(kind))));
            QVERIFY(reached.contains(started.page->findChild<QPushButton*>(u"openYours"_s)));
            for (QWidget* widget : reached) {
                QVERIFY(started.page->isAncestorOf(widget)); // nothing of what it covers
                const QAccessibleInterface* node = QAccessible::queryAccessibleInterface(widget);
                QVERIFY2(node && !node->text(QAccessible::Name).isEmpty(), widget->metaObject()->className());
            }
        }
    }

    // Files and new experiments.

    void theLastFilesAreThere()
    {
        const QString path = m_folder.filePath(u"mine.shardscope.json"_s);
        Appearance appearance(ThemeChoice::Light);
        MainWindow window(&appearance, { .remember = true });
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        window.showStartPage();
        QVERIFY(window.findChild<StartPage*>()->recentButtons().isEmpty());
        window.openExample(u"rule-lab"_s);
        QVERIFY(window.saveTo(path));
        window.openExample(u"t5x-a1p1"_s);
        window.showStartPage();
        const QList<QToolButton*> files = window.findChild<StartPage*>()->recentButtons();
        QCOMPARE(files.size(), 1);
        QCOMPARE(files.front()->accessibleName(), u"mine.shardscope.json"_s);
        QTest::mouseClick(files.front(), Qt::LeftButton);
        QVERIFY(!window.findChild<StartPage*>()->isVisible());
        QCOMPARE(window.document()->filePath(), path);
        // One that is gone cannot be chosen.
        QVERIFY(QFile::remove(path));
        window.showStartPage();
        QVERIFY(!window.findChild<StartPage*>()->recentButtons().front()->isEnabled());
    }

    void newExperimentsComeByKind()
    {
        Started started;
        QVERIFY(started.page);
        started.page->leave();
        started.window.action(u"new"_s)->trigger();
        QVERIFY(started.page->isVisible());
        QVERIFY(started.page->newButton(NewKind::Mlp)->hasFocus());
        for (const NewKind kind : { NewKind::Mlp, NewKind::Arrays, NewKind::Program, NewKind::Blank }) {
            started.window.showStartPage();
            QTest::mouseClick(started.page->newButton(kind), Qt::LeftButton);
            QVERIFY(!started.page->isVisible());
            started.window.document()->waitForAnalysis();
            QCOMPARE(started.window.document()->snapshot()->errorCount(), 0);
            QVERIFY(started.window.document()->filePath().isEmpty() && !started.window.document()->isModified());
        }
        started.window.showStartPage();
        auto* transformer = qobject_cast<QToolButton*>(started.page->newButton(NewKind::Transformer));
        QVERIFY(transformer && transformer->menu());
        QAction* llama = nullptr;
        int presets = 0;
        for (QMenu* family : transformer->menu()->findChildren<QMenu*>())
            for (QAction* action : family->actions()) {
                ++presets;
                llama = action->objectName() == u"llama3-8b"_s ? action : llama;
            }
        QCOMPARE(presets, static_cast<int>(transformerPresets().size()));
        QVERIFY(llama);
        llama->trigger();
        QVERIFY(!started.page->isVisible());
        QCOMPARE(started.window.document()->experiment()->title, std::string(findPreset("llama3-8b")->title));
    }

    /// Examples are scratch copies: what was changed in one is kept when another one is opened.
    void changesThatAreLeftAreKept()
    {
        Started started;
        QVERIFY(started.page);
        MainWindow& window = started.window;
        Document* document = window.document();
        const std::string title = document->experiment()->title;
        const ExperimentPtr began = document->experiment();
        QVERIFY(document->edit(withAxisSizes(*began, { 1, 8 }), u"1 x 8"_s));
        LeftChanges* left = window.findChild<LeftChanges*>();
        QVERIFY(left->canKeep() && left->isEmpty());
        const ExperimentPtr changed = document->experiment();
        QVERIFY(window.openExample(u"rule-lab"_s)); // without a question
        QCOMPARE(document->experiment()->title, std::string("Rule lab"));
        QVERIFY(!document->isModified());
        QCOMPARE(left->titles(), QStringList{ textOfView(title) });
        QVERIFY(left->strip()->isVisible());
        // The next one without changes keeps nothing, and says nothing any more.
        QVERIFY(window.openExample(u"t5x-a1p1"_s));
        QVERIFY(left->strip()->isHidden());
        QCOMPARE(left->titles().size(), 1);

        // The start page leads back, and what is left for it is kept in turn.
        QVERIFY(document->edit(withAxisSizes(*document->experiment(), { 4, 2 }), u"4 x 2"_s));
        window.showStartPage();
        QCOMPARE(started.page->leftButtons().size(), 1);
        QTest::mouseClick(started.page->leftButtons().front(), Qt::LeftButton);
        QVERIFY(!started.page->isVisible());
        QVERIFY(*document->experiment() == *changed);
        QVERIFY(document->isModified());
        QCOMPARE(left->titles(), QStringList{ textOfView(findExample("t5x-a1p1")->experiment.title) });
        document->undoStack()->undo();
        QVERIFY(*document->experiment() == *began);
        QVERIFY(!document->isModified());

        // So does the strip.
        QVERIFY(left->strip()->isVisible());
        QTest::mouseClick(left->strip()->button(0), Qt::LeftButton);
        QCOMPARE(document->experiment()->mesh.axes, (std::vector<MeshAxis>{ { "data", 4 }, { "model", 2 } }));
        QVERIFY(left->isEmpty());

        // A file of one's own is asked about as before; closing asks about what is kept.
        document->undoStack()->undo();
        QVERIFY(document->edit(withAxisSizes(*document->experiment(), { 8, 1 }), u"8 x 1"_s));
        QVERIFY(window.openExample(u"rule-lab"_s));
        bool asked = false;
        const auto answer = [&asked](QMessageBox::StandardButton button) {
            QTimer::singleShot(0, qApp, [&asked, button] {
                auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
                asked = box != nullptr;
                if (box)
                    box->button(button)->click();
            });
        };
        // Nor does what is kept take the place of a file with changes unasked.
        const QString path = m_folder.filePath(u"asked.shardscope.json"_s);
        QVERIFY(window.saveTo(path));
        const ExperimentPtr saved = document->experiment();
        QVERIFY(document->edit(withAxisSizes(*saved, { 1, 2, 4 }), u"1 x 2 x 4"_s));
        QVERIFY(!left->canKeep());
        answer(QMessageBox::Cancel);
        left->goBack(0);
        QVERIFY(asked && !(*document->experiment() == *saved));
        QCOMPARE(left->titles().size(), 1);
        document->undoStack()->undo();

        asked = false;
        answer(QMessageBox::Cancel);
        QVERIFY(!window.close() && asked);
        answer(QMessageBox::Discard);
        QVERIFY(window.close() && asked);
    }

    // Tasks.

    void aTaskSaysHowFarItIs()
    {
        Started started;
        QVERIFY(started.page);
        StartPage* page = started.page;
        Document* document = started.window.document();
        page->setShows(StartPage::Shows::Tasks);
        page->findChild<TaskList*>()->select(u"fit-the-step"_s);
        page->findChild<TaskList*>()->setFocus();
        QTest::keyClick(page->findChild<TaskList*>(), Qt::Key_Return);
        QVERIFY(!page->isVisible());
        TaskWatch* watch = started.window.findChild<TaskWatch*>();
        QCOMPARE(watch->current(), u"fit-the-step"_s);
        document->waitForAnalysis();
        NoticeStrip* strip = watch->strip();
        QVERIFY(strip->isVisible() && started.window.question()->isVisible());
        const Task* task = findTask("fit-the-step");
        QCOMPARE(strip->title(), u"Task: "_s + textOfView(task->question));
        QVERIFY2(strip->text().startsWith(u"2 of 4 met."_s), qPrintable(strip->text()));
        QVERIFY2(strip->text().contains(u"20 MiB"_s) && strip->text().contains(u"16"_s), qPrintable(strip->text()));
        QVERIFY(!watch->isSolved());
        // The hint is there when it is asked for.
        QVERIFY(!strip->text().contains(textOfView(task->hint)));
        QCOMPARE(strip->button(0)->text(), u"Hint"_s);
        QTest::mouseClick(strip->button(0), Qt::LeftButton);
        QVERIFY(strip->text().contains(textOfView(task->hint)));

        QSignalSpy solved(watch, &TaskWatch::solved);
        QVERIFY(document->edit(task->solution(*document->experiment()), u"data 1, model 8"_s));
        document->waitForAnalysis();
        QCOMPARE(solved.size(), 1);
        QVERIFY(watch->isSolved() && strip->title().startsWith(u"Task solved: "_s));
        // Undone it is open again, and stays among those that were solved.
        document->undoStack()->undo();
        document->waitForAnalysis();
        QVERIFY(!watch->isSolved() && strip->title().startsWith(u"Task: "_s));
        QTest::mouseClick(strip->button(0), Qt::LeftButton); // Tasks…
        QVERIFY(page->isVisible() && page->shows() == StartPage::Shows::Tasks);
        QStringList marked;
        for (QTreeWidgetItemIterator item(page->findChild<TaskList*>()); *item; ++item)
            if ((*item)->data(0, Qt::AccessibleTextRole).toString().endsWith(u"Solved."_s))
                marked << (*item)->text(0);
        QCOMPARE(marked, QStringList{ textOfView(task->question) });
        page->leave();

        // Closed, or with another document, it is no longer watched.
        QTest::mouseClick(strip->closeButton(), Qt::LeftButton);
        QVERIFY(watch->current().isEmpty() && strip->isHidden());
        QVERIFY(started.window.openTask(u"order-of-rules"_s));
        QCOMPARE(watch->current(), u"order-of-rules"_s);
        QVERIFY(started.window.openExample(u"rule-lab"_s));
        QVERIFY(watch->current().isEmpty() && strip->isHidden());
        QVERIFY(!started.window.openTask(u"no such task"_s));
    }

    void solvedTasksAreRemembered()
    {
        for (const bool first : { true, false }) {
            Settings settings;
            QCOMPARE(settings.solvedTasks().contains(u"fit-the-step"_s), !first);
            settings.addSolvedTask(u"fit-the-step"_s);
            settings.addSolvedTask(u"fit-the-step"_s);
            QCOMPARE(settings.solvedTasks().size(), 1);
        }
        Settings passing(false);
        QVERIFY(passing.solvedTasks().isEmpty());
        passing.addSolvedTask(u"large-batch"_s);
        QCOMPARE(passing.solvedTasks(), QStringList{ u"large-batch"_s });
        QCOMPARE(Settings().solvedTasks().size(), 1);
    }
};

REGISTER_TEST(TestStartPage)
#include "test_start_page.moc"
