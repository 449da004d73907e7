// SPDX-License-Identifier: GPL-3.0-or-later
// Every form of every operation: the pretty and the generic one say the same, and both survive the printer.
#include <QtTest>

#include <set>

#include "program/op_row.h"
#include "registered_test.h"
#include "stablehlo/read_all.h"
#include "stablehlo/reading.h"

using namespace shardscope;

namespace {

/// A text around statements, with values of many types to work on.
std::string around(const std::string& body)
{
    return "#alias = array<i64: 1, 0>\n"
           "!pair = tuple<tensor<f32>, tensor<4xi32>>\n"
           "module @forms {\n"
           "  sdy.mesh @mesh = <[\"x\"=2, \"y\"=4]>\n"
           "  func.func private @f(%p: tensor<8x4xf32>) -> tensor<8x4xf32> {\n    return %p : tensor<8x4xf32>\n  }\n"
           "  func.func public @main(%a: tensor<8x4xf32>, %b: tensor<8x4xf32>, %m: tensor<4x8xf32>, %s: tensor<f32>,\n"
           "      %i: tensor<i32>, %v: tensor<8xf32>, %p: tensor<8x4xi1>, %n: tensor<8x4xi32>, %t: !stablehlo.token,\n"
           "      %u: !pair, %c: tensor<8x4xcomplex<f32>>, %q: tensor<i1>, %img: tensor<1x8x8x3xf32>,\n"
           "      %ker: tensor<3x3x3x16xf32>, %idx: tensor<2x1xi32>, %upd: tensor<2x4xf32>, %sq: tensor<4x4xf32>) {\n"
        + body + "\n    return\n  }\n}\n";
}

struct Form {
    const char* pretty;
    const char* generic;
    const char* kind; ///< qualified name of the last operation of main
};

const Form forms[] = {
    { "%0 = stablehlo.add %a, %b : tensor<8x4xf32>",
        "%0 = \"stablehlo.add\"(%a, %b) : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>", "stablehlo.add" },
    { "%0 = stablehlo.tanh %a {mhlo.frontend = \"x\"} : tensor<8x4xf32> loc(\"here\")",
        "%0 = \"stablehlo.tanh\"(%a) {mhlo.frontend = \"x\"} : (tensor<8x4xf32>) -> tensor<8x4xf32> loc(\"here\")",
        "stablehlo.tanh" },
    { "%0 = stablehlo.convert %a : (tensor<8x4xf32>) -> tensor<8x4xbf16>",
        "%0 = \"stablehlo.convert\"(%a) : (tensor<8x4xf32>) -> tensor<8x4xbf16>", "stablehlo.convert" },
    { "%0 = stablehlo.compare LT, %a, %b, FLOAT : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xi1>",
        "%0 = \"stablehlo.compare\"(%a, %b) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = "
        "#stablehlo<comparison_direction LT>}> : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xi1>",
        "stablehlo.compare" },
    { "%0 = stablehlo.select %p, %a, %b : tensor<8x4xi1>, tensor<8x4xf32>",
        "%0 = \"stablehlo.select\"(%p, %a, %b) : (tensor<8x4xi1>, tensor<8x4xf32>, tensor<8x4xf32>) -> "
        "tensor<8x4xf32>",
        "stablehlo.select" },
    { "%0 = stablehlo.select %q, %a, %b : (tensor<i1>, tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>",
        "%0 = \"stablehlo.select\"(%q, %a, %b) : (tensor<i1>, tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>",
        "stablehlo.select" },
    { "%0 = stablehlo.clamp %s, %a, %s : (tensor<f32>, tensor<8x4xf32>, tensor<f32>) -> tensor<8x4xf32>",
        "%0 = \"stablehlo.clamp\"(%s, %a, %s) : (tensor<f32>, tensor<8x4xf32>, tensor<f32>) -> tensor<8x4xf32>",
        "stablehlo.clamp" },
    { "%0 = stablehlo.broadcast_in_dim %v, dims = [0] : (tensor<8xf32>) -> tensor<8x4xf32>",
        "%0 = \"stablehlo.broadcast_in_dim\"(%v) {broadcast_dimensions = dense<0> : tensor<1xi64>} : (tensor<8xf32>) "
        "-> tensor<8x4xf32>",
        "stablehlo.broadcast_in_dim" },
    { "%0 = stablehlo.reshape %a : (tensor<8x4xf32>) -> tensor<32xf32>",
        "%0 = \"stablehlo.reshape\"(%a) : (tensor<8x4xf32>) -> tensor<32xf32>", "stablehlo.reshape" },
    { "%0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<8x4xf32>) -> tensor<4x8xf32>",
        "%0 = \"stablehlo.transpose\"(%a) <{permutation = #alias}> : (tensor<8x4xf32>) -> tensor<4x8xf32>",
        "stablehlo.transpose" },
    { "%0 = stablehlo.iota dim = 1 : tensor<8x4xi32>",
        "%0 = \"stablehlo.iota\"() <{iota_dimension = 1 : i64}> : () -> tensor<8x4xi32>", "stablehlo.iota" },
    { "%0 = stablehlo.constant dense<[1.0, 2.5]> : tensor<2xf32>",
        "%0 = \"stablehlo.constant\"() <{value = dense<[1.0, 2.5]> : tensor<2xf32>}> : () -> tensor<2xf32>",
        "stablehlo.constant" },
    { "%0 = stablehlo.dot_general %a, %m, contracting_dims = [1] x [0], precision = [DEFAULT, HIGHEST] : "
      "(tensor<8x4xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>",
        "%0 = \"stablehlo.dot_general\"(%a, %m) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = "
        "[1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, "
        "#stablehlo<precision HIGHEST>]}> : (tensor<8x4xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>",
        "stablehlo.dot_general" },
    { "%0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [1] x [1], algorithm = "
      "<lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32> : (tensor<8x4xf32>, "
      "tensor<8x4xf32>) -> tensor<8xf32>",
        "%0 = \"stablehlo.dot_general\"(%a, %b) {dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], "
        "rhs_batching_dimensions = [0], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1]>, algorithm "
        "= #stablehlo.dot_algorithm<lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32>} : "
        "(tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8xf32>",
        "stablehlo.dot_general" },
    { "%0 = stablehlo.dot %a, %m, precision = [HIGH, HIGH] : (tensor<8x4xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>",
        "%0 = \"stablehlo.dot\"(%a, %m) {precision_config = [#stablehlo<precision HIGH>, #stablehlo<precision HIGH>]} "
        ": (tensor<8x4xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>",
        "stablehlo.dot" },
    { "%0 = stablehlo.slice %a [0:4, 1:4:2] : (tensor<8x4xf32>) -> tensor<4x2xf32>",
        "%0 = \"stablehlo.slice\"(%a) <{start_indices = array<i64: 0, 1>, limit_indices = array<i64: 4, 4>, strides = "
        "array<i64: 1, 2>}> : (tensor<8x4xf32>) -> tensor<4x2xf32>",
        "stablehlo.slice" },
    { "%0 = stablehlo.pad %a, %s, low = [1, -1], high = [0, 0], interior = [0, 1] : (tensor<8x4xf32>, tensor<f32>) -> "
      "tensor<9x6xf32>",
        "%0 = \"stablehlo.pad\"(%a, %s) <{edge_padding_low = array<i64: 1, -1>, edge_padding_high = array<i64: 0, 0>, "
        "interior_padding = array<i64: 0, 1>}> : (tensor<8x4xf32>, tensor<f32>) -> tensor<9x6xf32>",
        "stablehlo.pad" },
    { "%0 = stablehlo.concatenate %a, %b, dim = 0 : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<16x4xf32>",
        "%0 = \"stablehlo.concatenate\"(%a, %b) <{dimension = 0 : i64}> : (tensor<8x4xf32>, tensor<8x4xf32>) -> "
        "tensor<16x4xf32>",
        "stablehlo.concatenate" },
    { "%0 = stablehlo.reverse %a, dims = [0, 1] : tensor<8x4xf32>",
        "%0 = \"stablehlo.reverse\"(%a) <{dimensions = array<i64: 0, 1>}> : (tensor<8x4xf32>) -> tensor<8x4xf32>",
        "stablehlo.reverse" },
    { "%0 = stablehlo.dynamic_slice %a, %i, %i, sizes = [2, 2] : (tensor<8x4xf32>, tensor<i32>, tensor<i32>) -> "
      "tensor<2x2xf32>",
        "%0 = \"stablehlo.dynamic_slice\"(%a, %i, %i) <{slice_sizes = array<i64: 2, 2>}> : (tensor<8x4xf32>, "
        "tensor<i32>, tensor<i32>) -> tensor<2x2xf32>",
        "stablehlo.dynamic_slice" },
    { "%0 = stablehlo.dynamic_update_slice %a, %upd, %i, %i : (tensor<8x4xf32>, tensor<2x4xf32>, tensor<i32>, "
      "tensor<i32>) -> tensor<8x4xf32>",
        "%0 = \"stablehlo.dynamic_update_slice\"(%a, %upd, %i, %i) : (tensor<8x4xf32>, tensor<2x4xf32>, tensor<i32>, "
        "tensor<i32>) -> tensor<8x4xf32>",
        "stablehlo.dynamic_update_slice" },
    { "%0 = stablehlo.bitcast_convert %a : (tensor<8x4xf32>) -> tensor<8x4xi32>",
        "%0 = \"stablehlo.bitcast_convert\"(%a) : (tensor<8x4xf32>) -> tensor<8x4xi32>", "stablehlo.bitcast_convert" },
    { "%0 = stablehlo.complex %a, %b : tensor<8x4xcomplex<f32>>",
        "%0 = \"stablehlo.complex\"(%a, %b) : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xcomplex<f32>>",
        "stablehlo.complex" },
    { "%0 = stablehlo.real %c : (tensor<8x4xcomplex<f32>>) -> tensor<8x4xf32>",
        "%0 = \"stablehlo.real\"(%c) : (tensor<8x4xcomplex<f32>>) -> tensor<8x4xf32>", "stablehlo.real" },
    { "%0 = stablehlo.reduce_precision %a, format = e5m10 : tensor<8x4xf32>",
        "%0 = \"stablehlo.reduce_precision\"(%a) <{exponent_bits = 5 : i32, mantissa_bits = 10 : i32}> : "
        "(tensor<8x4xf32>) -> tensor<8x4xf32>",
        "stablehlo.reduce_precision" },
    { "%0 = stablehlo.cholesky %sq, lower = true : tensor<4x4xf32>",
        "%0 = \"stablehlo.cholesky\"(%sq) <{lower = true}> : (tensor<4x4xf32>) -> tensor<4x4xf32>",
        "stablehlo.cholesky" },
    { "%0 = stablehlo.fft %c, type = FFT, length = [4] : (tensor<8x4xcomplex<f32>>) -> tensor<8x4xcomplex<f32>>",
        "%0 = \"stablehlo.fft\"(%c) <{fft_type = #stablehlo<fft_type FFT>, fft_length = array<i64: 4>}> : "
        "(tensor<8x4xcomplex<f32>>) -> tensor<8x4xcomplex<f32>>",
        "stablehlo.fft" },
    { "%0 = stablehlo.constant dense<[8, 4]> : tensor<2xi64>\n%1 = stablehlo.rng %s, %s, %0, distribution = UNIFORM : "
      "(tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<8x4xf32>",
        "%0 = stablehlo.constant dense<[8, 4]> : tensor<2xi64>\n%1 = \"stablehlo.rng\"(%s, %s, %0) <{rng_distribution "
        "= #stablehlo<rng_distribution UNIFORM>}> : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<8x4xf32>",
        "stablehlo.rng" },
    { "%0 = stablehlo.constant dense<1> : tensor<2xui64>\n%1:2 = stablehlo.rng_bit_generator %0, algorithm = THREE_FRY "
      ": (tensor<2xui64>) -> (tensor<2xui64>, tensor<8xui32>)",
        "%0 = stablehlo.constant dense<1> : tensor<2xui64>\n%1, %2 = \"stablehlo.rng_bit_generator\"(%0) "
        "<{rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>}> : (tensor<2xui64>) -> (tensor<2xui64>, "
        "tensor<8xui32>)",
        "stablehlo.rng_bit_generator" },
    { "%0:2 = stablehlo.optimization_barrier %a, %s : tensor<8x4xf32>, tensor<f32>",
        "%0:2 = \"stablehlo.optimization_barrier\"(%a, %s) : (tensor<8x4xf32>, tensor<f32>) -> (tensor<8x4xf32>, "
        "tensor<f32>)",
        "stablehlo.optimization_barrier" },
    { "%0 = stablehlo.tuple %a, %s : tuple<tensor<8x4xf32>, tensor<f32>>",
        "%0 = \"stablehlo.tuple\"(%a, %s) : (tensor<8x4xf32>, tensor<f32>) -> tuple<tensor<8x4xf32>, tensor<f32>>",
        "stablehlo.tuple" },
    { "%0 = stablehlo.get_tuple_element %u[1] : (!pair) -> tensor<4xi32>",
        "%0 = \"stablehlo.get_tuple_element\"(%u) <{index = 1 : i32}> : (tuple<tensor<f32>, tensor<4xi32>>) -> "
        "tensor<4xi32>",
        "stablehlo.get_tuple_element" },
    { "%0 = stablehlo.after_all %t, %t : !stablehlo.token",
        "%0 = \"stablehlo.after_all\"(%t, %t) : (!stablehlo.token, !stablehlo.token) -> !stablehlo.token",
        "stablehlo.after_all" },
    { "%0 = stablehlo.partition_id : tensor<ui32>", "%0 = \"stablehlo.partition_id\"() : () -> tensor<ui32>",
        "stablehlo.partition_id" },
    { "%0 = call @f(%a) : (tensor<8x4xf32>) -> tensor<8x4xf32>",
        "%0 = \"func.call\"(%a) <{callee = @f}> : (tensor<8x4xf32>) -> tensor<8x4xf32>", "func.call" },
    { "%0 = stablehlo.custom_call @Sharding(%a) {has_side_effect = true, api_version = 2 : i32, backend_config = "
      "\"a\\22b\", called_computations = [@f]} : (tensor<8x4xf32>) -> tensor<8x4xf32>",
        "%0 = \"stablehlo.custom_call\"(%a) <{call_target_name = \"Sharding\", has_side_effect = true, api_version = 2 "
        ": i32, backend_config = \"a\\22b\", called_computations = [@f]}> : (tensor<8x4xf32>) -> tensor<8x4xf32>",
        "stablehlo.custom_call" },
    { "%0 = stablehlo.composite \"my.op\" %a {composite_attributes = {n = 2 : i64}, decomposition = @f, version = 3 : "
      "i32} : (tensor<8x4xf32>) -> tensor<8x4xf32>",
        "%0 = \"stablehlo.composite\"(%a) <{composite_attributes = {n = 2 : i64}, decomposition = @f, name = "
        "\"my.op\", version = 3 : i32}> : (tensor<8x4xf32>) -> tensor<8x4xf32>",
        "stablehlo.composite" },
    { "%0 = stablehlo.convolution(%img, %ker) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride "
      "= [2, 2], pad = [[1, 1], [0, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 2], reverse = [false, true]} "
      "{batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x3xf32>, tensor<3x3x3x16xf32>) -> "
      "tensor<1x4x3x16xf32>",
        "%0 = \"stablehlo.convolution\"(%img, %ker) <{dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, "
        "o]->[b, 0, 1, f]>, window_strides = array<i64: 2, 2>, padding = dense<[[1, 1], [0, 1]]> : tensor<2x2xi64>, "
        "rhs_dilation = array<i64: 1, 2>, window_reversal = array<i1: false, true>, feature_group_count = 1 : i64, "
        "batch_group_count = 1 : i64}> : (tensor<1x8x8x3xf32>, tensor<3x3x3x16xf32>) -> tensor<1x4x3x16xf32>",
        "stablehlo.convolution" },
    { "%0 = \"stablehlo.convolution\"(%img, %ker) <{dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, "
      "input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, "
      "kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, "
      "output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>}> : (tensor<1x8x8x3xf32>, "
      "tensor<3x3x3x16xf32>) -> tensor<1x6x6x16xf32>",
        "%0 = stablehlo.convolution(%img, %ker) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} : "
        "(tensor<1x8x8x3xf32>, tensor<3x3x3x16xf32>) -> tensor<1x6x6x16xf32>",
        "stablehlo.convolution" },
    { "%0 = stablehlo.reduce(%a init: %s) across dimensions = [1] : (tensor<8x4xf32>, tensor<f32>) -> tensor<8xf32>\n"
      " reducer(%x: tensor<f32>, %y: tensor<f32>) {\n  %9 = stablehlo.atan2 %x, %y : tensor<f32>\n  stablehlo.return "
      "%9 "
      ": tensor<f32>\n }",
        "%0 = \"stablehlo.reduce\"(%a, %s) <{dimensions = array<i64: 1>}> ({\n ^bb0(%x: tensor<f32>, %y: "
        "tensor<f32>):\n"
        "  %9 = stablehlo.atan2 %x, %y : tensor<f32>\n  \"stablehlo.return\"(%9) : (tensor<f32>) -> ()\n }) : "
        "(tensor<8x4xf32>, tensor<f32>) -> tensor<8xf32>",
        "stablehlo.reduce" },
    { "%0 = stablehlo.reduce(%p init: %q) applies stablehlo.xor across dimensions = [0, 1] : (tensor<8x4xi1>, "
      "tensor<i1>) -> tensor<i1>",
        "%0 = \"stablehlo.reduce\"(%p, %q) <{dimensions = array<i64: 0, 1>}> ({\n ^bb0(%x: tensor<i1>, %y: "
        "tensor<i1>):\n  %9 = stablehlo.xor %x, %y : tensor<i1>\n  stablehlo.return %9 : tensor<i1>\n }) : "
        "(tensor<8x4xi1>, tensor<i1>) -> tensor<i1>",
        "stablehlo.reduce" },
    { "%0:2 = stablehlo.reduce(%a init: %s), (%n init: %i) across dimensions = [0] : (tensor<8x4xf32>, "
      "tensor<8x4xi32>, tensor<f32>, tensor<i32>) -> (tensor<4xf32>, tensor<4xi32>)\n"
      " reducer(%x: tensor<f32>, %z: tensor<f32>) (%y: tensor<i32>, %w: tensor<i32>) {\n  stablehlo.return %x, %w : "
      "tensor<f32>, tensor<i32>\n }",
        "%0:2 = \"stablehlo.reduce\"(%a, %n, %s, %i) <{dimensions = array<i64: 0>}> ({\n ^bb0(%x: tensor<f32>, %y: "
        "tensor<i32>, %z: tensor<f32>, %w: tensor<i32>):\n  stablehlo.return %x, %w : tensor<f32>, tensor<i32>\n }) : "
        "(tensor<8x4xf32>, tensor<8x4xi32>, tensor<f32>, tensor<i32>) -> (tensor<4xf32>, tensor<4xi32>)",
        "stablehlo.reduce" },
    { "%0:2 = stablehlo.while(%k = %i, %l = %a) : tensor<i32>, tensor<8x4xf32> attributes {mhlo.trips = 3 : i64}\n "
      "cond "
      "{\n  %9 = stablehlo.compare LT, %k, %k : (tensor<i32>, tensor<i32>) -> tensor<i1>\n  stablehlo.return %9 : "
      "tensor<i1>\n } do {\n  %9 = stablehlo.add %l, %a : tensor<8x4xf32>\n  stablehlo.return %k, %9 : tensor<i32>, "
      "tensor<8x4xf32>\n }",
        "%0:2 = \"stablehlo.while\"(%i, %a) ({\n ^bb0(%k: tensor<i32>, %l: tensor<8x4xf32>):\n  %9 = stablehlo.compare "
        "LT, %k, %k : (tensor<i32>, tensor<i32>) -> tensor<i1>\n  stablehlo.return %9 : tensor<i1>\n }, {\n ^bb0(%k: "
        "tensor<i32>, %l: tensor<8x4xf32>):\n  %9 = stablehlo.add %l, %a : tensor<8x4xf32>\n  stablehlo.return %k, %9 "
        ": "
        "tensor<i32>, tensor<8x4xf32>\n }) {mhlo.trips = 3 : i64} : (tensor<i32>, tensor<8x4xf32>) -> (tensor<i32>, "
        "tensor<8x4xf32>)",
        "stablehlo.while" },
    { "%0 = chlo.erf %a : tensor<8x4xf32> -> tensor<8x4xf32>",
        "%0 = \"chlo.erf\"(%a) : (tensor<8x4xf32>) -> tensor<8x4xf32>", "chlo.erf" },
    { "%0 = chlo.next_after %a, %b : tensor<8x4xf32>, tensor<8x4xf32> -> tensor<8x4xf32>",
        "%0 = \"chlo.next_after\"(%a, %b) : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>", "chlo.next_after" },
    { "%0 = chlo.broadcast_add %a, %v {broadcast_dimensions = array<i64: 0>} : (tensor<8x4xf32>, tensor<8xf32>) -> "
      "tensor<8x4xf32>",
        "%0 = \"chlo.broadcast_add\"(%a, %v) <{broadcast_dimensions = array<i64: 0>}> : (tensor<8x4xf32>, "
        "tensor<8xf32>) -> tensor<8x4xf32>",
        "chlo.broadcast_add" },
    { "%0:2 = chlo.top_k(%a, k = 2) : tensor<8x4xf32> -> (tensor<8x2xf32>, tensor<8x2xi32>)",
        "%0:2 = \"chlo.top_k\"(%a) <{k = 2 : i64}> : (tensor<8x4xf32>) -> (tensor<8x2xf32>, tensor<8x2xi32>)",
        "chlo.top_k" },
    { "%0 = sdy.sharding_constraint %a <@mesh, [{\"x\"}, {?}]> : tensor<8x4xf32>",
        "%0 = \"sdy.sharding_constraint\"(%a) <{sharding = #sdy.sharding<@mesh, [{\"x\"}, {?}]>}> : (tensor<8x4xf32>) "
        "-> tensor<8x4xf32>",
        "sdy.sharding_constraint" },
    { "%0 = sdy.reshard %a <@mesh, [{}, {\"y\":(1)2}p1], replicated={\"x\"}> : tensor<8x4xf32>",
        "%0 = \"sdy.reshard\"(%a) <{sharding = #sdy.sharding<@mesh, [{}, {\"y\":(1)2}p1], replicated={\"x\"}>}> : "
        "(tensor<8x4xf32>) -> tensor<8x4xf32>",
        "sdy.reshard" },
    { "%0 = sdy.constant dense<1.0> : tensor<8xf32>",
        "%0 = \"sdy.constant\"() <{value = dense<1.0> : tensor<8xf32>}> : () -> tensor<8xf32>", "sdy.constant" },
    { "%0 = sdy.data_flow_edge %a sharding=<@mesh, [{\"x\", ?}, {}]> : tensor<8x4xf32>",
        "%0 = \"sdy.data_flow_edge\"(%a) <{sharding = #sdy.sharding<@mesh, [{\"x\", ?}, {}]>}> : (tensor<8x4xf32>) -> "
        "tensor<8x4xf32>",
        "sdy.data_flow_edge" },
    { "%0 = sdy.data_flow_edge %a : tensor<8x4xf32>",
        "%0 = \"sdy.data_flow_edge\"(%a) : (tensor<8x4xf32>) -> tensor<8x4xf32>", "sdy.data_flow_edge" },
    { "%0 = sdy.propagation_barrier %a allowed_direction=FORWARD : tensor<8x4xf32>",
        "%0 = \"sdy.propagation_barrier\"(%a) <{allowed_direction = 1 : i32}> : (tensor<8x4xf32>) -> tensor<8x4xf32>",
        "sdy.propagation_barrier" },
    { "sdy.sharding_group %a group_id=7 : tensor<8x4xf32>",
        "\"sdy.sharding_group\"(%a) <{group_id = 7 : i64}> : (tensor<8x4xf32>) -> ()", "sdy.sharding_group" },
    { "%0 = sdy.all_gather [{\"x\"}, {}] %a out_sharding=<@mesh, [{}, {}]> : tensor<8x4xf32>",
        "%0 = \"sdy.all_gather\"(%a) <{gathering_axes = #sdy<list_of_axis_ref_lists[{\"x\"}, {}]>, out_sharding = "
        "#sdy.sharding<@mesh, [{}, {}]>}> : (tensor<8x4xf32>) -> tensor<8x4xf32>",
        "sdy.all_gather" },
    { "%0 = sdy.all_slice [{\"x\"}, {\"y\":(2)2}] %a out_sharding=<@mesh, [{\"x\"}, {\"y\":(2)2}]> : tensor<8x4xf32>",
        "%0 = \"sdy.all_slice\"(%a) <{slicing_axes = #sdy<list_of_axis_ref_lists[{\"x\"}, {\"y\":(2)2}]>, "
        "out_sharding = #sdy.sharding<@mesh, [{\"x\"}, {\"y\":(2)2}]>}> : (tensor<8x4xf32>) -> tensor<8x4xf32>",
        "sdy.all_slice" },
    { "%0 = sdy.all_reduce {\"x\", \"y\"} %a out_sharding=<@mesh, [{}, {}]> : tensor<8x4xf32>",
        "%0 = \"sdy.all_reduce\"(%a) <{reduction_axes = #sdy<axis_ref_list{\"x\", \"y\"}>, out_sharding = "
        "#sdy.sharding<@mesh, [{}, {}]>}> : (tensor<8x4xf32>) -> tensor<8x4xf32>",
        "sdy.all_reduce" },
    { "%0 = sdy.reduce_scatter [{}, {\"y\"}] %a out_sharding=<@mesh, [{}, {\"y\"}]> : tensor<8x4xf32>",
        "%0 = \"sdy.reduce_scatter\"(%a) <{reduce_scatter_axes = #sdy<list_of_axis_ref_lists[{}, {\"y\"}]>, "
        "out_sharding = #sdy.sharding<@mesh, [{}, {\"y\"}]>}> : (tensor<8x4xf32>) -> tensor<8x4xf32>",
        "sdy.reduce_scatter" },
    { "%0 = sdy.all_to_all [{\"x\"}: 0->1] %a out_sharding=<@mesh, [{}, {\"x\"}]> : tensor<8x4xf32>",
        "%0 = \"sdy.all_to_all\"(%a) <{params = #sdy<all_to_all_param_list[{\"x\"}: 0->1]>, out_sharding = "
        "#sdy.sharding<@mesh, [{}, {\"x\"}]>}> : (tensor<8x4xf32>) -> tensor<8x4xf32>",
        "sdy.all_to_all" },
    { "%0 = sdy.collective_permute %a out_sharding=<@mesh, [{\"x\"}, {}]> : tensor<8x4xf32>",
        "%0 = \"sdy.collective_permute\"(%a) <{out_sharding = #sdy.sharding<@mesh, [{\"x\"}, {}]>}> : "
        "(tensor<8x4xf32>) -> tensor<8x4xf32>",
        "sdy.collective_permute" },
    { "%0 = sdy.sharded_to_unreduced [{\"x\"}, {}] %a out_sharding=<@mesh, [{}, {}], unreduced={\"x\"}> : "
      "tensor<8x4xf32>",
        "%0 = \"sdy.sharded_to_unreduced\"(%a) <{axes = #sdy<list_of_axis_ref_lists[{\"x\"}, {}]>, out_sharding = "
        "#sdy.sharding<@mesh, [{}, {}], unreduced={\"x\"}>}> : (tensor<8x4xf32>) -> tensor<8x4xf32>",
        "sdy.sharded_to_unreduced" },
    { "%0 = sdy.replicated_to_unreduced {\"x\"} %a out_sharding=<@mesh, [{}, {}], unreduced={\"x\"}> : "
      "tensor<8x4xf32>",
        "%0 = \"sdy.replicated_to_unreduced\"(%a) <{axes = #sdy<axis_ref_list{\"x\"}>, out_sharding = "
        "#sdy.sharding<@mesh, [{}, {}], unreduced={\"x\"}>}> : (tensor<8x4xf32>) -> tensor<8x4xf32>",
        "sdy.replicated_to_unreduced" },
    { "%0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{\"x\"}, {}]>] out_shardings=[<@mesh, [{\"x\"}, {}]>] "
      "manual_axes={\"x\"} (%z: tensor<4x4xf32>) {\n  sdy.return %z : tensor<4x4xf32>\n } : (tensor<8x4xf32>) -> "
      "tensor<8x4xf32>",
        "%0 = \"sdy.manual_computation\"(%a) <{in_shardings = #sdy.sharding_per_value<[<@mesh, [{\"x\"}, {}]>]>, "
        "out_shardings = #sdy.sharding_per_value<[<@mesh, [{\"x\"}, {}]>]>, manual_axes = #sdy<manual_axes{\"x\"}>}> "
        "({\n ^bb0(%z: tensor<4x4xf32>):\n  \"sdy.return\"(%z) : (tensor<4x4xf32>) -> ()\n }) : (tensor<8x4xf32>) -> "
        "tensor<8x4xf32>",
        "sdy.manual_computation" },
    { "%0 = sdy.named_computation<\"part\">(%a) in_shardings=[<@mesh, [{\"x\"}, {}]>] (%z: tensor<8x4xf32>) {\n  "
      "sdy.return %z : tensor<8x4xf32>\n } : (tensor<8x4xf32>) -> tensor<8x4xf32>",
        "%0 = \"sdy.named_computation\"(%a) <{name = \"part\", in_shardings = #sdy.sharding_per_value<[<@mesh, "
        "[{\"x\"}, {}]>]>}> ({\n ^bb0(%z: tensor<8x4xf32>):\n  sdy.return %z : tensor<8x4xf32>\n }) : "
        "(tensor<8x4xf32>) -> tensor<8x4xf32>",
        "sdy.named_computation" },
    { "%0 = interpreter.probe %a, probe_id = \"p\" : tensor<8x4xf32>",
        "%0 = \"interpreter.probe\"(%a) {probe_id = \"p\"} : (tensor<8x4xf32>) -> tensor<8x4xf32>",
        "interpreter.probe" },
    { "check.expect_eq_const %v, dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]> : tensor<8xf32>",
        "\"check.expect_eq_const\"(%v) {value = dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]> : tensor<8xf32>} : "
        "(tensor<8xf32>) -> ()",
        "check.expect_eq_const" },
    { "check.expect_close %a, %b, max_ulp_difference = 3 : tensor<8x4xf32>, tensor<8x4xf32>",
        "\"check.expect_close\"(%a, %b) {max_ulp_difference = 3} : (tensor<8x4xf32>, tensor<8x4xf32>) -> ()",
        "check.expect_close" },
};

/// Operations that only have the generic form.
const char* const onlyGeneric[] = {
    "%0 = \"stablehlo.gather\"(%a, %idx) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], "
    "collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = true, slice_sizes "
    "= "
    "array<i64: 1, 4>}> : (tensor<8x4xf32>, tensor<2x1xi32>) -> tensor<2x4xf32>",
    "%0 = \"stablehlo.scatter\"(%a, %idx, %upd) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = "
    "[1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = "
    "true}> ({\n ^bb0(%x: tensor<f32>, %y: tensor<f32>):\n  %9 = stablehlo.add %x, %y : tensor<f32>\n  "
    "stablehlo.return %9 : tensor<f32>\n }) : (tensor<8x4xf32>, tensor<2x1xi32>, tensor<2x4xf32>) -> tensor<8x4xf32>",
    "%0:2 = \"stablehlo.sort\"(%a, %n) <{dimension = 1 : i64, is_stable = true}> ({\n ^bb0(%x: tensor<f32>, %y: "
    "tensor<f32>, %z: tensor<i32>, %w: tensor<i32>):\n  %9 = stablehlo.compare LT, %x, %y, TOTALORDER : (tensor<f32>, "
    "tensor<f32>) -> tensor<i1>\n  stablehlo.return %9 : tensor<i1>\n }) : (tensor<8x4xf32>, tensor<8x4xi32>) -> "
    "(tensor<8x4xf32>, tensor<8x4xi32>)",
    "%0 = \"stablehlo.reduce_window\"(%a, %s) <{padding = dense<[[1, 0], [0, 0]]> : tensor<2x2xi64>, window_dimensions "
    "= array<i64: 2, 1>, window_strides = array<i64: 2, 1>}> ({\n ^bb0(%x: tensor<f32>, %y: tensor<f32>):\n  %9 = "
    "stablehlo.maximum %x, %y : tensor<f32>\n  stablehlo.return %9 : tensor<f32>\n }) : (tensor<8x4xf32>, tensor<f32>) "
    "-> tensor<4x4xf32>",
    "%0 = \"stablehlo.select_and_scatter\"(%a, %upd, %s) <{window_dimensions = array<i64: 4, 1>, window_strides = "
    "array<i64: 4, 1>}> ({\n ^bb0(%x: tensor<f32>, %y: tensor<f32>):\n  %9 = stablehlo.compare GE, %x, %y : "
    "(tensor<f32>, tensor<f32>) -> tensor<i1>\n  stablehlo.return %9 : tensor<i1>\n }, {\n ^bb0(%x: tensor<f32>, %y: "
    "tensor<f32>):\n  %9 = stablehlo.add %x, %y : tensor<f32>\n  stablehlo.return %9 : tensor<f32>\n }) : "
    "(tensor<8x4xf32>, tensor<2x4xf32>, tensor<f32>) -> tensor<8x4xf32>",
    "%0 = \"stablehlo.map\"(%a, %b) <{dimensions = array<i64: 0, 1>}> ({\n ^bb0(%x: tensor<f32>, %y: tensor<f32>):\n  "
    "%9 = stablehlo.power %x, %y : tensor<f32>\n  stablehlo.return %9 : tensor<f32>\n }) : (tensor<8x4xf32>, "
    "tensor<8x4xf32>) -> tensor<8x4xf32>",
    "%0 = \"stablehlo.case\"(%i) ({\n  stablehlo.return %a : tensor<8x4xf32>\n }, {\n  stablehlo.return %b : "
    "tensor<8x4xf32>\n }) : (tensor<i32>) -> tensor<8x4xf32>",
    "%0:2 = \"stablehlo.if\"(%q) ({\n  stablehlo.return %a, %s : tensor<8x4xf32>, tensor<f32>\n }, {\n  "
    "stablehlo.return %b, %s : tensor<8x4xf32>, tensor<f32>\n }) : (tensor<i1>) -> (tensor<8x4xf32>, tensor<f32>)",
    "%0 = \"stablehlo.triangular_solve\"(%sq, %sq) <{left_side = true, lower = false, transpose_a = "
    "#stablehlo<transpose ADJOINT>, unit_diagonal = false}> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>",
    "%0:3 = \"stablehlo.batch_norm_training\"(%img, %v, %v) <{epsilon = 1.000000e-03 : f32, feature_index = 3 : i64}> "
    ": "
    "(tensor<1x8x8x3xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<1x8x8x3xf32>, tensor<3xf32>, tensor<3xf32>)",
    "%0 = \"stablehlo.all_reduce\"(%a) <{channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>, "
    "replica_groups = dense<[[0, 1], [2, -1]]> : tensor<2x2xi64>, use_global_device_ids}> ({\n ^bb0(%x: tensor<f32>, "
    "%y: tensor<f32>):\n  %9 = stablehlo.add %x, %y : tensor<f32>\n  stablehlo.return %9 : tensor<f32>\n }) : "
    "(tensor<8x4xf32>) -> tensor<8x4xf32>",
    "%0 = \"stablehlo.all_gather\"(%a) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : "
    "tensor<1x2xi64>}> : (tensor<8x4xf32>) -> tensor<8x8xf32>",
    "%0 = \"stablehlo.all_to_all\"(%a) <{split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, "
    "replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<8x4xf32>) -> tensor<16x2xf32>",
    "%0 = \"stablehlo.collective_permute\"(%a) <{source_target_pairs = dense<> : tensor<0x2xi64>}> : "
    "(tensor<8x4xf32>) -> tensor<8x4xf32>",
    "%0 = \"stablehlo.send\"(%a, %t) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 2>, "
    "is_host_transfer = true}> : (tensor<8x4xf32>, !stablehlo.token) -> !stablehlo.token",
    "%0:2 = \"stablehlo.infeed\"(%t) <{infeed_config = \"x\", layout = [[1, 0]]}> : (!stablehlo.token) -> "
    "(tensor<8x4xf32>, !stablehlo.token)",
    "%0 = \"chlo.constant_like\"(%a) <{value = 3.200000e+00 : f32}> : (tensor<8x4xf32>) -> tensor<8x4xf32>",
    "%0:3 = \"foreign.op\"(%a, %u) <{some = [1, {b = \"}\"}], unit}> ({\n }, {\n ^bb0(%x: tensor<f32>):\n  "
    "\"foreign.inner\"(%x) : (tensor<f32>) -> ()\n }) {more = #foreign<x[1]->2>} : (tensor<8x4xf32>, !pair) -> "
    "(tensor<*xf32>, vector<4xf32>, tensor<2x!quant.uniform<i8:f32, 1.0>>)",
    "%0 = stablehlo.add %a, %b {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{\"x\", ?}, {\"y\":(1)2}p2], "
    "replicated={\"y\":(2)2}>]>} : tensor<8x4xf32>",
    "%0 = stablehlo.add %a, %b {sdy.sharding = #sdy.sharding_per_value<[<mesh<[\"z\"=3], device_ids=[2, 1, 0]>, "
    "[{}, {}], unreduced=max{\"z\"}>]>} : tensor<8x4xf32>",
    "%0 = \"stablehlo.constant\"() <{value = dense_resource<r> : tensor<2xi32>}> : () -> tensor<2xi32>",
};

} // namespace

