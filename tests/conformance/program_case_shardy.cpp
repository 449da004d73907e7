// SPDX-License-Identifier: GPL-3.0-or-later
#include "conformance/program_case_members.h"

namespace shardscope::conformance {

namespace {

SdyCollectiveAttributes sdyCollective(OpKind kind, Members& members, const ShardingReaders& readers)
{
    SdyCollectiveAttributes result;
    result.out = readers.sharding(members["out_sharding"]);
    const std::uint32_t mesh = result.out.mesh;
    const Json& lists = members["axes_per_dim"];
    if (kind == OpKind::SdyAllToAll) {
        for (const Json& move : lists)
            result.moves.push_back({ readers.axes(mesh, move.at("axes")), move.at("src").get<std::int64_t>(),
                move.at("tgt").get<std::int64_t>() });
    } else if (lists.is_array()) {
        for (const Json& axes : lists)
            result.axesPerDimension.push_back(readers.axes(mesh, axes));
    }
    if (const Json& axes = members["axes"]; axes.is_array())
        result.axes = readers.axes(mesh, axes);
    if (const Json& words = members["keywords"]; words.is_array() && !words.empty())
        result.kind = words[0] == "max" ? ReduceKind::Max : words[0] == "min" ? ReduceKind::Min : ReduceKind::Sum;
    return result;
}

std::vector<ProgramSharding> shardings(const Json& list, const ShardingReaders& readers)
{
    std::vector<ProgramSharding> result;
    if (list.is_array())
        for (const Json& sharding : list)
            result.push_back(readers.sharding(sharding));
    return result;
}

} // namespace

Attributes readShardyAttributes(OpKind kind, Members& members, const Json& operation, const ShardingReaders& readers)
{
    switch (kind) {
    case OpKind::ShardingConstraint:
        return ConstraintAttributes{ ExplicitSharding{
            std::make_shared<const ProgramSharding>(readers.sharding(operation.at("constraint_sharding"))) } };
    case OpKind::Reshard:
        return otherAttributes(OwnShardingAttributes{ readers.sharding(operation.at("constraint_sharding")) });
    case OpKind::DataFlowEdge:
    case OpKind::FuncDataFlowEdge: {
        OwnShardingAttributes own;
        if (const Json& sharding = members["sharding"]; sharding.is_object())
            own.sharding = readers.sharding(sharding);
        return otherAttributes(std::move(own));
    }
    case OpKind::ManualComputation: {
        ManualComputationAttributes manual{ shardings(members["in_shardings"], readers),
            shardings(members["out_shardings"], readers), {} };
        for (const Json& axis : members["manual_axes"])
            manual.manualAxes.push_back(axis.at("name").get<std::string>());
        return otherAttributes(std::move(manual));
    }
    case OpKind::NamedComputation:
        return otherAttributes(NamedComputationAttributes{ members.text("name"),
            shardings(members["in_shardings"], readers), shardings(members["out_shardings"], readers) });
    case OpKind::PropagationBarrier: {
        const std::string allowed = members.text("allowed_direction");
        return otherAttributes(PropagationBarrierAttributes{ allowed == "FORWARD" ? BarrierDirection::Forward
                : allowed == "BACKWARD"                                           ? BarrierDirection::Backward
                : allowed == "BOTH"                                               ? BarrierDirection::Both
                                                                                  : BarrierDirection::None });
    }
    case OpKind::ShardingGroup:
        return otherAttributes(ShardingGroupAttributes{ members.number("group_id") });
    case OpKind::SdyAllGather:
    case OpKind::SdyAllReduce:
    case OpKind::SdyAllSlice:
    case OpKind::SdyAllToAll:
    case OpKind::SdyCollectivePermute:
    case OpKind::SdyReduceScatter:
    case OpKind::ShardedToUnreduced:
    case OpKind::ReplicatedToUnreduced:
        return otherAttributes(sdyCollective(kind, members, readers));
    default:
        return {};
    }
}

} // namespace shardscope::conformance
