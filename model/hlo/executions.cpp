// SPDX-License-Identifier: GPL-3.0-or-later
// How often computations run, and in which branches. Declared in collectives.h.
#include <algorithm>

#include "hlo/collectives.h"

namespace shardscope {

namespace {

/// "caller runs callee so many times"
struct CallEdge {
    std::uint32_t callee = 0;
    std::optional<std::int64_t> times;
};

/// Its computation is that of the start, where it ran.
bool endsAsync(std::string_view opcode)
{
    return opcode == "async-done" || opcode == "async-update";
}

} // namespace

Result<std::vector<std::optional<std::int64_t>>> executionsOf(
    const HloModule& module, const std::vector<HloLoop>& loops)
{
    const std::size_t count = module.computations.size();
    std::vector<std::vector<CallEdge>> calls(count);
    std::vector<std::uint32_t> waiting(count); // callers that are not done
    for (const HloInstruction& instruction : module.instructions) {
        if (instruction.attributeCount == 0 || endsAsync(module.opcode(instruction)))
            continue;
        SHARDSCOPE_TRY(called, calledBy(module, instruction));
        if (called->empty())
            continue;
        const std::uint32_t index = module.indexOf(instruction);
        const auto loop = std::lower_bound(loops.begin(), loops.end(), index,
            [](const HloLoop& each, std::uint32_t wanted) { return each.instruction < wanted; });
        const bool isLoop = loop != loops.end() && loop->instruction == index;
        for (const HloCall& call : *called) {
            std::optional<std::int64_t> times = 1;
            if (isLoop) {
                times = loop->trips;
                if (times && call.attribute == "condition")
                    times = saturatingSum(*times, 1);
            }
            calls[instruction.computation].push_back({ call.computation, times });
            ++waiting[call.computation];
        }
    }
    // Callers before what they call; what calls itself stays unknown.
    std::vector<std::optional<std::int64_t>> executions(
        count, module.entry == noHloIndex ? std::nullopt : std::optional<std::int64_t>(0));
    std::vector<std::uint32_t> ready;
    for (std::uint32_t c = 0; c < count; ++c)
        if (waiting[c] == 0)
            ready.push_back(c);
    if (module.entry != noHloIndex)
        executions[module.entry] = 1;
    while (!ready.empty()) {
        const std::uint32_t caller = ready.back();
        ready.pop_back();
        for (const CallEdge& call : calls[caller]) {
            std::optional<std::int64_t>& sum = executions[call.callee];
            const bool isKnown = sum && executions[caller] && (call.times || executions[caller] == 0);
            sum = isKnown
                ? std::optional(saturatingSum(*sum, saturatingProduct(*executions[caller], call.times.value_or(0))))
                : std::nullopt;
            if (--waiting[call.callee] == 0)
                ready.push_back(call.callee);
        }
    }
    for (std::size_t c = 0; c < count; ++c)
        if (waiting[c] != 0)
            executions[c] = std::nullopt;
    return executions;
}

Result<std::vector<BranchPath>> branchesOf(const HloModule& module)
{
    struct Caller {
        std::uint32_t calls = 0, computation = 0;
        std::optional<Branch> branch;
    };
    const std::size_t count = module.computations.size();
    std::vector<Caller> callers(count);
    for (const HloInstruction& instruction : module.instructions) {
        if (instruction.attributeCount == 0 || endsAsync(module.opcode(instruction)))
            continue;
        SHARDSCOPE_TRY(called, calledBy(module, instruction));
        const bool chooses = module.opcode(instruction) == "conditional";
        for (std::uint32_t i = 0; i < called->size(); ++i) {
            Caller& caller = callers[(*called)[i].computation];
            ++caller.calls;
            caller.computation = instruction.computation;
            caller.branch = chooses ? std::optional(Branch{ module.indexOf(instruction), i }) : std::nullopt;
        }
    }
    constexpr std::size_t maximumDepth = 64; // what is nested deeper counts as if it were taken
    enum class State : std::uint8_t { Open, Met, Known };
    std::vector<State> states(count, State::Open);
    std::vector<BranchPath> paths(count);
    std::vector<std::uint32_t> way; // from inside to outside
    for (std::uint32_t c = 0; c < count; ++c) {
        way.clear();
        for (std::uint32_t at = c; states[at] == State::Open; at = callers[at].computation) {
            states[at] = State::Met;
            way.push_back(at);
            if (callers[at].calls != 1)
                break;
        }
        for (; !way.empty(); way.pop_back()) {
            const Caller& caller = callers[way.back()];
            if (caller.calls == 1 && states[caller.computation] == State::Known) { // a text may call in a circle
                paths[way.back()] = paths[caller.computation];
                if (caller.branch && paths[way.back()].size() < maximumDepth)
                    paths[way.back()].push_back(*caller.branch);
            }
            states[way.back()] = State::Known;
        }
    }
    return paths;
}

} // namespace shardscope
