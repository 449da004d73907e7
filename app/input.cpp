// SPDX-License-Identifier: GPL-3.0-or-later
#include "input.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <string_view>

#include "analysis/analyse.h"
#include "analysis/summed_problems.h"
#include "base/codes.h"
#include "document/exchange.h"
#include "document/program_file.h"
#include "experiment/builtin.h"
#include "experiment/model_settings.h"
#include "experiment_file/experiment_file.h"
#include "experiment_file/gallery.h"
#include "experiment_file/json_text.h"
#include "experiment_file/variants.h"
#include "interchange/hugging_face.h"
#include "interchange/parameter_table.h"
#include "program_input.h"
#include "stablehlo/read.h"

namespace shardscope::cli {

namespace {

std::vector<Diagnostic> namingFile(std::vector<Diagnostic> list, const std::string& name)
{
    for (Diagnostic& diagnostic : list)
        if (diagnostic.code != Code::Unreadable) // whose sentence begins with it
            diagnostic.where.file = name;
    return list;
}

/// An example that was meant by that name; empty if there is none.
std::string nearestExample(const std::string& name)
{
    std::vector<std::string> ids;
    for (const GalleryExample& example : gallery())
        ids.emplace_back(example.id);
    return nearestName(name, ids);
}

/// "layers.2" of "opt/mu/layers.2/W1"; empty where a path has no such part.
std::string_view layerOf(std::string_view path)
{
    const std::size_t begin = path.find("layers.");
    return begin == std::string_view::npos
        ? std::string_view()
        : path.substr(begin, std::min(path.find_first_of("/)", begin), path.size()) - begin);
}

/// One finding may concern tensors of several layers. To who asks about one tensor it is about that one, or about the
/// one of its layer.
std::optional<std::string> nearestPath(const Problem& problem, const Program& program, ValueId about)
{
    const std::string& asked = program.value(about).path;
    const auto& values = problem.values;
    if (std::find(values.begin(), values.end(), about) != values.end())
        return asked;
    const std::string_view layer = layerOf(asked);
    if (layer.empty())
        return std::nullopt;
    for (const ValueId value : values)
        if (layerOf(program.value(value).path) == layer)
            return program.value(value).path;
    return std::nullopt;
}

/// Experiments are JSON; programs begin with anything but a brace.
bool beginsAsExperiment(std::string_view text)
{
    const auto skipTo = [&](std::string_view end) {
        text.remove_prefix(std::min(text.size(), std::min(text.find(end), text.size()) + end.size()));
    };
    while (true) {
        text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
        if (text.starts_with("//"))
            skipTo("\n");
        else if (text.starts_with("/*"))
            skipTo("*/");
        else
            return text.empty() || text.front() == '{';
    }
}

tl::expected<Input, std::vector<Diagnostic>> programInput(const std::string& name, std::string text)
{
    // A pipe with a name can be read once: its text is that of no file.
    const QFileInfo file(QString::fromStdString(name));
    const bool isFile = name != "-" && file.isFile();
    ProgramModel model;
    if (isFile)
        model.file = file.absoluteFilePath().toStdString();
    const auto kept = std::make_shared<std::string>(std::move(text));
    model.text = kept;
    Result<Experiment> experiment =
        experimentOf(std::move(model), isFile ? file.completeBaseName().toStdString() : "program");
    if (experiment)
        return Input{ shownName(name), std::move(*experiment), {}, {} };
    // The refusal of a program that is too large has no place in the text, and reading it again would say no more.
    const bool isOfText = experiment.error().code != Code::TooLarge || experiment.error().where.line > 0;
    std::vector<Diagnostic> errors;
    if (isOfText) // all that is wrong with it, not the first alone
        errors = errorsOf(checkProgram(shownName(name), std::move(*kept)));
    return tl::unexpected(
        errors.empty() ? namingFile({ std::move(experiment.error()) }, shownName(name)) : std::move(errors));
}

/// NoProgram where a file holds what another command makes an experiment of.
std::optional<Error> otherwiseRead(const std::string& name, std::string_view text)
{
    const auto holdsRows = [&] {
        const auto table = readTable(text);
        return table && !table->rows.empty();
    };
    const bool isTable = looksLikeTable({}, name) || (looksLikeTable(text, name) && holdsRows());
    const char* const kind = isTable ? "table"
        : looksLikeHuggingFace(text) ? "hugging_face"
        : isYaml(name)               ? "maxtext"
                                     : nullptr;
    if (!kind || !binaryKind(text).empty())
        return std::nullopt;
    return Error{ Code::NoProgram, { { "wrong", kind } }, {} };
}

/// Where a pointer leads to in the text of a file, if that is JSON.
void findLine(Where& where, const JsonText& json)
{
    if (where.line > 0 || where.pointer.empty() || !json.complete)
        return;
    if (const JsonNode* node = findNode(json.root, where.pointer)) {
        where.line = node->at.line;
        where.column = node->at.column;
    }
}

/// Whether a command finds something by that name.
bool canBeRead(const std::string& name)
{
    return name == "-" || QFileInfo::exists(QString::fromStdString(name)) || findExample(name);
}

/// "FILE#NAME" as FILE and NAME; either may have further # in it.
std::optional<std::pair<std::string, std::string>> variantIn(const std::string& name)
{
    if (canBeRead(name))
        return std::nullopt;
    for (std::size_t at = name.rfind('#'); at != std::string::npos && at > 0; at = name.rfind('#', at - 1))
        if (std::string file = name.substr(0, at); canBeRead(file))
            return std::pair(std::move(file), name.substr(at + 1));
    return std::nullopt;
}

/// Names of files in an experiment are relative to it, or to the current folder.
FileSource filesOf(const std::string& name)
{
    return filesBeside(name == "-" ? QDir::current().filePath(QStringLiteral("-")) : QString::fromStdString(name));
}

tl::expected<Input, std::vector<Diagnostic>> variantInput(const std::string& file, const std::string& variant)
{
    SHARDSCOPE_TRY(input, loadExperiment(file));
    const Result<std::size_t> index = findVariant(input->experiment, variant);
    if (!index)
        return tl::unexpected(namingFile({ index.error() }, shownName(file)));
    auto applied = applyVariant(input->experiment, input->experiment.variants[*index], filesOf(file));
    const std::string shown = shownName(file) + '#' + variant;
    if (!applied)
        return tl::unexpected(namingFile(std::move(applied.error()), shown));
    std::vector<Diagnostic> warnings = std::move(input->warnings);
    for (Diagnostic& warning : namingFile(std::move(applied->warnings), shown))
        warnings.push_back(std::move(warning));
    return Input{ shown, std::move(applied->experiment), std::move(warnings), {}, file };
}

} // namespace

std::string shownName(const std::string& name)
{
    return name == "-" ? "standard input" : name;
}

Result<std::string> readText(const std::string& name, std::size_t limit)
{
    if (name.empty())
        return fail(Code::Unreadable, { { "file", "\"\"" }, { "reason", "it has no name" } });
    QFile file(QString::fromStdString(name));
    const bool open = name == "-" ? file.open(stdin, QIODevice::ReadOnly) : file.open(QIODevice::ReadOnly);
    if (!open || QFileInfo(file).isDir())
        return fail(Code::Unreadable,
            { { "file", shownName(name) },
                { "reason", open ? std::string("it is a directory") : file.errorString().toStdString() } });
    std::string text;
    if (file.size() > 0) // grown, it would be there twice
        text.reserve(std::min(static_cast<std::size_t>(file.size()), limit) + 1);
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
    return fail(Code::TooLarge, { { "what", "file" }, { "limit", limit } },
        Where{ .file = shownName(name), .pointer = {}, .path = {} });
}

bool isYaml(std::string_view name)
{
    return name.ends_with(".yml") || name.ends_with(".yaml");
}

bool isProgramText(const std::string& name, std::string_view text)
{
    return isProgramFile(QString::fromStdString(name)) || (!name.ends_with(".json") && !beginsAsExperiment(text));
}

tl::expected<Input, std::vector<Diagnostic>> loadExperiment(
    const std::string& name, std::optional<std::string> specified)
{
    if (const auto variant = specified ? std::nullopt : variantIn(name))
        return variantInput(variant->first, variant->second);
    const bool isThere = name == "-" || QFileInfo::exists(QString::fromStdString(name));
    if (!isThere)
        if (const GalleryExample* example = findExample(name))
            return Input{ name, example->experiment, {}, {} };
    Result<std::string> text = specified              ? Result<std::string>(std::move(*specified))
        : isProgramFile(QString::fromStdString(name)) ? readText(name, maximumText)
                                                      : readText(name);
    if (!text) {
        if (!isThere)
            if (const std::string nearest = nearestExample(name); !nearest.empty())
                text.error().args.emplace_back("nearest", nearest);
        return tl::unexpected(std::vector{ text.error() });
    }
    if (!isProgramFile(QString::fromStdString(name)))
        if (auto other = otherwiseRead(name, *text))
            return tl::unexpected(namingFile({ std::move(*other) }, shownName(name)));
    if (isProgramText(name, *text))
        return programInput(name, std::move(*text));
    auto read = readExperiment(*text, filesOf(name));
    if (!read)
        return tl::unexpected(namingFile(std::move(read.error()), shownName(name)));
    return Input{ shownName(name), std::move(read->experiment), namingFile(std::move(read->warnings), shownName(name)),
        std::move(*text) };
}

std::vector<Diagnostic> variantProblems(const Input& input, const std::string& file)
{
    std::vector<Diagnostic> all;
    if (!input.file.empty())
        return all;
    for (const Variant& variant : input.experiment.variants) {
        auto applied = applyVariant(input.experiment, variant, filesOf(file));
        std::vector<Diagnostic>& found = applied ? applied->warnings : applied.error();
        std::erase_if(found, [&](const Diagnostic& problem) { // that the experiment has itself
            return std::any_of(input.warnings.begin(), input.warnings.end(), [&](const Diagnostic& own) {
                return own.code == problem.code && own.where.pointer == problem.where.pointer
                    && own.args == problem.args;
            });
        });
        for (Diagnostic& problem : namingFile(std::move(found), shownName(file) + '#' + variant.name))
            all.push_back(std::move(problem));
    }
    return all;
}

std::string programName(const Input& input)
{
    const std::string file = sourceFile(input.experiment);
    if (file.empty() || (input.text.empty() && input.file.empty()))
        return input.name;
    const std::string& own = input.file.empty() ? input.name : input.file;
    const QDir folder(QFileInfo(QString::fromStdString(own)).path());
    return QDir::cleanPath(folder.filePath(QString::fromStdString(file))).toStdString();
}

std::vector<Diagnostic> inFile(std::vector<Diagnostic> list, const Input& input)
{
    for (Diagnostic& diagnostic : list) {
        Where& where = diagnostic.where;
        if (!where.file.empty())
            continue;
        where.file = where.line > 0 ? programName(input) : input.name;
        if (!where.pointer.empty() && !input.text.empty())
            findLine(where, parseJson(input.text));
    }
    return list;
}

SnapshotPtr analyse(const Experiment& experiment, LastStage last)
{
    AnalysisCache cache;
    return shardscope::analyse(std::make_shared<const Experiment>(experiment), 1, cache, {}, last);
}

Error unknownValue(const std::string& key, const std::string& asked, std::vector<std::string> known)
{
    constexpr std::size_t most = 20;
    const std::string name = asked.starts_with('%') ? asked.substr(1) : asked;
    std::vector<Arg> args = withNearest({ { "key", key }, { "value", asked } }, name, known);
    if (known.size() > most)
        known.resize(most);
    args.emplace_back("known", std::move(known));
    return Error{ Code::UnknownValue, std::move(args), {} };
}

std::vector<Diagnostic> allProblems(const Input& input, const Snapshot& snapshot, ValueId about)
{
    std::vector<Diagnostic> all = input.warnings;
    if (snapshot.problems.empty())
        return all;
    const std::string inText = sourceFile(input.experiment);
    const JsonText json = input.text.empty() ? JsonText() : parseJson(input.text);
    for (const Problem& problem : summedUp(snapshot.problems)) {
        Diagnostic& diagnostic = all.emplace_back(problem.diagnostic);
        Where& where = diagnostic.where;
        if (where.file == inText)
            where.file = where.line > 0 ? programName(input) : input.name; // as it was typed
        // A place in an array of the file stays with that array.
        if (about.valid() && !where.path.empty() && !where.pointer.starts_with("/model/arrays/"))
            where.path = nearestPath(problem, *snapshot.program, about).value_or(where.path);
        if (where.file.empty())
            where.file = input.name;
        findLine(where, json);
    }
    return all;
}

} // namespace shardscope::cli
