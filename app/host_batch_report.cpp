// SPDX-License-Identifier: GPL-3.0-or-later
// Declared in mesh_report.h.
#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

#include "mesh_report.h"
#include "words/words.h"

namespace shardscope::cli {

namespace {

/// The axes that carry the batch, as T5X' partitioner has them.
SpecEntry batchAxes(const std::vector<std::string>& names)
{
    std::vector<std::string> axes;
    for (const char* each : { "replica", "data" })
        if (std::find(names.begin(), names.end(), each) != names.end())
            axes.emplace_back(each);
    return axes.empty() ? SpecEntry::none() : SpecEntry::tuple(std::move(axes));
}

} // namespace

Result<std::vector<DataLayout>> hostBatches(const DeviceArray& array, const std::vector<std::string>& names,
    std::span<const HostBlock> hosts, std::int64_t batch)
{
    const SpecEntry dataAxes = batchAxes(names);
    std::vector<MeshAxis> axes;
    if (!dataAxes.axes.empty())
        for (std::size_t axis = 0; axis < array.shape.size(); ++axis)
            axes.push_back({ names[axis], array.shape[axis] });
    SHARDSCOPE_TRY(mesh, Mesh::create(std::move(axes)));
    LocalChunker chunker(std::move(*mesh));
    std::vector<DataLayout> layouts;
    for (const HostBlock& host : hosts) {
        if (!dataAxes.axes.empty())
            SHARDSCOPE_CHECK(chunker.moveTo(host));
        SHARDSCOPE_TRY(layout, dataLayout(chunker, host.process, dataAxes, batch));
        layouts.push_back(*layout);
    }
    return layouts;
}

Json dataLayoutJson(const DataLayout& layout)
{
    Json json{ { "batch_size", nullptr }, { "shard_id", layout.shardId }, { "num_shards", layout.shards },
        { "first_host_in_replica_set", layout.firstHostInReplicaSet } };
    if (layout.batchSize)
        json["batch_size"] = *layout.batchSize;
    return json;
}

Table hostBatchTable(std::span<const HostBlock> hosts, std::span<const DataLayout> layouts)
{
    Table table{ "Host>", "Rows", "Shard>", "Shards>", "First of its replica set" };
    for (std::size_t i = 0; i < hosts.size(); ++i) {
        const DataLayout& layout = layouts[i];
        const std::int64_t rows = layout.batchSize.value_or(0) / layout.shards;
        table.rows.push_back({ QString::number(hosts[i].process),
            rows > 0 ? words::range(layout.shardId * rows, (layout.shardId + 1) * rows) : QStringLiteral("all"),
            QString::number(layout.shardId), QString::number(layout.shards),
            layout.firstHostInReplicaSet ? QStringLiteral("yes") : QStringLiteral("no") });
    }
    return table;
}

} // namespace shardscope::cli
