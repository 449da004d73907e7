// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulate/action.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/codes.h"
#include "program/op_row.h"
#include "simulate/element.h"
#include "simulate/fused.h"
#include "simulate/no_kernel.h"
#include "simulate/product.h"
#include "simulate/reduction.h"
#include "simulate/strided_copy.h"

namespace shardscope {

namespace {

using ActionResult = Result<std::unique_ptr<Action>>;

tl::unexpected<Error> notExecutable(OpKind kind)
{
    return fail(Code::NotExecutable, { { "op", opRow(kind).name } });
}

class FusedAction final : public Action {
public:
    explicit FusedAction(FusedKernel kernel)
        : m_kernel(std::move(kernel))
    {
    }
    void run(const ActionContext& context) const override
    {
        m_kernel.run(context.slots, context.scratch, context.share);
    }
    [[nodiscard]] std::int64_t scratchBytes() const override { return m_kernel.scratchBytes(); }

private:
    FusedKernel m_kernel;
};

/// Where an operand is: in a slot, or, for constants without one, with the action itself.
struct Source {
    std::uint32_t slot = 0;
    std::vector<std::byte> own; ///< used if not empty
    [[nodiscard]] const std::byte* address(const ActionContext& context) const
    {
        return own.empty() ? context.slots[slot] : own.data();
    }
};

class ProductAction final : public Action {
public:
    ProductAction(Product product, std::uint32_t out, Source lhs, Source rhs)
        : m_product(std::move(product))
        , m_out(out)
        , m_lhs(std::move(lhs))
        , m_rhs(std::move(rhs))
    {
    }
    void run(const ActionContext& context) const override
    {
        m_product.run(context.slots[m_out], m_lhs.address(context), m_rhs.address(context), context.scratch);
    }
    [[nodiscard]] std::int64_t scratchBytes() const override { return m_product.scratchBytes(); }
    [[nodiscard]] std::int64_t ownBytes() const override
    {
        return static_cast<std::int64_t>(m_lhs.own.size() + m_rhs.own.size());
    }

private:
    Product m_product;
    std::uint32_t m_out;
    Source m_lhs, m_rhs;
};

class ReduceAction final : public Action {
public:
    ReduceAction(Reduction reduction, std::uint32_t out, Source in)
        : m_reduction(std::move(reduction))
        , m_out(out)
        , m_in(std::move(in))
    {
    }
    void run(const ActionContext& context) const override
    {
        m_reduction.run(context.slots[m_out], m_in.address(context));
    }
    [[nodiscard]] std::int64_t ownBytes() const override { return static_cast<std::int64_t>(m_in.own.size()); }

private:
    Reduction m_reduction;
    std::uint32_t m_out;
    Source m_in;
};

class CopyAction final : public Action {
public:
    CopyAction(const StridedCopy& copy, std::uint32_t out, Source in)
        : m_copy(copy)
        , m_out(out)
        , m_in(std::move(in))
    {
    }
    void run(const ActionContext& context) const override
    {
        std::byte* target = context.slots[m_out];
        const std::byte* source = m_in.address(context);
        if (target != source)
            m_copy.run(target, source);
    }
    [[nodiscard]] std::int64_t ownBytes() const override { return static_cast<std::int64_t>(m_in.own.size()); }

private:
    StridedCopy m_copy;
    std::uint32_t m_out;
    Source m_in;
};

/// The part of a global array that a device holds, made anew in every step because slots are reused.
class ConstantAction final : public Action {
public:
    ConstantAction(std::vector<std::byte> global, std::vector<StridedCopy> perDevice, std::uint32_t out)
        : m_global(std::move(global))
        , m_perDevice(std::move(perDevice))
        , m_out(out)
    {
    }
    void run(const ActionContext& context) const override
    {
        const std::size_t copy = m_perDevice.size() == 1 ? 0 : static_cast<std::size_t>(context.position);
        m_perDevice[copy].run(context.slots[m_out], m_global.data());
    }
    [[nodiscard]] std::int64_t ownBytes() const override { return static_cast<std::int64_t>(m_global.size()); }

private:
    std::vector<std::byte> m_global;
    std::vector<StridedCopy> m_perDevice;
    std::uint32_t m_out;
};

class IotaAction final : public Action {
public:
    IotaAction(std::vector<std::int64_t> begins, std::int64_t outer, std::int64_t extent, std::int64_t inner,
        DType dtype, std::uint32_t out)
        : m_begins(std::move(begins))
        , m_outer(outer)
        , m_extent(extent)
        , m_inner(inner)
        , m_dtype(dtype)
        , m_out(out)
    {
    }
    void run(const ActionContext& context) const override
    {
        std::byte* target = context.slots[m_out];
        const std::int64_t begin = m_begins[static_cast<std::size_t>(context.position)];
        std::int64_t element = 0;
        for (std::int64_t o = 0; o < m_outer; ++o)
            for (std::int64_t e = 0; e < m_extent; ++e)
                for (std::int64_t i = 0; i < m_inner; ++i)
                    storeElement(m_dtype, target, element++, static_cast<double>(begin + e));
    }

private:
    std::vector<std::int64_t> m_begins; ///< by position
    std::int64_t m_outer, m_extent, m_inner;
    DType m_dtype;
    std::uint32_t m_out;
};

/// The one value of a constant that is the same everywhere, looked up through what only spreads it.
std::optional<double> splatValue(const Program& program, ValueId id)
{
    while (program.value(id).definition.valid()) {
        const Operation& operation = program.operation(program.value(id).definition);
        if (const auto* constant = std::get_if<ConstantAttributes>(&operation.attributes))
            return constant->values.size() == 1 ? std::optional(constant->values[0]) : std::nullopt;
        if (operation.kind != OpKind::BroadcastInDim && operation.kind != OpKind::Reshape
            && operation.kind != OpKind::ShardingConstraint && operation.kind != OpKind::Transpose)
            return std::nullopt;
        id = operation.operands[0];
    }
    return std::nullopt;
}

class Preparation {
public:
    Preparation(const Plan& plan, const Instruction& instruction, OperationId operation, const KernelSet& kernels,
        MemoryBudget& budget)
        : m_plan(plan)
        , m_instruction(instruction)
        , m_program(*plan.program->program)
        , m_operation(m_program.operation(operation))
        , m_kernels(kernels)
        , m_budget(budget)
    {
    }

