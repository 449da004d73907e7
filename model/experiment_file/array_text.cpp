// SPDX-License-Identifier: GPL-3.0-or-later
#include "experiment_file/array_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/codes.h"
#include "program/element_bits.h"
#include "stablehlo/element_values.h"

namespace shardscope {

namespace {

struct DTypeRange {
    std::int64_t min = 0;
    std::uint64_t max = 0;
};

/// Of an integer type.
DTypeRange rangeOf(DType dtype)
{
    const int bits = elementBits(dtype);
    if (isUnsignedInteger(dtype))
        return { 0, ~std::uint64_t{ 0 } >> (64 - bits) };
    return { -(std::int64_t{ 1 } << (bits - 2)) * 2, (std::uint64_t{ 1 } << (bits - 1)) - 1 };
}

/// Digits of a decimal number and where the point stands: 0.d1d2d3... times ten to the exponent; no zeros at the ends.
struct Decimal {
    std::string digits;
    std::int64_t exponent = 0;
};

Decimal decimalOf(std::string_view text)
{
    Decimal decimal;
    bool point = false;
    std::size_t i = text.starts_with('-') || text.starts_with('+') ? 1 : 0;
    for (; i < text.size() && text[i] != 'e' && text[i] != 'E'; ++i) {
        if (text[i] == '.') {
            point = true;
            continue;
        }
        if (!point)
            ++decimal.exponent;
        decimal.digits += text[i];
    }
    if (i < text.size()) {
        std::int64_t specified = 0;
        const std::size_t from = i + (text.substr(i + 1).starts_with('+') ? 2 : 1);
        (void)std::from_chars(text.data() + from, text.data() + text.size(), specified);
        decimal.exponent += specified;
    }
    const std::size_t first = std::min(decimal.digits.find_first_not_of('0'), decimal.digits.size());
    decimal.digits.erase(0, first);
    decimal.exponent -= static_cast<std::int64_t>(first);
    while (decimal.digits.ends_with('0'))
        decimal.digits.pop_back();
    return decimal;
}

/// Whether the number in the text is farther from zero than the double (1), nearer (-1) or the same (0).
int compareMagnitude(std::string_view text, double value)
{
    std::array<char, 1100> exact{};
    const auto [end, error] =
        std::to_chars(exact.data(), exact.data() + exact.size(), std::abs(value), std::chars_format::scientific, 770);
    if (error != std::errc())
        return 0;
    const Decimal a = decimalOf(text), b = decimalOf({ exact.data(), static_cast<std::size_t>(end - exact.data()) });
    if (a.digits.empty() || b.digits.empty())
        return a.digits.empty() ? (b.digits.empty() ? 0 : -1) : 1;
    if (a.exponent != b.exponent)
        return a.exponent < b.exponent ? -1 : 1;
    const int order = a.digits.compare(b.digits);
    return order < 0 ? -1 : order > 0 ? 1 : 0;
}

/// Stores the number of the type that is nearest to the one in the text. Rounding to a double first is harmless unless
/// it ends just between two numbers of the type: then the text says on which side it was.
void storeNearest(DType dtype, std::string_view text, double value, std::byte* out)
{
    if (dtype != DType::F64 && std::isfinite(value) && value != 0) {
        std::array<std::byte, 8> below{}, above{};
        constexpr double infinity = std::numeric_limits<double>::infinity();
        storeFloat(dtype, std::nextafter(value, -infinity), below.data());
        storeFloat(dtype, std::nextafter(value, infinity), above.data());
        if (below != above)
            if (const int side = compareMagnitude(text, value); side != 0)
                value = std::nextafter(value, (side > 0) == (value > 0) ? infinity : -infinity);
    }
    storeFloat(dtype, value, out);
}

class ArrayReader {
public:
    ArrayReader(const TensorType& type, const std::string& name)
        : m_type(type)
        , m_name(name)
        , m_size(static_cast<std::size_t>(byteSize(type.dtype)))
    {
    }

