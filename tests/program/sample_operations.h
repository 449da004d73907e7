// SPDX-License-Identifier: GPL-3.0-or-later
// A legal operation of every kind that is neither elementwise nor one of the built-in networks', some several times.
#pragma once

#include <QString>

#include "program/one_operation.h"

namespace shardscope {

struct SampleOperation {
    QString name;
    OneOperation one;
    double flops = -1; ///< what it costs; -1: not said here
    bool freeResult = false; ///< any type of the first result is as good
};

inline std::vector<SampleOperation> sampleOperations()
{
    using enum OpKind;
    using T = TensorType;
    const auto f32 = [](Shape shape) { return T{ DType::F32, std::move(shape) }; };
    const auto i32 = [](Shape shape) { return T{ DType::I32, std::move(shape) }; };
    const auto c64 = [](Shape shape) { return T{ DType::C64, std::move(shape) }; };
    const T pred{ DType::Pred, {} }, token{ DType::Token, {} }, scalar = f32({});
    std::vector<SampleOperation> all;
    const auto add = [&](const char* name, OpKind kind, std::vector<T> operands, std::vector<T> results,
                         Attributes attributes = {}, double flops = -1) -> OneOperation& {
        all.push_back({ name, OneOperation(kind, operands, results, std::move(attributes)), flops });
        return all.back().one;
    };
    const auto free = [&] { all.back().freeResult = true; };

    add("map", Map, { f32({ 4, 2 }), f32({ 4, 2 }) }, { f32({ 4, 2 }) },
        otherAttributes(DimensionsAttributes{ { 0, 1 } }), 8)
        .reducer(Add, { DType::F32 });
    add("bitcast same", BitcastConvert, { f32({ 4, 2 }) }, { i32({ 4, 2 }) });
    add("bitcast narrow", BitcastConvert, { f32({ 4, 2 }) }, { { DType::U8, { 4, 2, 4 } } });
    add("bitcast wide", BitcastConvert, { i32({ 4, 2 }) }, { { DType::F64, { 4 } } });
    add("slice", Slice, { f32({ 8, 9 }) }, { f32({ 8, 3 }) },
        otherAttributes(SliceAttributes{ { 0, 1 }, { 8, 8 }, { 1, 3 } }), 0);
    add("pad", Pad, { f32({ 8, 3 }), scalar }, { f32({ 8, 8 }) },
        otherAttributes(PadAttributes{ { 0, 1 }, { 0, 2 }, { 0, 1 } }));
    add("pad off", Pad, { f32({ 8, 3 }), scalar }, { f32({ 6, 3 }) },
        otherAttributes(PadAttributes{ { -1, 0 }, { -1, 0 }, {} }));
    add("concatenate", Concatenate, { f32({ 4, 3 }), f32({ 4, 5 }) }, { f32({ 4, 8 }) },
        otherAttributes(DimensionAttributes{ 1 }));
    add("reverse", Reverse, { f32({ 4, 3 }) }, { f32({ 4, 3 }) }, otherAttributes(DimensionsAttributes{ { 1 } }));
    add("dynamic_slice", DynamicSlice, { f32({ 4, 8 }), i32({}), i32({}) }, { f32({ 4, 2 }) },
        otherAttributes(DynamicSliceAttributes{ { 4, 2 } }));
    add("dynamic_update_slice", DynamicUpdateSlice, { f32({ 4, 8 }), f32({ 4, 2 }), i32({}), i32({}) },
        { f32({ 4, 8 }) });
    add("gather", Gather, { f32({ 3, 4, 2 }), i32({ 2, 3, 2 }) }, { f32({ 2, 3, 2, 2 }) },
        otherAttributes(GatherAttributes{ { 2, 3 }, { 0 }, {}, {}, { 1, 0 }, 2, { 1, 2, 2 } }));
    add("gather in batches", Gather, { f32({ 5, 3, 7, 4 }), i32({ 7, 2, 5, 3 }) }, { f32({ 7, 5, 3, 2 }) },
        otherAttributes(GatherAttributes{ { 3 }, { 1 }, { 0, 2 }, { 2, 0 }, { 1, 3 }, 1, { 1, 1, 1, 2 } }));
    add("gather one", Gather, { f32({ 5, 6 }), i32({ 7 }) }, { f32({ 5, 7, 1 }) },
        otherAttributes(GatherAttributes{ { 0, 2 }, {}, {}, {}, { 1 }, 1, { 5, 1 } }));
    add("scatter", Scatter, { f32({ 3, 4, 2 }), i32({ 2, 3, 2 }), f32({ 2, 3, 2, 2 }) }, { f32({ 3, 4, 2 }) },
        otherAttributes(ScatterAttributes{ { 2, 3 }, { 0 }, {}, {}, { 1, 0 }, 2 }), 24)
        .reducer(Add, { DType::F32 });
    add("scatter in batches", Scatter,
        { f32({ 5, 3, 7, 4 }), i32({ 5, 3, 7, 4 }), i32({ 7, 5, 3, 2 }), f32({ 7, 5, 3, 2 }), i32({ 7, 5, 3, 2 }) },
        { f32({ 5, 3, 7, 4 }), i32({ 5, 3, 7, 4 }) },
        otherAttributes(ScatterAttributes{ { 3 }, { 1 }, { 0, 2 }, { 1, 0 }, { 1, 3 }, 3 }))
        .reducer(Maximum, { DType::F32, DType::I32 });
    add("sort", Sort, { f32({ 4, 8 }), i32({ 4, 8 }) }, { f32({ 4, 8 }), i32({ 4, 8 }) },
        otherAttributes(SortAttributes{ 1 }), 96)
        .comparator({ DType::F32, DType::I32 });
    add("sort alone", Sort, { f32({ 1, 8 }) }, { f32({ 1, 8 }) }, otherAttributes(SortAttributes{ -1 }), 24)
        .comparator({ DType::F32 });
    add("dot", Dot, { f32({ 4, 3 }), f32({ 3, 5 }) }, { f32({ 4, 5 }) }, otherAttributes(DotAttributes{}),
        2 * 4 * 3 * 5);
    add("dot vectors", Dot, { f32({ 3 }), f32({ 3 }) }, { scalar }, {}, 6);
    add("dot_general", DotGeneral, { { DType::BF16, { 2, 3 } }, { DType::BF16, { 3, 4 } } }, { f32({ 2, 4 }) },
        DotGeneralAttributes{ {}, {}, { 1 }, { 0 } }, 48);
    ConvolutionAttributes conv;
    conv.inputFeature = conv.kernelInputFeature = conv.outputFeature = 1;
    conv.inputSpatial = conv.kernelSpatial = conv.outputSpatial = { 2, 3 };
    conv.kernelOutputFeature = 0;
    conv.padding = { { 1, 1 }, { 0, 0 } };
    add("convolution", Convolution, { f32({ 2, 6, 8, 8 }), f32({ 4, 6, 3, 3 }) }, { f32({ 2, 4, 8, 6 }) },
        otherAttributes(conv), 2.0 * (2 * 4 * 8 * 6) * (6 * 3 * 3));
    conv.featureGroupCount = 3;
    conv.strides = { 2, 2 };
    add("convolution in groups", Convolution, { f32({ 2, 6, 8, 8 }), f32({ 9, 2, 3, 3 }) }, { f32({ 2, 9, 4, 3 }) },
        otherAttributes(conv), 2.0 * (2 * 9 * 4 * 3) * (2 * 3 * 3));
    conv.featureGroupCount = 1;
    conv.batchGroupCount = 2;
    conv.lhsDilation = { 2, 1 };
    conv.rhsDilation = { 1, 2 };
    add("convolution of batches", Convolution, { f32({ 4, 6, 8, 8 }), f32({ 8, 6, 3, 3 }) }, { f32({ 2, 8, 8, 2 }) },
        otherAttributes(conv));
    add("reduce", VariadicReduce, { f32({ 4, 3 }), i32({ 4, 3 }), scalar, i32({}) }, { f32({ 4 }), i32({ 4 }) },
        otherAttributes(VariadicReduceAttributes{ { 1 }, {} }), 24)
        .reducer(Add, { DType::F32, DType::I32 });
    add("reduce, short", VariadicReduce, { f32({ 4, 3 }), scalar }, { f32({ 3 }) },
        otherAttributes(VariadicReduceAttributes{ { 0 }, ReduceKind::Max }), 12);
    WindowAttributes window{ { 1, 2 }, { 1, 2 }, {}, {}, {} };
    add("reduce_window", ReduceWindow, { f32({ 4, 8 }), scalar }, { f32({ 4, 4 }) }, otherAttributes(window), 32)
        .reducer(Maximum, { DType::F32 });
    window = { { 1, 3 }, { 1, 2 }, { 1, 2 }, { 1, 2 }, { { 0, 0 }, { 1, 0 } } };
    add("reduce_window, spread", ReduceWindow, { f32({ 4, 8 }), scalar }, { f32({ 4, 6 }) }, otherAttributes(window))
        .reducer(Add, { DType::F32 });
    window = { { 1, 2 }, { 1, 2 }, {}, {}, {} };
    add("select_and_scatter", SelectAndScatter, { f32({ 4, 8 }), f32({ 4, 4 }), scalar }, { f32({ 4, 8 }) },
        otherAttributes(window), 48)
        .comparator({ DType::F32 })
        .reducer(Add, { DType::F32 });
    add("cholesky", Cholesky, { f32({ 2, 6, 6 }) }, { f32({ 2, 6, 6 }) }, otherAttributes(CholeskyAttributes{}),
        2 * 72);
    for (const bool left : { true, false })
        for (const TransposeA transpose : { TransposeA::NoTranspose, TransposeA::Adjoint })
            add("triangular_solve", TriangularSolve, { f32({ 2, 3, 3 }), left ? f32({ 2, 3, 5 }) : f32({ 2, 5, 3 }) },
                { left ? f32({ 2, 3, 5 }) : f32({ 2, 5, 3 }) },
                otherAttributes(TriangularSolveAttributes{ left, true, false, transpose }), 90);
    add("fft", Fft, { c64({ 2, 4, 8 }) }, { c64({ 2, 4, 8 }) },
        otherAttributes(FftAttributes{ FftType::Fft, { 4, 8 } }), 5 * 64 * 5);
    add("rfft", Fft, { f32({ 2, 8 }) }, { c64({ 2, 5 }) }, otherAttributes(FftAttributes{ FftType::Rfft, { 8 } }));
    add("irfft", Fft, { c64({ 2, 5 }) }, { f32({ 2, 8 }) }, otherAttributes(FftAttributes{ FftType::Irfft, { 8 } }));
    add("rng", Rng, { scalar, scalar, { DType::I64, { 2 } } }, { f32({ 4, 3 }) }, otherAttributes(RngAttributes{}));
    add("rng_bit_generator", RngBitGenerator, { { DType::U64, { 2 } } },
        { { DType::U64, { 2 } }, { DType::U32, { 6 } } }, otherAttributes(RngBitGeneratorAttributes{}));
    const T x = f32({ 4, 8 }), v = f32({ 8 });
    add("batch_norm_inference", BatchNormInference, { x, v, v, v, v }, { x },
        otherAttributes(BatchNormAttributes{ 0.1, 1 }), 128);
    add("batch_norm_training", BatchNormTraining, { x, v, v }, { x, v, v },
        otherAttributes(BatchNormAttributes{ 0.1, 1 }));
    add("batch_norm_grad", BatchNormGrad, { x, v, v, v, x }, { x, v, v },
        otherAttributes(BatchNormAttributes{ 0.1, 1 }));

    const auto same = [](OneOperation&, const std::vector<ValueId>& own) { return own; };
    const auto no = [&](OneOperation& one, const std::vector<ValueId>&) {
        return std::vector{ one.inner(Constant, {}, pred, ConstantAttributes{ { 0 } }) };
    };
    const auto two = [&](OneOperation& one, const std::vector<ValueId>&) {
        return std::vector{ one.inner(Constant, {}, x, ConstantAttributes{ { 2 } }) };
    };
    add("while", While, { x, token }, { x, token }, {}, 0).body({ x, token }, no).body({ x, token }, same);
    add("case", Case, { i32({}) }, { x }).body({}, two).body({}, two).body({}, two);
    add("if", If, { pred }, { x }).body({}, two).body({}, two);
    add("optimization_barrier", OptimizationBarrier, { x, token }, { x, token });
    add("after_all", AfterAll, { token, token }, { token });
    add("create_token", CreateToken, {}, { token });
    add("send", Send, { x, token }, { token }, otherAttributes(TransferAttributes{}));
    add("recv", Recv, { token }, { x, token }, otherAttributes(TransferAttributes{}));
    free();
    add("infeed", Infeed, { token }, { x, token }, otherAttributes(TransferAttributes{}));
    free();
    add("outfeed", Outfeed, { x, token }, { token }, otherAttributes(TransferAttributes{}));
    add("partition_id", PartitionId, {}, { { DType::U32, {} } });
    add("replica_id", ReplicaId, {}, { { DType::U32, {} } });
    OneOperation& tuple = add("tuple", Tuple, { x, token }, { { DType::Other, {}, 0 } });
    tuple.program.otherTypes = { "tuple<tensor<4x8xf32>, !stablehlo.token>" };
    OneOperation& element = add("get_tuple_element", GetTupleElement, { { DType::Other, {}, 0 } }, { x },
        otherAttributes(TupleElementAttributes{ 1 }));
    element.program.otherTypes = { "tuple<tuple<!stablehlo.token, tensor<f32>>, tensor<4x8xf32>>" };

    CollectiveAttributes c;
    c.groups = { { 0, 1 }, { 2, -1 } };
    add("all_reduce", AllReduce, { x, v }, { x, v }, otherAttributes(c)).reducer(Add, { DType::F32 });
    c.dimension = 1;
    add("all_gather", AllGather, { x }, { f32({ 4, 16 }) }, otherAttributes(c));
    add("reduce_scatter", ReduceScatter, { x }, { f32({ 4, 4 }) }, otherAttributes(c)).reducer(Add, { DType::F32 });
    c.concatDimension = 0;
    c.splitCount = 2;
    add("all_to_all", AllToAll, { x, x }, { f32({ 8, 4 }), f32({ 8, 4 }) }, otherAttributes(c));
    add("collective_permute", CollectivePermute, { x }, { x }, otherAttributes(c));
    all.back().one.operation().attributes = otherAttributes(CollectiveAttributes{ { { 0, 1 }, { 1, 0 } } });
    add("collective_broadcast", CollectiveBroadcast, { x }, { x }, otherAttributes(c));

    const auto custom = [&](const char* target, std::vector<T> operands, std::vector<T> results) {
        CustomCallAttributes call;
        call.target = target;
        add(target, CustomCall, std::move(operands), std::move(results), otherAttributes(std::move(call)));
        free();
    };
    custom("MoveToHost", { x }, { x });
    custom("mhlo.topk", { x }, { f32({ 4, 2 }), i32({ 4, 2 }) });
    custom("ApproxTopK", { x, i32({ 4, 8 }), scalar, i32({}) }, { f32({ 4, 2 }), i32({ 4, 2 }) });
    custom("Eigh", { f32({ 2, 5, 5 }) }, { f32({ 2, 5, 5 }), f32({ 2, 5 }) });
    custom("Qr", { f32({ 2, 5, 4 }) }, { f32({ 2, 5, 4 }), f32({ 2, 4 }) });
    custom("ProductOfElementaryHouseholderReflectors", { f32({ 2, 5, 4 }), f32({ 2, 3 }) }, { f32({ 2, 5, 4 }) });
    custom("unknown", { x }, { v });
    add("opaque", Opaque, { x, token }, { v }, otherAttributes(OpaqueAttributes{ "foo.bar" })).body({ x }, same);
    free();
    add("top_k", ChloTopK, { x }, { f32({ 4, 3 }), i32({ 4, 3 }) }, otherAttributes(TopKAttributes{ 3 }));
    const auto ragged = [&](const char* name, std::vector<T> operands, T result, std::string dims, double flops) {
        OneOperation& one = add(name, ChloRaggedDot, std::move(operands), { std::move(result) }, {}, flops);
        one.program.dictionaries.push_back(
            { { "ragged_dot_dimension_numbers", "#chlo.ragged_dot<" + std::move(dims) + ">" } });
        one.operation().extra = static_cast<std::uint32_t>(one.program.dictionaries.size() - 1);
    };
    ragged("ragged_dot", { x, f32({ 2, 8, 5 }), i32({ 2 }) }, f32({ 4, 5 }),
        "lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], "
        "rhs_group_dimensions = [0]",
        320);
    ragged("ragged_dot contracted", { x, f32({ 4, 5 }), i32({ 3 }) }, f32({ 3, 8, 5 }),
        "lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0], lhs_ragged_dimensions = [0]", 320);
    ragged("ragged_dot batch", { f32({ 3, 4, 8 }), f32({ 3, 8, 5 }), i32({ 2 }) }, f32({ 3, 4, 5 }),
        "lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], "
        "rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0]",
        960);
    add("broadcast_add", ChloBroadcastAdd, { x, f32({ 1, 8 }) }, { x }, {}, 32);
    add("broadcast_compare", ChloBroadcastCompare, { x, f32({ 4 }) }, { { DType::Pred, { 4, 8 } } },
        BroadcastAttributes{ { 0 } });
    add("reshard", Reshard, { x }, { x }, otherAttributes(OwnShardingAttributes{}), 0);
    add("data_flow_edge", DataFlowEdge, { x }, { x }, otherAttributes(OwnShardingAttributes{}));
    add("propagation_barrier", PropagationBarrier, { x }, { x }, otherAttributes(PropagationBarrierAttributes{}));
    add("sharding_group", ShardingGroup, { x }, {}, otherAttributes(ShardingGroupAttributes{}));
    for (const OpKind kind : { SdyAllGather, SdyAllReduce, SdyAllSlice, SdyAllToAll, SdyCollectivePermute,
             SdyReduceScatter, ShardedToUnreduced, ReplicatedToUnreduced })
        add(opRow(kind).name.data(), kind, { x }, { x }, otherAttributes(SdyCollectiveAttributes{}));
    add("manual_computation", ManualComputation, { x }, { x }, otherAttributes(ManualComputationAttributes{}))
        .body({ v }, same);
    free();
    add("named_computation", NamedComputation, { x, v }, { x, v },
        otherAttributes(NamedComputationAttributes{ "f", {}, {} }))
        .body({ x, v }, same);
    return all;
}

} // namespace shardscope
