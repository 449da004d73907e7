// SPDX-License-Identifier: GPL-3.0-or-later
#include "networks/norms.h"

#include "networks/chosen_parts.h"

namespace shardscope {

namespace {

ValueId meanOverLast(Builder& b, ValueId x)
{
    const std::int64_t size = b.type(x).shape.back();
    return times(b, reducedOverLast(b, ReduceKind::Sum, x), 1 / static_cast<double>(size));
}

/// x / sqrt(mean(x²) + ε)
ValueId toUnitSize(Builder& b, ValueId x, double epsilon)
{
    const Shape shape = b.type(x).shape;
    const ValueId square = meanOverLast(b, b.binary(OpKind::Multiply, x, x));
    const ValueId factor = b.unary(OpKind::Rsqrt, plus(b, square, epsilon));
    return b.binary(OpKind::Multiply, x, spreadOverLast(b, factor, shape));
}

ValueId centred(Builder& b, ValueId x)
{
    const Shape shape = b.type(x).shape;
    return b.binary(OpKind::Subtract, x, spreadOverLast(b, meanOverLast(b, x), shape));
}

ValueId normOf(const NetworkPart& part, std::string_view name, ValueId x, NormKind kind)
{
    const NetworkPart norm(part, name);
    Builder& b = norm.builder();
    const TransformerSettings& s = norm.settings();
    const DType dtype = b.type(x).dtype;
    ValueId y = converted(b, x, accurateType(dtype));
    if (kind != NormKind::Rms)
        y = centred(b, y);
    y = toUnitSize(b, y, s.normEpsilon);
    if (kind == NormKind::Rms && !s.normPlusOne) // as MaxText, T5X and Llama have it: so is the scale's gradient
        y = converted(b, y, dtype);
    const TensorType type = b.type(y);
    ValueId scale = norm.parameter("scale", type.dtype);
    if (s.normPlusOne)
        scale = plus(b, scale, 1);
    y = b.binary(OpKind::Multiply, y, spreadAlongLast(b, scale, type.shape));
    return converted(b, norm.withBias(y, "bias"), dtype);
}

} // namespace

ValueId normalised(const NetworkPart& part, std::string_view name, ValueId x)
{
    const ValueId y = normOf(part, name, x, part.settings().norm);
    return constrainedOutput(NetworkPart(part, name), y);
}

ValueId rmsNormalised(const NetworkPart& part, std::string_view name, ValueId x)
{
    return normOf(part, name, x, NormKind::Rms);
}

} // namespace shardscope
