// SPDX-License-Identifier: GPL-3.0-or-later
// Upper and lower case of ASCII letters, whatever the locale.
#pragma once

namespace shardscope {

[[nodiscard]] constexpr char lowerCase(char c)
{
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

} // namespace shardscope
