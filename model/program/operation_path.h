// SPDX-License-Identifier: GPL-3.0-or-later
// Names of operations that outlive an edit: a selection keeps them and finds its operation anew in every program.
#pragma once

#include <string>
#include <string_view>

#include "program/program.h"

namespace shardscope {

/// The path of its first result that has one, "layers.0/y"; otherwise its number, "%26", which holds as long as the
/// program's operations stay.
[[nodiscard]] std::string operationPath(const Program& program, OperationId operation);
/// Invalid if there is none: also for the path of an argument.
[[nodiscard]] OperationId findOperation(const Program& program, std::string_view path);

} // namespace shardscope
