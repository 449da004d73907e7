// SPDX-License-Identifier: GPL-3.0-or-later
#include "sharding/parse_names.h"

#include "sharding/literal.h"

namespace shardscope {

namespace {

/// Within brackets the text is a Python or JSON literal, where a name stands in quotes; a plain list needs none.
Result<LogicalName> toName(const Literal& literal, bool plain)
{
    if (literal.kind == Literal::Kind::None)
        return LogicalName::none();
    if (literal.kind == Literal::Kind::Unconstrained)
        return LogicalName::unconstrained();
    if (literal.kind == Literal::Kind::String || (plain && literal.kind == Literal::Kind::Name))
        return LogicalName::of(literal.text);
    return unexpectedLiteral(literal, plain ? "a dimension name or None" : "a dimension name in quotes or None");
}

Result<Literal> readEntry(Tokens& tokens)
{
    Literal none;
    none.line = tokens.peek().line;
    none.column = tokens.peek().column;
    if (tokens.accept('-'))
        return none;
    return tokens.readLiteral();
}

} // namespace

Result<LogicalNames> parseNames(std::string_view text)
{
    Tokens tokens(text);
    std::vector<Literal> entries;
    while (tokens.peek().kind != Tokens::Kind::End) {
        Result<Literal> entry = readEntry(tokens);
        if (!entry)
            return tl::unexpected(std::move(entry.error()));
        entries.push_back(std::move(*entry));
        if (tokens.accept(','))
            continue;
        if (tokens.peek().kind != Tokens::Kind::End)
            return tokens.unexpected("',' or end of text");
        if (entries.size() == 1 && entries.front().isSequence()) { // one tuple or list holds the names itself
            LogicalNames names;
            for (const Literal& item : entries.front().items) {
                Result<LogicalName> name = toName(item, false);
                if (!name)
                    return tl::unexpected(std::move(name.error()));
                names.push_back(std::move(*name));
            }
            return names;
        }
    }
    LogicalNames names;
    for (const Literal& entry : entries) {
        Result<LogicalName> name = toName(entry, true);
        if (!name)
            return tl::unexpected(std::move(name.error()));
        names.push_back(std::move(*name));
    }
    return names;
}

} // namespace shardscope
