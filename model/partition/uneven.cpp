// SPDX-License-Identifier: GPL-3.0-or-later
#include "partition/uneven.h"

#include <algorithm>
#include <unordered_map>

#include "partition/partial_axes.h"
#include "program/body.h"
#include "program/editor.h"
#include "program/other_attributes.h"
#include "program/value_shardings.h"
#include "propagation/pass_support.h"

namespace shardscope {

namespace {

bool has(const Dimensions& list, std::size_t d)
{
    return std::find(list.begin(), list.end(), static_cast<std::int64_t>(d)) != list.end();
}

/// Those of which it is known what padding does to them.
bool isKnown(OpKind kind)
{
    switch (kind) {
    case OpKind::Transpose:
    case OpKind::BroadcastInDim:
    case OpKind::Reshape:
    case OpKind::BitcastConvert:
    case OpKind::DotGeneral:
    case OpKind::Dot:
    case OpKind::Convolution:
    case OpKind::Reduce:
    case OpKind::VariadicReduce:
    case OpKind::Slice:
    case OpKind::Pad:
    case OpKind::Concatenate:
    case OpKind::Reverse:
    case OpKind::Sort:
    case OpKind::DynamicSlice:
    case OpKind::DynamicUpdateSlice:
    case OpKind::Gather:
    case OpKind::Scatter:
    case OpKind::ReduceWindow:
    case OpKind::SelectAndScatter:
    case OpKind::BatchNormInference:
        return true;
    default:
        return opRow(kind).elementwise;
    }
}

bool isOneByOne(const WindowAttributes& window, std::size_t d)
{
    return entryOr(window.dimensions, d, 1) == 1 && entryOr(window.strides, d, 1) == 1
        && entryOr(window.baseDilations, d, 1) == 1 && entryOr(window.windowDilations, d, 1) == 1
        && (d >= window.padding.size() || window.padding[d] == std::pair<std::int64_t, std::int64_t>());
}

bool isOfFeatures(const ConvolutionAttributes& convolution, std::size_t tensor, std::size_t d)
{
    const auto dimension = static_cast<std::int64_t>(d);
    if (convolution.featureGroupCount != 1 || convolution.batchGroupCount != 1)
        return false;
    if (tensor == 0)
        return dimension == convolution.inputBatch || dimension == convolution.inputFeature;
    if (tensor == 1)
        return dimension == convolution.kernelInputFeature || dimension == convolution.kernelOutputFeature;
    return dimension == convolution.outputBatch || dimension == convolution.outputFeature;
}

/// Whether dimension `d` of a tensor, operands first, may be longer than it is said to be. Its factor stands for all of
/// it, and for nothing else.
bool mayBeLonger(const Operation& operation, std::size_t tensor, std::size_t d, std::int64_t size)
{
    const Attributes& attributes = operation.attributes;
    if (const auto* slice = attributesAs<SliceAttributes>(attributes))
        return slice->starts[d] == 0 && slice->limits[d] == size && entryOr(slice->strides, d, 1) == 1;
    if (const auto* pad = attributesAs<PadAttributes>(attributes))
        return pad->low[d] == 0 && pad->high[d] == 0 && entryOr(pad->interior, d, 0) == 0;
    if (const auto* window = attributesAs<WindowAttributes>(attributes))
        return isOneByOne(*window, d);
    if (const auto* convolution = attributesAs<ConvolutionAttributes>(attributes))
        return isOfFeatures(*convolution, tensor, d);
    if (const auto* sort = attributesAs<SortAttributes>(attributes))
        return static_cast<std::int64_t>(d) != sort->dimension;
    if (attributesAs<ScatterAttributes>(attributes)) // numbers in the padding would name places
        return tensor != (operation.operands.size() - 1) / 2;
    if (operation.kind == OpKind::Concatenate)
        return static_cast<std::int64_t>(d) != attributesAs<DimensionAttributes>(attributes)->dimension;
    if (operation.kind == OpKind::Reverse)
        return !has(attributesAs<DimensionsAttributes>(attributes)->dimensions, d);
    return true;
}

struct Place {
    std::size_t tensor = 0, dimension = 0;
};

/// The dimension stands after as many elements in the operand as in the result.
bool staysInPlace(const std::vector<Place>& places, const Shape& from, const Shape& to)
{
    if (places.size() != 2)
        return false;
    const auto before = [](const Shape& shape, std::size_t d) {
        std::int64_t count = 1;
        for (std::size_t i = 0; i < d; ++i)
            count = saturatingProduct(count, shape[i]);
        return count;
    };
    return before(from, places[0].dimension) == before(to, places[1].dimension);
}

bool addsUp(const Program& program, const Operation& operation)
{
    switch (operation.kind) {
    case OpKind::DotGeneral:
    case OpKind::Dot:
    case OpKind::Convolution:
        return true;
    case OpKind::Reduce:
    case OpKind::VariadicReduce:
        return reductionOf(program, operation).has_value();
    default:
        return false;
    }
}

AxisList fullAxesDividing(const AxisList& axes, std::int64_t size)
{
    AxisList kept;
    std::int64_t shards = 1;
    for (const AxisRef ref : axes) {
        shards *= ref.size;
        if (size % shards != 0)
            break;
        kept.push_back(ref);
    }
    return kept;
}

bool isUneven(const TensorSharding& sharding, const TensorType& type)
{
    for (std::size_t d = 0; d < std::min(sharding.rank(), type.rank()); ++d)
        if (type.shape[d] % shardCount(sharding.dims[d]) != 0)
            return true;
    return false;
}

/// Cuts the uneven dimensions back of which `mustDivide` says so. Whether there was any.
template <class MustDivide>
bool dropIndivisible(TensorSharding& sharding, const TensorType& type, MustDivide mustDivide)
{
    bool changed = false;
    for (std::size_t d = 0; d < std::min(sharding.rank(), type.rank()); ++d) {
        if (type.shape[d] % shardCount(sharding.dims[d]) == 0 || !mustDivide(d))
            continue;
        sharding.dims[d].axes = fullAxesDividing(sharding.dims[d].axes, type.shape[d]);
        changed = true;
    }
    return changed;
}

bool isAnyUneven(const Program& program)
{
    const ValueShardings shardings(program);
    for (std::size_t i = 0; i < program.values.size(); ++i)
        if (const ProgramSharding* found = shardings.of(ValueId(i));
            found && isUneven(found->sharding, program.values[i].type))
            return true;
    for (const Function& function : program.functions) {
        const std::vector<ValueId>& returned = program.regions[function.body.index].results;
        for (std::size_t i = 0; i < std::min(function.resultShardings.size(), returned.size()); ++i)
            if (const ShardingIndex index = function.resultShardings[i];
                index != 0 && isUneven(program.shardings[index - 1].sharding, program.value(returned[i]).type))
                return true;
    }
    return false;
}

class Cutter {
public:
    explicit Cutter(Program program)
        : m_edit(std::move(program))
        , m_inManual(m_edit.program().operations.size(), 0)
        , m_inManualValue(m_edit.program().values.size(), 0)
    {
        for (const RegionId body : bodies(m_edit.program()))
            walk(m_edit.program(), body, [&](OperationId id) {
                m_order.push_back(id);
                if (m_edit.operation(id).kind == OpKind::ManualComputation)
                    markManual(m_edit.operation(id).regions[0]);
            });
    }

