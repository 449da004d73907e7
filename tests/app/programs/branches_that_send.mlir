sdy.mesh @mesh = <["x"=4]>
func.func @main(%which: tensor<i32>, %a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<16xf32>, tensor<16xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.case"(%which) ({
    %1 = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8x16xf32>, tensor<f32>) -> tensor<16xf32>
    stablehlo.return %1 : tensor<16xf32>
  }, {
    %1 = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8x16xf32>, tensor<f32>) -> tensor<16xf32>
    %2 = stablehlo.multiply %a, %a : tensor<8x16xf32>
    %3 = stablehlo.reduce(%2 init: %zero) applies stablehlo.maximum across dimensions = [0] : (tensor<8x16xf32>, tensor<f32>) -> tensor<16xf32>
    %4 = stablehlo.add %1, %3 : tensor<16xf32>
    stablehlo.return %4 : tensor<16xf32>
  }, {
    %1 = stablehlo.constant dense<1.0> : tensor<16xf32>
    stablehlo.return %1 : tensor<16xf32>
  }) : (tensor<i32>) -> tensor<16xf32>
  %5 = stablehlo.negate %a : tensor<8x16xf32>
  %6 = stablehlo.reduce(%5 init: %zero) applies stablehlo.maximum across dimensions = [0] : (tensor<8x16xf32>, tensor<f32>) -> tensor<16xf32>
  return %0, %6 : tensor<16xf32>, tensor<16xf32>
}
