// SPDX-License-Identifier: GPL-3.0-or-later
// Builds a Program operation by operation. Types are inferred by the operations' rows; a misuse is a programming error
// and aborts with the row's message.
//
//     Builder b("mlp");
//     ValueId x = b.argument({ DType::F32, { 8, 1024 } }, "x", Role::Input, { "batch", "embed" });
//     ValueId w = b.argument({ DType::F32, { 1024, 1024 } }, "params/W", Role::Parameter, { "embed", "hidden" });
//     ValueId y = b.named(b.dot(x, w), "y", Role::Activation, { "batch", "hidden" });
//     b.result(y);
//     Program program = std::move(b).finish();
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "program/program.h"

namespace shardscope {

class Builder {
public:
    explicit Builder(std::string name);
    /// Goes on with a program.
    explicit Builder(Program program);

    ValueId argument(TensorType type, std::string path, Role role, std::vector<std::string> dimNames = {},
        Annotation annotation = {});
    /// Index among the results.
    std::uint32_t result(ValueId value, Annotation annotation = {});
    void state(ValueId argument, std::uint32_t result);

    /// Names a value and says what it is; returns it.
    ValueId named(ValueId value, std::string path, Role role, std::vector<std::string> dimNames = {});
    /// Operations added from now on belong to that scope.
    void setScope(std::string scope);
    [[nodiscard]] const std::string& scope() const;
    /// Scopes and paths that are set from now on begin with it and a slash; "" ends that. For building the same once
    /// more: within "microbatches.1" a value named "layers.0/y" has the path "microbatches.1/layers.0/y".
    void setPrefix(std::string_view prefix);

    ValueId constant(TensorType type, double splat);
    ValueId constant(TensorType type, std::vector<double> values);
    ValueId unary(OpKind kind, ValueId operand);
    ValueId convert(ValueId operand, DType dtype);
    ValueId binary(OpKind kind, ValueId lhs, ValueId rhs);
    ValueId compare(Comparison direction, ValueId lhs, ValueId rhs);
    ValueId select(ValueId predicate, ValueId onTrue, ValueId onFalse);
    ValueId clamp(ValueId lowest, ValueId operand, ValueId highest);
    ValueId broadcast(ValueId operand, Shape shape, Dimensions dimensions);
    /// A scalar to a full shape.
    ValueId broadcastScalar(ValueId scalar, Shape shape);
    ValueId transpose(ValueId operand, Dimensions permutation);
    ValueId reshape(ValueId operand, Shape shape);
    ValueId iota(TensorType type, std::int64_t dimension);
    ValueId dotGeneral(ValueId lhs, ValueId rhs, DotGeneralAttributes attributes);
    /// Last dimension of lhs with the first of rhs.
    ValueId dot(ValueId lhs, ValueId rhs);
    ValueId reduce(ReduceKind kind, ValueId operand, Dimensions dimensions);
    ValueId constrain(ValueId operand, Annotation annotation);
    /// Any operation with one result, and without bodies, by its row. `hint` is the type where the row infers none.
    ValueId add(OpKind kind, std::span<const ValueId> operands, Attributes attributes, const TensorType& hint = {});

    /// Operations in the order of the program, each with its one result.
    struct Tail {
        std::vector<Operation> operations;
        std::vector<Value> values;
    };
    /// Takes the operations from index `first` on out of the program again: they are the last ones that were added, and
    /// nothing was added to arguments, results and state since then.
    [[nodiscard]] Tail takeFrom(std::size_t first);

    [[nodiscard]] const TensorType& type(ValueId value) const;
    [[nodiscard]] const Program& program() const { return m_program; }
    [[nodiscard]] Program finish() &&;

private:
    ValueId addValue(Value value);

    Program m_program;
    std::unordered_map<std::string, std::uint32_t> m_scopes; ///< index of each scope
    std::uint32_t m_scope = 0;
    std::string m_prefix; ///< with its slash, or empty
};

} // namespace shardscope
