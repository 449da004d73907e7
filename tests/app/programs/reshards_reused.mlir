// Transposes and reshapes of what is resharded anyway.
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<4x8xf32>, tensor<32xf32>, tensor<8x4xf32>) {
  %0 = sdy.reshard %a <@mesh, [{"y"}, {}]> : tensor<8x4xf32>
  %t = stablehlo.transpose %a, dims = [1, 0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}]>]>} : (tensor<8x4xf32>) -> tensor<4x8xf32>
  %1 = sdy.reshard %t <@mesh, [{}, {"y"}]> : tensor<4x8xf32>
  %r = stablehlo.reshape %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<8x4xf32>) -> tensor<32xf32>
  %2 = sdy.reshard %r <@mesh, [{"y"}]> : tensor<32xf32>
  return %1, %2, %0 : tensor<4x8xf32>, tensor<32xf32>, tensor<8x4xf32>
}
