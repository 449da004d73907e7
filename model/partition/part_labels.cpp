// SPDX-License-Identifier: GPL-3.0-or-later
#include "partition/part_labels.h"

#include <utility>

#include "base/text.h"
#include "program/explaining_mesh.h"
#include "sharding/sharding_text.h"
#include "sharding/text.h"

namespace shardscope {

namespace {

/// Adds an attribute to those at `extra`, which becomes the index of the result.
void addLabel(Program& program, std::uint32_t& extra, const char* name, const std::string& text)
{
    Dictionary dictionary = program.dictionaries[extra];
    dictionary.push_back({ name, '"' + text + '"' });
    program.dictionaries.push_back(std::move(dictionary));
    extra = static_cast<std::uint32_t>(program.dictionaries.size() - 1);
}

} // namespace

void labelParts(Program& program, const DeviceProgram& device)
{
    const Mesh& mesh = *device.mesh;
    const std::string axes =
        join(mesh.axes(), ",", [](const MeshAxis& axis) { return axis.name + '=' + std::to_string(axis.size); });
    const Result<Mesh> read = parseMesh(axes);
    const bool canBeRead = read && *read == mesh && axes.find('"') == std::string::npos;
    addLabel(program, program.extra, meshLabel, canBeRead ? axes : "device=" + std::to_string(mesh.deviceCount()));
    if (!canBeRead)
        return;
    std::vector<std::uint32_t>& extras = program.functions.front().argumentExtras;
    extras.resize(device.inputs.size(), 0);
    for (std::size_t i = 0; i < device.inputs.size(); ++i)
        if (const std::string text = dimensionsText(device.inputs[i].sharding, mesh);
            device.inputs[i].over(device.mesh) == device.mesh && text.find('"') == std::string::npos)
            addLabel(program, extras[i], shardingLabel, text);
}

} // namespace shardscope
