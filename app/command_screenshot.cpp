// SPDX-License-Identifier: GPL-3.0-or-later
// The command screenshot, declared in commands.h, and what screenshot.h declares.
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <algorithm>
#include <memory>
#include <new>
#include <optional>

#include <nlohmann/json.hpp>

#include "base/codes.h"
#include "command.h"
#include "commands.h"
#include "experiment_file/experiment_file.h"
#include "input.h"
#include "progress.h"
#include "report.h"
#include "screenshot.h"
#include "views/export_picture/export_picture.h"
#include "views/main_window/application.h"
#include "words/utf8.h"
#include "words/words.h"

namespace shardscope::cli {

namespace {

constexpr int smallest = 320;
constexpr int largest = 16384;

/// "1600x1000", empty when it is not a size.
QSize parseSize(const std::string& text)
{
    static const QRegularExpression form(QStringLiteral("^(\\d{1,6})[x×](\\d{1,6})$"));
    const auto match = form.match(QString::fromStdString(text));
    if (!match.hasMatch())
        return {};
    return { match.captured(1).toInt(), match.captured(2).toInt() };
}

/// Why there can be no picture of that name, as far as that can be known before.
std::optional<Diagnostic> refusedOutput(const std::string& output)
{
    const QFileInfo info(QString::fromStdString(output));
    const bool device = info.exists() && !info.isFile() && !info.isDir(); // has no say in what is written
    if (!device && !pictureForm(info.fileName()))
        return wrongPictureName(info.fileName());
    const char* reason = info.isDir()  ? "it is a directory"
        : !info.absoluteDir().exists() ? "there is no such directory"
                                       : nullptr;
    if (!reason)
        return std::nullopt;
    return Diagnostic{ Code::Unwritable, { { "file", output }, { "reason", reason } }, {} };
}

/// Whether there are addresses for a window and its picture. Qt, which draws them, does not say so where they end.
bool hasRoomForWindow()
{
    constexpr std::size_t enough = std::size_t{ 512 } << 20;
    void* const volatile room = ::operator new(enough, std::nothrow); // volatile, or compilers leave it out
    const bool isThere = room != nullptr;
    ::operator delete(room, std::nothrow);
    return isThere;
}

/// A variant is shown from a file elsewhere, from where the program has to be found.
Experiment withAbsoluteProgram(const Input& input)
{
    Experiment experiment = input.experiment;
    auto* program = std::get_if<ProgramModel>(&experiment.model);
    if (program && !program->file.empty() && !input.file.empty()) {
        const QDir folder = QFileInfo(QString::fromStdString(input.file)).absoluteDir();
        program->file = folder.absoluteFilePath(QString::fromStdString(program->file)).toStdString();
    }
    return experiment;
}

} // namespace

const std::vector<std::string>& partsOfWindow()
{
    static const std::vector<std::string> ids{ "mesh", "devices", "rules", "trace", "dialects", "model", "named",
        "tensors", "grid", "hosts", "lab", "memory", "program", "propagation", "timing", "memorytime", "values",
        "compare", "meshes", "explain", "whatif", "collectives", "problems", "inputs", "layout", "timeline",
        "inspector" };
    return ids;
}

int screenshot(const PictureOptions& options)
{
    if (options.viewAlone && options.dock.empty())
        throw UsageError("--alone", "goes with --dock: of which view?");
    if (!hasRoomForWindow())
        return refuseForMemory(options.json);
    Progress progress("screenshot");
    const auto refuse = [&](Diagnostic diagnostic) {
        progress.end();
        return reject(options.json, { std::move(diagnostic) });
    };
    // Before steps are run for it.
    if (const auto wrong = refusedOutput(options.output))
        return refuse(*wrong);
    ScreenshotOptions picture;
    picture.dark = options.theme == "dark";
    picture.size = parseSize(options.size);
    picture.tensor = QString::fromStdString(options.tensor);
    picture.dock = QString::fromStdString(options.dock);
    picture.perspective = QString::fromStdString(options.perspective);
    picture.axis = QString::fromStdString(options.axis);
    picture.scale = options.scale;
    picture.viewAlone = options.viewAlone;
    picture.sideBySide = options.sideBySide;
    picture.steps = options.steps;
    picture.operations = options.operations;
    if (picture.size.isEmpty())
        return refuse({ Code::WrongType,
            { { "key", "--size" }, { "expected", "width and height such as 1600x1000" }, { "found", options.size } },
            {} });
    for (const int length : { picture.size.width(), picture.size.height() })
        if (length < smallest || length > largest)
            return refuse({ Code::OutOfRange,
                { { "key", "--size" }, { "value", length }, { "min", smallest }, { "max", largest } }, {} });

    progress.now(QStringLiteral("reading %1").arg(words::fromStd(shownName(options.file))));
    // What is wrong with the experiment is said here, with all its errors; the window then reads the file itself.
    const auto input = loadExperiment(options.file);
    if (!input) {
        progress.end();
        return reject(options.json, input.error());
    }
    if (!options.axis.empty()) {
        std::vector<std::string> known;
        for (const MeshAxis& axis : input->experiment.mesh.axes)
            known.push_back(axis.name);
        if (std::find(known.begin(), known.end(), options.axis) == known.end())
            return refuse({ Code::UnknownValue,
                { { "key", "--axis" }, { "value", options.axis }, { "known", known },
                    { "nearest", nearestName(options.axis, known) } },
                {} });
    }
    QString path = QFileInfo(QString::fromStdString(options.file)).absoluteFilePath();
    QTemporaryDir folder;
    const bool isVariant = !input->file.empty();
    if (options.file != "-" && !isVariant && !QFileInfo::exists(path)) {
        path = QString::fromStdString(options.file); // an example, which the window knows by its name
    } else if (options.file == "-" || isVariant) {
        path = folder.filePath(QStringLiteral("experiment.json"));
        QFile file(path);
        const std::string text = writeExperiment(withAbsoluteProgram(*input));
        if (!file.open(QIODevice::WriteOnly) || file.write(text.data(), static_cast<qint64>(text.size())) < 0)
            return refuse({ Code::Unwritable,
                { { "file", path.toStdString() }, { "reason", file.errorString().toStdString() } }, {} });
    }
    progress.now(options.steps == 0 ? QStringLiteral("drawing")
                                    : QStringLiteral("running steps, to draw what they leave (--steps 0 runs none)"));
    const auto written = writeScreenshot(path, QString::fromStdString(options.output), picture);
    if (!written) {
        const bool runFailed = written.error().code == Code::OutOfMemory || written.error().code == Code::NotExecutable;
        const int status =
            refuse(written.error().where.line > 0 ? inFile({ written.error() }, *input).front() : written.error());
        return runFailed ? Findings : status; // the file is right; this machine cannot run it
    }
    progress.end();
    // The picture shows what is wrong as well; who only sees the exit code is told, too.
    std::vector<Diagnostic> found = allProblems(*input, *analyse(input->experiment));
    std::erase_if(found, [](const Diagnostic& problem) { return problem.severity() != Severity::Error; });
    // Nobody asked for steps that the picture does without.
    const int status = written->failure && options.steps ? Findings : statusOf(found);
    {
        Console errors(stderr);
        if (options.json.empty())
            print(errors, found);
        if (written->failure)
            print(errors, { *written->failure });
        if (written->size != picture.size)
            errors.line(QStringLiteral("the window needs more room than %1: its picture shows %2x%3")
                            .arg(QString::fromStdString(options.size), QString::number(written->size.width()),
                                QString::number(written->size.height())));
        if (!written->failure && written->done < written->wanted)
            errors.line(QStringLiteral("%1 of %2 steps ran within %3 s; --steps N runs that many")
                            .arg(written->done)
                            .arg(written->wanted)
                            .arg(picture.patience));
    }
    if (!options.json.empty()) {
        Json out = envelope(options.json, *input);
        out["picture"] = options.output;
        out["step_count"] = written->done;
        if (written->failure)
            out["failure"] = toJson(*written->failure);
        out["problems"] = toJson(found);
        return emitJson(out, options.json, status);
    }
    Console().line(QString::fromStdString(options.output));
    return status;
}

void addScreenshot(CLI::App& app, int& status)
{
    Command command(app, "screenshot", "Write a picture of the window with an experiment");
    const auto options = std::make_shared<PictureOptions>();
    command.addFile(options->file);
    command.addOption("-o,--output", options->output, "The picture to write: a name that ends in .png, .svg or .pdf")
        .required()
        .optionText("PICTURE");
    command.addOption("--theme", options->theme, "light (default) or dark")
        .oneOf({ "light", "dark" })
        .optionText("THEME");
    command.addOption("--size", options->size, "Width and height of the window (default 1600x1000)").optionText("WxH");
    command.addOption("--tensor", options->tensor, "Path of the tensor to show").optionText("PATH");
    command
        .addOption("--dock", options->dock, ("View or part of one to show: " + listedWithOr(partsOfWindow())).c_str())
        .optionText("ID");
    command.addOption("--perspective", options->perspective, "learn, plan, program, debug or compare")
        .oneOf({ "learn", "plan", "program", "debug", "compare" })
        .optionText("NAME");
    command.addFlag("--alone", options->viewAlone, "Of that view alone");
    command.addFlag("--side-by-side", options->sideBySide,
        "Show in Collectives what one layer sends that is written in three ways");
    command.addOption("--axis", options->axis, "Mesh axis to select").optionText("NAME");
    command.addOption("--scale", options->scale, "Device pixels per pixel of the window (default 1)")
        .range(0.5, 4.0)
        .optionText("FACTOR");
    command.addOption("--steps", options->steps, "Steps to run before (default: up to 8, for half a minute)")
        .wholeNumber(0, 1000)
        .optionText("N");
    command
        .addOption("--operations", options->operations,
            "Show in Values what devices hold after so many operations of the last step")
        .wholeNumber(0, 20'000)
        .optionText("N");
    command.addJson(options->json);
    command.footer(
        "Exit codes: 0 done; 1 the experiment has errors (the picture shows them), or steps that --steps asks for\n"
        "could not be run;\n"
        "2 arguments, input or output that cannot be used. Warnings do not count.");
    command.run(status, [options] { return screenshot(*options); });
}

} // namespace shardscope::cli
