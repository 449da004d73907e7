// SPDX-License-Identifier: GPL-3.0-or-later
// Loops and branches. Nothing propagates through them as operations: their values flow along edges between what goes
// in, what the bodies take and return, and what comes out.
// Declared in rows.h.
#include <array>

#include "program/ops/checks.h"
#include "program/ops/rows.h"

namespace shardscope::ops {

namespace {

Result<void> checkWhile(const Subject& loop)
{
    SHARDSCOPE_CHECK(expectSameTypes(loop));
    SHARDSCOPE_CHECK(expectBody(
        loop, loop.operation.regions[0], "condition", loop.operands, std::vector{ TensorType{ DType::Pred, {} } }));
    return expectBody(loop, loop.operation.regions[1], "body", loop.operands, loop.operands);
}

template <DType Index>
Result<void> checkBranches(const Subject& op)
{
    SHARDSCOPE_CHECK(expectType(op, "the index", op.operands[0], { Index, {} }));
    if (op.operation.regions.empty())
        return op.attribute("no branch; at least one is needed");
    for (std::size_t i = 0; i < op.operation.regions.size(); ++i)
        SHARDSCOPE_CHECK(expectBody(op, op.operation.regions[i], "branch " + std::to_string(i), {}, op.results));
    return {};
}

constexpr std::array loopTable{
    // the work is that of the bodies
    OpRow{ .kind = OpKind::While,
        .name = "while",
        .factors = noFactors,
        .check = checkWhile,
        .work = noWork,
        .anyType = true,
        .regionCount = 2 },
    OpRow{ .kind = OpKind::Case,
        .name = "case",
        .operandCount = 1,
        .factors = noFactors,
        .check = checkBranches<DType::I32>,
        .work = noWork,
        .anyType = true,
        .regionCount = -1 },
    OpRow{ .kind = OpKind::If,
        .name = "if",
        .operandCount = 1,
        .factors = noFactors,
        .check = checkBranches<DType::Pred>,
        .work = noWork,
        .anyType = true,
        .regionCount = 2 },
};

} // namespace

std::span<const OpRow> loopRows()
{
    return loopTable;
}

} // namespace shardscope::ops
