// SPDX-License-Identifier: GPL-3.0-or-later
#include "conformance/plain_shardings.h"

#include <cmath>
#include <cstdlib>
#include <stdexcept>

namespace shardscope::conformance {

MeshPtr plainMesh(const Json& axes, const Json& deviceIds)
{
    std::vector<MeshAxis> list;
    for (const Json& axis : axes)
        list.push_back({ axis.at(0).get<std::string>(), axis.at(1).get<std::int64_t>() });
    std::vector<std::int32_t> order;
    if (deviceIds.is_array())
        order = deviceIds.get<std::vector<std::int32_t>>();
    return std::make_shared<const Mesh>(Mesh::create(std::move(list), std::move(order)).value());
}

AxisList plainAxes(const Mesh& mesh, const Json& list)
{
    AxisList axes;
    for (const Json& entry : list.is_array() ? list : list.is_null() ? Json::array() : Json::array({ list })) {
        const std::string text = entry.get<std::string>();
        const std::size_t part = text.find(":(");
        const std::size_t axis = mesh.axisIndex(text.substr(0, part)).value();
        if (part == std::string::npos)
            axes.push_back(fullAxis(mesh, axis));
        else
            axes.push_back({ static_cast<std::int32_t>(axis), std::atoi(text.c_str() + part + 2),
                std::atoi(text.c_str() + text.find(')') + 1) });
    }
    return axes;
}

TensorSharding plainSharding(const Mesh& mesh, const Json& spec, std::size_t rank)
{
    TensorSharding sharding = TensorSharding::fullyReplicated(rank);
    if (spec.size() > rank)
        throw std::out_of_range("a spec with more entries than dimensions");
    for (std::size_t d = 0; d < spec.size(); ++d)
        sharding.dims[d].axes = plainAxes(mesh, spec[d]);
    return sharding;
}

Shape plainShape(const Json& sizes)
{
    Shape shape;
    for (const Json& size : sizes)
        shape.push_back(size.get<std::int64_t>());
    return shape;
}

DType plainType(const Json& oneCase)
{
    return parseDType(oneCase.value("dtype", "f32")).value();
}

Json axesJson(const Mesh& mesh, const AxisList& axes)
{
    Json json = Json::array();
    for (const AxisRef& axis : axes)
        json.push_back(toString(mesh, axis));
    return json;
}

Json listsJson(const Mesh& mesh, const TensorSharding& sharding)
{
    Json json = Json::array();
    for (const DimensionSharding& dim : sharding.dims)
        json.push_back(axesJson(mesh, dim.axes));
    return json;
}

Json specJson(const Mesh& mesh, const TensorSharding& sharding)
{
    Json json = listsJson(mesh, sharding);
    for (Json& dim : json) {
        if (dim.empty())
            dim = nullptr;
        else if (dim.size() == 1)
            dim = Json(dim.front());
    }
    return json;
}

Json numberJson(Rational number)
{
    return number.denominator() == 1 ? Json(number.numerator()) : Json(number.value());
}

bool isNumber(const Json& expected, Rational number)
{
    return std::abs(expected.get<double>() - number.value()) <= 1e-6;
}

bool isAtMost(Rational a, const Json& b)
{
    return a.value() <= b.get<double>() + 1e-6;
}

} // namespace shardscope::conformance
