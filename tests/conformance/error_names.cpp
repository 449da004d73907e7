// SPDX-License-Identifier: GPL-3.0-or-later
#include "conformance/error_names.h"

#include <algorithm>
#include <array>

#include "base/codes.h"

namespace shardscope::conformance {

namespace {

struct ErrorNameRow {
    Vocabulary vocabulary;
    Code code;
    std::string_view wrong; ///< empty: of every one that no row before names
    std::string_view name;
};

constexpr std::array errorNames{
    ErrorNameRow{ Vocabulary::Flax, Code::NestedTuple, "", "nested_tuple_in_spec" },
    ErrorNameRow{ Vocabulary::Penzai, Code::UnknownAxis, "", "unknown_mesh_axis" },
    ErrorNameRow{ Vocabulary::Jax, Code::Indivisible, "", "IndivisibleError" },
    ErrorNameRow{ Vocabulary::Shardy, Code::AxisUsedTwice, "", "duplicate_axis" },
    ErrorNameRow{ Vocabulary::Shardy, Code::BadProvenance, "range", "expectation_mismatch" },
    ErrorNameRow{ Vocabulary::Shardy, Code::BadProvenance, "no_sharding", "expectation_mismatch" },
    ErrorNameRow{ Vocabulary::Shardy, Code::BadProvenance, "step_twice", "duplicate_axis" },
    ErrorNameRow{ Vocabulary::Shardy, Code::BadProvenance, "", "other" },
    ErrorNameRow{ Vocabulary::Shardy, Code::BadMesh, "", "other" },
    ErrorNameRow{ Vocabulary::Shardy, Code::BadRule, "", "other" },
    ErrorNameRow{ Vocabulary::Shardy, Code::BadCollective, "", "other" },
    ErrorNameRow{ Vocabulary::Shardy, Code::ShardingCount, "", "other" },
    ErrorNameRow{ Vocabulary::Shardy, Code::TupleSharding, "", "other" },
    ErrorNameRow{ Vocabulary::Shardy, Code::BadManualComputation, "", "other" },
    ErrorNameRow{ Vocabulary::Shardy, Code::BadEdge, "", "other" },
    ErrorNameRow{ Vocabulary::Shardy, Code::BadBarrier, "", "other" },
    ErrorNameRow{ Vocabulary::Shardy, Code::BadShardingGroup, "", "other" },
};

struct JaxErrorRow {
    std::string_view begin; ///< of what JAX says
    std::string_view kind;
};

constexpr std::array jaxErrors{
    JaxErrorRow{ "ShardingTypeError: add got incompatible shardings for broadcasting", "operands_sharded_differently" },
    JaxErrorRow{ "ShardingTypeError: All operands should have the same sharding", "operands_sharded_differently" },
    JaxErrorRow{ "ShardingTypeError: select cases must have the same shardings", "operands_sharded_differently" },
    JaxErrorRow{ "ShardingTypeError: add operation with inputs", "result_mentions_axis_twice" },
    JaxErrorRow{ "ShardingTypeError: dot_general operation with inputs", "result_mentions_axis_twice" },
    JaxErrorRow{ "DuplicateSpecError: A single NamedSharding spec", "result_mentions_axis_twice" },
    JaxErrorRow{ "ShardingTypeError: Contracting dimensions are sharded", "contracting_dims_both_sharded" },
    JaxErrorRow{ "ShardingTypeError: dot_general requires lhs batch", "batch_dims_sharded_differently" },
    JaxErrorRow{ "ShardingTypeError: This reshape is not supported", "reshape_needs_out_sharding" },
    JaxErrorRow{ "ShardingTypeError: Operand cannot be sharded on dimension 0 when the tiling is non-trivial",
        "reshape_needs_out_sharding" },
    JaxErrorRow{ "ShardingTypeError: padding on sharded dims", "pad_sharded_dim" },
    JaxErrorRow{ "ShardingTypeError: slicing on sharded dims", "slice_of_sharded_dim" },
    JaxErrorRow{ "ShardingTypeError: `a` cannot be sharded on the axis being rolled over", "slice_of_sharded_dim" },
    JaxErrorRow{
        "ShardingTypeError: Input should be unsharded over the axis being reduced", "cumulative_op_on_sharded_dim" },
    JaxErrorRow{ "ShardingTypeError: Arguments to sort must be unsharded", "sort_along_sharded_dim" },
    JaxErrorRow{ "ShardingTypeError: The input should be unsharded over the axis along which to compute the top_k",
        "sort_along_sharded_dim" },
    JaxErrorRow{ "ShardingTypeError: Use `.at[...].get(out_sharding=)`", "gather_needs_out_sharding" },
    JaxErrorRow{ "ShardingTypeError: Use `.at[...].get(out_sharding=)`", "gather_at_sharded_places" },
};

} // namespace

bool isErrorOfJax(std::string_view error, std::string_view kind)
{
    return std::any_of(jaxErrors.begin(), jaxErrors.end(),
        [&](const JaxErrorRow& row) { return row.kind == kind && error.starts_with(row.begin); });
}

std::string errorName(Vocabulary vocabulary, const Error& error)
{
    for (const ErrorNameRow& row : errorNames)
        if (row.vocabulary == vocabulary && row.code == error.code
            && (row.wrong.empty() || row.wrong == error.text("wrong")))
            return std::string(row.name);
    return std::string(error.kind());
}

} // namespace shardscope::conformance
