// SPDX-License-Identifier: GPL-3.0-or-later
// Orders that JAX has for certain kinds and numbers of TPU devices, so that neighbours in the mesh are neighbours on
// the board. Source: jax.experimental.mesh_utils, 2026-08; v0.4.35 had those of TPU v2, v3 and v5e ("TPU v5 lite").
#pragma once

#include <optional>
#include <span>

#include "mesh/physical_mesh.h"

namespace shardscope {

struct RingOrder {
    OrderRule rule = OrderRule::TrayAsListed;
    std::span<const std::int32_t> ring; ///< of each group of ring.size() devices; empty: as they are
    bool sorted = false; ///< groups are formed of the devices sorted by z, y, x, core; otherwise as listed
};

/// The rule that takes precedence over any assignment of physical axes; nothing where there is none.
[[nodiscard]] std::optional<RingOrder> ringOrder(
    std::span<const std::int64_t> shape, const DeviceList& devices, MeshUtilsVersion version);
/// The ids in that order.
[[nodiscard]] std::vector<std::int32_t> applyRing(const RingOrder& order, const DeviceList& devices);

} // namespace shardscope
