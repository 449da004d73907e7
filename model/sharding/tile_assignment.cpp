// SPDX-License-Identifier: GPL-3.0-or-later
#include "sharding/tile_assignment.h"

#include <algorithm>
#include <numeric>

#include "base/codes.h"
#include "base/text.h"

namespace shardscope {

namespace {

/// The number of cells.
Result<std::int64_t> cells(const Shape& dims)
{
    std::int64_t count = 1;
    for (const std::int64_t size : dims) {
        if (size < 1)
            return fail(Code::OutOfRange,
                { { "key", "tile dimension" }, { "value", size }, { "min", 1 }, { "max", maximumDevices } });
        if (size > maximumDevices || count * size > maximumDevices)
            return fail(Code::TooLarge, { { "what", "devices" }, { "limit", maximumDevices } });
        count *= size;
    }
    return count;
}

tl::unexpected<Error> mismatch(std::int64_t tiles, std::int64_t devices)
{
    return fail(Code::TileDevices, { { "tiles", tiles }, { "devices", devices } });
}

struct Grid {
    Shape sizes;
    TileAssignment::Permutation order;
};

/// Without dimensions of size 1, and with those joined that stay neighbours in ascending order.
Grid canonical(const Shape& sizes, const TileAssignment::Permutation& order)
{
    struct Run {
        std::int32_t first = 0;
        std::int32_t last = 0;
        std::int64_t size = 1;
    };
    std::vector<Run> runs;
    std::vector<std::int32_t> rank(sizes.size()); // among the dimensions that stay
    std::int32_t kept = 0;
    for (std::size_t i = 0; i < sizes.size(); ++i)
        rank[i] = sizes[i] == 1 ? -1 : kept++;
    for (const std::int32_t dim : order) {
        const std::int64_t size = sizes[static_cast<std::size_t>(dim)];
        const std::int32_t r = rank[static_cast<std::size_t>(dim)];
        if (r < 0)
            continue;
        if (!runs.empty() && runs.back().last + 1 == r) {
            runs.back().last = r;
            runs.back().size *= size;
        } else {
            runs.push_back({ r, r, size });
        }
    }
    if (runs.empty())
        return { { 1 }, { 0 } };
    std::vector<std::size_t> byFirst(runs.size());
    std::iota(byFirst.begin(), byFirst.end(), std::size_t{ 0 });
    std::sort(
        byFirst.begin(), byFirst.end(), [&](std::size_t a, std::size_t b) { return runs[a].first < runs[b].first; });
    Grid grid;
    grid.order.resize(runs.size());
    for (std::size_t i = 0; i < byFirst.size(); ++i) {
        grid.sizes.push_back(runs[byFirst[i]].size);
        grid.order[byFirst[i]] = static_cast<std::int32_t>(i);
    }
    return grid;
}

bool isPermutation(const TileAssignment::Permutation& order, std::size_t size)
{
    std::vector<bool> seen(size);
    for (const std::int32_t item : order) {
        if (item < 0 || static_cast<std::size_t>(item) >= size || seen[static_cast<std::size_t>(item)])
            return false;
        seen[static_cast<std::size_t>(item)] = true;
    }
    return order.size() == size;
}

/// Sums of one multiple of each stride, in row-major order: the cells of a grid that lies in another one.
std::vector<std::int32_t> walk(std::span<const std::int64_t> sizes, std::span<const std::int64_t> strides)
{
    std::vector<std::int32_t> cells{ 0 };
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        std::vector<std::int32_t> next;
        next.reserve(cells.size() * static_cast<std::size_t>(sizes[i]));
        for (const std::int32_t cell : cells)
            for (std::int64_t k = 0; k < sizes[i]; ++k)
                next.push_back(cell + static_cast<std::int32_t>(k * strides[i]));
        cells = std::move(next);
    }
    return cells;
}

} // namespace

std::vector<std::int64_t> gridStrides(std::span<const std::int64_t> sizes)
{
    std::vector<std::int64_t> strides(sizes.size(), 1);
    for (std::size_t i = sizes.size(); i-- > 1;)
        strides[i - 1] = strides[i] * sizes[i];
    return strides;
}

Result<TileAssignment> TileAssignment::iota(Shape dims, Shape reshape, Permutation transpose)
{
    const Result<std::int64_t> tiles = cells(dims);
    const Result<std::int64_t> devices = cells(reshape);
    if (!tiles || !devices)
        return tl::unexpected(tiles ? devices.error() : tiles.error());
    if (*tiles != *devices)
        return mismatch(*tiles, *devices);
    if (!isPermutation(transpose, reshape.size()))
        return fail(Code::BadAxis, { { "axes", join(transpose, ",") }, { "rank", reshape.size() } });
    TileAssignment result;
    Grid grid = canonical(reshape, transpose);
    result.m_dims = std::move(dims);
    result.m_reshape = std::move(grid.sizes);
    result.m_transpose = std::move(grid.order);
    result.m_size = *tiles;
    return result;
}

Result<TileAssignment> TileAssignment::list(Shape dims, std::vector<std::int32_t> devices)
{
    SHARDSCOPE_TRY(tiles, cells(dims));
    if (*tiles != static_cast<std::int64_t>(devices.size()))
        return mismatch(*tiles, static_cast<std::int64_t>(devices.size()));
    if (const auto negative = std::ranges::find_if(devices, [](std::int32_t device) { return device < 0; });
        negative != devices.end())
        return fail(Code::OutOfRange,
            { { "key", "device" }, { "value", *negative }, { "min", 0 }, { "max", maximumDevices - 1 } });
    TileAssignment result;
    result.m_dims = std::move(dims);
    result.m_devices = std::move(devices);
    result.m_size = *tiles;
    return result;
}

