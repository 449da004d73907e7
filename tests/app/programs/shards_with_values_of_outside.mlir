// A computation on shards reads a scalar, an array and constants of outside, which are not sharded.
module @jit_f attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<8x4xf32> {mhlo.sharding = "{devices=[4,1]<=[4]}"}, %s: tensor<f32>, %v: tensor<2x4xf32>) -> (tensor<8x4xf32>) {
    %c = stablehlo.constant dense<2.0> : tensor<2x4xf32>
    %i = stablehlo.iota dim = 0 : tensor<2x4xf32>
    %0 = stablehlo.custom_call @Sharding(%arg0) {mhlo.sharding = "{devices=[4,1]<=[4]}"} : (tensor<8x4xf32>) -> tensor<8x4xf32>
    %1 = stablehlo.custom_call @SPMDFullToShardShape(%0) {mhlo.sharding = "{manual}"} : (tensor<8x4xf32>) -> tensor<2x4xf32>
    %2 = stablehlo.multiply %1, %c : tensor<2x4xf32>
    %b = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<2x4xf32>
    %3 = stablehlo.add %2, %b : tensor<2x4xf32>
    %4 = stablehlo.add %3, %v : tensor<2x4xf32>
    %5 = stablehlo.add %4, %i : tensor<2x4xf32>
    %6 = stablehlo.custom_call @Sharding(%5) {mhlo.sharding = "{manual}"} : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %7 = stablehlo.custom_call @SPMDShardToFullShape(%6) {mhlo.sharding = "{devices=[4,1]<=[4]}"} : (tensor<2x4xf32>) -> tensor<8x4xf32>
    return %7 : tensor<8x4xf32>
  }
}
