// SPDX-License-Identifier: GPL-3.0-or-later
// The table of who computes what, over the families.
// Declared in call.h.
#include "simulate/kernels/call.h"

namespace shardscope::kernels {

namespace {

using Table = std::array<Evaluate, opKindCount>;

Table makeTable()
{
    Table table{};
    for (std::size_t i = 0; i < table.size(); ++i)
        for (const auto family : { movementEvaluator, indexingEvaluator, reductionEvaluator, productEvaluator,
                 algebraEvaluator, fourierEvaluator, randomEvaluator, sortEvaluator })
            if (!table[i])
                table[i] = family(static_cast<OpKind>(i));
    return table;
}

} // namespace

Evaluate evaluator(OpKind kind)
{
    static const Table table = makeTable();
    return table[static_cast<std::size_t>(kind)];
}

} // namespace shardscope::kernels
