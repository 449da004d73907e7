// SPDX-License-Identifier: GPL-3.0-or-later
// shardscope mesh: the order of devices that JAX or T5X would choose, and why.
// The command mesh, declared in commands.h.
#include <algorithm>
#include <memory>
#include <optional>
#include <span>

#include <nlohmann/json.hpp>

#include "base/codes.h"
#include "command.h"
#include "commands.h"
#include "input.h"
#include "layout_report.h"
#include "mesh/device_mesh.h"
#include "mesh/device_presets.h"
#include "mesh/host_block.h"
#include "mesh/t5x_mesh.h"
#include "mesh_report.h"
#include "report.h"
#include "sharding/text.h"
#include "words/mesh_words.h"
#include "words/utf8.h"
#include "words/words.h"

namespace shardscope::cli {

namespace {

struct MeshCommandOptions {
    std::string devices;
    std::string shape;
    std::string dcnShape;
    std::string method;
    std::string submesh;
    std::optional<std::int64_t> partitions;
    std::string version = "head";
    bool allowSplit = false;
    bool contiguous = false;
    bool byHost = false;
    bool noTiling = false;
    bool hosts = false;
    bool coordinates = false;
    std::optional<std::int64_t> batch;
    JsonTarget json;
};

tl::unexpected<Error> inOption(Error error, const char* option)
{
    if (error.where.file.empty())
        error.where.file = option;
    return tl::unexpected(std::move(error));
}

/// --devices: a short form, or @FILE with an own list.
Result<DeviceSet> readDevices(const std::string& devices)
{
    if (!devices.starts_with('@')) {
        Result<DeviceSet> set = parseDevices(devices);
        if (!set)
            return inOption(std::move(set.error()), "--devices");
        return set;
    }
    const std::string file = devices.substr(1);
    SHARDSCOPE_TRY(list, readText(file));
    Result<DeviceSet> set = parseDeviceList(*list);
    if (!set)
        return inOption(std::move(set.error()), file == "-" ? "standard input" : file.c_str());
    return set;
}

/// Sizes, and names where they are given: "data=16,model=4" or "16x4".
struct NamedShape {
    MeshShape sizes;
    std::vector<std::string> names;
};

Result<NamedShape> readNamedShape(const std::string& specified, const char* option)
{
    NamedShape shape;
    if (specified.find_first_of("=:") == std::string::npos) {
        Result<MeshShape> sizes = parseMeshShape(specified);
        if (!sizes)
            return inOption(std::move(sizes.error()), option);
        shape.sizes = std::move(*sizes);
        return shape;
    }
    const Result<Mesh> mesh = parseMesh(specified);
    if (!mesh)
        return inOption(mesh.error(), option);
    for (const MeshAxis& axis : mesh->axes()) {
        shape.names.push_back(axis.name);
        shape.sizes.push_back(axis.size);
    }
    return shape;
}

/// The DCN shape in the order of the mesh's axes; those that it does not name are 1.
Result<MeshShape> readDcnShape(const std::string& specified, const NamedShape& shape)
{
    SHARDSCOPE_TRY(read, readNamedShape(specified, "--dcn-shape"));
    if (read->names.empty() || shape.names.empty())
        return read->sizes;
    MeshShape sizes(shape.names.size(), 1);
    for (std::size_t i = 0; i < read->names.size(); ++i) {
        const auto found = std::find(shape.names.begin(), shape.names.end(), read->names[i]);
        if (found == shape.names.end())
            return inOption(Error{ Code::UnknownValue,
                                { { "key", "axis" }, { "value", read->names[i] }, { "known", shape.names },
                                    { "nearest", nearestName(read->names[i], shape.names) } },
                                {} },
                "--dcn-shape");
        sizes[static_cast<std::size_t>(found - shape.names.begin())] = read->sizes[i];
    }
    return sizes;
}

Result<HardwareMesh> readSubmesh(const std::string& specified)
{
    const Result<MeshShape> sizes = parseMeshShape(specified);
    if (!sizes)
        return inOption(sizes.error(), "--submesh");
    HardwareMesh submesh;
    for (const std::int64_t size : *sizes) {
        if (size < 0 || size > maximumDevices)
            return inOption(
                Error{ Code::OutOfRange,
                    { { "key", "submesh" }, { "value", size }, { "min", 1 }, { "max", maximumDevices } }, {} },
                "--submesh");
        submesh.push_back(static_cast<std::int32_t>(size));
    }
    return submesh;
}

/// The names that go with the array: given ones, the builder's own, or none.
struct Built {
    DeviceArray array;
    std::vector<std::string> names;
};

Result<Built> build(const MeshCommandOptions& options, const DeviceSet& set)
{
    const MeshUtilsVersion version = options.version == "0.4.35" ? MeshUtilsVersion::V0_4_35 : MeshUtilsVersion::Head;
    const DeviceList devices(set);
    NamedShape shape;
    if (!options.shape.empty()) {
        SHARDSCOPE_TRY(read, readNamedShape(options.shape, "--shape"));
        shape = std::move(*read);
    }
    std::optional<MeshShape> dcn;
    if (!options.dcnShape.empty()) {
        SHARDSCOPE_TRY(read, readDcnShape(options.dcnShape, shape));
        dcn = std::move(*read);
    }

    Result<DeviceArray> array;
    if (options.method == "t5x") {
        T5xDefaultOptions t5x;
        t5x.partitions = options.partitions.value_or(dcn || shape.sizes.empty() ? 1 : shape.sizes.back());
        t5x.version = version;
        if (!options.submesh.empty()) {
            SHARDSCOPE_TRY(submesh, readSubmesh(options.submesh));
            t5x.submesh = std::move(*submesh);
        }
        if (dcn)
            t5x.ici = shape.sizes;
        t5x.dcn = dcn;
        const bool untiled = options.noTiling && !t5x.submesh.empty();
        array = untiled ? t5xMesh(devices, t5x.submesh, false) : t5xDefaultMesh(devices, t5x);
        // Without a DCN shape T5X is not asked for sizes: they follow from the devices and the submesh.
        if (array && !dcn && !options.shape.empty() && array->shape != shape.sizes) {
            const std::string made = shape.sizes.size() == 2 ? shapeText(array->shape) : std::string();
            return inOption(
                Error{ Code::OrderShape, { { "shape", made }, { "wanted", shapeText(shape.sizes) } }, {} }, "--shape");
        }
    } else if (options.method == "hybrid") {
        const MeshShape outer = dcn.value_or(MeshShape(shape.sizes.size(), 1));
        array =
            createHybridDeviceMesh(shape.sizes, outer, devices, { options.byHost, true, options.allowSplit, version });
    } else if (options.method == "make") {
        std::vector<std::string> names = shape.names;
        for (std::size_t i = names.size(); i < shape.sizes.size(); ++i)
            names.push_back("axis" + std::to_string(i + 1));
        array = makeMesh(shape.sizes, names, devices, version);
    } else {
        array = createDeviceMesh(shape.sizes, devices, { options.contiguous, options.allowSplit, version });
    }
    if (!array) {
        if (const auto axis = static_cast<std::size_t>(array.error().number("axis"));
            array.error().code == Code::NoAxisAssignment && axis < shape.names.size())
            array.error().args.push_back({ "axis_name", shape.names[axis] });
        return tl::unexpected(std::move(array.error()));
    }
    const bool ownNames = shape.names.size() == array->shape.size();
    std::vector<std::string> names = ownNames ? shape.names : array->names;
    return Built{ std::move(*array), std::move(names) };
}

/// What goes wrong among the options themselves; CLI11 prints it and the exit code is that of bad input.
void requireMethods(const MeshCommandOptions& options)
{
    const auto needs = [](bool specified, const char* option, bool fits, const char* methods) {
        if (specified && !fits)
            throw UsageError(option, std::string("goes with --method ") + methods);
    };
    const auto is = [&](const char* method) { return options.method == method; };
    needs(options.contiguous, "--contiguous", is("jax"), "jax");
    needs(options.allowSplit, "--allow-split", is("jax") || is("hybrid"), "jax or hybrid");
    needs(options.byHost, "--by-host", is("hybrid"), "hybrid");
    needs(!options.dcnShape.empty(), "--dcn-shape", is("hybrid") || is("t5x"), "hybrid or t5x");
    needs(!options.submesh.empty(), "--submesh", is("t5x"), "t5x");
    needs(options.partitions.has_value(), "--partitions", is("t5x"), "t5x");
    needs(options.noTiling, "--no-host-tiling", is("t5x") && !options.submesh.empty(), "t5x and --submesh");
    if (!is("t5x") && options.shape.empty())
        throw UsageError("--shape", "is needed by --method " + options.method);
    if (is("t5x") && options.shape.empty() && !options.dcnShape.empty())
        throw UsageError("--dcn-shape", "needs --shape beside it, the sizes inside a slice");
    if (is("t5x") && options.shape.empty() && options.submesh.empty() && !options.partitions)
        throw UsageError("--shape", "or --partitions or --submesh is needed by --method t5x");
}

std::string methodOf(const MeshCommandOptions& options)
{
    if (!options.method.empty())
        return options.method;
    if (!options.submesh.empty() || options.partitions)
        return "t5x";
    return options.dcnShape.empty() ? "jax" : "hybrid";
}

Json reasonJson(const MeshReason& reason)
{
    Json json{ { "rule_name", words::ruleName(reason.rule).toStdString() }, { "kind", reason.kind } };
    if (!reason.ring.empty())
        json["ring"] = reason.ring;
    if (reason.usedOf)
        json["devices_listed"] = *reason.usedOf;
    if (const auto& assignment = reason.assignment) {
        Json axes = Json::array();
        for (std::size_t p = 0; p < assignment->physical.size(); ++p) {
            Json shares = Json::array();
            for (std::size_t axis = 0; axis < assignment->rank(); ++axis)
                shares.push_back(assignment->share(p, axis));
            axes.push_back({ { "axis", std::string(1, assignment->physical[p].name) },
                { "size", assignment->physical[p].size }, { "shares", std::move(shares) } });
        }
        json["physical_axes"] = std::move(axes);
        json["contiguous"] = assignment->contiguous;
    }
    if (const auto& submesh = reason.submesh) {
        constexpr std::string_view orders[]{ "plain", "z_major_in_yz", "z_major_in_xz", "tiled_by_host" };
        json["submesh"] = submesh->submesh;
        json["bounds"] = submesh->bounds;
        json["host_bounds"] = submesh->hostBounds;
        json["submesh_order"] = orders[static_cast<std::size_t>(submesh->order)];
        if (submesh->partitions)
            json["table_partitions"] = *submesh->partitions;
    }
    if (const auto& granules = reason.granules) {
        json["granules"] = granules->byProcess ? "hosts" : "slices";
        json["granule_keys"] = granules->keys;
        json["granule_shape"] = granules->inner;
        json["dcn_shape"] = granules->outer;
        if (!reason.inner.empty())
            json["inside"] = reasonJson(reason.inner.front());
    }
    return json;
}

Json orderJson(const MeshCommandOptions& options, const Built& built, const DeviceSet& set,
    const std::vector<HostBlock>& hosts, const std::vector<DataLayout>& layouts)
{
    Json out = envelope(options.json);
    out["machine"] = { { "description", toText(set) }, { "kind", set.kind }, { "platform", set.platform },
        { "device_count", set.count() }, { "host_count", set.hosts }, { "devices_per_host", set.devicesPerHost },
        { "slice_count", set.slices }, { "bounds", boundsJson(set) } };
    if (options.coordinates)
        out["devices"] = deviceListJson(set);
    // Axes without a name have an empty one.
    std::vector<std::string> axes = built.names;
    axes.resize(built.array.shape.size());
    out["mesh"] = { { "axes", std::move(axes) }, { "shape", built.array.shape },
        { "device_count", built.array.ids.size() }, { "device_order", built.array.ids } };
    out["order"] = reasonJson(built.array.reason);
    Json sentences = Json::array();
    for (const QString& sentence : words::meshReason(built.array, built.names))
        sentences.push_back(sentence.toStdString());
    out["order"]["sentences"] = std::move(sentences);
    out["hosts"] = Json::array();
    for (std::size_t i = 0; i < hosts.size(); ++i) {
        const HostBlock& host = hosts[i];
        Json one{ { "process", host.process }, { "contiguous", host.contiguous() }, { "start", host.start },
            { "shape", host.shape }, { "num_chunks", host.chunks }, { "chunk_ids", host.chunk } };
        if (!layouts.empty())
            one["data_layout"] = dataLayoutJson(layouts[i]);
        out["hosts"].push_back(std::move(one));
    }
    return out;
}

/// Axes of one in front, as the replica axis of T5X' hybrid mesh.
std::string withReplicas(MeshShape sizes, std::int64_t replicas)
{
    while (sizes.size() < 3)
        sizes.insert(sizes.begin(), 1);
    sizes.front() = replicas;
    return shapeText(sizes);
}

/// The hybrid methods, where the shapes cannot go with what the machine or T5X has. Throws as requireMethods() does.
void requireHybridShapes(const MeshCommandOptions& options, const DeviceSet& set)
{
    const std::int32_t parts = options.byHost ? set.hosts : set.slices;
    if (options.method == "hybrid" && options.dcnShape.empty() && parts > 1)
        throw UsageError("--dcn-shape",
            "is needed by --method hybrid on " + std::to_string(parts) + (options.byHost ? " hosts" : " slices")
                + ": how many of them lie along each mesh axis");
    if (options.method != "t5x" || options.dcnShape.empty())
        return;
    const Result<NamedShape> shape = readNamedShape(options.shape, "--shape");
    if (!shape || shape->sizes.size() >= 3 || shape->sizes.empty())
        return; // what is wrong otherwise is said where it is used
    const MeshShape ones(2, 1);
    throw UsageError("--shape",
        "has " + std::to_string(shape->sizes.size()) + (shape->sizes.size() == 1 ? " size" : " sizes")
            + "; T5X' mesh over several slices has three axes, replica, data and model: --shape "
            + withReplicas(shape->sizes, 1) + " --dcn-shape " + withReplicas(ones, set.slices));
}

int printDeviceMesh(const MeshCommandOptions& options)
{
    const auto bad = [&](const Error& error) { return reject(options.json, { error }); };
    const Result<DeviceSet> set = readDevices(options.devices);
    if (!set)
        return bad(set.error());
    requireHybridShapes(options, *set);
    const Result<Built> built = build(options, *set);
    if (!built) {
        const int status = bad(built.error());
        const bool splits = options.method == "jax" || options.method == "hybrid";
        if (built.error().code == Code::NoAxisAssignment && splits && options.json.empty())
            Console(stderr).line(QStringLiteral("--allow-split lets mesh axes share physical axes."), Emphasis::Faint);
        return status;
    }
    const std::vector<HostBlock> hosts = hostBlocks(built->array, *set);
    std::vector<DataLayout> layouts;
    if (options.batch) {
        Result<std::vector<DataLayout>> made = hostBatches(built->array, built->names, hosts, *options.batch);
        if (!made)
            return bad(made.error());
        layouts = std::move(*made);
    }
    if (!options.json.empty())
        return emitJson(orderJson(options, *built, *set, hosts, layouts), options.json, Done);

    Console console;
    QStringList axes;
    for (std::size_t axis = 0; axis < built->array.shape.size(); ++axis)
        axes << (axis < built->names.size() ? QStringLiteral("%1 %2").arg(
                     words::fromStd(built->names[axis]), QString::number(built->array.shape[axis]))
                                            : QString::number(built->array.shape[axis]));
    console.heading(QStringLiteral("Devices"));
    console.line(QStringLiteral("  ") + words::deviceSet(*set));
    if (options.coordinates)
        printDeviceList(console, *set);
    console.heading(axes.isEmpty() ? QStringLiteral("Mesh without axes")
                                   : QStringLiteral("Mesh ") + axes.join(QStringLiteral(" × ")));
    printDeviceIds(console, built->array.shape, built->names, built->array.ids, { 64, 32 });
    console.heading(QStringLiteral("Why"));
    console.lines(words::meshReason(built->array, built->names), QStringLiteral("  "));
    constexpr std::size_t maxHosts = 64;
    const auto scattered =
        std::count_if(hosts.begin(), hosts.end(), [](const HostBlock& host) { return !host.contiguous(); });
    if (options.hosts) {
        console.heading(QStringLiteral("Hosts"));
        for (std::size_t i = 0; i < std::min(hosts.size(), maxHosts); ++i)
            console.line(QStringLiteral("  ") + words::hostBlock(hosts[i], built->array, built->names));
        console.more(static_cast<std::int64_t>(hosts.size()) - static_cast<std::int64_t>(maxHosts));
    } else if (scattered > 0) {
        console.line(QStringLiteral("  The devices of %1 of %2 hosts are no block of the mesh (--hosts lists them).")
                         .arg(scattered)
                         .arg(hosts.size()));
    }
    if (options.batch) {
        const std::size_t shown = std::min(hosts.size(), maxHosts);
        console.heading(QStringLiteral("Batch"));
        console.table(hostBatchTable(std::span(hosts).first(shown), std::span(layouts).first(shown)));
        console.more(static_cast<std::int64_t>(hosts.size() - shown));
    }
    return Done;
}

} // namespace

void addMesh(CLI::App& app, int& status)
{
    Command command(app, "mesh", "Order the devices of a machine as a mesh, as JAX or T5X would, and say why");
    command.footer("Exit codes: 0 done; 2 arguments, devices or shapes that cannot be used.");
    const auto options = std::make_shared<MeshCommandOptions>();
    command
        .addOption("--devices", options->devices,
            "The machine: cpu:8, gpu:4x8 (hosts x devices), tpu-v4:4x4x4, tpu-v5e:2x4 (chips), 2*tpu-v5e:4x4 (slices), "
            "or @FILE with one device per line: id process x y z [core [slice]]")
        .required()
        .optionText("DEVICES");
    command
        .addOption("--shape", options->shape,
            "Sizes of the mesh axes: data=16,model=4 or 16x4; inside a slice, for hybrid meshes. T5X takes the last "
            "one as the number of partitions")
        .optionText("SHAPE");
    command
        .addOption("--method", options->method,
            "jax (create_device_mesh), make (make_mesh), hybrid (create_hybrid_device_mesh) or t5x (default_mesh); "
            "without it what the other options ask for")
        .oneOf({ "jax", "make", "hybrid", "t5x" })
        .optionText("METHOD");
    command
        .addOption("--dcn-shape", options->dcnShape,
            "Slices along the mesh axes: data=2 or 2x1; not needed by hybrid on one slice")
        .optionText("SHAPE");
    command.addFlag("--by-host", options->byHost, "Put hosts side by side in a hybrid mesh, not slices");
    command.addFlag("--allow-split", options->allowSplit, "Let mesh axes share physical axes");
    command.addFlag("--contiguous", options->contiguous, "Ask for contiguous submeshes");
    command.addOption("--partitions", options->partitions, "T5X: number of model partitions")
        .wholeNumber(0, maximumDevices)
        .optionText("N");
    command.addOption("--submesh", options->submesh, "T5X: model-parallel submesh x,y,z,core: 2,2,1,1")
        .optionText("SUBMESH");
    command.addFlag("--no-host-tiling", options->noTiling, "T5X: do not tile by hosts");
    command.addOption("--jax-version", options->version, "Whose mesh_utils: 0.4.35 or head (default)")
        .oneOf({ "0.4.35", "head" })
        .optionText("VERSION");
    command.addFlag("--hosts", options->hosts, "Say which block of the mesh each host has");
    command
        .addOption("--batch", options->batch,
            "Say which rows of a batch of N each host reads, as T5X's get_data_layout, along the mesh axes replica and "
            "data; 0 for one row per device along them")
        .wholeNumber(0, INT64_MAX)
        .optionText("N");
    command.addFlag("--coordinates", options->coordinates,
        "List the devices as JAX prints them, with coordinates and cores, and the bounds of the machine");
    command.addJson(options->json);
    command.setInput(options->devices);
    command.run(status, [options] {
        options->method = methodOf(*options);
        requireMethods(*options);
        return printDeviceMesh(*options);
    });
}

} // namespace shardscope::cli
