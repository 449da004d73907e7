// SPDX-License-Identifier: GPL-3.0-or-later
// Arrays that every device has for itself: the values in the bodies of manual computations, as JAX's shard_map makes
// them. To JAX a value along whose axes they differ is "varying" over these.
//
//     sdy.manual_computation(%x) in_shardings=[<@mesh, [{"data"}, {"model"}]>] manual_axes={"data", "model"}
//       (%a: tensor<4x4xf32>) {        of(%a): manual data and model, varying over both
//         %1 = sdy.all_reduce {"model"} %a      of(%1): varying over data; sum(%1, model) = this operation
#pragma once

#include <cstdint>
#include <vector>

#include "partition/varying_axes.h"

namespace shardscope {

struct ManualValue {
    OperationId computation; ///< the outermost manual computation that it stands in
    const Mesh* mesh = nullptr; ///< of the program
    AxisSet manual = 0; ///< axes along which every device has an array of its own
    AxisSet varying = 0; ///< of these, those along which the arrays differ, as far as the program shows it

    /// Whether other axes of the mesh have several devices: along these it is sharded as elsewhere.
    [[nodiscard]] bool hasOtherAxes() const;
};

class ManualValues {
public:
    /// The program outlives this.
    explicit ManualValues(const Program& program);

    /// Nothing for a value that stands in no manual computation.
    [[nodiscard]] std::optional<ManualValue> of(ValueId value) const;
    /// Of an axis over which the value varies: the argument, or the result of the operation, that it has this from.
    [[nodiscard]] ValueId origin(ValueId value, std::size_t axis) const
    {
        return m_varying.origin(m_program, value, axis);
    }
    /// Of an axis over which it does not vary: the sum over all devices along the axis that made it, or what it is
    /// computed from, the same on all of them. Invalid if nothing differed before.
    [[nodiscard]] OperationId sum(ValueId value, std::size_t axis) const;

private:
    struct Body {
        OperationId computation;
        const Mesh* mesh = nullptr;
        AxisSet manual = 0;
    };
    [[nodiscard]] bool varies(ValueId value, std::size_t axis) const
    {
        return contains(m_varying.values[value.index], axis);
    }
    /// Marks the values of a region, of those in it and of the functions that it calls.
    void mark(RegionId region, const Body& body);

    const Program& m_program;
    VaryingAxes m_varying;
    std::vector<Body> m_bodies;
    std::vector<std::int32_t> m_bodyOf; ///< per value: its body, or -1; empty if the program has no manual computation
};

} // namespace shardscope
