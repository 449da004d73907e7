// SPDX-License-Identifier: GPL-3.0-or-later
#include "number_option.h"

#include <charconv>

namespace shardscope::cli {

CLI::Validator wholeNumber(std::int64_t least, std::int64_t most)
{
    return CLI::Validator(
        [least, most](const std::string& value) -> std::string {
            const std::size_t digits = value.starts_with('-') || value.starts_with('+') ? 1 : 0;
            if (digits == value.size() || value.find_first_not_of("0123456789", digits) != std::string::npos)
                return "'" + value + "' is no whole number";
            std::int64_t number = 0;
            const char* const begin = value.data() + (value.front() == '+' ? 1 : 0);
            const auto [end, error] = std::from_chars(begin, value.data() + value.size(), number);
            if (error == std::errc() && number >= least && number <= most)
                return {};
            return "'" + value + "' is not from " + std::to_string(least) + " to " + std::to_string(most);
        },
        "");
}

} // namespace shardscope::cli
