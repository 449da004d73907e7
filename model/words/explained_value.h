// SPDX-License-Identifier: GPL-3.0-or-later
// What the parts of an explanation share: how they call the value, its dimensions and the rules that decide about them.
#pragma once

#include <string>
#include <vector>

#include "analysis/explain.h"
#include "experiment/rule_lists.h"
#include "words/sentence.h"

namespace shardscope::words {

class ExplainedValue {
public:
    /// Both outlive this. The snapshot has a program, and the sentences need its mesh.
    ExplainedValue(const Snapshot& snapshot, const Explanation& explanation)
        : m_snapshot(snapshot)
        , m_explanation(explanation)
    {
    }

protected:
    using Kind = DimensionReason::Kind;

    [[nodiscard]] Sentence sentence() const { return Sentence(*m_snapshot.mesh); }
    /// The list that the deciding annotation is resolved with.
    [[nodiscard]] RuleList list() const;
    [[nodiscard]] LogicalRules rules() const;
    [[nodiscard]] const LogicalRule& rule(int index) const;
    /// With its layer: the sentences are about no other.
    [[nodiscard]] QString fullName() const;
    /// The same in sentences: names like “one” are no words of theirs.
    [[nodiscard]] Sentence::Part self() const { return { fullName(), {}, Span::Style::Code }; }
    /// "rule 2", which leads there; `first` in a sentence: "Rule 2".
    [[nodiscard]] Sentence::Part ruleName(int index, bool first = false) const;
    /// "within decoder/layer_1"; "" for the outer list.
    [[nodiscard]] QString within() const;
    [[nodiscard]] QString dimensionName(const DimensionReason& reason) const; ///< "hidden", "dimension 1"
    /// What rules call it: the logical name that the deciding annotation gives it ("q_heads" of the dimension "heads").
    [[nodiscard]] QString logicalName(const DimensionReason& reason) const;
    [[nodiscard]] std::int64_t parts(const DimensionReason& reason) const; ///< that it is sharded into; 1: not sharded
    /// The trace of the rules for the annotation that decides, null if rules do not decide.
    [[nodiscard]] const Resolution* decidingRules() const;
    /// The logical names of that annotation, which there is; none where it has a spec.
    [[nodiscard]] LogicalNames declaredNames() const;
    struct LostAxis {
        QString axis; ///< several of one reason are named together: "data and model"
        QString why; ///< "which the mesh lacks"
    };
    /// The rule's axes that do not shard the dimension although the rule fired, with one reason each.
    [[nodiscard]] std::vector<LostAxis> lostAxes(const DimensionReason& reason) const;

    const Snapshot& m_snapshot;
    const Explanation& m_explanation;
};

/// What decides about each dimension, as rows: "hidden", "rule 2  hidden → model", "applied".
[[nodiscard]] std::vector<ExplanationText::Cause> decidedBy(const Snapshot& snapshot, const Explanation& explanation);

} // namespace shardscope::words
