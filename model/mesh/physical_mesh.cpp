// SPDX-License-Identifier: GPL-3.0-or-later
#include "mesh/physical_mesh.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/codes.h"

namespace shardscope {

namespace {

constexpr std::size_t maxNamed = 4; ///< places named in an error

constexpr std::int64_t countable = std::int64_t{ 1 } << 40; ///< far more places than there can be devices

struct Box {
    std::array<std::int32_t, 4> low{}; ///< x, y, z, core
    std::array<std::int32_t, 4> high{};

    [[nodiscard]] std::int64_t size(std::size_t i) const { return std::int64_t{ high[i] } - low[i] + 1; }
    /// The number of places; at most `countable`.
    [[nodiscard]] std::int64_t volume() const
    {
        std::int64_t product = 1;
        for (std::size_t axis = 0; axis < 4; ++axis)
            product = std::min(product * size(axis), countable);
        return product;
    }
};

std::array<std::int32_t, 4> cornersOf(const DevicePlace& place)
{
    return { place.coordinates[0], place.coordinates[1], place.coordinates[2], place.core };
}

Box boxOf(const DeviceList& devices)
{
    Box box{ cornersOf(devices[0]), cornersOf(devices[0]) };
    devices.forEach([&](const DevicePlace& place) {
        const auto corner = cornersOf(place);
        for (std::size_t axis = 0; axis < 4; ++axis) {
            box.low[axis] = std::min(box.low[axis], corner[axis]);
            box.high[axis] = std::max(box.high[axis], corner[axis]);
        }
    });
    return box;
}

/// Position of a device in the row-major box x, y, z, core.
std::int64_t indexIn(const Box& box, const DevicePlace& place)
{
    std::int64_t index = 0;
    const auto corner = cornersOf(place);
    for (std::size_t axis = 0; axis < 4; ++axis)
        index = index * box.size(axis) + corner[axis] - box.low[axis];
    return index;
}

std::string placeText(const Box& box, std::int64_t index)
{
    std::string text;
    for (std::size_t axis = 4; axis-- > 0;) {
        const std::int64_t value = box.low[axis] + index % box.size(axis);
        index /= box.size(axis);
        if (axis < 3)
            text = std::to_string(value) + (text.empty() ? "" : "," + text);
        else if (box.size(axis) > 1)
            text = "core " + std::to_string(value);
    }
    return "(" + text + ")";
}

/// The first places of the box where there is no device. Boxes can be far larger than the list.
std::vector<std::string> missingPlaces(const Box& box, const DeviceList& devices)
{
    if (box.volume() == countable)
        return {};
    std::vector<std::int64_t> taken;
    devices.forEach([&](const DevicePlace& place) { taken.push_back(indexIn(box, place)); });
    std::sort(taken.begin(), taken.end());
    taken.erase(std::unique(taken.begin(), taken.end()), taken.end());
    std::vector<std::string> missing;
    auto next = taken.begin();
    for (std::int64_t index = 0; index < box.volume() && missing.size() < maxNamed; ++index) {
        if (next != taken.end() && *next == index)
            ++next;
        else
            missing.push_back(placeText(box, index));
    }
    return missing;
}

std::size_t slicesOf(const DeviceList& devices)
{
    std::set<std::int32_t> slices;
    devices.forEach([&](const DevicePlace& place) { slices.insert(place.slice); });
    return slices.size();
}

/// The first two devices of one slice that stand at the same place.
std::optional<std::pair<DevicePlace, DevicePlace>> firstAtOnePlace(const DeviceList& devices)
{
    std::map<std::array<std::int32_t, 4>, DevicePlace> taken;
    std::optional<std::pair<DevicePlace, DevicePlace>> found;
    devices.forEach([&](const DevicePlace& place) {
        if (found)
            return;
        if (const auto [other, isNew] = taken.emplace(cornersOf(place), place); !isNew)
            found.emplace(other->second, place);
    });
    return found;
}

std::string boxText(const Box& box)
{
    std::string text;
    for (std::size_t axis = 0; axis < 4; ++axis)
        if (axis < 3 || box.size(axis) > 1)
            text += (axis == 0 ? "" : "x") + std::to_string(box.size(axis));
    return text;
}

} // namespace

KindFamily kindFamily(std::string_view kind, MeshUtilsVersion version)
{
    using enum KindFamily;
    if (kind == "TPU v2" || kind == "TPU v3")
        return V2V3;
    if (kind == "TPU v5 lite")
        return V5eV6e;
    if (version == MeshUtilsVersion::V0_4_35)
        return Other;
    if (kind == "TPU v5e" || kind == "TPU v6 lite")
        return V5eV6e;
    if (kind == "TPU v4 lite")
        return V4Lite;
    if (kind == "TPU v5p" || kind == "TPU v5")
        return V5p;
    if (kind == "TPU7" || kind == "TPU7x")
        return Tpu7;
    return kind == "TPU8i" ? Tpu8i : Other;
}

Result<PhysicalMesh> physicalTpuMesh(const DeviceList& devices, MeshUtilsVersion version)
{
    const DeviceSet& set = devices.set();
    if (devices.size() == 0)
        return fail(Code::DevicesDoNotFillBox, { { "box", "0x0x0" }, { "devices", 0 } });
    const Box box = boxOf(devices);
    if (box.volume() != devices.size()) {
        std::vector<Arg> args{ { "box", boxText(box) }, { "places", box.volume() }, { "devices", devices.size() },
            { "missing", missingPlaces(box, devices) } };
        if (const std::size_t slices = slicesOf(devices); slices > 1)
            args.emplace_back("slices", slices);
        else if (const auto pair = firstAtOnePlace(devices))
            args.insert(args.end(),
                { { "first", pair->first.id }, { "second", pair->second.id },
                    { "place", placeText(box, indexIn(box, pair->first)) } });
        return fail(Code::DevicesDoNotFillBox, std::move(args));
    }

    const KindFamily family = kindFamily(set.kind, version);
    const bool coresAreDevices = family == KindFamily::V2V3 || family == KindFamily::Tpu7 || family == KindFamily::Tpu8i
        || (family == KindFamily::V5p && box.size(3) > 1);
    if (!coresAreDevices && box.high[3] != 0)
        return fail(Code::NeedsOneDevicePerChip, { { "kind", set.kind }, { "core", box.high[3] } });

    PhysicalMesh mesh;
    for (std::size_t axis = 0; axis < 4; ++axis) {
        const bool flat = family == KindFamily::V2V3 && axis == 2 && box.size(2) == 1; // these machines are flat
        if (axis == 3 ? coresAreDevices : !flat)
            mesh.axes.push_back({ "xyzc"[axis], box.size(axis) });
    }
    constexpr std::int32_t none = -1;
    mesh.ids.assign(static_cast<std::size_t>(devices.size()), none);
    std::vector<std::string> twice;
    devices.forEach([&](const DevicePlace& place) {
        const std::int64_t index = indexIn(box, place);
        std::int32_t& id = mesh.ids[static_cast<std::size_t>(index)];
        if (id != none && twice.size() < maxNamed)
            twice.push_back(placeText(box, index));
        id = place.id;
    });
    if (!twice.empty())
        return fail(Code::NotACuboid,
            { { "box", boxText(box) }, { "twice", twice }, { "missing", missingPlaces(box, devices) } });
    return mesh;
}

} // namespace shardscope