    Program run() &&
    {
        loosenCollectives();
        dropIndivisibleEverywhere();
        const ValueShardings shardings(m_edit.program());
        for (const Operation& operation : m_edit.program().operations)
            for (const RegionId region : operation.regions)
                for (const ValueId argument : m_edit.region(region).arguments)
                    if (const ProgramSharding* found = shardings.of(argument))
                        m_arguments.emplace(argument, *found);
        for (const OperationId id : m_order)
            if (!m_inManual[id.index] && !carriesAnySharding(m_edit.operation(id).kind))
                visit(id);
        return std::move(m_edit).finish();
    }

private:
    void markManual(RegionId region)
    {
        const auto markArguments = [&](RegionId id) {
            for (const ValueId argument : m_edit.region(id).arguments)
                m_inManualValue[argument.index] = 1;
        };
        markArguments(region);
        walk(m_edit.program(), region, [&](OperationId id) {
            m_inManual[id.index] = 1;
            for (const ValueId result : m_edit.operation(id).results)
                m_inManualValue[result.index] = 1;
            for (const RegionId inner : m_edit.operation(id).regions)
                markArguments(inner);
        });
    }

    /// Collectives that are written name the axes of shards that would not fit any more: where they lead is a reshard.
    void loosenCollectives()
    {
        const ValueShardings shardings(m_edit.program());
        std::vector<OperationId> found;
        for (const OperationId id : m_order) {
            const Operation& operation = m_edit.operation(id);
            const OpKind kind = operation.kind;
            if (m_inManual[id.index] || !isShardyCollective(kind) || kind == OpKind::SdyAllReduce
                || kind == OpKind::ShardedToUnreduced || kind == OpKind::ReplicatedToUnreduced)
                continue;
            for (const ValueId value : { operation.operands[0], operation.results[0] })
                if (const ProgramSharding* current = shardings.of(value);
                    current && isUneven(current->sharding, m_edit.value(value).type)) {
                    found.push_back(id);
                    break;
                }
        }
        for (const OperationId id : found) {
            const SdyCollectiveAttributes declared =
                *attributesAs<SdyCollectiveAttributes>(m_edit.operation(id).attributes);
            if (m_edit.operation(id).kind == OpKind::SdyReduceScatter) {
                const ValueId operand = m_edit.operation(id).operands[0];
                SdyCollectiveAttributes sum;
                for (const AxisList& axes : declared.axesPerDimension)
                    for (const AxisRef axis : axes)
                        sum.axes.push_back(axis);
                passes::sortAndMerge(sum.axes);
                sum.kind = declared.kind;
                const ProgramSharding* current = passes::shardingAnywhere(m_edit, operand);
                sum.out =
                    current ? *current : passes::closedSharding(declared.out.mesh, m_edit.value(operand).type.rank());
                const OperationId added =
                    m_edit.addLike(OpKind::SdyAllReduce, { operand }, otherAttributes(std::move(sum)));
                m_edit.placeBefore(id, added);
                m_edit.setOperand(id, 0, m_edit.result(added));
            }
            Operation& operation = m_edit.raw().operations[id.index];
            operation.kind = OpKind::Reshard;
            operation.attributes = otherAttributes(OwnShardingAttributes{ declared.out });
        }
    }

