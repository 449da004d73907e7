// SPDX-License-Identifier: GPL-3.0-or-later
// Prints programs as StableHLO text, in the pretty forms where there are any. readStableHlo() takes the text back
// unchanged in meaning.
//
//     printStableHlo(program) == "module @jit_f {\n"
//                                "  sdy.mesh @mesh = <[\"x\"=2]>\n"
//                                "  func.func public @main(%arg0: tensor<8xf32> {...}) -> tensor<8xf32> {\n"
//                                "    %0 = stablehlo.tanh %arg0 : tensor<8xf32>\n"
//                                "    return %0 : tensor<8xf32>\n"
//                                "  }\n"
//                                "}\n"
//
// Of built-in networks: a reduction's initial value becomes a constant of its own, annotations become shardings over
// `PrintOptions::mesh`, or attributes where there is no mesh or the names are logical.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "program/program.h"

namespace shardscope {

/// What the printer says of paths, roles and names of dimensions, which StableHLO does not know.
enum class PrintedNames : std::uint8_t {
    None,
    AsComments, ///< "// layers.0/y" at the end of the line
    AsAttributes, ///< {shardscope.path = "layers.0/y"}, which the reader takes back
    /// Values are called by the last parts of their paths (program/name_values.h), which name all of them; None where
    /// that would call two values the same.
    AsNames
};

struct PrintOptions {
    bool locations = true; ///< loc(...)
    bool shardings = true; ///< meshes and shardings of values; those of sdy operations always stay
    PrintedNames names = PrintedNames::AsAttributes;
    bool argumentLines = false; ///< each argument of a function on a line of its own
    MeshPtr mesh = {}; ///< that annotations of built-in networks speak of; may be null
    /// Constants of more elements are left out ("dense_resource<__elided__>"): such text is for people only.
    std::int64_t maximumElements = INT64_MAX;
};

struct PrintedProgram {
    std::string text;
    std::vector<std::uint32_t> operationLines; ///< by OperationId: the line, from 1; 0 for one that stands in no region
    std::vector<std::uint32_t> valueLines; ///< by ValueId: the line that defines it; 0 as above
};

[[nodiscard]] std::string printStableHlo(const Program& program, const PrintOptions& options = {});
/// The same with the line of every operation and value.
[[nodiscard]] PrintedProgram printWithLines(const Program& program, const PrintOptions& options = {});

/// A sharding as Shardy writes it: "<@mesh, [{\"x\", ?}, {}], replicated={\"y\"}>".
[[nodiscard]] std::string toText(const ProgramSharding& sharding, const std::vector<ProgramMesh>& meshes);
/// "<[\"x\"=2, \"y\"=4], device_ids=[...]>".
[[nodiscard]] std::string toText(const ProgramMesh& mesh);

} // namespace shardscope
