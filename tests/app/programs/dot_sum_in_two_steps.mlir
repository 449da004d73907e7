// Parts along x and y, added up along one and then the other; then once more where nothing is left.
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func public @main(
    %a: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x", "y"}]>},
    %b: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}]>}) -> tensor<4x4xf32> {
  %0 = stablehlo.dot %a, %b {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %1 = sdy.all_reduce {"x"} %0 out_sharding=<@mesh, [{}, {}]> : tensor<4x4xf32>
  %2 = sdy.reduce_scatter [{"y"}, {}] %1 out_sharding=<@mesh, [{"y"}, {}]> : tensor<4x4xf32>
  return %2 : tensor<4x4xf32>
}