    /// Sizes of 1, and all that manual computations take, hold and give.
    void dropIndivisibleEverywhere()
    {
        const auto dropIndivisibleOf = [&](ProgramSharding& sharding, const TensorType& type, bool all) {
            return dropIndivisible(sharding.sharding, type, [&](std::size_t d) { return all || type.shape[d] == 1; });
        };
        for (std::size_t i = 0; i < m_inManualValue.size(); ++i)
            if (const ProgramSharding* specified = m_edit.sharding(ValueId(i))) {
                ProgramSharding own = *specified;
                if (dropIndivisibleOf(own, m_edit.value(ValueId(i)).type, m_inManualValue[i] != 0))
                    m_edit.setSharding(ValueId(i), own);
            }
        for (const OperationId id : m_order) {
            Operation& operation = m_edit.raw().operations[id.index];
            const bool all = m_inManual[id.index] != 0;
            const auto dropInLists = [&](std::vector<ProgramSharding>& in, std::vector<ProgramSharding>& out,
                                         bool always) {
                for (std::size_t i = 0; i < std::min<std::size_t>(in.size(), operation.operands.size()); ++i)
                    dropIndivisibleOf(in[i], m_edit.value(operation.operands[i]).type, always);
                for (std::size_t i = 0; i < std::min<std::size_t>(out.size(), operation.results.size()); ++i)
                    dropIndivisibleOf(out[i], m_edit.value(operation.results[i]).type, always);
            };
            if (const auto* own = attributesAs<OwnShardingAttributes>(operation.attributes); own && own->sharding) {
                ProgramSharding changed = *own->sharding;
                if (dropIndivisibleOf(changed, m_edit.value(operation.results[0]).type, all))
                    operation.attributes = otherAttributes(OwnShardingAttributes{ std::move(changed) });
            } else if (const auto* manual = attributesAs<ManualComputationAttributes>(operation.attributes)) {
                ManualComputationAttributes changed = *manual;
                dropInLists(changed.in, changed.out, true);
                if (!(changed == *manual))
                    operation.attributes = otherAttributes(std::move(changed));
            } else if (const auto* named = attributesAs<NamedComputationAttributes>(operation.attributes)) {
                NamedComputationAttributes changed = *named;
                dropInLists(changed.in, changed.out, all);
                if (!(changed == *named))
                    operation.attributes = otherAttributes(std::move(changed));
            }
        }
        for (std::size_t f = 0; f < m_edit.program().functions.size(); ++f)
            for (std::size_t i = 0; i < m_edit.program().functions[f].resultShardings.size(); ++i) {
                const Function& function = m_edit.program().functions[f];
                const ShardingIndex index = function.resultShardings[i];
                if (index == 0)
                    continue;
                ProgramSharding own = m_edit.program().shardings[index - 1];
                if (dropIndivisibleOf(own, m_edit.value(m_edit.region(function.body).results[i]).type, false)) {
                    const ShardingIndex changed = m_edit.intern(own);
                    m_edit.raw().functions[f].resultShardings[i] = changed;
                }
            }
    }

