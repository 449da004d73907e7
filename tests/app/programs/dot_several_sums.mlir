// The parts of one product are added up for one user by the program, for others by nobody but the partitioner.
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func public @main(
    %a: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>},
    %b: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
    -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) {
  %0 = stablehlo.dot %a, %b {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %1 = sdy.all_reduce {"x"} %0 out_sharding=<@mesh, [{}, {}]> : tensor<4x4xf32>
  %2 = stablehlo.tanh %0 : tensor<4x4xf32>
  %3 = sdy.reduce_scatter [{}, {"x"}] %0 out_sharding=<@mesh, [{}, {"x"}]> : tensor<4x4xf32>
  %4 = stablehlo.negate %1 : tensor<4x4xf32>
  %5 = sdy.all_slice [{"y"}, {}] %1 out_sharding=<@mesh, [{"y"}, {}]> : tensor<4x4xf32>
  return %2, %3, %4, %5 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}
