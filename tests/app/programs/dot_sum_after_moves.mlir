// Parts are gathered and sliced along y before they are added up along x.
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func public @main(
    %a: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>},
    %b: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %0 = stablehlo.dot %a, %b {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {}]>]>} : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %1 = sdy.all_gather [{"y"}, {}] %0 out_sharding=<@mesh, [{}, {}]> : tensor<4x4xf32>
  %2 = sdy.all_reduce {"x"} %1 out_sharding=<@mesh, [{}, {}]> : tensor<4x4xf32>
  %3 = sdy.all_to_all [{"y"}: 0->1] %0 out_sharding=<@mesh, [{}, {"y"}]> : tensor<4x4xf32>
  %4 = sdy.reduce_scatter [{"x"}, {}] %3 out_sharding=<@mesh, [{"x"}, {"y"}]> : tensor<4x4xf32>
  return %2, %4 : tensor<4x4xf32>, tensor<4x4xf32>
}
