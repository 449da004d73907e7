// SPDX-License-Identifier: GPL-3.0-or-later
// Paths for the values of a program that was read. They are what people call the values everywhere: in tables, in the
// log of propagation, in the keys of an experiment, in printed text (PrintedNames::AsNames).
//
// A value is called what its text calls it, without the sign: "%cst_0" is "cst_0", "%3#1" is "3#1". The path of a value
// in a function other than main begins with the function's name, "relu/arg0". Texts use a name again in regions beside
// each other; such a value is told apart by the operation and the region that it stands in: "%6" in the bodies of the
// loop "%1:2" is "1/cond/6" and "1/do/6". The printed name is always the last part.
//
//     %1:2 = stablehlo.while(%i = %c, %x = %arg0) ...   // 1#0, 1#1; i and x, one name for both regions
//       cond { %6 = ... } do { %6 = ...; %7 = ... }     // 1/cond/6, 1/do/6, 7
//
// An argument of main goes by what its location calls it, where nothing else is called so: `%arg0: tensor<4xf32>
// loc("params['w']")` is "params['w']", as JAX writes it into as_text(debug_info=True). "arg0" finds it as well.
//
// What is added to a program later has names that no text gives: "copy1_of_cst", "new1".
#pragma once

#include <string_view>
#include <vector>

#include "program/program.h"

namespace shardscope {

/// What a text calls a value; of the values that one name stands for, `part` counts.
struct DeclaredName {
    std::string_view name; ///< without the sign; empty for none
    std::uint32_t part = 0;
    bool several = false; ///< the name stands for several results, "%name#part"
};

/// Every value that stands in the program gets a path, those with a name in the text (`names`, per ValueId) by that
/// name. Paths that values had before go. Arguments and results of main become inputs and activations, which views
/// list; the others stay temporary.
void nameValues(Program& program, const std::vector<DeclaredName>& names);

/// The same for a program that has changed since: values keep the paths that they have; copies of a value (which have
/// its path) and what is new get names of their own, what stands in a copy of a function the copy's name in front. A
/// program without any path is numbered: "arg0", "12", "12#1", in functions other than main "f/arg0".
void nameValues(Program& program);

/// The last part of a path, as a text has it after the sign: "6" of "1/do/6".
[[nodiscard]] std::string_view nameInText(std::string_view path);
/// The same of a value, "arg0" of an argument that goes by what its location says. Lives as long as the program.
[[nodiscard]] std::string_view nameInText(const Program& program, ValueId value);
/// Whether every value can be printed by its name: none has that of one that is visible where it stands. Bodies of
/// HLO's loops may use the names that stand around the loop, those of StableHLO's may not.
[[nodiscard]] bool canPrintNames(const Program& program);
/// Whether the value goes by a name of the text, and not by one that means something to people.
[[nodiscard]] bool isNamedByText(const Program& program, ValueId value);

/// The value of that path; with or without signs, the first of several results also without its number ("3" for
/// "3#0"), and where only one value is called so also by its name in the text alone. Invalid if there is none.
[[nodiscard]] ValueId valueNamed(const Program& program, std::string_view name);
/// The paths of all values that have this name in the text: what to choose from where valueNamed() finds none.
[[nodiscard]] std::vector<std::string> pathsOfName(const Program& program, std::string_view name);

} // namespace shardscope
