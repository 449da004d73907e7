// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/main_window/main_window.h"

#include <QApplication>
#include <QCloseEvent>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QLabel>
#include <QMenu>
#include <QMessageBox>
#include <QMimeData>
#include <QMouseEvent>
#include <QPushButton>
#include <QSpinBox>
#include <QTimer>
#include <QToolButton>
#include <algorithm>
#include <utility>

#include "analysis/first_selection.h"
#include "document/atomic_file.h"
#include "document/exchange.h"
#include "document/program_file.h"
#include "interchange/hugging_face.h"
#include "views/collectives_view/collectives_view.h"
#include "views/compare_view/compare_view.h"
#include "views/configuration/configuration_dialog.h"
#include "views/explain_view/explain_view.h"
#include "views/main_window/after_analysis.h"
#include "views/main_window/dock_tabs.h"
#include "views/main_window/edge_drawers.h"
#include "views/main_window/file_names.h"
#include "views/main_window/selection_trail.h"
#include "views/main_window/status_message.h"
#include "views/main_window/tips.h"
#include "views/main_window/window_place.h"
#include "views/memory_view/memory_view.h"
#include "views/model_view/model_form.h"
#include "views/model_view/model_view.h"
#include "views/panel/obstacle.h"
#include "views/panel/panel.h"
#include "views/problems_view/problems_view.h"
#include "views/program_view/program_view.h"
#include "views/propagation_view/propagation_view.h"
#include "views/rules_view/rules_view.h"
#include "views/shard_grid_view/shard_grid_view.h"
#include "views/start_page/start_page.h"
#include "views/table_help/table_help.h"
#include "views/theme/icons.h"
#include "views/theme/theme.h"
#include "views/values_view/values_view.h"
#include "views/what_if_view/what_if_view.h"
#include "views/widgets/dock_frame.h"
#include "views/widgets/notice_strip.h"
#include "views/widgets/plain_tip.h"
#include "views/widgets/section.h"
#include "views/widgets/section_column.h"
#include "words/words.h"

namespace shardscope {

namespace {

QString fileFilter()
{
    return MainWindow::tr(
        "All that Shardscope reads (*.json *.mlir *.stablehlo *.hlo *.txt *.csv *.tsv *.yml *.yaml *.py);;"
        "Experiments (*.json);;StableHLO and HLO programs (*.mlir *.stablehlo *.hlo *.txt);;"
        "Tables of arrays (*.csv *.tsv *.json);;Configurations of models (config.json);;Rules (*.yml "
        "*.yaml *.py);;All files (*)");
}

/// Sections of the model's form, and those of the inputs that are folded.
const QString unfoldedKey = QStringLiteral("modelSections"), foldedKey = QStringLiteral("foldedInputs");

} // namespace

MainWindow::MainWindow(Appearance* appearance, const Options& options, QWidget* parent)
    : QMainWindow(parent)
    , m_appearance(appearance)
    , m_settings(options.remember)
    , m_remember(options.remember)
    , m_run(&m_document)
{
    setObjectName(QStringLiteral("mainWindow"));
    setDockOptions(AnimatedDocks | AllowNestedDocks | AllowTabbedDocks);
    setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::North);
    setDocumentMode(true);
    setAcceptDrops(true);
    setContentsMargins(4, 0, 4, 0);
    setMinimumSize(640, 400);

    makeActions();
    makeViews();
    makeMenus();
    makeToolBar();
    makeStatusBar();
    makeNotices(options.tips);
    makeDrawers();

    connect(&m_document, &Document::fileChanged, this, &MainWindow::showFile);
    connect(&m_document, &Document::experimentChanged, this, &MainWindow::showRun);
    connect(&m_document, &Document::snapshotChanged, this, [this] {
        selectSomething();
        showStatus();
        showRun();
        followContents();
    });
    connect(m_problems, &ProblemsView::keyFigureChanged, this, &MainWindow::showStatus);
    connect(&m_run, &RunController::stateChanged, this, &MainWindow::showRun);
    connect(&m_run, &RunController::stepped, this, [this] {
        if (m_run.stepsDone() > 0 && !std::exchange(m_hasRun, true))
            revealPart(QStringLiteral("timing"));
        showRun();
    });
    connect(qApp, &QApplication::focusChanged, this, &MainWindow::followFocus);

