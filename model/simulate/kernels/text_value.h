// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string_view>

#include "simulate/kernels/array.h"

namespace shardscope::kernels {

/// An array as a text has it, "dense<[1, 2]> : tensor<2xi32>"; its type may be left out. Nothing if it cannot be read.
[[nodiscard]] std::optional<Array> valueOfText(std::string_view text, const TensorType& type);

} // namespace shardscope::kernels
