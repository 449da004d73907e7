// SPDX-License-Identifier: GPL-3.0-or-later
#include "interchange/table_builder.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/alike.h"
#include "base/codes.h"

namespace shardscope {

namespace {

struct NumpyName {
    std::string_view name;
    DType dtype;
};

/// As numpy and JAX print them. StableHLO's own names ("bf16", "i32") are read by parseDType().
constexpr std::array<NumpyName, 19> numpyNames{ { { "bool", DType::Pred }, { "bool_", DType::Pred },
    { "pred", DType::Pred }, { "int8", DType::I8 }, { "int16", DType::I16 }, { "int32", DType::I32 },
    { "int64", DType::I64 }, { "uint8", DType::U8 }, { "uint16", DType::U16 }, { "uint32", DType::U32 },
    { "uint64", DType::U64 }, { "bfloat16", DType::BF16 }, { "float16", DType::F16 }, { "float32", DType::F32 },
    { "float64", DType::F64 }, { "u8", DType::U8 }, { "u16", DType::U16 }, { "u32", DType::U32 },
    { "u64", DType::U64 } } };

constexpr std::int64_t maximumSize = std::int64_t{ 1 } << 40;

std::vector<std::string> knownNames()
{
    std::vector<std::string> names;
    for (const NumpyName& known : numpyNames)
        if (known.name.ends_with("8") || known.name.ends_with("16") || known.name.ends_with("32")
            || known.name.ends_with("64") || known.name == "bool")
            if (!known.name.starts_with("u") || known.name.starts_with("uint"))
                names.emplace_back(known.name);
    return names;
}

/// Names that stand on more than one dimension.
std::vector<std::string> repeatedNames(const LogicalNames& names)
{
    std::vector<std::string> repeated;
    for (std::size_t i = 0; i < names.size(); ++i)
        if (names[i].kind == LogicalName::Kind::Name
            && std::find(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(i), names[i])
                != names.begin() + static_cast<std::ptrdiff_t>(i)
            && std::find(repeated.begin(), repeated.end(), names[i].name) == repeated.end())
            repeated.push_back(names[i].name);
    return repeated;
}

} // namespace

std::string_view numpyName(DType dtype)
{
    const auto known = std::find_if(
        numpyNames.begin(), numpyNames.end(), [&](const NumpyName& candidate) { return candidate.dtype == dtype; });
    return known == numpyNames.end() ? name(dtype) : known->name;
}

void TableBuilder::wrongType(const char* key, std::string_view expected, const Literal& found)
{
    report(
        { Code::WrongType, { { "key", key }, { "expected", expected }, { "found", found.shown() } }, found.where() });
}

void TableBuilder::tooMany(const char* what, const Literal& list, std::size_t limit)
{
    report({ Code::TooLarge, { { "what", what }, { "count", list.items.size() }, { "limit", limit } }, list.where() });
}

std::optional<Shape> TableBuilder::shape(const Literal& cell)
{
    if (!cell.isSequence()) {
        wrongType("shape", "a list of sizes", cell);
        return std::nullopt;
    }
    if (cell.items.size() > maximumTableRank) {
        tooMany("dimensions", cell, maximumTableRank);
        return std::nullopt;
    }
    Shape shape;
    for (const Literal& item : cell.items) {
        if (item.kind != Literal::Kind::Number) {
            wrongType("shape", "whole numbers", item);
            return std::nullopt;
        }
        const auto own = size(item.text, item.where());
        if (!own)
            return std::nullopt;
        shape.push_back(*own);
    }
    return shape;
}

std::optional<std::int64_t> TableBuilder::size(std::string_view digits, const Where& where)
{
    std::int64_t value = 0;
    const char* begin = digits.data() + (digits.starts_with('+') ? 1 : 0);
    const char* end = digits.data() + digits.size();
    const auto [stopped, error] = std::from_chars(begin, end, value);
    if (stopped != end || begin == end) {
        report({ Code::Syntax, { { "expected", "a whole number" }, { "found", "'" + std::string(digits) + "'" } },
            where });
        return std::nullopt;
    }
    if (error != std::errc() || value < 1 || value > maximumSize) {
        report({ Code::OutOfRange, { { "key", "shape" }, { "value", digits }, { "min", 1 }, { "max", maximumSize } },
            where });
        return std::nullopt;
    }
    return value;
}

std::optional<DType> TableBuilder::dtype(std::string_view name, const Where& where)
{
    const std::size_t dot = name.rfind('.'); // jnp.float32
    const std::string_view last = name.substr(dot == std::string_view::npos ? 0 : dot + 1);
    const auto known = std::find_if(
        numpyNames.begin(), numpyNames.end(), [&](const NumpyName& candidate) { return candidate.name == last; });
    if (known != numpyNames.end())
        return known->dtype;
    if (const auto read = parseDType(last))
        return read;
    report({ Code::UnknownValue,
        withNearest({ { "key", "dtype" }, { "value", name }, { "known", knownNames() } }, last, knownNames()), where });
    return std::nullopt;
}

void TableBuilder::add(ParameterRow row, const Places& places)
{
    Where inRow = places.row;
    inRow.path = row.path;
    const auto at = [&](const Where& place) {
        Where where = place;
        where.path = row.path;
        return where;
    };
    if (m_table.rows.size() >= maximumTableRows) {
        if (m_table.rows.size() == maximumTableRows)
            report({ Code::TooLarge, { { "what", "rows" }, { "limit", maximumTableRows } }, inRow });
        return;
    }
    if (row.path.empty())
        report({ Code::MissingKey, { { "key", "path" } }, places.row });
    else if (!m_paths.insert(row.path).second)
        report({ Code::DuplicateKey, { { "key", row.path } }, inRow });
    if (row.names.size() > row.type.rank()) {
        report(
            { Code::SpecTooLong, { { "spec_len", row.names.size() }, { "rank", row.type.rank() } }, at(places.names) });
    } else {
        row.names.resize(row.type.rank());
        if (std::vector<std::string> repeated = repeatedNames(row.names); !repeated.empty())
            report({ Code::DuplicateDimension, { { "dims", std::move(repeated) } }, at(places.names) });
    }
    if (const Result<void> fits = checkSize(row.type); !fits) {
        Diagnostic error = fits.error();
        error.where = at(places.shape);
        report(std::move(error));
    }
    m_table.rows.push_back(std::move(row));
}

ReadTable TableBuilder::finish()
{
    if (!m_errors.empty())
        return tl::unexpected(std::move(m_errors));
    m_table.warnings = summedUp(std::move(m_table.warnings));
    countMore(m_table.warnings, Code::UnknownKey, m_unknownKeys);
    return std::move(m_table);
}

std::string quotedJson(std::string_view text)
{
    constexpr std::string_view digits = "0123456789abcdef";
    std::string result = "\"";
    for (const char c : text) {
        const auto code = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\')
            result += std::string("\\") + c;
        else if (code < 0x20 || code == 0x7f)
            result += std::string("\\u00") + digits[code >> 4] + digits[code & 0xf];
        else
            result += c;
    }
    return result + "\"";
}

} // namespace shardscope
