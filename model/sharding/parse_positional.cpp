// SPDX-License-Identifier: GPL-3.0-or-later
#include "sharding/parse_positional.h"

#include <algorithm>
#include <limits>

#include "base/codes.h"
#include "sharding/text_readers.h"

namespace shardscope {

namespace {

/// Cells in the order of the text, and the sizes of the lists that they stand in.
struct PositionGrid {
    Shape shape;
    std::vector<std::vector<std::int32_t>> sets;
    std::string platform;
};

class GridReader {
public:
    explicit GridReader(Tokens& tokens)
        : m_tokens(tokens)
    {
    }
    Result<PositionGrid> read()
    {
        const Where begin = m_tokens.where();
        SHARDSCOPE_TRY(shape, readItem(0));
        const std::size_t devices = m_grid.sets.front().size();
        for (std::size_t cell = 1; cell < m_grid.sets.size(); ++cell)
            if (const std::size_t others = m_grid.sets[cell].size(); others != devices)
                return fail(Code::Syntax,
                    { { "expected", "as many devices in every cell" },
                        { "found",
                            std::to_string(devices) + " in the first one and " + std::to_string(others) + " in cell "
                                + std::to_string(cell + 1) } },
                    begin);
        m_grid.shape = std::move(*shape);
        return std::move(m_grid);
    }

private:
    /// A list, a set in braces, or a device id; its sizes.
    Result<Shape> readItem(std::size_t depth)
    {
        if (!m_tokens.at('[')) {
            SHARDSCOPE_CHECK(m_tokens.at('{') ? readSet() : readDevice(m_grid.sets.emplace_back()));
            if (m_grid.sets.size() > static_cast<std::size_t>(maximumDevices))
                return fail(Code::TooLarge, { { "what", "devices" }, { "limit", maximumDevices } }, m_tokens.where());
            return Shape{};
        }
        if (depth >= maximumTileDimensions)
            return fail(
                Code::TooLarge, { { "what", "nesting" }, { "limit", maximumTileDimensions } }, m_tokens.where());
        m_tokens.accept('[');
        std::optional<Shape> inner;
        std::int64_t size = 0;
        while (!m_tokens.accept(']')) {
            const Where place = m_tokens.where();
            SHARDSCOPE_TRY(item, readItem(depth + 1));
            if (inner && *inner != *item)
                return fail(
                    Code::Syntax, { { "expected", "rows of the same length" }, { "found", "another one" } }, place);
            inner = *item;
            ++size;
            m_tokens.accept(',');
        }
        if (size == 0)
            return m_tokens.unexpected("a device before the ']'");
        Shape shape{ size };
        for (const std::int64_t minor : *inner)
            shape.push_back(minor);
        return shape;
    }
    Result<void> readDevice(std::vector<std::int32_t>& set)
    {
        const Where place = m_tokens.where();
        if (m_tokens.peek().kind != Tokens::Kind::Number)
            return m_tokens.unexpected("all devices, in brackets and braces");
        SHARDSCOPE_TRY(id, m_tokens.takeWholeNumber());
        if (*id < 0 || *id > std::numeric_limits<std::int32_t>::max())
            return fail(Code::Syntax, { { "expected", "a device id" }, { "found", *id } }, place);
        set.push_back(static_cast<std::int32_t>(*id));
        return {};
    }
    /// "{TPU 0, 4}"
    Result<void> readSet()
    {
        m_tokens.accept('{');
        if (m_tokens.peek().kind == Tokens::Kind::Name) {
            std::string platform = m_tokens.peek().text;
            for (char& c : platform)
                c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
            if (!m_grid.platform.empty() && m_grid.platform != platform)
                return m_tokens.unexpected("devices of one platform");
            m_grid.platform = std::move(platform);
            m_tokens.take();
        }
        std::vector<std::int32_t>& set = m_grid.sets.emplace_back();
        do {
            SHARDSCOPE_CHECK(readDevice(set));
        } while (m_tokens.accept(','));
        if (!m_tokens.accept('}'))
            return m_tokens.unexpected("',' or '}'");
        return {};
    }