    Result<std::vector<std::byte>> read(const JsonNode& node)
    {
        // As many elements as the text has: nothing is taken for what is not there.
        SHARDSCOPE_CHECK(level(node, 0));
        return std::move(m_bytes);
    }

private:
    [[nodiscard]] std::string place() const
    {
        std::string text = m_name;
        for (const std::size_t index : m_index)
            text += '[' + std::to_string(index) + ']';
        return text;
    }
    [[nodiscard]] tl::unexpected<Error> wrong(const JsonNode& node, Code code, std::vector<Arg> args) const
    {
        Where where;
        where.line = node.at.line;
        where.column = node.at.column;
        return fail(code, std::move(args), std::move(where));
    }
    [[nodiscard]] tl::unexpected<Error> wrongType(const JsonNode& node, std::string expected) const
    {
        using Type = JsonNode::Type;
        const std::string found = node.type == Type::Array ? "a list"
            : node.type == Type::Object                    ? "an object"
            : node.type == Type::Null                      ? "null"
            : node.type == Type::Boolean                   ? (node.boolean ? "true" : "false")
            : node.type == Type::String                    ? '"' + node.text.substr(0, 20) + '"'
                                                           : node.text.substr(0, 40);
        return wrong(
            node, Code::WrongType, { { "key", place() }, { "found", found }, { "expected", std::move(expected) } });
    }

    Result<void> level(const JsonNode& node, std::size_t d)
    {
        if (d == m_type.rank())
            return element(node);
        const std::int64_t size = m_type.shape[d];
        const std::string list = "a list of " + std::to_string(size) + (size == 1 ? " entry" : " entries");
        if (node.type != JsonNode::Type::Array)
            return wrongType(node, list);
        if (static_cast<std::int64_t>(node.children.size()) != size)
            return wrong(node, Code::CountMismatch,
                { { "what", "entries" }, { "found", node.children.size() }, { "wanted", size }, { "of", place() } });
        m_index.push_back(0);
        for (const JsonNode& child : node.children) {
            SHARDSCOPE_CHECK(level(child, d + 1));
            ++m_index.back();
        }
        m_index.pop_back();
        return {};
    }

    Result<void> element(const JsonNode& node)
    {
        using Type = JsonNode::Type;
        std::array<std::byte, 16> bytes{};
        const std::string typeName(name(m_type.dtype));
        if (m_type.dtype == DType::Pred) {
            if (node.type != Type::Boolean)
                return wrongType(node, "true or false");
            bytes[0] = std::byte{ node.boolean };
        } else if (isComplex(m_type.dtype)) {
            const DType part = realPart(m_type.dtype);
            if (node.type != Type::Array || node.children.size() != 2)
                return wrongType(node, "a complex number as [real part, imaginary part]");
            SHARDSCOPE_CHECK(floating(node.children[0], part, bytes.data()));
            SHARDSCOPE_CHECK(floating(node.children[1], part, bytes.data() + byteSize(part)));
        } else if (isFloat(m_type.dtype)) {
            SHARDSCOPE_CHECK(floating(node, m_type.dtype, bytes.data()));
        } else if (auto done = integer(node, typeName, bytes.data()); !done) {
            return done;
        }
        m_bytes.insert(m_bytes.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(m_size));
        return {};
    }

    Result<void> integer(const JsonNode& node, const std::string& typeName, std::byte* out)
    {
        if (node.type != JsonNode::Type::Integer)
            return wrongType(node, "a whole number (" + typeName + ")");
        const DTypeRange range = rangeOf(m_type.dtype);
        const char *begin = node.text.data(), *end = begin + node.text.size();
        std::uint64_t bits = 0;
        bool fits = false;
        if (node.text.starts_with('-')) {
            std::int64_t value = 0;
            const auto [stop, error] = std::from_chars(begin, end, value);
            fits = error == std::errc() && stop == end && value >= range.min;
            bits = static_cast<std::uint64_t>(value);
        } else {
            const auto [stop, error] = std::from_chars(begin, end, bits);
            fits = error == std::errc() && stop == end && bits <= range.max;
        }
        if (!fits)
            return wrong(node, Code::OutOfRange,
                { { "key", place() }, { "value", node.text.substr(0, 40) }, { "min", std::to_string(range.min) },
                    { "max", std::to_string(range.max) } });
        std::memcpy(out, &bits, m_size); // lowest bytes first: those that count
        return {};
    }

