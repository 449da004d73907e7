// SPDX-License-Identifier: GPL-3.0-or-later
// What the arguments and results of a program that was read from a text are for: parameters, moments, inputs and so on.
// The text does not say; it is guessed from names and from the structure of the train state.
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

/// A role that a person gives to the arguments or results that match `argument`: a path, "arg3", "result0", or a glob
/// of these. Where several match the same one, the last of them counts.
struct ChosenRole {
    std::string argument;
    Role role = Role::Input;
    bool operator==(const ChosenRole&) const = default;
};

[[nodiscard]] std::string_view name(Role role); ///< "parameter"
/// The roles that a person can choose: all but constant and temporary.
[[nodiscard]] std::span<const Role> choosableRoles();

struct ProgramRoles {
    std::vector<Role> arguments, results; ///< of main
    /// The gradients that a step computes, in the order of their parameters.
    std::vector<ValueId> gradients;
    bool operator==(const ProgramRoles&) const = default;
};

/// Roles by these rules, the first that applies:
///
/// 1. By name: "params", "opt_state", "mu", "grads", "batch", "loss" and the like, where one of them is a word of the
///    name that a named location, the text or jax.result_info gives. The first such word of a name counts.
/// 2. State, by structure. Its floating-point arrays are parameters, but for moments: those that parameters are updated
///    with and the loss does not depend on (program/moments.h). Where nothing is found so and their types are one list
///    two or three times over, as those of (params, mu) and (params, mu, nu) are, the first list is the parameters, the
///    second mu, the third nu. If all of them have one type, that is done only where another argument, such as a
///    counter, stands after the first list, or where the arrays of the first list and no others go into contractions;
///    if the loss depends on all of them, only in the latter case. The first scalar that is an integer, or to which a
///    number is added, is step, others are count. Left out: a cache, into which slices are written that do not depend
///    on it, and an argument that only its position pairs with a result that is not computed from it.
/// 3. Other arguments are inputs. In a program without state the weights of contractions are parameters
///    (program/contraction_parts.h).
/// 4. Results: the loss is lossResult(). What is returned in place of the parameters without being computed from them
///    element by element are their gradients. A result that is the next step's argument has its role there, and is an
///    activation here.
///
/// ProgramRoles::gradients: where the new value of a parameter is computed element by element from the parameter, its
/// moments and one more array of its shape, that array is its gradient.
[[nodiscard]] ProgramRoles guessRoles(const Program& program, const StepState& state);

/// The index in `chosen` of the last choice for argument or result `number`; nothing where none matches. `kind` is
/// "arg" or "result".
[[nodiscard]] std::optional<std::size_t> roleChoice(
    std::span<const ChosenRole> chosen, std::string_view kind, std::size_t number, const std::string& path);
/// Whether `chosen` matches an argument or a result of main.
[[nodiscard]] bool namesAny(const Program& program, const ChosenRole& chosen);
/// The roles that the program's values already have.
[[nodiscard]] ProgramRoles ownRoles(const Program& program);
/// `roles` with the chosen ones in place of those that they match.
[[nodiscard]] ProgramRoles withChosen(
    ProgramRoles roles, const Program& program, const StepState& state, std::span<const ChosenRole> chosen);
/// Sets the roles of main's arguments and results. An argument that is returned as it is keeps the argument's role.
void giveRoles(Program& program, const ProgramRoles& roles);
/// Whether the value is an array of the optimizer ("opt/mu/W"), or the new value of one, that has the annotation of its
/// parameter ("params/W"). True as well where no parameter has that name; false for all other values.
[[nodiscard]] bool isAnnotatedAsParameter(const Program& program, ValueId value);
/// Values that stay in memory after a step besides the state and the results, so that they can be shown: the gradients.
/// The memory of a step counts them.
[[nodiscard]] std::vector<ValueId> keptValues(const Program& program);

} // namespace shardscope
