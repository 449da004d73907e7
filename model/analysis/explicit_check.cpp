// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/explicit_check.h"

#include <algorithm>
#include <map>

#include "analysis/explicit_finding.h"
#include "program/calls.h"
#include "program/differentiate.h"
#include "program/explicit_rules.h"
#include "program/op_row.h"
#include "program/other_attributes.h"
#include "program/over_mesh.h"
#include "program/value_shardings.h"

namespace shardscope {

namespace {

enum class OperationVerdict : std::uint8_t { Unseen, Passed, Accepted, Differentiated, Unjudged, Refused };

/// Types of values; nothing for what has none: tokens, tuples, arrays on another mesh.
using Types = std::vector<std::optional<TensorSharding>>;

/// Made from the program that a person wrote: its place says "transpose(jvp(...))" in texts of JAX.
bool isDifferentiated(const Program& program, const Operation& operation)
{
    if (operation.scope < program.scopes.size() && isBackward(program.scopes[operation.scope]))
        return true;
    const SourcePlace& place = program.sources[operation.source < program.sources.size() ? operation.source : 0];
    return place.location->find("transpose(") != std::string::npos;
}

class Walk {
public:
    Walk(const Program& program, const Snapshot& snapshot, const std::stop_token& stop)
        : m_program(program)
        , m_propagation(*snapshot.propagation)
        , m_mesh(*snapshot.mesh)
        , m_stop(stop)
        , m_types(program.values.size())
        , m_verdicts(program.operations.size(), OperationVerdict::Unseen)
    {
    }

    std::optional<ExplicitReport> run()
    {
        for (const ValueId argument : m_program.main().arguments)
            if (const ProgramSharding* specified = m_program.shardingOf(argument))
                m_types[argument.index] = over(*specified);
            else
                m_types[argument.index] = full(argument);
        for (const ValueId argument : m_program.main().arguments)
            if (const std::optional<std::size_t> dimension = unevenDimension(argument))
                m_refusedArguments.push_back({ {}, ExplicitProblem::NotDivisible,
                    unevenDiagnostic(m_program, m_mesh, argument, *type(argument), *dimension) });
        walk(RegionId(0));
        if (m_stop.stop_requested())
            return std::nullopt;
        return report();
    }

private:
    [[nodiscard]] bool isArray(ValueId value) const { return isTensor(m_program.value(value).type.dtype); }
    [[nodiscard]] std::optional<TensorSharding> full(ValueId value) const
    {
        if (!isArray(value))
            return std::nullopt;
        return TensorSharding::fullyReplicated(m_program.value(value).type.rank());
    }
    /// Nothing on another mesh.
    [[nodiscard]] std::optional<TensorSharding> over(const ProgramSharding& specified) const
    {
        const ProgramMesh& own = m_program.meshes[specified.mesh];
        if (own.isMaximal() || !(*own.mesh == m_mesh))
            return std::nullopt;
        return explicitType(specified.sharding);
    }
    /// What propagation decided.
    [[nodiscard]] std::optional<TensorSharding> propagated(ValueId value) const
    {
        if (!isArray(value))
            return std::nullopt;
        const std::size_t rank = m_program.value(value).type.rank();
        if (value.index >= m_propagation.shardings.size() || m_propagation.shardings[value.index].rank() != rank)
            return TensorSharding::fullyReplicated(rank);
        return explicitType(m_propagation.shardings[value.index]);
    }
    [[nodiscard]] const std::optional<TensorSharding>& type(ValueId value) const { return m_types[value.index]; }

