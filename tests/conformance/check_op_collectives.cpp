// SPDX-License-Identifier: GPL-3.0-or-later
// op_collectives: halos of operations on a cut dimension, and what a concatenation has to move.
#include <algorithm>
#include <optional>

#include "conformance/checker.h"
#include "partition/halo.h"

namespace shardscope::conformance {

namespace {

std::optional<DimensionReads> readsOf(const Json& c)
{
    const std::string op = c.at("op").get<std::string>();
    const std::int64_t size = c.at("N");
    if (op == "slice")
        return DimensionReads::slice(size, c.at("start"), c.at("limit"), c.at("stride"));
    if (op == "pad")
        return DimensionReads::pad(size, c.at("low"), c.at("high"), c.at("interior"));
    if (op.starts_with("roll"))
        return DimensionReads::roll(size, c.at("shift"));
    if (op == "reverse")
        return DimensionReads::reverse(size);
    if (op.starts_with("reduce-window"))
        return DimensionReads::window(
            size, { c.at("window"), c.at("stride"), c.at("pad").at(0), c.at("pad").at(1), c.at("dilation") });
    return {};
}

Json rangeJson(const IndexRange& range)
{
    return { range.begin, range.end };
}

Json messagesJson(const std::vector<HaloMessage>& messages)
{
    Json json = Json::array();
    for (const HaloMessage& message : messages)
        json.push_back({ message.source, message.target, message.elements });
    return json;
}

/// A set: the order is of no account.
Json sorted(Json messages)
{
    std::sort(messages.begin(), messages.end());
    return messages;
}

const char* nameOf(HaloReach reach)
{
    return reach == HaloReach::Local ? "local" : reach == HaloReach::Neighbours ? "neighbour_exchange" : "multi_hop";
}

CaseResult checkHalo(const Json& c)
{
    const std::optional<DimensionReads> reads = readsOf(c);
    if (!reads)
        return CaseResult::unsupported("the operation " + c.at("op").get<std::string>());
    const Halo halo = haloOf(*reads, c.at("devices"));
    Json devices = Json::array();
    for (const Halo::Device& device : halo.devices)
        devices.push_back({ { "in_range", rangeJson(device.held) }, { "out_range", rangeJson(device.computed) },
            { "need", device.read ? rangeJson(*device.read) : Json() }, { "recv", device.received } });
    if (std::string wrong = difference(sorted(c.at("messages")), messagesJson(halo.messages), "/messages");
        !wrong.empty())
        return CaseResult::failed(std::move(wrong));
    return compareMembers(c,
        { { "in_tile", halo.inputBlock }, { "out_tile", halo.outputBlock }, { "out_len", reads->outputSize },
            { "per_device", devices }, { "max_left_halo", halo.left }, { "max_right_halo", halo.right },
            { "neighbour_reach", halo.neighbourReach }, { "ring_reach", halo.ringReach },
            { "total_elements_moved", halo.moved() }, { "max_recv", halo.maxReceived() },
            { "classification", nameOf(halo.reach) } });
}

CaseResult checkConcatenation(const Json& c)
{
    const auto sizes = c.at("lens").get<std::vector<std::int64_t>>();
    const std::vector<HaloMessage> messages = concatenationMoves(sizes, c.at("devices"));
    std::int64_t moved = 0;
    for (const HaloMessage& message : messages)
        moved += message.elements;
    if (std::string wrong = difference(sorted(c.at("messages")), messagesJson(messages), "/messages"); !wrong.empty())
        return CaseResult::failed(std::move(wrong));
    return compareMembers(c, { { "total_elements_moved", moved } });
}

} // namespace

CaseResult checkOpCollectives(const Json& oneCase, const Json& /*file*/)
{
    const std::string kind = oneCase.value("kind", "");
    if (kind == "halo")
        return checkHalo(oneCase);
    if (kind == "concat_lower_bound")
        return checkConcatenation(oneCase);
    return CaseResult::unsupported("operation lists of another partitioner");
}

} // namespace shardscope::conformance
