// SPDX-License-Identifier: GPL-3.0-or-later
#include "partition/legalize.h"

#include <algorithm>

#include "partition/halo_dimensions.h"
#include "partition/partial_axes.h"
#include "partition/uneven.h"
#include "program/body.h"
#include "program/editor.h"
#include "program/op_row.h"
#include "program/other_attributes.h"
#include "program/value_shardings.h"
#include "propagation/pass_support.h"

namespace shardscope {

namespace {

/// Per dimension: may it be sharded?
using Allowed = SmallVector<char, 6>;

bool clear(TensorSharding& sharding, const Allowed& allowed)
{
    bool changed = false;
    for (std::size_t d = 0; d < sharding.rank(); ++d)
        if (!allowed[d] && !sharding.dims[d].axes.empty()) {
            sharding.dims[d].axes.clear();
            changed = true;
        }
    return changed;
}

/// The bits of 1; nothing for types that are not multiplied here.
std::optional<std::uint64_t> bitsOfOne(DType dtype)
{
    switch (dtype) {
    case DType::F64:
        return 0x3FF0'0000'0000'0000;
    case DType::F32:
        return 0x3F80'0000;
    case DType::BF16:
        return 0x3F80;
    case DType::F16:
        return 0x3C00;
    default:
        return isFloat(dtype) || isComplex(dtype) ? std::nullopt : std::optional<std::uint64_t>(1);
    }
}

/// A constant all of whose elements are 0, or 1.
bool isConstantOf(const Program& program, ValueId value, int number)
{
    const OperationId definition = program.value(value).definition;
    if (!definition.valid())
        return false;
    const auto* constant = std::get_if<ConstantAttributes>(&program.operation(definition).attributes);
    if (!constant)
        return false;
    if (!constant->bytes)
        return std::all_of(
            constant->values.begin(), constant->values.end(), [number](double element) { return element == number; });
    const DType dtype = program.value(value).type.dtype;
    const std::optional<std::uint64_t> wanted = number == 0 ? std::optional<std::uint64_t>(0) : bitsOfOne(dtype);
    const auto size = static_cast<std::size_t>(byteSize(dtype));
    const std::vector<std::byte>& bytes = *constant->bytes;
    if (!wanted)
        return false;
    for (std::size_t i = 0; i < bytes.size(); ++i) { // little endian
        const std::size_t place = i % size;
        const std::uint64_t expected = place < sizeof(std::uint64_t) ? *wanted >> (8 * place) & 0xFF : 0;
        if (std::to_integer<std::uint64_t>(bytes[i]) != expected)
            return false;
    }
    return true;
}

/// Whether each device can reduce its part with the initial values, and an all-reduce put the parts together.
bool sumsOfPartsAreSums(const Program& program, const Operation& operation)
{
    if (operation.kind == OpKind::Gather || operation.kind == OpKind::Scatter)
        return false;
    if (operation.kind != OpKind::VariadicReduce && operation.kind != OpKind::Reduce)
        return true; // contractions
    const auto kind = reductionOf(program, operation);
    if (kind == ReduceKind::Max || kind == ReduceKind::Min || kind == ReduceKind::And || kind == ReduceKind::Or)
        return true; // the initial value may count several times
    if (kind != ReduceKind::Sum && kind != ReduceKind::Product)
        return false;
    if (operation.kind == OpKind::Reduce)
        return true;
    for (std::size_t i = operation.operands.size() / 2; i < operation.operands.size(); ++i)
        if (!isConstantOf(program, operation.operands[i], kind == ReduceKind::Sum ? 0 : 1))
            return false;
    return true;
}

/// Dimensions of a tensor that no device can have a part of, whatever the factors say: where the operation picks places
/// by index, or windows reach across. Operands are numbered first, then results.
std::vector<std::int64_t> fullDimensions(const Program& program, const Operation& operation, std::size_t tensor)
{
    const std::size_t operands = operation.operands.size();
    std::vector<std::int64_t> full;
    const auto add = [&](const auto& list) { full.insert(full.end(), list.begin(), list.end()); };
    if (const auto* scatter = attributesAs<ScatterAttributes>(operation.attributes)) {
        if (tensor < (operands - 1) / 2 || tensor >= operands) {
            add(*scatter->insertedWindowDims);
            add(*scatter->scatterDimsToOperandDims);
        }
    } else if (const auto* convolution = attributesAs<ConvolutionAttributes>(operation.attributes)) {
        add(tensor == 0       ? *convolution->inputSpatial
                : tensor == 1 ? *convolution->kernelSpatial
                              : *convolution->outputSpatial);
    } else if (const auto* pad = attributesAs<PadAttributes>(operation.attributes)) {
        // What is cut off at one end and added at the other leaves the size, and moves every element.
        for (std::size_t d = 0; d < pad->low.size(); ++d)
            if (pad->low[d] != 0 || pad->high[d] != 0 || pad->interior[d] != 0)
                full.push_back(static_cast<std::int64_t>(d));
    } else if (operation.kind == OpKind::DynamicUpdateSlice && (tensor < 2 || tensor >= operands)) {
        const Shape& all = program.value(operation.operands[0]).type.shape;
        const Shape& update = program.value(operation.operands[1]).type.shape;
        for (std::size_t d = 0; d < all.size(); ++d)
            if (all[d] != update[d])
                full.push_back(static_cast<std::int64_t>(d));
    }
    return full;
}

/// Whether a factor connects what is read with what is made. A factor of one side alone (reshapes whose sizes do not
/// meet) stands for elements that the other side has elsewhere; broadcasts make theirs from nothing.
bool connects(const FactorRule& rule, const Operation& operation, std::int32_t factor)
{
    const auto isIn = [&](const std::vector<FactorRule::TensorMapping>& mappings) {
        return std::any_of(mappings.begin(), mappings.end(), [&](const FactorRule::TensorMapping& mapping) {
            return std::any_of(mapping.begin(), mapping.end(), [&](const FactorRule::DimensionFactors& factors) {
                return std::find(factors.begin(), factors.end(), factor) != factors.end();
            });
        });
    };
    return isIn(rule.results) && (operation.kind == OpKind::BroadcastInDim || isIn(rule.operands));
}

class Legalizer {
public:
    explicit Legalizer(Program program)
        : m_edit(std::move(program))
    {
    }

