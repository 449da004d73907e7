// The broadcast of earlier versions: new dimensions come first.
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> (tensor<2x3x4x8xf32>) {
  %0 = stablehlo.broadcast %a, sizes = [2, 3] : (tensor<4x8xf32>) -> tensor<2x3x4x8xf32>
  return %0 : tensor<2x3x4x8xf32>
}
