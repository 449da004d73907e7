// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulate/run/argument_uses.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "program/body.h"
#include "program/calls.h"
#include "program/function_names.h"
#include "program/op_row.h"
#include "program/other_attributes.h"
#include "simulate/kernels/array.h"

namespace shardscope {

namespace {

/// What later operations ask of the elements of a value.
struct Demand {
    bool positive = false;
    bool nonZero = false; ///< with positive: zero would make it infinite
    bool fraction = false; ///< from 0 to 1: the rest to 1 is used as well
    std::int64_t bound = std::numeric_limits<std::int64_t>::max(); ///< an index: from 0 to below this
    /// Of the first contraction that has it as a factor: that operation, and the number of terms.
    std::uint32_t contraction = std::numeric_limits<std::uint32_t>::max();
    std::int64_t terms = 1;

    [[nodiscard]] bool asksNothing() const { return *this == Demand{}; }
    bool operator==(const Demand&) const = default;
};

/// The elements of the results are elements of these operands, or are made of them by what keeps signs and indices.
bool movesElements(OpKind kind)
{
    switch (kind) {
    case OpKind::Reshape:
    case OpKind::Transpose:
    case OpKind::BroadcastInDim:
    case OpKind::Slice:
    case OpKind::Reverse:
    case OpKind::DynamicSlice:
    case OpKind::Gather:
    case OpKind::Convert:
    case OpKind::ReducePrecision:
    case OpKind::Clamp:
    case OpKind::Concatenate:
    case OpKind::Pad:
    case OpKind::DynamicUpdateSlice:
    case OpKind::Select:
    case OpKind::Sort:
    case OpKind::OptimizationBarrier:
    case OpKind::ShardingConstraint:
    case OpKind::Reshard:
    case OpKind::PropagationBarrier:
    case OpKind::DataFlowEdge:
    case OpKind::FuncDataFlowEdge:
    case OpKind::AllGather:
    case OpKind::AllToAll:
    case OpKind::CollectivePermute:
    case OpKind::CollectiveBroadcast:
    case OpKind::SdyAllGather:
    case OpKind::SdyAllSlice:
    case OpKind::SdyAllToAll:
    case OpKind::SdyCollectivePermute:
    case OpKind::CustomCall: // those that are executed give back what they are given
        return true;
    default:
        return false;
    }
}

/// The operands whose elements come out of such an operation: the first of them, and how many.
std::pair<std::size_t, std::size_t> movedOperands(const Operation& operation)
{
    switch (operation.kind) {
    case OpKind::Select:
    case OpKind::Clamp:
        return { 1, operation.kind == OpKind::Select ? 2 : 1 };
    case OpKind::DynamicSlice:
    case OpKind::Gather:
        return { 0, 1 };
    case OpKind::Pad:
    case OpKind::DynamicUpdateSlice:
        return { 0, 2 };
    default:
        return { 0, operation.operands.size() };
    }
}

class Uses {
public:
    explicit Uses(const Program& program)
        : m_program(program)
        , m_demands(program.values.size())
        , m_sources(program.values.size())
        , m_functions(program)
    {
    }

    /// From the results of the program to its arguments; again while loops and functions hand something on.
    std::vector<Demand> run()
    {
        constexpr int maximumPasses = 64;
        for (int pass = 0; pass < maximumPasses; ++pass) {
            m_changed = m_again = false;
            visit(RegionId{ 0 });
            for (const Function& function : m_program.functions)
                if (function.body.index != 0)
                    visit(function.body);
            if (!m_changed || !m_again)
                break;
        }
        std::vector<Demand> found;
        for (const ValueId argument : m_program.main().arguments)
            found.push_back(m_demands[argument.index]);
        return found;
    }

private:
    void visit(RegionId id)
    {
        const std::vector<OperationId>& operations = m_program.regions[id.index].operations;
        for (std::size_t i = operations.size(); i-- > 0;)
            visit(operations[i]);
    }

    void ask(ValueId value, const Demand& demand)
    {
        if (demand.asksNothing())
            return;
        Demand& own = m_demands[value.index];
        const Demand before = own;
        own.positive = own.positive || demand.positive;
        own.nonZero = own.nonZero || demand.nonZero;
        own.fraction = own.fraction || demand.fraction;
        own.bound = std::min(own.bound, demand.bound);
        if (demand.contraction < own.contraction) {
            own.contraction = demand.contraction;
            own.terms = demand.terms;
        }
        m_changed = m_changed || own != before;
    }
    void askPositive(ValueId value, bool nonZero) { ask(value, { .positive = true, .nonZero = nonZero }); }
    void askIndex(ValueId value, std::int64_t bound) { ask(value, { .bound = std::max<std::int64_t>(bound, 1) }); }

