// SPDX-License-Identifier: GPL-3.0-or-later
#include "run_report.h"

#include <QDir>
#include <QFileInfo>
#include <algorithm>

#include <nlohmann/json.hpp>

#include "array_report.h"
#include "base/codes.h"
#include "command.h"
#include "document/atomic_file.h"
#include "interchange/npy.h"
#include "layout_report.h"
#include "memory_report.h"
#include "pipeline/stage_results.h"
#include "program/op_row.h"
#include "schedule/plan.h"
#include "sharding/text.h"
#include "words/utf8.h"
#include "words/words.h"

namespace shardscope::cli {

namespace {

std::size_t numberOf(const Program& program, ValueId argument)
{
    const std::vector<ValueId>& arguments = program.main().arguments;
    return static_cast<std::size_t>(std::find(arguments.begin(), arguments.end(), argument) - arguments.begin());
}

/// "[{"x"}, {}]" of an argument or result; empty without a mesh.
std::string shardingOf(const ProgramRun& run, const std::vector<ShardedArray> DeviceProgram::*list, std::size_t index)
{
    if (!run.partitioned)
        return {};
    const DeviceProgram& device = run.partitioned->device;
    const ShardedArray& array = (device.*list)[index];
    return isTensor(array.type.dtype) ? toShardy(array.sharding, *device.mesh) : std::string();
}

/// What every device is given of an argument.
kernels::Arrays shardsOfArgument(const ProgramRun& run, std::size_t index)
{
    const DeviceProgram& device = run.partitioned->device;
    return shardsOf(run.starts.arrays.array(index), device.inputs[index], device.mesh);
}

Json devicesJson(const ProgramRun& run, ArrayTexts& texts)
{
    std::vector<kernels::Arrays> specified; // by argument
    for (std::size_t i = 0; run.partitioned && i < run.starts.from.size(); ++i)
        specified.push_back(shardsOfArgument(run, i));
    Json out = Json::array();
    for (std::size_t d = 0; d < run.first.shards.size(); ++d) {
        Json& device = out.emplace_back(Json{ { "device", d } });
        if (run.partitioned)
            device["arguments"] = Json::array();
        for (const kernels::Arrays& argument : specified)
            device["arguments"].push_back(texts.described(argument[d]));
        device["results"] = Json::array();
        for (const kernels::Array& array : run.first.shards[d])
            device["results"].push_back(texts.described(array));
    }
    return out;
}

Json nonFiniteJson(const ProgramRun& run, const NonFiniteFinding& finding)
{
    const bool devices = finding.runs == words::Runs::Devices;
    const Program& program = (devices ? run.partitioned : run.unsharded)->device.program;
    Json out{ { "kind", finding.found.kind == NonFiniteKind::NotANumber ? "nan" : "infinity" },
        { "run", devices ? "devices" : "reference" },
        { "from",
            !finding.found.operation.valid() ? "argument"
                : finding.found.produced     ? "operation"
                                             : "constant" },
        { "value", finding.value }, { "element", sizesOf(finding.index) } };
    if (devices)
        out["device"] = finding.found.device;
    if (finding.found.operation.valid()) {
        const Operation& operation = program.operation(finding.found.operation);
        out["operation"] = qualifiedName(operation);
        out["line"] = program.sources[operation.source].line;
    }
    return out;
}

Json stateJson(const ProgramRun& run)
{
    Json pairs = Json::array();
    for (const StatePair& pair : run.state.pairs)
        pairs.push_back({ { "argument", numberOf(run.program(), pair.argument) }, { "result", pair.result } });
    return { { "source", name(run.state.source) }, { "fed_back", std::move(pairs) } };
}

Json differenceJson(const ProgramRun& run, const TwoStates& states, ArrayTexts& texts)
{
    Json arrays = Json::array();
    for (const ArrayDifference& each : run.difference) {
        Json& array = arrays.emplace_back(Json{ { "argument", each.argument },
            { "name", argumentName(run.program(), each.argument) }, { "type", toString(each.full.type) } });
        if (run.partitioned)
            array["sharding"] = shardingOf(run, &DeviceProgram::inputs, each.argument);
        array["largest_change"] = each.largest;
        array["norm"] = each.norm;
        array["changed_elements"] = each.changed;
        texts.describe(array, each.full);
    }
    return { { "from_step", states.from }, { "to_step", states.to }, { "arrays", std::move(arrays) } };
}

} // namespace

std::string argumentName(const Program& program, std::size_t number)
{
    const std::string path = program.value(program.main().arguments[number]).path;
    return path.empty() ? "arg" + std::to_string(number) : path;
}

Json stepsJson(const std::vector<StepRecord>& steps)
{
    Json list = Json::array();
    for (std::size_t i = 0; i < steps.size(); ++i) {
        Json& step = list.emplace_back(Json{ { "step", i + 1 }, { "wall_seconds", steps[i].wall } });
        if (steps[i].loss)
            step["loss"] = *steps[i].loss;
        if (steps[i].parameterNorm)
            step["parameter_norm"] = *steps[i].parameterNorm;
        if (steps[i].gradientNorm)
            step["gradient_norm"] = *steps[i].gradientNorm;
    }
    return list;
}

namespace {

void printSteps(Console& console, const std::vector<StepRecord>& steps)
{
    constexpr std::size_t maxShown = 20;
    const bool hasLoss = std::any_of(steps.begin(), steps.end(), [](const StepRecord& step) { return step.loss; });
    Table table = hasLoss ? Table{ "Step>", "Loss>", "Wall time>" } : Table{ "Step>", "Wall time>" };
    const auto addRow = [&](const QString& step, const QString& loss, const QString& wall) {
        table.rows.push_back(hasLoss ? QStringList{ step, loss, wall } : QStringList{ step, wall });
    };
    const std::size_t count = steps.size();
    for (std::size_t i = 0; i < count; ++i) {
        if (count > maxShown && i == maxShown / 2) { // the first and the last ones
            i = count - maxShown / 2;
            addRow(QStringLiteral("…"), {}, {});
        }
        const StepRecord& step = steps[i];
        addRow(QString::number(i + 1), step.loss ? QString::number(*step.loss, 'g', 9) : QString(),
            words::seconds(step.wall));
    }
    console.heading(QStringLiteral("Steps"));
    console.table(table);
}

Json timingJson(const TimeitResult& timing, const Mesh& mesh)
{
    Json devices = Json::array();
    for (std::size_t i = 0; i < timing.devices.size(); ++i) {
        const DeviceTimes& times = timing.devices[i];
        devices.push_back(
            { { "device", mesh.deviceAt(static_cast<std::int64_t>(i)) }, { "compute_seconds", times.compute },
                { "communication_seconds", times.communication }, { "wait_seconds", times.wait } });
    }
    return { { "runs", timing.perLoop.size() }, { "loops", timing.loops }, { "mean_seconds", timing.mean },
        { "deviation_seconds", timing.deviation }, { "per_loop_seconds", timing.perLoop },
        { "devices", std::move(devices) } };
}

void printTiming(Console& console, const TimeitResult& timing, const Mesh& mesh, int threads)
{
    console.heading(QStringLiteral("Timing"));
    console.line(
        QStringLiteral("  %1 per loop (mean ± std. dev. of %2, %3 each), on %4")
            .arg(words::meanAndDeviation(timing.mean, timing.deviation),
                words::counted(static_cast<qint64>(timing.perLoop.size()), words::Noun::Run),
                words::counted(timing.loops, words::Noun::Loop), words::counted(threads, words::Noun::Thread)));
    if (timing.devices.empty())
        return;
    constexpr std::size_t maxShown = 64;
    Table table{ "Device>", "Compute>", "Communication>", "Wait>" };
    for (std::size_t i = 0; i < std::min(timing.devices.size(), maxShown); ++i) {
        const DeviceTimes& times = timing.devices[i];
        const std::int32_t device = mesh.deviceAt(static_cast<std::int64_t>(i));
        table.rows.push_back({ words::devices({ &device, 1 }), words::seconds(times.compute),
            words::seconds(times.communication), words::seconds(times.wait) });
    }
    console.table(table);
    if (timing.devices.size() > maxShown)
        console.line(
            QStringLiteral("  and %1 more")
                .arg(words::counted(static_cast<qint64>(timing.devices.size() - maxShown), words::Noun::Device)));
}

/// "State, by tf.aliasing_output: 50 of 52 arguments, %arg0 from result 0 and so on".
QString stateSentence(const ProgramRun& run)
{
    QString how;
    switch (run.state.source) {
    case StateSource::Aliases:
        how = QStringLiteral("as tf.aliasing_output says");
        break;
    case StateSource::Donors:
        how = QStringLiteral("as jax.buffer_donor says");
        break;
    case StateSource::DonatedNames:
        how = QStringLiteral("as the names of donated arguments and of results say");
        break;
    case StateSource::Names:
        how = QStringLiteral("a guess by names; --state says otherwise");
        break;
    case StateSource::Order:
        how = QStringLiteral("a guess by order, type and sharding; --state says otherwise");
        break;
    case StateSource::Program:
        how = QStringLiteral("of the network");
        break;
    case StateSource::Stated:
    case StateSource::None:
        how = QStringLiteral("as stated");
        break;
    }
    constexpr std::size_t maxShown = 4;
    QStringList shown;
    for (const StatePair& pair : run.state.pairs)
        if (static_cast<std::size_t>(shown.size()) < maxShown)
            shown << QStringLiteral("%1 from result %2")
                         .arg(words::fromStd(argumentName(run.program(), numberOf(run.program(), pair.argument))),
                             QString::number(pair.result));
    if (run.state.pairs.size() > maxShown)
        shown << QStringLiteral("and %1 more").arg(run.state.pairs.size() - maxShown);
    return QStringLiteral("  state (%1): %2").arg(how, shown.join(QStringLiteral(", ")));
}

void printExpectations(Console& console, const ProgramRun& run)
{
    const auto& all = run.first.findings;
    if (all.empty())
        return;
    console.heading(QStringLiteral("What the program expects"));
    const std::int64_t failed = run.failedExpectations();
    console.line(failed == 0 ? QStringLiteral("  all %1 as expected").arg(words::count(static_cast<qint64>(all.size())))
                             : QStringLiteral("  %1 of %2 are not as expected")
                                   .arg(words::count(failed), words::count(static_cast<qint64>(all.size()))),
        failed == 0 ? Emphasis::Good : Emphasis::Bad);
    for (const ExpectationFinding& each : all) {
        if (each.passed())
            continue;
        const auto device = static_cast<std::int32_t>(each.device);
        const Program& program = run.executed().program;
        console.line(QStringLiteral("  %1 on %2: element %3 is %4, expected %5")
                         .arg(words::operationPlace(program, each.operation), words::devices({ &device, 1 }),
                             QString::number(each.element), words::fromStd(each.value), words::fromStd(each.expected)),
            Emphasis::Bad);
    }
}

void printDevices(Console& console, const ProgramRun& run)
{
    console.heading(QStringLiteral("On the devices"));
    const DeviceProgram& device = run.executed();
    for (std::size_t i = 0; run.partitioned && i < run.starts.from.size(); ++i)
        printShards(console, words::fromStd(argumentName(run.program(), i)), shardsOfArgument(run, i), device.inputs[i],
            device.mesh);
    for (std::size_t i = 0; i < device.outputs.size(); ++i) {
        kernels::Arrays shards;
        for (const kernels::Arrays& own : run.first.shards)
            shards.push_back(own[i]);
        printShards(console, QStringLiteral("result %1").arg(i), shards, device.outputs[i], device.mesh);
    }
}

void printSent(Console& console, const ProgramRun& run)
{
    if (!run.collectives)
        return;
    console.heading(QStringLiteral("Communication per device"));
    console.line(QStringLiteral("  ") + words::sentSummary(*run.collectives));
    for (const Exchanged& each : run.exchanged)
        console.line(QStringLiteral("  %1 × %2: %3 sent")
                         .arg(words::count(each.times), words::collective(each.kind), words::bytes(each.sentBytes)));
}

/// Arrays, each with its sharding and where it comes from. The elements of all of them where they are few or asked for.
class ArrayLines {
public:
    ArrayLines(Console& console, const QString& title, std::size_t count, bool all)
        : m_console(console)
        , m_isShort(!all && count > maxWithElements)
        , m_left(all ? count : std::min(count, maxShown))
        , m_more(count - m_left)
    {
        if (count > 0)
            console.heading(title);
    }
    /// Whether another one is listed.
    [[nodiscard]] bool next() { return m_left > 0 && m_left-- > 0; }
    void add(const QString& name, const kernels::Array& held, const std::string& sharding, const std::string& from)
    {
        QString line = QStringLiteral("  %1  %2").arg(name, words::fromStd(toString(held.type)));
        if (!sharding.empty())
            line += QStringLiteral("  ") + words::fromStd(sharding);
        if (!from.empty())
            line += QStringLiteral("  (%1)").arg(words::fromStd(from));
        m_console.line(line);
        if (!m_isShort)
            printArray(m_console, held, QStringLiteral("    "));
    }
    void finish() { m_console.more(static_cast<std::int64_t>(m_more)); }

private:
    static constexpr std::size_t maxWithElements = 16, maxShown = 64;
    Console& m_console;
    bool m_isShort;
    std::size_t m_left, m_more;
};

void printArrays(Console& console, const ProgramRun& run, bool all)
{
    ArrayLines arguments(console, QStringLiteral("Arguments"), run.starts.from.size(), all);
    for (std::size_t i = 0; arguments.next(); ++i)
        arguments.add(words::fromStd(argumentName(run.program(), i)), run.starts.arrays.array(i),
            shardingOf(run, &DeviceProgram::inputs, i), run.starts.from[i]);
    arguments.finish();
    ArrayLines results(console, QStringLiteral("Results"), run.first.outputs.size(), all);
    for (std::size_t i = 0; results.next(); ++i)
        results.add(
            QStringLiteral("result %1").arg(i), run.first.outputs[i], shardingOf(run, &DeviceProgram::outputs, i), {});
    results.finish();
}

QString stateMoment(std::int64_t steps)
{
    return steps == 0 ? QStringLiteral("at the start") : QStringLiteral("after step %1").arg(steps);
}

void printDifference(Console& console, const ProgramRun& run, const TwoStates& states, bool all)
{
    ArrayLines lines(console,
        QStringLiteral("State %1 less state %2").arg(stateMoment(states.to), stateMoment(states.from)),
        run.difference.size(), all);
    for (std::size_t i = 0; lines.next(); ++i) {
        const ArrayDifference& each = run.difference[i];
        const QString figures =
            QStringLiteral("largest %1, norm %2, %3 of %4 changed")
                .arg(each.largest, 0, 'g', 6)
                .arg(each.norm, 0, 'g', 6)
                .arg(words::count(each.changed), words::counted(each.full.count(), words::Noun::Element));
        lines.add(words::fromStd(argumentName(run.program(), each.argument)), each.full,
            shardingOf(run, &DeviceProgram::inputs, each.argument), figures.toStdString());
    }
    lines.finish();
}

/// The first weight and the input: what people look at first.
void printGrids(Console& console, const Snapshot& snapshot)
{
    for (const Role role : { Role::Parameter, Role::Input }) {
        const auto found = std::find_if(snapshot.tensors.begin(), snapshot.tensors.end(),
            [role](const TensorRow& row) { return row.role == role; });
        if (found != snapshot.tensors.end())
            printGrid(console, snapshot, *found);
    }
}

QString whyNotCompared(NotCompared why)
{
    switch (why) {
    case NotCompared::OneDevice:
        return QStringLiteral("one device runs the program in full, as the reference does");
    case NotCompared::OfOneDevice:
        return QStringLiteral("the text is what every device runs, and there is no program in full to compare it with");
    case NotCompared::NotPartitioned:
        break;
    }
    return QStringLiteral("it was not partitioned, so that only the reference was run");
}

/// What runs, and on what.
void printDeviceCount(Console& console, const ProgramRun& run)
{
    if (run.partitioned && isOfOneDevice(*run.snapshot))
        console.line(QStringLiteral("  the program of each of %1; all are given the same arguments")
                         .arg(words::counted(run.deviceCount(), words::Noun::Device)));
    else if (run.partitioned || !run.plan)
        printMesh(console, *run.snapshot);
    else if (run.deviceCount() > 1)
        console.line(QStringLiteral("  the program of each of %1; all are given the same arguments")
                         .arg(words::counted(run.deviceCount(), words::Noun::Device)));
    else if (run.notPartitioned)
        console.line(QStringLiteral("  it was not partitioned, and these are the numbers of the unsharded program: %1")
                         .arg(words::describe(*run.notPartitioned).cause));
    else
        console.line(QStringLiteral("  no sharding over a mesh: it runs on one device"));
}

} // namespace

std::string jsonText(const ProgramRun& run, const RunCommandOptions& options)
{
    ArrayTexts texts(options.values);
    Json out = envelope(options.json, run.input);
    const Program& program = run.program();
    if (!run.notPartitioned)
        out["mesh"] = toJson(*run.snapshot->mesh);
    if (run.deviceProgram)
        out["device_program"] = hashJson(*run.deviceProgram);
    out["arguments"] = Json::array();
    for (std::size_t i = 0; i < run.starts.from.size(); ++i) {
        const kernels::Array array = run.starts.arrays.array(i);
        Json argument{ { "name", argumentName(program, i) }, { "type", toString(array.type) },
            { "from", run.starts.from[i] } };
        if (run.starts.chosen[i])
            argument["initial"] = toString(*run.starts.chosen[i]);
        if (run.partitioned)
            argument["sharding"] = shardingOf(run, &DeviceProgram::inputs, i);
        texts.describe(argument, array);
        out["arguments"].push_back(std::move(argument));
    }
    out["results"] = Json::array();
    for (std::size_t i = 0; i < run.first.outputs.size(); ++i) {
        Json result{ { "result", i }, { "type", toString(run.first.outputs[i].type) } };
        if (run.partitioned)
            result["sharding"] = shardingOf(run, &DeviceProgram::outputs, i);
        texts.describe(result, run.first.outputs[i]);
        out["results"].push_back(std::move(result));
    }
    if (run.plan) {
        out["device_count"] = run.deviceCount();
        out["threads"] = run.threads;
    }
    if (options.calls > 0)
        out["compiling"] = compilingJson(options.calls, run.stages);
    if (!options.jit.empty())
        out["compiled_parts"] = compiledPartsJson(run.parts);
    if (run.collectives)
        out["communication"] = communication(*run.collectives);
    if (run.isObserved && run.partitioned) {
        out["exchanged"] = Json::array();
        for (const Exchanged& each : run.exchanged)
            out["exchanged"].push_back({ { "kind", std::string(name(each.kind)) }, { "times", each.times },
                { "sent_bytes", toJson(each.sentBytes) } });
    }
    if (options.perDevice)
        out["devices"] = devicesJson(run, texts);
    out["state"] = stateJson(run);
    if (options.variables)
        out["variables"] = variablesJson(run);
    out["steps"] = stepsJson(run.steps);
    if (options.difference)
        out["difference"] = differenceJson(run, *options.difference, texts);
    if (run.timing)
        out["timing"] = timingJson(*run.timing, *run.executed().mesh);
    if (run.check)
        out["check"] = checkJson(*run.check, *run.snapshot->program);
    if (run.notCompared)
        out["not_compared"] = whyNotCompared(*run.notCompared).toStdString();
    if (run.memory)
        out["memory_per_device"] = plannedMemoryJson(*run.memory);
    addNonFinite(out, run);
    out["expectations"] = { { "count", run.first.findings.size() }, { "failed", run.failedExpectations() } };
    out["problems"] = toJson(run.problems);
    return texts.print(out);
}

void printRun(Console& console, const ProgramRun& run, const RunCommandOptions& options)
{
    const std::string& title = run.input.experiment.title;
    console.heading(words::fromStd(title.empty() ? run.input.name : title));
    printDeviceCount(console, run);
    if (!run.plan) {
        printTensors(console, *run.snapshot, Extent::Everything);
        printGrids(console, *run.snapshot);
        console.line();
        console.line(QStringLiteral("There are no operations, so there is no step to run."));
        return;
    }
    if (run.partitioned)
        printGrids(console, *run.snapshot);
    printArrays(console, run, options.values);
    if (options.perDevice)
        printDevices(console, run);
    if (options.variables)
        printVariables(console, run);
    if (options.calls > 0)
        printCompiling(console, options.calls, run.stages);
    if (!options.jit.empty())
        printCompiledParts(console, run.parts);
    printSent(console, run);
    if (run.memory)
        printPlannedMemory(console, *run.memory);
    const bool isStep = !run.state.pairs.empty() || run.timing;
    if (isStep) {
        if (!run.steps.empty())
            printSteps(console, run.steps);
        console.line(run.state.pairs.empty() ? QStringLiteral("  no state: every step has the same arguments")
                                             : stateSentence(run),
            Emphasis::Faint);
    }
    if (options.difference)
        printDifference(console, run, *options.difference, options.values);
    if (run.check)
        printCheck(console, *run.check, *run.snapshot->program);
    if (run.notCompared) {
        console.heading(QStringLiteral("Check against the unsharded reference"));
        console.line(QStringLiteral("  not compared: ") + whyNotCompared(*run.notCompared));
    }
    if (run.timing)
        printTiming(console, *run.timing, *run.executed().mesh, run.threads);
    printExpectations(console, run);
    printNonFinite(console, run);
}

void addNonFinite(Json& out, const ProgramRun& run)
{
    if (run.isObserved) {
        out["first_not_finite"] = Json::array();
        for (const NonFiniteFinding& each : run.nonFinite)
            out["first_not_finite"].push_back(nonFiniteJson(run, each));
    }
    if (!run.divergence)
        return;
    Json diverged = run.divergence->finding ? nonFiniteJson(run, *run.divergence->finding) : Json::object();
    diverged["step"] = run.divergence->step;
    diverged["sentence"] = run.divergence->sentence.toStdString();
    out["diverged"] = std::move(diverged);
}

void printNonFinite(Console& console, const ProgramRun& run)
{
    if (!run.nonFinite.empty() || run.divergence)
        console.heading(QStringLiteral("NaN and infinity"));
    for (const NonFiniteFinding& each : run.nonFinite)
        console.line(QStringLiteral("  ") + each.sentence);
    if (run.divergence)
        console.line(QStringLiteral("  ") + run.divergence->sentence);
}

Result<void> writeFiles(const ProgramRun& run, const RunCommandOptions& options)
{
    const QString folder = QString::fromStdString(options.out);
    if (!options.out.ends_with(".npy") && !QFileInfo(folder).isDir() && !QDir().mkdir(folder))
        return fail(Code::Unwritable,
            { { "file", options.out },
                { "reason",
                    QFileInfo::exists(folder) ? "it is no folder" : "there is no folder in which it could be made" } });
    const std::vector<std::string> files = outputFiles(run.program(), options.out);
    for (std::size_t i = 0; i < files.size(); ++i) {
        const kernels::Array& array = run.first.outputs[i];
        if (isTensor(array.type.dtype))
            SHARDSCOPE_CHECK(writeAtomically(QString::fromStdString(files[i]), writeNpy(array.type, array.data())));
        if (!options.perDevice || !run.partitioned || !isTensor(array.type.dtype))
            continue;
        for (std::size_t d = 0; d < run.first.shards.size(); ++d) {
            const kernels::Array& shard = run.first.shards[d][i];
            const std::string file = files[i].substr(0, files[i].size() - 4) + ".d" + std::to_string(d) + ".npy";
            SHARDSCOPE_CHECK(writeAtomically(QString::fromStdString(file), writeNpy(shard.type, shard.data())));
        }
    }
    return {};
}

} // namespace shardscope::cli
