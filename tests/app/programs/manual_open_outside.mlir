// What goes in and out of the computation is open, so that the argument is sharded along z as well, an axis that is free
// inside. The unsharded reference has no free axes at all.
sdy.mesh @mesh = <["x"=2, "z"=2]>
func.func public @main(%a: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %r = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x", ?}, {?}]>] out_shardings=[<@mesh, [{"x", ?}, {?}]>] manual_axes={"x"} (%p: tensor<2x8xf32>) {
    %1 = stablehlo.negate %p {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"z"}]>]>} : tensor<2x8xf32>
    %2 = sdy.all_gather [{}, {"z"}] %1 out_sharding=<@mesh, [{}, {}]> : tensor<2x8xf32>
    sdy.return %2 : tensor<2x8xf32>
  } : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}
