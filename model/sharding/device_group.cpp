// SPDX-License-Identifier: GPL-3.0-or-later
#include "sharding/device_group.h"

#include <algorithm>

namespace shardscope {

namespace {

/// Parts of axes that shard the array, in the order in which they count: the last one is minor.
SmallVector<AxisRef, 8> partsOf(const Layout& layout)
{
    SmallVector<AxisRef, 8> parts;
    for (const DimensionSharding& dim : layout.sharding().dims)
        for (const AxisRef& ref : dim.axes)
            parts.push_back(ref);
    return parts;
}

/// A digit with its stride in rows, or in columns.
struct LineDigit {
    std::int64_t stride, size, value; ///< value -1: any
};
using LineDigits = SmallVector<LineDigit, 8>;

/// How many numbers below `end` have the values that the digits ask for.
std::int64_t countBelow(const LineDigits& digits, std::int64_t end)
{
    std::int64_t total = 1, all = 1;
    for (const LineDigit& digit : digits) {
        total *= digit.size;
        all *= digit.value < 0 ? digit.size : 1;
    }
    if (end >= total)
        return all;
    std::int64_t count = 0;
    for (const LineDigit& digit : digits) {
        const std::int64_t here = end / digit.stride % digit.size;
        if (digit.value < 0) {
            all /= digit.size;
            count += here * all;
        } else if (here != digit.value) {
            return count + (here > digit.value ? all : 0);
        }
    }
    return count;
}

bool sameMesh(const Mesh& a, const Mesh& b)
{
    return &a == &b || a == b;
}

} // namespace

std::int64_t columnsOf(const Mesh& mesh)
{
    return mesh.rank() == 0 ? 1 : mesh.axes().back().size;
}

// Shards of blocks.

ShardDigits::ShardDigits(const Layout& layout)
{
    const SmallVector<AxisRef, 8> parts = partsOf(layout);
    SmallVector<std::int64_t, 8> weights;
    weights.resize(parts.size());
    std::int64_t weight = 1;
    for (std::size_t i = parts.size(); i-- > 0;) {
        weights[i] = weight;
        weight *= parts[i].size;
    }
    const std::int64_t columns = columnsOf(layout.mesh());
    for (const PositionDigit& digit : positionDigits(layout.mesh(), { parts.begin(), parts.size() })) {
        if (digit.part < 0)
            continue;
        const std::int64_t each = weights[static_cast<std::size_t>(digit.part)];
        if (digit.stride < columns)
            m_columns.push_back({ digit.stride, digit.size, each });
        else
            m_rows.push_back({ digit.stride / columns, digit.size, each });
    }
}

bool ShardDigits::varyAlongRows(const MeshBlock& block) const
{
    return std::any_of(m_rows.begin(), m_rows.end(),
        [&](const Digit& d) { return block.firstRow / d.stride != (block.endRow - 1) / d.stride; });
}

bool ShardDigits::varyAlongColumns(const MeshBlock& block) const
{
    return std::any_of(m_columns.begin(), m_columns.end(),
        [&](const Digit& d) { return block.firstColumn / d.stride != (block.endColumn - 1) / d.stride; });
}

std::int64_t ShardDigits::shardOf(const MeshBlock& block) const
{
    if (varyAlongRows(block) || varyAlongColumns(block))
        return -1;
    std::int64_t shard = 0;
    for (const Digit& d : m_rows)
        shard += block.firstRow / d.stride % d.size * d.weight;
    for (const Digit& d : m_columns)
        shard += block.firstColumn / d.stride % d.size * d.weight;
    return shard;
}

// Groups.

DeviceGroup::DeviceGroup(std::vector<std::int32_t> ids)
    : m_what(std::move(ids))
{
}

DeviceGroup::DeviceGroup(std::initializer_list<std::int32_t> ids)
    : m_what(std::vector<std::int32_t>(ids))
{
}

DeviceGroup DeviceGroup::holders(const Layout& layout, std::int64_t shard)
{
    Holders holders{ std::make_shared<const Layout>(layout), shard, 1, {}, {} };
    const SmallVector<AxisRef, 8> parts = partsOf(layout);
    SmallVector<std::int64_t, 8> values;
    values.resize(parts.size());
    for (std::size_t i = parts.size(); i-- > 0;) {
        values[i] = shard % parts[i].size;
        shard /= parts[i].size;
    }
    holders.digits = positionDigits(layout.mesh(), { parts.begin(), parts.size() });
    for (const PositionDigit& digit : holders.digits) {
        holders.values.push_back(digit.part < 0 ? -1 : values[static_cast<std::size_t>(digit.part)]);
        holders.count *= digit.part < 0 ? digit.size : 1;
    }
    DeviceGroup group;
    group.m_what = std::move(holders);
    return group;
}

DeviceGroup DeviceGroup::block(MeshPtr mesh, const MeshBlock& block)
{
    DeviceGroup group;
    const std::int64_t columns = columnsOf(*mesh);
    group.m_what = Block{ std::move(mesh), block, columns };
    return group;
}

std::int64_t DeviceGroup::size() const
{
    if (const auto* holders = std::get_if<Holders>(&m_what))
        return holders->count;
    if (const auto* block = std::get_if<Block>(&m_what))
        return block->block.deviceCount();
    return static_cast<std::int64_t>(std::get<std::vector<std::int32_t>>(m_what).size());
}

const Mesh* DeviceGroup::mesh() const
{
    if (const auto* holders = std::get_if<Holders>(&m_what))
        return &holders->layout->mesh();
    if (const auto* block = std::get_if<Block>(&m_what))
        return block->mesh.get();
    return nullptr;
}

std::int64_t DeviceGroup::positionAt(std::int64_t n) const
{
    if (const auto* block = std::get_if<Block>(&m_what)) {
        const std::int64_t width = block->block.endColumn - block->block.firstColumn;
        return (block->block.firstRow + n / width) * block->columns + block->block.firstColumn + n % width;
    }
    const auto& holders = std::get<Holders>(m_what);
    std::int64_t position = 0;
    for (std::size_t i = holders.digits.size(); i-- > 0;) {
        const PositionDigit& digit = holders.digits[i];
        if (holders.values[i] >= 0) {
            position += holders.values[i] * digit.stride;
        } else {
            position += n % digit.size * digit.stride;
            n /= digit.size;
        }
    }
    return position;
}

std::int32_t DeviceGroup::deviceAt(std::int64_t n) const
{
    if (const Mesh* of = mesh())
        return of->deviceAt(positionAt(n));
    return std::get<std::vector<std::int32_t>>(m_what)[static_cast<std::size_t>(n)];
}

std::vector<std::int32_t> DeviceGroup::ids() const
{
    if (const auto* list = std::get_if<std::vector<std::int32_t>>(&m_what))
        return *list;
    std::vector<std::int32_t> ids(static_cast<std::size_t>(size()));
    for (std::size_t n = 0; n < ids.size(); ++n)
        ids[n] = deviceAt(static_cast<std::int64_t>(n));
    return ids;
}

bool DeviceGroup::isRange() const
{
    const std::int64_t count = size();
    if (count == 0)
        return false;
    const std::int32_t first = deviceAt(0);
    if (deviceAt(count - 1) - first != count - 1)
        return false;
    if (const Mesh* of = mesh(); of && of->deviceOrder().empty())
        return true; // they ascend
    for (std::int64_t n = 1; n < count; ++n)
        if (deviceAt(n) != first + n)
            return false;
    return true;
}

std::int64_t DeviceGroup::countIn(const MeshBlock& wanted) const
{
    if (const auto* block = std::get_if<Block>(&m_what)) {
        const auto common = [](std::int64_t a, std::int64_t b, std::int64_t c, std::int64_t d) {
            return std::max<std::int64_t>(std::min(b, d) - std::max(a, c), 0);
        };
        const MeshBlock& mine = block->block;
        return common(mine.firstRow, mine.endRow, wanted.firstRow, wanted.endRow)
            * common(mine.firstColumn, mine.endColumn, wanted.firstColumn, wanted.endColumn);
    }
    const auto& holders = std::get<Holders>(m_what);
    const std::int64_t width = columnsOf(holders.layout->mesh());
    LineDigits rows, columns;
    for (std::size_t i = 0; i < holders.digits.size(); ++i) {
        const PositionDigit& digit = holders.digits[i];
        if (digit.stride < width)
            columns.push_back({ digit.stride, digit.size, holders.values[i] });
        else
            rows.push_back({ digit.stride / width, digit.size, holders.values[i] });
    }
    return (countBelow(rows, wanted.endRow) - countBelow(rows, wanted.firstRow))
        * (countBelow(columns, wanted.endColumn) - countBelow(columns, wanted.firstColumn));
}

std::optional<std::int64_t> DeviceGroup::shardIn(const Layout& layout) const
{
    const auto* holders = std::get_if<Holders>(&m_what);
    if (!holders || holders->layout->shape() != layout.shape()
        || !holders->layout->sharding().isEquivalent(layout.sharding())
        || !sameMesh(holders->layout->mesh(), layout.mesh()))
        return std::nullopt;
    return holders->shard;
}

bool DeviceGroup::operator==(const DeviceGroup& other) const
{
    if (size() != other.size())
        return false;
    const auto* mine = std::get_if<Holders>(&m_what);
    const auto* theirs = std::get_if<Holders>(&other.m_what);
    if (mine && theirs && mine->digits == theirs->digits && mine->values == theirs->values
        && sameMesh(mine->layout->mesh(), theirs->layout->mesh()))
        return true;
    const auto* block = std::get_if<Block>(&m_what);
    const auto* with = std::get_if<Block>(&other.m_what);
    if (block && with && block->block == with->block && sameMesh(*block->mesh, *with->mesh))
        return true;
    // Groups that differ mostly do so at once.
    for (std::int64_t n = 0; n < size(); ++n)
        if (deviceAt(n) != other.deviceAt(n))
            return false;
    return true;
}

DevicePositions::DevicePositions(const Mesh& mesh)
    : m_count(mesh.deviceCount())
{
    m_byId.reserve(mesh.deviceOrder().size());
    for (const std::int32_t device : mesh.deviceOrder())
        m_byId.emplace_back(device, static_cast<std::int32_t>(m_byId.size()));
    std::sort(m_byId.begin(), m_byId.end());
}

std::optional<std::int64_t> DevicePositions::of(std::int32_t device) const
{
    if (m_byId.empty())
        return device >= 0 && device < m_count ? std::optional<std::int64_t>(device) : std::nullopt;
    const auto found = std::lower_bound(m_byId.begin(), m_byId.end(), std::pair(device, 0));
    return found != m_byId.end() && found->first == device ? std::optional<std::int64_t>(found->second) : std::nullopt;
}

} // namespace shardscope
