// Sizes known at run time: what may be broadcast and transposed all the same.
module @dynamic {
  func.func @main(%scale: tensor<?xf32>, %x: tensor<?x4xf32>) -> tensor<4x?xf32> {
    %0 = stablehlo.broadcast_in_dim %scale, dims = [1] : (tensor<?xf32>) -> tensor<2x4xf32>
    %1 = stablehlo.transpose %x, dims = [1, 0] : (tensor<?x4xf32>) -> tensor<4x?xf32>
    %2 = stablehlo.negate %1 : tensor<4x?xf32>
    return %2 : tensor<4x?xf32>
  }
}
