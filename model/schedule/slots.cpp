// SPDX-License-Identifier: GPL-3.0-or-later
#include "schedule/slots.h"

#include <algorithm>
#include <limits>
#include <queue>
#include <utility>

#include "base/alignment.h"
#include "base/codes.h"

namespace shardscope {

namespace {

constexpr std::int64_t largestArena = std::int64_t{ 1 } << 40;

} // namespace

SlotTable makeSlots(
    const Work& work, const Order& order, const OuterSlots& outer, std::uint32_t first, std::uint32_t block)
{
    const FlatProgram& program = *work.program;
    SlotTable table;
    table.first = first;
    table.ofChain.assign(program.values.size(), SlotId());
    table.ofExtra.assign(order.extras.size(), SlotId());
    table.ofNode.assign(work.nodes.size(), SlotId());
    table.instructions = order.sequence.size() + order.endCopies.size();
    const auto end = static_cast<std::int32_t>(table.instructions);

    const auto add = [&](FlatValueId value, std::int64_t bytes, std::int32_t begin, std::int32_t last) {
        table.slots.push_back({ 0, bytes, value, begin, last, last, block });
        return SlotId(first + table.slots.size() - 1);
    };
    const auto addValue = [&](std::uint32_t value, std::int32_t begin, std::int32_t last) {
        return add(FlatValueId(value), program.values[value].localType.byteCount(), begin, last);
    };
    const auto keep = [&](SlotId slot) {
        if (slot.valid() && slot.index >= first)
            table.at(slot).lastUse = end;
    };
    const auto use = [&](SlotId slot, std::int32_t at) {
        if (!slot.valid() || slot.index < first)
            return;
        Slot& used = table.at(slot);
        used.lastUse = std::max(used.lastUse, at);
        used.lastRead = std::max(used.lastRead, at);
    };
    for (const auto& [value, slot] : outer)
        table.ofChain[value.index] = slot;
    for (const FlatValueId argument : work.block->arguments)
        if (argument.valid() && !table.ofChain[argument.index].valid())
            table.ofChain[argument.index] = addValue(argument.index, -1, end);

    const auto define = [&](std::uint32_t value, std::int32_t at) {
        const std::uint32_t chain = work.storage[value];
        if (!table.ofChain[chain].valid()) {
            const std::uint32_t argument = order.inPlaceOf[chain];
            table.ofChain[chain] = argument == none ? addValue(value, at, at) : table.ofChain[argument];
        }
        const SlotId slot = table.ofChain[chain];
        if (slot.index < first)
            return;
        // A slot goes by the program's own value, the last one where a chain ends in it.
        if (table.at(slot).firstUse >= 0 && value < program.program->values.size())
            table.at(slot).value = FlatValueId(value);
        use(slot, work.returned[value] ? end : at);
        if (work.outlives[value])
            keep(slot);
    };
    for (std::size_t i = 0; i < order.sequence.size(); ++i) {
        const std::uint32_t n = order.sequence[i];
        const Node& node = work.nodes[n];
        const auto at = static_cast<std::int32_t>(i);
        if (node.kind == Node::Kind::Copy) {
            table.ofExtra[node.copied] = addValue(node.source, at, at);
            continue;
        }
        if (node.kind == Node::Kind::Control)
            table.ofNode[n] = add(FlatValueId(), 0, at, at);
        for (const std::uint32_t op : node.ops) {
            work.forReads(op, [&](std::uint32_t read) {
                if (work.definition[read] == none || work.nodeOf[work.definition[read]] != n)
                    use(table.ofChain[work.storage[read]], at);
            });
            work.forResults(op, [&](std::uint32_t result) {
                if (work.same[result] == result && needsSlot(work, result))
                    define(result, at);
            });
        }
    }
    for (const std::uint32_t extra : order.resultExtra)
        if (extra != none)
            use(table.ofExtra[extra], end);
    for (const std::uint32_t extra : order.aliasExtra)
        if (extra != none)
            keep(table.ofExtra[extra]);
    for (std::size_t i = 0; i < order.endCopies.size(); ++i) {
        const Order::EndCopy& copy = order.endCopies[i];
        use(copy.extra == none ? table.ofChain[work.storage[copy.value]] : table.ofExtra[copy.extra],
            static_cast<std::int32_t>(order.sequence.size() + i));
    }
    return table;
}

Result<std::int64_t> packSlots(std::vector<Slot>& slots, std::size_t instructions)
{
    const auto tooLarge = [](std::int64_t bytes) {
        return fail(
            Code::TooLarge, { { "what", "the memory of one device" }, { "bytes", bytes }, { "limit", largestArena } });
    };
    // What outlives the step has to be there at once, whatever else is reused.
    std::int64_t lasting = 0;
    for (const Slot& slot : slots)
        if (slot.lastUse >= static_cast<std::int32_t>(instructions) || slot.bytes > largestArena)
            if (__builtin_add_overflow(lasting, slot.bytes, &lasting))
                lasting = std::numeric_limits<std::int64_t>::max();
    if (lasting > largestArena)
        return tooLarge(lasting);
    const auto end = static_cast<std::int32_t>(instructions);
    std::int64_t fixed = 0;
    std::vector<std::size_t> passing;
    for (std::size_t s = 0; s < slots.size(); ++s) {
        if (slots[s].bytes > largestArena)
            return tooLarge(slots[s].bytes);
        if (slots[s].lastUse < end) {
            passing.push_back(s);
            continue;
        }
        slots[s].offset = fixed;
        fixed += alignedBytes(slots[s].bytes);
        if (fixed > largestArena)
            return tooLarge(fixed);
    }

    // Free intervals after the fixed part, by offset; the last one has no end.
    struct Gap {
        std::int64_t begin = 0, end = 0;
    };
    constexpr std::int64_t endless = std::int64_t{ 1 } << 62;
    std::vector<Gap> gaps{ { fixed, endless } };
    std::int64_t reserved = fixed;
    std::sort(passing.begin(), passing.end(), [&](std::size_t a, std::size_t b) {
        return slots[a].firstUse != slots[b].firstUse ? slots[a].firstUse < slots[b].firstUse : a < b;
    });
    using Active = std::pair<std::int32_t, std::size_t>; // last use, slot
    std::priority_queue<Active, std::vector<Active>, std::greater<>> active;
    const auto release = [&](const Slot& slot) {
        const std::int64_t begin = slot.offset, stop = begin + alignedBytes(slot.bytes);
        if (begin == stop)
            return;
        const auto after = std::lower_bound(
            gaps.begin(), gaps.end(), begin, [](const Gap& gap, std::int64_t offset) { return gap.begin < offset; });
        const bool meetsNext = after != gaps.end() && after->begin == stop;
        const bool meetsLast = after != gaps.begin() && std::prev(after)->end == begin;
        if (meetsNext && meetsLast) {
            std::prev(after)->end = after->end;
            gaps.erase(after);
        } else if (meetsNext) {
            after->begin = begin;
        } else if (meetsLast) {
            std::prev(after)->end = stop;
        } else {
            gaps.insert(after, { begin, stop });
        }
    };
    for (const std::size_t s : passing) {
        Slot& slot = slots[s];
        while (!active.empty() && active.top().first < slot.firstUse) {
            release(slots[active.top().second]);
            active.pop();
        }
        const std::int64_t bytes = alignedBytes(slot.bytes);
        auto gap = gaps.begin();
        while (gap->end - gap->begin < bytes)
            ++gap;
        slot.offset = gap->begin;
        gap->begin += bytes;
        if (gap->begin == gap->end)
            gaps.erase(gap);
        reserved = std::max(reserved, slot.offset + bytes);
        if (reserved > largestArena)
            return tooLarge(reserved);
        active.emplace(slot.lastUse, s);
    }
    return reserved;
}

MemorySummary summarise(const FlatProgram& program, const std::vector<Slot>& slots, std::size_t instructions,
    std::int64_t arenaBytes, const InnerMemory& inner)
{
    MemorySummary memory;
    memory.arenaBytes = arenaBytes;
    const Program& source = *program.program;
    const std::size_t moments = std::max<std::size_t>(instructions, 1);
    // Kept is what is live and read no more: nothing in loops and branches.
    std::vector<std::int64_t> change(moments + 1, 0), keptChange(moments + 1, 0);
    const auto momentOf = [&](std::int32_t use) {
        return std::min(static_cast<std::size_t>(std::max(use, 0)), moments - 1);
    };
    const auto span = [&](const Slot& slot) {
        return std::pair(static_cast<std::size_t>(std::max(slot.firstUse, 0)), momentOf(slot.lastUse));
    };
    const auto innerOf = [&](std::size_t s) -> const MemorySummary* {
        const auto found = inner.find(s);
        return found == inner.end() ? nullptr : found->second;
    };
    // Of loops and branches what is live in them at their peaks, not what is reserved.
    const auto bytesOf = [&](std::size_t s) { return innerOf(s) ? innerOf(s)->peakBytes : slots[s].bytes; };
    for (std::size_t s = 0; s < slots.size(); ++s) {
        const auto [begin, last] = span(slots[s]);
        change[begin] += bytesOf(s);
        change[last + 1] -= bytesOf(s);
        keptChange[momentOf(slots[s].lastRead) + 1] += bytesOf(s);
        keptChange[last + 1] -= bytesOf(s);
    }
    std::int64_t live = 0, kept = 0;
    for (std::size_t i = 0; i < moments; ++i) {
        live += change[i];
        kept += keptChange[i];
        memory.peakWithoutKept = std::max(memory.peakWithoutKept, live - kept);
        if (live > memory.peakBytes) {
            memory.peakBytes = live;
            memory.peakInstruction = static_cast<std::int32_t>(i);
        }
        if (i < instructions)
            memory.live.push_back(live);
    }
    const auto peak = static_cast<std::size_t>(memory.peakInstruction);
    for (std::size_t s = 0; s < slots.size(); ++s) {
        const Slot& slot = slots[s];
        const auto [begin, last] = span(slot);
        const ValueId origin = slot.value.valid() ? program.value(slot.value).origin : ValueId();
        const bool isAtPeak = begin <= peak && peak <= last;
        if (const MemorySummary* summary = innerOf(s)) {
            for (std::size_t owner = 0; isAtPeak && owner < ownerCount; ++owner)
                memory.atPeak[owner] += summary->atPeak[owner];
            continue;
        }
        if (isAtPeak)
            memory.atPeak[static_cast<std::size_t>(origin.valid() ? ownerOf(source, origin) : Owner::Buffers)] +=
                slot.bytes;
        if (slot.firstUse >= 0 || !origin.valid())
            continue;
        switch (source.value(origin).role) {
        case Role::Step:
        case Role::Count:
        case Role::Parameter:
        case Role::Mu:
        case Role::Nu:
        case Role::Master:
            memory.stateBytes += slot.bytes;
            break;
        default:
            break;
        }
    }
    return memory;
}

} // namespace shardscope
