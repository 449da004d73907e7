// SPDX-License-Identifier: GPL-3.0-or-later
#include "words/propagation_steps.h"

#include "program/factor_rule_text.h"
#include "program/op_row.h"
#include "words/definitions.h"
#include "words/sentence.h"
#include "words/strategy_words.h"
#include "words/tr.h"

namespace shardscope::words {

QString operationName(const Operation& operation)
{
    const QString name = fromStd(qualifiedName(operation));
    const QString plain = QStringLiteral("stablehlo.");
    return name.startsWith(plain) ? name.mid(plain.size()) : name;
}

bool hasOwnRule(const Program& program, const Operation& operation)
{
    return attachedRule(program, operation).has_value();
}

QString propagationRound(int round)
{
    switch (round) {
    case 0:
        return Words::tr("pass-through operations, values with one use");
    case 1:
        return Words::tr("pass-through operations");
    case 2:
        return Words::tr("all operations, dimensions that pass through");
    case 3:
        return Words::tr("all operations, summed dimensions too");
    case 4:
        return Words::tr("everything, broadcasts both ways");
    default:
        return {};
    }
}

Text propagationStep(const Program& program, const Mesh& mesh, const PropagationStep& step)
{
    Sentence s(mesh);
    const AxisRef axis = step.axis;
    const QString target = operandName(program, step.to);
    const QString dimension = dimensionName(program, step.to, static_cast<std::size_t>(step.toDimension));
    if (step.seed) {
        s.say(*step.seed == SeedKind::Result ? Words::tr("Given: the result %1 is declared to be cut on ").arg(target)
                : *step.seed == SeedKind::Constraint ? Words::tr("Given: a constraint cuts %1 on ").arg(target)
                                                     : Words::tr("Given: %1 is cut on ").arg(target));
        s.strong(dimension).say(Words::tr(" along ")).axes(std::span(&axis, 1)).say(QStringLiteral("."));
        return s.take();
    }
    s.say(step.round < 0 ? Words::tr("Step %1: ").arg(step.step)
                         : Words::tr("Step %1, round %2: ").arg(step.step).arg(step.round));
    s.axes(std::span(&axis, 1));
    if (!step.operation.valid()) {
        s.say(Words::tr(" is taken over from what %1 is declared to be returned as.").arg(target));
        return s.take();
    }
    const Operation& operation = program.operation(step.operation);
    s.say(step.from.valid() && step.from != step.to
            ? Words::tr(" passes %1, from %2 to %3 on ")
                  .arg(operationName(operation), operandName(program, step.from), target)
            : Words::tr(" passes %1 to %2 on ").arg(operationName(operation), target));
    s.strong(dimension);
    if (hasOwnRule(program, operation))
        s.say(Words::tr(", by the operation's custom rule"));
    s.say(QStringLiteral("."));
    return s.take();
}

} // namespace shardscope::words
