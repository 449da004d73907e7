// SPDX-License-Identifier: GPL-3.0-or-later
// A sharding of any kind, as jax.sharding has them: which devices there are, and which part of an array each holds.
//
// Two shardings are equal where they are of one kind and say the same (JAX's `==`). They are equivalent for arrays of a
// rank where the same devices, in the same order, hold the same parts in the same memory (is_equivalent_to), of
// whatever kind they are.
#pragma once

#include <variant>
#include <vector>

#include "mesh/device_set.h"
#include "sharding/hlo_sharding.h"
#include "sharding/memory_kind.h"
#include "sharding/named_sharding.h"
#include "sharding/positional_sharding.h"

namespace shardscope {

/// All of the array on one device: where an array is that nobody sharded.
struct SingleDeviceSharding {
    Device device;
    std::optional<MemoryKind> memoryKind;
    bool operator==(const SingleDeviceSharding& other) const
    {
        return device.id == other.device.id && memoryKind == other.memoryKind;
    }
};

/// An HLO sharding over devices: what JAX has where no spec is known.
struct GspmdSharding {
    std::vector<std::int32_t> devices; ///< ids behind the device numbers
    HloSharding hlo;
    std::optional<MemoryKind> memoryKind;
    bool operator==(const GspmdSharding&) const = default;
};

/// Axes and parts of axes of a mesh, as Shardy has them. No class of JAX; what `sdy.sharding` attributes say.
struct ShardySharding {
    MeshPtr mesh;
    TensorSharding sharding;
    std::optional<MemoryKind> memoryKind;
    bool operator==(const ShardySharding& other) const;
};

using Sharding = std::variant<NamedSharding, PositionalSharding, SingleDeviceSharding, GspmdSharding, ShardySharding>;

/// Ids of its devices, in the order in which HLO numbers them.
[[nodiscard]] std::vector<std::int32_t> devicesOf(const Sharding& sharding);
[[nodiscard]] std::optional<MemoryKind> memoryKindOf(const Sharding& sharding);
[[nodiscard]] Sharding withMemoryKind(Sharding sharding, std::optional<MemoryKind> kind);

/// Errors: SpecTooLong, RankMismatch where the rank is not that of the sharding; those of validate() for a spec that
/// does not fit its mesh.
[[nodiscard]] Result<HloSharding> toHloSharding(const Sharding& sharding, std::size_t rank);
/// The same parts by axes of the mesh, whatever the kind. Errors: as above; NotOnMesh and others where that cannot be
/// said.
[[nodiscard]] Result<TensorSharding> toTensorSharding(const Sharding& sharding, const Mesh& mesh, std::size_t rank);

/// Whether dimensions may be split into parts of different sizes.
enum class Uneven : std::uint8_t {
    Refused, ///< as at the boundary of a jitted function: Indivisible
    Padded, ///< as XLA does it inside: every part as large as the first one
};
/// Who holds what of an array of that shape. Errors: as above; Indivisible.
[[nodiscard]] Result<Layout> layoutOf(
    const Sharding& sharding, std::span<const std::int64_t> shape, Uneven uneven = Uneven::Refused);

/// JAX's is_equivalent_to. False where one of the two cannot be applied to arrays of that rank.
[[nodiscard]] bool isEquivalent(const Sharding& a, const Sharding& b, std::size_t rank);

} // namespace shardscope
