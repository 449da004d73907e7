// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulate/gather.h"

#include <algorithm>
#include <cstring>

#include "simulate/element.h"
#include "simulate/shard_rows.h"

namespace shardscope {

namespace {

/// The coordinates of a device along the axes over which an array is still to be added up, as one number.
std::int64_t addendAt(const Layout& layout, std::int64_t position)
{
    std::int64_t addend = 0;
    for (const AxisRef& ref : layout.sharding().unreduced) {
        const auto axis = static_cast<std::size_t>(ref.axis);
        const std::int64_t minor = layout.mesh().size(axis) / ref.next();
        addend = addend * ref.size + layout.mesh().coordinate(position, axis) / minor % ref.size;
    }
    return addend;
}

} // namespace

std::vector<double> gathered(const DeviceProgram& program, const DeviceMemory& memory, SlotId slot, DeviceValueId id)
{
    const DeviceValue& value = program.value(id);
    const Layout layout = program.layout(id);
    const Mesh& mesh = layout.mesh();
    std::int64_t count = 1;
    for (const std::int64_t extent : layout.shape())
        count *= extent;
    std::vector<double> global(static_cast<std::size_t>(count), 0.0);
    for (std::int64_t shard = 0; shard < layout.distinctShards(); ++shard) {
        std::vector<std::int64_t> seen; // addends; the first holder of each counts
        for (const std::int32_t device : layout.holders(shard)) {
            const std::int64_t position = mesh.positionOf(device);
            const std::int64_t addend = addendAt(layout, position);
            if (std::find(seen.begin(), seen.end(), addend) != seen.end())
                continue;
            seen.push_back(addend);
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
    const DeviceProgram& program, const DeviceMemory& memory, SlotId slot, DeviceValueId id)
{
    const DeviceValue& held = program.value(id);
    const Layout layout = program.layout(id);
    const Mesh& mesh = layout.mesh();
    const DType dtype = held.localType.dtype;
    const std::int64_t elementBytes = byteSize(dtype);
    std::optional<ReplicaDifference> found;
    for (std::int64_t shard = 0; shard < layout.distinctShards() && !found; ++shard) {
        std::vector<std::pair<std::int64_t, std::int64_t>> firsts; // addend, position
        for (const std::int32_t device : layout.holders(shard)) {
            const std::int64_t position = mesh.positionOf(device);
            const std::int64_t addend = addendAt(layout, position);
            const auto first = std::find_if(
                firsts.begin(), firsts.end(), [addend](const auto& entry) { return entry.first == addend; });
            if (first == firsts.end()) {
                firsts.emplace_back(addend, position);
                continue;
            }
            const std::byte* a = memory.address(static_cast<std::size_t>(first->second), slot);
            const std::byte* b = memory.address(static_cast<std::size_t>(position), slot);
            forEachRow(layout, position, held.localType.shape,
                [&](std::int64_t local, std::int64_t global, std::int64_t length) {
                    const std::byte* const row = a + local * elementBytes;
                    const std::byte* const other = b + local * elementBytes;
                    if (found || std::memcmp(row, other, static_cast<std::size_t>(length * elementBytes)) == 0)
                        return;
                    const auto differs = std::mismatch(row, row + length * elementBytes, other).first;
                    const std::int64_t at = (differs - a) / elementBytes;
                    found = { global + at - local, mesh.deviceAt(first->second), device, loadElement(dtype, a, at),
                        loadElement(dtype, b, at) };
                });
            if (found)
                break;
        }
    }
    return found;
}

} // namespace shardscope
