// SPDX-License-Identifier: GPL-3.0-or-later
// The attributes of the less common operations, named as in the StableHLO specification and in Shardy's dialect.
//
//     Attributes a = otherAttributes(SliceAttributes{ { 0, 1 }, { 4, 8 }, { 1, 1 } });
//     const SliceAttributes* slice = attributesAs<SliceAttributes>(a); // null where it is something else
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "program/attributes.h"

namespace shardscope {

/// concatenate, all_gather and others that name one dimension.
struct DimensionAttributes {
    std::int64_t dimension = 0;
    bool operator==(const DimensionAttributes&) const = default;
};
/// reverse, map.
struct DimensionsAttributes {
    DimensionList dimensions;
    bool operator==(const DimensionsAttributes&) const = default;
};
struct SliceAttributes {
    DimensionList starts, limits, strides;
    bool operator==(const SliceAttributes&) const = default;
};
struct PadAttributes {
    DimensionList low, high, interior;
    bool operator==(const PadAttributes&) const = default;
};
struct DynamicSliceAttributes {
    DimensionList sizes;
    bool operator==(const DynamicSliceAttributes&) const = default;
};
struct GatherAttributes {
    DimensionList offsetDims, collapsedSliceDims, operandBatchingDims, startIndicesBatchingDims, startIndexMap;
    std::int64_t indexVectorDim = 0;
    DimensionList sliceSizes;
    bool indicesAreSorted = false;
    bool operator==(const GatherAttributes&) const = default;
};
struct ScatterAttributes {
    DimensionList updateWindowDims, insertedWindowDims, inputBatchingDims, scatterIndicesBatchingDims,
        scatterDimsToOperandDims;
    std::int64_t indexVectorDim = 0;
    bool indicesAreSorted = false, uniqueIndices = false;
    bool operator==(const ScatterAttributes&) const = default;
};
struct SortAttributes {
    std::int64_t dimension = -1;
    bool stable = false;
    bool operator==(const SortAttributes&) const = default;
};
/// A pair per spatial dimension: padding before and after.
using Padding = std::vector<std::pair<std::int64_t, std::int64_t>>;
/// reduce_window and select_and_scatter. Lists are complete: one entry per dimension.
struct WindowAttributes {
    DimensionList dimensions, strides, baseDilations, windowDilations;
    Padding padding;
    bool operator==(const WindowAttributes&) const = default;
};
struct ConvolutionAttributes {
    std::int64_t inputBatch = 0, inputFeature = 0, kernelInputFeature = 0, kernelOutputFeature = 0, outputBatch = 0,
                 outputFeature = 0;
    DimensionList inputSpatial, kernelSpatial, outputSpatial;
    DimensionList strides, lhsDilation, rhsDilation; ///< one per spatial dimension
    Padding padding;
    std::vector<bool> reversal; ///< one per spatial dimension
    std::int64_t featureGroupCount = 1, batchGroupCount = 1;
    std::vector<std::string> precision; ///< "HIGHEST"; empty or one per operand
    bool operator==(const ConvolutionAttributes&) const = default;
};
/// What dot and dot_general carry beside their dimensions, and dot_general in the algorithm form.
struct DotAttributes {
    std::vector<std::string> precision;
    bool operator==(const DotAttributes&) const = default;
};
struct VariadicReduceAttributes {
    DimensionList dimensions;
    /// The body where the text gives it as one operation ("applies stablehlo.add"); otherwise it is a region.
    std::optional<ReduceKind> kind;
    bool operator==(const VariadicReduceAttributes&) const = default;
};
struct CholeskyAttributes {
    bool lower = false;
    bool operator==(const CholeskyAttributes&) const = default;
};
enum class TransposeA : std::uint8_t { NoTranspose, Transpose, Adjoint };
struct TriangularSolveAttributes {
    bool leftSide = true, lower = true, unitDiagonal = false;
    TransposeA transposeA = TransposeA::NoTranspose;
    bool operator==(const TriangularSolveAttributes&) const = default;
};
enum class FftType : std::uint8_t { Fft, Ifft, Rfft, Irfft };
struct FftAttributes {
    FftType type = FftType::Fft;
    DimensionList length;
    bool operator==(const FftAttributes&) const = default;
};
enum class RngDistribution : std::uint8_t { Uniform, Normal };
struct RngAttributes {
    RngDistribution distribution = RngDistribution::Uniform;
    bool operator==(const RngAttributes&) const = default;
};
enum class RngAlgorithm : std::uint8_t { Default, ThreeFry, Philox };
struct RngBitGeneratorAttributes {
    RngAlgorithm algorithm = RngAlgorithm::Default;
    bool operator==(const RngBitGeneratorAttributes&) const = default;
};
struct BatchNormAttributes {
    double epsilon = 0;
    std::int64_t featureIndex = 0;
    bool operator==(const BatchNormAttributes&) const = default;
};
struct ReducePrecisionAttributes {
    std::int64_t exponentBits = 0, mantissaBits = 0;
    bool operator==(const ReducePrecisionAttributes&) const = default;
};
struct CallAttributes {
    std::string callee; ///< name of a function of the program
    bool operator==(const CallAttributes&) const = default;
};
struct CustomCallAttributes {
    std::string target;
    bool hasSideEffect = false;
    std::string backendConfig; ///< as in the text: a string or a dictionary
    std::int64_t apiVersion = 0; ///< 0 = not given
    std::vector<std::string> calledComputations;
    bool operator==(const CustomCallAttributes&) const = default;
};
struct CompositeAttributes {
    std::string name, decomposition; ///< of the composite; the function that says what it does
    std::int64_t version = 0;
    bool operator==(const CompositeAttributes&) const = default;
};
struct TupleElementAttributes {
    std::int64_t index = 0;
    bool operator==(const TupleElementAttributes&) const = default;
};
/// send, recv, infeed, outfeed.
struct TransferAttributes {
    std::int64_t channelId = 0, channelType = 0;
    bool isHostTransfer = false;
    std::string config; ///< of infeed and outfeed
    bool operator==(const TransferAttributes&) const = default;
};
/// The collectives of StableHLO, over device ids.
struct CollectiveAttributes {
    std::vector<std::vector<std::int64_t>> groups; ///< or source-target pairs; -1 fills up short groups
    std::int64_t channelId = 0, channelType = 0;
    bool useGlobalDeviceIds = false;
    std::int64_t dimension = 0; ///< all_gather, reduce_scatter; split dimension of all_to_all
    std::int64_t concatDimension = 0, splitCount = 0; ///< all_to_all
    bool operator==(const CollectiveAttributes&) const = default;
};
struct TopKAttributes {
    std::int64_t k = 0;
    bool operator==(const TopKAttributes&) const = default;
};

// Shardy

/// reshard, data_flow_edge, func_data_flow_edge: the sharding of their own; absent where an edge has none yet.
/// (A sharding_constraint keeps its sharding in ConstraintAttributes, as ExplicitSharding.)
struct OwnShardingAttributes {
    std::optional<ProgramSharding> sharding;
    bool operator==(const OwnShardingAttributes&) const = default;
};
struct ManualComputationAttributes {
    std::vector<ProgramSharding> in, out; ///< per operand, per result
    std::vector<std::string> manualAxes;
    bool operator==(const ManualComputationAttributes&) const = default;
};
struct NamedComputationAttributes {
    std::string name;
    std::vector<ProgramSharding> in, out; ///< per operand and per result, or empty
    std::optional<CompositeAttributes> composite = {}; ///< what it was made of, if that was not a call
    bool operator==(const NamedComputationAttributes&) const = default;
};
enum class BarrierDirection : std::uint8_t { None, Forward, Backward, Both };
struct PropagationBarrierAttributes {
    BarrierDirection allowed = BarrierDirection::None;
    bool operator==(const PropagationBarrierAttributes&) const = default;
};
struct ShardingGroupAttributes {
    std::int64_t group = 0;
    bool operator==(const ShardingGroupAttributes&) const = default;
};
/// Shardy's collectives, over the axes of a mesh.
struct AxisMove {
    AxisList axes;
    std::int64_t source = 0, target = 0; ///< dimensions
    bool operator==(const AxisMove&) const = default;
};
struct SdyCollectiveAttributes {
    std::vector<AxisList> axesPerDimension; ///< all_gather, all_slice, reduce_scatter, sharded_to_unreduced
    AxisList axes; ///< all_reduce, replicated_to_unreduced
    std::vector<AxisMove> moves; ///< all_to_all
    ReduceKind kind = ReduceKind::Sum; ///< all_reduce, reduce_scatter: Sum, Max or Min
    ProgramSharding out;
    bool operator==(const SdyCollectiveAttributes&) const = default;
};

/// Name, as in the text with its dialect: "check.expect_eq".
struct OpaqueAttributes {
    std::string name;
    bool operator==(const OpaqueAttributes&) const = default;
};

using OtherAttributesVariant =
    std::variant<DimensionAttributes, DimensionsAttributes, SliceAttributes, PadAttributes, DynamicSliceAttributes,
        GatherAttributes, ScatterAttributes, SortAttributes, WindowAttributes, ConvolutionAttributes, DotAttributes,
        VariadicReduceAttributes, CholeskyAttributes, TriangularSolveAttributes, FftAttributes, RngAttributes,
        RngBitGeneratorAttributes, BatchNormAttributes, ReducePrecisionAttributes, CallAttributes, CustomCallAttributes,
        CompositeAttributes, TupleElementAttributes, TransferAttributes, CollectiveAttributes, TopKAttributes,
        OwnShardingAttributes, ManualComputationAttributes, NamedComputationAttributes, PropagationBarrierAttributes,
        ShardingGroupAttributes, SdyCollectiveAttributes, OpaqueAttributes>;
struct OtherAttributes {
    OtherAttributesVariant value;
    bool operator==(const OtherAttributes&) const = default;
};

template <class T>
[[nodiscard]] Attributes otherAttributes(T attributes)
{
    return SharedAttributes{ std::make_shared<const OtherAttributes>(OtherAttributes{ std::move(attributes) }) };
}
/// Of any operation: held in place, or behind the pointer.
template <class T>
[[nodiscard]] Attributes toAttributes(T attributes)
{
    if constexpr (std::is_constructible_v<Attributes, std::in_place_type_t<T>, T>)
        return attributes;
    else
        return otherAttributes(std::move(attributes));
}
template <class T>
[[nodiscard]] const T* attributesAs(const Attributes& attributes)
{
    const SharedAttributes* found = std::get_if<SharedAttributes>(&attributes);
    return found ? std::get_if<T>(&found->held->value) : nullptr;
}

} // namespace shardscope