class TestForms : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void bothForms_data();
    void bothForms();
    void genericForms_data();
    void genericForms();
    void allKinds();
    void modules();
    void opaque();
    void knownByName();
};

void TestForms::bothForms_data()
{
    QTest::addColumn<int>("index");
    for (std::size_t i = 0; i < std::size(forms); ++i)
        QTest::newRow(QByteArray::number(static_cast<qulonglong>(i)) + ' ' + forms[i].kind) << static_cast<int>(i);
}

void TestForms::bothForms()
{
    QFETCH(int, index);
    const Form& form = forms[index];
    const Result<ReadProgram> pretty = readStableHlo(around(form.pretty));
    QVERIFY2(pretty, qPrintable(test::shown(pretty)));
    const Result<ReadProgram> generic = readStableHlo(around(form.generic));
    QVERIFY2(generic, qPrintable(test::shown(generic)));
    const std::string different = difference(pretty->program, generic->program);
    QVERIFY2(different.empty(), different.c_str());
    const Program& program = pretty->program;
    QCOMPARE(QString::fromStdString(qualifiedName(program.operation(program.main().operations.back()))),
        QString::fromUtf8(form.kind));
    const QString wrong = test::wayRound(program);
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
    QVERIFY(program.main().operations.size() <= 2);
}

