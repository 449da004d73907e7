// SPDX-License-Identifier: GPL-3.0-or-later
// Warnings that are repeated: ten thousand rules that nothing uses are one line.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/diagnostics.h"

namespace shardscope {

/// So many warnings or notes that say the same of different things are listed one by one.
inline constexpr std::size_t maximumAlike = 10;

/// Which of them say the same (code, file and kinds of arguments), where these are more than maximumAlike; each group
/// in order. Errors are never in a group.
[[nodiscard]] std::vector<std::vector<std::size_t>> alike(std::span<const Diagnostic* const> list);
/// The first of a group, for all of them: with the arguments `alike`, how many they are, and `alike_names`, what the
/// next few are about.
[[nodiscard]] Diagnostic forAll(std::span<const Diagnostic* const> list, std::span<const std::size_t> group);

/// Each group as the one diagnostic for all.
[[nodiscard]] std::vector<Diagnostic> summedUp(std::vector<Diagnostic> list);

} // namespace shardscope
