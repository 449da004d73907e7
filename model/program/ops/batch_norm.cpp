// SPDX-License-Identifier: GPL-3.0-or-later
// Normalisation over everything but the feature dimension. What is known per feature is a vector.
// Declared in rows.h.
#include <array>

#include "program/ops/checks.h"
#include "program/ops/rows.h"

namespace shardscope::ops {

namespace {

/// Operand 0 is the array, and so are one more operand (0 = none) and the first result; all others are vectors of the
/// size of its feature dimension.
template <std::size_t ResultCount, std::size_t ArrayOperand>
Result<void> checkBatchNorm(const Subject& norm)
{
    SHARDSCOPE_TRY(own, norm.otherAttributes<BatchNormAttributes>());
    SHARDSCOPE_CHECK(expectResults(norm, ResultCount));
    const TensorType& array = norm.operands[0];
    if (!isFloat(array.dtype))
        return norm.mismatch("it does not take elements of " + toString(array));
    SHARDSCOPE_CHECK(checkDimensions(norm.name, { (*own)->featureIndex }, array.rank()));
    const TensorType perFeature{ array.dtype, { array.shape[at((*own)->featureIndex)] } };
    for (std::size_t i = 1; i < norm.operands.size(); ++i)
        SHARDSCOPE_CHECK(
            expectType(norm, "operand " + std::to_string(i), norm.operands[i], i == ArrayOperand ? array : perFeature));
    for (std::size_t i = 0; i < norm.results.size(); ++i)
        SHARDSCOPE_CHECK(expectType(norm, "result " + std::to_string(i), norm.results[i], i == 0 ? array : perFeature));
    return {};
}

FactorRule inferenceFactors(Types operands, const TensorType& result, const Attributes& attributes)
{
    const std::int64_t feature = attributesAs<BatchNormAttributes>(attributes)->featureIndex;
    RuleBuilder rule(operands, result);
    for (std::int64_t d = 0; d < static_cast<std::int64_t>(result.rank()); ++d) {
        std::vector<std::int64_t> places(operands.size(), d == feature ? 0 : absent);
        places[0] = d;
        rule.add(places, d, result.shape[at(d)]);
    }
    return std::move(rule).build();
}

/// A difference, a quotient, a product and a sum per number.
OperationCost normWork(const Program& program, const Operation& operation)
{
    return workOf(
        program, operation, 4 * static_cast<double>(program.value(operation.operands[0]).type.elementCount()));
}

constexpr std::array batchNormTable{
    OpRow{ .kind = OpKind::BatchNormInference,
        .name = "batch_norm_inference",
        .operandCount = 5,
        .factors = inferenceFactors,
        .check = checkBatchNorm<1, 0>,
        .work = normWork },
    OpRow{ .kind = OpKind::BatchNormTraining,
        .name = "batch_norm_training",
        .operandCount = 3,
        .factors = noFactors,
        .check = checkBatchNorm<3, 0>,
        .work = normWork },
    OpRow{ .kind = OpKind::BatchNormGrad,
        .name = "batch_norm_grad",
        .operandCount = 5,
        .factors = noFactors,
        .check = checkBatchNorm<3, 4>,
        .work = normWork },
};

} // namespace

std::span<const OpRow> batchNormRows()
{
    return batchNormTable;
}

} // namespace shardscope::ops
