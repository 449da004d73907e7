// SPDX-License-Identifier: GPL-3.0-or-later
// factor_propagation_unit: one step of a strategy on tables of factors.
#include <map>

#include "conformance/checker.h"
#include "propagation/factor_propagation.h"

namespace shardscope::conformance {

namespace {

/// Name to number and size. The tables give no mesh, and one with all their axes would be larger than meshes may be.
struct TableAxes {
    std::map<std::string, AxisRef> whole;

    void collect(const Json& node)
    {
        if (node.is_object() && node.contains("name") && node.contains("pre")) {
            const auto number = static_cast<std::int32_t>(whole.size());
            AxisRef& axis = whole.try_emplace(node["name"].get<std::string>(), AxisRef{ number, 1, 2 }).first->second;
            if (!node["pre"].is_null())
                axis.size = std::max(axis.size, 2 * node["pre"].get<int>() * node["size"].get<int>());
        } else if (node.is_structured()) {
            for (const Json& child : node)
                collect(child);
        }
    }
    [[nodiscard]] AxisList list(const Json& axes) const
    {
        AxisList result;
        for (const Json& axis : axes) {
            const AxisRef& ref = whole.at(axis["name"].get<std::string>());
            result.push_back(
                axis["pre"].is_null() ? ref : AxisRef{ ref.axis, axis["pre"].get<int>(), axis["size"].get<int>() });
        }
        return result;
    }
    [[nodiscard]] Mesh mesh() const
    {
        std::vector<MeshAxis> axes(whole.size());
        for (const auto& [name, ref] : whole)
            axes[static_cast<std::size_t>(ref.axis)] = { name, ref.size };
        return Mesh::create(axes).value();
    }
    [[nodiscard]] std::vector<TensorProjection> tensors(const Json& tables, std::size_t factorCount) const
    {
        std::vector<TensorProjection> result;
        for (const Json& tensor : tables) {
            TensorProjection& projection = result.emplace_back();
            projection.factors.resize(factorCount);
            for (const Json& factor : tensor["factors"]) {
                FactorSharding& sharding = projection.factors[factor["index"].get<std::size_t>()].emplace();
                sharding.axes = list(factor["axes"]);
                sharding.overflow = list(factor["overflow"]);
                sharding.closed = factor["closed"].get<bool>();
                // The tables know no sizes, hence no divisibility; a minor-most factor asks for none.
                sharding.minorMost = true;
            }
            projection.replicated = list(tensor["replicated"]);
            projection.unreduced = list(tensor["unreduced"]);
        }
        return result;
    }
    [[nodiscard]] ShardingProjection table(const Json& both, std::size_t factorCount) const
    {
        return { tensors(both["operands"], factorCount), tensors(both["results"], factorCount) };
    }
};

Direction directionOf(const Json& name)
{
    const std::string text = name.get<std::string>();
    return text == "FORWARD" ? Direction::Forward
        : text == "BACKWARD" ? Direction::Backward
        : text == "NONE"     ? Direction::None
                             : Direction::Both;
}

template <class Indices>
Json listed(const Indices& indices)
{
    Json list = Json::array();
    for (const std::uint32_t index : indices)
        list.push_back(index);
    return list;
}

} // namespace

CaseResult checkFactorPropagation(const Json& oneCase, const Json&)
{
    TableAxes axes;
    axes.collect(oneCase.at("before"));
    axes.collect(oneCase.at("after"));
    const auto factorCount = oneCase.at("num_factors").get<std::size_t>();
    FactorRule rule;
    rule.factors.resize(factorCount);
    std::vector<Direction> directions(factorCount, Direction::Both);
    if (oneCase.at("directions").is_array())
        for (std::size_t f = 0; f < factorCount; ++f)
            directions[f] = directionOf(oneCase["directions"][f]);
    std::optional<Mesh> mesh;
    if (oneCase.at("conservative").get<bool>())
        mesh = axes.mesh();
    const StepContext context{ rule, directions, false, mesh ? &*mesh : nullptr };
    ShardingProjection projection = axes.table(oneCase["before"], factorCount);
    const UpdatedTensors updated = oneCase.at("strategy") == "basic" ? propagateBasic(projection, context)
                                                                     : propagateAggressive(projection, context);
    if (!(projection == axes.table(oneCase["after"], factorCount)))
        return CaseResult::failed("the tables differ after the step");
    return compareMembers(
        oneCase, { { "updated_operands", listed(updated.operands) }, { "updated_results", listed(updated.results) } });
}

} // namespace shardscope::conformance
