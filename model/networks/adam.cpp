// SPDX-License-Identifier: GPL-3.0-or-later
#include "networks/adam.h"

namespace shardscope {

AdamScalars adamScalars(Builder& builder, const AdamSettings& adam, ValueId count, DType dtype)
{
    const DType computed = byteSize(dtype) < byteSize(DType::F32) ? DType::F32 : dtype; // 0.999 is 1 in bf16
    const auto scalar = [&](double number) { return builder.constant({ computed, {} }, number); };
    const ValueId t = builder.convert(count, computed);
    const auto overCorrection = [&](double numerator, double beta) { // numerator / (1 - beta^t)
        const ValueId decay = builder.binary(OpKind::Power, scalar(beta), t);
        const ValueId over =
            builder.binary(OpKind::Divide, scalar(numerator), builder.binary(OpKind::Subtract, scalar(1), decay));
        return computed == dtype ? over : builder.convert(over, dtype);
    };
    const ValueId step = overCorrection(-adam.learningRate, adam.beta1);
    return { step, overCorrection(1, adam.beta2) };
}

AdamState adamUpdate(Builder& builder, const AdamSettings& adam, const AdamScalars& scalars, const AdamState& state,
    ValueId gradient, double weightDecay)
{
    const TensorType type = builder.type(state.parameter);
    const auto add = [&](ValueId a, ValueId b) { return builder.binary(OpKind::Add, a, b); };
    const auto times = [&](ValueId a, ValueId b) { return builder.binary(OpKind::Multiply, a, b); };
    // Constants and spread scalars are made anew for each use, so that no two uses share a sharding.
    const auto constant = [&](double number) { return builder.constant(type, number); };
    const auto spread = [&](ValueId scalar) { return builder.broadcastScalar(scalar, type.shape); };

    AdamState next;
    const ValueId oldMu = times(state.mu, constant(adam.beta1));
    next.mu = add(oldMu, times(gradient, constant(1 - adam.beta1)));
    const ValueId oldNu = times(state.nu, constant(adam.beta2));
    next.nu = add(oldNu, times(times(gradient, gradient), constant(1 - adam.beta2)));
    const ValueId root = builder.unary(OpKind::Sqrt, times(next.nu, spread(scalars.scale)));
    const ValueId divisor = add(root, constant(adam.epsilon));
    ValueId change = builder.binary(OpKind::Divide, times(next.mu, spread(scalars.step)), divisor);
    if (weightDecay != 0)
        change = add(change, times(state.parameter, constant(-adam.learningRate * weightDecay)));
    next.parameter = add(state.parameter, change);
    return next;
}

} // namespace shardscope
