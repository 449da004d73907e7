// SPDX-License-Identifier: GPL-3.0-or-later
// Reads a sharding in any of its text forms, by how the text begins.
// Declared in sharding_text.h.
#include <algorithm>
#include <limits>

#include "base/codes.h"
#include "sharding/parse_positional.h"
#include "sharding/sharding_text.h"
#include "sharding/text_readers.h"

namespace shardscope {

namespace {

tl::unexpected<Error> missingMesh(const Where& place)
{
    return fail(Code::MissingMesh, {}, place);
}

/// The mesh of the text, or the given one where it has the same axes: the text does not say where the devices are.
Result<MeshPtr> chosenMesh(const Mesh& read, const MeshPtr& specified, const Where& place)
{
    if (!specified)
        return std::make_shared<const Mesh>(read);
    if (!std::ranges::equal(read.axes(), specified->axes()))
        return fail(Code::MeshMismatch, { { "found", toJax(read) }, { "expected", toJax(*specified) } }, place);
    return read.deviceOrder().empty() ? specified : std::make_shared<const Mesh>(read);
}

Result<void> closeArgument(Tokens& tokens)
{
    if (tokens.accept(',') || tokens.at(')'))
        return {};
    return tokens.unexpected("',' or ')'");
}

/// AxisUsedTwice where an axis stands twice in a spec, whatever mesh it is for: JAX looks for that first.
Result<void> axesOnceAt(const PartitionSpec& spec, const Where& place)
{
    Result<void> valid = validate(spec, Mesh());
    if (valid || valid.error().code != Code::AxisUsedTwice)
        return {};
    valid.error().where = place;
    return valid;
}

/// After "NamedSharding(": mesh=Mesh(...), spec=PartitionSpec(...), memory_kind=device). Both may stand without their
/// keyword, and the mesh may be any name for the given one, as in code.
Result<Sharding> readNamed(Tokens& tokens, const MeshPtr& specified)
{
    NamedSharding sharding;
    bool spec = false;
    const Where begin = tokens.where();
    while (!tokens.accept(')')) {
        const Where place = tokens.where();
        if (!sharding.mesh) {
            takeKeyword(tokens, "mesh");
            if (openCall(tokens, "Mesh")) {
                SHARDSCOPE_TRY(mesh, readMeshArguments(tokens));
                SHARDSCOPE_TRY(chosen, chosenMesh(*mesh, specified, place));
                sharding.mesh = std::move(*chosen);
            } else if (tokens.peek().kind == Tokens::Kind::Name) {
                tokens.take();
                if (!specified)
                    return missingMesh(place);
                sharding.mesh = specified;
            } else {
                return tokens.unexpected("a mesh");
            }
        } else if (!spec) {
            takeKeyword(tokens, "spec");
            if (!openCall(tokens, "PartitionSpec") && !openCall(tokens, "P"))
                return tokens.unexpected("a spec such as P('data', None)");
            SHARDSCOPE_TRY(read, readSpecEntries(tokens, ')'));
            SHARDSCOPE_CHECK(axesOnceAt(*read, place));
            sharding.spec = std::move(*read);
            spec = true;
        } else if (!sharding.memoryKind && tokens.acceptName("memory_kind")) {
            SHARDSCOPE_TRY(kind, readMemoryKind(tokens));
            sharding.memoryKind = *kind;
        } else {
            return tokens.unexpected("')'");
        }
        SHARDSCOPE_CHECK(closeArgument(tokens));
    }
    if (!spec)
        return fail(Code::Syntax, { { "expected", "a mesh and a spec" }, { "found", ")" } }, begin);
    return sharding;
}

Result<std::int32_t> readId(Tokens& tokens, bool negative = false)
{
    const Where place = tokens.where();
    SHARDSCOPE_TRY(number, tokens.takeWholeNumber());
    constexpr std::int64_t maximum = std::numeric_limits<std::int32_t>::max();
    if (*number > maximum || *number < (negative ? -maximum : 0))
        return fail(Code::Syntax, { { "expected", "a number of a device" }, { "found", *number } }, place);
    return static_cast<std::int32_t>(*number);
}

/// "CpuDevice(id=0)", "TpuDevice(id=0, process_index=0, coords=(0,0,0), core_on_chip=0)".
Result<Device> readDevice(Tokens& tokens)
{
    constexpr std::pair<std::string_view, std::string_view> classes[] = { { "CpuDevice", "cpu" },
        { "CudaDevice", "gpu" }, { "RocmDevice", "gpu" }, { "GpuDevice", "gpu" }, { "TpuDevice", "tpu" } };
    Device device;
    for (const auto& [name, platform] : classes)
        if (device.platform.empty() && openCall(tokens, name))
            device.platform = platform;
    if (device.platform.empty())
        return tokens.unexpected("a device such as CpuDevice(id=0)");
    const std::pair<std::string_view, std::int32_t*> fields[] = { { "id", &device.id },
        { "process_index", &device.process }, { "core_on_chip", &device.core } };
    while (!tokens.accept(')')) {
        bool known = false;
        for (const auto& [name, value] : fields) {
            if (known || !takeKeyword(tokens, name))
                continue;
            known = true;
            SHARDSCOPE_TRY(number, readId(tokens));
            *value = *number;
        }
        if (!known && takeKeyword(tokens, "coords")) {
            known = true;
            if (!tokens.accept('('))
                return tokens.unexpected("'('");
            for (std::size_t i = 0; i < device.coordinates.size(); ++i) {
                if (i > 0 && !tokens.accept(','))
                    return tokens.unexpected("','");
                SHARDSCOPE_TRY(number, readId(tokens, true));
                device.coordinates[i] = *number;
            }
            if (!tokens.accept(')'))
                return tokens.unexpected("')'");
        }
        if (!known)
            return tokens.unexpected("id, process_index, coords or core_on_chip");
        SHARDSCOPE_CHECK(closeArgument(tokens));
    }
    return device;
}

/// ", memory_kind=device)" or ")".
Result<std::optional<MemoryKind>> readEnd(Tokens& tokens)
{
    std::optional<MemoryKind> kind;
    if (tokens.accept(',') && tokens.acceptName("memory_kind")) {
        SHARDSCOPE_TRY(read, readMemoryKind(tokens));
        kind = *read;
    }
    if (!tokens.accept(')'))
        return tokens.unexpected("')'");
    return kind;
}

Result<Sharding> readSingleDevice(Tokens& tokens)
{
    SingleDeviceSharding sharding;
    takeKeyword(tokens, "device");
    SHARDSCOPE_TRY(device, readDevice(tokens));
    sharding.device = std::move(*device);
    SHARDSCOPE_TRY(kind, readEnd(tokens));
    sharding.memoryKind = *kind;
    return sharding;
}

/// The devices that the numbers of HLO text stand for.
Result<GspmdSharding> overDevices(HloSharding hlo, const MeshPtr& mesh, const Where& place)
{
    GspmdSharding sharding;
    if (mesh) {
        sharding.devices = devicesOf(NamedSharding{ mesh, {} });
    } else if (hlo.kind == HloSharding::Kind::Tiled) {
        for (std::int32_t device = 0; device < hlo.tiles.size(); ++device)
            sharding.devices.push_back(device);
    } else {
        return missingMesh(place);
    }
    sharding.hlo = std::move(hlo);
    return sharding;
}

Result<Sharding> readGspmd(Tokens& tokens, const MeshPtr& mesh)
{
    const Where place = tokens.where();
    SHARDSCOPE_TRY(hlo, readHlo(tokens));
    SHARDSCOPE_TRY(kind, readEnd(tokens));
    SHARDSCOPE_TRY(sharding, overDevices(std::move(*hlo), mesh, place));
    sharding->memoryKind = *kind;
    return Sharding(std::move(*sharding));
}

Result<Sharding> atEnd(const Tokens& tokens, Result<Sharding> sharding)
{
    if (sharding && tokens.peek().kind != Tokens::Kind::End)
        return tokens.unexpected("end of text");
    return sharding;
}

/// Number of characters of "sharding=" or "mhlo.sharding = ", with which the text may begin.
std::size_t attributeName(std::string_view text)
{
    constexpr std::string_view blanks = " \t\r\n";
    const std::size_t begin = std::min(text.find_first_not_of(blanks), text.size());
    for (const std::string_view name : { "sharding", "mhlo.sharding" }) {
        if (!text.substr(begin).starts_with(name))
            continue;
        const std::size_t after = text.find_first_not_of(blanks, begin + name.size());
        if (after != std::string_view::npos && text[after] == '=')
            return after + 1;
    }
    return 0;
}

/// The mesh that Shardy text has inline, "<mesh<[\"a\"=2]>, [...]>"; absent where it names one.
Result<MeshPtr> inlineMesh(std::string_view text)
{
    constexpr std::string_view word = "mesh<";
    const std::size_t at = text.find(word);
    if (at == std::string_view::npos || text.substr(0, at).find_last_not_of("< \t\r\n#sdy.haring") != std::string::npos)
        return MeshPtr();
    const std::size_t begin = at + word.size() - 1;
    const std::size_t end = text.find('>', begin);
    std::string blanked(begin, ' '); // keeps the places of what follows
    for (std::size_t i = 0; i < begin; ++i)
        if (text[i] == '\n')
            blanked[i] = '\n';
    blanked += text.substr(begin, end == std::string_view::npos ? end : end + 1 - begin);
    SHARDSCOPE_TRY(mesh, parseShardyMesh(blanked));
    return std::make_shared<const Mesh>(std::move(*mesh));
}

/// Where the current JAX names a set of axes in a spec, "P('x', unreduced={'y'})": the place of the word.
std::size_t keywordAt(std::string_view text, std::string_view word)
{
    constexpr std::string_view blanks = " \t\r\n";
    for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
        const std::size_t after = text.find_first_not_of(blanks, at + word.size());
        const std::size_t before = at == 0 ? std::string_view::npos : text.find_last_not_of(blanks, at - 1);
        if (after != std::string_view::npos && text[after] == '=' && before != std::string_view::npos
            && (text[before] == ',' || text[before] == '('))
            return at;
    }
    return std::string_view::npos;
}

/// After "unreduced": ={'y', 'z'}.
Result<std::vector<std::string>> readUnreducedSet(Tokens& tokens)
{
    if (!tokens.accept('='))
        return tokens.unexpected("'='");
    const bool frozen = tokens.acceptName("frozenset") || tokens.acceptName("set");
    if (frozen && !tokens.accept('('))
        return tokens.unexpected("'('");
    std::vector<std::string> axes;
    if (!frozen || !tokens.at(')')) {
        if (!tokens.accept('{'))
            return tokens.unexpected("a set of mesh axes such as {'model'}");
        do {
            if (tokens.peek().kind != Tokens::Kind::String)
                return tokens.unexpected("a mesh axis in quotes");
            axes.push_back(tokens.take().text);
        } while (tokens.accept(','));
        if (!tokens.accept('}'))
            return tokens.unexpected("',' or '}'");
    }
    if (frozen && !tokens.accept(')'))
        return tokens.unexpected("')'");
    return axes;
}

/// The same, then ) and the end of the text.
Result<std::vector<std::string>> readUnreduced(Tokens& tokens)
{
    Result<std::vector<std::string>> axes = readUnreducedSet(tokens);
    if (axes && !tokens.accept(')'))
        return tokens.unexpected("')'");
    if (axes && tokens.peek().kind != Tokens::Kind::End)
        return tokens.unexpected("end of text");
    return axes;
}

/// Blanks in place of what stands at [begin, end), so that the places of all else stay.
std::string withBlanks(std::string_view text, std::size_t begin, std::size_t end)
{
    std::string result(text);
    for (std::size_t i = begin; i < std::min(end, result.size()); ++i)
        if (result[i] != '\n')
            result[i] = ' ';
    return result;
}

/// A spec and axes over which parts are to be added up, for which Shardy has a word and NamedSharding here has none. Of
/// the rank that the spec has.
Result<Sharding> partialSharding(const PartitionSpec& spec, const std::vector<std::string>& unreduced, MeshPtr mesh,
    std::optional<MemoryKind> memoryKind)
{
    PartitionSpec all = spec; // an axis shards, or its parts are added up
    all.entries.push_back(SpecEntry::tuple(unreduced));
    SHARDSCOPE_CHECK(validate(all, *mesh));
    TensorSharding sharding = toTensorSharding(spec, *mesh, spec.size());
    for (std::size_t axis = 0; axis < mesh->rank(); ++axis)
        if (std::ranges::find(unreduced, mesh->axis(axis).name) != unreduced.end())
            sharding.unreduced.push_back(fullAxis(*mesh, axis));
    return Sharding(ShardySharding{ std::move(mesh), std::move(sharding), memoryKind });
}

/// Where the set after a keyword ends: after its last bracket.
std::size_t endOfSet(std::string_view text, std::size_t keyword)
{
    char quote = 0;
    int depth = 0;
    for (std::size_t i = keyword; i < text.size(); ++i) {
        const char c = text[i];
        if (quote != 0) {
            quote = c == quote ? char() : quote;
        } else if (c == '\'' || c == '"') {
            quote = c;
        } else if (c == '(' || c == '{') {
            ++depth;
        } else if ((c == ')' || c == '}') && --depth <= 0) {
            return depth == 0 ? i + 1 : i;
        }
    }
    return text.size();
}

/// "NamedSharding(mesh=…, spec=P('x', unreduced={'y'}))", as the current JAX prints it.
Result<Sharding> readPartialNamed(std::string_view text, std::size_t keyword, const MeshPtr& mesh)
{
    const std::string before = withBlanks(text, 0, keyword + std::string_view("unreduced").size());
    Tokens set(before);
    SHARDSCOPE_TRY(unreduced, readUnreducedSet(set));
    const std::size_t comma = text.find_last_not_of(" \t\r\n", keyword - 1);
    const std::string rest = withBlanks(text, text[comma] == ',' ? comma : keyword, endOfSet(text, keyword));
    Tokens tokens(rest);
    if (!openCall(tokens, "NamedSharding"))
        return tokens.unexpected("NamedSharding(mesh=mesh, spec=P(…))");
    SHARDSCOPE_TRY(read, atEnd(tokens, readNamed(tokens, mesh)));
    const auto& named = std::get<NamedSharding>(*read);
    return partialSharding(named.spec, *unreduced, named.mesh, named.memoryKind);
}

/// A spec with axes of partial sums.
Result<Sharding> readPartialSpec(std::string_view text, std::size_t keyword, MeshPtr mesh)
{
    std::string head(text.substr(0, keyword));
    head.erase(head.find_last_not_of(" \t\r\n") + 1);
    if (head.ends_with(','))
        head.pop_back();
    SHARDSCOPE_TRY(spec, parseSpec(head + ")"));
    std::string tail(text);
    for (std::size_t i = 0; i < keyword + std::string_view("unreduced").size(); ++i)
        if (tail[i] != '\n')
            tail[i] = ' ';
    Tokens tokens(tail);
    SHARDSCOPE_TRY(unreduced, readUnreduced(tokens));
    return partialSharding(*spec, *unreduced, std::move(mesh), {});
}

} // namespace

