// SPDX-License-Identifier: GPL-3.0-or-later
// Constants: dense<...> as lists, single values or hexadecimal text, and dense_resource<...>, whose bytes stand at the
// end of the text.
// Declared in reader.h.
#include <algorithm>
#include <cstring>

#include "base/codes.h"
#include "base/text.h"
#include "stablehlo/element_values.h"
#include "stablehlo/reader.h"

namespace shardscope::mlir {

namespace {

bool decodeHex(std::string_view digits, std::vector<std::byte>& bytes)
{
    if (digits.size() % 2 != 0)
        return false;
    bytes.resize(digits.size() / 2);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        const int high = hexDigit(digits[2 * i]), low = hexDigit(digits[2 * i + 1]);
        if (high < 0 || low < 0)
            return false;
        bytes[i] = static_cast<std::byte>(high * 16 + low);
    }
    return true;
}

/// One element instead of many equal ones.
void makeSplat(std::vector<std::byte>& bytes, std::size_t size)
{
    if (bytes.size() <= size || std::memcmp(bytes.data(), bytes.data() + size, bytes.size() - size) != 0)
        return;
    bytes.resize(size);
    bytes.shrink_to_fit();
}

/// Truth values are packed, eight to a byte, except where there is a byte for each.
void unpackTruths(std::vector<std::byte>& bytes, std::size_t count)
{
    const bool all = std::all_of(bytes.begin(), bytes.end(), [](std::byte b) { return b == std::byte{ 0xff }; });
    const bool none = std::all_of(bytes.begin(), bytes.end(), [](std::byte b) { return b == std::byte{ 0 }; });
    if (bytes.size() != count && bytes.size() == (count + 7) / 8 && !all && !none) {
        std::vector<std::byte> unpacked(count);
        for (std::size_t i = 0; i < count; ++i)
            unpacked[i] = bytes[i / 8] >> (i % 8) & std::byte{ 1 };
        bytes = std::move(unpacked);
    } else if (bytes.size() != count && bytes.size() == (count + 7) / 8) {
        bytes.assign(1, all ? std::byte{ 1 } : std::byte{ 0 });
    }
    for (std::byte& b : bytes)
        b = b != std::byte{ 0 } ? std::byte{ 1 } : std::byte{ 0 };
}

/// The elements of a list in lists, "[[1, 2], [3, 4]]", as `type` has them.
class ListReader {
public:
    ListReader(Scanner& s, const TensorType& type, std::vector<std::byte>& bytes)
        : m_s(s)
        , m_type(type)
        , m_bytes(bytes)
        , m_counts(type.rank())
    {
    }

    bool read()
    {
        std::size_t depth = 0;
        while (true) {
            if (m_s.accept('[')) {
                if (depth == m_type.rank())
                    return m_s.expectedAt(m_s.rawPosition() - 1, "no more lists than the type has dimensions");
                m_counts[depth++] = 0;
                if (!m_s.at(']'))
                    continue;
            } else {
                if (depth != m_type.rank())
                    return m_s.expected("a list, “[”: the type has " + std::to_string(m_type.rank()) + " dimensions");
                if (!readElement(m_s, m_type.dtype, m_bytes))
                    return false;
                ++m_counts[depth - 1];
            }
            while (!m_s.accept(',')) {
                if (!close(depth))
                    return false;
                if (depth == 0)
                    return true;
            }
        }
    }

private:
    bool close(std::size_t& depth)
    {
        const std::size_t at = m_s.position();
        if (!m_s.accept(']'))
            return m_s.expected("“,” or “]”");
        const std::int64_t wanted = m_type.shape[depth - 1];
        if (m_counts[depth - 1] != wanted)
            return m_s.problem(Code::CountMismatch,
                { { "what", "elements" }, { "found", m_counts[depth - 1] }, { "wanted", wanted },
                    { "of", toString(m_type) } },
                at);
        if (--depth > 0)
            ++m_counts[depth - 1];
        return true;
    }

    Scanner& m_s;
    const TensorType& m_type;
    std::vector<std::byte>& m_bytes;
    std::vector<std::int64_t> m_counts; ///< items so far, per list that is open
};

} // namespace

