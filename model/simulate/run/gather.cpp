// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulate/run/gather.h"

#include <algorithm>
#include <complex>
#include <cstring>

#include "simulate/kernels/element.h"
#include "simulate/run/positions.h"
#include "simulate/run/shard_rows.h"

namespace shardscope {

namespace {

/// What a device holds in a slot, by its position in the mesh of `how`: memory counts by the program's mesh.
const std::byte* addressAt(
    const FlatProgram& program, const DeviceMemory& memory, SlotId slot, const ShardedArray& how, std::int32_t position)
{
    const std::int64_t own = how.mesh ? program.mesh->positionOf(how.mesh->deviceAt(position)) : position;
    return memory.address(static_cast<std::size_t>(own), slot);
}

} // namespace

ShardedArray formOf(const FlatProgram& program, FlatValueId id)
{
    const FlatValue& value = program.value(id);
    return { { value.localType.dtype, value.fullShape }, value.sharding, ReduceKind::Sum, value.otherMesh };
}

std::vector<double> gathered(
    const FlatProgram& program, const DeviceMemory& memory, SlotId slot, const ShardedArray& how)
{
    const Layout layout = inPlainOrder(Layout(how.over(program.mesh), how.sharding, how.type.shape));
    std::int64_t count = 1;
    for (const std::int64_t extent : layout.shape())
        count *= extent;
    std::vector<double> global(static_cast<std::size_t>(count), 0.0);
    // Magnitudes cannot be added up, parts can.
    const DType dtype = how.type.dtype, part = realPart(dtype);
    std::vector<std::complex<double>> sums(isComplex(dtype) ? global.size() : 0);
    for (std::int64_t shard = 0; shard < layout.distinctShards(); ++shard) {
        std::vector<bool> seen(static_cast<std::size_t>(layout.addends())); // the first holder of each counts
        for (const std::int32_t position : layout.holders(shard)) {
            const std::size_t addend = addendAt(layout, position);
            if (seen[addend])
                continue;
            seen[addend] = true;
            const std::byte* data = addressAt(program, memory, slot, how, position);
            forEachRow(layout, position, layout.shardShape(),
                [&](std::int64_t local, std::int64_t first, std::int64_t length) {
                    for (std::int64_t i = 0; i < length; ++i) {
                        const auto at = static_cast<std::size_t>(first + i);
                        if (sums.empty())
                            global[at] += loadElement(dtype, data, local + i);
                        else
                            sums[at] += std::complex(
                                loadElement(part, data, 2 * (local + i)), loadElement(part, data, 2 * (local + i) + 1));
                    }
                });
        }
    }
    std::transform(
        sums.begin(), sums.end(), global.begin(), [](std::complex<double> number) { return std::abs(number); });
    return global;
}

std::optional<ReplicaDifference> differenceOfCopies(
    const FlatProgram& program, const DeviceMemory& memory, SlotId slot, const ShardedArray& how)
{
    const Mesh& mesh = *how.over(program.mesh);
    const Layout layout = inPlainOrder(Layout(how.over(program.mesh), how.sharding, how.type.shape));
    const DType dtype = how.type.dtype;
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
            const std::byte* a = addressAt(program, memory, slot, how, first);
            const std::byte* b = addressAt(program, memory, slot, how, position);
            forEachRow(layout, position, layout.shardShape(),
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