    ActionResult prepare()
    {
        if (m_instruction.results.size() != 1)
            return notExecutable(m_operation.kind);
        if (opRow(m_operation.kind).elementwise || m_operation.kind == OpKind::Convert)
            return elementwise();
        switch (m_operation.kind) {
        case OpKind::Constant:
            return constant();
        case OpKind::Iota:
            return iota();
        case OpKind::DotGeneral:
            return product();
        case OpKind::Reduce:
            return reduce();
        case OpKind::BroadcastInDim:
            return broadcast();
        case OpKind::Transpose:
            return transpose();
        case OpKind::Reshape:
        case OpKind::ShardingConstraint:
            return copy();
        default:
            return notExecutable(m_operation.kind);
        }
    }

private:
    [[nodiscard]] SlotId resultSlot() const { return m_instruction.results[0]; }
    [[nodiscard]] const DeviceValue& slotValue(SlotId id) const { return m_plan.program->value(m_plan.slot(id).value); }
    [[nodiscard]] const TensorType& resultType() const { return slotValue(resultSlot()).localType; }
    [[nodiscard]] bool hasSlot(std::size_t operand) const
    {
        return operand < m_instruction.operands.size() && m_instruction.operands[operand].valid();
    }
    [[nodiscard]] DType operandDType(std::size_t operand) const
    {
        return m_program.value(m_operation.operands[operand]).type.dtype;
    }

    /// An operand without slot must be a splat constant; `type` is that of the local shard.
    Result<Source> source(std::size_t operand, const TensorType& type) const
    {
        if (hasSlot(operand))
            return Source{ m_instruction.operands[operand].index, {} };
        const auto splat = splatValue(m_program, m_operation.operands[operand]);
        if (!splat)
            return notExecutable(m_operation.kind);
        const std::int64_t bytes = std::max<std::int64_t>(type.byteCount(), 1);
        if (auto taken = m_budget.take(bytes); !taken)
            return tl::unexpected(taken.error());
        Source source;
        if (m_budget.onlyCounts())
            return source;
        source.own.resize(static_cast<std::size_t>(bytes));
        for (std::int64_t i = 0; i < type.elementCount(); ++i)
            storeElement(type.dtype, source.own.data(), i, *splat);
        return source;
    }
    /// Local type of an operand: that of its slot, or the program's (a constant is not sharded where nobody shards it).
    [[nodiscard]] TensorType operandType(std::size_t operand) const
    {
        return hasSlot(operand) ? slotValue(m_instruction.operands[operand]).localType
                                : m_plan.program->values[m_operation.operands[operand].index].localType;
    }

