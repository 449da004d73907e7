// SPDX-License-Identifier: GPL-3.0-or-later
#include "rules/host_chunks.h"

#include "base/codes.h"
#include "mesh/host_block.h"

namespace shardscope {

namespace {

std::vector<Diagnostic> truncations(const LocalChunker& chunker, const LocalChunk& chunk,
    std::span<const std::int64_t> shape, const PartitionSpec& spec)
{
    std::vector<Diagnostic> found;
    for (std::size_t dim = 0; dim < shape.size(); ++dim)
        if (chunk.uncovered[dim] > 0) { // so that an axis shards it
            const std::size_t axis = *chunker.mesh().axisIndex(spec.axesOf(dim).front());
            found.push_back({ Code::ChunkTruncated,
                { { "dim", dim }, { "size", shape[dim] }, { "chunks", chunker.chunks(axis) },
                    { "uncovered", chunk.uncovered[dim] } },
                {} });
        }
    return found;
}

} // namespace

Result<HostChunks> hostChunks(
    const Mesh& mesh, std::int64_t hosts, std::span<const std::int64_t> shape, const PartitionSpec& spec)
{
    const std::int64_t devices = mesh.deviceCount();
    if (hosts < 1 || devices % hosts != 0)
        return fail(Code::DevicesMismatch, { { "of", "hosts" }, { "product", devices }, { "devices", hosts } });
    const std::int64_t perHost = devices / hosts;
    std::vector<std::int32_t> hostAt; // by position
    for (std::int64_t position = 0; position < devices; ++position) {
        const std::int32_t id = mesh.deviceAt(position);
        if (id >= devices) // on no host of these
            return fail(
                Code::OutOfRange, { { "key", "device" }, { "value", id }, { "min", 0 }, { "max", devices - 1 } });
        hostAt.push_back(static_cast<std::int32_t>(id / perHost));
    }
    MeshShape sizes;
    for (const MeshAxis& axis : mesh.axes())
        sizes.push_back(axis.size);
    HostChunks chunks;
    LocalChunker chunker(mesh);
    for (const HostBlock& block : hostBlocks(sizes, hostAt)) {
        SHARDSCOPE_CHECK(chunker.moveTo(block));
        SHARDSCOPE_TRY(chunk, chunker.chunk(shape, spec));
        if (chunks.hosts.empty()) // what is not covered is the same for all hosts
            chunks.truncated = truncations(chunker, *chunk, shape, spec);
        chunks.hosts.push_back({ block.process, std::move(*chunk) });
    }
    return chunks;
}

} // namespace shardscope