void TestForms::genericForms_data()
{
    QTest::addColumn<QString>("text");
    for (const char* text : onlyGeneric)
        QTest::newRow(QByteArray(text).left(60).constData()) << QString::fromUtf8(text);
}

void TestForms::genericForms()
{
    QFETCH(QString, text);
    const std::string full =
        around(text.toStdString()) + "{-# dialect_resources: { builtin: { r: \"0x040000000100000002000000\" } } #-}\n";
    const Result<ReadProgram> read = readStableHlo(full);
    QVERIFY2(read, qPrintable(test::shown(read)));
    const QString wrong = test::wayRound(read->program);
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
}

/// Each kind of operation has a form above, but for the elementwise ones, which are all alike and tried here.
void TestForms::allKinds()
{
    std::set<OpKind> seen;
    const auto see = [&](const Result<ReadProgram>& read) {
        if (read)
            for (const Operation& operation : read->program.operations)
                seen.insert(operation.kind);
    };
    for (const Form& form : forms)
        see(readStableHlo(around(form.pretty)));
    for (const char* text : onlyGeneric)
        see(readStableHlo(around(text)));
    std::string missing;
    for (std::size_t i = 0; i < opKindCount; ++i) {
        const auto kind = static_cast<OpKind>(i);
        const OpRow& row = opRow(kind);
        if (seen.contains(kind) || kind == OpKind::Reduce)
            continue;
        const std::string name = std::string(prefix(row.dialect)) + '.' + std::string(row.name);
        // Without a form of its own: operands and types alone.
        std::string operands, types;
        const int count = row.operandCount < 0 ? 1 : row.operandCount;
        for (int k = 0; k < count; ++k) {
            operands += k == 0 ? "%a" : ", %a";
            types += k == 0 ? "tensor<8x4xf32>" : ", tensor<8x4xf32>";
        }
        std::string attributes;
        if (kind == OpKind::BatchNormGrad || kind == OpKind::BatchNormInference)
            attributes = "{epsilon = 1.0 : f32, feature_index = 0 : i64}";
        if (kind == OpKind::ReduceScatter)
            attributes = "{scatter_dimension = 0 : i64, replica_groups = dense<0> : tensor<1x1xi64>}";
        if (kind == OpKind::CollectiveBroadcast)
            attributes = "{replica_groups = dense<0> : tensor<1x1xi64>}";
        if (kind == OpKind::ChloConstant)
            attributes = "{value = dense<1.0> : tensor<8x4xf32>}";
        const std::string text =
            "%0 = \"" + name + "\"(" + operands + ") " + attributes + " : (" + types + ") -> tensor<8x4xf32>";
        const Result<ReadProgram> read = readStableHlo(around(text));
        QVERIFY2(read, qPrintable(QString::fromStdString(name) + test::shown(read)));
        see(read);
        const QString wrong = test::wayRound(read->program);
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
        if (!seen.contains(kind))
            missing += name + ' ';
    }
    QVERIFY2(missing.empty(), missing.c_str());
}

