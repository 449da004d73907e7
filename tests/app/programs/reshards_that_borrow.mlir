// A dimension takes the axes of another one until they move there.
sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2, "w"=2]>
func.func @main(%a: tensor<16x16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>}, %b: tensor<6x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %c: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"w","x"}, {}]>}) -> (tensor<16x16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x","y","z"}, {}]>}, tensor<6x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x","y","z"}]>}, tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x","y","w"}]>}, tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"w","x","y","z"}]>}) {
  return %a, %b, %c, %c : tensor<16x16x16xf32>, tensor<6x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>
}
