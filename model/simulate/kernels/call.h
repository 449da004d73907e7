// SPDX-License-Identifier: GPL-3.0-or-later
// One operation on one device: what it is given, and the table of who computes it. Full arrays and the shards of a
// device are the same to it, since shapes are those of the program that runs.
#pragma once

#include <span>
#include <vector>

#include "program/other_attributes.h"
#include "program/program.h"
#include "simulate/kernels/array.h"
#include "simulate/kernels/strided_copy.h"

namespace shardscope::kernels {

/// What a device holds of the values that bodies read from outside.
class Scope {
public:
    virtual ~Scope() = default;
    [[nodiscard]] virtual const Array& at(ValueId value) const = 0;
};

struct Call {
    const Program& program;
    const Operation& operation;
    std::span<const Array> operands;
    const Scope* scope = nullptr;

    [[nodiscard]] const TensorType& type(std::size_t result = 0) const
    {
        return program.value(operation.results[result]).type;
    }
    template <class T>
    [[nodiscard]] const T& own() const ///< the operation's attributes, which verify() found to be there
    {
        return *attributesAs<T>(operation.attributes);
    }
};

using Evaluate = Arrays (*)(const Call&);

/// Who computes an operation by itself, without other devices; null where nobody does, or control does.
[[nodiscard]] Evaluate evaluator(OpKind kind);

// By family.
[[nodiscard]] Evaluate movementEvaluator(OpKind kind);
[[nodiscard]] Evaluate indexingEvaluator(OpKind kind);
[[nodiscard]] Evaluate reductionEvaluator(OpKind kind);
[[nodiscard]] Evaluate productEvaluator(OpKind kind);
[[nodiscard]] Evaluate algebraEvaluator(OpKind kind);
[[nodiscard]] Evaluate fourierEvaluator(OpKind kind);
[[nodiscard]] Evaluate randomEvaluator(OpKind kind);
[[nodiscard]] Evaluate sortEvaluator(OpKind kind);

/// Elementwise operations, scalars and (chlo) smaller operands spread first.
[[nodiscard]] Arrays evaluateElementwise(const Call& call);
[[nodiscard]] Array constantArray(const ConstantAttributes& own, const TensorType& type);
/// 0, 1, 2, ...
[[nodiscard]] Array numbered(DType dtype, std::int64_t count);
/// Puts the elements of a padded array into the result, which is filled with the padding.
[[nodiscard]] StridedCopy paddedCopy(const PadAttributes& own, const TensorType& operand, const TensorType& result);
/// Repeats an array along dimensions: dimension d of the operand is dimension dims[d] of the result.
[[nodiscard]] Array broadcast(const Array& operand, std::span<const std::int64_t> dims, const TensorType& to);
[[nodiscard]] Array transposed(const Array& operand, std::span<const std::int64_t> permutation);
[[nodiscard]] Array converted(const Array& operand, DType to);

} // namespace shardscope::kernels
