// No size of one mesh divides into those of the other one: devices stand in another order.
sdy.mesh @m1 = <["x"=2, "y"=3]>
sdy.mesh @m2 = <["p"=3, "q"=2]>
func.func public @main(%a: tensor<12x6xf32> {sdy.sharding = #sdy.sharding<@m1, [{"x"}, {"y"}]>}, %b: tensor<12x6xf32> {sdy.sharding = #sdy.sharding<@m2, [{"q"}, {"p"}]>}) -> (tensor<12x6xf32>) {
  %0 = stablehlo.multiply %a, %b : tensor<12x6xf32>
  return %0 : tensor<12x6xf32>
}
