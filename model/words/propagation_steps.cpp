// SPDX-License-Identifier: GPL-3.0-or-later
#include "words/propagation_steps.h"

#include <algorithm>

#include "program/factor_rule_text.h"
#include "program/op_row.h"
#include "propagation/sharding_groups.h"
#include "words/definitions.h"
#include "words/links.h"
#include "words/sentence.h"
#include "words/strategy_words.h"
#include "words/tr.h"

namespace shardscope::words {

QString operationName(const Operation& operation)
{
    if (operation.kind == OpKind::SdyConstant) // what propagation makes of a text's constant for each of its uses
        return QStringLiteral("constant");
    const QString name = fromStd(qualifiedName(operation));
    const QString plain = QStringLiteral("stablehlo.");
    return name.startsWith(plain) ? name.mid(plain.size()) : name;
}

bool hasOwnRule(const Program& program, const Operation& operation)
{
    return attachedRule(program, operation).has_value();
}

bool isCallArgument(const PropagationStep& step)
{
    return !step.seed && !step.operation.valid() && step.result < 0;
}

QString propagationRound(int round)
{
    switch (round) {
    case 0:
        return Words::tr("Round 0: element-wise ops and the like only, on values with one use.");
    case 1:
        return Words::tr("Round 1: element-wise ops and the like only.");
    case 2:
        return Words::tr("Round 2: all ops, on dimensions that pass through.");
    case 3:
        return Words::tr("Round 3: all ops, on dimensions that are summed too.");
    case 4:
        return Words::tr("Round 4: all ops, broadcasts in both directions.");
    default:
        return {};
    }
}

Specifier specifierOf(const Program& program, const PropagationStep& seed)
{
    if (seed.seed == SeedKind::Argument)
        return Specifier::Input;
    if (seed.seed == SeedKind::Result)
        return Specifier::Output;
    if (!seed.operation.valid())
        return Specifier::Own;
    const Operation& operation = program.operation(seed.operation);
    switch (operation.kind) {
    case OpKind::ShardingConstraint:
        return Specifier::Constraint;
    case OpKind::ManualComputation:
    case OpKind::NamedComputation:
        return static_cast<std::size_t>(seed.toTensor) < operation.operands.size() ? Specifier::InShardings
                                                                                   : Specifier::OutShardings;
    default:
        return Specifier::Own;
    }
}

ValueId askedValue(const Program& program, const PropagationStep& seed)
{
    switch (specifierOf(program, seed)) {
    case Specifier::InShardings:
        return program.operation(seed.operation).operands[static_cast<std::size_t>(seed.toTensor)];
    case Specifier::Constraint:
        return program.value(seed.to).path.empty() ? program.operation(seed.operation).results[0] : seed.to;
    default:
        return seed.to;
    }
}

namespace {

Text specifiedStep(const Program& program, const Mesh& mesh, const PropagationStep& seed)
{
    Sentence s(mesh);
    const ValueId value = askedValue(program, seed);
    const Sentence::Part target{ operandName(program, value), valueLink(program, value) };
    Sentence::Part through;
    if (seed.operation.valid())
        through = { operationName(program.operation(seed.operation)), operationLink(program, seed.operation) };
    const Specifier specifier = specifierOf(program, seed);
    switch (specifier) {
    case Specifier::Output:
        s.fill(Words::tr("Given: the result %1 is declared to be sharded on "), { target });
        break;
    case Specifier::Constraint:
        s.fill(Words::tr("Given: a constraint shards %1 on "), { target });
        break;
    case Specifier::InShardings:
        s.fill(Words::tr("Given: %1 asks in its in_shardings for %2 to be sharded on "), { through, target });
        break;
    case Specifier::OutShardings:
        s.fill(Words::tr("Given: %1 says in its out_shardings that %2 is sharded on "), { through, target });
        break;
    case Specifier::Input:
    case Specifier::Own:
        s.fill(Words::tr("Given: %1 is sharded on "), { target });
        break;
    }
    const AxisRef axis = seed.axis;
    s.strong(dimensionName(program, value, static_cast<std::size_t>(seed.toDimension)));
    s.say(Words::tr(" along ")).axes(std::span(&axis, 1)).say(QStringLiteral("."));
    return s.take();
}

} // namespace

Text propagationStep(const Program& program, const Mesh& mesh, const PropagationStep& step)
{
    if (step.seed)
        return specifiedStep(program, mesh, step);
    Sentence s(mesh);
    const AxisRef axis = step.axis;
    const Sentence::Part target{ operandName(program, step.to), valueLink(program, step.to) };
    const QString dimension = dimensionName(program, step.to, static_cast<std::size_t>(step.toDimension));
    const Sentence::Part number{ Words::tr("Step %1").arg(step.step), stepLink(step.step) };
    s.fill(Words::tr("%1: "), { number });
    s.axes(std::span(&axis, 1));
    if (isCallArgument(step)) {
        if (step.from.valid() && step.from != step.to)
            s.fill(Words::tr(" passes the call, from %1 to %2 on "),
                { { operandName(program, step.from), valueLink(program, step.from) }, target });
        else
            s.fill(Words::tr(" passes the call to %1 on "), { target });
        s.strong(dimension).say(QStringLiteral("."));
        return s.take();
    }
    if (!step.operation.valid()) {
        s.fill(Words::tr(" comes to %1 from the declared result."), { target });
        return s.take();
    }
    const Operation& operation = program.operation(step.operation);
    const Sentence::Part through{ operation.kind == OpKind::Call ? Words::tr("the call") : operationName(operation),
        operationLink(program, step.operation) };
    if (step.from.valid() && step.from != step.to)
        s.fill(Words::tr(" spreads through %1 from %2 to %3 on "),
            { through, { operandName(program, step.from), valueLink(program, step.from) }, target });
    else
        s.fill(Words::tr(" spreads through %1 to %2 on "), { through, target });
    s.strong(dimension);
    if (hasOwnRule(program, operation))
        s.say(Words::tr(", by the operation's custom rule"));
    s.say(QStringLiteral("."));
    return s.take();
}

bool inOneGroup(const Program& program, ValueId a, ValueId b)
{
    for (const ShardingGroup& group : shardingGroups(program)) {
        const auto holds = [&](ValueId value) {
            return std::find(group.members.begin(), group.members.end(), value) != group.members.end();
        };
        if (holds(a) && holds(b))
            return true;
    }
    return false;
}

Text sharedSharding(const Program& program, const Mesh& mesh, ValueId from, ValueId to)
{
    Sentence s(mesh);
    s.fill(inOneGroup(program, from, to) ? Words::tr("%1 has it as well: it is in one sharding group with %2.")
                                         : Words::tr("%1 has it as well: it is what becomes of %2."),
        { { operandName(program, to), valueLink(program, to) },
            { operandName(program, from), valueLink(program, from) } });
    return s.take();
}

ValueId sharedBefore(const std::vector<PropagationStep>& chain, std::size_t next, ValueId value)
{
    if (next == 0 || chain.empty())
        return {};
    const ValueId before = chain[next - 1].to;
    const ValueId after = next < chain.size() ? chain[next].from : value;
    return after.valid() && after != before ? before : ValueId();
}

Text stepSentence(const Program& program, const Mesh& mesh, const Replay& replay, std::uint32_t step)
{
    const auto records = replay.recordsOf(step);
    const QString axes = count(static_cast<std::int64_t>(records.size()));
    const auto plain = [](const QString& text) { return Text{ { text, Span::Style::Plain, -1 } }; };
    if (step == 0)
        return plain(records.empty() ? Words::tr("Nothing is given: no value has a sharding of its own.")
                : records.size() == 1
                ? Words::tr("What is given: annotations, constraints and declared results, one axis in all.")
                : Words::tr("What is given: annotations, constraints and declared results, %1 axes in all.").arg(axes));
    if (records.empty())
        return plain(Words::tr("The declared result takes the sharding of the returned value."));
    Text sentence = propagationStep(program, mesh, *records.front());
    if (records.size() > 1) {
        const QString round = propagationRound(records.front()->round);
        sentence.push_back({ QLatin1Char(' ') + Words::tr("%1 dimensions get an axis in this step.").arg(axes)
                + (round.isEmpty() ? QString() : QLatin1Char(' ') + round),
            Span::Style::Plain, -1 });
    }
    return sentence;
}

std::vector<Text> propagationChain(
    const Program& program, const Mesh& mesh, ValueId value, const std::vector<PropagationStep>& chain)
{
    std::vector<Text> sentences;
    for (std::size_t i = 0; i <= chain.size(); ++i) {
        if (const ValueId before = sharedBefore(chain, i, value); before.valid())
            sentences.push_back(sharedSharding(program, mesh, before, i < chain.size() ? chain[i].from : value));
        if (i < chain.size())
            sentences.push_back(propagationStep(program, mesh, chain[i]));
    }
    return sentences;
}

} // namespace shardscope::words