    void hand(const auto& from, const auto& to, std::size_t begin = 0)
    {
        for (std::size_t i = 0; i < from.size() && begin + i < to.size(); ++i)
            ask(to[begin + i], m_demands[from[i].index]);
    }

    [[nodiscard]] const TensorType& typeOf(ValueId value) const { return m_program.value(value).type; }
    [[nodiscard]] const Operation* definitionOf(ValueId value) const
    {
        const OperationId id = m_program.value(value).definition;
        return id.valid() ? &m_program.operation(id) : nullptr;
    }

    /// The one value whose elements this one has by being moved; invalid where there is none.
    [[nodiscard]] ValueId movedFrom(ValueId value) const
    {
        const Operation* operation = definitionOf(value);
        if (!operation || !movesElements(operation->kind))
            return {};
        const auto [first, count] = movedOperands(*operation);
        return count == 1 && first < operation->operands.size() ? operation->operands[first] : ValueId();
    }
    /// What a value is made of by moving elements alone. Each step is made once.
    [[nodiscard]] ValueId sourceOf(ValueId value)
    {
        ValueId source = value;
        while (!m_sources[source.index].valid()) {
            const ValueId from = movedFrom(source);
            m_sources[source.index] = from.valid() ? from : source;
            if (!from.valid())
                break;
            source = from;
        }
        while (m_sources[source.index] != source)
            source = m_sources[source.index];
        while (value != source)
            value = std::exchange(m_sources[value.index], source);
        return source;
    }
    /// An argument of main, or of a region, or what is sliced from one.
    [[nodiscard]] bool isArgument(ValueId value) { return definitionOf(sourceOf(value)) == nullptr; }

    [[nodiscard]] std::optional<double> constantOf(ValueId value)
    {
        const Operation* operation = definitionOf(sourceOf(value));
        const auto* constant = operation ? std::get_if<ConstantAttributes>(&operation->attributes) : nullptr;
        if (!constant)
            return std::nullopt;
        const TensorType& type = typeOf(operation->results[0]);
        if (!constant->bytes)
            return constant->values.size() == 1 ? std::optional(constant->values[0]) : std::nullopt;
        if (static_cast<std::int64_t>(constant->bytes->size()) != byteSize(type.dtype) || isComplex(type.dtype))
            return std::nullopt;
        kernels::Array one = kernels::Array::make({ type.dtype, {} });
        std::copy(constant->bytes->begin(), constant->bytes->end(), one.data());
        return kernels::numberAt(one, 0);
    }

    void visit(OperationId id)
    {
        const Operation& operation = m_program.operation(id);
        const auto& operands = operation.operands;
        switch (operation.kind) {
        case OpKind::While:
            m_again = true;
            hand(operation.results, m_program.regions[operation.regions[1].index].results);
            hand(operation.results, operands);
            for (const RegionId region : operation.regions) {
                visit(region);
                hand(m_program.regions[region.index].arguments, operands);
            }
            // What a trip is given is what the one before it returned.
            hand(m_program.regions[operation.regions[1].index].arguments,
                m_program.regions[operation.regions[1].index].results);
            return;
        case OpKind::If:
        case OpKind::Case:
            if (operation.kind == OpKind::Case)
                askIndex(operands[0], static_cast<std::int64_t>(operation.regions.size()));
            for (const RegionId region : operation.regions) {
                hand(operation.results, m_program.regions[region.index].results);
                visit(region);
            }
            return;
        case OpKind::ManualComputation:
        case OpKind::NamedComputation:
            hand(operation.results, m_program.regions[operation.regions[0].index].results);
            visit(operation.regions[0]);
            hand(m_program.regions[operation.regions[0].index].arguments, operands);
            return;
        case OpKind::Call:
        case OpKind::Composite: {
            const std::string* name = calleeOf(operation);
            const Function* callee = name ? m_functions.find(m_program, *name) : nullptr;
            if (!callee)
                return;
            m_again = true;
            hand(operation.results, m_program.regions[callee->body.index].results);
            hand(m_program.regions[callee->body.index].arguments, operands);
            return;
        }
        default:
            break;
        }
        if (operation.results.empty())
            return;
        handBack(operation, m_demands[operation.results[0].index]);
        askOwn(id, operation);
    }

