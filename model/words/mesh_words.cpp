// SPDX-License-Identifier: GPL-3.0-or-later
#include "words/mesh_words.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "words/things.h"
#include "words/tr.h"
#include "words/words.h"

namespace shardscope::words {

namespace {

QString crossed(std::span<const std::int64_t> sizes)
{
    QStringList parts;
    for (const std::int64_t size : sizes)
        parts << count(size);
    return parts.join(QStringLiteral(" × "));
}

QString crossed(const HardwareMesh& sizes)
{
    return crossed(MeshShape(sizes.begin(), sizes.end()));
}

QString axisName(std::size_t axis, const std::vector<std::string>& names)
{
    return axis < names.size() ? fromStd(names[axis]) : Words::tr("axis %1").arg(axis + 1);
}

QString physicalName(char name)
{
    return name == 'c' ? Words::tr("core") : QString(QLatin1Char(name));
}

QString ringText(const std::vector<std::int32_t>& ring)
{
    QStringList parts;
    for (const std::int32_t device : ring)
        parts << QString::number(device);
    return parts.join(QLatin1Char(' '));
}

/// "data = x 4 × y 2 of 4".
QString shares(const AxisAssignment& assignment, std::size_t axis, const std::vector<std::string>& names)
{
    QStringList parts;
    for (std::size_t p = 0; p < assignment.physical.size(); ++p) {
        const std::int64_t share = assignment.share(p, axis);
        const PhysicalAxis& physical = assignment.physical[p];
        if (share == 1)
            continue;
        parts << (share == physical.size
                ? QStringLiteral("%1 %2").arg(physicalName(physical.name)).arg(share)
                : Words::tr("%1 %2 of %3").arg(physicalName(physical.name)).arg(share).arg(physical.size));
    }
    return Words::tr("%1 = %2").arg(
        axisName(axis, names), parts.isEmpty() ? QStringLiteral("1") : parts.join(QStringLiteral(" × ")));
}

QStringList assignmentReason(const MeshReason& reason, const std::vector<std::string>& names)
{
    const AxisAssignment& assignment = *reason.assignment;
    MeshShape physical;
    QStringList order;
    for (const PhysicalAxis& axis : assignment.physical) {
        physical.push_back(axis.size);
        order << physicalName(axis.name);
    }
    QStringList axes;
    for (std::size_t axis = 0; axis < assignment.rank(); ++axis)
        axes << shares(assignment, axis, names);
    if (axes.isEmpty())
        return { Words::tr("There is one device, and no mesh axis to lay it along.") };
    const QString machine = crossed(physical);
    QStringList stated;
    if (assignment.contiguous)
        stated << Words::tr("The physical axes were taken in the order %1, which makes submeshes contiguous.")
                      .arg(order.join(QStringLiteral(", ")));
    stated << (reason.rule == OrderRule::SplitAxes
            ? Words::tr("Mesh axes share the physical axes of %1: %2.").arg(machine, axes.join(QStringLiteral(", ")))
            : Words::tr("Every mesh axis is a product of whole physical axes of %1: %2.")
                  .arg(machine, axes.join(QStringLiteral(", "))));
    if (reason.rule == OrderRule::SplitAxes)
        stated << Words::tr("Inside a shared physical axis, neighbours belong to the later mesh axis.");
    if (reason.splitByKind)
        stated << Words::tr("On %1 they may be shared without being asked for.").arg(fromStd(reason.kind));
    return stated;
}

QString kindRule(const MeshReason& reason)
{
    const QString kind = fromStd(reason.kind);
    const QString ring = ringText(reason.ring);
    switch (reason.rule) {
    case OrderRule::AsListed:
        return Words::tr("%1 has no known topology: the devices stand in the order of listing.").arg(kind);
    case OrderRule::ById:
        return Words::tr("GPUs stand in the order of their ids.");
    case OrderRule::TrayRing:
        return Words::tr("The eight devices of a %1 tray stand in a ring, %2, whatever the shape.").arg(kind, ring);
    case OrderRule::TrayRingPerRow:
        return Words::tr("The last mesh axis is eight long: each row of a %1 stands in the ring of a tray, %2.")
            .arg(kind, ring);
    case OrderRule::TrayAsListed:
        return Words::tr("%1 has a ring for eight devices and for a last mesh axis of eight; this shape stands in the "
                         "order of listing.")
            .arg(kind);
    case OrderRule::SquareRing:
        return Words::tr("Four devices of a %1 stand in a ring, %2.").arg(kind, ring);
    case OrderRule::BoardRing:
    case OrderRule::BoardCube:
        return Words::tr("Eight devices of a %1 stand in the order of a board, %2, whatever the shape.")
            .arg(kind, ring);
    case OrderRule::BoardSnake:
        return Words::tr("One mesh axis takes a whole %1 of 4 × 4: it winds through it as a ring, %2.").arg(kind, ring);
    case OrderRule::CubeRing:
        return Words::tr("Eight devices of a %1 as 2 × 2 × 2 stand in a ring, %2.").arg(kind, ring);
    case OrderRule::ChipRings:
        return Words::tr("Every eight devices of a %1 stand in a ring, %2.").arg(kind, ring);
    default:
        return {};
    }
}

QStringList granuleReason(const MeshReason& reason, const std::vector<std::string>& names)
{
    const GranuleReason& granules = *reason.granules;
    QStringList stated;
    stated << (granules.byProcess
            ? Words::tr("There is one mesh of %1 per host; the %2 hosts stand side by side as %3.")
            : Words::tr("There is one mesh of %1 per slice; the %2 slices stand side by side as %3."))
                  .arg(crossed(granules.inner), count(static_cast<qint64>(granules.keys.size())),
                      crossed(granules.outer));
    QStringList over;
    for (std::size_t axis = 0; axis < granules.outer.size(); ++axis)
        if (granules.outer[axis] > 1)
            over << axisName(axis, names);
    if (!over.isEmpty())
        stated << (granules.byProcess ? Words::tr("Steps along %1 that leave a host use the data-center network.")
                                      : Words::tr("Steps along %1 that leave a slice use the data-center network."))
                      .arg(over.join(QStringLiteral(", ")));
    if (!granules.sorted)
        stated << Words::tr("They stand in the order in which they are listed, not of their numbers.");
    return stated;
}

QStringList submeshReason(const MeshReason& reason)
{
    const SubmeshReason& submesh = *reason.submesh;
    const bool tpu = submesh.bounds.size() == 4;
    QStringList stated;
    if (submesh.partitions)
        stated << Words::tr(
            "The table of default meshes has the submesh %1 for %2 of %3 here.", "4 partitions of TPU v4")
                      .arg(crossed(submesh.submesh), counted(*submesh.partitions, Thing::Partition),
                          fromStd(reason.kind));
    stated << (tpu
            ? Words::tr("Tiles of %1 (x, y, z, core) cover the %2 devices: model counts inside a tile, data counts "
                        "the tiles.")
            : Words::tr("Tiles of %1 (host, device) cover the %2 devices: model counts inside a tile, data counts "
                        "the tiles."))
                  .arg(crossed(submesh.submesh), crossed(submesh.bounds));
    switch (submesh.order) {
    case SubmeshReason::Order::Plain:
        break;
    case SubmeshReason::Order::ZMajorInYZ:
        stated << Words::tr("A tile is a whole row along x or a whole YZ plane: z counts before y, so that hosts keep "
                            "blocks of their own without tiling.");
        break;
    case SubmeshReason::Order::ZMajorInXZ:
        stated << Words::tr("A tile is a whole row along y or a whole XZ plane: z counts before x, so that hosts keep "
                            "blocks of their own without tiling.");
        break;
    case SubmeshReason::Order::TiledByHost:
        stated << Words::tr(
            "Hosts of %1 are counted first, then the devices inside them, so that a host keeps a block of "
            "its own.")
                      .arg(crossed(submesh.hostBounds));
        break;
    }
    return stated;
}

QStringList sentences(const MeshReason& reason, const std::vector<std::string>& names)
{
    if (reason.assignment)
        return assignmentReason(reason, names);
    if (reason.submesh)
        return submeshReason(reason);
    if (reason.rule == OrderRule::HostGrid)
        return { Words::tr("The hosts stand along data, the devices of a host along model; the number of partitions "
                           "plays no part on CPUs.") };
    if (!reason.granules)
        return { kindRule(reason) };
    QStringList stated = granuleReason(reason, names);
    if (!reason.inner.empty()) {
        stated << (reason.granules->byProcess ? Words::tr("Inside a host:") : Words::tr("Inside a slice:"));
        stated.last() += QStringLiteral(" ") + sentences(reason.inner.front(), names).join(QLatin1Char(' '));
    }
    return stated;
}

} // namespace

QString deviceSet(const DeviceSet& set)
{
    QString stated = Words::tr("%1 of kind %2: %3 × %4")
                         .arg(counted(set.count(), Noun::Device), fromStd(set.kind), counted(set.hosts, Noun::Host),
                             count(set.devicesPerHost));
    if (set.slices > 1)
        stated += Words::tr(", %1 slices").arg(count(set.slices));
    return stated;
}

QStringList meshReason(const DeviceArray& array, const std::vector<std::string>& names)
{
    QStringList stated;
    if (array.reason.usedOf)
        stated << Words::tr("The first %1 of %2 devices are used.")
                      .arg(count(static_cast<qint64>(array.ids.size())), count(*array.reason.usedOf));
    return stated + sentences(array.reason, names);
}

QString hostBlock(const HostBlock& block, const DeviceArray& array, const std::vector<std::string>& names)
{
    if (!block.contiguous())
        return Words::tr("host %1: %2, scattered over a block of %3")
            .arg(block.process)
            .arg(counted(block.devices, Noun::Device), crossed(block.shape));
    QStringList parts;
    for (std::size_t axis = 0; axis < block.shape.size(); ++axis) {
        const QString name = axisName(axis, names);
        parts << (block.shape[axis] == array.shape[axis]
                ? Words::tr("all of %1").arg(name)
                : Words::tr("%1 %2 (chunk %3 of %4)")
                      .arg(name, range(block.start[axis], block.start[axis] + block.shape[axis]),
                          count(block.chunk[axis]), count(block.chunks[axis])));
    }
    return Words::tr("host %1: %2").arg(block.process).arg(parts.join(QStringLiteral(", ")));
}

QString ruleName(OrderRule rule)
{
    using enum OrderRule;
    static constexpr std::pair<OrderRule, const char*> names[] = {
        { AsListed, "as_listed" },
        { ById, "by_id" },
        { TrayRing, "tray_ring" },
        { TrayRingPerRow, "tray_ring_per_row" },
        { TrayAsListed, "tray_as_listed" },
        { SquareRing, "square_ring" },
        { BoardRing, "board_ring" },
        { BoardCube, "board_cube" },
        { BoardSnake, "board_snake" },
        { CubeRing, "cube_ring" },
        { ChipRings, "chip_rings" },
        { FullAxes, "whole_axes" },
        { SplitAxes, "split_axes" },
        { Granules, "granules" },
        { Submesh, "submesh" },
        { HostGrid, "host_grid" },
    };
    const auto found =
        std::find_if(std::begin(names), std::end(names), [&](const auto& row) { return row.first == rule; });
    return found == std::end(names) ? QString() : QString::fromLatin1(found->second);
}

} // namespace shardscope::words
