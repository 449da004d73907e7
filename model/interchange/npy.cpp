// SPDX-License-Identifier: GPL-3.0-or-later
#include "interchange/npy.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstring>

#include "base/codes.h"
#include "base/text.h"

namespace shardscope {

namespace {

static_assert(std::endian::native == std::endian::little);

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::size_t maxDimensions = 64; // as many as NumPy has

struct NumpyType {
    std::string_view code; ///< without byte order
    DType dtype;
};
constexpr std::array numpyTypes{ NumpyType{ "b1", DType::Pred }, NumpyType{ "i1", DType::I8 },
    NumpyType{ "i2", DType::I16 }, NumpyType{ "i4", DType::I32 }, NumpyType{ "i8", DType::I64 },
    NumpyType{ "u1", DType::U8 }, NumpyType{ "u2", DType::U16 }, NumpyType{ "u4", DType::U32 },
    NumpyType{ "u8", DType::U64 }, NumpyType{ "f2", DType::F16 }, NumpyType{ "f4", DType::F32 },
    NumpyType{ "f8", DType::F64 }, NumpyType{ "c8", DType::C64 }, NumpyType{ "c16", DType::C128 } };

/// The type of 8 bits that holds integers of fewer.
DType heldAs(DType dtype)
{
    switch (dtype) {
    case DType::I2:
    case DType::I4:
        return DType::I8;
    case DType::U2:
    case DType::U4:
        return DType::U8;
    default:
        return dtype;
    }
}

/// The dictionary of a header, a literal of Python: {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }
class HeaderText {
public:
    HeaderText(std::string_view text, std::size_t offset)
        : m_text(text)
        , m_offset(offset)
    {
    }

    Result<NpyHeader> read()
    {
        if (!take('{'))
            return wrong("“{”");
        bool descr = false, order = false, shape = false;
        while (!take('}')) {
            const std::size_t at = m_at;
            const std::optional<std::string> key = quoted();
            if (!key)
                return wrong("a key in quotes");
            if (!take(':'))
                return wrong("“:”");
            bool* seen = *key == "descr"  ? &descr
                : *key == "fortran_order" ? &order
                : *key == "shape"         ? &shape
                                          : nullptr;
            if (!seen) {
                m_at = at;
                return wrong("descr, fortran_order or shape");
            }
            if (std::exchange(*seen, true))
                return fail(Code::DuplicateKey, { { "key", *key } });
            SHARDSCOPE_TRY(value, seen == &descr ? readDescr() : seen == &order ? readOrder() : readShape());
            if (!take(',') && peek() != '}')
                return wrong("“,” or “}”");
        }
        skip();
        if (m_at < m_text.size())
            return wrong("the end of the header");
        for (const auto& [seen, key] : { std::pair(descr, "descr"), { order, "fortran_order" }, { shape, "shape" } })
            if (!seen)
                return fail(Code::MissingKey, { { "key", key } });
        if (m_header.dataBytes() > maximumBytes)
            return fail(Code::TooLarge,
                { { "what", m_header.text() }, { "bytes", m_header.dataBytes() }, { "limit", maximumBytes } });
        return std::move(m_header);
    }

private:
    void skip()
    {
        while (m_at < m_text.size() && (m_text[m_at] == ' ' || m_text[m_at] == '\n' || m_text[m_at] == '\t'))
            ++m_at;
    }
    char peek()
    {
        skip();
        return m_at < m_text.size() ? m_text[m_at] : '\0';
    }
    bool take(char c)
    {
        if (peek() != c)
            return false;
        ++m_at;
        return true;
    }
    bool takeWord(std::string_view word)
    {
        skip();
        if (!m_text.substr(m_at).starts_with(word))
            return false;
        m_at += word.size();
        return true;
    }
    std::optional<std::string> quoted()
    {
        const char quote = peek();
        if (quote != '\'' && quote != '"')
            return std::nullopt;
        const std::size_t end = m_text.find(quote, m_at + 1);
        if (end == std::string_view::npos)
            return std::nullopt;
        std::string content(m_text.substr(m_at + 1, end - m_at - 1));
        m_at = end + 1;
        return content;
    }
    tl::unexpected<Error> wrong(std::string expected)
    {
        skip();
        std::string found;
        for (std::size_t i = m_at; i < m_text.size() && found.size() < 16; ++i)
            found += m_text[i] >= ' ' && m_text[i] < '\x7f' ? m_text[i] : '?';
        return npySyntax(
            std::move(expected), found.empty() ? std::string("the end of the header") : found, m_offset + m_at);
    }

    tl::unexpected<Error> unknownType(std::string descr) const
    {
        std::vector<std::string> known;
        for (const NumpyType& type : numpyTypes)
            known.emplace_back(type.code);
        known.emplace_back("V1");
        known.emplace_back("V2");
        return fail(
            Code::UnknownValue, { { "key", "descr" }, { "value", std::move(descr) }, { "known", std::move(known) } });
    }

