// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulate/kernels/action.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "base/codes.h"
#include "program/body.h"
#include "program/other_attributes.h"
#include "schedule/work.h"
#include "simulate/kernels/call.h"
#include "simulate/kernels/fused.h"
#include "simulate/kernels/general_action.h"
#include "simulate/kernels/indexing_action.h"
#include "simulate/kernels/move_action.h"
#include "simulate/kernels/product.h"
#include "simulate/kernels/reduction.h"
#include "simulate/run/not_executable.h"

namespace shardscope {

namespace {

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

class ProductAction final : public Action {
public:
    ProductAction(Product product, const Instruction& instruction)
        : m_product(std::move(product))
        , m_lhs(instruction.operands[0])
        , m_rhs(instruction.operands[1])
        , m_out(instruction.results[0])
    {
    }
    void run(const ActionContext& context) const override
    {
        m_product.run(
            context.slots[m_out.index], context.slots[m_lhs.index], context.slots[m_rhs.index], context.scratch);
    }
    void runOnAll(std::span<const ActionContext> contexts) const override
    {
        const std::byte* right = contexts.front().slots[m_rhs.index];
        const bool isShared = std::all_of(contexts.begin(), contexts.end(),
            [&](const ActionContext& context) { return context.slots[m_rhs.index] == right; });
        if (!isShared || !m_product.canShareRight() || contexts.size() > Product::maximumSharers)
            return Action::runOnAll(contexts);
        std::array<Product::Sharer, Product::maximumSharers> sharers;
        std::transform(contexts.begin(), contexts.end(), sharers.begin(), [&](const ActionContext& context) {
            return Product::Sharer{ context.slots[m_out.index], context.slots[m_lhs.index] };
        });
        m_product.runSeveral({ sharers.data(), contexts.size() }, right);
    }
    [[nodiscard]] std::optional<SlotId> sharedOperand() const override
    {
        return m_product.canShareRight() ? std::optional(m_rhs) : std::nullopt;
    }
    [[nodiscard]] std::int64_t scratchBytes() const override { return m_product.scratchBytes(); }

private:
    Product m_product;
    SlotId m_lhs, m_rhs, m_out;
};

class ExpectationAction final : public Action {
public:
    ExpectationAction(
        Expectation expectation, const FlatProgram& program, const Operation& operation, const Instruction& instruction)
        : m_expectation(std::move(expectation))
        , m_mesh(program.mesh)
    {
        for (std::size_t i = 0; i < operation.operands.size(); ++i)
            m_operands.emplace_back(program.local->value(operation.operands[i]).type, instruction.operands[i]);
    }
    void run(const ActionContext& context) const override
    {
        kernels::Arrays operands;
        for (const auto& [type, slot] : m_operands)
            operands.push_back(kernels::viewOf(type, context.slots[slot.index]));
        if (context.findings)
            context.findings->push_back(m_expectation.compare(operands, m_mesh->deviceAt(context.position)));
    }

private:
    Expectation m_expectation;
    MeshPtr m_mesh;
    std::vector<std::pair<TensorType, SlotId>> m_operands;
};

class ReduceAction final : public Action {
public:
    ReduceAction(Reduction reduction, const Instruction& instruction)
        : m_reduction(std::move(reduction))
        , m_in(instruction.operands[0])
        , m_out(instruction.results[0])
    {
    }
    void run(const ActionContext& context) const override
    {
        m_reduction.run(context.slots[m_out.index], context.slots[m_in.index]);
    }

private:
    Reduction m_reduction;
    SlotId m_in, m_out;
};

Result<ActionPtr> compiled(const FusedInstruction& fused, const KernelSet& kernels)
{
    auto kernel = FusedKernel::compile(fused, kernels);
    if (!kernel)
        return tl::unexpected(kernel.error());
    return ActionPtr(std::make_unique<FusedAction>(std::move(*kernel)));
}

/// The fast kernels; others have a general one.
class FastKernels {
public:
    FastKernels(const Plan& plan, const Instruction& instruction, const KernelSet& kernels)
        : m_program(*plan.program->local)
        , m_instruction(instruction)
        , m_operation(m_program.operation(std::get<KernelInstruction>(instruction.action).operation))
        , m_kernels(kernels)
    {
    }

    /// Null where there is none for these types.
    ActionPtr prepare() const
    {
        if (m_operation.results.size() != 1)
            return nullptr;
        switch (m_operation.kind) {
        case OpKind::DotGeneral:
            return product();
        case OpKind::Reduce:
        case OpKind::VariadicReduce:
            return reduce();
        case OpKind::Gather:
        case OpKind::Scatter:
            return prepareIndexing(m_program, m_operation, m_instruction, m_kernels);
        default:
            return elementwise();
        }
    }

private:
    [[nodiscard]] const TensorType& operand(std::size_t i) const
    {
        return m_program.value(m_operation.operands[i]).type;
    }
    [[nodiscard]] const TensorType& result() const { return m_program.value(m_operation.results[0]).type; }

