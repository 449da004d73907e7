// SPDX-License-Identifier: GPL-3.0-or-later
// Declared in text.h.
#include "base/codes.h"
#include "sharding/text.h"
#include "sharding/text_readers.h"

namespace shardscope {

namespace {

bool isAxis(const Literal& literal)
{
    return literal.kind == Literal::Kind::String || literal.kind == Literal::Kind::Name;
}

Result<SpecEntry> toEntry(const Literal& literal)
{
    if (isAxis(literal))
        return SpecEntry::axis(literal.text);
    if (literal.kind == Literal::Kind::None)
        return SpecEntry::none();
    if (literal.kind == Literal::Kind::Unconstrained)
        return SpecEntry::unconstrained();
    if (!literal.isSequence())
        return unexpectedLiteral(literal, "a mesh axis, a tuple of them or None");
    SpecEntry entry = SpecEntry::tuple({});
    for (const Literal& item : literal.items) {
        if (item.isSequence())
            return fail(Code::NestedTuple, {}, item.where());
        if (!isAxis(item))
            return unexpectedLiteral(item, "a mesh axis");
        entry.axes.push_back(item.text);
    }
    return entry;
}

/// An entry of the text: a literal, or the signs of narrow columns: "-" for None and "?" for unconstrained.
Result<Literal> readEntry(Tokens& tokens)
{
    for (const char sign : { '-', '?' }) {
        if (!tokens.at(sign))
            continue;
        const Tokens::Token token = tokens.take();
        Literal literal;
        literal.kind = sign == '-' ? Literal::Kind::None : Literal::Kind::Unconstrained;
        literal.line = token.line;
        literal.column = token.column;
        return literal;
    }
    return tokens.readLiteral();
}

/// Entries separated by commas up to `close`, or up to the end of the text when there is none.
Result<std::vector<Literal>> readEntries(Tokens& tokens, char close)
{
    std::vector<Literal> entries;
    const auto atEnd = [&] { return close ? tokens.at(close) : tokens.peek().kind == Tokens::Kind::End; };
    while (!atEnd()) {
        SHARDSCOPE_TRY(entry, readEntry(tokens));
        entries.push_back(std::move(*entry));
        if (!tokens.accept(',') && !atEnd())
            return tokens.unexpected(close ? std::string("',' or '") + close + "'" : "',' or end of text");
    }
    return entries;
}

Result<PartitionSpec> toSpec(const std::vector<Literal>& entries)
{
    PartitionSpec spec;
    for (const Literal& literal : entries) {
        SHARDSCOPE_TRY(entry, toEntry(literal));
        spec.entries.push_back(std::move(*entry));
    }
    return spec;
}

} // namespace

Result<PartitionSpec> readSpecEntries(Tokens& tokens, char close)
{
    SHARDSCOPE_TRY(entries, readEntries(tokens, close));
    if (close)
        tokens.accept(close);
    return toSpec(*entries);
}

Result<PartitionSpec> parseSpec(std::string_view text)
{
    Tokens tokens(text);
    if (tokens.peek().kind == Tokens::Kind::End)
        return tokens.unexpected("a spec such as P('data', None)");
    if (openCall(tokens, "P") || openCall(tokens, "PartitionSpec")) {
        Result<PartitionSpec> spec = readSpecEntries(tokens, ')');
        if (spec && tokens.peek().kind != Tokens::Kind::End)
            return tokens.unexpected("end of text");
        return spec;
    }
    SHARDSCOPE_TRY(entries, readEntries(tokens, '\0'));
    // One tuple or list is the spec itself.
    return toSpec(entries->size() == 1 && entries->front().isSequence() ? entries->front().items : *entries);
}

} // namespace shardscope
