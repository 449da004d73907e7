// SPDX-License-Identifier: GPL-3.0-or-later
#include "words/device_list.h"

#include <algorithm>

#include "words/listed.h"
#include "words/tr.h"
#include "words/words.h"

namespace shardscope::words {

namespace {

constexpr std::int64_t maxNamed = 4;

QString name(std::int32_t id)
{
    return QStringLiteral("d") + QString::number(id);
}

} // namespace

QString deviceNames(const DeviceGroup& group)
{
    const std::int64_t count = group.size();
    if (count > maxNamed) {
        if (group.isRange())
            return Words::tr("%1 … %2").arg(name(group.deviceAt(0)), name(group.deviceAt(count - 1)));
        return Words::tr("%1, %2, …, %3", "devices: the first, the second and the last of many")
            .arg(name(group.deviceAt(0)), name(group.deviceAt(1)), name(group.deviceAt(count - 1)));
    }
    QStringList names;
    for (std::int64_t n = 0; n < count; ++n)
        names << name(group.deviceAt(n));
    return names.join(QStringLiteral(", "));
}

QString devices(const DeviceGroup& group)
{
    if (group.size() <= maxNamed || group.isRange())
        return deviceNames(group);
    return Words::tr("%1: %2", "16 devices: d1, d5, …, d61")
        .arg(counted(group.size(), Noun::Device), deviceNames(group));
}

QString devices(std::span<const std::int32_t> ids)
{
    return devices(DeviceGroup(std::vector<std::int32_t>(ids.begin(), ids.end())));
}

QString deviceRanges(std::vector<std::int32_t> ids)
{
    std::sort(ids.begin(), ids.end());
    QStringList runs;
    for (const auto& [first, last] : runsOf(std::span<const std::int32_t>(ids)))
        runs << (first == last ? name(first)
                               : Words::tr("%1–%2", "devices from one to another").arg(name(first), name(last)));
    if (runs.size() > maxNamed)
        return Words::tr("%1, %2, …, %3", "devices: the first, the second and the last of many")
            .arg(runs[0], runs[1], runs.last());
    return runs.join(QStringLiteral(", "));
}

QString shardCount(const Layout& layout)
{
    const QString devices = counted(layout.mesh().deviceCount(), Noun::Device);
    const std::int64_t shards = layout.distinctShards();
    if (layout.mesh().deviceCount() == 1)
        return devices;
    if (shards == 1)
        return Words::tr("%1, all with the same shard").arg(devices);
    return Words::tr("%1, %2 different shards").arg(devices, count(shards));
}

} // namespace shardscope::words
