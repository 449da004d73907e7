// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulate/evaluate/blocks.h"

#include <cstring>

#include "simulate/evaluate/interpreter.h"

namespace shardscope::evaluate {

namespace {

struct Cut {
    std::int64_t pieces = 1, place = 0;
};

/// Number of shards of a dimension, and which one a position holds.
Cut shardingOf(const std::vector<std::string>& axes, const Mesh& mesh, std::int64_t position)
{
    Cut cut;
    for (const std::string& axis : axes) {
        const std::size_t index = *mesh.axisIndex(axis);
        cut.pieces *= mesh.size(index);
        cut.place = cut.place * mesh.size(index) + mesh.coordinate(position, index);
    }
    return cut;
}

} // namespace

Array blockOf(const Array& whole, const PartitionSpec& spec, const Mesh& mesh, std::int64_t position)
{
    Array block = whole;
    for (std::size_t d = 0; d < whole.type.rank(); ++d)
        if (const Cut cut = shardingOf(spec.axesOf(d), mesh, position); cut.pieces > 1)
            block = partOf(block, d, cut.place, cut.pieces);
    return block;
}

Array assembled(std::span<const Array> blocks, const PartitionSpec& spec, const Mesh& mesh)
{
    const auto whole = [&](auto self, std::size_t d, std::int64_t position) -> Array {
        if (d == blocks[0].type.rank())
            return blocks[static_cast<std::size_t>(position)];
        const std::vector<std::string>& axes = spec.axesOf(d);
        if (axes.empty())
            return self(self, d + 1, position);
        Arrays parts;
        for (std::int64_t place = 0; place < shardingOf(axes, mesh, 0).pieces; ++place) {
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
    return whole(whole, 0, 0);
}

Result<BlockResults> runBlocks(const BlockProgram& block, const std::vector<Array>& inputs,
    const std::vector<PartitionSpec>& inSpecs, const PartitionSpec& outSpec, const ExecuteOptions& options)
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
    ExecuteOptions own = options;
    own.replicas = 1;
    own.partitions = mesh.deviceCount();
    const auto done = execute(block.program, arguments, own);
    if (!done)
        return tl::unexpected(done.error());
    BlockResults results;
    for (std::int64_t position = 0; position < mesh.deviceCount(); ++position)
        results.blocks.push_back(done->results[static_cast<std::size_t>(mesh.deviceAt(position))][0]);
    results.whole = assembled(results.blocks, outSpec, mesh);
    for (std::int64_t position = 0; position < mesh.deviceCount(); ++position) {
        const Array &held = results.blocks[static_cast<std::size_t>(position)],
                    expected = blockOf(results.whole, outSpec, mesh, position);
        results.copiesDiffer = results.copiesDiffer
            || std::memcmp(held.data(), expected.data(), static_cast<std::size_t>(held.type.byteCount())) != 0;
    }
    return results;
}

} // namespace shardscope::evaluate
