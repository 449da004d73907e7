// SPDX-License-Identifier: GPL-3.0-or-later
// Where a command's experiment comes from: a file, standard input, or a built-in example by its id.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/analyse.h"
#include "experiment/experiment.h"
#include "pipeline/snapshot.h"

namespace shardscope::cli {

struct Input {
    std::string name; ///< as it was given; "standard input" for "-"
    Experiment experiment;
    std::vector<Diagnostic> warnings; ///< of reading
    std::string text; ///< of the file; empty for built-in examples and variants
    std::string file = {}; ///< of a variant: what its experiment was read from
};

/// The name that people read: "standard input" for "-".
[[nodiscard]] std::string shownName(const std::string& name);

/// Text of a file or, for "-", of standard input; at most `limit` bytes. Errors: Unreadable, TooLarge.
inline constexpr std::size_t maximumExperiment = std::size_t{ 64 } << 20;
[[nodiscard]] Result<std::string> readText(const std::string& name, std::size_t limit = maximumExperiment);

[[nodiscard]] bool isYaml(std::string_view name);
/// Whether a command's FILE is a program and no experiment: by its name, else by how its text begins.
[[nodiscard]] bool isProgramText(const std::string& name, std::string_view text);
/// A program by itself becomes an experiment over its own mesh. Every diagnostic names the file. `text`: what the file
/// holds, where it has been read already. "FILE#NAME" is a variant of the experiment in FILE, unless a file has that
/// very name. Errors: further those of findVariant() and applyVariant().
[[nodiscard]] tl::expected<Input, std::vector<Diagnostic>> loadExperiment(
    const std::string& name, std::optional<std::string> text = {});

/// Of an experiment that was read from `file`: what of its variants makes no experiment, and what nobody knows in their
/// patches, each in FILE#NAME. Errors and warnings of applyVariant(). Nothing of a variant itself.
[[nodiscard]] std::vector<Diagnostic> variantProblems(const Input& input, const std::string& file);

/// The name of the program's text, for places in it: that of the input, or of the file that an experiment names, from
/// where the experiment was given: "sub/step.mlir" for step.mlir in "sub/experiment.json".
[[nodiscard]] std::string programName(const Input& input);
/// Those without a file get one: the program's where they have a line, else the input's.
[[nodiscard]] std::vector<Diagnostic> inFile(std::vector<Diagnostic> list, const Input& input);

/// The analysis of the experiment.
[[nodiscard]] SnapshotPtr analyse(const Experiment& experiment, LastStage last = LastStage::Summary);

/// UnknownValue: what was asked for, what it may have been meant to be, and names that are known (the first twenty).
[[nodiscard]] Error unknownValue(const std::string& key, const std::string& asked, std::vector<std::string> known);

/// Warnings of reading, then problems of the analysis, each with its line and column if it points into the file.
/// Findings about several tensors name the first; where one tensor is asked `about`, that one or the one of its layer.
[[nodiscard]] std::vector<Diagnostic> allProblems(const Input& input, const Snapshot& snapshot, ValueId about = {});

} // namespace shardscope::cli
