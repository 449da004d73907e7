// SPDX-License-Identifier: GPL-3.0-or-later
// Declared in describe_subjects.h.
#include "base/codes.h"
#include "words/describe_subjects.h"
#include "words/tr.h"

namespace shardscope::words {

namespace {

/// The cause in its own words, the parameter in front.
ProblemText describeFailedToMap(const Diagnostic& d)
{
    const QString parameter = fromStd(d.text("parameter"));
    const std::string kind = d.text("cause");
    for (const CodeRow& row : codeRegistry())
        if (row.kind == kind && row.code != Code::FailedToMap) {
            ProblemText cause = describe({ row.code, d.args, {} });
            cause.cause = Words::tr("T5X cannot map the logical axes of %1: %2").arg(parameter, cause.cause);
            return cause;
        }
    return { Words::tr("T5X cannot map the logical axes of %1").arg(parameter),
        Words::tr("Mend the names of its dimensions, or the rules."), {} };
}

} // namespace

ProblemText describeHosts(const Diagnostic& d)
{
    const auto text = [&](std::string_view name) { return fromStd(d.text(name)); };
    const auto number = [&](std::string_view name) { return count(d.number(name)); };
    switch (d.code) {
    case Code::NoPartitionsAndNoSubmesh:
        return { Words::tr("the partitioner has neither a number of partitions nor a model-parallel submesh"),
            Words::tr("Give one of the two."), {} };
    case Code::LocalDevicesNotContiguous:
        return { Words::tr("the devices of host %1 do not fill a block of the mesh: it has %2, the smallest block "
                           "around them holds %3")
                     .arg(number("host"), counted(d.number("devices"), Noun::Device), number("block")),
            Words::tr("Order the devices so that those of a host are neighbours along every mesh axis."), {} };
    case Code::NoLocalDevices:
        return { Words::tr("host %1 has no device in the mesh").arg(number("host")),
            Words::tr("Use a host whose devices the mesh holds."), {} };
    case Code::TupleAxisNotSupported:
        return { Words::tr("dimension %1 is sharded by several mesh axes (%2), which T5X cannot chunk by host")
                     .arg(number("dim"), text("axes")),
            Words::tr("Shard it by one mesh axis."), {} };
    case Code::BatchNotDivisibleByDataMesh:
        return { Words::tr("the batch of %1 does not divide by the %2 along the data axes")
                     .arg(number("batch"), counted(d.number("size"), Noun::Device)),
            Words::tr("Use a multiple of %1.").arg(number("size")), {} };
    case Code::BatchNotDivisibleByShards:
        return { Words::tr("the batch of %1 does not divide by the %2 that read different data")
                     .arg(number("batch"), counted(d.number("shards"), Noun::Host)),
            Words::tr("Use a multiple of %1.").arg(number("shards")), {} };
    case Code::FailedToMap:
        return describeFailedToMap(d);
    case Code::UnresolvedAxisSize:
        if (d.arg("option")) {
            const std::vector<std::string> axes = d.list("axes");
            QStringList example;
            for (std::size_t i = 0; i < std::min<std::size_t>(axes.size(), 4); ++i)
                example << QStringLiteral("%1=%2").arg(fromStd(axes[i]), QString::number(i == 0 ? 2 : 4));
            if (example.isEmpty())
                example << QStringLiteral("data=2") << QStringLiteral("model=4");
            return { axes.empty() ? Words::tr("there is no mesh, and nothing here names its axes")
                                  : Words::tr("the mesh axes %1 have names here, but no sizes").arg(text("axes")),
                Words::tr("Give the mesh: %1 %2.").arg(text("option"), example.join(QLatin1Char(','))), {} };
        }
        return { Words::tr("the sizes of these mesh axes are left open: %1").arg(text("axes")),
            Words::tr("Leave one open at most, and say how many devices and slices there are."), {} };
    case Code::AxisUnused:
        return { (d.number("size") == 2
                         ? Words::tr("no array is sharded along %1, so both positions along %1 do the same work")
                               .arg(text("axis"))
                         : Words::tr("no array is sharded along %1, so all %2 positions along %1 do the same work")
                               .arg(text("axis"), number("size")))
                + (d.arg("pipeline") ? Words::tr("; pipelines are not modelled") : QString()),
            (text("nearest").isEmpty()
                    ? QString()
                    : Words::tr("Did you mean %1, which rules name?").arg(text("nearest")) + QLatin1Char(' '))
                + (d.arg("pipeline") ? Words::tr("Give its devices to another axis.")
                                     : Words::tr("Map a logical name to it, or give its devices to another axis.")),
            {} };
    case Code::PipelineAxis:
        return { d.arg("parts")
                ? Words::tr("pipelines are not modelled: every one of the %1 positions along %2 does the work of all "
                            "layers, holding a part of the weights")
                      .arg(number("size"), text("axis"))
                : Words::tr("pipelines are not modelled: every one of the %1 positions along %2 holds the same weights "
                            "and does the work of all layers")
                      .arg(number("size"), text("axis")),
            Words::tr("Give its devices to another axis; what is told of this mesh is not what a pipeline needs."),
            {} };
    case Code::ParallelismWithoutAxis:
        return { Words::tr("%1 is %2, but mesh_axes lacks that axis, so that it means nothing")
                     .arg(text("key"), number("size")),
            Words::tr("Add the axis to mesh_axes, or set the parallelism to 1."), {} };
    case Code::SubmeshNotFourSizes:
        return { Words::tr("the model-parallel submesh has %1").arg(counted(d.number("length"), Noun::Size)),
            Words::tr("Write four: x, y, z and cores."), {} };
    case Code::PartitionsAndSubmesh:
        return { Words::tr("both a number of partitions and a model-parallel submesh are given; the submesh counts"),
            Words::tr("Give one of the two."), {} };
    case Code::PartitionsMismatch:
        if (d.number("devices") > 0)
            return { Words::tr("%1 asks for %2 along %3, and the mesh's %4 do not divide by that",
                         "--partitions, 3, model, 8 devices")
                         .arg(
                             text("option"), number("asked"), text("axis"), counted(d.number("devices"), Noun::Device)),
                Words::tr("Ask for a divisor of the devices, or leave %1 away.").arg(text("option")), {} };
        if (d.number("size") == 0)
            return { Words::tr("%1 asks for %2 along %3, an axis that the mesh lacks; the mesh counts")
                         .arg(text("option"), number("asked"), text("axis")),
                Words::tr("Give the mesh the axis %1, or leave %2 away.").arg(text("axis"), text("option")), {} };
        return { Words::tr("%1 asks for %2 along %3, the mesh has %4; the mesh counts", "--partitions, 4, model, 2")
                     .arg(text("option"), number("asked"), text("axis"), number("size")),
            Words::tr("Give the mesh %1=%2, or leave %3 away.").arg(text("axis"), number("asked"), text("option")),
            {} };
    case Code::ChunkTruncated:
        return { Words::tr("dimension %1 of size %2 does not divide into %3 chunks: no host has the end of it, %4")
                     .arg(number("dim"), number("size"), number("chunks"),
                         counted(d.number("uncovered"), Noun::Element)),
            Words::tr("Use a size that divides by the hosts along the mesh axis."), {} };
    case Code::RulesElsewhere:
        if (d.arg("taken"))
            return { Words::tr("the configuration has neither mesh axes nor rules, and takes those of MaxText (%1)")
                         .arg(text("taken")),
                Words::tr("Where your version of MaxText has others, read its base.yml with these sizes."), {} };
        return { Words::tr("%1 is %2: mesh axes and rules stand in that file, and replace those of this one")
                     .arg(text("key"), text("value")),
            Words::tr("Read that file as well."), {} };
    default:
        return {};
    }
}

} // namespace shardscope::words
