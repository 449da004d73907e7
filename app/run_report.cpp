// SPDX-License-Identifier: GPL-3.0-or-later
#include "run_report.h"

#include <QCryptographicHash>
#include <algorithm>
#include <cmath>
#include <cstring>

#include <nlohmann/json.hpp>

#include "check_report.h"
#include "experiment_file/array_text.h"
#include "memory_report.h"
#include "program/op_row.h"
#include "sharding/text.h"
#include "simulate/check/compare.h"
#include "words/utf8.h"
#include "words/words.h"

namespace shardscope::cli {

namespace {

using kernels::Array;

Json summaryJson(const Array& array);

/// Arrays stand on one line in a text whose other members have a line each: they are put in afterwards.
class ArrayTexts {
public:
    explicit ArrayTexts(bool all)
        : m_all(all)
    {
    }
    /// The members "value" of small arrays, or of all where they are wanted, and "summary".
    void describe(Json& json, const Array& array)
    {
        if (isTensor(array.type.dtype) && (m_all || array.count() <= maxListedElements)) {
            m_texts.push_back(arrayText(array.type, array.data()));
            json["value"] = "\x01" + std::to_string(m_texts.size() - 1);
        }
        json["summary"] = summaryJson(array);
    }
    Json described(const Array& array)
    {
        Json json = Json::object();
        describe(json, array);
        return json;
    }
    [[nodiscard]] std::string print(const Json& json) const
    {
        const std::string text = json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
        constexpr std::string_view member = "\"value\": ";
        std::string out;
        std::size_t from = 0;
        for (std::size_t i = 0; i < m_texts.size(); ++i) { // in the order in which they stand
            const std::string mark = std::string(member) + "\"\\u0001" + std::to_string(i) + '"';
            const std::size_t at = text.find(mark, from);
            out.append(text, from, at - from).append(member).append(m_texts[i]);
            from = at + mark.size();
        }
        return out.append(text, from);
    }

private:
    bool m_all;
    std::vector<std::string> m_texts;
};

std::vector<std::int64_t> list(const Shape& shape)
{
    return { shape.begin(), shape.end() };
}

/// A number; true is 1.
Json scalarJson(const Array& scalar)
{
    if (scalar.type.dtype == DType::Pred)
        return kernels::numberAt(scalar, 0) != 0 ? 1 : 0;
    return Json::parse(elementText(scalar.type.dtype, scalar.data()), nullptr, false);
}

/// The SHA-256 of the elements is that of numpy's a.tobytes().
Json summaryJson(const Array& array)
{
    if (!isTensor(array.type.dtype))
        return nullptr;
    Json out{ { "shape", list(array.type.shape) }, { "dtype", std::string(name(array.type.dtype)) } };
    const auto bytes = static_cast<qsizetype>(array.bytes ? array.type.byteCount() : 0);
    const QByteArrayView view(reinterpret_cast<const char*>(array.data()), bytes);
    out["sha256"] =
        QCryptographicHash::hash(QByteArray::fromRawData(view.data(), view.size()), QCryptographicHash::Sha256)
            .toHex()
            .toStdString();
    std::int64_t least = -1, greatest = -1, notFinite = 0;
    double low = 0, high = 0, mean = 0;
    const std::int64_t count = array.bytes ? array.count() : 0;
    for (std::int64_t i = 0; i < count; ++i) {
        const double number = kernels::numberAt(array, i);
        if (!std::isfinite(number)) {
            ++notFinite;
            continue;
        }
        const auto seen = static_cast<double>(i + 1 - notFinite);
        mean += number / seen - mean / seen; // a sum may be too large for a number where its mean is not
        if (least < 0 || number < low) {
            least = i;
            low = number;
        }
        if (greatest < 0 || number > high) {
            greatest = i;
            high = number;
        }
    }
    if (least >= 0) {
        out["min"] = scalarJson(elementOf(array, least));
        out["max"] = scalarJson(elementOf(array, greatest));
        out["mean"] = mean;
    }
    out["not_finite"] = notFinite;
    return out;
}

Json nonFiniteJson(const ProgramRun& run)
{
    Json out = Json::array();
    for (const NonFiniteFinding& each : run.nonFinite) {
        const bool devices = each.runs == words::Runs::Devices;
        const Program& program = (devices ? run.partitioned : run.unsharded)->device.program;
        Json entry{ { "kind", each.found.kind == NonFiniteKind::NotANumber ? "nan" : "infinity" },
            { "run", devices ? "devices" : "reference" },
            { "from",
                !each.found.operation.valid() ? "argument"
                    : each.found.produced     ? "operation"
                                              : "constant" },
            { "value", each.value }, { "element", list(each.index) } };
        if (devices)
            entry["device"] = each.found.device;
        if (each.found.operation.valid()) {
            const Operation& operation = program.operation(each.found.operation);
            entry["operation"] = qualifiedName(operation);
            entry["line"] = program.sources[operation.source].line;
        }
        out.push_back(std::move(entry));
    }
    return out;
}

/// What a device is given of an argument.
std::vector<kernels::Arrays> inputShards(const ProgramRun& run)
{
    std::vector<kernels::Arrays> shards; // by argument
    for (std::size_t i = 0; i < run.inputs.arrays.size(); ++i)
        shards.push_back(
            shardsOf(run.inputs.arrays[i], run.partitioned->device.inputs[i], run.partitioned->device.mesh));
    return shards;
}

Json devicesJson(const ProgramRun& run, ArrayTexts& texts)
{
    Json out = Json::array();
    if (!run.devices) {
        for (std::size_t d = 0; d < run.reference->shards.size(); ++d) {
            Json results = Json::array();
            for (const Array& array : run.reference->shards[d])
                results.push_back(texts.described(array));
            out.push_back({ { "device", d }, { "results", std::move(results) } });
        }
        return out;
    }
    const std::vector<kernels::Arrays> inputs = inputShards(run);
    for (std::size_t d = 0; d < run.devices->shards.size(); ++d) {
        Json arguments = Json::array(), results = Json::array();
        for (const kernels::Arrays& argument : inputs)
            arguments.push_back(texts.described(argument[d]));
        for (const Array& array : run.devices->shards[d])
            results.push_back(texts.described(array));
        out.push_back({ { "device", d }, { "arguments", std::move(arguments) }, { "results", std::move(results) } });
    }
    return out;
}

void printArray(Console& console, const Array& array, const QString& indent)
{
    if (!isTensor(array.type.dtype)) {
        console.line(indent + QStringLiteral("no array"));
        return;
    }
    for (const std::string& line : arrayLines(array.type, array.data()))
        console.line(indent + words::fromStd(line));
}

bool sameBytes(const Array& a, const Array& b)
{
    const std::int64_t bytes = a.type.byteCount();
    return bytes == 0 || !a.bytes || !b.bytes || std::memcmp(a.data(), b.data(), static_cast<std::size_t>(bytes)) == 0;
}

/// Shards of one array: devices that hold the same stand together.
void printShards(
    Console& console, const QString& name, const kernels::Arrays& shards, const ShardedArray& how, const MeshPtr& mesh)
{
    console.line(QStringLiteral("  ") + name);
    if (!isTensor(how.type.dtype))
        return;
    const Layout layout(how.over(mesh), how.sharding, how.type.shape);
    for (std::int64_t shard = 0; shard < layout.distinctShards(); ++shard) {
        const Shape held = layout.shardShape();
        QStringList ranges;
        for (const IndexRange& range : layout.rangesOfShard(shard)) {
            const std::int64_t padding = held[static_cast<std::size_t>(ranges.size())] - range.size();
            ranges << (range.size() == 0 ? (padding == 0 ? QStringLiteral("none") : QStringLiteral("padding"))
                    : padding == 0
                    ? words::range(range.begin, range.end)
                    : QStringLiteral("%1 + %2 padding").arg(words::range(range.begin, range.end)).arg(padding));
        }
        std::vector<std::int32_t> left = layout.holders(shard);
        while (!left.empty()) {
            const Array& first = shards[static_cast<std::size_t>(left.front())];
            std::vector<std::int32_t> same, others;
            for (const std::int32_t device : left)
                (sameBytes(first, shards[static_cast<std::size_t>(device)]) ? same : others).push_back(device);
            console.line(QStringLiteral("    %1: [%2]").arg(words::devices(same), ranges.join(QStringLiteral(", "))),
                Emphasis::Faint);
            printArray(console, first, QStringLiteral("      "));
            left = std::move(others);
        }
    }
}

void printDevices(Console& console, const ProgramRun& run)
{
    console.heading(QStringLiteral("On the devices"));
    if (!run.devices) {
        for (std::size_t d = 0; d < run.reference->shards.size(); ++d) {
            const auto device = static_cast<std::int32_t>(d);
            for (std::size_t i = 0; i < run.reference->shards[d].size(); ++i) {
                console.line(QStringLiteral("  result %1 on %2").arg(i).arg(words::devices({ &device, 1 })));
                printArray(console, run.reference->shards[d][i], QStringLiteral("      "));
            }
        }
        return;
    }
    const DeviceProgram& device = run.partitioned->device;
    const std::vector<kernels::Arrays> inputs = inputShards(run);
    for (std::size_t i = 0; i < inputs.size(); ++i)
        printShards(console, QStringLiteral("arg%1").arg(i), inputs[i], device.inputs[i], device.mesh);
    for (std::size_t i = 0; i < device.outputs.size(); ++i) {
        kernels::Arrays shards;
        for (const kernels::Arrays& own : run.devices->shards)
            shards.push_back(own[i]);
        printShards(console, QStringLiteral("result %1").arg(i), shards, device.outputs[i], device.mesh);
    }
}

void printExpectations(Console& console, const ProgramRun& run)
{
    const auto& all = run.expectations();
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
        const Program& program = run.executed().device.program;
        console.line(QStringLiteral("  %1 on %2: element %3 is %4, expected %5")
                         .arg(words::operationPlace(program, each.operation), words::devices({ &device, 1 }))
                         .arg(each.element)
                         .arg(words::fromStd(each.value), words::fromStd(each.expected)),
            Emphasis::Bad);
    }
}

void printExchanged(Console& console, const ProgramRun& run)
{
    console.heading(QStringLiteral("Exchanged per device"));
    if (run.exchanged.empty())
        console.line(QStringLiteral("  nothing"));
    for (const Exchanged& each : run.exchanged)
        console.line(QStringLiteral("  %1 × %2: %3 sent")
                         .arg(words::count(each.times), words::collective(each.kind), words::bytes(each.sentBytes)));
}

} // namespace