    void visit(OperationId id)
    {
        if (passesEveryDimension(m_edit.program(), m_edit.operation(id)))
            return; // what is longer than it is said to be comes out so
        bool any = false;
        const auto look = [&](ValueId value) {
            const ProgramSharding* current = shardingOf(value);
            any = any || (current && isUneven(current->sharding, m_edit.value(value).type));
        };
        for (const ValueId operand : m_edit.operation(id).operands)
            look(operand);
        for (const ValueId result : m_edit.operation(id).results)
            look(result);
        if (!any)
            return;
        const FactorRule rule = factorRule(m_edit.program(), m_edit.operation(id));
        const std::vector<char> paddable = paddableFactors(m_edit.program(), m_edit.operation(id), rule);
        const auto mustDivide = [&](const std::vector<FactorRule::TensorMapping>& mappings, std::size_t tensor) {
            return [&, tensor](std::size_t d) {
                if (tensor >= mappings.size() || d >= mappings[tensor].size())
                    return true;
                const FactorRule::DimensionFactors& factors = mappings[tensor][d];
                return factors.size() != 1 || !paddable[static_cast<std::size_t>(factors[0])];
            };
        };
        for (std::size_t slot = 0; slot < m_edit.operation(id).operands.size(); ++slot) {
            const ValueId operand = m_edit.operation(id).operands[slot];
            const ProgramSharding* before = shardingOf(operand);
            if (!before)
                continue;
            ProgramSharding after = *before;
            if (!dropIndivisible(after.sharding, m_edit.value(operand).type, mustDivide(rule.operands, slot)))
                continue;
            const OperationId reshard = m_edit.addLike(
                OpKind::Reshard, { operand }, otherAttributes(OwnShardingAttributes{ std::move(after) }));
            m_edit.placeBefore(id, reshard);
            m_edit.setOperand(id, slot, m_edit.result(reshard));
        }
        for (std::size_t i = 0; i < m_edit.operation(id).results.size(); ++i) {
            const ValueId result = m_edit.result(id, i);
            const ProgramSharding* specified = m_edit.sharding(result);
            if (!specified)
                continue;
            const ProgramSharding before = *specified;
            ProgramSharding after = before;
            if (!dropIndivisible(after.sharding, m_edit.value(result).type, mustDivide(rule.results, i)))
                continue;
            m_edit.setSharding(result, after);
            const OperationId reshard =
                m_edit.addLike(OpKind::Reshard, { result }, otherAttributes(OwnShardingAttributes{ before }));
            m_edit.placeAfter(id, reshard);
            m_edit.replaceUses(result, m_edit.result(reshard), reshard);
        }
    }