    Program run() &&
    {
        collectArguments();
        std::vector<OperationId> order;
        for (const RegionId body : bodies(m_edit.program()))
            walk(m_edit.program(), body, [&](OperationId id) { order.push_back(id); });
        for (const OperationId id : order)
            if (m_edit.operation(id).kind == OpKind::PropagationBarrier)
                visitBarrier(id);
            else if (!carriesAnySharding(m_edit.operation(id).kind))
                visit(id);
        return std::move(m_edit).finish();
    }

private:
    void visit(OperationId id)
    {
        if (passesEveryDimension(m_edit.program(), m_edit.operation(id)))
            return; // every dimension may be sharded
        const FactorRule rule = factorRule(m_edit.program(), m_edit.operation(id));
        const bool sums = sumsOfPartsAreSums(m_edit.program(), m_edit.operation(id));
        const bool grouped = hasGroups(m_edit.operation(id));
        const std::vector<HaloDimension> halos = halosOf(id, rule);
        const auto allowed = [&](bool ofResults, std::size_t tensor, std::size_t rank) {
            const std::vector<FactorRule::TensorMapping>& mappings = ofResults ? rule.results : rule.operands;
            Allowed result(rank, 0);
            if (grouped || tensor >= mappings.size()) {
                allowHalos(id, halos, ofResults, tensor, result);
                return result;
            }
            for (std::size_t d = 0; d < std::min(rank, mappings[tensor].size()); ++d) {
                const FactorRule::DimensionFactors& factors = mappings[tensor][d];
                result[d] = !factors.empty() && std::all_of(factors.begin(), factors.end(), [&](std::int32_t f) {
                    const FactorKind kind = rule.factors[static_cast<std::size_t>(f)].kind;
                    return kind == FactorKind::PassThrough ? connects(rule, m_edit.operation(id), f)
                                                           : kind == FactorKind::Reduction && sums;
                });
            }
            const std::size_t number = tensor + (ofResults ? m_edit.operation(id).operands.size() : 0);
            for (const std::int64_t d : fullDimensions(m_edit.program(), m_edit.operation(id), number))
                result[static_cast<std::size_t>(d)] = 0;
            allowHalos(id, halos, ofResults, tensor, result);
            return result;
        };
        for (std::size_t slot = 0; slot < m_edit.operation(id).operands.size(); ++slot) {
            const ValueId operand = m_edit.operation(id).operands[slot];
            const TensorType type = m_edit.value(operand).type;
            const ProgramSharding* before = shardingOf(operand);
            if (!before || !isTensor(type.dtype))
                continue;
            ProgramSharding after = *before;
            if (clear(after.sharding, allowed(false, slot, type.rank()))) {
                const OperationId reshard = m_edit.addLike(
                    OpKind::Reshard, { operand }, otherAttributes(OwnShardingAttributes{ std::move(after) }));
                m_edit.placeBefore(id, reshard);
                m_edit.setOperand(id, slot, m_edit.result(reshard));
            }
        }
        for (std::size_t i = 0; i < m_edit.operation(id).results.size(); ++i) {
            const ValueId result = m_edit.result(id, i);
            const ProgramSharding* specified = m_edit.sharding(result);
            const TensorType type = m_edit.value(result).type;
            if (!specified || !isTensor(type.dtype))
                continue;
            const ProgramSharding before = *specified;
            ProgramSharding after = before;
            if (clear(after.sharding, allowed(true, i, type.rank()))) {
                m_edit.setSharding(result, after);
                const OperationId reshard =
                    m_edit.addLike(OpKind::Reshard, { result }, otherAttributes(OwnShardingAttributes{ before }));
                m_edit.placeAfter(id, reshard);
                m_edit.replaceUses(result, m_edit.result(reshard), reshard);
            }
        }
    }

