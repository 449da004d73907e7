// The same axes over the same devices in another order: the second argument and result lie elsewhere.
sdy.mesh @mesh = <["x"=2, "y"=2]>
sdy.mesh @turned = <["x"=2, "y"=2], device_ids=[3, 1, 2, 0]>
func.func public @main(
    %a: tensor<4x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>},
    %b: tensor<4x2xf32> {sdy.sharding = #sdy.sharding<@turned, [{"x"}, {"y"}]>})
    -> (tensor<4x2xf32>, tensor<4x2xf32> {sdy.sharding = #sdy.sharding<@turned, [{"y"}, {}]>}) {
  %0 = stablehlo.add %a, %b : tensor<4x2xf32>
  %1 = stablehlo.negate %b : tensor<4x2xf32>
  return %0, %1 : tensor<4x2xf32>, tensor<4x2xf32>
}
