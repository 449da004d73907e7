// SPDX-License-Identifier: GPL-3.0-or-later
#include "sharding/hlo_sharding.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>

#include "base/codes.h"

namespace shardscope {

namespace {

using Kind = HloSharding::Kind;
using Subgroup = HloSharding::Subgroup;

/// The sharding that shards nothing, of devices that all have this in common.
Kind kindOf(Subgroup type)
{
    switch (type) {
    case Subgroup::Manual:
        return Kind::Manual;
    case Subgroup::Unreduced:
        return Kind::Unreduced;
    case Subgroup::Replicated:
        break;
    }
    return Kind::Replicated;
}

std::int64_t productOf(std::span<const std::int64_t> sizes)
{
    return std::accumulate(sizes.begin(), sizes.end(), std::int64_t{ 1 }, std::multiplies<>());
}

/// Whether the last dimension of an iota surely counts upwards: it reads whole digits, from major to minor, and at most
/// the minor part of one more.
bool endsAscending(const TileAssignment& tiles)
{
    std::int64_t unread = tiles.dims().back();
    std::int32_t minor = std::numeric_limits<std::int32_t>::max();
    for (std::size_t i = tiles.transpose().size(); i-- > 0 && unread > 1;) {
        const std::int32_t dim = tiles.transpose()[i];
        const std::int64_t size = tiles.reshape()[static_cast<std::size_t>(dim)];
        if (dim > minor || (unread % size != 0 && size % unread != 0))
            return false;
        minor = dim;
        unread /= std::min(size, unread);
    }
    return true;
}

/// Which of several equal devices comes first says nothing: the groups of the last dimension in ascending order.
TileAssignment withSortedGroups(const TileAssignment& tiles)
{
    if (tiles.isIota() && endsAscending(tiles))
        return tiles;
    const auto size = static_cast<std::ptrdiff_t>(tiles.dims().back());
    std::vector<std::int32_t> devices = tiles.devices();
    bool sorted = true;
    for (auto group = devices.begin(); group != devices.end(); group += size) {
        if (std::is_sorted(group, group + size))
            continue;
        sorted = false;
        std::sort(group, group + size);
    }
    if (sorted)
        return tiles;
    const TileAssignment list = *TileAssignment::list(tiles.dims(), std::move(devices));
    return tiles.isIota() ? list.asIota().value_or(list) : list;
}

/// Sharding forms that leave it open who holds what.
tl::unexpected<Error> unsupported(Kind kind)
{
    const char* form = kind == Kind::Tiled ? "manual subgroup"
        : kind == Kind::Manual             ? "manual"
        : kind == Kind::Unknown            ? "unknown"
                                           : "maximal";
    return fail(Code::UnsupportedSharding, { { "form", form } });
}

} // namespace

HloSharding HloSharding::tiled(TileAssignment tiles, std::vector<Subgroup> subgroups)
{
    HloSharding result;
    result.kind = Kind::Tiled;
    if (subgroups.empty()) {
        result.tiles = std::move(tiles);
        return result;
    }
    const Shape& dims = tiles.dims();
    const std::size_t rank = dims.size() - subgroups.size();
    // One dimension per type, in the order of types; none of size 1.
    std::vector<std::size_t> order(rank);
    std::iota(order.begin(), order.end(), std::size_t{ 0 });
    Shape merged(dims.begin(), dims.begin() + static_cast<std::ptrdiff_t>(rank));
    for (const Subgroup type : { Subgroup::Manual, Subgroup::Unreduced, Subgroup::Replicated }) {
        std::int64_t size = 1;
        for (std::size_t i = 0; i < subgroups.size(); ++i) {
            if (subgroups[i] != type)
                continue;
            size *= dims[rank + i];
            order.push_back(rank + i);
        }
        if (size == 1)
            continue;
        merged.push_back(size);
        result.subgroups.push_back(type);
    }
    const bool shardsNothing = productOf({ dims.begin(), rank }) == 1;
    if (shardsNothing && result.subgroups.size() <= 1)
        return of(kindOf(result.subgroups.empty() ? subgroups.front() : result.subgroups.front()));
    const bool inOrder = std::is_sorted(order.begin(), order.end());
    result.tiles = (inOrder ? tiles : tiles.transposed(order)).withDims(std::move(merged));
    if (!result.subgroups.empty() && result.subgroups.back() == Subgroup::Replicated)
        result.tiles = withSortedGroups(result.tiles);
    return result;
}

std::int64_t HloSharding::subgroupSize(Subgroup type) const
{
    for (std::size_t i = 0; i < subgroups.size(); ++i)
        if (subgroups[i] == type)
            return tiles.dims()[tiledRank() + i];
    return 1;
}

bool HloSharding::operator==(const HloSharding& other) const
{
    return kind == other.kind && device == other.device && subgroups == other.subgroups && tiles == other.tiles
        && group == other.group && groupId == other.groupId;
}

Result<void> validate(
    const HloSharding& sharding, std::span<const std::int64_t> shape, std::optional<std::int64_t> devices)
{
    const auto outOfRange = [&](std::int64_t device) {
        return fail(Code::DeviceOutOfRange, { { "device", device }, { "devices", *devices } });
    };
    if (sharding.kind == Kind::Maximal && devices && sharding.device >= *devices)
        return outOfRange(sharding.device);
    if (sharding.kind != Kind::Tiled)
        return {};
    if (!sharding.tiles.isIota()) {
        std::vector<std::int32_t> list = sharding.tiles.devices();
        if (devices)
            for (const std::int32_t device : list)
                if (device >= *devices)
                    return outOfRange(device);
        std::sort(list.begin(), list.end());
        if (const auto twice = std::adjacent_find(list.begin(), list.end()); twice != list.end())
            return fail(Code::DeviceTwice, { { "device", *twice } });
    }
    if (sharding.tiledRank() != shape.size())
        return fail(Code::RankMismatch, { { "sharding_rank", sharding.tiledRank() }, { "rank", shape.size() } });
    if (devices && sharding.tiles.size() != *devices)
        return fail(Code::DeviceCount, { { "tiles", sharding.tiles.size() }, { "devices", *devices } });
    if (sharding.tiles.size() == 1)
        return fail(Code::SingleTile);
    return {};
}

Result<Layout> layoutOf(
    const HloSharding& sharding, std::span<const std::int32_t> devices, std::span<const std::int64_t> shape)
{
    const auto count = static_cast<std::int64_t>(devices.size());
    SHARDSCOPE_CHECK(validate(sharding, shape, count));
    std::vector<MeshAxis> axes;
    std::vector<std::int32_t> order(devices.begin(), devices.end());
    TensorSharding layout = TensorSharding::fullyReplicated(shape.size());
    // Names the axis that follows; the caller says what it shards.
    const auto add = [&](std::string name, std::int64_t size) {
        axes.push_back({ std::move(name), size });
        return AxisRef{ static_cast<std::int32_t>(axes.size() - 1), 1, static_cast<std::int32_t>(size) };
    };
    switch (sharding.kind) {
    case Kind::Manual:
    case Kind::Unknown:
        return unsupported(sharding.kind);
    case Kind::Maximal:
        order = { devices[static_cast<std::size_t>(sharding.device)] };
        break;
    case Kind::Replicated:
        add("copies", count);
        break;
    case Kind::Unreduced:
        layout.unreduced.push_back(add("addends", count));
        break;
    case Kind::Tiled: {
        if (sharding.subgroupSize(Subgroup::Manual) > 1)
            return unsupported(Kind::Tiled);
        const Shape& dims = sharding.tiles.dims();
        for (std::size_t d = 0; d < shape.size(); ++d)
            if (dims[d] > 1)
                layout.dims[d].axes.push_back(add("tile " + std::to_string(d), dims[d]));
        if (const std::int64_t addends = sharding.subgroupSize(Subgroup::Unreduced); addends > 1)
            layout.unreduced.push_back(add("addends", addends));
        if (const std::int64_t copies = sharding.subgroupSize(Subgroup::Replicated); copies > 1)
            add("copies", copies);
        order.clear();
        for (const std::int32_t device : sharding.tiles.devices())
            order.push_back(devices[static_cast<std::size_t>(device)]);
        break;
    }
    }
    SHARDSCOPE_TRY(mesh, Mesh::createOver(std::move(axes), std::move(order)));
    return Layout(std::make_shared<const Mesh>(std::move(*mesh)), std::move(layout), Shape(shape));
}

} // namespace shardscope
