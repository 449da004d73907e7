// SPDX-License-Identifier: GPL-3.0-or-later
// Findings become problems: equal ones, of several layers or arrays, one problem with several values.
#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "experiment/rule_lists.h"
#include "pipeline/snapshot.h"

namespace shardscope {

class ProblemCollector {
public:
    /// Adds to that list, which outlives this.
    explicit ProblemCollector(std::vector<Problem>& problems)
        : m_problems(problems)
    {
    }
    /// Adds a problem, or its value to an equal problem of another layer. `subject` stands for the tensor: equal
    /// findings about "z" of several layers are one. Returns what was added, null if it was known; valid until the next
    /// one.
    Problem* add(Diagnostic diagnostic, const std::string& subject, ValueId value, std::vector<Fix> fixes);
    /// Whether the same was found about any tensor.
    [[nodiscard]] bool knows(const Diagnostic& diagnostic) const;
    /// A finding that concerns several tensors says so: `tensors`.
    void countTensors();

private:
    std::vector<Problem>& m_problems;
    std::unordered_map<std::string, std::size_t> m_places; ///< by finding and subject
    std::unordered_set<std::string> m_known; ///< findings about whatever subject
};

/// An inner list is said by the part of the model that it is for: `within`.
void sayList(Diagnostic& diagnostic, const RulesSetting& rules, RuleList list);
/// Annotations that a person wrote: not those inherited by optimizer state (unless it has rules of its own) or pinned
/// on results, and not the constraints that differentiation makes of others.
[[nodiscard]] std::vector<const ResolvedAnnotation*> declaredAnnotations(
    const Program& program, const Annotations& annotations);

} // namespace shardscope
