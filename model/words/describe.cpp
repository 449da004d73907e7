// SPDX-License-Identifier: GPL-3.0-or-later
// Declared in words.h.
#include "words/words.h"

#include "base/codes.h"
#include "words/describe_configurations.h"
#include "words/describe_devices.h"
#include "words/describe_execution.h"
#include "words/describe_files.h"
#include "words/describe_forms.h"
#include "words/describe_hosts.h"
#include "words/describe_program_texts.h"
#include "words/describe_settings.h"
#include "words/describe_transformer.h"
#include "words/describe_verification.h"
#include "words/diagnostic_reader.h"
#include "words/explicit_words.h"
#include "words/tr.h"

namespace shardscope::words {

namespace {

/// "1, 2, 4 and 8": the numbers that divide.
QString divisors(std::int64_t number)
{
    constexpr std::int64_t maxTried = 1 << 20;
    constexpr qsizetype maxNamed = 12;
    QStringList all;
    for (std::int64_t each = 1; each <= std::min(number, maxTried) && all.size() < maxNamed; ++each)
        if (number % each == 0)
            all << count(each);
    return oneList(std::move(all));
}

/// Numbers of devices, slices or hosts that do not go with one another, where the mesh is not what is wrong.
ProblemText describeUnevenDevices(const Diagnostic& d)
{
    const std::string of = d.text("of");
    const std::int64_t product = d.number("product"), devices = d.number("devices");
    if (of == "hosts")
        return { Words::tr("%1 do not spread evenly over %2")
                     .arg(counted(product, Noun::Device), counted(devices, Noun::Host)),
            Words::tr("Numbers of hosts that do: %1.").arg(divisors(product)), {} };
    if (of == "slices")
        return { Words::tr("%1 are not %2 of the same size")
                     .arg(counted(devices, Noun::Device), counted(product, Noun::Slice)),
            Words::tr("Use a number of devices that divides by %1, or another number of slices.").arg(count(product)),
            {} };
    if (of == "dcn")
        return {
            Words::tr("the DCN sizes make %1, the machine has %2").arg(counted(product, Noun::Slice), count(devices)),
            Words::tr("Choose DCN sizes whose product is %1.").arg(count(devices)), {}
        };
    return { Words::tr("the open size %1 cannot be worked out: %2 do not divide by %3, the product of the sizes given")
                 .arg(fromStd(d.text("open")),
                     d.text("open").starts_with("dcn") ? counted(devices, Noun::Slice) : counted(devices, Noun::Device),
                     count(product)),
        Words::tr("Change one of the sizes, or use a number that divides by %1.").arg(count(product)), {} };
}

QString inactiveReason(const Diagnostic& diagnostic)
{
    QStringList reasons;
    for (const std::string& reason : diagnostic.list("reasons")) {
        if (reason == "no_rules")
            reasons << Words::tr("no rules are bound when the model is traced");
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
        else if (reason == "platform")
            remedies << Words::tr("The Flax of 2024 leaves values alone on CPU: assume another platform, or use the "
                                  "current version.");
        else if (reason == "fallback")
            remedies << Words::tr("Add a rule for the name, or choose another fallback.");
    }
    return remedies.isEmpty() ? Words::tr("Bind the rules where the model is traced.")
                              : remedies.join(QStringLiteral(" "));
}

/// "the 4 devices along model", "8 devices" where the axes are not known.
QString devicesAlong(const Diagnostic& d)
{
    QStringList axes;
    for (const std::string& axis : d.list("axes"))
        axes << fromStd(axis);
    const std::int64_t parts = d.number("partitions");
    if (axes.isEmpty())
        return counted(parts, Noun::Device);
    return Words::tr("the %1 along %2").arg(counted(parts, Noun::Device), axes.join(Words::tr(" and ")));
}

/// What could be meant by a mesh axis that is not there.
QString knownAxes(const Diagnostic& d)
{
    const Reader arg(d);
    if (!arg.has("known"))
        return Words::tr("Use an axis of the mesh.");
    const QString nearest = arg.nearest("axis", "known");
    return nearest.isEmpty() ? Words::tr("The mesh has %1.").arg(arg("known"))
                             : Words::tr("Did you mean %1? The mesh has %2.").arg(nearest, arg("known"));
}

/// What would divide: the sizes next to the one that does not, and fewer devices along an axis that shards alone.
QString divisibleSizes(const Diagnostic& d)
{
    const std::int64_t size = d.number("size");
    const std::int64_t parts = std::max<std::int64_t>(d.number("partitions"), 1);
    const std::int64_t below = size / parts * parts;
    QString text = below > 0 ? Words::tr("Sizes that divide: %1 or %2.").arg(count(below), count(below + parts))
                             : Words::tr("The smallest size that divides: %1.").arg(count(below + parts));
    const std::vector<std::string> axes = d.list("axes");
    std::int64_t fewer = std::min(size, parts);
    while (fewer > 1 && size % fewer != 0)
        --fewer;
    if (axes.size() == 1 && fewer > 1)
        text += Words::tr(" %1 divides by %2 along %3.")
                    .arg(count(size), counted(fewer, Noun::Device), fromStd(axes.front()));
    return text;
}

/// The sizes that a mesh axis could have, of many those next to the one that it cannot have.
QString possibleSizes(const Diagnostic& d)
{
    constexpr std::size_t most = 8;
    const std::int64_t size = d.number("size");
    std::vector<qint64> sizes;
    for (const std::string& text : d.list("possible"))
        sizes.push_back(std::atoll(text.c_str()));
    const bool several = sizes.size() > 1;
    const bool some = sizes.size() > most;
    while (sizes.size() > most) // the farther end goes; of equals the greater one
        sizes.erase(size - sizes.front() > sizes.back() - size ? sizes.begin() : sizes.end() - 1);
    QStringList list;
    for (const qint64 each : sizes)
        list << count(each);
    return (some      ? Words::tr("Possible sizes nearby: %1.")
            : several ? Words::tr("Possible sizes: %1.")
                      : Words::tr("The only possible size: %1."))
        .arg(list.join(Words::tr(", ")));
}

/// A mesh axis cannot have a size, since no other axis can change so that the number of devices stays.
ProblemText describeKeptProduct(const Diagnostic& d)
{
    const Reader arg(d);
    const std::int64_t devices = d.number("devices");
    const QString cause = d.number("others") == 0
        ? Words::tr("%1 = %2: the number of devices is kept, and there is no other axis to change")
              .arg(arg("axis"), arg.number("size"))
        : devices % std::max<std::int64_t>(d.number("size"), 1) == 0
        ? Words::tr("%1 = %2: the number of devices is kept, and no other axis alone makes up for it")
              .arg(arg("axis"), arg.number("size"))
        : (devices == 1 ? Words::tr("%1 = %2: the number of devices is kept, and %3 does not divide by %2")
                        : Words::tr("%1 = %2: the number of devices is kept, and %3 do not divide by %2"))
              .arg(arg("axis"), arg.number("size"), counted(devices, Noun::Device));
    return { cause,
        possibleSizes(d) + QLatin1Char(' ') + Words::tr("Without “Keep product” the number of devices changes."), {} };
}

/// Heads or experts that do not spread evenly.
ProblemText describeAtoms(const Diagnostic& d)
{
    const Reader arg(d);
    const std::string unit = d.text("dim_name");
    const QString units = unit == "expert" ? Words::tr("%1 experts").arg(arg.number("size"))
        : unit == "kv_heads"               ? Words::tr("%1 KV heads").arg(arg.number("size"))
                                           : Words::tr("%1 heads").arg(arg.number("size"));
    const QString stays =
        unit == "expert" ? Words::tr("an expert stays in one shard") : Words::tr("a head stays in one shard");
    const std::vector<std::string> axes = d.list("axes");
    const QString largest = arg.number("largest");
    return { Words::tr("%1: %2 do not spread evenly over %3: %4").arg(arg.tensors(), units, devicesAlong(d), stays),
        axes.size() == 1
            ? Words::tr("The largest size of %1 that they spread over: %2.").arg(fromStd(axes.front()), largest)
            : Words::tr("The largest number of devices that they spread over: %1.").arg(largest),
        {} };
}

/// Cause and remedy of errors in meshes, shardings and rules.
ProblemText describeSharding(const Diagnostic& d)
{
    const Reader arg(d);
    switch (d.code) {
    case Code::Indivisible:
        return { Words::tr("%1: %2 has size %3, which does not divide by %4")
                     .arg(arg.tensors(), arg.dimension(), arg.number("size"), devicesAlong(d)),
            divisibleSizes(d), {} };
    case Code::DevicesMismatch:
        if (arg.has("of"))
            return describeUnevenDevices(d);
        return { Words::tr("the mesh has %1, the hardware has %2")
                     .arg(counted(d.number("product"), Noun::Device), count(d.number("devices"))),
            Words::tr("Choose axis sizes whose product is %1, or change the hardware.").arg(arg.number("devices")),
            {} };
    case Code::DuplicateDimension:
        // The 2024 rules count P.UNCONSTRAINED as a name like any other, though it has none.
        return { Words::tr("the logical name %1 stands on two dimensions of %2")
                     .arg(arg.has("dims") ? arg.quote("dims") : QStringLiteral("P.UNCONSTRAINED"),
                         d.where.path.empty() ? Words::tr("one array") : arg.tensor()),
            Words::tr("Give every dimension of the array a name of its own."), {} };
    case Code::UnknownAxis:
        return { Words::tr("%1 names the mesh axis %2, which the mesh lacks").arg(arg.tensor(), arg.quote("axis")),
            knownAxes(d), {} };
    case Code::AtomSplit:
        return describeAtoms(d);
    case Code::AxisUsedTwice:
        // In a rule it is the target of one name; in a spec it may stand on two dimensions.
        return { Words::tr("%1 uses the mesh axis %2 twice")
                     .arg(programPlace(d).isEmpty() ? arg.subject() : Words::tr("the array"), arg.quote("axes")),
            d.where.path.empty() && arg.ruleNumber() > 0
                ? Words::tr("Name every mesh axis once: the same devices cannot shard a dimension a second time.")
                : Words::tr("One mesh axis can shard only one dimension of an array."),
            {} };
    case Code::SpecTooLong:
        return { Words::tr("the spec has %1, %2 has %3")
                     .arg(counted(d.number("spec_len"), Noun::Entry), arg.tensor(),
                         counted(d.number("rank"), Noun::Dimension)),
            Words::tr("Use at most one entry per dimension."), {} };
    case Code::NestedTuple:
        return { arg.ruleNumber() > 0
                ? Words::tr("in rule %1 a list of mesh axes stands inside another one").arg(arg.ruleNumber())
                : Words::tr("a tuple stands inside another tuple of a spec"),
            arg.ruleNumber() > 0 ? Words::tr("List the mesh axes in one flat list.")
                                 : Words::tr("List the mesh axes in one flat tuple."),
            {} };
    case Code::RuleArity:
        return {
            Words::tr("rule %1 has %2").arg(count(d.number("rule") + 1), counted(d.number("length"), Noun::Element)),
            Words::tr("A rule is a pair: a logical name and a mesh axis, a tuple of mesh axes, or None."), {}
        };
    case Code::RulesType:
        return { Words::tr("the rules are a mapping, which has no order"),
            Words::tr("Write them as a list or tuple of pairs, highest priority first."), {} };
    case Code::UnmatchedAxis:
        return arg.has("within")
            ? ProblemText{ Words::tr("no usable rule for %1 of %2 among those within %3, which count alone there")
                               .arg(arg.quote("dims"), arg.tensor(), arg("within")),
                  Words::tr("Add a rule for it to those within %1, or let names without a rule stay unsharded.")
                      .arg(arg("within")),
                  {} }
            : ProblemText{ Words::tr("no usable rule for %1 of %2").arg(arg.quote("dims"), arg.tensor()),
                  Words::tr("Add a rule for it, or let names without a rule stay unsharded."), {} };
    case Code::RuleConflict:
        return { arg.has("within")
                ? Words::tr("the rules for %1 within %2 contradict each other").arg(arg.quote("alias"), arg("within"))
                : Words::tr("the rules for %1 contradict each other").arg(arg.quote("alias")),
            Words::tr("Let both map it to the same mesh axes."), {} };
    case Code::UnsupportedDims:
        return { Words::tr("there are no standard rules for %1 activation and %2 parameter dimensions")
                     .arg(arg.number("activation"), arg.number("parameter")),
            Words::tr("Use 1 or 2 for each."), {} };
    case Code::DuplicateAxis:
        return { Words::tr("two mesh axes are called %1").arg(arg.quote("axis")), Words::tr("Rename one of them."),
            {} };
    case Code::InvalidAxisSize:
        if (d.arg("possible"))
            return describeKeptProduct(d);
        return { Words::tr("the mesh axis %1 has size %2").arg(arg.quote("axis"), arg.number("size")),
            Words::tr("Use a size from 1 to %1.").arg(count(maximumDevices)), {} };
    case Code::NotALogicalSpec:
        return { Words::tr("the names of %1 have an unconstrained entry, which the Flax of 2024 cannot take")
                     .arg(arg.tensor()),
            Words::tr("Use the current version of the rules, or name the dimension."), {} };
    default:
        return {};
    }
}

ProblemText describeDeviceOrder(const Diagnostic& d)
{
    const Reader arg(d);
    return { d.arg("named") ? Words::tr("the device order names %1, the mesh has %2")
                                  .arg(counted(d.number("named"), Noun::Device), arg.number("devices"))
            : d.arg("unknown_device")
            ? Words::tr("the device order names device %1, which the mesh lacks").arg(d.number("unknown_device"))
            : Words::tr("the device order names device %1 twice").arg(d.number("device")),
        Words::tr("Name every device from 0 to %1 once.").arg(d.number("devices") - 1), {} };
}

/// What is wrong with a value that a person chose.
ProblemText describeWrong(const Diagnostic& d)
{
    const Reader arg(d);
    const std::string wrong = d.text("wrong");
    if (d.text("op") == "transformer")
        return describeTransformer(d);
    if (wrong == "names")
        return { Words::tr("%1 has %2, but names for %3")
                     .arg(arg.tensor(), counted(d.number("dimensions"), Noun::Dimension), arg.number("names")),
            Words::tr("Give one name per dimension; null is for one without a name."), {} };
    if (wrong == "path")
        return { Words::tr("two arrays are called %1").arg(arg.tensor()), Words::tr("Rename one of them."), {} };
    if (wrong == "dtype")
        return { Words::tr("the simulated devices cannot compute with numbers of type %1").arg(arg("dtype")),
            Words::tr("Use f32 or f64."), {} };
    if (wrong == "axis_name")
        return { Words::tr("a mesh axis has no name"), Words::tr("Give every mesh axis a name."), {} };
    if (wrong == "size")
        return { Words::tr("%1 has a dimension of size %2").arg(arg("type"), arg.number("size")),
            Words::tr("Use sizes of at least 0."), {} };
    if (wrong == "constraint")
        return { Words::tr("the model has no constraint on y"), Words::tr("Choose a model that has one."), {} };
    if (wrong == "microbatches")
        return { Words::tr("a batch of %1 does not divide into %2 microbatches")
                     .arg(arg.number("batch"), arg.number("microbatches")),
            Words::tr("Choose a number of microbatches that divides the batch."), {} };
    if (wrong == "network")
        return { Words::tr("the model has no setting %1").arg(arg.quote("op")),
            Words::tr("Choose a transformer as the model."), {} };
    if (wrong == "own_rule")
        return { Words::tr("only operations of a program in StableHLO text take sharding rules of their own"),
            Words::tr("Open the program as text, or change the logical axis rules."), {} };
    if (wrong == "memory")
        return {
            Words::tr("%1 takes no memory of its own: the program says itself where its arrays lie").arg(arg("op")),
            Words::tr("Change the text of the program, or open an experiment of arrays."), {}
        };
    return { Words::tr("the names of a view are not those of its dimensions, each once"),
        Words::tr("Name every dimension of its data once."), {} };
}

QString outOfMemoryRemedy(const Diagnostic& diagnostic)
{
    const Reader arg(diagnostic);
    QStringList remedies;
    if (diagnostic.arg("alone_bytes"))
        remedies << Words::tr("Leave out the check: the run alone needs %1.").arg(arg.size("alone_bytes"));
    if (diagnostic.arg("shared_bytes"))
        remedies << Words::tr("Set share_replicas in its section run: that needs %1.").arg(arg.size("shared_bytes"));
    if (remedies.isEmpty())
        remedies << Words::tr("Use smaller sizes.");
    remedies << Words::tr("The layout can be studied without a run.");
    return remedies.join(QLatin1Char(' '));
}

/// A name of more than one: of the last parts of several paths, or of values that have numbers alone.
ProblemText describeSeveralTensors(const Diagnostic& d)
{
    const Reader arg(d);
    QStringList others;
    const std::vector<std::string> known = d.list("known");
    for (std::size_t i = 1; i < known.size(); ++i)
        others << quoted(fromStd(known[i]));
    const QString more = others.isEmpty() ? QString() : Words::tr(" Others: %1.").arg(others.join(Words::tr(", ")));
    if (d.text("nearest").starts_with('%'))
        return { Words::tr("%1 is what %2 values are called").arg(arg.quote("path"), arg.number("several")),
            Words::tr("Name one by its number, as %1.").arg(arg.quote("nearest")) + more, {} };
    return { Words::tr("%1 is the end of %2 paths").arg(arg.quote("path"), arg.number("several")),
        Words::tr("Write more of one, as %1.").arg(arg.quote("nearest")) + more, {} };
}

ProblemText describeProgram(const Diagnostic& d)
{
    const Reader arg(d);
    switch (d.code) {
    case Code::TypeMismatch:
        if (d.text("wrong") == "given")
            return { Words::tr("%1: %2 given, which do not fill %3")
                         .arg(arg("op"), counted(d.number("given"), Noun::Element), arg("type")),
                Words::tr("Give one value for each element."), {} };
        return { Words::tr("%1: %2").arg(arg("op"), arg("detail")), Words::tr("Use types that fit each other."), {} };
    case Code::InvalidOperand:
        if (d.arg("calls_itself"))
            return { Words::tr("%1 calls itself, by way of other functions or not").arg(arg("op")),
                Words::tr("Write what is repeated as a loop, stablehlo.while."), {} };
        return { Words::tr("%1: %2").arg(arg("op"), arg("detail")),
            Words::tr("Use operands that the operation can take."), {} };
    case Code::InvalidAttribute:
        if (d.arg("named") || d.arg("device") || d.arg("unknown_device"))
            return describeDeviceOrder(d);
        if (d.arg("wrong"))
            return describeWrong(d);
        return { Words::tr("%1: %2").arg(arg("op"), arg("detail")), Words::tr("Choose another value."), {} };
    case Code::UnknownTensor:
        if (d.arg("several"))
            return describeSeveralTensors(d);
        return { Words::tr("there is no tensor %1").arg(arg.quote("path")),
            arg.has("nearest") ? Words::tr("Did you mean %1?").arg(arg.quote("nearest"))
                               : Words::tr("`show` lists all tensors."),
            {} };
    case Code::NotExecutable:
        if (d.arg("operand"))
            return { Words::tr("%1: %2 cannot be executed: it sums over dimension %3 of its operand %4, whose size %5 "
                               "does not divide into %6 shards")
                         .arg(arg.tensor(), arg("op"), arg.number("dim"), count(d.number("operand") + 1),
                             arg.number("size"), arg.number("partitions")),
                divisibleSizes(d), {} };
        return { Words::tr("%1 cannot be executed").arg(arg("op")),
            Words::tr("Choose sizes that divide evenly over the devices."), {} };
    case Code::OutOfMemory:
        if (!d.arg("bytes"))
            return { Words::tr("there is not enough memory for this"),
                Words::tr("Use smaller sizes, or close other programs."), {} };
        return { (d.arg("alone_bytes") ? Words::tr("the run and its check need %1 of memory, %2 are there")
                                       : Words::tr("the run needs %1 of memory, %2 are there"))
                     .arg(arg.size("bytes"), arg.size("limit")),
            outOfMemoryRemedy(d), {} };
    case Code::VersionMismatch:
        return { Words::tr("results of different revisions were mixed"), Words::tr("Run again."), {} };
    default:
        return {};
    }
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
            Words::tr("Remove it, or check the name."), {} };
    case Code::AxisBusy:
        return { Words::tr("rule %1 cannot shard %2 of %3 along %4: rule %5 already sharded %6 along it")
                     .arg(arg.rule("rule"), arg("name"), arg.tensor(), arg("axis"), arg.number("by_rule"),
                         arg("by_dim_name")),
            Words::tr("One mesh axis shards one dimension of an array; reorder the rules, or use another axis."), {} };
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
    case Code::SlowLinkCollective:
        if (d.arg("slices"))
            return { Words::tr("collectives along %1 go between slices, and the step waits for them: %2 per step, %3 "
                               "sent by each device")
                         .arg(arg("axis"), arg.number("collectives"), arg.size("bytes")),
                Words::tr("Keep the axis inside a slice, and let data cross slices once per step."), {} };
        return { Words::tr(
                     "collectives along %1 go between hosts, and the step waits for them: %2 per step, %3 sent by "
                     "each device")
                     .arg(arg("axis"), arg.number("collectives"), arg.size("bytes")),
            Words::tr("Keep the axis inside a host: make it the last axis, or as large as a host."), {} };
    case Code::OverMemoryLimit:
        return { Words::tr("each device needs %1, it has %2").arg(arg.size("bytes"), arg.size("limit")),
            Words::tr("Shard more dimensions, or use more devices."), {} };
    case Code::MeshNameInLogicalModel:
        return { Words::tr("%1: mesh names (%2) inside a logical model; renaming a mesh axis breaks it")
                     .arg(arg.tensor(), arg("axes")),
            Words::tr("Use the logical names of its dimensions."), {} };
    case Code::RuleUnknownAxis:
        return { Words::tr("rule %1 (%2) names the mesh axis %3, which the mesh lacks")
                     .arg(arg.rule("rule"), arg("name"), arg.quote("axis")),
            arg.has("known") ? knownAxes(d) + QLatin1Char(' ') + Words::tr("Until then the axis shards nothing.")
                             : knownAxes(d),
            {} };
    case Code::ProgramNotRun:
        return { arg.has("elsewhere")
                ? Words::tr("what lies on %1, whose axes are others, is drawn unsharded").arg(arg("elsewhere"))
                : Words::tr("the text names no mesh: everything is on one device"),
            arg.has("elsewhere") ? QString()
                                 : Words::tr("Add devices under Mesh, then shard its arguments under What if."),
            {} };
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
        return { Words::tr("the mesh axis %1 has one device: what it shards is replicated").arg(arg("axis")), {}, {} };
    default:
        return {};
    }
}

} // namespace

