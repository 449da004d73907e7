// SPDX-License-Identifier: GPL-3.0-or-later
#include "partition/part_labels.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "program/explaining_mesh.h"
#include "sharding/sharding_text.h"
#include "sharding/text.h"

namespace shardscope {

namespace {

/// Puts an attribute among those at `extra`, which becomes the index of the result.
void addLabel(Program& program, std::uint32_t& extra, const char* name, const std::string& text)
{
    Dictionary dictionary = program.dictionaries[extra];
    std::erase_if(dictionary, [name](const NamedText& entry) { return entry.name == name; });
    dictionary.push_back({ name, '"' + text + '"' });
    program.dictionaries.push_back(std::move(dictionary));
    extra = static_cast<std::uint32_t>(program.dictionaries.size() - 1);
}

} // namespace

void labelParts(Program& program, const Mesh& mesh, const std::vector<std::optional<TensorSharding>>& parts)
{
    const std::string axes =
        join(mesh.axes(), ",", [](const MeshAxis& axis) { return axis.name + '=' + std::to_string(axis.size); });
    const Result<Mesh> read = parseMesh(axes);
    const bool canBeRead = read && std::ranges::equal(read->axes(), mesh.axes()) && axes.find('"') == std::string::npos;
    addLabel(program, program.extra, meshLabel, canBeRead ? axes : "device=" + std::to_string(mesh.deviceCount()));
    if (!canBeRead || program.functions.empty())
        return;
    if (!mesh.deviceOrder().empty())
        addLabel(program, program.extra, orderLabel, join(mesh.deviceOrder(), ","));
    std::vector<std::uint32_t>& extras = program.functions.front().argumentExtras;
    extras.resize(program.main().arguments.size(), 0);
    for (std::size_t i = 0; i < std::min(parts.size(), extras.size()); ++i)
        if (parts[i])
            if (const std::string text = dimensionsText(*parts[i], mesh); text.find('"') == std::string::npos)
                addLabel(program, extras[i], shardingLabel, text);
}

} // namespace shardscope
