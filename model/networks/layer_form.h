// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace shardscope {

/// How the layers are written down: one after the other, or as a loop over parameters that have a dimension "layers".
enum class LayerForm : std::uint8_t { Unrolled, Scanned };

} // namespace shardscope
