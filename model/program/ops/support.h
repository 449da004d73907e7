// SPDX-License-Identifier: GPL-3.0-or-later
// What the rows of several operations share: factor rules, costs, checks.
#pragma once

#include <algorithm>
#include <array>
#include <string>

#include "program/builder.h"
#include "program/op_row.h"
#include "program/other_attributes.h"

namespace shardscope::ops {

using Types = std::span<const TensorType>;
using Cotangents = std::span<const ValueId>;
using Wanted = std::span<const bool>;

/// Position of a dimension in a list as it is used to index vectors.
[[nodiscard]] inline std::size_t at(std::int64_t dimension)
{
    return static_cast<std::size_t>(dimension);
}
[[nodiscard]] inline bool contains(const Dimensions& list, std::int64_t dimension)
{
    return std::find(list.begin(), list.end(), dimension) != list.end();
}
/// 0, 1, ... rank-1 without those of `without`.
[[nodiscard]] Dimensions dimensionsExcept(std::size_t rank, const Dimensions& without);

[[nodiscard]] tl::unexpected<Error> typeMismatch(std::string_view op, std::string detail);
[[nodiscard]] tl::unexpected<Error> invalidAttribute(std::string_view op, std::string detail);
/// Every entry is a dimension of a tensor of that rank and none occurs twice; otherwise InvalidAttribute.
[[nodiscard]] Result<void> checkDimensions(std::string_view op, const Dimensions& list, std::size_t rank);
/// The alternative that the operation needs, or InvalidAttribute.
template <class T>
[[nodiscard]] Result<const T*> attributesAs(std::string_view op, const Attributes& attributes)
{
    if (const T* found = std::get_if<T>(&attributes))
        return found;
    return invalidAttribute(op, "attributes of another operation");
}
/// The same for the attributes of the less common operations.
template <class T>
[[nodiscard]] Result<const T*> requiredAttributes(std::string_view op, const Attributes& attributes)
{
    if (const T* found = attributesAs<T>(attributes))
        return found;
    return invalidAttribute(op, "its attributes are missing");
}
/// Those of an operation that has been checked.
template <class T>
[[nodiscard]] const T& attributesOf(const Operation& operation)
{
    return *attributesAs<T>(operation.attributes);
}
[[nodiscard]] std::vector<TensorType> typesOf(const Program& program, std::span<const ValueId> values);
/// The same, to be read only: up to four are kept without an allocation.
class TypeList {
public:
    TypeList(const Program& program, std::span<const ValueId> values);
    TypeList(const TypeList&) = delete;
    TypeList& operator=(const TypeList&) = delete;

    [[nodiscard]] std::size_t size() const { return m_types.size(); }
    [[nodiscard]] bool empty() const { return m_types.empty(); }
    [[nodiscard]] const TensorType* data() const { return m_types.data(); }
    [[nodiscard]] const TensorType* begin() const { return data(); }
    [[nodiscard]] const TensorType* end() const { return data() + size(); }
    [[nodiscard]] const TensorType& operator[](std::size_t i) const { return m_types[i]; }
    [[nodiscard]] const TensorType& front() const { return m_types.front(); }
    [[nodiscard]] const TensorType& back() const { return m_types.back(); }

private:
    std::array<TensorType, 4> m_few;
    std::vector<TensorType> m_many;
    Types m_types; ///< in one of the two
};
/// InvalidAttribute unless there are none.
[[nodiscard]] Result<void> expectNoAttributes(std::string_view op, const Attributes& attributes);

/// In the place of a dimension: the factor is not in this tensor.
inline constexpr std::int64_t absent = -1;

/// Puts a factor rule together as Shardy's builder does. `absent` stands for "not in this tensor".
///
///     C[i,j] = A[i,k] B[k,j]:   add({0, absent}, {0}, 8);  add({absent, 1}, {1}, 16);
///                               add({1, 0}, {absent}, 32, FactorKind::Reduction);
class RuleBuilder {
public:
    using List = std::span<const std::int64_t>;

    RuleBuilder(Types operands, const TensorType& result);
    RuleBuilder(Types operands, Types results);
    RuleBuilder(const Program& program, const Operation& operation);

    /// The dimension of each operand and of each result over which the factor runs. A factor of size 1 is left out of
    /// dimensions that have one already.
    RuleBuilder& add(List operandDimensions, List resultDimensions, std::int64_t size,
        FactorKind kind = FactorKind::PassThrough, bool blocked = false);
    RuleBuilder& add(List operandDimensions, std::int64_t resultDimension, std::int64_t size,
        FactorKind kind = FactorKind::PassThrough, bool blocked = false)
    {
        return add(operandDimensions, List(&resultDimension, 1), size, kind, blocked);
    }
    /// The same dimension of all operands and results that have the rank of the first operand.
    RuleBuilder& addShared(
        std::int64_t dimension, std::int64_t size, FactorKind kind = FactorKind::PassThrough, bool blocked = false);
    /// The rule; a dimension that is left without a factor gets one of size 1 of its own, operands first.
    [[nodiscard]] FactorRule build() &&;

private:
    FactorRule m_rule;
};

/// The rule of operations through which nothing propagates.
[[nodiscard]] FactorRule noFactors(Types operands, const TensorType& result, const Attributes& attributes);
/// The rule of elementwise operations; scalar operands of larger results take no part.
[[nodiscard]] FactorRule pointwiseFactors(Types operands, const TensorType& result, const Attributes& attributes);

/// One factor per dimension, for any number of operands and results.
[[nodiscard]] FactorRule pointwiseRule(const Program& program, const Operation& operation, RuleOptions options);
/// Dimensions whose size changes from the first operand to the first result are of that kind, the others are passed
/// through; all tensors of the same rank share them. Sizes are the operand's.
[[nodiscard]] FactorRule changedDimensionsRule(
    const Program& program, const Operation& operation, FactorKind changed, bool blocked);

/// One floating-point operation per element of the result; operands read once, the result written once.
[[nodiscard]] OperationCost pointwiseCost(Types operands, const TensorType& result, const Attributes& attributes);
/// The same without arithmetic: data is only moved.
[[nodiscard]] OperationCost movementCost(Types operands, const TensorType& result, const Attributes& attributes);

/// All operands read, all results written, that much arithmetic.
[[nodiscard]] OperationCost workOf(const Program& program, const Operation& operation, double flops);
[[nodiscard]] OperationCost movementWork(const Program& program, const Operation& operation);

/// A constant of the type of `value`, made anew for every use so that uses do not share a sharding.
[[nodiscard]] ValueId splatLike(Builder& builder, ValueId value, double number);
/// Cotangents of operands in the element types of those: products of narrow numbers may be kept in wider ones.
[[nodiscard]] std::vector<ValueId> inTypesOf(
    Builder& builder, std::vector<ValueId> cotangents, const Operation& operation);

} // namespace shardscope::ops
