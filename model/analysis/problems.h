// SPDX-License-Identifier: GPL-3.0-or-later
// Findings about an experiment from its annotations: problems with their fixes, and how often each rule is used.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "experiment/rule_lists.h"
#include "pipeline/snapshot.h"

namespace shardscope {

/// What a logical rule or name means to the arrays of the program; only arrays that people annotate count (parameters,
/// inputs, constraints), not the optimizer state that inherits from them.
struct RuleCensus {
    /// How a rule that never fired failed, over all arrays that it names.
    struct Misses {
        bool busy = false; ///< found a mesh axis in use at least once
        int shadowedBy = -1; ///< an earlier rule that had set its dimension
        bool undecided = false; ///< some array has its name, but cannot be resolved for an error of its own
    };
    struct List {
        std::vector<RuleUse> rules;
        std::vector<Misses> misses; ///< per rule
        int arrays = 0; ///< annotations by logical names that this list resolves
        std::set<std::string> names; ///< logical names that these have
        /// Logical names of those without a rule in this list, with how many annotations use them.
        std::vector<std::pair<std::string, int>> namesWithoutRule;
    };
    List outer;
    std::vector<List> inner; ///< per list of RulesSetting::inner
    [[nodiscard]] const List& of(RuleList list) const
    {
        return list.isOuter() ? outer : inner[static_cast<std::size_t>(list.inner)];
    }
};
[[nodiscard]] RuleCensus countRules(const Program& program, const Annotations& annotations, const RulesSetting& rules);

/// Warnings that the experiment acknowledges become Acknowledged: they keep their place, their values and their fixes.
void acknowledgeKnown(Snapshot& snapshot);
/// The mesh that an experiment cannot have, with the ways out that were tried and work.
[[nodiscard]] Problem orderProblem(const Experiment& experiment, Diagnostic diagnostic);
/// The mesh against the devices of the hardware (E102), and axes of size 1 beside others (I301).
[[nodiscard]] std::vector<Problem> meshProblems(const Experiment& experiment, const Mesh& mesh);
/// Everything that annotations and rules give rise to. Equal findings of repeated layers become one.
[[nodiscard]] std::vector<Problem> annotationProblems(const Program& program, const Mesh& mesh,
    const Annotations& annotations, const RuleCensus& census, const Experiment& experiment);
/// What shows once everything is laid out: arrays gathered in full and sharded again (W207), collectives between hosts
/// that the step waits for (W208), mesh axes without use (W212).
[[nodiscard]] std::vector<Problem> layoutProblems(const Snapshot& snapshot);
/// W209, without its fixes, which memoryFixes() finds.
[[nodiscard]] std::vector<Problem> memoryProblems(const Experiment& experiment, const Plan& plan);

} // namespace shardscope
