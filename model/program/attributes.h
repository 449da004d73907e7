// SPDX-License-Identifier: GPL-3.0-or-later
// What an operation says beside its operands. The attributes of the common operations are held in place; those of the
// others (program/other_attributes.h) behind one pointer, so that an operation stays small.
#pragma once

#include <cstdint>
#include <memory>
#include <variant>
#include <vector>

#include "program/types.h"
#include "sharding/logical_rules.h"
#include "sharding/partition_spec.h"

namespace shardscope {

enum class ReduceKind : std::uint8_t { Sum, Max, Min, Product, And, Or };

/// A sharding as a program's text has it: over the axes of one of the program's meshes.
struct ProgramSharding {
    std::uint32_t mesh = 0; ///< index into Program::meshes
    TensorSharding sharding;
    ReduceKind unreducedKind = ReduceKind::Sum; ///< how partial values are put together: Sum, Max or Min
    bool operator==(const ProgramSharding&) const = default;
};

/// The shardings that people write: device axis names, logical names, Shardy's form, or nothing.
struct DeviceAxes {
    PartitionSpec spec;
    bool operator==(const DeviceAxes&) const = default;
};
struct LogicalAxes {
    LogicalNames names;
    bool operator==(const LogicalAxes&) const = default;
};
struct ExplicitSharding {
    std::shared_ptr<const ProgramSharding> specified; ///< never null
    bool operator==(const ExplicitSharding& other) const
    {
        return specified == other.specified || *specified == *other.specified;
    }
};
using Annotation = std::variant<std::monostate, DeviceAxes, LogicalAxes, ExplicitSharding>;
/// Number of entries, which may not exceed the rank of what is annotated; 0 for nothing.
[[nodiscard]] std::size_t annotationRank(const Annotation& annotation);

using Dimensions = SmallVector<std::int64_t, 4>; ///< dimension numbers
using DimensionList = Shared<Dimensions>; ///< the same as an attribute: few different ones occur in a program
/// Entry of a list that may be left out as a whole where every entry is the usual one.
[[nodiscard]] inline std::int64_t entryOr(const Dimensions& list, std::size_t i, std::int64_t usual)
{
    return i < list.size() ? list[i] : usual;
}

/// The elements of a constant as they lie in memory: row-major, in the element type (pred and types under a byte take
/// one byte each, complex numbers real part first).
using ElementBytes = std::shared_ptr<const std::vector<std::byte>>;

struct ConstantAttributes {
    Shared<std::vector<double>> values; ///< one element = splat over the whole type, else row-major, one per element
    ElementBytes bytes = {}; ///< set instead of `values` for constants that were read: one element = splat
    bool operator==(const ConstantAttributes& other) const
    {
        return values == other.values && (bytes == other.bytes || (bytes && other.bytes && *bytes == *other.bytes));
    }
};
struct DotGeneralAttributes {
    DimensionList lhsBatch, rhsBatch, lhsContracting, rhsContracting;
    bool operator==(const DotGeneralAttributes&) const = default;
};
struct BroadcastAttributes {
    DimensionList dimensions; ///< dimension of the result for every dimension of the operand
    bool operator==(const BroadcastAttributes&) const = default;
};
struct TransposeAttributes {
    DimensionList permutation; ///< result dimension i is operand dimension permutation[i]
    bool operator==(const TransposeAttributes&) const = default;
};
struct ReduceAttributes {
    DimensionList dimensions;
    ReduceKind kind = ReduceKind::Sum; ///< the body; the initial value is the kind's identity
    bool operator==(const ReduceAttributes&) const = default;
};
enum class Comparison : std::uint8_t { Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual };
/// How numbers are compared where the element type leaves a choice; None = as the type says.
enum class CompareType : std::uint8_t { None, Float, TotalOrder, Signed, Unsigned };
struct CompareAttributes {
    Comparison direction = Comparison::Equal;
    CompareType type = CompareType::None;
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

struct OtherAttributes;
/// A value on the heap that never changes; compared by what it holds.
struct SharedAttributes {
    std::shared_ptr<const OtherAttributes> held; ///< never null
    bool operator==(const SharedAttributes& other) const;
};

using Attributes = std::variant<std::monostate, ConstantAttributes, DotGeneralAttributes, BroadcastAttributes,
    TransposeAttributes, ReduceAttributes, CompareAttributes, IotaAttributes, ConstraintAttributes, SharedAttributes>;
/// Of everything that they say.
[[nodiscard]] std::uint64_t hash(const Attributes& attributes);
[[nodiscard]] std::uint64_t hash(const ProgramSharding& sharding);

} // namespace shardscope
