// SPDX-License-Identifier: GPL-3.0-or-later
// Declared in hlo_sharding.h.
#include "base/codes.h"
#include "sharding/text_readers.h"

namespace shardscope {

namespace {

using Kind = HloSharding::Kind;
using Subgroup = HloSharding::Subgroup;

/// Numbers separated by commas. Text like "0,1,2" has no bound by itself, devices have.
Result<std::vector<std::int64_t>> readNumbers(Tokens& tokens, std::size_t limit)
{
    std::vector<std::int64_t> numbers;
    do {
        if (numbers.size() >= limit)
            return fail(Code::TooLarge, { { "what", "numbers" }, { "limit", limit } }, tokens.where());
        SHARDSCOPE_TRY(number, tokens.takeWholeNumber());
        numbers.push_back(*number);
    } while (tokens.accept(','));
    return numbers;
}

Result<Shape> readSizes(Tokens& tokens, char open, char close)
{
    if (!tokens.accept(open))
        return tokens.unexpected(std::string("'") + open + "'");
    constexpr std::size_t subgroups = 3; // manual, unreduced, replicated
    SHARDSCOPE_TRY(numbers, readNumbers(tokens, maximumTileDimensions + subgroups));
    if (!tokens.accept(close))
        return tokens.unexpected(std::string("',' or '") + close + "'");
    return Shape(numbers->begin(), numbers->end());
}

/// As numbers of 32 bits. Error: OutOfRange for one below 0 or above `most`.
Result<std::vector<std::int32_t>> narrowed(
    std::span<const std::int64_t> numbers, const char* key, std::int64_t most, const Where& place)
{
    std::vector<std::int32_t> result;
    result.reserve(numbers.size());
    for (const std::int64_t number : numbers) {
        if (number < 0 || number > most)
            return fail(
                Code::OutOfRange, { { "key", key }, { "value", number }, { "min", 0 }, { "max", most } }, place);
        result.push_back(static_cast<std::int32_t>(number));
    }
    return result;
}

/// After "devices=": "[2,4]<=[4,2]T(1,0)" or "[2,2]0,1,2,3".
Result<TileAssignment> readTiles(Tokens& tokens)
{
    const Where place = tokens.where();
    const auto placed = [&](Result<TileAssignment> tiles) {
        if (!tiles)
            tiles.error().where = place;
        return tiles;
    };
    SHARDSCOPE_TRY(dims, readSizes(tokens, '[', ']'));
    if (!tokens.accept('<')) {
        SHARDSCOPE_TRY(numbers, readNumbers(tokens, maximumDevices));
        SHARDSCOPE_TRY(devices, narrowed(*numbers, "device", maximumDevices - 1, place));
        return placed(TileAssignment::list(std::move(*dims), std::move(*devices)));
    }
    if (!tokens.accept('='))
        return tokens.unexpected("'='");
    SHARDSCOPE_TRY(reshape, readSizes(tokens, '[', ']'));
    TileAssignment::Permutation order;
    if (tokens.acceptName("T")) {
        SHARDSCOPE_TRY(read, readSizes(tokens, '(', ')'));
        SHARDSCOPE_TRY(dimensions, narrowed(*read, "dimension", maximumDevices - 1, place));
        order.assign(dimensions->begin(), dimensions->end());
    } else {
        for (std::size_t i = 0; i < reshape->size(); ++i)
            order.push_back(static_cast<std::int32_t>(i));
    }
    return placed(TileAssignment::iota(std::move(*dims), std::move(*reshape), std::move(order)));
}

Result<std::vector<Subgroup>> readSubgroups(Tokens& tokens)
{
    std::vector<Subgroup> types;
    if (!tokens.accept('='))
        return tokens.unexpected("'='");
    if (!tokens.accept('{'))
        return tokens.unexpected("'{'");
    do {
        if (tokens.acceptName("manual"))
            types.push_back(Subgroup::Manual);
        else if (tokens.acceptName("unreduced"))
            types.push_back(Subgroup::Unreduced);
        else if (tokens.acceptName("replicated"))
            types.push_back(Subgroup::Replicated);
        else
            return tokens.unexpected("manual, replicated or unreduced");
    } while (tokens.accept(','));
    if (!tokens.accept('}'))
        return tokens.unexpected("',' or '}'");
    return types;
}

/// A string as HLO writes it.
std::string quoted(std::string_view text)
{
    constexpr std::string_view digits = "0123456789abcdef";
    std::string result = "\"";
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            result += '\\';
            result += c;
        } else if (byte < 0x20 || byte == 0x7f) {
            result += '\\';
            result += digits[byte / 16];
            result += digits[byte % 16];
        } else {
            result += c;
        }
    }
    return result + '"';
}

/// After "metadata=": everything between braces, as HLO spaces it.
Result<std::string> readMetadata(Tokens& tokens)
{
    if (!tokens.at('{'))
        return tokens.unexpected("'{'");
    std::string text;
    int depth = 0;
    bool separate = false; // the next word needs a blank before it
    do {
        if (tokens.peek().kind == Tokens::Kind::End || tokens.peek().kind == Tokens::Kind::Bad)
            return tokens.unexpected("'}'");
        const Where place = tokens.where();
        const Tokens::Token token = tokens.take();
        if (token.kind != Tokens::Kind::Punctuation) {
            // A sign or a point stays apart from a number: together they would be another number.
            const bool joins = !token.text.empty() && token.text.front() >= '0' && token.text.front() <= '9'
                && std::string_view("+-.").find(text.back()) != std::string_view::npos;
            text += separate || joins ? " " : "";
            text += token.kind == Tokens::Kind::String ? quoted(token.text) : token.text;
            separate = true;
            continue;
        }
        const char c = token.text.front();
        if (std::string_view("{}=,:;.()[]<>+-*").find(c) == std::string_view::npos)
            return fail(Code::Syntax, { { "expected", "'}'" }, { "found", token.text } }, place);
        depth += c == '{' ? 1 : c == '}' ? -1 : 0;
        text += c;
        if (c == ',')
            text += ' ';
        separate = c == '}';
    } while (depth > 0);
    return text;
}

