// SPDX-License-Identifier: GPL-3.0-or-later
// Shardy's collectives, which speak of mesh axes, as operations of StableHLO, which speak of devices.
#pragma once

#include <span>
#include <vector>

#include "program/editor.h"
#include "program/other_attributes.h"
#include "sharding/layout.h"

namespace shardscope {

/// What the collectives of one program share: those over the same axes name the same groups of devices, and shardings
/// by the same axes look up the same offsets. On 16,384 devices each such list takes some hundred KB.
struct LoweringTables {
    struct Collective {
        AxisList axes;
        std::int64_t dimension = 0, concatDimension = 0, splitCount = 0;
        bool useGlobalDeviceIds = false;
        Attributes attributes;
    };
    struct Permute {
        Layout from, to; ///< of any shape: shards are numbered alike
        Attributes attributes;
    };
    struct Offsets {
        AxisList axes;
        std::int64_t partSize = 0;
        DType type = DType::I32; ///< or I64
        ElementBytes table; ///< a number per device id
    };
    std::vector<Collective> collectives;
    std::vector<Permute> permutes;
    std::vector<Offsets> offsets;
};

/// The groups of a collective over these axes, as device ids.
[[nodiscard]] std::vector<std::vector<std::int64_t>> deviceGroups(const Mesh& mesh, const AxisList& axes);

/// Who sends to whom, as device ids, so that every device has its shard of `to`: from itself where it holds it in
/// `from`
/// ([3, 3]), else from one that differs from it along the axes that move alone; no device sends to two. Ascending.
[[nodiscard]] std::vector<std::vector<std::int64_t>> permutePairs(const Layout& from, const Layout& to);

/// Adds operations before an operation of the program; values are local. Every function returns the last result.
class CollectiveLowering {
public:
    CollectiveLowering(Editor& edit, const Mesh& mesh, OperationId before, LoweringTables& tables);

    /// One all_gather for each dimension that is gathered; `axes` are its minor ones.
    ValueId gather(ValueId value, std::span<const AxisList> axes);
    /// The device's shard of each dimension, at offsets that it looks up by its partition_id.
    ValueId slice(ValueId value, std::span<const AxisList> axes);
    ValueId reduce(ValueId value, const AxisList& axes, ReduceKind kind);
    /// One reduce_scatter for each dimension: the sum is over the axes of all of them.
    ValueId reduceScatter(ValueId value, std::span<const AxisList> axes, ReduceKind kind);
    /// One all_to_all for each move.
    ValueId exchange(ValueId value, std::span<const AxisMove> moves);
    /// Every device gets its shard of `to` from one that holds it in `from`: itself where it can, else one that differs
    /// from it along the axes that move alone, and no device sends to two.
    ValueId permute(ValueId value, const Layout& from, const Layout& to);
    /// A part of a sum over devices along the axes: the first of them keeps the value, the others hold zeros.
    ValueId keepFirst(ValueId value, const AxisList& axes);
    /// A part of a sum over devices along the axes, the minor ones of each dimension: each holds its shard in its
    /// place, and zeros around it. With x=2, [5, 6] on the second device becomes [0, 0, 5, 6].
    ValueId spread(ValueId value, std::span<const AxisList> axes);

private:
    ValueId add(OpKind kind, std::initializer_list<ValueId> operands, TensorType type, Attributes attributes);
    /// `attributes` without groups, which follow from the axes.
    ValueId addCollective(
        OpKind kind, ValueId operand, const TensorType& type, CollectiveAttributes attributes, const AxisList& axes);
    /// Says in the text which axes the operation behind `result` runs over.
    ValueId labelled(ValueId result, const Mesh& mesh, const AxisList& axes);
    ElementBytes offsetsOf(const AxisList& axes, std::int64_t partSize, DType type);
    /// Scalars: where the device's shard begins in each dimension. `parts`: how long one is, `longest`: the whole.
    std::vector<ValueId> partStarts(std::span<const AxisList> axes, const Shape& parts, std::int64_t longest);
    /// A scalar of `counts`: the device's number along the axes, times `partSize`.
    ValueId placeAlong(ValueId device, const AxisList& axes, std::int64_t partSize, DType counts);
    ValueId zeros(const TensorType& type);
    void addReducer(OperationId owner, DType dtype, ReduceKind kind);

    Editor& m_edit;
    const Mesh& m_mesh;
    OperationId m_before;
    LoweringTables& m_tables;
};

} // namespace shardscope