    /// Dimensions that stay sharded because devices exchange what they read of each other's blocks.
    [[nodiscard]] std::vector<HaloDimension> halosOf(OperationId id, const FactorRule& rule) const
    {
        const auto tensors = haloTensors(
            m_edit.program(), m_edit.operation(id), [&](ValueId value) { return m_edit.value(value).type; },
            [&](ValueId value) { return shardingOf(value); });
        if (!tensors || !rule.exists() || rule.custom)
            return {};
        return worthwhileHalos(m_edit.operation(id), *tensors);
    }

    void allowHalos(OperationId id, const std::vector<HaloDimension>& halos, bool ofResults, std::size_t tensor,
        Allowed& allowed) const
    {
        const Operation& operation = m_edit.operation(id);
        const auto* convolution = attributesAs<ConvolutionAttributes>(operation.attributes);
        for (const HaloDimension& halo : halos) {
            const auto i = static_cast<std::size_t>(halo.spatial);
            if (convolution && ofResults)
                allowed[static_cast<std::size_t>(convolution->outputSpatial[i])] = halo.splitsWindow ? 0 : 1;
            else if (convolution && tensor == 1)
                allowed[static_cast<std::size_t>(convolution->kernelSpatial[i])] = halo.splitsWindow ? 1 : 0;
            else if (ofResults || tensor < haloInputs(operation))
                allowed[halo.dimension] = 1;
        }
        // The other dimensions of what is put together lie alike already, and stay.
        if (operation.kind == OpKind::Concatenate && !halos.empty())
            std::fill(allowed.begin(), allowed.end(), char{ 1 });
    }

    /// A barrier is nothing to a device: what comes out of it lies as what goes in. One without a sharding of its own
    /// has that of its operand.
    void visitBarrier(OperationId id)
    {
        const ValueId operand = m_edit.operation(id).operands[0];
        const ProgramSharding* before = shardingOf(operand);
        const ProgramSharding* own = m_edit.sharding(m_edit.result(id));
        if (!own) {
            if (before)
                m_edit.setSharding(m_edit.result(id), ProgramSharding(*before));
            return;
        }
        const ProgramSharding after = *own;
        if (passes::areEquivalent(before, &after))
            return;
        const OperationId reshard =
            m_edit.addLike(OpKind::Reshard, { operand }, otherAttributes(OwnShardingAttributes{ after }));
        m_edit.placeBefore(id, reshard);
        m_edit.setOperand(id, 0, m_edit.result(reshard));
    }

    /// Convolutions by groups: a device would need another number of groups.
    static bool hasGroups(const Operation& operation)
    {
        const auto* convolution = attributesAs<ConvolutionAttributes>(operation.attributes);
        return convolution && (convolution->featureGroupCount != 1 || convolution->batchGroupCount != 1);
    }

    [[nodiscard]] const ProgramSharding* shardingOf(ValueId value) const
    {
        if (const ProgramSharding* found = passes::shardingAnywhere(m_edit, value))
            return found;
        const auto argument = m_arguments.find(value);
        return argument == m_arguments.end() ? nullptr : &argument->second;
    }

    /// Shardings of arguments of loops' and computations' bodies.
    void collectArguments()
    {
        const ValueShardings shardings(m_edit.program());
        for (const Operation& operation : m_edit.program().operations)
            for (const RegionId region : operation.regions)
                for (const ValueId argument : m_edit.region(region).arguments)
                    if (const ProgramSharding* found = shardings.of(argument))
                        m_arguments.emplace(argument, *found);
    }

    Editor m_edit;
    std::unordered_map<ValueId, ProgramSharding> m_arguments; ///< of bodies
};

} // namespace

Program legalizeForDevices(Program program)
{
    return dropUnsupportedUneven(Legalizer(std::move(program)).run());
}

} // namespace shardscope
