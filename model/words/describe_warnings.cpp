// SPDX-License-Identifier: GPL-3.0-or-later
// Declared in describe_subjects.h.
#include <algorithm>

#include "base/codes.h"
#include "words/describe_subjects.h"
#include "words/diagnostic_reader.h"
#include "words/tr.h"

namespace shardscope::words {

namespace {

QString inactiveReason(const Diagnostic& diagnostic)
{
    QStringList reasons;
    for (const std::string& reason : diagnostic.list("reasons")) {
        if (reason == "no_rules")
            reasons << Words::tr("no rules are bound when the model is traced");
        else if (reason == "empty_rules")
            reasons << Words::tr("there are no rules");
        else if (reason == "no_mesh")
            reasons << Words::tr("no mesh is set where the model is traced");
        else if (reason == "platform")
            reasons << Words::tr("the platform is %1").arg(fromStd(diagnostic.text("platform")));
        else if (reason == "fallback")
            reasons << Words::tr("a name has no usable rule and the fallback is no constraint");
    }
    return reasons.join(Words::tr(" and "));
}

QString inactiveRemedy(const Diagnostic& diagnostic)
{
    QStringList remedies;
    for (const std::string& reason : diagnostic.list("reasons")) {
        if (reason == "no_rules")
            remedies << Words::tr("Bind the rules where the model is traced.");
        else if (reason == "empty_rules")
            remedies << Words::tr("Add rules for the names.");
        else if (reason == "no_mesh")
            remedies << Words::tr("Trace the step inside “with mesh:”, or hand the mesh to the constraint.");
        else if (reason == "platform")
            remedies << Words::tr("The Flax of 2024 leaves values alone on CPU: assume another platform, or use the "
                                  "current version.");
        else if (reason == "fallback")
            remedies << Words::tr("Add a rule for the name, or choose another fallback.");
    }
    return remedies.isEmpty() ? Words::tr("Bind the rules where the model is traced.")
                              : remedies.join(QStringLiteral(" "));
}

/// What makes devices send less between hosts or slices.
QString slowLinkRemedy(const Diagnostic& d)
{
    const QString groups = d.arg("slices") ? Words::tr("slices") : Words::tr("hosts");
    const std::int64_t together = d.number("together");
    if (d.arg("place"))
        return Words::tr("As axis %1 of the mesh less goes between %2.", "a number, hosts or slices")
            .arg(count(d.number("place") + 1), groups);
    if (together <= 1)
        return Words::tr("Every axis goes between %1, which have one device each.", "hosts or slices").arg(groups);
    if (d.number("size") > together)
        return Words::tr(
            "%1 have %2 each: an axis that is no larger, and the last one, stays inside.", "hosts or slices, 8 devices")
            .arg(d.arg("slices") ? Words::tr("Slices") : Words::tr("Hosts"), counted(together, Noun::Device));
    return Words::tr("No other order of the axes sends less between %1; other sizes of them may.", "hosts or slices")
        .arg(groups);
}

/// A result that cannot have the memory of an argument.
ProblemText impossibleAlias(const Diagnostic& d)
{
    const Reader arg(d);
    const QString why = d.arg("results") ? Words::tr("results of the program: %1").arg(arg.number("results"))
        : d.arg("other")                 ? Words::tr("argument %1 has that result already").arg(arg.number("other"))
                         : Words::tr("the argument is %1, the result %2").arg(arg("given"), arg("type"));
    return { Words::tr("the attribute %1 of argument %2, “%3”, does not count: %4")
                 .arg(arg.quote("key"), arg.number("argument"), arg("value"), why),
        Words::tr("Name a result of the argument's type that no other argument names, counted from 0, or remove the "
                  "attribute."),
        {} };
}

} // namespace

ProblemText describeWarning(const Diagnostic& d)
{
    const Reader arg(d);
    switch (d.code) {
    case Code::SilentlyReplicated:
        return { Words::tr(
                     "%1: %2 has size %3 and is not sharded, since that does not divide by %4; every one of them holds "
                     "all of it")
                     .arg(arg.tensors(), arg.dimension(), arg.number("size"), devicesAlong(d)),
            divisibleSizes(d), {} };
    case Code::InitialNotUsed:
        if (d.text("wrong") == "kind")
            return { Words::tr("%1 cannot begin with “%2”: it is %3, and begins as if nothing had been chosen")
                         .arg(arg.quote("argument"), arg("value"), arg("type")),
                Words::tr("Choose one of: %1.").arg(arg("known")), {} };
        return { Words::tr("values are chosen for %1, and no argument has that name").arg(arg.quote("argument")),
            d.text("nearest").empty()
                ? Words::tr("Arguments are: %1.").arg(arg("known"))
                : Words::tr("Did you mean %1? Arguments are: %2.").arg(arg.quote("nearest"), arg("known")),
            {} };
    case Code::RunSettingNotUsed:
        if (d.text("key") == "state")
            return { Words::tr("a state is chosen, and this network has its own"), Words::tr("Remove it."), {} };
        if (d.text("key") == "tf.aliasing_output")
            return impossibleAlias(d);
        if (d.text("key") == "mhlo.num_partitions")
            return { Words::tr("the module is for %1 by its %2, and its mesh has %3: the mesh counts")
                         .arg(counted(d.number("value"), Noun::Device), arg.quote("key"),
                             counted(d.number("devices"), Noun::Device)),
                Words::tr("Make both the same, as XLA asks for."), {} };
        return {
            Words::tr("a role is chosen for %1, and no argument or result has that name").arg(arg.quote("argument")),
            Words::tr("Name arguments and results as the program does, or by number: arg0, result0."), {}
        };
    case Code::RuleUnused:
        if (d.arg("rules"))
            return { Words::tr("no rule is ever used (there are %1): no array of the model has logical names")
                         .arg(arg.number("rules")),
                Words::tr("Remove them, or name the dimensions of the arrays; a program in a text is sharded by the "
                          "shardings that it states."),
                {} };
        if (!d.arg("rule"))
            return { Words::tr("the rules within %1 are never used: no array with logical names lies there")
                         .arg(arg("within")),
                d.text("nearest").empty()
                    ? Words::tr("Remove them, or write the path as the arrays have it.")
                    : Words::tr("In this model the part is called %1: write that, or remove them.")
                          .arg(arg.quote("nearest")),
                {} };
        if (d.arg("by_rule"))
            return { Words::tr("rule %1 (%2) never fires: rule %3 of the same name always comes first")
                         .arg(arg.rule("rule"), arg("name"), arg.number("by_rule")),
                Words::tr("It says the same; remove it."), {} };
        if (d.arg("elsewhere"))
            return { Words::tr("rule %1 (%2) is never used: the arrays with a dimension of that name lie where other "
                               "rules hold")
                         .arg(arg.rule("rule"), arg("name")),
                Words::tr("Rules within a part of the model count alone there: put it among those that hold for these "
                          "arrays, or remove it."),
                {} };
        return { Words::tr("rule %1 (%2) is never used: no array has a dimension of that name")
                     .arg(arg.rule("rule"), arg("name")),
            arg.has("nearest")
                ? Words::tr("Did you mean %1? No rule names that. Otherwise remove it.").arg(arg.quote("nearest"))
                : Words::tr("Remove it, or check the name."),
            {} };
    case Code::AxisBusy:
        return { Words::tr("rule %1 cannot shard %2 of %3 along %4: rule %5 already sharded %6 along it")
                     .arg(arg.rule("rule"), arg("name"), arg.tensor(), arg("axis"), arg.number("by_rule"),
                         arg("by_dim_name")),
            d.arg("others")
                ? Words::tr(
                    "One mesh axis shards one dimension of an array. The rule shards other arrays, which may be "
                    "what it is for; to shard this one as well, use another axis.")
                : Words::tr("One mesh axis shards one dimension of an array; reorder the rules, or use another axis."),
            {} };
    case Code::NullBlocksRule:
        return { Words::tr("rule %1 keeps %2 replicated and so blocks rule %3 of the same name")
                     .arg(arg.rule("rule"), arg("name"), arg.number("blocked")),
            Words::tr("Move rule %1 above it, or remove one of them.").arg(arg.number("blocked")), {} };
    case Code::TupleLostAxes:
        return { Words::tr("rule %1 (%2) needs all its axes, %3 is in use on %4: %5 is lost as well")
                     .arg(arg.rule("rule"), arg("name"), arg("axis"), arg.tensor(), arg("axes")),
            Words::tr("Add a rule for %1 after it, with the axes that are left.").arg(arg("name")), {} };
    case Code::ConstraintInactive:
        return { Words::tr("%1: the logical constraint (%2) is not active, because %3")
                     .arg(arg.tensor(), arg("names"), inactiveReason(d)),
            inactiveRemedy(d), {} };
    case Code::FullRematerialise:
        return { Words::tr("%1 is gathered in full along %2 (%3 on every device) and then sharded again")
                     .arg(arg.tensor(), arg("axes"), arg.size("bytes")),
            Words::tr("Let its constraint shard it as the operation after it needs it."), {} };
    case Code::LargeReplicated:
        return { (d.number("tensors") > 1
                         ? Words::tr("%1 are not sharded: each of the %2 holds all of them, %3 of its %4 of parameters")
                         : Words::tr("%1 is not sharded: each of the %2 holds all of it, %3 of its %4 of parameters"))
                     .arg(arg.tensors(), counted(d.number("devices"), Noun::Device), arg.size("bytes"), arg.size("of")),
            Words::tr("Map one of its logical names to a mesh axis, or give it a spec of its own."), {} };
    case Code::SlowLinkCollective: {
        const bool slices = d.arg("slices") != nullptr;
        const QString where = slices ? Words::tr("slices") : Words::tr("hosts");
        const QString collectives = counted(d.number("collectives"), Noun::Collective);
        const QString cause = d.number("of") > d.number("bytes")
            ? Words::tr(
                "collectives along %1 go between %2: each device sends %3 there per step, and the step waits for %4 of "
                "it, in %5; the rest is of gradients and updates, and can overlap with compute",
                "axis, hosts or slices, bytes, bytes, 3 collectives")
                  .arg(arg("axis"), where, arg.size("of"), arg.size("bytes"), collectives)
            : Words::tr("collectives along %1 go between %2, and the step waits for all of them: each device sends %4 "
                        "there per step, in %3",
                "axis, hosts or slices, 3 collectives, bytes")
                  .arg(arg("axis"), where, collectives, arg.size("bytes"));
        return { cause, slowLinkRemedy(d), {} };
    }
    case Code::OverMemoryLimit:
        if (d.arg("gathered"))
            return { Words::tr(
                         "each device needs %1, it has %2; %3 are gathered weights, which layers one after the other "
                         "keep for every microbatch",
                         "bytes")
                         .arg(arg.size("bytes"), arg.size("limit"), arg.size("gathered")),
                Words::tr("Put the layers in a loop (“form”: “scanned”), shard more dimensions, or use more devices."),
                {} };
        return { Words::tr("each device needs %1, it has %2").arg(arg.size("bytes"), arg.size("limit")),
            d.arg("remat")
                ? Words::tr("Rematerialise layers (“remat”: “full”), shard more dimensions, or use more devices.")
                : Words::tr("Shard more dimensions, or use more devices."),
            {} };
    case Code::MeshNameInLogicalModel:
        return { Words::tr("%1: mesh names (%2) inside a logical model; renaming a mesh axis breaks it")
                     .arg(arg.tensor(), arg("axes")),
            Words::tr("Use the logical names of its dimensions."), {} };
    case Code::RuleUnknownAxis:
        return { Words::tr("rule %1 (%2) names the mesh axis %3, which the mesh lacks")
                     .arg(arg.rule("rule"), arg("name"), arg.quote("axis")),
            arg.has("known") ? knownAxes(d) + QLatin1Char(' ')
                    + Words::tr("Until then the axis shards nothing here; a NamedSharding with it is refused by JAX.")
                             : knownAxes(d),
            {} };
    case Code::ProgramNotRun:
        return { arg.has("elsewhere")
                ? Words::tr("what lies on %1 cannot be written along the axes of the main mesh, and is drawn unsharded")
                      .arg(arg("elsewhere"))
                : Words::tr("the text names no mesh: everything is on one device"),
            arg.has("elsewhere") ? QString()
                                 : Words::tr("Add devices under Mesh, then shard its arguments under What if."),
            {} };
    case Code::OwnRandomNumbers:
        return { Words::tr("the specification leaves open which bits %1 gives: the values that follow from them are "
                           "Shardscope's own, and cannot be compared with those of another implementation")
                     .arg(arg("op")),
            Words::tr("To compare values, pass the random numbers as arguments."), {} };
    case Code::Acknowledged: {
        Diagnostic finding = d;
        const std::string id = d.text("finding");
        for (const CodeRow& row : codeRegistry())
            if (row.id == id)
                finding.code = row.code;
        QString reason = arg("reason");
        while (reason.endsWith(QLatin1Char('.')))
            reason.chop(1);
        const QString remedy = finding.code == d.code ? QString() : describe(finding).cause;
        return { Words::tr("%1 (%2, acknowledged)", "a reason, W206").arg(reason, arg("finding")),
            remedy.isEmpty() ? remedy : Words::tr("%1.", "a sentence").arg(remedy), {} };
    }
    case Code::UnevenArgument: {
        const std::int64_t size = d.number("size"), parts = std::max<std::int64_t>(d.number("partitions"), 1);
        const std::int64_t room = (size + parts - 1) / parts * parts;
        return { Words::tr(
                     "%1: %2 has size %3, which does not divide by %4: %5, and JAX refuses that for the arguments "
                     "of jit",
                     "a: dimension 0 has size 7, ... the 2 devices along x: 1 of 8 is padding, and ...")
                     .arg(arg.tensors(), arg.dimension(), count(size), devicesAlong(d), paddingOf(room - size, room)),
            divisibleSizes(d), {} };
    }
    case Code::SizeOneAxis:
        return { Words::tr("%1 has size 1, so it shards nothing").arg(arg("axis")), {}, {} };
    default:
        return {};
    }
}

} // namespace shardscope::words
