// SPDX-License-Identifier: GPL-3.0-or-later
// Words that stand for something else where a name may stand, so that nothing can be called that.
#pragma once

#include <string_view>

namespace shardscope {

/// P.UNCONSTRAINED of JAX: in files and in edits it stands for a dimension that is left to propagation.
inline constexpr std::string_view unconstrainedWord = "P.UNCONSTRAINED";

} // namespace shardscope
