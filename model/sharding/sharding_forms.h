// SPDX-License-Identifier: GPL-3.0-or-later
// One sharding in all the forms in which people meet it, and any of these forms read back.
//
//     on Mesh('x': 2, 'y': 4), rank 2:
//     Spec            PartitionSpec(None, 'y')
//     Named           NamedSharding(mesh=Mesh('x': 2, 'y': 4), spec=PartitionSpec(None, 'y'))
//     Positional      PositionalSharding([[{CPU 0, 4} {CPU 1, 5} {CPU 2, 6} {CPU 3, 7}]], shape=(1, 4))
//     PositionalCode  PositionalSharding(devices).reshape(2, 4).replicate(0)
//     HloV1           {devices=[1,4,2]0,4,1,5,2,6,3,7 last_tile_dim_replicate}
//     HloV2           {devices=[1,4,2]<=[2,4]T(1,0) last_tile_dim_replicate}
//     Gspmd           GSPMDSharding({devices=[1,4,2]<=[2,4]T(1,0) last_tile_dim_replicate})
//     Shardy          #sdy.sharding<@mesh, [{}, {"y"}]>
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sharding/sharding_text.h"

namespace shardscope {

enum class ShardingForm : std::uint8_t { Spec, Named, Positional, PositionalCode, HloV1, HloV2, Gspmd, Shardy };
[[nodiscard]] std::span<const ShardingForm> shardingForms();

/// Where a sharding is written down: the mesh that has the names, the rank of the array, and how JAX prints.
struct FormContext {
    MeshPtr mesh;
    std::size_t rank = 0;
    JaxVersion version = JaxVersion::Year2024;
    std::string platform = "cpu"; ///< of the devices, as PositionalSharding prints it
};

/// Devices that the text of that form names one by one; 0 where it does not grow with their number.
[[nodiscard]] std::int64_t listedDevices(const Sharding& sharding, ShardingForm form, const FormContext& context);
/// Errors: RankMismatch, SpecTooLong and those of validate(); NotOnMesh where the parts do not follow the axes of the
/// mesh; UnsupportedSharding for what the form has no way to say ("partial", "part of an axis", "manual", "unknown",
/// "maximal", "device list").
[[nodiscard]] Result<std::string> formText(const Sharding& sharding, ShardingForm form, const FormContext& context);

/// Reads what stands in the place of that form. Text that is plainly of another form is taken as that one, so that
/// anything can be pasted anywhere; a bare spec is taken as one only where a spec is expected. Errors: those of
/// parseSharding().
[[nodiscard]] Result<Sharding> readForm(std::string_view text, ShardingForm form, const MeshPtr& mesh);

/// The same parts as a grid of sets of devices. Errors: those of toHloSharding(); UnsupportedSharding.
[[nodiscard]] Result<PositionalSharding> toPositional(
    const Sharding& sharding, std::size_t rank, const std::string& platform = "cpu");

/// How a chain of operations on a PositionalSharding goes: each with the grid that it leaves.
struct PositionalStep {
    std::string operation; ///< "devices", ".reshape(2, 4)", ".T"
    Shape shape; ///< of the grid after it
    std::int64_t copies = 1; ///< devices per cell after it
    bool operator==(const PositionalStep&) const = default;
};
/// The steps of text such as "PositionalSharding(devices).reshape(2, 4).T"; empty for text that is no such chain.
[[nodiscard]] std::vector<PositionalStep> positionalSteps(std::string_view text, const MeshPtr& mesh);

} // namespace shardscope