ProblemText describe(const Diagnostic& diagnostic)
{
    ProblemText text = describeExecution(diagnostic);
    if (text.cause.isEmpty())
        text = describeHosts(diagnostic);
    const auto number = static_cast<int>(diagnostic.code);
    const bool file = (number >= 120 && number < 140) || (number >= 220 && number < 230);
    if (text.cause.isEmpty())
        text = describeDevices(diagnostic);
    if (text.cause.isEmpty())
        text = describeProgramSharding(diagnostic);
    if (text.cause.isEmpty())
        text = describeProgramText(diagnostic);
    if (text.cause.isEmpty())
        text = describeExplicitMode(diagnostic);
    if (text.cause.isEmpty())
        text = describeConfiguration(diagnostic);
    if (text.cause.isEmpty())
        text = describeSetting(diagnostic);
    if (text.cause.isEmpty())
        text = file         ? describeFile(diagnostic)
            : number >= 400 ? describeForm(diagnostic)
            : number < 120  ? describeSharding(diagnostic)
            : number < 200  ? describeProgram(diagnostic)
                            : describeWarning(diagnostic);
    if (number >= 400 && text.remedy.isEmpty())
        text.remedy = Words::tr("`shardscope sharding --help` shows the forms that are read.");
    if (const QString where = programPlace(diagnostic); !where.isEmpty())
        text.cause = Words::tr("%1: %2", "stablehlo.add, result 1: what is wrong").arg(where, text.cause);
    if (const std::int64_t alike = diagnostic.number("alike"); alike > 1) {
        QStringList names;
        for (const std::string& name : diagnostic.list("alike_names"))
            names << fromStd(name);
        const QString more = count(alike - 1);
        text.cause += names.isEmpty()
            ? Words::tr("; %1 more like it").arg(more)
            : Words::tr("; %1 more like it: %2 and so on").arg(more, names.join(Words::tr(", ")));
    }
    text.where = place(diagnostic);
    return text;
}

QString oneLine(const Diagnostic& diagnostic)
{
    const ProblemText text = describe(diagnostic);
    const Where& where = diagnostic.where;
    QString line;
    if (!where.file.empty())
        line += fromStd(where.file) + QStringLiteral(":");
    if (where.line > 0)
        line += QString::number(where.line) + QStringLiteral(":") + QString::number(where.column) + QStringLiteral(":");
    if (!line.isEmpty())
        line += QStringLiteral(" ");
    line += fromStd(diagnostic.id()) + QStringLiteral(": ");
    if (where.line > 0 && !where.pointer.empty())
        line += fromStd(where.pointer) + QStringLiteral(": ");
    line += text.cause;
    if (!text.cause.endsWith(QLatin1Char('.')))
        line += QStringLiteral(".");
    if (!text.remedy.isEmpty())
        line += QStringLiteral(" ") + text.remedy;
    return line;
}

} // namespace shardscope::words
