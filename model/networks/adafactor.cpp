// SPDX-License-Identifier: GPL-3.0-or-later
#include "networks/adafactor.h"

#include <algorithm>
#include <numeric>

namespace shardscope {

namespace {

constexpr double leastParameterRms = 1e-3;

Dimensions dimensionsBut(std::size_t rank, std::int64_t dropped)
{
    Dimensions kept;
    for (std::int64_t d = 0; d < static_cast<std::int64_t>(rank); ++d)
        if (d != dropped)
            kept.push_back(d);
    return kept;
}

/// The operations of one update. Those of an argument are built before those of the operation that takes it, so that
/// their order does not depend on the compiler.
class AdafactorUpdate {
public:
    AdafactorUpdate(Builder& builder, const OptimizerSettings& settings, const AdafactorScalars& scalars)
        : m_builder(builder)
        , m_settings(settings)
        , m_scalars(scalars)
    {
    }

    AdafactorState build(const AdafactorState& state, ValueId gradient)
    {
        AdafactorState next;
        ValueId square = binary(OpKind::Multiply, gradient, gradient);
        square = withNumber(OpKind::Add, square, m_settings.epsilon);
        const Shape shape = m_builder.type(gradient).shape;
        const auto factored = factoredDimensions(m_settings.adafactor, shape);
        ValueId update = factored ? byFactors(state, next, gradient, square, *factored) : gradient;
        if (!factored) {
            next.full = decayed(state.full, square);
            update = binary(OpKind::Multiply, gradient, m_builder.unary(OpKind::Rsqrt, next.full));
        }
        if (m_settings.adafactor.clipRms > 0) {
            const ValueId ratio = withNumber(OpKind::Divide, rootMeanSquare(update), m_settings.adafactor.clipRms);
            update = withScalar(OpKind::Divide, update, withNumber(OpKind::Maximum, ratio, 1));
        }
        update = withNumber(OpKind::Multiply, update, m_settings.learningRate);
        if (m_settings.adafactor.scaleByParameter) {
            const ValueId size = rootMeanSquare(state.parameter);
            update = withScalar(OpKind::Multiply, update, withNumber(OpKind::Maximum, size, leastParameterRms));
        }
        if (m_settings.weightDecay != 0)
            update = binary(OpKind::Add, update, withNumber(OpKind::Multiply, state.parameter, m_settings.weightDecay));
        next.parameter = binary(OpKind::Subtract, state.parameter, update);
        return next;
    }

private:
    ValueId binary(OpKind kind, ValueId a, ValueId b) { return m_builder.binary(kind, a, b); }
    /// Constants and spread scalars are made anew for each use, so that no two uses share a sharding.
    ValueId withNumber(OpKind kind, ValueId value, double number)
    {
        return binary(kind, value, m_builder.constant(m_builder.type(value), number));
    }
    ValueId withScalar(OpKind kind, ValueId value, ValueId scalar)
    {
        return binary(kind, value, m_builder.broadcastScalar(scalar, m_builder.type(value).shape));
    }

    ValueId mean(ValueId value, const Dimensions& over)
    {
        if (over.empty())
            return value;
        const Shape shape = m_builder.type(value).shape;
        double count = 1;
        for (const std::int64_t d : over)
            count *= static_cast<double>(shape[static_cast<std::size_t>(d)]);
        return withNumber(OpKind::Divide, m_builder.reduce(ReduceKind::Sum, value, over), count);
    }
    ValueId rootMeanSquare(ValueId value)
    {
        const ValueId square = binary(OpKind::Multiply, value, value);
        return m_builder.unary(OpKind::Sqrt, mean(square, dimensionsBut(m_builder.type(value).rank(), -1)));
    }
    /// d moment + (1 - d) next
    ValueId decayed(ValueId moment, ValueId next)
    {
        const ValueId kept = withScalar(OpKind::Multiply, moment, m_scalars.decay);
        return binary(OpKind::Add, kept, withScalar(OpKind::Multiply, next, m_scalars.gain));
    }

    ValueId byFactors(const AdafactorState& state, AdafactorState& next, ValueId gradient, ValueId square,
        const FactoredDimensions& factored)
    {
        const Shape shape = m_builder.type(gradient).shape;
        const Dimensions rowDimensions = dimensionsBut(shape.size(), factored.largest);
        const Dimensions columnDimensions = dimensionsBut(shape.size(), factored.second);
        next.row = decayed(state.row, mean(square, { factored.largest }));
        next.column = decayed(state.column, mean(square, { factored.second }));

        const std::int64_t secondInRow = factored.second - (factored.second > factored.largest ? 1 : 0);
        const ValueId rowMean = mean(next.row, { secondInRow });
        const Shape rowShape = m_builder.type(next.row).shape;
        const ValueId spreadMean = m_builder.broadcast(rowMean, rowShape, dimensionsBut(rowShape.size(), secondInRow));
        const ValueId rowFactor = m_builder.unary(OpKind::Rsqrt, binary(OpKind::Divide, next.row, spreadMean));
        const ValueId columnFactor = m_builder.unary(OpKind::Rsqrt, next.column);
        const ValueId byRow = binary(OpKind::Multiply, gradient, m_builder.broadcast(rowFactor, shape, rowDimensions));
        return binary(OpKind::Multiply, byRow, m_builder.broadcast(columnFactor, shape, columnDimensions));
    }

    Builder& m_builder;
    const OptimizerSettings& m_settings;
    const AdafactorScalars& m_scalars;
};

} // namespace

std::optional<FactoredDimensions> factoredDimensions(const AdafactorSettings& settings, const Shape& shape)
{
    if (shape.size() < 2)
        return std::nullopt;
    std::vector<std::int64_t> bySize(shape.size());
    std::iota(bySize.begin(), bySize.end(), 0);
    std::stable_sort(bySize.begin(), bySize.end(), [&](std::int64_t a, std::int64_t b) {
        return shape[static_cast<std::size_t>(a)] < shape[static_cast<std::size_t>(b)];
    });
    const FactoredDimensions found{ bySize.back(), bySize[bySize.size() - 2] };
    if (shape[static_cast<std::size_t>(found.second)] < settings.factoredSize)
        return std::nullopt;
    return found;
}

AdafactorScalars adafactorScalars(Builder& builder, const AdafactorSettings& settings, ValueId count, DType dtype)
{
    const TensorType scalar{ dtype, {} };
    const ValueId t = builder.convert(count, dtype);
    const ValueId gain = builder.binary(OpKind::Power, t, builder.constant(scalar, -settings.decayExponent));
    const ValueId one = builder.constant(scalar, 1);
    return { builder.binary(OpKind::Subtract, one, gain), gain };
}

AdafactorState adafactorUpdate(Builder& builder, const OptimizerSettings& settings, const AdafactorScalars& scalars,
    const AdafactorState& state, ValueId gradient)
{
    return AdafactorUpdate(builder, settings, scalars).build(state, gradient);
}

} // namespace shardscope
