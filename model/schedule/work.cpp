// SPDX-License-Identifier: GPL-3.0-or-later
#include "schedule/work.h"

#include "program/op_row.h"

namespace shardscope {

Lists Lists::of(std::size_t count, std::span<const std::pair<std::uint32_t, std::uint32_t>> pairs)
{
    Lists lists;
    lists.begin.assign(count + 1, 0);
    for (const auto& [list, item] : pairs)
        ++lists.begin[list + 1];
    for (std::size_t i = 0; i < count; ++i)
        lists.begin[i + 1] += lists.begin[i];
    lists.data.resize(pairs.size());
    std::vector<std::uint32_t> next(lists.begin.begin(), lists.begin.end() - 1);
    for (const auto& [list, item] : pairs)
        lists.data[next[list]++] = item;
    return lists;
}

std::uint32_t Work::readBy(std::uint32_t op, std::uint32_t value) const
{
    if (!elementwise[op])
        return value;
    switch (inlined[value].kind) {
    case Inline::Kind::No:
        return value;
    case Inline::Kind::Constant:
        return none;
    case Inline::Kind::Scalar:
        return inlined[value].scalar;
    }
    return value;
}

namespace {

const Operation* operationOf(const DeviceProgram& device, const DeviceOp& op)
{
    const auto* id = std::get_if<OperationId>(&op.action);
    return id ? &device.program->operation(*id) : nullptr;
}

Inline inlineOf(const Work& work, const DeviceOp& op, const Operation& operation)
{
    if (operation.kind == OpKind::Constant) {
        const auto& values = std::get<ConstantAttributes>(operation.attributes).values;
        if (values.size() == 1)
            return { Inline::Kind::Constant, values[0], none };
    }
    if (operation.kind == OpKind::BroadcastInDim) {
        const std::uint32_t source = work.operand(op, 0);
        if (work.device->values[source].localType.rank() == 0)
            return work.inlined[source].kind == Inline::Kind::Constant ? work.inlined[source]
                                                                       : Inline{ Inline::Kind::Scalar, 0, source };
    }
    return {};
}

} // namespace

Work analyseWork(const DeviceProgram& device, const ScheduleOptions& options)
{
    Work work;
    work.device = &device;
    const std::size_t values = device.values.size();
    const std::size_t ops = device.ops.size();
    work.same.resize(values);
    for (std::size_t v = 0; v < values; ++v)
        work.same[v] = static_cast<std::uint32_t>(v);
    work.storage = work.same;
    work.definition.assign(values, none);
    work.outlives.resize(values);
    work.inlined.resize(values);
    work.live.resize(ops);
    work.elementwise.resize(ops);
    work.nodeOf.assign(ops, none);

    for (std::size_t i = 0; i < ops; ++i) {
        const DeviceOp& op = device.ops[i];
        const std::uint32_t result = op.results[0].index;
        work.definition[result] = static_cast<std::uint32_t>(i);
        const Operation* operation = operationOf(device, op);
        if (!operation) {
            if (op.collective()->kind == CollectiveKind::AllReduce)
                work.storage[result] = work.storage[work.operand(op, 0)];
            continue;
        }
        if (operation->kind == OpKind::ShardingConstraint) {
            work.same[result] = work.operand(op, 0);
            continue;
        }
        work.elementwise[i] = options.fuse && opRow(operation->kind).elementwise;
        if (options.fuse)
            work.inlined[result] = inlineOf(work, op, *operation);
    }

    for (const DeviceValueId result : device.results)
        work.outlives[work.same[result.index]] = true;
    for (const ValueId kept : options.keep) {
        work.outlives[work.same[kept.index]] = true;
        if (work.same[kept.index] != kept.index)
            work.keptAliases.push_back(kept.index);
    }
    // Backwards: an operation lives if its result is needed and not read as a constant or scalar alone.
    std::vector<bool> needed = work.outlives;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> reads;
    for (std::size_t i = ops; i-- > 0;) {
        const DeviceOp& op = device.ops[i];
        const std::uint32_t result = op.results[0].index;
        if (work.same[result] != result || !needed[result])
            continue;
        work.live[i] = true;
        for (std::size_t o = op.operands.size(); o-- > 0;) {
            const std::uint32_t read = work.readBy(static_cast<std::uint32_t>(i), work.operand(op, o));
            if (read == none)
                continue;
            needed[read] = true;
            reads.emplace_back(read, static_cast<std::uint32_t>(i));
        }
    }
    work.users = Lists::of(values, std::vector(reads.rbegin(), reads.rend()));
    for (std::uint32_t& definition : work.definition)
        if (definition != none && !work.live[definition])
            definition = none;
    return work;
}

} // namespace shardscope
