// SPDX-License-Identifier: GPL-3.0-or-later
// Programs in StableHLO's text: read, verified, printed, read again, and, where they are legal, propagated.
#include "fuzz/fuzz.h"
#include "program/memory_kinds.h"
#include "program/verify_shardings.h"
#include "propagation/pass_pipelines.h"
#include "propagation/propagate_program.h"
#include "stablehlo/print.h"
#include "stablehlo/read.h"
#include "stablehlo/same_program.h"

namespace shardscope::fuzz {

namespace {

/// Legal programs larger than this are only read: mutated numbers may ask for very long loops of work.
constexpr std::size_t fewValues = 500;

std::string runStableHlo(std::string_view text)
{
    // As `verify` reads: what is wrong is noted, and what comes back is looked at further.
    std::vector<Diagnostic> findings;
    if (const auto noted = readStableHlo(text, { .keepIllegalShardings = true, .findings = &findings })) {
        (void)verify(noted->program);
        (void)verifyShardings(noted->program);
    }
    for (const Diagnostic& finding : findings)
        if (std::string wrong = checkError(finding, text); !wrong.empty())
            return wrong;
    const Result<ReadProgram> read = readStableHlo(text);
    if (read && !findings.empty())
        return "reads without an error what has " + std::string(findings.front().id());
    if (!read)
        return checkError(read.error(), text);
    // Illegal programs are read for `verify` to say what is wrong; only legal ones have to come back unchanged.
    const std::string printed = printStableHlo(read->program);
    if (!verify(read->program).empty() || !verifyShardings(read->program).empty())
        return {};
    for (const MemoryMove& move : memoryOf(read->program).moves)
        if (move.from == move.to)
            return "a move within one memory";
    const Result<ReadProgram> again = readStableHlo(printed);
    if (!again)
        return "cannot read its own text (" + std::string(again.error().id()) + "): " + printed.substr(0, 1000);
    if (const std::string other = difference(read->program, again->program, true); !other.empty())
        return "reads its own text differently: " + other + "\n" + printed.substr(0, 1000);
    if (read->program.values.size() > fewValues)
        return {};
    Result<Program> prepared = passes::prepareInPlace(read->program);
    if (!prepared)
        return {};
    const PropagatedProgram propagated = propagateProgram(*prepared, Strategy::Full);
    for (std::size_t v = 0; v < prepared->values.size(); ++v)
        if (isTensor(prepared->values[v].type.dtype)
            && propagated.result.shardings[v].rank() != prepared->values[v].type.rank())
            return "a sharding of another rank";
    return {};
}

} // namespace

Target stableHloTarget()
{
    return { "stablehlo",
        {
            R"(module {
  sdy.mesh @mesh = <["a"=2]>
  func.func public @main(%arg0: tensor<8xf32> {mhlo.memory_kind = "device", sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %arg1: tensor<8xf32> {mhlo.memory_kind = "pinned_host"}) -> (tensor<8xf32> {mhlo.memory_kind = "unpinned_host"}) {
    %0 = stablehlo.custom_call @annotate_device_placement(%arg1) {has_side_effect = true, mhlo.frontend_attributes = {_xla_buffer_placement = "device"}} : (tensor<8xf32>) -> tensor<8xf32>
    %1 = stablehlo.add %arg0, %0 : tensor<8xf32>
    %2 = func.call @f(%1) : (tensor<8xf32>) -> tensor<8xf32>
    %3 = stablehlo.custom_call @MoveToHost(%2) : (tensor<8xf32>) -> tensor<8xf32>
    return %3 : tensor<8xf32>
  }
  func.func private @f(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0 = stablehlo.multiply %arg0, %arg0 : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
)",
            R"(module @m attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=4], device_ids=[1, 0, 2, 3, 4, 5, 6, 7]>
  sdy.mesh @one = <[], device_ids=[3]>
  func.func public @main(%arg0: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}p1, {"y":(1)2}], replicated={"y":(2)2}>}, %arg1: tensor<16x4xf32>) -> (tensor<8x4xf32> {jax.result_info = ""}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32> loc(#loc1)
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x4xf32>
    %2 = stablehlo.maximum %0, %1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {?}]>]>} : tensor<8x4xf32>
    %3 = sdy.sharding_constraint %2 <@mesh, [{"x"}, {}]> : tensor<8x4xf32>
    %4 = call @f(%3) : (tensor<8x4xf32>) -> tensor<8x4xf32>
    return %4 : tensor<8x4xf32>
  }
  func.func private @f(%arg0: tensor<8x4xf32>) -> tensor<8x4xf32> {
    %0 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<8x4xf32>) -> tensor<4x8xf32>
    %1 = stablehlo.reshape %0 : (tensor<4x8xf32>) -> tensor<32xf32>
    %2 = stablehlo.slice %1 [0:32:1] : (tensor<32xf32>) -> tensor<32xf32>
    %3 = stablehlo.reshape %2 : (tensor<32xf32>) -> tensor<8x4xf32>
    return %3 : tensor<8x4xf32>
  }
}
#loc1 = loc("a"("b.py":1:2))
)",
            R"(func.func @main(%a: tensor<4xi32>, %b: tensor<4xf64>) -> (tensor<4xi32>, tensor<i1>) {
  %c = stablehlo.constant dense<[1, -2, 3, 4]> : tensor<4xi32>
  %0:2 = stablehlo.while(%i = %a, %j = %b) : tensor<4xi32>, tensor<4xf64>
    cond {
      %t = stablehlo.constant dense<true> : tensor<i1>
      stablehlo.return %t : tensor<i1>
    } do {
      %n = stablehlo.add %i, %c : tensor<4xi32>
      stablehlo.return %n, %j : tensor<4xi32>, tensor<4xf64>
    }
  %s = "stablehlo.sort"(%0#0) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %l = stablehlo.compare LT, %x, %y, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %l : tensor<i1>
  }) : (tensor<4xi32>) -> tensor<4xi32>
  %z = stablehlo.constant dense<0> : tensor<i32>
  %r = stablehlo.reduce(%s init: %z) applies stablehlo.add across dimensions = [0] : (tensor<4xi32>, tensor<i32>) -> tensor<i32>
  %p = stablehlo.compare EQ, %r, %z : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %u = stablehlo.custom_call @Sharding(%s) {mhlo.sharding = "{devices=[4]<=[4]}", backend_config = ""} : (tensor<4xi32>) -> tensor<4xi32>
  return %u, %p : tensor<4xi32>, tensor<i1>
}
)",
            R"(module {
  sdy.mesh @mesh = <["a"=2, "b"=2]>
  func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"a"}]>] out_shardings=[<@mesh, [{"a", "b"}]>] manual_axes={"a"} (%arg1: tensor<4xf32>) {
      %1 = sdy.all_gather [{}] %arg1 out_sharding=<@mesh, [{}]> : tensor<4xf32>
      sdy.sharding_group %1 group_id=3 : tensor<4xf32>
      sdy.return %1 : tensor<4xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    %2 = sdy.propagation_barrier %0 allowed_direction=FORWARD : tensor<8xf32>
    %3 = sdy.reshard %2 <mesh<["q"=8]>, [{"q"}]> : tensor<8xf32>
    "foreign.op"(%3) {a = dense<[1.0, 0x7F800000]> : tensor<2xf32>, b = array<i64: 1, 2>} : (tensor<8xf32>) -> ()
    return %3 : tensor<8xf32>
  }
}
)",
            R"(module attributes {mhlo.frontend_attributes = {k = "v", xla.sdy.meshes = "{mesh = #sdy.mesh<[\22a\22=2, \22b\22=4]>}"}} {
  func.func @main(%x: tensor<8x16xf32> {mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding<@mesh, [{\22a\22}, {?}]>"}}) -> tensor<8x16xf32> {
    %0 = stablehlo.custom_call @Sharding(%x) {backend_config = "unspecified_dims=[1]", mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding_per_value<[<@mesh, [{}, {\22b\22}]>]>"}} : (tensor<8x16xf32>) -> tensor<8x16xf32>
    stablehlo.custom_call @xla.sdy.ShardingGroup(%0) {has_side_effect = true, mhlo.frontend_attributes = {xla.sdy.sharding_group_id = "21 : i64"}} : (tensor<8x16xf32>) -> ()
    %1 = stablehlo.custom_call @foo(%0) {mhlo.frontend_attributes = {xla.sdy.sharding_rule = "#sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=16}, custom>"}} : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %2 = stablehlo.custom_call @xla.sdy.FuncResultSharding(%1) {mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding_per_value<[<@mesh, [{\5C\22b\5C\22}, {?}]>]>"}} : (tensor<8x16xf32>) -> tensor<8x16xf32>
    return %2 : tensor<8x16xf32> loc(#loc3)
  }
}
#loc3 = loc("n"(#loc4) // said
)
#loc4 = loc("f.py":1:2
)
)",
            "%0:3 = ",
            "#sdy.sharding<@mesh, [{}, {?}]>",
            "dense<\"0x0000803F\"> : tensor<1xf32>",
            "loc(unknown)",
            "tensor<?xf32>",
            "tuple<tensor<f32>, !stablehlo.token>",
            "complex<f32>",
            "{-# dialect_resources: { #-}",
        },
        runStableHlo,
        { { "func.func @main(%a: tensor<f32>) {\n", "  %v# = stablehlo.tanh %a : tensor<f32>\n", "  return\n}\n" },
            { "func.func @main(%a: tensor<f32>) attributes {", "k# = #,", "k} {\n  return\n}\n" } } };
}

} // namespace shardscope::fuzz
