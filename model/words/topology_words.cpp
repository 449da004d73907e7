// SPDX-License-Identifier: GPL-3.0-or-later
#include "words/topology_words.h"

#include "base/codes.h"
#include "sharding/text.h"
#include "words/device_list.h"
#include "words/listed.h"
#include "words/mesh_words.h"
#include "words/things.h"
#include "words/tr.h"
#include "words/words.h"

namespace shardscope::words {

namespace {

QString crossed(const std::array<std::int32_t, 3>& sizes)
{
    return QStringLiteral("%1 × %2 × %3").arg(count(sizes[0]), count(sizes[1]), count(sizes[2]));
}

QString axesText(const SpecEntry& entry)
{
    return texts(entry.axes, fromStd).join(QStringLiteral(", "));
}

QString failingAxis(const SubmeshFailure& failure, std::size_t axis)
{
    if (!failure.onChips)
        return axis == 0 ? Words::tr("hosts") : Words::tr("devices of a host");
    return axis == 3 ? Words::tr("cores") : QString(QLatin1Char("xyz"[axis]));
}

} // namespace

QString deviceFacts(const DeviceSet& devices)
{
    QStringList facts;
    if (devices.hasChipGrid()) {
        const std::int64_t chips = devices.count() / std::max(devices.coresPerChip, 1);
        facts << counted(chips, Noun::Chip) << counted(devices.count(), Noun::Device)
              << Words::tr("%1 of %2", "hosts of chips")
                     .arg(counted(devices.hosts, Noun::Host), crossed(devices.hostChips))
              << counted(devices.slices, Noun::Slice);
    } else if (!devices.own.empty()) {
        facts << Words::tr("%1 of an own list").arg(counted(devices.count(), Noun::Device))
              << counted(devices.hosts, Noun::Host);
        if (devices.hasCoordinates())
            facts << counted(devices.slices, Noun::Slice);
    } else {
        facts << counted(devices.count(), Noun::Device)
              << Words::tr("%1 of %2", "hosts of devices")
                     .arg(counted(devices.hosts, Noun::Host), count(devices.devicesPerHost));
    }
    return facts.join(QStringLiteral(", "));
}

QString wrapText(const DeviceSet& devices)
{
    if (!devices.hasChipGrid())
        return devices.own.empty() ? Words::tr("Devices of a host are joined by fast links, hosts by the network.")
                                   : Words::tr("Nothing is known of links that wrap around an own list.");
    const std::array<bool, 3> wraps = wraparound(devices);
    QStringList names;
    for (std::size_t i = 0; i < 3; ++i)
        if (wraps[i])
            names << QString(QLatin1Char("xyz"[i]));
    if (names.isEmpty())
        return Words::tr("No direction wraps around: rows of chips are open lines.");
    return names.size() == 1
        ? Words::tr("%1 wraps around: the last chip of a row is linked to the first.").arg(names.first())
        : Words::tr("%1 wrap around: the last chip of a row is linked to the first.").arg(listed(names));
}

QString orderName(const MeshSetting& mesh)
{
    if (!mesh.deviceOrder.empty())
        return Words::tr("as in the file");
    switch (mesh.order.method) {
    case OrderMethod::RowMajor:
        return Words::tr("in id order");
    case OrderMethod::AsListed:
        return Words::tr("as JAX lists them");
    case OrderMethod::CreateDeviceMesh:
        return QStringLiteral("create_device_mesh");
    case OrderMethod::MakeMesh:
        return QStringLiteral("make_mesh");
    case OrderMethod::Hybrid:
        return QStringLiteral("create_hybrid_device_mesh");
    case OrderMethod::T5x:
        return Words::tr("T5X default mesh");
    }
    return {};
}

QStringList orderReason(const MeshSetting& mesh, const MeshReason& reason)
{
    if (!mesh.deviceOrder.empty())
        return { Words::tr("Every place of the mesh has the device that the file names for it.") };
    if (mesh.order.method == OrderMethod::RowMajor)
        return { Words::tr("The devices fill the mesh in the order of their ids, the last axis first; the hardware "
                           "plays no part.") };
    if (mesh.order.method == OrderMethod::AsListed)
        return { Words::tr("The devices fill the mesh as jax.devices() lists them: host after host.") };
    DeviceArray array;
    std::vector<std::string> names;
    for (const MeshAxis& axis : mesh.axes) {
        array.shape.push_back(axis.size);
        names.push_back(axis.name);
    }
    array.reason = reason;
    return meshReason(array, names);
}

QString axisSteps(const QString& axis, const AxisSteps& steps, bool slices)
{
    const QString group = Words::tr("%1: %2 to a group").arg(axis, counted(steps.size, Noun::Device));
    if (steps.size == 1)
        return Words::tr("%1: a single device, no way to go.").arg(axis);
    if (steps.crosses)
        return slices ? Words::tr("%1; steps between slices use the data-center network.").arg(group)
                      : Words::tr("%1; steps between hosts use the data-center network.").arg(group);
    if (!steps.longest)
        return Words::tr("%1, inside a host.").arg(group);
    if (*steps.longest == 0)
        return Words::tr("%1, all on one chip.").arg(group);
    if (steps.isRing())
        return Words::tr("%1, a ring: every step is one link at most, the way back too.").arg(group);
    if (*steps.longest == 1)
        return Words::tr("%1, a line: every step is one link at most, the way back is %2.")
            .arg(group, counted(*steps.closing, Thing::Link));
    return Words::tr("%1; the longest step is %2, the way back %3.")
        .arg(group, counted(*steps.longest, Thing::Link), counted(*steps.closing, Thing::Link));
}

QString hostTitle(const HostIndex& index, const HostShare& chunks)
{
    DeviceArray array;
    std::vector<std::string> names;
    for (const MeshAxis& axis : index.snapshot().mesh->axes()) {
        array.shape.push_back(axis.size);
        names.push_back(axis.name);
    }
    QString block = hostBlock(chunks.block, array, names);
    if (!block.isEmpty())
        block[0] = block[0].toUpper();
    return Words::tr("%1. Its devices: %2.").arg(block, deviceRanges(chunks.devices));
}

QString hostWrites(const HostShare& chunks)
{
    if (!chunks.chunker) {
        const ProblemText text = describe(chunks.chunker.error());
        QString cause = text.cause;
        if (!cause.isEmpty())
            cause[0] = cause[0].toUpper();
        return Words::tr("%1. %2").arg(cause, text.remedy);
    }
    if (chunks.state == 0)
        return Words::tr("There is no train state to write.");
    if (chunks.written == 0)
        return Words::tr("It writes nothing of the %1 of the train state: other hosts hold the same and write it.")
            .arg(bytes(static_cast<double>(chunks.state)));
    return Words::tr("It writes %1 of the %2 of the train state to a checkpoint.")
        .arg(bytes(static_cast<double>(chunks.written)), bytes(static_cast<double>(chunks.state)));
}

QString hostAddresses(const HostIndex& index, const HostShare& chunks)
{
    const std::int64_t all = index.snapshot().mesh->deviceCount();
    const auto own = static_cast<std::int64_t>(chunks.devices.size());
    if (own == all)
        return Words::tr("It addresses all devices: every array is fully addressable there.");
    return Words::tr("It addresses %1 of the %2: arrays that lie on all of them are not fully addressable there.")
        .arg(count(own), counted(all, Noun::Device));
}

QString hostBatch(const HostBatch& batch)
{
    if (!batch.layout) {
        const ProblemText text = describe(batch.layout.error());
        return Words::tr("The batch cannot be split: %1. %2").arg(text.cause, text.remedy);
    }
    const DataLayout& layout = *batch.layout;
    if (batch.dataAxis.axes.empty() || layout.shards == 1)
        return batch.dataAxis.axes.empty()
            ? Words::tr("No mesh axis shards the batch of %1: every host reads all of it.", "32 rows")
                  .arg(counted(batch.rows, Thing::Row))
            : Words::tr("All hosts stand in one part of %1: every one reads the full batch of %2.", "axes, 32 rows")
                  .arg(axesText(batch.dataAxis), counted(batch.rows, Thing::Row));
    const IndexRange rows = batch.range();
    return (layout.firstHostInReplicaSet
            ? Words::tr("Of the batch of %1 rows it reads rows %2, part %3 of %4 along %5.")
            : Words::tr("Of the batch of %1 rows it reads rows %2, part %3 of %4 along %5, as another host does."))
        .arg(count(batch.rows), range(rows.begin, rows.end), count(layout.shardId + 1), count(layout.shards),
            axesText(batch.dataAxis));
}

QString chunkText(const HostArray& array, const TensorRow& tensor)
{
    if (!array.shards.empty()) {
        constexpr std::size_t maxTold = 6;
        if (tensor.layout.distinctShards() == 1)
            return Words::tr("full array");
        if (array.shards.size() == 1) {
            const std::vector<IndexRange> held = tensor.layout.rangesOfShard(array.shards.front());
            QStringList parts;
            for (std::size_t dim = 0; dim < held.size(); ++dim)
                parts << (held[dim].size() == tensor.type.shape[dim] ? Words::tr("all", "of a dimension")
                        : held[dim].size() == 0                      ? Words::tr("padding")
                                                                     : range(held[dim].begin, held[dim].end));
            return parts.join(QStringLiteral(", "));
        }
        QStringList told;
        for (std::size_t i = 0; i < std::min(array.shards.size(), maxTold); ++i)
            told << count(array.shards[i]);
        if (array.shards.size() > maxTold)
            told << QStringLiteral("…");
        return Words::tr("shards %1 of %2").arg(told.join(QStringLiteral(", ")), count(tensor.layout.distinctShards()));
    }
    if (!array.chunk)
        return Words::tr("no single chunk");
    QStringList parts;
    bool sharded = false;
    for (std::size_t dim = 0; dim < array.chunk->slice.size(); ++dim) {
        const auto& slice = array.chunk->slice[dim];
        const std::int64_t size = tensor.type.shape[dim];
        const bool part = slice && slice->size() != size;
        sharded = sharded || part;
        parts << (part ? range(slice->begin, slice->end) : Words::tr("all", "of a dimension"));
    }
    return sharded ? parts.join(QStringLiteral(", ")) : Words::tr("full array");
}

QString writesText(const HostArray& array, std::int32_t host)
{
    if (!array.inCheckpoint)
        return Words::tr("not in checkpoints");
    if (!array.chunk)
        return QStringLiteral("–");
    if (array.writer == host)
        return bytes(static_cast<double>(array.bytes));
    return array.writer ? Words::tr("host %1 writes it").arg(*array.writer) : Words::tr("another host writes it");
}

QString hostArrayTip(const HostArray& array, const TensorRow& tensor)
{
    if (!array.shards.empty()) {
        const ProblemText why = describe(array.chunk.error());
        return Words::tr("%1\n%2\nThe devices hold %3 of it. No chunk: %4.", "path, shape and spec, bytes, reason")
            .arg(fromStd(tensor.path), shape(tensor.type.shape) + QLatin1Char(' ') + fromStd(toColumn(tensor.spec)),
                bytes(static_cast<double>(array.bytes)), why.cause);
    }
    QStringList lines{ fromStd(tensor.path),
        shape(tensor.type.shape) + QLatin1Char(' ') + fromStd(toColumn(tensor.spec)) };
    if (array.inCheckpoint)
        lines << (array.writers == 1 ? Words::tr("One host writes all of it.")
                                     : Words::tr("%1 hosts write a part of it each.").arg(count(array.writers)));
    for (std::size_t dim = 0; dim < array.chunk->uncovered.size(); ++dim)
        if (array.chunk->uncovered[dim] > 0)
            lines << describe(
                { Code::ChunkTruncated,
                    { { "dim", dim }, { "size", tensor.type.shape[dim] },
                        { "chunks",
                            array.chunk->slice[dim]->size() == 0
                                ? std::int64_t{ 1 }
                                : tensor.type.shape[dim] / array.chunk->slice[dim]->size() },
                        { "uncovered", array.chunk->uncovered[dim] } },
                    {} }).cause;
    return lines.join(QLatin1Char('\n'));
}

QString submeshFailureText(const SubmeshFailure& failure, const SubmeshFailure::Part& part)
{
    const QString axis = failingAxis(failure, part.axis);
    const QString asked = count(part.asked), there = count(part.there);
    switch (part.cause) {
    case SubmeshFailure::Cause::TooLong:
        return Words::tr("%1: the submesh asks for %2, there are %3.", "x: 8, 4").arg(axis, asked, there);
    case SubmeshFailure::Cause::LeftOver:
        return Words::tr("%1: %2 does not divide %3; what is hatched is left over.", "x: 3, 4").arg(axis, asked, there);
    case SubmeshFailure::Cause::SplitHosts:
        return Words::tr("%1: %2 neither divides the %3 of a host nor is a multiple of them; the hatched hosts "
                         "are split.",
            "x: 3, 2")
            .arg(axis, asked, there);
    case SubmeshFailure::Cause::HostsLeftOver:
        return Words::tr("%1: hosts of %2 do not fill %3; the hatched devices are left over.", "x: 2, 3")
            .arg(axis, asked, there);
    case SubmeshFailure::Cause::OtherCores:
        return Words::tr("%1: the submesh has %2 of the %3 of each chip; the hatched ones are missing.", "cores: 1, 2")
            .arg(axis, asked, there);
    }
    return {};
}

} // namespace shardscope::words
