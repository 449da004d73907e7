// SPDX-License-Identifier: GPL-3.0-or-later
#include "words/describe_hosts.h"

#include "words/tr.h"

namespace shardscope::words {

ProblemText describeHosts(const Diagnostic& d)
{
    const auto text = [&](std::string_view name) { return fromStd(d.text(name)); };
    const auto number = [&](std::string_view name) { return count(d.number(name)); };
    switch (d.code) {
    case Code::NoPartitionsAndNoSubmesh:
        return { Words::tr("the partitioner has neither a number of partitions nor a model-parallel submesh"),
            Words::tr("Give one of the two."), {} };
    case Code::LocalDevicesNotContiguous:
        return { Words::tr("the %1 devices of host %2 do not fill a block of the mesh: the smallest one around them "
                           "holds %3")
                     .arg(number("devices"), number("host"), number("block")),
            Words::tr("Order the devices so that those of a host are neighbours along every mesh axis."), {} };
    case Code::NoLocalDevices:
        return { Words::tr("host %1 has no device in the mesh").arg(number("host")),
            Words::tr("Use a host whose devices the mesh holds."), {} };
    case Code::TupleAxisNotSupported:
        return { Words::tr("dimension %1 is cut by several mesh axes (%2), which T5X cannot chunk by host")
                     .arg(number("dim"), text("axes")),
            Words::tr("Cut it by one mesh axis."), {} };
    case Code::BatchNotDivisibleByDataMesh:
        return { Words::tr("the batch of %1 does not divide by the %2 devices along the data axes")
                     .arg(number("batch"), number("size")),
            Words::tr("Use a multiple of %1.").arg(number("size")), {} };
    case Code::BatchNotDivisibleByShards:
        return { Words::tr("the batch of %1 does not divide by the %2 hosts that read different data")
                     .arg(number("batch"), number("shards")),
            Words::tr("Use a multiple of %1.").arg(number("shards")), {} };
    case Code::FailedToMap:
        return { d.list("dims").empty()
                ? Words::tr("the logical axes of %1 cannot be mapped: %2").arg(text("parameter"), text("cause"))
                : Words::tr("the logical axes of %1 cannot be mapped: %2 (%3)")
                      .arg(text("parameter"), text("cause"), text("dims")),
            Words::tr("Mend the names of its dimensions, or the rules."), {} };
    case Code::UnresolvedAxisSize:
        return { Words::tr("the sizes of these mesh axes are left open: %1").arg(text("axes")),
            Words::tr("Leave one open at most, and say how many devices and slices there are."), {} };
    case Code::AxisUnused:
        return { Words::tr("no array is cut along the mesh axis %1: its %2 devices all do the same")
                     .arg(text("axis"), number("size")),
            Words::tr("Map a logical name to it, or give its devices to another axis."), {} };
    case Code::ParallelismWithoutAxis:
        return { Words::tr("%1 is %2, but mesh_axes lacks that axis, so that it means nothing")
                     .arg(text("key"), number("size")),
            Words::tr("Add the axis to mesh_axes, or set the parallelism to 1."), {} };
    case Code::SubmeshNotFourSizes:
        return { Words::tr("the model-parallel submesh has %1 sizes").arg(number("length")),
            Words::tr("Write four: x, y, z and cores."), {} };
    case Code::PartitionsAndSubmesh:
        return { Words::tr("both a number of partitions and a model-parallel submesh are given; the submesh counts"),
            Words::tr("Give one of the two."), {} };
    case Code::ChunkTruncated:
        return { Words::tr("dimension %1 of size %2 does not divide into %3 chunks: the last %4 belong to no host")
                     .arg(number("dim"), number("size"), number("chunks"), number("uncovered")),
            Words::tr("Use a size that divides by the hosts along the mesh axis."), {} };
    default:
        return {};
    }
}

} // namespace shardscope::words
