// SPDX-License-Identifier: GPL-3.0-or-later
#include "hlo/explaining_mesh.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "hlo/attributes.h"
#include "hlo/scanner.h"
#include "program/mesh_of_groups.h"

namespace shardscope {

namespace {

/// "mesh['x'=2,'y'=4] ..." anywhere in a value; none where it is none.
std::vector<MeshAxis> namedMesh(std::string_view text)
{
    std::vector<MeshAxis> axes;
    const std::size_t begin = text.find("mesh[");
    if (begin == std::string_view::npos)
        return axes;
    mlir::FirstError firstError;
    hlo::Scanner s(text, begin + std::string_view("mesh").size(), text.size(), firstError);
    if (!s.accept('['))
        return {};
    do {
        const char quote = s.peek();
        const std::size_t from = s.position() + 1;
        const std::size_t to = text.find(quote, from);
        if ((quote != '\'' && quote != '"') || to == std::string_view::npos)
            return {};
        s.seek(to + 1);
        MeshAxis axis{ std::string(text.substr(from, to - from)), 0 };
        if (!s.accept('=') || !s.integer(axis.size) || axis.size < 1)
            return {};
        axes.push_back(std::move(axis));
    } while (s.accept(','));
    return s.accept(']') ? axes : std::vector<MeshAxis>();
}

bool isOwnName(std::string_view name)
{
    return !name.starts_with("axis_") && !name.starts_with("_axis_");
}

std::int64_t sizeOf(const std::vector<MeshAxis>& axes)
{
    std::int64_t product = 1;
    for (const MeshAxis& axis : axes)
        product = saturatingProduct(product, axis.size);
    return product;
}

/// The first mesh of so many devices that the text names, one with names that a person gave before all others.
std::vector<MeshAxis> statedMesh(const HloModule& module, std::int64_t devices)
{
    std::vector<MeshAxis> found;
    std::string_view last;
    for (const HloInstruction& instruction : module.instructions)
        for (const std::string_view name : { "sharding", "replica_groups" }) {
            const HloAttribute* attribute = module.attribute(instruction, name);
            const std::string_view text = attribute ? module.view(attribute->value) : std::string_view();
            if (text.find("mesh[") == std::string_view::npos || text == last)
                continue;
            last = text;
            std::vector<MeshAxis> axes = namedMesh(text);
            if (axes.empty() || sizeOf(axes) != devices || !Mesh::create(axes)) // such as two axes of one name
                continue;
            if (std::all_of(axes.begin(), axes.end(), [](const MeshAxis& axis) { return isOwnName(axis.name); }))
                return axes;
            if (found.empty())
                found = std::move(axes);
        }
    return found;
}

} // namespace

std::vector<MeshAxis> explainingMesh(const HloModule& module, const HloCollectives& collectives)
{
    const std::int64_t devices = collectives.devices;
    if (devices < 1 || devices > maximumDevices)
        return { { "axis_0", 1 } };
    MeshOfGroups mesh(devices);
    std::set<std::pair<std::string_view, GroupIds>> seen;
    for (const HloCollective& collective : collectives.list) {
        const HloAttribute* text = module.attribute(module.instructions[collective.instruction], "replica_groups");
        if (!text || collective.groups.size() < 2 || !seen.insert({ module.view(text->value), collective.ids }).second)
            continue;
        for (std::vector<std::int32_t>& group : collective.groups.expanded(devices))
            mesh.addGroup(std::move(group));
    }
    const std::vector<MeshAxis> stated = statedMesh(module, devices);
    const AxisStrides known = axisStrides(stated), &needed = mesh.strides();
    if (!stated.empty() && std::includes(known.begin(), known.end(), needed.begin(), needed.end()))
        return stated;
    if (stated.empty() && module.entry != noHloIndex)
        for (const HloInstruction& instruction : module.instructionsOf(module.computations[module.entry]))
            if (module.opcode(instruction) == "parameter")
                if (const auto shardings = hloShardings(module, instruction))
                    for (const HloSharding& sharding : *shardings)
                        if (sharding.kind == HloSharding::Kind::Tiled)
                            mesh.addStrides(sharding.tiles.strides().value_or(AxisStrides{ 1 }));
    mesh.addStrides(known);
    return mesh.axes(stated);
}

} // namespace shardscope