    /// What is asked of the result is asked of the operands, where that makes it so.
    void handBack(const Operation& operation, const Demand& demand)
    {
        const auto& operands = operation.operands;
        if (movesElements(operation.kind)) {
            const auto [first, count] = movedOperands(operation);
            if (operation.results.size() == count && count > 1) // sorted together, or after one barrier
                return hand(operation.results, operands);
            for (std::size_t i = first; i < std::min(first + count, operands.size()); ++i)
                ask(operands[i], demand);
            return;
        }
        const bool indices = operation.kind == OpKind::Minimum || operation.kind == OpKind::Maximum;
        if (indices)
            for (const ValueId operand : operands)
                askIfIndex(operand, demand);
        if (!demand.positive)
            return;
        switch (operation.kind) {
        case OpKind::Subtract: // of a sum of squares the square of a sum, of 1 a share
            return askPositive(operands[0], demand.nonZero);
        case OpKind::Add: {
            const bool nonZero = demand.nonZero && !hasPositiveConstant(operation);
            for (const ValueId operand : operands)
                askPositive(operand, nonZero);
            return;
        }
        case OpKind::Maximum:
            if (hasPositiveConstant(operation))
                return;
            [[fallthrough]];
        case OpKind::Multiply:
        case OpKind::Divide:
        case OpKind::Minimum:
        case OpKind::DotGeneral:
        case OpKind::Dot:
        case OpKind::Convolution:
            if (operands.size() == 2 && operands[0] == operands[1])
                return; // a square
            for (const ValueId operand : operands)
                askPositive(operand, demand.nonZero);
            return;
        case OpKind::Reduce:
        case OpKind::VariadicReduce:
        case OpKind::ReduceWindow:
        case OpKind::AllReduce:
        case OpKind::ReduceScatter:
        case OpKind::SdyAllReduce:
        case OpKind::SdyReduceScatter:
        case OpKind::Sqrt:
        case OpKind::Cbrt:
        case OpKind::Power:
            askPositive(operands[0], demand.nonZero);
            return;
        default:
            return;
        }
    }
    void askIfIndex(ValueId value, const Demand& demand) { ask(value, { .bound = demand.bound }); }
    [[nodiscard]] bool hasPositiveConstant(const Operation& operation)
    {
        return std::any_of(operation.operands.begin(), operation.operands.end(), [&](ValueId operand) {
            const std::optional<double> constant = constantOf(operand);
            return constant && *constant > 0;
        });
    }

    /// What the operation itself asks of its operands.
    void askOwn(OperationId id, const Operation& operation)
    {
        const auto& operands = operation.operands;
        switch (operation.kind) {
        case OpKind::Sqrt:
        case OpKind::LogPlusOne:
            return askPositive(operands[0], false);
        case OpKind::Rsqrt:
        case OpKind::Log:
        case OpKind::ChloLgamma:
        case OpKind::ChloDigamma:
            return askPositive(operands[0], true);
        case OpKind::Divide:
        case OpKind::Remainder:
            return askPositive(operands[1], true);
        case OpKind::Subtract: // 1 - y: of a label, a mask, a rate
            if (constantOf(operands[0]) == 1.0)
                ask(operands[1], { .fraction = true });
            return;
        case OpKind::Power: {
            const std::optional<double> exponent = constantOf(operands[1]);
            if (!exponent || *exponent < 0 || *exponent != std::floor(*exponent))
                askPositive(operands[0], !exponent || *exponent < 0);
            return;
        }
        case OpKind::BatchNormInference:
            return askPositive(operands[4], false);
        case OpKind::BatchNormGrad:
            return askPositive(operands[3], false);
        case OpKind::DotGeneral:
        case OpKind::Dot:
        case OpKind::Convolution:
        case OpKind::ChloRaggedDot:
            return askScale(id, operation);
        case OpKind::Compare:
            return askClass(operation);
        case OpKind::DynamicSlice:
        case OpKind::DynamicUpdateSlice: {
            const bool slices = operation.kind == OpKind::DynamicSlice;
            const Shape full = typeOf(operands[0]).shape;
            const Shape part = typeOf(slices ? operation.results[0] : operands[1]).shape;
            const std::size_t first = slices ? 1 : 2;
            for (std::size_t d = 0; d < full.size() && first + d < operands.size(); ++d)
                askIndex(operands[first + d], full[d] - part[d] + 1);
            return;
        }
        case OpKind::Gather: {
            const auto* gather = attributesAs<GatherAttributes>(operation.attributes);
            const Shape full = typeOf(operands[0]).shape;
            for (const std::int64_t d : *gather->startIndexMap)
                askIndex(operands[1],
                    full[static_cast<std::size_t>(d)] - (*gather->sliceSizes)[static_cast<std::size_t>(d)] + 1);
            return;
        }
        case OpKind::Scatter:
            return askScattered(operation);
        default:
            return;
        }
    }

