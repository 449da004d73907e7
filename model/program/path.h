// SPDX-License-Identifier: GPL-3.0-or-later
// Paths name values for people: "params/layers.0/W1", "grad(params/layers.0/W1)", "layers.0/y".
// Globs select several: `*` matches within a part between slashes, `**` across parts, `?` one character.
#pragma once

#include <string_view>
#include <vector>

#include "program/program.h"

namespace shardscope {

[[nodiscard]] bool globMatches(std::string_view glob, std::string_view path);
/// Values whose path matches, in order of their ids.
[[nodiscard]] std::vector<ValueId> select(const Program& program, std::string_view glob);
/// The value of a path, or of the last parts of one path alone: "layers.0/y" finds "forward/layers.0/y". Where several
/// paths end so and one of them is a parameter's, that parameter. In a program that was read also by the names of its
/// text (program/name_values.h). Errors: UnknownTensor, with the nearest known path, or with the number of paths that
/// end so and the first of them, parameters before others.
[[nodiscard]] Result<ValueId> findValue(const Program& program, std::string_view path);

} // namespace shardscope
