// SPDX-License-Identifier: GPL-3.0-or-later
#include "sharding/position_digits.h"

#include <algorithm>

namespace shardscope {

PositionDigits positionDigits(const Mesh& mesh, std::span<const AxisRef> parts)
{
    PositionDigits digits;
    SmallVector<std::int32_t, 4> here;
    for (std::size_t axis = 0; axis < mesh.rank(); ++axis) {
        here = {};
        for (std::size_t i = 0; i < parts.size(); ++i)
            if (static_cast<std::size_t>(parts[i].axis) == axis)
                here.push_back(static_cast<std::int32_t>(i));
        const auto part = [&](std::int32_t i) { return parts[static_cast<std::size_t>(i)]; };
        std::sort(here.begin(), here.end(), [&](std::int32_t a, std::int32_t b) { return part(a) < part(b); });
        const std::int64_t size = mesh.size(axis), stride = mesh.stride(axis);
        const auto add = [&](std::int64_t from, std::int64_t to, std::int32_t index) {
            if (to > from)
                digits.push_back({ stride * (size / to), to / from, index });
        };
        std::int64_t done = 1;
        for (const std::int32_t i : here) {
            add(done, part(i).pre, -1);
            add(part(i).pre, part(i).next(), i);
            done = part(i).next();
        }
        add(done, size, -1);
    }
    return digits;
}

} // namespace shardscope
