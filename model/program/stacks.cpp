// SPDX-License-Identifier: GPL-3.0-or-later
#include "program/stacks.h"

namespace shardscope {

namespace {

/// The index, and zero for every further dimension.
std::vector<ValueId> startsAt(Builder& b, ValueId index, std::size_t rank)
{
    std::vector<ValueId> starts{ index };
    const TensorType scalar = b.type(index);
    if (rank > 1)
        starts.resize(rank, b.constant(scalar, 0));
    return starts;
}

} // namespace

ValueId sliceAt(Builder& builder, ValueId stack, ValueId index)
{
    const TensorType type = builder.type(stack);
    Dimensions sizes(type.shape.begin(), type.shape.end());
    sizes[0] = 1;
    const ValueId slice = builder.dynamicSlice(stack, startsAt(builder, index, type.rank()), sizes);
    return builder.reshape(slice, Shape(type.shape.begin() + 1, type.shape.end()));
}

ValueId updatedAt(Builder& builder, ValueId stack, ValueId element, ValueId index)
{
    Shape shape = builder.type(stack).shape;
    shape[0] = 1;
    const std::size_t rank = shape.size();
    const ValueId slice = builder.reshape(element, std::move(shape));
    return builder.dynamicUpdateSlice(stack, slice, startsAt(builder, index, rank));
}

ValueId stackOf(Builder& builder, OperationId loop, RegionId region, ValueId element, ValueId index, std::int64_t trips)
{
    const TensorType type = builder.type(element);
    Shape shape{ trips };
    for (const std::int64_t size : std::as_const(type).shape)
        shape.push_back(size);
    ValueId zeros;
    builder.before(loop, region, [&] {
        zeros = builder.broadcastScalar(builder.constant({ type.dtype, {} }, 0), shape);
    });
    return builder.carry(loop, zeros, [&](ValueId stack) { return updatedAt(builder, stack, element, index); });
}

} // namespace shardscope
