// Rows of a table whose rows lie on several devices, finished by an all_reduce.
sdy.mesh @mesh = <["x"=2]>
func.func public @main(
    %table: tensor<8x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
    %rows: tensor<3x1xi32>) -> (tensor<3x2xf32>, tensor<8x2xf32>) {
  %0 = "stablehlo.gather"(%table, %rows) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 2>, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<8x2xf32>, tensor<3x1xi32>) -> tensor<3x2xf32>
  %1 = sdy.all_reduce {"x"} %0 out_sharding=<@mesh, [{}, {}]> : tensor<3x2xf32>
  %2 = stablehlo.negate %table : tensor<8x2xf32>
  return %1, %2 : tensor<3x2xf32>, tensor<8x2xf32>
}
