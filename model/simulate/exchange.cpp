// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulate/exchange.h"

#include <algorithm>
#include <cstring>

#include "base/codes.h"
#include "simulate/reduction.h"

namespace shardscope {

namespace {

constexpr std::int64_t taskBytes = 64 * 1024; // of one member's part in an all-reduce task

tl::unexpected<Error> mismatch(const char* detail)
{
    return fail(Code::VersionMismatch, { { "detail", detail } });
}

using Box = std::vector<IndexRange>;

Box intersection(const Box& a, const Box& b)
{
    Box box;
    for (std::size_t d = 0; d < a.size(); ++d) {
        const std::int64_t begin = std::max(a[d].begin, b[d].begin);
        box.push_back({ begin, std::max(begin, std::min(a[d].end, b[d].end)) });
    }
    return box;
}

std::int64_t volume(const Box& box)
{
    std::int64_t elements = 1;
    for (const IndexRange& range : box)
        elements *= range.size();
    return elements;
}

Shape extents(const Box& box)
{
    Shape shape;
    for (const IndexRange& range : box)
        shape.push_back(range.size());
    return shape;
}

/// Of the first element of `box` in a shard that begins at `origin`.
std::int64_t offsetIn(const Box& box, const Shape& origin, const Shape& strides)
{
    std::int64_t offset = 0;
    for (std::size_t d = 0; d < box.size(); ++d)
        offset += (box[d].begin - origin[d]) * strides[d];
    return offset;
}

/// Global index at which a device's (padded) shard begins.
Shape originAt(const Layout& layout, std::int64_t position, const Shape& localShape)
{
    Shape origin = layout.blockAt(position);
    for (std::size_t d = 0; d < origin.size(); ++d)
        origin[d] *= localShape[d];
    return origin;
}

} // namespace

Result<Exchange> Exchange::prepare(
    const Plan& plan, const Instruction& instruction, const KernelSet& kernels, MemoryBudget& budget)
{
    const DeviceProgram& program = *plan.program;
    const DeviceOp& op = program.ops[std::get<CollectiveInstruction>(instruction.action).op.index];
    const Collective* collective = op.collective();
    if (collective == nullptr || instruction.operands.size() != 1 || instruction.results.size() != 1
        || op.operands.size() != 1 || op.results.size() != 1)
        return mismatch("not a collective of one array");
    const SlotId operandSlot = instruction.operands[0];
    const SlotId resultSlot = instruction.results[0];
    const DeviceValue& operand = program.value(op.operands[0]);
    const DeviceValue& result = program.value(op.results[0]);
    const Slot& from = plan.slot(operandSlot);
    const Slot& to = plan.slot(resultSlot);

    Exchange exchange;
    exchange.m_operand = operandSlot.index;
    exchange.m_result = resultSlot.index;
    exchange.m_elementBytes = byteSize(operand.localType.dtype);
    // Groups, and per device a task and lists of what it receives.
    const std::int64_t perDevice = static_cast<std::int64_t>(
        sizeof(std::int32_t) + sizeof(std::vector<std::int32_t>) + sizeof(Task) + sizeof(double) + sizeof(Rows));
    if (auto taken = budget.take(program.mesh->deviceCount() * perDevice); !taken)
        return tl::unexpected(taken.error());
    exchange.m_groups = axisGroups(*program.mesh, axesOf(*collective));
    exchange.m_reduces =
        collective->kind == CollectiveKind::AllReduce || collective->kind == CollectiveKind::ReduceScatter;
    if (exchange.m_reduces) {
        exchange.m_combine = kernels.elementwise({ combiningOperation(collective->reduction), Comparison::Equal,
            operand.localType.dtype, operand.localType.dtype, 0 });
        if (exchange.m_combine == nullptr)
            return fail(Code::NotExecutable, { { "op", name(collective->kind) } });
    }

    const bool apart = from.offset + from.bytes <= to.offset || to.offset + to.bytes <= from.offset;
    if (collective->kind == CollectiveKind::AllReduce) {
        if (!apart && from.offset != to.offset)
            return mismatch("operand and result of an all-reduce overlap in part");
        if (operand.localType != result.localType)
            return mismatch("operand and result of an all-reduce differ in type");
        if (auto prepared = exchange.prepareAllReduce(operand.localType.elementCount(), budget); !prepared)
            return tl::unexpected(prepared.error());
        return exchange;
    }
    if (!apart && operand.localType.byteCount() != 0)
        return mismatch("operand and result of a collective overlap");
    const Layout before = program.layout(op.operands[0]);
    const Layout after = program.layout(op.results[0]);
    const auto prepared = collective->kind == CollectiveKind::ReduceScatter
        ? exchange.prepareReduceScatter(before, after, operand.localType.shape, result.localType.shape, budget)
        : exchange.prepareMoves(before, after, operand.localType.shape, result.localType.shape, budget);
    if (!prepared)
        return tl::unexpected(prepared.error());
    return exchange;
}

Result<void> Exchange::prepareAllReduce(std::int64_t elements, MemoryBudget& budget)
{
    const std::int64_t perTask = taskBytes / m_elementBytes;
    const std::int64_t tasks = (elements + perTask - 1) / perTask;
    // Every task has its time, too.
    if (auto taken = budget.take(
            static_cast<double>(tasks) * static_cast<double>(m_groups.size() * (sizeof(Task) + sizeof(double))));
        !taken || budget.onlyCounts())
        return taken;
    m_tasks.reserve(static_cast<std::size_t>(tasks) * m_groups.size());
    for (std::size_t group = 0; group < m_groups.size(); ++group) {
        for (std::int64_t begin = 0; begin < elements; begin += perTask)
            m_tasks.push_back({ group, begin, std::min(begin + perTask, elements) });
        m_copiedBytes += static_cast<std::int64_t>(m_groups[group].size()) * elements * m_elementBytes;
    }
    return {};
}

Result<void> Exchange::prepareMoves(
    const Layout& from, const Layout& to, const Shape& fromShape, const Shape& toShape, MemoryBudget& budget)
{
    const Shape fromStrides = rowMajorStrides(fromShape);
    const Shape toStrides = rowMajorStrides(toShape);
    if (!budget.onlyCounts())
        m_moves.resize(static_cast<std::size_t>(from.mesh().deviceCount()));
    for (std::size_t group = 0; group < m_groups.size(); ++group) {
        const std::vector<std::int32_t>& members = m_groups[group];
        for (std::size_t member = 0; member < members.size(); ++member) {
            const std::int32_t receiver = members[member];
            const Box needed = to.rangesAt(receiver);
            const Shape target = originAt(to, receiver, toShape);
            std::int64_t missing = volume(needed);
            std::vector<std::int64_t> readShards; // shards, so that no copy of one is read twice
            const auto takeFrom = [&](std::int32_t source) {
                const std::int64_t shard = from.shardAt(source);
                if (missing == 0 || std::find(readShards.begin(), readShards.end(), shard) != readShards.end())
                    return;
                const Box box = intersection(needed, from.rangesAt(source));
                if (volume(box) == 0)
                    return;
                readShards.push_back(shard);
                missing -= volume(box);
                if (budget.onlyCounts())
                    return;
                m_moves[static_cast<std::size_t>(receiver)].push_back({ source,
                    StridedCopy(extents(box), toStrides, fromStrides, m_elementBytes, offsetIn(box, target, toStrides),
                        offsetIn(box, originAt(from, source, fromShape), fromStrides)) });
                m_copiedBytes += volume(box) * m_elementBytes;
            };
            takeFrom(receiver);
            for (const std::int32_t source : members)
                takeFrom(source);
            // A device has few moves, all devices together may have very many.
            if (auto taken = budget.take(static_cast<double>(readShards.size() * sizeof(Move))); !taken)
                return taken;
            if (missing != 0)
                return mismatch("a group lacks what one of its members needs");
            if (!budget.onlyCounts())
                m_tasks.push_back({ group, static_cast<std::int64_t>(member), 0 });
        }
    }
    return {};
}

Result<void> Exchange::prepareReduceScatter(
    const Layout& from, const Layout& to, const Shape& fromShape, const Shape& toShape, MemoryBudget& budget)
{
    const Shape fromStrides = rowMajorStrides(fromShape);
    const Shape toStrides = rowMajorStrides(toShape);
    if (!budget.onlyCounts())
        m_rows.resize(static_cast<std::size_t>(from.mesh().deviceCount()));
    for (std::size_t group = 0; group < m_groups.size(); ++group) {
        const std::vector<std::int32_t>& members = m_groups[group];
        for (std::size_t member = 0; member < members.size(); ++member) {
            const std::int32_t receiver = members[member];
            const Box box = to.rangesAt(receiver);
            if (volume(intersection(box, from.rangesAt(receiver))) != volume(box))
                return mismatch("a reduce-scatter needs more than its operand holds");
            for (const std::int32_t other : members)
                if (from.shardAt(other) != from.shardAt(receiver))
                    return mismatch("the addends of a reduce-scatter are different shards");
            const Shape shape = extents(box);
            const std::int64_t length = shape.empty() ? 1 : shape.back();
            if (budget.onlyCounts()) {
                if (volume(box) > 0)
                    (void)budget.take(2 * (volume(box) / length) * static_cast<std::int64_t>(sizeof(std::int64_t)));
                continue;
            }
            m_tasks.push_back({ group, static_cast<std::int64_t>(member), 0 });
            if (volume(box) == 0)
                continue;
            Rows& rows = m_rows[static_cast<std::size_t>(receiver)];
            rows.length = length * m_elementBytes;
            const std::int64_t target = offsetIn(box, originAt(to, receiver, toShape), toStrides);
            const std::int64_t source = offsetIn(box, originAt(from, receiver, fromShape), fromStrides);
            const std::int64_t rowCount = volume(box) / length;
            if (auto taken = budget.take(2 * rowCount * static_cast<std::int64_t>(sizeof(std::int64_t))); !taken)
                return taken;
            rows.target.reserve(static_cast<std::size_t>(rowCount));
            rows.source.reserve(static_cast<std::size_t>(rowCount));
            for (std::int64_t row = 0; row < rowCount; ++row) {
                std::int64_t rest = row;
                std::int64_t toOffset = target;
                std::int64_t fromOffset = source;
                for (std::size_t d = shape.size() - (shape.empty() ? 0 : 1); d-- > 0;) {
                    toOffset += rest % shape[d] * toStrides[d];
                    fromOffset += rest % shape[d] * fromStrides[d];
                    rest /= shape[d];
                }
                rows.target.push_back(toOffset * m_elementBytes);
                rows.source.push_back(fromOffset * m_elementBytes);
            }
            m_copiedBytes += volume(box) * m_elementBytes;
        }
    }
    return {};
}

void Exchange::reduceRange(
    const Task& task, std::byte* const* addresses, std::size_t slotCount, std::byte* scratch) const
{
    const std::vector<std::int32_t>& members = m_groups[task.group];
    const auto at = [&](std::size_t member, std::uint32_t slot, std::int64_t element) {
        return addresses[static_cast<std::size_t>(members[member]) * slotCount + slot] + element * m_elementBytes;
    };
    if (members.size() == 1) {
        std::byte* target = at(0, m_result, task.begin);
        const std::byte* source = at(0, m_operand, task.begin);
        if (target != source)
            std::memcpy(target, source, static_cast<std::size_t>((task.end - task.begin) * m_elementBytes));
        return;
    }
    const std::int64_t block = blockBytes / m_elementBytes;
    for (std::int64_t begin = task.begin; begin < task.end; begin += block) {
        const std::int64_t count = std::min(block, task.end - begin);
        // The last sum goes to the first member, when all members have been read; from there it is handed out.
        const std::byte* sum = at(0, m_operand, begin);
        for (std::size_t member = 1; member < members.size(); ++member) {
            std::byte* target = member + 1 == members.size() ? at(0, m_result, begin) : scratch;
            m_combine(target, sum, at(member, m_operand, begin), nullptr, count);
            sum = target;
        }
        for (std::size_t member = 1; member < members.size(); ++member)
            std::memcpy(at(member, m_result, begin), sum, static_cast<std::size_t>(count * m_elementBytes));
    }
}

void Exchange::run(std::int64_t index, std::byte* const* addresses, std::size_t slotCount, std::byte* scratch) const
{
    const Task& task = m_tasks[static_cast<std::size_t>(index)];
    if (m_reduces && m_rows.empty())
        return reduceRange(task, addresses, slotCount, scratch);
    const std::vector<std::int32_t>& members = m_groups[task.group];
    const auto receiver = static_cast<std::size_t>(members[static_cast<std::size_t>(task.begin)]);
    std::byte* target = addresses[receiver * slotCount + m_result];
    const auto operandOf = [&](std::int32_t position) -> const std::byte* {
        return addresses[static_cast<std::size_t>(position) * slotCount + m_operand];
    };
    if (!m_reduces) {
        for (const Move& move : m_moves[receiver])
            move.copy.run(target, operandOf(move.source));
        return;
    }
    const Rows& rows = m_rows[receiver];
    for (std::size_t row = 0; row < rows.target.size(); ++row) {
        std::byte* out = target + rows.target[row];
        std::memcpy(out, operandOf(members[0]) + rows.source[row], static_cast<std::size_t>(rows.length));
        for (std::size_t member = 1; member < members.size(); ++member)
            m_combine(out, out, operandOf(members[member]) + rows.source[row], nullptr, rows.length / m_elementBytes);
    }
}

} // namespace shardscope
