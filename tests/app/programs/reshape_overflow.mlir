// Axes that a dimension cannot take go on to the next ones; sides of a reshape that diverge meet again.
sdy.mesh @mesh = <["x"=4, "y"=2]>
func.func @main(%a: tensor<2x4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}, {}]>}, %b: tensor<6x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}) -> (tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}]>}, tensor<3x8xf32>, tensor<2x12xf32>) {
  %0 = stablehlo.reshape %a : (tensor<2x4x6xf32>) -> tensor<8x6xf32>
  %1 = stablehlo.reshape %b : (tensor<6x4xf32>) -> tensor<3x8xf32>
  %2 = stablehlo.reshape %b : (tensor<6x4xf32>) -> tensor<2x12xf32>
  return %0, %1, %2 : tensor<8x6xf32>, tensor<3x8xf32>, tensor<2x12xf32>
}
