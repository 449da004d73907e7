// SPDX-License-Identifier: GPL-3.0-or-later
// The tasks of each document. tasks.h puts them together.
#pragma once

#include <vector>

#include "tasks/tasks.h"

namespace shardscope {

[[nodiscard]] std::vector<Task> flaxNotebookTasks();
[[nodiscard]] std::vector<Task> flaxSpmdTasks();
[[nodiscard]] std::vector<Task> penzaiTasks();
[[nodiscard]] std::vector<Task> t5xTasks();
[[nodiscard]] std::vector<Task> jaxTasks();

} // namespace shardscope
