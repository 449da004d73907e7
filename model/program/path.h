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
/// Of a program that was read also by the names of its text (program/name_values.h). UnknownTensor, with the nearest
/// known path, if nothing has that path.
[[nodiscard]] Result<ValueId> findValue(const Program& program, std::string_view path);

} // namespace shardscope
