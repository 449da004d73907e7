// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/named_arrays_view/named_state.h"

#include <algorithm>

#include "base/codes.h"
#include "sharding/text.h"

namespace shardscope {

namespace {

constexpr std::int64_t largestSize = std::int64_t{ 1 } << 60;
constexpr std::size_t mostDimensions = 16;

/// Reads "a 4, b: 8, c=6, 3" character by character, so that places are those of the text.
class AxesReader {
public:
    explicit AxesReader(std::string_view text)
        : m_text(text)
    {
    }

    Result<NamedArray> read()
    {
        NamedArray array;
        skipBlanks();
        while (m_at < m_text.size()) {
            const std::size_t begin = m_at;
            std::string name = readWord();
            if (name.empty())
                return unexpected("an axis such as a 4");
            const bool number = std::ranges::all_of(name, [](char c) { return c >= '0' && c <= '9'; });
            skipBlanks();
            if (number) {
                if (!array.namedAxes.empty())
                    return fail(Code::Syntax,
                        { { "expected", "sizes without a name before the named axes" }, { "found", name } }, at(begin));
                Result<std::int64_t> size = sizeOf(name, begin);
                if (!size)
                    return tl::unexpected(std::move(size.error()));
                array.positionalShape.push_back(*size);
            } else {
                if (m_at < m_text.size() && (m_text[m_at] == ':' || m_text[m_at] == '=')) {
                    ++m_at;
                    skipBlanks();
                }
                const std::size_t sizeBegin = m_at;
                const std::string digits = readWord();
                if (digits.empty() || !std::ranges::all_of(digits, [](char c) { return c >= '0' && c <= '9'; })) {
                    m_at = sizeBegin;
                    return unexpected("the size of " + name);
                }
                Result<std::int64_t> size = sizeOf(digits, sizeBegin);
                if (!size)
                    return tl::unexpected(std::move(size.error()));
                if (std::ranges::any_of(array.namedAxes, [&](const NamedAxis& axis) { return axis.name == name; }))
                    return fail(Code::DuplicateDimension, { { "dims", std::vector<std::string>{ name } } }, at(begin));
                array.namedAxes.push_back({ std::move(name), *size });
            }
            skipBlanks();
            if (array.namedAxes.size() + array.positionalShape.size() > mostDimensions)
                return fail(Code::TooLarge, { { "what", "dimensions" }, { "limit", mostDimensions } }, at(begin));
            if (m_at == m_text.size())
                break;
            if (m_text[m_at] != ',')
                return unexpected("','");
            ++m_at;
            skipBlanks();
        }
        return array;
    }

private:
    void skipBlanks()
    {
        while (m_at < m_text.size() && (m_text[m_at] == ' ' || m_text[m_at] == '\t'))
            ++m_at;
    }
    std::string readWord()
    {
        const std::size_t begin = m_at;
        while (m_at < m_text.size() && std::string_view(" \t,:=()[]").find(m_text[m_at]) == std::string_view::npos)
            ++m_at;
        return std::string(m_text.substr(begin, m_at - begin));
    }
    Result<std::int64_t> sizeOf(const std::string& digits, std::size_t begin) const
    {
        std::int64_t size = 0;
        for (const char digit : digits)
            size = size > largestSize ? size : 10 * size + (digit - '0');
        if (size > largestSize)
            return fail(Code::OutOfRange,
                { { "key", "size" }, { "value", digits }, { "min", 0 }, { "max", largestSize } }, at(begin));
        return size;
    }
    [[nodiscard]] Where at(std::size_t place) const
    {
        Where where;
        where.line = 1;
        where.column = 1; // columns count characters
        for (std::size_t i = 0; i < place; ++i)
            where.column += (static_cast<unsigned char>(m_text[i]) & 0xC0U) != 0x80U ? 1 : 0;
        return where;
    }
    [[nodiscard]] tl::unexpected<Error> unexpected(std::string expected) const
    {
        const bool end = m_at >= m_text.size();
        return fail(Code::Syntax,
            { { "expected", std::move(expected) },
                { "found", end ? std::string("the end of the text") : std::string(1, m_text[m_at]) } },
            at(std::min(m_at, m_text.size())));
    }