std::string shardingOf(const ProgramRun& run, bool input, std::size_t index)
{
    if (!run.partitioned)
        return {};
    const DeviceProgram& device = run.partitioned->device;
    const ShardedArray& array = (input ? device.inputs : device.outputs)[index];
    return isTensor(array.type.dtype) ? toShardy(array.sharding, *device.mesh) : std::string();
}

namespace {

/// That of the partitioned program; a single device without one.
const Mesh& meshOf(const ProgramRun& run)
{
    static const Mesh single;
    return run.partitioned ? *run.partitioned->device.mesh : single;
}

Json stateJson(const ProgramRun& run)
{
    Json pairs = Json::array();
    for (const StatePair& pair : run.state.pairs)
        pairs.push_back({ { "argument", run.named->value(pair.argument).index }, { "result", pair.result } });
    return { { "source", name(run.state.source) }, { "fed_back", std::move(pairs) } };
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
    case StateSource::Names:
        how = QStringLiteral("a guess by names; --state says otherwise");
        break;
    case StateSource::Order:
        how = QStringLiteral("a guess by order, type and sharding; --state says otherwise");
        break;
    case StateSource::Program:
    case StateSource::Stated:
    case StateSource::None:
        how = QStringLiteral("as stated");
        break;
    }
    constexpr std::size_t maxShown = 4;
    QStringList shown;
    for (const StatePair& pair : run.state.pairs)
        if (static_cast<std::size_t>(shown.size()) < maxShown)
            shown << QStringLiteral("arg%1 from result %2").arg(run.named->value(pair.argument).index).arg(pair.result);
    if (run.state.pairs.size() > maxShown)
        shown << QStringLiteral("and %1 more").arg(run.state.pairs.size() - maxShown);
    return QStringLiteral("  state (%1): %2").arg(how, shown.join(QStringLiteral(", ")));
}

} // namespace

