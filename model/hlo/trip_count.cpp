// SPDX-License-Identifier: GPL-3.0-or-later
#include "hlo/trip_count.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <utility>

#include "base/text.h"
#include "hlo/attributes.h"

namespace shardscope {

namespace {

/// Where a computation is called from.
struct Frame {
    std::uint32_t computation = noHloIndex;
    bool isLoop = false; ///< its parameter is what the loop carries
    const HloInstruction* call = nullptr; ///< the arguments of its parameters; null for a frame without a caller
    const Frame* outer = nullptr;
};

/// A value as seen from a frame.
struct Seen {
    std::uint32_t instruction = noHloIndex;
    const Frame* frame = nullptr;
};

class Trips {
public:
    explicit Trips(const HloModule& module)
        : m_module(module)
    {
    }
    std::optional<std::int64_t> of(const HloInstruction& loop);

private:
    [[nodiscard]] const HloInstruction& at(Seen seen) const { return m_module.instructions[seen.instruction]; }
    [[nodiscard]] std::string_view opcode(Seen seen) const { return m_module.opcode(at(seen)); }
    [[nodiscard]] Seen operand(Seen seen, std::size_t index) const
    {
        const auto operands = m_module.operandsOf(at(seen));
        return index < operands.size() ? Seen{ operands[index], seen.frame } : Seen{};
    }
    const Frame* frameOf(std::string_view attribute, const HloInstruction& call, bool isLoop, const Frame* outer);
    [[nodiscard]] Seen rootOf(const Frame* frame) const
    {
        return frame ? Seen{ m_module.computations[frame->computation].root, frame } : Seen{};
    }
    Seen argument(Seen parameter) const;
    /// The same value, nearer to where it is made: through copies, calls and tuples.
    Seen followed(Seen seen);
    Seen element(Seen tuple, std::int64_t index);
    std::optional<std::int64_t> index(Seen element) const;
    /// The element of what the loop carries that it is.
    std::optional<std::int64_t> carried(Seen seen);
    std::optional<std::int64_t> number(Seen seen);

