// SPDX-License-Identifier: GPL-3.0-or-later
// Reads a sharding in any of its text forms, by how the text begins.
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
Result<MeshPtr> chosenMesh(const Mesh& read, const MeshPtr& given, const Where& place)
{
    if (!given)
        return std::make_shared<const Mesh>(read);
    if (!std::ranges::equal(read.axes(), given->axes()))
        return fail(Code::MeshMismatch, { { "found", toJax(read) }, { "expected", toJax(*given) } }, place);
    return read.deviceOrder().empty() ? given : std::make_shared<const Mesh>(read);
}

Result<void> closeArgument(Tokens& tokens)
{
    if (tokens.accept(',') || tokens.at(')'))
        return {};
    return tokens.unexpected("',' or ')'");
}

/// Behind "NamedSharding(": mesh=Mesh(...), spec=PartitionSpec(...), memory_kind=device). Both may stand without their
/// keyword, and the mesh may be any name for the given one, as in code.
Result<Sharding> readNamed(Tokens& tokens, const MeshPtr& given)
{
    NamedSharding sharding;
    bool spec = false;
    const Where begin = tokens.where();
    while (!tokens.accept(')')) {
        const Where place = tokens.where();
        if (!sharding.mesh) {
            takeKeyword(tokens, "mesh");
            if (openCall(tokens, "Mesh")) {
                const Result<Mesh> mesh = readMeshArguments(tokens);
                if (!mesh)
                    return tl::unexpected(mesh.error());
                Result<MeshPtr> chosen = chosenMesh(*mesh, given, place);
                if (!chosen)
                    return tl::unexpected(std::move(chosen.error()));
                sharding.mesh = std::move(*chosen);
            } else if (tokens.peek().kind == Tokens::Kind::Name) {
                tokens.take();
                if (!given)
                    return missingMesh(place);
                sharding.mesh = given;
            } else {
                return tokens.unexpected("a mesh");
            }
        } else if (!spec) {
            takeKeyword(tokens, "spec");
            if (!openCall(tokens, "PartitionSpec") && !openCall(tokens, "P"))
                return tokens.unexpected("a spec such as P('data', None)");
            Result<PartitionSpec> read = readSpecEntries(tokens, ')');
            if (!read)
                return tl::unexpected(std::move(read.error()));
            sharding.spec = std::move(*read);
            spec = true;
        } else if (!sharding.memoryKind && tokens.acceptName("memory_kind")) {
            const Result<MemoryKind> kind = readMemoryKind(tokens);
            if (!kind)
                return tl::unexpected(kind.error());
            sharding.memoryKind = *kind;
        } else {
            return tokens.unexpected("')'");
        }
        if (Result<void> closed = closeArgument(tokens); !closed)
            return tl::unexpected(std::move(closed.error()));
    }
    if (!spec)
        return fail(Code::Syntax, { { "expected", "a mesh and a spec" }, { "found", ")" } }, begin);
    return sharding;
}

Result<std::int32_t> readId(Tokens& tokens, bool negative = false)
{
    const Where place = tokens.where();
    const Result<std::int64_t> number = tokens.takeWholeNumber();
    if (!number)
        return tl::unexpected(number.error());
    constexpr std::int64_t largest = std::numeric_limits<std::int32_t>::max();
    if (*number > largest || *number < (negative ? -largest : 0))
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
            const Result<std::int32_t> number = readId(tokens);
            if (!number)
                return tl::unexpected(number.error());
            *value = *number;
        }
        if (!known && takeKeyword(tokens, "coords")) {
            known = true;
            if (!tokens.accept('('))
                return tokens.unexpected("'('");
            for (std::size_t i = 0; i < device.coordinates.size(); ++i) {
                if (i > 0 && !tokens.accept(','))
                    return tokens.unexpected("','");
                const Result<std::int32_t> number = readId(tokens, true);
                if (!number)
                    return tl::unexpected(number.error());
                device.coordinates[i] = *number;
            }
            if (!tokens.accept(')'))
                return tokens.unexpected("')'");
        }
        if (!known)
            return tokens.unexpected("id, process_index, coords or core_on_chip");
        if (Result<void> closed = closeArgument(tokens); !closed)
            return tl::unexpected(std::move(closed.error()));
    }
    return device;
}

