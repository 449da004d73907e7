// SPDX-License-Identifier: GPL-3.0-or-later
// Words in the names that texts give: "state.opt_state[0].mu['w']" has the words state, opt_state, 0, mu and w.
#pragma once

#include <optional>
#include <string_view>

namespace shardscope {

/// Where the word begins first; nothing where it is none of the words.
[[nodiscard]] std::optional<std::size_t> wordIn(std::string_view name, std::string_view word);
/// The same of parts of words: "total_loss" has the parts total and loss.
[[nodiscard]] std::optional<std::size_t> partIn(std::string_view name, std::string_view part);

} // namespace shardscope
