// SPDX-License-Identifier: GPL-3.0-or-later
// Operations of StableHLO that are no kinds of the IR: they are carried along as OpKind::Opaque with their name, and no
// axis moves through them. What is known of them is how many operands, results and bodies they have.
//
//     knownOperation("stablehlo.dynamic_reshape")->operands  // 2: the array, and the sizes that it gets
//     knownOperation("foreign.scale")                        // null: a reader warns of it
#pragma once

#include <cstddef>
#include <string_view>

namespace shardscope {

struct KnownOperation {
    std::string_view name; ///< with its dialect
    std::size_t operands = 1, results = 1, bodies = 0;
    /// `operands` is the least number there is, and there are as many results as operands.
    bool variadic = false;
};

[[nodiscard]] const KnownOperation* knownOperation(std::string_view name);

} // namespace shardscope
