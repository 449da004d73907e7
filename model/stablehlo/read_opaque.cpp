// SPDX-License-Identifier: GPL-3.0-or-later
// Pretty forms of operations that are not known: "dialect.name item, item {attributes} : types". Operands, named
// values, symbols and bodies are found wherever they stand; other words become attributes named "text".
// A part of Reader, which is declared in reader.h.
#include "stablehlo/reader.h"

namespace shardscope::mlir {

namespace {

/// What stands at a position begins another statement, if a line end is before it.
bool beginsStatement(Scanner& s, std::size_t before)
{
    const std::size_t position = s.position();
    if (s.text().substr(before, position - before).find('\n') == std::string_view::npos)
        return false;
    const char c = s.raw();
    if (c == '%' || c == '"' || c == '^' || c == '}')
        return true;
    const std::string_view word = s.peekWord();
    return word.find('.') != std::string_view::npos || word == "return" || word == "call";
}

/// After "{": attributes, not the statements of a body.
bool isDictionary(Scanner s)
{
    (void)s.accept('{');
    if (s.at('}'))
        return true;
    if (s.at('"'))
        return !s.quoted().empty() && !s.at('(');
    return !s.word().empty() && (s.at('=') || s.at(',') || s.at('}'));
}

} // namespace

bool Reader::readOpaque(Scanner& s, Pending& op)
{
    std::size_t before = s.rawPosition();
    bool comma = false;
    // Pieces without a name are "value", "value_1" and so on: names of attributes differ.
    std::size_t values = 0, texts = 0, symbols = 0;
    const auto nameOfPart = [&](const char* base, std::size_t& count) -> std::string_view {
        if (count++ == 0)
            return base;
        return m_partNames.emplace_back(std::string(base) + '_' + std::to_string(count - 1));
    };
    std::size_t afterValue = 0; ///< one more than the index of the attribute "value" that was read last
    const auto readBody = [&] {
        const RegionId region = addRegion();
        op.regions.push_back(region);
        m_names.openScope();
        if (!readRegion(s, region))
            return false;
        m_names.closeScope();
        return true;
    };
    while (!s.atEnd() && !s.at(':') && (comma || !beginsStatement(s, before)) && !s.at('}')) {
        comma = false;
        afterValue = 0;
        const std::size_t begin = s.position();
        const char c = s.raw();
        if (c == '%') {
            ValueId value;
            if (!readOperand(s, value))
                return false;
            op.operands.push_back(value);
        } else if (c == ',') {
            s.step();
            comma = true;
        } else if (c == '(' || c == ')') {
            s.step(); // around operands, bodies or named values
        } else if (c == '{') {
            if (!(isDictionary(s) ? readDictionary(s, op.attributes) : readBody()))
                return false;
        } else if (startsName(c)) {
            if (s.peekWord() == "loc")
                break;
            NamedAttribute attribute{ s.word(), {}, begin, false };
            if (s.raw() == '<' || !s.at('=')) {
                s.seek(begin);
                if (!s.skipItem())
                    return false;
                const bool isValue = attribute.name == "dense";
                attribute = { isValue ? nameOfPart("value", values) : nameOfPart("text", texts), s.since(begin), begin,
                    false };
            } else {
                (void)s.accept('=');
                const std::size_t value = s.position();
                if (!s.skipItem())
                    return false;
                attribute.value = s.since(value);
            }
            op.attributes.push_back(attribute);
            afterValue = attribute.name.starts_with("value") ? op.attributes.size() : 0;
        } else {
            if (!s.skipItem())
                return false;
            op.attributes.push_back({ c == '@' ? nameOfPart("symbol", symbols) : nameOfPart("value", values),
                s.since(begin), begin, false });
        }
        before = s.rawPosition();
    }
    if (!s.at(':')) {
        if (!op.results.empty())
            return s.expected("“:” and the types of the results");
        return true;
    }
    if (!readTypesAfter(s, op))
        return false;
    // A constant's type is also the type of the value in it.
    if (afterValue != 0)
        op.attributes[afterValue - 1].value = s.since(op.attributes[afterValue - 1].position);
    return !s.at('{') || !isDictionary(s) || readDictionary(s, op.attributes);
}

} // namespace shardscope::mlir
