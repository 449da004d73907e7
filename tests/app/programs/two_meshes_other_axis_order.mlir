// The second mesh has the axes of the first in another order, which is another order of devices.
sdy.mesh @mesh = <["x"=2, "y"=4]>
sdy.mesh @other = <["y"=4, "x"=2]>
func.func public @main(
    %a: tensor<8x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>},
    %b: tensor<8x2xf32> {sdy.sharding = #sdy.sharding<@other, [{"y"}, {"x"}]>}) -> tensor<8x2xf32> {
  %0 = stablehlo.negate %b : tensor<8x2xf32>
  %1 = stablehlo.subtract %a, %0 : tensor<8x2xf32>
  return %1 : tensor<8x2xf32>
}
