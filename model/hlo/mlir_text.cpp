// SPDX-License-Identifier: GPL-3.0-or-later
#include "hlo/mlir_text.h"

#include <algorithm>

#include "base/text.h"

namespace shardscope::hlo {

std::string quotedText(std::string_view text)
{
    static constexpr std::string_view digits = "0123456789ABCDEF";
    std::string out = "\"";
    for (const char c : text) {
        const auto code = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\' || code < 0x20 || code == 0x7f) {
            out += '\\';
            out += digits[code >> 4U];
            out += digits[code & 15U];
        } else {
            out += c;
        }
    }
    return out + '"';
}

std::string arrayText(std::string_view name, const std::vector<std::int64_t>& values)
{
    return std::string(name) + " = array<i64" + (values.empty() ? "" : ": ") + join(values, ", ") + '>';
}

std::string bracketText(std::string_view name, const std::vector<std::int64_t>& values)
{
    return std::string(name) + " = [" + join(values, ", ") + ']';
}

std::vector<std::vector<std::int64_t>> numberRows(std::string_view text)
{
    std::vector<std::vector<std::int64_t>> rows;
    while (!text.empty()) {
        const std::string_view row = text.substr(0, text.find('x'));
        std::vector<std::int64_t>& values = rows.emplace_back();
        std::string_view rest = row;
        while (!rest.empty()) {
            const std::string_view number = rest.substr(0, rest.find('_'));
            values.push_back(wholeNumber<std::int64_t>(number).value_or(0));
            rest.remove_prefix(std::min(number.size() + 1, rest.size()));
        }
        text.remove_prefix(std::min(row.size() + 1, text.size()));
    }
    return rows;
}

} // namespace shardscope::hlo
