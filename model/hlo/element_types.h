// SPDX-License-Identifier: GPL-3.0-or-later
// HLO's names of element types: "pred", "s32", "bf16", "f8e4m3fn", "token".
#pragma once

#include <optional>
#include <string_view>

#include "program/types.h"

namespace shardscope::hlo {

/// Nothing for what is not known ("opaque").
[[nodiscard]] std::optional<DType> elementType(std::string_view name);

} // namespace shardscope::hlo
