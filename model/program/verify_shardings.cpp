// SPDX-License-Identifier: GPL-3.0-or-later
#include "program/verify_shardings.h"

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>

#include "base/codes.h"
#include "program/calls.h"
#include "program/declared_rule.h"
#include "program/other_attributes.h"
#include "program/program_mesh.h"
#include "program/unreduced_axes.h"
#include "program/verify_manual.h"

namespace shardscope {

namespace {

using namespace verification;

/// Goes through the functions in order and through their bodies, inner operations where they stand.
class ShardingVerifier {
public:
    explicit ShardingVerifier(const Program& program)
        : m_program(program)
        , m_shardings(program)
        , m_findings(program)
        , m_axes(program.shardings.size(), Verdict::Unknown)
        , m_owner(program.values.size(), nullptr)
    {
    }

    std::vector<Diagnostic> run()
    {
        for (const ProgramMesh& mesh : m_program.meshes)
            if (mesh.illegal)
                checkMesh(mesh, m_findings);
        if (m_program.functions.empty() && !m_program.regions.empty())
            checkFunction(nullptr, m_program.main());
        for (const Function& function : m_program.functions)
            checkFunction(&function, m_program.regions[function.body.index]);
        checkEdges();
        checkGroups();
        return m_findings.take();
    }

private:
    enum class Verdict : std::uint8_t { Unknown, Legal, Illegal };
    struct Member {
        OperationId operation;
        ValueId value;
        std::int64_t group = 0;
        const ManualScope* scope = nullptr; ///< compared only
    };

    void checkFunction(const Function* function, const Region& body)
    {
        for (std::size_t i = 0; i < body.arguments.size(); ++i) {
            const ValueId argument = body.arguments[i];
            define(argument, nullptr);
            check(m_program.shardingOf(argument), m_program.value(argument).type,
                { .function = function, .role = "argument", .index = static_cast<std::int64_t>(i), .value = argument },
                nullptr);
        }
        if (function)
            for (std::size_t i = 0; i < std::min(function->resultShardings.size(), body.results.size()); ++i)
                if (const ShardingIndex index = function->resultShardings[i]; index != 0)
                    check(&m_program.shardings[index - 1], m_program.value(body.results[i]).type,
                        { .function = function, .role = "function_result", .index = static_cast<std::int64_t>(i) },
                        nullptr);
        checkBody(body, nullptr);
        checkUses(body.results, OperationId(), nullptr);
    }

    void checkBody(const Region& body, const ManualScope* scope)
    {
        for (const OperationId id : body.operations)
            checkOperation(id, scope);
    }

    void define(ValueId value, const ManualScope* scope)
    {
        if (value.index < m_owner.size())
            m_owner[value.index] = scope;
    }
    /// A manual computation sees nothing from outside.
    template <class Values>
    void checkUses(const Values& values, OperationId user, const ManualScope* scope)
    {
        if (!scope)
            return;
        for (std::size_t i = 0; i < values.size(); ++i)
            if (values[i].index < m_owner.size() && m_owner[values[i].index] != scope)
                m_findings.add(Code::BadManualComputation, { { "wrong", "outside" } },
                    { .operation = user,
                        .role = "operand",
                        .index = static_cast<std::int64_t>(i),
                        .value = values[i] });
    }

    void checkOperation(OperationId id, const ManualScope* scope)
    {
        const Operation& operation = m_program.operation(id);
        checkUses(operation.operands, id, scope);
        for (std::size_t i = 0; i < operation.results.size(); ++i) {
            const ValueId result = operation.results[i];
            define(result, scope);
            check(m_program.shardingOf(result), m_program.value(result).type,
                { .operation = id, .role = "result", .index = static_cast<std::int64_t>(i), .value = result }, scope);
        }
        if (!m_program.unmatchedShardings.empty())
            checkUnmatched(id, scope);
        checkAttributes(id, operation, scope);
        if (operation.extra != 0)
            checkExtra(id, operation);
        checkRegions(id, operation, scope);
    }

    void checkRegions(OperationId id, const Operation& operation, const ManualScope* scope)
    {
        const auto* manual = attributesAs<ManualComputationAttributes>(operation.attributes);
        const ManualScope* inner = scope;
        if (manual) {
            m_scopes.push_back(
                std::make_unique<ManualScope>(ManualScope{ scope, manual, commonMesh(m_program, *manual) }));
            inner = m_scopes.back().get();
        }
        for (const RegionId region : operation.regions) {
            const Region& body = m_program.regions[region.index];
            for (std::size_t i = 0; i < body.arguments.size(); ++i) {
                const ValueId argument = body.arguments[i];
                define(argument, inner);
                check(m_program.shardingOf(argument), m_program.value(argument).type,
                    { .operation = id,
                        .role = "body_argument",
                        .index = static_cast<std::int64_t>(i),
                        .value = argument },
                    inner);
            }
            checkBody(body, inner);
            checkUses(body.results, id, inner);
        }
    }

