// SPDX-License-Identifier: GPL-3.0-or-later
// Places of devices by id, and the links between them. No object per device: places are worked out from the set.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "mesh/device_set.h"

namespace shardscope {

class DevicePlaces {
public:
    explicit DevicePlaces(DeviceSet set);

    [[nodiscard]] const DeviceSet& set() const { return m_set; }
    [[nodiscard]] std::int64_t count() const { return m_set.count(); }
    [[nodiscard]] bool has(std::int32_t id) const;
    /// The device of that id, which must be there; at once, in an own list too.
    [[nodiscard]] DevicePlace operator[](std::int32_t id) const
    {
        return m_positions.empty() ? m_set.place(id)
                                   : m_set.own[static_cast<std::size_t>(m_positions[static_cast<std::size_t>(id)])];
    }
    [[nodiscard]] std::int32_t host(std::int32_t id) const
    {
        return m_hostsAreRuns ? id / m_set.devicesPerHost : (*this)[id].process;
    }
    /// Whether each host has as many ids in a row, the first host the first ones: not on chips in blocks, nor in an own
    /// list.
    ///     2 x 2 x 4 chips, hosts of 2 x 2 x 1: 0 1 2 3, 4 5 6 7, ...; 4 x 2, hosts of 2 x 2: 0 1 4 5, 2 3 6 7
    [[nodiscard]] bool hostsAreRuns() const { return m_hostsAreRuns; }

    /// Fast links join the devices of one slice where TPUs have coordinates on a grid of chips, and those of one host
    /// elsewhere.
    [[nodiscard]] bool slicesAreFast() const
    {
        return m_set.hasChipGrid() || (!m_set.own.empty() && m_set.hasCoordinates());
    }
    /// Number of the slice or the host.
    [[nodiscard]] std::int32_t fastGroup(std::int32_t id) const
    {
        return slicesAreFast() ? (*this)[id].slice : host(id);
    }
    [[nodiscard]] std::int32_t fastGroups() const { return slicesAreFast() ? m_set.slices : m_set.hosts; }

    bool operator==(const DevicePlaces& other) const { return m_set == other.m_set; }

private:
    DeviceSet m_set;
    bool m_hostsAreRuns = false;
    std::vector<std::int32_t> m_positions; ///< in an own list, by id; -1 = no such device
};

using DevicePlacesPtr = std::shared_ptr<const DevicePlaces>;

/// Whether the ids are 0 .. n-1, as a mesh of all devices needs them; otherwise the first one that is missing.
[[nodiscard]] std::optional<std::int32_t> missingId(const DeviceSet& set);

/// Along which directions of the chip grid the last chip is linked to the first one. TPU v4, v5p and v7: where all
/// sizes are multiples of 4, every one; v5e and v6e: those of full length 16; v2 and v3: whole pods of 16 x 16 and 32
/// x 32. Nothing is assumed of other kinds and of own lists.
[[nodiscard]] std::array<bool, 3> wraparound(const DeviceSet& set);
/// Links from chip to chip between two devices of one slice, the shortest way; 0 on one chip. Absent between slices and
/// where there is no chip grid.
[[nodiscard]] std::optional<std::int64_t> linksBetween(
    const DevicePlaces& places, std::array<bool, 3> wraps, std::int32_t from, std::int32_t to);

/// A grid of so many chips along as many directions as the preset of that kind has, as near to a cube (a square) as the
/// number allows, the largest size last; absent for kinds without a chip grid.
///     TPU v4, 128 chips: 4 x 4 x 8; TPU v5 lite, 32 chips: 4 x 8
[[nodiscard]] std::optional<std::array<std::int32_t, 3>> usualChips(std::string_view kind, std::int64_t chips);

} // namespace shardscope
