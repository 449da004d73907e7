// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulate/kernels/move_action.h"

#include <algorithm>
#include <cstring>

#include "program/other_attributes.h"
#include "simulate/kernels/call.h"
#include "simulate/kernels/strided_copy.h"

namespace shardscope {

namespace {

/// Copies boxes of operands, one after the other.
class CopiesAction final : public Action {
public:
    struct Copy {
        StridedCopy copy;
        SlotId from;
    };
    CopiesAction(std::vector<Copy> copies, SlotId to)
        : m_copies(std::move(copies))
        , m_to(to)
    {
    }
    void run(const ActionContext& context) const override
    {
        std::byte* target = context.slots[m_to.index];
        for (const Copy& one : m_copies)
            one.copy.run(target, context.slots[one.from.index]);
    }

private:
    std::vector<Copy> m_copies;
    SlotId m_to;
};

/// Made anew in every step because slots are reused.
class ConstantAction final : public Action {
public:
    ConstantAction(kernels::Array elements, const StridedCopy& copy, SlotId to)
        : m_elements(std::move(elements))
        , m_copy(copy)
        , m_to(to)
    {
    }
    void run(const ActionContext& context) const override { m_copy.run(context.slots[m_to.index], m_elements.data()); }
    [[nodiscard]] std::int64_t ownBytes() const override { return m_elements.type.byteCount(); }

private:
    kernels::Array m_elements;
    StridedCopy m_copy;
    SlotId m_to;
};

class PadAction final : public Action {
public:
    PadAction(const StridedCopy& copy, const TensorType& type, const Instruction& instruction)
        : m_copy(copy)
        , m_fill(Shape(1, type.elementCount()), Shape(1, 1), Shape(1, 0), byteSize(type.dtype))
        , m_from(instruction.operands[0])
        , m_padding(instruction.operands[1])
        , m_to(instruction.results[0])
    {
    }
    void run(const ActionContext& context) const override
    {
        std::byte* target = context.slots[m_to.index];
        m_fill.run(target, context.slots[m_padding.index]);
        m_copy.run(target, context.slots[m_from.index]);
    }

private:
    StridedCopy m_copy, m_fill;
    SlotId m_from, m_padding, m_to;
};

/// The number of the device's partition, or of its replica.
class DeviceNumberAction final : public Action {
public:
    DeviceNumberAction(const FlatProgram& program, bool isPartition, SlotId to)
        : m_mesh(program.mesh)
        , m_partitions(program.mesh->deviceCount() / program.replicas)
        , m_isPartition(isPartition)
        , m_to(to)
    {
    }
    void run(const ActionContext& context) const override
    {
        const std::int64_t device = m_mesh->deviceAt(context.position);
        const auto number = static_cast<std::uint32_t>(m_isPartition ? device % m_partitions : device / m_partitions);
        std::memcpy(context.slots[m_to.index], &number, sizeof number);
    }

private:
    MeshPtr m_mesh;
    std::int64_t m_partitions;
    bool m_isPartition;
    SlotId m_to;
};

/// Indices that are computed, each kept so that the box lies within the array.
class Starts {
public:
    Starts(const Program& program, const Instruction& instruction, const Operation& operation, std::size_t first,
        const Shape& shape, const Shape& box)
    {
        const Shape strides = rowMajorStrides(shape);
        for (std::size_t d = 0; d < shape.size(); ++d)
            m_indices.push_back({ program.value(operation.operands[first + d]).type, instruction.operands[first + d],
                strides[d], shape[d] - box[d] });
    }
    /// Elements before the first one of the box.
    [[nodiscard]] std::int64_t offset(const ActionContext& context) const
    {
        std::int64_t offset = 0;
        for (const Index& index : m_indices) {
            const kernels::Array number = kernels::viewOf(index.type, context.slots[index.slot.index]);
            offset += std::clamp<std::int64_t>(kernels::integerAt(number, 0), 0, index.last) * index.stride;
        }
        return offset;
    }

private:
    struct Index {
        TensorType type;
        SlotId slot;
        std::int64_t stride = 1, last = 0;
    };
    std::vector<Index> m_indices;
};

class DynamicSliceAction final : public Action {
public:
    DynamicSliceAction(Starts starts, const StridedCopy& copy, std::int64_t elementBytes, SlotId from, SlotId to)
        : m_starts(std::move(starts))
        , m_copy(copy)
        , m_elementBytes(elementBytes)
        , m_from(from)
        , m_to(to)
    {
    }
    void run(const ActionContext& context) const override
    {
        m_copy.run(context.slots[m_to.index], context.slots[m_from.index] + m_starts.offset(context) * m_elementBytes);
    }

private:
    Starts m_starts;
    StridedCopy m_copy;
    std::int64_t m_elementBytes;
    SlotId m_from, m_to;
};

/// The slice is read where it lies.
class SliceInPlaceAction final : public Action {
public:
    SliceInPlaceAction(Starts starts, std::int64_t elementBytes, SlotId from, SlotId to)
        : m_starts(std::move(starts))
        , m_elementBytes(elementBytes)
        , m_from(from)
        , m_to(to)
    {
    }
    void run(const ActionContext& context) const override
    {
        context.slots[m_to.index] = context.slots[m_from.index] + m_starts.offset(context) * m_elementBytes;
    }

private:
    Starts m_starts;
    std::int64_t m_elementBytes;
    SlotId m_from, m_to;
};

class DynamicUpdateAction final : public Action {
public:
    DynamicUpdateAction(Starts starts, std::int64_t bytes, const StridedCopy& update, std::int64_t elementBytes,
        const Instruction& instruction)
        : m_starts(std::move(starts))
        , m_update(update)
        , m_bytes(bytes)
        , m_elementBytes(elementBytes)
        , m_array(instruction.operands[0])
        , m_part(instruction.operands[1])
        , m_to(instruction.results[0])
    {
    }
    void run(const ActionContext& context) const override
    {
        std::byte* target = context.slots[m_to.index];
        if (target != context.slots[m_array.index])
            std::memcpy(target, context.slots[m_array.index], static_cast<std::size_t>(m_bytes));
        m_update.run(target + m_starts.offset(context) * m_elementBytes, context.slots[m_part.index]);
    }

private:
    Starts m_starts;
    StridedCopy m_update;
    std::int64_t m_bytes, m_elementBytes;
    SlotId m_array, m_part, m_to;
};

class Moves {
public:
    Moves(const Plan& plan, const Instruction& instruction, MemoryBudget& budget)
        : m_plan(plan)
        , m_program(*plan.program->local)
        , m_instruction(instruction)
        , m_operation(m_program.operation(std::get<KernelInstruction>(instruction.action).operation))
        , m_budget(budget)
    {
    }

