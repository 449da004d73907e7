// SPDX-License-Identifier: GPL-3.0-or-later
#include "report.h"

#include <QFile>
#include <QFileInfo>
#include <QSaveFile>
#include <algorithm>
#include <array>

#include "base/codes.h"
#include "experiment/t5x_rules.h"
#include "sharding/text.h"
#include "words/memory_words.h"
#include "words/spec_text.h"
#include "words/utf8.h"
#include "words/words.h"

namespace shardscope::cli {

namespace {

std::string_view severityName(Severity severity)
{
    switch (severity) {
    case Severity::Error:
        return "error";
    case Severity::Warning:
        return "warning";
    case Severity::Info:
        break;
    }
    return "info";
}

std::string_view roleName(Role role)
{
    switch (role) {
    case Role::Parameter:
        return "parameter";
    case Role::Gradient:
        return "gradient";
    case Role::Mu:
        return "mu";
    case Role::Nu:
        return "nu";
    case Role::Count:
        return "count";
    case Role::Step:
        return "step";
    case Role::Input:
        return "input";
    case Role::Activation:
        return "activation";
    case Role::Loss:
        return "loss";
    case Role::Constant:
        return "constant";
    case Role::Temporary:
        break;
    }
    return "temporary";
}

std::vector<std::int64_t> list(const Shape& shape)
{
    return { shape.begin(), shape.end() };
}

/// The mesh as an array of its own, each dimension cut by its axis: its grid shows which device stands where.
Layout meshLayout(const MeshPtr& mesh)
{
    TensorSharding sharding = TensorSharding::fullyReplicated(mesh->rank());
    Shape shape;
    for (std::size_t i = 0; i < mesh->rank(); ++i) {
        shape.push_back(mesh->size(i));
        if (mesh->size(i) > 1)
            sharding.dims[i].axes.push_back(wholeAxis(*mesh, i));
    }
    return Layout(mesh, std::move(sharding), std::move(shape));
}

void printLayout(Console& console, const Layout& layout, const std::string& platform)
{
    GridTextOptions options;
    console.line(QStringLiteral("  (labels as JAX prints them)"), Emphasis::Faint);
    options.platform = QString::fromStdString(platform).toUpper().toStdString();
    for (const std::string& each : toGridText(layout, options))
        console.line(each.empty() ? QString() : QStringLiteral("  ") + words::fromStd(each));
}

QString copiesText(std::int64_t copies)
{
    return QString::number(copies);
}

} // namespace

Json envelope(const char* command, const char* version)
{
    Json json;
    json["format"] = std::string("shardscope-") + command;
    json["version"] = version;
    json["program"] = { { "name", "shardscope" }, { "version", SHARDSCOPE_VERSION } };
    return json;
}

int emitJson(const Json& json, const JsonTarget& target, int status)
{
    // Numbers that are not finite become null; text that is not UTF-8 (a file's name) is shown with replacements.
    return emitText(json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n', target, status);
}

int emitText(std::string_view out, const std::string& target, int status)
{
    if (target == "-") {
        writeTo(stdout, out);
        return status;
    }
    const QString name = QString::fromStdString(target);
    const auto write = [&](QFileDevice& file) {
        return file.open(QIODevice::WriteOnly)
            && file.write(out.data(), static_cast<qint64>(out.size())) == static_cast<qint64>(out.size())
            && file.flush();
    };
    QString reason;
    if (const QFileInfo info(name); info.exists() && !info.isFile()) { // a device or a pipe must not be replaced
        QFile file(name);
        if (write(file))
            return status;
        reason = file.errorString();
    } else {
        QSaveFile file(name);
        if (write(file) && file.commit())
            return status;
        reason = file.errorString();
    }
    Console errors(stderr);
    print(errors, { { Code::Unwritable, { { "file", target }, { "reason", reason.toStdString() } }, {} } });
    return BadInput;
}

Json toJson(const Diagnostic& diagnostic)
{
    const words::ProblemText said = words::describe(diagnostic);
    Json json{ { "code", diagnostic.id() }, { "severity", severityName(diagnostic.severity()) },
        { "kind", diagnostic.kind() }, { "cause", said.cause.toStdString() }, { "remedy", said.remedy.toStdString() } };
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
    Json args = Json::object();
    for (const Arg& arg : diagnostic.args)
        std::visit([&](const auto& value) { args[arg.name] = value; }, arg.value);
    json["args"] = std::move(args);
    return json;
}

Json toJson(const std::vector<Diagnostic>& diagnostics)
{
    Json json = Json::array();
    for (const Diagnostic& diagnostic : diagnostics)
        json.push_back(toJson(diagnostic));
    return json;
}

Json toJson(const Mesh& mesh)
{
    Json axes = Json::array();
    for (const MeshAxis& axis : mesh.axes())
        axes.push_back(Json::array({ axis.name, axis.size }));
    Json json{ { "axes", std::move(axes) }, { "devices", mesh.deviceCount() } };
    if (!mesh.deviceOrder().empty())
        json["device_order"] = std::vector<std::int32_t>(mesh.deviceOrder().begin(), mesh.deviceOrder().end());
    return json;
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
    return { { "path", row.path }, { "role", roleName(row.role) }, { "dtype", name(row.type.dtype) },
        { "shape", list(row.type.shape) }, { "names", row.dimNames }, { "spec", toJax(row.spec, false) },
        { "axes", std::move(spec) }, { "shard_shape", list(row.layout.shardShape()) },
        { "shards", row.layout.distinctShards() }, { "copies", row.copies }, { "bytes", row.bytesInAll },
        { "bytes_per_device", row.bytesPerDevice }, { "padded_elements", row.layout.paddedElements() },
        { "memory_kind", row.memoryKind ? Json(toString(*row.memoryKind)) : Json(nullptr) } };
}

Json toJson(const MemorySummary& memory)
{
    static constexpr std::array<const char*, ownerCount> owners{ "parameters", "gradients", "mu", "nu", "activations",
        "buffers" };
    Json atPeak = Json::object();
    for (std::size_t i = 0; i < ownerCount; ++i)
        atPeak[owners[i]] = memory.atPeak[i];
    return { { "peak_bytes", memory.peakBytes }, { "at_peak", std::move(atPeak) }, { "state_bytes", memory.stateBytes },
        { "arena_bytes", memory.arenaBytes } };
}

namespace {

std::string_view fallbackName(RulesFallback fallback)
{
    switch (fallback) {
    case RulesFallback::AxisIsUnsharded:
        return "axis_is_unsharded";
    case RulesFallback::RaiseError:
        return "raise_error";
    case RulesFallback::NoConstraint:
        break;
    }
    return "no_constraint";
}

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
        { "fallback", fallbackName(rules.fallback) }, { "bound_when_traced", rules.boundWhenTraced },
        { "list", ruleListJson(rules.rules.list, snapshot.mesh.get(), &snapshot.ruleUses) } };
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

Json tensors(const Snapshot& snapshot)
{
    Json json = Json::array();
    for (const TensorRow& row : snapshot.tensors)
        json.push_back(toJson(row));
    return json;
}

Json communication(const Snapshot& snapshot)
{
    Json list = Json::array();
    for (const CollectiveUse& use : snapshot.collectives) {
        std::vector<std::string> axes;
        for (const AxisRef& axis : use.axes)
            axes.push_back(toString(*snapshot.mesh, axis));
        const DeviceOp& op = snapshot.deviceProgram->ops[use.op.index];
        list.push_back({ { "kind", name(use.kind) }, { "axes", std::move(axes) },
            { "tensor", snapshot.program->value(op.stem).path }, { "sent_bytes", toJson(use.sentBytes) },
            { "scalar_loss", use.scalarLoss } });
    }
    return { { "sent_bytes", toJson(snapshot.sent.step) },
        { "sent_bytes_scalar_loss", toJson(snapshot.sent.scalarLoss) }, { "collectives", std::move(list) } };
}

void print(Console& console, const std::vector<Diagnostic>& diagnostics)
{
    for (const Diagnostic& diagnostic : diagnostics) {
        const Severity severity = diagnostic.severity();
        console.line(words::oneLine(diagnostic),
            severity == Severity::Error         ? Emphasis::Bad
                : severity == Severity::Warning ? Emphasis::Warning
                                                : Emphasis::Faint);
    }
}

int reject(const char* command, const JsonTarget& json, const std::vector<Diagnostic>& errors)
{
    {
        Console console(stderr);
        print(console, errors);
    }
    if (json.empty())
        return BadInput;
    Json out = envelope(command);
    out["problems"] = toJson(errors);
    return emitJson(out, json, BadInput);
}

void printMesh(Console& console, const Snapshot& snapshot)
{
    const Mesh& mesh = *snapshot.mesh;
    const DeviceSet& devices = snapshot.experiment->hardware.devices;
    QStringList axes;
    for (const MeshAxis& axis : mesh.axes())
        axes << QStringLiteral("%1 %2").arg(words::fromStd(axis.name), QString::number(axis.size));
    console.heading(QStringLiteral("Mesh"));
    console.line(QStringLiteral("  %1: %2 of kind %3, %4 × %5")
                     .arg(axes.isEmpty() ? QStringLiteral("no axes") : axes.join(QStringLiteral(" × ")),
                         words::counted(mesh.deviceCount(), words::Noun::Device), words::fromStd(devices.kind),
                         words::counted(devices.hosts, words::Noun::Host), QString::number(devices.devicesPerHost)));
    if (mesh.rank() > 0)
        printLayout(console, meshLayout(snapshot.mesh), devices.platform);
}

void printTensors(Console& console, const Snapshot& snapshot)
{
    Table table{ { { QStringLiteral("Tensor") }, { QStringLiteral("Type") }, { QStringLiteral("Shape") },
                     { QStringLiteral("Spec") }, { QStringLiteral("Per device") },
                     { QStringLiteral("Bytes per device"), true }, { QStringLiteral("Copies"), true } },
        {} };
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
    console.table(table);
}

void printGrid(Console& console, const Snapshot& snapshot, const TensorRow& row)
{
    console.heading(words::fromStd(row.path));
    const auto shards = row.layout.distinctShards();
    console.line(QStringLiteral("  %1, %2 of %3, %4 per device%5")
                     .arg(words::fromStd(describeArray(
                         name(row.type.dtype), row.type.shape, row.dimNames, row.layout.sharding(), *snapshot.mesh)))
                     .arg(words::counted(shards, words::Noun::Shard), words::shape(row.layout.shardShape()),
                         exactBytes(row.bytesPerDevice),
                         row.memoryKind ? QStringLiteral(", ") + words::memoryPlace(*row.memoryKind) : QString()));
    for (const QString& line : words::padding(row))
        console.line(QStringLiteral("  ") + line);
    if (row.type.rank() > 0)
        printLayout(console, row.layout, snapshot.experiment->hardware.devices.platform);
}

void printProblems(Console& console, const Input& input, const Snapshot& snapshot, ValueId about)
{
    const std::vector<Diagnostic> all = allProblems(input, snapshot, about);
    if (all.empty())
        return;
    console.heading(QStringLiteral("Problems"));
    print(console, all);
}

QString exactBytes(std::int64_t bytes)
{
    const QString rounded = words::bytes(static_cast<double>(bytes));
    return bytes < 1024 ? rounded : QStringLiteral("%1 (%2 B)").arg(rounded, words::count(bytes));
}

int statusOf(const std::vector<Diagnostic>& problems)
{
    const bool errors = std::any_of(
        problems.begin(), problems.end(), [](const Diagnostic& d) { return d.severity() == Severity::Error; });
    return errors ? Findings : Done;
}

bool hasFindings(const Input& input, const Snapshot& snapshot)
{
    const std::vector<Diagnostic> all = allProblems(input, snapshot);
    return std::any_of(all.begin(), all.end(), [](const Diagnostic& d) { return d.severity() != Severity::Info; });
}

} // namespace shardscope::cli
