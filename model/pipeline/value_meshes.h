// SPDX-License-Identifier: GPL-3.0-or-later
// Programs with several meshes: rows and views speak of one, and what lies on another mesh over the same devices is
// written along the axes of that one, and drawn on the devices that it is on.
//
//     main {x=4, y=2}, a value on {p=2, q=4} sharded [{p}, {q}]    [{x:(1)2}, {x:(2)2, y}]
#pragma once

#include <map>
#include <optional>

#include "mesh/mesh_in_axes.h"
#include "program/over_mesh.h"
#include "sharding/tensor_sharding.h"

namespace shardscope {

/// The sharding with axes numbered as in `main`, which has all of them.
[[nodiscard]] TensorSharding renumbered(TensorSharding sharding, const Mesh& from, const Mesh& main);
/// The sharding along the axes that the mesh is made of; nothing where it is along a part that these do not divide
/// into.
[[nodiscard]] std::optional<TensorSharding> alongParts(TensorSharding sharding, const MeshInAxes& mesh);
/// Open dimensions keep their full axes alone, as Shardy's export leaves them where an array enters the program.
void keepFullAxes(TensorSharding& sharding, const Mesh& mesh);

/// The meshes of a program in the axes of its main one, each made once.
class MainAxes {
public:
    MainAxes(const Program& program, MeshPtr main);
    /// Whether the mesh of that number has the axes of the main one, in any order and over any devices.
    [[nodiscard]] bool hasSameAxes(std::uint32_t mesh);
    /// What the others are made of; null of those with the same axes, and where it cannot be said (inAxesOf()).
    [[nodiscard]] const MeshInAxes* parts(std::uint32_t mesh);
    /// The axes of the main mesh over the devices of that one; the main mesh itself where it cannot be said.
    [[nodiscard]] const MeshPtr& over(std::uint32_t mesh);

private:
    struct Entry {
        MeshPtr sameAxes;
        std::optional<MeshInAxes> parts;
    };
    const Entry& entry(std::uint32_t mesh);

    const Program& m_program;
    MeshPtr m_main;
    std::map<std::uint32_t, Entry> m_entries;
};

} // namespace shardscope
