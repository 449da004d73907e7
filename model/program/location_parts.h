// SPDX-License-Identifier: GPL-3.0-or-later
// What a location of MLIR says in plain parts.
//
//     "jit(step)/layers.0/mul"("train.py":38:0)    name jit(step)/layers.0/mul, file train.py, line 38
//     "train.py":38:0                              no name
//     "layers.0"                                   a name alone
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace shardscope {

struct LocationParts {
    std::string_view name; ///< empty where it has none
    std::string_view file; ///< likewise
    std::int64_t line = 0;

    /// "train.py:38"; empty without a file.
    [[nodiscard]] std::string source() const;
};
/// Of locations that are made of several the name of the outermost, where it has one.
[[nodiscard]] LocationParts partsOfLocation(std::string_view location);

} // namespace shardscope
