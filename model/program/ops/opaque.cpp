// SPDX-License-Identifier: GPL-3.0-or-later
// Operations that nobody here knows: carried along, with whatever operands, results and regions they have.
#include <array>

#include "program/ops/checks.h"
#include "program/ops/rows.h"

namespace shardscope::ops {

namespace {

Result<void> checkOpaque(const Program&, const Operation& operation)
{
    const auto own = wideAttributesAs<OpaqueAttributes>("opaque", operation.attributes);
    if (!own)
        return tl::unexpected(own.error());
    return {};
}

std::array<OpRow, 1> makeRows()
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
    static const std::array<OpRow, 1> rows = makeRows();
    return rows;
}

} // namespace shardscope::ops
