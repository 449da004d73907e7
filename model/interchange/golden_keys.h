// SPDX-License-Identifier: GPL-3.0-or-later
// Keys of MaxText's goldens: the parts of a path as JAX prints them.
//
//     .params/['params']/['decoder']/['norm']   params/params/decoder/norm
//     .opt_state/[0]/.mu/['params']/['norm']    opt_state/0/mu/params/norm
#pragma once

#include <string>
#include <string_view>

namespace shardscope {

/// A key without any signs is its path.
[[nodiscard]] std::string pathOfKey(std::string_view key);
[[nodiscard]] std::string keyOfPath(std::string_view path);

} // namespace shardscope
