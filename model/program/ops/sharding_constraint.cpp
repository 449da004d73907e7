// SPDX-License-Identifier: GPL-3.0-or-later
// Declared in rows.h.
#include <array>

#include "program/ops/rows.h"
#include "program/ops/support.h"

namespace shardscope::ops {

namespace {

Result<TensorType> inferConstraint(Types operands, const Attributes& attributes, const TensorType&)
{
    SHARDSCOPE_TRY(own, attributesAs<ConstraintAttributes>("sharding_constraint", attributes));
    if (annotationRank((*own)->annotation) > operands[0].rank())
        return invalidAttribute("sharding_constraint", "more entries than dimensions of " + toString(operands[0]));
    return operands[0];
}

/// The identity costs nothing; what resharding costs is known after partitioning.
OperationCost noCost(Types, const TensorType&, const Attributes&)
{
    return {};
}

std::vector<ValueId> pullBackConstraint(Builder& b, const Operation& operation, Cotangents cotangents, Wanted wanted)
{
    const ValueId c = cotangents[0];
    if (!wanted[0])
        return { ValueId() };
    return { b.constrain(c, std::get<ConstraintAttributes>(operation.attributes).annotation) };
}

constexpr std::array shardingConstraintTable{
    OpRow{ OpKind::ShardingConstraint, "sharding_constraint", 1, true, inferConstraint, pointwiseFactors, noCost,
        pullBackConstraint, OpDialect::Sdy },
};

} // namespace

std::span<const OpRow> shardingConstraintRows()
{
    return shardingConstraintTable;
}

} // namespace shardscope::ops
