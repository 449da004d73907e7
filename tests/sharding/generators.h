// SPDX-License-Identifier: GPL-3.0-or-later
// Random meshes, shardings and shapes for properties.
#pragma once

#include <algorithm>
#include <memory>
#include <numeric>
#include <random>

#include "random_properties.h"
#include "sharding/sharding.h"

namespace shardscope::generators {

/// With more cases than RapidCheck's default.
template <class Property>
bool holds(const std::string& what, Property property, int cases = 2000)
{
    return test::propertyHolds(cases, what, std::move(property));
}

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
        AxisRef full = fullAxis(mesh, axis);
        if (parts && full.size % 2 == 0 && full.size > 2 && *rc::gen::arbitrary<bool>()) {
            refs.push_back({ full.axis, 1, 2 });
            refs.push_back({ full.axis, 2, full.size / 2 });
        } else {
            refs.push_back(full);
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

/// Sizes whose product is `count`, up to four of them, 1 among them at times.
inline Shape factors(std::int64_t count)
{
    Shape sizes;
    const int rank = *rc::gen::inRange(1, 5);
    for (int i = 0; i + 1 < rank; ++i) {
        std::vector<std::int64_t> divisors;
        for (std::int64_t divisor = 1; divisor <= count; ++divisor)
            if (count % divisor == 0)
                divisors.push_back(divisor);
        sizes.push_back(*rc::gen::elementOf(divisors));
        count /= sizes.back();
    }
    sizes.push_back(count);
    std::shuffle(sizes.begin(), sizes.end(), std::mt19937(*rc::gen::arbitrary<std::uint32_t>()));
    return sizes;
}

/// Up to 24 of the devices 0 to 39, in any order.
inline std::vector<std::int32_t> deviceIds()
{
    std::vector<std::int32_t> ids(40);
    std::iota(ids.begin(), ids.end(), 0);
    std::shuffle(ids.begin(), ids.end(), std::mt19937(*rc::gen::arbitrary<std::uint32_t>()));
    ids.resize(static_cast<std::size_t>(*rc::gen::element(1, 2, 4, 6, 8, 12, 16, 24)));
    if (*rc::gen::arbitrary<bool>())
        std::sort(ids.begin(), ids.end());
    return ids;
}

inline std::optional<MemoryKind> memoryKind()
{
    const int number = *rc::gen::inRange(0, 4);
    if (number == 3)
        return std::nullopt;
    return memoryKinds()[static_cast<std::size_t>(number)];
}

/// A grid of devices after a few operations.
inline PositionalSharding positional(std::vector<std::int32_t> devices)
{
    const auto count = static_cast<std::int64_t>(devices.size());
    PositionalSharding sharding = *PositionalSharding::create(
        std::move(devices), Shape{ count }, *rc::gen::element<std::string>("cpu", "gpu", "tpu"), memoryKind());
    for (int i = *rc::gen::inRange(0, 5); i > 0; --i) {
        const int operation = *rc::gen::inRange(0, 3);
        if (operation == 0) {
            sharding = *sharding.reshape(factors(sharding.cellCount()));
        } else if (operation == 1) {
            std::vector<std::int64_t> axes;
            for (std::size_t axis = 0; axis < sharding.rank(); ++axis)
                if (*rc::gen::inRange(0, 3) == 0)
                    axes.push_back(static_cast<std::int64_t>(axis));
            sharding = *sharding.replicate(axes, *rc::gen::inRange(0, 4) > 0 || axes.size() == sharding.rank());
        } else {
            std::vector<std::int64_t> order(sharding.rank());
            std::iota(order.begin(), order.end(), 0);
            std::shuffle(order.begin(), order.end(), std::mt19937(*rc::gen::arbitrary<std::uint32_t>()));
            sharding = *sharding.transpose(order);
        }
    }
    return sharding;
}

/// Tiles of an array of that rank over so many devices, as an iota or a list, with subgroups of any types.
inline HloSharding hlo(std::size_t rank, std::int64_t devices)
{
    if (*rc::gen::inRange(0, 8) == 0)
        return HloSharding::of(*rc::gen::element(HloSharding::Kind::Replicated, HloSharding::Kind::Manual,
            HloSharding::Kind::Unknown, HloSharding::Kind::Unreduced, HloSharding::Kind::Maximal));
    using Subgroup = HloSharding::Subgroup;
    std::vector<Subgroup> subgroups;
    for (int i = *rc::gen::inRange(0, 4); i > 0; --i)
        subgroups.push_back(*rc::gen::element(Subgroup::Manual, Subgroup::Unreduced, Subgroup::Replicated));
    Shape dims(rank + subgroups.size(), 1);
    if (dims.empty())
        return HloSharding::of(HloSharding::Kind::Replicated);
    for (const std::int64_t size : factors(devices))
        dims[*rc::gen::inRange<std::size_t>(0, dims.size())] *= size;
    if (*rc::gen::arbitrary<bool>()) {
        const Shape reshape = factors(devices);
        TileAssignment::Permutation order;
        for (std::size_t i = 0; i < reshape.size(); ++i)
            order.push_back(static_cast<std::int32_t>(i));
        std::shuffle(order.begin(), order.end(), std::mt19937(*rc::gen::arbitrary<std::uint32_t>()));
        return HloSharding::tiled(*TileAssignment::iota(dims, reshape, order), subgroups);
    }
    std::vector<std::int32_t> list(static_cast<std::size_t>(devices));
    std::iota(list.begin(), list.end(), 0);
    if (*rc::gen::arbitrary<bool>())
        std::shuffle(list.begin(), list.end(), std::mt19937(*rc::gen::arbitrary<std::uint32_t>()));
    return HloSharding::tiled(*TileAssignment::list(dims, list), subgroups);
}

} // namespace shardscope::generators
