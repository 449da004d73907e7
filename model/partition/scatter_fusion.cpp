// SPDX-License-Identifier: GPL-3.0-or-later
#include "partition/scatter_fusion.h"

#include <algorithm>

namespace shardscope {

namespace {

bool isEmpty(const std::vector<AxisList>& lists)
{
    return std::all_of(lists.begin(), lists.end(), [](const AxisList& list) { return list.empty(); });
}

} // namespace

ScatterSplit splitSlice(const AxisList& reduced, const std::vector<AxisList>& slice)
{
    ScatterSplit split;
    AxisList left = reduced;
    for (const AxisList& list : slice) {
        AxisList& consumed = split.consumed.emplace_back();
        AxisList& residual = split.residual.emplace_back();
        std::size_t i = 0;
        for (; i < list.size(); ++i) {
            const auto* found = std::find(left.begin(), left.end(), list[i]);
            if (found == left.end())
                break;
            consumed.push_back(list[i]);
            left.erase(found);
        }
        for (; i < list.size(); ++i)
            residual.push_back(list[i]);
    }
    split.possible = left.empty();
    return split;
}

void fuseReduceScatters(DeviceProgram& program)
{
    // The slices that read a value, as a list in order of the program, and the values that something else reads as
    // well.
    constexpr std::int32_t none = -1;
    std::vector<std::int32_t> firstSlice(program.values.size(), none), lastSlice(program.values.size(), none);
    std::vector<std::int32_t> nextSlice(program.ops.size(), none);
    std::vector<bool> readOtherwise(program.values.size());
    bool anySlice = false;
    for (std::size_t i = 0; i < program.ops.size(); ++i) {
        const DeviceOp& op = program.ops[i];
        const Collective* collective = op.collective();
        for (const DeviceValueId operand : op.operands) {
            if (!collective || collective->kind != CollectiveKind::AllSlice) {
                readOtherwise[operand.index] = true;
                continue;
            }
            anySlice = true;
            const auto slice = static_cast<std::int32_t>(i);
            const std::int32_t first = firstSlice[operand.index];
            if (first == none) {
                firstSlice[operand.index] = slice;
            } else {
                nextSlice[static_cast<std::size_t>(lastSlice[operand.index])] = slice;
                const auto& earlier = std::get<Collective>(program.ops[static_cast<std::size_t>(first)].action);
                if (earlier.perDimension != collective->perDimension)
                    readOtherwise[operand.index] = true;
            }
            lastSlice[operand.index] = slice;
        }
    }
    if (!anySlice)
        return;
    for (const DeviceValueId result : program.results)
        readOtherwise[result.index] = true;

    std::vector<DeviceOp> ops;
    ops.reserve(program.ops.size());
    std::vector<DeviceValueId> replaced(program.values.size()); // results of slices that are merged into another's
    for (std::size_t i = 0; i < program.ops.size(); ++i) {
        DeviceOp& op = program.ops[i];
        for (DeviceValueId& operand : op.operands)
            if (operand.index < replaced.size() && replaced[operand.index].valid())
                operand = replaced[operand.index];
        Collective* collective = std::get_if<Collective>(&op.action);
        const DeviceValueId reducedValue = op.results[0];
        const bool candidate = collective && collective->kind == CollectiveKind::AllReduce
            && reducedValue.index < firstSlice.size() && firstSlice[reducedValue.index] != none
            && !readOtherwise[reducedValue.index];
        if (!candidate) {
            const bool fusedAway = collective && !op.operands[0].valid();
            if (!fusedAway)
                ops.push_back(std::move(op));
            continue;
        }
        const auto first = static_cast<std::size_t>(firstSlice[reducedValue.index]);
        const DeviceValueId sliced = program.ops[first].results[0];
        const auto& list = std::get<Collective>(program.ops[first].action).perDimension;
        ScatterSplit split = splitSlice(collective->axes, list);
        if (!split.possible) {
            ops.push_back(std::move(op));
            continue;
        }
        const DeviceValueId operand = op.operands[0];
        const DeviceValue& partial = program.value(operand);
        collective->kind = CollectiveKind::ReduceScatter;
        collective->perDimension = std::move(split.consumed);
        collective->sentBytes = ringBytes(collective->kind, product(collective->axes), partial.localType.byteCount());
        collective->axes.clear();
        DeviceValueId scattered = sliced;
        const std::optional<Reason> sliceReason = program.ops[first].reason;
        if (!isEmpty(split.residual)) {
            TensorSharding sharding = partial.sharding;
            sharding.unreduced = program.value(sliced).sharding.unreduced;
            for (std::size_t d = 0; d < sharding.rank(); ++d)
                for (const AxisRef& axis : collective->perDimension[d])
                    appendMerged(sharding.dims[d].axes, axis);
            const ValueId origin = partial.origin;
            const TensorType& type = program.program->value(origin).type;
            program.values.push_back({ origin, { type.dtype, shardShape(sharding, type.shape) }, std::move(sharding) });
            scattered = DeviceValueId(program.values.size() - 1);
        }
        op.results = { scattered };
        const ValueId origin = op.origin;
        ops.push_back(std::move(op));
        if (!isEmpty(split.residual)) {
            DeviceOp rest;
            Collective slice;
            slice.kind = CollectiveKind::AllSlice;
            slice.perDimension = std::move(split.residual);
            rest.action = std::move(slice);
            rest.operands = { scattered };
            rest.results = { sliced };
            rest.reason = sliceReason;
            rest.origin = origin;
            ops.push_back(std::move(rest));
        }
        for (std::int32_t s = firstSlice[reducedValue.index]; s != none; s = nextSlice[static_cast<std::size_t>(s)]) {
            DeviceOp& other = program.ops[static_cast<std::size_t>(s)];
            other.operands[0] = DeviceValueId();
            if (!(other.results[0] == sliced))
                replaced[other.results[0].index] = sliced;
        }
    }
    for (DeviceValueId& result : program.results)
        if (result.index < replaced.size() && replaced[result.index].valid())
            result = replaced[result.index];
    program.ops = std::move(ops);
}

} // namespace shardscope
