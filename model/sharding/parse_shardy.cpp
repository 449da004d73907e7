// SPDX-License-Identifier: GPL-3.0-or-later
// Reads Shardy's attributes, with the invariants of TensorShardingAttr: what breaks one is refused where it stands.
// Declared in sharding_text.h.
#include <algorithm>
#include <limits>

#include "base/codes.h"
#include "sharding/literal.h"
#include "sharding/sharding_text.h"

namespace shardscope {

namespace {

struct PlacedRef {
    AxisRef ref;
    Where place;
};

class Reader {
public:
    Reader(std::string_view text, const Mesh& mesh)
        : m_tokens(text, Tokens::Language::Mlir)
        , m_mesh(mesh)
    {
    }
    Result<TensorSharding> read();
    /// Without the frame.
    Result<TensorSharding> readDimensionsOnly();

private:
    Result<TensorSharding> readBody();
    Result<void> expect(char punctuation)
    {
        if (m_tokens.accept(punctuation))
            return {};
        return m_tokens.unexpected(std::string("'") + punctuation + "'");
    }
    Result<void> readMeshName();
    Result<DimensionSharding> readDimension();
    Result<std::int32_t> readPriority();
    Result<AxisRef> readRef();
    Result<AxisList> readSet();
    Result<void> check(AxisRef ref, const Where& place);
    Result<AxisRef> part(std::size_t axis, const Where& place);

