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

/// A program as a module of StableHLO: over that mesh (program/over_mesh.h), with a function main, with these shardings
/// in place of its annotations. Where there is none, the sharding that the program itself has stays. All ids stay.
[[nodiscard]] Program annotatedProgram(const Program& source, MeshPtr mesh, const AnnotationShardings& shardings);

} // namespace shardscope
