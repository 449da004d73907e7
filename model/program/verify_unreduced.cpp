// SPDX-License-Identifier: GPL-3.0-or-later
// Declared in verify_findings.h.
#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "base/codes.h"
#include "program/body.h"
#include "program/calls.h"
#include "program/other_attributes.h"
#include "program/partial_values.h"
#include "program/program_mesh.h"
#include "program/unreduced_axes.h"
#include "program/verify_findings.h"
#include "program/verify_shardings.h"

namespace shardscope {

namespace {

using namespace verification;

class UnreducedVerifier {
public:
    UnreducedVerifier(const Program& program, PartsRule rule)
        : m_program(program)
        , m_rule(rule)
        , m_shardings(program)
    {
        for (const Function& function : program.functions)
            m_functions.emplace(function.name, &function);
    }

    std::optional<Diagnostic> run()
    {
        if (m_program.functions.empty() && !m_program.regions.empty())
            checkFunction(nullptr, m_program.main());
        for (const Function& function : m_program.functions) {
            checkFunction(&function, m_program.regions[function.body.index]);
            if (m_found)
                break;
        }
        return std::move(m_found);
    }

private:
    using Sides = SmallVector<const ProgramSharding*, 4>;

    void report(std::vector<Arg> args, const Place& place)
    {
        if (!m_found)
            m_found = diagnosticAt(m_program, Code::UnreducedAxes, std::move(args), place);
    }

    /// The value before barriers, which change nothing.
    [[nodiscard]] ValueId afterBarriers(ValueId value) const
    {
        for (;;) {
            const OperationId definition = m_program.value(value).definition;
            if (!definition.valid() || m_program.operation(definition).kind != OpKind::PropagationBarrier)
                return value;
            value = m_program.operation(definition).operands[0];
        }
    }
    [[nodiscard]] const ProgramSharding* shardingOf(ValueId value) const
    {
        return m_shardings.of(afterBarriers(value));
    }
    /// Somebody said what its sharding is to be.
    [[nodiscard]] bool isBlessed(ValueId value) const
    {
        const OperationId definition = m_program.value(afterBarriers(value)).definition;
        if (!definition.valid())
            return false;
        const OpKind kind = m_program.operation(definition).kind;
        return kind == OpKind::Reshard || kind == OpKind::ShardingConstraint;
    }

    void checkFunction(const Function* function, const Region& body)
    {
        checkBody(body);
        if (m_found || !function)
            return;
        for (std::size_t i = 0; i < std::min(body.results.size(), function->resultShardings.size()); ++i) {
            const ShardingIndex index = function->resultShardings[i];
            if (index != 0 && !isBlessed(body.results[i]))
                compare(shardingOf(body.results[i]), &m_program.shardings[index - 1], "returned",
                    { .function = function,
                        .role = "function_result",
                        .index = static_cast<std::int64_t>(i),
                        .value = body.results[i] });
        }
    }

    void checkBody(const Region& body)
    {
        for (const OperationId id : body.operations) {
            if (m_found)
                return;
            const Operation& operation = m_program.operation(id);
            for (std::size_t i = 0; i < operation.regions.size(); ++i) {
                const Region& inner = m_program.regions[operation.regions[i].index];
                checkBody(inner);
                checkReturned(id, operation, inner, i);
            }
            if (!m_found)
                checkOperation(id, operation);
        }
    }

    /// What the bodies of data-flow operations return is their result.
    void checkReturned(OperationId id, const Operation& operation, const Region& body, std::size_t region)
    {
        const bool flows = (operation.kind == OpKind::While && region == 1) || operation.kind == OpKind::Case
            || operation.kind == OpKind::If || operation.kind == OpKind::ManualComputation
            || operation.kind == OpKind::NamedComputation;
        if (!flows)
            return;
        const auto* manual = attributesAs<ManualComputationAttributes>(operation.attributes);
        for (std::size_t i = 0; i < std::min(body.results.size(), operation.results.size()); ++i) {
            const ProgramSharding* target = m_shardings.of(operation.results[i]);
            if (!target || isBlessed(body.results[i]))
                continue;
            const ProgramSharding inside =
                manual ? withoutAxes(m_program, *target, manual->manualAxes) : ProgramSharding{};
            compare(shardingOf(body.results[i]), manual ? &inside : target, "returned",
                { .operation = id,
                    .role = "body_result",
                    .index = static_cast<std::int64_t>(i),
                    .value = body.results[i] });
        }
    }

    /// The same axes on both sides.
    void compare(const ProgramSharding* specified, const ProgramSharding* wanted, const char* wrong, const Place& place)
    {
        const auto texts = [&](const ProgramSharding* sharding) {
            std::vector<std::string> list;
            if (sharding)
                for (const AxisRef ref : sharding->sharding.unreduced)
                    list.push_back(axisText(m_program.meshes[sharding->mesh], ref));
            std::sort(list.begin(), list.end());
            return list;
        };
        const std::vector<std::string> found = texts(specified), expected = texts(wanted);
        if (found != expected)
            report({ { "wrong", wrong }, { "found", found }, { "expected", expected } }, place);
    }

    void transition(const Sides& operands, const Sides& results, std::optional<ReduceKind> mayIntroduce,
        std::optional<ReduceKind> mayRemove, OperationId id)
    {
        const std::span<const ProgramSharding* const> before(operands.data(), operands.size());
        const std::span<const ProgramSharding* const> after(results.data(), results.size());
        auto found = checkTransition(m_program, before, after, mayIntroduce, mayRemove);
        if (!found)
            return;
        const Operation& operation = m_program.operation(id);
        report(std::move(*found),
            { .operation = id,
                .role = "result",
                .value = operation.results.empty() ? ValueId() : operation.results[0] });
    }

