// SPDX-License-Identifier: GPL-3.0-or-later
// Declared in experiment_file.h.
#include <algorithm>
#include <charconv>
#include <tuple>

#include "base/alike.h"
#include "base/codes.h"
#include "experiment/edits.h"
#include "experiment_file/experiment_file.h"
#include "experiment_file/sections.h"

namespace shardscope {

namespace {

struct Version {
    std::int64_t major = 0;
    std::int64_t minor = 0;
};

std::optional<Version> parseVersion(std::string_view text)
{
    Version version;
    const char* last = text.data() + text.size();
    const auto major = std::from_chars(text.data(), last, version.major);
    if (major.ec != std::errc{} || major.ptr == last || *major.ptr != '.' || version.major < 1)
        return std::nullopt;
    const auto minor = std::from_chars(major.ptr + 1, last, version.minor);
    if (minor.ec != std::errc{} || minor.ptr != last || version.minor < 0)
        return std::nullopt;
    return version;
}

/// In the order of the file, each place and code once, and repeated warnings summed up. Of what is still too much the
/// last that is listed says how many follow. `unknownKeys`: those of which the list has no warning.
std::vector<Diagnostic> inOrder(std::vector<Diagnostic> list, std::size_t unknownKeys = 0)
{
    const auto place = [](const Diagnostic& d) { return std::tuple(d.where.line, d.where.column, d.code); };
    std::stable_sort(list.begin(), list.end(), [&](const auto& a, const auto& b) { return place(a) < place(b); });
    list.erase(
        std::unique(list.begin(), list.end(), [&](const auto& a, const auto& b) { return place(a) == place(b); }),
        list.end());
    list = summedUp(std::move(list));
    countMore(list, Code::UnknownKey, unknownKeys);
    if (list.size() > maximumFindings) {
        const std::size_t others = list.size() - maximumFindings;
        list.erase(list.begin() + maximumFindings, list.end());
        countMore(list, list.back().code, others);
    }
    return list;
}

/// Whether the file is one that this program can read at all.
bool readHeader(ObjectCursor& root, ReadContext& context, Experiment& experiment)
{
    if (const auto format = root.require("format")) {
        const auto text = format->asString();
        if (text && *text != experimentFormat)
            format->report(Code::NotAnExperiment, { { "format", *text } });
    }
    if (!context.errors.empty())
        return false; // something else altogether: what follows would be noise
    if (const auto cursor = root.require("version")) {
        const auto text = cursor->asString();
        const auto version = text ? parseVersion(*text) : std::nullopt;
        const Version ours = *parseVersion(experimentVersion);
        if (text && !version) {
            cursor->wrongType("a version such as \"1.0\"");
        } else if (version && version->major > ours.major) {
            cursor->report(Code::NewerVersion, { { "version", *text }, { "supported", experimentVersion } });
            return false;
        } else if (version && version->minor > ours.minor) {
            context.warnings.push_back(
                { Code::NewerMinorVersion, { { "version", *text }, { "supported", experimentVersion } },
                    { {}, cursor->node().at.line, cursor->node().at.column, cursor->pointer(), {} } });
            experiment.formatMinor = version->minor;
        }
    }
    return true;
}

/// Devices that the file does not count follow the mesh: all of them, or those of a host, or the hosts.
void countDevices(const std::optional<ValueCursor>& hardware, Experiment& experiment)
{
    const auto states = [&](std::string_view name) {
        return hardware
            && std::any_of(hardware->node().children.begin(), hardware->node().children.end(),
                [name](const JsonNode& key) { return key.key == name; });
    };
    if (states("topology"))
        return;
    if (!states("hosts") && !states("devices_per_host")) {
        HardwareSetting hardwareOfFile = experiment.hardware;
        experiment.hardware.pinned = false; // from then on
        experiment = withHardwareFollowing(experiment, hardwareOfFile);
        experiment.hardware.pinned = hardwareOfFile.pinned;
        return;
    }
    std::int64_t count = 1;
    for (const MeshAxis& axis : experiment.mesh.axes)
        count = saturatingProduct(count, axis.size);
    DeviceSet& devices = experiment.hardware.devices;
    if (count > maximumDevices || (states("hosts") && states("devices_per_host")))
        return;
    const std::int32_t stated = states("hosts") ? devices.hosts : devices.devicesPerHost;
    (states("hosts") ? devices.devicesPerHost : devices.hosts) =
        static_cast<std::int32_t>(std::max<std::int64_t>(count / stated, 1));
}

void readRoot(ObjectCursor& root, ReadContext& context, Experiment& experiment)
{
    if (!readHeader(root, context, experiment))
        return;
    if (const auto title = root.find("title"))
        experiment.title = title->asString().value_or(std::string());
    const auto hardware = root.find("hardware");
    if (hardware)
        readHardware(*hardware, experiment.hardware);
    experiment.mesh.axes = { { "data", 2 }, { "model", 4 } };
    if (const auto mesh = root.find("mesh"))
        readMesh(*mesh, experiment.mesh);
    countDevices(hardware, experiment);
    if (const auto rules = root.find("rules"))
        readRules(*rules, experiment.rules);
    const auto model = root.find("model");
    const bool isModelKnown = !model || readModel(*model, experiment.mesh, experiment.model);
    // Arrays alone have no step: there the key counts as unknown, and so is kept as it stands.
    if (auto* mlp = std::get_if<MlpModel>(&experiment.model); mlp && isModelKnown)
        if (const auto step = root.find("step"))
            readStep(*step, mlp->settings);
    if (auto* transformer = std::get_if<TransformerModel>(&experiment.model)) {
        const auto step = root.find("step");
        if (step)
            readStep(*step, transformer->settings);
        if (context.errors.empty()) // what was not read is its default, which need not go with the rest
            checkTransformerModel(*model, step, transformer->settings);
    }
    if (const auto placement = root.find("placement"))
        readPlacement(*placement, experiment.placement);
    if (const auto propagation = root.find("propagation"))
        readPropagation(*propagation, experiment.propagation);
    if (const auto run = root.find("run"))
        readRun(*run, experiment.run);
    if (const auto acknowledged = root.find("acknowledged"))
        readAcknowledged(*acknowledged, experiment.acknowledged);
    if (const auto variants = root.find("variants"))
        readVariants(*variants, experiment.variants);
    root.finish();
}

} // namespace

tl::expected<ReadExperiment, std::vector<Diagnostic>> readExperiment(std::string_view text, const FileSource& files)
{
    JsonText json = parseJson(text);
    if (!json.complete)
        return tl::unexpected(inOrder(std::move(json.errors)));

    ReadContext context;
    context.files = files;
    ReadExperiment result;
    const ValueCursor rootValue(context, json.root, {}, "file");
    if (auto root = rootValue.asObject())
        readRoot(*root, context, result.experiment);
    // Of a number that is out of every range, the range of its key is said where it has one.
    std::erase_if(json.errors, [&](const Diagnostic& general) {
        return general.code == Code::OutOfRange
            && std::any_of(context.errors.begin(), context.errors.end(), [&](const Diagnostic& own) {
                   return own.where.line == general.where.line && own.where.column == general.where.column;
               });
    });
    context.errors.insert(context.errors.begin(), json.errors.begin(), json.errors.end());
    if (!context.errors.empty())
        return tl::unexpected(inOrder(std::move(context.errors)));

    // The notes of the root are the experiment's own.
    for (auto& [pointer, notes] : context.innerNotes) {
        if (pointer.empty())
            result.experiment.notes = std::move(notes);
        else
            result.experiment.innerNotes.emplace_back(pointer, std::move(notes));
    }
    std::sort(result.experiment.innerNotes.begin(), result.experiment.innerNotes.end());
    result.experiment.unknownKeys = std::move(context.unknownKeys);
    if (json.lost > 0)
        context.warnings.push_back({ Code::CommentsLost, { { "count", json.lost } },
            { {}, json.firstLost.line, json.firstLost.column, {}, {} } });
    result.warnings = inOrder(std::move(context.warnings), context.unknownWithoutWarning);
    return result;
}

} // namespace shardscope
