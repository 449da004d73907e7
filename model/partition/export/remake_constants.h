// SPDX-License-Identifier: GPL-3.0-or-later
// A constant that is needed in another sharding is made in that sharding, without an exchange.
//
//     %c = constant [{}]; %r = reshard %c [{x}]; %s = add %a, %r
// becomes
//     %r = constant [{x}]; %s = add %a, %r
#pragma once

#include "partition/export/canonicalize_collectives.h"

namespace shardscope::passes {

/// Instead of a reshard of a constant, an iota or a scalar that is broadcast: a copy of that operation with the
/// reshard's sharding. `origins` holds each copy with its original, which goes where nothing else reads it.
[[nodiscard]] Canonicalized remakeConstants(Program program);

} // namespace shardscope::passes
