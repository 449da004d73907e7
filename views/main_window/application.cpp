// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/main_window/application.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QFileInfo>
#include <QFontInfo>
#include <QTemporaryDir>
#include <QThread>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <optional>

#include "base/codes.h"
#include "experiment_file/gallery.h"
#include "program/path.h"
#include "views/collectives_view/collectives_view.h"
#include "views/export_picture/export_picture.h"
#include "views/main_window/main_window.h"
#include "views/panel/obstacle.h"
#include "views/theme/icons.h"
#include "views/values_view/step_bar.h"
#include "views/values_view/values_view.h"
#include "views/widgets/dock_frame.h"
#include "views/widgets/step_player.h"

namespace shardscope {

namespace {

void describeApplication()
{
    QCoreApplication::setApplicationName(QStringLiteral("shardscope"));
    QGuiApplication::setApplicationDisplayName(QStringLiteral("Shardscope"));
    QGuiApplication::setDesktopFileName(QStringLiteral("org.shardscope.shardscope"));
    QGuiApplication::setWindowIcon(icon(QStringLiteral("shardscope")));
}

bool hasDisplay()
{
#if defined(Q_OS_UNIX) && !defined(Q_OS_DARWIN)
    return !qEnvironmentVariableIsEmpty("DISPLAY") || !qEnvironmentVariableIsEmpty("WAYLAND_DISPLAY")
        || !qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM");
#else
    return true;
#endif
}

QByteArray readStandardInput()
{
    constexpr qint64 limit = qint64{ 64 } << 20; // files beyond it are refused
    QFile input;
    return input.open(stdin, QIODevice::ReadOnly) ? input.read(limit + 1) : QByteArray();
}

/// The example of that name, where there is no such file.
const GalleryExample* exampleNamed(const QString& file)
{
    return QFileInfo::exists(file) ? nullptr : findExample(file.toStdString());
}

/// A file, or an example by its name. Errors are shown in the window.
void openIn(MainWindow& window, const QString& file)
{
    if (const GalleryExample* example = exampleNamed(file))
        window.openExample(QString::fromStdString(std::string(example->id)));
    else
        window.openFile(QFileInfo(file).absoluteFilePath());
}

constexpr int defaultSteps = 8;

/// Handles events until `done`.
void processUntil(const std::function<bool()>& done)
{
    while (!done()) {
        QCoreApplication::processEvents(QEventLoop::AllEvents, 20);
        QThread::msleep(2);
    }
}

/// Without a display platform of its own a text font of 12 px, as the design has it.
void settleFont()
{
    QFont font = QApplication::font();
    font.setPointSizeF(font.pointSizeF() * 12.0 / std::max(QFontInfo(font).pixelSize(), 1));
    QApplication::setFont(font);
}

/// Handles events until nothing has been at work for a while: timers that start work, and replots, come late. On a busy
/// machine one round may take all of that time, and leave what it has brought to be laid out.
void processUntilSettled(const MainWindow& window)
{
    constexpr int calmRounds = 20;
    int rounds = 0;
    QElapsedTimer calm;
    calm.start();
    processUntil([&] {
        if (!window.isSettled()) {
            calm.restart();
            rounds = 0;
        }
        return rounds++ >= calmRounds && calm.elapsed() >= 250;
    });
}

/// Runs steps to their end. None begins after `patience` seconds, save the first one.
Result<int> runSteps(MainWindow& window, int steps, std::optional<double> patience)
{
    RunController* run = window.runController();
    if (hasNoStep(*window.document()->snapshot())) // arrays and rules alone
        return 0;
    std::optional<Diagnostic> failure;
    bool stopped = false;
    const auto watch = QObject::connect(
        run, &RunController::failed, run, [&failure](const Diagnostic& diagnostic) { failure = diagnostic; });
    QElapsedTimer timer;
    timer.start();
    run->runTimeit(steps, 1);
    processUntil([&] {
        if (patience && !stopped && run->stepsDone() > 0 && static_cast<double>(timer.elapsed()) >= 1000 * *patience) {
            run->stop();
            stopped = true;
        }
        return failure || (run->state() == RunController::State::Idle && (stopped || run->lastTimeit()));
    });
    QObject::disconnect(watch);
    if (failure)
        return tl::unexpected<Error>(*failure);
    return static_cast<int>(run->stepsDone());
}

Result<ScreenshotReport> paintWindow(const QString& file, const QString& png, const ScreenshotOptions& options)
{
    Appearance appearance(options.dark ? ThemeChoice::Dark : ThemeChoice::Light);
    MainWindow window(&appearance, { .remember = false, .tips = false });
    if (const GalleryExample* example = exampleNamed(file)) {
        window.document()->setExperiment(example->experiment, {}); // as the window opens it
    } else if (!file.isEmpty()) {
        const std::vector<Diagnostic> errors = window.document()->open(file);
        if (!errors.empty())
            return tl::unexpected<Error>(errors.front());
    }
    window.document()->waitForAnalysis();
    const SnapshotPtr snapshot = window.document()->snapshot();
    if (!options.dock.isEmpty() && !window.part(options.dock) && !window.dock(options.dock)) {
        std::vector<std::string> known;
        for (const MainWindow::Part& each : window.parts())
            known.push_back(each.id.toStdString());
        for (const DockFrame* each : window.docks())
            if (!window.part(each->objectName()))
                known.push_back(each->objectName().toStdString());
        const std::string name = options.dock.toStdString();
        return fail(Code::UnknownValue,
            { { "key", "dock" }, { "value", name }, { "known", known }, { "nearest", nearestName(name, known) } });
    }
    window.selection()->setMeshAxis(options.axis);
    if (!options.tensor.isEmpty() && snapshot->program) {
        if (const auto found = findValue(*snapshot->program, options.tensor.toStdString()); !found)
            return tl::unexpected<Error>(found.error());
        else if (const std::string& path = snapshot->program->value(*found).path; !path.empty())
            window.selection()->setTensor(QString::fromStdString(path)); // it may be called otherwise
    }
    window.resize(options.size);
    window.show();
    ScreenshotReport report;
    report.wanted = snapshot->ok() ? options.steps.value_or(defaultSteps) : 0;
    if (report.wanted > 0) {
        const Result<int> done =
            runSteps(window, report.wanted, options.steps ? std::nullopt : std::optional(options.patience));
        if (done)
            report.done = *done;
        else if (options.steps)
            return tl::unexpected<Error>(done.error());
        else
            report.failure = done.error();
    }
    if (options.operations && report.done > 0) {
        StepBar* const bar = window.valuesView()->stepBar();
        bar->setOn(true);
        processUntil([&] { return !window.valuesView()->isWorking(); });
        bar->player()->go(*options.operations);
    }
    QCoreApplication::processEvents();
    window.resize(options.size); // docks may have asked for more
    if (snapshot->ok() && hasNoStep(*snapshot))
        report.wanted = report.done;
    if (const auto perspective = perspectiveOf(options.perspective)) {
        window.setPerspective(*perspective);
        window.frontView()->present();
    }
    if (!options.dock.isEmpty())
        window.present(options.dock);
    if (options.sideBySide) {
        window.present(QStringLiteral("collectives"));
        qobject_cast<CollectivesView*>(window.part(QStringLiteral("collectives")))->showSideBySide(true);
    }
    processUntilSettled(window);
    report.size = window.size();
    QWidget* shown = &window;
    if (options.viewAlone) {
        if (QWidget* const part = window.part(options.dock))
            shown = part;
        else if (DockFrame* const frame = window.dock(options.dock))
            shown = frame->widget();
    }
    SHARDSCOPE_CHECK(writePicture(*shown, png));
    return report;
}

/// Qt aborts where the display that is named cannot be opened: that is an error of usage here.
void refuseDisplay(QtMsgType type, const QMessageLogContext&, const QString& message)
{
    if (type != QtFatalMsg) {
        if (type == QtCriticalMsg)
            std::fprintf(stderr, "%s\n", qPrintable(message));
        return;
    }
    std::fputs("shardscope: the display for the window cannot be opened; see DISPLAY, WAYLAND_DISPLAY and "
               "QT_QPA_PLATFORM, or use a command (shardscope --help)\n",
        stderr);
    std::_Exit(2);
}

} // namespace

int runWindow(int argc, char** argv, const QString& file)
{
    if (!hasDisplay()) {
        std::fputs(
            "shardscope: there is no display for the window: set DISPLAY, WAYLAND_DISPLAY or QT_QPA_PLATFORM, or "
            "use a command (shardscope --help)\n",
            stderr);
        return 2;
    }
    const bool fromInput = file == QStringLiteral("-");
    const QByteArray input = fromInput ? readStandardInput() : QByteArray();
    const QtMessageHandler others = qInstallMessageHandler(refuseDisplay);
    QApplication application(argc, argv);
    qInstallMessageHandler(others);
    describeApplication();
    Appearance appearance(Settings().theme());
    MainWindow window(&appearance, { .remember = true });
    if (fromInput)
        window.openText(input, QStringLiteral("standard input"));
    else if (!file.isEmpty())
        openIn(window, file);
    window.show();
    if (!fromInput && file.isEmpty())
        window.greet();
    return QApplication::exec();
}

Result<ScreenshotReport> writeScreenshot(const QString& file, const QString& png, const ScreenshotOptions& options)
{
    if (qApp)
        return paintWindow(file, png, options);
    // Without a session there is no place for sockets and the like: one for the time of this call.
    std::optional<QTemporaryDir> runtime;
    if (qEnvironmentVariableIsEmpty("XDG_RUNTIME_DIR"))
        if (runtime.emplace(); runtime->isValid())
            qputenv("XDG_RUNTIME_DIR", QFile::encodeName(runtime->path()));
    if (!hasDisplay())
        qputenv("QT_QPA_PLATFORM", "offscreen");
    if (options.scale > 0 && options.scale != 1)
        qputenv("QT_SCALE_FACTOR", QByteArray::number(options.scale));
    int argc = 1;
    char name[] = "shardscope";
    char* argv[] = { name, nullptr };
    QApplication application(argc, argv);
    describeApplication();
    settleFont();
    return paintWindow(file, png, options);
}

} // namespace shardscope
