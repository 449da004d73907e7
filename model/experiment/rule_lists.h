// SPDX-License-Identifier: GPL-3.0-or-later
// The lists of rules that an experiment has: the outer one, which holds everywhere, and those that are bound inside a
// part of the model. An array has one of them: that of the innermost part it lies in, else the outer one. Lists do not
// add to each other.
//
//     outer batch->data, mlp->model; within "decoder/layer_1" mlp->data
//     encoder/layer_0/wi  (embed, mlp)    outer: P(None, model)
//     decoder/layer_1/wi  (embed, mlp)    within decoder/layer_1: P(None, data)
//     decoder/layer_1/x   (batch, mlp)    within decoder/layer_1: P(None, data), for batch has no rule there
//     decoder/layer_10/wi (embed, mlp)    outer: "decoder/layer_1" is no part of that path
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "experiment/experiment.h"
#include "program/program.h"

namespace shardscope {

/// One of the lists: an index into RulesSetting::inner, or -1 for the outer one.
struct RuleList {
    std::int32_t inner = -1;
    [[nodiscard]] bool isOuter() const { return inner < 0; }
    bool operator==(const RuleList&) const = default;
};

[[nodiscard]] bool hasList(const RulesSetting& rules, RuleList list);
/// The outer list where there is none of that index.
[[nodiscard]] const std::vector<LogicalRule>& rulesIn(const RulesSetting& rules, RuleList list);
/// The same as resolve() takes them: an inner list is read as the outer one is, as a sequence or as a mapping.
[[nodiscard]] LogicalRules readableRules(const RulesSetting& rules, RuleList list);
/// The path that an inner list is for; "" for the outer one.
[[nodiscard]] const std::string& withinOf(const RulesSetting& rules, RuleList list);

/// The path is `within`, or begins with it and a "/".
[[nodiscard]] bool isWithin(std::string_view path, std::string_view within);
/// The list of an array of that path.
[[nodiscard]] RuleList listFor(const RulesSetting& rules, std::string_view path);
/// The path of an array as the parts of a model have it. Of a network that is what its layers hold: "layers.0/W1" for
/// "params/layers.0/W1", and so for the moments and the new value of that parameter; anything else as it is.
[[nodiscard]] std::string partPath(const Experiment& experiment, std::string_view path);
[[nodiscard]] std::string_view networkPartPath(std::string_view path);
/// Whether the array lies in that part of the model: by its partPath(), or as what an optimizer keeps ("opt/mu").
[[nodiscard]] bool isInPart(const Experiment& experiment, std::string_view path, std::string_view part);
/// Whether the list is for what the optimizer of a network keeps: within "opt", "opt/mu", "opt/mu/decoder".
[[nodiscard]] bool isForOptimizer(const Experiment& experiment, const RulesSetting& rules, RuleList list);
/// The list of these rules that holds for an array of the experiment's model. What an optimizer keeps has its
/// parameter's, unless there is one for the optimizer.
///
///     within "opt": [["embed", "data"]]      opt/mu/layers.0/W1: this one     params/layers.0/W1: the outer one
[[nodiscard]] RuleList listOfArray(const Experiment& experiment, const RulesSetting& rules, std::string_view path);
/// Parts that a list could be for: everything before a "/" in the paths of arrays with logical names, each once, in
/// order, and "opt" with its kinds of arrays; at most `most`.
[[nodiscard]] std::vector<std::string> modelParts(
    const Experiment& experiment, const Program& program, std::size_t most = 500);

/// Reads all lists as a sequence of rules, or as a mapping from names to mesh axes.
void setSequence(RulesSetting& rules, bool isSequence);

/// A rule in its list. As a number, for what is kept in a whole number (fixes, links, the selection): its index, and
/// 2^20 more for every list before its own; -1 for no rule of the outer list.
struct RulePlace {
    RuleList list;
    int rule = -1; ///< -1: none, or the list itself
    bool operator==(const RulePlace&) const = default;
};
[[nodiscard]] std::int32_t ruleNumber(RulePlace place);
[[nodiscard]] RulePlace rulePlace(std::int64_t number);
/// JSON pointers: "/rules/list/1", "/rules/inner/0/rules/1"; without a rule "/rules/inner/0".
[[nodiscard]] std::string rulePointer(RulePlace place);
/// Nothing for a pointer to something else.
[[nodiscard]] std::optional<RulePlace> rulePlaceOf(std::string_view pointer);

} // namespace shardscope
