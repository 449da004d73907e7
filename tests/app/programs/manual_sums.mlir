// A product inside is left in parts along x, which is free; what adds them up stands behind it.
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}, %b: tensor<4x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<4x2xf32>, tensor<4x2xf32>) {
  %0:2 = sdy.manual_computation(%a, %b) in_shardings=[<@mesh, [{"y"}, {"x"}]>, <@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"y"}, {}]>, <@mesh, [{"y", "x"}, {}]>] manual_axes={"y"} (%c: tensor<2x4xf32>, %d: tensor<4x2xf32>) {
    %1 = stablehlo.dot %c, %d {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<2x4xf32>, tensor<4x2xf32>) -> tensor<2x2xf32>
    %2 = sdy.all_reduce {"x"} %1 out_sharding=<@mesh, [{}, {}]> : tensor<2x2xf32>
    %3 = sdy.reduce_scatter [{"x"}, {}] %1 out_sharding=<@mesh, [{"x"}, {}]> : tensor<2x2xf32>
    sdy.return %2, %3 : tensor<2x2xf32>, tensor<2x2xf32>
  } : (tensor<4x4xf32>, tensor<4x2xf32>) -> (tensor<4x2xf32>, tensor<4x2xf32>)
  return %0#0, %0#1 : tensor<4x2xf32>, tensor<4x2xf32>
}
