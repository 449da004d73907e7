// SPDX-License-Identifier: GPL-3.0-or-later
#include "mesh/host_block.h"

#include <algorithm>

#include "base/codes.h"
#include "mesh/shape_checks.h"

namespace shardscope {

namespace {

/// Blocks of those hosts, ascending, that have devices in the mesh.
std::vector<HostBlock> blocksOf(
    const MeshShape& shape, std::span<const std::int32_t> hosts, const std::vector<std::int32_t>& processes)
{
    const std::size_t rank = shape.size();
    const std::size_t count = processes.size();
    std::vector<std::int64_t> devices(count, 0);
    MeshShape low(count * rank, 0); // rank entries per host
    MeshShape high(count * rank, -1);
    MeshShape index(rank, 0);
    std::size_t host = 0;
    for (const std::int32_t process : hosts) {
        if (host == count || processes[host] != process)
            host = static_cast<std::size_t>(
                std::lower_bound(processes.begin(), processes.end(), process) - processes.begin());
        if (host < count && processes[host] == process) {
            const bool first = devices[host]++ == 0;
            for (std::size_t axis = 0; axis < rank; ++axis) {
                std::int64_t& lowest = low[host * rank + axis];
                lowest = first ? index[axis] : std::min(lowest, index[axis]);
                std::int64_t& highest = high[host * rank + axis];
                highest = std::max(highest, index[axis]);
            }
        }
        for (std::size_t axis = rank; axis-- > 0;) {
            if (++index[axis] < shape[axis])
                break;
            index[axis] = 0;
        }
    }
    std::vector<HostBlock> blocks;
    blocks.reserve(count);
    for (host = 0; host < count; ++host) {
        if (devices[host] == 0)
            continue;
        HostBlock block{ processes[host], devices[host], {}, {}, {}, {} };
        for (MeshShape* part : { &block.start, &block.shape, &block.chunks, &block.chunk })
            part->reserve(rank);
        for (std::size_t axis = 0; axis < rank; ++axis) {
            const std::int64_t start = low[host * rank + axis];
            const std::int64_t size = high[host * rank + axis] - start + 1;
            block.start.push_back(start);
            block.shape.push_back(size);
            block.chunks.push_back(shape[axis] / size);
            block.chunk.push_back(start / size);
        }
        blocks.push_back(std::move(block));
    }
    return blocks;
}

} // namespace

bool HostBlock::contiguous() const
{
    return productOf(shape) == devices;
}

std::vector<std::int32_t> hostsOf(std::span<const std::int32_t> ids, const DeviceSet& set)
{
    std::vector<std::int32_t> byId;
    byId.reserve(static_cast<std::size_t>(set.count()));
    DeviceList(set).forEach([&](const DevicePlace& place) {
        const auto id = static_cast<std::size_t>(place.id);
        if (byId.size() <= id)
            byId.resize(id + 1, -1);
        byId[id] = place.process;
    });
    std::vector<std::int32_t> hosts;
    hosts.reserve(ids.size());
    for (const std::int32_t id : ids)
        hosts.push_back(static_cast<std::size_t>(id) < byId.size() ? byId[static_cast<std::size_t>(id)] : -1);
    return hosts;
}

std::vector<HostBlock> hostBlocks(const DeviceArray& array, const DeviceSet& set)
{
    return hostBlocks(array.shape, hostsOf(array.ids, set));
}

std::vector<HostBlock> hostBlocks(const MeshShape& shape, std::span<const std::int32_t> hosts)
{
    std::vector<std::int32_t> processes;
    for (const std::int32_t process : hosts)
        if (processes.empty() || processes.back() != process)
            processes.push_back(process);
    std::sort(processes.begin(), processes.end());
    processes.erase(std::unique(processes.begin(), processes.end()), processes.end());
    return blocksOf(shape, hosts, processes);
}

Result<HostBlock> hostBlock(const MeshShape& shape, std::span<const std::int32_t> hosts, std::int32_t process)
{
    std::vector<HostBlock> found = blocksOf(shape, hosts, { process });
    if (found.empty())
        return fail(Code::NoLocalDevices, { { "host", process } });
    // The block around the devices holds others as well exactly when it holds more than their number.
    if (!found.front().contiguous())
        return fail(Code::LocalDevicesNotContiguous,
            { { "host", process }, { "devices", found.front().devices }, { "block", productOf(found.front().shape) } });
    return std::move(found.front());
}

} // namespace shardscope
