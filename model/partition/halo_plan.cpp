// SPDX-License-Identifier: GPL-3.0-or-later
#include "partition/halo_plan.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "partition/device_numbers.h"

namespace shardscope {

namespace {

/// More messages than that are no exchange between neighbours any more.
constexpr std::size_t maxEdges = 1U << 20U;

std::int64_t sentIn(const std::vector<HaloPlan::Round>& rounds)
{
    return std::accumulate(rounds.begin(), rounds.end(), std::int64_t{ 0 },
        [](std::int64_t sum, const HaloPlan::Round& round) { return sum + round.elements; });
}

void add(HaloPlan::Round& round, const HaloPlan::Edge& edge)
{
    round.elements = std::max(round.elements, edge.elements);
    round.edges.push_back(edge);
}

/// One round for each distance between sender and receiver.
std::vector<HaloPlan::Round> byDistance(const std::vector<HaloPlan::Edge>& edges)
{
    std::map<std::pair<std::size_t, std::int64_t>, HaloPlan::Round> rounds;
    for (const HaloPlan::Edge& edge : edges)
        add(rounds[{ edge.input, edge.target - edge.source }], edge);
    std::vector<HaloPlan::Round> list;
    for (auto& [distance, round] : rounds)
        list.push_back(std::move(round));
    return list;
}

/// As few rounds as come out of putting each edge, the longest first, into the first round that has room for it. What a
/// round sends beyond an edge comes from the same block, which has to be long enough.
std::vector<HaloPlan::Round> packed(
    std::vector<HaloPlan::Edge> edges, std::int64_t devices, const std::vector<std::int64_t>& blocks)
{
    std::stable_sort(edges.begin(), edges.end(),
        [](const HaloPlan::Edge& a, const HaloPlan::Edge& b) { return a.elements > b.elements; });
    std::vector<HaloPlan::Round> rounds;
    std::vector<std::vector<char>> sends, receives;
    const auto at = [](std::int64_t device) { return static_cast<std::size_t>(device); };
    for (const HaloPlan::Edge& edge : edges) {
        std::size_t r = 0;
        while (r < rounds.size()
            && (sends[r][at(edge.source)] != 0 || receives[r][at(edge.target)] != 0
                || blocks[edge.input] < rounds[r].elements))
            ++r;
        if (r == rounds.size()) {
            rounds.emplace_back();
            sends.emplace_back(at(devices), 0);
            receives.emplace_back(at(devices), 0);
        }
        add(rounds[r], edge);
        sends[r][at(edge.source)] = receives[r][at(edge.target)] = 1;
    }
    return rounds;
}

HaloPlan reversedPlan(std::int64_t devices, std::int64_t block)
{
    HaloPlan plan;
    plan.devices = devices;
    plan.delta = plan.length = block;
    plan.reversed = true;
    HaloPlan::Round& round = plan.rounds.emplace_back();
    for (std::int64_t d = 0; d < devices; ++d)
        add(round, { d, devices - 1 - d, 0, 0, 0, block });
    return plan;
}

} // namespace

std::int64_t HaloPlan::sent() const
{
    return sentIn(rounds);
}

bool HaloPlan::allSend() const
{
    return std::all_of(rounds.begin(), rounds.end(), [this](const Round& round) {
        return devices == std::count_if(round.edges.begin(), round.edges.end(), [](const Edge& edge) {
            return edge.source != edge.target;
        });
    });
}

std::optional<HaloPlan> haloPlan(const HaloReads& reads)
{
    const std::int64_t devices = reads.devices;
    std::vector<std::int64_t> blocks;
    for (const HaloReads::Input& input : reads.inputs) {
        if (input.size <= 0 || (input.sharded && input.size % devices != 0))
            return {};
        blocks.push_back(input.sharded ? input.size / devices : input.size);
    }
    if (devices < 2 || blocks.empty())
        return {};
    if (reads.reversed)
        return reversedPlan(devices, blocks[0]);
    const std::int64_t spread = reads.spread;
    if (reads.span <= 0 || reads.step % spread != 0)
        return {};
    HaloPlan plan;
    plan.devices = devices;
    plan.begin = -floorDivide(-reads.first, spread);
    plan.low = plan.begin * spread - reads.first;
    const std::int64_t last = floorDivide(reads.first + reads.span - 1, spread);
    plan.high = reads.first + reads.span - 1 - last * spread;
    plan.length = last - plan.begin + 1;
    plan.delta = reads.step / spread;
    if (plan.length <= 0)
        return {};
    plan.uniform = blocks.size() == 1 && reads.inputs[0].sharded && plan.delta == blocks[0];
    if (plan.uniform && plan.begin == 0 && plan.length == blocks[0])
        return plan; // its own block, and nothing else

    std::vector<HaloPlan::Edge> sent, own;
    for (std::int64_t d = 0; d < devices; ++d) {
        const std::int64_t begin = plan.begin + d * plan.delta, end = begin + plan.length;
        std::int64_t found = 0;
        for (std::size_t i = 0; i < blocks.size(); ++i) {
            const HaloReads::Input& input = reads.inputs[i];
            const std::int64_t firstRead = std::max(begin - input.offset, std::int64_t{ 0 });
            const std::int64_t after = std::min(end - input.offset, input.size);
            for (std::int64_t at = firstRead; at < after;) {
                const std::int64_t source = input.sharded ? at / blocks[i] : d;
                const std::int64_t stop = input.sharded ? std::min(after, (source + 1) * blocks[i]) : after;
                const std::int64_t start = input.sharded ? source * blocks[i] : 0;
                (source == d ? own : sent)
                    .push_back({ source, d, i, at - start, at + input.offset - begin, stop - at });
                found += stop - at;
                at = stop;
                if (sent.size() > maxEdges)
                    return {};
            }
            if (input.sharded && blocks.size() == 1 && firstRead < after) {
                plan.left = std::max(plan.left, d * blocks[i] - firstRead);
                plan.right = std::max(plan.right, after - (d + 1) * blocks[i]);
            }
        }
        plan.beyond = plan.beyond || found < plan.length;
    }
    plan.rounds = byDistance(sent);
    if (!plan.uniform) {
        const bool few = sent.size() <= 8 * static_cast<std::size_t>(devices); // packing many takes its time
        if (std::vector<HaloPlan::Round> fewer = few ? packed(sent, devices, blocks) : plan.rounds;
            sentIn(fewer) < plan.sent())
            plan.rounds = std::move(fewer);
        plan.own = byDistance(own);
    }
    return plan;
}

} // namespace shardscope
