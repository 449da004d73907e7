// The computation is over a mesh of one axis, the program around it over one of two.
sdy.mesh @m1 = <["x"=2, "y"=2]>
sdy.mesh @m2 = <["p"=4]>
func.func public @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m1, [{"x"}, {"y"}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m1, [{"y"}, {}]>}) {
  %0 = sdy.manual_computation(%a) in_shardings=[<@m2, [{"p"}, {}]>] out_shardings=[<@m2, [{}, {"p"}]>] manual_axes={"p"} (%b: tensor<2x8xf32>) {
    %n = stablehlo.negate %b : tensor<2x8xf32>
    %1 = "stablehlo.all_to_all"(%n) {split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 4 : i64, replica_groups = dense<[[0,1,2,3]]> : tensor<1x4xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>} : (tensor<2x8xf32>) -> tensor<8x2xf32>
    sdy.return %1 : tensor<8x2xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
