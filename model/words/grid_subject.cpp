// SPDX-License-Identifier: GPL-3.0-or-later
#include "words/grid_subject.h"

#include <QCoreApplication>
#include <algorithm>

#include "words/collective_texts.h"
#include "words/device_list.h"
#include "words/listed.h"
#include "words/words.h"

namespace shardscope {

namespace {

struct ShardGrid {
    Q_DECLARE_TR_FUNCTIONS(ShardGrid)
};

} // namespace

QString GridSubject::dimensionName(int dimension) const
{
    const auto d = static_cast<std::size_t>(dimension);
    if (d < names.size() && !names[d].empty())
        return QString::fromStdString(names[d]);
    return ShardGrid::tr("dimension %1").arg(dimension);
}

QString GridSubject::shortName(int dimension) const
{
    const auto d = static_cast<std::size_t>(dimension);
    return d < names.size() && !names[d].empty() ? dimensionName(dimension) : ShardGrid::tr("dim %1").arg(dimension);
}

QString GridSubject::axesOf(int dimension) const
{
    QString text;
    for (const auto& [mark, axis] : axisMarks(dimension))
        text += mark;
    return text;
}

std::vector<std::pair<QString, int>> GridSubject::axisMarks(int dimension) const
{
    std::vector<std::pair<QString, int>> marks;
    if (dimension < 0)
        return marks;
    for (const AxisRef& ref : layout.sharding().dims[static_cast<std::size_t>(dimension)].axes)
        marks.emplace_back((marks.empty() ? QStringLiteral("@") : QStringLiteral(", "))
                + QString::fromStdString(toString(mesh(), ref)),
            ref.axis);
    return marks;
}

QString GridSubject::titleOf(int dimension) const
{
    const QString axes = axesOf(dimension);
    return axes.isEmpty() ? dimensionName(dimension) : dimensionName(dimension) + QLatin1Char(' ') + axes;
}

QString GridSubject::blockText(int dimension, std::int64_t block) const
{
    const auto d = static_cast<std::size_t>(dimension);
    const std::int64_t elements = layout.shardShape()[d], size = layout.shape()[d];
    const std::int64_t begin = std::min(block * elements, size), end = std::min(begin + elements, size);
    if (begin == end)
        return ShardGrid::tr("%1: padding only").arg(dimensionName(dimension));
    return elements == 1 ? ShardGrid::tr("%1 = %2").arg(dimensionName(dimension), QString::number(begin))
                         : dimensionName(dimension) + QLatin1Char(' ') + words::range(begin, end);
}

int GridSubject::firstAxis(int dimension) const
{
    if (dimension < 0)
        return -1;
    const AxisList& axes = layout.sharding().dims[static_cast<std::size_t>(dimension)].axes;
    return axes.empty() ? -1 : axes.front().axis;
}

QStringList GridSubject::copyAxes() const
{
    return words::namesOf(mesh(), replicatedAxes(layout.sharding(), mesh()));
}

std::int64_t GridSubject::shardBytes() const
{
    std::int64_t elements = 1;
    for (const std::int64_t size : layout.shardShape())
        elements *= size;
    return elements * elementBytes;
}

std::vector<std::int32_t> addendsOfOneCopy(const Layout& layout, const DeviceGroup& holders)
{
    if (layout.copies() == 1 || holders.empty())
        return holders.ids();
    const Mesh& mesh = layout.mesh();
    const auto first = static_cast<std::int32_t>(mesh.positionOf(holders.deviceAt(0)));
    for (const std::vector<std::int32_t>& group : axisGroups(mesh, layout.sharding().unreduced)) {
        if (std::find(group.begin(), group.end(), first) == group.end())
            continue;
        std::vector<std::int32_t> ids;
        for (const std::int32_t position : group)
            ids.push_back(mesh.deviceAt(position));
        return ids;
    }
    return holders.ids();
}

QString listDevices(const DeviceGroup& devices)
{
    const std::int64_t count = devices.size();
    if (count == 0)
        return {};
    if (count > 8) {
        const QString all = words::counted(count, words::Noun::Device);
        return (devices.isRange()
                ? ShardGrid::tr("%1, %2", "d0 … d511, 512 devices").arg(words::deviceNames(devices), all)
                : ShardGrid::tr("%1 (%2)", "16 devices (d1, d5, …, d61)").arg(all, words::deviceNames(devices)));
    }
    QStringList names;
    for (std::int64_t n = 0; n < count; ++n)
        names << QStringLiteral("d%1").arg(devices.deviceAt(n));
    return words::listed(names);
}

CellText describeCell(const GridSubject& subject, std::int64_t shard)
{
    const Layout& layout = subject.layout;
    CellText text;
    text.title = ShardGrid::tr("Shard %1").arg(shard);
    QStringList ranges;
    const std::vector<IndexRange> blocks = layout.rangesOfShard(shard);
    for (std::size_t d = 0; d < blocks.size(); ++d) {
        const QString name = subject.dimensionName(static_cast<int>(d));
        ranges << (blocks[d].size() > 0 ? name + QLatin1Char(' ') + words::range(blocks[d].begin, blocks[d].end)
                                        : ShardGrid::tr("%1: padding only").arg(name));
        if (blocks[d].size() < layout.shardShape()[d])
            text.padding =
                ShardGrid::tr("%1 here: %2.", "hidden here: 2 of 3 are padding")
                    .arg(name, words::paddingOf(layout.shardShape()[d] - blocks[d].size(), layout.shardShape()[d]));
    }
    text.ranges = ranges.join(QStringLiteral(", "));
    const DeviceGroup holders = DeviceGroup::holders(layout, shard);
    const QString bytes = words::bytes(static_cast<double>(subject.shardBytes()));
    if (layout.addends() > 1 && layout.copies() > 1)
        text.holding = ShardGrid::tr("%1 each hold one of %2 partial sums, %3 each; %4 hold the same one.")
                           .arg(listDevices(holders), words::count(layout.addends()), bytes,
                               words::counted(layout.copies(), words::Noun::Device));
    else if (layout.addends() > 1)
        text.holding = ShardGrid::tr("%1 each hold a partial sum, %2 each.").arg(listDevices(holders), bytes);
    else if (holders.size() == 1)
        text.holding = ShardGrid::tr("%1 alone holds it, %2.").arg(listDevices(holders), bytes);
    else
        text.holding = ShardGrid::tr("%1 hold the same data, %2 each.").arg(listDevices(holders), bytes);
    if (layout.copies() > 1)
        text.copies = ShardGrid::tr("Copies along %1.").arg(subject.copyAxes().join(QStringLiteral(", ")));
    return text;
}

} // namespace shardscope
