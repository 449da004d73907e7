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

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "program/program.h"

namespace shardscope {

class Builder;
struct GatherAttributes;
struct ScatterAttributes;
struct WindowAttributes;

/// Adds the operations of a body, which work on its arguments and on what stands around it, and returns its results.
using MakeBody = std::function<std::vector<ValueId>(Builder& builder, std::span<const ValueId> arguments)>;
using ScopeOf = std::function<std::string(std::string_view scope)>;

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
    /// Empty strides and an empty interior stand for 1 and 0 in every dimension.
    ValueId slice(ValueId operand, Dimensions starts, Dimensions limits, Dimensions strides = {});
    ValueId pad(ValueId operand, ValueId value, Dimensions low, Dimensions high, Dimensions interior = {});
    ValueId concatenate(std::span<const ValueId> operands, std::int64_t dimension);
    ValueId reverse(ValueId operand, Dimensions dimensions);
    /// `starts`: one scalar integer per dimension.
    ValueId dynamicSlice(ValueId operand, std::span<const ValueId> starts, Dimensions sizes);
    ValueId dynamicUpdateSlice(ValueId operand, ValueId update, std::span<const ValueId> starts);
    ValueId gather(ValueId operand, ValueId indices, const GatherAttributes& attributes);
    /// Any operation with one result, and without bodies, by its row. `hint` is the type where the row infers none.
    ValueId add(OpKind kind, std::span<const ValueId> operands, Attributes attributes, const TensorType& hint = {});

    // Operations with bodies or several results.
    /// A body for the next addSeveral(). What `make` adds stands in it.
    RegionId body(std::span<const TensorType> arguments, const MakeBody& make);
    /// A body that puts two scalars of a type together: for reduce_window, scatter.
    RegionId combiner(OpKind kind, DType dtype);
    /// Any operation by its row, with results of those types.
    std::vector<ValueId> addSeveral(OpKind kind, std::span<const ValueId> operands, std::span<const TensorType> results,
        Attributes attributes = {}, std::span<const RegionId> bodies = {});
    /// What stands in the operand and the update for one place is put together by `kind`: Sum, Max, ...
    ValueId scatter(
        ReduceKind kind, ValueId operand, ValueId indices, ValueId updates, const ScatterAttributes& attributes);
    /// Of floating-point numbers, by Sum, Max or Min; the initial value is the kind's identity.
    ValueId reduceWindow(ReduceKind kind, ValueId operand, const WindowAttributes& window);
    std::vector<ValueId> sort(std::span<const ValueId> operands, std::int64_t dimension, const MakeBody& comparator);
    /// stablehlo.while: results have the types of `initial`, and so have the arguments of both bodies.
    std::vector<ValueId> loop(std::span<const ValueId> initial, const MakeBody& condition, const MakeBody& step);
    /// The operation once more, with its bodies, where the builder stands. Operands, and what the bodies use, are those
    /// in `map` where they stand there; the results are added to it. Copies have no path, and `scopeOf` makes their
    /// scope from that of the original; without it they belong to the builder's.
    void copy(OperationId operation, std::unordered_map<ValueId, ValueId>& map, const ScopeOf& scopeOf = {});

    // Changing what was added.
    /// Where operations go: main, or the body that is being made.
    [[nodiscard]] RegionId region() const { return m_region; }
    /// What `make` adds goes before an operation of that region.
    void before(OperationId operation, RegionId region, const std::function<void()>& make);
    /// A loop carries one more: `initial` at first, then what `step` adds to the body and returns. The argument is that
    /// of the body. Returns the loop's new result.
    ValueId carry(OperationId loop, ValueId initial, const std::function<ValueId(ValueId argument)>& step);
    /// What the bodies of a loop use of what stands around it is carried from now on, and never changes: as JAX hands
    /// it in.
    void carryOutside(OperationId loop);
    /// Uses in the region, and in what it holds, are of what `map` says instead.
    void substitute(RegionId region, const std::unordered_map<ValueId, ValueId>& map);
    /// One use, by a value of the same type.
    void setOperand(OperationId operation, std::size_t slot, ValueId value);

    [[nodiscard]] const TensorType& type(ValueId value) const;
    [[nodiscard]] const Program& program() const { return m_program; }
    [[nodiscard]] Program finish() &&;

private:
    /// Says what is wrong, and ends the program.
    [[noreturn]] static void misuse(const Diagnostic& diagnostic);
    ValueId addValue(Value value);
    OperationId addOperation(OpKind kind, std::span<const ValueId> operands, std::span<const TensorType> results,
        Attributes attributes, std::span<const RegionId> bodies);
    RegionId copyBody(RegionId body, std::unordered_map<ValueId, ValueId>& map, const ScopeOf& scopeOf);

    Program m_program;
    std::unordered_map<std::string, std::uint32_t> m_scopes; ///< index of each scope
    std::uint32_t m_scope = 0;
    std::string m_prefix; ///< with its slash, or empty
    RegionId m_region{ std::size_t{ 0 } }; ///< where operations go
};

} // namespace shardscope
