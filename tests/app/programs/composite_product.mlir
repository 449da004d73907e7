// Twice, for arrays that lie differently; inside, a product is added up along x.
sdy.mesh @mesh = <["x"=2]>
func.func public @main(
    %a: tensor<4x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>},
    %b: tensor<2x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
    %c: tensor<4x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
    %d: tensor<2x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %0 = stablehlo.composite "my.product" %a, %b {composite_attributes = {scale = 1 : i32}, decomposition = @product, version = 3 : i32} : (tensor<4x2xf32>, tensor<2x4xf32>) -> tensor<4x4xf32>
  %1 = stablehlo.composite "my.product" %c, %d {decomposition = @product} : (tensor<4x2xf32>, tensor<2x4xf32>) -> tensor<4x4xf32>
  return %0, %1 : tensor<4x4xf32>, tensor<4x4xf32>
}
func.func private @product(%a: tensor<4x2xf32>, %b: tensor<2x4xf32>) -> tensor<4x4xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<4x2xf32>, tensor<2x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
