// SPDX-License-Identifier: GPL-3.0-or-later
// Declared in describe_subjects.h.
#include "base/codes.h"
#include "words/describe_subjects.h"
#include "words/diagnostic_reader.h"
#include "words/things.h"
#include "words/tr.h"

namespace shardscope::words {

namespace {

/// "a tuple of shardings", for the forms that are read but not used, or not read at all.
QString formText(const std::string& form)
{
    if (form == "tuple")
        return Words::tr("this is a tuple of shardings, one per element of a result");
    if (form == "manual")
        return Words::tr("the sharding is manual: the program shards the array itself");
    if (form == "manual subgroup")
        return Words::tr("along a subgroup of the devices the program shards the array itself (manual)");
    if (form == "unknown")
        return Words::tr("the sharding is unknown: the compiler is to choose it");
    if (form == "maximal")
        return Words::tr("the sharding puts all of the array on one device");
    if (form == "partial")
        return Words::tr("the devices hold partial sums, which this form cannot say");
    if (form == "reduced")
        return Words::tr("“reduced” says nothing of who holds what: the array is replicated along such axes, and its "
                         "gradient is left in partial sums");
    if (form == "part of an axis")
        return Words::tr("the array is sharded along a part of a mesh axis, which has no name of its own");
    if (form == "named mesh")
        return Words::tr("this is HLO text of version 3, with a mesh of its own");
    if (form == "reduction kind")
        return Words::tr("the partial results are not sums");
    return Words::tr("a sharding of the kind %1 cannot be used here").arg(quoted(fromStd(form)));
}

QString formRemedy(const std::string& form)
{
    if (form == "tuple")
        return Words::tr("Give the text of one element, between its own braces.");
    if (form == "manual" || form == "unknown")
        return Words::tr("Who holds what cannot be seen from it: use one with devices=.");
    if (form == "manual subgroup")
        return Words::tr("HLO text can say it; who holds what along it stands in the program alone.");
    if (form == "maximal")
        return Words::tr("No mesh axis can say that; its layout can be shown.");
    if (form == "partial")
        return Words::tr("HLO, Shardy and specs of the current JAX can say it, or add the partial sums up first.");
    if (form == "reduced")
        return Words::tr("Leave it out: the array lies on the devices as it does without it.");
    if (form == "part of an axis")
        return Words::tr("Shardy can say it; or split the axis into two.");
    if (form == "named mesh")
        return Words::tr("Write it with devices= and last_tile_dim_replicate, or as a Shardy sharding.");
    if (form == "reduction kind")
        return Words::tr("Write unreduced={...}: sums are what is added up here.");
    return {};
}

} // namespace

ProblemText describeForm(const Diagnostic& d)
{
    const auto arg = [&](std::string_view name) { return fromStd(d.text(name)); };
    const auto quote = [&](std::string_view name) { return quoted(arg(name)); };
    const auto number = [&](std::string_view name) { return count(d.number(name)); };
    const auto problem = [](const QString& cause, const QString& remedy) { return ProblemText{ cause, remedy, {} }; };
    switch (d.code) {
    case Code::RankMismatch:
        return problem(
            Words::tr("the sharding is of rank %1, the array of rank %2").arg(number("sharding_rank"), number("rank")),
            Words::tr("Give the sharding one entry per dimension of the array."));
    case Code::BadReshape:
        return problem(Words::tr("%1 cannot stand in a grid %2", "4 cells")
                           .arg(counted(d.number("cells"), Thing::Cell), arg("shape")),
            Words::tr("Use sizes whose product is %1.").arg(number("cells")));
    case Code::BadAxis:
        return problem(
            Words::tr("the axes %1 are not axes of a grid of rank %2, each once").arg(arg("axes"), number("rank")),
            d.number("rank") > 0
                ? Words::tr("Use axes from 0 to %1, or negative ones from the end.").arg(count(d.number("rank") - 1))
                : Words::tr("This grid has no axes."));
    case Code::UnknownMemoryKind:
        return problem(d.arg("platform") ? Words::tr("%1 devices have no memory %2").arg(arg("platform"), quote("kind"))
                                         : Words::tr("there is no memory %1").arg(quote("kind")),
            Words::tr("Known: %1.").arg(arg("known")));
    case Code::MixedMemoryKinds:
        // Where the place names the operation it is not named twice.
        return problem(d.arg("role")
                ? Words::tr("the operands lie in different memories: %1").arg(arg("kinds"))
                : Words::tr("%1: its operands lie in different memories: %2").arg(arg("op"), arg("kinds")),
            Words::tr("Move them into one memory first."));
    case Code::TileDevices:
        return problem(
            Words::tr("tiles for %1, but %2 listed").arg(counted(d.number("tiles"), Noun::Device), number("devices")),
            Words::tr("Name one device per tile: the product of the tile dimensions is their number."));
    case Code::DeviceCount:
        if (d.text("what") == "groups")
            return problem(Words::tr("the groups of this collective name %1, the program runs on %2")
                               .arg(counted(d.number("tiles"), Noun::Device), number("devices")),
                Words::tr("Every device stands in one group: write replica_groups that cover %1.")
                    .arg(counted(d.number("devices"), Noun::Device)));
        return problem(Words::tr("the sharding is over %1, the mesh has %2")
                           .arg(counted(d.number("tiles"), Noun::Device), number("devices")),
            Words::tr("Use a mesh of %1, or tiles for %2.")
                .arg(counted(d.number("tiles"), Noun::Device), number("devices")));
    case Code::SingleTile:
        return problem(Words::tr("the array is not sharded: there is one tile, on one device"),
            Words::tr("Write {replicated}, or {maximal device=0} for a single device."));
    case Code::DeviceOutOfRange:
        return problem(Words::tr("there is no device %1").arg(number("device")),
            Words::tr("There are %1, numbered from 0.").arg(counted(d.number("devices"), Noun::Device)));
    case Code::DeviceTwice:
        if (d.text("what") == "groups")
            return problem(Words::tr("device %1 stands twice in the groups of this collective").arg(number("device")),
                Words::tr("Every device stands in one group: name each once."));
        if (d.text("what") == "pairs")
            return problem(Words::tr("device %1 sends or receives twice").arg(number("device")),
                Words::tr("Every device stands in one pair as the sender and in one as the receiver, at most."));
        return problem(Words::tr("device %1 stands twice in the sharding").arg(number("device")),
            Words::tr("Every device holds one shard: name each once."));
    case Code::UnsupportedSharding:
        return problem(formText(d.text("form")), formRemedy(d.text("form")));
    case Code::NotOnMesh:
        return problem(Words::tr("the shards do not follow the axes of the mesh"),
            Words::tr("The mesh has %1: another order of its axes or devices may fit.").arg(arg("known")));
    case Code::MissingMesh:
        return problem(Words::tr("the sharding does not say which devices there are"), Words::tr("Give a mesh."));
    case Code::MeshMismatch:
        if (d.arg("found_axes"))
            return problem(
                (d.arg("value")
                        ? Words::tr("%1 is sharded along axes of the mesh @%2, %3, and others along axes of the mesh "
                                    "@%4, %5")
                              .arg(arg("value"), arg("found"), arg("found_axes"), arg("expected"), arg("expected_axes"))
                        : Words::tr("arrays are sharded along axes of the mesh @%1, %2, and of the mesh @%3, %4")
                              .arg(arg("expected"), arg("expected_axes"), arg("found"), arg("found_axes")))
                    + (d.number("found_devices") == d.number("expected_devices")
                            ? Words::tr("; the axes of one cannot be written as parts of the other's")
                            : Words::tr("; these are %1 and %2 devices")
                                  .arg(number("found_devices"), number("expected_devices"))),
                Words::tr("Shard all arrays over one mesh, or over meshes of the same devices: a program runs on one "
                          "set of devices."));
        return problem(Words::tr("the sharding is over %1, the mesh is %2").arg(arg("found"), arg("expected")),
            Words::tr("Use the same mesh for both."));
    case Code::BadSubAxis:
        if (d.arg("other"))
            return problem(Words::tr("%1 does not go with %2").arg(quote("axis"), quote("other")),
                Words::tr("Write neighbouring sub-axes as one, and use either sub-axes or the full axis."));
        return problem(Words::tr("%1 has size %2 and no part :(%3)%4")
                           .arg(quote("axis"), number("whole"), arg("pre"), arg("size")),
            Words::tr("In :(m)k, k is at least 2 and less than the axis, and m times k divides it."));
    case Code::OverlappingAxes:
        return problem(Words::tr("%1 overlaps %2").arg(quote("axis"), quote("other")),
            Words::tr("Every sub-axis can be used once in a sharding."));
    case Code::AxisOrder:
        return problem(Words::tr("%1 stands after %2").arg(quote("axis"), quote("other")),
            Words::tr("List replicated and unreduced axes in the order of the mesh."));
    case Code::BadPriority:
        return problem(Words::tr("a dimension that is closed and not sharded has a priority"),
            Words::tr("Leave the priority out, or open the dimension with ?."));
    case Code::NonNamedLeaf:
        return problem(Words::tr("%1 is no named array").arg(quote("leaf")),
            Words::tr("Name its axes, or let arrays without names be ignored."));
    case Code::OnlyRankOneAndTwo:
        return problem(Words::tr("the array is of rank %1, grids are drawn of rank 1 and 2").arg(number("rank")),
            Words::tr("Choose one or two of its dimensions."));
    default:
        return {};
    }
}

} // namespace shardscope::words
