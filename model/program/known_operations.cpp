// SPDX-License-Identifier: GPL-3.0-or-later
#include "program/known_operations.h"

#include <algorithm>
#include <array>

namespace shardscope {

const KnownOperation* knownOperation(std::string_view name)
{
    static constexpr std::array<KnownOperation, 13> known{ {
        { "arith.constant", 0 }, // of a type that is no array; others are constants
        { "stablehlo.collective_reduce", 1, 1, 1, true },
        { "stablehlo.dynamic_broadcast_in_dim", 2 },
        { "stablehlo.dynamic_conv", 3 },
        { "stablehlo.dynamic_gather", 3 },
        { "stablehlo.dynamic_iota", 1 },
        { "stablehlo.dynamic_pad", 5 },
        { "stablehlo.dynamic_reshape", 2 },
        { "stablehlo.get_dimension_size", 1 },
        { "stablehlo.real_dynamic_slice", 4 },
        { "stablehlo.set_dimension_size", 2 },
        { "stablehlo.uniform_dequantize", 1 },
        { "stablehlo.uniform_quantize", 1 },
    } };
    const auto found = std::lower_bound(known.begin(), known.end(), name,
        [](const KnownOperation& operation, std::string_view wanted) { return operation.name < wanted; });
    return found == known.end() || found->name != name ? nullptr : &*found;
}

} // namespace shardscope
