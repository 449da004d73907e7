// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers for arguments, as the product draws them.
#pragma once

#include <string>
#include <utility>

#include "program/builder.h"
#include "simulate/run/initial_values.h"

namespace shardscope::test {

/// Argument `number` of a program in a text that does nothing with it: floats from -1 to 1 (a single one 0.001),
/// integers below 8, truth values.
inline kernels::Array drawnArray(const TensorType& type, std::uint64_t seed, std::size_t number)
{
    Builder builder("drawn");
    for (std::size_t i = 0; i <= number; ++i)
        builder.argument(type, std::to_string(i), Role::Input);
    return InitialArrays(std::move(builder).finish(), { seed, InitialDefaults::ByUse }).array(number);
}

} // namespace shardscope::test
