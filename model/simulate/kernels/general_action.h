// SPDX-License-Identifier: GPL-3.0-or-later
// Operations without a fast kernel, by the plain ones, on the memory of a device.
#pragma once

#include "simulate/kernels/action.h"

namespace shardscope {

/// Errors: NotExecutable where nobody computes the operation.
[[nodiscard]] Result<ActionPtr> prepareGeneralAction(const Plan& plan, const Instruction& instruction);

} // namespace shardscope
