// SPDX-License-Identifier: GPL-3.0-or-later
// What each device has of a number that is computed from its own place alone. As JAX's axis_index, over a mesh of
// data=2 and model=4:
//
//     %0 = partition_id            0 1 2 3 4 5 6 7
//     %1 = divide %0, 4            0 0 0 0 1 1 1 1
//     %2 = remainder %1, 2         the same: the index along data
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "mesh/mesh.h"
#include "program/program.h"

namespace shardscope {

class PlaceNumbers {
public:
    /// Both outlive this.
    PlaceNumbers(const Program& program, const Mesh& mesh)
        : m_program(program)
        , m_mesh(mesh)
    {
    }
    /// Of the operation's result, by mesh position; operations are added in the order of the program. Null where they
    /// depend on more, where there is more than one number, or where one could wrap around.
    const std::vector<std::int64_t>* add(const Operation& operation);

private:
    using Numbers = std::vector<std::int64_t>;
    [[nodiscard]] std::optional<Numbers> numbersOf(const Operation& operation) const;
    [[nodiscard]] const Numbers* known(ValueId value) const
    {
        const auto found = m_known.find(value);
        return found == m_known.end() ? nullptr : &found->second;
    }
    /// Element `index` of a constant; nothing for what is no constant of whole numbers.
    [[nodiscard]] std::optional<std::int64_t> element(ValueId constant, std::int64_t index) const;

    const Program& m_program;
    const Mesh& m_mesh;
    std::map<ValueId, Numbers> m_known;
};

} // namespace shardscope
