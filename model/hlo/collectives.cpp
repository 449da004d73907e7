// SPDX-License-Identifier: GPL-3.0-or-later
#include "hlo/collectives.h"

#include <algorithm>
#include <array>

#include "base/codes.h"
#include "hlo/trip_count.h"
#include "stablehlo/scanner.h"

namespace shardscope {

namespace {

constexpr std::array<std::string_view, 7> kindNames{ "all-reduce", "all-gather", "reduce-scatter", "all-to-all",
    "ragged-all-to-all", "collective-permute", "collective-broadcast" };

struct FoundKind {
    HloCollectiveKind kind;
    bool isStart;
};

std::optional<FoundKind> kindOf(std::string_view opcode)
{
    constexpr std::string_view start = "-start";
    const bool isStart = opcode.ends_with(start);
    if (isStart)
        opcode.remove_suffix(start.size());
    const auto found = std::find(kindNames.begin(), kindNames.end(), opcode);
    if (found == kindNames.end())
        return std::nullopt;
    return FoundKind{ static_cast<HloCollectiveKind>(found - kindNames.begin()), isStart };
}

/// The shape of what comes out. A start hands on what it took, and then what comes out; of a permute also its
/// counters.
std::uint32_t resultShape(const HloModule& module, const HloInstruction& instruction, FoundKind found)
{
    const HloShape& shape = module.shape(instruction);
    const bool isPair =
        found.isStart && found.kind != HloCollectiveKind::AllReduce && shape.isTuple && shape.parts.size() > 1;
    return isPair ? shape.parts[1] : instruction.shape;
}

/// For each instruction the number of those that read it, and the last of them.
struct Uses {
    std::vector<std::uint32_t> first; ///< index of users, by instruction; one more at the end
    std::vector<std::uint32_t> users;

