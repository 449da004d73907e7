// A function that is called in a manual computation: the sum along x is one of shards there.
sdy.mesh @mesh = <["x"=4]>
func.func @main(%a: tensor<8x4xf32>) -> tensor<4xf32> {
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{}]>] manual_axes={"x"} (%b: tensor<2x4xf32>) {
    %r = func.call @f(%b) : (tensor<2x4xf32>) -> tensor<4xf32>
    sdy.return %r : tensor<4xf32>
  } : (tensor<8x4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @f(%b: tensor<2x4xf32>) -> tensor<4xf32> {
  %r = func.call @g(%b) : (tensor<2x4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
func.func private @g(%b: tensor<2x4xf32>) -> tensor<4xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.reduce(%b init: %z) applies stablehlo.add across dimensions = [0] : (tensor<2x4xf32>, tensor<f32>) -> tensor<4xf32>
  %r = sdy.all_reduce {"x"} %s out_sharding=<@mesh, [{}]> : tensor<4xf32>
  return %r : tensor<4xf32>
}
