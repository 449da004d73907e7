// SPDX-License-Identifier: GPL-3.0-or-later
// Every sharding that occurs while a program is propagated, once: tensors hold its number. Thousands of values share a
// few hundred shardings, so that comparing and copying them is comparing and copying numbers.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "program/program.h"
#include "propagation/hash_index.h"
#include "sharding/tensor_sharding.h"

namespace shardscope {

using ShardingNumber = std::uint32_t;

/// The meshes of a program. Two of them are the same to propagation if axes and devices are, whatever their names.
class MeshTable {
public:
    explicit MeshTable(std::vector<ProgramMesh> meshes);

    [[nodiscard]] std::span<const ProgramMesh> meshes() const { return m_meshes; }
    [[nodiscard]] const Mesh& mesh(std::uint32_t index) const { return *m_meshes[index].mesh; }
    /// The first mesh that is the same.
    [[nodiscard]] std::uint32_t canonical(std::uint32_t index) const { return m_canonical[index]; }
    /// A single device: nothing propagates to or from it.
    [[nodiscard]] bool isMaximal(std::uint32_t index) const { return m_meshes[index].onlyDevice.has_value(); }
    /// No axes and no device: fully replicated on any mesh.
    [[nodiscard]] bool isEmpty(std::uint32_t index) const
    {
        return m_meshes[index].mesh->rank() == 0 && !isMaximal(index);
    }

private:
    std::vector<ProgramMesh> m_meshes;
    std::vector<std::uint32_t> m_canonical;
};

class ShardingTable {
public:
    /// `mesh` counts from 1; 0 = no sharding at all, which is not the same as an open one when a program is printed.
    ShardingNumber number(const TensorSharding& sharding, std::uint32_t mesh);
    /// No sharding: every dimension open and unsharded.
    ShardingNumber absent(std::size_t rank);

    [[nodiscard]] const TensorSharding& operator[](ShardingNumber n) const { return m_entries[n].sharding; }
    [[nodiscard]] std::uint32_t mesh(ShardingNumber n) const { return m_entries[n].mesh; }
    /// Some dimension has an axis.
    [[nodiscard]] bool hasAxes(ShardingNumber n) const { return m_hasAxes[n] != 0; }

private:
    struct Entry {
        TensorSharding sharding;
        std::uint32_t mesh = 0;
    };
    std::vector<Entry> m_entries;
    std::vector<char> m_hasAxes;
    std::vector<ShardingNumber> m_absent; ///< by rank, plus one; 0 = not made yet
    HashIndex m_index;
};

} // namespace shardscope
