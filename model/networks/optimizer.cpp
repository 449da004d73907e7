// SPDX-License-Identifier: GPL-3.0-or-later
#include "networks/optimizer.h"

#include <array>
#include <numeric>

namespace shardscope {

namespace {

constexpr std::array<std::string_view, 7> arrayNames{ "mu", "nu", "trace", "v_row", "v_col", "v", "master" };

/// The type that holds numbers of both, as JAX promotes them.
DType promotedType(DType a, DType b)
{
    if (a == b)
        return a;
    if (byteSize(a) != byteSize(b))
        return byteSize(a) > byteSize(b) ? a : b;
    return DType::F32; // bf16 and f16
}

bool hasMaster(const OptimizerSettings& settings, DType parameter)
{
    return settings.masterWeights && byteSize(parameter) < byteSize(DType::F32);
}

bool decaysWithGradient(OptimizerKind kind)
{
    return kind == OptimizerKind::Sgd || kind == OptimizerKind::Momentum || kind == OptimizerKind::Adam;
}

Dimensions dimensionsOfRank(std::size_t rank)
{
    Dimensions all(rank);
    std::iota(all.begin(), all.end(), 0);
    return all;
}

/// One update with everything in one type.
class OptimizerUpdate {
public:
    OptimizerUpdate(Builder& builder, const OptimizerSettings& settings, const OptimizerScalars& scalars)
        : m_builder(builder)
        , m_settings(settings)
        , m_scalars(scalars)
    {
    }

    /// `moments`: the arrays but for the master.
    OptimizerState build(ValueId parameter, const std::vector<ValueId>& moments, ValueId gradient)
    {
        if (decaysWithGradient(m_settings.kind) && m_settings.weightDecay != 0)
            gradient = add(gradient, times(parameter, m_settings.weightDecay));
        switch (m_settings.kind) {
        case OptimizerKind::Sgd:
            return { stepped(parameter, gradient), {} };
        case OptimizerKind::Momentum: {
            const ValueId trace = add(gradient, times(moments[0], m_settings.momentum));
            const ValueId update = m_settings.nesterov ? add(gradient, times(trace, m_settings.momentum)) : trace;
            return { stepped(parameter, update), { trace } };
        }
        case OptimizerKind::Adam:
        case OptimizerKind::AdamW: {
            const double decay = m_settings.kind == OptimizerKind::AdamW ? m_settings.weightDecay : 0;
            const AdamState next = adamUpdate(
                m_builder, m_settings, m_scalars.adam, { parameter, moments[0], moments[1] }, gradient, decay);
            return { next.parameter, { next.mu, next.nu } };
        }
        case OptimizerKind::Adafactor:
            break;
        }
        const bool factored = moments.size() == 2;
        const AdafactorState old = factored ? AdafactorState{ parameter, moments[0], moments[1], {} }
                                            : AdafactorState{ parameter, {}, {}, moments[0] };
        const AdafactorState next = adafactorUpdate(m_builder, m_settings, m_scalars.adafactor, old, gradient);
        return { next.parameter, factored ? std::vector{ next.row, next.column } : std::vector{ next.full } };
    }

private:
    ValueId add(ValueId a, ValueId b) { return m_builder.binary(OpKind::Add, a, b); }
    ValueId times(ValueId value, double number)
    {
        return m_builder.binary(OpKind::Multiply, value, m_builder.constant(m_builder.type(value), number));
    }
    ValueId stepped(ValueId parameter, ValueId update)
    {
        return add(parameter, times(update, -m_settings.learningRate));
    }

