// Three shardings for two results count for none; one that is no tuple is that of both.
module @jit_f attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<8x4xf32>, %arg1: tensor<8x4xi32>) -> (tensor<8x4xf32>, tensor<8x4xi32>, tensor<8x4xf32>, tensor<8x4xi32>) {
    %0:2 = "stablehlo.sort"(%arg0, %arg1) ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>):
        %2 = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %2 : tensor<i1>
    }) {dimension = 1 : i64, is_stable = true, mhlo.sharding = "{{devices=[4,1]<=[4]}, {devices=[4,1]<=[4]}, {replicated}}"} : (tensor<8x4xf32>, tensor<8x4xi32>) -> (tensor<8x4xf32>, tensor<8x4xi32>)
    %1:2 = "stablehlo.sort"(%arg0, %arg1) ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>):
        %3 = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %3 : tensor<i1>
    }) {dimension = 1 : i64, is_stable = true, mhlo.sharding = "{devices=[4,1]<=[4]}"} : (tensor<8x4xf32>, tensor<8x4xi32>) -> (tensor<8x4xf32>, tensor<8x4xi32>)
    return %0#0, %0#1, %1#0, %1#1 : tensor<8x4xf32>, tensor<8x4xi32>, tensor<8x4xf32>, tensor<8x4xi32>
  }
}
