// SPDX-License-Identifier: GPL-3.0-or-later
#include "words/strategy_words.h"

#include "program/calls.h"
#include "words/definitions.h"
#include "words/propagation_steps.h"
#include "words/sentence.h"

namespace shardscope::words {

namespace {

/// The record by which a run took an axis that the other does not end with; null if it took none.
const PropagationStep* recordOf(const ComparedRun& run, std::uint32_t position)
{
    return position < run.result->log.size() ? &run.result->log[position] : nullptr;
}

QString since(const ComparedRun& run, const PropagationStep* record)
{
    if (!record)
        return Words::tr("%1: not at all").arg(run.name);
    return record->step == 0 ? Words::tr("%1: given").arg(run.name)
                             : Words::tr("%1: step %2").arg(run.name, count(record->step));
}

} // namespace

QString strategyName(StrategyChoice strategy)
{
    switch (strategy) {
    case StrategyChoice::Basic:
        return Words::tr("Basic");
    case StrategyChoice::Aggressive:
        return Words::tr("Aggressive");
    case StrategyChoice::OperationPriority:
        return Words::tr("Operation priorities");
    case StrategyChoice::UserPriority:
        return Words::tr("User priorities");
    case StrategyChoice::Full:
        break;
    }
    return Words::tr("Full pipeline");
}

QString strategyMeaning(StrategyChoice strategy)
{
    switch (strategy) {
    case StrategyChoice::Basic:
        return Words::tr("An axis moves on only where no other one asks for the same place.");
    case StrategyChoice::Aggressive:
        return Words::tr("Where axes ask for the same place, the one that shards more of the tensors there gets it.");
    case StrategyChoice::OperationPriority:
        return Words::tr("Aggressive, in rounds: operations that keep dimensions as they are come first, then products "
                         "and sums, broadcasts last.");
    case StrategyChoice::UserPriority:
        return Words::tr("The rounds of operation priorities, once for each priority that dimensions are given.");
    case StrategyChoice::Full:
        break;
    }
    return Words::tr("What a compiler does: every use of a constant gets its own, constraints and groups are applied, "
                     "then user priorities and operation priorities.");
}

QString conservativeMeaning()
{
    return Words::tr("Only full axes move through operations: no axis is split into sub-axes.");
}

QString userPrioritiesMeaning(StrategyChoice strategy)
{
    return knowsUserPriorities(strategy)
        ? Words::tr("Dimensions with a lower priority number spread first. Off: all spread at once.")
        : Words::tr("%1 takes no notice of priorities; User priorities and Full pipeline do.")
              .arg(strategyName(strategy));
}

QString settingName(const PropagationSetting& setting)
{
    QString text = strategyName(setting.strategy);
    if (setting.conservative)
        text += Words::tr(", conservative");
    if (!setting.userPriorities && knowsUserPriorities(setting.strategy))
        text += Words::tr(", priorities ignored");
    return text;
}

QString differenceCount(const std::vector<PropagationDifference>& list)
{
    const auto dimensions = static_cast<qint64>(list.size());
    const QString tensors = counted(static_cast<qint64>(countValues(list)), Noun::Tensor);
    return (dimensions == 1 ? Words::tr("%1 of %2 differs.") : Words::tr("%1 of %2 differ."))
        .arg(counted(dimensions, Noun::Dimension), tensors);
}

QString sameShardings(const QString& first, const QString& second)
{
    return Words::tr("%1 and %2 give the same shardings.").arg(first, second);
}

Text dimensionAxes(const Mesh& mesh, const AxisList& axes)
{
    Sentence s(mesh);
    if (axes.empty())
        s.code(QStringLiteral("-"));
    if (axes.size() > 1)
        s.code(QStringLiteral("("));
    for (std::size_t i = 0; i < axes.size(); ++i) {
        if (i > 0)
            s.code(QStringLiteral(", "));
        s.axes(std::span(&axes[i], 1));
    }
    if (axes.size() > 1)
        s.code(QStringLiteral(")"));
    return s.take();
}

QString dimensionName(const Program& program, ValueId value, std::size_t dimension)
{
    const Value& v = program.value(value);
    return dimension < v.dimNames.size() && !v.dimNames[dimension].empty() ? fromStd(v.dimNames[dimension])
                                                                           : Words::tr("dimension %1").arg(dimension);
}

QString differencePlace(const ComparedRun& first, const ComparedRun& second, const PropagationDifference& difference)
{
    const PropagationStep* record = recordOf(first, difference.firstRecord);
    const ComparedRun& run = record ? first : second;
    if (!record)
        record = recordOf(second, difference.secondRecord);
    if (!record)
        return {};
    if (record->seed)
        return Words::tr("given");
    if (record->operation.valid()) {
        const Operation& operation = run.program->operation(record->operation);
        return isCall(operation.kind) ? Words::tr("call") : operationName(operation);
    }
    return isCallArgument(*record) ? Words::tr("call") : Words::tr("result");
}

QString differenceSince(const ComparedRun& first, const ComparedRun& second, const PropagationDifference& difference)
{
    return since(first, recordOf(first, difference.firstRecord)) + QStringLiteral("; ")
        + since(second, recordOf(second, difference.secondRecord));
}

std::vector<Text> differenceReasons(
    const ComparedRun& first, const ComparedRun& second, const PropagationDifference& difference)
{
    std::vector<Text> reasons;
    const auto add = [&](const ComparedRun& run, std::uint32_t position, const AxisList& held) {
        Sentence s(*run.mesh);
        s.strong(run.name).say(QStringLiteral(": "));
        if (const PropagationStep* record = recordOf(run, position))
            s.append(propagationStep(*run.program, *run.mesh, *record));
        else if (held.empty())
            s.say(Words::tr("no axis comes to it."));
        else
            s.append(dimensionAxes(*run.mesh, held)).say(Words::tr(", and no further axis comes to it."));
        reasons.push_back(s.take());
    };
    add(first, difference.firstRecord, difference.first);
    add(second, difference.secondRecord, difference.second);
    return reasons;
}

} // namespace shardscope::words