    void set(OperationId id, OperationVerdict verdict)
    {
        m_verdicts[id.index] = std::max(m_verdicts[id.index], verdict);
    }
    void goOn(const Operation& operation)
    {
        for (const ValueId result : operation.results)
            m_types[result.index] = propagated(result);
    }
    void unjudged(OperationId id)
    {
        const Operation& operation = m_program.operation(id);
        goOn(operation);
        if (std::any_of(operation.results.begin(), operation.results.end(), [&](ValueId v) { return isArray(v); }))
            set(id, OperationVerdict::Unjudged);
    }
    void refuse(OperationId id, const ExplicitConflict& conflict)
    {
        const Operation& operation = m_program.operation(id);
        goOn(operation);
        if (isDifferentiated(m_program, operation)) {
            set(id, OperationVerdict::Differentiated);
            return;
        }
        // A function is looked at for every way in which it is called.
        if (m_verdicts[id.index] != OperationVerdict::Refused)
            m_refusals.push_back({ id, conflict.outcome.problem, explicitDiagnostic(m_program, m_mesh, id, conflict) });
        set(id, OperationVerdict::Refused);
    }

    void walk(RegionId region)
    {
        for (const OperationId id : m_program.regions[region.index].operations) {
            if (m_stop.stop_requested())
                return;
            visit(id);
            checkParts(id);
        }
    }
    /// A dimension whose shards are not all of one size.
    [[nodiscard]] std::optional<std::size_t> unevenDimension(ValueId value) const
    {
        if (const std::optional<TensorSharding>& own = type(value))
            for (std::size_t d = 0; d < own->rank(); ++d)
                if (m_program.value(value).type.shape[d] % shardCount(own->dims[d]) != 0)
                    return d;
        return std::nullopt;
    }
    /// Whose results come from bodies of their own, in which all is said of them.
    static bool passesThrough(OpKind kind)
    {
        return kind == OpKind::Call || kind == OpKind::Composite || kind == OpKind::NamedComputation
            || kind == OpKind::While || kind == OpKind::Case || kind == OpKind::If;
    }
    /// Types of results have to divide. What is so already in an operand is said there.
    void checkParts(OperationId id)
    {
        const Operation& operation = m_program.operation(id);
        if (passesThrough(operation.kind) || m_verdicts[id.index] == OperationVerdict::Refused
            || m_verdicts[id.index] == OperationVerdict::Unjudged
            || std::any_of(operation.operands.begin(), operation.operands.end(),
                [&](ValueId operand) { return unevenDimension(operand).has_value(); }))
            return;
        for (const ValueId result : operation.results)
            if (const std::optional<std::size_t> dimension = unevenDimension(result)) {
                m_refusals.push_back({ id, ExplicitProblem::NotDivisible,
                    unevenDiagnostic(m_program, m_mesh, result, *type(result), *dimension) });
                return set(id, OperationVerdict::Refused);
            }
    }
    void give(std::span<const ValueId> to, std::span<const ValueId> from)
    {
        for (std::size_t i = 0; i < std::min(to.size(), from.size()); ++i) {
            std::optional<TensorSharding> copy = type(from[i]);
            m_types[to[i].index] = std::move(copy);
        }
    }

    void visit(OperationId id)
    {
        const Operation& operation = m_program.operation(id);
        switch (operation.kind) {
        case OpKind::OptimizationBarrier:
        case OpKind::PropagationBarrier:
        case OpKind::DataFlowEdge:
        case OpKind::FuncDataFlowEdge:
            give(operation.results, operation.operands);
            return set(id, OperationVerdict::Passed);
        case OpKind::ShardingConstraint:
        case OpKind::Reshard:
            return reshard(id);
        case OpKind::While:
            return loop(id);
        case OpKind::Case:
        case OpKind::If:
            return choice(id);
        case OpKind::Call:
        case OpKind::Composite:
            return call(id);
        case OpKind::NamedComputation: {
            const RegionId body = operation.regions[0];
            give(m_program.regions[body.index].arguments, operation.operands);
            walk(body);
            give(operation.results, m_program.regions[body.index].results);
            return set(id, OperationVerdict::Passed);
        }
        case OpKind::ManualComputation: {
            unjudged(id); // inside, its axes are manual
            const auto* manual = attributesAs<ManualComputationAttributes>(operation.attributes);
            for (std::size_t r = 0; manual && r < std::min(manual->out.size(), operation.results.size()); ++r)
                m_types[operation.results[r].index] = over(manual->out[r]);
            return;
        }
        default:
            return isShardyCollective(operation.kind) ? reshard(id) : ruled(id);
        }
    }

