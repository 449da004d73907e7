// SPDX-License-Identifier: GPL-3.0-or-later
// Rules as Python source, one to a line, as they stand in the code of Flax and T5X. parseRules() reads them back.
//
//     rules = (
//         ('batch', 'data'),
//         ('embed', None),
//     )
#pragma once

#include <string>
#include <string_view>

#include "sharding/logical_rules.h"

namespace shardscope {

/// `variable`: what the literal is assigned to; nothing = the literal alone.
[[nodiscard]] std::string toPythonSource(const LogicalRules& rules, std::string_view variable);

} // namespace shardscope