    resize(1600, 1000);
    if (const QByteArray folded = m_settings.state(foldedKey); !folded.isEmpty())
        for (Section* section : m_inputs->sections())
            section->setUnfolded(!folded.split(' ').contains(section->objectName().toUtf8()));
    m_model->form()->setUnfolded(QString::fromUtf8(m_settings.state(unfoldedKey)).split(QLatin1Char(' ')));
    if (m_remember)
        placeWindow(*this, m_settings.state(QStringLiteral("geometry")));
    setForm(formFor(size()));
    showFile();
    showRun();
    showStatus();
}

MainWindow::~MainWindow()
{
    // Docks speak to the document until they are gone; they go first, and those who watch them before them.
    disconnect(qApp, &QApplication::focusChanged, this, &MainWindow::followFocus);
    delete m_watchingTips;
    m_watchingTips = nullptr;
    delete m_start; // it tells the window when it goes
    m_start = nullptr;
    delete m_drawers; // they know the docks
    m_drawers = nullptr;
    delete m_tabs;
    m_tabs = nullptr;
    m_parts.clear();
    qDeleteAll(m_docks);
    m_docks.clear();
    m_problems = nullptr; // the document still tells that it is no longer modified
}

bool MainWindow::isSettled() const
{
    return !m_document.isStale() && m_run.state() == RunController::State::Idle && !m_explain->isWorking()
        && !m_program->isWorking() && !m_whatIf->isWorking() && !m_propagation->isWorking()
        && !m_collectives->isWorking() && !m_values->isWorking() && !m_compare->isWorking() && !m_problems->isWorking();
}

// Files.

bool MainWindow::showErrors(const std::vector<Diagnostic>& errors)
{
    if (errors.empty())
        return false;
    m_problems->showMessages(errors);
    present(QStringLiteral("problems"));
    return true;
}

bool MainWindow::openFile(const QString& path)
{
    const Result<QByteArray> content = isProgramFile(path) ? Result<QByteArray>() : readFile(path);
    if (!content)
        return refuse(path, { content.error() });
    const std::string_view text(content->constData(), static_cast<std::size_t>(content->size()));
    if (!text.empty() && looksLikeTable(text, path.toStdString())) {
        auto table = openTable(
            text, path.toStdString(), QFileInfo(path).completeBaseName().toStdString(), *m_document.experiment());
        if (!table)
            return refuse(path, table.error());
        m_document.setExperiment(std::move(table->experiment), QString(), QFileInfo(path).fileName());
        m_settings.setFolder(QFileInfo(path).absolutePath());
        if (!table->warnings.empty())
            m_problems->showMessages(table->warnings);
        return true;
    }
    if (looksLikeHuggingFace(text)) {
        askAboutConfiguration(path, std::string(text));
        return true;
    }
    if (const std::vector<Diagnostic> errors = m_document.open(path); !errors.empty())
        return refuse(path, errors);
    m_settings.addRecentFile(QFileInfo(path).absoluteFilePath());
    m_settings.setFolder(QFileInfo(path).absolutePath());
    return true;
}

void MainWindow::askAboutConfiguration(const QString& path, std::string text)
{
    auto* dialog = new ConfigurationDialog(path, std::move(text), *m_document.experiment(), this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this, [this, dialog, path] {
        Result<Experiment> experiment = dialog->experiment();
        if (!experiment) {
            refuse(path, { experiment.error() });
            return;
        }
        const std::vector<Diagnostic> warnings = dialog->warnings();
        m_document.setExperiment(std::move(*experiment), QString(), QFileInfo(path).fileName());
        m_settings.setFolder(QFileInfo(path).absolutePath());
        if (!warnings.empty())
            m_problems->showMessages(warnings);
    });
    dialog->open();
}