std::vector<std::int32_t> TileAssignment::devices() const
{
    if (!isIota())
        return m_devices;
    const std::vector<std::int64_t> strides = gridStrides(m_reshape);
    std::vector<std::int64_t> sizes;
    std::vector<std::int64_t> steps;
    for (const std::int32_t dim : m_transpose) {
        sizes.push_back(m_reshape[static_cast<std::size_t>(dim)]);
        steps.push_back(strides[static_cast<std::size_t>(dim)]);
    }
    return walk(sizes, steps);
}

TileAssignment TileAssignment::withDims(Shape dims) const
{
    TileAssignment result = *this;
    result.m_dims = std::move(dims);
    return result;
}

TileAssignment TileAssignment::transposed(std::span<const std::size_t> order) const
{
    const std::vector<std::int64_t> strides = gridStrides(m_dims);
    TileAssignment result;
    std::vector<std::int64_t> sizes;
    std::vector<std::int64_t> steps;
    for (const std::size_t dim : order) {
        sizes.push_back(m_dims[dim]);
        steps.push_back(strides[dim]);
    }
    const std::vector<std::int32_t> old = devices();
    for (const std::int32_t cell : walk(sizes, steps))
        result.m_devices.push_back(old[static_cast<std::size_t>(cell)]);
    result.m_dims = Shape(sizes.begin(), sizes.end());
    result.m_size = m_size;
    return isIota() ? result.asIota().value_or(result) : result;
}

std::optional<std::set<std::int64_t>> TileAssignment::strides() const
{
    const std::optional<TileAssignment> iota = asIota();
    if (!iota)
        return std::nullopt;
    std::set<std::int64_t> found{ 1, m_size };
    const std::vector<std::int64_t> ofGrid = gridStrides(iota->m_reshape);
    auto tileSize = m_dims.begin();
    std::int64_t tileStride = m_size; // cells between neighbours along the tile dimension before
    std::int64_t before = m_size; // cells of the grid's dimensions from this one on
    for (const std::int32_t dim : iota->m_transpose) {
        const std::int64_t stride = ofGrid[static_cast<std::size_t>(dim)];
        const std::int64_t size = iota->m_reshape[static_cast<std::size_t>(dim)];
        const std::int64_t after = before / size;
        found.insert({ stride, stride * size });
        // Tile dimensions that end within this one, if they divide it.
        for (; tileSize != m_dims.end() && tileStride / *tileSize >= after; ++tileSize) {
            tileStride /= *tileSize;
            if (tileStride % after == 0 && before % tileStride == 0)
                found.insert(stride * (tileStride / after));
        }
        before = after;
    }
    return found;
}

std::optional<TileAssignment> TileAssignment::asIota() const
{
    if (isIota())
        return *this;
    // From the minor end: runs of equal steps. A run ends where the step changes, and all of it repeats from there.
    struct Digit {
        std::int64_t size = 1;
        std::int64_t stride = 1;
    };
    std::vector<Digit> digits; // minor first
    for (std::int64_t done = 1; done < m_size;) {
        const auto at = [&](std::int64_t multiple) { return m_devices[static_cast<std::size_t>(multiple * done)]; };
        const std::int64_t stride = at(1) - at(0);
        std::int64_t size = 2;
        while (size * done < m_size && at(size) == at(0) + size * stride)
            ++size;
        if (stride <= 0 || m_size % (size * done) != 0)
            return std::nullopt;
        digits.push_back({ size, stride });
        done *= size;
    }
    // The strides have to be those of a row-major grid.
    std::vector<std::size_t> byStride(digits.size());
    std::iota(byStride.begin(), byStride.end(), std::size_t{ 0 });
    std::sort(byStride.begin(), byStride.end(),
        [&](std::size_t a, std::size_t b) { return digits[a].stride > digits[b].stride; });
    Shape reshape;
    Permutation transpose(digits.size());
    std::int64_t expected = m_size;
    for (std::size_t i = 0; i < byStride.size(); ++i) {
        const Digit& digit = digits[byStride[i]];
        expected /= digit.size;
        if (digit.stride != expected)
            return std::nullopt;
        reshape.push_back(digit.size);
        transpose[digits.size() - 1 - byStride[i]] = static_cast<std::int32_t>(i);
    }
    Result<TileAssignment> found = iota(m_dims, std::move(reshape), std::move(transpose));
    if (!found || found->devices() != m_devices)
        return std::nullopt;
    return std::move(*found);
}

TileAssignment TileAssignment::asList() const
{
    TileAssignment result = *this;
    result.m_devices = devices();
    return result;
}

std::string TileAssignment::text() const
{
    std::string result = "[" + join(m_dims, ",") + "]";
    if (!isIota())
        return result + join(m_devices, ",");
    result += "<=[" + join(m_reshape, ",") + "]";
    return m_reshape.size() == 1 ? result : result + "T(" + join(m_transpose, ",") + ")";
}

bool TileAssignment::operator==(const TileAssignment& other) const
{
    if (m_dims != other.m_dims)
        return false;
    // Canonical iotas are equal only where their numbers are.
    if (isIota() && other.isIota())
        return m_reshape == other.m_reshape && m_transpose == other.m_transpose;
    return devices() == other.devices();
}

} // namespace shardscope
