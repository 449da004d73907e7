// @small is used by a function that main does not call.
sdy.mesh @small = <["x"=2]>
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func public @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> tensor<8x8xf32> {
  %0 = stablehlo.negate %a : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
func.func public @other(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@small, [{"x"}, {}]>}) -> tensor<8x8xf32> {
  return %a : tensor<8x8xf32>
}
