// Inside a loop, and inside each other; the inner one is called as a function as well.
sdy.mesh @mesh = <["x"=2]>
func.func public @main(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x4xf32>, tensor<8x4xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %v = %a) : tensor<i32>, tensor<8x4xf32>
  cond {
    %c = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %n = stablehlo.add %i, %one : tensor<i32>
    %o = stablehlo.composite "my.outer" %v {decomposition = @outer} : (tensor<8x4xf32>) -> tensor<8x4xf32>
    stablehlo.return %n, %o : tensor<i32>, tensor<8x4xf32>
  }
  %f = func.call @inner(%a) : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return %r#1, %f : tensor<8x4xf32>, tensor<8x4xf32>
}
func.func private @outer(%a: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %0 = stablehlo.composite "my.inner" %a {decomposition = @inner} : (tensor<8x4xf32>) -> tensor<8x4xf32>
  %1 = stablehlo.add %0, %a : tensor<8x4xf32>
  return %1 : tensor<8x4xf32>
}
func.func private @inner(%a: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %0 = stablehlo.negate %a : tensor<8x4xf32>
  %1 = stablehlo.subtract %a, %0 : tensor<8x4xf32>
  return %1 : tensor<8x4xf32>
}
