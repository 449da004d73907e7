// SPDX-License-Identifier: GPL-3.0-or-later
// shardscope propagate: a program with the sharding of every value, and why a value has it.
// The command propagate, declared in commands.h.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "command.h"
#include "commands.h"
#include "input.h"
#include "program/name_values.h"
#include "program/over_mesh.h"
#include "program/path.h"
#include "program/program.h"
#include "program_input.h"
#include "propagation/differences.h"
#include "propagation/passes.h"
#include "propagation/propagate_program.h"
#include "propagation/records.h"
#include "propagation/strategy.h"
#include "propagation/write_provenance.h"
#include "report.h"
#include "sharding/text.h"
#include "stablehlo/print.h"
#include "words/definitions.h"
#include "words/propagation_steps.h"
#include "words/strategy_words.h"
#include "words/utf8.h"
#include "words/why_not.h"

namespace shardscope::cli {

namespace {

/// A value by its path or its name in the text, with or without the sign in front (program/name_values.h), or
/// by the end of its path, as findValue() (program/path.h) has it. UnknownValue with what there is instead: where the
/// text has the name several times, the values that it stands for.
Result<ValueId> valueAsked(const Program& program, const std::string& name)
{
    if (const ValueId value = valueNamed(program, name); value.valid())
        return value;
    std::vector<std::string> known = pathsOfName(program, name);
    // Of a name that several values have those are known; else all.
    const bool several = !known.empty();
    if (!several)
        if (const Result<ValueId> ending = findValue(program, name))
            return *ending;
    for (std::size_t i = 0; !several && i < program.values.size(); ++i)
        if (!program.values[i].path.empty())
            known.push_back(program.values[i].path);
    return tl::unexpected(unknownValue("value", name, std::move(known)));
}

/// Over which a value is sharded; that of the program for a value without a sharding.
const Mesh& meshOf(const Program& program, const PropagationResult& result, ValueId value)
{
    static const Mesh none;
    const std::uint32_t mesh = result.meshes[value.index];
    if (mesh != 0)
        return *program.meshes[mesh - 1].mesh;
    const std::optional<std::uint32_t> main = mainMesh(program);
    return main ? *program.meshes[*main].mesh : none;
}

/// Per operation along which axes went: the records that the text has as sdy.propagation_edges, by our count of steps.
/// `value` is the operation's first result, or what owns the data-flow edge.
Json edgesJson(const Program& program, const PropagationResult& result, const PropagationOptions& options)
{
    PropagationInput input;
    input.program = ProgramPtr(&program, [](const Program*) {}); // lives longer than the input
    input.options = options;
    Json out = Json::array();
    const std::vector<std::vector<StepEdges>> all = propagationEdges(input, result);
    for (std::size_t o = 0; o < all.size(); ++o) {
        const Operation& operation = program.operations[o];
        for (const StepEdges& step : all[o]) {
            ValueId value = step.owner;
            if (!value.valid() && !operation.results.empty())
                value = operation.results[0];
            for (const AxisEdge& edge : step.edges) {
                Json targets = Json::array();
                for (const std::int16_t target : edge.targets)
                    targets.push_back(program.value(tensorOf(operation, step, target)).path);
                const ValueId first = tensorOf(operation, step, edge.targets.front());
                Json entry{ { "step", step.step }, { "op", qualifiedName(operation) },
                    { "axis", toString(meshOf(program, result, first), edge.axis) },
                    { "from", program.value(tensorOf(operation, step, edge.source)).path },
                    { "targets", std::move(targets) } };
                if (value.valid())
                    entry["value"] = program.value(value).path;
                out.push_back(std::move(entry));
            }
        }
    }
    return out;
}

struct PropagateCommandOptions {
    std::string file;
    std::string strategy; ///< empty: as the experiment says, full for a program by itself
    std::string explain;
    std::string compare;
    bool conservative = false;
    bool ignorePriorities = false;
    bool steps = false;
    bool edges = false;
    bool origins = false;
    JsonTarget json;
};

/// What the options say counts more than what the experiment says.
PropagationSetting settingOf(
    const PropagateCommandOptions& options, const SpecifiedInput& loaded, const std::string& strategy)
{
    PropagationSetting setting = loaded.setting;
    if (!strategy.empty())
        setting.strategy = *strategyNamed(strategy);
    setting.conservative = setting.conservative || options.conservative;
    setting.userPriorities = setting.userPriorities && !options.ignorePriorities;
    return setting;
}

/// The program as the setting prepares it, propagated, its values named.
struct Propagated {
    Program prepared;
    PropagatedProgram done;
};
Result<Propagated> run(const SpecifiedInput& loaded, const PropagationSetting& setting)
{
    SHARDSCOPE_TRY(ready, prepared(loaded.program, setting));
    Propagated made{ std::move(*ready), {} };
    made.done = propagateProgram(made.prepared, engineStrategy(setting), engineOptions(setting));
    // What a function of a call returns is known now; without it a reader would take it for replicated.
    if (setting.strategy == StrategyChoice::Full)
        made.done.program = passes::propagateToFunctionResults(std::move(made.done.program));
    if (made.done.program.namedByText)
        nameValues(made.done.program);
    return made;
}

std::string printed(const Program& program)
{
    PrintOptions options;
    options.names = program.namedByText ? PrintedNames::AsNames : PrintedNames::AsComments;
    options.locations = false;
    return printStableHlo(program, options);
}

QString shardingText(const Program& program, const PropagationResult& result, ValueId value)
{
    const std::uint32_t mesh = result.meshes[value.index];
    return mesh == 0 ? QStringLiteral("open, no axes")
                     : words::fromStd(toShardy(result.shardings[value.index], *program.meshes[mesh - 1].mesh));
}

/// What specified a seed, by words::Specifier.
constexpr const char* specifiers[] = { "input", "output", "constraint", "in_shardings", "out_shardings", "annotation" };

Json stepJson(const Program& program, const PropagationResult& result, const PropagationStep& step)
{
    const Mesh& mesh = meshOf(program, result, step.to);
    Json out;
    out["step"] = step.step;
    out["axis"] = toString(mesh, step.axis);
    out["value"] = program.value(step.seed ? words::askedValue(program, step) : step.to).path;
    out["dimension"] = step.toDimension;
    if (step.seed)
        out["given"] = specifiers[static_cast<std::size_t>(words::specifierOf(program, step))];
    if (step.round >= 0)
        out["round"] = step.round;
    if (step.from.valid() && !step.seed)
        out["from"] = program.value(step.from).path;
    if (step.operation.valid())
        out["through"] = qualifiedName(program.operation(step.operation));
    if (step.factor >= 0)
        out["factor"] = step.factor;
    return out;
}

/// For the axes that shard no dimension of a value what held each up.
std::vector<AbsentAxis> absentOf(const Program& program, const PropagationResult& result, ValueId value,
    Strategy strategy, const PropagationOptions& options)
{
    const Mesh& mesh = meshOf(program, result, value);
    const PropagationInput input{ ProgramPtr(&program, [](const Program*) {}), strategy, options };
    std::vector<AbsentAxis> absent;
    const TensorSharding& sharding = result.shardings[value.index];
    for (std::size_t axis = 0; axis < mesh.rank(); ++axis) {
        const AxisRef full = fullAxis(mesh, axis);
        const bool used = std::any_of(sharding.dims.begin(), sharding.dims.end(), [&](const DimensionSharding& dim) {
            return std::any_of(dim.axes.begin(), dim.axes.end(), [&](AxisRef ref) { return overlaps(ref, full); });
        });
        for (std::size_t d = 0; !used && full.size > 1 && d < sharding.rank(); ++d)
            absent.push_back({ d, full, firstBlocker(input, result, value, d, full) });
    }
    return absent;
}

/// How every axis of a value came to it, a chain per axis from what was given.
void explainValue(Console& console, const Program& program, const PropagationResult& result, ValueId value,
    const std::vector<AbsentAxis>& absent)
{
    console.heading(
        QStringLiteral("Why %1 is %2").arg(words::operandName(program, value), shardingText(program, result, value)));
    const Mesh& mesh = meshOf(program, result, value);
    bool any = false;
    for (std::size_t d = 0; d < result.shardings[value.index].rank(); ++d) {
        for (const AxisRef& axis : result.shardings[value.index].dims[d].axes) {
            any = true;
            console.line(QStringLiteral("dimension %1, axis %2:").arg(d).arg(words::fromStd(toString(mesh, axis))));
            for (const words::Text& sentence :
                words::propagationChain(program, mesh, value, provenance(result, value, d, axis)))
                console.line(QStringLiteral("  ") + words::plain(sentence));
        }
    }
    if (!any)
        console.line(QStringLiteral("No axis came to it."));
    for (const words::Text& sentence : words::whyNot(program, mesh, value, absent))
        console.line(words::plain(sentence));
}

Json explainJson(const Program& program, const PropagationResult& result, ValueId value)
{
    Json out;
    out["value"] = program.value(value).path;
    out["sharding"] = shardingText(program, result, value).toStdString();
    out["arrivals"] = Json::array();
    for (std::size_t d = 0; d < result.shardings[value.index].rank(); ++d) {
        for (const AxisRef& axis : result.shardings[value.index].dims[d].axes) {
            Json chain = Json::array();
            for (const PropagationStep& step : provenance(result, value, d, axis))
                chain.push_back(stepJson(program, result, step));
            out["arrivals"].push_back({ { "dimension", d }, { "axis", toString(meshOf(program, result, value), axis) },
                { "chain", std::move(chain) } });
        }
    }
    return out;
}

std::string axisIn(const Program& program, const PropagationResult& result, ValueId value, AxisRef axis)
{
    return toString(meshOf(program, result, value), axis);
}

/// Per value what each of its axes goes back to.
Json originsJson(const Program& program, const PropagationResult& result, const ShardingOrigins& origins)
{
    Json out = Json::array();
    for (std::size_t v = 0; v < program.values.size(); ++v) {
        const ValueId value(v);
        if (program.values[v].path.empty())
            continue;
        Json axes = Json::object();
        for (const AxisOrigin& origin : origins.ofValue(value))
            axes[axisIn(program, result, value, origin.axis)] = origin.isSelf ? "self" : toString(origin.origin);
        if (!axes.empty())
            out.push_back({ { "value", program.values[v].path }, { "axis_origins", std::move(axes) } });
    }
    return out;
}

Json differenceJson(
    const words::ComparedRun& first, const words::ComparedRun& second, const PropagationDifference& each)
{
    const auto axes = [&](const AxisList& list) {
        Json names = Json::array();
        for (const AxisRef& axis : list)
            names.push_back(toString(*first.mesh, axis));
        return names;
    };
    Json out{ { "value", first.program->value(each.value).path }, { "dimension", each.dimension },
        { "first", shardingText(*first.program, *first.result, each.value).toStdString() },
        { "second", shardingText(*second.program, *second.result, each.value).toStdString() },
        { "first_axes", axes(each.first) }, { "second_axes", axes(each.second) }, { "first_step", each.firstStep },
        { "second_step", each.secondStep } };
    if (const QString place = words::differencePlace(first, second, each); !place.isEmpty())
        out["through"] = place.toStdString();
    return out;
}

void printDifferences(const words::ComparedRun& first, const words::ComparedRun& second,
    const std::vector<PropagationDifference>& differing)
{
    Console console;
    if (differing.empty()) {
        console.line(words::sameShardings(first.name, second.name));
        return;
    }
    Table table{ "Value", "Dimension>", "", "", "Through", "Since" };
    table.columns[2].title = first.name;
    table.columns[3].title = second.name;
    for (const PropagationDifference& each : differing)
        table.rows.push_back({ words::operandName(*first.program, each.value), QString::number(each.dimension),
            words::plain(words::dimensionAxes(*first.mesh, each.first)),
            words::plain(words::dimensionAxes(*first.mesh, each.second)), words::differencePlace(first, second, each),
            words::differenceSince(first, second, each) });
    console.line(words::differenceCount(differing));
    console.table(table, {});
}

/// The program in StableHLO, with what was recorded of its propagation as far as that is asked for.
std::string recorded(const PropagateCommandOptions& options, const SpecifiedInput& loaded, const Propagated& run,
    const PropagationOptions& how)
{
    if (!options.edges && !options.origins)
        return printed(run.done.program);
    Program program = run.done.program;
    const Provenance provenance{ run.done.program, run.done.result, how };
    if (options.edges)
        program = withEdges(std::move(program), provenance);
    if (options.origins)
        program = withOrigins(std::move(program), provenance, copiedOrigins(loaded.program, run.prepared, provenance));
    return printed(program);
}

int propagateFile(const PropagateCommandOptions& options)
{
    const auto loaded = loadSpecified(options.file);
    if (!loaded)
        return refuse(options.json, loaded.error());
    const PropagationSetting setting = settingOf(options, *loaded, options.strategy);
    const Result<Propagated> made = run(*loaded, setting);
    if (!made)
        return reject(options.json, { made.error() });
    const Program& program = made->done.program;
    const PropagationResult& result = made->done.result;

    std::optional<ValueId> asked;
    if (!options.explain.empty()) {
        const Result<ValueId> value = valueAsked(program, options.explain);
        if (!value)
            return reject(options.json, { value.error() });
        asked = *value;
    }
    std::optional<Propagated> other;
    std::vector<PropagationDifference> differing;
    words::ComparedRun first, second;
    static const Mesh noMesh;
    if (!options.compare.empty()) {
        const PropagationSetting compared = settingOf(options, *loaded, options.compare);
        Result<Propagated> again = run(*loaded, compared);
        if (!again)
            return reject(options.json, { again.error() });
        other = std::move(*again);
        const std::optional<std::uint32_t> main = mainMesh(program);
        const Mesh* mesh = main ? program.meshes[*main].mesh.get() : &noMesh;
        first = { &program, &result, mesh, words::strategyName(setting.strategy) };
        second = { &other->done.program, &other->done.result, mesh, words::strategyName(compared.strategy) };
        differing = differences(program, result, other->done.program, other->done.result);
    }
    const PropagationOptions how = engineOptions(setting);

    if (!options.json.empty()) {
        Json out = envelope(options.json);
        out["strategy"] = name(setting.strategy);
        out["conservative"] = setting.conservative;
        out["user_priorities"] = setting.userPriorities;
        out["step_count"] = result.steps;
        out["problems"] = toJson(loaded->problems);
        out["text"] = recorded(options, *loaded, *made, how);
        if (asked) {
            out["explained"] = explainJson(program, result, *asked);
            Json whyNot = Json::array();
            for (const words::Text& sentence : words::whyNot(program, meshOf(program, result, *asked), *asked,
                     absentOf(program, result, *asked, engineStrategy(setting), how)))
                whyNot.push_back(words::plain(sentence).toStdString());
            out["explained"]["why_not"] = std::move(whyNot);
        }
        if (options.steps) {
            out["log"] = Json::array();
            for (const PropagationStep& step : result.log)
                out["log"].push_back(stepJson(program, result, step));
        }
        if (options.edges)
            out["edges"] = edgesJson(program, result, how);
        if (options.origins)
            out["origins"] = originsJson(program, result,
                originsOf({ program, result, how },
                    copiedOrigins(loaded->program, made->prepared, Provenance{ program, result, how })));
        if (other) {
            out["compared_with"] = options.compare;
            out["differences"] = Json::array();
            for (const PropagationDifference& each : differing)
                out["differences"].push_back(differenceJson(first, second, each));
        }
        return emitJson(out, options.json, loaded->status);
    }

    {
        Console errors(stderr);
        print(errors, loaded->problems);
    }
    // One after the other, as much as is asked for; the program where nothing is asked but what stands in it.
    if (asked) {
        Console console;
        explainValue(console, program, result, *asked, absentOf(program, result, *asked, engineStrategy(setting), how));
    }
    if (options.steps) {
        Console console;
        if (asked)
            console.line();
        for (const PropagationStep& step : result.log)
            console.line(words::plain(words::propagationStep(program, meshOf(program, result, step.to), step)));
    }
    if (other) {
        if (asked || options.steps)
            Console().line();
        printDifferences(first, second, differing);
    }
    if (options.edges || options.origins || !(asked || options.steps || other))
        writeTo(stdout, recorded(options, *loaded, *made, how));
    return loaded->status;
}

} // namespace

void addPropagate(CLI::App& app, int& status)
{
    Command command(app, "propagate", "Print a program as StableHLO with the sharding of every value");
    const auto options = std::make_shared<PropagateCommandOptions>();
    command
        .addOption("FILE", options->file,
            "A program (.mlir or .hlo), an experiment or a built-in example, - for standard input")
        .required();
    command
        .addOption("--strategy", options->strategy,
            "How shardings spread: basic, aggressive, op-priority, user-priority, or full, which also does what "
            "Shardy does before (default, unless an experiment has another one)")
        .oneOf(strategyNames())
        .optionText("STRATEGY");
    command.addFlag("--conservative", options->conservative, "Only full axes move through operations");
    command.addFlag("--ignore-priorities", options->ignorePriorities,
        "Priorities that dimensions are given do not count (user-priority, full)");
    command
        .addOption(
            "--explain", options->explain, "A value, %12, arg0 or a path of a network: how each of its axes came to it")
        .optionText("VALUE");
    command.addFlag("--steps", options->steps, "The log instead of the program: which axis arrived where, and how");
    command
        .addOption("--compare", options->compare, "Another strategy: what it shards differently, and since which step")
        .oneOf(strategyNames())
        .optionText("STRATEGY");
    command.addFlag("--edges", options->edges,
        "With the program: which axis went from where to where at each operation, as sdy.propagation_edges, whose "
        "steps count from 0");
    command.addFlag("--origins", options->origins,
        "With the program: what each axis of a value goes back to, as sdy.sharding_origins");
    command.addJson(options->json);
    command.setInput(options->file);
    command.addVariant(options->file);
    command.footer("Exit codes: 0 done; 1 the experiment has errors; 2 a program or arguments that cannot be used.");
    command.run(status, [options] { return propagateFile(*options); });
}

} // namespace shardscope::cli
