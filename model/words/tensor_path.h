// SPDX-License-Identifier: GPL-3.0-or-later
// The path of a value as people read it: which layer it belongs to, and what it is called there.
#pragma once

#include <QString>
#include <cstdint>
#include <string_view>

namespace shardscope::words {

/// A path taken apart: "grad(params/layers.0/W1)" is layer 0 of "layers", leaf "W1".
struct TensorPath {
    QString layers; ///< what comes before the number, "layers"; empty if the path has no layer
    std::int64_t layer = -1;
    QString leaf; ///< what comes after the layer, or all of the path but its prefix
};
[[nodiscard]] TensorPath parseTensorPath(std::string_view path);

} // namespace shardscope::words
