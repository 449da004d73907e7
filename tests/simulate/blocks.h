// SPDX-License-Identifier: GPL-3.0-or-later
// Full arrays as blocks on devices and back, and programs over blocks (shard_map) run on simulated devices.
#pragma once

#include "simulate/block_program.h"
#include "simulate/executed.h"

namespace shardscope::test {

using kernels::Array;
using kernels::Arrays;
using kernels::copyBox;
using kernels::stridesOf;

inline Array partOf(const Array& array, std::size_t dimension, std::int64_t part, std::int64_t parts)
{
    TensorType type = array.type;
    type.shape[dimension] /= parts;
    Array result = Array::make(type);
    const Shape from = stridesOf(array.type.shape);
    if (result.count() > 0)
        copyBox(type.shape, result.data(), stridesOf(type.shape),
            array.data() + part * type.shape[dimension] * from[dimension] * array.elementBytes(), from,
            array.elementBytes());
    return result;
}

inline Array joined(std::span<const Array> arrays, std::size_t dimension)
{
    TensorType type = arrays[0].type;
    type.shape[dimension] = 0;
    for (const Array& array : arrays)
        type.shape[dimension] += array.type.shape[dimension];
    Array result = Array::make(type);
    const Shape to = stridesOf(type.shape);
    std::int64_t offset = 0;
    for (const Array& array : arrays) {
        if (array.count() > 0)
            copyBox(array.type.shape, result.data() + offset * to[dimension] * array.elementBytes(), to, array.data(),
                stridesOf(array.type.shape), array.elementBytes());
        offset += array.type.shape[dimension];
    }
    return result;
}

/// How a dimension lies on a position.
struct DimensionShards {
    std::int64_t count = 1, place = 0;
};

/// Number of shards of a dimension, and which one a position holds.
inline DimensionShards shardingOf(const std::vector<std::string>& axes, const Mesh& mesh, std::int64_t position)
{
    DimensionShards found;
    for (const std::string& axis : axes) {
        const std::size_t index = *mesh.axisIndex(axis);
        found.count *= mesh.size(index);
        found.place = found.place * mesh.size(index) + mesh.coordinate(position, index);
    }
    return found;
}

/// The block of a position of the mesh; sizes divide.
inline Array blockOf(const Array& full, const PartitionSpec& spec, const Mesh& mesh, std::int64_t position)
{
    Array block = full;
    for (std::size_t d = 0; d < full.type.rank(); ++d)
        if (const DimensionShards shards = shardingOf(spec.axesOf(d), mesh, position); shards.count > 1)
            block = partOf(block, d, shards.place, shards.count);
    return block;
}

/// Blocks by position, side by side. Where several positions hold a place, the block of the first one counts.
inline Array assembled(std::span<const Array> blocks, const PartitionSpec& spec, const Mesh& mesh)
{
    const auto assemble = [&](auto self, std::size_t d, std::int64_t position) -> Array {
        if (d == blocks[0].type.rank())
            return blocks[static_cast<std::size_t>(position)];
        const std::vector<std::string>& axes = spec.axesOf(d);
        if (axes.empty())
            return self(self, d + 1, position);
        Arrays parts;
        for (std::int64_t place = 0; place < shardingOf(axes, mesh, 0).count; ++place) {
            std::int64_t at = position, left = place;
            for (std::size_t i = axes.size(); i-- > 0;) {
                const std::size_t axis = *mesh.axisIndex(axes[i]);
                at += left % mesh.size(axis) * mesh.stride(axis);
                left /= mesh.size(axis);
            }
            parts.push_back(self(self, d + 1, at));
        }
        return joined(parts, d);
    };
    return assemble(assemble, 0, 0);
}

struct BlockResults {
    std::vector<Array> blocks; ///< by position of the mesh
    Array full;
    bool copiesDiffer = false; ///< blocks that `spec` says are equal are not
};

/// Errors: those of validate() for inputs, and of execute().
inline Result<BlockResults> runBlocks(const BlockProgram& block, const std::vector<Array>& inputs,
    const std::vector<PartitionSpec>& inSpecs, const PartitionSpec& outSpec)
{
    const Mesh& mesh = *block.mesh;
    for (std::size_t i = 0; i < inputs.size(); ++i)
        if (auto valid = validate(inSpecs[i], mesh, inputs[i].type.shape); !valid)
            return tl::unexpected(valid.error());
    std::vector<Arrays> arguments(static_cast<std::size_t>(mesh.deviceCount()));
    for (std::int64_t position = 0; position < mesh.deviceCount(); ++position)
        for (std::size_t i = 0; i < inputs.size(); ++i)
            arguments[static_cast<std::size_t>(mesh.deviceAt(position))].push_back(
                blockOf(inputs[i], inSpecs[i], mesh, position));
    const auto done = executeLocally(block.program, arguments);
    if (!done)
        return tl::unexpected(done.error());
    BlockResults results;
    for (std::int64_t position = 0; position < mesh.deviceCount(); ++position)
        results.blocks.push_back(done->shards[static_cast<std::size_t>(mesh.deviceAt(position))][0]);
    results.full = assembled(results.blocks, outSpec, mesh);
    for (std::int64_t position = 0; position < mesh.deviceCount(); ++position) {
        const Array &held = results.blocks[static_cast<std::size_t>(position)],
                    expected = blockOf(results.full, outSpec, mesh, position);
        results.copiesDiffer = results.copiesDiffer
            || std::memcmp(held.data(), expected.data(), static_cast<std::size_t>(held.type.byteCount())) != 0;
    }
    return results;
}

} // namespace shardscope::test
