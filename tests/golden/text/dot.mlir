// RUN: print
func.func @main(%a: tensor<5x2x3xi8>, %b: tensor<5x3x4xi8>, %u: tensor<2x3xui8>, %v: tensor<3xi8>) -> (tensor<5x2x4xi32>, tensor<2xi32>, tensor<5x2x4xi8>) {
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<5x2x3xi8>, tensor<5x3x4xi8>) -> tensor<5x2x4xi32>
  %1 = stablehlo.dot %u, %v, precision = [DEFAULT, DEFAULT] : (tensor<2x3xui8>, tensor<3xi8>) -> tensor<2xi32>
  %2 = stablehlo.dot_general %a, %b, contracting_dims = [2] x [1], batching_dims = [0] x [0], algorithm = <lhs_precision_type = f32, rhs_precision_type = f32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<5x2x3xi8>, tensor<5x3x4xi8>) -> tensor<5x2x4xi8>
  return %0, %1, %2 : tensor<5x2x4xi32>, tensor<2xi32>, tensor<5x2x4xi8>
}
// ----- becomes
func.func @main(%a: tensor<5x2x3xi8>, %b: tensor<5x3x4xi8>, %u: tensor<2x3xui8>, %v: tensor<3xi8>) -> (tensor<5x2x4xi32>, tensor<2xi32>, tensor<5x2x4xi8>) {
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<5x2x3xi8>, tensor<5x3x4xi8>) -> tensor<5x2x4xi32>
  %1 = stablehlo.convert %u : (tensor<2x3xui8>) -> tensor<2x3xi32>
  %2 = stablehlo.convert %v : (tensor<3xi8>) -> tensor<3xi32>
  %3 = stablehlo.dot_general %1, %2, contracting_dims = [1] x [0] : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2xi32>
  %4 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<5x2x3xi8>, tensor<5x3x4xi8>) -> tensor<5x2x4xi8>
  return %0, %3, %4 : tensor<5x2x4xi32>, tensor<2xi32>, tensor<5x2x4xi8>
}
