// SPDX-License-Identifier: GPL-3.0-or-later
// Paths name values for people: "params/layers.0/W1", "grad(params/layers.0/W1)", "layers.0/y".
// Globs select several: `*` matches within a part between slashes, `**` across parts, `?` one character.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "program/program.h"

namespace shardscope {

[[nodiscard]] bool globMatches(std::string_view glob, std::string_view path);
/// Values whose path matches, in order of their ids.
[[nodiscard]] std::vector<ValueId> select(const Program& program, std::string_view glob);
/// A path as it is meant by one of the forms in which values are shown: "3 / do / %iterArg_1" is "3/do/iterArg_1",
/// "Layer 0 / W1" is "layers.0/W1", "Gradient of Layer 0 / W1" is "grad(layers.0/W1)", "New x" is "next(x)", "mu of x"
/// is "opt/mu/x". Anything else stays as it is.
[[nodiscard]] std::string pathAsShown(std::string_view shown);
/// The value of a path, or of the last parts of one path alone: "layers.0/y" finds "forward/layers.0/y". Where several
/// paths end so and one of them is a parameter's, that parameter. In a program that was read also by the names of its
/// text (program/name_values.h), and an argument by what its location calls it, "state.params['w']". "the gradient in
/// layers.3" is a value of the backward pass there that has no path, if it is the only one, sums before others. Else by
/// the form in which it is shown. Errors: UnknownTensor, with the nearest known path, or with the number of values that
/// are called so (several) and the first of them (known), parameters before others.
[[nodiscard]] Result<ValueId> findValue(const Program& program, std::string_view path);

} // namespace shardscope
