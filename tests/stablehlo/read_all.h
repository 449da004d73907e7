// SPDX-License-Identifier: GPL-3.0-or-later
// All programs of a text in which lines "// -----" separate them; the product reads the first one.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "stablehlo/read.h"

namespace shardscope::test {

/// Nothing but white space and comments.
inline bool isBlank(std::string_view part)
{
    while (!part.empty()) {
        const std::size_t end = std::min(part.find('\n'), part.size());
        const std::string_view line = part.substr(0, end);
        const std::size_t first = line.find_first_not_of(" \t\r");
        if (first != std::string_view::npos && !line.substr(first).starts_with("//"))
            return false;
        part.remove_prefix(std::min(end + 1, part.size()));
    }
    return true;
}

/// Each part is read by itself, with the line numbers that it has in all of the text. Parts that are blank are left
/// out. The first error of any part.
inline Result<std::vector<ReadProgram>> readAllStableHlo(std::string_view text)
{
    constexpr std::string_view separator = "// -----";
    std::vector<ReadProgram> programs;
    for (std::size_t begin = 0; begin < text.size();) {
        std::size_t end = text.find(separator, begin + 1);
        while (end != std::string_view::npos && text[end - 1] != '\n')
            end = text.find(separator, end + 1);
        end = std::min(end, text.size());
        const std::string_view part = text.substr(begin, end - begin);
        if (!isBlank(part)) {
            const auto lines = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(begin), '\n');
            SHARDSCOPE_TRY(read, readStableHlo(std::string(static_cast<std::size_t>(lines), '\n') + std::string(part)));
            programs.push_back(std::move(*read));
        }
        begin = end;
    }
    return programs;
}

} // namespace shardscope::test