    void reshard(OperationId id)
    {
        const Operation& operation = m_program.operation(id);
        const ProgramSharding* own = ownSharding(operation);
        give(operation.results, operation.operands);
        set(id, OperationVerdict::Passed);
        if (!own)
            return;
        const ValueId result = operation.results[0];
        const std::optional<TensorSharding> after = over(*own);
        if (type(result) && after && !type(result)->isEquivalent(*after))
            m_moves.push_back(id);
        m_types[result.index] = after;
    }

    void ruled(OperationId id)
    {
        const Operation& operation = m_program.operation(id);
        std::vector<ExplicitArray> operands;
        for (const ValueId operand : operation.operands) {
            if (!type(operand))
                return unjudged(id);
            const Shape& shape = m_program.value(operand).type.shape;
            operands.push_back({ shape, *type(operand) });
        }
        std::optional<TensorSharding> wanted;
        if (!operation.results.empty())
            if (const ProgramSharding* specified = m_program.shardingOf(operation.results[0])) {
                wanted = over(*specified);
                if (!wanted)
                    return unjudged(id);
            }
        const std::optional<ExplicitOutcome> outcome =
            explicitRule(m_program, operation, operands, wanted ? &*wanted : nullptr);
        if (!outcome)
            unjudged(id);
        else if (outcome->problem != ExplicitProblem::None)
            refuse(id, { *outcome, operands, propagated(operation.results[0]), wanted });
        else
            for (const ValueId result : operation.results)
                m_types[result.index] = outcome->sharding;
        if (outcome && outcome->problem == ExplicitProblem::None)
            set(id, OperationVerdict::Accepted);
        // Where the operation itself takes no out_sharding, what the text says of its results is a reshard.
        for (const ValueId result : operation.results)
            if (const ProgramSharding* specified = m_program.shardingOf(result))
                m_types[result.index] = over(*specified);
    }

    /// The carried values keep their types from one round to the next.
    void loop(OperationId id)
    {
        const Operation& operation = m_program.operation(id);
        for (const RegionId region : operation.regions) {
            give(m_program.regions[region.index].arguments, operation.operands);
            walk(region);
        }
        give(operation.results, operation.operands);
        set(id, OperationVerdict::Accepted);
        const std::vector<ValueId>& returned = m_program.regions[operation.regions.back().index].results;
        for (std::size_t i = 0; i < std::min<std::size_t>(returned.size(), operation.operands.size()); ++i)
            if (differ(operation.operands[i], returned[i]))
                return refuse(id, inconsistent(ExplicitProblem::CarryDiffers, i, operation.operands[i], returned[i]));
    }
    void choice(OperationId id)
    {
        const Operation& operation = m_program.operation(id);
        for (const RegionId region : operation.regions)
            walk(region);
        const std::vector<ValueId>& first = m_program.regions[operation.regions[0].index].results;
        give(operation.results, first);
        set(id, OperationVerdict::Accepted);
        for (const RegionId region : operation.regions) {
            const std::vector<ValueId>& other = m_program.regions[region.index].results;
            for (std::size_t i = 0; i < std::min(first.size(), other.size()); ++i)
                if (differ(first[i], other[i]))
                    return refuse(id, inconsistent(ExplicitProblem::BranchesDiffer, i, first[i], other[i]));
        }
    }
    [[nodiscard]] bool differ(ValueId a, ValueId b) const
    {
        return type(a) && type(b) && !type(a)->isEquivalent(*type(b));
    }
    [[nodiscard]] ExplicitConflict inconsistent(
        ExplicitProblem problem, std::size_t index, ValueId first, ValueId second) const
    {
        ExplicitConflict conflict;
        conflict.outcome = explicitlyRefused(problem, index, 0, 1);
        conflict.operands = { { m_program.value(first).type.shape, *type(first) },
            { m_program.value(second).type.shape, *type(second) } };
        return conflict;
    }

