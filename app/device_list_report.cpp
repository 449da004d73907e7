// SPDX-License-Identifier: GPL-3.0-or-later
// Declared in mesh_report.h.
#include <algorithm>

#include <nlohmann/json.hpp>

#include "mesh/device_array.h"
#include "mesh/t5x_mesh.h"
#include "mesh_report.h"
#include "sharding/sharding_text.h"
#include "words/utf8.h"

namespace shardscope::cli {

namespace {

HardwareMesh boundsOf(const DeviceSet& set)
{
    const DeviceList devices(set);
    return set.hasCoordinates() ? boundsFromLastDevice(devices[devices.size() - 1])
                                : boundsFromLastDevice(hostCounts(devices));
}

} // namespace

Json boundsJson(const DeviceSet& set)
{
    return boundsOf(set);
}

Json deviceListJson(const DeviceSet& set)
{
    Json list = Json::array();
    DeviceList(set).forEach([&](const DevicePlace& place) {
        Json device{ { "device", place.id }, { "process", place.process } };
        if (set.hasCoordinates()) {
            device["coordinates"] = place.coordinates;
            device["core"] = place.core;
            device["slice"] = place.slice;
        }
        list.push_back(std::move(device));
    });
    return list;
}

void printDeviceList(Console& console, const DeviceSet& set)
{
    constexpr std::int64_t maxDevices = 64;
    QStringList sizes;
    for (const std::int32_t bound : boundsOf(set))
        sizes << QString::number(bound);
    const QString meaning =
        set.hasCoordinates() ? QStringLiteral("x, y, z, core") : QStringLiteral("hosts, devices of a host");
    console.heading(QStringLiteral("Coordinates"));
    console.line(QStringLiteral("  bounds %1 (%2)").arg(sizes.join(QStringLiteral(" × ")), meaning));
    const DeviceList devices(set);
    for (std::int64_t i = 0; i < std::min(devices.size(), maxDevices); ++i)
        console.line(QStringLiteral("  ") + words::fromStd(toJax(Device{ devices[i], set.kind, set.platform })));
    console.more(devices.size() - maxDevices);
}

} // namespace shardscope::cli
