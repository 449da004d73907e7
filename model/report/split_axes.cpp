// SPDX-License-Identifier: GPL-3.0-or-later
#include "report/split_axes.h"

#include <algorithm>
#include <charconv>

#include "base/text.h"

namespace shardscope {

namespace {

struct AxisPart {
    std::string axis;
    std::int64_t major = 1, size = 1;
};

/// "x:(4)2"; nothing for an axis.
std::optional<AxisPart> partOf(const std::string& text)
{
    const std::size_t open = text.rfind(":("), close = text.find(')', open);
    if (open == std::string::npos || close == std::string::npos)
        return std::nullopt;
    AxisPart part{ text.substr(0, open), 0, 0 };
    const char* const begin = text.data();
    std::from_chars(begin + open + 2, begin + close, part.major);
    std::from_chars(begin + close + 1, begin + text.size(), part.size);
    return part.major > 0 && part.size > 0 ? std::optional(part) : std::nullopt;
}

} // namespace

std::optional<SplitAxes> SplitAxes::of(const Mesh& mesh, const std::set<std::string>& parts)
{
    std::map<std::string, std::set<std::int64_t>> bounds; ///< of the sub-axes of an axis, as products of sizes
    for (const std::string& text : parts) {
        const std::optional<AxisPart> part = partOf(text);
        if (!part || !mesh.axisIndex(part->axis))
            return std::nullopt;
        bounds[part->axis].insert({ part->major, part->major * part->size });
    }
    SplitAxes split;
    std::vector<MeshAxis> axes;
    for (const MeshAxis& axis : mesh.axes()) {
        const auto found = bounds.find(axis.name);
        if (found == bounds.end()) {
            axes.push_back(axis);
            continue;
        }
        found->second.insert({ 1, axis.size });
        std::vector<SubAxis>& subAxes = split.m_subAxes[axis.name];
        for (auto at = found->second.begin(); std::next(at) != found->second.end(); ++at) {
            const std::int64_t end = *std::next(at);
            if (end % *at != 0)
                return std::nullopt;
            std::string name = axis.name + '_' + std::to_string(subAxes.size() + 1);
            while (mesh.axisIndex(name))
                name += '_';
            axes.push_back({ name, end / *at });
            subAxes.push_back({ std::move(name), *at });
        }
    }
    std::vector<std::int32_t> order(mesh.deviceOrder().begin(), mesh.deviceOrder().end());
    Result<Mesh> made =
        order.empty() ? Mesh::create(std::move(axes)) : Mesh::createOver(std::move(axes), std::move(order));
    if (!made)
        return std::nullopt;
    split.m_mesh = std::move(*made);
    return split;
}

std::vector<std::string> SplitAxes::axesOf(const std::string& axisOrPart) const
{
    const std::optional<AxisPart> part = partOf(axisOrPart);
    const auto found = m_subAxes.find(part ? part->axis : axisOrPart);
    if (found == m_subAxes.end())
        return { axisOrPart };
    std::vector<std::string> names;
    for (const SubAxis& subAxis : found->second)
        if (!part || (subAxis.major >= part->major && subAxis.major < part->major * part->size))
            names.push_back(subAxis.name);
    return names;
}

std::string SplitAxes::explained() const
{
    std::string text;
    for (const auto& [axis, subAxes] : m_subAxes) {
        text += (text.empty() ? "" : "; ") + axis + " is ";
        for (std::size_t i = 0; i < subAxes.size(); ++i)
            text += (i == 0 ? "" : i + 1 == subAxes.size() ? " and " : ", ") + subAxes[i].name;
    }
    return text;
}

std::int64_t devicesAlong(const Mesh& mesh, const std::string& axisOrPart)
{
    if (const auto axis = mesh.axisIndex(axisOrPart))
        return mesh.size(*axis);
    const std::optional<AxisPart> part = partOf(axisOrPart);
    return part ? part->size : 1;
}

} // namespace shardscope
