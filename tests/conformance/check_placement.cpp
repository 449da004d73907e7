// SPDX-License-Identifier: GPL-3.0-or-later
// uneven and memory_kinds: arrays that do not divide, and the memory that shards lie in.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "conformance/error_names.h"
#include "conformance/forms.h"
#include "sharding/memory_transfer.h"
#include "sharding/sharding.h"

namespace shardscope::conformance {

namespace {

using Numbers = std::vector<std::int64_t>;

/// The part of the id before the first blank or slash.
std::string groupOf(const Json& oneCase)
{
    const std::string id = oneCase.at("id");
    return id.substr(0, id.find_first_of("/ "));
}

/// [[axis, size], ...]
Result<Mesh> toPlainMesh(const Json& json)
{
    std::vector<MeshAxis> axes;
    for (const Json& axis : json)
        axes.push_back({ axis.at(0), axis.at(1) });
    return Mesh::create(std::move(axes));
}

Result<NamedSharding> onPlainMesh(const Json& mesh, const Json& spec)
{
    Result<Mesh> made = toPlainMesh(mesh);
    Result<PartitionSpec> read = toSpec(spec);
    if (!made)
        return tl::unexpected(std::move(made.error()));
    if (!read)
        return tl::unexpected(std::move(read.error()));
    return NamedSharding{ std::make_shared<const Mesh>(std::move(*made)), std::move(*read) };
}

/// One dimension cut in so many parts.
Sharding inParts(std::int64_t parts)
{
    return NamedSharding{ std::make_shared<const Mesh>(*Mesh::create({ { "x", parts } })),
        { { SpecEntry::axis("x") } } };
}

CaseResult checkPaddedDimension(const Json& oneCase)
{
    const Numbers shape{ oneCase.at("dim").get<std::int64_t>() };
    const std::int64_t shards = oneCase.at("shards");
    const Sharding sharding = inParts(shards);
    const Result<Layout> layout = layoutOf(sharding, shape, Uneven::Padded);
    if (!layout)
        return unexpectedError(layout.error());
    Json ranges = Json::array();
    Numbers sizes;
    for (std::int64_t position = 0; position < shards; ++position) {
        ranges.push_back(rangesJson(layout->rangesAt(position)).front());
        sizes.push_back(layout->rangesAt(position).front().size());
    }
    const Result<Layout> strict = layoutOf(sharding, shape);
    return compareMembers(oneCase,
        { { "padded_local_size", layout->shardShape()[0] }, { "padded_global", layout->shardShape()[0] * shards },
            { "valid_ranges", ranges }, { "valid_sizes", sizes },
            { "empty_shards", std::count(sizes.begin(), sizes.end(), 0) }, { "evenly", !layout->isUneven() },
            { "total_padding", layout->paddedElements() },
            { "jax_boundary", strict ? "ok" : errorName(Vocabulary::Jax, strict.error()) } });
}

CaseResult checkBoundary(const Json& oneCase)
{
    const auto shape = oneCase.value("shape", Numbers());
    if (oneCase.contains("expect")) {
        for (const Json& row : oneCase.at("expect")) {
            const Result<NamedSharding> sharding = onPlainMesh(oneCase.at("mesh"), row.at(0));
            const Result<Layout> layout =
                sharding ? layoutOf(*sharding, shape) : Result<Layout>(tl::unexpected(sharding.error()));
            if (!layout)
                return unexpectedError(layout.error());
            const Numbers shard(layout->shardShape().begin(), layout->shardShape().end());
            if (Json(shard) != row.at(1))
                return CaseResult::failed(row.dump() + ": got " + Json(shard).dump());
        }
        return CaseResult::passed();
    }
    const Result<NamedSharding> sharding = onPlainMesh(oneCase.at("mesh"), oneCase.at("spec"));
    Result<void> valid = sharding ? validate(sharding->spec, *sharding->mesh) : Result<void>();
    if (valid && sharding && oneCase.contains("shape"))
        valid = validate(sharding->spec, *sharding->mesh, shape);
    const std::string_view kind = !sharding ? sharding.error().kind() : valid ? "none" : valid.error().kind();
    return compareMembers(oneCase, { { "error_kind", kind } });
}

/// Sums over padded blocks, by the index ranges of the layout.
CaseResult checkMasked(const Json& oneCase)
{
    const auto data = oneCase.at("data").get<std::vector<double>>();
    const std::int64_t shards = oneCase.at("shards");
    const Numbers shape{ static_cast<std::int64_t>(data.size()) };
    const Result<Layout> layout = layoutOf(inParts(shards), shape, Uneven::Padded);
    if (!layout)
        return unexpectedError(layout.error());
    Json blocks = Json::array();
    std::vector<double> sums;
    double largest = -HUGE_VAL;
    for (std::int64_t position = 0; position < shards; ++position) {
        std::vector<double> block(static_cast<std::size_t>(layout->shardShape()[0]));
        const IndexRange range = layout->rangesAt(position).front();
        for (std::int64_t i = range.begin; i < range.end; ++i) {
            block[static_cast<std::size_t>(i - range.begin)] = data[static_cast<std::size_t>(i)];
            largest = std::max(largest, data[static_cast<std::size_t>(i)]);
        }
        sums.push_back(std::accumulate(block.begin(), block.end(), 0.0));
        blocks.push_back(block);
    }
    const double sum = std::accumulate(sums.begin(), sums.end(), 0.0);
    const auto near = [&](const char* member, double value) {
        const double expected = oneCase.at(member);
        return std::fabs(value - expected) <= 1e-12 * std::max(1.0, std::fabs(expected));
    };
    if (!near("sum", sum) || !near("max", largest) || !near("mean", sum / static_cast<double>(data.size())))
        return CaseResult::failed("sum, max or mean");
    return compareMembers(oneCase, { { "padded_blocks_zero", blocks }, { "local_sums", sums } });
}

CaseResult checkPaddedArray(const Json& oneCase)
{
    const auto shape = oneCase.at("shape").get<Numbers>();
    const Result<NamedSharding> sharding = onPlainMesh(oneCase.at("mesh"), oneCase.at("spec"));
    const Result<Layout> layout = sharding ? layoutOf(Sharding(*sharding), shape, Uneven::Padded)
                                           : Result<Layout>(tl::unexpected(sharding.error()));
    if (!layout)
        return unexpectedError(layout.error());
    Json ranges = Json::object();
    for (std::int64_t position = 0; position < layout->mesh().deviceCount(); ++position)
        ranges[std::to_string(layout->mesh().deviceAt(position))] = rangesJson(layout->rangesAt(position));
    return compareMembers(oneCase,
        { { "padded_local_shape", Numbers(layout->shardShape().begin(), layout->shardShape().end()) },
            { "device_ranges", ranges },
            { "bytes_per_device_f32",
                memoryTransfer(*layout, 4, MemoryKind::Device, MemoryKind::PinnedHost).bytesPerDevice } });
}

std::set<std::string> names(const std::vector<MemoryKind>& kinds)
{
    std::set<std::string> result;
    for (const MemoryKind kind : kinds)
        result.emplace(toString(kind));
    return result;
}

CaseResult checkKinds(const Json& oneCase)
{
    Json all = Json::array();
    for (const MemoryKind kind : memoryKinds())
        all.push_back(toString(kind));
    for (const auto& [platform, kinds] : oneCase.at("per_backend").items()) {
        std::set<std::string> expected; // remarks in parentheses aside
        for (const Json& kind : kinds)
            expected.insert(kind.get<std::string>().substr(0, kind.get<std::string>().find(' ')));
        if (names(memoryKinds(platform)) != expected)
            return CaseResult::failed("kinds of " + platform + ": expected " + Json(expected).dump() + ", got "
                + Json(names(memoryKinds(platform))).dump());
    }
    return compareMembers(oneCase, { { "kinds", all } });
}

std::int64_t bytesOf(const std::string& dtype)
{
    const std::size_t digits = dtype.find_first_of("0123456789");
    return std::stoll(dtype.substr(digits)) / 8;
}

CaseResult checkTransfer(const Json& oneCase)
{
    const Result<NamedSharding> sharding = onPlainMesh(oneCase.at("mesh"), oneCase.at("spec"));
    const Result<Layout> layout = sharding ? layoutOf(*sharding, oneCase.at("shape").get<Numbers>())
                                           : Result<Layout>(tl::unexpected(sharding.error()));
    if (!layout)
        return unexpectedError(layout.error());
    const MemoryTransfer moved =
        memoryTransfer(*layout, bytesOf(oneCase.at("dtype")), MemoryKind::Device, MemoryKind::PinnedHost);
    return compareMembers(oneCase,
        { { "device_to_host_bytes_per_device", moved.bytesPerDevice },
            { "total_host_bytes_if_every_replica_is_kept", moved.bytesInAll },
            { "collective_bytes", moved.bytesInAll - moved.bytesPerDevice * layout->mesh().deviceCount() } });
}

/// Four square matrices and Adam's two moments of each, which come from the host and go back.
CaseResult checkOptimizerOffload(const Json& oneCase)
{
    const std::int64_t size = oneCase.at("D");
    NamedSharding sharding = std::get<NamedSharding>(inParts(oneCase.at("num_shards")));
    const Result<Layout> layout = layoutOf(sharding, Numbers{ size, size });
    if (!layout)
        return unexpectedError(layout.error());
    constexpr std::int64_t matrices = 4;
    const auto moved = [&](MemoryKind from, MemoryKind to) {
        return matrices * memoryTransfer(*layout, 4, from, to).bytesPerDevice;
    };
    const std::int64_t parameters = moved(MemoryKind::PinnedHost, MemoryKind::Device);
    return compareMembers(oneCase,
        { { "param_bytes_per_device", parameters }, { "adam_m_v_bytes_per_device", 2 * parameters },
            { "h2d_bytes_per_step_per_device", 2 * moved(MemoryKind::PinnedHost, MemoryKind::Device) },
            { "d2h_bytes_per_step_per_device", 2 * moved(MemoryKind::Device, MemoryKind::PinnedHost) } });
}

} // namespace

CaseResult checkUneven(const Json& oneCase, const Json&)
{
    const std::string group = groupOf(oneCase);
    if (group == "xla")
        return checkPaddedDimension(oneCase);
    if (group == "jax")
        return checkBoundary(oneCase);
    if (group == "numeric")
        return checkMasked(oneCase);
    if (group == "multi")
        return checkPaddedArray(oneCase);
    return CaseResult::unsupported("kind " + group);
}

CaseResult checkMemoryKinds(const Json& oneCase, const Json&)
{
    const std::string group = groupOf(oneCase);
    if (group == "kinds")
        return checkKinds(oneCase);
    if (group == "bad") {
        const Result<MemoryKind> kind = parseMemoryKind(oneCase.at("memory_kind").get<std::string>());
        return compareMembers(oneCase, { { "error_kind", kind ? std::string_view("none") : kind.error().kind() } });
    }
    if (group == "transfer")
        return checkTransfer(oneCase);
    if (group == "optimizer")
        return checkOptimizerOffload(oneCase);
    return CaseResult::unsupported("kind " + group);
}

} // namespace shardscope::conformance
