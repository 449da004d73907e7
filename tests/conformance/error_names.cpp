// SPDX-License-Identifier: GPL-3.0-or-later
#include "conformance/error_names.h"

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

} // namespace

std::string errorName(Vocabulary vocabulary, const Error& error)
{
    for (const ErrorNameRow& row : errorNames)
        if (row.vocabulary == vocabulary && row.code == error.code
            && (row.wrong.empty() || row.wrong == error.text("wrong")))
            return std::string(row.name);
    return std::string(error.kind());
}

} // namespace shardscope::conformance