std::string jsonText(const JsonTarget& target, const ProgramRun& run, const RunJsonOptions& options)
{
    ArrayTexts texts(options.values);
    Json out = envelope(target);
    out["input"]["title"] = run.title;
    if (run.partitioned) {
        out["mesh"] = toJson(*run.partitioned->device.mesh);
        out["device_program"] = hashJson(hash(run.partitioned->device.program));
    }
    out["device_count"] = run.deviceCount();
    out["arguments"] = Json::array();
    for (std::size_t i = 0; i < run.inputs.arrays.size(); ++i) {
        Json argument{ { "name", "arg" + std::to_string(i) }, { "type", toString(run.inputs.arrays[i].type) },
            { "from", run.inputs.from[i] } };
        if (run.inputs.starts[i])
            argument["initial"] = toString(*run.inputs.starts[i]);
        if (run.partitioned)
            argument["sharding"] = shardingOf(run, true, i);
        texts.describe(argument, run.inputs.arrays[i]);
        out["arguments"].push_back(std::move(argument));
    }
    out["results"] = Json::array();
    for (std::size_t i = 0; i < run.results().size(); ++i) {
        Json result{ { "result", i }, { "type", toString(run.results()[i].type) } };
        if (run.partitioned)
            result["sharding"] = shardingOf(run, false, i);
        texts.describe(result, run.results()[i]);
        out["results"].push_back(std::move(result));
    }
    if (run.devices) {
        out["exchanged"] = Json::array();
        for (const Exchanged& each : run.exchanged)
            out["exchanged"].push_back({ { "kind", std::string(name(each.kind)) }, { "times", each.times },
                { "sent_bytes", toJson(each.sentBytes) } });
    }
    if (options.perDevice)
        out["devices"] = devicesJson(run, texts);
    out["state"] = stateJson(run);
    out["steps"] = stepsJson(run.steps);
    if (run.timing)
        out["timing"] = timingJson(*run.timing, meshOf(run));
    if (run.check)
        out["check"] = checkJson(*run.check, *run.named);
    if (run.memory && run.devices)
        out["memory_per_device"] = plannedMemoryJson(*run.memory);
    out["first_not_finite"] = nonFiniteJson(run);
    out["expectations"] = { { "count", run.expectations().size() }, { "failed", run.failedExpectations() } };
    out["problems"] = toJson(run.problems);
    return texts.print(out);
}

