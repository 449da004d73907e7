// SPDX-License-Identifier: GPL-3.0-or-later
// Declared in text_readers.h.
#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>

#include "sharding/text.h"
#include "sharding/text_readers.h"

namespace shardscope {

namespace {

struct ReadAxes {
    std::vector<MeshAxis> axes;
    std::vector<Where> places;
    std::vector<std::int32_t> devices;
};

Result<void> readAxis(Tokens& tokens, ReadAxes& list)
{
    if (tokens.peek().kind != Tokens::Kind::Name && tokens.peek().kind != Tokens::Kind::String)
        return tokens.unexpected("a mesh axis such as data=2");
    const Where place = tokens.where();
    const Tokens::Token name = tokens.take();
    if (!tokens.accept('=') && !tokens.accept(':'))
        return tokens.unexpected("'='");
    SHARDSCOPE_TRY(size, tokens.takeWholeNumber());
    list.axes.push_back({ name.text, *size });
    list.places.push_back(place);
    return {};
}

/// The axis that Mesh::create complained about, as it stands in the text: its last mention, since the first one of two
/// equal names is right.
Where placeOf(const Error& error, const ReadAxes& read)
{
    const std::string name = error.text("axis");
    for (std::size_t i = read.axes.size(); i-- > 0;)
        if (read.axes[i].name == name)
            return read.places[i];
    return read.places.empty() ? Where{} : read.places.back();
}

Result<Mesh> toMesh(const ReadAxes& read)
{
    Result<Mesh> mesh = read.devices.empty() ? Mesh::create(read.axes) : Mesh::createOver(read.axes, read.devices);
    if (!mesh)
        mesh.error().where = placeOf(mesh.error(), read);
    return mesh;
}

/// What stands after a keyword of Mesh(...), which may be a mesh axis of that name instead: axis_names=4.
struct Keyword {
    std::string name;
    Literal value;
};

Result<std::optional<Keyword>> readKeyword(Tokens& tokens)
{
    if (tokens.peek().kind != Tokens::Kind::Name)
        return std::nullopt;
    Tokens ahead = tokens;
    Keyword keyword{ ahead.take().text, {} };
    if (!ahead.accept('=') || ahead.peek().kind == Tokens::Kind::Number)
        return std::nullopt;
    const bool array = openCall(ahead, "array");
    SHARDSCOPE_TRY(value, ahead.readLiteral());
    if (array && !ahead.accept(')'))
        return ahead.unexpected("')'");
    keyword.value = std::move(*value);
    tokens = ahead;
    return keyword;
}

/// Sizes of the levels of a list of lists of numbers. Lists beside each other have to be alike.
Result<std::vector<std::int64_t>> sizesOf(const Literal& list)
{
    std::vector<std::int64_t> sizes;
    if (!list.isSequence())
        return sizes;
    std::optional<std::vector<std::int64_t>> first;
    for (const Literal& item : list.items) {
        SHARDSCOPE_TRY(inner, sizesOf(item));
        if (first && *inner != *first)
            return unexpectedLiteral(item, "rows of the same length");
        first = std::move(*inner);
    }
    sizes.push_back(static_cast<std::int64_t>(list.items.size()));
    if (first)
        sizes.insert(sizes.end(), first->begin(), first->end());
    return sizes;
}

/// The form in which newer JAX prints a mesh: sizes and names apart, or the array of device ids.
Result<Mesh> meshOfKeywords(const std::vector<Keyword>& keywords, const Tokens& tokens)
{
    ReadAxes read;
    std::vector<std::int64_t> sizes;
    const Literal* names = nullptr;
    for (const Keyword& keyword : keywords) {
        if (keyword.name == "axis_names") {
            names = &keyword.value;
        } else if (keyword.name == "axis_sizes") {
            SHARDSCOPE_TRY(numbers, readNumbers(keyword.value));
            sizes = std::move(*numbers);
        } else if (keyword.name == "device_ids") {
            Result<std::vector<std::int64_t>> measured = sizesOf(keyword.value);
            const Result<std::vector<std::int64_t>> ids = readNumbers(keyword.value);
            if (!measured || !ids)
                return tl::unexpected(measured ? ids.error() : measured.error());
            sizes = std::move(*measured);
            for (const std::int64_t id : *ids) {
                if (id < 0 || id > std::numeric_limits<std::int32_t>::max())
                    return unexpectedLiteral(keyword.value, "device ids");
                read.devices.push_back(static_cast<std::int32_t>(id));
            }
        }
    }
    if (!names)
        return tokens.unexpected("axis_names=(...)");
    std::vector<Literal> items = names->isSequence() ? names->items : std::vector<Literal>{ *names };
    if (items.size() != sizes.size())
        return unexpectedLiteral(*names, "one name per axis");
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (items[i].kind != Literal::Kind::String)
            return unexpectedLiteral(items[i], "the name of a mesh axis");
        read.axes.push_back({ items[i].text, sizes[i] });
        read.places.push_back(items[i].where());
    }
    return toMesh(read);
}

} // namespace

