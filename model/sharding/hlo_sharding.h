// SPDX-License-Identifier: GPL-3.0-or-later
// XLA's sharding of one array (xla::HloSharding): what HLO text says, over device numbers from 0.
//
//     {replicated}                                              every device holds all of it
//     {maximal device=3}                                        one device holds it
//     {devices=[2,1]<=[2]}                                      sharded in 2 along dimension 0
//     {devices=[2,1,4]<=[8] last_tile_dim_replicate}            the same, 4 copies of each half
//     {devices=[2,2,2]<=[8] last_tile_dims={manual, replicated}}  sharded in 2, in 2 groups that the program shards by
//     itself,
//                                                               2 copies
//
// Tiled shardings are always in XLA's normal form: subgroups of one type are one dimension, the replicated one is last
// and each of its groups ascending, none has size 1, and a tiling that shards nothing is {replicated}, {manual} or
// {unreduced}.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sharding/layout.h"
#include "sharding/tile_assignment.h"

namespace shardscope {

struct HloSharding {
    enum class Kind : std::uint8_t { Replicated, Maximal, Manual, Unknown, Unreduced, Tiled };
    /// What the devices of a trailing tile dimension have in common. In XLA's order.
    enum class Subgroup : std::uint8_t { Manual, Unreduced, Replicated };
    enum class Group : std::uint8_t { None, As, Like };

    Kind kind = Kind::Replicated;
    std::int64_t device = 0; ///< of Maximal
    TileAssignment tiles; ///< of Tiled: one dimension per array dimension, then one per subgroup
    std::vector<Subgroup> subgroups;
    Group group = Group::None; ///< "shard_as", "shard_like": sharded together with others of that number
    std::int64_t groupId = 0;
    std::string metadata; ///< as written, braces included; says nothing about who holds what

    static HloSharding of(Kind simple) { return { simple, 0, {}, {}, Group::None, 0, {} }; }
    /// In normal form. `subgroups` are the types of the last dimensions of `tiles`, at most as many as it has.
    static HloSharding tiled(TileAssignment tiles, std::vector<Subgroup> subgroups = {});

    /// Dimensions of the array that the tiles are of.
    [[nodiscard]] std::size_t tiledRank() const { return tiles.dims().size() - subgroups.size(); }
    /// Size of the subgroup of that type, 1 where there is none.
    [[nodiscard]] std::int64_t subgroupSize(Subgroup type) const;
    /// Same devices in the same tiles, in whatever form; metadata aside.
    bool operator==(const HloSharding& other) const;
};

enum class HloForm : std::uint8_t {
    AsIs, ///< lists stay lists
    V1, ///< device lists
    V2, ///< iotas, as far as there are any
};
[[nodiscard]] std::string toHlo(const HloSharding& sharding, HloForm form = HloForm::AsIs);
/// Reads any of the above, and text in quotes. Errors: Syntax with line and column, TileDevices, TooLarge,
/// UnsupportedSharding for tuples and for shardings over a named mesh (version 3).
[[nodiscard]] Result<HloSharding> parseHlo(std::string_view text);

/// As XLA verifies a sharding of an array; without a number of devices that is not checked. In XLA's order: OutOfRange
/// (device), DeviceTwice, RankMismatch, DeviceCount, SingleTile.
[[nodiscard]] Result<void> validate(
    const HloSharding& sharding, std::span<const std::int64_t> shape, std::optional<std::int64_t> devices = {});

/// What JAX makes of a spec on a mesh. Axes of size 1 are left out, since XLA does not see them.
[[nodiscard]] HloSharding toHloSharding(const PartitionSpec& spec, const Mesh& mesh, std::size_t rank);
/// The same with parts of axes and partial sums; `manual` axes are sharded by the program itself. No two refs overlap.
[[nodiscard]] HloSharding toHloSharding(
    const TensorSharding& sharding, const Mesh& mesh, std::span<const AxisRef> manual = {});
/// Back to axes of a mesh, all dimensions closed. Errors: UnsupportedSharding (maximal, manual, unknown),
/// RankMismatch, DeviceCount, NotOnMesh where the tiles do not follow (parts of) the mesh axes.
[[nodiscard]] Result<TensorSharding> toTensorSharding(const HloSharding& sharding, const Mesh& mesh, std::size_t rank);

/// Who holds what of an array, where `devices` lists the ids behind the device numbers. The layout's mesh has one axis
/// per tile dimension, with positions in tile order. Errors: those of validate(); UnsupportedSharding where the text
/// does not say who holds what (manual, unknown); TooLarge.
[[nodiscard]] Result<Layout> layoutOf(
    const HloSharding& sharding, std::span<const std::int32_t> devices, std::span<const std::int64_t> shape);

} // namespace shardscope