struct Parts {
    std::optional<Kind> simple;
    std::optional<TileAssignment> tiles;
    std::vector<Subgroup> subgroups;
    HloSharding rest; ///< device, group, metadata
    Where tilesPlace;
};

Result<void> readPart(Tokens& tokens, Parts& parts)
{
    const bool named = parts.simple || parts.tiles;
    constexpr std::pair<std::string_view, Kind> simple[] = { { "replicated", Kind::Replicated },
        { "manual", Kind::Manual }, { "unknown", Kind::Unknown }, { "unreduced", Kind::Unreduced },
        { "maximal", Kind::Maximal } };
    for (const auto& [word, kind] : simple) {
        if (named || !tokens.acceptName(word))
            continue;
        parts.simple = kind;
        return {};
    }
    const auto readId = [&](std::int64_t& id) -> Result<void> {
        const Where place = tokens.where();
        SHARDSCOPE_TRY(number, tokens.takeWholeNumber());
        if (*number < 0)
            return fail(Code::Syntax, { { "expected", "a number from 0" }, { "found", *number } }, place);
        id = *number;
        return {};
    };
    if (!named && takeKeyword(tokens, "devices")) {
        parts.tilesPlace = tokens.where();
        SHARDSCOPE_TRY(tiles, readTiles(tokens));
        parts.tiles = std::move(*tiles);
        return {};
    }
    if ((!named || parts.simple == Kind::Maximal) && takeKeyword(tokens, "device")) {
        parts.simple = Kind::Maximal;
        return readId(parts.rest.device);
    }
    if (parts.tiles && parts.subgroups.empty() && tokens.acceptName("last_tile_dim_replicate")) {
        parts.subgroups = { Subgroup::Replicated };
        return {};
    }
    if (parts.tiles && parts.subgroups.empty() && tokens.acceptName("last_tile_dims")) {
        SHARDSCOPE_TRY(types, readSubgroups(tokens));
        parts.subgroups = std::move(*types);
        return {};
    }
    if (parts.rest.group == HloSharding::Group::None) {
        const bool as = tokens.acceptName("shard_as");
        if (as || tokens.acceptName("shard_like")) {
            parts.rest.group = as ? HloSharding::Group::As : HloSharding::Group::Like;
            return readId(parts.rest.groupId);
        }
    }
    if (parts.rest.metadata.empty() && takeKeyword(tokens, "metadata")) {
        SHARDSCOPE_TRY(metadata, readMetadata(tokens));
        parts.rest.metadata = std::move(*metadata);
        return {};
    }
    return tokens.unexpected(named ? "'}'" : "a sharding such as {replicated} or {devices=[2,1]<=[2]}");
}

} // namespace

Result<HloSharding> readHlo(Tokens& tokens)
{
    if (!tokens.accept('{'))
        return tokens.unexpected("'{'");
    const Where place = tokens.where();
    if (tokens.at('{') || tokens.at('}'))
        return fail(Code::UnsupportedSharding, { { "form", "tuple" } }, place);
    if (tokens.peek().kind == Tokens::Kind::Name && tokens.peek().text == "mesh")
        return fail(Code::UnsupportedSharding, { { "form", "named mesh" } }, place);
    Parts parts;
    while (!tokens.accept('}')) {
        if (tokens.peek().kind == Tokens::Kind::End)
            return tokens.unexpected("'}'");
        SHARDSCOPE_CHECK(readPart(tokens, parts));
    }
    HloSharding sharding = parts.rest;
    if (parts.tiles) {
        if (parts.subgroups.size() > parts.tiles->dims().size())
            return fail(Code::Syntax,
                { { "expected", "one tile dimension per subgroup" }, { "found", parts.tiles->text().substr(0, 24) } },
                parts.tilesPlace);
        HloSharding tiled = HloSharding::tiled(std::move(*parts.tiles), std::move(parts.subgroups));
        sharding.kind = tiled.kind;
        sharding.tiles = std::move(tiled.tiles);
        sharding.subgroups = std::move(tiled.subgroups);
    } else if (parts.simple) {
        sharding.kind = *parts.simple;
    } else {
        return fail(
            Code::Syntax, { { "expected", "replicated, maximal, manual or devices=" }, { "found", "}" } }, place);
    }
    return sharding;
}

Result<HloSharding> parseHlo(std::string_view text)
{
    Tokens tokens(text, Tokens::Language::Mlir);
    if (tokens.peek().kind == Tokens::Kind::String) { // mhlo.sharding = "{...}"
        const Tokens::Token string = tokens.take();
        if (tokens.peek().kind != Tokens::Kind::End)
            return tokens.unexpected("end of text");
        Result<HloSharding> inner = parseHlo(string.text);
        if (!inner) { // as near as escapes allow
            Where& where = inner.error().where;
            where.column = string.column + (where.line == 1 ? where.column : 0);
            where.line = string.line;
        }
        return inner;
    }
    Result<HloSharding> sharding = readHlo(tokens);
    if (sharding && tokens.peek().kind != Tokens::Kind::End)
        return tokens.unexpected("end of text");
    return sharding;
}

} // namespace shardscope
