// SPDX-License-Identifier: GPL-3.0-or-later
#include "sharding/tensor_sharding.h"

#include <algorithm>

namespace shardscope {

TensorSharding TensorSharding::open(std::size_t rank)
{
    TensorSharding sharding;
    sharding.dims.resize(rank);
    return sharding;
}

TensorSharding TensorSharding::fullyReplicated(std::size_t rank)
{
    TensorSharding sharding = open(rank);
    for (DimensionSharding& dim : sharding.dims)
        dim.open = false;
    return sharding;
}

bool TensorSharding::isFullyReplicated() const
{
    return unreduced.empty()
        && std::all_of(dims.begin(), dims.end(), [](const DimensionSharding& dim) { return dim.axes.empty(); });
}

bool TensorSharding::isEquivalent(const TensorSharding& other) const
{
    return unreduced == other.unreduced
        && std::equal(dims.begin(), dims.end(), other.dims.begin(), other.dims.end(),
            [](const DimensionSharding& a, const DimensionSharding& b) { return a.axes == b.axes; });
}

TensorSharding toTensorSharding(const PartitionSpec& spec, const Mesh& mesh, std::size_t rank)
{
    TensorSharding sharding = TensorSharding::fullyReplicated(rank);
    for (std::size_t d = 0; d < std::min(rank, spec.size()); ++d) {
        DimensionSharding& dim = sharding.dims[d];
        dim.open = spec.entries[d].kind == SpecEntry::Kind::Unconstrained;
        for (const std::string& name : spec.axesOf(d))
            if (const std::optional<std::size_t> axis = mesh.axisIndex(name))
                dim.axes.push_back(fullAxis(mesh, *axis));
    }
    return sharding;
}

PartitionSpec toPartitionSpec(const TensorSharding& sharding, const Mesh& mesh)
{
    PartitionSpec spec;
    spec.entries.reserve(sharding.rank());
    for (const DimensionSharding& dim : sharding.dims) {
        std::vector<std::string> names;
        names.reserve(dim.axes.size());
        for (const AxisRef& ref : dim.axes)
            names.push_back(toString(mesh, ref));
        spec.entries.push_back(SpecEntry::tuple(std::move(names)));
    }
    return canonical(spec);
}

std::int64_t shardCount(const DimensionSharding& dim)
{
    return product(dim.axes);
}

Shape shardShape(const TensorSharding& sharding, std::span<const std::int64_t> shape)
{
    Shape result(shape);
    for (std::size_t d = 0; d < std::min(result.size(), sharding.rank()); ++d) {
        const std::int64_t parts = shardCount(sharding.dims[d]);
        result[d] = shape[d] / parts + (shape[d] % parts != 0 ? 1 : 0);
    }
    return result;
}

} // namespace shardscope
