// SPDX-License-Identifier: GPL-3.0-or-later
#include "mesh/host_block.h"

#include <algorithm>

#include "base/codes.h"
#include "mesh/shape_checks.h"

namespace shardscope {

namespace {

/// The host of every device of a set, by id. Hosts are numbered by ascending process.
class Hosts {
public:
    explicit Hosts(const DeviceSet& set)
    {
        const DeviceList all(set);
        std::int32_t largest = 0;
        all.forEach([&](const DevicePlace& place) {
            largest = std::max(largest, place.id);
            if (processes.empty() || processes.back() != place.process)
                processes.push_back(place.process);
        });
        std::sort(processes.begin(), processes.end());
        processes.erase(std::unique(processes.begin(), processes.end()), processes.end());
        m_host.resize(static_cast<std::size_t>(largest) + 1);
        std::size_t host = 0;
        all.forEach([&](const DevicePlace& place) {
            if (processes[host] != place.process)
                host = static_cast<std::size_t>(
                    std::lower_bound(processes.begin(), processes.end(), place.process) - processes.begin());
            m_host[static_cast<std::size_t>(place.id)] = static_cast<std::uint32_t>(host);
        });
    }
    std::size_t of(std::int32_t id) const { return m_host[static_cast<std::size_t>(id)]; }

    std::vector<std::int32_t> processes;

private:
    std::vector<std::uint32_t> m_host;
};

} // namespace

bool HostBlock::contiguous() const
{
    return productOf(shape) == devices;
}

std::vector<HostBlock> hostBlocks(const DeviceArray& array, const DeviceSet& set)
{
    const Hosts hosts(set);
    const std::size_t rank = array.shape.size();
    const std::size_t count = hosts.processes.size();
    std::vector<std::int64_t> devices(count, 0);
    MeshShape low(count * rank, 0); // rank entries per host
    MeshShape high(count * rank, -1);
    MeshShape index(rank, 0);
    for (const std::int32_t id : array.ids) {
        const std::size_t host = hosts.of(id);
        const bool first = devices[host]++ == 0;
        for (std::size_t axis = 0; axis < rank; ++axis) {
            std::int64_t& lowest = low[host * rank + axis];
            lowest = first ? index[axis] : std::min(lowest, index[axis]);
            std::int64_t& highest = high[host * rank + axis];
            highest = std::max(highest, index[axis]);
        }
        for (std::size_t axis = rank; axis-- > 0;) {
            if (++index[axis] < array.shape[axis])
                break;
            index[axis] = 0;
        }
    }
    std::vector<HostBlock> blocks;
    blocks.reserve(count);
    for (std::size_t host = 0; host < count; ++host) {
        if (devices[host] == 0)
            continue;
        HostBlock block{ hosts.processes[host], devices[host], {}, {}, {}, {} };
        for (MeshShape* shape : { &block.start, &block.shape, &block.chunks, &block.chunk })
            shape->reserve(rank);
        for (std::size_t axis = 0; axis < rank; ++axis) {
            const std::int64_t start = low[host * rank + axis];
            const std::int64_t size = high[host * rank + axis] - start + 1;
            block.start.push_back(start);
            block.shape.push_back(size);
            block.chunks.push_back(array.shape[axis] / size);
            block.chunk.push_back(start / size);
        }
        blocks.push_back(std::move(block));
    }
    return blocks;
}

Result<HostBlock> hostBlock(const DeviceArray& array, const DeviceSet& set, std::int32_t process)
{
    const std::vector<HostBlock> blocks = hostBlocks(array, set);
    const auto found = std::find_if(
        blocks.begin(), blocks.end(), [process](const HostBlock& block) { return block.process == process; });
    if (found == blocks.end())
        return fail(Code::NoLocalDevices, { { "host", process } });
    if (!found->contiguous())
        return fail(Code::LocalDevicesNotContiguous,
            { { "host", process }, { "devices", found->devices }, { "block", productOf(found->shape) } });
    return *found;
}

} // namespace shardscope