    std::string_view m_text;
    std::size_t m_at = 0;
};

ArrayLeaf leafOf(const std::string& path, const std::variant<NamedArray, PlainArray>& array)
{
    if (const auto* named = std::get_if<NamedArray>(&array))
        return { path, *named };
    return { path, std::get<PlainArray>(array) };
}

std::optional<NameToMesh> mappingOf(const NamedTree& tree)
{
    if (tree.sameNames)
        return std::nullopt;
    NameToMesh mapping;
    for (const WrittenMapping& entry : tree.mapping)
        mapping[entry.name] = entry.axes.size() == 1 ? SpecEntry::axis(entry.axes.front())
            : entry.axes.empty()                     ? SpecEntry::none()
                                                     : SpecEntry::tuple(entry.axes);
    return mapping;
}

ArrayOutcome resolveOne(
    const WrittenArray& written, const NamedTree& tree, const std::optional<NameToMesh>& mapping, const MeshPtr& mesh)
{
    ArrayOutcome outcome;
    outcome.path = written.path;
    Result<std::variant<NamedArray, PlainArray>> array = parseArrayAxes(written.axes);
    if (!array) {
        outcome.problem = array.error();
        outcome.problem->where.path = written.path;
        return outcome;
    }
    outcome.array = *array;
    if (const auto* named = std::get_if<NamedArray>(&*array)) {
        outcome.names.resize(named->positionalShape.size());
        for (const NamedAxis& axis : named->namedAxes)
            outcome.names.push_back(axis.name);
    }
    Result<std::vector<LeafSharding>> sharded =
        nameToNameSharding({ leafOf(written.path, *array) }, mesh, mapping, tree.ignoreUnnamed);
    if (!sharded) {
        outcome.problem = std::move(sharded.error());
        return outcome;
    }
    const LeafSharding& leaf = sharded->front();
    if (!leaf.sharding) {
        outcome.ignored = true;
        return outcome;
    }
    const NamedSharding& meant = leaf.intended ? *leaf.intended : *leaf.sharding;
    if (leaf.intended)
        outcome.penzaiSpec = leaf.sharding->spec;
    outcome.spec = meant.spec;
    outcome.layout = Layout(mesh, toTensorSharding(meant.spec, *mesh, leaf.dataShape.size()), leaf.dataShape);
    outcome.bytesPerDevice = byteSize(tree.dtype);
    for (const std::int64_t size : outcome.layout->shardShape())
        outcome.bytesPerDevice *= size;
    if (const Result<void> even = validate(meant.spec, *mesh, leaf.dataShape); !even) {
        outcome.problem = even.error();
        outcome.problem->where.path = written.path;
    }
    return outcome;
}

} // namespace

Result<std::variant<NamedArray, PlainArray>> parseArrayAxes(std::string_view text)
{
    const std::size_t begin = text.find_first_not_of(" \t");
    if (begin != std::string_view::npos && (text[begin] == '[' || text[begin] == '(')) {
        Result<Shape> shape = parseShape(text);
        if (!shape)
            return tl::unexpected(std::move(shape.error()));
        return PlainArray{ std::move(*shape) };
    }
    Result<NamedArray> named = AxesReader(text).read();
    if (!named)
        return tl::unexpected(std::move(named.error()));
    return std::move(*named);
}

std::string axesText(const NamedArray& array)
{
    std::string text;
    const auto add = [&text](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
    for (const std::int64_t size : array.positionalShape)
        add(std::to_string(size));
    for (const NamedAxis& axis : array.namedAxes)
        add(axis.name + ' ' + std::to_string(axis.size));
    return text;
}

std::vector<ArrayOutcome> resolve(const NamedTree& tree, const MeshPtr& mesh)
{
    const std::optional<NameToMesh> mapping = mappingOf(tree);
    std::vector<ArrayOutcome> outcomes;
    outcomes.reserve(tree.arrays.size());
    for (const WrittenArray& written : tree.arrays)
        outcomes.push_back(resolveOne(written, tree, mapping, mesh));
    return outcomes;
}

std::vector<std::string> namesOf(const NamedTree& tree, const std::vector<ArrayOutcome>& outcomes)
{
    std::vector<std::string> names;
    const auto add = [&names](const std::string& name) {
        if (!name.empty() && std::ranges::find(names, name) == names.end())
            names.push_back(name);
    };
    for (const ArrayOutcome& outcome : outcomes)
        for (const std::string& name : outcome.names)
            add(name);
    for (const WrittenMapping& entry : tree.mapping)
        add(entry.name);
    return names;
}

int usesOf(const std::string& name, const std::vector<ArrayOutcome>& outcomes)
{
    return static_cast<int>(std::ranges::count_if(outcomes,
        [&](const ArrayOutcome& outcome) { return std::ranges::find(outcome.names, name) != outcome.names.end(); }));
}

const std::vector<std::string>* mappedAxes(const NamedTree& tree, const std::string& name)
{
    const auto found = std::ranges::find(tree.mapping, name, &WrittenMapping::name);
    return found == tree.mapping.end() ? nullptr : &found->axes;
}

void setMapping(NamedTree& tree, const std::string& name, std::vector<std::string> axes)
{
    const auto found = std::ranges::find(tree.mapping, name, &WrittenMapping::name);
    if (axes.empty()) {
        if (found != tree.mapping.end())
            tree.mapping.erase(found);
    } else if (found == tree.mapping.end()) {
        tree.mapping.push_back({ name, std::move(axes) });
    } else {
        found->axes = std::move(axes);
    }
}

NamedTree notebookTree(const Mesh& mesh)
{
    NamedTree tree;
    tree.arrays = { { "one", "a 4, b 8, c 6" }, { "two", "a 8" }, { "three", "b 4, d 12" } };
    const bool notebook = mesh.axisIndex("foo") && mesh.axisIndex("bar");
    if (notebook)
        tree.mapping = { { "a", { "bar" } }, { "b", { "foo" } } };
    else if (mesh.rank() > 1)
        tree.mapping = { { "a", { mesh.axis(1).name } }, { "b", { mesh.axis(0).name } } };
    else if (mesh.rank() == 1)
        tree.mapping = { { "a", { mesh.axis(0).name } } };
    return tree;
}

} // namespace shardscope
