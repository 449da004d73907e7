// SPDX-License-Identifier: GPL-3.0-or-later
// What the arguments and results of a program in a text are for: guessed from names and from the state of its steps.
//
//     main(params['w'], opt.mu['w'], opt.nu['w'], opt.count, batch) -> (params', mu', nu', count', loss)
//          parameter    mu           nu           count      input                                 loss
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "program/program.h"

namespace shardscope {

struct StepState;

/// A role for the arguments or results that `argument` names: a path, "arg3", "result0", or a glob of either. Of
/// several that name one the last counts.
struct ChosenRole {
    std::string argument;
    Role role = Role::Input;
    bool operator==(const ChosenRole&) const = default;
};

[[nodiscard]] std::string_view name(Role role); ///< "parameter"
/// Those that a person can choose: all but constant and temporary.
[[nodiscard]] std::span<const Role> choosableRoles();

struct ProgramRoles {
    std::vector<Role> arguments, results; ///< of main
    std::vector<ValueId> gradients; ///< of the parameters, in their order; those that a step works out on its way
    bool operator==(const ProgramRoles&) const = default;
};

/// Names first ("params", "opt_state", "mu", "grads", "batch", "loss"), as whole words of the names that named
/// locations, the text and jax.result_info give; of several such words in a name the first one. What they leave open,
/// by structure: the longest list of floating-point arrays of the state are parameters, or where the state is the same
/// list two or three times, its first third or half (of arrays that are all alike, where a counter stands after it or
/// only they go into contractions); the lists after them are mu and nu; whole numbers without dimensions are count.
/// A cache, into which slices are written that do not depend on it, is none of them, nor is what the order of arguments
/// alone pairs with a result that is not worked out from it.
/// What is no state is an input, except that in a program without a state the weights of its contractions are
/// parameters (program/contraction_parts.h). The loss is lossResult(). What is returned in the place of parameters, and
/// is not worked out from them element by element, are their gradients. A result that becomes an argument is counted
/// there, and is an activation. What the update of a parameter works out element by element, from the parameter, its
/// moments and one more array of its shape, has that array for its gradient.
[[nodiscard]] ProgramRoles guessRoles(const Program& program, const StepState& state);

/// What was chosen for argument or result `number`, in the place of a guess.
[[nodiscard]] std::optional<std::size_t> roleChoice(
    std::span<const ChosenRole> chosen, std::string_view kind, std::size_t number, const std::string& path);
/// Whether an argument or a result of main has the name.
[[nodiscard]] bool namesAny(const Program& program, const ChosenRole& chosen);
/// Those that the program's values have.
[[nodiscard]] ProgramRoles ownRoles(const Program& program);
/// With what was chosen in the place of some.
[[nodiscard]] ProgramRoles withChosen(
    ProgramRoles roles, const Program& program, const StepState& state, std::span<const ChosenRole> chosen);
/// Gives them to the values of main. What is returned and is an argument too keeps the argument's.
void giveRoles(Program& program, const ProgramRoles& roles);
/// Whether an array of the optimizer, or its new value, is annotated as its parameter is: "opt/mu/W" as "params/W". So
/// are those whose parameter is not found by that name. False for what is no such array.
[[nodiscard]] bool isAnnotatedAsParameter(const Program& program, ValueId value);
/// What can be looked at when a step is over, besides the state and the results: the gradients. The memory of a step
/// counts them.
[[nodiscard]] std::vector<ValueId> keptValues(const Program& program);

} // namespace shardscope
