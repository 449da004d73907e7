// Nothing is sharded along the axes of @small, so that it does not matter how many devices it has.
sdy.mesh @small = <["x"=2]>
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func public @main(
    %a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@small, [{}, {}]>},
    %b: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> tensor<8x8xf32> {
  %0 = stablehlo.add %a, %b : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
