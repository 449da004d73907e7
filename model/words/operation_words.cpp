// SPDX-License-Identifier: GPL-3.0-or-later
#include "words/operation_words.h"

#include <algorithm>

#include "program/factor_rule_text.h"
#include "program/op_row.h"
#include "sharding/text.h"
#include "words/definitions.h"
#include "words/links.h"
#include "words/propagation_steps.h"
#include "words/sentence.h"

namespace shardscope::words {

namespace {

constexpr std::size_t maxValues = 8, maxSteps = 12;

/// "A f32[8, 16@model], B ... and 3 more"
void sayValues(Sentence& s, const Snapshot& snapshot, std::span<const ValueId> values)
{
    const Program& program = *snapshot.program;
    const std::size_t shown = std::min(values.size(), maxValues);
    for (std::size_t i = 0; i < shown; ++i) {
        const Value& value = program.value(values[i]);
        if (shown == values.size())
            s.between(i, shown);
        else if (i > 0)
            s.say(QStringLiteral(", "));
        s.fill(QStringLiteral("%1 "), { { operandName(program, values[i]), valueLink(program, values[i]) } });
        if (snapshot.propagation && value.type.dtype != DType::Other)
            s.code(fromStd(describeArray(name(value.type.dtype), value.type.shape, value.dimNames,
                snapshot.propagation->shardings[values[i].index], *snapshot.mesh)));
        else
            s.code(fromStd(toString(value.type)));
    }
    if (shown < values.size())
        s.say(Words::tr(" and %1 more").arg(count(static_cast<qint64>(values.size() - shown))));
}

Text takesAndGives(const Snapshot& snapshot, const Operation& operation)
{
    Sentence s(*snapshot.mesh);
    if (operation.operands.empty()) {
        s.say(Words::tr("It takes nothing"));
    } else {
        s.say(Words::tr("It takes "));
        sayValues(s, snapshot, operation.operands);
    }
    if (operation.results.empty()) {
        s.say(Words::tr(", and gives nothing."));
    } else {
        s.say(Words::tr(", and gives "));
        sayValues(s, snapshot, operation.results);
        s.say(QStringLiteral("."));
    }
    return s.take();
}

void addSteps(std::vector<Text>& paragraphs, const Snapshot& snapshot, OperationId id)
{
    std::size_t steps = 0;
    for (const PropagationStep& step : snapshot.propagation->log)
        if (step.operation == id && !step.seed && ++steps <= maxSteps)
            paragraphs.push_back(propagationStep(*snapshot.program, *snapshot.mesh, step));
    if (steps == 0)
        paragraphs.push_back({ { Words::tr("No axis moved through it."), Span::Style::Plain, -1 } });
    else if (steps > maxSteps)
        paragraphs.push_back({ { Words::tr("And %1 more moves.").arg(count(static_cast<qint64>(steps - maxSteps))),
            Span::Style::Plain, -1 } });
}

/// Before anything is sharded; empty where nothing is known, or nothing to be done.
QString workText(const Program& program, const Operation& operation)
{
    constexpr double maximumCounted = 1e18; // as a whole number
    const OperationCost cost = operationCost(program, operation);
    if (cost.bytesRead == 0 && cost.bytesWritten == 0)
        return {};
    const QString moved =
        Words::tr("it reads %1 and writes %2.", "bytes of operands, bytes of results")
            .arg(bytes(static_cast<double>(cost.bytesRead)), bytes(static_cast<double>(cost.bytesWritten)));
    return cost.flops > 0 && cost.flops < maximumCounted
        ? Words::tr("In full it takes about %1 floating-point operations; %2")
              .arg(count(static_cast<qint64>(cost.flops)), moved)
        : Words::tr("In full %1").arg(moved);
}

} // namespace

QString operationTitle(const Program& program, OperationId id)
{
    const Operation& operation = program.operation(id);
    for (const ValueId result : operation.results)
        if (!program.value(result).path.empty())
            return Words::tr("%1, which gives %2").arg(operationName(operation), operandName(program, result));
    return operationName(operation) + QStringLiteral(" %") + QString::number(id.index);
}

ExplanationText operationExplanation(const Snapshot& snapshot, OperationId id, Length length)
{
    ExplanationText text;
    const Program& program = *snapshot.program;
    const Operation& operation = program.operation(id);
    text.title = operationTitle(program, id);
    if (!snapshot.mesh) {
        text.paragraphs.push_back(
            { { Words::tr("How it is sharded cannot be worked out until the problems below are solved."),
                Span::Style::Plain, -1 } });
        return text;
    }
    text.paragraphs.push_back(takesAndGives(snapshot, operation));
    if (length == Length::Tip || snapshot.isPartitioned())
        return text;
    const FactorRule rule = factorRule(program, operation);
    Sentence s(*snapshot.mesh);
    if (rule.exists() && !rule.factors.empty())
        s.say(Words::tr("Axes move along its factors, from any operand or result to the others: "))
            .code(fromStd(toString(rule)))
            .say(QStringLiteral("."));
    else
        s.say(Words::tr("It has no factors: no axis moves through it."));
    text.paragraphs.push_back(s.take());
    if (const QString work = workText(program, operation); !work.isEmpty())
        text.paragraphs.push_back({ { work, Span::Style::Plain, -1 } });
    if (snapshot.propagation)
        addSteps(text.paragraphs, snapshot, id);
    return text;
}

} // namespace shardscope::words
