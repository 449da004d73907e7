// SPDX-License-Identifier: GPL-3.0-or-later
#include "execute_stress.h"

#include <array>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "partition/partition_program.h"
#include "simulate/executed.h"
#include "stablehlo/read.h"

namespace shardscope::stress {

namespace {

/// A layer with its gradient, collectives of every kind, a loop and a branch.
constexpr std::array texts{
    R"(sdy.mesh @mesh = <["data"=2, "model"=4]>
func.func @main(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>},
    %w: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>},
    %v: tensor<32x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>}) -> (tensor<8x16xf32>, tensor<32x16xf32>) {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>
  %1 = stablehlo.tanh %0 : tensor<8x32xf32>
  %2 = stablehlo.dot_general %1, %v, contracting_dims = [1] x [0] : (tensor<8x32xf32>, tensor<32x16xf32>) -> tensor<8x16xf32>
  %3 = stablehlo.dot_general %1, %2, contracting_dims = [0] x [0] : (tensor<8x32xf32>, tensor<8x16xf32>) -> tensor<32x16xf32>
  return %2, %3 : tensor<8x16xf32>, tensor<32x16xf32>
}
)",
    R"(sdy.mesh @mesh = <["a"=4, "b"=2]>
func.func @main(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>})
    -> (tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {"a"}]>}) {
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %c1 = stablehlo.constant dense<1> : tensor<i32>
  %c3 = stablehlo.constant dense<3> : tensor<i32>
  %r:2 = stablehlo.while(%i = %c0, %y = %x) : tensor<i32>, tensor<16x8xf32>
  cond {
    %p = stablehlo.compare LT, %i, %c3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %z = stablehlo.constant dense<0.0> : tensor<f32>
    %s = stablehlo.reduce(%y init: %z) applies stablehlo.add across dimensions = [0] : (tensor<16x8xf32>, tensor<f32>) -> tensor<8xf32>
    %t = stablehlo.broadcast_in_dim %s, dims = [1] : (tensor<8xf32>) -> tensor<16x8xf32>
    %u = stablehlo.cosine %t : tensor<16x8xf32>
    %v = stablehlo.add %y, %u : tensor<16x8xf32>
    %j = stablehlo.add %i, %c1 : tensor<i32>
    stablehlo.return %j, %v : tensor<i32>, tensor<16x8xf32>
  }
  return %r#1 : tensor<16x8xf32>
}
)",
    R"(sdy.mesh @mesh = <["x"=8]>
func.func @main(%x: tensor<64x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
    %i: tensor<5xi32>) -> (tensor<64x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, tensor<5x8xf32>) {
  %0 = "stablehlo.sort"(%x) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %p = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }) : (tensor<64x8xf32>) -> tensor<64x8xf32>
  %1 = "stablehlo.gather"(%0, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 8>}> : (tensor<64x8xf32>, tensor<5xi32>) -> tensor<5x8xf32>
  %2 = stablehlo.exponential %0 : tensor<64x8xf32>
  return %2, %1 : tensor<64x8xf32>, tensor<5x8xf32>
}
)",
};

bool sameBits(const std::vector<kernels::Arrays>& a, const std::vector<kernels::Arrays>& b)
{
    for (std::size_t device = 0; device < a.size(); ++device)
        for (std::size_t i = 0; i < a[device].size(); ++i)
            if (const auto bytes = static_cast<std::size_t>(a[device][i].type.byteCount());
                bytes > 0 && std::memcmp(a[device][i].data(), b[device][i].data(), bytes) != 0)
                return false;
    return true;
}

} // namespace

Executed executePrograms(int rounds)
{
    std::atomic<std::int64_t> steps{ 0 };
    std::atomic<bool> same{ true };
    for (const char* const text : texts) {
        const auto read = readStableHlo(text);
        const auto parts = read ? partitionProgram(read->program) : tl::unexpected(read.error());
        if (!parts) {
            std::fprintf(stderr, "a program is refused: %s\n", std::string(parts.error().id()).c_str());
            return { steps, false };
        }
        std::mt19937_64 random(7);
        kernels::Arrays arguments;
        for (const ShardedArray& input : parts->device.inputs) {
            arguments.push_back(kernels::Array::zeros(input.type));
            for (std::int64_t i = 0; i < arguments.back().count(); ++i)
                kernels::setNumber(arguments.back(), i, static_cast<double>(random() >> 11) * 0x1p-51 - 2);
        }
        ExecuteOptions alone;
        alone.threads = 1;
        const auto wanted = test::executeParts(*parts, arguments, alone);
        if (!wanted) {
            std::fprintf(stderr, "a program does not run: %s\n", std::string(wanted.error().id()).c_str());
            return { steps, false };
        }
        std::vector<std::jthread> users;
        for (const int threads : { 4, 3 })
            users.emplace_back([&, threads] {
                ExecuteOptions options;
                options.threads = threads;
                for (int round = 0; round < rounds; ++round) {
                    const auto found = test::executeParts(*parts, arguments, options);
                    if (!found || !sameBits(wanted->shards, found->shards))
                        same = false;
                    ++steps;
                }
            });
    }
    return { steps, same };
}

} // namespace shardscope::stress