    const HloModule& m_module;
    std::deque<Frame> m_frames;
    const HloInstruction* m_loop = nullptr;
    const Frame* m_body = nullptr;
    int m_steps = 0; ///< of following; texts that lead on and on lead nowhere
};

constexpr int maximumSteps = 2000;

const Frame* Trips::frameOf(std::string_view attribute, const HloInstruction& call, bool isLoop, const Frame* outer)
{
    const auto calls = calledBy(m_module, call);
    if (!calls)
        return nullptr;
    for (const HloCall& each : *calls)
        if (each.attribute == attribute && m_module.computations[each.computation].root != noHloIndex)
            return &m_frames.emplace_back(Frame{ each.computation, isLoop, &call, outer });
    return nullptr;
}

/// What a parameter of a called computation stands for; none for what a loop carries, and for the outermost frame.
Seen Trips::argument(Seen parameter) const
{
    const Frame* frame = parameter.frame;
    const auto number = wholeNumber<std::size_t>(m_module.view(at(parameter).inside));
    if (!frame || !frame->call || frame->isLoop || !number)
        return {};
    const auto operands = m_module.operandsOf(*frame->call);
    return *number < operands.size() ? Seen{ operands[*number], frame->outer } : Seen{};
}

std::optional<std::int64_t> Trips::index(Seen element) const
{
    const auto read = hloNumber(m_module, at(element), "index");
    return read ? *read : std::nullopt;
}

Seen Trips::element(Seen tuple, std::int64_t index)
{
    tuple = followed(tuple);
    if (tuple.instruction == noHloIndex || opcode(tuple) != "tuple" || index < 0)
        return {};
    return operand(tuple, static_cast<std::size_t>(index));
}

Seen Trips::followed(Seen seen)
{
    while (seen.instruction != noHloIndex && ++m_steps < maximumSteps) {
        const std::string_view code = opcode(seen);
        Seen next;
        if (code == "copy" || code == "convert" || code == "bitcast" || code == "reshape" || code == "copy-done"
            || code == "opt-barrier" || code == "optimization-barrier") {
            next = operand(seen, 0);
        } else if (code == "copy-start") { // (destination, source, context)
            return seen;
        } else if (code == "call" || code == "fusion") {
            next = rootOf(frameOf(code == "call" ? "to_apply" : "calls", at(seen), false, seen.frame));
        } else if (code == "parameter") {
            next = argument(seen);
        } else if (code == "get-tuple-element") {
            const std::optional<std::int64_t> which = index(seen);
            if (which)
                next = element(operand(seen, 0), *which);
        }
        if (next.instruction == noHloIndex)
            return seen;
        seen = next;
    }
    return seen;
}

std::optional<std::int64_t> Trips::carried(Seen seen)
{
    seen = followed(seen);
    if (seen.instruction == noHloIndex || opcode(seen) != "get-tuple-element")
        return std::nullopt;
    const Seen tuple = followed(operand(seen, 0));
    const bool isCarried = tuple.instruction != noHloIndex && opcode(tuple) == "parameter" && tuple.frame
        && tuple.frame->isLoop && tuple.frame->call == m_loop;
    return isCarried ? index(seen) : std::nullopt;
}

std::optional<std::int64_t> Trips::number(Seen seen)
{
    seen = followed(seen);
    if (seen.instruction == noHloIndex || ++m_steps >= maximumSteps)
        return std::nullopt;
    const std::string_view code = opcode(seen);
    if (code == "constant")
        return wholeNumber<std::int64_t>(m_module.view(at(seen).inside));
    if (const std::optional<std::int64_t> which = carried(seen)) {
        // What the loop hands on as it is has the value that it starts with.
        if (carried(element(rootOf(m_body), *which)) != which)
            return std::nullopt;
        return number(element({ m_module.operandsOf(*m_loop).front(), nullptr }, *which));
    }
    if (code != "add" && code != "subtract" && code != "multiply" && code != "minimum" && code != "maximum")
        return std::nullopt;
    const std::optional<std::int64_t> a = number(operand(seen, 0)), b = number(operand(seen, 1));
    std::int64_t result = 0;
    if (!a || !b)
        return std::nullopt;
    if (code == "minimum" || code == "maximum")
        return code == "minimum" ? std::min(*a, *b) : std::max(*a, *b);
    const bool overflows = code == "add" ? __builtin_add_overflow(*a, *b, &result)
        : code == "subtract"             ? __builtin_sub_overflow(*a, *b, &result)
                                         : __builtin_mul_overflow(*a, *b, &result);
    return overflows ? std::nullopt : std::optional(result);
}

/// From `start` in steps of `step` while the comparison with `limit` holds.
std::optional<std::int64_t> timesUntil(
    std::int64_t start, std::int64_t step, std::int64_t limit, std::string_view direction)
{
    const auto isSmall = [](std::int64_t number) {
        constexpr std::int64_t most = std::int64_t{ 1 } << 60; // sums of a few of them do not overflow
        return number >= -most && number <= most;
    };
    if (!isSmall(start) || !isSmall(limit) || !isSmall(step) || step == 0)
        return std::nullopt;
    if (direction == "NE")
        return (limit - start) % step == 0 && (limit - start) / step >= 0 ? std::optional((limit - start) / step)
                                                                          : std::nullopt;
    if (direction == "GT" || direction == "GE") { // the same, counted the other way
        start = -start;
        limit = -limit;
        step = -step;
    } else if (direction != "LT" && direction != "LE") {
        return std::nullopt;
    }
    const std::int64_t end = limit + (direction == "LE" || direction == "GE" ? 1 : 0);
    if (start >= end)
        return 0;
    return step > 0 ? std::optional((end - start + step - 1) / step) : std::nullopt;
}

std::string_view swapped(std::string_view direction)
{
    return direction == "LT" ? "GT"
        : direction == "LE"  ? "GE"
        : direction == "GT"  ? "LT"
        : direction == "GE"  ? "LE"
                             : direction;
}

std::optional<std::int64_t> Trips::of(const HloInstruction& loop)
{
    m_loop = &loop;
    if (m_module.operandsOf(loop).empty())
        return std::nullopt;
    const Frame* condition = frameOf("condition", loop, true, nullptr);
    m_body = frameOf("body", loop, true, nullptr);
    if (!condition || !m_body)
        return std::nullopt;
    const Seen test = followed(rootOf(condition));
    if (test.instruction == noHloIndex || opcode(test) != "compare")
        return std::nullopt;
    std::string direction = hloText(m_module, at(test), "direction");
    Seen counter = operand(test, 0), limit = operand(test, 1);
    std::optional<std::int64_t> end = number(limit);
    if (!end) {
        std::swap(counter, limit);
        direction = swapped(direction);
        end = number(limit);
    }
    const std::optional<std::int64_t> which = carried(counter);
    if (!end || !which)
        return std::nullopt;
    const std::optional<std::int64_t> start = number(element({ m_module.operandsOf(loop).front(), nullptr }, *which));
    const Seen next = followed(element(rootOf(m_body), *which));
    if (!start || next.instruction == noHloIndex)
        return std::nullopt;
    const bool isSum = opcode(next) == "add";
    if (!isSum && opcode(next) != "subtract")
        return std::nullopt;
    Seen before = operand(next, 0), by = operand(next, 1);
    if (isSum && carried(before) != which)
        std::swap(before, by);
    const std::optional<std::int64_t> step = number(by);
    if (!step || carried(before) != which)
        return std::nullopt;
    if (*step == std::numeric_limits<std::int64_t>::min()) // has no negative
        return std::nullopt;
    return timesUntil(*start, isSum ? *step : -*step, *end, direction);
}

} // namespace

std::optional<std::int64_t> tripCount(const HloModule& module, const HloInstruction& loop)
{
    const std::optional<std::int64_t> stated = knownTripCount(module, loop);
    return stated ? stated : Trips(module).of(loop);
}

} // namespace shardscope
