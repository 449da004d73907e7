// SPDX-License-Identifier: GPL-3.0-or-later
// Shardings as lists of axis texts, for test tables: { { "x" }, { "z:(2)2", "y" } }.
#pragma once

#include <cstdlib>
#include <string>
#include <vector>

#include "mesh/axis_ref.h"
#include "sharding/tensor_sharding.h"

namespace shardscope {

using AxisTexts = std::vector<std::vector<std::string>>;

inline AxisRef axisFromText(const Mesh& mesh, const std::string& text)
{
    const std::size_t colon = text.find(":(");
    const std::size_t axis = mesh.axisIndex(text.substr(0, colon)).value();
    if (colon == std::string::npos)
        return fullAxis(mesh, axis);
    const std::size_t close = text.find(')');
    return { static_cast<std::int32_t>(axis), std::atoi(text.c_str() + colon + 2),
        std::atoi(text.c_str() + close + 1) };
}

inline AxisList axesFromText(const Mesh& mesh, const std::vector<std::string>& texts)
{
    AxisList list;
    for (const std::string& text : texts)
        list.push_back(axisFromText(mesh, text));
    return list;
}

inline TensorSharding shardingFromText(const Mesh& mesh, const AxisTexts& dims)
{
    TensorSharding sharding = TensorSharding::fullyReplicated(dims.size());
    for (std::size_t d = 0; d < dims.size(); ++d)
        sharding.dims[d].axes = axesFromText(mesh, dims[d]);
    return sharding;
}

inline std::vector<std::string> toText(const Mesh& mesh, const AxisList& list)
{
    std::vector<std::string> texts;
    for (const AxisRef& ref : list)
        texts.push_back(toString(mesh, ref));
    return texts;
}

inline AxisTexts toText(const Mesh& mesh, const TensorSharding& sharding)
{
    AxisTexts texts;
    for (const DimensionSharding& dim : sharding.dims)
        texts.push_back(toText(mesh, dim.axes));
    return texts;
}

inline std::string joined(const AxisTexts& texts)
{
    std::string line;
    for (const auto& dim : texts) {
        line += '[';
        for (const std::string& text : dim)
            line += (line.back() == '[' ? "" : " ") + text;
        line += ']';
    }
    return line;
}

} // namespace shardscope
