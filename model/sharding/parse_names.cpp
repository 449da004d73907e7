// SPDX-License-Identifier: GPL-3.0-or-later
#include "sharding/parse_names.h"

#include <algorithm>
#include <array>

#include "base/codes.h"

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

Result<LogicalNames> toNames(const std::vector<Literal>& entries, bool plain)
{
    LogicalNames names;
    for (const Literal& entry : entries) {
        if (names.size() == maximumNames)
            return fail(Code::TooLarge,
                { { "what", "dimensions" }, { "count", entries.size() }, { "limit", maximumNames } }, entry.where());
        SHARDSCOPE_TRY(name, toName(entry, plain));
        names.push_back(std::move(*name));
    }
    return names;
}

/// Steps over "AxisNames(" and the like, as Python prints objects that are tuples.
bool openObject(Tokens& tokens)
{
    if (tokens.peek().kind != Tokens::Kind::Name)
        return false;
    constexpr std::array<std::string_view, 3> classes{ "AxisNames", "PartitionSpec", "P" };
    const std::string& name = tokens.peek().text;
    const std::size_t dot = name.rfind('.');
    const std::string_view last = std::string_view(name).substr(dot == std::string::npos ? 0 : dot + 1);
    if (std::find(classes.begin(), classes.end(), last) == classes.end())
        return false;
    Tokens ahead = tokens;
    ahead.take();
    if (!ahead.accept('('))
        return false;
    tokens = ahead;
    return true;
}

Result<Literal> readEntry(Tokens& tokens)
{
    Literal entry;
    entry.line = tokens.peek().line;
    entry.column = tokens.peek().column;
    if (tokens.accept('-'))
        return entry;
    if (!openObject(tokens))
        return tokens.readLiteral();
    bool comma = false;
    SHARDSCOPE_TRY(items, tokens.readItems(')', 1, comma));
    entry.kind = Literal::Kind::Tuple;
    entry.items = std::move(*items);
    return entry;
}

} // namespace

Result<LogicalNames> toLogicalNames(const Literal& sequence)
{
    if (!sequence.isSequence())
        return unexpectedLiteral(sequence, "a tuple or list of dimension names");
    return toNames(sequence.items, false);
}

Result<LogicalNames> parseNames(std::string_view text)
{
    Tokens tokens(text);
    std::vector<Literal> entries;
    while (tokens.peek().kind != Tokens::Kind::End) {
        SHARDSCOPE_TRY(entry, readEntry(tokens));
        entries.push_back(std::move(*entry));
        if (tokens.accept(','))
            continue;
        if (tokens.peek().kind != Tokens::Kind::End)
            return tokens.unexpected("',' or end of text");
        if (entries.size() == 1 && entries.front().isSequence()) // one tuple or list holds the names itself
            return toLogicalNames(entries.front());
    }
    return toNames(entries, true);
}

} // namespace shardscope
