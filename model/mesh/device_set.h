// SPDX-License-Identifier: GPL-3.0-or-later
// The devices that a mesh is laid over. A set is a description; single devices are derived from it on demand.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace shardscope {

struct Device {
    std::int32_t id = 0;
    std::int32_t process = 0; ///< host that the device belongs to
    std::array<std::int32_t, 3> coordinates {}; ///< on the chip grid, x y z
    std::int32_t core = 0; ///< core on the chip
    std::int32_t slice = 0;
    std::string kind; ///< "generic-cpu"
    std::string platform; ///< "cpu", "gpu" or "tpu"
    bool operator==(const Device&) const = default;
};

/// `hosts` x `devicesPerHost` devices on one slice; ids count through host after host.
struct DeviceSet {
    std::string kind = "generic-cpu";
    std::string platform = "cpu";
    std::int32_t hosts = 1;
    std::int32_t devicesPerHost = 8;

    [[nodiscard]] std::int64_t count() const { return std::int64_t { hosts } * devicesPerHost; }
    [[nodiscard]] Device device(std::int32_t id) const
    {
        return { id, id / devicesPerHost, { id % devicesPerHost, id / devicesPerHost, 0 }, 0, 0, kind, platform };
    }
    bool operator==(const DeviceSet&) const = default;
};

} // namespace shardscope
