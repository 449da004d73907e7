// SPDX-License-Identifier: GPL-3.0-or-later
#include "sharding/comparison.h"

#include <algorithm>
#include <utility>

namespace shardscope {

namespace {

/// Mesh positions by device id, to be looked up in either order of devices.
class Places {
public:
    explicit Places(const Layout& layout)
    {
        const std::int64_t count = layout.mesh().deviceCount();
        m_places.reserve(static_cast<std::size_t>(count));
        for (std::int64_t position = 0; position < count; ++position)
            m_places.emplace_back(layout.mesh().deviceAt(position), position);
        if (!std::ranges::is_sorted(m_places))
            std::ranges::sort(m_places);
    }
    /// -1 for a device that has no place.
    [[nodiscard]] std::int64_t of(std::int32_t device) const
    {
        const auto found = std::ranges::lower_bound(m_places, std::pair(device, std::int64_t{ 0 }));
        return found != m_places.end() && found->first == device ? found->second : -1;
    }

private:
    std::vector<std::pair<std::int32_t, std::int64_t>> m_places;
};

Result<Layout> layoutFor(const Sharding& sharding, std::span<const std::int64_t> shape, const char* which)
{
    Result<Layout> layout = layoutOf(sharding, shape, Uneven::Padded);
    if (!layout)
        layout.error().where.path = which;
    return layout;
}

/// The devices of one that are not among those of the other, the first of them.
std::int32_t firstMissing(const std::vector<std::int32_t>& devices, std::vector<std::int32_t> others)
{
    std::ranges::sort(others);
    const auto missing =
        std::ranges::find_if(devices, [&](std::int32_t device) { return !std::ranges::binary_search(others, device); });
    return missing == devices.end() ? -1 : *missing;
}

using Difference = ShardingComparison::Difference;

ShardingComparison findDifference(const Sharding& a, const Sharding& b, const Layout& layoutA, const Layout& layoutB)
{
    ShardingComparison result;
    result.relation = ShardingComparison::Relation::Different;
    result.addendsOfA = layoutA.addends();
    result.addendsOfB = layoutB.addends();
    const std::vector<std::int32_t> devicesA = devicesOf(a), devicesB = devicesOf(b);
    const Places placesA(layoutA), placesB(layoutB);
    const auto describe = [&](Difference difference, std::int32_t device) {
        result.difference = difference;
        result.device = device;
        if (const std::int64_t place = placesA.of(device); place >= 0)
            result.a = layoutA.rangesAt(place);
        if (const std::int64_t place = placesB.of(device); place >= 0)
            result.b = layoutB.rangesAt(place);
        return result;
    };
    if (const std::int32_t device = firstMissing(devicesA, devicesB); device >= 0) {
        result.inB = false;
        return describe(Difference::Devices, device);
    }
    if (const std::int32_t device = firstMissing(devicesB, devicesA); device >= 0) {
        result.inA = false;
        return describe(Difference::Devices, device);
    }
    const bool sameGrid = layoutA.shardGrid() == layoutB.shardGrid();
    for (const std::int32_t device : devicesA) {
        const std::int64_t placeA = placesA.of(device), placeB = placesB.of(device);
        if (placeA < 0 && placeB < 0)
            continue; // both leave it empty
        // Blocks of one grid are numbered alike, and mostly tell without the ranges; those after the array's end hold
        // the same nothing.
        const bool same = placeA >= 0 && placeB >= 0
            && ((sameGrid && layoutA.shardAt(placeA) == layoutB.shardAt(placeB))
                || layoutA.rangesAt(placeA) == layoutB.rangesAt(placeB));
        if (!same)
            return describe(Difference::Parts, device);
    }
    if (layoutA.addends() != layoutB.addends() && !devicesA.empty())
        return describe(Difference::Addends, devicesA.front());
    if (devicesA != devicesB) {
        const auto [first, other] = std::ranges::mismatch(devicesA, devicesB);
        return describe(Difference::DeviceOrder, first == devicesA.end() ? -1 : *first);
    }
    return describe(Difference::OtherArrays, -1);
}

} // namespace

Result<ShardingComparison> compare(const Sharding& a, const Sharding& b, std::span<const std::int64_t> shape)
{
    SHARDSCOPE_TRY(layoutA, layoutFor(a, shape, "a"));
    SHARDSCOPE_TRY(layoutB, layoutFor(b, shape, "b"));
    if (a == b)
        return ShardingComparison{};
    if (isEquivalent(a, b, shape.size())) {
        ShardingComparison result;
        result.relation = ShardingComparison::Relation::Equivalent;
        return result;
    }
    const bool sameElsewhere =
        isEquivalent(withMemoryKind(a, std::nullopt), withMemoryKind(b, std::nullopt), shape.size());
    if (sameElsewhere) {
        ShardingComparison result;
        result.relation = ShardingComparison::Relation::Different;
        result.difference = Difference::MemoryKind;
        return result;
    }
    return findDifference(a, b, *layoutA, *layoutB);
}

} // namespace shardscope
