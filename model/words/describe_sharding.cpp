// SPDX-License-Identifier: GPL-3.0-or-later
// Declared in describe_subjects.h.
#include <algorithm>

#include "base/codes.h"
#include "words/describe_subjects.h"
#include "words/diagnostic_reader.h"
#include "words/listed.h"
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
    return listed(all);
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
        : Words::tr("%1 = %2: %3 cannot be split %2 ways", "data = 3: 8 devices")
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
        d.number("largest") <= 1
            ? Words::tr("They spread over no smaller number of devices: shard another dimension in their place.")
            : axes.size() == 1
            ? Words::tr("The next smaller size of %1 that they spread over: %2.").arg(fromStd(axes.front()), largest)
            : Words::tr("The next smaller number of devices that they spread over: %1.").arg(largest),
        {} };
}

} // namespace

QString devicesAlong(const Diagnostic& d)
{
    const QStringList axes = texts(d.list("axes"), fromStd);
    const std::int64_t parts = d.number("partitions");
    if (axes.isEmpty())
        return counted(parts, Noun::Device);
    return Words::tr("the %1 along %2").arg(counted(parts, Noun::Device), axes.join(Words::tr(" and ")));
}

QString knownAxes(const Diagnostic& d)
{
    const Reader arg(d);
    if (!arg.has("known"))
        return Words::tr("Use an axis of the mesh.");
    const QString nearest = arg.nearest("axis", "known");
    return nearest.isEmpty() ? Words::tr("The mesh has %1.").arg(arg("known"))
                             : Words::tr("Did you mean %1? The mesh has %2.").arg(nearest, arg("known"));
}

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

} // namespace shardscope::words
