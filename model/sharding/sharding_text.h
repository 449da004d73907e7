// SPDX-License-Identifier: GPL-3.0-or-later
// Shardings of all kinds as text: as JAX prints them, as XLA's HLO and Shardy write them, and back.
#pragma once

#include <string>
#include <string_view>

#include "sharding/sharding.h"
#include "sharding/text.h"

namespace shardscope {

/// How JAX prints specs, meshes and shardings.
enum class JaxVersion : std::uint8_t {
    Year2024, ///< PartitionSpec('x', None), Mesh('x': 2, 'y': 4)
    Current, ///< P('x', None), Mesh('x': 2, 'y': 4, axis_types=(Auto, Auto))
};
[[nodiscard]] std::string toJax(const PartitionSpec& spec, JaxVersion version);
[[nodiscard]] std::string toJax(const Mesh& mesh, JaxVersion version);
/// "NamedSharding(mesh=Mesh('x': 2, 'y': 4), spec=PartitionSpec('x', 'y'), memory_kind=device)" and so on.
[[nodiscard]] std::string toJax(const Sharding& sharding, JaxVersion version = JaxVersion::Year2024);
/// "CpuDevice(id=0)", "TpuDevice(id=0, process_index=0, coords=(0,0,0), core_on_chip=0)".
[[nodiscard]] std::string toJax(const Device& device);

/// Reads what any of the printers writes, but for a PositionalSharding of more than 1,000 cells, which is printed with
/// "..." in it; on its own devices or on those of `mesh`:
///     P('x', None)  ['x', null]  x, -             a spec on the mesh
///     NamedSharding(mesh=..., spec=...)           on its own mesh, or on the given one where that has the same axes
///     PositionalSharding([{CPU 0} {CPU 1}], shape=(2,))
///     PositionalSharding(devices).reshape(2, 4).replicate(axis=0)   with the mesh's devices, or [0, 1, ...] in place
///     SingleDeviceSharding(device=CpuDevice(id=0))
///     GSPMDSharding({...})  {devices=[2,1,4]<=[8] last_tile_dim_replicate}
///     #sdy.sharding<@mesh, [{"x"}, {?}]>
/// Without a mesh, HLO text is over as many devices as it has tiles. Errors: Syntax with line and column, MissingMesh,
/// and those of the single readers.
[[nodiscard]] Result<Sharding> parseSharding(std::string_view text, MeshPtr mesh = {});

/// Shardy's attribute: "#sdy.sharding<@mesh, [...]>", "<@mesh, [...]>", "<mesh<[\"x\"=2]>, [...]>". Errors: Syntax,
/// UnknownAxis, AxisUsedTwice, BadSubAxis, OverlappingAxes, AxisOrder (replicated and unreduced axes follow the mesh),
/// BadPriority, UnsupportedSharding, MeshMismatch (an inlined mesh that is not `mesh`).
[[nodiscard]] Result<TensorSharding> parseShardy(std::string_view text, const Mesh& mesh);
/// What stands between the mesh and the end of such an attribute, as people type it: "[{data, ?}, {}]",
/// "[{model:(1)2}p1,
/// {}], replicated={\"my axis\"}". Names that are words need no quotes. Errors as above, placed within this text.
[[nodiscard]] Result<TensorSharding> parseDimensions(std::string_view text, const Mesh& mesh);
/// The same as text, with quotes where they are needed.
[[nodiscard]] std::string dimensionsText(const TensorSharding& sharding, const Mesh& mesh);
/// "#sdy.mesh<[\"x\"=2, \"y\"=4]>", "<[...], device_ids=[1, 0]>".
[[nodiscard]] Result<Mesh> parseShardyMesh(std::string_view text);

} // namespace shardscope