    Result<void> readDescr()
    {
        if (peek() == '[') // a record
            return unknownType("[...]");
        std::optional<std::string> descr = quoted();
        if (!descr)
            return wrong("a type in quotes");
        m_header.descr = *descr;
        std::string_view code = *descr;
        if (!code.empty() && (code[0] == '<' || code[0] == '>' || code[0] == '|' || code[0] == '=')) {
            m_header.bigEndian = code[0] == '>';
            code.remove_prefix(1);
        }
        if (code == "V1" || code == "V2" || code == "bfloat16") {
            m_header.elementBytes = code == "V1" ? 1 : 2;
            return {};
        }
        const auto* found = std::find_if(
            numpyTypes.begin(), numpyTypes.end(), [&](const NumpyType& type) { return type.code == code; });
        if (found == numpyTypes.end())
            return unknownType(std::move(*descr));
        m_header.dtype = found->dtype;
        m_header.elementBytes = byteSize(found->dtype);
        return {};
    }

    Result<void> readOrder()
    {
        m_header.fortranOrder = takeWord("True");
        if (!m_header.fortranOrder && !takeWord("False"))
            return wrong("True or False");
        return {};
    }

    Result<void> readShape()
    {
        if (!take('('))
            return wrong("“(”");
        while (!take(')')) {
            const bool negative = take('-');
            std::int64_t size = 0;
            skip();
            const char* begin = m_text.data() + m_at;
            const auto [end, error] = std::from_chars(begin, m_text.data() + m_text.size(), size);
            if (end == begin)
                return wrong("a size");
            if (error != std::errc() || negative)
                return fail(Code::OutOfRange,
                    { { "key", "shape" }, { "value", (negative ? "-" : "") + std::string(begin, end) }, { "min", 0 },
                        { "max", maximumBytes } });
            m_at = static_cast<std::size_t>(end - m_text.data());
            take('L'); // Python 2 wrote long numbers so
            if (m_header.shape.size() == maxDimensions)
                return fail(Code::TooLarge, { { "what", "dimensions" }, { "limit", maxDimensions } });
            m_header.shape.push_back(size);
            if (!take(',') && peek() != ')')
                return wrong("“,” or “)”");
        }
        return {};
    }

