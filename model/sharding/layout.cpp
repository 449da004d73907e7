// SPDX-License-Identifier: GPL-3.0-or-later
#include "sharding/layout.h"

#include <algorithm>
#include <limits>

#include "sharding/position_digits.h"

namespace shardscope {

namespace {

/// Coordinates along one mesh axis between two neighbours of the part: the size of what is minor to it.
std::int64_t minorSize(const Mesh& mesh, AxisRef ref)
{
    return mesh.size(static_cast<std::size_t>(ref.axis)) / ref.next();
}

std::int64_t digit(const Mesh& mesh, AxisRef ref, std::int64_t position)
{
    return mesh.coordinate(position, static_cast<std::size_t>(ref.axis)) / minorSize(mesh, ref) % ref.size;
}

/// Positions at which the parts have the given values, ascending. Costs what it returns, not the number of devices.
std::vector<std::int32_t> positionsWith(
    const Mesh& mesh, std::span<const AxisRef> parts, std::span<const std::int64_t> values)
{
    std::vector<std::int32_t> positions{ 0 };
    for (const PositionDigit& digit : positionDigits(mesh, parts)) {
        const auto stride = static_cast<std::int32_t>(digit.stride);
        if (digit.part >= 0) {
            const auto offset = static_cast<std::int32_t>(values[static_cast<std::size_t>(digit.part)]) * stride;
            for (std::int32_t& position : positions)
                position += offset;
            continue;
        }
        std::vector<std::int32_t> next;
        next.reserve(positions.size() * static_cast<std::size_t>(digit.size));
        for (const std::int32_t position : positions)
            for (std::int32_t i = 0; i < digit.size; ++i)
                next.push_back(position + i * stride);
        positions = std::move(next);
    }
    return positions;
}

__extension__ typedef __int128 Int128;
constexpr Int128 largest = std::numeric_limits<std::int64_t>::max();

/// Number of elements, or the largest 128-bit number.
Int128 exactElements(const Shape& shape)
{
    constexpr Int128 widest = ~(Int128{ 1 } << 126 << 1);
    if (std::find(shape.begin(), shape.end(), 0) != shape.end())
        return 0;
    Int128 count = 1;
    for (const std::int64_t size : shape)
        if (__builtin_mul_overflow(count, size, &count))
            return widest;
    return count;
}

std::int64_t saturated(Int128 number)
{
    return static_cast<std::int64_t>(std::min(number, largest));
}

/// Number of elements, or the largest number there is.
std::int64_t elements(const Shape& shape)
{
    return saturated(exactElements(shape));
}

IndexRange rangeOfBlock(std::int64_t block, std::int64_t blockSize, std::int64_t size)
{
    return { std::min(block * blockSize, size), std::min((block + 1) * blockSize, size) };
}

} // namespace

Layout::Layout(MeshPtr mesh, TensorSharding sharding, Shape shape)
    : m_mesh(std::move(mesh))
    , m_sharding(std::move(sharding))
    , m_shape(std::move(shape))
    , m_shardShape(shardscope::shardShape(m_sharding, m_shape))
    , m_addends(product(m_sharding.unreduced))
{
    for (const DimensionSharding& dim : m_sharding.dims)
        m_grid.push_back(shardCount(dim));
    m_distinct = elements(m_grid);
    m_copies = m_mesh->deviceCount() / (m_distinct * m_addends);
}

bool Layout::isUneven() const
{
    for (std::size_t d = 0; d < m_shape.size(); ++d)
        if (m_grid[d] * m_shardShape[d] != m_shape[d])
            return true;
    return false;
}

std::int64_t Layout::paddedElements() const
{
    if (!isUneven())
        return 0;
    // Room on all devices, less what the array fills of it; both may be beyond 64 bits.
    Shape room = m_shardShape;
    room.push_back(m_mesh->deviceCount());
    Shape filled = m_shape;
    filled.push_back(m_copies * m_addends);
    return saturated(exactElements(room) - exactElements(filled));
}

std::int64_t Layout::paddedElementsOfWorstShard() const
{
    // Blocks fill from the front, so the last block of every dimension has the least data.
    Shape real;
    for (std::size_t d = 0; d < m_shape.size(); ++d)
        real.push_back(rangeOfBlock(m_grid[d] - 1, m_shardShape[d], m_shape[d]).size());
    return saturated(exactElements(m_shardShape) - exactElements(real));
}

Shape Layout::blockAt(std::int64_t position) const
{
    Shape block;
    for (const DimensionSharding& dim : m_sharding.dims) {
        std::int64_t number = 0;
        for (const AxisRef& ref : dim.axes)
            number = number * ref.size + digit(*m_mesh, ref, position);
        block.push_back(number);
    }
    return block;
}

std::int64_t Layout::shardAt(std::int64_t position) const
{
    std::int64_t shard = 0;
    for (const DimensionSharding& dim : m_sharding.dims)
        for (const AxisRef& ref : dim.axes)
            shard = shard * ref.size + digit(*m_mesh, ref, position);
    return shard;
}

std::vector<IndexRange> Layout::rangesAt(std::int64_t position) const
{
    return rangesOfShard(shardAt(position));
}

std::vector<IndexRange> Layout::rangesOfShard(std::int64_t shard) const
{
    std::vector<IndexRange> ranges(m_shape.size());
    for (std::size_t d = m_shape.size(); d-- > 0;) {
        ranges[d] = rangeOfBlock(shard % m_grid[d], m_shardShape[d], m_shape[d]);
        shard /= m_grid[d];
    }
    return ranges;
}

std::vector<std::int32_t> Layout::holders(std::int64_t shard) const
{
    AxisList parts;
    for (const DimensionSharding& dim : m_sharding.dims)
        for (const AxisRef& ref : dim.axes)
            parts.push_back(ref);
    SmallVector<std::int64_t, 8> values;
    values.resize(parts.size());
    for (std::size_t i = parts.size(); i-- > 0;) {
        values[i] = shard % parts[i].size;
        shard /= parts[i].size;
    }
    std::vector<std::int32_t> devices =
        positionsWith(*m_mesh, { parts.begin(), parts.size() }, { values.begin(), values.size() });
    for (std::int32_t& device : devices)
        device = m_mesh->deviceAt(device);
    return devices;
}

std::vector<std::int64_t> Layout::shards() const
{
    // The shard number is a sum of one term per mesh axis, which is looked up.
    std::vector<std::int64_t> shards{ 0 };
    for (std::size_t axis = 0; axis < m_mesh->rank(); ++axis) {
        std::vector<std::int64_t> next;
        next.reserve(shards.size() * static_cast<std::size_t>(m_mesh->size(axis)));
        std::vector<std::int64_t> terms;
        for (std::int64_t coordinate = 0; coordinate < m_mesh->size(axis); ++coordinate)
            terms.push_back(shardAt(coordinate * m_mesh->stride(axis)));
        for (const std::int64_t shard : shards)
            for (const std::int64_t term : terms)
                next.push_back(shard + term);
        shards = std::move(next);
    }
    return shards;
}

std::vector<std::vector<std::int32_t>> Layout::replicaGroups() const
{
    const std::vector<std::int64_t> shards = this->shards();
    std::vector<std::vector<std::int32_t>> groups(static_cast<std::size_t>(m_distinct));
    for (std::vector<std::int32_t>& group : groups)
        group.reserve(static_cast<std::size_t>(m_copies * m_addends));
    for (std::size_t position = 0; position < shards.size(); ++position)
        groups[static_cast<std::size_t>(shards[position])].push_back(
            m_mesh->deviceAt(static_cast<std::int64_t>(position)));
    return groups;
}

std::vector<std::vector<std::int32_t>> axisGroups(const Mesh& mesh, std::span<const AxisRef> axes)
{
    std::vector<std::int32_t> offsets{ 0 };
    for (const AxisRef& ref : axes) {
        const auto step =
            static_cast<std::int32_t>(mesh.stride(static_cast<std::size_t>(ref.axis)) * minorSize(mesh, ref));
        std::vector<std::int32_t> next;
        next.reserve(offsets.size() * static_cast<std::size_t>(ref.size));
        for (const std::int32_t offset : offsets)
            for (std::int32_t i = 0; i < ref.size; ++i)
                next.push_back(offset + i * step);
        offsets = std::move(next);
    }
    const std::vector<std::int64_t> zero(axes.size());
    std::vector<std::vector<std::int32_t>> groups;
    for (const std::int32_t base : positionsWith(mesh, axes, zero)) {
        std::vector<std::int32_t>& group = groups.emplace_back(offsets);
        for (std::int32_t& position : group)
            position += base;
    }
    return groups;
}

} // namespace shardscope