    explicit Uses(const HloModule& module)
        : first(module.instructions.size() + 1)
        , users(module.operands.size())
    {
        for (const std::uint32_t operand : module.operands)
            ++first[operand];
        std::uint32_t sum = 0;
        for (std::uint32_t& count : first)
            count = sum += count;
        for (std::size_t i = module.instructions.size(); i-- > 0;)
            for (const std::uint32_t operand : module.operandsOf(module.instructions[i]))
                users[--first[operand]] = static_cast<std::uint32_t>(i);
    }
    [[nodiscard]] std::span<const std::uint32_t> of(std::uint32_t instruction) const
    {
        return std::span(users).subspan(first[instruction], first[instruction + 1] - first[instruction]);
    }
};

/// Where all that reads it takes the part of one device: the shape of that part.
std::optional<std::uint32_t> sliceOf(const HloModule& module, const Uses& uses, const HloCollective& collective)
{
    const std::int64_t size = collective.groups.size();
    const std::span<const std::uint32_t> users = uses.of(collective.instruction);
    const auto isPart = [&](std::uint32_t user) {
        const HloInstruction& reader = module.instructions[user];
        return module.opcode(reader) == "dynamic-slice" && module.operandsOf(reader).front() == collective.instruction
            && saturatingProduct(byteCount(module, module.shape(reader)), size) == collective.bytesOut;
    };
    if (collective.kind != HloCollectiveKind::AllReduce || size <= 1 || users.empty()
        || !std::all_of(users.begin(), users.end(), isPart))
        return std::nullopt;
    return module.instructions[users.front()].shape;
}

Result<std::string_view> reductionOf(const HloModule& module, const HloInstruction& instruction)
{
    SHARDSCOPE_TRY(calls, calledBy(module, instruction));
    for (const HloCall& call : *calls) {
        const std::uint32_t root = module.computations[call.computation].root;
        if (call.attribute == "to_apply" && root != noHloIndex)
            return module.opcode(module.instructions[root]);
    }
    return std::string_view();
}

std::int64_t bytesOf(const HloModule& module, const std::vector<std::uint32_t>& shapes)
{
    std::int64_t bytes = 0;
    for (const std::uint32_t shape : shapes)
        bytes = saturatingSum(bytes, byteCount(module, module.shapes[shape]));
    return bytes;
}

void addShapes(const HloModule& module, std::uint32_t shape, std::vector<std::uint32_t>& shapes)
{
    const std::vector<std::uint32_t> leaves = leavesOf(module, shape);
    shapes.insert(shapes.end(), leaves.begin(), leaves.end());
}

Result<HloCollective> collectiveOf(const HloModule& module, const HloInstruction& instruction, FoundKind found)
{
    HloCollective collective;
    collective.instruction = module.indexOf(instruction);
    collective.kind = found.kind;
    collective.isAsync = found.isStart;
    for (const std::uint32_t operand : module.operandsOf(instruction))
        addShapes(module, module.instructions[operand].shape, collective.operands);
    addShapes(module, resultShape(module, instruction, found), collective.results);
    collective.bytesIn = bytesOf(module, collective.operands);
    collective.bytesOut = bytesOf(module, collective.results);
    SHARDSCOPE_TRY(dimensions, hloNumbers(module, instruction, "dimensions"));
    if (*dimensions)
        collective.dimensions = std::move(**dimensions);
    SHARDSCOPE_TRY(channel, hloNumber(module, instruction, "channel_id"));
    collective.channel = *channel;
    collective.usesGlobalIds = hloFlag(module, instruction, "use_global_device_ids");
    if (const HloAttribute* groups = module.attribute(instruction, "replica_groups")) {
        SHARDSCOPE_TRY(read, readGroups(module, groups->value));
        collective.groups = std::move(*read);
    }
    if (const HloAttribute* pairs = module.attribute(instruction, "source_target_pairs")) {
        SHARDSCOPE_TRY(read, readPairs(module, pairs->value));
        collective.pairs = std::move(*read);
    }
    SHARDSCOPE_TRY(reduction, reductionOf(module, instruction));
    collective.reduction = *reduction;
    collective.metadata = hloMetadata(module, instruction);
    return collective;
}

/// Devices that a collective names, as the largest number plus one.
std::int64_t namedDevices(const HloCollective& collective)
{
    std::int64_t end = collective.groups.deviceEnd();
    for (const auto& [sender, receiver] : collective.pairs)
        end = std::max<std::int64_t>({ end, sender + 1, receiver + 1 });
    return end;
}

/// Where a collective names the device: its number, or the groups that stand for more devices than they write down.
Where placeOfDevice(const HloModule& module, const HloInstruction& instruction, std::int64_t device)
{
    const std::string number = std::to_string(device);
    std::optional<std::uint32_t> groupsAt;
    for (const char* name : { "replica_groups", "source_target_pairs" }) {
        const HloAttribute* named = module.attribute(instruction, name);
        if (!named)
            continue;
        const std::string_view text = module.view(named->value);
        const auto isDigit = [&](std::size_t i) { return i < text.size() && text[i] >= '0' && text[i] <= '9'; };
        for (std::size_t at = text.starts_with('{') ? text.find(number) : text.npos; at != text.npos;
             at = text.find(number, at + 1))
            if (!isDigit(at - 1) && !isDigit(at + number.size()))
                return module.placeOf(named->value.begin + static_cast<std::uint32_t>(at));
        groupsAt = groupsAt ? groupsAt : named->value.begin;
    }
    return module.placeOf(groupsAt.value_or(instruction.name.begin));
}

/// As the module states them; nothing where it states neither.
Result<std::optional<DeviceCounts>> statedCounts(const HloModule& module)
{
    SHARDSCOPE_TRY(partitions, hloNumber(module, "num_partitions"));
    SHARDSCOPE_TRY(replicas, hloNumber(module, "replica_count"));
    if (!*partitions && !*replicas)
        return std::optional<DeviceCounts>();
    return std::optional(DeviceCounts{
        std::max<std::int64_t>(replicas->value_or(1), 1), std::max<std::int64_t>(partitions->value_or(1), 1) });
}

GroupIds idsOf(const HloCollective& collective)
{
    const bool permutes = collective.kind != HloCollectiveKind::AllReduce
        && collective.kind != HloCollectiveKind::AllGather && collective.kind != HloCollectiveKind::ReduceScatter;
    return groupIds(permutes, collective.channel.has_value(), collective.usesGlobalIds);
}

Result<std::int64_t> devicesOf(
    const HloModule& module, const std::vector<HloCollective>& collectives, const std::optional<DeviceCounts>& stated)
{
    const std::int64_t count = stated ? saturatingProduct(stated->replicas, stated->partitions) : 1;
    std::int64_t devices = count;
    for (const HloCollective& collective : collectives) {
        const std::int64_t named = namedDevices(collective);
        const std::int64_t limit = collective.ids == GroupIds::Devices ? count : countOf(collective.ids, *stated);
        if (stated && named > limit)
            return fail(Code::DeviceOutOfRange, { { "device", named - 1 }, { "devices", limit } },
                placeOfDevice(module, module.instructions[collective.instruction], named - 1));
        devices = std::max(devices, named);
    }
    return devices;
}

/// Groups and pairs of replicas or partitions become those of devices.
void nameDevices(HloCollective& collective, const DeviceCounts& counts)
{
    if (collective.kind == HloCollectiveKind::CollectivePermute) {
        std::vector<std::vector<std::int64_t>> pairs;
        for (const auto& [sender, receiver] : collective.pairs)
            pairs.push_back({ sender, receiver });
        collective.pairs.clear();
        for (const std::vector<std::int32_t>& pair : devicesOfGroups(pairs, collective.ids, counts))
            collective.pairs.emplace_back(pair[0], pair[1]);
        return;
    }
    std::vector<std::vector<std::int64_t>> groups;
    for (const std::vector<std::int32_t>& group : collective.groups.expanded(countOf(collective.ids, counts)))
        groups.emplace_back(group.begin(), group.end());
    collective.groups = { HloGroups::Form::List, devicesOfGroups(groups, collective.ids, counts), {} };
}

} // namespace

std::string_view name(HloCollectiveKind kind)
{
    return kindNames[static_cast<std::size_t>(kind)];
}

Result<HloCollectives> collectivesOf(const HloModule& module)
{
    HloCollectives found;
    mlir::Places places(module.text);
    for (const HloInstruction& instruction : module.instructions) {
        const std::string_view opcode = module.opcode(instruction);
        if (opcode == "while") {
            SHARDSCOPE_TRY(calls, calledBy(module, instruction));
            HloLoop loop{ module.indexOf(instruction), noHloIndex, noHloIndex, places.of(instruction.name.begin).line,
                tripCount(module, instruction) };
            for (const HloCall& call : *calls)
                (call.attribute == "body" ? loop.body : loop.condition) = call.computation;
            found.loops.push_back(loop);
        } else if (const std::optional<FoundKind> kind = kindOf(opcode)) {
            SHARDSCOPE_TRY(collective, collectiveOf(module, instruction, *kind));
            collective->line = places.of(instruction.name.begin).line;
            found.list.push_back(std::move(*collective));
        }
    }
    SHARDSCOPE_TRY(counts, statedCounts(module));
    if (*counts && (*counts)->replicas > 1 && (*counts)->partitions > 1) // else replicas or partitions are the devices
        for (HloCollective& collective : found.list)
            collective.ids = idsOf(collective);
    SHARDSCOPE_TRY(devices, devicesOf(module, found.list, *counts));
    found.devices = *devices;
    SHARDSCOPE_TRY(executions, executionsOf(module, found.loops));
    SHARDSCOPE_TRY(branches, branchesOf(module));
    const Uses uses(module);
    const bool compiled = isCompiled(module);
    const DeviceCounts stated = counts->value_or(DeviceCounts()); // whose numbers groups without global ones name
    constexpr std::int64_t maximumListed = std::int64_t{ 1 } << 26; // devices in all groups that are not as written
    std::int64_t listed = 0;
    for (HloCollective& collective : found.list) {
        const std::uint32_t computation = module.instructions[collective.instruction].computation;
        collective.executions = (*executions)[computation];
        collective.branches = (*branches)[computation];
        const bool isAll =
            collective.kind != HloCollectiveKind::CollectivePermute && collective.groups.form == HloGroups::Form::All;
        if (collective.ids != GroupIds::Devices || isAll) {
            listed = saturatingSum(
                listed, collective.ids == GroupIds::Devices ? std::min(found.devices, maximumDevices) : found.devices);
            if (listed > maximumListed)
                return fail(Code::TooLarge, { { "what", "devices" }, { "count", listed }, { "limit", maximumListed } },
                    module.placeOf(module.instructions[collective.instruction].name.begin));
        }
        if (collective.ids != GroupIds::Devices)
            nameDevices(collective, stated);
        else if (isAll)
            collective.groups.lists = collective.groups.expanded(found.devices);
        const HloAttribute* groups = module.attribute(module.instructions[collective.instruction], "replica_groups");
        if (compiled && groups && collective.kind != HloCollectiveKind::CollectivePermute)
            if (const std::int64_t named = collective.groups.memberCount(); named != found.devices
                && (collective.usesGlobalIds || collective.ids != GroupIds::Devices
                    || (named != stated.replicas && named != stated.partitions)))
                return fail(Code::DeviceCount,
                    { { "what", "groups" }, { "tiles", named }, { "devices", found.devices } },
                    module.placeOf(groups->value.begin));
        collective.slicedRightAfter = sliceOf(module, uses, collective);
    }
    return found;
}

} // namespace shardscope
