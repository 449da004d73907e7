// SPDX-License-Identifier: GPL-3.0-or-later
#include "pipeline/memory_placement.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

#include "experiment/model_settings.h"
#include "pipeline/device_stages.h"
#include "program/counted_loop.h"
#include "program/memory_moves.h"
#include "program/verify_findings.h"
#include "schedule/plan.h"
#include "schedule/slots.h"

namespace shardscope {

namespace {

const std::string& platformOf(const Experiment& experiment)
{
    return experiment.hardware.devices.platform;
}

/// What is said of single arrays, by path.
std::unordered_map<std::string_view, MemoryKind> statedOf(const Experiment& experiment)
{
    std::unordered_map<std::string_view, MemoryKind> stated;
    for (const NamedArraySetting& array : listedArrays(experiment))
        if (array.memoryKind)
            stated.emplace(array.path, *array.memoryKind);
    return stated;
}

} // namespace

bool isOwnMemory(MemoryKind kind, std::string_view platform)
{
    return kind == MemoryKind::Device || kind == defaultMemoryKind(platform);
}

bool isOnHost(const Snapshot& snapshot, const TensorRow& row)
{
    return row.memoryKind && !isOwnMemory(*row.memoryKind, platformOf(*snapshot.experiment));
}

ProgramMemory programMemory(const Snapshot& snapshot)
{
    return memoryOf(*snapshot.program, platformOf(*snapshot.experiment));
}

void placeRows(Snapshot& snapshot)
{
    const Experiment& experiment = *snapshot.experiment;
    const MemoryKind own = defaultMemoryKind(platformOf(experiment));
    const auto lies = [own](std::optional<MemoryKind> kind) { return kind == own ? std::nullopt : kind; };
    if (const ProgramMemory memory = programMemory(snapshot); !memory.saysNothing()) {
        for (TensorRow& row : snapshot.tensors) {
            const bool stated =
                row.value.index < memory.sources.size() && memory.sources[row.value.index] != MemorySource::Nothing;
            row.memoryKind = lies(stated ? memory.of(row.value) : std::nullopt);
        }
        return;
    }
    const std::unordered_map<std::string_view, MemoryKind> stated = statedOf(experiment);
    for (TensorRow& row : snapshot.tensors) {
        const auto found = stated.find(row.path);
        const bool fromHost = row.role == Role::Parameter && !experiment.placement.paramsOnDevices;
        row.memoryKind = found != stated.end() ? lies(found->second)
            : fromHost                         ? std::optional(MemoryKind::PinnedHost)
                                               : std::nullopt;
    }
}

std::vector<Problem> placementProblems(const Experiment& experiment)
{
    std::vector<Problem> problems;
    const std::vector<NamedArraySetting>& arrays = listedArrays(experiment);
    for (std::size_t i = 0; i < arrays.size(); ++i) {
        const NamedArraySetting& array = arrays[i];
        if (!array.memoryKind)
            continue;
        Result<MemoryKind> kind = settledMemoryKind(array.memoryKind, platformOf(experiment));
        if (kind)
            continue;
        Diagnostic diagnostic = std::move(kind.error());
        diagnostic.where.path = array.path;
        diagnostic.where.pointer = "/model/arrays/" + std::to_string(i) + "/memory_kind";
        problems.push_back({ std::move(diagnostic), {}, {} });
    }
    return problems;
}

std::vector<Diagnostic> placementFindings(const Program& program, std::string_view platform)
{
    ProgramMemory memory = memoryOf(program, platform);
    std::vector<Diagnostic> findings = std::move(memory.findings);
    for (std::size_t v = 0; v < memory.kinds.size(); ++v) {
        const MemorySource source = memory.sources[v];
        if (source != MemorySource::Argument && source != MemorySource::Placement)
            continue;
        Result<MemoryKind> kind = settledMemoryKind(memory.kinds[v], platform);
        if (kind)
            continue;
        const Value& value = program.values[v];
        const Function* main = program.functions.empty() ? nullptr : &program.functions.front();
        const verification::Place place = value.definition.valid()
            ? verification::Place{ .operation = value.definition, .role = "result", .value = ValueId(v) }
            : verification::Place{ .function = main,
                  .role = "argument",
                  .index = static_cast<std::int64_t>(value.index),
                  .value = ValueId(v) };
        findings.push_back(verification::diagnosticAt(program, kind.error().code, std::move(kind.error().args), place));
    }
    return findings;
}

Program withPlacement(const Snapshot& snapshot, Program program)
{
    if (!programMemory(snapshot).saysNothing())
        return program;
    const Region& main = snapshot.program->main();
    MainMemory memory{ {}, std::vector<std::optional<MemoryKind>>(main.results.size()) };
    bool any = false;
    for (const ValueId argument : main.arguments) {
        const TensorRow* row = snapshot.row(argument);
        const bool onHost = row && isOnHost(snapshot, *row);
        memory.arguments.push_back(onHost ? row->memoryKind : std::nullopt);
        any = any || onHost;
        if (const auto result = snapshot.deviceStages->state().resultOf(argument); onHost && result)
            memory.results[*result] = row->memoryKind;
    }
    return any ? withMemoryMoves(std::move(program), memory, defaultMemoryKind(platformOf(*snapshot.experiment)))
               : std::move(program);
}

std::vector<bool> hostArguments(const Snapshot& snapshot)
{
    std::vector<bool> onHost;
    for (const ValueId argument : snapshot.program->main().arguments) {
        const TensorRow* row = snapshot.row(argument);
        onHost.push_back(row && isOnHost(snapshot, *row));
    }
    return onHost;
}

Plan planWithoutHostArrays(const Plan& plan, const std::vector<bool>& hostArguments)
{
    std::vector<bool> onHost(plan.slots.size());
    for (std::size_t i = 0; i < std::min(hostArguments.size(), plan.arguments.size()); ++i)
        if (hostArguments[i] && plan.arguments[i].valid())
            onHost[plan.arguments[i].index] = true;

    constexpr std::int32_t never = -1;
    std::vector<std::int32_t> first(plan.slots.size(), never), last(plan.slots.size(), never);
    const auto touch = [&](SlotId slot, std::size_t instruction) {
        if (!slot.valid())
            return;
        const auto at = static_cast<std::int32_t>(instruction);
        if (first[slot.index] == never)
            first[slot.index] = at;
        last[slot.index] = at;
    };
    std::unordered_map<SlotId, const MemorySummary*> rooms;
    for (std::size_t i = 0; i < plan.instructions.size(); ++i) {
        const Instruction& instruction = plan.instructions[i];
        for (const SlotId slot : instruction.operands)
            touch(slot, i);
        for (const SlotId slot : instruction.results)
            touch(slot, i);
        if (const auto* fused = std::get_if<FusedInstruction>(&instruction.action)) {
            for (const FusedInstruction::Input& input : fused->inputs)
                touch(input.slot, i);
            for (const FusedInstruction::Output& output : fused->outputs)
                touch(output.slot, i);
        }
        if (const auto* control = std::get_if<ControlInstruction>(&instruction.action))
            rooms.emplace(control->room, &plan.highest(*control));
    }
    std::vector<Slot> slots;
    slots.reserve(plan.slots.size());
    InnerMemory inner;
    for (std::size_t s = 0; s < plan.slots.size(); ++s) {
        if (plan.slots[s].block != 0)
            continue;
        if (const auto room = rooms.find(SlotId(s)); room != rooms.end())
            inner.emplace(slots.size(), room->second);
        if (!onHost[s]) {
            slots.push_back(plan.slots[s]);
        } else if (first[s] != never) {
            Slot slot = plan.slots[s];
            slot.firstUse = first[s];
            slot.lastUse = slot.lastRead = last[s];
            slots.push_back(slot);
        }
    }
    Plan own = plan;
    own.memory = summarise(*plan.program, slots, plan.instructions.size(), plan.memory.arenaBytes, inner);
    return own;
}

} // namespace shardscope