    ActionResult elementwise() const
    {
        FusedInstruction fused;
        FusedInstruction::Step step;
        step.kind = m_operation.kind;
        step.dtype = resultType().dtype;
        if (const auto* compare = std::get_if<CompareAttributes>(&m_operation.attributes))
            step.comparison = compare->direction;
        for (std::size_t o = 0; o < m_operation.operands.size(); ++o) {
            FusedInstruction::Input input;
            input.dtype = operandDType(o);
            if (hasSlot(o)) {
                input.slot = m_instruction.operands[o];
                input.scalar = operandType(o).rank() == 0 && resultType().rank() != 0;
            } else if (const auto splat = splatValue(m_program, m_operation.operands[o]))
                input.constant = *splat;
            else
                return notExecutable(m_operation.kind);
            fused.inputs.push_back(input);
            (o == 0 ? step.a : o == 1 ? step.b : step.c) = static_cast<std::int16_t>(o);
        }
        fused.steps.push_back(step);
        fused.outputs.push_back({ resultSlot(), static_cast<std::int16_t>(fused.inputs.size()) });
        fused.elements = resultType().elementCount();
        return compiled(fused);
    }

public:
    static ActionResult compiled(const FusedInstruction& fused, const KernelSet& kernels)
    {
        auto kernel = FusedKernel::compile(fused, kernels);
        if (!kernel)
            return tl::unexpected(kernel.error());
        return std::make_unique<FusedAction>(std::move(*kernel));
    }

private:
    ActionResult compiled(const FusedInstruction& fused) const { return compiled(fused, m_kernels); }

    ActionResult constant() const
    {
        const auto& attributes = std::get<ConstantAttributes>(m_operation.attributes);
        const auto& values = attributes.values;
        const TensorType& type = resultType();
        if (!isExecutable(OpKind::Constant, type.dtype) || attributes.bytes)
            return notExecutable(OpKind::Constant);
        const Layout layout = m_plan.program->layout(m_plan.slot(resultSlot()).value);
        const std::int64_t copyCount = values.size() == 1 ? 1 : layout.mesh().deviceCount();
        if (auto taken = m_budget.take(static_cast<std::int64_t>(values.size()) * byteSize(type.dtype)
                + copyCount * static_cast<std::int64_t>(sizeof(StridedCopy)));
            !taken)
            return tl::unexpected(taken.error());
        if (m_budget.onlyCounts())
            return nullptr;
        std::vector<std::byte> global(values.size() * static_cast<std::size_t>(byteSize(type.dtype)));
        for (std::size_t i = 0; i < values.size(); ++i)
            storeElement(type.dtype, global.data(), static_cast<std::int64_t>(i), values[i]);
        std::vector<StridedCopy> copies;
        const Shape localStrides = rowMajorStrides(type.shape);
        if (values.size() == 1) {
            copies.emplace_back(type.shape, localStrides, Shape(type.rank(), 0), byteSize(type.dtype));
            return std::make_unique<ConstantAction>(std::move(global), std::move(copies), resultSlot().index);
        }
        const Shape globalStrides = rowMajorStrides(layout.shape());
        for (std::int64_t position = 0; position < layout.mesh().deviceCount(); ++position) {
            Shape extents;
            std::int64_t offset = 0;
            const std::vector<IndexRange> ranges = layout.rangesAt(position);
            for (std::size_t d = 0; d < ranges.size(); ++d) {
                extents.push_back(ranges[d].size());
                offset += ranges[d].begin * globalStrides[d];
            }
            copies.emplace_back(extents, localStrides, globalStrides, byteSize(type.dtype), 0, offset);
        }
        return std::make_unique<ConstantAction>(std::move(global), std::move(copies), resultSlot().index);
    }

    ActionResult iota() const
    {
        const TensorType& type = resultType();
        if (!isExecutable(OpKind::Iota, type.dtype))
            return notExecutable(OpKind::Iota);
        const auto dimension = static_cast<std::size_t>(std::get<IotaAttributes>(m_operation.attributes).dimension);
        const Layout layout = m_plan.program->layout(m_plan.slot(resultSlot()).value);
        const std::int64_t deviceCount = layout.mesh().deviceCount();
        if (auto taken = m_budget.take(deviceCount * static_cast<std::int64_t>(sizeof(std::int64_t))); !taken)
            return tl::unexpected(taken.error());
        if (m_budget.onlyCounts())
            return nullptr;
        std::vector<std::int64_t> begins;
        begins.reserve(static_cast<std::size_t>(deviceCount));
        for (std::int64_t position = 0; position < deviceCount; ++position)
            begins.push_back(layout.blockAt(position)[dimension] * type.shape[dimension]);
        std::int64_t outer = 1;
        std::int64_t inner = 1;
        for (std::size_t d = 0; d < type.rank(); ++d)
            (d < dimension ? outer : inner) *= d == dimension ? 1 : type.shape[d];
        return std::make_unique<IotaAction>(
            std::move(begins), outer, type.shape[dimension], inner, type.dtype, resultSlot().index);
    }

