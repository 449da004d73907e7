// SPDX-License-Identifier: GPL-3.0-or-later
// Declared in resolve.h.
#include <iterator>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/codes.h"
#include "resolve.h"
#include "sharding/text.h"
#include "words/dialects.h"

namespace shardscope::cli {

namespace {

bool isAsked(const ResolveOptions& options)
{
    return options.partitions > 0 || !options.submesh.empty() || !options.iciShape.empty() || !options.dcnShape.empty();
}

Error outOfRange(const char* option, std::int64_t size)
{
    return Error{ Code::OutOfRange, { { "key", option }, { "value", size }, { "min", 1 }, { "max", maximumDevices } },
        {} };
}

std::int64_t productOf(const std::vector<std::int64_t>& sizes)
{
    std::int64_t product = 1;
    for (const std::int64_t size : sizes)
        product = saturatingProduct(product, size);
    return product;
}

/// Sizes of replica, data and model.
Result<std::optional<std::vector<std::int64_t>>> readShape(const std::string& text, const char* option)
{
    if (text.empty())
        return std::nullopt;
    SHARDSCOPE_TRY(sizes, parseSizes(text, option));
    if (sizes->size() != 3)
        return fail(Code::WrongType,
            { { "key", option }, { "expected", "three sizes, of replica, data and model" },
                { "found", std::to_string(sizes->size()) } });
    return std::move(*sizes);
}

Result<Mesh> meshOfShapes(const std::vector<std::int64_t>& ici, const std::vector<std::int64_t>& dcn)
{
    std::vector<MeshAxis> axes;
    constexpr const char* names[] = { "replica", "data", "model" };
    for (std::size_t i = 0; i < 3; ++i) {
        for (const auto& [option, size] : { std::pair("--ici-shape", ici[i]), std::pair("--dcn-shape", dcn[i]) })
            if (size < 1 || size > maximumDevices)
                return tl::unexpected(outOfRange(option, size));
        axes.push_back({ names[i], ici[i] * dcn[i] });
    }
    return Mesh::create(std::move(axes));
}

/// Sizes that the options ask for and the mesh has not: T5X works out its mesh from them. The mesh that is given
/// counts.
std::vector<Diagnostic> contradictions(const PartitionerSettings& settings, const Mesh& mesh)
{
    std::vector<Diagnostic> found;
    const auto compare = [&](const char* option, const char* axis, std::int64_t asked) {
        const auto index = mesh.axisIndex(axis);
        const std::int64_t size = index ? mesh.size(*index) : 0;
        // What is not there is 1 for T5X.
        if (asked == size || (asked == 1 && size == 0))
            return;
        Diagnostic mismatch{ Code::PartitionsMismatch,
            { { "option", option }, { "asked", asked }, { "axis", axis }, { "size", size } }, {} };
        if (asked > 0 && mesh.deviceCount() % asked != 0)
            mismatch.args.push_back({ "devices", mesh.deviceCount() });
        found.push_back(std::move(mismatch));
    };
    if (settings.submesh && !settings.submesh->empty()) { // it counts before partitions
        constexpr std::size_t sizes = 4; // of another number T5X says something itself
        if (settings.submesh->size() == sizes)
            compare("--submesh", "model", productOf(*settings.submesh));
    } else if (settings.partitions && *settings.partitions > 0) {
        compare("--partitions", "model", *settings.partitions);
    }
    if (settings.iciShape && settings.dcnShape) {
        constexpr const char* names[] = { "replica", "data", "model" };
        for (std::size_t i = 0; i < 3; ++i) {
            const std::int64_t inside = (*settings.iciShape)[i], across = (*settings.dcnShape)[i];
            if (inside > 0 && across > 0 && inside <= maximumDevices / across)
                compare("--ici-shape with --dcn-shape", names[i], inside * across);
        }
    }
    return found;
}

} // namespace

Result<void> readPartitioner(const ResolveOptions& options, Ruling& ruling)
{
    if (ruling.dialect != Dialect::T5x || ruling.mapping || ruling.own)
        return {};
    PartitionerSettings settings;
    settings.rules = ruling.rules;
    settings.partitions = options.partitions;
    if (!options.submesh.empty()) {
        SHARDSCOPE_TRY(sizes, parseSizes(options.submesh, "--submesh"));
        for (const std::int64_t size : *sizes)
            if (size < 1 || size > maximumDevices)
                return tl::unexpected(outOfRange("--submesh", size));
        if (productOf(*sizes) > maximumDevices)
            return tl::unexpected(outOfRange("--submesh", productOf(*sizes)));
        settings.submesh = std::move(*sizes);
    }
    auto ici = readShape(options.iciShape, "--ici-shape");
    auto dcn = readShape(options.dcnShape, "--dcn-shape");
    for (const auto* shape : { &ici, &dcn })
        if (!*shape)
            return tl::unexpected(shape->error());
    // For the rules it only counts that something is said of how the model is divided.
    if (options.submesh.empty() && options.partitions == 0)
        settings.partitions = 1;
    if (*ici && *dcn && !ruling.mesh) {
        SHARDSCOPE_TRY(mesh, meshOfShapes(**ici, **dcn));
        ruling.mesh = std::move(*mesh);
    }
    settings.iciShape = std::move(*ici);
    settings.dcnShape = std::move(*dcn);
    if (ruling.mesh && isAsked(options)) {
        PartitionerSettings asked = settings;
        if (options.partitions == 0)
            asked.partitions.reset(); // the 1 above nobody asked for
        std::vector<Diagnostic> wrong = contradictions(asked, *ruling.mesh);
        std::move(wrong.begin(), wrong.end(), std::back_inserter(ruling.warnings));
    }
    Result<Partitioner> partitioner = makePartitioner(settings);
    if (!partitioner)
        // Rules that cannot be are an error of whatever is resolved by them, and named there.
        return isAsked(options) ? Result<void>(tl::unexpected(std::move(partitioner.error()))) : Result<void>();
    ruling.rules = partitioner->rules;
    ruling.warnings.insert(ruling.warnings.end(), partitioner->logged.begin(), partitioner->logged.end());
    ruling.partitioner = std::move(*partitioner);
    return {};
}

QString partitionerText(const Ruling& ruling)
{
    return words::batchAxes(*ruling.partitioner, ruling.mesh ? &*ruling.mesh : nullptr);
}

Json partitionerJson(const Ruling& ruling)
{
    const SpecEntry& axis = ruling.partitioner->dataAxis;
    Json json{ { "data_axes", axis.axes }, { "data_partition_spec", toJax(ruling.partitioner->dataSpec(), false) } };
    if (ruling.mesh)
        json["data_parts"] = ruling.partitioner->dataParts(*ruling.mesh);
    return json;
}

} // namespace shardscope::cli
