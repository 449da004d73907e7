// SPDX-License-Identifier: GPL-3.0-or-later
// Rows of a comparison with a compiled program: those that are left over on one side joined with those of the other,
// and in what the two sides of a row differ.
#pragma once

#include "analysis/compare_compiled.h"

namespace shardscope {

/// Joins rows that are predicted alone with rows that are compiled alone: equally many elements in another shape, in
/// parts one after the other, or along other axes. 80 x [4096] for 1 x [80, 4096] is PerLayer with 80.
void joinLeftOver(std::vector<ExchangeRow>& rows);

/// Further ones; all are in the order of ExchangeRemark::Kind.
void addRemarks(ExchangeRow& row);

} // namespace shardscope
