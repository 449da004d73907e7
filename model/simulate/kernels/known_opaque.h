// SPDX-License-Identifier: GPL-3.0-or-later
// Operations that the reader keeps without knowing them, and that can be executed all the same.
#pragma once

#include <optional>

#include "simulate/kernels/call.h"

namespace shardscope::kernels {

[[nodiscard]] bool isKnownOpaque(const Program& program, const Operation& op);
[[nodiscard]] Arrays evaluateOpaque(const Call& call);
/// What they make where their operands say so, if it is not what is declared. Negative sizes are none at all.
[[nodiscard]] std::optional<TensorType> otherResult(
    const Program& program, const Operation& op, std::span<const Array> operands);

} // namespace shardscope::kernels
