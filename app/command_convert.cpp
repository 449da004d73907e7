// SPDX-License-Identifier: GPL-3.0-or-later
// The command convert, declared in commands.h.
#include <QFileInfo>
#include <algorithm>
#include <iterator>
#include <memory>

#include <nlohmann/json.hpp>

#include "base/codes.h"
#include "command.h"
#include "commands.h"
#include "experiment_file/experiment_file.h"
#include "goldens_input.h"
#include "input.h"
#include "interchange/goldens_of.h"
#include "interchange/hugging_face.h"
#include "interchange/import.h"
#include "interchange/maxtext_of.h"
#include "interchange/rule_text.h"
#include "network_input.h"
#include "resolve.h"
#include "sharding/text.h"
#include "words/utf8.h"

namespace shardscope::cli {

namespace {

struct ConvertOptions {
    std::string input;
    std::string from;
    std::string to = "experiment";
    std::string as; ///< the architecture of a configuration
    std::string rules; ///< for a table or a configuration
    MeshOptions mesh;
    std::string output;
    JsonTarget json;
};

/// What was read, whatever its form.
struct Source {
    std::string name;
    std::string title;
    std::optional<RulesInput> rules;
    std::vector<ParameterRow> rows;
    std::optional<Experiment> experiment;
    std::vector<Diagnostic> warnings;
    std::vector<std::string> notKept; ///< members of the mesh and the hardware that the new form has no word for
    /// Keys that say nothing about sharding.
    std::vector<std::pair<std::string, int>> passedOver; ///< with their lines
    std::vector<ConfigField> assumed; ///< what a configuration leaves to its architecture
    std::optional<MadeNetwork> network; ///< of a configuration
    std::optional<MaxTextGoldens> goldens; ///< of a folder
};
using ReadSource = tl::expected<Source, std::vector<Diagnostic>>;

std::string baseName(const std::string& file)
{
    return QFileInfo(QString::fromStdString(file)).completeBaseName().toStdString();
}

Source sourceOfExperiment(Experiment experiment, const std::string& name)
{
    Source source;
    source.name = name;
    source.title = experiment.title;
    source.rows = toRows(experiment);
    source.rules = rulesOf(name, experiment);
    source.experiment = std::move(experiment);
    return source;
}

ReadSource readExperimentSource(const std::string& name)
{
    SHARDSCOPE_TRY(input, loadExperiment(name));
    Source source = sourceOfExperiment(std::move(input->experiment), input->name);
    source.warnings = std::move(input->warnings);
    return source;
}

/// The config.json of a model on Hugging Face.
Result<Source> readConfigurationSource(const ConvertOptions& options)
{
    SHARDSCOPE_TRY(text, readText(options.input, maximumConfigBytes + 1));
    const std::string name = shownName(options.input);
    Result<ReadHuggingFace> read = readHuggingFace(*text, options.as);
    if (!read) {
        read.error().where.file = name;
        return tl::unexpected(std::move(read.error()));
    }
    SHARDSCOPE_TRY(made,
        makeNetwork(read->settings, options.input == "-" ? read->architecture : baseName(options.input),
            { options.rules, options.mesh, {} }));
    Source source = sourceOfExperiment(made->experiment, name);
    source.network = std::move(*made);
    source.warnings = std::move(read->warnings);
    for (Diagnostic& warning : source.warnings)
        warning.where.file = name;
    for (const ConfigField& field : read->ignored)
        source.passedOver.emplace_back(field.key, field.line);
    source.assumed = std::move(read->assumed);
    return source;
}

Result<RulesInput> readRulesOf(const ConvertOptions& options)
{
    if (options.from == "preset")
        return publishedInput(options.input, "preset");
    SHARDSCOPE_TRY(text, readText(options.input));
    const std::string name = shownName(options.input);
    if (isExperimentText(*text))
        return fail(Code::WrongType,
            { { "key", "--from" }, { "expected", "--from experiment" },
                { "found", options.from + ", but this is an experiment" } },
            Where{ .file = name, .pointer = {}, .path = {} });
    if (options.from == "maxtext")
        return readMaxTextInput(name, *text);
    Result<LogicalRules> rules = parseRules(*text);
    if (!rules) {
        rules.error().where.file = name;
        return tl::unexpected(std::move(rules.error()));
    }
    RulesInput input;
    input.name = name;
    input.rules = std::move(*rules);
    input.dialect = options.from == "t5x" ? Dialect::T5x : Dialect::FlaxLinen;
    return input;
}

ReadSource readSource(const ConvertOptions& options)
{
    const auto failed = [](Error error) { return tl::unexpected(std::vector{ std::move(error) }); };
    if (options.from == "experiment")
        return readExperimentSource(options.input);
    if (options.from == "hf") {
        Result<Source> source = readConfigurationSource(options);
        if (!source)
            return failed(std::move(source.error()));
        return std::move(*source);
    }
    Source source;
    source.title = options.from == "preset" ? options.input : baseName(options.input);
    if (options.from == "table" || options.from == "maxtext-goldens") {
        if (options.from == "table") {
            SHARDSCOPE_TRY(table, readTableInput(options.input));
            source.name = table->name;
            source.rows = std::move(table->table.rows);
            source.warnings = std::move(table->table.warnings);
        } else {
            SHARDSCOPE_TRY(goldens, loadGoldens(options.input));
            source.name = options.input;
            source.rows = toRows(*goldens);
            source.goldens = std::move(*goldens);
        }
        if (options.rules.empty())
            return source;
        Result<RulesInput> rules = readRulesInput(options.rules, "--rules");
        if (!rules)
            return failed(std::move(rules.error()));
        source.rules = std::move(*rules);
    } else {
        Result<RulesInput> rules = readRulesOf(options);
        if (!rules)
            return failed(std::move(rules.error()));
        source.name = rules->name;
        source.rules = std::move(*rules);
    }
    if (source.rules->maxText) {
        source.warnings.insert(
            source.warnings.end(), source.rules->maxText->warnings.begin(), source.rules->maxText->warnings.end());
        for (const ReadMaxText::PassedOver& each : source.rules->maxText->passedOver)
            source.passedOver.emplace_back(each.key, each.line);
    }
    return source;
}

/// Mesh axes that the source speaks of, in order.
std::vector<std::string> axesOf(const Source& source)
{
    std::vector<std::string> axes;
    if (!source.rules)
        return axes;
    axes = source.rules->meshAxes;
    for (const LogicalRule& rule : source.rules->rules.list)
        for (const std::string& axis : rule.target.axes)
            if (std::find(axes.begin(), axes.end(), axis) == axes.end())
                axes.push_back(axis);
    return axes;
}

Result<Import> toImport(const ConvertOptions& options, const Source& source)
{
    Import import;
    import.title = source.title;
    import.rows = source.rows;
    if (source.rules) {
        import.rules = source.rules->rules;
        import.dialect = source.rules->dialect.value_or(Dialect::FlaxLinen);
        if (source.rules->experiment) {
            import.inner = source.rules->experiment->rules.inner;
            import.mapping = !source.rules->rules.isSequence;
        }
    }
    if (options.mesh.mesh.empty() && source.goldens) {
        import.mesh = source.goldens->mesh;
        return import;
    }
    const bool ownMesh = source.rules && source.rules->maxText && !source.rules->maxText->config.axes.empty();
    if (options.mesh.mesh.empty() && ownMesh) {
        SHARDSCOPE_TRY(mesh, resolveMesh(source.rules->maxText->config, machineOf(options.mesh)));
        takeMesh(*mesh, import);
        return import;
    }
    const Result<std::optional<Mesh>> mesh =
        readMeshOption(options.mesh, source.rules ? &*source.rules : nullptr); // the one that resolve has
    SHARDSCOPE_CHECK(mesh);
    if (!*mesh)
        return fail(Code::UnresolvedAxisSize, { { "option", "--mesh" }, { "axes", axesOf(source) } });
    import.mesh.assign((*mesh)->axes().begin(), (*mesh)->axes().end());
    import.deviceOrder.assign((*mesh)->deviceOrder().begin(), (*mesh)->deviceOrder().end());
    import.hosts = std::max<std::int64_t>(options.mesh.slices, 1);
    return import;
}

Result<std::string> experimentText(const ConvertOptions& options, const Source& source)
{
    if (source.experiment)
        return writeExperiment(*source.experiment);
    SHARDSCOPE_TRY(import, toImport(options, source));
    SHARDSCOPE_TRY(experiment, toExperiment(*import));
    return writeExperiment(*experiment);
}

Result<MaxTextForm> formForMaxText(const ConvertOptions& options, const Source& source)
{
    if (source.rules->maxText)
        return MaxTextForm{ source.rules->maxText->config, {} };
    if (source.experiment)
        return maxTextForm(
            source.rules->rules, source.experiment->mesh, maxTextSlices(source.experiment->hardware.devices));
    SHARDSCOPE_TRY(import, toImport(options, source));
    return maxTextForm(source.rules->rules, { import->mesh, import->deviceOrder }, import->hosts);
}

/// Notes in the source what the form cannot keep.
Result<std::string> convertedText(const ConvertOptions& options, Source& source)
{
    if (options.to == "experiment")
        return experimentText(options, source);
    if (options.to == "table" || options.to == "csv") {
        if (source.rows.empty() && source.experiment)
            return fail(Code::WrongType,
                { { "key", "--from" }, { "expected", "the name of an experiment of arrays or of a network" },
                    { "found", "an experiment whose program has no parameters with logical names" } });
        if (source.rows.empty())
            return fail(Code::MissingKey, { { "key", "arrays" } });
        return options.to == "csv" ? writeCsvTable(source.rows) : writeJsonTable(source.rows);
    }
    if (!source.rules)
        return fail(Code::MissingKey, { { "key", "--rules" } });
    if (!source.rules->rules.isSequence) {
        // Flax, T5X and MaxText have lists alone. Names are all different in a mapping, so that any order says the
        // same of one name.
        source.rules->rules.isSequence = true;
        source.notKept.emplace_back("mapping");
    }
    const Experiment* of = source.experiment ? &*source.experiment
        : source.rules->experiment           ? &*source.rules->experiment
                                             : nullptr;
    if (of && !of->rules.inner.empty())
        source.notKept.emplace_back("inner_rules");
    if (options.to == "maxtext") {
        SHARDSCOPE_TRY(form, formForMaxText(options, source));
        std::move(form->notKept.begin(), form->notKept.end(), std::back_inserter(source.notKept));
        return writeMaxText(form->config);
    }
    return toPythonSource(source.rules->rules, options.to == "t5x" ? "logical_axis_rules" : "rules");
}

/// Those that were read, where nothing else is to be made of them.
Result<MaxTextGoldens> goldensFrom(const ConvertOptions& options, const Source& source)
{
    if (source.goldens && !source.rules)
        return *source.goldens;
    if (source.experiment)
        return goldensOf(*source.experiment);
    if (source.rows.empty())
        return fail(Code::MissingKey, { { "key", "arrays" } });
    SHARDSCOPE_TRY(import, toImport(options, source));
    SHARDSCOPE_TRY(experiment, toExperiment(*import));
    return source.goldens ? goldensUnder(*experiment, *source.goldens) : goldensOf(*experiment);
}

Json sourceJson(const Source& source)
{
    Json json{ { "name", source.name }, { "array_count", source.rows.size() } };
    if (source.rules) {
        json["rule_count"] = source.rules->rules.list.size();
        json["mesh_axes"] = source.rules->meshAxes;
    }
    Json passedOver = Json::array();
    for (const auto& [key, line] : source.passedOver)
        passedOver.push_back({ { "key", key }, { "line", line } });
    json["passed_over"] = std::move(passedOver);
    json["assumed"] = Json::array();
    for (const ConfigField& field : source.assumed)
        json["assumed"].push_back({ { "key", field.key }, { "value", field.value } });
    json["not_kept"] = source.notKept;
    return json;
}

/// Warnings, and what was not looked at, on the error stream.
void remark(const ConvertOptions& options, const Source& source)
{
    if (source.network) {
        remarkRules(*source.network, { options.rules, options.mesh, {} });
        if (options.to == "experiment")
            remarkProblems(source.network->experiment);
    }
    Console errors(stderr);
    print(errors, source.warnings);
    if (const std::size_t passed = source.passedOver.size(); passed > 0)
        errors.line(words::fromStd(source.name)
                + (passed == 1 ? QStringLiteral(
                       ": 1 other key says nothing about sharding and was passed over; --json names it")
                               : QStringLiteral(
                                   ": %1 other keys say nothing about sharding and were passed over; --json lists "
                                   "them")
                                     .arg(passed)),
            Emphasis::Faint);
    for (const std::string& lost : source.notKept)
        errors.line(lost == "inner_rules"
                ? QStringLiteral("The rules for parts of the model are not kept: the form has one list, which holds "
                                 "everywhere.")
                : lost == "mapping" ? QStringLiteral(
                      "Penzai's mapping is written as a list of rules. Where two names of one array want the "
                      "same mesh axis, Penzai refuses; a list gives it to the rule that stands first.")
                : lost == "hosts"
                ? QStringLiteral("The hosts are not kept: their devices are no blocks of the mesh that MaxText could "
                                 "have between slices. All sizes are written as ici_.")
                : QStringLiteral("The order of the devices is not kept: MaxText orders them by slices alone, and the "
                                 "sizes of no slices make this order."),
            Emphasis::Warning);
}

int convertToGoldens(const ConvertOptions& options, const Source& source)
{
    const Result<MaxTextGoldens> goldens = goldensFrom(options, source);
    Result<void> saved;
    if (goldens)
        saved = saveGoldens(*goldens, options.output);
    if (!goldens || !saved) {
        Error error = goldens ? saved.error() : goldens.error();
        if (error.where.file.empty() && !goldens)
            error.where.file = source.name;
        return reject(options.json, { std::move(error) });
    }
    if (options.json.empty()) {
        remark(options, source);
        return Done;
    }
    Json out = envelope(options.json);
    out["from"] = options.from;
    out["to"] = options.to;
    out["read"] = sourceJson(source);
    out["output"] = options.output;
    out["problems"] = cli::toJson(source.warnings);
    return emitJson(out, options.json, Done);
}

int convert(const ConvertOptions& options)
{
    const bool toGoldens = options.to == "maxtext-goldens";
    if (toGoldens && (options.output.empty() || options.output == "-"))
        throw UsageError("--to maxtext-goldens writes a folder of files: name it with -o");
    if (toGoldens && options.from == "maxtext-goldens" && options.rules.empty() && !options.mesh.mesh.empty())
        throw UsageError("--mesh needs --rules here: the specs of goldens are those of their own mesh");
    ReadSource source = readSource(options);
    if (!source)
        return reject(options.json, source.error());
    if (toGoldens)
        return convertToGoldens(options, *source);
    Result<std::string> text = convertedText(options, *source);
    if (!text) {
        if (text.error().where.file.empty())
            text.error().where.file = source->name;
        std::vector<Diagnostic> told = source->warnings; // such as a misspelt key, which may be the cause
        told.push_back(text.error());
        return reject(options.json, told);
    }
    if (options.json.empty())
        remark(options, *source);
    int status = Done;
    if (!options.output.empty())
        status = emitText(*text, options.output, Done);
    if (!options.json.empty()) {
        Json out = envelope(options.json);
        out["from"] = options.from;
        out["to"] = options.to;
        out["read"] = sourceJson(*source);
        if (options.output.empty())
            out["text"] = *text;
        else
            out["output"] = options.output;
        if (source->network && !source->network->defaultRules.empty())
            out["default_rules"] = source->network->defaultRules;
        out["problems"] = cli::toJson(source->warnings);
        return emitJson(out, options.json, status);
    }
    if (options.output.empty())
        writeTo(stdout, *text);
    return status;
}

} // namespace

void addConvert(CLI::App& app, int& status)
{
    Command command(app, "convert", "Turn rules, meshes and tables of other programs into experiments, and back");
    command.footer("Exit codes: 0 done; 2 arguments, input or output that cannot be used. Warnings do not count.");
    const auto options = std::make_shared<ConvertOptions>();
    command
        .addOption("INPUT", options->input,
            "The file, - for standard input; with --from preset the id of a published rule set")
        .required();
    command
        .addOption("--from", options->from,
            "maxtext (YAML), maxtext-goldens (a folder of them), t5x or flax (Python literals of rules), table (CSV or "
            "JSON, see resolve), hf (config.json of a transformer on Hugging Face), experiment, or preset")
        .required()
        .oneOf({ "t5x", "maxtext", "maxtext-goldens", "flax", "table", "hf", "experiment", "preset" })
        .optionText("FORM");
    command
        .addOption("--to", options->to,
            "experiment (default), flax or t5x (rules as Python source), maxtext (YAML), maxtext-goldens (a folder of "
            "three files: specs of the state, names, and activations), table (JSON) or csv")
        .oneOf({ "experiment", "flax", "t5x", "maxtext", "maxtext-goldens", "table", "csv" })
        .optionText("FORM");
    command
        .addOption(
            "--as", options->as, "Read a configuration as that of another architecture; all its keys are looked at")
        .oneOf(huggingFaceFamilies())
        .optionText("FAMILY");
    command
        .addOption("--rules", options->rules,
            "Rules that go with a table or a configuration, as in resolve; a configuration has those of new by default")
        .optionText("RULES");
    command.addOption("--mesh", options->mesh.mesh, "The mesh, where the input has none: data=2,model=4")
        .optionText("MESH");
    addDeviceCounts(command, options->mesh);
    command.addOption("-o,--output", options->output, "File to write, of goldens the folder; standard output otherwise")
        .optionText("OUT");
    command.addJson(options->json);
    command.setInput(options->input);
    command.run(status, [options] { return convert(*options); });
}

} // namespace shardscope::cli