    std::string_view m_text;
    std::size_t m_offset; ///< of the text in the file
    std::size_t m_at = 0;
    NpyHeader m_header;
};

std::int64_t countOf(const Shape& shape)
{
    std::int64_t count = 1;
    bool none = false;
    for (const std::int64_t size : shape) {
        none = none || size == 0;
        count = saturatingProduct(count, size);
    }
    return none ? 0 : count;
}

void swapBytes(std::byte* bytes, std::size_t total, std::size_t size)
{
    for (std::size_t at = 0; at + size <= total; at += size)
        std::reverse(bytes + at, bytes + at + size);
}

/// From the first index running fastest to the last one running fastest.
std::vector<std::byte> toRowMajor(const std::byte* from, const Shape& shape, std::size_t size, std::size_t total)
{
    std::vector<std::byte> out(total);
    std::vector<std::size_t> strides(shape.size()), index(shape.size());
    std::size_t stride = size;
    for (std::size_t d = 0; d < shape.size(); ++d) {
        strides[d] = stride;
        stride *= static_cast<std::size_t>(shape[d]);
    }
    std::size_t source = 0;
    for (std::size_t at = 0; at < total; at += size) {
        std::memcpy(out.data() + at, from + source, size);
        for (std::size_t d = shape.size(); d-- > 0;) {
            source += strides[d];
            if (++index[d] < static_cast<std::size_t>(shape[d]))
                break;
            source -= strides[d] * index[d];
            index[d] = 0;
        }
    }
    return out;
}

} // namespace

tl::unexpected<Error> npySyntax(std::string expected, std::string found, std::uint64_t offset)
{
    Where where;
    where.line = 1; // bytes have no lines: the place is a column of the file's first
    where.column = static_cast<int>(offset) + 1;
    return fail(Code::Syntax, { { "expected", std::move(expected) }, { "found", std::move(found) }, { "kind", "npy" } },
        std::move(where));
}

bool isRawInNumpy(DType dtype)
{
    return isTensor(dtype)
        && std::none_of(numpyTypes.begin(), numpyTypes.end(),
            [held = heldAs(dtype)](const NumpyType& type) { return type.dtype == held; });
}

bool NpyHeader::holds(const TensorType& type) const
{
    if (shape != *type.shape || !isTensor(type.dtype))
        return false;
    return dtype ? *dtype == heldAs(type.dtype) : isRawInNumpy(type.dtype) && byteSize(type.dtype) == elementBytes;
}

std::int64_t NpyHeader::dataBytes() const
{
    return saturatingProduct(countOf(shape), elementBytes);
}

std::string NpyHeader::text() const
{
    if (dtype)
        return toString(TensorType{ *dtype, shape });
    return "raw bytes (V" + std::to_string(elementBytes) + ") of shape " + (shape.empty() ? "()" : join(shape, "x"));
}

Result<NpyHeader> readNpyHeader(std::string_view file)
{
    if (!file.starts_with(magic))
        return npySyntax(
            "an array of NumPy, which begins with \\x93NUMPY", file.empty() ? "an empty file" : "other bytes", 0);
    const auto byte = [&](std::size_t at) { return static_cast<std::size_t>(static_cast<unsigned char>(file[at])); };
    if (file.size() < 10)
        return npySyntax("the length of the header", "the end of the file", file.size());
    const std::size_t version = byte(6);
    if (version < 1 || version > 3)
        return fail(Code::NewerVersion,
            { { "version", std::to_string(version) + '.' + std::to_string(byte(7)) }, { "supported", "3.0" } });
    const std::size_t begin = version == 1 ? 10 : 12;
    if (file.size() < begin)
        return npySyntax("the length of the header", "the end of the file", file.size());
    std::size_t length = 0;
    for (std::size_t i = begin; i-- > 8;)
        length = length << 8 | byte(i);
    if (length > largestNpyHeader)
        return fail(Code::TooLarge, { { "what", "the header" }, { "bytes", length }, { "limit", largestNpyHeader } });
    if (file.size() - begin < length)
        return npySyntax("a header of " + std::to_string(length) + " bytes", "the end of the file", file.size());
    Result<NpyHeader> header = HeaderText(file.substr(begin, length), begin).read();
    if (header)
        header->dataBegin = begin + length;
    return header;
}

Result<std::vector<std::byte>> readNpyElements(std::string_view file, const NpyHeader& header)
{
    const std::int64_t wanted = header.dataBytes();
    const std::size_t there = file.size() - std::min(file.size(), header.dataBegin);
    if (wanted < 0 || static_cast<std::uint64_t>(wanted) != there)
        return fail(Code::CountMismatch,
            { { "what", "bytes of elements" }, { "found", there }, { "wanted", wanted }, { "of", "the file" },
                { "wrong", static_cast<std::int64_t>(there) < wanted ? "truncated" : "rest" } });
    const auto* data = reinterpret_cast<const std::byte*>(file.data()) + header.dataBegin;
    const auto size = static_cast<std::size_t>(header.elementBytes);
    std::vector<std::byte> bytes = header.fortranOrder && header.shape.size() > 1
        ? toRowMajor(data, header.shape, size, there)
        : std::vector<std::byte>(data, data + there);
    if (header.bigEndian) // the parts of a complex number are turned each by itself
        swapBytes(bytes.data(), bytes.size(), header.dtype && isComplex(*header.dtype) ? size / 2 : size);
    if (header.dtype == DType::Pred)
        for (std::byte& byte : bytes)
            byte = std::byte{ byte != std::byte{ 0 } };
    return bytes;
}

std::string writeNpy(const TensorType& type, const std::byte* elements)
{
    std::string descr;
    if (isRawInNumpy(type.dtype)) {
        descr = byteSize(type.dtype) == 1 ? "|V1" : "<V2";
    } else {
        const DType held = heldAs(type.dtype);
        const auto* found =
            std::find_if(numpyTypes.begin(), numpyTypes.end(), [&](const NumpyType& one) { return one.dtype == held; });
        descr = (byteSize(held) == 1 ? "|" : "<") + std::string(found->code);
    }
    std::string sizes;
    for (const std::int64_t size : *type.shape)
        sizes += std::to_string(size) + ", ";
    if (sizes.size() > 2 && type.rank() > 1)
        sizes.resize(sizes.size() - 2);
    else if (!sizes.empty())
        sizes.pop_back(); // "(3,)"
    std::string dictionary = "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (" + sizes + "), }";
    // The elements begin at a multiple of 64 bytes.
    constexpr std::size_t prefix = 10, unit = 64;
    dictionary.append((unit - (prefix + dictionary.size() + 1) % unit) % unit, ' ');
    dictionary += '\n';
    std::string file(magic);
    file += { '\x01', '\x00', static_cast<char>(dictionary.size() & 0xff), static_cast<char>(dictionary.size() >> 8) };
    file += dictionary;
    if (const std::int64_t bytes = type.byteCount(); bytes > 0)
        file.append(reinterpret_cast<const char*>(elements), static_cast<std::size_t>(bytes));
    return file;
}

} // namespace shardscope