    Tokens m_tokens;
    const Mesh& m_mesh;
    bool m_bareNames = false; ///< axes may stand without quotes
    std::vector<PlacedRef> m_refs; ///< all read so far
};

/// After the opening '<': "["x"=2, "y"=4], device_ids=[1, 0]>", up to and including the '>'.
Result<Mesh> readMeshBody(Tokens& tokens)
{
    std::vector<MeshAxis> axes;
    std::vector<std::int32_t> devices;
    const Where place = tokens.where();
    if (!tokens.accept('['))
        return tokens.unexpected("'['");
    while (!tokens.accept(']')) {
        if (tokens.peek().kind != Tokens::Kind::String)
            return tokens.unexpected("an axis such as \"x\"=2");
        std::string name = tokens.take().text;
        if (!tokens.accept('='))
            return tokens.unexpected("'='");
        SHARDSCOPE_TRY(size, tokens.takeWholeNumber());
        axes.push_back({ std::move(name), *size });
        if (!tokens.accept(',') && !tokens.at(']'))
            return tokens.unexpected("',' or ']'");
    }
    if (tokens.accept(',')) {
        if (!tokens.acceptName("device_ids"))
            return tokens.unexpected("device_ids");
        if (!tokens.accept('='))
            return tokens.unexpected("'='");
        if (!tokens.accept('['))
            return tokens.unexpected("'['");
        while (!tokens.accept(']')) {
            const Where here = tokens.where();
            SHARDSCOPE_TRY(id, tokens.takeWholeNumber());
            if (*id < 0 || *id > std::numeric_limits<std::int32_t>::max())
                return fail(Code::Syntax, { { "expected", "a device id" }, { "found", *id } }, here);
            devices.push_back(static_cast<std::int32_t>(*id));
            if (!tokens.accept(',') && !tokens.at(']'))
                return tokens.unexpected("',' or ']'");
        }
    }
    if (!tokens.accept('>'))
        return tokens.unexpected("'>'");
    Result<Mesh> mesh = devices.empty() ? Mesh::create(std::move(axes)) : Mesh::createOver(std::move(axes), devices);
    if (!mesh)
        mesh.error().where = place;
    return mesh;
}

/// Steps over "#sdy.sharding", "sdy.sharding" or "sdy.sharding = #sdy.sharding", or over none of them.
void skipAttributeName(Tokens& tokens, std::string_view name)
{
    tokens.acceptName(name);
    tokens.accept('=');
    tokens.accept('#');
    tokens.acceptName(name);
}

Result<void> Reader::readMeshName()
{
    if (m_tokens.accept('@')) {
        if (m_tokens.peek().kind != Tokens::Kind::Name && m_tokens.peek().kind != Tokens::Kind::String)
            return m_tokens.unexpected("the name of a mesh");
        m_tokens.take();
        return {};
    }
    const Where place = m_tokens.where();
    if (!m_tokens.acceptName("mesh"))
        return m_tokens.unexpected("a mesh such as @mesh");
    SHARDSCOPE_CHECK(expect('<'));
    SHARDSCOPE_TRY(mesh, readMeshBody(m_tokens));
    const bool sameAxes = std::ranges::equal(mesh->axes(), m_mesh.axes());
    if (!sameAxes || (!mesh->deviceOrder().empty() && *mesh != m_mesh))
        return fail(Code::MeshMismatch, { { "found", toShardy(*mesh) }, { "expected", toShardy(m_mesh) } }, place);
    return {};
}

/// A part of an axis, after its name: ":(1)2".
Result<AxisRef> Reader::part(std::size_t axis, const Where& place)
{
    std::int64_t numbers[2] = {};
    for (std::int64_t& number : numbers) {
        const bool first = &number == numbers;
        if (first)
            SHARDSCOPE_CHECK(expect('('));
        SHARDSCOPE_TRY(read, m_tokens.takeWholeNumber());
        number = *read;
        if (first)
            SHARDSCOPE_CHECK(expect(')'));
    }
    const auto [pre, size] = numbers;
    const std::int64_t full = m_mesh.size(axis);
    // Divisions, since products of numbers from a text may be too large.
    if (pre < 1 || size < 2 || size >= full || pre > full || full % pre != 0 || full / pre % size != 0)
        return fail(Code::BadSubAxis,
            { { "axis", m_mesh.axis(axis).name }, { "pre", pre }, { "size", size }, { "whole", full } }, place);
    return AxisRef{ static_cast<std::int32_t>(axis), static_cast<std::int32_t>(pre), static_cast<std::int32_t>(size) };
}

/// The part fits what was read before.
Result<void> Reader::check(AxisRef ref, const Where& place)
{
    const std::string name = toString(m_mesh, ref);
    for (const PlacedRef& other : m_refs) {
        if (other.ref == ref)
            return fail(Code::AxisUsedTwice, { { "axes", std::vector{ name } } }, place);
        const bool alike = isFull(m_mesh, ref) == isFull(m_mesh, other.ref);
        if (overlaps(ref, other.ref) || !canCoexist(ref, other.ref))
            return fail(alike ? Code::OverlappingAxes : Code::BadSubAxis,
                { { "axis", name }, { "other", toString(m_mesh, other.ref) } }, place);
    }
    return {};
}

Result<AxisRef> Reader::readRef()
{
    const Where place = m_tokens.where();
    const bool isBare = m_bareNames && m_tokens.peek().kind == Tokens::Kind::Name;
    if (m_tokens.peek().kind != Tokens::Kind::String && !isBare)
        return m_tokens.unexpected(m_bareNames ? "an axis such as x" : "an axis such as \"x\"");
    const std::string name = m_tokens.take().text;
    const std::optional<std::size_t> axis = m_mesh.axisIndex(name);
    if (!axis)
        return fail(Code::UnknownAxis, { { "axis", name }, { "known", m_mesh.axisNames() } }, place);
    AxisRef ref = fullAxis(m_mesh, *axis);
    if (m_tokens.accept(':')) {
        SHARDSCOPE_TRY(read, part(*axis, place));
        ref = *read;
    }
    SHARDSCOPE_CHECK(check(ref, place));
    m_refs.push_back({ ref, place });
    return ref;
}

Result<std::int32_t> Reader::readPriority()
{
    constexpr std::size_t longest = 9;
    const std::string& text = m_tokens.peek().text;
    const bool digits = text.size() > 1 && text.size() <= longest + 1
        && std::all_of(text.begin() + 1, text.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (text.front() != 'p' || !digits)
        return m_tokens.unexpected("a priority such as p1");
    return static_cast<std::int32_t>(std::stoi(m_tokens.take().text.substr(1)));
}

Result<DimensionSharding> Reader::readDimension()
{
    SHARDSCOPE_CHECK(expect('{'));
    DimensionSharding dim;
    dim.open = false;
    while (!m_tokens.accept('}')) {
        if (m_tokens.accept('?')) {
            dim.open = true;
            if (!m_tokens.at('}'))
                return m_tokens.unexpected("'}'");
            continue;
        }
        const Where place = m_tokens.where();
        SHARDSCOPE_TRY(ref, readRef());
        if (!dim.axes.empty() && canMerge(dim.axes.back(), *ref))
            return fail(Code::BadSubAxis,
                { { "axis", toString(m_mesh, *ref) }, { "other", toString(m_mesh, dim.axes.back()) } }, place);
        dim.axes.push_back(*ref);
        if (!m_tokens.accept(',') && !m_tokens.at('}'))
            return m_tokens.unexpected("',' or '}'");
    }
    if (m_tokens.peek().kind == Tokens::Kind::Name) {
        const Where place = m_tokens.where();
        SHARDSCOPE_TRY(priority, readPriority());
        if (dim.axes.empty() && !dim.open)
            return fail(Code::BadPriority, {}, place);
        dim.priority = *priority;
    }
    return dim;
}

/// "={"x", "y"}" after "replicated" or "unreduced".
Result<AxisList> Reader::readSet()
{
    SHARDSCOPE_CHECK(expect('='));
    if (m_tokens.peek().kind == Tokens::Kind::Name) // max{"x"}, min{"x"}
        return fail(Code::UnsupportedSharding, { { "form", "reduction kind" } }, m_tokens.where());
    SHARDSCOPE_CHECK(expect('{'));
    AxisList list;
    while (!m_tokens.accept('}')) {
        const Where place = m_tokens.where();
        SHARDSCOPE_TRY(ref, readRef());
        if (!list.empty() && canMerge(list.back(), *ref))
            return fail(Code::BadSubAxis,
                { { "axis", toString(m_mesh, *ref) }, { "other", toString(m_mesh, list.back()) } }, place);
        if (!list.empty() && *ref < list.back())
            return fail(Code::AxisOrder,
                { { "axis", toString(m_mesh, *ref) }, { "other", toString(m_mesh, list.back()) } }, place);
        list.push_back(*ref);
        if (!m_tokens.accept(',') && !m_tokens.at('}'))
            return m_tokens.unexpected("',' or '}'");
    }
    return list;
}

Result<TensorSharding> Reader::read()
{
    skipAttributeName(m_tokens, "sdy.sharding");
    SHARDSCOPE_CHECK(expect('<'));
    SHARDSCOPE_CHECK(readMeshName());
    SHARDSCOPE_CHECK(expect(','));
    SHARDSCOPE_TRY(sharding, readBody());
    SHARDSCOPE_CHECK(expect('>'));
    if (m_tokens.peek().kind != Tokens::Kind::End)
        return m_tokens.unexpected("end of text");
    return sharding;
}

Result<TensorSharding> Reader::readDimensionsOnly()
{
    m_bareNames = true;
    Result<TensorSharding> sharding = readBody();
    if (sharding && m_tokens.peek().kind != Tokens::Kind::End)
        return m_tokens.unexpected("end of text");
    return sharding;
}

Result<TensorSharding> Reader::readBody()
{
    SHARDSCOPE_CHECK(expect('['));
    TensorSharding sharding;
    while (!m_tokens.accept(']')) {
        if (sharding.dims.size() >= maximumTileDimensions)
            return fail(
                Code::TooLarge, { { "what", "dimensions" }, { "limit", maximumTileDimensions } }, m_tokens.where());
        SHARDSCOPE_TRY(dim, readDimension());
        sharding.dims.push_back(std::move(*dim));
        if (!m_tokens.accept(',') && !m_tokens.at(']'))
            return m_tokens.unexpected("',' or ']'");
    }
    bool unreduced = false;
    bool replicated = false;
    while (m_tokens.accept(',')) {
        const bool isReplicated = !replicated && !unreduced && m_tokens.acceptName("replicated");
        if (!isReplicated && (unreduced || !m_tokens.acceptName("unreduced")))
            return m_tokens.unexpected(!unreduced ? "replicated={...} or unreduced={...}"
                    : m_bareNames                 ? "end of text"
                                                  : "'>'");
        SHARDSCOPE_TRY(list, readSet());
        (isReplicated ? replicated : unreduced) = true;
        (isReplicated ? sharding.replicated : sharding.unreduced) = std::move(*list);
    }
    return sharding;
}

} // namespace

Result<TensorSharding> parseShardy(std::string_view text, const Mesh& mesh)
{
    return Reader(text, mesh).read();
}

Result<TensorSharding> parseDimensions(std::string_view text, const Mesh& mesh)
{
    return Reader(text, mesh).readDimensionsOnly();
}

Result<Mesh> parseShardyMesh(std::string_view text)
{
    Tokens tokens(text, Tokens::Language::Mlir);
    if (tokens.acceptName("sdy.mesh") && tokens.accept('@')) { // sdy.mesh @mesh = <...>
        if (tokens.peek().kind != Tokens::Kind::Name && tokens.peek().kind != Tokens::Kind::String)
            return tokens.unexpected("the name of a mesh");
        tokens.take();
        if (!tokens.accept('='))
            return tokens.unexpected("'='");
    }
    tokens.accept('#');
    if (!tokens.acceptName("sdy.mesh"))
        tokens.acceptName("mesh");
    if (!tokens.accept('<'))
        return tokens.unexpected("'<'");
    Result<Mesh> mesh = readMeshBody(tokens);
    if (mesh && tokens.peek().kind != Tokens::Kind::End)
        return tokens.unexpected("end of text");
    return mesh;
}

} // namespace shardscope
