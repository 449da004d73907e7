// SPDX-License-Identifier: GPL-3.0-or-later
#include "input.h"

#include <QFile>
#include <QFileInfo>
#include <algorithm>
#include <cstdio>
#include <memory>

#include "base/codes.h"
#include "experiment/builtin.h"
#include "experiment_file/experiment_file.h"
#include "experiment_file/json_text.h"
#include "pipeline/analyse.h"

namespace shardscope::cli {

namespace {

std::vector<Diagnostic> inFile(std::vector<Diagnostic> list, const std::string& name)
{
    for (Diagnostic& diagnostic : list)
        diagnostic.where.file = name;
    return list;
}

/// An example that was meant by that name; empty if there is none.
std::string nearestExample(const std::string& name)
{
    std::vector<std::string> ids;
    for (const Example& example : builtinExamples()) {
        ids.emplace_back(example.id);
        if (!name.empty() && ids.back().starts_with(name))
            return ids.back();
    }
    return nearestName(name, ids);
}

std::string shownName(const std::string& name)
{
    return name == "-" ? "standard input" : name;
}

} // namespace

Result<std::string> readText(const std::string& name, std::size_t limit)
{
    QFile file(QString::fromStdString(name));
    const bool open = name == "-" ? file.open(stdin, QIODevice::ReadOnly) : file.open(QIODevice::ReadOnly);
    if (!open || QFileInfo(file).isDir())
        return fail(Code::Unreadable,
            { { "file", shownName(name) },
                { "reason", open ? std::string("it is a directory") : file.errorString().toStdString() } });
    std::string text;
    while (text.size() <= limit) {
        const QByteArray part = file.read(qint64{ 1 } << 20);
        if (part.isEmpty()) {
            if (file.error() != QFileDevice::NoError)
                return fail(
                    Code::Unreadable, { { "file", shownName(name) }, { "reason", file.errorString().toStdString() } });
            return text;
        }
        text.append(part.constData(), static_cast<std::size_t>(part.size()));
    }
    return fail(Code::TooLarge, { { "what", shownName(name) }, { "limit", limit } });
}

tl::expected<Input, std::vector<Diagnostic>> loadExperiment(const std::string& name)
{
    if (name != "-" && !QFileInfo::exists(QString::fromStdString(name))) {
        const auto& examples = builtinExamples();
        const auto found =
            std::find_if(examples.begin(), examples.end(), [&](const Example& example) { return example.id == name; });
        if (found != examples.end())
            return Input{ name, found->make(), {}, {} };
    }
    Result<std::string> text = readText(name);
    if (!text) {
        if (name != "-" && !QFileInfo::exists(QString::fromStdString(name)))
            if (const std::string nearest = nearestExample(name); !nearest.empty())
                text.error().args.emplace_back("nearest", nearest);
        return tl::unexpected(std::vector{ text.error() });
    }
    auto read = readExperiment(*text);
    if (!read)
        return tl::unexpected(inFile(std::move(read.error()), shownName(name)));
    return Input{ shownName(name), std::move(read->experiment), inFile(std::move(read->warnings), shownName(name)),
        std::move(*text) };
}

SnapshotPtr analyse(const Experiment& experiment)
{
    AnalysisCache cache;
    return shardscope::analyse(std::make_shared<const Experiment>(experiment), 1, cache);
}

std::vector<Diagnostic> allProblems(const Input& input, const Snapshot& snapshot)
{
    std::vector<Diagnostic> all = input.warnings;
    if (snapshot.problems.empty())
        return all;
    const JsonText json = input.text.empty() ? JsonText() : parseJson(input.text);
    for (const Problem& problem : snapshot.problems) {
        Diagnostic& diagnostic = all.emplace_back(problem.diagnostic);
        Where& where = diagnostic.where;
        if (where.file.empty())
            where.file = input.name;
        if (where.line > 0 || where.pointer.empty() || !json.complete)
            continue;
        if (const JsonNode* node = findNode(json.root, where.pointer)) {
            where.line = node->at.line;
            where.column = node->at.column;
        }
    }
    return all;
}

} // namespace shardscope::cli