bool takeKeyword(Tokens& tokens, std::string_view word)
{
    Tokens ahead = tokens;
    if (!ahead.acceptName(word) || !ahead.accept('='))
        return false;
    tokens = ahead;
    return true;
}

bool openCall(Tokens& tokens, std::string_view name)
{
    if (tokens.peek().kind != Tokens::Kind::Name)
        return false;
    const std::string_view path = tokens.peek().text;
    const std::size_t dot = path.rfind('.');
    if ((dot == std::string_view::npos ? path : path.substr(dot + 1)) != name)
        return false;
    Tokens ahead = tokens;
    ahead.take();
    if (!ahead.accept('('))
        return false;
    tokens = ahead;
    return true;
}

Result<std::vector<std::int64_t>> readNumbers(const Literal& list)
{
    std::vector<std::int64_t> numbers;
    if (list.kind == Literal::Kind::Number) {
        const std::string& text = list.text;
        std::int64_t number = 0;
        const auto [stopped, error] = std::from_chars(text.data(), text.data() + text.size(), number);
        if (stopped != text.data() + text.size() || error != std::errc())
            return unexpectedLiteral(list, "a whole number");
        numbers.push_back(number);
        return numbers;
    }
    if (!list.isSequence())
        return unexpectedLiteral(list, "a whole number");
    for (const Literal& item : list.items) {
        SHARDSCOPE_TRY(inner, readNumbers(item));
        numbers.insert(numbers.end(), inner->begin(), inner->end());
    }
    return numbers;
}

Result<Mesh> readMeshArguments(Tokens& tokens)
{
    ReadAxes read;
    std::vector<Keyword> keywords;
    while (!tokens.at(')')) {
        SHARDSCOPE_TRY(keyword, readKeyword(tokens));
        if (*keyword)
            keywords.push_back(std::move(**keyword));
        else if (Result<void> axis = readAxis(tokens, read); !axis)
            return tl::unexpected(std::move(axis.error()));
        if (!tokens.accept(',') && !tokens.at(')'))
            return tokens.unexpected("',' or ')'");
    }
    const bool apart = std::any_of(
        keywords.begin(), keywords.end(), [](const Keyword& keyword) { return keyword.name != "axis_types"; });
    if (apart && !read.axes.empty())
        return tokens.unexpected("sizes and names of axes, in one form");
    Result<Mesh> mesh = apart ? meshOfKeywords(keywords, tokens) : toMesh(read);
    tokens.accept(')');
    return mesh;
}

Result<Mesh> parseMesh(std::string_view text)
{
    Tokens tokens(text);
    if (openCall(tokens, "Mesh")) {
        Result<Mesh> mesh = readMeshArguments(tokens);
        if (mesh && tokens.peek().kind != Tokens::Kind::End)
            return tokens.unexpected("end of text");
        return mesh;
    }
    ReadAxes read;
    do {
        SHARDSCOPE_CHECK(readAxis(tokens, read));
    } while (tokens.accept(','));
    if (tokens.peek().kind != Tokens::Kind::End)
        return tokens.unexpected("',' or end of text");
    return toMesh(read);
}

} // namespace shardscope
