// SPDX-License-Identifier: GPL-3.0-or-later
#include "experiment_file/quantity_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "base/text.h"

namespace shardscope {

namespace {

struct ByteUnit {
    std::string_view name;
    std::int64_t bytes;
};
constexpr std::array<ByteUnit, 9> units{ { { "TiB", std::int64_t{ 1 } << 40 }, { "GiB", std::int64_t{ 1 } << 30 },
    { "MiB", std::int64_t{ 1 } << 20 }, { "KiB", std::int64_t{ 1 } << 10 }, { "TB", 1'000'000'000'000 },
    { "GB", 1'000'000'000 }, { "MB", 1'000'000 }, { "kB", 1'000 }, { "B", 1 } } };
constexpr std::int64_t maximumQuantity = std::int64_t{ 1 } << 62;

/// Splits "16 GiB" into number and unit; one space or none stands between them.
struct Parts {
    std::string_view number;
    std::int64_t unit = 0; ///< bytes, 0 = unknown
};
Parts split(std::string_view text)
{
    std::size_t length = 0;
    while (length < text.size() && std::string_view("0123456789.eE+-").find(text[length]) != std::string_view::npos)
        ++length;
    Parts parts{ text.substr(0, length), 0 };
    std::string_view unit = text.substr(length);
    if (unit.starts_with(' '))
        unit.remove_prefix(1);
    for (const ByteUnit& known : units)
        if (known.name == unit)
            parts.unit = known.bytes;
    return parts;
}

std::string shortest(double value)
{
    std::array<char, 32> buffer{};
    char* end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
    // to_chars writes exponents with a sign and two digits: 1e-08, 1e+20. Shorter is 1e-8, 1e20.
    if (char* exponent = std::find(buffer.data(), end, 'e'); exponent != end) {
        char* digits = exponent + (exponent[1] == '-' ? 2 : 1);
        char* first = std::find_if(digits, end - 1, [](char c) { return c != '+' && c != '0'; });
        end = std::copy(first, end, digits);
    }
    return { buffer.data(), end };
}

} // namespace

std::optional<std::int64_t> parseBytes(std::string_view text)
{
    const Parts parts = split(text);
    if (parts.unit == 0)
        return std::nullopt;
    if (const auto count = wholeNumber<std::int64_t>(parts.number)) {
        if (*count < 1 || *count > maximumQuantity / parts.unit)
            return std::nullopt;
        return *count * parts.unit;
    }
    const auto real = wholeNumber<double>(parts.number);
    if (!real || !std::isfinite(*real))
        return std::nullopt;
    const double bytes = *real * static_cast<double>(parts.unit);
    if (!(bytes >= 1) || bytes > static_cast<double>(maximumQuantity) || bytes != std::floor(bytes))
        return std::nullopt;
    return static_cast<std::int64_t>(bytes);
}

std::string printBytes(std::int64_t bytes)
{
    // The shortest of the exact forms, so that 16 GiB and 80 GB both come out as people write them.
    std::string best = std::to_string(bytes) + " B";
    for (const ByteUnit& unit : units) {
        if (bytes % unit.bytes != 0)
            continue;
        std::string text = std::to_string(bytes / unit.bytes) + ' ' + std::string(unit.name);
        if (text.size() < best.size())
            best = std::move(text);
    }
    return best;
}

std::optional<double> parseBandwidth(std::string_view text)
{
    if (!text.ends_with("/s"))
        return std::nullopt;
    text.remove_suffix(2);
    const Parts parts = split(text);
    const auto real = wholeNumber<double>(parts.number);
    if (parts.unit == 0 || !real)
        return std::nullopt;
    const double value = *real * static_cast<double>(parts.unit);
    if (!(value > 0) || !std::isfinite(value))
        return std::nullopt;
    return value;
}

std::string printBandwidth(double bytesPerSecond)
{
    for (const std::string_view name : { "TB", "GB", "MB", "kB" }) {
        for (const ByteUnit& unit : units) {
            if (unit.name != name || bytesPerSecond < static_cast<double>(unit.bytes))
                continue;
            std::string text =
                shortest(bytesPerSecond / static_cast<double>(unit.bytes)) + ' ' + std::string(name) + "/s";
            if (parseBandwidth(text) == bytesPerSecond) // division and product may differ in the last bit
                return text;
        }
    }
    return shortest(bytesPerSecond) + " B/s";
}

std::string printReal(double value)
{
    std::string text = shortest(value);
    if (text.find_first_of(".e") == std::string::npos)
        text += ".0";
    return text;
}

} // namespace shardscope