    void checkUnmatched(OperationId id, const ManualScope* scope)
    {
        const auto& all = m_program.unmatchedShardings;
        const auto found = std::lower_bound(all.begin(), all.end(), id.index,
            [](const UnmatchedShardings& one, std::uint32_t index) { return one.operation.index < index; });
        if (found == all.end() || found->operation != id)
            return;
        const std::size_t results = m_program.operation(id).results.size();
        const Place place{ .operation = id, .role = "sharding" };
        if (results != 0 || found->shardings.size() != 1) {
            m_findings.add(
                Code::ShardingCount, { { "found", found->shardings.size() }, { "expected", results } }, place);
            return;
        }
        TensorType token;
        token.dtype = DType::Token; // has no dimensions either
        if (const ShardingIndex index = found->shardings[0]; index != 0)
            check(&m_program.shardings[index - 1], token, place, scope);
    }

    void checkAttributes(OperationId id, const Operation& operation, const ManualScope* scope)
    {
        const auto list = [&](const std::vector<ProgramSharding>& shardings, const auto& values, const char* role) {
            for (std::size_t i = 0; i < std::min(shardings.size(), values.size()); ++i)
                check(&shardings[i], m_program.value(values[i]).type,
                    { .operation = id, .role = role, .index = static_cast<std::int64_t>(i), .value = values[i] },
                    scope);
        };
        if (const auto* manual = attributesAs<ManualComputationAttributes>(operation.attributes)) {
            list(manual->in, operation.operands, "in_sharding");
            list(manual->out, operation.results, "out_sharding");
            checkManualComputation(m_program, id, scope, m_findings);
        } else if (const auto* named = attributesAs<NamedComputationAttributes>(operation.attributes)) {
            list(named->in, operation.operands, "in_sharding");
            list(named->out, operation.results, "out_sharding");
            checkNamedComputation(m_program, id, m_findings);
        } else if (const auto* barrier = attributesAs<PropagationBarrierAttributes>(operation.attributes)) {
            if (barrier->allowed == BarrierDirection::Both)
                m_findings.add(Code::BadBarrier, {}, { .operation = id, .role = "direction" });
        } else if (const auto* group = attributesAs<ShardingGroupAttributes>(operation.attributes)) {
            if (!operation.operands.empty())
                m_members.push_back({ id, operation.operands[0], group->group, scope });
        } else if (const ProgramSharding* own = ownSharding(operation); own && !operation.results.empty()) {
            checkOwn(id, operation, *own, scope);
        }
        if (operation.kind == OpKind::DataFlowEdge || operation.kind == OpKind::FuncDataFlowEdge)
            m_edges.push_back(id);
    }

    /// The sharding of a constraint, reshard, edge or collective, and what it does to unreduced axes.
    void checkOwn(OperationId id, const Operation& operation, const ProgramSharding& own, const ManualScope* scope)
    {
        const std::size_t before = m_findings.count();
        check(&own, m_program.value(operation.results[0]).type,
            { .operation = id, .role = "sharding", .value = operation.results[0] }, scope);
        const bool legal = m_findings.count() == before;
        const ProgramSharding* operand = operation.operands.empty() ? nullptr : m_shardings.of(operation.operands[0]);
        const ProgramMesh& mesh = m_program.meshes[own.mesh];
        const Place place{ .operation = id, .role = "axes", .value = operation.results[0] };
        const Report report = [&](Code code, std::vector<Arg> args) { m_findings.add(code, std::move(args), place); };
        if (!mesh.undeclared && !mesh.illegal)
            checkCollective(m_program, operation, operand, legal, report);
        const bool places = operation.kind == OpKind::Reshard || operation.kind == OpKind::ShardingConstraint;
        if (places && operand) {
            const ProgramSharding* result = &own;
            if (auto found = checkTransition(
                    m_program, { &operand, 1 }, { &result, 1 }, ReduceKind::Sum, operand->unreducedKind))
                m_findings.add(Code::UnreducedAxes, std::move(*found),
                    { .operation = id, .role = "sharding", .value = operation.results[0] });
        }
    }

    void checkExtra(OperationId id, const Operation& operation)
    {
        for (const NamedText& entry : m_program.dictionaries[operation.extra]) {
            const char* role = entry.name == shardingRuleName ? "rule"
                : entry.name == "sdy.propagation_edges"       ? "edges"
                                                              : nullptr;
            if (!role)
                continue;
            const Place place{ .operation = id, .role = role };
            const Report report = [&](Code code, std::vector<Arg> args) {
                m_findings.add(code, std::move(args), place);
            };
            if (entry.name == shardingRuleName)
                checkRule(m_program, operation, entry.text, report);
            else
                checkProvenance(m_program, operation, entry.text, m_shardings, report);
        }
    }

