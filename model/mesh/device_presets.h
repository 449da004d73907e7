// SPDX-License-Identifier: GPL-3.0-or-later
// Device sets as people write them:
//     cpu:8          eight devices of one host
//     cpu:2x4        two hosts of four
//     gpu:4x8        four hosts of eight
//     tpu-v4:4x4x4   a slice of 4x4x4 chips, hosts of 2x2x1 chips
//     tpu-v5e:2x4    chips of machines that are flat
//     2*tpu-v5e:4x4  two slices
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "mesh/device_set.h"

namespace shardscope {

struct DevicePreset {
    std::string_view name; ///< "tpu-v5e"
    std::string_view kind; ///< as JAX names it: "TPU v5 lite"
    std::string_view platform;
    int dimensions; ///< of the chip grid; for CPUs and GPUs the most sizes that can stand there
    int coresPerChip; ///< devices on a chip
    std::string_view example; ///< "tpu-v5e:4x4"
};
[[nodiscard]] std::span<const DevicePreset> devicePresets();

/// Reads the forms above. Errors with a column: Syntax, UnknownValue (value, known, nearest), OutOfRange, TooLarge.
[[nodiscard]] Result<DeviceSet> parseDevices(std::string_view text);

/// Reads an own list. A line is a device: its id, process, x, y, z, and if need be core and slice; for CPUs and GPUs id
/// and process are enough. Commas and brackets are blanks, a closing bracket ends a device, # begins a comment. A line
/// "kind: TPU v4" names the kind; without one it is "TPU v4", or that of CPUs and GPUs after "platform: cpu".
/// Errors with line and column: Syntax, UnknownValue, OutOfRange, DuplicateDevice, TooLarge.
[[nodiscard]] Result<DeviceSet> parseDeviceList(std::string_view text);

/// Any set as an own list, in its order of listing, which parseDeviceList() reads back.
[[nodiscard]] std::string toListText(const DeviceSet& set);

/// The short form of a derived set: "tpu-v4:4x4x4"; "list of 7 TPU v4 devices" and the like where there is none.
[[nodiscard]] std::string toText(const DeviceSet& set);

} // namespace shardscope
