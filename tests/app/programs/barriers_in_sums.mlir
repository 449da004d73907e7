// Barriers between a product and what adds up its parts.
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %b: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<16x16xf32>, tensor<16x16xf32>) {
  %2 = stablehlo.dot %a, %b {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %3 = sdy.propagation_barrier %2 allowed_direction=NONE : tensor<16x16xf32>
  %4 = sdy.all_reduce {"x"} %3 out_sharding=<@mesh, [{}, {}]> : tensor<16x16xf32>
  %o = stablehlo.optimization_barrier %2 : tensor<16x16xf32>
  %5 = sdy.reduce_scatter [{"x"}, {}] %o out_sharding=<@mesh, [{"x"}, {}]> : tensor<16x16xf32>
  return %4, %5 : tensor<16x16xf32>, tensor<16x16xf32>
}
