// SPDX-License-Identifier: GPL-3.0-or-later
// The first experiments that come with the program, as values. Their written forms stand in resources/examples/ among
// those of the gallery (experiment_file/gallery.h).
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "experiment/experiment.h"

namespace shardscope {

struct Example {
    std::string_view id; ///< "flax-mlp-logical"
    std::string_view title;
    std::string_view question; ///< what it answers, in one sentence
    Experiment (*make)();
};

/// flax-mlp-logical (the one the window opens with), flax-mlp-device, rule-lab.
[[nodiscard]] const std::vector<Example>& builtinExamples();
/// The program of an experiment's model, and what is worth knowing about how it was built or read.
struct SourceProgram {
    Program program;
    /// Nobody has said what arguments and results are for: guessRoles() does.
    bool guessesRoles = false;
    std::vector<ChosenInitial> initial = {}; ///< what a network's own arguments begin with where nothing is chosen
    std::vector<Diagnostic> warnings;
    /// What makes a text an illegal program, as verify() finds it; empty for networks, whose builder checks what it
    /// adds.
    std::vector<Diagnostic> illegal = {};
    std::vector<StackedInitial> stacks = {}; ///< arguments of a network that begin as others would, put together
    /// Of a text that has been partitioned already, by XLA or by `shardscope partition`: the mesh that explains its
    /// groups of devices. It is the program of one device; nothing of how it is sharded can be changed any more.
    std::optional<Mesh> partitionedOver = {};
    /// Likewise, per argument of main: how the array is sharded that it is a part of; nothing where nobody says it.
    std::vector<std::optional<TensorSharding>> partsOf = {};
    [[nodiscard]] bool isPartitioned() const { return partitionedOver.has_value(); }
};
using SourcePtr = std::shared_ptr<const SourceProgram>;
/// Of a larger text the values between arguments and results are temporary, so that views do not list them one by one.
inline constexpr std::size_t maximumProgramRows = 4096;
/// Errors of a program's text have its line and column, and the file's name (or "program") as place.
[[nodiscard]] Result<SourceProgram> buildProgram(const Experiment& experiment);
/// The same, without reading a text again that experimentOf() has read.
[[nodiscard]] Result<SourcePtr> sourceProgram(const Experiment& experiment);

/// An experiment around a program in StableHLO's text or HLO's: its mesh, on as many devices, no rules. Without a mesh:
/// on as many devices as its module counts partitions. Of a compiled text: on the mesh that explains its groups. Errors
/// as buildProgram().
[[nodiscard]] Result<Experiment> experimentOf(ProgramModel program, std::string title);

} // namespace shardscope