    [[nodiscard]] ActionPtr elementwise() const
    {
        if (!isFusable(m_program, m_operation))
            return nullptr;
        FusedInstruction fused;
        FusedInstruction::Step step;
        step.kind = m_operation.kind;
        step.dtype = result().dtype;
        if (const auto* compare = std::get_if<CompareAttributes>(&m_operation.attributes))
            step.comparison = compare->direction;
        for (std::size_t o = 0; o < m_operation.operands.size(); ++o) {
            fused.inputs.push_back(
                { m_instruction.operands[o], 0, operand(o).dtype, operand(o).rank() == 0 && result().rank() != 0, {} });
            (o == 0 ? step.a : o == 1 ? step.b : step.c) = static_cast<std::int16_t>(o);
        }
        fused.steps.push_back(step);
        fused.outputs.push_back({ m_instruction.results[0], static_cast<std::int16_t>(fused.inputs.size()) });
        fused.elements = result().elementCount();
        Result<ActionPtr> made = compiled(fused, m_kernels);
        return made ? std::move(*made) : nullptr;
    }

    [[nodiscard]] ActionPtr product() const
    {
        if (result().dtype != operand(0).dtype || operand(0).dtype != operand(1).dtype)
            return nullptr;
        auto product =
            Product::prepare(operand(0), operand(1), std::get<DotGeneralAttributes>(m_operation.attributes), m_kernels);
        return product ? std::make_unique<ProductAction>(std::move(*product), m_instruction) : nullptr;
    }

    /// A reduction that begins with what changes nothing.
    [[nodiscard]] ActionPtr reduce() const
    {
        ReduceAttributes attributes;
        if (const auto* own = std::get_if<ReduceAttributes>(&m_operation.attributes)) {
            attributes = *own;
        } else {
            const std::optional<ReduceKind> kind = reductionOf(m_program, m_operation);
            if (!kind || m_operation.operands.size() != 2 || !beginsWithIdentity(*kind))
                return nullptr;
            attributes = { attributesAs<VariadicReduceAttributes>(m_operation.attributes)->dimensions, *kind };
        }
        auto reduction = Reduction::prepare(operand(0), attributes, m_kernels);
        return reduction ? std::make_unique<ReduceAction>(std::move(*reduction), m_instruction) : nullptr;
    }
    [[nodiscard]] bool beginsWithIdentity(ReduceKind kind) const
    {
        const OperationId definition = m_program.value(m_operation.operands[1]).definition;
        if (!definition.valid() || byteSize(operand(1).dtype) > 8)
            return false;
        const auto* constant = std::get_if<ConstantAttributes>(&m_program.operation(definition).attributes);
        if (!constant)
            return false;
        const kernels::Array initial = kernels::constantArray(*constant, operand(1));
        const std::array<std::byte, 8> identity = reductionIdentity(kind, operand(1).dtype);
        return initial.bytes
            && std::memcmp(initial.data(), identity.data(), static_cast<std::size_t>(byteSize(operand(1).dtype))) == 0;
    }

    const Program& m_program;
    const Instruction& m_instruction;
    const Operation& m_operation;
    const KernelSet& m_kernels;
};

} // namespace

Result<ActionPtr> prepareAction(
    const Plan& plan, const Instruction& instruction, const KernelSet* kernels, MemoryBudget& budget)
{
    if (const auto* fused = std::get_if<FusedInstruction>(&instruction.action))
        return compiled(*fused, kernels ? *kernels : kernelSet());
    const OperationId id = std::get<KernelInstruction>(instruction.action).operation;
    const Operation& operation = plan.program->local->operation(id);
    if (isExpectation(operation)) {
        std::optional<Expectation> expectation = Expectation::of(*plan.program->local, id);
        if (!expectation)
            return cannot(*plan.program->local, operation, { { "wrong", "unknown" } });
        return ActionPtr(
            std::make_unique<ExpectationAction>(std::move(*expectation), *plan.program, operation, instruction));
    }
    if (operation.results.empty())
        return ActionPtr(); // it computes nothing
    const bool hasOneKernel = operation.kind == OpKind::Constant || operation.kind == OpKind::PartitionId
        || operation.kind == OpKind::ReplicaId;
    if (kernels || hasOneKernel) {
        Result<ActionPtr> move = prepareMove(plan, instruction, budget);
        if (!move || *move)
            return move;
    }
    if (kernels)
        if (ActionPtr fast = FastKernels(plan, instruction, *kernels).prepare())
            return fast;
    if (budget.onlyCounts() && (operation.kind == OpKind::Constant || operation.kind == OpKind::Iota))
        return ActionPtr();
    return prepareGeneralAction(plan, instruction);
}

} // namespace shardscope
