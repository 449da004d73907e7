// SPDX-License-Identifier: GPL-3.0-or-later
#include "networks/feed_forward.h"

#include <cmath>
#include <numbers>

#include "networks/chosen_parts.h"

namespace shardscope {

ValueId activated(Builder& b, ActivationKind kind, ValueId x)
{
    const auto product = [&](ValueId lhs, ValueId rhs) { return b.binary(OpKind::Multiply, lhs, rhs); };
    const TensorType type = b.type(x);
    switch (kind) {
    case ActivationKind::Relu:
        return b.binary(OpKind::Maximum, x, b.constant(type, 0));
    case ActivationKind::Gelu: {
        const ValueId cube = product(product(x, x), x);
        const ValueId inner = b.binary(OpKind::Add, x, times(b, cube, 0.044715));
        const ValueId tanh = b.unary(OpKind::Tanh, times(b, inner, std::sqrt(2 / std::numbers::pi)));
        return product(times(b, x, 0.5), plus(b, tanh, 1));
    }
    case ActivationKind::Silu:
        return product(x, b.unary(OpKind::Logistic, x));
    }
    return x;
}

ValueId hiddenValues(const NetworkPart& part, const std::function<ValueId(const std::string& kernel)>& linear)
{
    Builder& b = part.builder();
    const TransformerSettings& s = part.settings();
    if (!s.gatedMlp)
        return activated(b, s.activation, linear("wi"));
    const ValueId gate = activated(b, s.activation, linear("wi_0"));
    return b.binary(OpKind::Multiply, gate, linear("wi_1"));
}

ValueId feedForward(const NetworkPart& parent, std::string_view partName, ValueId x)
{
    const NetworkPart part(parent, partName);
    Builder& b = part.builder();
    const auto linear = [&](const std::string& name) {
        const ValueId y = part.withBias(b.dot(x, part.parameter(name + "/kernel")), name + "/bias");
        return part.named(y, name, { Axis::Batch, Axis::Length, Axis::HiddenMlp });
    };
    const ValueId hidden =
        part.activation(hiddenValues(part, linear), "hidden", { Axis::Batch, Axis::Length, Axis::HiddenMlp });
    const ValueId y = part.withBias(b.dot(hidden, part.parameter("wo/kernel")), "wo/bias");
    return constrainedOutput(part, part.named(y, "wo", { Axis::Batch, Axis::Length, Axis::ResidualEmbed }));
}

} // namespace shardscope
