// SPDX-License-Identifier: GPL-3.0-or-later
// What the program knows about an operation: one row per OpKind, defined in ops/, one file per operation or family.
// Kernels are a second table in simulate/, keyed by the same enumeration.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "program/program.h"

namespace shardscope {

namespace ops {
struct Subject;
}

class Builder;

/// Kinds of factors, as Shardy has them.
enum class FactorKind : std::uint8_t { PassThrough, Reduction, NeedReplication, Permutation };

/// How the dimensions of operands and results correspond. A factor is an index that runs over one dimension (or a part
/// of it) of several tensors: in C[i,j] = A[i,k] B[k,j] the factors are i, j (pass-through) and k (reduction).
struct FactorRule {
    struct Factor {
        std::int64_t size = 1;
        FactorKind kind = FactorKind::PassThrough;
        bool blocked = false; ///< no axis moves along it
        bool operator==(const Factor&) const = default;
    };
    /// Factors of one dimension, major first.
    using DimensionFactors = SmallVector<std::int32_t, 2>;
    using TensorMapping = std::vector<DimensionFactors>;

    std::vector<Factor> factors;
    std::vector<TensorMapping> operands;
    std::vector<TensorMapping> results;
    bool custom = false; ///< given by the user for an operation of which nothing else is known

    /// Operations without a rule have an empty one. (That of scalars has mappings, but no factors.)
    [[nodiscard]] bool exists() const { return !operands.empty() || !results.empty(); }
    bool operator==(const FactorRule&) const = default;
};

/// Who defines the operation; its name in a text begins with it: "stablehlo.add".
enum class OpDialect : std::uint8_t { StableHlo, Chlo, Sdy, Func, None };
[[nodiscard]] std::string_view prefix(OpDialect dialect); ///< "stablehlo"; empty for None

/// What may be asked of rules. Conservative: none that split a dimension into shards that the operation would have to
/// put together again (Shardy's conservative propagation).
struct RuleOptions {
    bool conservative = false;
};

/// What an operation has to do in full; of one with bodies about.
struct OperationCost {
    double flops = 0;
    std::int64_t bytesRead = 0;
    std::int64_t bytesWritten = 0;
};

struct OpRow {
    OpKind kind = OpKind::Opaque;
    std::string_view name; ///< StableHLO's: "dot_general"
    std::int8_t operandCount = -1; ///< -1 = any
    bool elementwise = false; ///< all non-scalar operands and the result have one shape

    /// The result type, or what is wrong (TypeMismatch, InvalidOperand, InvalidAttribute). Null: types are declared,
    /// and `check` looks at them.
    Result<TensorType> (*inferType)(
        std::span<const TensorType> operands, const Attributes& attributes, const TensorType& hint) = nullptr;
    /// Factor rule for these types; one without factors means that nothing propagates through the operation. Null:
    /// `rule` says it, or there is none.
    FactorRule (*factors)(
        std::span<const TensorType> operands, const TensorType& result, const Attributes& attributes) = nullptr;
    /// Null where `work` says it.
    OperationCost (*cost)(
        std::span<const TensorType> operands, const TensorType& result, const Attributes& attributes) = nullptr;
    /// Reverse mode: the cotangents of the operands, one per operand, from those of the results. An invalid id among
    /// `cotangents` stands for zeros; at least one is valid. Only those that are `wanted` are built; an invalid id in
    /// what is returned = no contribution. (Loops are pulled back by program/pull_back.h.) The operation must not live
    /// inside the builder, which grows. Null: the operation has no derivative and blocks differentiation with
    /// InvalidOperand.
    std::vector<ValueId> (*pullback)(Builder& builder, const Operation& operation, std::span<const ValueId> cotangents,
        std::span<const bool> wanted) = nullptr;

    // What only some rows set.
    OpDialect dialect = OpDialect::StableHlo;
    /// Instead of `factors`, where several results, bodies or neighbours in the program count.
    FactorRule (*rule)(const Program& program, const Operation& operation, RuleOptions options) = nullptr;
    /// Instead of `inferType`, or where the declared result type counts: what is wrong with the declared types,
    /// attributes and regions. Called only when all ids exist. Null: `inferType` says it.
    Result<void> (*check)(const ops::Subject& subject) = nullptr;
    /// Instead of `cost`, likewise.
    OperationCost (*work)(const Program& program, const Operation& operation) = nullptr;
    /// Whether `pullback` holds for this very operation: a scatter that adds has a derivative, one that takes the
    /// larger number has not. Null: for all of the kind.
    bool (*hasPullback)(const Program& program, const Operation& operation) = nullptr;
    bool anyType = false; ///< takes tokens, tuples and types that are not known
    std::int8_t regionCount = 0; ///< -1 = any
};

[[nodiscard]] const OpRow& opRow(OpKind kind);
/// Whether the operation has a derivative: its types are known, and its row pulls cotangents back through it.
[[nodiscard]] bool hasDerivative(const Program& program, const Operation& operation);
[[nodiscard]] std::string_view name(OpKind kind);
/// By the name with its dialect, "sdy.all_reduce"; one without means StableHLO. Of two rows of one name the general one
/// is found (reduce: VariadicReduce), except by name alone.
[[nodiscard]] std::optional<OpKind> parseOpKind(std::string_view name);
/// As it stands in a text, with its dialect: "stablehlo.add", "check.expect_eq". Lives as long as the operation.
[[nodiscard]] const std::string& qualifiedName(const Operation& operation);
/// The rule that the user attached to the operation, else that of its row. Of legal programs.
[[nodiscard]] FactorRule factorRule(const Program& program, const Operation& operation, RuleOptions options = {});
/// The row's rule, whatever the user attached.
[[nodiscard]] FactorRule registryRule(const Program& program, const Operation& operation, RuleOptions options = {});
[[nodiscard]] OperationCost operationCost(const Program& program, const Operation& operation);

} // namespace shardscope
