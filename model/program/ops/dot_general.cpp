// SPDX-License-Identifier: GPL-3.0-or-later
// Products of arrays: batch dimensions run in both operands and the result, contracting ones are summed over.
// The result's dimensions are the batch dimensions, then the free ones of lhs, then those of rhs.
// Declared in rows.h.
#include <array>

#include "program/ops/checks.h"
#include "program/ops/rows.h"

namespace shardscope::ops {

namespace {

const DotGeneralAttributes& dot(const Attributes& attributes)
{
    return std::get<DotGeneralAttributes>(attributes);
}

/// Dimensions of an operand that are neither batch nor contracting.
Dimensions freeDimensions(std::size_t rank, const Dimensions& batch, const Dimensions& contracting)
{
    Dimensions taken = batch;
    for (const std::int64_t d : contracting)
        taken.push_back(d);
    return dimensionsExcept(rank, taken);
}

Result<TensorType> inferDotGeneral(Types operands, const Attributes& attributes, const TensorType&)
{
    SHARDSCOPE_TRY(own, attributesAs<DotGeneralAttributes>("dot_general", attributes));
    const DotGeneralAttributes& a = **own;
    const TensorType &lhs = operands[0], &rhs = operands[1];
    const auto checkSide = [](const TensorType& type, const Dimensions& batch, const Dimensions& contracting) {
        Dimensions all = batch;
        for (const std::int64_t d : contracting)
            all.push_back(d);
        return checkDimensions("dot_general", all, type.rank());
    };
    SHARDSCOPE_CHECK(checkSide(lhs, a.lhsBatch, a.lhsContracting));
    SHARDSCOPE_CHECK(checkSide(rhs, a.rhsBatch, a.rhsContracting));
    if (a.lhsBatch.size() != a.rhsBatch.size() || a.lhsContracting.size() != a.rhsContracting.size())
        return invalidAttribute("dot_general", "batch and contracting dimensions do not pair up");
    const auto pairsAgree = [&](const Dimensions& left, const Dimensions& right) {
        for (std::size_t i = 0; i < left.size(); ++i)
            if (lhs.shape[at(left[i])] != rhs.shape[at(right[i])])
                return false;
        return true;
    };
    if (!pairsAgree(a.lhsBatch, a.rhsBatch) || !pairsAgree(a.lhsContracting, a.rhsContracting))
        return typeMismatch(
            "dot_general", toString(lhs) + " and " + toString(rhs) + ", whose paired dimensions have different sizes");
    TensorType result{ lhs.dtype, {} };
    for (const std::int64_t d : a.lhsBatch)
        result.shape.push_back(lhs.shape[at(d)]);
    for (const std::int64_t d : freeDimensions(lhs.rank(), a.lhsBatch, a.lhsContracting))
        result.shape.push_back(lhs.shape[at(d)]);
    for (const std::int64_t d : freeDimensions(rhs.rank(), a.rhsBatch, a.rhsContracting))
        result.shape.push_back(rhs.shape[at(d)]);
    return result;
}

FactorRule dotGeneralFactors(Types operands, const TensorType& result, const Attributes& attributes)
{
    const DotGeneralAttributes& a = dot(attributes);
    const TensorType &lhs = operands[0], &rhs = operands[1];
    RuleBuilder rule(operands, result);
    std::int64_t to = 0;
    for (std::size_t i = 0; i < a.lhsBatch.size(); ++i)
        rule.add(std::array{ a.lhsBatch[i], a.rhsBatch[i] }, to++, lhs.shape[at(a.lhsBatch[i])]);
    for (const std::int64_t d : freeDimensions(lhs.rank(), a.lhsBatch, a.lhsContracting))
        rule.add(std::array{ d, absent }, to++, lhs.shape[at(d)]);
    for (const std::int64_t d : freeDimensions(rhs.rank(), a.rhsBatch, a.rhsContracting))
        rule.add(std::array{ absent, d }, to++, rhs.shape[at(d)]);
    for (std::size_t i = 0; i < a.lhsContracting.size(); ++i)
        rule.add(std::array{ a.lhsContracting[i], a.rhsContracting[i] }, absent, lhs.shape[at(a.lhsContracting[i])],
            FactorKind::Reduction);
    return std::move(rule).build();
}

OperationCost dotGeneralCost(Types operands, const TensorType& result, const Attributes& attributes)
{
    OperationCost cost = movementCost(operands, result, attributes);
    cost.flops = 2 * static_cast<double>(result.elementCount()); // one multiplication and one addition per term
    for (const std::int64_t d : dot(attributes).lhsContracting)
        cost.flops *= static_cast<double>(operands[0].shape[at(d)]);
    return cost;
}

/// A permutation that puts a product's dimensions where the operand has them: dimension i of the product stands for
/// dimension stands[i] of the operand.
ValueId arrange(Builder& b, ValueId product, const Dimensions& stands)
{
    if (std::is_sorted(stands.begin(), stands.end()))
        return product;
    Dimensions permutation(stands.size());
    for (std::size_t i = 0; i < stands.size(); ++i)
        permutation[at(stands[i])] = static_cast<std::int64_t>(i);
    return b.transpose(product, permutation);
}

/// Consecutive numbers from `first`.
Dimensions count(std::size_t first, std::size_t number)
{
    Dimensions list;
    for (std::size_t i = 0; i < number; ++i)
        list.push_back(static_cast<std::int64_t>(first + i));
    return list;
}

/// Contracting dimensions of one operand in the order in which those of the other one ascend.
Dimensions orderedByOther(const Dimensions& own, const Dimensions& other)
{
    Dimensions sorted = other, ordered;
    std::sort(sorted.begin(), sorted.end());
    for (const std::int64_t d : sorted)
        ordered.push_back(own[static_cast<std::size_t>(std::find(other.begin(), other.end(), d) - other.begin())]);
    return ordered;
}

Dimensions joined(const Dimensions& a, const Dimensions& b, const Dimensions& c)
{
    Dimensions all = a;
    for (const Dimensions* list : { &b, &c })
        for (const std::int64_t d : *list)
            all.push_back(d);
    return all;
}

// For C = A B: dA = dC B^T and dB = A^T dC. The operands of these products stand in such an order that for plain
// matrices no transpose is left: the free dimensions of the first operand come first in the result.
std::vector<ValueId> pullBackDotGeneral(Builder& b, const Operation& operation, Cotangents cotangents, Wanted wanted)
{
    const ValueId c = cotangents[0];
    const ValueId lhs = operation.operands[0], rhs = operation.operands[1];
    const DotGeneralAttributes& a = dot(operation.attributes);
    const Dimensions lhsFree = freeDimensions(b.type(lhs).rank(), a.lhsBatch, a.lhsContracting);
    const Dimensions rhsFree = freeDimensions(b.type(rhs).rank(), a.rhsBatch, a.rhsContracting);
    const std::size_t batches = a.lhsBatch.size();
    const Dimensions resultBatch = count(0, batches);
    const Dimensions resultLhs = count(batches, lhsFree.size());
    const Dimensions resultRhs = count(batches + lhsFree.size(), rhsFree.size());

    std::vector<ValueId> pulled(2);
    if (wanted[0]) // batch, free of lhs, contracting as rhs has them
        pulled[0] = arrange(b, b.dotGeneral(c, rhs, { resultBatch, a.rhsBatch, resultRhs, rhsFree }),
            joined(a.lhsBatch, lhsFree, orderedByOther(a.lhsContracting, a.rhsContracting)));
    if (wanted[1]) // batch, contracting as lhs has them, free of rhs
        pulled[1] = arrange(b, b.dotGeneral(lhs, c, { a.lhsBatch, resultBatch, lhsFree, resultLhs }),
            joined(a.rhsBatch, orderedByOther(a.rhsContracting, a.lhsContracting), rhsFree));
    return inTypesOf(b, std::move(pulled), operation);
}

/// Products of narrow numbers may be kept in wider ones: the element types need not agree.
Result<void> checkDotGeneral(const Subject& product)
{
    SHARDSCOPE_CHECK(expectResults(product, 1));
    SHARDSCOPE_TRY(inferred, inferDotGeneral(product.operands, product.operation.attributes, product.results[0]));
    return expectShape(product, "the result", product.results[0], inferred->shape);
}

// Products of vectors and matrices: the last dimension of the left operand with the first of the right one.

/// The element type of the result is free: products of narrow numbers are often kept in wider ones.
Result<void> checkDot(const Subject& dot)
{
    SHARDSCOPE_CHECK(expectResults(dot, 1));
    const TensorType &lhs = dot.operands[0], &rhs = dot.operands[1];
    for (const TensorType& operand : dot.operands)
        if (operand.rank() < 1 || operand.rank() > 2)
            return dot.mismatch("operand is " + toString(operand) + "; a vector or a matrix is needed");
    if (lhs.shape.back() != rhs.shape.front())
        return dot.mismatch(toString(lhs) + " and " + toString(rhs) + ", which contract "
            + std::to_string(lhs.shape.back()) + " with " + std::to_string(rhs.shape.front()));
    Shape shape(lhs.shape.begin(), lhs.shape.end() - 1);
    for (std::size_t d = 1; d < rhs.rank(); ++d)
        shape.push_back(rhs.shape[d]);
    return expectShape(dot, "the result", dot.results[0], shape);
}

FactorRule dotFactors(Types operands, const TensorType& result, const Attributes&)
{
    const Shape &lhs = operands[0].shape, &rhs = operands[1].shape;
    RuleBuilder rule(operands, result);
    std::int64_t to = 0;
    if (lhs.size() == 2)
        rule.add(std::array<std::int64_t, 2>{ 0, absent }, to++, lhs[0]);
    if (rhs.size() == 2)
        rule.add(std::array<std::int64_t, 2>{ absent, 1 }, to, rhs[1]);
    rule.add(std::array<std::int64_t, 2>{ static_cast<std::int64_t>(lhs.size()) - 1, 0 }, absent, rhs[0],
        FactorKind::Reduction);
    return std::move(rule).build();
}

OperationCost dotCost(Types operands, const TensorType& result, const Attributes& attributes)
{
    OperationCost cost = movementCost(operands, result, attributes);
    cost.flops = 2 * static_cast<double>(result.elementCount()) * static_cast<double>(operands[1].shape.front());
    return cost;
}

/// dA = dC B^T and dB = A^T dC; where a vector stands for a matrix, products of every number with every number.
std::vector<ValueId> pullBackDot(Builder& b, const Operation& operation, Cotangents cotangents, Wanted wanted)
{
    const ValueId lhs = operation.operands[0], rhs = operation.operands[1], c = cotangents[0];
    const bool rows = b.type(lhs).rank() == 2, columns = b.type(rhs).rank() == 2;
    const auto last = static_cast<std::int64_t>(b.type(c).rank()) - 1;
    std::vector<ValueId> pulled(2);
    if (wanted[0])
        pulled[0] = columns ? b.dotGeneral(c, rhs, { {}, {}, { last }, { 1 } }) : b.dotGeneral(c, rhs, {});
    if (wanted[1])
        pulled[1] = rows ? b.dotGeneral(lhs, c, { {}, {}, { 0 }, { 0 } }) : b.dotGeneral(lhs, c, {});
    return inTypesOf(b, std::move(pulled), operation);
}

constexpr std::array dotGeneralTable{
    OpRow{ .kind = OpKind::DotGeneral,
        .name = "dot_general",
        .operandCount = 2,
        .inferType = inferDotGeneral,
        .factors = dotGeneralFactors,
        .cost = dotGeneralCost,
        .pullback = pullBackDotGeneral,
        .check = checkDotGeneral },
    OpRow{ .kind = OpKind::Dot,
        .name = "dot",
        .operandCount = 2,
        .factors = dotFactors,
        .cost = dotCost,
        .pullback = pullBackDot,
        .check = checkDot },
};

} // namespace

std::span<const OpRow> dotGeneralRows()
{
    return dotGeneralTable;
}

} // namespace shardscope::ops
