// SPDX-License-Identifier: GPL-3.0-or-later
#include "report.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/alike.h"
#include "base/codes.h"
#include "collectives_report.h"
#include "document/atomic_file.h"
#include "experiment/t5x_rules.h"
#include "input.h"
#include "program/roles.h"
#include "repeated_rows.h"
#include "schedule/plan.h"
#include "sharding/text.h"
#include "words/memory_words.h"
#include "words/spec_text.h"
#include "words/utf8.h"
#include "words/words.h"

namespace shardscope::cli {

namespace {

constexpr std::string_view severities[] = { "error", "warning", "info" }; ///< by Severity
constexpr std::string_view constraintMeshes[] = { "context", "none", "own" }; ///< by ConstraintMesh
constexpr std::string_view fallbacks[] = { "axis_is_unsharded", "raise_error", "no_constraint" }; ///< by RulesFallback

QString copiesText(std::int64_t copies)
{
    return QString::number(copies);
}

/// Of the JSON of each command. A new minor version adds members; a new major version changes or removes some.
constexpr std::pair<std::string_view, std::string_view> versions[] = { { "check", "1.1" }, { "comms", "2.3" },
    { "compare-hlo", "1.2" }, { "convert", "2.1" }, { "diff", "2.0" }, { "examples", "1.1" }, { "explain", "2.1" },
    { "export", "1.4" }, { "mesh", "2.1" }, { "new", "1.1" }, { "partition", "2.1" }, { "propagate", "3.0" },
    { "resolve", "2.1" }, { "rules", "2.0" }, { "run", "3.3" }, { "schema", "1.1" }, { "screenshot", "2.0" },
    { "search", "2.2" }, { "sharding", "2.1" }, { "show", "2.0" }, { "verify", "3.0" } };

std::string_view versionOf(std::string_view command)
{
    const auto found =
        std::find_if(std::begin(versions), std::end(versions), [&](const auto& row) { return row.first == command; });
    return found == std::end(versions) ? "1.0" : found->second;
}

} // namespace

Json envelope(const JsonTarget& target)
{
    Json json;
    json["format"] = target.command.empty() ? "shardscope" : "shardscope-" + target.command;
    json["version"] = versionOf(target.command);
    json["command"] = target.command;
    json["program"] = { { "name", "shardscope" }, { "version", SHARDSCOPE_VERSION } };
    json["input"] = Json::object();
    if (!target.input.empty())
        json["input"]["name"] = target.input;
    json["problems"] = Json::array();
    return json;
}

Json envelope(const JsonTarget& target, const Input& input)
{
    Json json = envelope(target);
    json["input"]["title"] = input.experiment.title;
    return json;
}

int emitJson(const Json& json, const JsonTarget& target, int status)
{
    // Numbers that are not finite become null; text that is not UTF-8 (a file's name) is shown with replacements.
    return emitText(json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n', target.file, status);
}

int emitText(std::string_view out, const std::string& target, int status)
{
    if (target == "-") {
        writeTo(stdout, out);
        return status;
    }
    const Result<void> written = writeAtomically(QString::fromStdString(target), out);
    if (written)
        return status;
    Console errors(stderr);
    print(errors, { written.error() });
    return BadInput;
}

Json toJson(const Diagnostic& diagnostic)
{
    const words::ProblemText stated = words::describe(diagnostic);
    Json json{ { "code", diagnostic.id() }, { "severity", severities[static_cast<std::size_t>(diagnostic.severity())] },
        { "kind", diagnostic.kind() }, { "cause", stated.cause.toStdString() },
        { "remedy", stated.remedy.toStdString() } };
    const Where& where = diagnostic.where;
    Json place = Json::object();
    if (!where.file.empty())
        place["file"] = where.file;
    if (where.line > 0) {
        place["line"] = where.line;
        place["column"] = where.column;
    }
    if (!where.pointer.empty())
        place["pointer"] = where.pointer;
    if (!where.path.empty())
        place["tensor"] = where.path;
    if (where.dimension >= 0)
        place["dimension"] = where.dimension;
    json["where"] = std::move(place);
    if (diagnostic.arg("alike"))
        json["count"] = diagnostic.number("alike");
    Json args = Json::object();
    for (const Arg& arg : diagnostic.args)
        std::visit([&](const auto& value) { args[arg.name] = value; }, arg.value);
    json["args"] = std::move(args);
    return json;
}

Json toJson(const std::vector<Diagnostic>& diagnostics)
{
    Json json = Json::array();
    for (const Diagnostic& diagnostic : summedUp(diagnostics))
        json.push_back(toJson(diagnostic));
    return json;
}

Json toJson(const Mesh& mesh)
{
    std::vector<std::string> axes;
    std::vector<std::int64_t> shape;
    for (const MeshAxis& axis : mesh.axes()) {
        axes.push_back(axis.name);
        shape.push_back(axis.size);
    }
    Json json{ { "axes", std::move(axes) }, { "shape", std::move(shape) }, { "device_count", mesh.deviceCount() } };
    if (!mesh.deviceOrder().empty())
        json["device_order"] = std::vector<std::int32_t>(mesh.deviceOrder().begin(), mesh.deviceOrder().end());
    return json;
}

Json hashJson(std::uint64_t hash)
{
    return QStringLiteral("%1").arg(hash, 16, 16, QLatin1Char('0')).toStdString();
}

std::vector<std::int64_t> sizesOf(const Shape& shape)
{
    return { shape.begin(), shape.end() };
}

Json toJson(Rational value)
{
    if (value.denominator() == 1)
        return value.numerator();
    return value.value();
}

Json toJson(const TensorRow& row)
{
    Json spec = Json::array();
    for (std::size_t i = 0; i < row.type.rank(); ++i)
        spec.push_back(row.spec.axesOf(i));
    return { { "path", row.path }, { "role", name(row.role) }, { "dtype", name(row.type.dtype) },
        { "shape", sizesOf(row.type.shape) }, { "names", row.dimNames }, { "spec", toJax(row.spec, false) },
        { "dimension_axes", std::move(spec) }, { "shard_shape", sizesOf(row.layout.shardShape()) },
        { "shards", row.layout.distinctShards() }, { "copies", row.copies }, { "bytes", row.bytesInAll },
        { "bytes_per_device", row.bytesPerDevice }, { "padded_elements", row.layout.paddedElements() },
        { "memory_kind", row.memoryKind ? Json(toString(*row.memoryKind)) : Json(nullptr) } };
}

const char* ownerId(Owner owner)
{
    static constexpr std::array<const char*, ownerCount> owners{ "parameters", "gradients", "mu", "nu", "activations",
        "buffers" };
    return owners[static_cast<std::size_t>(owner)];
}

Json toJson(const MemorySummary& memory)
{
    Json atPeak = Json::object();
    for (std::size_t i = 0; i < ownerCount; ++i)
        atPeak[ownerId(static_cast<Owner>(i))] = memory.atPeak[i];
    return { { "peak_bytes", memory.peakBytes }, { "peak_without_kept_bytes", memory.peakWithoutKept },
        { "at_peak", std::move(atPeak) }, { "state_bytes", memory.stateBytes }, { "arena_bytes", memory.arenaBytes } };
}

namespace {

Json ruleListJson(const std::vector<LogicalRule>& rules, const Mesh* mesh, const std::vector<RuleUse>* uses)
{
    Json list = Json::array();
    for (std::size_t i = 0; i < rules.size(); ++i) {
        const LogicalRule& rule = rules[i];
        const bool named = rule.name.kind == LogicalName::Kind::Name;
        Json row{ { "rule", i + 1 }, { "name", named ? Json(rule.name.name) : Json(nullptr) },
            { "unconstrained", rule.target.kind == SpecEntry::Kind::Unconstrained }, { "axes", rule.target.axes } };
        if (mesh) {
            std::vector<std::string> unknown;
            for (const std::string& axis : rule.target.axes)
                if (!mesh->axisIndex(axis))
                    unknown.push_back(axis);
            row["unknown_axes"] = std::move(unknown);
        }
        if (uses && i < uses->size()) {
            row["uses"] = (*uses)[i].uses;
            row["inactive_uses"] = (*uses)[i].inactiveUses;
        }
        list.push_back(std::move(row));
    }
    return list;
}

} // namespace

Json rulesJson(const Snapshot& snapshot)
{
    const RulesSetting& rules = snapshot.experiment->rules;
    Json json{ { "dialect", rules.rules.isSequence ? std::string(name(rules.dialect)) : "penzai" },
        { "version", rules.version == FlaxVersion::Year2024 ? "2024" : "current" },
        { "fallback", fallbacks[static_cast<std::size_t>(rules.fallback)] },
        { "bound_when_traced", rules.boundWhenTraced },
        { "constraint_mesh", constraintMeshes[static_cast<std::size_t>(rules.constraintMesh)] },
        { "list", ruleListJson(rules.rules.list, snapshot.mesh.get(), &snapshot.ruleUses) } };
    if (!snapshot.namesWithoutRule.empty()) {
        json["names_without_rule"] = Json::array();
        for (const auto& [name, uses] : snapshot.namesWithoutRule)
            json["names_without_rule"].push_back({ { "name", name }, { "uses", uses } });
    }
    if (!rules.inner.empty()) {
        json["inner"] = Json::array();
        for (std::size_t i = 0; i < rules.inner.size(); ++i)
            json["inner"].push_back({ { "within", rules.inner[i].within },
                { "list",
                    ruleListJson(rules.inner[i].rules.list, snapshot.mesh.get(),
                        i < snapshot.innerRuleUses.size() ? &snapshot.innerRuleUses[i] : nullptr) } });
    }
    if (const auto partitioner = t5xPartitioner(*snapshot.experiment); partitioner && *partitioner)
        json["data_axes"] = (*partitioner)->dataAxis.axes;
    return json;
}

Json problems(const Input& input, const Snapshot& snapshot, ValueId about)
{
    return toJson(allProblems(input, snapshot, about));
}

Json communication(const CollectiveList& collectives)
{
    Json list = Json::array();
    for (const CollectiveEntry& entry : collectives.entries)
        if (isExchange(entry)) {
            list.push_back({ { "kind", name(entry.kind) }, { "axes", axisNames(entry.axes, *entry.mesh) },
                { "tensor", entry.value.valid() ? *collectives.program->value(entry.value).path : std::string() },
                { "cause", causeId(entry) }, { "times", entry.times }, { "sent_bytes", toJson(entry.sentBytes) },
                { "scalar_loss", entry.scalarLoss } });
            addOrigin(list.back(), entry);
        }
    const SentBytes sent = sentBytes(collectives);
    return { { "sent_bytes", toJson(sent.step) }, { "sent_bytes_scalar_loss", toJson(sent.scalarLoss) },
        { "collectives", std::move(list) } };
}

void print(Console& console, const std::vector<Diagnostic>& diagnostics)
{
    for (const Diagnostic& diagnostic : summedUp(diagnostics)) {
        const Severity severity = diagnostic.severity();
        console.line(words::oneLine(diagnostic),
            severity == Severity::Error         ? Emphasis::Bad
                : severity == Severity::Warning ? Emphasis::Warning
                                                : Emphasis::Faint);
    }
}

Diagnostic usageProblem(const std::string& command, const std::string& what)
{
    return { Code::Usage, { { "what", what }, { "command", command } }, {} };
}

int refuseForMemory(const JsonTarget& json)
{
    return refuse(json, { { { Code::OutOfMemory, {}, {} } }, Findings });
}

int refuse(const JsonTarget& json, const Refused& refused)
{
    {
        Console errors(stderr);
        print(errors, refused.problems);
    }
    if (json.empty())
        return refused.status;
    Json out = envelope(json);
    out["problems"] = toJson(refused.problems);
    return emitJson(out, json, refused.status);
}

int reject(const JsonTarget& json, const std::vector<Diagnostic>& errors)
{
    return refuse(json, { errors, BadInput });
}

void printTensors(Console& console, const Snapshot& snapshot, Extent extent)
{
    if (snapshot.tensors.empty())
        return;
    Table table{ "Tensor", "Type", "Shape", "Spec", "Per device", "Bytes per device>", "Copies>" };
    const std::string& platform = snapshot.experiment->hardware.devices.platform;
    // What is padded is said where there is any, and where arrays lie that are elsewhere.
    const bool padded = std::any_of(
        snapshot.tensors.begin(), snapshot.tensors.end(), [](const TensorRow& row) { return row.layout.isUneven(); });
    if (padded)
        table.columns.push_back({ QStringLiteral("Padding") });
    const bool elsewhere = std::any_of(snapshot.tensors.begin(), snapshot.tensors.end(),
        [](const TensorRow& row) { return row.memoryKind.has_value(); });
    if (elsewhere)
        table.columns.push_back({ QStringLiteral("Memory") });
    for (const TensorRow& row : snapshot.tensors) {
        table.rows.push_back({ words::fromStd(row.path), words::fromStd(name(row.type.dtype)),
            words::shape(row.type.shape), words::specText(row), words::shape(row.layout.shardShape()),
            words::bytes(static_cast<double>(row.bytesPerDevice)), copiesText(row.copies) });
        if (padded)
            table.rows.back() << words::padding(row).join(QStringLiteral("; "));
        if (elsewhere)
            table.rows.back() << words::memoryKind(row.memoryKind.value_or(defaultMemoryKind(platform)));
    }
    console.heading(QStringLiteral("Shardings"));
    if (extent == Extent::Readable)
        printLongTable(console, table, 0, "Arrays");
    else
        console.table(table);
}

void printProblems(Console& console, const Input& input, const Snapshot& snapshot, ValueId about)
{
    const std::vector<Diagnostic> all = allProblems(input, snapshot, about);
    if (all.empty())
        return;
    console.heading(QStringLiteral("Problems"));
    print(console, all);
}

void printFindings(const Input& input, const Snapshot& snapshot)
{
    std::vector<Diagnostic> all = allProblems(input, snapshot);
    std::erase_if(all, [](const Diagnostic& diagnostic) { return diagnostic.severity() == Severity::Info; });
    if (all.empty())
        return;
    Console errors(stderr);
    errors.heading(QStringLiteral("Problems"));
    print(errors, all);
}

QString exactBytes(std::int64_t bytes)
{
    const QString rounded = words::bytes(static_cast<double>(bytes));
    return bytes < 1024 ? rounded : QStringLiteral("%1 (%2 B)").arg(rounded, words::count(bytes));
}

bool isError(const Diagnostic& finding)
{
    return finding.severity() == Severity::Error;
}

int statusOf(const std::vector<Diagnostic>& problems)
{
    return std::any_of(problems.begin(), problems.end(), isError) ? Findings : Done;
}

bool hasFindings(const std::vector<Diagnostic>& problems)
{
    return std::any_of(
        problems.begin(), problems.end(), [](const Diagnostic& d) { return d.severity() != Severity::Info; });
}

} // namespace shardscope::cli
