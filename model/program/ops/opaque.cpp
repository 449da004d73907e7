// SPDX-License-Identifier: GPL-3.0-or-later
// Operations that are carried along: those of which nobody here knows anything, with whatever operands, results and
// regions they have, and a few of StableHLO of which only the numbers of these are known.
// Declared in rows.h.
#include <array>

#include "program/known_operations.h"
#include "program/ops/checks.h"
#include "program/ops/rows.h"

namespace shardscope::ops {

namespace {

Result<void> checkOpaque(const Program& program, const Operation& operation)
{
    SHARDSCOPE_TRY(own, requiredAttributes<OpaqueAttributes>("opaque", operation.attributes));
    const KnownOperation* known = knownOperation((*own)->name);
    if (!known)
        return {};
    const Subject subject(program, operation);
    if (!known->variadic) {
        SHARDSCOPE_CHECK(expectOperands(subject, known->operands));
        SHARDSCOPE_CHECK(expectResults(subject, known->results));
    } else if (subject.operands.size() < known->operands) {
        return subject.operand(
            counted(subject.operands.size(), "operand") + " instead of at least " + std::to_string(known->operands));
    } else {
        SHARDSCOPE_CHECK(expectResults(subject, subject.operands.size()));
    }
    if (operation.regions.size() != known->bodies)
        return subject.attribute(
            (operation.regions.size() == 1 ? "1 body" : std::to_string(operation.regions.size()) + " bodies")
            + " instead of " + std::to_string(known->bodies));
    return {};
}

std::array<OpRow, 1> makeOpaqueRows()
{
    OpRow row{ OpKind::Opaque, "opaque" };
    row.dialect = OpDialect::None;
    row.factors = noFactors;
    row.check = checkOpaque;
    row.work = movementWork;
    row.anyType = true;
    row.regionCount = -1;
    return { row };
}

} // namespace

std::span<const OpRow> opaqueRows()
{
    static const std::array<OpRow, 1> rows = makeOpaqueRows();
    return rows;
}

} // namespace shardscope::ops
