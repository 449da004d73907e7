// SPDX-License-Identifier: GPL-3.0-or-later
// A halo exchange as operations of the devices' program: permutes of strips between neighbours, put together with the
// device's own block.
//
//     window of 3 over 16 elements on 4 devices, padded by 1 on both sides; %x is the block of 4:
//     %a = slice %x [3:4]; %l = collective_permute %a, [[0, 1], [1, 2], [2, 3]]
//     %b = slice %x [0:1]; %r = collective_permute %b, [[1, 0], [2, 1], [3, 2]]
//     %h = concatenate %l, %x, %r                       // 6 elements; the first of device 0 is padding
#pragma once

#include <span>

#include "partition/halo_dimensions.h"
#include "program/editor.h"

namespace shardscope {

/// The attributes of an operation that gets what exchange() returns in place of its block.
[[nodiscard]] Attributes haloAttributes(const Attributes& attributes, const HaloDimension& dimension);

/// Adds operations before an operation of the program; values are local.
class HaloLowering {
public:
    HaloLowering(Editor& edit, const Mesh& mesh, OperationId before);

    /// What each device reads of the inputs in that dimension, `plan.length` elements. Places without an element hold
    /// the scalar `fill`; zero without one.
    ValueId exchange(std::span<const ValueId> inputs, std::size_t dimension, const AxisList& axes, const HaloPlan& plan,
        ValueId fill = {});

private:
    ValueId add(OpKind kind, std::initializer_list<ValueId> operands, TensorType type, Attributes attributes);
    ValueId add(OpKind kind, std::span<const ValueId> operands, TensorType type, Attributes attributes);
    ValueId slice(ValueId value, std::size_t dimension, std::int64_t start, std::int64_t size);
    ValueId concatenate(const std::vector<ValueId>& parts, std::size_t dimension);
    ValueId spread(ValueId scalar, const TensorType& type);
    ValueId filled(TensorType type, std::size_t dimension, std::int64_t size, ValueId fill);
    ValueId permute(ValueId value, const AxisList& axes, const std::vector<HaloPlan::Edge>& edges);
    /// A number per device along the axes, as a scalar.
    ValueId lookUp(const AxisList& axes, const std::vector<std::int64_t>& numbers);
    ValueId number(std::int64_t value);
    ValueId strips(ValueId own, std::size_t dimension, const AxisList& axes, const HaloPlan& plan, ValueId fill);
    ValueId masked(ValueId value, std::size_t dimension, const AxisList& axes, const HaloPlan& plan, std::int64_t size,
        ValueId fill);
    ValueId assemble(std::span<const ValueId> inputs, std::size_t dimension, const AxisList& axes, const HaloPlan& plan,
        ValueId fill);
    [[nodiscard]] bool isZero(ValueId scalar) const;

    Editor& m_edit;
    const Mesh& m_mesh;
    OperationId m_before;
    ValueId m_device; ///< partition_id
    DType m_counts = DType::I32; ///< of numbers of elements in the exchange that is being made
};

} // namespace shardscope
