// SPDX-License-Identifier: GPL-3.0-or-later
// Findings about logical rules: axes that the mesh lacks, rules that a None of their name blocks, rules that nothing
// uses.
#pragma once

#include "analysis/problem_collector.h"
#include "analysis/problems.h"

namespace shardscope {

/// Of one of the experiment's lists. `census` is that of all.
void addRuleFindings(const Program& program, const Mesh& mesh, const RuleCensus& census, const Experiment& experiment,
    RuleList list, ProblemCollector& collector);

} // namespace shardscope
