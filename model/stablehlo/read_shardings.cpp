// SPDX-License-Identifier: GPL-3.0-or-later
// Shardy's meshes and shardings.
// A part of Reader, which is declared in reader.h.
#include <algorithm>
#include <limits>

#include "base/codes.h"
#include "program/program_mesh.h"
#include "stablehlo/reader.h"

namespace shardscope::mlir {

namespace {

constexpr std::int64_t largest = std::numeric_limits<std::int32_t>::max();

} // namespace

bool Reader::readMesh(Scanner& s, ProgramMesh& mesh)
{
    // ["x"=2, "y"=4], device_ids=[1, 0]
    const std::size_t begin = s.position();
    std::vector<MeshAxis> axes;
    if (!s.require('<') || !s.list('[', ']', [&] {
            MeshAxis& axis = axes.emplace_back();
            return s.string(axis.name) && s.require('=') && s.integer(axis.size);
        }))
        return false;
    std::vector<std::int64_t> ids;
    bool hasIds = false;
    if (s.accept(',')) {
        if (!s.acceptWord("device_ids") || !s.require('='))
            return s.expected("“device_ids = [...]”");
        hasIds = true;
        if (!readIntegers(s, ids))
            return false;
    }
    if (!s.require('>'))
        return false;
    mesh = declaredMesh(
        std::move(mesh.name), std::move(axes), hasIds ? std::optional(std::move(ids)) : std::nullopt, mesh.inlined);
    if (!mesh.illegal || m_options.keepIllegalShardings)
        return true;
    // Ids in plain order say nothing, and are let pass.
    const DeclaredMesh& declared = *mesh.illegal;
    if (declared.axes.empty())
        return s.problem(Code::CountMismatch,
            { { "what", "device_ids" }, { "found", declared.deviceIds.size() }, { "wanted", 1 },
                { "of", "a mesh without axes" } },
            begin);
    std::vector<std::int32_t> order;
    for (const std::int64_t id : declared.deviceIds) {
        if (id < 0 || id > largest)
            return s.problem(Code::OutOfRange,
                { { "key", "device_ids" }, { "value", id }, { "min", 0 }, { "max", largest } }, begin);
        order.push_back(static_cast<std::int32_t>(id));
    }
    Result<Mesh> made = Mesh::create(declared.axes, std::move(order));
    if (!made) {
        Error error = std::move(made.error());
        return s.problem(error.code, std::move(error.args), begin);
    }
    mesh.mesh = std::make_shared<const Mesh>(std::move(*made));
    mesh.illegal = nullptr;
    return true;
}

bool Reader::addMesh(ProgramMesh mesh, std::size_t position)
{
    const auto index = static_cast<std::uint32_t>(m_program.meshes.size());
    if (!mesh.inlined && !m_meshes.emplace(mesh.name, index).second)
        return m_scanner.problem(Code::DefinedTwice, { { "what", "mesh" }, { "name", "@" + mesh.name } }, position);
    m_program.meshes.push_back(std::move(mesh));
    return true;
}

bool Reader::readMeshDeclaration()
{
    // After "sdy.mesh": @mesh = <["x"=2]> loc(...)
    Scanner& s = m_scanner;
    const std::size_t position = s.position();
    ProgramMesh mesh;
    if (!s.symbol(mesh.name) || !s.require('='))
        return false;
    (void)s.accept("#sdy.mesh");
    if (!readMesh(s, mesh))
        return false;
    std::vector<NamedAttribute> ignored;
    std::string_view location;
    if ((s.at('{') && !readDictionary(s, ignored)) || !acceptLocation(s, location))
        return false;
    mesh.source = addSource(position);
    const auto ahead = std::find_if(
        m_meshesAhead.begin(), m_meshesAhead.end(), [&](const auto& range) { return range.first == position; });
    return ahead != m_meshesAhead.end() || addMesh(std::move(mesh), position);
}

bool Reader::findMeshAhead(std::string_view name)
{
    // A declaration may stand after its uses; this is rare, and the text is searched once per such mesh.
    constexpr std::string_view declaration = "sdy.mesh @";
    for (std::size_t found = m_text.find(declaration, m_begin); found < m_end;
         found = m_text.find(declaration, found + 1)) {
        Scanner ahead(m_text, found + declaration.size() - 1, m_end, m_firstError);
        const std::size_t position = ahead.position();
        ProgramMesh mesh;
        if (!ahead.symbol(mesh.name))
            return false;
        if (mesh.name != name)
            continue;
        if (!ahead.require('='))
            return false;
        (void)ahead.accept("#sdy.mesh");
        if (!readMesh(ahead, mesh) || !addMesh(std::move(mesh), position))
            return false;
        m_meshesAhead.emplace_back(position, ahead.rawPosition());
        return true;
    }
    return true;
}

bool Reader::meshNamed(std::string_view name, std::size_t position, std::uint32_t& index)
{
    auto found = m_meshes.find(std::string(name));
    if (found == m_meshes.end()) {
        if (!findMeshAhead(name) || (!m_meshes.contains(std::string(name)) && !findWrappedMeshes()))
            return false;
        found = m_meshes.find(std::string(name));
    }
    if (found == m_meshes.end() && m_options.keepIllegalShardings) {
        if (!addMesh(undeclaredMesh(std::string(name)), position))
            return false;
        found = m_meshes.find(std::string(name));
    }
    if (found == m_meshes.end()) {
        std::vector<std::string> known;
        for (const ProgramMesh& mesh : m_program.meshes)
            if (!mesh.inlined)
                known.push_back("@" + mesh.name);
        return m_scanner.problem(Code::UndefinedName,
            { { "what", "mesh" }, { "name", "@" + std::string(name) }, { "known", std::move(known) } }, position);
    }
    index = found->second;
    return true;
}

bool Reader::readAxis(Scanner& s, ProgramMesh& mesh, AxisRef& axis)
{
    const std::size_t begin = s.position();
    std::string name;
    if (!s.string(name))
        return false;
    const std::optional<std::size_t> index = mesh.mesh->axisIndex(name);
    if (!index && !m_options.keepIllegalShardings)
        return s.problem(Code::UnknownAxis, { { "axis", name }, { "known", mesh.mesh->axisNames() } }, begin);
    if (!s.accept(':')) {
        axis = axisReference(mesh, name);
        return true;
    }
    SubAxis part;
    if (!s.require('(') || !s.integer(part.pre) || !s.require(')') || !s.integer(part.size))
        return false;
    if (!m_options.keepIllegalShardings) {
        const std::int64_t full = mesh.mesh->size(*index);
        if (part.pre < 1 || part.size < 1 || part.pre > largest || part.size > largest
            || part.pre * part.size > largest)
            return s.problem(Code::BadSubAxis,
                { { "axis", name }, { "pre", part.pre }, { "size", part.size }, { "whole", full } }, begin);
        if (part.pre == 1 && part.size == full) { // all of it, which needs no part
            axis = fullAxis(*mesh.mesh, *index);
            return true;
        }
    }
    axis = axisReference(mesh, name, part);
    return true;
}

bool Reader::readAxes(Scanner& s, ProgramMesh& mesh, AxisList& axes)
{
    return s.list('{', '}', [&] {
        AxisRef axis;
        if (!readAxis(s, mesh, axis))
            return false;
        axes.push_back(axis);
        return true;
    });
}

bool Reader::readAxisLists(Scanner& s, ProgramMesh& mesh, std::vector<AxisList>& lists)
{
    return s.list('[', ']', [&] { return readAxes(s, mesh, lists.emplace_back()); });
}

bool Reader::readDimensionSharding(Scanner& s, ProgramMesh& mesh, DimensionSharding& dimension)
{
    dimension.open = false;
    if (!s.require('{'))
        return false;
    if (!s.accept('}')) {
        do {
            if (s.accept('?')) {
                dimension.open = true;
                break;
            }
            AxisRef axis;
            if (!readAxis(s, mesh, axis))
                return false;
            dimension.axes.push_back(axis);
        } while (s.accept(','));
        if (!s.require('}'))
            return false;
    }
    if (s.raw() == 'p' && isDigit(s.rawAt(1))) {
        const std::size_t begin = s.rawPosition();
        std::int64_t priority = 0;
        s.step();
        if (!s.digits(priority) || priority > largest)
            return s.problem(Code::BadPriority, {}, begin);
        dimension.priority = static_cast<std::int32_t>(priority);
    }
    return true;
}

bool Reader::readSpecialAxes(Scanner& s, ProgramMesh& mesh, ProgramSharding& sharding)
{
    while (s.accept(',')) {
        const std::size_t begin = s.position();
        const std::string_view word = s.word();
        const bool unreduced = word == "unreduced";
        if (!unreduced && word != "replicated")
            return s.expectedAt(begin, "“replicated={...}” or “unreduced={...}”");
        if (!s.require('='))
            return false;
        if (unreduced && !s.at('{')) { // of another kind than a sum: "unreduced=max{...}"
            const std::size_t at = s.position();
            const std::string_view kind = s.word();
            if (kind == "max")
                sharding.unreducedKind = ReduceKind::Max;
            else if (kind == "min")
                sharding.unreducedKind = ReduceKind::Min;
            else if (kind != "sum")
                return s.expectedAt(at, "“sum”, “max” or “min”");
        }
        if (!readAxes(s, mesh, unreduced ? sharding.sharding.unreduced : sharding.sharding.replicated))
            return false;
    }
    return true;
}

bool Reader::readSharding(Scanner& s, ProgramSharding& sharding)
{
    (void)s.accept("#sdy.sharding");
    if (!s.require('<'))
        return false;
    const std::size_t begin = s.position();
    if (s.at('@')) {
        std::string name;
        if (!s.symbol(name) || !meshNamed(name, begin, sharding.mesh))
            return false;
    } else if (s.accept("mesh")) {
        ProgramMesh mesh;
        mesh.inlined = true;
        if (!readMesh(s, mesh))
            return false;
        std::string key;
        for (const char c : s.since(begin))
            if (c != ' ' && c != '\n')
                key += c;
        const auto [found, added] =
            m_inlinedMeshes.emplace(std::move(key), static_cast<std::uint32_t>(m_program.meshes.size()));
        if (added && !addMesh(std::move(mesh), begin))
            return false;
        sharding.mesh = found->second;
    } else {
        return s.expected("a mesh, “@name” or “mesh<[...]>”");
    }
    ProgramMesh& mesh = m_program.meshes[sharding.mesh];
    const auto readDimension = [&] { return readDimensionSharding(s, mesh, sharding.sharding.dims.emplace_back()); };
    return s.require(',') && s.list('[', ']', readDimension) && readSpecialAxes(s, mesh, sharding) && s.require('>');
}

bool Reader::readShardings(Scanner& s, std::vector<ProgramSharding>& shardings)
{
    // #sdy.sharding_per_value<[<...>, <...>]>, also without what stands before "["
    const bool named = s.accept("#sdy.sharding_per_value");
    if ((named && !s.require('<')) || !s.list('[', ']', [&] { return readSharding(s, shardings.emplace_back()); }))
        return false;
    return !named || s.require('>');
}

ShardingIndex Reader::addSharding(ProgramSharding sharding)
{
    const std::size_t hash = shardscope::hash(sharding);
    const auto [begin, end] = m_shardings.equal_range(hash);
    for (auto found = begin; found != end; ++found)
        if (m_program.shardings[found->second - 1] == sharding)
            return found->second;
    m_program.shardings.push_back(std::move(sharding));
    const auto index = static_cast<ShardingIndex>(m_program.shardings.size());
    m_shardings.emplace(hash, index);
    return index;
}

void Reader::shard(ValueId value, ShardingIndex index)
{
    if (index == 0)
        return;
    if (m_program.valueShardings.size() <= value.index)
        m_program.valueShardings.resize(value.index + 1);
    m_program.valueShardings[value.index] = index;
}

bool Reader::takeValueSharding(std::vector<NamedAttribute>& attributes, ShardingIndex& index, Dictionary& kept)
{
    index = 0;
    Frontend frontend;
    if (!openFrontend(attributes, frontend))
        return false;
    NamedAttribute* attribute = find(attributes, "sdy.sharding");
    NamedAttribute* wrapped = find(frontend.entries, "xla.sdy.sharding");
    ProgramSharding sharding;
    if (wrapped && !readEntry(*wrapped, [&](Scanner& s) { return readSharding(s, sharding); }))
        return false;
    if (attribute) {
        attribute->taken = true;
        Scanner s = m_scanner;
        sharding = {};
        if (!open(*attribute, s) || !readSharding(s, sharding))
            return false;
    }
    if (attribute || wrapped)
        index = addSharding(std::move(sharding));
    return closeFrontend(frontend, kept);
}

bool Reader::takeResultShardings(Pending& op, std::vector<ProgramSharding>& shardings)
{
    NamedAttribute* attribute = find(op.attributes, "sdy.sharding");
    if (!attribute)
        return true;
    Scanner s = m_scanner;
    if (!open(*attribute, s))
        return false;
    if (s.at("#sdy.sharding_per_value") || s.at('[')) {
        if (!readShardings(s, shardings))
            return false;
    } else if (s.at("#sdy.sharding")) {
        return s.expected("one sharding for each result, “#sdy.sharding_per_value<[...]>”");
    } else if (!readSharding(s, shardings.emplace_back())) {
        return false;
    }
    attribute->taken = true;
    return checkShardingCount(op, shardings.size(), attribute->position);
}

bool Reader::checkShardingCount(const Pending& op, std::size_t count, std::size_t position)
{
    const bool says = op.resultTypes.empty() && count == 1; // where an operation without results runs
    if (count == op.resultTypes.size() || says || m_options.keepIllegalShardings)
        return true;
    return m_scanner.problem(Code::CountMismatch,
        { { "what", "shardings" }, { "found", count }, { "wanted", op.resultTypes.size() },
            { "of", std::string(op.name) } },
        position);
}

} // namespace shardscope::mlir
