// SPDX-License-Identifier: GPL-3.0-or-later
// What several commands say: problems, meshes, tensors; as text and as JSON.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "console.h"
#include "input.h"
#include "pipeline/snapshot.h"

namespace shardscope::cli {

using Json = nlohmann::ordered_json;

/// Exit codes of the program.
enum Exit : int { Done = 0, Findings = 1, BadInput = 2 };

/// Where --json writes to. Empty: no JSON; "-": standard output.
using JsonTarget = std::string;

/// The envelope of a command's JSON, to which the command adds its own members.
[[nodiscard]] Json envelope(const char* command);
/// Writes the JSON, to a file all or nothing. Returns `status`, or BadInput when it cannot be written.
[[nodiscard]] int emitJson(const Json& json, const JsonTarget& target, int status);
/// The same for any text.
[[nodiscard]] int emitText(std::string_view text, const std::string& target, int status);

[[nodiscard]] Json toJson(const Diagnostic& diagnostic);
[[nodiscard]] Json toJson(const std::vector<Diagnostic>& list);
[[nodiscard]] Json toJson(const Mesh& mesh);
[[nodiscard]] Json toJson(const TensorRow& row);
[[nodiscard]] Json toJson(Rational value); ///< whole numbers as such
/// Warnings of reading and problems of the analysis.
[[nodiscard]] Json problems(const Input& input, const Snapshot& snapshot);
[[nodiscard]] Json tensors(const Snapshot& snapshot);
[[nodiscard]] Json communication(const Snapshot& snapshot);

/// One line per diagnostic: errors and warnings by colour.
void print(Console& console, const std::vector<Diagnostic>& list);
/// What is wrong with the input, on the error stream (and as JSON, if asked for). Returns BadInput.
[[nodiscard]] int reject(const char* command, const JsonTarget& json, const std::vector<Diagnostic>& errors);

/// "data 2 × model 4: 8 devices on 2 hosts", then the device grid.
void printMesh(Console& console, const Snapshot& snapshot);
/// All tensors that people annotate or ask for.
void printTensors(Console& console, const Snapshot& snapshot);
/// "x  f32[batch 8@data, embed 1024]  2 shards of [4, 1024]", then the grid.
void printGrid(Console& console, const Snapshot& snapshot, const TensorRow& row);
/// Problems of the analysis, if there are any, under a heading.
void printProblems(Console& console, const Input& input, const Snapshot& snapshot);

/// Whether there is an error or a warning.
[[nodiscard]] bool hasFindings(const Input& input, const Snapshot& snapshot);

} // namespace shardscope::cli
