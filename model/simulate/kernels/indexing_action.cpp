// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulate/kernels/indexing_action.h"

#include <cstring>

#include "program/body.h"
#include "simulate/kernels/indexed_slices.h"

namespace shardscope {

namespace {

class GatherAction final : public Action {
public:
    GatherAction(kernels::Gather gather, TensorType indexType, const Instruction& instruction)
        : m_gather(std::move(gather))
        , m_indexType(std::move(indexType))
        , m_operand(instruction.operands[0])
        , m_indices(instruction.operands[1])
        , m_out(instruction.results[0])
    {
    }
    void run(const ActionContext& context) const override
    {
        m_gather.run(context.slots[m_out.index], context.slots[m_operand.index],
            kernels::viewOf(m_indexType, context.slots[m_indices.index]));
    }

private:
    kernels::Gather m_gather;
    TensorType m_indexType;
    SlotId m_operand, m_indices, m_out;
};

class ScatterAction final : public Action {
public:
    ScatterAction(kernels::Scatter scatter, ElementwiseFunction combine, TensorType type, TensorType indexType,
        const Instruction& instruction)
        : m_scatter(std::move(scatter))
        , m_combine(combine)
        , m_type(std::move(type))
        , m_indexType(std::move(indexType))
        , m_operand(instruction.operands[0])
        , m_indices(instruction.operands[1])
        , m_updates(instruction.operands[2])
        , m_out(instruction.results[0])
    {
    }
    void run(const ActionContext& context) const override
    {
        std::byte* const out = context.slots[m_out.index];
        const std::byte* const updates = context.slots[m_updates.index];
        const std::int64_t bytes = byteSize(m_type.dtype);
        std::memcpy(out, context.slots[m_operand.index], static_cast<std::size_t>(m_type.byteCount()));
        m_scatter.forEachRun(kernels::viewOf(m_indexType, context.slots[m_indices.index]),
            [&](std::int64_t target, std::int64_t source, std::int64_t count) {
                std::byte* const place = out + target * bytes;
                m_combine(place, place, updates + source * bytes, nullptr, count);
            });
    }

private:
    kernels::Scatter m_scatter;
    ElementwiseFunction m_combine;
    TensorType m_type, m_indexType;
    SlotId m_operand, m_indices, m_updates, m_out;
};

} // namespace

ActionPtr prepareIndexing(
    const Program& program, const Operation& operation, const Instruction& instruction, const KernelSet& kernels)
{
    const auto type = [&](std::size_t operand) -> const TensorType& {
        return program.value(operation.operands[operand]).type;
    };
    if (const auto* own = attributesAs<GatherAttributes>(operation.attributes))
        return std::make_unique<GatherAction>(
            kernels::Gather(*own, type(0), type(1), program.value(operation.results[0]).type), type(1), instruction);
    const auto* own = attributesAs<ScatterAttributes>(operation.attributes);
    const std::optional<ReduceKind> kind = reductionOf(program, operation);
    const DType dtype = program.value(operation.results[0]).type.dtype;
    if (!own || !kind || operation.operands.size() != 3 || type(0).dtype != dtype || type(2).dtype != dtype)
        return nullptr;
    const ElementwiseFunction combine = kernels.elementwise({ combinerOf(*kind), Comparison::Equal, dtype, dtype, 0 });
    if (!combine)
        return nullptr;
    return std::make_unique<ScatterAction>(
        kernels::Scatter(*own, type(0), type(1), type(2)), combine, type(0), type(1), instruction);
}

} // namespace shardscope
