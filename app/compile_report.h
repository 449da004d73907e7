// SPDX-License-Identifier: GPL-3.0-or-later
// What `run` says of compiling: how often each stage was found in the cache, and parts that are compiled by themselves.
#pragma once

#include <vector>

#include "analysis/compiled_parts.h"
#include "console.h"
#include "report.h"

namespace shardscope::cli {

/// Of so many calls of the step.
[[nodiscard]] Json compilingJson(std::int64_t calls, const std::vector<StageCount>& stages);
void printCompiling(Console& console, std::int64_t calls, const std::vector<StageCount>& stages);

[[nodiscard]] Json compiledPartsJson(const std::vector<CompiledPart>& parts);
void printCompiledParts(Console& console, const std::vector<CompiledPart>& parts);

} // namespace shardscope::cli
