// SPDX-License-Identifier: GPL-3.0-or-later
// shardscope propagate: a program with the sharding of every value, and why a value has it.
#include <algorithm>
#include <array>
#include <memory>
#include <optional>

#include "base/codes.h"
#include "commands.h"
#include "program/name_values.h"
#include "program/verify_shardings.h"
#include "propagation/passes/passes.h"
#include "propagation/passes/pipelines.h"
#include "propagation/replay.h"
#include "propagation/written.h"
#include "report.h"
#include "sharding/text.h"
#include "stablehlo/print.h"
#include "stablehlo/read.h"
#include "words/propagation_steps.h"
#include "words/utf8.h"
#include "words/why_not.h"

namespace shardscope::cli {

namespace {

constexpr std::size_t largestProgram = std::size_t{ 1 } << 30;

struct Options {
    std::string file;
    std::string strategy = "full";
    std::string explain;
    std::string compare;
    bool conservative = false;
    bool steps = false;
    JsonTarget json;
};

/// A strategy by its name on the command line.
struct StrategyRow {
    const char* name;
    Strategy strategy;
};
constexpr std::array strategies{
    StrategyRow{ "basic", Strategy::Basic },
    StrategyRow{ "aggressive", Strategy::Aggressive },
    StrategyRow{ "op-priority", Strategy::OperationPriority },
    StrategyRow{ "user-priority", Strategy::Full },
    StrategyRow{ "full", Strategy::Full },
};

std::vector<std::string> strategyNames()
{
    std::vector<std::string> names;
    for (const StrategyRow& row : strategies)
        names.emplace_back(row.name);
    return names;
}

Strategy strategyOf(const std::string& name)
{
    return std::find_if(strategies.begin(), strategies.end(), [&](const StrategyRow& row) {
        return name == row.name;
    })->strategy;
}

struct Loaded {
    Program program;
    std::vector<Diagnostic> warnings;
};

/// The program of a file, legal. Everything that is wrong with it otherwise.
tl::expected<Loaded, std::vector<Diagnostic>> load(const std::string& file)
{
    const auto inFile = [&](std::vector<Diagnostic> list) {
        for (Diagnostic& diagnostic : list)
            diagnostic.where.file = file == "-" ? "standard input" : file;
        return list;
    };
    const Result<std::string> text = readText(file, largestProgram);
    if (!text)
        return tl::unexpected(std::vector{ text.error() });
    Result<ReadProgram> read = readStableHlo(*text);
    if (!read)
        return tl::unexpected(inFile({ std::move(read.error()) }));
    std::vector<Diagnostic> found = verify(read->program);
    if (found.empty())
        found = verifyShardings(read->program);
    std::erase_if(found, [](const Diagnostic& finding) { return finding.severity() != Severity::Error; });
    if (!found.empty())
        return tl::unexpected(inFile(std::move(found)));
    return Loaded{ std::move(read->program), inFile(std::move(read->warnings)) };
}

/// What has to be done before propagation: constants of their own for every use, constraints on what they constrain.
Result<Program> prepared(Program program, const std::string& strategy)
{
    if (strategy != "full")
        return passes::liftInlinedMeshes(std::move(program));
    return passes::prepareInPlace(std::move(program));
}

std::string printed(const Program& program)
{
    PrintOptions options;
    options.names = PrintedNames::None; // the paths are those of the text itself
    options.locations = false;
    return printStableHlo(program, options);
}

QString shardingText(const Program& program, const PropagationResult& result, ValueId value)
{
    const std::uint32_t mesh = result.meshes.empty() ? 0 : result.meshes[value.index];
    return mesh == 0 ? QStringLiteral("open, no axes")
                     : words::fromStd(toShardy(result.shardings[value.index], *program.meshes[mesh - 1].mesh));
}

const Mesh& meshOf(const Program& program, const PropagationResult& result, ValueId value)
{
    static const Mesh none;
    const std::uint32_t mesh = result.meshes.empty() ? 0 : result.meshes[value.index];
    return mesh == 0 ? none : *program.meshes[mesh - 1].mesh;
}

Json stepJson(const Program& program, const PropagationResult& result, const PropagationStep& step)
{
    const Mesh& mesh = meshOf(program, result, step.to);
    Json out;
    out["step"] = step.step;
    out["axis"] = toString(mesh, step.axis);
    out["value"] = program.value(step.to).path;
    out["dimension"] = step.toDimension;
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

/// For the axes that cut no dimension of a value what held each up.
std::vector<AbsentAxis> absentOf(const Program& program, const PropagationResult& result, ValueId value,
    Strategy strategy, const PropagationOptions& options)
{
    const Mesh& mesh = meshOf(program, result, value);
    PropagationInput input;
    input.program = std::make_shared<const Program>(program);
    input.strategy = strategy;
    input.options = options;
    std::vector<AbsentAxis> absent;
    const TensorSharding& sharding = result.shardings[value.index];
    for (std::size_t axis = 0; axis < mesh.rank(); ++axis) {
        const AxisRef whole = wholeAxis(mesh, axis);
        const bool used = std::any_of(sharding.dims.begin(), sharding.dims.end(), [&](const DimensionSharding& dim) {
            return std::any_of(dim.axes.begin(), dim.axes.end(), [&](AxisRef ref) { return overlaps(ref, whole); });
        });
        for (std::size_t d = 0; !used && whole.size > 1 && d < sharding.rank(); ++d)
            absent.push_back({ d, whole, firstBlocker(input, result, value, d, whole) });
    }
    return absent;
}

/// How every axis of a value came to it, a chain per axis from what was given.
void explainValue(Console& console, const Program& program, const PropagationResult& result, ValueId value,
    const std::vector<AbsentAxis>& absent)
{
    console.heading(QStringLiteral("Why %1 is %2")
                        .arg(words::fromStd(program.value(value).path), shardingText(program, result, value)));
    const Mesh& mesh = meshOf(program, result, value);
    bool any = false;
    for (std::size_t d = 0; d < result.shardings[value.index].rank(); ++d) {
        for (const AxisRef& axis : result.shardings[value.index].dims[d].axes) {
            any = true;
            console.line(QStringLiteral("dimension %1, axis %2:").arg(d).arg(words::fromStd(toString(mesh, axis))));
            for (const PropagationStep& step : provenance(result, value, d, axis))
                console.line(QStringLiteral("  ") + words::plain(words::propagationStep(program, mesh, step)));
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
    out["axes"] = Json::array();
    for (std::size_t d = 0; d < result.shardings[value.index].rank(); ++d) {
        for (const AxisRef& axis : result.shardings[value.index].dims[d].axes) {
            Json chain = Json::array();
            for (const PropagationStep& step : provenance(result, value, d, axis))
                chain.push_back(stepJson(program, result, step));
            out["axes"].push_back({ { "dimension", d }, { "axis", toString(meshOf(program, result, value), axis) },
                { "chain", std::move(chain) } });
        }
    }
    return out;
}

/// A value by its path, with or without the sign in front that a text has; otherwise what is known.
Result<ValueId> valueNamed(const Program& program, std::string name)
{
    if (name.starts_with('%'))
        name.erase(0, 1);
    if (const ValueId value = program.find(name); value.valid())
        return value;
    std::vector<std::string> known;
    for (const Value& value : program.values)
        if (!value.path.empty())
            known.push_back(value.path);
    std::vector<Arg> args{ { "key", "value" }, { "value", name } };
    if (std::string nearest = nearestName(name, known); !nearest.empty())
        args.emplace_back("nearest", std::move(nearest));
    if (known.size() > 20)
        known.resize(20);
    args.emplace_back("known", std::move(known));
    return fail(Code::UnknownValue, std::move(args));
}

int propagateFile(const Options& options)
{
    auto loaded = load(options.file);
    if (!loaded)
        return reject("propagate", options.json, loaded.error());
    Result<Program> ready = prepared(std::move(loaded->program), options.strategy);
    if (!ready)
        return reject("propagate", options.json, { ready.error() });
    PropagationOptions how;
    how.conservative = options.conservative;
    PropagatedProgram done = propagateProgram(*ready, strategyOf(options.strategy), how);
    nameValues(done.program);
    const PropagationResult& result = done.result;

    std::optional<ValueId> asked;
    if (!options.explain.empty()) {
        const Result<ValueId> value = valueNamed(done.program, options.explain);
        if (!value)
            return reject("propagate", options.json, { value.error() });
        asked = *value;
    }
    std::vector<ReplayDifference> differing;
    PropagationResult other;
    if (!options.compare.empty()) {
        PropagatedProgram again = propagateProgram(*ready, strategyOf(options.compare), how);
        other = std::move(again.result);
        if (other.shardings.size() == result.shardings.size())
            differing = differences(done.program, result, other);
    }

    if (!options.json.empty()) {
        Json out = envelope("propagate");
        out["strategy"] = options.strategy;
        out["conservative"] = options.conservative;
        out["steps"] = result.steps;
        out["problems"] = toJson(loaded->warnings);
        out["program"] = printed(done.program);
        if (asked) {
            out["explained"] = explainJson(done.program, result, *asked);
            Json whyNot = Json::array();
            for (const words::Text& sentence : words::whyNot(done.program, meshOf(done.program, result, *asked), *asked,
                     absentOf(done.program, result, *asked, strategyOf(options.strategy), how)))
                whyNot.push_back(words::plain(sentence).toStdString());
            out["explained"]["why_not"] = std::move(whyNot);
        }
        if (options.steps) {
            out["log"] = Json::array();
            for (const PropagationStep& step : result.log)
                out["log"].push_back(stepJson(done.program, result, step));
        }
        if (!options.compare.empty()) {
            out["compared_with"] = options.compare;
            out["differences"] = Json::array();
            for (const ReplayDifference& each : differing)
                out["differences"].push_back({ { "value", done.program.value(each.value).path },
                    { "first", shardingText(done.program, result, each.value).toStdString() },
                    { "second", shardingText(done.program, other, each.value).toStdString() },
                    { "first_step", each.firstStep }, { "second_step", each.secondStep } });
        }
        return emitJson(out, options.json, Done);
    }

    {
        Console errors(stderr);
        print(errors, loaded->warnings);
    }
    if (asked) {
        Console console;
        explainValue(console, done.program, result, *asked,
            absentOf(done.program, result, *asked, strategyOf(options.strategy), how));
        return Done;
    }
    if (options.steps) {
        Console console;
        for (const PropagationStep& step : result.log)
            console.line(
                words::plain(words::propagationStep(done.program, meshOf(done.program, result, step.to), step)));
        return Done;
    }
    if (!options.compare.empty()) {
        Console console;
        Table table{ { { QStringLiteral("Value") }, { words::fromStd(options.strategy) },
                         { words::fromStd(options.compare) }, { QStringLiteral("Part at steps") } },
            {} };
        for (const ReplayDifference& each : differing)
            table.rows.push_back({ words::fromStd(done.program.value(each.value).path),
                shardingText(done.program, result, each.value), shardingText(done.program, other, each.value),
                QStringLiteral("%1, %2").arg(each.firstStep).arg(each.secondStep) });
        if (differing.empty())
            console.line(QStringLiteral("Both strategies give the same shardings."));
        else
            console.table(table, {});
        return Done;
    }
    writeTo(stdout, printed(done.program));
    return Done;
}

} // namespace

void addPropagate(CLI::App& app, int& status)
{
    CLI::App* command = app.add_subcommand("propagate", "Print a StableHLO program with the sharding of every value");
    const auto options = std::make_shared<Options>();
    command->add_option("FILE", options->file, "The program (.mlir), - for standard input")->required();
    command
        ->add_option("--strategy", options->strategy,
            "How shardings spread: basic, aggressive, op-priority, user-priority, or full, which also does what "
            "Shardy does before (default)")
        ->check(oneOf(strategyNames()));
    command->add_flag("--conservative", options->conservative, "Only whole axes move through operations");
    command->add_option("--explain", options->explain, "A value, %12 or arg0: how each of its axes came to it");
    command->add_flag("--steps", options->steps, "The log instead of the program: which axis arrived where, and how");
    command->add_option("--compare", options->compare, "Another strategy: the values that it gives another sharding")
        ->check(oneOf(strategyNames()));
    addJson(*command, options->json);
    command->footer("Exit codes: 0 done; 2 a program or arguments that cannot be used.");
    command->callback([options, &status] { status = propagateFile(*options); });
}

} // namespace shardscope::cli
