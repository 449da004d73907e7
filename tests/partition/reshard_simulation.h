// SPDX-License-Identifier: GPL-3.0-or-later
// Reshards on real index ranges: devices know nothing but what they hold and what the members of their group send them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "partition/reshard.h"

namespace shardscope {

/// Per device and element what the device has of it: a set of addends (one bit each; bit 0 alone where nothing is
/// partial), 0 for nothing.
using Holdings = std::vector<std::vector<std::uint64_t>>;

inline Holdings holdingsOf(const MeshPtr& mesh, const TensorSharding& sharding, const Shape& shape)
{
    const Layout layout(mesh, sharding, shape);
    Holdings current(static_cast<std::size_t>(mesh->deviceCount()));
    for (std::int64_t p = 0; p < mesh->deviceCount(); ++p) {
        std::uint64_t addend = 0;
        for (const AxisRef& ref : sharding.unreduced)
            addend = addend * static_cast<std::uint64_t>(ref.size)
                + static_cast<std::uint64_t>(mesh->coordinate(p, static_cast<std::size_t>(ref.axis))
                    / (mesh->size(static_cast<std::size_t>(ref.axis)) / ref.next()) % ref.size);
        const std::vector<IndexRange> ranges = layout.rangesAt(p);
        std::vector<std::uint64_t> bits{ std::uint64_t{ 1 } << addend };
        for (std::size_t d = 0; d < shape.size(); ++d) {
            std::vector<std::uint64_t> next;
            for (const std::uint64_t outer : bits)
                for (std::int64_t i = 0; i < shape[d]; ++i)
                    next.push_back(i >= ranges[d].begin && i < ranges[d].end ? outer : 0);
            bits = std::move(next);
        }
        current[static_cast<std::size_t>(mesh->deviceAt(p))] = std::move(bits);
    }
    return current;
}

struct Simulated {
    std::string wrong; ///< empty: every device holds its target block at the end, and nothing else
    std::int64_t maxReceived = 0; ///< bytes that the device that gets most gets from others
};

/// `fromAnywhere`: devices may take what they lack from all others, as dimensions that do not divide need it.
inline Simulated simulate(const Reshard& reshard, const std::vector<ReshardStep>& steps, bool fromAnywhere = false)
{
    const auto mesh = std::make_shared<const Mesh>(*reshard.mesh);
    const auto source = reshard.sourceMesh ? std::make_shared<const Mesh>(*reshard.sourceMesh) : mesh;
    const Shape& shape = reshard.type.shape;
    Simulated result;
    Holdings current = holdingsOf(source, reshard.from, shape);
    std::vector<std::int64_t> received(current.size());
    TensorSharding before = reshard.from;
    for (const ReshardStep& step : steps) {
        const Collective& collective = step.collective;
        const std::string kind(name(collective.kind));
        const MeshPtr& on = step.sourceOrder ? source : mesh;
        const AxisList axes = axesOf(collective);
        auto groups = axisGroups(*on, axes);
        if (groups.front().size() < 2)
            return { kind + " without partners" };
        const Shape local = shardShape(before, shape);
        if (ringBytes(collective.kind, product(axes), TensorType{ reshard.type.dtype, local }.byteCount())
            != collective.sentBytes)
            return { kind + ": bytes do not fit the group and the local shape" };
        if (fromAnywhere) {
            groups.assign(1, {});
            for (std::int32_t p = 0; p < static_cast<std::int32_t>(current.size()); ++p)
                groups.front().push_back(p);
        }
        const bool adds =
            collective.kind == CollectiveKind::AllReduce || collective.kind == CollectiveKind::ReduceScatter;
        TensorSharding blocks = step.after;
        blocks.unreduced.clear();
        const Holdings wanted = holdingsOf(on, blocks, shape);
        Holdings next(current.size());
        for (const auto& group : groups) {
            for (const std::int32_t position : group) {
                const auto device = static_cast<std::size_t>(on->deviceAt(position));
                std::vector<std::uint64_t>& now = next[device];
                now.assign(current[device].size(), 0);
                bool possible = true;
                for (std::size_t i = 0; i < now.size(); ++i) {
                    if (wanted[device][i] == 0)
                        continue;
                    now[i] = current[device][i];
                    if (collective.kind == CollectiveKind::AllSlice) {
                        possible = possible && now[i] != 0;
                        continue;
                    }
                    const std::uint64_t own = now[i];
                    for (const std::int32_t member : group) {
                        const std::uint64_t there = current[static_cast<std::size_t>(on->deviceAt(member))][i];
                        if (adds || (now[i] == 0 && there != 0))
                            now[i] |= there;
                    }
                    possible = possible && now[i] != 0;
                    received[device] += now[i] != own ? TensorType{ reshard.type.dtype, { 1 } }.byteCount() : 0;
                }
                if (collective.kind == CollectiveKind::CollectivePermute && !fromAnywhere)
                    possible = possible && std::any_of(group.begin(), group.end(), [&](std::int32_t member) {
                        return current[static_cast<std::size_t>(on->deviceAt(member))] == now;
                    });
                if (!possible)
                    return { kind + " wants what its group does not hold" };
            }
        }
        current = std::move(next);
        before = step.after;
    }
    Holdings target = holdingsOf(mesh, reshard.to, shape);
    // What was partial and is not any more has all its addends.
    std::int64_t addends = 1;
    for (const AxisRef& ref : reshard.from.unreduced)
        addends *= ref.size;
    if (reshard.to.unreduced.empty() && addends > 1)
        for (auto& device : target)
            for (std::uint64_t& element : device)
                element = element == 0 ? 0 : (std::uint64_t{ 1 } << addends) - 1;
    if (current != target)
        result.wrong = "something else than the target is held at the end";
    result.maxReceived = *std::max_element(received.begin(), received.end());
    return result;
}

} // namespace shardscope
