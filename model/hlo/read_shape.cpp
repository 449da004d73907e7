// SPDX-License-Identifier: GPL-3.0-or-later
// A part of Reader, which is declared in reader.h.
#include <algorithm>

#include "hlo/element_types.h"
#include "hlo/reader.h"

namespace shardscope::hlo {

bool Reader::readShape(std::uint32_t& index)
{
    Scanner& s = m_scanner;
    s.skipBlanks();
    const std::size_t begin = s.position();
    return skipShape() && parseShape(s.since(begin), index);
}

/// Right at a shape.
bool Reader::skipShape()
{
    Scanner& s = m_scanner;
    if (s.raw() == '(')
        return s.skipBrackets();
    if (s.word().length == 0 || s.raw() != '[')
        return s.expected("a shape");
    if (!s.skipBrackets())
        return false;
    return s.raw() != '{' || s.skipBrackets();
}

bool Reader::parseShape(TextSpan span, std::uint32_t& index)
{
    const auto texts = [&](std::uint32_t i) { return m_module.view(m_module.shapes[i].text); };
    index = m_shapes.find(m_module.view(span), texts);
    if (index != NameTable::none)
        return true;
    HloShape shape;
    shape.text = span;
    Scanner s = m_scanner.within(span);
    if (s.raw() != '(') {
        if (!parseArray(s, shape))
            return false;
    } else {
        shape.isTuple = true;
        s.step();
        while (!s.accept(')')) {
            s.skipBlanks();
            // The part is read by the reader's own scanner, which comes back to where it was.
            const std::size_t before = m_scanner.position();
            m_scanner.seek(s.position());
            std::uint32_t part = 0;
            if (!readShape(part))
                return false;
            s.seek(m_scanner.position());
            m_scanner.seek(before);
            shape.parts.push_back(part);
            if (!s.accept(',') && s.peek() != ')')
                return s.expected("“)”");
        }
    }
    index = static_cast<std::uint32_t>(m_module.shapes.size());
    m_module.shapes.push_back(std::move(shape));
    m_shapes.add(m_module.view(span), index, texts);
    return true;
}

/// "f32[2,<=8]{1,0:T(8,128)}"
bool Reader::parseArray(Scanner& s, HloShape& shape)
{
    const TextSpan type = s.word();
    shape.dtype = elementType(s.view(type)).value_or(DType::Other);
    if (!s.require('['))
        return false;
    if (!s.accept(']')) {
        do {
            shape.isDynamic = s.accept("<=") || shape.isDynamic;
            std::int64_t size = dynamicSize;
            const std::size_t position = s.position();
            if (s.accept('?'))
                shape.isDynamic = true;
            else if (!s.integer(size))
                return false;
            else if (size < 0)
                return s.expectedAt(position, "the size of a dimension");
            shape.sizes.push_back(size);
        } while (s.accept(','));
        if (!s.require(']'))
            return false;
    }
    return s.raw() != '{' || parseLayout(s, shape);
}

/// "{1,0:T(8,128)(2,1)S(1)}"
bool Reader::parseLayout(Scanner& s, HloShape& shape)
{
    s.step();
    while (s.peek() >= '0' && s.peek() <= '9') {
        std::int64_t dimension = 0;
        const std::size_t position = s.position();
        if (!s.integer(dimension))
            return false;
        if (dimension >= static_cast<std::int64_t>(shape.sizes.size())
            || std::find(shape.minorToMajor.begin(), shape.minorToMajor.end(), dimension) != shape.minorToMajor.end())
            return s.expectedAt(position, "a dimension of the shape, each once");
        shape.minorToMajor.push_back(dimension);
        if (!s.accept(','))
            break;
    }
    if (s.accept(':'))
        while (s.peek() != '}') {
            const char mark = s.peek();
            if (mark == '\0')
                return s.expected("“}”");
            if (mark == 'S') {
                s.step();
                if (!s.require('(') || !s.integer(shape.memorySpace) || !s.require(')'))
                    return false;
            } else if (mark == '(') {
                if (!s.skipBrackets())
                    return false;
            } else {
                s.step();
            }
        }
    return s.require('}');
}

} // namespace shardscope::hlo
