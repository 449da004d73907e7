// SPDX-License-Identifier: GPL-3.0-or-later
#include "rules_input.h"

#include <QFileInfo>

#include "base/codes.h"
#include "command.h"
#include "experiment/mesh_order.h"
#include "experiment_file/experiment_file.h"
#include "experiment_file/gallery.h"
#include "input.h"
#include "rules/published_rules.h"
#include "sharding/text.h"

namespace shardscope::cli {

namespace {

/// Whether text that is no file looks as if it were meant to be one.
bool looksLikePath(std::string_view text)
{
    if (text.find_first_of("([{") != std::string_view::npos)
        return false;
    for (const std::string_view begin : { "/", "./", "../", "~" })
        if (text.starts_with(begin))
            return true;
    for (const std::string_view end : { ".json", ".py", ".txt", ".yml", ".yaml" })
        if (text.ends_with(end))
            return true;
    return false;
}

/// One word, as ids are.
bool looksLikeId(std::string_view text)
{
    return !text.empty() && text.find_first_of("([{'\"=,: \t\n") == std::string_view::npos;
}

Error inFile(Error error, const std::string& name)
{
    if (error.where.file.empty())
        error.where.file = name;
    return error;
}

/// MaxText has all its axes in every mesh, in its order. Where devices are put in an order of the mesh's own they stay
/// where they are: the axes that it lacks come last.
Mesh asMaxTextHasIt(Mesh mesh, const RulesInput& rules)
{
    if (!rules.dialect || !isMaxText(*rules.dialect))
        return mesh;
    if (mesh.deviceOrder().empty()) {
        Result<Mesh> full = Mesh::create(withDeclaredAxes(mesh.axes(), rules.meshAxes));
        return full ? std::move(*full) : mesh;
    }
    std::vector<MeshAxis> axes(mesh.axes().begin(), mesh.axes().end());
    for (const std::string& axis : rules.meshAxes)
        if (!mesh.axisIndex(axis))
            axes.push_back({ axis, 1 });
    Result<Mesh> full = Mesh::createOver(std::move(axes), { mesh.deviceOrder().begin(), mesh.deviceOrder().end() });
    return full ? std::move(*full) : mesh;
}

RulesInput ofExperiment(const std::string& name, Experiment experiment)
{
    RulesInput input = rulesOf(name, experiment);
    input.experiment = std::move(experiment);
    return input;
}

Result<RulesInput> readExperimentInput(const std::string& name, const std::string& text)
{
    auto read = readExperiment(text);
    if (!read)
        return tl::unexpected(inFile(std::move(read.error().front()), name));
    RulesInput input = ofExperiment(name, std::move(read->experiment));
    for (Diagnostic& warning : read->warnings)
        input.warnings.push_back(inFile(std::move(warning), name));
    return input;
}

} // namespace

RulesInput rulesOf(const std::string& name, const Experiment& experiment)
{
    RulesInput input;
    input.name = name;
    input.rules = experiment.rules.rules;
    input.dialect = experiment.rules.dialect;
    for (const MeshAxis& axis : experiment.mesh.axes)
        input.meshAxes.push_back(axis.name);
    return input;
}

bool isExperimentText(std::string_view text)
{
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    return first != std::string_view::npos && (text[first] == '{' || text[first] == '/')
        && text.find('"' + std::string(experimentFormat) + '"') != std::string_view::npos;
}

Result<RulesInput> publishedInput(const std::string& id, const std::string& option)
{
    if (const PublishedRules* set = findPublishedRules(id)) {
        RulesInput input;
        input.name = id;
        input.rules = set->rules;
        input.dialect = set->dialect;
        input.meshAxes = set->meshAxes;
        return input;
    }
    std::vector<std::string> known;
    for (const PublishedRules& set : publishedRules())
        known.push_back(set.id);
    return fail(Code::UnknownValue, withNearest({ { "key", option }, { "value", id }, { "known", known } }, id, known));
}

Result<RulesInput> readMaxTextInput(const std::string& name, const std::string& text)
{
    Result<ReadMaxText> read = readMaxText(text);
    if (!read)
        return tl::unexpected(inFile(std::move(read.error()), name));
    for (Diagnostic& warning : read->warnings)
        warning.where.file = name;
    RulesInput input;
    input.name = name;
    input.rules = read->config.rules;
    input.dialect = Dialect::MaxText;
    for (const MaxTextAxis& axis : read->config.axes)
        input.meshAxes.push_back(axis.name);
    input.maxText = std::move(*read);
    return input;
}

Result<RulesInput> readRulesInput(const std::string& specified, const std::string& option)
{
    RulesInput input;
    input.name = option;
    std::string text = specified;
    const bool isFile = specified == "-" || QFileInfo(QString::fromStdString(specified)).isFile();
    if (!isFile && findPublishedRules(specified))
        return publishedInput(specified, option);
    if (isFile || looksLikePath(specified)) {
        SHARDSCOPE_TRY(read, readText(specified));
        text = std::move(*read);
        input.name = shownName(specified);
        if (isYaml(specified))
            return readMaxTextInput(input.name, text);
    } else if (looksLikeId(specified)) {
        if (const GalleryExample* example = findExample(specified))
            return ofExperiment(specified, example->experiment);
        if (QFileInfo(QString::fromStdString(specified)).isDir())
            return tl::unexpected(readText(specified).error());
        return publishedInput(specified, option);
    }
    if (isExperimentText(text))
        return readExperimentInput(input.name, text);
    Result<LogicalRules> rules = parseRules(text);
    if (!rules)
        return tl::unexpected(inFile(std::move(rules.error()), input.name));
    input.rules = std::move(*rules);
    return input;
}

tl::expected<TableInput, std::vector<Diagnostic>> readTableInput(const std::string& specified)
{
    Result<std::string> text = readText(specified, maximumTableBytes + 1);
    if (!text)
        return tl::unexpected(std::vector{ text.error() });
    const std::string name = shownName(specified);
    ReadTable table = readTable(*text);
    if (!table) {
        std::vector<Diagnostic> errors;
        for (Diagnostic& error : table.error())
            errors.push_back(inFile(std::move(error), name));
        return tl::unexpected(std::move(errors));
    }
    for (Diagnostic& warning : table->warnings)
        warning.where.file = name;
    return TableInput{ name, std::move(*table) };
}

MaxTextMachine machineOf(const MeshOptions& options)
{
    MaxTextMachine machine;
    if (options.devices > 0)
        machine.devices = options.devices;
    if (options.slices > 0)
        machine.slices = options.slices;
    return machine;
}

std::optional<std::int64_t> statedSlices(const MeshOptions& options, const RulesInput* rules)
{
    if (options.slices > 0)
        return options.slices;
    if (!options.mesh.empty() || !rules || !rules->maxText || rules->maxText->config.axes.empty())
        return std::nullopt;
    const Result<MaxTextMesh> resolved = resolveMesh(rules->maxText->config, machineOf(options));
    return resolved ? std::optional(resolved->slices) : std::nullopt;
}

Result<std::optional<Mesh>> readMeshOption(const MeshOptions& options, const RulesInput* rules)
{
    if (!options.mesh.empty()) {
        Result<Mesh> mesh = parseMesh(options.mesh);
        if (!mesh)
            return tl::unexpected(inFile(std::move(mesh.error()), "--mesh"));
        return std::optional(rules ? asMaxTextHasIt(std::move(*mesh), *rules) : std::move(*mesh));
    }
    if (rules && rules->experiment) {
        Result<Mesh> mesh = makeMesh(rules->experiment->hardware.devices, rules->experiment->mesh);
        if (!mesh)
            return tl::unexpected(inFile(std::move(mesh.error()), rules->name));
        return std::optional(std::move(*mesh));
    }
    if (!rules || !rules->maxText || rules->maxText->config.axes.empty())
        return std::optional<Mesh>();
    const Result<MaxTextMesh> resolved = resolveMesh(rules->maxText->config, machineOf(options));
    if (!resolved)
        return tl::unexpected(inFile(resolved.error(), rules->name));
    Result<Mesh> mesh = Mesh::create(resolved->meshAxes(), resolved->deviceOrder);
    if (!mesh)
        return tl::unexpected(inFile(std::move(mesh.error()), rules->name));
    return std::optional(std::move(*mesh));
}

Result<std::vector<std::int64_t>> parseSizes(const std::string& text, const std::string& option)
{
    Result<Shape> shape = parseShape(text);
    if (!shape)
        return tl::unexpected(inFile(std::move(shape.error()), option));
    return std::vector<std::int64_t>(shape->begin(), shape->end());
}

void addDeviceCounts(Command& command, MeshOptions& mesh)
{
    command.addOption("--devices", mesh.devices, "Devices, for sizes that a MaxText file leaves open (-1)")
        .wholeNumber(1, maximumDevices)
        .optionText("N");
    command.addOption("--slices", mesh.slices, "Slices that the devices belong to")
        .wholeNumber(1, maximumDevices)
        .optionText("N");
}

} // namespace shardscope::cli
