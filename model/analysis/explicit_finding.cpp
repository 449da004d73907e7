// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/explicit_finding.h"

#include <algorithm>

#include "base/codes.h"
#include "program/op_row.h"
#include "program/other_attributes.h"
#include "sharding/text.h"

namespace shardscope {

namespace {

/// "P('x', None)", "P('x', unreduced={'y'})"
std::string specText(const TensorSharding& sharding, const Mesh& mesh)
{
    std::string text = toJax(toPartitionSpec(sharding, mesh));
    if (sharding.unreduced.empty())
        return text;
    std::string axes;
    for (const AxisRef axis : sharding.unreduced)
        axes += (axes.empty() ? "'" : ", '") + toString(mesh, axis) + '\'';
    text.pop_back();
    return text + (text.ends_with('(') ? "" : ", ") + "unreduced={" + axes + "})";
}

/// The name of a value; of one that only stands for another, as after a constraint, that one's. Empty for none.
std::string nameOf(const Program& program, ValueId value)
{
    while (program.value(value).path.empty() && program.value(value).definition.valid()) {
        const Operation& operation = program.operation(program.value(value).definition);
        if (operation.kind != OpKind::ShardingConstraint && operation.kind != OpKind::Reshard)
            break;
        value = operation.operands[0];
    }
    return program.value(value).path;
}

class Finding {
public:
    Finding(const Program& program, const Mesh& mesh, const Operation& operation, const ExplicitConflict& conflict)
        : m_program(program)
        , m_mesh(mesh)
        , m_operation(operation)
        , m_conflict(conflict)
        , m_outcome(conflict.outcome)
    {
    }

    Diagnostic make()
    {
        add("op", std::string(name(m_operation.kind)));
        add("wrong", std::string(kindName(m_outcome.problem)));
        add("dim", m_outcome.dimension);
        side("first", m_outcome.first);
        side("second", m_outcome.second);
        if (m_conflict.out)
            add("out", specText(*m_conflict.out, m_mesh));
        if (m_outcome.problem == ExplicitProblem::AxisTwice)
            add("axes", sharedAxes());
        if (m_conflict.wanted && !m_conflict.wanted->unreduced.empty())
            add("wanted", names(m_conflict.wanted->unreduced));
        mend();
        place();
        return std::move(m_diagnostic);
    }

private:
    template <class Value>
    void add(const char* key, Value value)
    {
        m_diagnostic.args.emplace_back(key, std::move(value));
    }
    [[nodiscard]] const TensorSharding& typeOf(std::int32_t operand) const
    {
        return m_conflict.operands[static_cast<std::size_t>(operand)].sharding;
    }
    [[nodiscard]] bool isOfBodies() const
    {
        return m_outcome.problem == ExplicitProblem::CarryDiffers
            || m_outcome.problem == ExplicitProblem::BranchesDiffer;
    }
    void side(const std::string& key, std::int32_t operand)
    {
        if (operand < 0)
            return;
        if (!isOfBodies()) {
            add(key.c_str(), nameOf(m_program, m_operation.operands[static_cast<std::size_t>(operand)]));
            add((key + "_index").c_str(), operand);
        }
        add((key + "_spec").c_str(), specText(typeOf(operand), m_mesh));
    }
    [[nodiscard]] std::vector<std::string> names(const AxisList& axes) const
    {
        std::vector<std::string> all;
        for (const AxisRef axis : axes)
            all.push_back(toString(m_mesh, axis));
        return all;
    }
    /// The axes that would shard two dimensions of the result.
    [[nodiscard]] std::vector<std::string> sharedAxes() const
    {
        AxisList shared;
        if (m_outcome.first >= 0 && m_outcome.second >= 0)
            for (const DimensionSharding& one : typeOf(m_outcome.first).dims)
                for (const DimensionSharding& other : typeOf(m_outcome.second).dims)
                    for (const AxisRef axis : one.axes)
                        if (std::any_of(other.axes.begin(), other.axes.end(),
                                [&](AxisRef each) { return overlaps(axis, each); })
                            && std::find(shared.begin(), shared.end(), axis) == shared.end())
                            shared.push_back(axis);
        return names(shared);
    }