void printRun(Console& console, const ProgramRun& run, bool perDevice)
{
    console.heading(words::fromStd(run.name));
    if (run.partitioned) {
        const Mesh& mesh = *run.partitioned->device.mesh;
        QStringList axes;
        for (std::size_t i = 0; i < mesh.rank(); ++i)
            axes << QStringLiteral("%1 %2").arg(words::fromStd(mesh.axis(i).name)).arg(mesh.size(i));
        console.line(
            QStringLiteral("  mesh %1: %2")
                .arg(axes.join(QStringLiteral(" × ")), words::counted(mesh.deviceCount(), words::Noun::Device)));
    } else if (run.deviceCount() > 1) {
        console.line(QStringLiteral("  the program of each of %1; all are given the same arguments")
                         .arg(words::counted(run.deviceCount(), words::Noun::Device)));
    } else {
        console.line(run.notPartitioned
                ? QStringLiteral("  it was not partitioned, and these are the numbers of the unsharded program: %1")
                      .arg(words::describe(*run.notPartitioned).cause)
                : QStringLiteral("  no sharding over a mesh: it runs on one device"));
    }
    const auto array = [&](const QString& name, const Array& held, const std::string& sharding, const QString& from) {
        QString line = QStringLiteral("  %1  %2").arg(name, words::fromStd(toString(held.type)));
        if (!sharding.empty())
            line += QStringLiteral("  ") + words::fromStd(sharding);
        if (!from.isEmpty())
            line += QStringLiteral("  (%1)").arg(from);
        console.line(line);
        printArray(console, held, QStringLiteral("    "));
    };
    if (!run.inputs.arrays.empty())
        console.heading(QStringLiteral("Arguments"));
    for (std::size_t i = 0; i < run.inputs.arrays.size(); ++i)
        array(QStringLiteral("arg%1").arg(i), run.inputs.arrays[i], shardingOf(run, true, i),
            words::fromStd(run.inputs.from[i]));
    if (!run.results().empty())
        console.heading(QStringLiteral("Results"));
    for (std::size_t i = 0; i < run.results().size(); ++i)
        array(QStringLiteral("result %1").arg(i), run.results()[i], shardingOf(run, false, i), {});
    if (perDevice)
        printDevices(console, run);
    if (!run.steps.empty())
        printSteps(console, run.steps);
    if (!run.steps.empty() || run.timing)
        console.line(run.state.pairs.empty() ? QStringLiteral("  no state: every step has the same arguments")
                                             : stateSentence(run),
            Emphasis::Faint);
    if (run.check)
        printCheck(console, *run.check, *run.named);
    if (run.devices)
        printExchanged(console, run);
    if (run.memory && run.devices)
        printPlannedMemory(console, *run.memory);
    if (run.timing)
        printTiming(console, *run.timing, meshOf(run), run.threads);
    printExpectations(console, run);
    if (!run.nonFinite.empty())
        console.heading(QStringLiteral("NaN and infinity"));
    for (const NonFiniteFinding& each : run.nonFinite)
        console.line(QStringLiteral("  ") + each.sentence);
}

} // namespace shardscope::cli
