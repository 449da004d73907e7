// Of earlier versions of StableHLO, with what the reference parser takes: a comma before >, a blank before <, a
// constant as any operation, attributes of a barrier in front of its operands.
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor <4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %b: tensor<8x4xf32>) -> (tensor<4x4xf32>, tensor<3x8xf32>, tensor<4x4xf32>) {
  %i = stablehlo.constant() <{value = dense<[3, 0, 3]> : tensor<3xi32>}> : () -> tensor<3xi32>
  %0 = "stablehlo.einsum"(%a, %b) <{einsum_config = "ij,jk->ik"}> : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %1 = "stablehlo.torch_index_select"(%a, %i) <{dim = 0 : i64, batch_dims = 0 : i64}> : (tensor<4x8xf32>, tensor<3xi32>) -> tensor<3x8xf32>
  %2 = "stablehlo.dot_general"(%a, %b) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0],>}> : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %3 = stablehlo.optimization_barrier {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} %2 : tensor<4x4xf32>
  return %0, %1, %3 : tensor<4x4xf32>, tensor<3x8xf32>, tensor<4x4xf32>
}
