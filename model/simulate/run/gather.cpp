// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulate/run/gather.h"

#include <algorithm>
#include <cstring>

#include "simulate/kernels/element.h"
#include "simulate/run/positions.h"
#include "simulate/run/shard_rows.h"

namespace shardscope {

std::vector<double> gathered(const FlatProgram& program, const DeviceMemory& memory, SlotId slot, FlatValueId id)
{
    const FlatValue& value = program.value(id);
    const Layout layout = inPlainOrder(program.layout(id));
    std::int64_t count = 1;
    for (const std::int64_t extent : layout.shape())
        count *= extent;
    std::vector<double> global(static_cast<std::size_t>(count), 0.0);
    for (std::int64_t shard = 0; shard < layout.distinctShards(); ++shard) {
        std::vector<bool> seen(static_cast<std::size_t>(layout.addends())); // the first holder of each counts
        for (const std::int32_t position : layout.holders(shard)) {
            const std::size_t addend = addendAt(layout, position);
            if (seen[addend])
                continue;
            seen[addend] = true;
            const std::byte* data = memory.address(static_cast<std::size_t>(position), slot);
            forEachRow(layout, position, value.localType.shape,
                [&](std::int64_t local, std::int64_t first, std::int64_t length) {
                    for (std::int64_t i = 0; i < length; ++i)
                        global[static_cast<std::size_t>(first + i)] +=
                            loadElement(value.localType.dtype, data, local + i);
                });
        }
    }
    return global;
}

std::optional<ReplicaDifference> differenceOfCopies(
    const FlatProgram& program, const DeviceMemory& memory, SlotId slot, FlatValueId id)
{
    const FlatValue& held = program.value(id);
    const Mesh& mesh = *program.mesh;
    const Layout layout = inPlainOrder(program.layout(id));
    const DType dtype = held.localType.dtype;
    const std::int64_t elementBytes = byteSize(dtype);
    std::optional<ReplicaDifference> found;
    for (std::int64_t shard = 0; shard < layout.distinctShards() && !found; ++shard) {
        std::vector<std::int32_t> firsts(static_cast<std::size_t>(layout.addends()), -1); // position of each addend
        for (const std::int32_t position : layout.holders(shard)) {
            std::int32_t& first = firsts[addendAt(layout, position)];
            if (first < 0) {
                first = position;
                continue;
            }
            const std::byte* a = memory.address(static_cast<std::size_t>(first), slot);
            const std::byte* b = memory.address(static_cast<std::size_t>(position), slot);
            forEachRow(layout, position, held.localType.shape,
                [&](std::int64_t local, std::int64_t global, std::int64_t length) {
                    const std::byte* const row = a + local * elementBytes;
                    const std::byte* const other = b + local * elementBytes;
                    if (found || std::memcmp(row, other, static_cast<std::size_t>(length * elementBytes)) == 0)
                        return;
                    const auto differs = std::mismatch(row, row + length * elementBytes, other).first;
                    const std::int64_t at = (differs - a) / elementBytes;
                    found = { global + at - local, mesh.deviceAt(first), mesh.deviceAt(position),
                        loadElement(dtype, a, at), loadElement(dtype, b, at) };
                });
            if (found)
                break;
        }
    }
    return found;
}

} // namespace shardscope
