// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <vector>

namespace shardscope {

/// The element with an index of layouts, which are int; it is not negative.
template <class T>
T& ref(std::vector<T>& list, int index)
{
    return list[static_cast<std::size_t>(index)];
}

} // namespace shardscope