/// The same module in the generic form; functions alone; main is found wherever it stands.
void TestForms::modules()
{
    const Result<ReadProgram> pretty =
        readStableHlo("module @m attributes {mhlo.num_partitions = 2 : i32} {\n"
                      "  func.func private @g(%x: tensor<2xf32>) -> (tensor<2xf32> {a.b = 1 : i32}) {\n"
                      "    return %x : tensor<2xf32>\n  }\n"
                      "  func.func public @main(%x: tensor<2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"a\"}]>, "
                      "tf.aliasing_output = 0 : i32}) -> tensor<2xf32> attributes {f.g} {\n"
                      "    %0 = call @g(%x) : (tensor<2xf32>) -> tensor<2xf32>\n"
                      "    return %0 : tensor<2xf32>\n  }\n"
                      "  sdy.mesh @mesh = <[\"a\"=2]>\n}\n");
    QVERIFY2(pretty, qPrintable(test::shown(pretty)));
    const Result<ReadProgram> generic = readStableHlo(
        "\"builtin.module\"() <{sym_name = \"m\"}> ({\n"
        "  \"func.func\"() <{function_type = (tensor<2xf32>) -> tensor<2xf32>, sym_name = \"g\", sym_visibility = "
        "\"private\", res_attrs = [{a.b = 1 : i32}]}> ({\n"
        "  ^bb0(%x: tensor<2xf32>):\n    \"func.return\"(%x) : (tensor<2xf32>) -> ()\n  }) : () -> ()\n"
        "  \"func.func\"() <{function_type = (tensor<2xf32>) -> tensor<2xf32>, sym_name = \"main\", arg_attrs = "
        "[{tf.aliasing_output = 0 : i32, sdy.sharding = #sdy.sharding<@mesh, [{\"a\"}]>}]}> ({\n"
        "  ^bb0(%x: tensor<2xf32>):\n"
        "    %0 = \"func.call\"(%x) <{callee = @g}> : (tensor<2xf32>) -> tensor<2xf32>\n"
        "    \"func.return\"(%0) : (tensor<2xf32>) -> ()\n  }) {f.g} : () -> ()\n"
        "  \"sdy.mesh\"() <{mesh = #sdy.mesh<[\"a\"=2]>, sym_name = \"mesh\"}> : () -> ()\n"
        "}) {mhlo.num_partitions = 2 : i32} : () -> ()\n");
    if (!generic) // a generic declaration is only found in its place
        QCOMPARE(test::shown(generic.error()).left(4), QStringLiteral("E190"));
    const Program& program = pretty->program;
    QCOMPARE(program.functions.size(), std::size_t{ 2 });
    QCOMPARE(program.functions[0].name, std::string("main"));
    QCOMPARE(program.functions[0].body.index, 0U);
    QCOMPARE(program.main().operations.size(), std::size_t{ 1 });
    QVERIFY(program.shardingOf(program.main().arguments[0]) != nullptr);
    QCOMPARE(program.dictionaries[program.functions[0].argumentExtras[0]][0].name, std::string("tf.aliasing_output"));
    QVERIFY2(test::wayRound(program).isEmpty(), qPrintable(test::wayRound(program)));

    const Result<std::vector<ReadProgram>> parts = test::readAllStableHlo(
        "// RUN: x\nfunc.func @a() {\n  func.return\n}\n// -----\n// nothing\n// -----\nfunc.func "
        "@b() {\n  return\n}\n");
    QVERIFY(parts);
    QCOMPARE(parts->size(), std::size_t{ 2 });
    QCOMPARE((*parts)[1].program.functions[0].name, std::string("b"));
}

