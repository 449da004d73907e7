// SPDX-License-Identifier: GPL-3.0-or-later
#include "words/task_words.h"

#include "partition/collective.h"
#include "words/tr.h"

namespace shardscope::words {

namespace {

QString limitBytes(const Condition& condition)
{
    return bytes(static_cast<double>(condition.number));
}

/// The name itself where there is no kind of that name.
QString kindsOf(const Condition& condition)
{
    if (condition.name == name(CollectiveKind::AllReduce))
        return Words::tr("all-reduces");
    if (condition.name == name(CollectiveKind::AllGather))
        return Words::tr("all-gathers");
    if (condition.name == name(CollectiveKind::ReduceScatter))
        return Words::tr("reduce-scatters");
    if (condition.name == name(CollectiveKind::AllToAll))
        return Words::tr("all-to-alls");
    if (condition.name == name(CollectiveKind::CollectivePermute))
        return Words::tr("collective-permutes");
    if (condition.name == name(CollectiveKind::CollectiveBroadcast))
        return Words::tr("collective-broadcasts");
    return fromStd(condition.name);
}

QString foundNumber(const ConditionState& state)
{
    return state.found ? count(state.found->numerator()) : QString();
}

QString foundCopies(const ConditionState& state)
{
    if (!state.found)
        return Words::tr("no parameter was found");
    return Words::tr("%1, of %2", "a number of devices, an array")
        .arg(counted(state.found->numerator(), Noun::Device), tensorName(state.foundText));
}

QString foundReplicated(const ConditionState& state)
{
    if (!state.found)
        return Words::tr("no layout was found");
    return state.found->numerator() == 0
        ? Words::tr("none")
        : Words::tr("%1, %2 first", "a number of arrays, one of them")
              .arg(counted(state.found->numerator(), Noun::Array), tensorName(state.foundText));
}

QString foundBytes(const ConditionState& state)
{
    return state.found ? bytes(*state.found) : Words::tr("unknown", "a number of bytes");
}

} // namespace

QString goal(const Condition& condition)
{
    const QString name = fromStd(condition.name);
    switch (condition.kind) {
    case Condition::Kind::PeakAtMost:
        return Words::tr("at most %1 per device at the peak").arg(limitBytes(condition));
    case Condition::Kind::SentAtMost:
        return condition.number == 0 ? Words::tr("no device sends anything")
                                     : Words::tr("at most %1 sent per device and step").arg(limitBytes(condition));
    case Condition::Kind::CollectivesAtMost:
        return Words::tr("at most %1 %2 per step", "a number, collectives of one kind")
            .arg(count(condition.number), kindsOf(condition));
    case Condition::Kind::CopiesAtMost:
        return condition.number == 1
            ? Words::tr("no two devices hold the same of a parameter")
            : Words::tr("at most %1 hold the same of a parameter").arg(counted(condition.number, Noun::Device));
    case Condition::Kind::NoneReplicated:
        return Words::tr("no parameter is replicated on all devices");
    case Condition::Kind::ArrayAtMost:
        return Words::tr("at most %1 of %2 per device", "bytes, an array").arg(limitBytes(condition), name);
    case Condition::Kind::ArrayLaidOut:
        return Words::tr("%1 is laid out as %2", "an array, a spec").arg(name, fromStd(condition.spec));
    case Condition::Kind::ShardedByRule:
        return Words::tr("a rule shards %1 of %2 over %3", "a dimension, an array, a mesh axis")
            .arg(fromStd(condition.dimension), name, fromStd(condition.axis));
    case Condition::Kind::ConstraintsApply:
        return Words::tr("every sharding constraint applies");
    case Condition::Kind::AxesUsed:
        return Words::tr("every mesh axis shards an array");
    case Condition::Kind::SizeAtLeast:
        return Words::tr("%1 is at least %2", "a size of the model, a number").arg(name, count(condition.number));
    case Condition::Kind::ModelKept:
        return name.isEmpty() ? Words::tr("the model stays") : Words::tr("the model stays, but for %1").arg(name);
    case Condition::Kind::MeshKept:
        return Words::tr("the mesh stays");
    case Condition::Kind::DevicesKept:
        return Words::tr("the number of devices stays");
    case Condition::Kind::RulesKept:
        return Words::tr("the rules stay, in any order");
    }
    return {};
}

QString found(const ConditionState& state)
{
    switch (state.condition.kind) {
    case Condition::Kind::PeakAtMost:
    case Condition::Kind::SentAtMost:
    case Condition::Kind::ArrayAtMost:
        return foundBytes(state);
    case Condition::Kind::CollectivesAtMost:
    case Condition::Kind::SizeAtLeast:
        return foundNumber(state);
    case Condition::Kind::DevicesKept:
        return state.found ? counted(state.found->numerator(), Noun::Device) : QString();
    case Condition::Kind::CopiesAtMost:
        return foundCopies(state);
    case Condition::Kind::NoneReplicated:
        return foundReplicated(state);
    case Condition::Kind::ArrayLaidOut:
    case Condition::Kind::ShardedByRule:
        return state.foundText.empty() ? Words::tr("no such array was found") : fromStd(state.foundText);
    case Condition::Kind::ConstraintsApply:
        return state.found ? Words::tr("%1 without effect", "a number of constraints").arg(foundNumber(state))
                           : Words::tr("there are none", "constraints");
    case Condition::Kind::AxesUsed:
        return state.foundText.empty() ? QString()
                                       : Words::tr("%1 shards none", "a mesh axis").arg(fromStd(state.foundText));
    case Condition::Kind::ModelKept:
    case Condition::Kind::MeshKept:
    case Condition::Kind::RulesKept:
        return state.met ? QString() : Words::tr("changed");
    }
    return {};
}

QStringList missing(const TaskState& state)
{
    QStringList list;
    for (const ConditionState& each : state.conditions) {
        if (each.met)
            continue;
        const QString now = found(each);
        list << (now.isEmpty() ? goal(each.condition)
                               : Words::tr("%1 (now %2)", "a goal, how it stands").arg(goal(each.condition), now));
    }
    return list;
}

QString progress(const TaskState& state)
{
    if (state.isSolved()) {
        QStringList figures;
        for (const ConditionState& each : state.conditions)
            if (const QString now = found(each); each.found && !now.isEmpty() && each.condition.number > 0)
                figures << Words::tr("%1 (now %2)", "a goal, how it stands").arg(goal(each.condition), now);
        return figures.isEmpty() ? Words::tr("Solved.")
                                 : Words::tr("Solved: %1.").arg(figures.join(QStringLiteral("; ")));
    }
    return Words::tr("%1 of %2 met. Missing: %3.", "numbers of conditions, conditions")
        .arg(count(static_cast<qint64>(state.metCount())), count(static_cast<qint64>(state.conditions.size())),
            missing(state).join(QStringLiteral("; ")));
}

} // namespace shardscope::words
