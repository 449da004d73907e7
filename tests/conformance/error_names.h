// SPDX-License-Identifier: GPL-3.0-or-later
// What the reference data call errors. Most are called as the registry of codes has them (model/base/codes.h); the
// table beside this lists all others, by vocabulary.
#pragma once

#include <string>
#include <string_view>

#include "base/diagnostics.h"

namespace shardscope::conformance {

enum class Vocabulary {
    Flax, ///< the kinds of flax_logical_to_mesh_axes
    Penzai, ///< of penzai_name_to_name_sharding
    Jax, ///< classes of exceptions, of uneven
    Shardy, ///< topics of diagnostics, of verification
};

/// Of a code with several names the one of its argument `wrong`.
///
///     errorName(Vocabulary::Flax, { Code::NestedTuple, {}, {} }) == "nested_tuple_in_spec"
[[nodiscard]] std::string errorName(Vocabulary vocabulary, const Error& error);
/// Whether what JAX says, "ShardingTypeError: padding on sharded dims ...", is a refusal of that kind (kindName() of
/// program/explicit_mode.h). jnp.roll and jnp.tile refuse by themselves what one of the operations that they are made
/// of would refuse.
[[nodiscard]] bool isErrorOfJax(std::string_view error, std::string_view kind);

} // namespace shardscope::conformance
