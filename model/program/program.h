// SPDX-License-Identifier: GPL-3.0-or-later
// The tensor IR: StableHLO's operations over static shapes, as one immutable value.
//
// A Program holds flat arrays of values, operations and regions. Ids are dense indices and never change; later stages
// keep their results in arrays beside the program, indexed by ValueId or OperationId. The body of `main` is region 0;
// operations with bodies (loops, branches) own further regions.
//
//     %0 = dot_general x, W1, contracting [1] x [0]     // layers.0/h   : tensor<8x1024xf32>
//     %1 = maximum %0, %zero                            // layers.0/y
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "program/types.h"
#include "sharding/logical_rules.h"
#include "sharding/partition_spec.h"

namespace shardscope {

enum class OpKind : std::uint8_t {
    Constant,
    // elementwise, one operand
    Abs,
    Negate,
    Exponential,
    Log,
    Logistic,
    Tanh,
    Sqrt,
    Rsqrt,
    Sign,
    Sine,
    Cosine,
    Not,
    Convert,
    // elementwise, two operands
    Add,
    Subtract,
    Multiply,
    Divide,
    Maximum,
    Minimum,
    Power,
    And,
    Or,
    Compare,
    // elementwise, three operands
    Select,
    Clamp,
    // shape
    BroadcastInDim,
    Reshape,
    Transpose,
    Iota,
    // contractions and reductions
    DotGeneral,
    Reduce,
    // sharding
    ShardingConstraint,
};
inline constexpr std::size_t opKindCount = static_cast<std::size_t>(OpKind::ShardingConstraint) + 1;

/// What a value is for the person who looks at it.
enum class Role : std::uint8_t {
    Parameter,
    Gradient,
    Mu,
    Nu,
    Count,
    Step,
    Input,
    Activation,
    Loss,
    Constant,
    Temporary
};

/// The shardings that people write: device axis names, logical names, or nothing.
struct DeviceAxes {
    PartitionSpec spec;
    bool operator==(const DeviceAxes&) const = default;
};
struct LogicalAxes {
    LogicalNames names;
    bool operator==(const LogicalAxes&) const = default;
};
using Annotation = std::variant<std::monostate, DeviceAxes, LogicalAxes>;
/// Number of entries, which may not exceed the rank of what is annotated; 0 for nothing.
[[nodiscard]] std::size_t annotationRank(const Annotation& annotation);

using Dimensions = SmallVector<std::int64_t, 4>; ///< dimension numbers

struct ConstantAttributes {
    std::vector<double> values; ///< one element = splat over the whole type, else row-major, one per element
    bool operator==(const ConstantAttributes&) const = default;
};
struct DotGeneralAttributes {
    Dimensions lhsBatch, rhsBatch, lhsContracting, rhsContracting;
    bool operator==(const DotGeneralAttributes&) const = default;
};
struct BroadcastAttributes {
    Dimensions dimensions; ///< dimension of the result for every dimension of the operand
    bool operator==(const BroadcastAttributes&) const = default;
};
struct TransposeAttributes {
    Dimensions permutation; ///< result dimension i is operand dimension permutation[i]
    bool operator==(const TransposeAttributes&) const = default;
};
enum class ReduceKind : std::uint8_t { Sum, Max, Min, Product, And, Or };
struct ReduceAttributes {
    Dimensions dimensions;
    ReduceKind kind = ReduceKind::Sum; ///< the body; the initial value is the kind's identity
    bool operator==(const ReduceAttributes&) const = default;
};
enum class Comparison : std::uint8_t { Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual };
struct CompareAttributes {
    Comparison direction = Comparison::Equal;
    bool operator==(const CompareAttributes&) const = default;
};
struct IotaAttributes {
    std::int64_t dimension = 0;
    bool operator==(const IotaAttributes&) const = default;
};
struct ConstraintAttributes {
    Annotation annotation;
    bool operator==(const ConstraintAttributes&) const = default;
};
using Attributes = std::variant<std::monostate, ConstantAttributes, DotGeneralAttributes, BroadcastAttributes,
    TransposeAttributes, ReduceAttributes, CompareAttributes, IotaAttributes, ConstraintAttributes>;

struct Operation {
    OpKind kind = OpKind::Constant;
    SmallVector<ValueId, 4> operands;
    SmallVector<ValueId, 2> results;
    Attributes attributes;
    SmallVector<RegionId, 2> regions;
    std::uint32_t scope = 0; ///< index into Program::scopes: "layers.0", "backward/layers.0", "optimizer"
};

struct Value {
    TensorType type;
    OperationId definition; ///< invalid for arguments
    std::uint32_t index = 0; ///< which result of its operation, or which argument of its region
    Role role = Role::Temporary;
    std::string path; ///< "params/layers.0/W1", "layers.0/y"; empty for nameless values
    std::vector<std::string> dimNames; ///< "embed", "hidden"; one per dimension, or empty
};

struct Region {
    std::vector<ValueId> arguments;
    std::vector<OperationId> operations; ///< in program order; definitions stand before uses
    std::vector<ValueId> results;
};

/// An argument that a step replaces: the train state. `result` is an index into the results of main.
struct StatePair {
    ValueId argument;
    std::uint32_t result = 0;
    bool operator==(const StatePair&) const = default;
};

struct Program {
    std::string name;
    std::vector<Value> values;
    std::vector<Operation> operations;
    std::vector<Region> regions; ///< [0] is the body of main
    std::vector<std::string> scopes;

    std::vector<Annotation> argumentAnnotations; ///< in_shardings: one per argument of main
    std::vector<Annotation> resultAnnotations; ///< out_shardings: one per result of main
    std::vector<StatePair> state;

    [[nodiscard]] const Region& main() const { return regions.front(); }
    [[nodiscard]] const Value& value(ValueId id) const { return values[id.index]; }
    [[nodiscard]] const Operation& operation(OperationId id) const { return operations[id.index]; }
    /// The value of that path; invalid if there is none.
    [[nodiscard]] ValueId find(std::string_view path) const;
};

using ProgramPtr = std::shared_ptr<const Program>;

/// users[value] = operations that read the value, in program order, one entry per operand slot. Index by ValueId.
[[nodiscard]] std::vector<std::vector<OperationId>> usersOf(const Program& program);
/// Text in the style of StableHLO, stable from run to run.
[[nodiscard]] std::string print(const Program& program);
/// All violations of types, operands, attributes and order, empty for a legal program.
[[nodiscard]] std::vector<Diagnostic> verify(const Program& program);
/// A hash of everything that later stages read.
[[nodiscard]] std::uint64_t hash(const Program& program);

} // namespace shardscope
