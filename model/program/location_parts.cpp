// SPDX-License-Identifier: GPL-3.0-or-later
#include "program/location_parts.h"

#include <charconv>

namespace shardscope {

std::string LocationParts::source() const
{
    return file.empty() ? std::string() : std::string(file) + ':' + std::to_string(line);
}

LocationParts partsOfLocation(std::string_view location)
{
    LocationParts parts;
    const auto quoted = [&location]() -> std::string_view { // without its quotes; those inside are escaped
        std::size_t end = 1;
        while (end < location.size() && location[end] != '"')
            end += location[end] == '\\' ? 2U : 1U;
        if (!location.starts_with('"') || end >= location.size())
            return {};
        const std::string_view text = location.substr(1, end - 1);
        location.remove_prefix(end + 1);
        return text;
    };
    const std::string_view first = quoted();
    if (location.starts_with(':')) {
        parts.file = first;
    } else {
        parts.name = first;
        if (!location.starts_with("(\"")) // of several, or nothing more
            return location.empty() || location.front() == '(' ? parts : LocationParts();
        location.remove_prefix(1);
        parts.file = quoted();
    }
    if (location.starts_with(':'))
        (void)std::from_chars(location.data() + 1, location.data() + location.size(), parts.line);
    if (parts.line == 0)
        parts.file = {};
    return parts;
}

} // namespace shardscope