bool Reader::readElements(Scanner& s, ConstantAttributes& constant, TensorType& type)
{
    const std::size_t begin = s.position();
    if (s.accept("dense_resource"))
        return readResource(s, constant, type);
    if (!s.accept("dense") || !s.require('<'))
        return s.expectedAt(begin, "the elements, “dense<...>”");
    // The type stands after the elements, but says how to read them.
    const std::size_t inside = s.position();
    std::string_view text;
    if (s.raw() == '"') {
        text = s.quoted();
        if (text.empty())
            return s.expected("a string that ends on its line");
    } else {
        const void* close = std::memchr(m_text.data() + inside, '>', s.end() - inside);
        if (!close)
            return s.expectedAt(begin, "elements that end with “>”");
        text =
            m_text.substr(inside, static_cast<std::size_t>(static_cast<const char*>(close) - m_text.data()) - inside);
        s.seek(inside + text.size());
    }
    if (!s.require('>') || !s.require(':') || !readType(s, type))
        return false;
    if (!isTensor(type.dtype))
        return true; // without the elements

    const auto count = static_cast<std::size_t>(type.elementCount());
    const auto size = static_cast<std::size_t>(byteSize(type.dtype));
    const auto mismatch = [&](std::size_t found, const char* what) {
        return s.problem(Code::CountMismatch,
            { { "what", what }, { "found", found },
                { "wanted", std::string_view(what) == "bytes" ? type.byteCount() : type.elementCount() },
                { "of", toString(type) } },
            inside);
    };
    std::vector<std::byte> bytes;
    if (!text.empty() && text[0] == '"') {
        if (text.size() < 4 || text[1] != '0' || text[2] != 'x' || !decodeHex(text.substr(3, text.size() - 4), bytes))
            return s.expectedAt(inside, "hexadecimal digits, “\"0x...\"”");
        if (type.dtype == DType::Pred)
            unpackTruths(bytes, count);
        if (bytes.size() != size && bytes.size() != size * count)
            return mismatch(bytes.size(), "bytes");
        if (count == 0)
            bytes.clear();
    } else {
        Scanner list = s.within(text);
        if (list.atEnd()) {
            if (count != 0)
                return mismatch(0, "elements");
        } else if (list.at('[')) {
            // A character or more per element, and one between: so many there can be at most.
            bytes.reserve(std::min(count, text.size() / 2 + 1) * size);
            if (!ListReader(list, type, bytes).read())
                return false;
        } else if (!readElement(list, type.dtype, bytes)) {
            return false;
        } else if (count == 0) {
            bytes.clear();
        }
        if (!list.atEnd())
            return list.expected("the end of the elements");
    }
    makeSplat(bytes, size);
    constant.bytes = m_parts.elements(std::move(bytes));
    return true;
}

bool Reader::findResources()
{
    m_resourcesFound = true;
    const std::size_t begin = m_text.substr(0, m_end).rfind("{-#");
    if (begin == std::string_view::npos || begin < m_begin)
        return true;
    Scanner s(m_text, begin + 3, m_end, m_firstError);
    // dialect_resources: { builtin: { name: "0x..." } }, external_resources: ...
    do {
        if (s.at("#-}"))
            break;
        if (s.word().empty())
            return s.expected("the name of a section of resources");
        if (!s.require(':') || !s.require('{'))
            return false;
        while (!s.at('}')) {
            if (s.word().empty() || !s.require(':') || !s.require('{'))
                return s.expected("resources of a dialect");
            while (!s.at('}')) {
                std::string_view name = s.at('"') ? s.quoted() : s.word();
                if (name.empty())
                    return s.expected("the name of a resource");
                if (name.front() == '"')
                    name = name.substr(1, name.size() - 2);
                if (!s.require(':'))
                    return false;
                const std::size_t value = s.position();
                if (s.raw() == '"' ? s.quoted().empty() : !s.skipValue(false))
                    return s.expected("the text of a resource");
                m_resources.emplace(name, s.since(value));
                if (!s.accept(','))
                    break;
            }
            if (!s.require('}'))
                return false;
            if (!s.accept(','))
                break;
        }
        if (!s.require('}'))
            return false;
    } while (s.accept(','));
    return s.require("#-}");
}

bool Reader::readResource(Scanner& s, ConstantAttributes& constant, TensorType& type)
{
    const std::size_t begin = s.position();
    if (!s.require('<'))
        return false;
    std::string_view name = s.at('"') ? s.quoted() : s.word();
    if (name.size() > 1 && name.front() == '"')
        name = name.substr(1, name.size() - 2);
    if (name.empty())
        return s.expected("the name of a resource");
    if (!s.require('>') || !s.require(':') || !readType(s, type))
        return false;
    if (!isTensor(type.dtype))
        return true;
    if (!m_resourcesFound && !findResources())
        return false;
    const auto size = static_cast<std::size_t>(byteSize(type.dtype));
    const auto count = static_cast<std::size_t>(type.elementCount());
    std::vector<std::byte> bytes;
    const auto found = m_resources.find(name);
    if (found == m_resources.end()) {
        if (name != "__elided__")
            return s.problem(Code::UndefinedName, { { "what", "resource" }, { "name", std::string(name) } }, begin + 1);
        warn(Code::ConstantElided, { { "type", toString(type) } }, begin);
        bytes.assign(count == 0 ? 0 : size, std::byte{ 0 });
    } else {
        // Four bytes of alignment stand before the elements.
        const std::string_view text = found->second;
        if (text.size() < 12 || text.substr(0, 3) != "\"0x" || !decodeHex(text.substr(3, text.size() - 4), bytes))
            return m_scanner.expectedAt(static_cast<std::size_t>(text.data() - m_text.data()),
                "hexadecimal digits, “\"0x...\"”, of four bytes of alignment and the elements");
        bytes.erase(bytes.begin(), bytes.begin() + 4);
        if (type.dtype == DType::Pred)
            unpackTruths(bytes, count);
        if (bytes.size() != size * count && bytes.size() != size)
            return s.problem(Code::CountMismatch,
                { { "what", "bytes" }, { "found", bytes.size() }, { "wanted", type.byteCount() },
                    { "of", toString(type) } },
                begin);
        if (count == 0)
            bytes.clear();
    }
    makeSplat(bytes, size);
    constant.bytes = m_parts.elements(std::move(bytes));
    return true;
}

} // namespace shardscope::mlir
