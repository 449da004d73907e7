// SPDX-License-Identifier: GPL-3.0-or-later
#include "sharding/positional_sharding.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <unordered_map>

#include "base/codes.h"
#include "base/text.h"

namespace shardscope {

namespace {

tl::unexpected<Error> badReshape(std::span<const std::int64_t> shape, std::int64_t cells)
{
    return fail(Code::BadReshape, { { "shape", pythonTuple(shape) }, { "cells", cells } });
}

/// Axes from the front, or nothing where one is out of range or named twice.
std::optional<std::vector<std::size_t>> normalised(std::span<const std::int64_t> axes, std::size_t rank)
{
    std::vector<std::size_t> result;
    std::vector<bool> seen(rank);
    for (const std::int64_t axis : axes) {
        const std::int64_t front = axis < 0 ? axis + static_cast<std::int64_t>(rank) : axis;
        if (front < 0 || front >= static_cast<std::int64_t>(rank) || seen[static_cast<std::size_t>(front)])
            return std::nullopt;
        seen[static_cast<std::size_t>(front)] = true;
        result.push_back(static_cast<std::size_t>(front));
    }
    return result;
}

tl::unexpected<Error> badAxis(std::span<const std::int64_t> axes, std::size_t rank)
{
    return fail(Code::BadAxis, { { "axes", pythonTuple(axes) }, { "rank", rank } });
}

/// Cells of a grid in the order of other axes, as numbers in it.
std::vector<std::int64_t> cellsInOrder(const Shape& sizes, std::span<const std::size_t> axes)
{
    const std::vector<std::int64_t> strides = gridStrides(sizes);
    std::vector<std::int64_t> cells{ 0 };
    for (const std::size_t axis : axes) {
        std::vector<std::int64_t> next;
        next.reserve(cells.size() * static_cast<std::size_t>(sizes[axis]));
        for (const std::int64_t cell : cells)
            for (std::int64_t i = 0; i < sizes[axis]; ++i)
                next.push_back(cell + i * strides[axis]);
        cells = std::move(next);
    }
    return cells;
}

/// Product of the sizes, or -1 where one is negative or there are too many.
std::int64_t cellsOf(std::span<const std::int64_t> sizes)
{
    std::int64_t count = 1;
    for (const std::int64_t size : sizes) {
        if (size < 0 || size > maximumDevices || count * size > maximumDevices)
            return -1;
        count *= size;
    }
    return count;
}

} // namespace

Result<PositionalSharding> PositionalSharding::create(
    std::vector<std::int32_t> devices, Shape shape, std::string platform, std::optional<MemoryKind> memoryKind)
{
    if (devices.size() > static_cast<std::size_t>(maximumDevices))
        return fail(
            Code::TooLarge, { { "what", "devices" }, { "count", devices.size() }, { "limit", maximumDevices } });
    const auto count = static_cast<std::int64_t>(devices.size());
    if (count == 0 || cellsOf(shape) != count || shape.size() > maximumTileDimensions)
        return badReshape(shape, count);
    std::vector<std::int32_t> sorted = devices;
    std::sort(sorted.begin(), sorted.end());
    if (const auto twice = std::adjacent_find(sorted.begin(), sorted.end()); twice != sorted.end())
        return fail(Code::DeviceTwice, { { "device", *twice } });
    if (sorted.front() < 0)
        return fail(Code::OutOfRange,
            { { "key", "device" }, { "value", sorted.front() }, { "min", 0 },
                { "max", std::numeric_limits<std::int32_t>::max() } });
    PositionalSharding result;
    result.m_members.resize(devices.size());
    std::iota(result.m_members.begin(), result.m_members.end(), 0);
    result.m_devices = std::move(devices);
    result.m_platform = std::move(platform);
    result.m_shape = std::move(shape);
    result.m_memoryKind = memoryKind;
    return result;
}

Result<PositionalSharding> PositionalSharding::ofSets(std::vector<std::int32_t> devices, Shape shape,
    const std::vector<std::vector<std::int32_t>>& sets, std::string platform, std::optional<MemoryKind> memoryKind)
{
    std::unordered_map<std::int32_t, std::int32_t> numbers;
    for (const std::int32_t device : devices)
        numbers.emplace(device, static_cast<std::int32_t>(numbers.size()));
    const auto cells = static_cast<std::int64_t>(sets.size());
    const std::size_t copies = sets.empty() ? 0 : sets.front().size();
    std::vector<std::int32_t> members;
    for (const std::vector<std::int32_t>& set : sets) {
        const std::size_t begin = members.size();
        for (const std::int32_t device : set) {
            const auto number = numbers.find(device);
            if (number == numbers.end())
                return fail(Code::DeviceOutOfRange, { { "device", device }, { "devices", devices.size() } });
            members.push_back(number->second);
        }
        if (set.size() != copies)
            return badReshape(shape, cells);
        std::sort(members.begin() + static_cast<std::ptrdiff_t>(begin), members.end());
    }
    const std::size_t count = devices.size();
    SHARDSCOPE_TRY(
        result, create(std::move(devices), Shape{ static_cast<std::int64_t>(count) }, std::move(platform), memoryKind));
    if (cellsOf(shape) != cells || shape.size() > maximumTileDimensions || members.size() != count)
        return badReshape(shape, cells);
    std::vector<bool> seen(count);
    for (const std::int32_t member : members) {
        if (seen[static_cast<std::size_t>(member)])
            return fail(Code::DeviceTwice, { { "device", result->m_devices[static_cast<std::size_t>(member)] } });
        seen[static_cast<std::size_t>(member)] = true;
    }
    result->m_shape = std::move(shape);
    result->m_members = std::move(members);
    result->m_copies = static_cast<std::int64_t>(copies);
    return result;
}

Result<PositionalSharding> PositionalSharding::reshape(std::span<const std::int64_t> shape) const
{
    Shape sizes(shape);
    const auto open = std::find(sizes.begin(), sizes.end(), -1);
    if (open != sizes.end()) {
        *open = 1;
        const std::int64_t others = cellsOf(sizes);
        if (others < 1 || cellCount() % others != 0)
            return badReshape(shape, cellCount());
        *open = cellCount() / others;
    }
    if (cellsOf(sizes) != cellCount() || sizes.size() > maximumTileDimensions)
        return badReshape(shape, cellCount());
    PositionalSharding result = *this;
    result.m_shape = std::move(sizes);
    return result;
}

Result<PositionalSharding> PositionalSharding::replicate(
    const std::optional<std::vector<std::int64_t>>& axes, bool keepAxes) const
{
    std::vector<std::size_t> joinedAxes(rank());
    std::iota(joinedAxes.begin(), joinedAxes.end(), std::size_t{ 0 });
    if (axes) {
        std::optional<std::vector<std::size_t>> some = normalised(*axes, rank());
        if (!some)
            return badAxis(*axes, rank());
        joinedAxes = std::move(*some);
    }
    const auto isJoined = [&](std::size_t axis) {
        return std::find(joinedAxes.begin(), joinedAxes.end(), axis) != joinedAxes.end();
    };
    // The cells that become one are neighbours once the joined axes come last.
    PositionalSharding result = *this;
    result.m_shape.clear();
    std::vector<std::size_t> order;
    for (std::size_t axis = 0; axis < rank(); ++axis) {
        if (!isJoined(axis)) {
            order.push_back(axis);
            result.m_shape.push_back(m_shape[axis]);
        } else if (keepAxes) {
            result.m_shape.push_back(1);
        }
    }
    order.insert(order.end(), joinedAxes.begin(), joinedAxes.end());
    for (const std::size_t axis : joinedAxes)
        result.m_copies *= m_shape[axis];
    result.m_members.clear();
    for (const std::int64_t cell : cellsInOrder(m_shape, order))
        for (std::int64_t i = 0; i < m_copies; ++i)
            result.m_members.push_back(m_members[static_cast<std::size_t>(cell * m_copies + i)]);
    for (auto group = result.m_members.begin(); group != result.m_members.end(); group += result.m_copies)
        std::sort(group, group + result.m_copies);
    return result;
}

Result<PositionalSharding> PositionalSharding::transpose(std::span<const std::int64_t> order) const
{
    std::vector<std::size_t> axes(rank());
    std::iota(axes.rbegin(), axes.rend(), std::size_t{ 0 });
    if (!order.empty()) {
        std::optional<std::vector<std::size_t>> some = normalised(order, rank());
        if (!some || some->size() != rank())
            return badAxis(order, rank());
        axes = std::move(*some);
    }
    PositionalSharding result = *this;
    result.m_shape.clear();
    for (const std::size_t axis : axes)
        result.m_shape.push_back(m_shape[axis]);
    result.m_members.clear();
    for (const std::int64_t cell : cellsInOrder(m_shape, axes))
        for (std::int64_t i = 0; i < m_copies; ++i)
            result.m_members.push_back(m_members[static_cast<std::size_t>(cell * m_copies + i)]);
    return result;
}

PositionalSharding PositionalSharding::withMemoryKind(std::optional<MemoryKind> kind) const
{
    PositionalSharding result = *this;
    result.m_memoryKind = kind;
    return result;
}

std::vector<std::int32_t> PositionalSharding::devicesOf(std::int64_t cell) const
{
    std::vector<std::int32_t> ids;
    for (std::int64_t i = 0; i < m_copies; ++i)
        ids.push_back(m_devices[static_cast<std::size_t>(m_members[static_cast<std::size_t>(cell * m_copies + i)])]);
    std::sort(ids.begin(), ids.end());
    return ids;
}

bool PositionalSharding::isFullyReplicated() const
{
    return std::all_of(m_shape.begin(), m_shape.end(), [](std::int64_t size) { return size == 1; });
}

Result<HloSharding> PositionalSharding::toHloSharding(std::size_t arrayRank) const
{
    if (isFullyReplicated())
        return HloSharding::of(HloSharding::Kind::Replicated);
    const std::size_t extra = rank() - std::min(rank(), arrayRank);
    const bool leadingOnes = std::all_of(m_shape.begin(), m_shape.begin() + static_cast<std::ptrdiff_t>(extra),
        [](std::int64_t size) { return size == 1; });
    if (arrayRank > rank() || !leadingOnes)
        return fail(Code::RankMismatch, { { "sharding_rank", rank() }, { "rank", arrayRank } });
    Shape dims(m_shape.begin() + static_cast<std::ptrdiff_t>(extra), m_shape.end());
    std::vector<HloSharding::Subgroup> subgroups;
    if (m_copies > 1) {
        dims.push_back(m_copies);
        subgroups.push_back(HloSharding::Subgroup::Replicated);
    }
    SHARDSCOPE_TRY(tiles, TileAssignment::list(std::move(dims), m_members));
    return HloSharding::tiled(std::move(*tiles), std::move(subgroups));
}

} // namespace shardscope