    void checkOperation(OperationId id, const Operation& operation)
    {
        Sides operands, unblessed, results;
        for (const ValueId operand : operation.operands) {
            operands.push_back(shardingOf(operand));
            unblessed.push_back(isBlessed(operand) ? nullptr : operands.back());
        }
        for (const ValueId result : operation.results)
            results.push_back(m_shardings.of(result));
        switch (operation.kind) {
        case OpKind::ShardingGroup:
        case OpKind::DataFlowEdge:
        case OpKind::FuncDataFlowEdge:
        case OpKind::PropagationBarrier:
            return;
        case OpKind::Reshard:
        case OpKind::ShardingConstraint: {
            const Sides own{ ownSharding(operation) };
            if (!operands.empty() && operands[0])
                transition(operands, own, ReduceKind::Sum, operands[0]->unreducedKind, id);
            return;
        }
        case OpKind::Reduce:
        case OpKind::VariadicReduce:
            unblessed.resize(operation.kind == OpKind::Reduce ? unblessed.size() : unblessed.size() / 2);
            transition(unblessed, results, sumMaxMin(reductionOf(operation)), {}, id);
            checkParts(id, operation, operands, results);
            return;
        case OpKind::SdyAllReduce:
        case OpKind::SdyReduceScatter: {
            const auto* attributes = attributesAs<SdyCollectiveAttributes>(operation.attributes);
            if (operands.empty() || !attributes)
                return;
            if (!operands[0])
                report({ { "wrong", "no_sharding" } },
                    { .operation = id, .role = "operand", .value = operation.operands[0] });
            else
                transition(operands, results, {}, attributes->kind, id);
            return;
        }
        case OpKind::AllReduce:
        case OpKind::ReduceScatter:
            if (!operands.empty() && !results.empty() && operands[0] && results[0])
                transition({ operands[0] }, { results[0] }, {}, sumMaxMin(reductionOf(operation)), id);
            return;
        case OpKind::Call:
        case OpKind::Composite:
            checkCall(id, operation, operands, results);
            return;
        default:
            transition(unblessed, results, ReduceKind::Sum, {}, id);
            checkParts(id, operation, operands, results);
        }
    }

    /// What is still to be put together goes only through operations that may work on its parts.
    void checkParts(OperationId id, const Operation& operation, const Sides& operands, const Sides& results)
    {
        const ProgramSharding* result = results.empty() ? nullptr : results[0];
        if (m_rule == PartsRule::Shardy || !result || result->sharding.unreduced.empty())
            return;
        std::vector<std::string> axes;
        for (const AxisRef axis : result->sharding.unreduced) {
            SmallVector<bool, 4> isPartial;
            for (const ProgramSharding* operand : operands)
                isPartial.push_back(operand
                    && std::any_of(operand->sharding.unreduced.begin(), operand->sharding.unreduced.end(),
                        [&](AxisRef other) { return overlaps(axis, other); }));
            const bool any = std::find(isPartial.begin(), isPartial.end(), true) != isPartial.end();
            if (any && !keepsParts(m_program, operation, { isPartial.data(), isPartial.size() }, result->unreducedKind))
                axes.push_back(axisText(m_program.meshes[result->mesh], axis));
        }
        if (!axes.empty())
            report({ { "wrong", "nonlinear" }, { "axes", axes }, { "kind", reduceKindName(result->unreducedKind) } },
                { .operation = id, .role = "result", .value = operation.results[0] });
    }

    [[nodiscard]] static std::optional<ReduceKind> sumMaxMin(std::optional<ReduceKind> kind)
    {
        return kind == ReduceKind::Sum || kind == ReduceKind::Max || kind == ReduceKind::Min ? kind : std::nullopt;
    }
    [[nodiscard]] std::optional<ReduceKind> reductionOf(const Operation& operation) const
    {
        if (const auto* reduce = std::get_if<ReduceAttributes>(&operation.attributes))
            return reduce->kind;
        if (const auto* reduce = attributesAs<VariadicReduceAttributes>(operation.attributes); reduce && reduce->kind)
            return reduce->kind;
        return operation.regions.empty() ? std::nullopt
                                         : bodyKind(m_program, m_program.regions[operation.regions[0].index]);
    }

    void checkCall(OperationId id, const Operation& operation, const Sides& operands, const Sides& results)
    {
        const std::string* name = calleeOf(operation);
        const auto found = name ? m_functions.find(*name) : m_functions.end();
        if (found == m_functions.end())
            return;
        const Function* callee = found->second;
        const Region& body = m_program.regions[callee->body.index];
        for (std::size_t i = 0; i < std::min(operands.size(), body.arguments.size()); ++i)
            if (!isBlessed(operation.operands[i]))
                compare(operands[i], m_program.shardingOf(body.arguments[i]), "call_operand",
                    { .operation = id,
                        .role = "operand",
                        .index = static_cast<std::int64_t>(i),
                        .value = operation.operands[i] });
        for (std::size_t i = 0; i < results.size(); ++i) {
            const ShardingIndex index = i < callee->resultShardings.size() ? callee->resultShardings[i] : 0;
            compare(results[i], index == 0 ? nullptr : &m_program.shardings[index - 1], "call_result",
                { .operation = id,
                    .role = "result",
                    .index = static_cast<std::int64_t>(i),
                    .value = operation.results[i] });
        }
    }

    const Program& m_program;
    PartsRule m_rule;
    ValueShardings m_shardings;
    std::unordered_map<std::string_view, const Function*> m_functions; ///< by name
    std::optional<Diagnostic> m_found;
};

} // namespace

std::optional<Diagnostic> verifyUnreduced(const Program& program, PartsRule rule)
{
    return UnreducedVerifier(program, rule).run();
}

} // namespace shardscope