void MainWindow::askForTable()
{
    if (!mayLeave())
        return;
    const QString path = QFileDialog::getOpenFileName(this, tr("Open a table of arrays"), m_settings.folder(),
        tr("Tables of arrays (*.csv *.tsv *.json);;All files (*)"));
    if (!path.isEmpty())
        openFile(path);
}

void MainWindow::showTableHelp()
{
    if (!m_tableHelp) {
        m_tableHelp = new TableHelp(this);
        connect(m_tableHelp, &TableHelp::openRequested, this, &MainWindow::askForTable);
    }
    m_tableHelp->show();
    m_tableHelp->raise();
    m_tableHelp->activateWindow();
}

bool MainWindow::saveTo(const QString& path)
{
    if (const Result<void> saved = m_document.saveAs(path); !saved)
        return refuseToSave(path, saved.error());
    m_unreadable->dismiss();
    m_settings.addRecentFile(m_document.filePath());
    m_settings.setFolder(QFileInfo(path).absolutePath());
    say(tr("Saved %1").arg(m_document.displayName()));
    return true;
}

bool MainWindow::save()
{
    return m_document.filePath().isEmpty() ? askToSaveAs() : saveTo(m_document.filePath());
}

bool MainWindow::askToSaveAs()
{
    // What desktops know as an experiment; one of any other name ending in .json is read as well.
    const QString suffix = QStringLiteral("shardscope.json");
    const QString source = QFileInfo(m_document.sourceName()).completeBaseName();
    const QString title = source.isEmpty() ? QString::fromStdString(m_document.experiment()->title) : source;
    const QString proposal = m_document.filePath().isEmpty()
        ? QStringLiteral("%1/%2.%3").arg(m_settings.folder(), fileNameOf(title), suffix)
        : m_document.filePath();
    // The dialog itself adds the suffix, so that it asks about the file that would be replaced.
    QFileDialog dialog(this, tr("Save experiment"), proposal, tr("Experiments (*.json);;All files (*)"));
    dialog.setAcceptMode(QFileDialog::AcceptSave);
    dialog.setDefaultSuffix(suffix);
    if (dialog.exec() != QDialog::Accepted || dialog.selectedFiles().isEmpty())
        return false;
    return saveTo(dialog.selectedFiles().constFirst());
}

bool MainWindow::askToOpen()
{
    const QString path = QFileDialog::getOpenFileName(this, tr("Open"), m_settings.folder(), fileFilter());
    return !path.isEmpty() && openAny(path);
}

bool MainWindow::mayLeave()
{
    if (!m_document.isModified())
        return true;
    QMessageBox box(QMessageBox::Question, tr("Unsaved changes"),
        tr("%1 has changes that are not saved.").arg(m_document.displayName()),
        QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel, this);
    box.setTextFormat(Qt::PlainText); // it contains the experiment's title
    box.setInformativeText(tr("They are lost unless you save them."));
    box.setDefaultButton(QMessageBox::Save);
    switch (box.exec()) {
    case QMessageBox::Save:
        return save();
    case QMessageBox::Discard:
        return true;
    default:
        return false;
    }
}

void MainWindow::newExperiment()
{
    showStartPage();
    m_start->focusNew();
}

void MainWindow::closeEvent(QCloseEvent* event)
{
    if (!mayLeave() || !mayLoseLeft()) {
        event->ignore();
        return;
    }
    m_run.stop();
    m_afterAnalysis->finish();
    if (m_remember) {
        storeArrangements();
        QStringList folded{ QStringLiteral("-") }; // so that none is another state than that of a first start
        for (const Section* section : m_inputs->sections())
            if (!section->isUnfolded())
                folded << section->objectName();
        m_settings.setState(foldedKey, folded.join(QLatin1Char(' ')).toUtf8());
        m_settings.setState(unfoldedKey, m_model->form()->unfolded().join(QLatin1Char(' ')).toUtf8());
        m_settings.setState(QStringLiteral("geometry"), saveGeometry());
    }
    event->accept();
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event)
{
    if (!droppedFile(event->mimeData()).isEmpty())
        event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event)
{
    const QString file = droppedFile(event->mimeData());
    if (file.isEmpty())
        return;
    event->acceptProposedAction();
    openAny(file);
}

