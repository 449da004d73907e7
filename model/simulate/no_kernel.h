// SPDX-License-Identifier: GPL-3.0-or-later
// Which operations devices cannot execute, whatever the types of their operands.
#pragma once

#include "program/op_kind.h"

namespace shardscope {

/// Every operation has a kernel, or stands in this list.
[[nodiscard]] bool hasNoKernel(OpKind kind);

} // namespace shardscope
