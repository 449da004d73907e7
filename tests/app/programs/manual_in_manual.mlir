// The inner computation takes over y, the outer one x: its sum is over all four devices.
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<4xf32>) -> (tensor<1xf32>, tensor<4xf32>) {
  %0:2 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{}]>, <@mesh, [{"x"}]>] manual_axes={"x"} (%b: tensor<2xf32>) {
    %1:2 = sdy.manual_computation(%b) in_shardings=[<@mesh, [{"y"}]>] out_shardings=[<@mesh, [{}]>, <@mesh, [{"y"}]>] manual_axes={"y"} (%c: tensor<1xf32>) {
      %2 = "stablehlo.all_reduce"(%c) ({
        ^bb0(%l: tensor<f32>, %r: tensor<f32>):
          %t = stablehlo.add %l, %r : tensor<f32>
          stablehlo.return %t : tensor<f32>
      }) {replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, use_global_device_ids} : (tensor<1xf32>) -> tensor<1xf32>
      %3 = stablehlo.negate %c : tensor<1xf32>
      sdy.return %2, %3 : tensor<1xf32>, tensor<1xf32>
    } : (tensor<2xf32>) -> (tensor<1xf32>, tensor<2xf32>)
    sdy.return %1#0, %1#1 : tensor<1xf32>, tensor<2xf32>
  } : (tensor<4xf32>) -> (tensor<1xf32>, tensor<4xf32>)
  return %0#0, %0#1 : tensor<1xf32>, tensor<4xf32>
}
