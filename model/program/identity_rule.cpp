// SPDX-License-Identifier: GPL-3.0-or-later
#include "program/identity_rule.h"

#include <algorithm>

#include "program/known_types.h"
#include "program/ops/support.h"

namespace shardscope {

FactorRule identityRule(const TensorType& type, std::size_t sources)
{
    FactorRule rule;
    FactorRule::TensorMapping mapping;
    for (std::size_t d = 0; d < type.rank(); ++d) {
        rule.factors.push_back({ type.shape[d], FactorKind::PassThrough, false });
        mapping.push_back({ static_cast<std::int32_t>(d) });
    }
    rule.operands.assign(sources, mapping);
    rule.results.push_back(std::move(mapping));
    return rule;
}

bool hasIdentityRule(const Program& program, const Operation& operation)
{
    const OpRow& row = opRow(operation.kind);
    if (operation.extra != 0 || row.rule || row.factors != ops::pointwiseFactors || operation.results.size() != 1
        || !hasKnownTypes(program, operation))
        return false;
    const std::size_t rank = program.value(operation.results[0]).type.rank();
    return std::all_of(operation.operands.begin(), operation.operands.end(),
        [&](ValueId operand) { return program.value(operand).type.rank() == rank; });
}

} // namespace shardscope
