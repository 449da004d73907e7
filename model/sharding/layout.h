// SPDX-License-Identifier: GPL-3.0-or-later
// Who holds what: index ranges, holders and copies of an array's shards.
//
// A layout is factorised: per dimension the block number is a mixed radix number of mesh coordinates (first axis of the
// list major), so that its cost does not grow with the number of devices. Only what is asked for is expanded.
//
//     Mesh {data=2, model=4}, P(None, 'model'), shape [1024, 1024]
//     shardShape [1024, 256], distinctShards 4, copies 2, holders(shard 1) = devices {1, 5}
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mesh/axis_ref.h"
#include "sharding/tensor_sharding.h"

namespace shardscope {

struct IndexRange {
    std::int64_t begin = 0;
    std::int64_t end = 0; ///< exclusive; begin == end where the block holds padding only
    [[nodiscard]] std::int64_t size() const { return end - begin; }
    bool operator==(const IndexRange&) const = default;
};

class Layout {
public:
    Layout() = default;
    /// The axes of `sharding` belong to `mesh`; its rank is that of `shape`. Uneven dimensions are padded at the end.
    Layout(MeshPtr mesh, TensorSharding sharding, Shape shape);

    [[nodiscard]] const Mesh& mesh() const { return *m_mesh; }
    [[nodiscard]] const TensorSharding& sharding() const { return m_sharding; }
    [[nodiscard]] const Shape& shape() const { return m_shape; }
    [[nodiscard]] const Shape& shardShape() const { return m_shardShape; }
    /// Shards per dimension.
    [[nodiscard]] const Shape& shardGrid() const { return m_grid; }
    /// Number of different index ranges, padding-only blocks included.
    [[nodiscard]] std::int64_t distinctShards() const { return m_distinct; }
    /// Devices that hold the same shard, partial addends not counted as copies.
    [[nodiscard]] std::int64_t copies() const { return m_copies; }
    /// Devices whose values must be added to give one shard: the product of the unreduced axes.
    [[nodiscard]] std::int64_t addends() const { return m_addends; }
    [[nodiscard]] bool isUneven() const;
    /// Elements of padding over all devices.
    [[nodiscard]] std::int64_t paddedElements() const;
    /// Elements of padding in the most padded shard.
    [[nodiscard]] std::int64_t paddedElementsOfWorstShard() const;

    /// Block coordinates of what a mesh position holds, one per dimension.
    [[nodiscard]] Shape blockAt(std::int64_t position) const;
    /// Row-major number of those blocks in shardGrid(): the identity of a shard, 0 .. distinctShards()-1.
    [[nodiscard]] std::int64_t shardAt(std::int64_t position) const;
    /// Those of all positions.
    [[nodiscard]] std::vector<std::int64_t> shards() const;
    /// Index ranges of a mesh position (of a shard number), cut off at the end of the array.
    [[nodiscard]] std::vector<IndexRange> rangesAt(std::int64_t position) const;
    [[nodiscard]] std::vector<IndexRange> rangesOfShard(std::int64_t shard) const;
    /// Device ids that hold a shard, ascending by mesh position.
    [[nodiscard]] std::vector<std::int32_t> holders(std::int64_t shard) const;
    /// All of the above for every shard: groups[shard] = device ids. Linear in the number of devices.
    [[nodiscard]] std::vector<std::vector<std::int32_t>> replicaGroups() const;

private:
    MeshPtr m_mesh;
    TensorSharding m_sharding;
    Shape m_shape;
    Shape m_grid;
    Shape m_shardShape;
    std::int64_t m_distinct = 1;
    std::int64_t m_copies = 1;
    std::int64_t m_addends = 1;
};

/// Groups of mesh positions that differ only in their coordinates along `axes`; members ordered with the first axis of
/// the list major. One group per combination of the other coordinates. These are the groups of a collective over
/// `axes`.
[[nodiscard]] std::vector<std::vector<std::int32_t>> axisGroups(const Mesh& mesh, std::span<const AxisRef> axes);

} // namespace shardscope