bool MainWindow::event(QEvent* event)
{
    const bool taken = QMainWindow::event(event);
    // The window itself accepts a press only where it begins to move a line between docks.
    if (event->type() == QEvent::MouseButtonPress && event->isAccepted()
        && static_cast<const QMouseEvent*>(event)->button() == Qt::LeftButton)
        arranged().isSizedByHand = true;
    if (event->type() == QEvent::MouseButtonRelease && arranged().isSizedByHand)
        noteSizes();
    return taken;
}

bool MainWindow::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_trailRoom && event->type() == QEvent::Resize)
        m_trail->setRoom(m_trailRoom->width() - 16);
    return QMainWindow::eventFilter(watched, event);
}

void MainWindow::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::ModifiedChange)
        showFile();
    else if (event->type() == QEvent::ActivationChange && isActiveWindow())
        showRun(); // other programs may have been closed, so that there is room for a step
    QMainWindow::changeEvent(event);
}

// What is shown of the document beside the views.

void MainWindow::showFile()
{
    if (!m_problems)
        return;
    const bool modified = m_document.isModified();
    if (isWindowModified() != modified)
        setWindowModified(modified);
    setWindowTitle(QStringLiteral("%1[*]").arg(m_document.displayName()));
    setWindowFilePath(m_document.filePath());
    showStatus();
}

void MainWindow::selectSomething()
{
    const SnapshotPtr snapshot = m_document.lastGood();
    if (!snapshot || snapshot->tensors.empty() || snapshot->row(m_selection.tensor().toStdString()))
        return;
    m_selection.setFirst(QString::fromStdString(firstSelection(*snapshot)->path), firstCollective(*snapshot));
}

void MainWindow::showStatus()
{
    if (!m_problems)
        return;
    const StatusText text = statusText(m_document, m_problems->messages());
    const auto put = [](QLabel* label, const QString& words, const QString& tip) {
        label->setText(words);
        label->setVisible(!words.isEmpty());
        label->setToolTip(tip);
    };
    m_problemCount->setFigure(text.errors + text.warnings > 0 ? text.problems : QString(), tr("Show the problems"));
    m_problemCount->setIcon(text.errors > 0 ? severityIcon(Severity::Error)
            : text.warnings > 0             ? severityIcon(Severity::Warning)
                                            : icon(QStringLiteral("ok"), IconColor::Ok));
    put(m_solved, text.solved, tr("Problems says what is in the way"));
    m_deviceCount->setFigure(text.devices, tr("Show the mesh"));
    const bool brief = isCompact();
    put(m_operations, brief ? QString() : text.operations,
        tr("Operations of the program with those of its functions and of the bodies of loops, and collectives"));
    put(m_sent, brief ? text.sentShort : text.sent,
        tr("Bytes that each device sends in a step, in all and along each mesh axis"));
    m_hardware->setFigure(brief ? QString() : text.hardware, tr("Show the mesh and its devices"));
    m_saved->setFigure(text.saved, action("save")->toolTip());
    followProblems();
}

bool MainWindow::isRunning() const
{
    return m_run.state() == RunController::State::Continuous || m_run.state() == RunController::State::Timing;
}

