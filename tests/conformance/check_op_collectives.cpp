// SPDX-License-Identifier: GPL-3.0-or-later
// op_collectives: halos of operations on a sharded dimension, and what a concatenation has to move. Each case is a
// program of that one operation; what its partitioned form sends is compared.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <optional>
#include <span>

#include "conformance/checker.h"
#include "partition/halo_dimensions.h"
#include "partition/partition_program.h"
#include "stablehlo/read.h"

namespace shardscope::conformance {

namespace {

/// A program of one operation over {x=devices}: arrays of these sizes, all sharded along x, as the result is.
std::string oneOperation(
    std::int64_t devices, std::span<const std::int64_t> sizes, std::int64_t resultSize, const std::string& body)
{
    const std::string sharded = " {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}]>}";
    std::string text = "sdy.mesh @mesh = <[\"x\"=" + std::to_string(devices) + "]>\nfunc.func @main(";
    for (std::size_t i = 0; i < sizes.size(); ++i)
        text +=
            (i > 0 ? ", %a" : "%a") + std::to_string(i) + ": tensor<" + std::to_string(sizes[i]) + "xf32>" + sharded;
    const std::string result = "tensor<" + std::to_string(resultSize) + "xf32>";
    return text + ") -> (" + result + sharded + ") {\n%z = stablehlo.constant dense<0.0> : tensor<f32>\n" + body
        + "\nreturn %r : " + result + "\n}\n";
}

std::string number(const Json& value)
{
    return std::to_string(value.get<std::int64_t>());
}

/// Nothing for what StableHLO does by several operations.
std::optional<std::string> programOf(const Json& c)
{
    const std::string op = c.at("op").get<std::string>();
    const std::int64_t size = c.at("N"), resultSize = c.at("out_len");
    const std::string type = "tensor<" + std::to_string(size) + "xf32>";
    const std::string result = "tensor<" + std::to_string(resultSize) + "xf32>";
    std::string body;
    if (op == "slice")
        body = "%r = stablehlo.slice %a0 [" + number(c.at("start")) + ":" + number(c.at("limit")) + ":"
            + number(c.at("stride")) + "] : (" + type + ") -> " + result;
    else if (op == "pad")
        body = "%r = stablehlo.pad %a0, %z, low = [" + number(c.at("low")) + "], high = [" + number(c.at("high"))
            + "], interior = [" + number(c.at("interior")) + "] : (" + type + ", tensor<f32>) -> " + result;
    else if (op == "reverse")
        body = "%r = stablehlo.reverse %a0, dims = [0] : " + type;
    else if (op.starts_with("reduce-window"))
        body = "%r = \"stablehlo.reduce_window\"(%a0, %z) <{padding = dense<[[" + number(c.at("pad").at(0)) + ", "
            + number(c.at("pad").at(1)) + "]]> : tensor<1x2xi64>, window_dilations = array<i64: "
            + number(c.at("dilation")) + ">, window_dimensions = array<i64: " + number(c.at("window"))
            + ">, window_strides = array<i64: " + number(c.at("stride"))
            + ">}> ({\n^bb0(%x: tensor<f32>, %y: tensor<f32>):\n%s = stablehlo.add %x, %y : tensor<f32>\n"
              "stablehlo.return %s : tensor<f32>\n}) : ("
            + type + ", tensor<f32>) -> " + result;
    else
        return std::nullopt;
    return oneOperation(c.at("devices"), std::array{ size }, resultSize, body);
}

/// The plan by which the operation of a partitioned program reads what other devices hold. Nothing where the program
/// does it by other means.
std::optional<HaloPlan> planOf(const ShardedProgram& sharded)
{
    const Program& program = sharded.program;
    for (const OperationId id : program.main().operations) {
        const Operation& operation = program.operation(id);
        const auto tensors = haloTensors(
            program, operation, [&](ValueId value) { return program.value(value).type; },
            [&](ValueId value) { return program.shardingOf(value); });
        if (!tensors)
            continue;
        if (const std::vector<HaloDimension> dimensions = haloDimensions(operation, *tensors); dimensions.size() == 1)
            return dimensions.front().plan;
    }
    return std::nullopt;
}

struct Range {
    std::int64_t begin = 0, end = 0;
    [[nodiscard]] std::int64_t size() const { return std::max<std::int64_t>(0, end - begin); }
};
Json rangeJson(const Range& range)
{
    return { range.begin, range.end };
}

/// Elements that devices hand each other, by sender and receiver. Padding of the last blocks is not counted.
using Messages = std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t>;
Messages messagesOf(const HaloPlan& plan, std::span<const std::int64_t> sizes)
{
    Messages messages;
    for (const HaloPlan::Round& round : plan.rounds)
        for (const HaloPlan::Edge& edge : round.edges) {
            const std::int64_t block = (sizes[edge.input] + plan.devices - 1) / plan.devices;
            const std::int64_t begin = edge.source * block + edge.from;
            const Range sent{ begin, std::min(begin + edge.elements, sizes[edge.input]) };
            if (edge.source != edge.target && sent.size() > 0)
                messages[{ edge.source, edge.target }] += sent.size();
        }
    return messages;
}

/// Those of the case are a set: their order is of no account.
std::string differentMessages(Json expected, const Messages& messages)
{
    Json actual = Json::array();
    for (const auto& [ends, elements] : messages)
        actual.push_back({ ends.first, ends.second, elements });
    std::sort(expected.begin(), expected.end());
    return difference(expected, actual, "/messages");
}

std::int64_t moved(const Messages& messages)
{
    std::int64_t sum = 0;
    for (const auto& [ends, elements] : messages)
        sum += elements;
    return sum;
}

tl::expected<HaloPlan, CaseResult> partitionedPlan(const std::string& text)
{
    Result<ReadProgram> read = readStableHlo(text);
    if (!read)
        return tl::unexpected(CaseResult::failed("the program cannot be read: " + std::string(read.error().id())));
    const Result<ShardedProgram> sharded = shardProgram(std::move(read->program));
    if (!sharded)
        return tl::unexpected(CaseResult::failed("partitioning: " + std::string(sharded.error().id())));
    if (std::optional<HaloPlan> plan = planOf(*sharded))
        return std::move(*plan);
    return tl::unexpected(CaseResult::unsupported("the partitioned program moves whole blocks here"));
}

CaseResult checkHalo(const Json& c)
{
    const std::optional<std::string> text = programOf(c);
    if (!text)
        return CaseResult::unsupported("the operation " + c.at("op").get<std::string>());
    const tl::expected<HaloPlan, CaseResult> plan = partitionedPlan(*text);
    if (!plan)
        return plan.error();
    const std::int64_t size = c.at("N"), devices = c.at("devices"), resultSize = c.at("out_len");
    const std::int64_t block = (size + devices - 1) / devices, resultBlock = (resultSize + devices - 1) / devices;
    if (plan->reversed && block * devices != size)
        return CaseResult::unsupported("padded blocks are turned round with their padding");

    const Messages messages = messagesOf(*plan, std::array{ size });
    if (std::string wrong = differentMessages(c.at("messages"), messages); !wrong.empty())
        return CaseResult::failed(std::move(wrong));
    std::vector<std::int64_t> received(static_cast<std::size_t>(devices), 0);
    std::int64_t left = 0, right = 0, reach = 0, ringReach = 0;
    for (const auto& [ends, elements] : messages) {
        received[static_cast<std::size_t>(ends.second)] += elements;
        const std::int64_t distance = std::abs(ends.first - ends.second);
        reach = std::max(reach, distance);
        ringReach = std::max(ringReach, std::min(distance, devices - distance));
    }
    Json perDevice = Json::array();
    for (std::int64_t d = 0; d < devices; ++d) {
        const auto blockOf = [&](std::int64_t all, std::int64_t length) {
            return Range{ std::min(d * length, all), std::min((d + 1) * length, all) };
        };
        const Range own = blockOf(size, block);
        const std::int64_t begin = plan->reversed ? (devices - 1 - d) * block : plan->begin + d * plan->delta;
        const Range read{ std::max<std::int64_t>(0, begin), std::min(begin + plan->length, size) };
        if (read.size() > 0) {
            left = std::max(left, own.begin - read.begin);
            right = std::max(right, read.end - own.end);
        }
        perDevice.push_back(
            { { "in_range", rangeJson(own) }, { "out_range", rangeJson(blockOf(resultSize, resultBlock)) },
                { "need", read.size() > 0 ? rangeJson(read) : Json() },
                { "recv", received[static_cast<std::size_t>(d)] } });
    }
    const char* kind = messages.empty() ? "local" : reach <= 1 ? "neighbour_exchange" : "multi_hop";
    return compareMembers(c,
        { { "in_tile", block }, { "out_tile", resultBlock }, { "per_device", perDevice }, { "max_left_halo", left },
            { "max_right_halo", right }, { "neighbour_reach", reach }, { "ring_reach", ringReach },
            { "total_elements_moved", moved(messages) },
            { "max_recv", *std::max_element(received.begin(), received.end()) }, { "classification", kind } });
}

CaseResult checkConcatenation(const Json& c)
{
    const auto sizes = c.at("lens").get<std::vector<std::int64_t>>();
    std::int64_t all = 0;
    std::string operands, types;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        all += sizes[i];
        operands += "%a" + std::to_string(i) + ", ";
        types += (i > 0 ? ", tensor<" : "tensor<") + std::to_string(sizes[i]) + "xf32>";
    }
    const std::string body = "%r = stablehlo.concatenate " + operands + "dim = 0 : (" + types + ") -> tensor<"
        + std::to_string(all) + "xf32>";
    const tl::expected<HaloPlan, CaseResult> plan = partitionedPlan(oneOperation(c.at("devices"), sizes, all, body));
    if (!plan)
        return plan.error();
    const Messages messages = messagesOf(*plan, sizes);
    if (std::string wrong = differentMessages(c.at("messages"), messages); !wrong.empty())
        return CaseResult::failed(std::move(wrong));
    return compareMembers(c, { { "total_elements_moved", moved(messages) } });
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