    /// Any sharding, at the place where it stands.
    void check(const ProgramSharding* sharding, const TensorType& type, const Place& place, const ManualScope* scope)
    {
        if (!sharding)
            return;
        const Report report = [&](Code code, std::vector<Arg> args) { m_findings.add(code, std::move(args), place); };
        if (!checkRank(m_program, *sharding, type, report))
            return;
        Verdict* known = nullptr; // of those that many values share
        if (!m_program.shardings.empty() && sharding >= m_program.shardings.data()
            && sharding < m_program.shardings.data() + m_program.shardings.size())
            known = &m_axes[static_cast<std::size_t>(sharding - m_program.shardings.data())];
        if (!known || *known != Verdict::Legal) {
            const std::size_t before = m_findings.count();
            checkAxes(m_program.meshes[sharding->mesh], sharding->sharding, report);
            if (known)
                *known = m_findings.count() == before ? Verdict::Legal : Verdict::Illegal;
        }
        if (const std::string bound = scope ? boundAxis(m_program, *sharding, scope) : std::string(); !bound.empty())
            report(Code::BadManualComputation, { { "wrong", "bound" }, { "axis", bound } });
    }

    /// A data-flow edge stands alone after the value that it belongs to.
    void checkEdges()
    {
        if (m_edges.empty())
            return;
        std::vector<std::uint32_t> uses(m_program.values.size());
        for (const Region& region : m_program.regions) {
            for (const OperationId id : region.operations)
                for (const ValueId operand : m_program.operation(id).operands)
                    ++uses[operand.index];
            for (const ValueId result : region.results)
                ++uses[result.index];
        }
        std::vector<bool> isFunctionArgument(m_program.values.size(), m_program.functions.empty());
        for (const Function& function : m_program.functions)
            for (const ValueId argument : m_program.regions[function.body.index].arguments)
                isFunctionArgument[argument.index] = true;
        for (const OperationId id : m_edges) {
            const Operation& operation = m_program.operation(id);
            if (operation.operands.empty())
                continue;
            const ValueId input = operation.operands[0];
            const Value& value = m_program.value(input);
            const auto wrong = [&](const char* what) {
                m_findings.add(
                    Code::BadEdge, { { "wrong", what } }, { .operation = id, .role = "operand", .value = input });
            };
            const Shape& shape = value.type.shape;
            if (!isTensor(value.type.dtype) || std::find(shape.begin(), shape.end(), dynamicSize) != shape.end())
                wrong("shape");
            if (uses[input.index] != 1)
                wrong("users");
            if (operation.kind == OpKind::FuncDataFlowEdge) {
                if (value.definition.valid() ? !isCall(m_program.operation(value.definition).kind)
                                             : !isFunctionArgument[input.index])
                    wrong("function");
            } else if (value.definition.valid() && isShardyOperation(m_program.operation(value.definition).kind)) {
                wrong("owner");
            }
        }
    }
    static bool isShardyOperation(OpKind kind)
    {
        return kind == OpKind::ShardingConstraint
            || (kind >= OpKind::SdyConstant && kind <= OpKind::ReplicatedToUnreduced
                && kind != OpKind::ManualComputation && kind != OpKind::NamedComputation);
    }

    /// Members of a group have one sharding: they need one shape, and to be in the same manual computation or in none.
    /// Groups that share a value are one.
    void checkGroups()
    {
        std::map<std::int64_t, std::size_t> firstOfGroup;
        std::map<std::uint32_t, std::size_t> firstOfValue;
        std::vector<std::size_t> parent(m_members.size());
        std::iota(parent.begin(), parent.end(), std::size_t{ 0 });
        const auto root = [&](std::size_t i) {
            while (parent[i] != i)
                i = parent[i] = parent[parent[i]];
            return i;
        };
        for (std::size_t i = 0; i < m_members.size(); ++i) {
            for (const std::size_t other : { firstOfGroup.emplace(m_members[i].group, i).first->second,
                     firstOfValue.emplace(m_members[i].value.index, i).first->second }) {
                const std::size_t a = root(i), b = root(other);
                parent[std::max(a, b)] = std::min(a, b); // the first member stays the root
            }
        }
        for (std::size_t i = 0; i < m_members.size(); ++i) {
            const Member& first = m_members[root(i)];
            const Member& member = m_members[i];
            const auto wrong = [&](const char* what, std::vector<Arg> more = {}) {
                more.emplace_back("wrong", what);
                more.emplace_back("group", member.group);
                m_findings.add(Code::BadShardingGroup, std::move(more),
                    { .operation = member.operation, .role = "operand", .value = member.value });
            };
            const TensorType& type = m_program.value(member.value).type;
            const TensorType& expected = m_program.value(first.value).type;
            if (type.shape != expected.shape)
                wrong("shape", { { "found", toString(type) }, { "expected", toString(expected) } });
            if (member.scope != first.scope)
                wrong("manual");
        }
    }

    const Program& m_program;
    ValueShardings m_shardings;
    Findings m_findings;
    std::vector<Verdict> m_axes; ///< per sharding of the program
    std::vector<const ManualScope*> m_owner; ///< per value: the body in which it is defined
    std::vector<std::unique_ptr<ManualScope>> m_scopes; ///< all that were entered
    std::vector<OperationId> m_edges;
    std::vector<Member> m_members;
};

} // namespace

std::vector<Diagnostic> verifyShardings(const Program& program)
{
    return ShardingVerifier(program).run();
}

} // namespace shardscope
