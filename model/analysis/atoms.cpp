// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/atoms.h"

#include <algorithm>

#include "base/codes.h"
#include "networks/transformer_axes.h"

namespace shardscope {

bool countsAtoms(const Experiment& experiment, std::string_view dimension)
{
    if (!std::holds_alternative<TransformerModel>(experiment.model))
        return false;
    return dimension == dimensionName(Axis::QueryHeads) || dimension == dimensionName(Axis::KeyHeads)
        || dimension == dimensionName(Axis::Expert);
}

std::int64_t largestParts(std::int64_t size, std::int64_t partitions)
{
    std::int64_t parts = std::max<std::int64_t>(std::min(size, partitions), 1);
    while (size % parts != 0)
        --parts;
    return parts;
}

Diagnostic aboutAtoms(const Experiment& experiment, Diagnostic diagnostic)
{
    if (diagnostic.code != Code::Indivisible || !countsAtoms(experiment, diagnostic.text("dim_name")))
        return diagnostic;
    diagnostic.args.emplace_back("largest", largestParts(diagnostic.number("size"), diagnostic.number("partitions")));
    diagnostic.code = Code::AtomSplit;
    return diagnostic;
}

} // namespace shardscope
