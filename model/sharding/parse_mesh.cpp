// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <charconv>
#include <limits>

#include "sharding/literal.h"
#include "sharding/text.h"

namespace shardscope {

namespace {

Where whereOf(const Tokens::Token& token)
{
    Where where;
    where.line = token.line;
    where.column = token.column;
    return where;
}

/// Numbers too long for the type are as large as it holds; the mesh refuses them with its own limits.
Result<std::int64_t> toSize(const Tokens::Token& token)
{
    std::int64_t size = 0;
    const char* begin = token.text.data() + (token.text.starts_with('+') ? 1 : 0);
    const char* end = token.text.data() + token.text.size();
    const auto [stopped, error] = std::from_chars(begin, end, size);
    if (stopped != end)
        return fail(Code::Syntax, { { "expected", "a whole number" }, { "found", token.text } }, whereOf(token));
    if (error == std::errc::result_out_of_range)
        return token.text.starts_with('-') ? std::numeric_limits<std::int64_t>::min()
                                           : std::numeric_limits<std::int64_t>::max();
    return size;
}

struct ReadAxes {
    std::vector<MeshAxis> axes;
    std::vector<Where> places;
};

Result<void> readAxis(Tokens& tokens, ReadAxes& list)
{
    if (tokens.peek().kind != Tokens::Kind::Name && tokens.peek().kind != Tokens::Kind::String)
        return tokens.unexpected("a mesh axis such as data=2");
    const Tokens::Token name = tokens.take();
    if (!tokens.accept('=') && !tokens.accept(':'))
        return tokens.unexpected("'='");
    if (tokens.peek().kind != Tokens::Kind::Number)
        return tokens.unexpected("a whole number");
    const Result<std::int64_t> size = toSize(tokens.take());
    if (!size)
        return tl::unexpected(size.error());
    list.axes.push_back({ name.text, *size });
    list.places.push_back(whereOf(name));
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

/// Steps over "Mesh(", in which JAX prints the axes. An axis may be called Mesh, too.
bool openMesh(Tokens& tokens)
{
    if (tokens.peek().kind != Tokens::Kind::Name || tokens.peek().text != "Mesh")
        return false;
    Tokens ahead = tokens;
    ahead.take();
    if (!ahead.accept('('))
        return false;
    tokens = ahead;
    return true;
}

} // namespace

Result<Mesh> parseMesh(std::string_view text)
{
    Tokens tokens(text);
    ReadAxes read;
    const bool parentheses = openMesh(tokens);
    if (!(parentheses && tokens.at(')'))) {
        do {
            if (Result<void> axis = readAxis(tokens, read); !axis)
                return tl::unexpected(std::move(axis.error()));
        } while (tokens.accept(','));
    }
    if (parentheses && !tokens.accept(')'))
        return tokens.unexpected("',' or ')'");
    if (tokens.peek().kind != Tokens::Kind::End)
        return tokens.unexpected("',' or end of text");
    Result<Mesh> mesh = Mesh::create(read.axes);
    if (!mesh)
        mesh.error().where = placeOf(mesh.error(), read);
    return mesh;
}

} // namespace shardscope