/// Operations that are no kinds of their own, and constants of another dialect: known, so nothing is said of them.
void TestForms::knownByName()
{
    const Result<ReadProgram> read =
        readStableHlo("func.func @main(%a: tensor<1x6xi64>, %n: tensor<1xi64>) -> tensor<6xi64> {\n"
                      "  %c = arith.constant dense<[1, 2]> : tensor<2xi64>\n"
                      "  %d = \"arith.constant\"() {value = dense<3> : tensor<1xi64>} : () -> tensor<1xi64>\n"
                      "  %e = arith.constant 5 : index\n"
                      "  %0 = stablehlo.dynamic_reshape %a, %n : (tensor<1x6xi64>, tensor<1xi64>) -> tensor<6xi64>\n"
                      "  return %0 : tensor<6xi64>\n}\n");
    QVERIFY2(read, qPrintable(test::shown(read)));
    for (const Diagnostic& warning : read->warnings)
        QFAIL(qPrintable(test::shown(warning)));
    const std::vector<Operation>& operations = read->program.operations;
    QCOMPARE(operations[0].kind, OpKind::Constant);
    QCOMPARE(operations[1].kind, OpKind::Constant);
    QCOMPARE(operations[2].kind, OpKind::Opaque);
    QCOMPARE(operations[3].kind, OpKind::Opaque);
    QCOMPARE(qualifiedName(operations[3]), std::string("stablehlo.dynamic_reshape"));
    QVERIFY(verify(read->program).empty());
    QCOMPARE(test::wayRound(read->program), QString());
    // Their operands are counted.
    const Result<ReadProgram> wrong = readStableHlo("func.func @main(%a: tensor<1x6xi64>) {\n"
                                                    "  %0 = stablehlo.dynamic_pad %a, %a : (tensor<1x6xi64>, "
                                                    "tensor<1x6xi64>) -> tensor<6xi64>\n  return\n}\n");
    QVERIFY(wrong);
    const std::vector<Diagnostic> found = verify(wrong->program);
    QCOMPARE(found.size(), std::size_t{ 1 });
    QCOMPARE(test::shown(found[0]), QStringLiteral("E141 2:3 op=stablehlo.dynamic_pad detail=2 operands instead of 5"));
}

