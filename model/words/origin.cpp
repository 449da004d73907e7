// SPDX-License-Identifier: GPL-3.0-or-later
#include "words/origin.h"

#include <algorithm>

#include "program/differentiate.h"
#include "program/roles.h"
#include "words/definitions.h"
#include "words/links.h"
#include "words/propagation_steps.h"
#include "words/rule_names.h"

namespace shardscope::words {

namespace {

bool isResult(const Operation& operation, ValueId value)
{
    return std::find(operation.results.begin(), operation.results.end(), value) != operation.results.end();
}

/// The constraint of which differentiation made `derived`, null unless there is exactly one that it can be.
const ResolvedAnnotation* originalOf(const Snapshot& snapshot, const ResolvedAnnotation& derived)
{
    const Program& program = *snapshot.program;
    const std::string& scope = program.scopes[program.operation(derived.operation).scope];
    const ResolvedAnnotation* found = nullptr;
    for (const ResolvedAnnotation& candidate : snapshot.annotations->constraints) {
        const std::string& of = program.scopes[program.operation(candidate.operation).scope];
        if (isBackward(of) || !(candidate.declared == derived.declared) || backwardScopeOf(of) != scope
            || !(program.value(candidate.value).type == program.value(derived.value).type)
            || program.value(candidate.value).path.empty())
            continue;
        if (found)
            return nullptr;
        found = &candidate;
    }
    return found;
}

} // namespace

Origin::Origin(const Snapshot& snapshot, ValueId value, const DimensionReason& reason)
    : m_snapshot(snapshot)
    , m_value(value)
    , m_reason(reason)
{
    if (reason.chain.empty())
        return;
    findRequest();
    findAlike();
}

void Origin::findRequest()
{
    const PropagationStep& first = m_reason.chain.front();
    if (!first.seed || !m_snapshot.annotations)
        return;
    const Program& program = *m_snapshot.program;
    const Annotations& annotations = *m_snapshot.annotations;
    m_kind = *first.seed;
    m_dimension = static_cast<std::size_t>(first.toDimension);
    m_asked = askedValue(program, first);
    m_askedName = operandName(program, m_asked);
    m_specifiedBy = specifierOf(program, first);
    m_asking = first.operation;
    // A constraint may shard its operand as well.
    const ValueId annotated =
        m_specifiedBy == Specifier::Constraint ? program.operation(m_asking).results[0] : first.to;
    const auto find = [&](const std::vector<ResolvedAnnotation>& list) {
        const auto found = std::find_if(list.begin(), list.end(),
            [&](const ResolvedAnnotation& annotation) { return annotation.value == annotated && annotation.spec; });
        m_annotation = found == list.end() ? nullptr : &*found;
    };
    switch (m_kind) {
    case SeedKind::Argument:
        find(annotations.arguments);
        break;
    case SeedKind::Result:
        find(annotations.results);
        break;
    case SeedKind::Constraint:
        find(annotations.constraints);
        if (m_annotation && program.value(annotated).path.empty() && m_annotation->operation.valid())
            if (const ResolvedAnnotation* original = originalOf(m_snapshot, *m_annotation)) {
                m_askedName = operandName(program, original->value);
                m_forGradient = true;
            }
        break;
    }
    if (isOfItsConstraint())
        findComputation();
}

/// The only use may be that of a manual computation, whose in_shardings the argument has then.
void Origin::findComputation()
{
    const Program& program = *m_snapshot.program;
    const auto uses = [&](const Operation& operation, OpKind kind) {
        return operation.kind == kind
            && std::find(operation.operands.begin(), operation.operands.end(), m_asked) != operation.operands.end();
    };
    OperationId found;
    for (std::size_t i = 0; i < program.operations.size(); ++i) {
        if (uses(program.operations[i], OpKind::ShardingConstraint))
            return;
        if (!found.valid() && uses(program.operations[i], OpKind::ManualComputation))
            found = OperationId(i);
    }
    if (!found.valid())
        return;
    m_asking = found;
    m_specifiedBy = Specifier::InShardings;
}

void Origin::findAlike()
{
    const std::vector<PropagationStep>& chain = m_reason.chain;
    for (std::size_t i = chain.size(); i-- > 0;) {
        const bool starts = !chain[i].seed && chain[i].from.valid();
        const ValueId from = starts ? chain[i].from
            : chain[i].seed         ? askedValue(*m_snapshot.program, chain[i])
                                    : chain[i].to;
        // The argument of a body has none of the axes that the computation takes over.
        const bool isBorder = starts && i > 0 && chain[i - 1].seed && chain[i - 1].from.valid();
        if (from == m_value || isBorder || m_snapshot.program->value(from).path.empty())
            continue;
        m_alike = from;
        // After the step that starts from it; a seed starts from nothing.
        m_relation = describeWay(starts ? i : i + 1);
        return;
    }
}

/// The operations from step `from` on, by what they do with the dimension.
QString Origin::describeWay(std::size_t from) const
{
    const Program& program = *m_snapshot.program;
    const QString name = alikeName();
    QStringList names;
    bool forward = true, backward = true, optimizer = true, elementwise = true;
    int others = 0;
    OpKind other = OpKind::Constant;
    for (std::size_t i = from; i < m_reason.chain.size(); ++i) {
        const PropagationStep& step = m_reason.chain[i];
        if (!step.operation.valid())
            continue;
        const Operation& operation = program.operation(step.operation);
        if (operation.kind == OpKind::ShardingConstraint)
            continue;
        const OpRow& row = opRow(operation.kind);
        const bool toResult = isResult(operation, step.to), fromResult = isResult(operation, step.from);
        forward = forward && toResult && !fromResult;
        backward = backward && fromResult && !toResult;
        optimizer = optimizer && program.scopes[operation.scope].starts_with("optimizer");
        if (!row.elementwise) {
            elementwise = false;
            ++others;
            other = operation.kind;
        }
        if (const QString stated = fromStd(row.name); !names.contains(stated))
            names << stated;
    }
    const QString dimension = m_reason.name.empty() ? Words::tr("the dimension") : fromStd(m_reason.name);
    const QString ops = names.join(QStringLiteral(", "));
    if (names.isEmpty())
        return inOneGroup(program, m_alike, m_value) ? Words::tr("both are in one sharding group")
                                                     : Words::tr("both have the same elements");
    if (elementwise && optimizer)
        return Words::tr("the optimizer combines the two element by element");
    if (elementwise)
        return forward ? Words::tr("it is computed from %1 element by element (%2)").arg(name, ops)
            : backward ? Words::tr("%1 is computed from it element by element (%2)").arg(name, ops)
                       : Words::tr("the two are combined element by element (%1)").arg(ops);
    if (others == 1 && other == OpKind::DotGeneral)
        return forward ? Words::tr("it is computed from %1 by a matrix product, which keeps %2").arg(name, dimension)
            : backward ? Words::tr("%1 is computed from it by a matrix product, which keeps %2").arg(name, dimension)
                       : Words::tr("the two meet in a matrix product along this dimension");
    if (others == 1 && other == OpKind::Reduce)
        return forward ? Words::tr("it is a sum of %1 that keeps %2").arg(name, dimension)
                       : Words::tr("%1 is a sum of it that keeps %2").arg(name, dimension);
    return forward ? Words::tr("it is computed from %1 (%2)").arg(name, ops)
        : backward ? Words::tr("%1 is computed from it (%2)").arg(name, ops)
                   : Words::tr("the two meet in the program (%1)").arg(ops);
}

bool Origin::isOfComputation() const
{
    return m_specifiedBy == Specifier::InShardings || m_specifiedBy == Specifier::OutShardings;
}

bool Origin::isOfItsConstraint() const
{
    return m_kind == SeedKind::Argument && m_asked.valid() && m_snapshot.annotated
        && !m_snapshot.annotated->shardingOf(m_asked);
}

Sentence::Part Origin::asking() const
{
    const Program& program = *m_snapshot.program;
    return { operationName(program.operation(m_asking)), operationLink(program, m_asking) };
}

/// Those that were asked for: propagation may have split one of them.
AxisList Origin::askedAxes() const
{
    const PropagationStep& first = m_reason.chain.front();
    return !m_reason.axes.empty() && m_reason.axes.front() == first.axis ? m_reason.axes : AxisList{ first.axis };
}

QString Origin::alikeName() const
{
    if (m_alike.valid())
        return operandName(*m_snapshot.program, m_alike);
    return m_asked == m_value ? QString() : m_askedName; // what was asked for the tensor itself is no likeness
}

QString Origin::link() const
{
    return m_alike.valid() ? valueLink(*m_snapshot.program, m_alike)
        : m_asked.valid()  ? valueLink(*m_snapshot.program, m_asked)
                           : QString();
}

const LogicalRule* Origin::rule() const
{
    if (!m_annotation || !m_annotation->resolution || m_dimension >= m_annotation->resolution->dims.size())
        return nullptr;
    const DimensionTrace& trace = m_annotation->resolution->dims[m_dimension];
    const auto& list = rulesIn(m_snapshot.experiment->rules, { m_annotation->innerRules });
    const bool set = trace.outcome == DimensionOutcome::SetByRule && trace.rule >= 0
        && static_cast<std::size_t>(trace.rule) < list.size();
    return set ? &list[static_cast<std::size_t>(trace.rule)] : nullptr;
}

Sentence::Part Origin::rulePart(bool first) const
{
    const RulePlace place{ { m_annotation->innerRules }, m_annotation->resolution->dims[m_dimension].rule };
    return words::rulePart(m_snapshot.experiment->rules, place, first);
}

QString Origin::askedDimension() const
{
    const Value& asked = m_snapshot.program->value(m_asked);
    if (m_dimension < asked.dimNames.size() && !asked.dimNames[m_dimension].empty())
        return fromStd(asked.dimNames[m_dimension]);
    return m_reason.name.empty() ? Words::tr("dimension %1").arg(m_dimension) : fromStd(m_reason.name);
}

Text Origin::request(std::span<const Origin* const> alike)
{
    const Origin& first = *alike.front();
    if (!first.m_asked.valid())
        return {};
    Sentence s(*first.m_snapshot.mesh);
    const bool asParameter = isAnnotatedAsParameter(*first.m_snapshot.program, first.m_asked)
        && !(first.m_annotation && first.m_annotation->hasOptimizerRules);
    const QString& name = first.m_askedName;
    const auto asked = [&] { return Sentence::Part{ name, valueLink(*first.m_snapshot.program, first.m_asked) }; };
    if (first.rule()) {
        for (std::size_t i = 0; i < alike.size(); ++i) {
            s.between(i, alike.size());
            s.fill(
                Words::tr("%1 maps %2 to "), { alike[i]->rulePart(i == 0), { fromStd(alike[i]->rule()->name.name) } });
            s.axes(alike[i]->askedAxes());
        }
        switch (first.m_kind) {
        case SeedKind::Argument:
            s.fill(asParameter ? Words::tr(" for %1, which is annotated as its parameter is.") : Words::tr(" for %1."),
                { asked() });
            break;
        case SeedKind::Result:
            s.fill(Words::tr(" for %1, which the step returns."), { asked() });
            break;
        case SeedKind::Constraint:
            s.fill(first.m_forGradient ? Words::tr(" in the constraint on %1, which holds for its gradient too.")
                                       : Words::tr(" in the constraint on %1."),
                { asked() });
            break;
        }
        return s.take();
    }
    const SeedKind kind = first.isOfComputation() ? SeedKind::Constraint : first.m_kind;
    switch (kind) {
    case SeedKind::Argument:
        s.fill(asParameter                  ? Words::tr("%1 is annotated as its parameter is, with ")
                : first.isOfItsConstraint() ? Words::tr("The constraint on %1 names ")
                                            : Words::tr("The annotation of %1 names "),
            { asked() });
        break;
    case SeedKind::Result:
        s.fill(Words::tr("The step returns %1, whose annotation names "), { asked() });
        break;
    case SeedKind::Constraint:
        if (first.isOfComputation())
            s.fill(first.m_specifiedBy == Specifier::InShardings
                    ? Words::tr("%1 asks in its in_shardings for %2 to be sharded along ")
                    : Words::tr("%1 says in its out_shardings that %2 is sharded along "),
                { first.asking(), asked() });
        else
            s.fill(first.m_specifiedBy == Specifier::Own ? Words::tr("The annotation of %1 names ")
                                                         : Words::tr("The constraint on %1 names "),
                { asked() });
        break;
    }
    for (std::size_t i = 0; i < alike.size(); ++i) {
        s.between(i, alike.size());
        s.axes(alike[i]->askedAxes());
        s.say(Words::tr(" for %1").arg(alike[i]->askedDimension()));
    }
    s.say(first.m_forGradient ? Words::tr(", and holds for its gradient too.") : QStringLiteral("."));
    return s.take();
}

Text Origin::shortRequest() const
{
    Sentence s(*m_snapshot.mesh);
    if (const LogicalRule* by = rule())
        s.fill(Words::tr("%1  %2 → "), { rulePart(false), { fromStd(by->name.name) } });
    else if (m_asked.valid() && isOfComputation())
        s.fill(Words::tr("%1, "), { asking() });
    else if (m_asked.valid() && (m_specifiedBy == Specifier::Constraint || isOfItsConstraint()))
        s.say(Words::tr("a constraint, "));
    else if (m_asked.valid())
        s.say(Words::tr("an annotation, "));
    s.axes(m_reason.axes);
    return s.take();
}

bool Origin::isLike(const Origin& other) const
{
    return m_alike == other.m_alike && m_asked == other.m_asked && m_kind == other.m_kind
        && m_specifiedBy == other.m_specifiedBy && m_asking == other.m_asking && m_relation == other.m_relation
        && (rule() == nullptr) == (other.rule() == nullptr);
}

} // namespace shardscope::words
