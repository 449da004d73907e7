// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

namespace shardscope {

/// Index of the first element whose rectangle contains the point, -1 for none. `rectOf` gives the rectangle of an
/// element: a member, a function, or std::identity() for a list of rectangles.
template <class T, class Point, class RectOf>
[[nodiscard]] int indexAt(const std::vector<T>& list, const Point& point, RectOf rectOf)
{
    for (std::size_t i = 0; i < list.size(); ++i)
        if (std::invoke(rectOf, list[i]).contains(point))
            return static_cast<int>(i);
    return -1;
}

} // namespace shardscope
