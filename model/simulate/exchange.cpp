// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulate/exchange.h"

#include "program/body.h"

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

double devicesPerShard(const Layout& layout)
{
    return static_cast<double>(layout.copies()) * static_cast<double>(layout.addends());
}

/// Pieces that all devices together receive, one per shard of `from` that has something of what a device needs. Shards
/// are products of blocks, and so are the pieces: their number is a product over dimensions.
double piecesOf(const Layout& from, const Layout& to)
{
    double pieces = devicesPerShard(to);
    for (std::size_t d = 0; d < to.shape().size(); ++d) {
        const std::int64_t held = from.shardShape()[d];
        const std::int64_t needed = to.shardShape()[d];
        double inDimension = 0;
        for (std::int64_t begin = 0; begin < to.shape()[d]; begin += needed)
            inDimension += static_cast<double>((std::min(begin + needed, to.shape()[d]) - 1) / held - begin / held + 1);
        pieces *= inDimension;
    }
    return pieces;
}

/// Runs of neighbouring elements in the shards of all devices.
double rowsOf(const Layout& layout)
{
    double rows = devicesPerShard(layout);
    for (std::size_t d = 0; d < layout.shape().size(); ++d) {
        const std::int64_t extent = layout.shape()[d];
        const std::int64_t block = layout.shardShape()[d];
        const bool last = d + 1 == layout.shape().size();
        rows *= static_cast<double>(last && extent > 0 ? (extent + block - 1) / block : extent);
    }
    return rows;
}

constexpr std::int64_t bytesOfRow = 2 * sizeof(std::int64_t); // where it comes from and where it goes

} // namespace

