// SPDX-License-Identifier: GPL-3.0-or-later
// The attributes in which a text holds what only Shardscope knows of a value.
#pragma once

#include <string_view>

namespace shardscope::mlir {

/// shardscope.path = "params/W1", shardscope.role = "parameter", shardscope.dims = ["embed", "hidden"]
inline constexpr std::string_view ownPrefix = "shardscope.";

} // namespace shardscope::mlir
