// Inside of the computation a constraint, and a function that it calls, shard along z, an axis that is free there. The
// unsharded reference has no free axes.
sdy.mesh @mesh = <["x"=2, "z"=2]>
func.func public @main(%a: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %r = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x", ?}, {?}]>] out_shardings=[<@mesh, [{"x", ?}, {?}]>] manual_axes={"x"} (%p: tensor<2x8xf32>) {
    %1 = stablehlo.negate %p : tensor<2x8xf32>
    %2 = sdy.sharding_constraint %1 <@mesh, [{}, {"z"}]> : tensor<2x8xf32>
    %3 = sdy.all_gather [{}, {"z"}] %2 out_sharding=<@mesh, [{}, {}]> : tensor<2x8xf32>
    %4 = func.call @twice(%3) : (tensor<2x8xf32>) -> tensor<2x8xf32>
    sdy.return %4 : tensor<2x8xf32>
  } : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}
func.func private @twice(%v: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %0 = stablehlo.add %v, %v {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"z"}]>]>} : tensor<2x8xf32>
  return %0 : tensor<2x8xf32>
}