Result<MemoryKind> readMemoryKind(Tokens& tokens)
{
    if (!tokens.accept('='))
        return tokens.unexpected("'='");
    if (tokens.peek().kind != Tokens::Kind::Name && tokens.peek().kind != Tokens::Kind::String)
        return tokens.unexpected("a memory kind such as device");
    const Where place = tokens.where();
    Result<MemoryKind> kind = parseMemoryKind(tokens.take().text);
    if (!kind)
        kind.error().where = place;
    return kind;
}

Result<Sharding> parseSharding(std::string_view text, MeshPtr mesh)
{
    if (const std::size_t after = attributeName(text); after > 0) {
        // Blanks keep the places of what follows; another such name is no sharding.
        std::string blanked(text);
        for (std::size_t i = 0; i < after; ++i)
            if (blanked[i] != '\n')
                blanked[i] = ' ';
        if (attributeName(blanked) == 0)
            return parseSharding(blanked, std::move(mesh));
    }
    if (const std::size_t keyword = keywordAt(text, "reduced"); keyword != std::string_view::npos)
        return fail(Code::UnsupportedSharding, { { "form", "reduced" } }, Tokens(withBlanks(text, 0, keyword)).where());
    Tokens python(text);
    if (openCall(python, "NamedSharding")) {
        const std::size_t keyword = keywordAt(text, "unreduced");
        return keyword == std::string_view::npos ? atEnd(python, readNamed(python, mesh))
                                                 : readPartialNamed(text, keyword, mesh);
    }
    if (openCall(python, "SingleDeviceSharding"))
        return atEnd(python, readSingleDevice(python));
    if (openCall(python, "PositionalSharding")) {
        SHARDSCOPE_TRY(positional, readPositional(python, mesh));
        return atEnd(python, Sharding(std::move(*positional)));
    }
    Tokens tokens(text, Tokens::Language::Mlir);
    const Where begin = tokens.where();
    if (openCall(tokens, "GSPMDSharding"))
        return atEnd(tokens, readGspmd(tokens, mesh));
    if (tokens.at('{') || tokens.peek().kind == Tokens::Kind::String) {
        SHARDSCOPE_TRY(hlo, parseHlo(text));
        SHARDSCOPE_TRY(sharding, overDevices(std::move(*hlo), mesh, begin));
        return Sharding(std::move(*sharding));
    }
    const bool shardy = tokens.at('#') || tokens.at('<')
        || (tokens.peek().kind == Tokens::Kind::Name && tokens.peek().text == "sdy.sharding");
    if (shardy && !mesh) {
        SHARDSCOPE_TRY(own, inlineMesh(text));
        mesh = std::move(*own);
    }
    if (!mesh) {
        // What no mesh makes good is said first.
        if (const Result<PartitionSpec> spec = parseSpec(text); spec && !shardy)
            SHARDSCOPE_CHECK(axesOnceAt(*spec, begin));
        return missingMesh(begin);
    }
    if (shardy) {
        SHARDSCOPE_TRY(sharding, parseShardy(text, *mesh));
        return Sharding(ShardySharding{ std::move(mesh), std::move(*sharding), {} });
    }
    if (const std::size_t keyword = keywordAt(text, "unreduced"); keyword != std::string_view::npos)
        return readPartialSpec(text, keyword, std::move(mesh));
    SHARDSCOPE_TRY(spec, parseSpec(text));
    SHARDSCOPE_CHECK(axesOnceAt(*spec, begin));
    return Sharding(NamedSharding{ std::move(mesh), std::move(*spec) });
}

} // namespace shardscope
