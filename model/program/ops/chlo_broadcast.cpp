// SPDX-License-Identifier: GPL-3.0-or-later
// CHLO's elementwise operations that spread their operands over the larger shape first. Dimensions correspond from the
// last one on, unless the text maps those of the operand of smaller rank.
// Declared in rows.h.
#include <vector>

#include "program/ops/checks.h"
#include "program/ops/rows.h"

namespace shardscope::ops {

namespace {

/// The dimension of the result for dimension d of an operand.
std::int64_t target(const Operation& operation, std::size_t operandRank, std::size_t resultRank, std::size_t d)
{
    const auto* own = std::get_if<BroadcastAttributes>(&operation.attributes);
    if (own && operandRank < resultRank && own->dimensions.size() == operandRank)
        return own->dimensions[d];
    return static_cast<std::int64_t>(resultRank - operandRank + d);
}

Result<void> checkBroadcasting(const Subject& op)
{
    SHARDSCOPE_CHECK(expectResults(op, 1));
    const Shape& shape = op.results[0].shape;
    for (std::size_t i = 0; i < op.operands.size(); ++i) {
        const Shape& own = op.operands[i].shape;
        if (own.size() > shape.size())
            return op.mismatch("operand " + std::to_string(i) + " is " + toString(op.operands[i])
                + ", of higher rank than the result");
        if (op.operation.kind == OpKind::ChloBroadcastSelect && own.empty())
            continue;
        for (std::size_t d = 0; d < own.size(); ++d) {
            const std::int64_t to = target(op.operation, own.size(), shape.size(), d);
            if (to < 0 || to >= static_cast<std::int64_t>(shape.size()))
                return op.attribute("dimension " + std::to_string(to) + " of " + toString(op.results[0]));
            if (own[d] != 1 && own[d] != shape[at(to)])
                return op.mismatch("operand " + std::to_string(i) + " is " + toString(op.operands[i])
                    + ", which does not spread over " + toString(op.results[0]));
        }
    }
    return {};
}

FactorRule broadcastingRule(const Program& program, const Operation& operation, RuleOptions)
{
    const Shape& shape = program.value(operation.results[0]).type.shape;
    RuleBuilder rule(program, operation);
    std::vector<std::int64_t> operands(operation.operands.size());
    for (std::size_t r = 0; r < shape.size(); ++r) {
        for (std::size_t i = 0; i < operands.size(); ++i) {
            const Shape& own = program.value(operation.operands[i]).type.shape;
            operands[i] = absent;
            for (std::size_t d = 0; d < own.size(); ++d)
                if (target(operation, own.size(), shape.size(), d) == static_cast<std::int64_t>(r)
                    && own[d] == shape[r])
                    operands[i] = static_cast<std::int64_t>(d);
        }
        rule.add(operands, static_cast<std::int64_t>(r), shape[r]);
    }
    return std::move(rule).build();
}

OperationCost elementwiseWork(const Program& program, const Operation& operation)
{
    return workOf(program, operation, static_cast<double>(program.value(operation.results[0]).type.elementCount()));
}

std::vector<OpRow> makeChloBroadcastRows()
{
    struct Entry {
        OpKind kind;
        std::string_view name;
        std::int8_t operands = 2;
    };
    using enum OpKind;
    std::vector<OpRow> rows;
    for (const Entry& entry :
        { Entry{ ChloBroadcastAdd, "broadcast_add" }, Entry{ ChloBroadcastAnd, "broadcast_and" },
            Entry{ ChloBroadcastAtan2, "broadcast_atan2" }, Entry{ ChloBroadcastCompare, "broadcast_compare" },
            Entry{ ChloBroadcastComplex, "broadcast_complex" }, Entry{ ChloBroadcastDivide, "broadcast_divide" },
            Entry{ ChloBroadcastMaximum, "broadcast_maximum" }, Entry{ ChloBroadcastMinimum, "broadcast_minimum" },
            Entry{ ChloBroadcastMultiply, "broadcast_multiply" },
            Entry{ ChloBroadcastNextAfter, "broadcast_next_after" }, Entry{ ChloBroadcastOr, "broadcast_or" },
            Entry{ ChloBroadcastPolygamma, "broadcast_polygamma" }, Entry{ ChloBroadcastPower, "broadcast_power" },
            Entry{ ChloBroadcastRemainder, "broadcast_remainder" }, Entry{ ChloBroadcastSelect, "broadcast_select", 3 },
            Entry{ ChloBroadcastShiftLeft, "broadcast_shift_left" },
            Entry{ ChloBroadcastShiftRightArithmetic, "broadcast_shift_right_arithmetic" },
            Entry{ ChloBroadcastShiftRightLogical, "broadcast_shift_right_logical" },
            Entry{ ChloBroadcastSubtract, "broadcast_subtract" }, Entry{ ChloBroadcastXor, "broadcast_xor" },
            Entry{ ChloBroadcastZeta, "broadcast_zeta" } }) {
        OpRow row{ entry.kind, entry.name, entry.operands };
        row.dialect = OpDialect::Chlo;
        row.rule = broadcastingRule;
        row.check = checkBroadcasting;
        row.work = elementwiseWork;
        rows.push_back(row);
    }
    return rows;
}

} // namespace

std::span<const OpRow> chloBroadcastRows()
{
    static const std::vector<OpRow> rows = makeChloBroadcastRows();
    return rows;
}

} // namespace shardscope::ops
