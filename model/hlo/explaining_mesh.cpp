// SPDX-License-Identifier: GPL-3.0-or-later
#include "hlo/explaining_mesh.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "hlo/attributes.h"
#include "hlo/scanner.h"

namespace shardscope {

namespace {

/// Products of the minor axes: of 2 x 4 devices 1, 4 and 8. Each divides the next one.
using Strides = std::set<std::int64_t>;

Strides stridesOf(const std::vector<MeshAxis>& axes)
{
    Strides strides{ 1 };
    std::int64_t product = 1;
    for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis)
        strides.insert(product = saturatingProduct(product, axis->size));
    return strides;
}

/// What a group needs that begins at its smallest member: runs of devices at equal distances, runs of these, and so on.
Strides stridesOf(std::vector<std::int32_t> group)
{
    Strides strides{ 1 };
    std::sort(group.begin(), group.end());
    const auto count = static_cast<std::int64_t>(group.size());
    const auto at = [&](std::int64_t place) {
        return std::int64_t{ group[static_cast<std::size_t>(place)] } - group.front();
    };
    for (std::int64_t known = 1; known < count;) { // the first `known` members are explained
        const std::int64_t stride = at(known);
        std::int64_t times = 2;
        while (known * times < count && at(known * times) == stride * times)
            ++times;
        strides.insert(stride);
        strides.insert(stride * times);
        known *= times;
    }
    return strides;
}

/// As long as each divides the next.
void addStrides(Strides& all, const Strides& further, std::int64_t devices)
{
    Strides both = all;
    for (const std::int64_t stride : further)
        if (stride > 0 && devices % stride == 0)
            both.insert(stride);
        else
            return;
    for (auto stride = both.begin(); std::next(stride) != both.end(); ++stride)
        if (*std::next(stride) % *stride != 0)
            return;
    all = std::move(both);
}

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
    Strides needed{ 1, devices };
    std::set<std::pair<std::string_view, GroupIds>> seen;
    for (const HloCollective& collective : collectives.list) {
        const HloAttribute* text = module.attribute(module.instructions[collective.instruction], "replica_groups");
        if (!text || collective.groups.size() < 2 || !seen.insert({ module.view(text->value), collective.ids }).second)
            continue;
        for (const std::vector<std::int32_t>& group : collective.groups.expanded(devices))
            addStrides(needed, stridesOf(group), devices);
    }
    const std::vector<MeshAxis> stated = statedMesh(module, devices);
    const Strides known = stridesOf(stated);
    if (!stated.empty() && std::includes(known.begin(), known.end(), needed.begin(), needed.end()))
        return stated;
    if (stated.empty() && module.entry != noHloIndex)
        for (const HloInstruction& instruction : module.instructionsOf(module.computations[module.entry]))
            if (module.opcode(instruction) == "parameter")
                if (const auto shardings = hloShardings(module, instruction))
                    for (const HloSharding& sharding : *shardings)
                        if (sharding.kind == HloSharding::Kind::Tiled)
                            addStrides(needed, sharding.tiles.strides().value_or(Strides{ 1 }), devices);
    addStrides(needed, known, devices);
    std::vector<MeshAxis> axes;
    for (auto stride = needed.begin(); std::next(stride) != needed.end(); ++stride)
        axes.insert(axes.begin(), { std::string(), *std::next(stride) / *stride });
    // An axis of the stated mesh that lies in the same place keeps its name.
    std::int64_t stride = 1;
    for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis, stride *= std::prev(axis)->size) {
        std::int64_t own = 1;
        for (auto other = stated.rbegin(); other != stated.rend(); own *= other->size, ++other)
            if (own == stride && other->size == axis->size && other->size > 1)
                axis->name = other->name;
    }
    if (axes.empty())
        axes.push_back({ std::string(), 1 });
    const auto isTaken = [&](const std::string& name) {
        return std::any_of(axes.begin(), axes.end(), [&](const MeshAxis& axis) { return axis.name == name; });
    };
    for (std::size_t i = 0, number = 0; i < axes.size(); ++i)
        while (axes[i].name.empty())
            if (std::string name = "axis_" + std::to_string(number++); !isTaken(name))
                axes[i].name = std::move(name);
    return axes;
}

} // namespace shardscope
