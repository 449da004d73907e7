// SPDX-License-Identifier: GPL-3.0-or-later
#include "program/program_mesh.h"

#include <algorithm>
#include <limits>

namespace shardscope {

namespace {

/// The mesh of these axes and ids, if there is one.
std::optional<Mesh> legalMesh(const std::vector<MeshAxis>& axes, const std::optional<std::vector<std::int64_t>>& ids)
{
    std::vector<std::int32_t> order;
    if (ids) {
        order.reserve(ids->size());
        for (const std::int64_t id : *ids) {
            if (id < 0 || id > std::numeric_limits<std::int32_t>::max())
                return {};
            order.push_back(static_cast<std::int32_t>(id));
        }
    }
    Result<Mesh> mesh = Mesh::create(axes, std::move(order));
    if (!mesh || (ids && mesh->deviceOrder().empty())) // the plain order needs no list
        return {};
    return std::move(*mesh);
}

} // namespace

ProgramMesh declaredMesh(
    std::string name, std::vector<MeshAxis> axes, std::optional<std::vector<std::int64_t>> deviceIds, bool inlined)
{
    ProgramMesh made{ std::move(name), nullptr };
    made.inlined = inlined;
    if (deviceIds && deviceIds->empty())
        deviceIds.reset(); // the same as no list
    if (axes.empty() && deviceIds && deviceIds->size() == 1 && deviceIds->front() >= 0) {
        made.mesh = std::make_shared<const Mesh>();
        made.onlyDevice = deviceIds->front();
    } else if (std::optional<Mesh> mesh = legalMesh(axes, deviceIds)) {
        made.mesh = std::make_shared<const Mesh>(std::move(*mesh));
    } else {
        made.mesh = std::make_shared<const Mesh>();
        made.illegal = std::make_shared<const DeclaredMesh>(DeclaredMesh{
            std::move(axes), deviceIds ? std::move(*deviceIds) : std::vector<std::int64_t>{}, deviceIds.has_value() });
    }
    return made;
}

ProgramMesh undeclaredMesh(std::string name)
{
    ProgramMesh made{ std::move(name), std::make_shared<const Mesh>() };
    made.undeclared = true;
    return made;
}

AxisRef axisReference(ProgramMesh& mesh, std::string_view name, std::optional<SubAxis> part)
{
    constexpr std::int64_t largest = std::numeric_limits<std::int32_t>::max();
    if (const auto axis = mesh.mesh->axisIndex(name)) {
        if (!part)
            return fullAxis(*mesh.mesh, *axis);
        const bool fits =
            part->pre >= -largest && part->pre <= largest && part->size >= -largest && part->size <= largest;
        const bool isFullAxis = part->pre == 1 && part->size == mesh.mesh->size(*axis);
        if (fits && !isFullAxis)
            return { static_cast<std::int32_t>(*axis), static_cast<std::int32_t>(part->pre),
                static_cast<std::int32_t>(part->size) };
    }
    InvalidAxis invalid{ std::string(name) };
    if (part) {
        invalid.isPart = true;
        invalid.pre = part->pre;
        invalid.size = part->size;
    }
    auto found = std::find(mesh.invalidAxes.begin(), mesh.invalidAxes.end(), invalid);
    if (found == mesh.invalidAxes.end())
        found = mesh.invalidAxes.insert(found, std::move(invalid));
    return { static_cast<std::int32_t>(mesh.mesh->rank()) + static_cast<std::int32_t>(found - mesh.invalidAxes.begin()),
        1, 1 };
}

const InvalidAxis* invalidAxis(const ProgramMesh& mesh, AxisRef ref)
{
    const auto rank = static_cast<std::int32_t>(mesh.mesh->rank());
    const auto index = static_cast<std::size_t>(ref.axis - rank);
    return ref.axis >= rank && index < mesh.invalidAxes.size() ? &mesh.invalidAxes[index] : nullptr;
}

std::string axisText(const ProgramMesh& mesh, AxisRef ref)
{
    if (const InvalidAxis* invalid = invalidAxis(mesh, ref))
        return invalid->isPart
            ? invalid->name + ":(" + std::to_string(invalid->pre) + ")" + std::to_string(invalid->size)
            : invalid->name;
    return toString(*mesh.mesh, ref);
}

} // namespace shardscope
