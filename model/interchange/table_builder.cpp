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

/// As NumPy, ml_dtypes and JAX print them. StableHLO's own names ("bf16", "i32") are read by parseDType().
constexpr std::array numpyNames{ NumpyName{ "bool", DType::Pred }, NumpyName{ "int2", DType::I2 },
    NumpyName{ "int4", DType::I4 }, NumpyName{ "int8", DType::I8 }, NumpyName{ "int16", DType::I16 },
    NumpyName{ "int32", DType::I32 }, NumpyName{ "int64", DType::I64 }, NumpyName{ "uint2", DType::U2 },
    NumpyName{ "uint4", DType::U4 }, NumpyName{ "uint8", DType::U8 }, NumpyName{ "uint16", DType::U16 },
    NumpyName{ "uint32", DType::U32 }, NumpyName{ "uint64", DType::U64 }, NumpyName{ "bfloat16", DType::BF16 },
    NumpyName{ "float16", DType::F16 }, NumpyName{ "float32", DType::F32 }, NumpyName{ "float64", DType::F64 },
    NumpyName{ "float4_e2m1fn", DType::F4E2M1FN }, NumpyName{ "float6_e2m3fn", DType::F6E2M3FN },
    NumpyName{ "float6_e3m2fn", DType::F6E3M2FN }, NumpyName{ "float8_e3m4", DType::F8E3M4 },
    NumpyName{ "float8_e4m3", DType::F8E4M3 }, NumpyName{ "float8_e4m3fn", DType::F8E4M3FN },
    NumpyName{ "float8_e4m3fnuz", DType::F8E4M3FNUZ }, NumpyName{ "float8_e4m3b11fnuz", DType::F8E4M3B11FNUZ },
    NumpyName{ "float8_e5m2", DType::F8E5M2 }, NumpyName{ "float8_e5m2fnuz", DType::F8E5M2FNUZ },
    NumpyName{ "float8_e8m0fnu", DType::F8E8M0FNU }, NumpyName{ "complex64", DType::C64 },
    NumpyName{ "complex128", DType::C128 } };
/// Read as well, and never written.
constexpr std::array otherNames{ NumpyName{ "bool_", DType::Pred }, NumpyName{ "pred", DType::Pred },
    NumpyName{ "u8", DType::U8 }, NumpyName{ "u16", DType::U16 }, NumpyName{ "u32", DType::U32 },
    NumpyName{ "u64", DType::U64 } };

constexpr std::int64_t maximumSize = std::int64_t{ 1 } << 40;

std::vector<std::string> knownNames()
{
    std::vector<std::string> names;
    for (const NumpyName& known : numpyNames)
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
    const auto isMeant = [&](const NumpyName& candidate) { return candidate.name == last; };
    if (const auto known = std::find_if(numpyNames.begin(), numpyNames.end(), isMeant); known != numpyNames.end())
        return known->dtype;
    if (const auto other = std::find_if(otherNames.begin(), otherNames.end(), isMeant); other != otherNames.end())
        return other->dtype;
    if (const auto read = parseDType(last))
        return read;
    report({ Code::UnknownValue,
        withNearest({ { "key", "dtype" }, { "value", name }, { "known", knownNames() } }, last, knownNames()), where });
    return std::nullopt;
}

void TableBuilder::add(Row row, const Places& places)
{
    Where inRow = places.path;
    inRow.path = row.path;
    const auto at = [&](const Where& place) {
        Where where = place;
        where.path = row.path;
        return where;
    };
    if (m_rows >= maximumTableRows) {
        if (m_rows++ == maximumTableRows)
            report({ Code::TooLarge, { { "what", "rows" }, { "limit", maximumTableRows } }, inRow });
        return;
    }
    ++m_rows;
    if (row.path.empty())
        report({ Code::MissingKey, { { "key", "path" } }, places.path });
    else if (!m_paths.insert(row.path).second)
        report({ Code::DuplicateKey, { { "key", row.path } }, inRow });
    if (row.names && row.shape && row.names->size() > row.shape->size())
        report({ Code::SpecTooLong, { { "spec_len", row.names->size() }, { "rank", row.shape->size() } },
            at(places.names) });
    else if (row.names)
        if (std::vector<std::string> repeated = repeatedNames(*row.names); !repeated.empty())
            report({ Code::DuplicateDimension, { { "dims", std::move(repeated) } }, at(places.names) });
    if (!row.shape || !row.dtype || !row.names)
        return; // said where it was read
    ParameterRow right;
    right.path = std::move(row.path);
    right.line = places.begin.line;
    right.column = places.begin.column;
    right.type = { *row.dtype, *row.shape };
    right.names = std::move(*row.names);
    right.names.resize(right.type.rank());
    if (const Result<void> fits = checkSize(right.type); !fits) {
        Diagnostic error = fits.error();
        error.where = places.shape;
        error.where.path = right.path;
        report(std::move(error));
    }
    m_table.rows.push_back(std::move(right));
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
