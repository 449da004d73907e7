// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "conformance/program_case.h"

namespace shardscope::conformance {

namespace {

std::string inlineText(const Mesh& mesh, std::optional<std::int64_t> onlyDevice)
{
    std::string text = "<";
    for (const MeshAxis& axis : mesh.axes())
        text += (text.size() == 1 ? "" : ",") + axis.name + "=" + std::to_string(axis.size);
    if (onlyDevice)
        text += "device " + std::to_string(*onlyDevice);
    if (!mesh.deviceOrder().empty()) {
        text += " ids";
        for (const std::int32_t id : mesh.deviceOrder())
            text += " " + std::to_string(id);
    }
    return text + ">";
}

std::string meshText(const Program& program, std::uint32_t index)
{
    if (index >= program.meshes.size())
        return "@?";
    const ProgramMesh& mesh = program.meshes[index];
    return mesh.inlined ? inlineText(*mesh.mesh, mesh.onlyDevice) : "@" + mesh.name;
}

std::string meshText(const Json& json)
{
    if (json.is_string())
        return "@" + json.get<std::string>();
    std::vector<MeshAxis> axes;
    for (const Json& axis : json.at("inline").at("axes"))
        axes.push_back({ axis.at("name").get<std::string>(), axis.at("size").get<std::int64_t>() });
    const Json& ids = json["inline"].value("device_ids", Json());
    if (axes.empty() && ids.is_array() && !ids.empty())
        return inlineText(Mesh(), ids[0].get<std::int64_t>());
    std::vector<std::int32_t> order;
    if (ids.is_array())
        order = ids.get<std::vector<std::int32_t>>();
    const Result<Mesh> mesh =
        order.empty() ? Mesh::create(std::move(axes)) : Mesh::createOver(std::move(axes), std::move(order));
    return mesh ? inlineText(*mesh, {}) : "@?";
}

/// Size of an axis of a case's mesh; 0 where the program does not know it.
std::int64_t axisSize(const Program& program, const Json& mesh, const std::string& axis)
{
    if (mesh.is_object()) {
        for (const Json& one : mesh.at("inline").at("axes"))
            if (one.at("name") == axis)
                return one.at("size").get<std::int64_t>();
        return 0;
    }
    for (const ProgramMesh& known : program.meshes)
        if (!known.inlined && known.name == mesh.get_ref<const std::string&>())
            if (const auto index = known.mesh->axisIndex(axis))
                return known.mesh->size(*index);
    return 0;
}

void appendDim(std::string& text, std::string axes, bool open, int priority)
{
    text += text.back() == '[' ? "{" : ",{";
    if (open)
        axes += axes.empty() ? "?" : ",?";
    text += axes + "}";
    if (priority >= 0)
        text += "p" + std::to_string(priority);
}

void appendSets(std::string& text, const std::string& replicated, const std::string& unreduced, const std::string& kind)
{
    text += "]";
    if (!replicated.empty())
        text += " replicated={" + replicated + "}";
    if (!unreduced.empty())
        text += " unreduced=" + (kind == "sum" ? "" : kind) + "{" + unreduced + "}";
}

} // namespace

std::string axisText(const Program& program, std::uint32_t mesh, AxisRef axis)
{
    if (mesh >= program.meshes.size() || axis.axis < 0
        || static_cast<std::size_t>(axis.axis) >= program.meshes[mesh].mesh->rank())
        return "?" + std::to_string(axis.axis);
    return toString(*program.meshes[mesh].mesh, axis);
}

std::string axisText(const Program& program, const Json& mesh, const Json& axis)
{
    std::string text = axis.at("name").get<std::string>();
    if (axis.at("pre").is_null())
        return text;
    const auto pre = axis["pre"].get<std::int64_t>();
    const auto size = axis.at("size").get<std::int64_t>();
    if (pre == 1 && size == axisSize(program, mesh, text))
        return text;
    return text + ":(" + std::to_string(pre) + ")" + std::to_string(size);
}

std::string axesText(const Program& program, std::uint32_t mesh, std::span<const AxisRef> axes)
{
    std::string text;
    for (const AxisRef axis : axes)
        text += (text.empty() ? "" : ",") + axisText(program, mesh, axis);
    return text;
}

std::string axesText(const Program& program, const Json& mesh, const Json& axes)
{
    std::string text;
    for (const Json& axis : axes)
        text += (text.empty() ? "" : ",") + axisText(program, mesh, axis);
    return text;
}

std::string shardingText(const Program& program, const ProgramSharding& sharding)
{
    std::string text = meshText(program, sharding.mesh) + " [";
    for (const DimensionSharding& dim : sharding.sharding.dims)
        appendDim(text, axesText(program, sharding.mesh, dim.axes), dim.open, dim.priority);
    appendSets(text, axesText(program, sharding.mesh, sharding.sharding.replicated),
        axesText(program, sharding.mesh, sharding.sharding.unreduced),
        sharding.unreducedKind == ReduceKind::Max       ? "max"
            : sharding.unreducedKind == ReduceKind::Min ? "min"
                                                        : "sum");
    return text;
}

std::string shardingText(const Program& program, const Json& sharding)
{
    if (!sharding.is_object())
        return "none";
    const Json& mesh = sharding.at("mesh");
    std::string text = meshText(mesh) + " [";
    for (const Json& dim : sharding.at("dims"))
        appendDim(text, axesText(program, mesh, dim.at("axes")), dim.at("open").get<bool>(),
            dim.at("priority").is_null() ? -1 : dim["priority"].get<int>());
    appendSets(text, axesText(program, mesh, sharding.at("replicated")),
        axesText(program, mesh, sharding.at("unreduced")), sharding.value("unreduced_op", "sum"));
    return text;
}

Json ruleJson(const FactorRule& rule)
{
    const auto letter = [](std::size_t factor) {
        constexpr std::size_t letters = 'z' - 'i' + 1;
        return factor < letters ? std::string(1, static_cast<char>('i' + factor))
                                : "z_" + std::to_string(factor - letters + 1);
    };
    const auto mappings = [&](const std::vector<FactorRule::TensorMapping>& tensors) {
        Json result = Json::array();
        for (const FactorRule::TensorMapping& tensor : tensors) {
            Json dims = Json::array();
            for (const FactorRule::DimensionFactors& dim : tensor) {
                Json factors = Json::array();
                for (const std::int32_t factor : dim)
                    factors.push_back(letter(static_cast<std::size_t>(factor)));
                dims.push_back(std::move(factors));
            }
            result.push_back(std::move(dims));
        }
        return result;
    };
    Json result{ { "operands", mappings(rule.operands) }, { "results", mappings(rule.results) },
        { "factors", Json::object() }, { "reduction", Json::array() }, { "need_replication", Json::array() },
        { "permutation", Json::array() }, { "blocked_propagation", Json::array() } };
    for (std::size_t i = 0; i < rule.factors.size(); ++i) {
        const FactorRule::Factor& factor = rule.factors[i];
        result["factors"][letter(i)] = factor.size;
        if (factor.kind == FactorKind::Reduction)
            result["reduction"].push_back(letter(i));
        if (factor.kind == FactorKind::NeedReplication)
            result["need_replication"].push_back(letter(i));
        if (factor.kind == FactorKind::Permutation)
            result["permutation"].push_back(letter(i));
        if (factor.blocked)
            result["blocked_propagation"].push_back(letter(i));
    }
    return result;
}

} // namespace shardscope::conformance
