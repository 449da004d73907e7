// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string_view>

namespace shardscope {

/// The text without blanks, tabs and line ends around it; a view into the same characters.
[[nodiscard]] constexpr std::string_view trimmed(std::string_view text)
{
    constexpr std::string_view blanks = " \t\r\n";
    const std::size_t begin = text.find_first_not_of(blanks);
    return begin == std::string_view::npos ? text.substr(text.size())
                                           : text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

} // namespace shardscope
