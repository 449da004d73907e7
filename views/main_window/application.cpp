// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/main_window/application.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QFileInfo>
#include <QFontInfo>
#include <QIcon>
#include <QImage>
#include <QPainter>
#include <QThread>
#include <functional>

#include "program/path.h"
#include "views/main_window/main_window.h"
#include "views/theme/icons.h"

namespace shardscope {

namespace {

void describeApplication()
{
    QCoreApplication::setApplicationName(QStringLiteral("shardscope"));
    QGuiApplication::setApplicationDisplayName(QStringLiteral("Shardscope"));
    QGuiApplication::setDesktopFileName(QStringLiteral("shardscope"));
    QGuiApplication::setWindowIcon(icon(QStringLiteral("shardscope")));
}

/// Handles events until `done`, or for that long.
void processUntil(const std::function<bool()>& done, int milliseconds)
{
    QElapsedTimer timer;
    timer.start();
    while (!done() && timer.elapsed() < milliseconds) {
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

Result<void> paintWindow(const QString& file, const QString& png, const ScreenshotOptions& options)
{
    Appearance appearance(options.dark ? ThemeChoice::Dark : ThemeChoice::Light);
    MainWindow window(&appearance, { .remember = false });
    if (!file.isEmpty()) {
        const std::vector<Diagnostic> errors = window.document()->open(file);
        if (!errors.empty())
            return tl::unexpected<Error>(errors.front());
    }
    window.document()->waitForAnalysis();
    const SnapshotPtr snapshot = window.document()->snapshot();
    if (!options.tensor.isEmpty() && snapshot->program) {
        if (const auto found = findValue(*snapshot->program, options.tensor.toStdString()); !found)
            return tl::unexpected<Error>(found.error());
        window.selection()->setTensor(options.tensor);
    }
    window.resize(options.size);
    window.show();
    RunController* run = window.runController();
    if (snapshot->ok() && options.steps > 0) {
        run->runTimeit(options.steps, 1);
        processUntil([run] { return run->state() == RunController::State::Idle; }, 60'000);
    }
    processUntil([] { return false; }, 400); // what is worked out later, what-ifs and replots
    window.resize(options.size);
    QCoreApplication::processEvents();
    const QPixmap picture = window.grab();
    if (!picture.save(png, "PNG"))
        return fail(Code::Unwritable,
            { { "file", png.toStdString() }, { "reason", "the picture could not be written" } },
            Where{ .file = png.toStdString(), .pointer = {}, .path = {} });
    return {};
}

} // namespace

int runWindow(int argc, char** argv, const QString& file)
{
    QApplication application(argc, argv);
    describeApplication();
    Appearance appearance(Settings().theme());
    MainWindow window(&appearance, { .remember = true });
    if (!file.isEmpty())
        window.openFile(QFileInfo(file).absoluteFilePath());
    window.show();
    return QApplication::exec();
}

Result<void> writeScreenshot(const QString& file, const QString& png, const ScreenshotOptions& options)
{
    if (qApp)
        return paintWindow(file, png, options);
    if (qEnvironmentVariableIsEmpty("DISPLAY") && qEnvironmentVariableIsEmpty("WAYLAND_DISPLAY")
        && qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM"))
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
