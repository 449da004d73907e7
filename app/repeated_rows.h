// SPDX-License-Identifier: GPL-3.0-or-later
// Long tables in which the same comes back for every layer.
#pragma once

#include "console.h"

namespace shardscope::cli {

/// Rows that are the same but for the numbers of their layers become one: the first, with * for the numbers, and in a
/// further column under `title` how many they are.
///     layers.0/wi [8]         layers.*/wi [8] 2
///     norm        [4]   ->    norm        [4] 1
///     layers.1/wi [8]
[[nodiscard]] Table withRepeatedRowsOnce(const Table& table, qsizetype nameColumn, const char* title);

/// The table, that of withRepeatedRowsOnce() where it is long and there are fewer rows then; which is said.
void printLongTable(Console& console, const Table& table, qsizetype nameColumn, const char* title);

} // namespace shardscope::cli
