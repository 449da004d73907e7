// SPDX-License-Identifier: GPL-3.0-or-later
#include "networks/transformer_parts.h"

#include <numeric>
#include <utility>

namespace shardscope {

namespace {

/// first, first + 1, ... `count` of them.
Dimensions consecutive(std::size_t first, std::size_t count)
{
    Dimensions dimensions(count);
    std::iota(dimensions.begin(), dimensions.end(), static_cast<std::int64_t>(first));
    return dimensions;
}

} // namespace

NetworkPart::NetworkPart(Builder& builder, const TransformerSettings& settings, const ParameterValues& parameters)
    : m_builder(builder)
    , m_settings(settings)
    , m_parameters(parameters)
    , m_outerScope(builder.scope())
{
}

NetworkPart::NetworkPart(const NetworkPart& parent, std::string_view name)
    : NetworkPart(parent, name, parent.m_parameters)
{
}

NetworkPart::NetworkPart(const NetworkPart& parent, std::string_view name, const ParameterValues& parameters)
    : m_builder(parent.m_builder)
    , m_settings(parent.m_settings)
    , m_parameters(parameters)
    , m_path(parent.pathOf(name))
    , m_outerScope(m_builder.scope())
{
    m_builder.setScope(m_path);
}

NetworkPart::~NetworkPart()
{
    m_builder.setScope(std::move(m_outerScope));
}

std::string NetworkPart::pathOf(std::string_view name) const
{
    return m_path.empty() ? std::string(name) : (m_path + '/').append(name);
}

bool NetworkPart::has(std::string_view name) const
{
    return m_parameters.contains(pathOf(name));
}

ValueId NetworkPart::parameter(std::string_view name) const
{
    return parameter(name, m_settings.computeDtype);
}

ValueId NetworkPart::parameter(std::string_view name, DType dtype) const
{
    return converted(m_builder, m_parameters.at(pathOf(name)), dtype);
}

ValueId NetworkPart::withBias(ValueId x, std::string_view name) const
{
    if (!has(name))
        return x;
    const TensorType type = m_builder.type(x);
    return m_builder.binary(OpKind::Add, x, spreadAlongLast(m_builder, parameter(name, type.dtype), type.shape));
}

ValueId NetworkPart::named(ValueId x, std::string_view name, std::initializer_list<Axis> axes) const
{
    return m_builder.named(x, pathOf(name), Role::Activation, dimensionNames(axes));
}

ValueId NetworkPart::activation(ValueId x, std::string_view name, std::initializer_list<Axis> axes) const
{
    return named(m_builder.constrain(x, LogicalAxes{ logicalNames(m_settings, axes) }), name, axes);
}

DType accurateType(DType dtype)
{
    return dtype == DType::BF16 || dtype == DType::F16 ? DType::F32 : dtype;
}

ValueId converted(Builder& builder, ValueId x, DType dtype)
{
    return builder.type(x).dtype == dtype ? x : builder.convert(x, dtype);
}

// Constants are made anew for each use, so that no two uses share a sharding.

ValueId times(Builder& builder, ValueId x, double factor)
{
    const TensorType type = builder.type(x);
    return builder.binary(OpKind::Multiply, x, builder.constant(type, factor));
}

ValueId plus(Builder& builder, ValueId x, double term)
{
    const TensorType type = builder.type(x);
    return builder.binary(OpKind::Add, x, builder.constant(type, term));
}

ValueId spreadAlongLast(Builder& builder, ValueId x, const Shape& shape)
{
    const std::size_t rank = builder.type(x).rank();
    return builder.broadcast(x, shape, consecutive(shape.size() - rank, rank));
}

ValueId spreadOverLast(Builder& builder, ValueId x, const Shape& shape)
{
    return builder.broadcast(x, shape, consecutive(0, shape.size() - 1));
}

ValueId reducedOverLast(Builder& builder, ReduceKind kind, ValueId x)
{
    return builder.reduce(kind, x, { static_cast<std::int64_t>(builder.type(x).rank()) - 1 });
}

ValueId fixedMaximum(Builder& builder, ValueId x)
{
    return builder.named(reducedOverLast(builder, ReduceKind::Max, x), {}, Role::Constant);
}

ValueId softmax(Builder& builder, ValueId x)
{
    const Shape shape = builder.type(x).shape;
    const ValueId maximum = spreadOverLast(builder, fixedMaximum(builder, x), shape);
    const ValueId e = builder.unary(OpKind::Exponential, builder.binary(OpKind::Subtract, x, maximum));
    const ValueId sum = reducedOverLast(builder, ReduceKind::Sum, e);
    return builder.binary(OpKind::Divide, e, spreadOverLast(builder, sum, shape));
}

ValueId softCapped(Builder& builder, ValueId x, double cap)
{
    return cap == 0 ? x : times(builder, builder.unary(OpKind::Tanh, times(builder, x, 1 / cap)), cap);
}

} // namespace shardscope
