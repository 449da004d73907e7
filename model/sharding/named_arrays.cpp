// SPDX-License-Identifier: GPL-3.0-or-later
#include "sharding/named_arrays.h"

#include <algorithm>

#include "base/codes.h"

namespace shardscope {

namespace {

SpecEntry entryOf(const std::string& name, const NameToMesh& mapping)
{
    const auto found = mapping.find(name);
    return found == mapping.end() ? SpecEntry::none() : found->second;
}

PartitionSpec specOf(const NamedArray& array, const NameToMesh& mapping)
{
    PartitionSpec spec;
    for (const NamedAxis& axis : array.namedAxes)
        spec.entries.push_back(entryOf(axis.name, mapping));
    return spec;
}

PartitionSpec specOf(const NamedArrayView& view, const NameToMesh& mapping)
{
    PartitionSpec spec;
    spec.entries.resize(view.dataShape.size());
    for (const auto& [name, dimension] : view.dimensionOfName)
        spec.entries[dimension] = entryOf(name, mapping);
    return spec;
}

/// Names and positions of a view name every dimension of its data once.
bool isComplete(const NamedArrayView& view)
{
    std::vector<std::size_t> dimensions = view.dimensionOfPosition;
    for (const auto& [name, dimension] : view.dimensionOfName)
        dimensions.push_back(dimension);
    std::sort(dimensions.begin(), dimensions.end());
    for (std::size_t i = 0; i < dimensions.size(); ++i)
        if (dimensions[i] != i)
            return false;
    return dimensions.size() == view.dataShape.size();
}

/// A leaf with names, which keep their order within `spec`; positional dimensions of the data before them do not count.
Result<LeafSharding> shard(LeafSharding leaf, PartitionSpec spec, std::size_t positional, const MeshPtr& mesh)
{
    if (Result<void> valid = validate(spec, *mesh); !valid)
        return tl::unexpected(std::move(valid.error()));
    const bool cut = std::ranges::any_of(spec.entries, [](const SpecEntry& entry) { return !entry.axes.empty(); });
    if (positional > 0 && cut) {
        PartitionSpec meant;
        meant.entries.resize(positional);
        meant.entries.insert(meant.entries.end(), spec.entries.begin(), spec.entries.end());
        leaf.intended = NamedSharding{ mesh, std::move(meant) };
    }
    leaf.sharding = NamedSharding{ mesh, std::move(spec) };
    return leaf;
}

Result<LeafSharding> shard(const ArrayLeaf& leaf, const MeshPtr& mesh, const NameToMesh& mapping, bool ignoreUnnamed)
{
    LeafSharding result;
    result.path = leaf.path;
    if (const auto* named = std::get_if<NamedArray>(&leaf.array)) {
        result.dataShape = named->dataShape();
        return shard(std::move(result), specOf(*named, mapping), named->positionalShape.size(), mesh);
    }
    if (const auto* view = std::get_if<NamedArrayView>(&leaf.array)) {
        if (!isComplete(*view))
            return fail(Code::InvalidAttribute, { { "op", "named array" }, { "wrong", "view" } });
        result.dataShape = view->dataShape;
        return shard(std::move(result), specOf(*view, mapping), 0, mesh);
    }
    if (!ignoreUnnamed)
        return fail(Code::NonNamedLeaf, { { "leaf", leaf.path } });
    result.dataShape = std::get<PlainArray>(leaf.array).shape;
    return result;
}

} // namespace

Shape NamedArray::dataShape() const
{
    Shape shape = positionalShape;
    for (const NamedAxis& axis : namedAxes)
        shape.push_back(axis.size);
    return shape;
}

Result<Layout> LeafSharding::layout() const
{
    if (!sharding)
        return fail(Code::NonNamedLeaf, { { "leaf", path } });
    return sharding->layout(dataShape);
}

Result<std::vector<LeafSharding>> nameToNameSharding(
    const ArrayTree& tree, const MeshPtr& mesh, const std::optional<NameToMesh>& mapping, bool ignoreUnnamed)
{
    NameToMesh used = mapping.value_or(NameToMesh());
    if (!mapping)
        for (const std::string& axis : mesh->axisNames())
            used[axis] = SpecEntry::axis(axis);
    std::vector<LeafSharding> result;
    for (const ArrayLeaf& leaf : tree) {
        Result<LeafSharding> sharded = shard(leaf, mesh, used, ignoreUnnamed);
        if (!sharded) {
            sharded.error().where.path = leaf.path;
            return tl::unexpected(std::move(sharded.error()));
        }
        result.push_back(std::move(*sharded));
    }
    return result;
}

} // namespace shardscope