    ActionResult product() const
    {
        const TensorType lhs = operandType(0);
        const TensorType rhs = operandType(1);
        auto product = Product::prepare(lhs, rhs, std::get<DotGeneralAttributes>(m_operation.attributes), m_kernels);
        if (!product)
            return notExecutable(OpKind::DotGeneral);
        auto left = source(0, lhs);
        auto right = source(1, rhs);
        if (!left)
            return tl::unexpected(left.error());
        if (!right)
            return tl::unexpected(right.error());
        return std::make_unique<ProductAction>(
            std::move(*product), resultSlot().index, std::move(*left), std::move(*right));
    }

    ActionResult reduce() const
    {
        const TensorType type = operandType(0);
        auto reduction = Reduction::prepare(type, std::get<ReduceAttributes>(m_operation.attributes), m_kernels);
        auto in = source(0, type);
        if (!reduction)
            return notExecutable(OpKind::Reduce);
        if (!in)
            return tl::unexpected(in.error());
        return std::make_unique<ReduceAction>(std::move(*reduction), resultSlot().index, std::move(*in));
    }

    ActionResult copyOf(const TensorType& operand, const Shape& sourceStrides) const
    {
        auto in = source(0, operand);
        if (!in)
            return tl::unexpected(in.error());
        if (!isExecutable(m_operation.kind, operand.dtype))
            return notExecutable(m_operation.kind);
        const TensorType& type = resultType();
        return std::make_unique<CopyAction>(
            StridedCopy(type.shape, rowMajorStrides(type.shape), sourceStrides, byteSize(type.dtype)),
            resultSlot().index, std::move(*in));
    }

    ActionResult broadcast() const
    {
        const TensorType operand = operandType(0);
        const auto& dimensions = std::get<BroadcastAttributes>(m_operation.attributes).dimensions;
        const Shape operandStrides = rowMajorStrides(operand.shape);
        Shape strides(resultType().rank(), 0);
        for (std::size_t d = 0; d < dimensions.size(); ++d) {
            const bool expands = m_program.value(m_operation.operands[0]).type.shape[d] == 1;
            strides[static_cast<std::size_t>(dimensions[d])] = expands ? 0 : operandStrides[d];
        }
        return copyOf(operand, strides);
    }

    ActionResult transpose() const
    {
        const TensorType operand = operandType(0);
        const Shape operandStrides = rowMajorStrides(operand.shape);
        Shape strides;
        for (const std::int64_t d : std::get<TransposeAttributes>(m_operation.attributes).permutation)
            strides.push_back(operandStrides[static_cast<std::size_t>(d)]);
        return copyOf(operand, strides);
    }

    ActionResult copy() const
    {
        const TensorType operand = operandType(0);
        if (operand.elementCount() != resultType().elementCount())
            return notExecutable(m_operation.kind);
        return copyOf(operand, rowMajorStrides(resultType().shape));
    }

    const Plan& m_plan;
    const Instruction& m_instruction;
    const Program& m_program;
    const Operation& m_operation;
    const KernelSet& m_kernels;
    MemoryBudget& m_budget;
};

} // namespace

bool isExecutable(OpKind kind, DType operand)
{
    if (hasNoKernel(kind))
        return false;
    const KernelSet& kernels = kernelSet(InstructionSet::Portable);
    switch (kind) {
    case OpKind::Constant:
    case OpKind::Iota:
    case OpKind::BroadcastInDim:
    case OpKind::Transpose:
    case OpKind::Reshape:
    case OpKind::ShardingConstraint:
        return operand == DType::Pred || operand == DType::I32 || operand == DType::F32 || operand == DType::F64;
    case OpKind::DotGeneral:
        return operand == DType::I32 || operand == DType::F32 || operand == DType::F64;
    case OpKind::Reduce:
        return kernels.rowReduction({ ReduceKind::Sum, operand }) != nullptr;
    default:
        return kernels.elementwise(
                   { kind, Comparison::Equal, operand, kind == OpKind::Compare ? DType::Pred : operand, 0 })
            != nullptr;
    }
}

ActionResult prepareAction(
    const Plan& plan, const Instruction& instruction, const KernelSet& kernels, MemoryBudget& budget)
{
    if (const auto* fused = std::get_if<FusedInstruction>(&instruction.action))
        return Preparation::compiled(*fused, kernels);
    const OperationId operation = std::get<KernelInstruction>(instruction.action).operation;
    return Preparation(plan, instruction, operation, kernels, budget).prepare();
}

} // namespace shardscope
