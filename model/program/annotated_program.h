// SPDX-License-Identifier: GPL-3.0-or-later
// A program with its annotations inside: over one mesh, with the shardings that are asked for.
//
//     x annotated [{data}, {}], mesh data=2
//     func.func @main(%arg0: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}) ...
#pragma once

#include <optional>
#include <vector>

#include "program/program.h"

namespace shardscope {

/// The shardings of annotations, absent where there is none.
struct AnnotationShardings {
    std::vector<std::optional<TensorSharding>> arguments; ///< per argument of main
    std::vector<std::optional<TensorSharding>> results; ///< per result of main
    /// Per OperationId, absent for a constraint that asks for nothing; of another operation: of its first result.
    std::vector<std::optional<TensorSharding>> constraints;
    bool operator==(const AnnotationShardings&) const = default;
};

/// A program without functions and meshes as a module of StableHLO: over that mesh, with a function main, with these
/// shardings in place of its annotations. All ids stay.
[[nodiscard]] Program annotatedProgram(Program program, MeshPtr mesh, const AnnotationShardings& shardings);

} // namespace shardscope