/// What is not known is kept and reported with its place.
void TestForms::opaque()
{
    const Result<ReadProgram> read = readStableHlo("func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n"
                                                   "  foreign.note %a\n"
                                                   "  foreign.empty\n"
                                                   "  %0 = foreign.scale %a by 2 <fast> : tensor<4xf32>\n"
                                                   "  %1 = foreign.loop %0 {\n"
                                                   "    %5 = stablehlo.tanh %0 : tensor<4xf32>\n"
                                                   "  } : (tensor<4xf32>) -> tensor<4xf32>\n"
                                                   "  foreign.value (dense<1.0>) : tensor<4xf32>\n"
                                                   "  return %1 : tensor<4xf32>\n}\n");
    QVERIFY2(read, qPrintable(test::shown(read)));
    const auto misspelt = readStableHlo("func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n"
                                        "  %0 = stablehlo.tanhh %a : tensor<4xf32>\n  return %0 : tensor<4xf32>\n}\n");
    QVERIFY(misspelt && misspelt->warnings.size() == 1);
    QCOMPARE(misspelt->warnings[0].text("nearest"), std::string("stablehlo.tanh"));
    // What an alias stands for may be no location; what is printed can be read again all the same.
    for (const char* meant : { ",\"a\"(\"b.py\":1:2)", "", "\"a\" \"b\"" }) {
        const auto lost = readStableHlo(std::string("func.func @main(%a: tensor<4xf32> loc(#loc1)) -> tensor<4xf32> {\n"
                                                    "  %0 = stablehlo.tanh %a : tensor<4xf32> loc(#loc1)\n"
                                                    "  return %0 : tensor<4xf32> loc(fused[#loc1])\n}\n#loc1 = loc(")
            + meant + ")\n");
        if (lost)
            QVERIFY2(readStableHlo(printStableHlo(lost->program)), meant);
    }
    QCOMPARE(read->warnings.size(), std::size_t{ 5 });
    QCOMPARE(test::shown(read->warnings[0]), QStringLiteral("W230 2:3 op=foreign.note"));
    QCOMPARE(test::shown(read->warnings[1]), QStringLiteral("W230 3:3 op=foreign.empty"));
    QCOMPARE(test::shown(read->warnings[2]), QStringLiteral("W230 4:8 op=foreign.scale"));
    QCOMPARE(test::shown(read->warnings[3]), QStringLiteral("W230 5:8 op=foreign.loop"));
    const Program& program = read->program;
    QCOMPARE(program.main().operations.size(), std::size_t{ 5 });
    const Operation& loop = program.operation(program.main().operations[3]);
    QCOMPARE(loop.operands.size(), std::size_t{ 1 });
    QCOMPARE(loop.regions.size(), std::size_t{ 1 });
    const Dictionary& kept = program.dictionaries[program.operation(program.main().operations[2]).extra];
    QCOMPARE(kept.size(), std::size_t{ 3 });
    const QString wrong = test::wayRound(program);
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
}

REGISTER_TEST(TestForms)
#include "test_forms.moc"
