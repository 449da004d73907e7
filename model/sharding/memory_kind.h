// SPDX-License-Identifier: GPL-3.0-or-later
// Memory kinds: in which memory of its devices a sharded array lies. Part of a sharding: it is printed with it, and two
// shardings that differ in it are neither equal nor equivalent (jax.sharding, memories).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"

namespace shardscope {

enum class MemoryKind : std::uint8_t {
    Device, ///< of the accelerator; the default on TPU and GPU
    PinnedHost, ///< of the host, page-locked, reachable for the device: where arrays are offloaded to
    UnpinnedHost, ///< of the host, pageable; the default on CPU, absent on GPU
};

/// "device", "pinned_host", "unpinned_host".
[[nodiscard]] std::string_view toString(MemoryKind kind);
[[nodiscard]] std::span<const MemoryKind> memoryKinds();
/// Those that devices of a platform ("cpu", "gpu", "tpu") can address; all for a platform that is not known.
[[nodiscard]] std::vector<MemoryKind> memoryKinds(std::string_view platform);
[[nodiscard]] MemoryKind defaultMemoryKind(std::string_view platform);

/// Error: UnknownMemoryKind for another word.
[[nodiscard]] Result<MemoryKind> parseMemoryKind(std::string_view text);
/// What a sharding's memory kind stands for on a platform: nothing said is the platform's default, as JAX fills it in
/// when a sharding is made. Error: UnknownMemoryKind where the platform lacks it.
[[nodiscard]] Result<MemoryKind> settledMemoryKind(std::optional<MemoryKind> kind, std::string_view platform);

} // namespace shardscope
