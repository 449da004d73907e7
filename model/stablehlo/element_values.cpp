// SPDX-License-Identifier: GPL-3.0-or-later
#include "stablehlo/element_values.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/codes.h"
#include "program/element_bits.h"

namespace shardscope::mlir {

namespace {

template <class T>
void append(std::vector<std::byte>& bytes, T value)
{
    const auto at = bytes.size();
    bytes.resize(at + sizeof value);
    std::memcpy(bytes.data() + at, &value, sizeof value);
}

void appendBits(std::vector<std::byte>& bytes, std::uint64_t value, std::int64_t size)
{
    switch (size) {
    case 1:
        return append(bytes, static_cast<std::uint8_t>(value));
    case 2:
        return append(bytes, static_cast<std::uint16_t>(value));
    case 4:
        return append(bytes, static_cast<std::uint32_t>(value));
    default:
        return append(bytes, value);
    }
}

/// The digits of a whole number without sign; `tooLarge` where 64 bits do not hold it.
bool takeMagnitude(Scanner& s, std::uint64_t& value, bool& hex, bool& tooLarge)
{
    const std::size_t begin = s.rawPosition();
    std::size_t end = begin;
    const std::string_view text = s.text();
    hex = s.raw() == '0' && (s.rawAt(1) == 'x' || s.rawAt(1) == 'X');
    if (hex)
        end += 2;
    const auto [stop, error] = std::from_chars(text.data() + end, text.data() + s.end(), value, hex ? 16 : 10);
    if (error == std::errc::invalid_argument)
        return false;
    tooLarge = error == std::errc::result_out_of_range;
    s.seek(static_cast<std::size_t>(stop - text.data()));
    return true;
}

bool readIntegerElement(Scanner& s, DType dtype, std::vector<std::byte>& bytes)
{
    const int bits = elementBits(dtype);
    const std::size_t begin = s.position();
    std::uint64_t magnitude = 0;
    bool hex = false, tooLarge = false;
    const bool negative = s.raw() == '-';
    if (negative) {
        s.step();
    } else if (s.raw() == 't' || s.raw() == 'f') {
        const std::string_view word = s.word();
        if (word != "true" && word != "false")
            return s.expectedAt(begin, "a whole number");
        appendBits(bytes, word == "true" ? 1 : 0, byteSize(dtype));
        return true;
    }
    if (!takeMagnitude(s, magnitude, hex, tooLarge) || s.raw() == '.')
        return s.expectedAt(begin, "a whole number");
    const std::uint64_t half = std::uint64_t{ 1 } << (bits - 1);
    const std::uint64_t largest = half - 1 + half; // also of signed types: their bits without a sign
    if (tooLarge || (negative ? magnitude > half || (isUnsignedInteger(dtype) && magnitude > 0) : magnitude > largest))
        return s.problem(Code::OutOfRange,
            { { "key", std::string(name(dtype)) },
                { "value", std::string(s.text().substr(begin, std::min<std::size_t>(s.rawPosition() - begin, 40))) },
                { "min", isUnsignedInteger(dtype) || dtype == DType::Pred ? "0" : "-" + std::to_string(half) },
                { "max", std::to_string(isUnsignedInteger(dtype) || dtype == DType::Pred ? largest : half - 1) } },
            begin);
    std::uint64_t value = negative ? 0 - magnitude : magnitude;
    if (dtype == DType::Pred)
        value = value != 0;
    else if (isUnsignedInteger(dtype) && bits < 8)
        value &= largest;
    else if (bits < 8 && (value & half) != 0)
        value |= ~largest; // spread the sign over the byte
    appendBits(bytes, value, byteSize(dtype));
    return true;
}

bool readFloatElement(Scanner& s, DType dtype, std::vector<std::byte>& bytes)
{
    const std::size_t begin = s.position();
    const auto size = static_cast<std::size_t>(byteSize(dtype));
    if (s.raw() == '0' && s.rawAt(1) == 'x') { // bits
        std::uint64_t bits = 0;
        bool hex = false, tooLarge = false;
        if (!takeMagnitude(s, bits, hex, tooLarge))
            return s.expectedAt(begin, "a number");
        if (tooLarge || (size < 8 && bits >> (8 * size) != 0))
            return s.problem(Code::OutOfRange,
                { { "key", std::string(name(dtype)) },
                    { "value",
                        std::string(s.text().substr(begin, std::min<std::size_t>(s.rawPosition() - begin, 40))) },
                    { "min", "0x0" }, { "max", "0x" + std::string(2 * size, 'F') } },
                begin);
        appendBits(bytes, bits, byteSize(dtype));
        return true;
    }
    const std::string_view text = s.text();
    const char* first = text.data() + begin;
    if (dtype == DType::F32) {
        float value = 0;
        const auto [stop, error] = std::from_chars(first, text.data() + s.end(), value);
        if (error == std::errc()) {
            s.seek(static_cast<std::size_t>(stop - text.data()));
            if (!std::isfinite(value))
                return s.expectedAt(begin, "a number");
            append(bytes, value);
            return true;
        }
    }
    double value = 0;
    if (!readNumber(s, DType::F64, value))
        return s.expectedAt(begin, "a number");
    const std::size_t at = bytes.size();
    bytes.resize(at + size);
    storeFloat(dtype, value, bytes.data() + at);
    return true;
}

template <class T>
void appendFloat(std::string& text, T value)
{
    std::array<char, 40> buffer{};
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::scientific);
    std::string_view number(buffer.data(), static_cast<std::size_t>(end.ptr - buffer.data()));
    const std::size_t exponent = number.find('e');
    text += number.substr(0, exponent);
    if (number.substr(0, exponent).find('.') == std::string_view::npos)
        text += ".0"; // a number without a point is a whole one
    text += number.substr(exponent);
}

void appendHex(std::string& text, DType dtype, const std::byte* bytes)
{
    constexpr std::string_view digits = "0123456789ABCDEF";
    text += "0x";
    for (auto i = static_cast<std::size_t>(byteSize(dtype)); i-- > 0;) {
        const auto byte = static_cast<unsigned>(bytes[i]);
        text += digits[byte >> 4];
        text += digits[byte & 15U];
    }
}

} // namespace