    Result<void> floating(const JsonNode& node, DType dtype, std::byte* out)
    {
        const std::string typeName(name(dtype));
        const std::string expected = "a number (" + typeName + "), \"nan\", \"inf\" or \"-inf\"";
        double value = 0;
        if (node.type == JsonNode::Type::String) {
            if (node.text == "nan")
                value = std::numeric_limits<double>::quiet_NaN();
            else if (node.text == "inf" || node.text == "-inf")
                value = node.text == "inf" ? std::numeric_limits<double>::infinity()
                                           : -std::numeric_limits<double>::infinity();
            else
                return wrongType(node, expected);
            storeFloat(dtype, value, out);
        } else if (node.type == JsonNode::Type::Integer || node.type == JsonNode::Type::Real) {
            (void)std::from_chars(node.text.data(), node.text.data() + node.text.size(), value); // the parser did so
            storeNearest(dtype, node.text, value, out);
        } else {
            return wrongType(node, expected);
        }
        const double stored = floatAt(dtype, out);
        const bool same = std::isnan(value) ? std::isnan(stored)
            : std::isinf(value)             ? stored == value
                                            : std::isfinite(stored);
        if (!same) // too large, or the type has no infinity, no NaN, no negative numbers
            return wrong(node, Code::OutOfRange,
                { { "key", place() },
                    { "value", node.text.substr(0, 40) + ", which no " + typeName + " is near to" } });
        return {};
    }

    const TensorType& m_type;
    const std::string& m_name;
    std::size_t m_size;
    std::vector<std::byte> m_bytes;
    std::vector<std::size_t> m_index;
};

void appendArray(std::string& text, const TensorType& type, const std::byte*& element, std::size_t d)
{
    if (d == type.rank()) {
        text += elementText(type.dtype, element);
        element += byteSize(type.dtype);
        return;
    }
    text += '[';
    for (std::int64_t i = 0; i < type.shape[d]; ++i) {
        if (i > 0)
            text += ", ";
        appendArray(text, type, element, d + 1);
    }
    text += ']';
}

/// Lines of an array for people.
class Lines {
public:
    Lines(const TensorType& type, const std::byte* elements, std::int64_t full, std::int64_t edge)
        : m_type(type)
        , m_elements(elements)
        , m_edge(type.elementCount() > full || isLonger(type, full) ? edge : std::numeric_limits<std::int64_t>::max())
        , m_strides(type.rank(), 1)
    {
        for (std::size_t d = type.rank(); d-- > 1;)
            m_strides[d - 1] = m_strides[d] * type.shape[d];
        m_width = widest(0, 0);
    }

