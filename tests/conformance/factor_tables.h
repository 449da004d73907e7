// SPDX-License-Identifier: GPL-3.0-or-later
// Tables of factors of reference cases, as projections. Used by the runner and by the tests of single steps.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "propagation/factor_propagation.h"

namespace shardscope::conformance {

/// Name to number and size. The tables give no mesh, and one with all their axes would be larger than meshes may be.
struct TableAxes {
    std::map<std::string, AxisRef> full;

    void collect(const nlohmann::json& node)
    {
        if (node.is_object() && node.contains("name") && node.contains("pre")) {
            const auto number = static_cast<std::int32_t>(full.size());
            AxisRef& axis = full.try_emplace(node["name"].get<std::string>(), AxisRef{ number, 1, 2 }).first->second;
            if (!node["pre"].is_null())
                axis.size = std::max(axis.size, 2 * node["pre"].get<int>() * node["size"].get<int>());
        } else if (node.is_structured()) {
            for (const nlohmann::json& child : node)
                collect(child);
        }
    }
    [[nodiscard]] AxisList list(const nlohmann::json& axes) const
    {
        AxisList result;
        for (const nlohmann::json& axis : axes) {
            const AxisRef& ref = full.at(axis["name"].get<std::string>());
            result.push_back(
                axis["pre"].is_null() ? ref : AxisRef{ ref.axis, axis["pre"].get<int>(), axis["size"].get<int>() });
        }
        return result;
    }
    [[nodiscard]] Mesh mesh() const
    {
        std::vector<MeshAxis> axes(full.size());
        for (const auto& [name, ref] : full)
            axes[static_cast<std::size_t>(ref.axis)] = { name, ref.size };
        return Mesh::create(axes).value();
    }
    [[nodiscard]] std::vector<TensorProjection> tensors(const nlohmann::json& tables, std::size_t factorCount) const
    {
        std::vector<TensorProjection> result;
        for (const nlohmann::json& tensor : tables) {
            TensorProjection& projection = result.emplace_back();
            projection.factors.resize(factorCount);
            for (const nlohmann::json& factor : tensor["factors"]) {
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
    [[nodiscard]] ShardingProjection table(const nlohmann::json& both, std::size_t factorCount) const
    {
        return { tensors(both["operands"], factorCount), tensors(both["results"], factorCount) };
    }
};

} // namespace shardscope::conformance
