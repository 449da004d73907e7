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
Result<void> checkWith(const Program& program, const Operation& operation)
{
    const Subject op(program, operation);
    SHARDSCOPE_CHECK(op.otherAttributes<T>());
    SHARDSCOPE_CHECK(expectResults(op, 1));
    return expectOneType(op);
}

Result<void> checkGroup(const Program& program, const Operation& operation)
{
    const Subject op(program, operation);
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
Result<void> checkManual(const Program& program, const Operation& operation)
{
    const Subject op(program, operation);
    SHARDSCOPE_CHECK(op.otherAttributes<ManualComputationAttributes>());
    return expectComputation(op);
}

Result<void> checkNamed(const Program& program, const Operation& operation)
{
    const Subject op(program, operation);
    SHARDSCOPE_CHECK(op.otherAttributes<NamedComputationAttributes>());
    SHARDSCOPE_CHECK(expectComputation(op));
    return expectBody(op, operation.regions[0], "body", op.operands, op.results);
}

OpRow row(OpKind kind, std::string_view name, decltype(OpRow::check) check, std::int8_t operands = 1)
{
    OpRow made{ kind, name, operands };
    made.dialect = OpDialect::Sdy;
    made.factors = noFactors;
    made.check = check;
    made.work = noWork;
    made.anyType = true;
    return made;
}

std::array<OpRow, 13> makeSharding()
{
    using enum OpKind;
    return { row(Reshard, "reshard", checkWith<OwnShardingAttributes>),
        row(PropagationBarrier, "propagation_barrier", checkWith<PropagationBarrierAttributes>),
        row(DataFlowEdge, "data_flow_edge", checkWith<OwnShardingAttributes>),
        row(FuncDataFlowEdge, "func_data_flow_edge", checkWith<OwnShardingAttributes>),
        row(ShardingGroup, "sharding_group", checkGroup),
        row(SdyAllGather, "all_gather", checkWith<SdyCollectiveAttributes>),
        row(SdyAllReduce, "all_reduce", checkWith<SdyCollectiveAttributes>),
        row(SdyAllSlice, "all_slice", checkWith<SdyCollectiveAttributes>),
        row(SdyAllToAll, "all_to_all", checkWith<SdyCollectiveAttributes>),
        row(SdyCollectivePermute, "collective_permute", checkWith<SdyCollectiveAttributes>),
        row(SdyReduceScatter, "reduce_scatter", checkWith<SdyCollectiveAttributes>),
        row(ShardedToUnreduced, "sharded_to_unreduced", checkWith<SdyCollectiveAttributes>),
        row(ReplicatedToUnreduced, "replicated_to_unreduced", checkWith<SdyCollectiveAttributes>) };
}

std::array<OpRow, 2> makeComputations()
{
    OpRow manual = row(OpKind::ManualComputation, "manual_computation", checkManual, -1);
    OpRow named = row(OpKind::NamedComputation, "named_computation", checkNamed, -1);
    manual.regionCount = named.regionCount = 1;
    return { manual, named };
}

} // namespace

std::span<const OpRow> shardingRows()
{
    static const std::array<OpRow, 13> rows = makeSharding();
    return rows;
}

std::span<const OpRow> computationRows()
{
    static const std::array<OpRow, 2> rows = makeComputations();
    return rows;
}

} // namespace shardscope::ops
