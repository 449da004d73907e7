// SPDX-License-Identifier: GPL-3.0-or-later
#include "document/program_file.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>

#include "base/codes.h"
#include "document/atomic_file.h"
#include "experiment/builtin.h"
#include "hlo/read.h"
#include "stablehlo/read.h"

namespace shardscope {

bool isProgramFile(const QString& path)
{
    const QString suffix = QFileInfo(path).suffix().toLower();
    if (suffix != QLatin1String("txt"))
        return suffix == QLatin1String("mlir") || suffix == QLatin1String("stablehlo")
            || suffix == QLatin1String("hlo");
    constexpr qint64 examined = 4096;
    QFile file(path);
    if (!QFileInfo(path).isFile() || !file.open(QIODevice::ReadOnly)) // a pipe can be read once
        return false;
    const QByteArray begin = file.read(examined);
    return isHloText({ begin.constData(), static_cast<std::size_t>(begin.size()) });
}

std::optional<Error> notAsNamed(const QString& path, std::string_view text)
{
    const std::string_view binary = binaryKind(text);
    const bool isTold = !binary.empty() && binary != "binary"; // what the file is, and what makes text of it
    if (QFileInfo(path).suffix().toLower() != QLatin1String("hlo") || isHloText(text) || isTold)
        return std::nullopt;
    Where begin;
    begin.line = begin.column = 1;
    return Error{ Code::NoProgram, { { "wrong", "hlo" } }, std::move(begin) };
}

Result<Experiment> openProgram(const QString& path)
{
    SHARDSCOPE_TRY(content, readFile(path, static_cast<qint64>(maximumText)));
    ProgramModel model;
    model.file = QFileInfo(path).absoluteFilePath().toStdString();
    model.text = std::make_shared<const std::string>(content->constData(), static_cast<std::size_t>(content->size()));
    const std::shared_ptr<const std::string> text = model.text;
    Result<Experiment> experiment = experimentOf(std::move(model), QFileInfo(path).completeBaseName().toStdString());
    if (!experiment)
        if (auto wrong = notAsNamed(path, *text))
            return tl::unexpected(std::move(*wrong));
    return experiment;
}

FileSource filesBeside(const QString& experimentFile)
{
    const QDir folder = QFileInfo(experimentFile).absoluteDir();
    return [folder](const std::string& name) -> Result<std::string> {
        Result<QByteArray> content =
            readFile(folder.absoluteFilePath(QString::fromStdString(name)), static_cast<qint64>(maximumText));
        if (!content) {
            // By the name that the experiment has for it.
            content.error().where.file = name;
            for (Arg& arg : content.error().args)
                if (arg.name == "file")
                    arg.value = name;
            return tl::unexpected(std::move(content.error()));
        }
        return std::string(content->constData(), static_cast<std::size_t>(content->size()));
    };
}

Experiment withRelativeProgram(Experiment experiment, const QString& experimentFile)
{
    auto* program = std::get_if<ProgramModel>(&experiment.model);
    if (!program || program->file.empty() || !QDir::isAbsolutePath(QString::fromStdString(program->file)))
        return experiment;
    program->file =
        QFileInfo(experimentFile).absoluteDir().relativeFilePath(QString::fromStdString(program->file)).toStdString();
    return experiment;
}

} // namespace shardscope
