// SPDX-License-Identifier: GPL-3.0-or-later
// The programs of the files in jax/ (check_jax_*.cpp): a text for all layouts of a program, with "$mesh" and "$0",
// "$1", ... in the places of the mesh and the shardings.
#pragma once

#include <string>
#include <vector>

#include "conformance/checker.h"
#include "pipeline/snapshot.h"

namespace shardscope::conformance {

/// `file["programs"][oneCase["program"]]`, over the mesh of the case.
[[nodiscard]] std::string jaxText(const Json& oneCase, const Json& file, const std::vector<std::string>& shardings);
/// The lines of a text.
[[nodiscard]] std::string joinedLines(const Json& lines);
/// ["x", null, ["x", "y"]] as "[{"x"}, {}, {"x", "y"}]"
[[nodiscard]] std::string shardyText(const Json& spec);
/// Of a program by itself, after all stages. Throws where it is none.
[[nodiscard]] SnapshotPtr laidOutProgram(std::string text);
/// The collectives of `hlo`: as they are recorded, and beside those that the product predicts of the program's text.
[[nodiscard]] CaseResult compareJaxCollectives(const Json& oneCase, const std::string& text);
/// Without axes of size 1, which shard nothing, and one axis as itself.
[[nodiscard]] Json usedSpec(const Json& spec, const Json& mesh);

} // namespace shardscope::conformance
