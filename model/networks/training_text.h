// SPDX-License-Identifier: GPL-3.0-or-later
// The text about sharding that transformers are trained on: resources/texts/sharding.txt, compiled in.
#pragma once

#include <string_view>

namespace shardscope {

/// Of bytes below 128, some thousands of them.
[[nodiscard]] std::string_view trainingText();

} // namespace shardscope
