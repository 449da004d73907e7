// SPDX-License-Identifier: GPL-3.0-or-later
// A program of arrays alone: named arguments and no operation, for studying rules without a network.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "program/program.h"
#include "sharding/memory_kind.h"

namespace shardscope {

struct NamedArraySetting {
    std::string path;
    LogicalNames names;
    Shape shape;
    DType dtype = DType::F32;
    std::optional<MemoryKind> memoryKind = {}; ///< nothing: the default of the devices
    bool operator==(const NamedArraySetting&) const = default;
};

/// Every array becomes an argument with the role Parameter and its logical names as annotation.
/// Errors: InvalidAttribute if names and shape differ in length or a path occurs twice, TooLarge beyond 2^62 bytes.
[[nodiscard]] Result<Program> buildArrays(const std::vector<NamedArraySetting>& arrays);

} // namespace shardscope
