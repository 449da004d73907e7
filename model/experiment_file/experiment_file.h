// SPDX-License-Identifier: GPL-3.0-or-later
// Experiment files: JSON with positions, comments and trailing commas tolerated, unknown keys kept.
// The schema in resources/schema/ rules; writing is stable to the byte.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "experiment/experiment.h"

namespace shardscope {

struct ReadExperiment {
    Experiment experiment;
    std::vector<Diagnostic> warnings; ///< UnknownKey, CommentsLost, NewerMinorVersion
};

/// Reads a file that an experiment names, relative to the experiment's own. Errors: Unreadable, TooLarge.
using FileSource = std::function<Result<std::string>(const std::string& name)>;

/// All errors are collected (at most 50); nothing is returned but them if there is one. Each has line, column and the
/// JSON pointer. Files beyond 64 MB are refused (TooLarge) before they are parsed. Without `files` the text of a
/// program in a file of its own is left empty.
[[nodiscard]] tl::expected<ReadExperiment, std::vector<Diagnostic>> readExperiment(
    std::string_view text, const FileSource& files = {});
/// Fixed key order, one rule per line, two spaces, LF, trailing newline. read(write(e)) == e, and
/// write(read(t)) == t for every t that write() produced.
[[nodiscard]] std::string writeExperiment(const Experiment& experiment);

/// The JSON schema (draft-07) of the format, as it stands in resources/schema/.
[[nodiscard]] std::string_view experimentSchema();
inline constexpr std::string_view experimentFormat = "sharding-experiment";
inline constexpr std::string_view experimentVersion = "1.0";

} // namespace shardscope
