// SPDX-License-Identifier: GPL-3.0-or-later
// The operations of the IR: those of StableHLO and CHLO, the sharding operations of Shardy, calls, and one for all that
// the reader does not know. What is known of each stands in its row (program/op_row.h).
#pragma once

#include <cstddef>
#include <cstdint>

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
    Reduce, ///< one operand, one of the common bodies, its identity as initial value
    // sharding
    ShardingConstraint,

    // further elementwise operations of StableHLO, one operand
    Cbrt,
    Ceil,
    Floor,
    CountLeadingZeros,
    ExponentialMinusOne,
    LogPlusOne,
    IsFinite,
    PopulationCount,
    RoundNearestAfz,
    RoundNearestEven,
    Tan,
    Real,
    Imag,
    ReducePrecision,
    // two operands
    Atan2,
    Remainder,
    Xor,
    ShiftLeft,
    ShiftRightArithmetic,
    ShiftRightLogical,
    Complex,
    // any number
    Map,
    // data movement
    BitcastConvert,
    Slice,
    Pad,
    Concatenate,
    Reverse,
    DynamicSlice,
    DynamicUpdateSlice,
    Gather,
    Scatter,
    Sort,
    // contractions, windows, decompositions
    Dot,
    Convolution,
    VariadicReduce, ///< StableHLO's reduce as it is: n operands, n initial values, a body
    ReduceWindow,
    SelectAndScatter,
    Cholesky,
    TriangularSolve,
    Fft,
    Rng,
    RngBitGenerator,
    BatchNormInference,
    BatchNormTraining,
    BatchNormGrad,
    // control and calls
    While,
    Case,
    If,
    Call,
    CustomCall,
    Composite,
    OptimizationBarrier,
    Tuple,
    GetTupleElement,
    // tokens and communication
    AfterAll,
    CreateToken,
    Send,
    Recv,
    Infeed,
    Outfeed,
    PartitionId,
    ReplicaId,
    AllReduce,
    AllGather,
    ReduceScatter,
    AllToAll,
    CollectivePermute,
    CollectiveBroadcast,
    // CHLO
    ChloAcos,
    ChloAcosh,
    ChloAsin,
    ChloAsinh,
    ChloAtan,
    ChloAtanh,
    ChloBesselI1e,
    ChloConj,
    ChloCosh,
    ChloDigamma,
    ChloErf,
    ChloErfInv,
    ChloErfc,
    ChloIsInf,
    ChloIsNegInf,
    ChloIsPosInf,
    ChloLgamma,
    ChloSinh,
    ChloSquare,
    ChloTan,
    ChloConstant,
    ChloConstantLike,
    ChloNextAfter,
    ChloPolygamma,
    ChloZeta,
    ChloBroadcastAdd,
    ChloBroadcastAnd,
    ChloBroadcastAtan2,
    ChloBroadcastCompare,
    ChloBroadcastComplex,
    ChloBroadcastDivide,
    ChloBroadcastMaximum,
    ChloBroadcastMinimum,
    ChloBroadcastMultiply,
    ChloBroadcastNextAfter,
    ChloBroadcastOr,
    ChloBroadcastPolygamma,
    ChloBroadcastPower,
    ChloBroadcastRemainder,
    ChloBroadcastSelect,
    ChloBroadcastShiftLeft,
    ChloBroadcastShiftRightArithmetic,
    ChloBroadcastShiftRightLogical,
    ChloBroadcastSubtract,
    ChloBroadcastXor,
    ChloBroadcastZeta,
    ChloTopK,
    ChloRaggedDot,
    // Shardy
    SdyConstant,
    Reshard,
    ManualComputation,
    NamedComputation,
    PropagationBarrier,
    DataFlowEdge,
    FuncDataFlowEdge,
    ShardingGroup,
    SdyAllGather,
    SdyAllReduce,
    SdyAllSlice,
    SdyAllToAll,
    SdyCollectivePermute,
    SdyReduceScatter,
    ShardedToUnreduced,
    ReplicatedToUnreduced,

    Opaque, ///< whatever is not listed; its name is in OpaqueAttributes
};
inline constexpr std::size_t opKindCount = static_cast<std::size_t>(OpKind::Opaque) + 1;

/// What devices do together in a per-device program.
[[nodiscard]] constexpr bool isCollective(OpKind kind)
{
    using enum OpKind;
    return kind == AllReduce || kind == AllGather || kind == ReduceScatter || kind == AllToAll
        || kind == CollectivePermute || kind == CollectiveBroadcast;
}
/// Shardy's computations; their bodies see nothing of what stands around them.
[[nodiscard]] constexpr bool isComputation(OpKind kind)
{
    return kind == OpKind::ManualComputation || kind == OpKind::NamedComputation;
}

} // namespace shardscope
