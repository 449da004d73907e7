// SPDX-License-Identifier: GPL-3.0-or-later
// What the checks of several operations share: types that have to agree, bodies, counts. Every message says what was
// found and what it should have been.
#pragma once

#include "program/ops/support.h"

namespace shardscope::ops {

/// An operation with the types of its operands and results.
struct Subject {
    const Program& program;
    const Operation& operation;
    const std::string& name; ///< with its dialect
    TypeList operands, results;

    Subject(const Program& p, const Operation& o);
    [[nodiscard]] tl::unexpected<Error> mismatch(std::string detail) const { return typeMismatch(name, detail); }
    [[nodiscard]] tl::unexpected<Error> attribute(std::string detail) const { return invalidAttribute(name, detail); }
    [[nodiscard]] tl::unexpected<Error> operand(std::string detail) const;
    /// The attributes, or InvalidAttribute.
    template <class T>
    [[nodiscard]] Result<const T*> otherAttributes() const
    {
        return requiredAttributes<T>(name, operation.attributes);
    }
};

/// "2 operands", "1 result"
[[nodiscard]] std::string counted(std::size_t count, std::string_view noun);
[[nodiscard]] Result<void> expectOperands(const Subject& subject, std::size_t count);
[[nodiscard]] Result<void> expectResults(const Subject& subject, std::size_t count);
/// The same type, as far as is known: sizes that only a run knows fit everything, types that nobody knows themselves.
[[nodiscard]] bool compatible(const TensorType& a, const TensorType& b);
/// TypeMismatch unless they are: "`what` is tensor<2xf32> and should be tensor<3xf32>".
[[nodiscard]] Result<void> expectType(
    const Subject& subject, const std::string& what, const TensorType& found, const TensorType& wanted);
[[nodiscard]] Result<void> expectShape(
    const Subject& subject, const std::string& what, const TensorType& found, const Shape& wanted);
[[nodiscard]] Result<void> expectScalar(const Subject& subject, const std::string& what, const TensorType& found);
/// All operands and all results have one and the same type.
[[nodiscard]] Result<void> expectOneType(const Subject& subject);
/// Result i has the type of operand i.
[[nodiscard]] Result<void> expectSameTypes(const Subject& subject);
/// Zero entries, or that many.
[[nodiscard]] Result<void> expectEntries(
    const Subject& subject, const std::string& what, std::size_t found, std::size_t wanted);

/// A body with those arguments and results: "body", "condition", "branch 0".
[[nodiscard]] Result<void> expectBody(
    const Subject& subject, RegionId body, const std::string& what, Types arguments, Types results);
/// n inputs, as many initial values and results: n.
[[nodiscard]] Result<std::size_t> expectReducedInputs(const Subject& reduce);
/// The inputs have the shape of the first one, the results have `kept`; the scalars that the body puts together.
[[nodiscard]] Result<std::vector<TensorType>> expectReducedShapes(const Subject& reduce, const Shape& kept);
/// A body that puts two numbers of each type together: 2 n scalars in, n out. The numbers may be wider than `types`.
[[nodiscard]] Result<void> expectReducer(
    const Subject& subject, RegionId body, const std::string& what, Types types, std::size_t results);

[[nodiscard]] bool isInteger(DType dtype); ///< of any width and sign; not i1
[[nodiscard]] std::int64_t largestInteger(DType dtype); ///< of an integer type: 127 of i8; at most that of i64

/// Of StableHLO's collectives: each device stands in one group at most (of a collective_permute: sends and receives
/// once at most). The rows of the collectives leave that out: a program for many devices names all of them in each of
/// its collectives, and many collectives share their attributes, of which one look is enough.
[[nodiscard]] Result<void> checkDevices(const Subject& subject);
/// Nothing is worked.
[[nodiscard]] OperationCost noWork(const Program& program, const Operation& operation);

/// Sizes of a dimension after dilation and after padding, and the number of windows that fit into it.
[[nodiscard]] std::int64_t dilated(std::int64_t size, std::int64_t dilation);
[[nodiscard]] std::int64_t padded(std::int64_t size, std::int64_t before, std::int64_t after);
[[nodiscard]] std::int64_t windowCount(std::int64_t paddedSize, std::int64_t window, std::int64_t stride);

} // namespace shardscope::ops
