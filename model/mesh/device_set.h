// SPDX-License-Identifier: GPL-3.0-or-later
// The devices that a mesh is laid over. A set is a description; single devices are derived from it on demand.
//
// There are three forms of description:
//  - hosts x devices per host, without a chip grid (CPUs, GPUs);
//  - TPU slices: a grid of chips, split into blocks of chips that belong to one host, with one or more cores per chip;
//  - an own list, device by device.
// A set has an order in which its devices are listed, as jax.devices() has one. Of TPU slices it is: slice, then hosts
// with x fastest, then the chips of a host with x fastest, then cores. Ids count through the whole grid with x fastest,
// whatever the hosts:
//     4x2 chips, hosts of 2x2, listed: ids 0 1 4 5 (host 0), 2 3 6 7 (host 1).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/diagnostics.h"

namespace shardscope {

/// Where a device is.
struct DevicePlace {
    std::int32_t id = 0;
    std::int32_t process = 0; ///< host that the device belongs to
    std::array<std::int32_t, 3> coordinates{}; ///< on the chip grid, x y z
    std::int32_t core = 0; ///< core on the chip
    std::int32_t slice = 0;
    bool operator==(const DevicePlace&) const = default;
};

struct Device : DevicePlace {
    std::string kind; ///< "generic-cpu", "TPU v4"
    std::string platform; ///< "cpu", "gpu" or "tpu"
    bool operator==(const Device&) const = default;
};

struct DeviceSet {
    std::string kind = "generic-cpu";
    std::string platform = "cpu";
    std::int32_t hosts = 1; ///< of all slices together
    std::int32_t devicesPerHost = 8; ///< of the largest host, in an own list
    /// Chips of one slice along x, y and z; zeros where there is no chip grid.
    std::array<std::int32_t, 3> chips{};
    std::array<std::int32_t, 3> hostChips{}; ///< the block of chips of one host; divides `chips`
    std::int32_t coresPerChip = 1; ///< devices on a chip
    std::int32_t slices = 1;
    std::vector<DevicePlace> own{}; ///< an own list, in the order of listing; all else is derived

    /// Hosts x devices per host.
    static DeviceSet ofHosts(std::string kind, std::string platform, std::int32_t hosts, std::int32_t devicesPerHost);
    /// TPU slices. `hostChips` must divide `chips`. Errors: OutOfRange for sizes below 1 and for host blocks that do
    /// not divide, TooLarge.
    static Result<DeviceSet> ofChips(std::string kind, std::array<std::int32_t, 3> chips,
        std::array<std::int32_t, 3> hostChips, std::int32_t coresPerChip = 1, std::int32_t slices = 1);
    /// Host blocks of at most 2 x 2 x 1 chips, as all of these machines have them.
    static std::array<std::int32_t, 3> usualHostChips(std::array<std::int32_t, 3> chips);
    /// An own list. Errors: OutOfRange for an empty list and for negative numbers, DuplicateDevice, TooLarge.
    static Result<DeviceSet> ofList(std::string kind, std::string platform, std::vector<DevicePlace> places);

    [[nodiscard]] std::int64_t count() const
    {
        return own.empty() ? std::int64_t{ hosts } * devicesPerHost : static_cast<std::int64_t>(own.size());
    }
    [[nodiscard]] bool hasChipGrid() const { return own.empty() && chips[0] > 0; }
    /// JAX gives coordinates, cores and slices to TPUs alone.
    [[nodiscard]] bool hasCoordinates() const { return platform == "tpu"; }

    /// The device listed at a position, 0 .. count()-1.
    [[nodiscard]] DevicePlace listed(std::int64_t position) const;
    /// The device of that id, which must be there; in an own list it is searched.
    [[nodiscard]] DevicePlace place(std::int32_t id) const;
    [[nodiscard]] Device device(std::int32_t id) const { return { place(id), kind, platform }; }

    bool operator==(const DeviceSet&) const = default;
};

/// Walks through the listing of a set without dividing for every device.
class DeviceCursor {
public:
    /// `position` may be the end, where there is no device.
    DeviceCursor(const DeviceSet& set, std::int64_t position);
    [[nodiscard]] const DevicePlace& operator*() const { return m_place; }
    DeviceCursor& operator++();

private:
    void compose();

    const DeviceSet* m_set;
    std::int64_t m_position;
    DevicePlace m_place;
    std::array<std::int32_t, 3> m_inHost{}; ///< the chip inside its host
    std::array<std::int32_t, 3> m_host{}; ///< the host inside its slice
    std::array<std::int32_t, 3> m_hosts{}; ///< hosts of a slice
};

/// Some devices of a set, in an order: all as listed, a part of the listing, or any positions of it.
class DeviceList {
public:
    /// Refers to the set, which must outlive the list.
    explicit DeviceList(const DeviceSet& set)
        : m_set(&set)
        , m_count(set.count())
    {
    }
    explicit DeviceList(const DeviceSet&&) = delete;

    [[nodiscard]] const DeviceSet& set() const { return *m_set; }
    [[nodiscard]] std::int64_t size() const { return m_count; }
    [[nodiscard]] DevicePlace operator[](std::int64_t index) const { return m_set->listed(position(index)); }
    /// The first devices of this list; `count` is at most size().
    [[nodiscard]] DeviceList first(std::int64_t count) const;
    /// These members of this list, by index.
    [[nodiscard]] DeviceList at(std::vector<std::int32_t> indices) const;

    /// Calls `visit(place)` for every device, in order.
    template <class Visit>
    void forEach(const Visit& visit) const
    {
        if (!m_positions.empty()) {
            for (const std::int32_t position : m_positions)
                visit(m_set->listed(position));
            return;
        }
        DeviceCursor cursor(*m_set, m_begin);
        for (std::int64_t i = 0; i < m_count; ++i, ++cursor)
            visit(*cursor);
    }

private:
    [[nodiscard]] std::int64_t position(std::int64_t index) const
    {
        return m_positions.empty() ? m_begin + index : m_positions[static_cast<std::size_t>(index)];
    }

    const DeviceSet* m_set;
    std::int64_t m_begin = 0;
    std::int64_t m_count;
    std::vector<std::int32_t> m_positions; ///< empty: m_count ones from m_begin on
};

} // namespace shardscope
