// SPDX-License-Identifier: GPL-3.0-or-later
// A part of Translator, which is declared in translator.h: collectives, and what is started in one place and waited for
// in another.
//
//     %s = (f32[2,8], f32[8,8]) all-gather-start(%x), ...     the all_gather; the value is what goes in and what comes
//     out %d = f32[8,8] all-gather-done(%s)                       what came out
#include <algorithm>

#include "base/codes.h"
#include "base/text.h"
#include "hlo/attributes.h"
#include "hlo/mlir_text.h"
#include "hlo/translator.h"

namespace shardscope::hlo {

namespace {

constexpr std::string_view startSuffix = "-start", doneSuffix = "-done";

std::string tableText(const std::vector<std::vector<std::int32_t>>& rows)
{
    std::size_t longest = 0;
    for (const std::vector<std::int32_t>& row : rows)
        longest = std::max(longest, row.size());
    std::string text = "dense<";
    if (longest > 0) {
        text += '[';
        for (std::size_t r = 0; r < rows.size(); ++r) {
            text += r == 0 ? "[" : ", [";
            for (std::size_t i = 0; i < longest; ++i)
                text += (i == 0 ? "" : ", ") + std::to_string(i < rows[r].size() ? rows[r][i] : -1);
            text += ']';
        }
        text += ']';
    }
    return text + "> : tensor<" + std::to_string(longest == 0 ? 0 : rows.size()) + 'x' + std::to_string(longest)
        + "xi64>";
}

std::string sizesText(DType dtype, const std::vector<std::int64_t>& sizes)
{
    return "tensor<" + join(sizes, "x") + (sizes.empty() ? "" : "x") + std::string(name(dtype)) + '>';
}

/// Whether StableHLO has it with use_global_device_ids.
bool takesGlobalIds(HloCollectiveKind kind)
{
    return kind == HloCollectiveKind::AllReduce || kind == HloCollectiveKind::AllGather
        || kind == HloCollectiveKind::ReduceScatter;
}

/// Groups and pairs are written over numbers of devices, or as the text has them: over replicas or partitions.
bool keepsNumbers(const HloCollective& found)
{
    return found.ids != GroupIds::Devices && !takesGlobalIds(found.kind);
}

/// What the text numbers tells its tables from others of the same text; one and the same is as it is written.
GroupIds numberedIn(const HloCollective& found)
{
    return keepsNumbers(found) ? GroupIds::Partitions : found.ids;
}

} // namespace

Result<void> Translator::groupTables()
{
    constexpr std::int64_t maximumIds = std::int64_t{ 1 } << 25; // in the groups of all collectives
    std::int64_t ids = 0;
    for (const HloCollective& collective : m_found.list) {
        if (collective.kind == HloCollectiveKind::CollectivePermute)
            continue;
        ids = saturatingSum(ids, std::max(collective.groups.deviceEnd(), m_found.devices));
        if (ids > maximumIds)
            return fail(Code::TooLarge, { { "what", "devices" }, { "count", ids }, { "limit", maximumIds } },
                at(m_module.instructions[collective.instruction]));
        const HloInstruction& instruction = m_module.instructions[collective.instruction];
        const auto [place, isNew] =
            m_groupTables.emplace(std::pair(groupsIn(instruction), numberedIn(collective)), m_groupTables.size());
        if (!isNew)
            continue;
        std::vector<std::vector<std::int32_t>> groups = collective.groups.expanded(m_found.devices);
        const HloAttribute* text = m_module.attribute(instruction, "replica_groups");
        if (keepsNumbers(collective)) {
            SHARDSCOPE_TRY(written, text ? readGroups(m_module, text->value) : Result<HloGroups>(HloGroups()));
            groups = written->expanded(collective.groups.size());
        }
        line("#groups" + std::to_string(place->second) + " = " + tableText(groups), instruction.name.begin);
    }
    return {};
}

std::string_view Translator::groupsIn(const HloInstruction& instruction) const
{
    const HloAttribute* groups = m_module.attribute(instruction, "replica_groups");
    return groups ? m_module.view(groups->value) : std::string_view("{}");
}

std::string Translator::groupsOf(const HloCollective& found) const
{
    const std::string_view text = groupsIn(m_module.instructions[found.instruction]);
    return "replica_groups = #groups" + std::to_string(m_groupTables.at({ text, numberedIn(found) }));
}

/// Over numbers of all devices, as every text of one replica means it; empty where replicas are numbered.
std::string Translator::channel(const HloCollective& found) const
{
    if (keepsNumbers(found) && found.ids == GroupIds::Replicas)
        return {};
    std::string text = "channel_handle = #stablehlo.channel_handle<handle = "
        + std::to_string(std::max<std::int64_t>(found.channel.value_or(1), 1)) + ", type = 1>";
    return takesGlobalIds(found.kind) ? text + ", use_global_device_ids" : text;
}

std::string Translator::step(const HloInstruction& instruction, std::string_view name, const std::string& attributes,
    const std::string& operands, const std::string& operandTypes, const std::string& resultType)
{
    makes(Leaf{ m_next, 0, 0, 0 });
    const std::string result = '%' + std::to_string(m_next++);
    line(result + " = \"stablehlo." + std::string(name) + "\"(" + operands + ")"
            + (attributes.empty() ? std::string() : " <{" + attributes + "}>") + " : (" + operandTypes + ") -> "
            + resultType + location(instruction),
        instruction.name.begin);
    return result;
}

/// What step() wrote last.
Translator::Leaves Translator::latestValue(std::uint32_t shape)
{
    return { Leaf{ m_next - 1, 0, 0, shape } };
}

Result<void> Translator::allToAllOfParts(const HloInstruction& instruction, const HloCollective& found)
{
    const Leaves operands = operandLeaves(instruction);
    const std::int64_t size = found.groups.size();
    const HloShape& shape = m_module.shapes[operands[0].shape];
    const bool isAlike = std::all_of(operands.begin(), operands.end(), [&](const Leaf& each) {
        return m_module.shapes[each.shape].sizes == shape.sizes && m_module.shapes[each.shape].dtype == shape.dtype;
    });
    if (static_cast<std::int64_t>(operands.size()) != size || found.results.size() != operands.size() || !isAlike)
        return fail(Code::CountMismatch,
            { { "what", "operands" }, { "found", operands.size() }, { "wanted", size }, { "of", "all-to-all" } },
            at(instruction));
    std::vector<std::int64_t> one(shape.sizes.begin(), shape.sizes.end());
    const std::string own = sizesText(shape.dtype, one);
    one.insert(one.begin(), 1);
    std::vector<std::int64_t> all = one;
    all[0] = size;
    const std::string part = sizesText(shape.dtype, one), together = sizesText(shape.dtype, all);
    std::vector<std::string> parts, types(operands.size(), part);
    for (const Leaf& operand : operands)
        parts.push_back(step(instruction, "reshape", {}, nameOf(operand), own, part));
    const std::string sent =
        step(instruction, "concatenate", "dimension = 0 : i64", join(parts, ", "), join(types, ", "), together);
    const std::string over = channel(found);
    const std::string received = step(instruction, "all_to_all",
        "split_dimension = 0 : i64, concat_dimension = 0 : i64, split_count = " + std::to_string(size) + " : i64, "
            + groupsOf(found) + (over.empty() ? "" : ", ") + over,
        sent, together, together);
    Leaves results;
    std::vector<std::int64_t> starts(one.size(), 0), limits = one;
    const std::vector<std::int64_t> strides(one.size(), 1);
    for (std::size_t i = 0; i < operands.size(); ++i) {
        starts[0] = static_cast<std::int64_t>(i);
        limits[0] = starts[0] + 1;
        const std::string slice = step(instruction, "slice",
            arrayText("start_indices", starts) + ", " + arrayText("limit_indices", limits) + ", "
                + arrayText("strides", strides),
            received, together, part);
        step(instruction, "reshape", {}, slice, part, own);
        const Leaves result = latestValue(found.results[i]);
        results.insert(results.end(), result.begin(), result.end());
    }
    bind(instruction, std::move(results));
    return {};
}

Result<void> Translator::collective(const HloInstruction& instruction, const HloCollective& found)
{
    const Leaves operands = operandLeaves(instruction);
    const bool isPermute = found.kind == HloCollectiveKind::CollectivePermute;
    const bool isBroadcast = found.kind == HloCollectiveKind::CollectiveBroadcast;
    if (operands.empty() || operands.size() != found.results.size())
        return fail(Code::CountMismatch,
            { { "what", "results" }, { "found", found.results.size() }, { "wanted", operands.size() },
                { "of", std::string(name(found.kind)) } },
            at(instruction));
    if (found.kind == HloCollectiveKind::AllToAll && found.dimensions.empty())
        return allToAllOfParts(instruction, found);
    Target target;
    target.name = "stablehlo." + std::string(name(found.kind));
    std::replace(target.name.begin(), target.name.end(), '-', '_');
    if (isPermute) {
        std::vector<std::pair<std::int32_t, std::int32_t>> named = found.pairs;
        const HloAttribute* text = m_module.attribute(instruction, "source_target_pairs");
        if (text && keepsNumbers(found)) {
            SHARDSCOPE_TRY(written, readPairs(m_module, text->value));
            named = std::move(*written);
        }
        std::vector<std::vector<std::int32_t>> pairs;
        for (const auto& [sender, receiver] : named)
            pairs.push_back({ sender, receiver });
        target.attributes.push_back(
            "source_target_pairs = " + (pairs.empty() ? std::string("dense<> : tensor<0x2xi64>") : tableText(pairs)));
    } else {
        target.attributes.push_back(groupsOf(found));
    }
    if (std::string over = channel(found); !over.empty())
        target.attributes.push_back(std::move(over));
    const std::string dimension = std::to_string(found.dimensions.empty() ? 0 : found.dimensions.front()) + " : i64";
    if (found.kind == HloCollectiveKind::AllGather)
        target.attributes.push_back("all_gather_dim = " + dimension);
    else if (found.kind == HloCollectiveKind::ReduceScatter)
        target.attributes.push_back("scatter_dimension = " + dimension);
    else if (found.kind == HloCollectiveKind::AllToAll)
        target.attributes.push_back("split_dimension = " + dimension + ", concat_dimension = " + dimension
            + ", split_count = " + std::to_string(found.groups.size()) + " : i64");
    // What StableHLO has for one array stands there once for each.
    const bool isOfOne = isPermute || isBroadcast || found.kind == HloCollectiveKind::ReduceScatter;
    const std::size_t together = isOfOne ? 1 : operands.size();
    Leaves results;
    for (std::size_t i = 0; i < operands.size(); i += together) {
        Target each = target;
        const auto from = static_cast<std::ptrdiff_t>(i), to = static_cast<std::ptrdiff_t>(i + together);
        each.operands.assign(operands.begin() + from, operands.begin() + to);
        each.results.assign(found.results.begin() + from, found.results.begin() + to);
        if (found.kind == HloCollectiveKind::AllReduce || found.kind == HloCollectiveKind::ReduceScatter)
            SHARDSCOPE_CHECK(withBodies(instruction, std::move(each), { "to_apply" }));
        else
            SHARDSCOPE_CHECK(write(instruction, std::move(each)));
        const Leaves& written = m_values[m_module.indexOf(instruction)];
        results.insert(results.end(), written.begin(), written.end());
    }
    bind(instruction, std::move(results));
    return {};
}

/// The value of the instruction is what came out: what it took stands before it, and its counters, which only the
/// device reads, after it.
void Translator::start(const HloInstruction& instruction, const Leaves& operands)
{
    const HloShape& shape = m_module.shape(instruction);
    if (!shape.isTuple || shape.parts.size() < 2)
        return;
    Leaves all = operands;
    const Leaves results = m_values[m_module.indexOf(instruction)];
    all.insert(all.end(), results.begin(), results.end());
    if (all.empty())
        return;
    for (std::size_t count = leavesOf(m_module, instruction.shape).size(); all.size() < count;)
        all.push_back(Leaf(all.back()));
    bind(instruction, std::move(all));
}

void Translator::done(const HloInstruction& instruction)
{
    const std::uint32_t started = m_module.operandsOf(instruction)[0];
    const HloShape& shape = m_module.shape(m_module.instructions[started]);
    const std::string_view opcode = m_module.opcode(instruction);
    const Leaves& all = m_values[started];
    const std::size_t count = leavesOf(m_module, instruction.shape).size();
    // A copy gives its result first; a reduction gives nothing else.
    const bool isFirst =
        opcode == "copy-done" || opcode == "all-reduce-done" || !shape.isTuple || shape.parts.size() < 2;
    const std::size_t first = isFirst ? 0 : leavesOf(m_module, shape.parts[0]).size();
    Leaves results;
    for (std::size_t i = first; i < all.size() && results.size() < count; ++i)
        results.push_back(all[i]);
    bind(instruction, std::move(results));
}

Result<bool> Translator::exchange(const HloInstruction& instruction)
{
    const std::string_view opcode = m_module.opcode(instruction);
    const auto found = m_collectives.find(m_module.indexOf(instruction));
    const auto operands = m_module.operandsOf(instruction);
    if (found != m_collectives.end()) {
        const HloCollective& own = *found->second;
        // A ragged one reads its sizes when it runs; a permute may write into an array that is there.
        if (own.kind == HloCollectiveKind::RaggedAllToAll || own.operands.size() != own.results.size())
            return false;
        SHARDSCOPE_CHECK(collective(instruction, own));
        if (own.isAsync && own.kind != HloCollectiveKind::AllReduce)
            start(instruction, operandLeaves(instruction));
        return true;
    }
    if (opcode == "copy-start" && operands.size() == 1) {
        bind(instruction, operandLeaves(instruction));
        start(instruction, operandLeaves(instruction));
        return true;
    }
    const HloShape& shape = m_module.shape(instruction);
    if (opcode.ends_with(startSuffix) && shape.isTuple && shape.parts.size() > 1) {
        SHARDSCOPE_TRY(calls, calledBy(m_module, instruction));
        if (calls->empty())
            return false;
        SHARDSCOPE_CHECK(writeCall(instruction, leavesOf(m_module, shape.parts[1])));
        start(instruction, operandLeaves(instruction));
        return true;
    }
    if (operands.size() != 1 || !m_module.opcode(m_module.instructions[operands[0]]).ends_with(startSuffix)) {
        if (opcode != "async-update" && opcode != "async-done")
            return false;
        if (operands.size() != 1)
            return lacks(instruction, "an operand");
    }
    if (opcode == "async-update") {
        bind(instruction, operandLeaves(instruction));
        return true;
    }
    if (!opcode.ends_with(doneSuffix) || m_values[operands[0]].empty())
        return false;
    done(instruction);
    return true;
}

} // namespace shardscope::hlo