    Result<ActionPtr> prepare() const
    {
        switch (m_operation.kind) {
        case OpKind::Constant:
            return constant();
        case OpKind::PartitionId:
        case OpKind::ReplicaId:
            return ActionPtr(std::make_unique<DeviceNumberAction>(
                *m_plan.program, m_operation.kind == OpKind::PartitionId, m_instruction.results[0]));
        case OpKind::BroadcastInDim:
            return broadcast();
        case OpKind::Transpose:
            return transpose();
        case OpKind::Reshape:
        case OpKind::ShardingConstraint:
            return copy(operand(0).shape, strides(operand(0).shape), strides(operand(0).shape));
        case OpKind::Iota:
            return iota();
        case OpKind::Pad:
            return ActionPtr(std::make_unique<PadAction>(
                kernels::paddedCopy(*attributesAs<PadAttributes>(m_operation.attributes), operand(0), result()),
                result(), m_instruction));
        case OpKind::Slice:
            return slice();
        case OpKind::Concatenate:
            return concatenate();
        case OpKind::DynamicSlice:
            return dynamicSlice();
        case OpKind::DynamicUpdateSlice:
            return dynamicUpdate();
        default:
            return ActionPtr();
        }
    }

private:
    [[nodiscard]] const TensorType& operand(std::size_t i) const
    {
        return m_program.value(m_operation.operands[i]).type;
    }
    [[nodiscard]] const TensorType& result() const { return m_program.value(m_operation.results[0]).type; }
    [[nodiscard]] std::int64_t elementBytes() const { return byteSize(result().dtype); }
    static Shape strides(const Shape& shape) { return rowMajorStrides(shape); }

    Result<ActionPtr> copies(std::vector<CopiesAction::Copy> copies) const
    {
        return ActionPtr(std::make_unique<CopiesAction>(std::move(copies), m_instruction.results[0]));
    }
    Result<ActionPtr> copy(const Shape& box, const Shape& to, const Shape& from, std::int64_t sourceOffset = 0) const
    {
        return copies({ { StridedCopy(box, to, from, elementBytes(), 0, sourceOffset), m_instruction.operands[0] } });
    }

