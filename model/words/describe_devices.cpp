// SPDX-License-Identifier: GPL-3.0-or-later
// Declared in describe_subjects.h.
#include "base/codes.h"
#include "words/describe_subjects.h"
#include "words/things.h"
#include "words/tr.h"

namespace shardscope::words {

namespace {

class Arguments {
public:
    explicit Arguments(const Diagnostic& diagnostic)
        : m_diagnostic(diagnostic)
    {
    }
    QString operator()(std::string_view name) const { return fromStd(m_diagnostic.text(name)); }
    QString number(std::string_view name) const { return count(m_diagnostic.number(name)); }
    QString counted(std::string_view name, Noun noun) const { return words::counted(m_diagnostic.number(name), noun); }
    bool has(std::string_view name) const { return !m_diagnostic.text(name).empty(); }
    /// "Shapes that work: 2x4, 4x2." or, where there are none, the other sentence.
    QString works(const QString& sentence, std::string_view name, const QString& otherwise) const
    {
        return has(name) ? sentence.arg((*this)(name)) : otherwise;
    }

private:
    const Diagnostic& m_diagnostic;
};

QString joined(const QStringList& sentences)
{
    QStringList stated = sentences;
    stated.removeAll(QString());
    return stated.join(QLatin1Char(' '));
}

/// "of slice 3", for errors inside one part of a hybrid mesh.
QString ofGranule(const Diagnostic& d)
{
    if (!d.arg("granule"))
        return {};
    return d.text("by") == "process" ? Words::tr(" of host %1").arg(d.number("granule"))
                                     : Words::tr(" of slice %1").arg(d.number("granule"));
}

ProblemText describeShapes(const Diagnostic& d)
{
    const Arguments arg(d);
    const QString shapes = !d.arg("granule") ? Words::tr("Shapes that work: %1.")
        : d.text("by") == "process"          ? Words::tr("Inside a host these shapes work: %1.")
                                             : Words::tr("Inside a slice these shapes work: %1.");
    switch (d.code) {
    case Code::DeviceCountMismatch:
        return { Words::tr("a mesh of %1 takes %2, the machine has %3")
                     .arg(arg("shape"), arg.counted("product", Noun::Device), arg.number("devices"))
                + ofGranule(d),
            arg.works(shapes, "shapes", Words::tr("Choose sizes whose product is %1.").arg(arg.number("devices"))),
            {} };
    case Code::NoAxisAssignment: {
        const QString axis = arg.has("axis_name") ? Words::tr("the mesh axis %1").arg(arg("axis_name"))
                                                  : Words::tr("mesh axis %1").arg(d.number("axis") + 1);
        return { arg.has("remaining")
                ? Words::tr("%1 has size %2, which is no product of whole physical axes: %3 is left of the %4 chips")
                      .arg(axis, arg.number("size"), arg("remaining"), arg("physical"))
                : Words::tr("%1 has size %2, and no physical axis is left of the %3 chips")
                      .arg(axis, arg.number("size"), arg("physical")),
            joined({ arg.works(shapes, "shapes", {}), Words::tr("Or let mesh axes share physical axes.") }), {} };
    }
    case Code::NoContiguousTopology:
        return { Words::tr("contiguous submeshes are not known for the topology %1").arg(arg("topology")),
            arg.works(
                Words::tr("They are known for %1. Do without them here."), "topologies", Words::tr("Do without them.")),
            {} };
    case Code::NoContiguousShape:
        return { Words::tr("contiguous submeshes of %1 are not known for the topology %2")
                     .arg(arg("shape"), arg("topology")),
            arg.works(shapes, "shapes", Words::tr("Do without contiguous submeshes.")), {} };
    case Code::MeshShapeNotIntegers:
        return { Words::tr("the mesh shape holds %1, which is no whole number").arg(arg("found")),
            Words::tr("Write one whole number per axis: 4x16."), {} };
    case Code::TooFewDevices:
        return { Words::tr("a mesh of %1 takes %2, the machine has only %3")
                     .arg(arg("shape"), arg.counted("product", Noun::Device), arg.number("devices")),
            arg.works(shapes, "shapes", Words::tr("Use smaller sizes, or more devices.")), {} };
    case Code::AxisNamesLength:
        return { Words::tr("the number of names (%1) is not that of the mesh axes (%2)")
                     .arg(arg.number("names"), arg.number("axes")),
            Words::tr("Give every mesh axis one name."), {} };
    case Code::GranuleCountMismatch:
        return { d.text("by") == "process"
                ? Words::tr("the product of the DCN shape %1 is %2, the number of hosts is %3")
                      .arg(arg("shape"), arg.number("product"), arg.number("granules"))
                : Words::tr("the product of the DCN shape %1 is %2, the number of slices is %3")
                      .arg(arg("shape"), arg.number("product"), arg.number("granules")),
            arg.works(Words::tr("DCN shapes that work: %1."), "shapes",
                Words::tr("Choose sizes whose product is %1.").arg(arg.number("granules"))),
            {} };
    case Code::MissingGranuleAttribute:
        return { Words::tr("devices of the platform %1 have no slices").arg(arg("platform")),
            Words::tr("Group them by host instead."), {} };
    case Code::MultiSlice:
        return { arg.has("in_slice")
                ? Words::tr("the mesh needs %1, the first slice has %2, so it would reach over slices")
                      .arg(counted(d.number("product"), Noun::Device), counted(d.number("in_slice"), Noun::Device))
                : Words::tr("the mesh of %1 would reach over %2 slices")
                      .arg(counted(d.number("product"), Noun::Device), arg.number("slices")),
            Words::tr("Use a hybrid mesh, with a DCN shape over the slices."), {} };
    default:
        return {};
    }
}

ProblemText describePlaces(const Diagnostic& d)
{
    const Arguments arg(d);
    switch (d.code) {
    case Code::NeedsOneDevicePerChip:
        return { Words::tr("a chip of %1 has more than one device (core %2), where one device per chip is expected")
                     .arg(arg("kind"), arg("core")),
            Words::tr("Use both cores of a chip as one device."), {} };
    case Code::DevicesDoNotFillBox:
        if (arg.has("slices"))
            return { Words::tr("%1 on %2 do not form one block")
                         .arg(arg.counted("devices", Noun::Device), arg.counted("slices", Noun::Slice)),
                Words::tr("Use a hybrid mesh, with a DCN shape over the slices."), {} };
        if (arg.has("place"))
            return { Words::tr("devices %1 and %2 both stand at %3")
                         .arg(d.number("first"))
                         .arg(d.number("second"))
                         .arg(arg("place"))
                    + ofGranule(d),
                Words::tr("Give every device a place of its own."), {} };
        if (arg.has("hosts"))
            return { Words::tr("%1 on %2: not every host has %3")
                         .arg(arg.counted("devices", Noun::Device), arg.counted("hosts", Noun::Host),
                             arg.counted("local", Noun::Device)),
                Words::tr("Use hosts with the same number of devices."), {} };
        return { Words::tr("%1: the box %2 of their coordinates has %3", "64 devices: ... 63 places")
                     .arg(arg.counted("devices", Noun::Device), arg("box"), counted(d.number("places"), Thing::Place))
                + ofGranule(d),
            joined({ arg.works(Words::tr("There is no device at %1."), "missing", {}),
                Words::tr("Use devices that form a full block.") }),
            {} };
    case Code::NotACuboid:
        return { Words::tr("several devices are at one place: %1").arg(arg("twice")) + ofGranule(d),
            joined({ arg.works(Words::tr("There is none at %1."), "missing", {}),
                Words::tr("Give every device a place of its own.") }),
            {} };
    case Code::DuplicateDevice:
        return { Words::tr("two devices have the id %1").arg(arg("id")),
            Words::tr("Give every device an id of its own."), {} };
    default:
        return {};
    }
}

ProblemText describeT5x(const Diagnostic& d)
{
    const Arguments arg(d);
    const QString submeshes = arg.works(Words::tr("Submeshes that work: %1."), "submeshes", {});
    switch (d.code) {
    case Code::SubmeshNotFactor:
        return { Words::tr("the submesh %1 does not divide the devices %2, entry by entry")
                     .arg(arg("submesh"), arg("bounds")),
            submeshes.isEmpty() ? Words::tr("Use divisors of the devices.") : submeshes, {} };
    case Code::HostTiling:
        return { Words::tr(
                     "the submesh %1 cannot be tiled by hosts of %2: an entry neither divides the host's nor is a "
                     "multiple of it")
                     .arg(arg("submesh"), arg("host")),
            joined({ submeshes.isEmpty()
                    ? Words::tr("Choose a submesh that divides a host's devices, or is a multiple of them.")
                    : submeshes,
                d.arg("untiled") ? Words::tr("Or do without tiling by host.") : QString() }),
            {} };
    case Code::HostNotFactor:
        return { Words::tr("the devices of a host, %1, do not divide the devices %2").arg(arg("host"), arg("bounds")),
            Words::tr("Use hosts that divide them along every direction."), {} };
    case Code::ZMajorNeedsAllCores:
        return { Words::tr("the submesh %1 takes a whole row or plane of %2, but not all cores of its chips")
                     .arg(arg("submesh"), arg("bounds")),
            submeshes.isEmpty() ? Words::tr("Use all cores of a chip.") : submeshes, {} };
    case Code::SubmeshRank:
        return { Words::tr("the submesh %1 does not have one entry for each of %2").arg(arg("submesh"), arg("bounds")),
            joined({ Words::tr("Give x, y, z and core on TPUs, host and device elsewhere."), submeshes }), {} };
    case Code::NoDefaultMesh:
        return { Words::tr("there is no default mesh for %1 on %2 of kind %3", "4 partitions")
                     .arg(counted(d.number("partitions"), Thing::Partition), arg("bounds"), arg("kind")),
            joined({ arg.works(Words::tr("Partitions with a default mesh here: %1."), "partitions_list", {}),
                arg.works(Words::tr("Or give a submesh, such as %1."), "submeshes", {}) }),
            {} };
    case Code::GpuPartitions:
        return { (d.number("partitions") == 1
                         ? Words::tr("%1 is neither a divisor nor a multiple of the %2 of a host", "1 partition")
                         : Words::tr("%1 are neither a divisor nor a multiple of the %2 of a host", "3 partitions"))
                     .arg(counted(d.number("partitions"), Thing::Partition), arg.counted("local", Noun::Device)),
            arg.works(Words::tr("Partitions that work: %1."), "partitions_list", {}), {} };
    case Code::DcnShapeMismatch:
        return { (d.number("partitions") == 1
                         ? Words::tr("%1 does not come out even over %2 with %3 each", "1 partition")
                         : Words::tr("%1 do not come out even over %2 with %3 each", "3 partitions"))
                     .arg(counted(d.number("partitions"), Thing::Partition), arg.counted("hosts", Noun::Host),
                         arg.counted("local", Noun::Device)),
            arg.works(Words::tr("Partitions that work: %1."), "partitions_list", {}), {} };
    case Code::ZeroDivision:
        return { arg.has("submesh") ? Words::tr("the submesh %1 has an entry of 0").arg(arg("submesh"))
                                    : (d.number("partitions") == 1 ? Words::tr("%1 is too few", "1 partition")
                                                                   : Words::tr("%1 are too few", "0 partitions"))
                                          .arg(counted(d.number("partitions"), Thing::Partition)),
            arg.has("submesh") ? submeshes : arg.works(Words::tr("Partitions that work: %1."), "partitions_list", {}),
            {} };
    case Code::OrderShape:
        if (!arg.has("shape"))
            return { Words::tr("T5X makes meshes of two axes, this one is %1").arg(arg("wanted")),
                Words::tr("Use two axes, data and model."), {} };
        return {
            Words::tr("T5X makes a mesh of %1 out of these devices, the axes are %2").arg(arg("shape"), arg("wanted")),
            Words::tr("Give the axes those sizes."), {}
        };
    default:
        return {};
    }
}

} // namespace

ProblemText describeDevices(const Diagnostic& diagnostic)
{
    for (const auto describe : { describeShapes, describePlaces, describeT5x })
        if (ProblemText text = describe(diagnostic); !text.cause.isEmpty()) {
            if (text.remedy.isEmpty()) // nothing that works was found, or looked for
                text.remedy = Words::tr("Choose another shape of the mesh, or other devices.");
            return text;
        }
    return {};
}

} // namespace shardscope::words