bool readNumber(Scanner& s, DType dtype, double& value)
{
    const std::size_t begin = s.position();
    if (s.raw() == '0' && s.rawAt(1) == 'x') {
        std::vector<std::byte> bytes;
        if (!readFloatElement(s, dtype, bytes))
            return false;
        value = floatAt(dtype, bytes.data());
        return true;
    }
    if (s.raw() != '-' && !isDigit(s.raw()))
        return false;
    const char* first = s.text().data() + begin;
    const auto [stop, error] = std::from_chars(first, s.text().data() + s.end(), value);
    if (error == std::errc::invalid_argument)
        return false;
    if (error == std::errc::result_out_of_range) { // far too large, or as good as zero
        const std::string_view number(first, static_cast<std::size_t>(stop - first));
        const std::size_t exponent = number.find_first_of("eE");
        const bool small =
            exponent != std::string_view::npos && number.substr(exponent).find('-') != std::string_view::npos;
        value = (first[0] == '-' ? -1.0 : 1.0) * (small ? 0.0 : std::numeric_limits<double>::infinity());
    }
    s.seek(static_cast<std::size_t>(stop - s.text().data()));
    return true;
}

bool readElement(Scanner& s, DType dtype, std::vector<std::byte>& bytes)
{
    if (isComplex(dtype)) {
        const DType part = realPart(dtype);
        return s.require('(') && readFloatElement(s, part, bytes) && s.require(',') && readFloatElement(s, part, bytes)
            && s.require(')');
    }
    return isFloat(dtype) ? readFloatElement(s, dtype, bytes) : readIntegerElement(s, dtype, bytes);
}

void appendElement(std::string& text, DType dtype, const std::byte* bytes)
{
    if (isComplex(dtype)) {
        const DType part = realPart(dtype);
        text += '(';
        appendElement(text, part, bytes);
        text += ", ";
        appendElement(text, part, bytes + byteSize(part));
        text += ')';
    } else if (dtype == DType::Pred) {
        text += bytes[0] != std::byte{ 0 } ? "true" : "false";
    } else if (!isFloat(dtype)) {
        text += dtype == DType::U64 ? std::to_string(static_cast<std::uint64_t>(integerAt(dtype, bytes)))
                                    : std::to_string(integerAt(dtype, bytes));
    } else {
        const double value = floatAt(dtype, bytes);
        if (!std::isfinite(value))
            appendHex(text, dtype, bytes);
        else if (dtype == DType::F64)
            appendFloat(text, value);
        else
            appendFloat(text, static_cast<float>(value));
    }
}

} // namespace shardscope::mlir