Result<Exchange> Exchange::prepare(const Plan& plan, const Instruction& instruction, const KernelSet& kernels,
    MemoryBudget& budget, const std::stop_token& stop)
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
    const auto axes = axesOf(*collective);
    if (!budget.onlyCounts())
        exchange.m_groups = axisGroups(*program.mesh, axes);
    exchange.m_reduces =
        collective->kind == CollectiveKind::AllReduce || collective->kind == CollectiveKind::ReduceScatter;
    if (exchange.m_reduces) {
        exchange.m_combine = kernels.elementwise({ combinerOf(collective->reduction), Comparison::Equal,
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
        if (auto prepared = exchange.prepareAllReduce(
                operand.localType.elementCount(), program.mesh->deviceCount() / product(axes), budget);
            !prepared)
            return tl::unexpected(prepared.error());
        return exchange;
    }
    if (!apart && operand.localType.byteCount() != 0)
        return mismatch("operand and result of a collective overlap");
    const Layout before = program.layout(op.operands[0]);
    const Layout after = program.layout(op.results[0]);
    const bool scatters = collective->kind == CollectiveKind::ReduceScatter;
    if (budget.onlyCounts()) {
        (void)budget.take(scatters ? rowsOf(after) * static_cast<double>(bytesOfRow)
                                   : piecesOf(before, after) * static_cast<double>(sizeof(Move)));
        return exchange;
    }
    const auto prepared = scatters
        ? exchange.prepareReduceScatter(before, after, operand.localType.shape, result.localType.shape, budget, stop)
        : exchange.prepareMoves(before, after, operand.localType.shape, result.localType.shape, budget, stop);
    if (!prepared)
        return tl::unexpected(prepared.error());
    return exchange;
}

Result<void> Exchange::prepareAllReduce(std::int64_t elements, std::int64_t groups, MemoryBudget& budget)
{
    const std::int64_t perTask = taskBytes / m_elementBytes;
    const std::int64_t tasks = (elements + perTask - 1) / perTask;
    // Every task has its time, too.
    if (auto taken = budget.take(static_cast<double>(tasks) * static_cast<double>(groups)
            * static_cast<double>(sizeof(Task) + sizeof(double)));
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

Result<void> Exchange::prepareMoves(const Layout& from, const Layout& to, const Shape& fromShape, const Shape& toShape,
    MemoryBudget& budget, const std::stop_token& stop)
{
    const Shape fromStrides = rowMajorStrides(fromShape);
    const Shape toStrides = rowMajorStrides(toShape);
    m_moves.resize(static_cast<std::size_t>(from.mesh().deviceCount()));
    // By shard: the last receiver that has read it, so that no copy of one is read twice.
    std::vector<std::int32_t> lastReader(static_cast<std::size_t>(from.distinctShards()), -1);
    for (std::size_t group = 0; group < m_groups.size(); ++group) {
        const std::vector<std::int32_t>& members = m_groups[group];
        std::vector<Box> held;
        std::vector<std::size_t> shards;
        for (const std::int32_t member : members) {
            shards.push_back(static_cast<std::size_t>(from.shardAt(member)));
            held.push_back(from.rangesOfShard(from.shardAt(member)));
        }
        for (std::size_t member = 0; member < members.size(); ++member) {
            if (stop.stop_requested())
                return {};
            const std::int32_t receiver = members[member];
            const Box needed = to.rangesAt(receiver);
            const Shape target = originAt(to, receiver, toShape);
            std::int64_t missing = volume(needed);
            std::vector<Move>& moves = m_moves[static_cast<std::size_t>(receiver)];
            const auto takeFrom = [&](std::size_t other) {
                if (lastReader[shards[other]] == receiver)
                    return;
                const Box box = intersection(needed, held[other]);
                if (volume(box) == 0)
                    return;
                lastReader[shards[other]] = receiver;
                missing -= volume(box);
                const std::int32_t source = members[other];
                moves.push_back({ source,
                    StridedCopy(extents(box), toStrides, fromStrides, m_elementBytes, offsetIn(box, target, toStrides),
                        offsetIn(box, originAt(from, source, fromShape), fromStrides)) });
                m_copiedBytes += volume(box) * m_elementBytes;
            };
            takeFrom(member);
            for (std::size_t other = 0; other < members.size() && missing > 0; ++other)
                takeFrom(other);
            // A device has few moves, all devices together may have very many.
            if (auto taken = budget.take(static_cast<double>(moves.size() * sizeof(Move))); !taken)
                return taken;
            if (missing != 0)
                return mismatch("a group lacks what one of its members needs");
            m_tasks.push_back({ group, static_cast<std::int64_t>(member), 0 });
        }
    }
    return {};
}

Result<void> Exchange::prepareReduceScatter(const Layout& from, const Layout& to, const Shape& fromShape,
    const Shape& toShape, MemoryBudget& budget, const std::stop_token& stop)
{
    const Shape fromStrides = rowMajorStrides(fromShape);
    const Shape toStrides = rowMajorStrides(toShape);
    m_rows.resize(static_cast<std::size_t>(from.mesh().deviceCount()));
    for (std::size_t group = 0; group < m_groups.size(); ++group) {
        const std::vector<std::int32_t>& members = m_groups[group];
        for (const std::int32_t other : members)
            if (from.shardAt(other) != from.shardAt(members[0]))
                return mismatch("the addends of a reduce-scatter are different shards");
        for (std::size_t member = 0; member < members.size(); ++member) {
            if (stop.stop_requested())
                return {};
            const std::int32_t receiver = members[member];
            const Box box = to.rangesAt(receiver);
            if (volume(intersection(box, from.rangesAt(receiver))) != volume(box))
                return mismatch("a reduce-scatter needs more than its operand holds");
            const Shape shape = extents(box);
            const std::int64_t length = shape.empty() ? 1 : shape.back();
            m_tasks.push_back({ group, static_cast<std::int64_t>(member), 0 });
            if (volume(box) == 0)
                continue;
            Rows& rows = m_rows[static_cast<std::size_t>(receiver)];
            rows.length = length * m_elementBytes;
            const std::int64_t target = offsetIn(box, originAt(to, receiver, toShape), toStrides);
            const std::int64_t source = offsetIn(box, originAt(from, receiver, fromShape), fromStrides);
            const std::int64_t rowCount = volume(box) / length;
            if (auto taken = budget.take(rowCount * bytesOfRow); !taken)
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
