// SPDX-License-Identifier: GPL-3.0-or-later
// Declared in factor_propagation.h.
#include "propagation/compatible_axes.h"

namespace shardscope {

namespace {

/// Cuts the list to what every tensor of the operation can take along the factor.
void limitToAll(AxisList& axes, const ShardingProjection& projection, std::size_t factor, const StepContext& context)
{
    const std::int64_t factorSize = context.rule.factors[factor].size;
    truncateAxes(axes, context, [&](AxisRef axis, std::int64_t shardedBefore) {
        std::optional<AxisRef> prefix = axis;
        for (const std::vector<TensorProjection>* tensors : { &projection.operands, &projection.results }) {
            for (const TensorProjection& tensor : *tensors) {
                if (tensor.factors[factor])
                    prefix = prefixWithinFactor(*prefix, tensor, factor, shardedBefore, factorSize);
                if (prefix)
                    prefix = prefixAcrossFactors(*prefix, tensor, factor);
                if (!prefix)
                    return prefix;
            }
        }
        return prefix;
    });
}

void expand(
    std::vector<TensorProjection>& tensors, std::size_t factor, const AxisList& axes, std::vector<bool>& changed)
{
    changed.resize(tensors.size());
    for (std::size_t t = 0; t < tensors.size(); ++t) {
        auto& sharding = tensors[t].factors[factor];
        if (sharding && isStrictPrefix(sharding->axes, axes)) {
            sharding->axes = axes;
            changed[t] = true;
        }
    }
}

template <class Indices>
void collect(const std::vector<bool>& changed, Indices& indices)
{
    for (std::size_t t = 0; t < changed.size(); ++t) {
        if (changed[t])
            indices.push_back(static_cast<std::uint32_t>(t));
    }
}

} // namespace

UpdatedTensors propagateBasic(ShardingProjection& projection, const StepContext& context)
{
    std::vector<bool> operandsChanged;
    std::vector<bool> resultsChanged;
    for (std::size_t f = 0; f < context.rule.factors.size(); ++f) {
        AxisList axes = compatibleMajorAxes(projection, f, directionAlong(context, f));
        if (axes.empty())
            continue;
        limitToAll(axes, projection, f, context);
        expand(projection.operands, f, axes, operandsChanged);
        expand(projection.results, f, axes, resultsChanged);
    }
    UpdatedTensors updated;
    collect(operandsChanged, updated.operands);
    collect(resultsChanged, updated.results);
    return updated;
}

} // namespace shardscope
