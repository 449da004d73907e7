// SPDX-License-Identifier: GPL-3.0-or-later
// Which sizes keep every dimension divisible: what an edit of a size would break elsewhere.
//
//     mesh {data=2, model=4}; W [embed 12@model], x [batch 6@data]
//     model=2 with data=4 is no way out for a dimension of size 2: x would not divide any more.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "pipeline/snapshot.h"

namespace shardscope {

class ShardedDimensions {
public:
    /// Of everything that is annotated, as it is sharded on this mesh.
    ShardedDimensions(const Program& program, const Mesh& mesh, const Annotations& annotations);

    /// Whether all dimensions that divide now would still, if the axes of the mesh, in their order, had these sizes.
    [[nodiscard]] bool divideOn(std::span<const MeshAxis> axes) const;
    /// What the size of a dimension must be a multiple of so that it divides wherever it is sharded, and by
    /// `partitions`. 0 if there is no such number in reach, or if the name stands for dimensions of different sizes,
    /// which one edit would make equal.
    [[nodiscard]] std::int64_t step(const std::string& name, std::int64_t partitions) const;

private:
    struct Sharded {
        std::string name;
        std::int64_t size = 0;
        std::vector<std::size_t> axes; ///< of the mesh
        auto operator<=>(const Sharded&) const = default;
    };
    [[nodiscard]] static std::int64_t partitions(const Sharded& sharded, std::span<const MeshAxis> axes);

    std::vector<MeshAxis> m_axes;
    std::vector<Sharded> m_sharded; ///< each once
};

} // namespace shardscope
