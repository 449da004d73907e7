// SPDX-License-Identifier: GPL-3.0-or-later
// The operations that programs from elsewhere may hold and the built-in networks do not use. Their result types are
// declared by the text and taken from there; what may propagate through them is said by their rules.
#include <vector>

#include "program/ops/rows.h"
#include "program/ops/support.h"

namespace shardscope::ops {

namespace {

Result<TensorType> declared(Types, const Attributes&, const TensorType& hint)
{
    return hint;
}

OpRow row(OpKind kind, std::string_view name, std::int8_t operands, bool elementwise, OpDialect dialect)
{
    OpRow made{ kind, name, operands, elementwise, declared, elementwise ? pointwiseFactors : noFactors,
        elementwise ? pointwiseCost : movementCost, nullptr };
    made.dialect = dialect;
    return made;
}

std::vector<OpRow> makeRows()
{
    constexpr std::int8_t any = -1;
    struct Entry {
        OpKind kind;
        std::string_view name;
        std::int8_t operands;
        bool elementwise;
    };
    std::vector<OpRow> rows;
    const auto add = [&](OpDialect dialect, std::initializer_list<Entry> entries) {
        for (const Entry& entry : entries)
            rows.push_back(row(entry.kind, entry.name, entry.operands, entry.elementwise, dialect));
    };
    using enum OpKind;
    add(OpDialect::StableHlo,
        { { Cbrt, "cbrt", 1, true }, { Ceil, "ceil", 1, true }, { Floor, "floor", 1, true },
            { CountLeadingZeros, "count_leading_zeros", 1, true },
            { ExponentialMinusOne, "exponential_minus_one", 1, true }, { LogPlusOne, "log_plus_one", 1, true },
            { IsFinite, "is_finite", 1, true }, { PopulationCount, "popcnt", 1, true },
            { RoundNearestAfz, "round_nearest_afz", 1, true }, { RoundNearestEven, "round_nearest_even", 1, true },
            { Tan, "tan", 1, true }, { Real, "real", 1, true }, { Imag, "imag", 1, true },
            { ReducePrecision, "reduce_precision", 1, true }, { Atan2, "atan2", 2, true },
            { Remainder, "remainder", 2, true }, { Xor, "xor", 2, true }, { ShiftLeft, "shift_left", 2, true },
            { ShiftRightArithmetic, "shift_right_arithmetic", 2, true },
            { ShiftRightLogical, "shift_right_logical", 2, true }, { Complex, "complex", 2, true },
            { Map, "map", any, true }, { BitcastConvert, "bitcast_convert", 1, false }, { Slice, "slice", 1, false },
            { Pad, "pad", 2, false }, { Concatenate, "concatenate", any, false }, { Reverse, "reverse", 1, false },
            { DynamicSlice, "dynamic_slice", any, false }, { DynamicUpdateSlice, "dynamic_update_slice", any, false },
            { Gather, "gather", 2, false }, { Scatter, "scatter", any, false }, { Sort, "sort", any, false },
            { Dot, "dot", 2, false }, { Convolution, "convolution", 2, false },
            { VariadicReduce, "reduce", any, false }, { ReduceWindow, "reduce_window", any, false },
            { SelectAndScatter, "select_and_scatter", 3, false }, { Cholesky, "cholesky", 1, false },
            { TriangularSolve, "triangular_solve", 2, false }, { Fft, "fft", 1, false }, { Rng, "rng", 3, false },
            { RngBitGenerator, "rng_bit_generator", 1, false },
            { BatchNormInference, "batch_norm_inference", 5, false },
            { BatchNormTraining, "batch_norm_training", 3, false }, { BatchNormGrad, "batch_norm_grad", 5, false },
            { While, "while", any, false }, { Case, "case", 1, false }, { If, "if", 1, false },
            { CustomCall, "custom_call", any, false }, { Composite, "composite", any, false },
            { OptimizationBarrier, "optimization_barrier", any, false }, { Tuple, "tuple", any, false },
            { GetTupleElement, "get_tuple_element", 1, false }, { AfterAll, "after_all", any, false },
            { CreateToken, "create_token", 0, false }, { Send, "send", any, false }, { Recv, "recv", 1, false },
            { Infeed, "infeed", 1, false }, { Outfeed, "outfeed", any, false },
            { PartitionId, "partition_id", 0, false }, { ReplicaId, "replica_id", 0, false },
            { AllReduce, "all_reduce", any, false }, { AllGather, "all_gather", any, false },
            { ReduceScatter, "reduce_scatter", 1, false }, { AllToAll, "all_to_all", any, false },
            { CollectivePermute, "collective_permute", 1, false },
            { CollectiveBroadcast, "collective_broadcast", 1, false } });
    add(OpDialect::Func, { { Call, "call", any, false } });
    add(OpDialect::Chlo,
        { { ChloAcos, "acos", 1, true }, { ChloAcosh, "acosh", 1, true }, { ChloAsin, "asin", 1, true },
            { ChloAsinh, "asinh", 1, true }, { ChloAtan, "atan", 1, true }, { ChloAtanh, "atanh", 1, true },
            { ChloBesselI1e, "bessel_i1e", 1, true }, { ChloConj, "conj", 1, true }, { ChloCosh, "cosh", 1, true },
            { ChloDigamma, "digamma", 1, true }, { ChloErf, "erf", 1, true }, { ChloErfInv, "erf_inv", 1, true },
            { ChloErfc, "erfc", 1, true }, { ChloIsInf, "is_inf", 1, true }, { ChloIsNegInf, "is_neg_inf", 1, true },
            { ChloIsPosInf, "is_pos_inf", 1, true }, { ChloLgamma, "lgamma", 1, true }, { ChloSinh, "sinh", 1, true },
            { ChloSquare, "square", 1, true }, { ChloTan, "tan", 1, true }, { ChloConstant, "constant", 0, false },
            { ChloConstantLike, "constant_like", 1, true }, { ChloNextAfter, "next_after", 2, true },
            { ChloPolygamma, "polygamma", 2, true }, { ChloZeta, "zeta", 2, true },
            { ChloBroadcastAdd, "broadcast_add", 2, false }, { ChloBroadcastAnd, "broadcast_and", 2, false },
            { ChloBroadcastAtan2, "broadcast_atan2", 2, false },
            { ChloBroadcastCompare, "broadcast_compare", 2, false },
            { ChloBroadcastComplex, "broadcast_complex", 2, false },
            { ChloBroadcastDivide, "broadcast_divide", 2, false },
            { ChloBroadcastMaximum, "broadcast_maximum", 2, false },
            { ChloBroadcastMinimum, "broadcast_minimum", 2, false },
            { ChloBroadcastMultiply, "broadcast_multiply", 2, false },
            { ChloBroadcastNextAfter, "broadcast_next_after", 2, false }, { ChloBroadcastOr, "broadcast_or", 2, false },
            { ChloBroadcastPolygamma, "broadcast_polygamma", 2, false },
            { ChloBroadcastPower, "broadcast_power", 2, false },
            { ChloBroadcastRemainder, "broadcast_remainder", 2, false },
            { ChloBroadcastSelect, "broadcast_select", 3, false },
            { ChloBroadcastShiftLeft, "broadcast_shift_left", 2, false },
            { ChloBroadcastShiftRightArithmetic, "broadcast_shift_right_arithmetic", 2, false },
            { ChloBroadcastShiftRightLogical, "broadcast_shift_right_logical", 2, false },
            { ChloBroadcastSubtract, "broadcast_subtract", 2, false }, { ChloBroadcastXor, "broadcast_xor", 2, false },
            { ChloBroadcastZeta, "broadcast_zeta", 2, false }, { ChloTopK, "top_k", 1, false },
            { ChloRaggedDot, "ragged_dot", 3, false } });
    add(OpDialect::Sdy,
        { { SdyConstant, "constant", 0, false }, { Reshard, "reshard", 1, false },
            { ManualComputation, "manual_computation", any, false },
            { NamedComputation, "named_computation", any, false },
            { PropagationBarrier, "propagation_barrier", 1, false }, { DataFlowEdge, "data_flow_edge", 1, false },
            { FuncDataFlowEdge, "func_data_flow_edge", 1, false }, { ShardingGroup, "sharding_group", 1, false },
            { SdyAllGather, "all_gather", 1, false }, { SdyAllReduce, "all_reduce", 1, false },
            { SdyAllSlice, "all_slice", 1, false }, { SdyAllToAll, "all_to_all", 1, false },
            { SdyCollectivePermute, "collective_permute", 1, false }, { SdyReduceScatter, "reduce_scatter", 1, false },
            { ShardedToUnreduced, "sharded_to_unreduced", 1, false },
            { ReplicatedToUnreduced, "replicated_to_unreduced", 1, false } });
    add(OpDialect::None, { { Opaque, "opaque", any, false } });
    return rows;
}

} // namespace

std::span<const OpRow> furtherRows()
{
    static const std::vector<OpRow> rows = makeRows();
    return rows;
}

} // namespace shardscope::ops
