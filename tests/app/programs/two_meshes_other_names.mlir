// The axes of one mesh are those of the other, put together: d is x and y.
sdy.mesh @m1 = <["x"=2, "y"=4]>
sdy.mesh @m2 = <["d"=8]>
func.func public @main(%a: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m1, [{"x"}, {"y"}]>}, %b: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m2, [{"d"}, {}]>}) -> (tensor<16x8xf32>, tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@m2, [{}, {"d"}]>}) {
  %0 = stablehlo.add %a, %b : tensor<16x8xf32>
  %t = stablehlo.transpose %b, dims = [1, 0] : (tensor<16x8xf32>) -> tensor<8x16xf32>
  %1 = stablehlo.dot %a, %t : (tensor<16x8xf32>, tensor<8x16xf32>) -> tensor<16x16xf32>
  return %0, %1 : tensor<16x8xf32>, tensor<16x16xf32>
}