    Builder& m_builder;
    const OptimizerSettings& m_settings;
    const OptimizerScalars& m_scalars;
};

ValueId convertedTo(Builder& builder, ValueId value, DType dtype)
{
    return builder.type(value).dtype == dtype ? value : builder.convert(value, dtype);
}

} // namespace

std::vector<OptimizerArray> optimizerArrays(const OptimizerSettings& settings, const TensorType& parameter)
{
    const DType dtype = settings.stateDtype.value_or(updateType(settings, parameter.dtype));
    const Dimensions all = dimensionsOfRank(parameter.rank());
    std::vector<OptimizerArray> arrays;
    const auto add = [&](std::string_view name, Role role, std::int64_t without = -1) {
        OptimizerArray array{ name, role, { dtype, {} }, {} };
        for (const std::int64_t d : all) {
            if (d == without)
                continue;
            array.dimensions.push_back(d);
            array.type.shape.push_back(parameter.shape[static_cast<std::size_t>(d)]);
        }
        arrays.push_back(std::move(array));
    };
    switch (settings.kind) {
    case OptimizerKind::Sgd:
        break;
    case OptimizerKind::Momentum:
        add("trace", Role::Mu);
        break;
    case OptimizerKind::Adam:
    case OptimizerKind::AdamW:
        add("mu", Role::Mu);
        add("nu", Role::Nu);
        break;
    case OptimizerKind::Adafactor:
        if (const auto factored = factoredDimensions(settings.adafactor, parameter.shape)) {
            add("v_row", Role::Nu, factored->largest);
            add("v_col", Role::Nu, factored->second);
        } else {
            add("v", Role::Nu);
        }
        break;
    }
    if (hasMaster(settings, parameter.dtype))
        arrays.push_back({ "master", Role::Master, { DType::F32, parameter.shape }, all });
    return arrays;
}

std::span<const std::string_view> optimizerArrayNames()
{
    return arrayNames;
}

bool countsSteps(OptimizerKind kind)
{
    return kind != OptimizerKind::Sgd && kind != OptimizerKind::Momentum;
}

DType updateType(const OptimizerSettings& settings, DType parameter)
{
    const DType own = hasMaster(settings, parameter) ? DType::F32 : parameter;
    return promotedType(own, settings.stateDtype.value_or(own));
}

OptimizerScalars optimizerScalars(Builder& builder, const OptimizerSettings& settings, ValueId count, DType dtype)
{
    OptimizerScalars scalars;
    if (settings.kind == OptimizerKind::Adam || settings.kind == OptimizerKind::AdamW)
        scalars.adam = adamScalars(builder, settings, count, dtype);
    else if (settings.kind == OptimizerKind::Adafactor)
        scalars.adafactor = adafactorScalars(builder, settings.adafactor, count, dtype);
    return scalars;
}

OptimizerState optimizerUpdate(Builder& builder, const OptimizerSettings& settings, const OptimizerScalars& scalars,
    const OptimizerState& state, ValueId gradient)
{
    const DType stored = builder.type(state.parameter).dtype;
    const DType dtype = updateType(settings, stored);
    const bool master = hasMaster(settings, stored);
    const std::size_t count = state.arrays.size() - (master ? 1 : 0);
    std::vector<ValueId> moments;
    for (std::size_t i = 0; i < count; ++i)
        moments.push_back(convertedTo(builder, state.arrays[i], dtype));
    const ValueId parameter = convertedTo(builder, master ? state.arrays.back() : state.parameter, dtype);
    OptimizerState next =
        OptimizerUpdate(builder, settings, scalars).build(parameter, moments, convertedTo(builder, gradient, dtype));
    for (std::size_t i = 0; i < count; ++i)
        next.arrays[i] = convertedTo(builder, next.arrays[i], builder.type(state.arrays[i]).dtype);
    if (master)
        next.arrays.push_back(convertedTo(builder, next.parameter, DType::F32));
    next.parameter = convertedTo(builder, master ? next.arrays.back() : next.parameter, stored);
    return next;
}

std::vector<ValueId> clippedByGlobalNorm(Builder& builder, double clipNorm, std::span<const ValueId> gradients)
{
    if (gradients.empty())
        return {};
    DType dtype = DType::F32;
    for (const ValueId gradient : gradients)
        dtype = promotedType(dtype, builder.type(gradient).dtype);
    ValueId sum;
    for (const ValueId gradient : gradients) {
        const ValueId converted = convertedTo(builder, gradient, dtype);
        ValueId squares = builder.binary(OpKind::Multiply, converted, converted);
        if (const std::size_t rank = builder.type(converted).rank(); rank > 0)
            squares = builder.reduce(ReduceKind::Sum, squares, dimensionsOfRank(rank));
        sum = sum.valid() ? builder.binary(OpKind::Add, sum, squares) : squares;
    }
    const ValueId norm = builder.unary(OpKind::Sqrt, sum);
    const ValueId limit = builder.constant({ dtype, {} }, clipNorm);
    const ValueId ratio = builder.binary(OpKind::Divide, limit, norm);
    const ValueId scale = builder.binary(OpKind::Minimum, ratio, builder.constant({ dtype, {} }, 1));
    std::vector<ValueId> clipped;
    for (const ValueId gradient : gradients) {
        const TensorType type = builder.type(gradient);
        const ValueId factor = builder.broadcastScalar(convertedTo(builder, scale, type.dtype), type.shape);
        clipped.push_back(builder.binary(OpKind::Multiply, gradient, factor));
    }
    return clipped;
}

} // namespace shardscope
