// SPDX-License-Identifier: GPL-3.0-or-later
// What a person can change of the sharding that is written for a value, and the experiment after the change.
//
//     for (const AnnotationTarget& target : annotationTargets(snapshot, value))
//         if (const auto after = withAnnotation(snapshot, target, sharding)) ... // analyse, compare, accept
#pragma once

#include <string>
#include <vector>

#include "experiment/rule_lists.h"
#include "pipeline/given_shardings.h"

namespace shardscope {

struct AnnotationTarget {
    enum class Kind : std::uint8_t {
        Input, ///< an argument of main
        Output, ///< what main returns
        Constraint, ///< a sharding constraint
        Value, ///< any other value of a program in a text
        Rules, ///< logical names: what changes are the rules of these names, for all arrays that read the same list
        DeviceAxes, ///< of a built-in network: the mesh axes of its dimensions, wherever they are written
        Chosen, ///< of a transformer: a parameter, or the constraint on a module's output, by itself
    };
    Kind kind = Kind::Value;
    ValueId value;
    ShardedPlace place; ///< of a program in a text
    /// The name under which the experiment keeps it: of a program in a text that of the value, of Chosen the path of
    /// the parameter or of the module.
    std::string name;
    /// What is written now: all dimensions open where nothing is.
    TensorSharding declared;
    bool isDeclared = false;
    bool isOwn = false; ///< by the experiment, not by the program's text or by the rules
    bool isOutput = false; ///< of Chosen: a module's output
    RuleList rules; ///< of Rules: the list that decides for the value
    std::vector<std::string> dimNames; ///< of Rules and DeviceAxes; a dimension without a name cannot be changed

    /// Shardings of programs may be open, have parts of axes and priorities; others are full axes and closed.
    [[nodiscard]] bool takesAnySharding() const
    {
        return kind != Kind::Rules && kind != Kind::DeviceAxes && kind != Kind::Chosen;
    }
    [[nodiscard]] bool canChange(std::size_t dimension) const
    {
        return takesAnySharding() || kind == Kind::Chosen
            || (dimension < dimNames.size() && !dimNames[dimension].empty());
    }
};

/// The value's own annotation first, then those of what main returns it as; of a transformer's parameter its rules and
/// then itself, unless it was chosen by itself already. Empty where nothing can be written for it.
/// The snapshot has annotations and a mesh.
[[nodiscard]] std::vector<AnnotationTarget> annotationTargets(const Snapshot& snapshot, ValueId value);
/// The experiment with that sharding. Errors as of the edits in experiment/edits.h; UnsupportedSharding for what rules
/// and device axes cannot say.
[[nodiscard]] Result<Experiment> withAnnotation(
    const Snapshot& snapshot, const AnnotationTarget& target, const TensorSharding& sharding);
/// The experiment in which the program's text, or the rules, count again; of a module's output without a constraint.
/// InvalidAttribute where there is nothing to take back.
[[nodiscard]] Result<Experiment> withoutOwnSharding(const Snapshot& snapshot, const AnnotationTarget& target);

} // namespace shardscope
