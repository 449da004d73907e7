// SPDX-License-Identifier: GPL-3.0-or-later
#include "goldens_input.h"

#include <QDir>
#include <QDirIterator>
#include <QFileInfo>
#include <array>

#include "base/codes.h"
#include "document/atomic_file.h"
#include "input.h"
#include "words/utf8.h"

namespace shardscope::cli {

namespace {

std::string fileIn(const std::string& folder, std::string_view name)
{
    return QDir(QString::fromStdString(folder)).filePath(words::fromStd(name)).toStdString();
}

/// The first folder below that has goldens; empty for none.
QString folderBelow(const std::string& folder)
{
    constexpr int most = 10'000;
    QDirIterator files(QString::fromStdString(folder), QDir::Files, QDirIterator::Subdirectories);
    for (int i = 0; files.hasNext() && i < most; ++i) {
        files.next();
        if (files.fileName() == words::fromStd(goldenFiles[0]))
            return files.fileInfo().path();
    }
    return {};
}

} // namespace

bool isFolder(const std::string& name)
{
    return QFileInfo(QString::fromStdString(name)).isDir();
}

ReadGoldens loadGoldens(const std::string& folder)
{
    const auto failed = [](Error error) { return tl::unexpected(std::vector<Diagnostic>{ std::move(error) }); };
    std::array<std::optional<std::string>, 3> texts;
    for (std::size_t i = 0; i < goldenFiles.size(); ++i) {
        const std::string file = fileIn(folder, goldenFiles[i]);
        if (!QFileInfo::exists(QString::fromStdString(file))) {
            if (i > 0)
                continue;
            const QString below = isFolder(folder) ? folderBelow(folder) : QString();
            return failed(below.isEmpty()
                    ? fail(Code::Unreadable, { { "file", file }, { "reason", "goldens of MaxText have this file" } })
                          .value()
                    : fail(Code::Unreadable,
                        { { "file", file },
                            { "reason", "goldens are in folders below, such as " + below.toStdString() } })
                          .value());
        }
        Result<std::string> text = readText(file, maximumTableBytes + 1);
        if (!text)
            return failed(std::move(text.error()));
        texts[i] = std::move(*text);
    }
    ReadGoldens goldens = readMaxTextGoldens({ std::move(*texts[0]), std::move(texts[1]), std::move(texts[2]) });
    if (!goldens)
        for (Diagnostic& error : goldens.error())
            error.where.file = fileIn(folder, error.where.file);
    return goldens;
}

Result<void> saveGoldens(const MaxTextGoldens& goldens, const std::string& folder)
{
    const QString path = QString::fromStdString(folder);
    if (!QDir().mkpath(path))
        return fail(Code::Unwritable, { { "file", folder }, { "reason", "the folder cannot be made" } });
    const GoldenTexts texts = writeMaxTextGoldens(goldens);
    const std::array<std::string, 3> written{ texts.named, texts.logical.value_or(""), texts.inputs.value_or("") };
    for (std::size_t i = 0; i < goldenFiles.size(); ++i)
        if (Result<void> saved = writeAtomically(QString::fromStdString(fileIn(folder, goldenFiles[i])), written[i]);
            !saved)
            return saved;
    return {};
}

} // namespace shardscope::cli
