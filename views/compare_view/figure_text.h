// SPDX-License-Identifier: GPL-3.0-or-later
// What stands in the cells of Compare: bytes, and a dash where something has no figure.
#pragma once

#include <optional>
#include <type_traits>

#include "words/words.h"

namespace shardscope {

inline constexpr QChar noFigure(0x2013);

template <typename Number>
QString bytesOrDash(const std::optional<Number>& bytes)
{
    if (!bytes)
        return QString(noFigure);
    if constexpr (std::is_integral_v<Number>)
        return words::bytes(static_cast<double>(*bytes));
    else
        return words::bytes(*bytes);
}

} // namespace shardscope
