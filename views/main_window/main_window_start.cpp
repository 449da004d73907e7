// SPDX-License-Identifier: GPL-3.0-or-later
// What somebody sees and does in the first minute: the question of the experiment, the gallery, tips, and files that
// cannot be opened.
// A part of MainWindow, which is declared in main_window.h.
#include <QFileInfo>
#include <QMessageBox>
#include <QPushButton>
#include <QSpinBox>
#include <QTimer>
#include <QToolButton>
#include <utility>

#include "experiment_file/gallery.h"
#include "tasks/tasks.h"
#include "views/command_palette/command_palette.h"
#include "views/main_window/after_analysis.h"
#include "views/main_window/main_window.h"
#include "views/main_window/notice_bar.h"
#include "views/main_window/tips.h"
#include "views/main_window/undo_keys.h"
#include "views/mesh_view/mesh_view.h"
#include "views/problems_view/problems_view.h"
#include "views/rules_view/rules_view.h"
#include "views/start_page/left_changes.h"
#include "views/start_page/start_page.h"
#include "views/start_page/task_watch.h"
#include "views/widgets/dock_frame.h"
#include "views/widgets/notice_strip.h"
#include "views/widgets/tip_strip.h"
#include "words/utf8.h"
#include "words/words.h"

namespace shardscope {

namespace {

constexpr char firstQuestion[] = "question-of-the-first-example", firstStart[] = "start-page";

/// "line 15, column 40: expected , or ], found the end of the file".
QString whatIsWrong(const Diagnostic& error)
{
    const words::ProblemText text = words::describe(error);
    return text.where.isEmpty() ? text.cause
                                : MainWindow::tr("%1: %2", "a place, what is wrong").arg(text.where, text.cause);
}

} // namespace

void MainWindow::makeNotices(bool tips)
{
    new UndoKeys(this);
    m_notices = new NoticeBar(this);
    addToolBarBreak(Qt::TopToolBarArea);
    addToolBar(Qt::TopToolBarArea, m_notices);
    m_unreadable = m_notices->addStrip(QStringLiteral("unreadable"));
    m_waiting = m_notices->addStrip(QStringLiteral("waiting"));
    m_question = m_notices->addStrip(QStringLiteral("question"));
    NoticeStrip* const task = m_notices->addStrip(QStringLiteral("task"));
    NoticeStrip* const left = m_notices->addStrip(QStringLiteral("left"));
    // Above the docks, and before them by Tab.
    QWidget* before = m_runMenu;
    for (const NoticeStrip* strip : { m_unreadable, m_waiting, m_question, task, left })
        for (QWidget* button :
            { static_cast<QWidget*>(strip->button()), static_cast<QWidget*>(strip->closeButton()) }) {
            setTabOrder(before, button);
            before = button;
        }
    m_questionClosed = m_settings.isDismissed(QLatin1String(firstQuestion));
    connect(m_question, &NoticeStrip::closed, this, [this] {
        m_questionClosed = true;
        if (findExample(*m_document.experiment()) == &gallery().front())
            m_settings.dismiss(QLatin1String(firstQuestion));
    });
    m_afterAnalysis = new AfterAnalysis(&m_document, m_waiting, this);
    connect(m_afterAnalysis, &AfterAnalysis::dropped, this,
        [this](const QString& what) { say(tr("%1 was not written.", "name of a file").arg(what)); });
    m_left = new LeftChanges(&m_document, left, this);
    m_left->setMayLeave([this] { return mayLeave(); });
    m_task = new TaskWatch(&m_document, task, this);
    connect(m_task, &TaskWatch::solved, this, [this](const QString& id) { m_settings.addSolvedTask(id); });
    connect(m_task, &TaskWatch::othersRequested, this, [this] {
        showStartPage();
        m_start->setShows(StartPage::Shows::Tasks);
    });
    connect(&m_document, &Document::replaced, this, [this] {
        if (m_start)
            m_start->leave();
        m_questionClosed = false;
        m_unreadable->dismiss();
        m_run.reset(); // steps and weights of what was open before
        m_selection.clear();
        m_problemsClosed = false;
        m_errors = 0;
        m_isNew = true;
        m_hasRun = false;
    });
    connect(&m_document, &Document::experimentChanged, this, [this] {
        if (std::exchange(m_isNew, false)) {
            choosePerspective();
            revealPart(QStringLiteral("memorytime")); // what is known of a step before one has run
        }
        showQuestion();
    });
    if (tips)
        m_watchingTips = new Tips(&m_document, &m_settings, m_mesh, m_explain, this);
    showQuestion();
}

void MainWindow::showQuestion()
{
    const Experiment& now = *m_document.experiment();
    const GalleryExample* example = findExample(now);
    const QString question = example ? words::fromStd(example->question) : QString();
    const QString notes = words::fromStd(now.notes);
    // The start page speaks of other examples.
    if (m_questionClosed || (m_start && m_start->isVisible()) || (question.isEmpty() && notes.isEmpty())) {
        m_question->dismiss();
        return;
    }
    if (m_question->title() == question && m_question->text() == notes)
        return;
    m_question->say(Severity::Info, question, notes,
        { { tr("Examples…"), [this] { showStartPage(); }, action("examples")->toolTip() } });
}

int MainWindow::noticesHeight() const
{
    return m_notices->isVisible() ? m_notices->height() : 0; // hidden, it has no height yet
}

void MainWindow::findAnything()
{
    if (!m_palette)
        m_palette = new CommandPalette(this);
    const PaletteTargets targets{ [this](const QString& id) { present(id, Qt::ShortcutFocusReason); },
        [this](const QString& id) { openExample(id); },
        [this](const Problem& problem) {
            m_problems->reveal(problem);
            present(QStringLiteral("problems"));
        } };
    const QString view = tr("View"), goTo = tr("View › Go to"); // as the menus have them
    QList<PaletteView> views;
    QList<QAction*> shown; // by the menu View, which closes what is in front; here they are shown
    for (DockFrame* frame : m_docks) {
        shown << frame->toggleViewAction();
        views << PaletteView{ frame->objectName(), frame->name(), findPart(frame->objectName()) ? goTo : view };
    }
    for (const Part& each : m_parts) {
        shown << action(QStringLiteral("go-") + each.id);
        if (!dock(each.id))
            views << PaletteView{ each.id, each.name, goTo };
    }
    std::vector<PaletteSource> sources{ commandSource(menuBar(), shown), viewSource(views, targets) };
    for (PaletteSource& source : documentSources(m_document, &m_selection, targets))
        sources.push_back(std::move(source));
    m_palette->open(std::move(sources));
}

void MainWindow::showStartPage()
{
    if (!m_start) {
        m_start = new StartPage(this);
        // It stays where somebody keeps the unsaved changes after all.
        connect(m_start, &StartPage::exampleRequested, this, &MainWindow::openExample);
        connect(m_start, &StartPage::taskRequested, this, &MainWindow::openTask);
        connect(m_start, &StartPage::openRequested, this, &MainWindow::askToOpen);
        connect(m_start, &StartPage::fileRequested, this, &MainWindow::openAny);
        connect(m_start, &StartPage::leftRequested, m_left, &LeftChanges::goBack);
        connect(m_start, &StartPage::newRequested, this, &MainWindow::openNew);
        connect(m_start, &StartPage::tableHelpRequested, this, &MainWindow::showTableHelp);
        connect(m_start, &StartPage::shownChanged, this, &MainWindow::showQuestion);
    }
    const GalleryExample* now = findExample(*m_document.experiment());
    m_start->present(now ? words::fromStd(now->id) : QString(), m_settings.recentFiles(), m_settings.solvedTasks(),
        m_left->titles());
}

void MainWindow::greet()
{
    if (m_settings.isDismissed(QLatin1String(firstStart)))
        return;
    m_settings.dismiss(QLatin1String(firstStart));
    showStartPage();
}

bool MainWindow::mayOpenAnother()
{
    if (!m_left->canKeep())
        return mayLeave();
    m_left->keep();
    return true;
}

bool MainWindow::mayLoseLeft()
{
    if (m_left->isEmpty())
        return true;
    QMessageBox box(QMessageBox::Question, tr("Changes that are kept"),
        tr("The changes of these experiments are not saved: %1.").arg(m_left->titles().join(QStringLiteral("; "))),
        QMessageBox::Discard | QMessageBox::Cancel, this);
    box.setTextFormat(Qt::PlainText); // titles of experiments
    box.setInformativeText(tr("They are lost with the window. The start page leads back to them."));
    box.setDefaultButton(QMessageBox::Cancel);
    return box.exec() == QMessageBox::Discard;
}

bool MainWindow::openExample(const QString& id)
{
    const GalleryExample* example = findExample(id.toStdString());
    if (!example || !mayOpenAnother())
        return false;
    m_document.setExperiment(example->experiment, QString());
    return true;
}

bool MainWindow::openTask(const QString& id)
{
    const Task* task = findTask(id.toStdString());
    if (!task || !openExample(words::fromStd(task->example)))
        return false;
    m_task->choose(id);
    return true;
}

bool MainWindow::openNew(NewKind kind, const QString& preset)
{
    Result<Experiment> made = shardscope::newExperiment(kind, preset.toStdString());
    if (!made)
        return !showErrors({ made.error() });
    if (!mayOpenAnother())
        return false;
    m_document.setExperiment(std::move(*made), QString());
    return true;
}

bool MainWindow::openAny(const QString& path)
{
    const QString suffix = QFileInfo(path).suffix().toLower();
    if (suffix == QLatin1String("yml") || suffix == QLatin1String("yaml") || suffix == QLatin1String("py"))
        m_rules->importFile(path); // an edit, which can be undone
    else if (!mayLeave())
        return false;
    else
        openFile(path);
    return true;
}

bool MainWindow::openText(const QByteArray& text, const QString& name)
{
    const std::vector<Diagnostic> errors =
        m_document.openText(std::string_view(text.constData(), static_cast<std::size_t>(text.size())), name);
    return errors.empty() || refuse(name, errors);
}

bool MainWindow::refuse(const QString& name, const std::vector<Diagnostic>& errors)
{
    QString text = whatIsWrong(errors.front());
    if (errors.size() > 1)
        text = tr("%1, and %2 more", "what is wrong, a number")
                   .arg(text, words::count(static_cast<qint64>(errors.size()) - 1));
    m_unreadable->say(Severity::Error, tr("%1 could not be opened").arg(QFileInfo(name).fileName()), text,
        { { tr("Show"), [this] { present(QStringLiteral("problems")); } },
            { tr("Open another…"), [this] { askToOpen(); } } });
    return !showErrors(errors);
}

bool MainWindow::refuseToSave(const QString& name, const Diagnostic& error)
{
    m_unreadable->say(Severity::Error, tr("%1 could not be saved").arg(QFileInfo(name).fileName()), whatIsWrong(error),
        { { tr("Show"), [this] { present(QStringLiteral("problems")); } },
            { tr("Save elsewhere…"), [this] { askToSaveAs(); } } });
    return !showErrors({ error });
}

} // namespace shardscope
