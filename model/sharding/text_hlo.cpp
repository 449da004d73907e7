// SPDX-License-Identifier: GPL-3.0-or-later
// XLA's HLO sharding text, version 2: the tile dimensions, and how they are cut out of the device positions by a
// reshape and a transpose.
#include <algorithm>
#include <numeric>

#include "sharding/text.h"

namespace shardscope {

namespace {

std::string joined(const std::vector<std::int64_t>& numbers)
{
    std::string text;
    for (const std::int64_t number : numbers)
        text += (text.empty() ? "" : ",") + std::to_string(number);
    return text;
}

/// The reshape and transpose that number the tiles: positions counted in `dims`, then read in the order `perm`.
struct Iota {
    std::vector<std::int64_t> dims;
    std::vector<std::size_t> perm;

    /// Dimensions that stay neighbours in ascending order under the transpose count as one.
    [[nodiscard]] Iota canonical() const
    {
        std::vector<std::vector<std::size_t>> runs;
        for (const std::size_t dim : perm) {
            if (!runs.empty() && runs.back().back() + 1 == dim)
                runs.back().push_back(dim);
            else
                runs.push_back({ dim });
        }
        std::vector<std::size_t> byFirst(runs.size());
        std::iota(byFirst.begin(), byFirst.end(), std::size_t{ 0 });
        std::sort(byFirst.begin(), byFirst.end(),
            [&](std::size_t a, std::size_t b) { return runs[a].front() < runs[b].front(); });
        Iota result;
        result.perm.resize(runs.size());
        for (std::size_t i = 0; i < byFirst.size(); ++i) {
            std::int64_t size = 1;
            for (const std::size_t dim : runs[byFirst[i]])
                size *= dims[dim];
            result.dims.push_back(size);
            result.perm[byFirst[i]] = i;
        }
        return result;
    }
    [[nodiscard]] std::string text() const
    {
        std::string result = "<=[" + joined(dims) + "]";
        if (dims.size() > 1) {
            result += "T(";
            for (std::size_t i = 0; i < perm.size(); ++i)
                result += (i == 0 ? "" : ",") + std::to_string(perm[i]);
            result += ")";
        }
        return result;
    }
};

} // namespace

std::string toHlo(const PartitionSpec& spec, const Mesh& mesh, std::size_t rank)
{
    // Axes of size 1 say nothing about who holds what, and XLA does not see them.
    std::vector<std::size_t> axes;
    for (std::size_t axis = 0; axis < mesh.rank(); ++axis)
        if (mesh.size(axis) > 1)
            axes.push_back(axis);

    std::vector<std::int64_t> tile(rank, 1);
    Iota iota;
    std::vector<bool> used(axes.size());
    for (const std::size_t axis : axes)
        iota.dims.push_back(mesh.size(axis));
    for (std::size_t dim = 0; dim < std::min(rank, spec.size()); ++dim) {
        for (const std::string& name : spec.axesOf(dim)) {
            const std::optional<std::size_t> axis = mesh.axisIndex(name);
            const auto found = axis ? std::find(axes.begin(), axes.end(), *axis) : axes.end();
            if (found == axes.end())
                continue;
            const auto index = static_cast<std::size_t>(found - axes.begin());
            used[index] = true;
            tile[dim] *= mesh.size(*axis);
            iota.perm.push_back(index);
        }
    }
    if (iota.perm.empty())
        return "{replicated}";
    std::int64_t copies = 1;
    for (std::size_t i = 0; i < axes.size(); ++i) {
        if (used[i])
            continue;
        copies *= mesh.size(axes[i]);
        iota.perm.push_back(i);
    }
    if (copies > 1)
        tile.push_back(copies);
    return "{devices=[" + joined(tile) + "]" + iota.canonical().text()
        + (copies > 1 ? " last_tile_dim_replicate}" : "}");
}

} // namespace shardscope
