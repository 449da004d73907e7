// SPDX-License-Identifier: GPL-3.0-or-later
// What code for JAX is made of: strings, comments and shardings of Python.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "mesh/mesh.h"
#include "report/split_axes.h"
#include "sharding/named_sharding.h"

namespace shardscope {

/// As a string of Python, in double quotes: a line break as "\n", other control characters as "\x0d".
[[nodiscard]] std::string quotedPython(std::string_view text);
/// "  # line 4": for the end of a line, which nothing in the text ends.
[[nodiscard]] std::string pythonComment(const std::string& text);

/// Shardings in their short form: mesh axes of size 1, which shard nothing, are left out, and one axis stands without a
/// tuple. It remembers what comments have to say of all that it has written.
///
///     P(('data', 'one'), None)    "NamedSharding(mesh, P('data', None)"
class ShardingWriter {
public:
    /// `split`: of the axes of the mesh, whose parts are axes of `mesh`; null for none.
    explicit ShardingWriter(const Mesh& mesh, const SplitAxes* split = nullptr)
        : m_mesh(mesh)
        , m_split(split)
    {
    }
    [[nodiscard]] std::string code(PartitionSpec spec, std::optional<MemoryKind> kind);

    /// "model:(1)2": parts of axes, which JAX has no name for.
    [[nodiscard]] const std::set<std::string>& parts() const { return m_parts; }
    [[nodiscard]] bool leavesOpen() const { return m_leavesOpen; } ///< some dimension is UNCONSTRAINED
    [[nodiscard]] std::vector<std::string> leftOut() const; ///< axes of size 1, in the order of the mesh

private:
    void shorten(SpecEntry& entry);

    const Mesh& m_mesh;
    const SplitAxes* m_split;
    std::set<std::string> m_leftOut, m_parts;
    bool m_leavesOpen = false;
};

} // namespace shardscope
