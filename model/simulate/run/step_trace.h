// SPDX-License-Identifier: GPL-3.0-or-later
// The times of the instructions of a step, by device, in memory that is taken before any step.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "simulate/run/run.h"

namespace shardscope {

/// Several workers may add at the same time, each for another device.
class StepTrace {
public:
    StepTrace() = default;
    /// Room for `room` instructions on each device; without room nothing is recorded.
    StepTrace(std::size_t devices, std::size_t room)
        : m_room(room)
        , m_devices(room > 0 ? devices : 0)
    {
        for (Device& device : m_devices)
            device.times.reserve(room);
    }
    [[nodiscard]] bool isOn() const { return m_room > 0; }
    void clear()
    {
        for (Device& device : m_devices) {
            device.times.clear();
            device.left = 0;
        }
    }
    void add(std::size_t position, const InstructionTime& time)
    {
        Device& device = m_devices[position];
        if (device.times.size() < m_room)
            device.times.push_back(time);
        else
            ++device.left;
    }
    [[nodiscard]] std::span<const InstructionTime> of(std::size_t position) const
    {
        return position < m_devices.size() ? std::span<const InstructionTime>(m_devices[position].times)
                                           : std::span<const InstructionTime>();
    }
    [[nodiscard]] std::int64_t left() const
    {
        std::int64_t all = 0;
        for (const Device& device : m_devices)
            all += device.left;
        return all;
    }
    [[nodiscard]] static double bytes(std::size_t devices, std::size_t room)
    {
        return static_cast<double>(devices) * static_cast<double>(room) * sizeof(InstructionTime);
    }

private:
    struct alignas(64) Device {
        std::vector<InstructionTime> times;
        std::int64_t left = 0; ///< for which there was no room
    };
    std::size_t m_room = 0;
    std::vector<Device> m_devices;
};

} // namespace shardscope
