// SPDX-License-Identifier: GPL-3.0-or-later
// What several commands say: problems, meshes, tensors; as text and as JSON.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/diagnostics.h"
#include "base/quantity.h"
#include "console.h"
#include "layout_report.h"
#include "program/types.h"

namespace shardscope {
struct CollectiveList;
enum class Owner : std::uint8_t;
struct MemorySummary;
} // namespace shardscope

namespace shardscope::cli {

struct Input;

using Json = nlohmann::ordered_json;

/// Exit codes of the program.
enum Exit : int { Done = 0, Findings = 1, BadInput = 2 };

/// Where --json writes to, and what its JSON begins with.
struct JsonTarget {
    std::string file; ///< empty: no JSON; "-": standard output
    std::string command; ///< as it was typed; empty where there is none
    std::string input; ///< what the command reads, by the name that it was called by; empty for nothing
    [[nodiscard]] bool empty() const { return file.empty(); }
};

/// What the JSON of every command begins with, by resources/schema/output.schema.json: format, version, command,
/// program, input, problems (none so far). The command adds its own members.
[[nodiscard]] Json envelope(const JsonTarget& target);
/// The same with the title of the input.
[[nodiscard]] Json envelope(const JsonTarget& target, const Input& input);
/// Writes the JSON, to a file all or nothing. Returns `status`, or BadInput when it cannot be written.
[[nodiscard]] int emitJson(const Json& json, const JsonTarget& target, int status);
/// The same for any text.
[[nodiscard]] int emitText(std::string_view text, const std::string& target, int status);

[[nodiscard]] Json toJson(const Diagnostic& diagnostic);
[[nodiscard]] Json toJson(const std::vector<Diagnostic>& list);
[[nodiscard]] Json toJson(const Mesh& mesh);
[[nodiscard]] Json toJson(const TensorRow& row);
/// The hash of a device program, as 16 hexadecimal digits.
[[nodiscard]] Json hashJson(std::uint64_t hash);
/// A shape as JSON has it.
[[nodiscard]] std::vector<std::int64_t> sizesOf(const Shape& shape);
[[nodiscard]] Json toJson(Rational value); ///< whole numbers as such
[[nodiscard]] const char* ownerId(Owner owner); ///< "parameters"
[[nodiscard]] Json toJson(const MemorySummary& memory); ///< of one device, in bytes
/// The rules with their uses, and how they are read.
[[nodiscard]] Json rulesJson(const Snapshot& snapshot);
/// Warnings of reading and problems of the analysis; `about` as in allProblems().
[[nodiscard]] Json problems(const Input& input, const Snapshot& snapshot, ValueId about = {});
[[nodiscard]] Json communication(const CollectiveList& collectives);

/// One line per diagnostic: errors and warnings by colour.
void print(Console& console, const std::vector<Diagnostic>& list);
/// What keeps a command from its result, and its exit code: 2 for an input that cannot be read, 1 for one that has
/// errors or cannot be partitioned.
struct Refused {
    std::vector<Diagnostic> problems;
    int status = BadInput;
};
/// On the error stream, and as JSON if asked for. Returns its status.
[[nodiscard]] int refuse(const JsonTarget& json, const Refused& refused);
/// The same of what is wrong with the input. Returns BadInput.
[[nodiscard]] int reject(const JsonTarget& json, const std::vector<Diagnostic>& errors);
/// That arguments cannot be used: what is wrong with them, and where to read more. `command` may be empty.
[[nodiscard]] Diagnostic usageProblem(const std::string& command, const std::string& what);

/// The memory that it takes is not there, on the error stream (and as JSON). Returns Findings: the input may be right.
[[nodiscard]] int refuseForMemory(const JsonTarget& json);

/// All tensors that people annotate or ask for, or those of layers that are alike once where they are many.
void printTensors(Console& console, const Snapshot& snapshot, Extent extent);
/// Errors and warnings of the input, on the error stream.
void printFindings(const Input& input, const Snapshot& snapshot);
/// Problems of the analysis, if there are any, under a heading; `about` as in allProblems().
void printProblems(Console& console, const Input& input, const Snapshot& snapshot, ValueId about = {});

/// "4 MiB (4,194,304 B)"; "512 B" where that says it all.
[[nodiscard]] QString exactBytes(std::int64_t bytes);

[[nodiscard]] bool isError(const Diagnostic& finding);
/// The one rule of exit codes: errors are findings, warnings are not. (For `check`, whose result they are, both are.)
[[nodiscard]] int statusOf(const std::vector<Diagnostic>& problems);
/// Whether there is an error or a warning.
[[nodiscard]] bool hasFindings(const std::vector<Diagnostic>& problems);

} // namespace shardscope::cli
