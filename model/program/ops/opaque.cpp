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

Result<void> checkOpaque(const Subject& subject)
{
    SHARDSCOPE_TRY(own, requiredAttributes<OpaqueAttributes>("opaque", subject.operation.attributes));
    const KnownOperation* known = knownOperation((*own)->name);
    if (!known)
        return {};
    if (!known->variadic) {
        SHARDSCOPE_CHECK(expectOperands(subject, known->operands));
        SHARDSCOPE_CHECK(expectResults(subject, known->results));
    } else if (subject.operands.size() < known->operands) {
        return subject.operand(
            counted(subject.operands.size(), "operand") + " instead of at least " + std::to_string(known->operands));
    } else {
        SHARDSCOPE_CHECK(expectResults(subject, subject.operands.size()));
    }
    if (subject.operation.regions.size() != known->bodies)
        return subject.attribute(
            (subject.operation.regions.size() == 1 ? "1 body"
                                                   : std::to_string(subject.operation.regions.size()) + " bodies")
            + " instead of " + std::to_string(known->bodies));
    return {};
}

constexpr std::array opaqueTable{
    OpRow{ .kind = OpKind::Opaque,
        .name = "opaque",
        .factors = noFactors,
        .dialect = OpDialect::None,
        .check = checkOpaque,
        .work = movementWork,
        .anyType = true,
        .regionCount = -1 },
};

} // namespace

std::span<const OpRow> opaqueRows()
{
    return opaqueTable;
}

} // namespace shardscope::ops
