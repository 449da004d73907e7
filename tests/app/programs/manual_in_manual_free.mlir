// An axis that is free in both computations, in a program that returns full arrays.
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
func.func @main(%arg0: tensor<32x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) -> (tensor<32x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
  %1 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"a"}, {"b"}]>] out_shardings=[<@mesh, [{"a"}, {?}]>] manual_axes={"a"} (%arg2: tensor<16x32xf32>) {
    %2 = sdy.manual_computation(%arg2) in_shardings=[<@mesh, [{"c"}, {?}]>] out_shardings=[<@mesh, [{"c"}, {"b", ?}]>] manual_axes={"c"} (%arg3: tensor<8x32xf32>) {
      %5 = stablehlo.add %arg3, %arg3 : tensor<8x32xf32>
      sdy.return %5 : tensor<8x32xf32>
    } : (tensor<16x32xf32>) -> tensor<16x32xf32>
    sdy.return %2 : tensor<16x32xf32>
  } : (tensor<32x32xf32>) -> tensor<32x32xf32>
  %c = sdy.sharding_constraint %1 <@mesh, [{}, {}]> : tensor<32x32xf32>
  func.return %c : tensor<32x32xf32>
}
