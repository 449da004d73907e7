// SPDX-License-Identifier: GPL-3.0-or-later
// Rules and tables of arrays on their way into an experiment and out of it, whatever program they are from.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "experiment/rule_edits.h"
#include "rules/published_rules.h"

namespace shardscope {

/// The forms that rules are written in.
enum class RulesForm : std::uint8_t {
    Flax, ///< rules = (('batch', 'data'), ...)
    T5x, ///< logical_axis_rules = (('batch', 'data'), ...)
    MaxText, ///< logical_axis_rules: [['batch', 'data'], ...], with the mesh axes and their sizes
    Json, ///< [["batch", "data"], ...]
};

struct RulesText {
    std::string name; ///< where they are from: a file, a published set
    LogicalRules rules;
    std::optional<Dialect> dialect; ///< where the source says one
    std::vector<std::string> meshAxes; ///< of the source's mesh; empty where it has none
    std::vector<Diagnostic> warnings;
    std::size_t innerLists = 0; ///< of an experiment's parts, which are not among `rules`
    std::size_t passedOver = 0; ///< keys of a MaxText file that say nothing about sharding
};
using ReadRules = tl::expected<RulesText, std::vector<Diagnostic>>;

/// Reads any of the forms, and the rules of an experiment file; which of them it is, the text tells. `name` stands in
/// the errors. What no experiment can hold is refused: RulesType, RuleArity, NestedTuple, AxisUsedTwice.
[[nodiscard]] ReadRules readRules(std::string_view text, const std::string& name);
[[nodiscard]] RulesText rulesOf(const PublishedRules& set);

/// The experiment with these rules in place of its own, and their dialect; in the rules of a part of the model those
/// outside, and how rules are read, stay as they are. `additional`: its own rules follow after them, as T5X'
/// additional_rules do.
[[nodiscard]] Experiment withRules(
    const Experiment& before, RuleList list, const RulesText& rules, bool additional = false);
/// The experiment's rules as text, which readRules() reads back. Errors: those of writeMaxText(), and WrongType for
/// rules that JSON has no word for.
[[nodiscard]] Result<std::string> rulesAsText(const Experiment& experiment, RulesForm form, RuleList list = {});

/// Whether the content of a file is a table of arrays and not an experiment.
[[nodiscard]] bool looksLikeTable(std::string_view text, std::string_view fileName);
/// An experiment of the table's arrays alone, with mesh, rules and hardware of the present one. `title` is shown;
/// `name` stands in the errors.
struct OpenedTable {
    Experiment experiment;
    std::vector<Diagnostic> warnings;
};
[[nodiscard]] tl::expected<OpenedTable, std::vector<Diagnostic>> openTable(
    std::string_view text, const std::string& name, const std::string& title, const Experiment& present);

} // namespace shardscope
