// SPDX-License-Identifier: GPL-3.0-or-later
#include "words/explicit_words.h"

#include <algorithm>

#include "base/codes.h"
#include "words/diagnostic_reader.h"
#include "words/operation_words.h"
#include "words/tr.h"

namespace shardscope::words {

namespace {

constexpr std::size_t maxNames = 6;

/// "layers.0/y", "%3", "operand 1"
QString operandOf(const Diagnostic& d, const std::string& key)
{
    if (const std::string path = d.text(key); !path.empty())
        return tensorName(path);
    return Words::tr("operand %1").arg(Reader(d).number(key + "_index"));
}

/// "y P('data', None)"
QString shardedOperand(const Diagnostic& d, const std::string& key)
{
    return Words::tr("%1 %2", "a tensor and how it is sharded").arg(operandOf(d, key), Reader(d)(key + "_spec"));
}

QString pair(const Diagnostic& d)
{
    return Words::tr("%1 and %2").arg(shardedOperand(d, "first"), shardedOperand(d, "second"));
}

QString whatIsWrong(const Diagnostic& d)
{
    const Reader arg(d);
    const std::string wrong = d.text("wrong");
    const QString dimension = Words::tr("dimension %1").arg(arg.number("dim"));
    if (wrong == "operands_sharded_differently")
        return Words::tr("%1 of its operands is sharded in two ways, %2").arg(dimension, pair(d));
    if (wrong == "result_mentions_axis_twice")
        return Words::tr("%1 would shard two dimensions of its result, by %2").arg(arg("axes"), pair(d));
    if (wrong == "not_divisible")
        return Words::tr("%1, of %2, does not divide into the %3 shards of %4")
            .arg(dimension, arg.number("size"), arg.number("pieces"), arg("first_spec"));
    if (wrong == "batch_dims_sharded_differently")
        return Words::tr("its operands shard the batch dimension %1 differently, %2").arg(arg.number("dim"), pair(d));
    if (wrong == "contracting_dims_both_sharded")
        return Words::tr("both operands shard what it adds up over, %1, which leaves open how its result is sharded")
            .arg(pair(d));
    if (wrong == "contracting_dims_not_identical")
        return Words::tr("its result is to stay unreduced over %1, and its operands shard what it adds up over "
                         "differently, %2")
            .arg(arg("wanted"), pair(d));
    if (wrong == "unreduced_axes_not_contracted")
        return Words::tr("its result is to stay unreduced over %1, which are not the axes that shard what it adds up "
                         "over, %2")
            .arg(arg("wanted"), pair(d));
    if (wrong == "reshape_needs_out_sharding")
        return Words::tr(
            "how its result is sharded does not follow from %1: it splits or merges more than one dimension, "
            "or a sharded one whose shards do not stay together")
            .arg(shardedOperand(d, "first"));
    if (wrong == "pad_sharded_dim")
        return Words::tr("it pads %1 to a size that does not divide into its shards: %2")
            .arg(dimension, shardedOperand(d, "first"));
    if (wrong == "slice_of_sharded_dim")
        return Words::tr("it takes a part of %1 whose size does not divide into its shards: %2")
            .arg(dimension, shardedOperand(d, "first"));
    if (wrong == "cumulative_op_on_sharded_dim")
        return Words::tr("it runs along %1, which is sharded: %2").arg(dimension, shardedOperand(d, "first"));
    if (wrong == "sort_along_sharded_dim")
        return Words::tr("it sorts along %1, which is sharded: %2").arg(dimension, shardedOperand(d, "first"));
    if (wrong == "gather_at_sharded_places")
        return Words::tr("the places of what it takes are sharded: %1").arg(shardedOperand(d, "first"));
    if (wrong == "gather_needs_out_sharding")
        return Words::tr("it takes entries along %1, which is sharded: %2").arg(dimension, shardedOperand(d, "first"));
    if (wrong == "carry_type_mismatch")
        return Words::tr("its body takes the carried value %1 as %2 and gives it back as %3")
            .arg(arg.number("dim"), arg("first_spec"), arg("second_spec"));
    if (wrong == "branch_types_differ")
        return Words::tr("its branches shard result %1 differently, %2 and %3")
            .arg(arg.number("dim"), arg("first_spec"), arg("second_spec"));
    if (wrong == "unreduced_axes_differ")
        return Words::tr("it adds up values that are unreduced over different axes, %1").arg(pair(d));
    if (wrong == "mul_needs_reduced_operand")
        return Words::tr("the other factor of %1 would have to be marked as reduced over the same axes")
            .arg(shardedOperand(d, "first"));
    if (wrong == "unreduced_denominator")
        return Words::tr("it divides by %1, whose partial values are not added up yet").arg(shardedOperand(d, "first"));
    if (wrong == "operand_unreduced")
        return Words::tr("it takes no product of %1, whose partial values are not added up yet")
            .arg(shardedOperand(d, "first"));
    if (wrong == "no_unreduced_rule")
        return Words::tr("it is not linear, and the partial values of %1 are not added up yet")
            .arg(shardedOperand(d, "first"));
    if (wrong == "reshape_drops_unreduced")
        return Words::tr("it would add up the partial values of %1, and a reshape moves nothing")
            .arg(shardedOperand(d, "first"));
    if (wrong == "reshape_adds_unreduced")
        return Words::tr("its result is to be unreduced over %1, and %2 is not")
            .arg(arg("wanted"), shardedOperand(d, "first"));
    if (wrong == "unreduced_axes_not_reduced")
        return Words::tr("its result is to stay unreduced over %1, which does not shard what it adds up over in %2")
            .arg(arg("wanted"), shardedOperand(d, "first"));
    return Words::tr("the shardings of its operands do not say how its result is sharded");
}

QString whatToWrite(const Diagnostic& d)
{
    const Reader arg(d);
    const std::string wrong = d.text("wrong");
    const QString reshard = arg.has("mend_spec")
        ? Words::tr("jax.sharding.reshard(%1, %2)").arg(operandOf(d, "mend"), arg("mend_spec"))
        : QString();
    const QString out = arg.has("out") ? Words::tr("out_sharding=%1").arg(arg("out")) : QString();
    if ((wrong == "gather_needs_out_sharding" || wrong == "gather_at_sharded_places") && !out.isEmpty())
        return Words::tr("Write .at[...].get(%1), as propagation shards it, or take from %2.").arg(out, reshard);
    if (wrong == "carry_type_mismatch")
        return Words::tr("Let the body end with a jax.sharding.reshard of it to %1.").arg(arg("first_spec"));
    if (wrong == "branch_types_differ")
        return Words::tr("Let every branch end with a jax.sharding.reshard of it to %1.").arg(arg("first_spec"));
    if (wrong == "unreduced_axes_not_contracted" || wrong == "unreduced_axes_not_reduced"
        || wrong == "reshape_adds_unreduced")
        return Words::tr("Leave unreduced out of its out_sharding, or name the axes that shard what is added up.");
    if (wrong == "reshape_drops_unreduced")
        return Words::tr("Add the partial values up first, by a jax.sharding.reshard without unreduced.");
    if (wrong == "not_divisible")
        return Words::tr("Make the dimension a multiple of %1, or shard it over fewer devices.")
            .arg(arg.number("pieces"));
    if (!reshard.isEmpty())
        return Words::tr("Give it %1 instead.").arg(reshard);
    if (!out.isEmpty())
        return Words::tr("Write %1 on it, as propagation shards its result.").arg(out);
    return Words::tr("Write its out_sharding, or jax.sharding.reshard one of its operands before it.");
}

/// "dot_general, which gives Layer 0 / z"
QString refusedOperation(const Diagnostic& d)
{
    if (d.arg("argument"))
        return d.where.path.empty() ? Words::tr("argument %1").arg(Reader(d).number("argument"))
                                    : Words::tr("the argument %1").arg(tensorName(d.where.path));
    const QString op = d.text("op").empty() ? Words::tr("an operation") : fromStd(d.text("op"));
    return d.where.path.empty()
        ? op
        : Words::tr("%1, which gives %2", "an operation and its result").arg(op, tensorName(d.where.path));
}

} // namespace

ProblemText describeExplicitMode(const Diagnostic& d)
{
    if (d.code != Code::ExplicitMode)
        return {};
    return { Words::tr("JAX's explicit mode refuses %1: %2").arg(refusedOperation(d), whatIsWrong(d)), whatToWrite(d),
        {} };
}

QString explicitTitle(const ExplicitRefusal& refusal, const Program& program)
{
    return refusal.diagnostic.where.path.empty() && refusal.operation.valid()
        ? operationTitle(program, refusal.operation)
        : refusedOperation(refusal.diagnostic);
}

QString explicitReason(const Diagnostic& d)
{
    QString reason = whatIsWrong(d);
    reason[0] = reason[0].toUpper();
    return reason;
}

QString explicitVerdict(const ExplicitReport& report, const Program& program)
{
    if (report.accepts())
        return report.unjudged.empty() ? Words::tr("JAX's explicit mode would accept this program")
            : report.accepted == 0
            ? Words::tr("Whether JAX's explicit mode would accept this program is not known: nothing could be judged")
            : Words::tr("JAX's explicit mode would refuse nothing that could be judged");
    const auto refused = static_cast<qint64>(report.refusals.size());
    const QString first = explicitTitle(report.refusals.front(), program);
    if (std::any_of(report.refusals.begin(), report.refusals.end(),
            [](const ExplicitRefusal& each) { return !each.operation.valid(); }))
        return refused == 1 ? Words::tr("JAX's explicit mode would refuse %1").arg(first)
                            : Words::tr("JAX's explicit mode would refuse %1 arguments and operations, the first: %2")
                                  .arg(count(refused), first);
    return refused == 1
        ? Words::tr("JAX's explicit mode would refuse one operation: %1").arg(first)
        : Words::tr("JAX's explicit mode would refuse %1, the first: %2").arg(counted(refused, Noun::Operation), first);
}

QString explicitRemarks(const ExplicitReport& report)
{
    QStringList remarks;
    if (report.resharded > 0)
        remarks << (report.resharded == 1
                ? Words::tr("One constraint changes a sharding: there it has to be a jax.sharding.reshard.")
                : Words::tr("%1 constraints change a sharding: there they have to be jax.sharding.reshard.")
                      .arg(count(report.resharded)));
    if (report.differentiated > 0)
        remarks << Words::tr("Not judged: %1 that differentiation made; JAX gives their results the shardings of what "
                             "they belong to.")
                       .arg(counted(report.differentiated, Noun::Operation));
    if (!report.unjudged.empty()) {
        QStringList names;
        for (std::size_t i = 0; i < std::min(report.unjudged.size(), maxNames); ++i)
            names << Words::tr("%1 (%2)", "an operation and how often it occurs")
                         .arg(fromStd(report.unjudged[i].first), count(report.unjudged[i].second));
        if (report.unjudged.size() > maxNames)
            names << Words::tr("%1 more kinds").arg(count(static_cast<qint64>(report.unjudged.size() - maxNames)));
        remarks << Words::tr("Not judged, because no rule is stated: %1.").arg(names.join(QStringLiteral(", ")));
    }
    return remarks.join(QLatin1Char(' '));
}

} // namespace shardscope::words
