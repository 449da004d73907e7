// SPDX-License-Identifier: GPL-3.0-or-later
// What decides about the dimensions of a value, a row for each.
// Declared in explained_value.h.
#include <utility>

#include "words/explained_value.h"
#include "words/origin.h"

namespace shardscope::words {

namespace {

class CauseWriter : ExplainedValue {
public:
    using ExplainedValue::ExplainedValue;

    ExplanationText::Cause cause(const DimensionReason& reason) const
    {
        ExplanationText::Cause cause;
        cause.subject = dimensionName(reason);
        Sentence s = sentence();
        switch (reason.kind) {
        case Kind::Rule:
            sayRule(s, reason);
            cause.outcome =
                reason.axes.empty() && !lostAxes(reason).empty() ? Words::tr("replicated") : Words::tr("applied");
            break;
        case Kind::RuleToNull:
            s.fill(Words::tr("%1  %2 → None"), { ruleName(reason.rule), { fromStd(rule(reason.rule).name.name) } });
            cause.outcome = Words::tr("replicated");
            break;
        case Kind::NoRule:
            s.say(list().isOuter() && logicalName(reason) != cause.subject
                    ? Words::tr("no rule for %1; no match means unsharded").arg(logicalName(reason))
                    : list().isOuter()
                    ? Words::tr("no rule; no match means unsharded")
                    : Words::tr("no rule %1, whatever the rules outside say; no match means unsharded").arg(within()));
            cause.outcome = Words::tr("replicated");
            break;
        case Kind::RulesSkipped:
            s.fill(Words::tr("%1 was skipped"), { ruleName(reason.rule) });
            if (reason.trace)
                s.say(QStringLiteral(": ")).append(verdictReason(*reason.trace, rules(), declaredNames()));
            cause.outcome = Words::tr("replicated");
            break;
        case Kind::DeviceAxes:
            s.say(Words::tr("written in the model: "));
            s.axes(reason.axes);
            cause.outcome = Words::tr("applied");
            break;
        case Kind::DeviceUnsharded:
            s.say(Words::tr("written in the model: None"));
            cause.outcome = Words::tr("replicated");
            break;
        case Kind::Propagated: {
            const Origin origin(m_snapshot, m_explanation.value, reason);
            if (const QString name = origin.alikeName(); !name.isEmpty())
                s.fill(Words::tr("as %1: "), { { name, origin.link() } });
            s.append(origin.shortRequest());
            const bool specified =
                reason.chain.size() == 1 && reason.chain.front().seed && reason.chain.front().to == m_explanation.value;
            cause.outcome = specified ? Words::tr("given") : Words::tr("propagated");
            break;
        }
        case Kind::Unannotated:
            if (!sayDropped(s, reason))
                s.say(Words::tr("nothing asks for a sharding"));
            cause.outcome = Words::tr("replicated");
            break;
        }
        cause.reason = s.take();
        return cause;
    }

private:
    /// "rule 2  hidden → model"; what does not shard is named with its reason.
    void sayRule(Sentence& s, const DimensionReason& reason) const
    {
        s.fill(Words::tr("%1  %2 → "), { ruleName(reason.rule), { fromStd(rule(reason.rule).name.name) } });
        s.axes(reason.axes);
        bool first = reason.axes.empty();
        for (const LostAxis& lost : lostAxes(reason)) {
            s.say(first ? Words::tr("%1, %2", "mesh axis, why it does not shard").arg(lost.axis, lost.why)
                        : Words::tr("; not %1, %2", "mesh axis, why it does not shard").arg(lost.axis, lost.why));
            first = false;
        }
    }

    /// What a text annotates and does not divide.
    bool sayDropped(Sentence& s, const DimensionReason& reason) const
    {
        if (!m_explanation.annotation || !std::holds_alternative<ExplicitSharding>(m_explanation.annotation->declared))
            return false;
        for (const DroppedAxes& dropped : m_explanation.annotation->dropped) {
            if (dropped.dimension != reason.dimension || dropped.reason != DroppedAxes::Reason::Indivisible)
                continue;
            s.say(Words::tr("an annotation, %1; dropped, since %2 does not divide by %3")
                      .arg(texts(dropped.axes, fromStd).join(QStringLiteral(", ")), count(dropped.size),
                          count(dropped.partitions)));
            return true;
        }
        return false;
    }
};

} // namespace

std::vector<ExplanationText::Cause> decidedBy(const Snapshot& snapshot, const Explanation& explanation)
{
    const CauseWriter writer(snapshot, explanation);
    std::vector<ExplanationText::Cause> causes;
    for (const DimensionReason& reason : explanation.dims)
        causes.push_back(writer.cause(reason));
    return causes;
}

} // namespace shardscope::words
