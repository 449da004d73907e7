// Manual along y, and Shardy's collectives along x, which is free: they move what they are given, and change nothing.
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> tensor<4x8xf32> {
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}, {"y"}]>] out_shardings=[<@mesh, [{}, {"y"}]>] manual_axes={"y"} (%arg1: tensor<4x4xf32>) {
    %1 = sdy.all_to_all [{"x"}: 0->1] %arg1 out_sharding=<@mesh, [{}, {"x"}]> : tensor<4x4xf32>
    %2 = sdy.all_to_all [{"x"}: 1->0] %1 out_sharding=<@mesh, [{"x"}, {}]> : tensor<4x4xf32>
    %3 = sdy.all_gather [{"x"}, {}] %2 out_sharding=<@mesh, [{}, {}]> : tensor<4x4xf32>
    %4 = sdy.all_slice [{}, {"x"}] %3 out_sharding=<@mesh, [{}, {"x"}]> : tensor<4x4xf32>
    %5 = sdy.all_gather [{}, {"x"}] %4 out_sharding=<@mesh, [{}, {}]> : tensor<4x4xf32>
    %6 = stablehlo.add %5, %3 : tensor<4x4xf32>
    sdy.return %6 : tensor<4x4xf32>
  } : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
