// SPDX-License-Identifier: GPL-3.0-or-later
#include "mesh/ring_orders.h"

#include <algorithm>
#include <array>
#include <tuple>

namespace shardscope {

namespace {

constexpr std::array<std::int32_t, 8> tray{ 0, 1, 2, 3, 6, 7, 4, 5 }; // four chips of two cores
constexpr std::array<std::int32_t, 4> square{ 0, 1, 3, 2 };
constexpr std::array<std::int32_t, 8> board{ 0, 1, 2, 3, 7, 6, 5, 4 }; // two rows of four
constexpr std::array<std::int32_t, 8> boardCube{ 0, 4, 2, 6, 1, 5, 3, 7 };
constexpr std::array<std::int32_t, 16> snake{ 0, 1, 2, 3, 7, 6, 5, 9, 10, 11, 15, 14, 13, 12, 8, 4 };
constexpr std::array<std::int32_t, 8> cube{ 0, 1, 3, 2, 6, 7, 5, 4 };

/// One more than the coordinates of the device that is last by x, then y, then z.
std::array<std::int32_t, 3> boundsOf(const DeviceList& devices)
{
    std::array<std::int32_t, 3> last = devices[0].coordinates;
    devices.forEach([&](const DevicePlace& place) { last = std::max(last, place.coordinates); });
    return { last[0] + 1, last[1] + 1, last[2] + 1 };
}

std::optional<RingOrder> orderOfV5e(std::span<const std::int64_t> shape, const DeviceList& devices)
{
    const std::int64_t count = devices.size();
    if (count != 4 && count != 8 && count != 16)
        return std::nullopt;
    const auto bounds = boundsOf(devices);
    if (count == 8)
        return bounds == std::array{ 2, 2, 2 } ? RingOrder{ OrderRule::BoardCube, boardCube, true }
                                               : RingOrder{ OrderRule::BoardRing, board, true };
    if (count == 4 && bounds == std::array{ 2, 2, 1 })
        return RingOrder{ OrderRule::SquareRing, square, true };
    const bool oneGroup = std::find(shape.begin(), shape.end(), count) != shape.end();
    if (count == 16 && bounds == std::array{ 4, 4, 1 } && oneGroup)
        return RingOrder{ OrderRule::BoardSnake, snake, true };
    return std::nullopt;
}

std::optional<RingOrder> orderOfTpu7(const DeviceList& devices)
{
    constexpr std::int64_t maxDevices = 32;
    if (devices.size() == 0 || devices.size() > maxDevices || devices.size() % 8 != 0)
        return std::nullopt;
    const auto bounds = boundsOf(devices);
    if (bounds[0] > 2 || bounds[1] > 2)
        return std::nullopt;
    return RingOrder{ OrderRule::ChipRings, tray, true };
}

} // namespace

std::optional<RingOrder> ringOrder(
    std::span<const std::int64_t> shape, const DeviceList& devices, MeshUtilsVersion version)
{
    switch (kindFamily(devices.set().kind, version)) {
    case KindFamily::V2V3:
        if (devices.size() == 8)
            return RingOrder{ OrderRule::TrayRing, tray, false };
        if (!shape.empty() && shape.back() == 8)
            return RingOrder{ OrderRule::TrayRingPerRow, tray, false };
        return RingOrder{ OrderRule::TrayAsListed, {}, false };
    case KindFamily::V4Lite:
    case KindFamily::Tpu8i:
        if (devices.size() == 4)
            return RingOrder{ OrderRule::SquareRing, square, false };
        return std::nullopt;
    case KindFamily::V5eV6e:
        return orderOfV5e(shape, devices);
    case KindFamily::V5p:
        if (devices.size() == 8 && boundsOf(devices) == std::array{ 2, 2, 2 })
            return RingOrder{ OrderRule::CubeRing, cube, true };
        return std::nullopt;
    case KindFamily::Tpu7:
        return orderOfTpu7(devices);
    case KindFamily::Other:
        break;
    }
    return std::nullopt;
}

std::vector<std::int32_t> applyRing(const RingOrder& order, const DeviceList& devices)
{
    std::vector<std::int32_t> listed;
    listed.reserve(static_cast<std::size_t>(devices.size()));
    if (order.sorted) { // at most 32 devices
        std::vector<DevicePlace> places;
        devices.forEach([&](const DevicePlace& place) { places.push_back(place); });
        const auto key = [](const DevicePlace& place) {
            return std::tuple(place.coordinates[2], place.coordinates[1], place.coordinates[0], place.core);
        };
        std::stable_sort(
            places.begin(), places.end(), [&](const DevicePlace& a, const DevicePlace& b) { return key(a) < key(b); });
        for (const DevicePlace& place : places)
            listed.push_back(place.id);
    } else {
        devices.forEach([&](const DevicePlace& place) { listed.push_back(place.id); });
    }
    if (order.ring.empty())
        return listed;
    std::vector<std::int32_t> ids;
    ids.reserve(listed.size());
    for (std::size_t group = 0; group < listed.size(); group += order.ring.size())
        for (const std::int32_t member : order.ring)
            ids.push_back(listed[group + static_cast<std::size_t>(member)]);
    return ids;
}

} // namespace shardscope
