// SPDX-License-Identifier: GPL-3.0-or-later
// The attributes of an operation of a reference case.
#pragma once

#include <functional>
#include <string>

#include "conformance/checker.h"
#include "program/op_kind.h"
#include "program/other_attributes.h"

namespace shardscope::conformance {

/// How what refers to meshes is read.
struct ShardingReaders {
    std::function<ProgramSharding(const Json& sharding)> sharding;
    std::function<AxisList(std::uint32_t mesh, const Json& axes)> axes;
};

/// `operation` is one of a function's `ops`. Members of its `attrs` that are understood are erased from `rest`.
/// `operand` is the type of the first operand. Throws what nlohmann::json throws, or std::runtime_error.
[[nodiscard]] Attributes readAttributes(OpKind kind, const Json& operation, const TensorType& operand,
    const TensorType& result, const ShardingReaders& readers, Json& rest);

} // namespace shardscope::conformance
