// SPDX-License-Identifier: GPL-3.0-or-later
#include "sharding/literal.h"

#include <string_view>

#include "base/codes.h"

namespace shardscope {

namespace {

Literal literalAt(const Tokens::Token& token, Literal::Kind kind)
{
    Literal literal;
    literal.kind = kind;
    literal.line = token.line;
    literal.column = token.column;
    return literal;
}

Literal::Kind kindOfName(std::string_view name)
{
    const std::size_t dot = name.rfind('.');
    const std::string_view last = dot == std::string_view::npos ? name : name.substr(dot + 1);
    if (name == "None" || name == "null")
        return Literal::Kind::None;
    return last == "UNCONSTRAINED" ? Literal::Kind::Unconstrained : Literal::Kind::Name;
}

/// Where a text ends lines after a bracket that nothing closes, the innermost one is named with its place.
Error openedBefore(Error error, const Tokens::Token& bracket, const Tokens::Token& found)
{
    constexpr std::string_view sign = " for the bracket “";
    if (error.code != Code::Syntax || found.kind != Tokens::Kind::End || found.line == bracket.line)
        return error;
    for (Arg& arg : error.args)
        if (auto* expected = std::get_if<std::string>(&arg.value);
            arg.name == "expected" && expected && expected->find(sign) == std::string::npos)
            *expected += std::string(sign) + bracket.text + "” of line " + std::to_string(bracket.line) + ", column "
                + std::to_string(bracket.column);
    return error;
}

} // namespace

Result<Literal> Tokens::readLiteral(int depth)
{
    Literal literal = literalAt(m_token, Literal::Kind::None);
    if (m_literals == 0)
        return fail(Code::TooLarge, { { "what", "values" }, { "limit", m_limit } }, literal.where());
    --m_literals;
    switch (m_token.kind) {
    case Kind::String:
        literal.kind = Literal::Kind::String;
        literal.text = take().text;
        return literal;
    case Kind::Number:
        literal.kind = Literal::Kind::Number;
        literal.text = take().text;
        return literal;
    case Kind::Name:
        literal.kind = kindOfName(m_token.text);
        literal.text = take().text;
        return literal;
    case Kind::End:
    case Kind::Bad:
        return unexpected("a value");
    case Kind::Punctuation:
        break;
    }
    const char open = m_token.text.front();
    if (open != '(' && open != '[' && open != '{')
        return unexpected("a value");
    if (depth >= maximumNesting)
        return fail(Code::TooLarge, { { "what", "nesting" }, { "limit", maximumNesting } }, literal.where());
    advance();
    const Token bracket{ Kind::Punctuation, std::string(1, open), literal.line, literal.column, {} };
    if (open == '{') {
        Result<Literal> mapping = readMapping(depth + 1, std::move(literal));
        if (!mapping)
            return tl::unexpected(openedBefore(std::move(mapping.error()), bracket, m_token));
        return mapping;
    }
    bool comma = false;
    Result<std::vector<Literal>> items = readItems(open == '(' ? ')' : ']', depth + 1, comma);
    if (!items)
        return tl::unexpected(openedBefore(std::move(items.error()), bracket, m_token));
    if (open == '(' && items->size() == 1 && !comma)
        return std::move(items->front());
    literal.kind = open == '(' ? Literal::Kind::Tuple : Literal::Kind::List;
    literal.items = std::move(*items);
    return literal;
}

Result<std::vector<Literal>> Tokens::readItems(char close, int depth, bool& comma)
{
    std::vector<Literal> items;
    comma = false;
    while (!accept(close)) {
        SHARDSCOPE_TRY(item, readLiteral(depth));
        items.push_back(std::move(*item));
        if (accept(','))
            comma = true;
        else if (!at(close))
            return unexpected(std::string("',' or '") + close + "'");
    }
    return items;
}

Result<Literal> Tokens::readMapping(int depth, Literal mapping)
{
    mapping.kind = Literal::Kind::Mapping;
    while (!accept('}')) {
        for (const bool key : { true, false }) {
            SHARDSCOPE_TRY(part, readLiteral(depth));
            mapping.items.push_back(std::move(*part));
            if (key && !accept(':'))
                return unexpected("':'");
        }
        if (!accept(',') && !at('}'))
            return unexpected("',' or '}'");
    }
    return mapping;
}

} // namespace shardscope