/// ", memory_kind=device)" or ")".
Result<std::optional<MemoryKind>> readEnd(Tokens& tokens)
{
    std::optional<MemoryKind> kind;
    if (tokens.accept(',') && tokens.acceptName("memory_kind")) {
        const Result<MemoryKind> read = readMemoryKind(tokens);
        if (!read)
            return tl::unexpected(read.error());
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
    Result<Device> device = readDevice(tokens);
    if (!device)
        return tl::unexpected(std::move(device.error()));
    sharding.device = std::move(*device);
    const Result<std::optional<MemoryKind>> kind = readEnd(tokens);
    if (!kind)
        return tl::unexpected(kind.error());
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
    Result<HloSharding> hlo = readHlo(tokens);
    if (!hlo)
        return tl::unexpected(std::move(hlo.error()));
    const Result<std::optional<MemoryKind>> kind = readEnd(tokens);
    if (!kind)
        return tl::unexpected(kind.error());
    Result<GspmdSharding> sharding = overDevices(std::move(*hlo), mesh, place);
    if (!sharding)
        return tl::unexpected(std::move(sharding.error()));
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
        const std::size_t behind = text.find_first_not_of(blanks, begin + name.size());
        if (behind != std::string_view::npos && text[behind] == '=')
            return behind + 1;
    }
    return 0;
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
    if (const std::size_t behind = attributeName(text); behind > 0) {
        // Blanks keep the places of what follows; another such name is no sharding.
        std::string blanked(text);
        for (std::size_t i = 0; i < behind; ++i)
            if (blanked[i] != '\n')
                blanked[i] = ' ';
        if (attributeName(blanked) == 0)
            return parseSharding(blanked, std::move(mesh));
    }
    Tokens python(text);
    if (openCall(python, "NamedSharding"))
        return atEnd(python, readNamed(python, mesh));
    if (openCall(python, "SingleDeviceSharding"))
        return atEnd(python, readSingleDevice(python));
    if (openCall(python, "PositionalSharding")) {
        Result<PositionalSharding> positional = readPositional(python, mesh);
        if (!positional)
            return tl::unexpected(std::move(positional.error()));
        return atEnd(python, Sharding(std::move(*positional)));
    }
    Tokens tokens(text, Tokens::Language::Mlir);
    const Where begin = tokens.where();
    if (openCall(tokens, "GSPMDSharding"))
        return atEnd(tokens, readGspmd(tokens, mesh));
    if (tokens.at('{') || tokens.peek().kind == Tokens::Kind::String) {
        Result<HloSharding> hlo = parseHlo(text);
        if (!hlo)
            return tl::unexpected(std::move(hlo.error()));
        Result<GspmdSharding> sharding = overDevices(std::move(*hlo), mesh, begin);
        if (!sharding)
            return tl::unexpected(std::move(sharding.error()));
        return Sharding(std::move(*sharding));
    }
    const bool shardy = tokens.at('#') || tokens.at('<')
        || (tokens.peek().kind == Tokens::Kind::Name && tokens.peek().text == "sdy.sharding");
    if (!mesh)
        return missingMesh(begin);
    if (shardy) {
        Result<TensorSharding> sharding = parseShardy(text, *mesh);
        if (!sharding)
            return tl::unexpected(std::move(sharding.error()));
        return Sharding(ShardySharding{ std::move(mesh), std::move(*sharding), {} });
    }
    Result<PartitionSpec> spec = parseSpec(text);
    if (!spec)
        return tl::unexpected(std::move(spec.error()));
    return Sharding(NamedSharding{ std::move(mesh), std::move(*spec) });
}

} // namespace shardscope
