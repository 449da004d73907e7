// SPDX-License-Identifier: GPL-3.0-or-later
// Edits of rules in any of an experiment's lists, and of the lists that are bound inside a part of the model. Those of
// edits.h without a list are of the outer one. OutOfRange for a list that there is not.
#pragma once

#include <string>
#include <vector>

#include "experiment/edits.h"
#include "experiment/rule_lists.h"

namespace shardscope {

[[nodiscard]] Result<Experiment> withRuleMoved(const Experiment&, RuleList list, std::size_t from, std::size_t to);
[[nodiscard]] Result<Experiment> withRuleReplaced(
    const Experiment&, RuleList list, std::size_t rule, LogicalRule replacement);
[[nodiscard]] Result<Experiment> withRuleInserted(
    const Experiment&, RuleList list, std::size_t before, LogicalRule rule);
[[nodiscard]] Result<Experiment> withRuleRemoved(const Experiment&, RuleList list, std::size_t rule);
[[nodiscard]] Result<Experiment> withAxisAppendedToRule(
    const Experiment&, RuleList list, std::size_t rule, std::string axis);
[[nodiscard]] Result<Experiment> withNameMapped(
    const Experiment&, RuleList list, const std::string& name, SpecEntry target);
/// Other rules in the list; they are read as the experiment reads its rules.
[[nodiscard]] Result<Experiment> withRulesOfList(const Experiment&, RuleList list, std::vector<LogicalRule> rules);

/// What a part of the model may be called: WrongType for an empty path, control characters, and a "/" at either end;
/// DuplicateKey for one that another list (`except` aside) is for.
[[nodiscard]] Result<void> checkWithin(const RulesSetting& rules, const std::string& within, RuleList except = {});
/// Rules for a part of the model, after the other lists. TooLarge beyond the most lists that a file may have.
[[nodiscard]] Result<Experiment> withInnerRules(
    const Experiment&, std::string within, std::vector<LogicalRule> rules = {});
/// For another part. OutOfRange for the outer list.
[[nodiscard]] Result<Experiment> withInnerRulesRenamed(const Experiment&, RuleList list, std::string within);
/// The arrays of the part have the rules again that hold around it. What a file said of the lists after it stays with
/// them.
[[nodiscard]] Result<Experiment> withoutInnerRules(const Experiment&, RuleList list);

/// Mesh axes that the experiment's rules name and its mesh lacks, each once.
[[nodiscard]] std::vector<std::string> missingAxes(const Experiment& experiment);
/// Adds those as axes of size 1, which shard nothing and can be made larger. TooLarge beyond the most axes of a mesh.
[[nodiscard]] Result<Experiment> withMissingAxes(const Experiment& before);

/// Most lists that an experiment may have for parts of its model.
inline constexpr std::size_t maxInnerRules = 500;

} // namespace shardscope
