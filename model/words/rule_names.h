// SPDX-License-Identifier: GPL-3.0-or-later
// What a rule is called: "rule 2", and "rule 2 within decoder/layer_1" for one that is bound inside a part of the
// model.
#pragma once

#include "experiment/rule_lists.h"
#include "pipeline/snapshot.h"
#include "words/links.h"
#include "words/sentence.h"

namespace shardscope::words {

/// "within decoder/layer_1"; "" for the outer list.
[[nodiscard]] inline QString withinText(const RulesSetting& rules, RuleList list)
{
    const std::string& within = withinOf(rules, list);
    return within.empty() ? QString() : Words::tr("within %1").arg(fromStd(within));
}

/// The program has arrays, and nothing in it has logical names. Not before it is analysed.
[[nodiscard]] inline bool hasNothingForRules(const SnapshotPtr& snapshot)
{
    return snapshot && snapshot->annotations && !snapshot->annotations->arguments.empty()
        && !snapshot->annotations->nameAnything();
}

/// What it means that there are no rules, or none in that list.
[[nodiscard]] inline QString noRulesText(const Experiment& experiment, const SnapshotPtr& snapshot, RuleList list)
{
    if (snapshot && snapshot->isPartitioned())
        return Words::tr("This program has been partitioned already: no rule decides anything.");
    if (hasNothingForRules(snapshot))
        return Words::tr("This program states its own shardings.");
    return list.isOuter()
        ? Words::tr("No rules yet: every logical axis is replicated.")
        : Words::tr("No rules %1: every logical axis there is replicated, whatever the rules outside say.")
              .arg(withinText(experiment.rules, list));
}

/// "rule 2 within decoder/layer_1"; `first` in a sentence: "Rule 2".
[[nodiscard]] inline QString ruleName(const RulesSetting& rules, RulePlace place, bool first = false)
{
    const QString rule = (first ? Words::tr("Rule %1") : Words::tr("rule %1")).arg(place.rule + 1);
    const QString within = withinText(rules, place.list);
    return within.isEmpty() ? rule : QStringLiteral("%1 %2").arg(rule, within);
}

/// The same, and it leads there.
[[nodiscard]] inline Sentence::Part rulePart(const RulesSetting& rules, RulePlace place, bool first = false)
{
    return { ruleName(rules, place, first), ruleLink(ruleNumber(place)) };
}

} // namespace shardscope::words
