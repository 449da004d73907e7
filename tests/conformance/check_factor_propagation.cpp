// SPDX-License-Identifier: GPL-3.0-or-later
// factor_propagation_unit: one step of a strategy on tables of factors.
#include "conformance/checker.h"
#include "conformance/factor_tables.h"
#include "propagation/factor_propagation.h"

namespace shardscope::conformance {

namespace {

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
