// SPDX-License-Identifier: GPL-3.0-or-later
// A program without meshes and the shardings of its annotations, to be propagated over one mesh. Without Qt.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "program/annotated_program.h"
#include "propagation/passes.h"
#include "propagation/propagate.h"

namespace shardscope {

struct AnnotatedInput {
    ProgramPtr program;
    MeshPtr mesh;
    std::vector<std::optional<TensorSharding>> arguments; ///< per argument of main
    std::vector<std::optional<TensorSharding>> results; ///< per result of main
    std::vector<std::optional<TensorSharding>> constraints; ///< per OperationId
    Strategy strategy = Strategy::Full;
    PropagationOptions options = {};
    bool applyConstraints = true; ///< what nothing contradicts is the sharding of what it constrains

    [[nodiscard]] Program annotated() const
    {
        return annotatedProgram(*program, mesh, { arguments, results, constraints });
    }
    operator PropagationInput() const // NOLINT: it is what propagation takes, said shorter
    {
        Program imported = annotated();
        if (applyConstraints)
            imported = passes::applyShardingConstraints(std::move(imported));
        return { std::make_shared<const Program>(std::move(imported)), strategy, options };
    }
};

} // namespace shardscope
