// SPDX-License-Identifier: GPL-3.0-or-later
// Rows of a comparison with a compiled program: those whose sides belong to each other's arrays or that are left over
// on one side, joined with those of the other, and in what the two sides of a row differ.
#pragma once

#include "analysis/compare_compiled.h"

namespace shardscope {

/// Gives each other's compiled sides to rows of arrays that are each other's transposes where both agree better then: a
/// gradient may be added up as [14336, 4096] on one side and as [4096, 14336] on the other.
void swapTransposed(std::vector<ExchangeRow>& rows);

/// Joins rows that are predicted alone with rows that are compiled alone: equally many elements in another shape, in
/// parts one after the other, or along other axes. 80 x [4096] for 1 x [80, 4096] is PerLayer with 80.
void joinLeftOver(std::vector<ExchangeRow>& rows);

/// Further ones; all are in the order of ExchangeRemark::Kind. `endsEarly`: the compiled text does.
void addRemarks(ExchangeRow& row, bool endsEarly);

} // namespace shardscope
