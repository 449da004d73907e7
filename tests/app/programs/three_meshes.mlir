sdy.mesh @first = <["x"=2]>
sdy.mesh @second = <["x"=4]>
sdy.mesh @third = <["z"=8]>
func.func public @main(
    %a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@second, [{"x"}]>},
    %b: tensor<8xf32> {sdy.sharding = #sdy.sharding<@third, [{"z"}]>}) -> tensor<8xf32> {
  %0 = stablehlo.add %a, %b : tensor<8xf32>
  return %0 : tensor<8xf32>
}
