// SPDX-License-Identifier: GPL-3.0-or-later
#include "words/collective_words.h"

#include <algorithm>

#include "program/op_row.h"
#include "sharding/sharding_edit.h"
#include "words/collective_parts.h"
#include "words/definitions.h"
#include "words/links.h"
#include "words/propagation_steps.h"
#include "words/sentence.h"

namespace shardscope::words {

namespace {

Sentence::Part operationPart(const Program& program, OperationId operation)
{
    return { operationName(program.operation(operation)), operationLink(program, operation) };
}

/// An operand of the operation that sums, and on which of its dimensions the axes shard it.
struct ShardedOperand {
    const OperandSharding* operand;
    QString dimension;
};

std::vector<ShardedOperand> shardedOperands(const Program& program, const CollectiveEntry& entry)
{
    std::vector<ShardedOperand> sharded;
    for (const OperandSharding& operand : entry.operands) {
        QStringList names;
        for (std::size_t d = 0; d < operand.sharding.rank(); ++d)
            if (anyOverlap(operand.sharding.dims[d].axes, entry.axes))
                names << dimensionNameOf(program, operand.value, d);
        if (!names.isEmpty())
            sharded.push_back({ &operand, names.join(Words::tr(" and ")) });
    }
    return sharded;
}

/// What is taken over a dimension: "maximum", "logical and".
QString combination(ReduceKind kind)
{
    switch (kind) {
    case ReduceKind::And:
        return Words::tr("logical and");
    case ReduceKind::Or:
        return Words::tr("logical or");
    default:
        return reductionName(kind);
    }
}

/// What devices do with their parts.
QString putTogether(ReduceKind kind)
{
    switch (kind) {
    case ReduceKind::Sum:
        return Words::tr("add", "their partial values");
    case ReduceKind::Max:
    case ReduceKind::Min:
        return Words::tr("compare", "their partial values");
    case ReduceKind::Product:
        return Words::tr("multiply", "their partial values");
    case ReduceKind::And:
    case ReduceKind::Or:
        break;
    }
    return Words::tr("combine", "their partial values");
}

/// "x is sharded on hidden and W on dimension 0, which the dot_general sums away: the 4 devices along model must add
/// ..."
void saySum(Sentence& s, const CollectiveList& list, const CollectiveEntry& entry)
{
    const Program& program = *list.program;
    const std::vector<ShardedOperand> sharded = shardedOperands(program, entry);
    const bool known = entry.reason && entry.reason->operation.valid();
    if (sharded.size() == 2 && sharded[0].dimension == sharded[1].dimension) {
        if (sharded[0].operand->value == sharded[1].operand->value)
            s.fill(Words::tr("Both factors, %1, are sharded on "),
                { valuePart(program, sharded[0].operand->value, sharded[0].operand->partOf) });
        else
            s.fill(Words::tr("%1 and %2 are both sharded on "),
                { valuePart(program, sharded[0].operand->value, sharded[0].operand->partOf),
                    valuePart(program, sharded[1].operand->value, sharded[1].operand->partOf) });
        s.strong(sharded[0].dimension);
    } else {
        for (std::size_t i = 0; i < sharded.size(); ++i) {
            s.between(i, sharded.size());
            s.fill(i == 0 ? Words::tr("%1 is sharded on ") : Words::tr("%1 on "),
                { valuePart(program, sharded[i].operand->value, sharded[i].operand->partOf) });
            s.strong(sharded[i].dimension);
        }
    }
    const ReduceKind kind = entry.collective.reduction;
    if (sharded.empty()) {
        s.say(Words::tr("It is a %1 over a sharded dimension: ", "sum, maximum, ...").arg(reductionName(kind)));
    } else if (kind == ReduceKind::Sum) {
        if (known)
            s.fill(Words::tr(", which the %1 sums away: "), { operationPart(program, entry.reason->operation) });
        else
            s.say(Words::tr(", which is summed away: "));
    } else {
        if (known)
            s.fill(Words::tr(", over which the %1 takes the "), { operationPart(program, entry.reason->operation) });
        else
            s.say(Words::tr(", over which is taken the "));
        s.say(Words::tr("%1: ", "maximum, product, ...").arg(combination(kind)));
    }
}

void sayDevicesMustReduce(Sentence& s, const CollectiveEntry& entry)
{
    s.say(Words::tr("the %1 along ").arg(counted(entry.groupSize, Noun::Device)));
    s.axes(entry.axes);
    s.say((entry.kind == CollectiveKind::ReduceScatter
            ? Words::tr(" must %1 their partial values, and each keeps a shard.")
            : Words::tr(" must %1 their partial values."))
              .arg(putTogether(entry.collective.reduction)));
}

/// "The pad reads up to 2 elements before a device's own block of x along dimension 0: ..."
void sayHalo(Sentence& s, const CollectiveList& list, const CollectiveEntry& entry)
{
    const Program& program = *list.program;
    const Operation& operation = program.operation(entry.reason->operation);
    const Sentence::Part value = valuePart(program, entry.value, entry.partOf);
    const Sentence::Part part = operationPart(program, entry.reason->operation);
    QStringList names;
    for (const HaloSide& halo : entry.halos)
        names << dimensionNameOf(program, entry.value, halo.dimension);
    const QString along = names.join(Words::tr(" and "));
    if (operation.kind == OpKind::Concatenate) {
        s.fill(Words::tr("The %1 puts %2 and other arrays in a row along "), { part, value });
        s.strong(along);
        s.say(Words::tr(", so that their elements come to lie in other devices' blocks: the devices send each other "
                        "just these."));
        return;
    }
    if (operation.kind == OpKind::Reverse) {
        s.fill(Words::tr("The %1 makes the last element of %2 the first along "), { part, value });
        s.strong(along);
        s.say(Words::tr(": each device gets the block of the device that is as far from the other end."));
        return;
    }
    s.fill(Words::tr("The %1 reads "), { part });
    for (std::size_t i = 0; i < entry.halos.size(); ++i) {
        const HaloSide& halo = entry.halos[i];
        if (i > 0)
            s.say(i + 1 == entry.halos.size() ? Words::tr(" and ") : Words::tr(", "));
        if (halo.before == halo.after)
            s.say(Words::tr("%1 on both sides of a device's own block").arg(counted(halo.before, Noun::Element)));
        else if (halo.after == 0)
            s.say(Words::tr("%1 before a device's own block").arg(counted(halo.before, Noun::Element)));
        else if (halo.before == 0)
            s.say(Words::tr("%1 after a device's own block").arg(counted(halo.after, Noun::Element)));
        else
            s.say(Words::tr("%1 before and %2 after a device's own block")
                      .arg(counted(halo.before, Noun::Element), count(halo.after)));
        s.say(Words::tr(" along "));
        s.strong(names[static_cast<qsizetype>(i)]);
    }
    s.fill(Words::tr(" of %1: the devices along "), { value });
    s.axes(entry.axes);
    s.say(Words::tr(" send each other just these."));
}

/// "2 × 3/4 × 16 KiB = 24 KiB"; the figure alone where a ring would not send that.
QString sentFormula(const CollectiveEntry& entry)
{
    const std::int64_t local = localBytes(entry.type, entry.before);
    const std::int64_t n = entry.groupSize;
    const QString sent = bytes(entry.sentBytes);
    if (!(ringBytes(entry.kind, n, local) == entry.sentBytes) || n < 2)
        return sent;
    const QString size = bytes(static_cast<double>(local));
    switch (entry.kind) {
    case CollectiveKind::AllReduce:
        return Words::tr("2 × %1/%2 × %3 = %4").arg(count(n - 1), count(n), size, sent);
    case CollectiveKind::ReduceScatter:
    case CollectiveKind::AllToAll:
        return Words::tr("%1/%2 × %3 = %4").arg(count(n - 1), count(n), size, sent);
    case CollectiveKind::AllGather:
        return n == 2 ? sent : Words::tr("%1 × %2 = %3").arg(count(n - 1), size, sent);
    default:
        return sent;
    }
}

/// A sentence may begin with a name that is none: "the gradient in layers.2".
Text capitalised(Text text)
{
    for (const QString& article : { Words::tr("the "), Words::tr("an "), Words::tr("a ") })
        if (!text.empty() && text.front().text.startsWith(article))
            text.front().text[0] = text.front().text[0].toUpper();
    return text;
}

} // namespace

QString reductionName(ReduceKind kind)
{
    switch (kind) {
    case ReduceKind::Sum:
        return Words::tr("sum");
    case ReduceKind::Max:
        return Words::tr("maximum");
    case ReduceKind::Min:
        return Words::tr("minimum");
    case ReduceKind::Product:
        return Words::tr("product");
    case ReduceKind::And:
        return Words::tr("and", "a logical operation");
    case ReduceKind::Or:
        return Words::tr("or", "a logical operation");
    }
    return {};
}

QString partsOf(ReduceKind kind, std::int64_t parts)
{
    switch (kind) {
    case ReduceKind::Sum:
        return Words::tr("partial sums, %1 addends").arg(count(parts));
    case ReduceKind::Max:
        return Words::tr("partial maxima, %1 values").arg(count(parts));
    case ReduceKind::Min:
        return Words::tr("partial minima, %1 values").arg(count(parts));
    case ReduceKind::Product:
        return Words::tr("partial products, %1 factors").arg(count(parts));
    case ReduceKind::And:
    case ReduceKind::Or:
        break;
    }
    return Words::tr("partial results, %1 values").arg(count(parts));
}

QString causeName(const CollectiveEntry& entry)
{
    const std::optional<Reason>& reason = entry.reason;
    if (!reason)
        return Words::tr("the program");
    switch (reason->kind) {
    case Reason::Kind::ReducedFactor:
        return reductionName(entry.collective.reduction);
    case Reason::Kind::OperandReshard:
        return Words::tr("operand");
    case Reason::Kind::ResultReshard:
        return Words::tr("result");
    case Reason::Kind::ConstraintReshard:
        return Words::tr("constraint");
    case Reason::Kind::ReturnReshard:
        return Words::tr("returned");
    case Reason::Kind::PartialOperand:
        return Words::tr("unfinished %1", "sum, maximum, ...").arg(reductionName(entry.collective.reduction));
    case Reason::Kind::BoundaryReshard:
        return Words::tr("boundary");
    case Reason::Kind::CallReshard:
        return Words::tr("call");
    case Reason::Kind::SingleDevice:
        return Words::tr("single device");
    case Reason::Kind::Halo:
        return Words::tr("halo");
    }
    return {};
}

QString groupCounts(const CollectiveEntry& entry)
{
    if (const std::size_t pairs = sentPairs(entry).size(); pairs > 0)
        return pairs == 1 ? Words::tr("1 pair") : Words::tr("%1 pairs").arg(count(static_cast<qint64>(pairs)));
    return entry.groupCount == 1 ? Words::tr("1 group of %1").arg(count(entry.groupSize))
                                 : Words::tr("%1 groups of %2").arg(count(entry.groupCount), count(entry.groupSize));
}

QString groupList(const CollectiveEntry& entry, std::size_t most)
{
    QStringList shown;
    if (const auto pairs = sentPairs(entry); !pairs.empty()) {
        for (std::size_t i = 0; i < std::min(pairs.size(), most); ++i)
            shown << QStringLiteral("%1 → %2").arg(pairs[i][0]).arg(pairs[i][1]);
        if (pairs.size() > most)
            shown << QStringLiteral("…");
        return shown.join(QStringLiteral(", "));
    }
    std::size_t devices = 0;
    const std::vector<std::vector<std::int64_t>> groups = replicaGroups(entry, *entry.mesh);
    for (const std::vector<std::int64_t>& group : groups) {
        devices += group.size();
        if (devices > most && !shown.isEmpty())
            break;
        QStringList members;
        for (std::size_t i = 0; i < std::min(group.size(), most); ++i)
            members << QString::number(group[i]);
        if (group.size() > most)
            members << QStringLiteral("…");
        shown << QStringLiteral("[") + members.join(QStringLiteral(", ")) + QStringLiteral("]");
    }
    const auto all = static_cast<qsizetype>(groups.size());
    if (shown.size() < all)
        shown << QStringLiteral("…");
    return shown.join(QStringLiteral(", "));
}

QString shardingForm(const TensorSharding& sharding, const Mesh& mesh)
{
    TensorSharding sharded = sharding;
    closeDimensions(sharded);
    sharded.unreduced.clear();
    PartitionSpec spec = toPartitionSpec(sharded, mesh);
    while (spec.entries.size() < sharded.rank())
        spec.entries.push_back(SpecEntry::none());
    QString text = fromStd(toColumn(spec));
    if (!sharding.unreduced.empty()) {
        QStringList names;
        for (const AxisRef axis : sharding.unreduced)
            names << fromStd(toString(mesh, axis));
        text += Words::tr(", partial along %1", "partial sums").arg(names.join(QStringLiteral(", ")));
    }
    return text;
}

QString exchangedName(const CollectiveList& list, const CollectiveEntry& entry, ValueId named)
{
    const Program& program = *list.program;
    if (named == entry.value && entry.partOf.valid())
        if (QString part = partName(program, named, entry.partOf, operandName(program, entry.partOf)); !part.isEmpty())
            return part;
    return operandName(program, named);
}

QString collectiveTitle(const CollectiveList& list, std::size_t index)
{
    const CollectiveEntry& entry = list.entries[index];
    QStringList axes;
    for (const AxisRef axis : entry.axes)
        axes << fromStd(toString(*entry.mesh, axis));
    const QString number = count(static_cast<qint64>(index) + 1);
    const QString of = valuePart(*list.program, entry.value, entry.partOf).text;
    return axes.isEmpty() ? Words::tr("Collective %1: %2 of %3").arg(number, collective(entry.kind), of)
                          : Words::tr("Collective %1: %2 of %3 along %4")
                                .arg(number, collective(entry.kind), of, axes.join(Words::tr(" and ")));
}

Text collectiveCause(const CollectiveList& list, const CollectiveEntry& entry)
{
    const Program& program = *list.program;
    Sentence s(*entry.mesh);
    const Sentence::Part value = valuePart(program, entry.value, entry.partOf);
    const Sentence::Part before = shardingPart(entry.before, entry), after = shardingPart(entry.after, entry);
    if (!entry.reason) {
        s.fill(Words::tr("The program itself has this %1 of %2."), { { collective(entry.kind) }, value });
        if (!entry.operationName.empty() || !entry.source.empty())
            s.say(Words::tr(" It comes from %1.", "an operation and its line")
                      .arg(fromStd(entry.operationName.empty() || entry.source.empty()
                              ? entry.operationName + entry.source
                              : entry.operationName + ", " + entry.source)));
        return s.take();
    }
    const Reason& reason = *entry.reason;
    const bool known = reason.operation.valid();
    const Sentence::Part operation = known ? operationPart(program, reason.operation) : Sentence::Part{};
    switch (reason.kind) {
    case Reason::Kind::ReducedFactor:
        saySum(s, list, entry);
        sayDevicesMustReduce(s, entry);
        break;
    case Reason::Kind::PartialOperand:
        if (known)
            s.fill(Words::tr("The %1 reads %2, of which each device has only a partial value, and does not pass "
                             "partial values on: "),
                { operation, value });
        else
            s.fill(Words::tr("The full value of %1 is used, and each device has only a partial one: "), { value });
        sayDevicesMustReduce(s, entry);
        break;
    case Reason::Kind::OperandReshard: {
        s.fill(Words::tr("%1 is held as %2, and the %3 works on it as %4"), { value, before, operation, after });
        qsizetype sharded = 0; // operands that can be sharded
        for (const ValueId operand : known ? program.operation(reason.operation).operands : SmallVector<ValueId, 4>())
            sharded += program.value(operand).type.rank() > 0 ? 1 : 0;
        s.say(sharded > 1 ? Words::tr(", so that its operands and its result fit together.") : QStringLiteral("."));
        break;
    }
    case Reason::Kind::ResultReshard:
        s.fill(Words::tr("The %1 gives %2 as %3, and it is to be held as %4."), { operation, value, before, after });
        break;
    case Reason::Kind::ConstraintReshard:
        s.fill(known && program.operation(reason.operation).kind == OpKind::ShardingConstraint
                ? Words::tr("%1 is held as %2, and a sharding constraint asks for %3.")
                : Words::tr("%1 is held as %2, and the program asks for %3."),
            { value, before, after });
        break;
    case Reason::Kind::ReturnReshard:
        s.fill(Words::tr("%1 is held as %2, and is to be returned as %3."), { value, before, after });
        break;
    case Reason::Kind::BoundaryReshard:
        s.fill(Words::tr("The %1 takes or returns %2 as %3, and it is held as %4 on this side of the boundary."),
            { operation, value, after, before });
        break;
    case Reason::Kind::CallReshard:
        s.fill(
            Words::tr("The function that is called takes %1 as %2, and it is held as %3."), { value, after, before });
        break;
    case Reason::Kind::SingleDevice:
        s.fill(Words::tr("The %1 runs on a single device, and %2 has to go there or come from there."),
            { operation, value });
        break;
    case Reason::Kind::Halo:
        sayHalo(s, list, entry);
        break;
    }
    return capitalised(s.take());
}

Text collectiveCost(const CollectiveEntry& entry)
{
    Sentence s(*entry.mesh);
    if (entry.sentBytes == Rational(0)) {
        s.say(entry.kind == CollectiveKind::AllSlice
                ? Words::tr("No data is sent: each device drops what it does not need.")
                : Words::tr("No data is sent."));
        return s.take();
    }
    QString text = (allSend(entry) ? Words::tr("Each device sends %1") : Words::tr("A device sends at most %1"))
                       .arg(sentFormula(entry));
    if (entry.timesKnown && entry.times != 1)
        text += Words::tr(", %1 times per step: %2").arg(count(entry.times), bytes(entry.sentPerStep()));
    if (!entry.timesKnown)
        text += Words::tr(" each time, and how often a loop around it runs is known only when it runs");
    text += QStringLiteral(".");
    if (entry.conditional)
        text += entry.inSums ? Words::tr(" It stands in a branch that may not be taken.")
                             : Words::tr(" It stands in a branch that may not be taken; sums count another one, which "
                                         "sends more.");
    s.say(text);
    return s.take();
}

QString slicesCounted(std::int64_t slices)
{
    return slices == 1 ? Words::tr("1 all-slice sends nothing")
                       : Words::tr("%1 all-slices send nothing").arg(count(slices));
}

} // namespace shardscope::words