    [[nodiscard]] const ProgramSharding* shardingOf(ValueId value) const
    {
        if (const ProgramSharding* found = passes::shardingAnywhere(m_edit, value))
            return found;
        const auto argument = m_arguments.find(value);
        return argument == m_arguments.end() ? nullptr : &argument->second;
    }

    Editor m_edit;
    std::vector<OperationId> m_order;
    std::vector<char> m_inManual; ///< per OperationId
    std::vector<char> m_inManualValue; ///< per ValueId
    std::unordered_map<ValueId, ProgramSharding> m_arguments; ///< of bodies
};

} // namespace

bool carriesAnySharding(OpKind kind)
{
    switch (kind) {
    case OpKind::Constant:
    case OpKind::SdyConstant:
    case OpKind::Iota:
    case OpKind::ShardingConstraint:
    case OpKind::Reshard:
    case OpKind::ManualComputation:
    case OpKind::NamedComputation:
    case OpKind::PropagationBarrier:
    case OpKind::DataFlowEdge:
    case OpKind::FuncDataFlowEdge:
    case OpKind::ShardingGroup:
    case OpKind::OptimizationBarrier:
    case OpKind::While:
    case OpKind::Case:
    case OpKind::If:
    case OpKind::Call:
    case OpKind::Composite:
        return true;
    default:
        return isShardyCollective(kind);
    }
}

std::vector<char> paddableFactors(const Program& program, const Operation& operation, const FactorRule& rule)
{
    std::vector<char> paddable(rule.factors.size(), 0);
    if (rule.custom || !isKnown(operation.kind))
        return paddable;
    const auto shapeOf = [&](std::size_t tensor) -> Shape {
        const std::size_t operands = operation.operands.size();
        return program.value(tensor < operands ? operation.operands[tensor] : operation.results[tensor - operands])
            .type.shape;
    };
    std::vector<std::vector<Place>> places(rule.factors.size());
    std::vector<char> alone(rule.factors.size(), 1);
    const auto take = [&](const FactorRule::TensorMapping& mapping, std::size_t tensor) {
        const Shape shape = shapeOf(tensor);
        for (std::size_t d = 0; d < std::min(mapping.size(), shape.size()); ++d)
            for (const std::int32_t factor : mapping[d]) {
                const auto f = static_cast<std::size_t>(factor);
                places[f].push_back({ tensor, d });
                if (mapping[d].size() != 1 || shape[d] != rule.factors[f].size)
                    alone[f] = 0;
            }
    };
    for (std::size_t i = 0; i < rule.operands.size(); ++i)
        take(rule.operands[i], i);
    for (std::size_t i = 0; i < rule.results.size(); ++i)
        take(rule.results[i], operation.operands.size() + i);
    for (std::size_t f = 0; f < rule.factors.size(); ++f) {
        const FactorRule::Factor& factor = rule.factors[f];
        const bool fits = factor.kind == FactorKind::PassThrough
            || (factor.kind == FactorKind::Reduction && addsUp(program, operation));
        if (!fits || !alone[f] || factor.size < 2 || places[f].empty())
            continue;
        if (operation.kind == OpKind::Reshape
            && !staysInPlace(places[f], shapeOf(0), shapeOf(operation.operands.size())))
            continue;
        paddable[f] = std::all_of(places[f].begin(), places[f].end(),
            [&](const Place& place) { return mayBeLonger(operation, place.tensor, place.dimension, factor.size); });
    }
    return paddable;
}

Program dropUnsupportedUneven(Program program)
{
    if (!isAnyUneven(program))
        return program;
    return Cutter(std::move(program)).run();
}

} // namespace shardscope
