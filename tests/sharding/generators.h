// SPDX-License-Identifier: GPL-3.0-or-later
// Random meshes, shardings and shapes for properties.
#pragma once

#include <rapidcheck.h>

#include <algorithm>
#include <memory>
#include <random>

#include "sharding/layout.h"

namespace shardscope::generators {

/// Up to four axes of 1 to 6, in plain or shuffled device order.
inline MeshPtr mesh()
{
    const int rank = *rc::gen::inRange(0, 5);
    std::vector<MeshAxis> axes;
    std::int64_t devices = 1;
    for (int i = 0; i < rank; ++i) {
        axes.push_back(
            { std::string(1, static_cast<char>('a' + i)), *rc::gen::element<std::int64_t>(1, 2, 2, 3, 4, 6) });
        devices *= axes.back().size;
    }
    std::vector<std::int32_t> order;
    if (*rc::gen::arbitrary<bool>()) {
        for (std::int32_t device = 0; device < devices; ++device)
            order.push_back(device);
        std::shuffle(order.begin(), order.end(), std::mt19937(*rc::gen::arbitrary<std::uint32_t>()));
    }
    return std::make_shared<const Mesh>(*Mesh::create(std::move(axes), std::move(order)));
}

/// Whole axes, or their major and minor parts where `parts`, each used at most once, in any order.
inline std::vector<AxisRef> shuffledRefs(const Mesh& mesh, bool parts)
{
    std::vector<AxisRef> refs;
    for (std::size_t axis = 0; axis < mesh.rank(); ++axis) {
        AxisRef whole = wholeAxis(mesh, axis);
        if (parts && whole.size % 2 == 0 && whole.size > 2 && *rc::gen::arbitrary<bool>()) {
            refs.push_back({ whole.axis, 1, 2 });
            refs.push_back({ whole.axis, 2, whole.size / 2 });
        } else {
            refs.push_back(whole);
        }
    }
    std::shuffle(refs.begin(), refs.end(), std::mt19937(*rc::gen::arbitrary<std::uint32_t>()));
    return refs;
}

/// Deals the axes to the dimensions, to no dimension, or to the unreduced ones.
inline TensorSharding sharding(const Mesh& mesh, std::size_t rank, bool parts, bool partial)
{
    TensorSharding result = TensorSharding::fullyReplicated(rank);
    for (const AxisRef& ref : shuffledRefs(mesh, parts)) {
        const std::size_t where = *rc::gen::inRange<std::size_t>(0, rank + 2);
        if (where < rank)
            appendMerged(result.dims[where].axes, ref);
        else if (where == rank && partial)
            result.unreduced.push_back(ref);
    }
    std::sort(result.unreduced.begin(), result.unreduced.end());
    return result;
}

inline PartitionSpec spec(const Mesh& mesh, std::size_t rank)
{
    PartitionSpec result;
    for (std::size_t d = 0; d < rank; ++d)
        result.entries.push_back(SpecEntry::tuple({}));
    for (const AxisRef& ref : shuffledRefs(mesh, false)) {
        const std::size_t where = *rc::gen::inRange<std::size_t>(0, rank + 1);
        if (where < rank)
            result.entries[where].axes.push_back(mesh.axis(static_cast<std::size_t>(ref.axis)).name);
    }
    for (SpecEntry& entry : result.entries) {
        if (entry.axes.size() == 1 && *rc::gen::arbitrary<bool>())
            entry.kind = SpecEntry::Kind::Single;
        else if (entry.axes.empty())
            entry = *rc::gen::element(SpecEntry::none(), SpecEntry::tuple({}), SpecEntry::unconstrained());
    }
    return result;
}

} // namespace shardscope::generators
