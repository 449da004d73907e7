// The greatest of each row, whose elements lie on several devices.
sdy.mesh @mesh = <["x"=2]>
func.func public @main(%a: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> tensor<4xf32> {
  %i = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %0 = stablehlo.reduce(%a init: %i) applies stablehlo.maximum across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = stablehlo.reshape %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<4xf32>) -> tensor<4xf32>
  %2 = sdy.reduce_scatter [{"x"}] %1 out_sharding=<@mesh, [{"x"}]> {reduction = "max"} : tensor<4xf32>
  return %2 : tensor<4xf32>
}