void MainWindow::showRun()
{
    if (!m_steps)
        return;
    const RunController::State state = m_run.state();
    const bool idle = state == RunController::State::Idle;
    const bool continuous = state == RunController::State::Continuous;
    for (QSpinBox* box : { m_runs, m_loops })
        box->setEnabled(idle);
    // What cannot run says why, in its tip; what runs can always be stopped.
    const std::optional<Obstacle> obstacle = obstacleOf(m_document, m_run);
    const bool starts = idle || state == RunController::State::Stepping;
    QAction* step = action("runStep");
    QAction* timeit = action("runTimeit");
    QAction* run = action("runContinuously");
    step->setEnabled(starts && !obstacle);
    m_stepButton->setEnabled(!starts || !obstacle);
    m_stepButton->setText(starts ? tr("Run step") : tr("Stop"));
    m_stepButton->setIcon(icon(starts ? QStringLiteral("run") : QStringLiteral("stop"),
        m_stepButton->isEnabled() ? IconColor::OnAccent : IconColor::Secondary));
    timeit->setEnabled(idle && !obstacle);
    run->setEnabled(!starts || !obstacle);
    const QString why = obstacle ? u'\n' + obstacle->text() : QString();
    step->setToolTip(plainTip(tr("Run step (F5)") + why));
    m_stepButton->setToolTip(starts ? step->toolTip() : tr("Stop (Ctrl+F5)"));
    m_stepButton->setAccessibleName(starts ? tr("Run one step") : tr("Stop running"));
    m_stepButton->setAccessibleDescription(why.trimmed());
    m_runMenu->setEnabled(m_stepButton->isEnabled() || m_run.stepsDone() > 0);
    m_runMenu->setToolTip(plainTip(tr("More ways to run") + why));
    timeit->setToolTip(plainTip(tr("Times so many runs of so many loops each, as timeit does (Shift+F5)") + why));
    run->setText(starts ? tr("Run until stopped") : tr("Stop"));
    run->setToolTip(plainTip(starts ? tr("Run steps until stopped (Ctrl+F5)") + why : tr("Stop (Ctrl+F5)")));
    run->setIcon(icon(starts ? QStringLiteral("continuous") : QStringLiteral("stop")));
    run->setChecked(continuous || state == RunController::State::Timing);
    QString text;
    if (state == RunController::State::Timing) {
        const auto [done, total] = m_run.progress();
        text = tr("%1 of %2", "steps").arg(words::count(done), words::counted(total, words::Noun::Step));
    } else if (m_run.stepsDone() > 0) {
        text = tr("step %1").arg(words::count(m_run.stepsDone()));
    }
    m_steps->setText(text);
    action("resetRun")->setEnabled(m_run.stepsDone() > 0 || !idle);
    showTimes();
}

void MainWindow::showAbout()
{
    auto* box = new QMessageBox(this);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setModal(false);
    box->setWindowTitle(tr("About Shardscope"));
    box->setIconPixmap(windowIcon().pixmap(48));
    box->setText(tr("<b>Shardscope %1</b><br>Explore how the arrays of a train step are laid out over a device mesh.")
                     .arg(QCoreApplication::applicationVersion()));
    box->setInformativeText(
        tr("Qt %1. Free software under the GNU General Public License, version 3 or later. Plots are "
           "drawn by QCustomPlot, kernels use Eigen.")
            .arg(QLatin1String(qVersion())));
    box->show();
}

void MainWindow::showEvent(QShowEvent* event)
{
    QMainWindow::showEvent(event);
    if (!m_arranged) {
        m_arranged = true;
        setForm(formFor(size())); // sizes of frames hold only once the window has its own
        if (QLatin1String front(viewsOf(m_perspective).centre.front()); front == QLatin1String("layout"))
            m_grid->canvas()->setFocus(Qt::OtherFocusReason);
        else
            dock(front)->present();
    }
}

void MainWindow::resizeEvent(QResizeEvent* event)
{
    QMainWindow::resizeEvent(event);
    if (const Form form = formFor(size()); isVisible() && form != m_form) {
        maximise(nullptr);
        keepArrangement();
        setForm(form);
    }
    m_question->setBrief(formFor(size()) < Form::TwoColumns);
    m_question->setOneLine(formFor(size()) == Form::TwoColumns);
    showPerspective();
    restoreSizes();
    fitLater();
}

} // namespace shardscope
