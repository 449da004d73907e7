// SPDX-License-Identifier: GPL-3.0-or-later
// What could stand in the place of a collective. Declared in collective_words.h.
#include <cmath>

#include "words/collective_parts.h"
#include "words/collective_words.h"
#include "words/sentence.h"

namespace shardscope::words {

namespace {

QString nothingLeft(ReduceKind kind)
{
    switch (kind) {
    case ReduceKind::Sum:
        return Words::tr("Gather the operands first, so that nothing is left to add up: ");
    case ReduceKind::Max:
    case ReduceKind::Min:
        return Words::tr("Gather the operands first, so that nothing is left to compare: ");
    case ReduceKind::Product:
        return Words::tr("Gather the operands first, so that nothing is left to multiply: ");
    case ReduceKind::And:
    case ReduceKind::Or:
        break;
    }
    return Words::tr("Gather the operands first, so that nothing is left to combine: ");
}

QString kindsOf(const std::vector<Collective>& steps)
{
    QStringList names;
    for (const Collective& step : steps)
        names << collective(step.kind);
    return names.join(Words::tr(", ", "between the steps of a sequence"));
}

/// ", and every device holds 3 MiB more"
void sayHeld(Sentence& s, std::int64_t more)
{
    if (more > 0)
        s.say(Words::tr(", and every device holds %1 more").arg(bytes(static_cast<double>(more))));
    else if (more < 0)
        s.say(Words::tr(", and every device holds %1 less").arg(bytes(static_cast<double>(-more))));
}

/// The same of the whole step, where that is tried out and is not what was said.
void sayStepHeld(Sentence& s, const CollectiveAlternative& alternative)
{
    const std::int64_t more = alternative.stepMoreBytesHeld.value_or(alternative.moreBytesHeld);
    if (more == alternative.moreBytesHeld)
        return;
    if (more == 0)
        s.say(Words::tr(", and every device holds as much as before"));
    else
        sayHeld(s, more);
}

/// What the whole step sends with the alternative, and now: by the byte where both look alike.
struct StepAmounts {
    QString then, now;
};
StepAmounts stepAmounts(const CollectiveList& list, const CollectiveAlternative& alternative)
{
    const Rational now = sentBytes(list).step;
    const StepAmounts amounts{ bytes(*alternative.stepBytes), bytes(now) };
    if (amounts.then != amounts.now || *alternative.stepBytes == now)
        return amounts;
    const auto exact = [](Rational sent) { return Words::tr("%1 B").arg(count(std::llround(sent.value()))); };
    return { exact(*alternative.stepBytes), exact(now) };
}

/// ". The whole step then sends 20 B instead of 24 B"
void sayStep(Sentence& s, const CollectiveList& list, const CollectiveAlternative& alternative)
{
    if (!alternative.stepBytes)
        return;
    const auto [then, before] = stepAmounts(list, alternative);
    if (alternative.allReshards)
        s.say(then == before
                ? Words::tr(". With the fewest bytes for every reshard the whole step sends %1 as before").arg(then)
                : Words::tr(". With the fewest bytes for every reshard, and what then fuses, the whole step sends %1 "
                            "instead of %2")
                      .arg(then, before));
    else
        s.say(then == before ? Words::tr(". The whole step sends %1 as before").arg(then)
                             : Words::tr(". The whole step then sends %1 instead of %2").arg(then, before));
}

QString sentInPlace(const CollectiveAlternative& alternative)
{
    return alternative.sentBytes == Rational(0)
        ? Words::tr("nothing is sent in its place")
        : Words::tr("%1 are sent per step in its place").arg(bytes(alternative.sentBytes));
}

/// What it takes that an array is returned sharded.
void sayReturnedShards(Sentence& s, const CollectiveList& list, const CollectiveAlternative& alternative)
{
    s.say(sentInPlace(alternative));
    sayHeld(s, alternative.moreBytesHeld);
    sayStep(s, list, alternative);
    s.say(Words::tr(", and what is read in full outside is gathered there"));
}

} // namespace

QString noAlternative()
{
    return Words::tr("Nothing else is known that does the same with other bytes.");
}

QString alternativeName(CollectiveAlternative::Kind kind)
{
    using Kind = CollectiveAlternative::Kind;
    switch (kind) {
    case Kind::Keep:
        return Words::tr("keep");
    case Kind::ScatterResult:
        return Words::tr("reduce-scatter");
    case Kind::GatherOperands:
        return Words::tr("gather the operands");
    case Kind::OptimalReshard:
        return Words::tr("fewest bytes");
    case Kind::ShardyReshard:
        return Words::tr("Shardy's sequence");
    case Kind::GatherAndSlice:
        return Words::tr("gather and slice");
    case Kind::ScatterReturned:
        return Words::tr("reduce-scatter, out_specs");
    case Kind::ReturnBlocks:
        return Words::tr("out_specs");
    case Kind::ChangeSharding:
        return Words::tr("another sharding");
    }
    return {};
}

Text alternativeText(const CollectiveList& list, const CollectiveEntry& entry, const CollectiveAlternative& alternative)
{
    using Kind = CollectiveAlternative::Kind;
    const Program& program = *list.program;
    Sentence s(*entry.mesh);
    switch (alternative.kind) {
    case Kind::Keep:
        s.say(Words::tr("Keep it: %1 per step").arg(bytes(alternative.sentBytes)));
        if (alternative.steps.size() > 1)
            s.say(Words::tr(", by %1").arg(kindsOf(alternative.steps)));
        break;
    case Kind::ScatterResult: {
        std::size_t sharded = 0;
        while (sharded + 1 < alternative.sharding->rank()
            && !anyOverlap(alternative.sharding->dims[sharded].axes, entry.axes))
            ++sharded;
        s.fill(Words::tr("Reduce-scatter instead, with each device keeping a shard of %1 on "),
            { valuePart(program, entry.value, entry.partOf) });
        s.strong(dimensionNameOf(program, entry.value, sharded));
        s.fill(Words::tr(" (%1): "), { shardingPart(*alternative.sharding, entry) });
        s.say(sentInPlace(alternative));
        sayHeld(s, alternative.moreBytesHeld);
        if (alternative.after) {
            const auto [then, now] = stepAmounts(list, alternative);
            s.say(then == now
                    ? Words::tr(". With what comes next the whole step sends %1 as before").arg(then)
                    : Words::tr(". With what comes next the whole step sends %1 instead of %2").arg(then, now));
            sayStepHeld(s, alternative);
        } else {
            s.say(Words::tr(". What comes next has to take it so"));
        }
        break;
    }
    case Kind::GatherOperands:
        s.say(nothingLeft(entry.collective.reduction));
        s.say(sentInPlace(alternative));
        sayHeld(s, alternative.moreBytesHeld);
        s.say(Words::tr(" while it computes, which is %1 times the work then").arg(count(alternative.timesWork)));
        sayStep(s, list, alternative);
        break;
    case Kind::OptimalReshard:
        s.say(Words::tr("The way with the fewest bytes, %1: ").arg(kindsOf(alternative.steps)));
        s.say(sentInPlace(alternative));
        sayStep(s, list, alternative);
        break;
    case Kind::ShardyReshard:
        s.say(Words::tr("Shardy's sequence, %1: ").arg(kindsOf(alternative.steps)));
        s.say(sentInPlace(alternative));
        sayStep(s, list, alternative);
        break;
    case Kind::GatherAndSlice:
        s.say(Words::tr("Gather all of it and slice out what is wanted: "));
        s.say(sentInPlace(alternative));
        sayHeld(s, alternative.moreBytesHeld);
        s.say(Words::tr(" meanwhile"));
        sayStep(s, list, alternative);
        break;
    case Kind::ScatterReturned:
        s.fill(Words::tr("psum_scatter in place of psum, and %1 among the out_specs: the array that is returned is the "
                         "same, sharded: "),
            { shardingPart(*alternative.sharding, entry) });
        sayReturnedShards(s, list, alternative);
        break;
    case Kind::ReturnBlocks:
        s.fill(
            Words::tr("Return the blocks as they are, with %1 among the out_specs: the array that is returned is the "
                      "same, sharded: "),
            { shardingPart(*alternative.sharding, entry) });
        sayReturnedShards(s, list, alternative);
        break;
    case Kind::ChangeSharding:
        s.fill(Words::tr("Hold %1 as %2: "),
            { valuePart(program, alternative.value), shardingPart(*alternative.sharding, entry) });
        s.say(sentInPlace(alternative));
        sayHeld(s, alternative.moreBytesHeld);
        if (!alternative.stepBytes) {
            s.say(Words::tr(". What else changes with it in the step, which sends %1 now, is not counted")
                      .arg(bytes(sentBytes(list).step)));
            break;
        }
        if (alternative.rulesWithin) {
            const auto [then, now] = stepAmounts(list, alternative);
            const QString within = tensorName(*alternative.rulesWithin);
            s.say(within.isEmpty()
                    ? Words::tr(". By a change of the rules, which count for all arrays with the same names, ")
                    : Words::tr(
                        ". By a change of the rules of %1, which count for all arrays there with the same names, ")
                          .arg(within));
            s.say(then == now ? Words::tr("the whole step sends %1 as before").arg(then)
                              : Words::tr("the whole step sends %1 instead of %2").arg(then, now));
        } else {
            sayStep(s, list, alternative);
        }
        sayStepHeld(s, alternative);
        break;
    }
    s.say(QStringLiteral("."));
    return s.take();
}

} // namespace shardscope::words
