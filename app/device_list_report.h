// SPDX-License-Identifier: GPL-3.0-or-later
// The devices of a machine one by one, as jax.devices() lists them, and how far the machine extends.
#pragma once

#include "mesh/device_set.h"
#include "report.h"

namespace shardscope::cli {

/// T5X's bounds_from_last_device: chips along x, y and z and cores of a chip, from the device that is listed last;
/// without coordinates the hosts and the devices of one.
///     tpu-v3:2x2: [2, 2, 1, 2]; gpu:2x8: [2, 8]
[[nodiscard]] Json boundsJson(const DeviceSet& set);

/// A list of every device in the order of listing: `device`, its number; `process`; of TPUs `coordinates` (x, y, z),
/// `core` and `slice` as well.
[[nodiscard]] Json deviceListJson(const DeviceSet& set);

/// The same as text: the bounds, and at most 64 devices as JAX prints them.
void printDeviceList(Console& console, const DeviceSet& set);

} // namespace shardscope::cli
