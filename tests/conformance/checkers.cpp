// SPDX-License-Identifier: GPL-3.0-or-later
#include <array>
#include <cctype>

#include "conformance/checker.h"

namespace shardscope::conformance {

namespace {

constexpr std::array checkerRows{
    CheckerRow{ "axis_algebra", checkAxisAlgebra },
    CheckerRow{ "factor_propagation_unit", checkFactorPropagation },
    CheckerRow{ "comm_volume", checkCommVolume },
    CheckerRow{ "compiled_collectives", checkCompiledCollectives },
    CheckerRow{ "compiled_programs", checkCompiledPrograms },
    CheckerRow{ "explicit_mode_ops", checkExplicitMode },
    CheckerRow{ "explicit_types", checkExplicitTypes },
    CheckerRow{ "matmul", checkMatmul },
    CheckerRow{ "op_collectives", checkOpCollectives },
    CheckerRow{ "programs", checkRealPrograms },
    CheckerRow{ "reshard", checkReshard },
    CheckerRow{ "canonicalization", checkPasses },
    CheckerRow{ "explicit_reshards", checkPasses },
    CheckerRow{ "debug_edges", checkProvenance },
    CheckerRow{ "debug_origins", checkProvenance },
    CheckerRow{ "export_misc", checkPasses },
    CheckerRow{ "export_pipeline", checkPasses },
    CheckerRow{ "import_passes", checkPasses },
    CheckerRow{ "propagation_pipeline", checkPasses },
    CheckerRow{ "flax_constraint_gate", checkFlaxConstraintGate },
    CheckerRow{ "flax_logical_to_mesh_axes", checkFlaxLogicalToMeshAxes },
    CheckerRow{ "jax_create_device_mesh", checkJaxCreateDeviceMesh },
    CheckerRow{ "jax_create_hybrid_device_mesh", checkJaxCreateHybridDeviceMesh },
    CheckerRow{ "jax_make_mesh", checkJaxMakeMesh },
    CheckerRow{ "hlo_sharding", checkHloSharding },
    CheckerRow{ "jax_named_sharding", checkJaxNamedSharding },
    CheckerRow{ "jax_positional_sharding", checkJaxPositionalSharding },
    CheckerRow{ "jax_sharding_equivalence", checkJaxShardingEquivalence },
    CheckerRow{ "jax_visualize_sharding", checkJaxVisualizeSharding },
    CheckerRow{ "maxtext_goldens", checkMaxTextGoldens },
    CheckerRow{ "memory_kinds", checkMemoryKinds },
    CheckerRow{ "mlp_train_step", checkMlpTrainStep },
    CheckerRow{ "models", checkModels },
    CheckerRow{ "op_sharding_rules", checkOpShardingRules },
    CheckerRow{ "penzai_name_to_name_sharding", checkPenzaiNameToNameSharding },
    CheckerRow{ "propagation_aggressive", checkPropagation },
    CheckerRow{ "propagation_basic", checkPropagation },
    CheckerRow{ "propagation_op_priority", checkPropagation },
    CheckerRow{ "propagation_user_priority", checkPropagation },
    CheckerRow{ "reshard_to_collectives", checkReshardToCollectives },
    CheckerRow{ "rules", checkRuleResolutions },
    CheckerRow{ "step_counts", checkStepCounts },
    CheckerRow{ "t5x_cpu_gpu_mesh", checkT5xCpuGpuMesh },
    CheckerRow{ "seed_numeric_facts", checkSeedNumericFacts },
    CheckerRow{ "shard_map", checkShardMap },
    CheckerRow{ "t5x_data_layout", checkT5xDataLayout },
    CheckerRow{ "t5x_default_mesh", checkT5xDefaultMesh },
    CheckerRow{ "t5x_get_mesh", checkT5xGetMesh },
    CheckerRow{ "t5x_local_chunker", checkT5xLocalChunker },
    CheckerRow{ "t5x_partitioner", checkT5xPartitioner },
    CheckerRow{ "t5x_standard_rules", checkT5xStandardRules },
    CheckerRow{ "uneven", checkUneven },
    CheckerRow{ "verification", checkVerification },
};

bool isWordAt(std::string_view text, std::size_t begin, std::size_t length)
{
    const auto isPart = [&](std::size_t i) { return std::isalnum(static_cast<unsigned char>(text[i])) != 0; };
    return (begin == 0 || !isPart(begin - 1)) && (begin + length == text.size() || !isPart(begin + length));
}

} // namespace

std::span<const CheckerRow> checkers()
{
    return checkerRows;
}

const CheckerRow* checkerFor(std::string_view fileStem)
{
    const CheckerRow* best = nullptr;
    for (const CheckerRow& row : checkerRows) {
        const std::size_t found = fileStem.find(row.name);
        if (found != std::string_view::npos && isWordAt(fileStem, found, row.name.size())
            && (!best || row.name.size() > best->name.size()))
            best = &row;
    }
    return best;
}

} // namespace shardscope::conformance
