// SPDX-License-Identifier: GPL-3.0-or-later
// Reads the logical names of an array's dimensions as a person types them.
#pragma once

#include <string_view>

#include "sharding/logical_rules.h"

namespace shardscope {

/// A plain list (batch,embed,None) where - is None, too, or a tuple or list of Python or JSON with quoted names:
/// ('batch', None). Nothing at all, and (), are the names of a scalar. Errors: Syntax with line and column.
[[nodiscard]] Result<LogicalNames> parseNames(std::string_view text);

} // namespace shardscope
