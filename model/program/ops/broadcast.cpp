// SPDX-License-Identifier: GPL-3.0-or-later
// Declared in rows.h.
#include <array>

#include "program/ops/rows.h"
#include "program/ops/support.h"

namespace shardscope::ops {

namespace {

const Dimensions& targets(const Attributes& attributes)
{
    return std::get<BroadcastAttributes>(attributes).dimensions;
}

Result<TensorType> inferBroadcast(Types operands, const Attributes& attributes, const TensorType& hint)
{
    SHARDSCOPE_TRY(own, attributesAs<BroadcastAttributes>("broadcast_in_dim", attributes));
    const TensorType& operand = operands[0];
    const Dimensions& dimensions = (*own)->dimensions;
    if (dimensions.size() != operand.rank())
        return invalidAttribute("broadcast_in_dim", "one target per dimension of " + toString(operand));
    SHARDSCOPE_CHECK(checkDimensions("broadcast_in_dim", dimensions, hint.rank()));
    for (std::size_t d = 0; d < dimensions.size(); ++d)
        if (operand.shape[d] != 1 && operand.shape[d] != hint.shape[at(dimensions[d])])
            return typeMismatch("broadcast_in_dim",
                toString(operand) + " to " + toString(hint) + ": dimension " + std::to_string(d) + " of size "
                    + std::to_string(operand.shape[d]) + " cannot become dimension " + std::to_string(dimensions[d])
                    + " of size " + std::to_string(hint.shape[at(dimensions[d])]));
    if (hint.dtype != operand.dtype)
        return typeMismatch(
            "broadcast_in_dim", toString(operand) + " to " + toString(hint) + ", which has another element type");
    return hint;
}

FactorRule broadcastFactors(Types operands, const TensorType& result, const Attributes& attributes)
{
    const Dimensions& dimensions = targets(attributes);
    RuleBuilder rule(operands, result);
    for (std::int64_t d = 0; d < static_cast<std::int64_t>(result.rank()); ++d) {
        const std::int64_t size = result.shape[at(d)];
        const auto found = std::find(dimensions.begin(), dimensions.end(), d);
        const std::int64_t source = found == dimensions.end() ? absent : found - dimensions.begin();
        if (source == absent || operands[0].shape[at(source)] == size) {
            rule.add(std::array{ source }, d, size);
        } else { // an expanded dimension of size 1
            rule.add(std::array{ source }, absent, 1);
            rule.add(std::array{ absent }, d, size);
        }
    }
    return std::move(rule).build();
}

std::vector<ValueId> pullBackBroadcast(Builder& b, const Operation& operation, Cotangents cotangents, Wanted wanted)
{
    const ValueId c = cotangents[0];
    if (!wanted[0])
        return { ValueId() };
    const Shape source = b.type(operation.operands[0]).shape;
    const Shape result = b.type(c).shape;
    const Dimensions& dimensions = targets(operation.attributes);

    // Add up over the dimensions that the operand lacks or has in size 1; what is left stands in the result's order.
    Dimensions kept; // dimensions of the operand that were not expanded, in the result's order
    Dimensions summed;
    for (std::int64_t d = 0; d < static_cast<std::int64_t>(result.size()); ++d) {
        const auto found = std::find(dimensions.begin(), dimensions.end(), d);
        const std::int64_t from = found - dimensions.begin();
        if (found != dimensions.end() && source[at(from)] == result[at(d)])
            kept.push_back(from);
        else
            summed.push_back(d);
    }
    ValueId value = summed.empty() ? c : b.reduce(ReduceKind::Sum, c, summed);
    if (!std::is_sorted(kept.begin(), kept.end())) {
        Dimensions order(kept.size());
        for (std::size_t i = 0; i < order.size(); ++i)
            order[i] = static_cast<std::int64_t>(i);
        std::sort(order.begin(), order.end(), [&](auto i, auto j) { return kept[at(i)] < kept[at(j)]; });
        value = b.transpose(value, order);
    }
    return { kept.size() == source.size() ? value : b.reshape(value, source) };
}

constexpr std::array broadcastTable{
    OpRow{ OpKind::BroadcastInDim, "broadcast_in_dim", 1, false, inferBroadcast, broadcastFactors, movementCost,
        pullBackBroadcast },
};

} // namespace

std::span<const OpRow> broadcastRows()
{
    return broadcastTable;
}

} // namespace shardscope::ops