    std::vector<std::string> take()
    {
        add(0, 0, "", "");
        return std::move(m_lines);
    }

private:
    /// Arrays without elements may have many empty rows.
    static bool isLonger(const TensorType& type, std::int64_t size)
    {
        const Shape& shape = type.shape;
        return std::any_of(shape.begin(), shape.end(), [&](std::int64_t own) { return own > size; });
    }
    [[nodiscard]] std::string at(std::int64_t offset) const
    {
        std::string text = elementText(m_type.dtype, m_elements + offset * byteSize(m_type.dtype));
        std::erase(text, '"');
        return text;
    }
    /// Calls with the index of each entry that is shown, and with -1 for those that are not.
    template <class F>
    void entries(std::size_t d, F f) const
    {
        const std::int64_t size = m_type.shape[d];
        for (std::int64_t i = 0; i < size; ++i) {
            if (size / 2 >= m_edge && size > 2 * m_edge && i == m_edge) {
                f(std::int64_t{ -1 });
                i = size - m_edge;
            }
            f(i);
        }
    }
    [[nodiscard]] std::size_t widest(std::size_t d, std::int64_t offset) const
    {
        if (m_type.elementCount() == 0)
            return 0;
        if (d == m_type.rank())
            return at(offset).size();
        std::size_t width = 0;
        entries(d, [&](std::int64_t i) {
            width = std::max(width, i < 0 ? std::size_t{ 0 } : widest(d + 1, offset + i * m_strides[d]));
        });
        return width;
    }
    /// `open` are the brackets that begin before the first line, `close` those that end after the last.
    void add(std::size_t d, std::int64_t offset, const std::string& open, const std::string& close)
    {
        const std::size_t rank = m_type.rank();
        const std::string begin = std::string(d - std::min(d, open.size()), ' ') + open + '[';
        if (d == rank) {
            m_lines.push_back(at(offset));
        } else if (d + 1 == rank) {
            std::string line = begin;
            bool first = true;
            entries(d, [&](std::int64_t i) {
                const std::string text = i < 0 ? "..." : at(offset + i);
                line += first ? "" : ", ";
                line += (i >= 0 && text.size() < m_width ? std::string(m_width - text.size(), ' ') : "") + text;
                first = false;
            });
            m_lines.push_back(line + ']' + close);
        } else if (m_type.shape[d] == 0) {
            m_lines.push_back(begin + ']' + close);
        } else {
            entries(d, [&](std::int64_t i) {
                if (i < 0) {
                    m_lines.push_back(std::string(d + 1, ' ') + "...");
                    return;
                }
                const bool last = i + 1 == m_type.shape[d];
                add(d + 1, offset + i * m_strides[d], i == 0 ? open + '[' : std::string(), last ? ']' + close : ",");
            });
        }
    }

    const TensorType& m_type;
    const std::byte* m_elements;
    std::int64_t m_edge;
    std::vector<std::int64_t> m_strides;
    std::size_t m_width = 0;
    std::vector<std::string> m_lines;
};

} // namespace

Result<std::vector<std::byte>> readArrayText(const JsonNode& node, const TensorType& type, const std::string& name)
{
    return ArrayReader(type, name).read(node);
}

std::string elementText(DType dtype, const std::byte* element)
{
    if (isComplex(dtype)) {
        const DType part = realPart(dtype);
        return '[' + elementText(part, element) + ", " + elementText(part, element + byteSize(part)) + ']';
    }
    if (isFloat(dtype)) {
        const double value = floatAt(dtype, element);
        if (std::isnan(value))
            return "\"nan\"";
        if (std::isinf(value))
            return value > 0 ? "\"inf\"" : "\"-inf\"";
        std::array<char, 40> text{};
        // In no more digits than tell the numbers of the type (of f32, for smaller ones) apart.
        const auto [end, error] = dtype == DType::F64
            ? std::to_chars(text.data(), text.data() + text.size(), value)
            : std::to_chars(text.data(), text.data() + text.size(), static_cast<float>(value));
        std::string number(text.data(), end);
        if (number.size() > 18 && number.find_first_of(".e") == std::string::npos)
            number += ".0"; // readers of JSON take it for an integer of more than 64 bits otherwise
        return number;
    }
    std::string text;
    mlir::appendElement(text, dtype, element);
    return text;
}

std::string arrayText(const TensorType& type, const std::byte* elements)
{
    std::int64_t rows = 1; // of an array without elements: as many empty lists as there are, within reason
    for (std::size_t d = 0; type.elementCount() == 0 && type.shape[d] != 0; ++d)
        rows = saturatingProduct(rows, type.shape[d]);
    if (rows > 1'000'000)
        return "[]";
    std::string text;
    appendArray(text, type, elements, 0);
    return text;
}

std::vector<std::string> arrayLines(
    const TensorType& type, const std::byte* elements, std::int64_t full, std::int64_t edge)
{
    return Lines(type, elements, full, edge).take();
}

Shape indexOf(std::int64_t element, std::span<const std::int64_t> shape)
{
    Shape index;
    index.resize(shape.size(), 0);
    for (std::size_t d = shape.size(); d-- > 0;) {
        const std::int64_t extent = std::max<std::int64_t>(shape[d], 1);
        index[d] = element % extent;
        element /= extent;
    }
    return index;
}

} // namespace shardscope
