// SPDX-License-Identifier: GPL-3.0-or-later
// Shardy's operations on one value: they say how it is sharded, and leave its type as it is. Nothing propagates through
// them by factors; edges and barriers have rules of their own in the engine. Whether what they say is legal, the checks
// of shardings find out.
// Declared in rows.h.
#include <array>

#include "program/ops/checks.h"
#include "program/ops/rows.h"

namespace shardscope::ops {

namespace {

template <class T>
Result<void> checkWith(const Subject& op)
{
    SHARDSCOPE_CHECK(op.otherAttributes<T>());
    SHARDSCOPE_CHECK(expectResults(op, 1));
    return expectOneType(op);
}

Result<void> checkGroup(const Subject& op)
{
    SHARDSCOPE_CHECK(op.otherAttributes<ShardingGroupAttributes>());
    return expectResults(op, 0);
}

/// One body; as many of its arguments as operands, as many of its results as results.
Result<void> expectComputation(const Subject& op)
{
    const Region& body = op.program.regions[op.operation.regions[0].index];
    if (body.arguments.size() != op.operands.size())
        return op.operand("its body takes " + counted(body.arguments.size(), "argument") + " and is given "
            + std::to_string(op.operands.size()));
    if (body.results.size() != op.results.size())
        return op.operand("its body returns " + counted(body.results.size(), "value") + " for "
            + counted(op.results.size(), "result"));
    return {};
}

/// The types in the body are those of the parts.
Result<void> checkManual(const Subject& op)
{
    SHARDSCOPE_CHECK(op.otherAttributes<ManualComputationAttributes>());
    return expectComputation(op);
}

Result<void> checkNamed(const Subject& op)
{
    SHARDSCOPE_CHECK(op.otherAttributes<NamedComputationAttributes>());
    SHARDSCOPE_CHECK(expectComputation(op));
    return expectBody(op, op.operation.regions[0], "body", op.operands, op.results);
}

constexpr OpRow shardyRow(
    OpKind kind, std::string_view name, decltype(OpRow::check) check, std::int8_t operands = 1, std::int8_t regions = 0)
{
    return { .kind = kind,
        .name = name,
        .operandCount = operands,
        .factors = noFactors,
        .dialect = OpDialect::Sdy,
        .check = check,
        .work = noWork,
        .anyType = true,
        .regionCount = regions };
}

using enum OpKind;
constexpr std::array shardingTable{
    shardyRow(Reshard, "reshard", checkWith<OwnShardingAttributes>),
    shardyRow(PropagationBarrier, "propagation_barrier", checkWith<PropagationBarrierAttributes>),
    shardyRow(DataFlowEdge, "data_flow_edge", checkWith<OwnShardingAttributes>),
    shardyRow(FuncDataFlowEdge, "func_data_flow_edge", checkWith<OwnShardingAttributes>),
    shardyRow(ShardingGroup, "sharding_group", checkGroup),
    shardyRow(SdyAllGather, "all_gather", checkWith<SdyCollectiveAttributes>),
    shardyRow(SdyAllReduce, "all_reduce", checkWith<SdyCollectiveAttributes>),
    shardyRow(SdyAllSlice, "all_slice", checkWith<SdyCollectiveAttributes>),
    shardyRow(SdyAllToAll, "all_to_all", checkWith<SdyCollectiveAttributes>),
    shardyRow(SdyCollectivePermute, "collective_permute", checkWith<SdyCollectiveAttributes>),
    shardyRow(SdyReduceScatter, "reduce_scatter", checkWith<SdyCollectiveAttributes>),
    shardyRow(ShardedToUnreduced, "sharded_to_unreduced", checkWith<SdyCollectiveAttributes>),
    shardyRow(ReplicatedToUnreduced, "replicated_to_unreduced", checkWith<SdyCollectiveAttributes>),
    shardyRow(ManualComputation, "manual_computation", checkManual, -1, 1),
    shardyRow(NamedComputation, "named_computation", checkNamed, -1, 1),
};

} // namespace

std::span<const OpRow> shardingRows()
{
    return shardingTable;
}

} // namespace shardscope::ops
