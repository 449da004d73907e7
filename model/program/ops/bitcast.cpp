// SPDX-License-Identifier: GPL-3.0-or-later
// The same bits as numbers of another type. Where these are narrower or wider, the last dimension of the tensor of the
// narrower ones runs over the parts of one wide number.
// Declared in rows.h.
#include <array>

#include "program/element_bits.h"
#include "program/ops/checks.h"
#include "program/ops/rows.h"

namespace shardscope::ops {

namespace {

Result<void> checkBitcast(const Subject& cast)
{
    SHARDSCOPE_CHECK(expectResults(cast, 1));
    const TensorType &from = cast.operands[0], &to = cast.results[0];
    const std::int64_t fromBits = elementBits(from.dtype), toBits = elementBits(to.dtype);
    Shape narrow = (fromBits < toBits ? from : to).shape, otherAttributes = (fromBits < toBits ? to : from).shape;
    if (fromBits != toBits)
        otherAttributes.push_back(std::max(fromBits, toBits) / std::min(fromBits, toBits));
    if (narrow != otherAttributes || std::max(fromBits, toBits) % std::min(fromBits, toBits) != 0)
        return cast.mismatch(toString(from) + " to " + toString(to) + ", which has another number of bits");
    return {};
}

FactorRule bitcastRule(const Program& program, const Operation& operation, RuleOptions)
{
    const Shape& from = program.value(operation.operands[0]).type.shape;
    const Shape& to = program.value(operation.results[0]).type.shape;
    RuleBuilder rule(program, operation);
    for (std::size_t i = 0; i < std::max(from.size(), to.size()); ++i) {
        const auto d = static_cast<std::int64_t>(i);
        const bool inOperand = i < from.size(), inResult = i < to.size();
        rule.add(std::array{ inOperand ? d : absent }, inResult ? d : absent, inOperand ? from[i] : to[i],
            inOperand && inResult ? FactorKind::PassThrough : FactorKind::NeedReplication);
    }
    return std::move(rule).build();
}

constexpr std::array bitcastTable{
    OpRow{ .kind = OpKind::BitcastConvert,
        .name = "bitcast_convert",
        .operandCount = 1,
        .rule = bitcastRule,
        .check = checkBitcast,
        .work = movementWork },
};

} // namespace

std::span<const OpRow> bitcastRows()
{
    return bitcastTable;
}

} // namespace shardscope::ops