    /// The function's body for the types that it is called with; once for each set of them.
    void call(OperationId id)
    {
        const Operation& operation = m_program.operation(id);
        const std::string* callee = calleeOf(operation);
        const Function* function = callee ? m_program.function(*callee) : nullptr;
        if (!function)
            return unjudged(id);
        Types specified;
        for (const ValueId operand : operation.operands)
            specified.push_back(type(operand));
        std::vector<Called>& known = m_called[function->body.index];
        auto found =
            std::find_if(known.begin(), known.end(), [&](const Called& each) { return each.specified == specified; });
        if (found == known.end()) {
            if (known.size() >= maxWays || m_depth >= deepest)
                return unjudged(id);
            const Region& body = m_program.regions[function->body.index];
            known.push_back({ specified, {} }); // its body may call others
            give(body.arguments, operation.operands);
            ++m_depth;
            walk(function->body);
            --m_depth;
            Types returned;
            for (const ValueId result : body.results)
                returned.push_back(type(result));
            std::vector<Called>& now = m_called[function->body.index];
            found =
                std::find_if(now.begin(), now.end(), [&](const Called& each) { return each.specified == specified; });
            found->returned = std::move(returned);
        }
        for (std::size_t r = 0; r < std::min<std::size_t>(operation.results.size(), found->returned.size()); ++r)
            m_types[operation.results[r].index] = found->returned[r];
        set(id, OperationVerdict::Passed);
    }

    [[nodiscard]] ExplicitReport report()
    {
        ExplicitReport report;
        std::map<std::string, std::int64_t> names;
        for (std::size_t o = 0; o < m_verdicts.size(); ++o)
            switch (m_verdicts[o]) {
            case OperationVerdict::Accepted:
                ++report.accepted;
                break;
            case OperationVerdict::Differentiated:
                ++report.differentiated;
                break;
            case OperationVerdict::Unjudged:
                ++names[qualifiedName(m_program.operations[o])];
                break;
            default:
                break;
            }
        report.unjudged.assign(names.begin(), names.end());
        std::stable_sort(report.unjudged.begin(), report.unjudged.end(),
            [](const auto& a, const auto& b) { return a.second > b.second; });
        for (const ValueId result : m_program.main().results)
            report.results.push_back(type(result));
        report.refusals = std::move(m_refusals);
        std::stable_sort(report.refusals.begin(), report.refusals.end(),
            [](const ExplicitRefusal& a, const ExplicitRefusal& b) { return a.operation.index < b.operation.index; });
        report.refusals.insert(report.refusals.begin(), m_refusedArguments.begin(), m_refusedArguments.end());
        std::sort(m_moves.begin(), m_moves.end(), [](OperationId a, OperationId b) { return a.index < b.index; });
        m_moves.erase(std::unique(m_moves.begin(), m_moves.end()), m_moves.end());
        report.resharded = static_cast<std::int64_t>(m_moves.size());
        return report;
    }

    struct Called {
        Types specified, returned;
    };
    static constexpr std::size_t maxWays = 16; ///< in which one function is looked at
    static constexpr int deepest = 200; ///< calls within calls

    const Program& m_program;
    const PropagationResult& m_propagation;
    const Mesh& m_mesh;
    const std::stop_token& m_stop;
    Types m_types; ///< per ValueId
    std::vector<OperationVerdict> m_verdicts; ///< per OperationId
    std::vector<ExplicitRefusal> m_refusals;
    std::vector<ExplicitRefusal> m_refusedArguments;
    std::vector<OperationId> m_moves;
    int m_depth = 0;
    std::map<std::uint32_t, std::vector<Called>> m_called; ///< by the function's body
};

} // namespace

std::optional<ExplicitReport> explicitReport(const Snapshot& snapshot, const std::stop_token& stop)
{
    if (!snapshot.propagation || !snapshot.mesh)
        return std::nullopt;
    return Walk(*snapshot.annotated, snapshot, stop).run();
}

} // namespace shardscope