    Tokens& m_tokens;
    PositionGrid m_grid;
};

/// Devices of the mesh by position.
std::vector<std::int32_t> devicesOf(const Mesh& mesh)
{
    std::vector<std::int32_t> devices;
    for (std::int64_t position = 0; position < mesh.deviceCount(); ++position)
        devices.push_back(mesh.deviceAt(position));
    return devices;
}

/// Text does not say how devices are numbered: as the mesh has them where they are its own, else by id.
std::vector<std::int32_t> inOrder(const PositionGrid& grid, const MeshPtr& mesh)
{
    std::vector<std::int32_t> devices;
    for (const std::vector<std::int32_t>& set : grid.sets)
        devices.insert(devices.end(), set.begin(), set.end());
    std::sort(devices.begin(), devices.end());
    if (!mesh)
        return devices;
    const std::vector<std::int32_t> ofMesh = devicesOf(*mesh);
    std::vector<std::int32_t> sorted = ofMesh;
    std::sort(sorted.begin(), sorted.end());
    return sorted == devices ? ofMesh : devices;
}

struct Arguments {
    std::vector<Literal> values;
    std::vector<std::pair<std::string, Literal>> named;

    [[nodiscard]] const Literal* find(std::string_view name) const
    {
        for (const auto& [key, value] : named)
            if (key == name)
                return &value;
        return nullptr;
    }
};

/// After the opening parenthesis, up to and including the closing one.
Result<Arguments> readArguments(Tokens& tokens)
{
    Arguments arguments;
    while (!tokens.accept(')')) {
        Tokens ahead = tokens;
        std::string name;
        if (ahead.peek().kind == Tokens::Kind::Name) {
            name = ahead.take().text;
            if (ahead.accept('='))
                tokens = ahead;
            else
                name.clear();
        }
        SHARDSCOPE_TRY(value, tokens.readLiteral());
        if (name.empty())
            arguments.values.push_back(std::move(*value));
        else
            arguments.named.emplace_back(std::move(name), std::move(*value));
        if (!tokens.accept(',') && !tokens.at(')'))
            return tokens.unexpected("',' or ')'");
    }
    return arguments;
}

/// Numbers as separate arguments, or as one tuple or list.
Result<std::vector<std::int64_t>> numbersOf(const Arguments& arguments)
{
    std::vector<std::int64_t> numbers;
    for (const Literal& value : arguments.values) {
        SHARDSCOPE_TRY(read, readNumbers(value));
        numbers.insert(numbers.end(), read->begin(), read->end());
    }
    if (!arguments.named.empty())
        return unexpectedLiteral(arguments.named.front().second, "numbers");
    return numbers;
}

Result<PositionalSharding> replicated(
    const PositionalSharding& sharding, const Arguments& arguments, const Where& place)
{
    const Literal* axis = arguments.find("axis");
    const Literal* keep = arguments.find("keepdims");
    for (std::size_t i = 0; i < arguments.values.size(); ++i)
        (i == 0 ? axis : keep) = &arguments.values[i];
    const std::size_t known = (axis ? 1U : 0U) + (keep ? 1U : 0U);
    if (known != arguments.values.size() + arguments.named.size())
        return fail(Code::Syntax, { { "expected", "axis and keepdims" }, { "found", "another argument" } }, place);
    std::optional<std::vector<std::int64_t>> axes;
    if (axis && axis->kind != Literal::Kind::None) {
        SHARDSCOPE_TRY(numbers, readNumbers(*axis));
        axes = std::move(*numbers);
    }
    bool keepAxes = true;
    if (keep) {
        if (keep->kind != Literal::Kind::Name || (keep->text != "True" && keep->text != "False"))
            return unexpectedLiteral(*keep, "True or False");
        keepAxes = keep->text == "True";
    }
    return sharding.replicate(axes, keepAxes);
}

Result<PositionalSharding> applied(
    const PositionalSharding& sharding, std::string_view operation, const Arguments& arguments, const Where& place)
{
    if (operation == "replicate")
        return replicated(sharding, arguments, place);
    if (operation == "with_memory_kind") {
        const Literal* kind = arguments.find("kind");
        if (arguments.values.size() == 1)
            kind = &arguments.values.front();
        if (!kind || kind->kind != Literal::Kind::String)
            return fail(Code::Syntax, { { "expected", "a memory kind in quotes" }, { "found", "no such" } }, place);
        SHARDSCOPE_TRY(memory, parseMemoryKind(kind->text));
        return sharding.withMemoryKind(*memory);
    }
    SHARDSCOPE_TRY(numbers, numbersOf(arguments));
    return operation == "reshape" ? sharding.reshape(*numbers) : sharding.transpose(*numbers);
}

/// ".reshape(2, 4).T.replicate(0)". A name may hold dots, so that several may come at once.
Result<PositionalSharding> readOperations(Tokens& tokens, PositionalSharding sharding)
{
    constexpr std::string_view calls[] = { "reshape", "replicate", "transpose", "with_memory_kind" };
    while (tokens.accept('.')) {
        const Where place = tokens.where();
        std::string_view rest;
        const std::string names = tokens.peek().kind == Tokens::Kind::Name ? tokens.peek().text : std::string();
        for (rest = names; rest == "T" || rest.starts_with("T.");
             rest.remove_prefix(std::min<std::size_t>(2, rest.size())))
            sharding = *sharding.transpose();
        if (rest.empty() && !names.empty() && !names.ends_with('.')) {
            tokens.take();
            continue;
        }
        if (std::find(std::begin(calls), std::end(calls), rest) == std::end(calls))
            return tokens.unexpected("reshape, replicate, transpose, T or with_memory_kind");
        tokens.take();
        if (!tokens.accept('('))
            return tokens.unexpected("'('");
        SHARDSCOPE_TRY(arguments, readArguments(tokens));
        Result<PositionalSharding> next = applied(sharding, rest, *arguments, place);
        if (!next) {
            if (next.error().where.line == 0)
                next.error().where = place;
            return next;
        }
        sharding = std::move(*next);
    }
    return sharding;
}

/// "devices", "jax.devices()", "mesh.devices": devices of the mesh, in its grid or in a row.
Result<PositionalSharding> ofMesh(Tokens& tokens, const MeshPtr& mesh)
{
    const Where place = tokens.where();
    const std::string name = tokens.take().text;
    const bool grid = name.ends_with("mesh.devices");
    const bool byId = name == "jax.devices" && tokens.accept('(');
    if (byId && !tokens.accept(')'))
        return tokens.unexpected("')'");
    if (!mesh)
        return fail(Code::MissingMesh, {}, place);
    std::vector<std::int32_t> devices = devicesOf(*mesh);
    if (byId)
        std::sort(devices.begin(), devices.end());
    Shape shape{ mesh->deviceCount() };
    if (grid) {
        shape.clear();
        for (std::size_t axis = 0; axis < mesh->rank(); ++axis)
            shape.push_back(mesh->size(axis));
    }
    return PositionalSharding::create(std::move(devices), std::move(shape));
}

} // namespace

Result<PositionalSharding> readPositional(Tokens& tokens, const MeshPtr& mesh)
{
    const Where place = tokens.where();
    PositionGrid grid;
    Result<PositionalSharding> sharding = tl::unexpected(Error{ Code::MissingMesh, {}, {} });
    if (tokens.peek().kind == Tokens::Kind::Name) {
        sharding = ofMesh(tokens, mesh);
    } else {
        if (!tokens.at('[') && !tokens.at('{'))
            return tokens.unexpected("devices");
        SHARDSCOPE_TRY(read, GridReader(tokens).read());
        grid = std::move(*read);
        std::vector<std::int32_t> devices = inOrder(grid, mesh);
        sharding = PositionalSharding::ofSets(
            std::move(devices), grid.shape, grid.sets, grid.platform.empty() ? "cpu" : grid.platform);
    }
    if (!sharding) {
        if (sharding.error().where.line == 0)
            sharding.error().where = place;
        return sharding;
    }
    while (!tokens.accept(')')) {
        if (!tokens.accept(','))
            return tokens.unexpected("',' or ')'");
        if (tokens.acceptName("memory_kind")) {
            SHARDSCOPE_TRY(kind, readMemoryKind(tokens));
            sharding = sharding->withMemoryKind(*kind);
        } else if (tokens.acceptName("shape") && tokens.accept('=')) {
            SHARDSCOPE_TRY(literal, tokens.readLiteral());
            SHARDSCOPE_TRY(shape, readNumbers(*literal));
            if (!std::ranges::equal(*shape, sharding->shape()))
                return unexpectedLiteral(*literal, "the shape of the devices as they stand");
        } else {
            return tokens.unexpected("shape or memory_kind");
        }
    }
    return readOperations(tokens, std::move(*sharding));
}

} // namespace shardscope
