// SPDX-License-Identifier: GPL-3.0-or-later
// A part of Reader, which is declared in reader.h.
#include <algorithm>
#include <cstring>

#include "base/codes.h"
#include "stablehlo/reader.h"

namespace shardscope::mlir {

namespace {

/// The element type that the text begins with, "f32>" or "complex<f32>>"; its length. 0 for none.
std::size_t elementType(std::string_view text, DType& dtype)
{
    constexpr std::string_view complexBegin = "complex<";
    std::size_t length = 0;
    if (text.starts_with(complexBegin)) {
        length = text.substr(0, 16).find('>');
        if (length == std::string_view::npos)
            return 0;
        ++length;
    } else {
        while (length < text.size() && (isLetter(text[length]) || isDigit(text[length])))
            ++length;
    }
    const std::string_view name = text.substr(0, length);
    if (name == "f32")
        dtype = DType::F32;
    else if (name == "bf16")
        dtype = DType::BF16;
    else if (name == "i32")
        dtype = DType::I32;
    else if (const auto parsed = parseDType(name))
        dtype = *parsed;
    else
        return 0;
    return length;
}

} // namespace

bool Reader::readType(Scanner& s, TensorType& type)
{
    const std::size_t begin = s.position();
    const char c = s.raw();
    if (c == 't') {
        if (s.accept("tensor<") || (s.acceptWord("tensor") && s.accept('<'))) // also "tensor <"
            return readTensorType(s, type, begin);
        s.seek(begin);
        if (s.accept("tuple<")) {
            s.seek(begin);
            return readOtherType(s, type, begin);
        }
    }
    if (c == '!') {
        if (s.accept("!stablehlo.token") || s.accept("!mhlo.token")) {
            type = { DType::Token, {} };
            return true;
        }
        s.step();
        const std::string_view name = s.suffix();
        if (name.empty())
            return s.expectedAt(begin, "a type");
        if (name.find('.') == std::string_view::npos && s.raw() != '<') {
            const std::string_view meaning = m_aliases.find(m_text.substr(begin, name.size() + 1));
            if (meaning.empty())
                return s.problem(
                    Code::UndefinedName, { { "what", "type" }, { "name", "!" + std::string(name) } }, begin);
            const Deeper deeper(m_attributeDepth, maximumAttributeDepth);
            if (!deeper.fits)
                return s.problem(
                    Code::TooLarge, { { "what", "types in types" }, { "limit", maximumAttributeDepth } }, begin);
            Scanner inside = s.within(meaning);
            return readType(inside, type);
        }
        s.seek(begin);
        return readOtherType(s, type, begin);
    }
    if (c == '(' || isLetter(c))
        return readOtherType(s, type, begin);
    return s.expected("a type");
}

bool Reader::readTensorType(Scanner& s, TensorType& type, std::size_t begin)
{
    // Most types have been seen before, letter by letter.
    const std::size_t inside = s.rawPosition();
    constexpr std::size_t longest = 64;
    const std::size_t reach = std::min(longest, s.end() - inside);
    const void* close = std::memchr(m_text.data() + inside, '>', reach);
    const std::string_view declared = close
        ? m_text.substr(inside, static_cast<std::size_t>(static_cast<const char*>(close) - m_text.data()) - inside)
        : std::string_view();
    if (const TensorType* known = declared.empty() ? nullptr : m_parts.type(declared)) {
        type = *known;
        s.seek(inside + declared.size() + 1);
        return true;
    }
    Shape shape;
    type.other = 0;
    s.skipBlanks();
    if (s.raw() == '*') { // unranked
        s.seek(begin);
        return readOtherType(s, type, begin);
    }
    while (true) {
        s.skipBlanks();
        std::int64_t size = 0;
        if (s.raw() == '?')
            return s.problem(Code::DynamicShape, { { "type", s.found(begin) } }, s.rawPosition());
        // Not digits(): "0x4" is a size of 0 and an "x".
        const std::size_t sizeBegin = s.rawPosition();
        if (!isDigit(s.raw()))
            break;
        while (isDigit(s.raw())) {
            const std::int64_t digit = s.raw() - '0';
            size = size > (maximumBytes - digit) / 10 ? maximumBytes : size * 10 + digit;
            s.step();
        }
        s.skipBlanks();
        if (s.raw() != 'x')
            return s.expected("“x” between sizes and the element type");
        s.step();
        constexpr std::size_t maximumRank = 64;
        if (shape.size() >= maximumRank)
            return s.problem(
                Code::TooLarge, { { "what", "dimensions of a tensor" }, { "limit", maximumRank } }, sizeBegin);
        shape.push_back(size);
    }
    const std::size_t element = s.rawPosition();
    const std::size_t length = elementType(m_text.substr(element, s.end() - element), type.dtype);
    s.seek(element + length);
    s.skipBlanks();
    if (length == 0 || s.raw() != '>') { // a type of other elements, or with an encoding
        s.seek(begin);
        return readOtherType(s, type, begin);
    }
    s.step();
    type.shape = m_parts.shape(std::move(shape));
    if (const Result<void> fits = checkSize(type); !fits) {
        Error error = fits.error();
        error.where = placeOf(m_text, begin);
        constexpr std::size_t longestShown = 80;
        for (Arg& arg : error.args) // as it is written: the size may be beyond 64 bits
            if (arg.name == "what" && s.rawPosition() - begin <= longestShown)
                arg.value = std::string(m_text.substr(begin, s.rawPosition() - begin));
        if (!m_firstError.error)
            m_firstError.error = std::move(error);
        return false;
    }
    if (!declared.empty() && s.rawPosition() == inside + declared.size() + 1)
        m_parts.remember(declared, type);
    return true;
}

bool Reader::readOtherType(Scanner& s, TensorType& type, std::size_t begin)
{
    s.seek(begin);
    if (s.accept('(')) { // a function type
        s.seek(begin);
        std::vector<TensorType> from, to;
        const Deeper deeper(m_attributeDepth, maximumAttributeDepth);
        if (!deeper.fits)
            return s.problem(
                Code::TooLarge, { { "what", "types in types" }, { "limit", maximumAttributeDepth } }, begin);
        if (!readFunctionType(s, from, to))
            return false;
    } else {
        if (s.raw() == '!') {
            s.step();
            (void)s.suffix();
        } else if (s.word().empty()) {
            return s.expectedAt(begin, "a type");
        }
        if (s.raw() == '<') {
            s.step();
            while (s.raw() != '>' || s.rawPosition() >= s.end()) {
                if (!s.skipValue(false))
                    return false;
                s.skipBlanks();
                if (s.raw() == ',')
                    s.step();
                else if (s.raw() != '>')
                    return s.expected("“>” at the end of the type");
            }
            s.step();
        }
    }
    std::string kept;
    if (!keptText(s.since(begin), kept))
        return false;
    const auto [found, added] =
        m_otherTypes.emplace(std::move(kept), static_cast<std::uint32_t>(m_program.otherTypes.size()));
    if (added)
        m_program.otherTypes.push_back(found->first);
    type = { DType::Other, {}, found->second };
    return true;
}

bool Reader::readTypes(Scanner& s, std::vector<TensorType>& types)
{
    do {
        types.emplace_back();
        if (!readType(s, types.back()))
            return false;
    } while (s.accept(','));
    return true;
}

bool Reader::readFunctionType(Scanner& s, std::vector<TensorType>& from, std::vector<TensorType>& to)
{
    if (!s.require('('))
        return false;
    if (!s.accept(')') && (!readTypes(s, from) || !s.require(')')))
        return false;
    if (!s.require("->"))
        return false;
    if (!s.accept('(')) {
        to.emplace_back();
        return readType(s, to.back());
    }
    return s.accept(')') || (readTypes(s, to) && s.require(')'));
}

std::string Reader::typeText(const TensorType& type) const
{
    return type.dtype == DType::Other ? m_program.otherTypes[type.other] : toString(type);
}

} // namespace shardscope::mlir