    void askScale(OperationId id, const Operation& operation)
    {
        const FactorRule rule = factorRule(m_program, operation);
        std::int64_t terms = 1;
        for (const FactorRule::Factor& factor : rule.factors)
            if (factor.kind == FactorKind::Reduction)
                terms *= std::max<std::int64_t>(factor.size, 1);
        const ValueId lhs = operation.operands[0], rhs = operation.operands[1];
        // Of an input and a weight one is scaled, so that the product is about as large as the input.
        if (!isArgument(rhs))
            ask(lhs, { .contraction = id.index, .terms = terms });
        else
            ask(lhs, { .contraction = id.index, .terms = 1 });
        ask(rhs, { .contraction = id.index, .terms = terms });
    }

    /// Compared with numbered elements: which of them it is.
    void askClass(const Operation& operation)
    {
        const auto& attributes = std::get<CompareAttributes>(operation.attributes);
        if (attributes.direction != Comparison::Equal && attributes.direction != Comparison::NotEqual)
            return;
        for (std::size_t i = 0; i < 2; ++i) {
            const Operation* numbers = definitionOf(sourceOf(operation.operands[i]));
            const auto* iota = numbers ? std::get_if<IotaAttributes>(&numbers->attributes) : nullptr;
            if (iota)
                askIndex(operation.operands[1 - i],
                    typeOf(numbers->results[0]).shape[static_cast<std::size_t>(iota->dimension)]);
        }
    }

    void askScattered(const Operation& operation)
    {
        const auto* scatter = attributesAs<ScatterAttributes>(operation.attributes);
        const std::size_t inputs = operation.operands.size() / 2;
        const Shape full = typeOf(operation.operands[0]).shape;
        const Shape updates = typeOf(operation.operands[inputs + 1]).shape;
        Shape window; // per dimension of the input: how much of it one update covers
        std::size_t next = 0;
        const auto has = [](const DimensionList& list, std::size_t d) {
            return std::find(list->begin(), list->end(), static_cast<std::int64_t>(d)) != list->end();
        };
        for (std::size_t d = 0; d < full.size(); ++d) {
            const bool single = has(scatter->insertedWindowDims, d) || has(scatter->inputBatchingDims, d)
                || next >= scatter->updateWindowDims->size();
            window.push_back(single ? 1 : updates[static_cast<std::size_t>((*scatter->updateWindowDims)[next++])]);
        }
        for (const std::int64_t d : *scatter->scatterDimsToOperandDims)
            askIndex(operation.operands[inputs],
                full[static_cast<std::size_t>(d)] - window[static_cast<std::size_t>(d)] + 1);
    }

    const Program& m_program;
    std::vector<Demand> m_demands; ///< by value
    std::vector<ValueId> m_sources; ///< by value, where known: see sourceOf(); or a value on the way there
    const FunctionNames m_functions;
    bool m_changed = false;
    bool m_again = false; ///< there are loops or calls, which hand on what stands before them
};

} // namespace

std::vector<ArgumentUse> argumentUses(const Program& program)
{
    std::vector<ArgumentUse> uses;
    for (const Demand& demand : Uses(program).run()) {
        ArgumentUse& use = uses.emplace_back();
        use.positive = demand.positive;
        use.nonZero = demand.nonZero;
        use.fraction = demand.fraction;
        use.terms = demand.terms;
        if (demand.bound != std::numeric_limits<std::int64_t>::max())
            use.bound = demand.bound;
    }
    return uses;
}

} // namespace shardscope
