// The sum names a mesh with the same axes and the devices in another order: those along x of that one add up.
sdy.mesh @mesh = <["x"=2, "y"=2]>
sdy.mesh @other = <["x"=2, "y"=2], device_ids=[0, 2, 1, 3]>
func.func @main(%a: tensor<8x4xf32>) -> tensor<4x4xf32> {
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"y", "x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x", "y"} (%b: tensor<2x4xf32>) {
    %n = stablehlo.negate %b : tensor<2x4xf32>
    %r = sdy.all_reduce {"x"} %n out_sharding=<@other, [{}, {}]> : tensor<2x4xf32>
    sdy.return %r : tensor<2x4xf32>
  } : (tensor<8x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