    Result<ActionPtr> constant() const
    {
        const auto& own = std::get<ConstantAttributes>(m_operation.attributes);
        const TensorType& type = result();
        const bool splat =
            own.bytes ? static_cast<std::int64_t>(own.bytes->size()) == elementBytes() : own.values.size() == 1;
        const TensorType held = splat ? TensorType{ type.dtype, {} } : type;
        return kept(held.byteCount(), splat ? Shape(type.rank(), 0) : strides(type.shape),
            [&] { return kernels::constantArray(own, held); });
    }
    Result<ActionPtr> iota() const
    {
        const auto d = static_cast<std::size_t>(std::get<IotaAttributes>(m_operation.attributes).dimension);
        const std::int64_t count = result().shape[d];
        Shape from(result().rank(), 0);
        from[d] = 1;
        return kept(count * elementBytes(), from, [&] { return kernels::numbered(result().dtype, count); });
    }
    /// Elements that are made once and copied in every step.
    Result<ActionPtr> kept(std::int64_t bytes, const Shape& from, const auto& make) const
    {
        if (auto taken = m_budget.take(bytes); !taken)
            return tl::unexpected(taken.error());
        if (m_budget.onlyCounts())
            return ActionPtr();
        const Shape& shape = result().shape;
        return ActionPtr(std::make_unique<ConstantAction>(
            make(), StridedCopy(shape, strides(shape), from, elementBytes()), m_instruction.results[0]));
    }

    Result<ActionPtr> broadcast() const
    {
        const auto& dimensions = std::get<BroadcastAttributes>(m_operation.attributes).dimensions;
        const Shape& from = operand(0).shape;
        const Shape own = strides(from);
        Shape spread(result().rank(), 0);
        for (std::size_t d = 0; d < dimensions.size(); ++d)
            spread[static_cast<std::size_t>(dimensions[d])] = from[d] == 1 ? 0 : own[d];
        return copy(result().shape, strides(result().shape), spread);
    }

    Result<ActionPtr> transpose() const
    {
        const Shape own = strides(operand(0).shape);
        Shape permuted;
        for (const std::int64_t d : std::get<TransposeAttributes>(m_operation.attributes).permutation)
            permuted.push_back(own[static_cast<std::size_t>(d)]);
        return copy(result().shape, strides(result().shape), permuted);
    }

    Result<ActionPtr> slice() const
    {
        const auto& own = *attributesAs<SliceAttributes>(m_operation.attributes);
        Shape steps = strides(operand(0).shape);
        std::int64_t offset = 0;
        for (std::size_t d = 0; d < steps.size(); ++d) {
            offset += own.starts[d] * steps[d];
            steps[d] *= entryOr(own.strides, d, 1);
        }
        return copy(result().shape, strides(result().shape), steps, offset);
    }

    Result<ActionPtr> concatenate() const
    {
        const auto d = static_cast<std::size_t>(attributesAs<DimensionAttributes>(m_operation.attributes)->dimension);
        const Shape to = strides(result().shape);
        std::vector<CopiesAction::Copy> made;
        std::int64_t begin = 0;
        for (std::size_t i = 0; i < m_operation.operands.size(); ++i) {
            const Shape& shape = operand(i).shape;
            made.push_back(
                { StridedCopy(shape, to, strides(shape), elementBytes(), begin * to[d]), m_instruction.operands[i] });
            begin += shape[d];
        }
        return copies(std::move(made));
    }

    Result<ActionPtr> dynamicSlice() const
    {
        const Shape& shape = operand(0).shape;
        return ActionPtr(std::make_unique<DynamicSliceAction>(
            Starts(m_program, m_instruction, m_operation, 1, shape, result().shape),
            StridedCopy(result().shape, strides(result().shape), strides(shape), elementBytes()), elementBytes(),
            m_instruction.operands[0], m_instruction.results[0]));
    }

    Result<ActionPtr> dynamicUpdate() const
    {
        const Shape &shape = operand(0).shape, &part = operand(1).shape;
        return ActionPtr(std::make_unique<DynamicUpdateAction>(
            Starts(m_program, m_instruction, m_operation, 2, shape, part), result().byteCount(),
            StridedCopy(part, strides(shape), strides(part), elementBytes()), elementBytes(), m_instruction));
    }

    const Plan& m_plan;
    const Program& m_program;
    const Instruction& m_instruction;
    const Operation& m_operation;
    MemoryBudget& m_budget;
};

} // namespace

Result<ActionPtr> prepareMove(const Plan& plan, const Instruction& instruction, MemoryBudget& budget)
{
    return Moves(plan, instruction, budget).prepare();
}

ActionPtr prepareSliceInPlace(const Plan& plan, const Instruction& instruction)
{
    const Program& program = *plan.program->local;
    const Operation& operation = program.operation(std::get<KernelInstruction>(instruction.action).operation);
    const TensorType &array = program.value(operation.operands[0]).type,
                     &slice = program.value(operation.results[0]).type;
    return std::make_unique<SliceInPlaceAction>(Starts(program, instruction, operation, 1, array.shape, slice.shape),
        byteSize(slice.dtype), instruction.operands[0], instruction.results[0]);
}

} // namespace shardscope
