// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "mesh/mesh.h"

namespace shardscope {

/// `at(position)` of every mesh position, by the devices' ids; ids that the mesh lacks have an empty value.
template <class Value, class ValueAt>
[[nodiscard]] std::vector<Value> byDevice(const Mesh& mesh, const ValueAt& at)
{
    std::int32_t largest = 0;
    for (std::int64_t position = 0; position < mesh.deviceCount(); ++position)
        largest = std::max(largest, mesh.deviceAt(position));
    std::vector<Value> values(static_cast<std::size_t>(largest) + 1);
    for (std::int64_t position = 0; position < mesh.deviceCount(); ++position)
        values[static_cast<std::size_t>(mesh.deviceAt(position))] = static_cast<Value>(at(position));
    return values;
}

} // namespace shardscope