    /// Operand and target of a reshard that would help.
    void reshard(std::int32_t operand, const TensorSharding& to)
    {
        add("mend", nameOf(m_program, m_operation.operands[static_cast<std::size_t>(operand)]));
        add("mend_index", operand);
        add("mend_spec", specText(to, m_mesh));
    }
    /// The second operand with these of its dimensions sharded as those of the first.
    void reshardAlike(const Dimensions& first, const Dimensions& second)
    {
        TensorSharding to = typeOf(1);
        AxisList taken;
        for (std::size_t i = 0; i < first.size(); ++i)
            for (const AxisRef axis : typeOf(0).dims[static_cast<std::size_t>(first[i])].axes)
                taken.push_back(axis);
        for (DimensionSharding& dim : to.dims) {
            AxisList kept;
            for (const AxisRef axis : dim.axes)
                if (std::none_of(taken.begin(), taken.end(), [&](AxisRef each) { return overlaps(axis, each); }))
                    kept.push_back(axis);
            dim.axes = std::move(kept);
        }
        for (std::size_t i = 0; i < first.size(); ++i)
            to.dims[static_cast<std::size_t>(second[i])].axes = typeOf(0).dims[static_cast<std::size_t>(first[i])].axes;
        reshard(1, to);
    }
    /// The first operand that is sharded otherwise than the result.
    void reshardToResult()
    {
        if (!m_conflict.out)
            return;
        for (std::size_t o = 0; o < m_conflict.operands.size(); ++o) {
            const TensorSharding& own = m_conflict.operands[o].sharding;
            if (own.rank() != m_conflict.out->rank())
                continue;
            for (std::size_t d = 0; d < own.rank(); ++d)
                if (!own.dims[d].axes.empty() && !(own.dims[d].axes == m_conflict.out->dims[d].axes))
                    return reshard(static_cast<std::int32_t>(o), *m_conflict.out);
        }
    }
    void mend()
    {
        const auto* dot = std::get_if<DotGeneralAttributes>(&m_operation.attributes);
        switch (m_outcome.problem) {
        case ExplicitProblem::OperandsDiffer:
            return reshardToResult();
        case ExplicitProblem::AxisTwice:
            if (m_operation.kind != OpKind::DotGeneral && m_operation.kind != OpKind::Dot)
                reshardToResult();
            return;
        case ExplicitProblem::BatchDimensionsDiffer:
            return reshardAlike(dot->lhsBatch, dot->rhsBatch);
        case ExplicitProblem::ContractedDiffer:
            if (dot)
                reshardAlike(dot->lhsContracting, dot->rhsContracting);
            return;
        case ExplicitProblem::PaddedSharded:
        case ExplicitProblem::SlicedSharded:
        case ExplicitProblem::AddedUpSharded:
        case ExplicitProblem::SortedSharded:
        case ExplicitProblem::TakenFromSharded:
        case ExplicitProblem::TakenAtSharded: {
            TensorSharding to = typeOf(m_outcome.first);
            to.dims[static_cast<std::size_t>(m_outcome.dimension)].axes.clear();
            return reshard(m_outcome.first, to);
        }
        case ExplicitProblem::UnreducedDiffer:
        case ExplicitProblem::FactorNotReduced:
        case ExplicitProblem::DenominatorUnreduced:
        case ExplicitProblem::ProductOfUnreduced:
        case ExplicitProblem::NotLinear: {
            TensorSharding to = typeOf(m_outcome.first);
            to.unreduced.clear();
            return reshard(m_outcome.first, to);
        }
        default:
            return;
        }
    }
    void place()
    {
        if (m_operation.source < m_program.sources.size()) {
            const SourcePlace& place = m_program.sources[m_operation.source];
            m_diagnostic.where.line = static_cast<int>(place.line);
            m_diagnostic.where.column = static_cast<int>(place.column);
        }
        if (!m_operation.results.empty())
            m_diagnostic.where.path = resultName();
    }
    /// That of the constraint right after it, where it has none itself.
    [[nodiscard]] std::string resultName() const
    {
        const ValueId result = m_operation.results[0];
        const std::size_t next = m_program.value(result).definition.index + std::size_t{ 1 };
        if (m_program.value(result).path.empty() && next < m_program.operations.size()) {
            const Operation& after = m_program.operations[next];
            if (after.kind == OpKind::ShardingConstraint && after.operands[0] == result)
                return m_program.value(after.results[0]).path;
        }
        return m_program.value(result).path;
    }

    const Program& m_program;
    const Mesh& m_mesh;
    const Operation& m_operation;
    const ExplicitConflict& m_conflict;
    const ExplicitOutcome& m_outcome;
    Diagnostic m_diagnostic{ Code::ExplicitMode, {}, {} };
};

} // namespace

Diagnostic explicitDiagnostic(
    const Program& program, const Mesh& mesh, OperationId operation, const ExplicitConflict& conflict)
{
    return Finding(program, mesh, program.operation(operation), conflict).make();
}

Diagnostic unevenDiagnostic(
    const Program& program, const Mesh& mesh, ValueId value, const TensorSharding& sharding, std::size_t dimension)
{
    const Value& own = program.value(value);
    Diagnostic diagnostic{ Code::ExplicitMode, {}, {} };
    const bool isArgument = !own.definition.valid();
    diagnostic.args = { { "op",
                            isArgument ? std::string() : std::string(name(program.operation(own.definition).kind)) },
        { "wrong", std::string(kindName(ExplicitProblem::NotDivisible)) },
        { "dim", static_cast<std::int64_t>(dimension) }, { "size", own.type.shape[dimension] },
        { "pieces", shardCount(sharding.dims[dimension]) }, { "first_spec", specText(sharding, mesh) } };
    if (isArgument) {
        const std::vector<ValueId>& arguments = program.main().arguments;
        diagnostic.args.emplace_back("argument",
            static_cast<std::int64_t>(std::find(arguments.begin(), arguments.end(), value) - arguments.begin()));
    } else if (const std::uint32_t source = program.operation(own.definition).source; source < program.sources.size()) {
        diagnostic.where.line = static_cast<int>(program.sources[source].line);
        diagnostic.where.column = static_cast<int>(program.sources[source].column);
    }
    diagnostic.where.path = nameOf(program, value);
    return diagnostic;
}

} // namespace shardscope
