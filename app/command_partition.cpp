// SPDX-License-Identifier: GPL-3.0-or-later
// shardscope partition: what every device runs, with local shapes and collectives.
// The command partition, declared in commands.h.
#include <algorithm>
#include <memory>
#include <optional>

#include <nlohmann/json.hpp>

#include "analysis/host_transfers.h"
#include "base/codes.h"
#include "collectives_report.h"
#include "command.h"
#include "commands.h"
#include "partition/part_labels.h"
#include "pipeline/memory_placement.h"
#include "pipeline/program_collectives.h"
#include "pipeline/stage_results.h"
#include "program/device_counts.h"
#include "schedule/plan.h"
#include "sharding/layout.h"
#include "stablehlo/print.h"
#include "words/collective_words.h"
#include "words/memory_words.h"
#include "words/utf8.h"

namespace shardscope::cli {

namespace {

struct PartitionCommandOptions {
    std::string file;
    std::string plan = "shardy";
    std::optional<std::int64_t> device;
    JsonTarget json;
};

/// An array that a device takes or returns.
struct Held {
    std::string name;
    TensorType type; ///< global
    TensorSharding sharding;
    MeshPtr mesh; ///< that it is over
};

struct Partitioned {
    std::string text; ///< with moves between memories
    std::uint64_t hash = 0; ///< of the program without them
    bool wasPartitioned = false; ///< before, by whoever wrote the text
    QString moved; ///< what a step copies between memories; empty for nothing
    MeshPtr mesh;
    std::int64_t devices = 1; ///< of the mesh, or those that a program without one addresses
    std::vector<Held> inputs, outputs;
    CollectiveList list;
};

Result<Partitioned> partitioned(const Snapshot& snapshot, bool optimal)
{
    SHARDSCOPE_TRY(parts, partitionedProgram(snapshot, optimal));
    const DeviceProgram& device = (*parts)->device;
    Partitioned out;
    out.mesh = device.mesh;
    out.devices = std::max(device.mesh->deviceCount(), statedDevices(device.program).all());
    out.hash = hash(device.program);
    out.wasPartitioned = snapshot.isPartitioned();
    const bool hasPaths = !snapshot.program->namedByText; // names of a text mean nothing in another one
    PrintOptions options;
    options.names = hasPaths ? PrintedNames::AsComments : PrintedNames::None;
    options.locations = hasPaths;
    Program program = withPlacement(snapshot, device.program);
    std::vector<std::optional<TensorSharding>> shards(device.inputs.size());
    for (std::size_t i = 0; i < shards.size(); ++i)
        if (device.inputs[i].over(device.mesh) == device.mesh)
            shards[i] = device.inputs[i].sharding;
    if (const SourceProgram& source = *snapshot.source; source.isPartitioned())
        labelParts(program, *source.partitionedOver, source.partsOf); // over the mesh of its text
    else if (device.mesh->deviceCount() > 1)
        labelParts(program, *device.mesh, shards);
    out.text = printStableHlo(program, options);
    out.moved = words::transferSummary(hostTransfers(snapshot));
    const auto held = [&](std::string name, const ShardedArray& array) {
        return Held{ std::move(name), array.type, array.sharding, array.over(out.mesh) };
    };
    const Region& main = snapshot.program->main();
    for (std::size_t i = 0; i < device.inputs.size(); ++i)
        out.inputs.push_back(
            held(hasPaths ? *snapshot.program->value(main.arguments[i]).path : "%arg" + std::to_string(i),
                device.inputs[i]));
    for (std::size_t r = 0; r < device.outputs.size(); ++r) {
        const std::string path = hasPaths ? *snapshot.program->value(main.results[r]).path : std::string();
        out.outputs.push_back(
            held("result " + std::to_string(r) + (path.empty() ? "" : " (" + path + ")"), device.outputs[r]));
    }
    out.list = **collectivesOf(snapshot, optimal);
    return out;
}

std::vector<IndexRange> rangesOf(const Held& held, std::int64_t device)
{
    return Layout(held.mesh, held.sharding, held.type.shape)
        .rangesAt(held.mesh->positionOf(static_cast<std::int32_t>(device)));
}

QString rangesText(const std::vector<IndexRange>& ranges)
{
    QStringList texts;
    for (const IndexRange& range : ranges)
        texts << QStringLiteral("%1:%2").arg(range.begin).arg(range.end);
    return QStringLiteral("[") + texts.join(QStringLiteral(", ")) + QStringLiteral("]");
}

/// The group of a collective that the device belongs to; empty if none does.
std::vector<std::int64_t> groupOf(const CollectiveEntry& entry, std::int64_t device)
{
    for (std::vector<std::int64_t>& group : replicaGroups(entry, *entry.mesh))
        if (std::find(group.begin(), group.end(), device) != group.end())
            return std::move(group);
    return {};
}

void sayDevice(QStringList& lines, const Partitioned& partitioned, std::int64_t device)
{
    const std::int64_t position = partitioned.mesh->positionOf(static_cast<std::int32_t>(device));
    QStringList place;
    for (std::size_t a = 0; a < partitioned.mesh->rank(); ++a)
        place << QStringLiteral("%1 %2").arg(
            words::fromStd(partitioned.mesh->axis(a).name), QString::number(partitioned.mesh->coordinate(position, a)));
    lines << QStringLiteral("Device %1: partition_id %1%2")
                 .arg(device)
                 .arg(place.isEmpty() ? QString() : QStringLiteral(", at ") + place.join(QStringLiteral(", ")));
    const auto arrays = [&](const std::vector<Held>& list) {
        for (const Held& held : list) {
            if (held.type.rank() == 0) {
                lines << QStringLiteral("  %1: a single number").arg(words::fromStd(held.name));
                continue;
            }
            lines << QStringLiteral("  %1: %2 of %3, elements %4")
                         .arg(words::fromStd(held.name), words::shape(shardShape(held.sharding, held.type.shape)),
                             words::shape(held.type.shape), rangesText(rangesOf(held, device)));
        }
    };
    arrays(partitioned.inputs);
    arrays(partitioned.outputs);
    for (std::size_t i = 0; i < partitioned.list.entries.size(); ++i) {
        const CollectiveEntry& entry = partitioned.list.entries[i];
        if (entry.kind == CollectiveKind::AllSlice)
            continue;
        QStringList members;
        for (const std::int64_t member : groupOf(entry, device))
            members << QString::number(member);
        const std::string along = keyOf(entry, CollectiveKey::Axes);
        lines << QStringLiteral("  collective %1, %2%3: %4")
                     .arg(QString::number(i + 1), words::fromStd(std::string(name(entry.kind))),
                         along.empty() ? QString() : QStringLiteral(" along ") + words::fromStd(along),
                         members.isEmpty() ? QStringLiteral("takes no part")
                                           : QStringLiteral("with devices ") + members.join(QStringLiteral(", ")));
    }
}

/// What stands above the program, as comments.
std::string heading(const Partitioned& partitioned, const PartitionCommandOptions& options)
{
    QStringList lines;
    const SentBytes sent = sentBytes(partitioned.list);
    lines << QStringLiteral("What every device runs, on %1; %2.")
                 .arg(words::counted(partitioned.devices, words::Noun::Device),
                     partitioned.wasPartitioned      ? QStringLiteral("partitioned before")
                         : options.plan == "optimal" ? QStringLiteral("reshards by the fewest bytes")
                                                     : QStringLiteral("reshards by Shardy's sequence"));
    lines << QStringLiteral("%1 %2 B per step%3.")
                 .arg(whoSends(allSend(partitioned.list)), exactCount(sent.step),
                     sent.scalarLoss == Rational(0)
                         ? QString()
                         : QStringLiteral(", and %1 B for the scalar loss").arg(exactCount(sent.scalarLoss)));
    if (!partitioned.moved.isEmpty())
        lines << partitioned.moved.at(0).toUpper() + partitioned.moved.mid(1) + QStringLiteral(" per step.");
    if (options.device)
        sayDevice(lines, partitioned, *options.device);
    std::string text;
    for (const QString& line : lines)
        text += "// " + printable(line).toStdString() + "\n";
    return text;
}

Json heldJson(const Partitioned& partitioned, const Held& held, const PartitionCommandOptions& options)
{
    const Shape local = shardShape(held.sharding, held.type.shape);
    Json out{ { "name", held.name }, { "type", toString(held.type) },
        { "local_type", toString(TensorType{ held.type.dtype, local }) },
        { "sharding", words::shardingForm(held.sharding, *partitioned.mesh).toStdString() } };
    if (options.device) {
        Json ranges = Json::array();
        for (const IndexRange& range : rangesOf(held, *options.device))
            ranges.push_back({ range.begin, range.end });
        out["ranges"] = std::move(ranges);
    }
    return out;
}

int printJson(const Input& input, const Snapshot& snapshot, const Partitioned& partitioned,
    const PartitionCommandOptions& options, int status)
{
    Json out = envelope(options.json, input);
    out["mesh"] = toJson(*partitioned.mesh);
    out["plan"] = options.plan;
    out["device_program"] = hashJson(partitioned.hash);
    const SentBytes sent = sentBytes(partitioned.list);
    out["sent_bytes"] = toJson(sent.step);
    out["sent_bytes_scalar_loss"] = toJson(sent.scalarLoss);
    if (options.device) {
        const std::int64_t position = partitioned.mesh->positionOf(static_cast<std::int32_t>(*options.device));
        Json coordinates = Json::object();
        for (std::size_t a = 0; a < partitioned.mesh->rank(); ++a)
            coordinates[partitioned.mesh->axis(a).name] = partitioned.mesh->coordinate(position, a);
        out["place"] = { { "device", *options.device }, { "partition_id", *options.device }, { "position", position },
            { "coordinates", std::move(coordinates) } };
    }
    out["inputs"] = Json::array();
    for (const Held& held : partitioned.inputs)
        out["inputs"].push_back(heldJson(partitioned, held, options));
    out["outputs"] = Json::array();
    for (const Held& held : partitioned.outputs)
        out["outputs"].push_back(heldJson(partitioned, held, options));
    out["collectives"] = Json::array();
    for (std::size_t i = 0; i < partitioned.list.entries.size(); ++i) {
        Json entry = toJson(partitioned.list, i, !options.device);
        if (options.device)
            entry["device_ids"] = groupOf(partitioned.list.entries[i], *options.device);
        out["collectives"].push_back(std::move(entry));
    }
    out["text"] = partitioned.text;
    out["problems"] = problems(input, snapshot);
    return emitJson(out, options.json, status);
}

int showPartition(const PartitionCommandOptions& options)
{
    const auto input = loadExperiment(options.file);
    if (!input)
        return refuse(options.json, { input.error(), BadInput });
    const SnapshotPtr snapshot = analyse(input->experiment);
    const bool optimal = options.plan == "optimal";
    Result<Partitioned> made = partitioned(*snapshot, optimal);
    if (!made) {
        std::vector<Diagnostic> found = allProblems(*input, *snapshot);
        if (statusOf(found) == Done) { // partitioning fails
            found.push_back(inFile({ std::move(made.error()) }, *input).front());
        }
        return refuse(options.json, { std::move(found), Findings });
    }
    const std::int64_t devices = made->mesh->deviceCount();
    if (options.device
        && (*options.device < 0 || *options.device >= maximumDevices
            || made->mesh->positionOf(static_cast<std::int32_t>(*options.device)) >= devices))
        return reject(options.json,
            { { Code::DeviceOutOfRange, { { "device", *options.device }, { "devices", devices } }, {} } });
    const int status = statusOf(allProblems(*input, *snapshot));
    if (!options.json.empty())
        return printJson(*input, *snapshot, *made, options, status);
    writeTo(stdout, heading(*made, options) + made->text);
    printFindings(*input, *snapshot);
    return status;
}

} // namespace

void addPartition(CLI::App& app, int& status)
{
    Command command(
        app, "partition", "Print the program that every device runs: local shapes, collectives over device ids");
    const auto options = std::make_shared<PartitionCommandOptions>();
    command.addFile(options->file);
    command.addOption("--device", options->device, "Say as well what this device holds, and with whom it exchanges")
        .wholeNumber(INT64_MIN, INT64_MAX)
        .optionText("ID");
    command
        .addOption("--plan", options->plan,
            "How reshards become collectives: shardy (its sequence, default) or optimal (the fewest bytes)")
        .oneOf({ "shardy", "optimal" })
        .optionText("PLAN");
    command.addJson(options->json);
    command.footer("The text is StableHLO. What stands above it as comments, and the mesh axes that each collective\n"
                   "runs over (the attribute shardscope.axes), are for people. By shardscope.mesh and the\n"
                   "shardscope.sharding of its arguments Shardscope knows what it was partitioned from.\n"
                   "Exit codes: 0 done; 1 the experiment has errors, or cannot be partitioned; 2 arguments, input or\n"
                   "output that cannot be used.");
    command.run(status, [options] { return showPartition(*options); });
}

} // namespace shardscope::cli
