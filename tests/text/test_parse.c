/* test_parse.c: StableHLO text that is not well-formed, or not supported: messages with their places; and
 * files cut and mutated at random. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "compiler/text/text.h"
#include "tests/support/heap.h"
#include "tests/support/text_suite.h"

typedef struct BadText {
    const char *body, *message;
} BadText;

/* Bodies stand in a func with %x: tensor<2x3xf32> and %i: tensor<4xi32>; their first line is line 2. */
static const BadText bad_bodies[] = {
    { "  %0 = sdy.reshard %i <@m, [{}]> : tensor<4xi32>", "2:8: there is no mesh @m" },
    { "  %0 = sdy.all_gather [{}] %i out_sharding=@m : tensor<4xi32>",
      "2:44: saw `@m`, wanted `<`, `[`, `{`, a word or a number" },
    { "  %0 = sdy.named_computation<\"f\">(%i) (%a: tensor<2xi32>) {\n    sdy.return %a : tensor<2xi32>\n  } "
      ": "
      "(tensor<4xi32>) -> tensor<4xi32>",
      "2:8: sdy.named_computation: argument 0 is of another type than the operand" },
    { "  %0 = sdy.named_computation<\"f\">(%i) (%a: tensor<4xi32>) {\n    sdy.return %a, %a : tensor<4xi32>, "
      "tensor<4xi32>\n  } : (tensor<4xi32>) -> tensor<4xi32>",
      "2:8: sdy.named_computation has 1 results, its region gives 2" },
    { "  %0 = \"sdy.sharding_group\"(%i) : (tensor<4xi32>) -> tensor<4xi32>",
      "2:8: sdy.sharding_group has no results" },
    { "  sdy.named_computation<\"f\">() () {\n  } : () -> ()",
      "2:3: sdy.named_computation: its region must end with a return" },
    { "  %0 = stablehlo.custom_call @MoveToHost(%i) : (tensor<4xi32>) -> tensor<2xi32>",
      "2:8: custom_call @MoveToHost: operand and result are of one type" },
    { "  %0 = stablehlo.constant dense<8> : tensor<2xi4>", "2:33: 8 does not fit i4" },
    { "  %0 = stablehlo.constant dense<[-3, 1]> : tensor<2xi2>", "2:35: -3 does not fit i2" },
    { "  %0 = stablehlo.constant dense<-1> : tensor<ui4>", "2:34: -1 does not fit ui4" },
    { "  %0 = stablehlo.constant dense<true> : tensor<i4>", "2:33: saw `true`, wanted a number" },
    { "  %0 = stablehlo.constant dense<0x40> : tensor<f6E2M3FN>",
      "2:33: a hex number that does not fit f6E2M3FN" },
    { "  %0 = stablehlo.constant dense<\"0x010203\"> : tensor<2xf8E5M2>",
      "3 bytes for 2 elements of 1 bytes" },
    { "  %0 = stablehlo.convert %x : (tensor<2x3xf32>) -> tensor<2x3xf8E5M2>\n  %1 = stablehlo.convert %0 : "
      "(tensor<2x3xf8E4M3>) -> tensor<2x3xf32>",
      "stablehlo.convert: operand 0 is of f8E5M2 elements, the text gives f8E4M3" },
    { "  %0 = stablehlo.convert %x : (tensor<2x3xf32>) -> tensor<2x3xf8E5M2>\n  %1 = stablehlo.add %0, %x : "
      "(tensor<2x3xf8E5M2>, tensor<2x3xf32>) -> tensor<2x3xf32>",
      "3:8: stablehlo.add: operands and result are not of one element type" },
    { "  %0 = stablehlo.convert %i : (tensor<4xi32>) -> tensor<4xi4>\n  %1 = stablehlo.bitcast_convert %0 : "
      "(tensor<4xi4>) -> tensor<3xi8>",
      "elements of 4 bits as elements of 8 in these shapes" },
    { "  %0 = stablehlo.tuple %x : tuple<tensor<2x3xf32>>\n  %1 = stablehlo.get_tuple_element %0[1] : "
      "(tuple<tensor<2x3xf32>>) -> tensor<2x3xf32>",
      "3:8: there is no element 1 in a tuple of 1" },
    { "  %0 = stablehlo.tuple %x : tuple<tensor<2x3xf32>>\n  %1 = stablehlo.get_tuple_element %0[0] : "
      "(tuple<tensor<2x3xf32>>) -> tensor<i32>",
      "3:8: element 0 of the tuple is of another type" },
    { "  %1 = stablehlo.get_tuple_element %x[0] : (tensor<2x3xf32>) -> tensor<i32>",
      "2:8: stablehlo.get_tuple_element takes a tuple" },
    { "  %0 = stablehlo.tuple %x : tensor<2x3xf32>", "2:8: stablehlo.tuple gives a tuple" },
    { "  %0 = stablehlo.tuple %x : tuple<tensor<4xi32>>",
      "2:8: stablehlo.tuple: its type is not that of its operands" },
    { "  %0 = stablehlo.constant dense<1> : tuple<>", "2:8: stablehlo.constant has one result" },
    { "  %0 = stablehlo.create_token : tensor<f32>",
      "2:8: stablehlo.create_token: its operands and its one result are tokens (!stablehlo.token)" },
    { "  %0 = stablehlo.create_token : !stablehlo.token\n  %1 = stablehlo.add %x, %0 : tensor<2x3xf32>",
      "3:8: stablehlo.add: operand 1 is a token (!stablehlo.token)" },
    { "  %0 = \"stablehlo.add\"(%x, %x) : (tensor<2x3xf32>, tensor<2x3xf32>) -> !stablehlo.token",
      "2:8: stablehlo.add: result 0 is a token (!stablehlo.token)" },
    { "  %0 = stablehlo.constant dense<> : !stablehlo.token",
      "2:8: stablehlo.constant: result 0 is a token (!stablehlo.token)" },
    { "  %0 = stablehlo.after_all %x : !stablehlo.token",
      "2:8: stablehlo.after_all: operand 0 is of other elements, the text gives token" },
    { "  %0 = \"stablehlo.optimization_barrier\"(%x) : (tensor<2x3xf32>) -> tensor<2x3xi4>",
      "2:8: stablehlo.optimization_barrier: result 0 is of i4 elements, the operand of others" },
    { "  %0 = \"stablehlo.cholesky\"(%i) <{lower = true}> : (tensor<4xi32>) -> tensor<4xi32>", "2:8: " },
    { "  %0 = stablehlo.convert %x : (tensor<2x3xf32>) -> tensor<2x3xcomplex<f32>>\n  %1 = "
      "\"stablehlo.cholesky\"(%0) "
      "<{lower = true}> : (tensor<2x3xcomplex<f32>>) -> tensor<2x3xcomplex<f32>>",
      "3:8: " },
    { "  %0 = stablehlo.einsum %x, %x, config = \"ij,kj\" : (tensor<2x3xf32>, tensor<2x3xf32>) -> "
      "tensor<2x2xf32>",
      "wanted letters as in \"ij,jk->ik\"" },
    { "  %0 = stablehlo.einsum %x, %x, config = \"ij->ij\" : (tensor<2x3xf32>, tensor<2x3xf32>) -> "
      "tensor<2x2xf32>",
      "wanted letters as in \"ij,jk->ik\"" },
    { "  %0 = stablehlo.einsum %x, %x, config = \"ij,kj,kj->ik\" : (tensor<2x3xf32>, tensor<2x3xf32>) -> "
      "tensor<2x2xf32>",
      "wanted letters as in \"ij,jk->ik\"" },
    { "  %0 = stablehlo.einsum %x, %x, config = \"ijl,kj->ik\" : (tensor<2x3xf32>, tensor<2x3xf32>) -> "
      "tensor<2x2xf32>",
      "has a letter too many, for an array of 2 axes" },
    { "  %0 = stablehlo.einsum %x, %x, config = \"i,kj->ik\" : (tensor<2x3xf32>, tensor<2x3xf32>) -> "
      "tensor<2x2xf32>",
      "1 letters for an array of 2 axes" },
    { "  %0 = stablehlo.einsum %x, %x, config = \"i1,kj->ik\" : (tensor<2x3xf32>, tensor<2x3xf32>) -> "
      "tensor<2x2xf32>",
      "what is neither a letter nor ..." },
    { "  %0 = stablehlo.einsum %x, %x, config = \"ij,kj->ii\" : (tensor<2x3xf32>, tensor<2x3xf32>) -> "
      "tensor<2x2xf32>",
      "the result has an axis twice" },
    { "  %0 = stablehlo.einsum %x, %x, config = \"ij,kj->iz\" : (tensor<2x3xf32>, tensor<2x3xf32>) -> "
      "tensor<2x2xf32>",
      "no operand has the axis 1 of the result" },
    { "  %0 = stablehlo.einsum %x, %x, config = \"ii,kj->ik\" : (tensor<2x3xf32>, tensor<2x3xf32>) -> "
      "tensor<2x2xf32>",
      "axes 0 and 1 of f32[2,3] have one letter and two lengths" },
    { "  %0 = stablehlo.einsum %x, %x, config = \"ij,jk->ik\" : (tensor<2x3xf32>, tensor<2x3xf32>) -> "
      "tensor<2x2xf32>",
      "2:8: stablehlo.einsum: contracting axis" },
    { "  %0 = stablehlo.unary_einsum %x, config = \"ij,jk->ik\" : (tensor<2x3xf32>) -> tensor<2x3xf32>",
      "wanted letters as in \"ij->ji\"" },
    { "  %0 = stablehlo.unary_einsum %x, config = \"ij->ji\" : (tensor<2x3xf32>) -> tensor<2x3xf32>",
      "result 0 is f32[3,2], the text gives f32[2,3]" },
    { "  %0 = stablehlo.torch_index_select %x, %i, dim = 2, batch_dims = 0 : (tensor<2x3xf32>, "
      "tensor<4xi32>) -> "
      "tensor<2x4xf32>",
      "axis 2 behind 0 of a batch is none of f32[2,3] by i32[4]" },
    { "  %0 = stablehlo.torch_index_select %x, %i, dim = 0, batch_dims = 1 : (tensor<2x3xf32>, "
      "tensor<4xi32>) -> "
      "tensor<2x4xf32>",
      "axis 0 behind 1 of a batch is none of f32[2,3] by i32[4]" },
    { "  %0 = stablehlo.torch_index_select %x, %i, dim = 1, batch_dims = -1 : (tensor<2x3xf32>, "
      "tensor<4xi32>) -> "
      "tensor<2x4xf32>",
      "axis 1 behind -1 of a batch is none of f32[2,3] by i32[4]" },
    { "  %0 = stablehlo.torch_index_select %x, %x, dim = 1, batch_dims = 0 : (tensor<2x3xf32>, "
      "tensor<2x3xf32>) -> "
      "tensor<2x2x3xf32>",
      "2:8: stablehlo.torch_index_select: " },
    { "  %0 = stablehlo.sine %y : tensor<2x3xf32>", "2:23: %y is not defined here" },
    { "  %0 = stablehlo.sin %x : tensor<2x3xf32>", "2:8: no op is called `stablehlo.sin`" },
    { "  %0 = stablehlo.sine %x", "3:3: saw `return`, wanted `:` and the op's types" },
    { "  %0 = stablehlo.sine %x : tensor<2x3xf32", "wanted `>` behind the tensor type" },
    { "  %0 = stablehlo.sine %x : tensor<2x4xf32>",
      "2:8: stablehlo.sine: operand 0 is f32[2,3], the text gives f32[2,4]" },
    { "  %0 = stablehlo.sine %x, %x : tensor<2x3xf32>", "2:8: stablehlo.sine takes 1 operand, saw 2" },
    { "  %0 = stablehlo.sine %i : tensor<4xi32>", "2:8: stablehlo.sine: " },
    { "  %0 = stablehlo.add %x, %i : tensor<2x3xf32>",
      "2:8: stablehlo.add: operand 1 is i32[4], the text gives f32[2,3]" },
    { "  %0 = \"stablehlo.add\"(%x, %i) : (tensor<2x3xf32>, tensor<4xi32>) -> tensor<2x3xf32>",
      "2:8: stablehlo.add: operand types f32[2,3] and i32[4] differ" },
    { "  %x = stablehlo.sine %x : tensor<2x3xf32>", "%x is defined twice" },
    { "  %0 = stablehlo.sine %x#1 : tensor<2x3xf32>", "2:23: %x has 1 result, no number 1" },
    { "  %0:2 = stablehlo.sine %x : tensor<2x3xf32>",
      "2:10: stablehlo.sine has 1 results, not as many as are named" },
    { "  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<2x3xf32>",
      "result 0 is f32[3,2], the text gives f32[2,3]" },
    { "  %0 = stablehlo.transpose %x, dims = [0, 0] : (tensor<2x3xf32>) -> tensor<2x2xf32>",
      "2:8: stablehlo.transpose: " },
    { "  %0 = stablehlo.transpose %x : (tensor<2x3xf32>) -> tensor<3x2xf32>",
      "2:8: stablehlo.transpose needs the attribute dims" },
    { "  %0 = stablehlo.transpose %x, dims = [1, 0], dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>",
      "2:47: attribute dims is given twice" },
    { "  %0 = stablehlo.transpose %x, dmis = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>",
      "has no attribute dmis; it has: dims permutation" },
    { "    %3 = stablehlo.add %x, %x {shape = 1 : i64} : tensor<2x3xf32>",
      "has no attribute shape; it has: none" },
    { "  %0 = stablehlo.transpose %x, dims = [1, a] : (tensor<2x3xf32>) -> tensor<3x2xf32>",
      "2:43: wanted an integer here" },
    { "  %0 = stablehlo.reshape %x : (tensor<2x3xf32>) -> tensor<7xf32>", "2:8: stablehlo.reshape: " },
    { "  %0 = stablehlo.slice %x [0:1, 2:9] : (tensor<2x3xf32>) -> tensor<1x7xf32>",
      "2:8: stablehlo.slice: " },
    { "  %0 = stablehlo.slice %x [0:1] : (tensor<2x3xf32>) -> tensor<1xf32>", "2:8: stablehlo.slice: " },
    { "  %0 = stablehlo.slice %x [0 1] : (tensor<2x3xf32>) -> tensor<1xf32>",
      "2:30: saw `1`, wanted `:` and the range's end" },
    { "  %0 = stablehlo.constant dense<[1, 2]> : tensor<3xi32>",
      "2:38: a list of 2 where axis 0 of the type has 3" },
    { "  %0 = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<3xi32>",
      "2:43: more than the 3 elements of the type" },
    { "  %0 = stablehlo.constant dense<[[1], [2]]> : tensor<2xi32>",
      "2:34: lists nested deeper than the rank, 1" },
    { "  %0 = stablehlo.constant dense<300> : tensor<i8>", "2:33: 300 does not fit i8" },
    { "  %0 = stablehlo.constant dense<-1> : tensor<ui8>", "2:34: -1 does not fit ui8" },
    { "  %0 = stablehlo.constant dense<99999999999999999999> : tensor<ui64>",
      "an integer that does not fit 64 bits" },
    { "  %0 = stablehlo.constant dense<true> : tensor<f32>", "true and false are elements of i1 only" },
    { "  %0 = stablehlo.constant dense<1.5> : tensor<i32>", "2:33: saw 1.5, wanted an integer" },
    { "  %0 = stablehlo.constant dense<0x1FFFFFFFF> : tensor<f32>", "a hex number that does not fit f32" },
    { "  %0 = stablehlo.constant dense<\"0x0000\"> : tensor<2xf32>", "2 bytes for 2 elements of 4 bytes" },
    { "  %0 = stablehlo.constant dense<\"0x00000g00\"> : tensor<f32>", "no hex digit" },
    { "  %0 = stablehlo.constant dense<> : tensor<2xf32>", "dense<> for a type of 2 elements" },
    { "  %0 = stablehlo.constant dense<[[[]]]> : tensor<9000000000x9000000000xf32>",
      "a tensor that has more bytes than 63 bits can count" },
    { "  %0 = stablehlo.constant dense<1> : tensor<99999999999999999999xf32>",
      "a dimension that does not fit 64 bits" },
    { "  %0 = stablehlo.constant dense<1> : "
      "tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1xf32>",
      "a tensor of more than 32 axes" },
    { "  %0 = stablehlo.constant dense<1> : tensor<2xfloat>", "`float` is no element type; known are i1" },
    { "  %0 = stablehlo.iota dim = 2 : tensor<2x3xf32>", "2:8: stablehlo.iota: " },
    { "  %0 = stablehlo.iota : tensor<2x3xf32>", "2:8: stablehlo.iota needs the attribute dim" },
    { "  %0 = stablehlo.compare LTE, %x, %x : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>",
      "2:26: the direction of a comparison is one of EQ NE LT LE GT GE" },
    { "  %0 = stablehlo.reduce_precision %x, format = e5 : tensor<2x3xf32>", "wanted a format like e5m10" },
    { "  %0 = stablehlo.dot_general %x, %x, contracting_dims = [1] : (tensor<2x3xf32>, tensor<2x3xf32>) -> "
      "tensor<2x2xf32>",
      "wanted two lists, as in [1] x [0]" },
    { "  %0 = stablehlo.dot_general %x, %x, contracting_dims = [0] x [1] : (tensor<2x3xf32>, "
      "tensor<2x3xf32>) -> tensor<3x2xf32>",
      "2:8: stablehlo.dot_general: " },
    { "  %0 = stablehlo.dot_general %x, %x, contracting_dims = [0, 1] x [1] : (tensor<2x3xf32>, "
      "tensor<2x3xf32>) -> tensor<3x2xf32>",
      "as many axes of the left operand as of the right" },
    { "  %0 = stablehlo.reduce(%x init: %x) applies stablehlo.add across dimensions = [1] : "
      "(tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2xf32>",
      "stablehlo.reduce: " },
    { "  %0 = stablehlo.reduce(%x, %x) applies stablehlo.add across dimensions = [1] : (tensor<2x3xf32>, "
      "tensor<f32>) -> tensor<2xf32>",
      "wanted `init:` and the start value" },
    { "  %0 = call @g(%x) : (tensor<2x3xf32>) -> tensor<f32>", "2:8: there is no func @g" },
    { "  %0:2 = stablehlo.custom_call @ApproxTopK(%x, %x) : (tensor<2x3xf32>, tensor<2x3xf32>) -> "
      "(tensor<2x1xf32>, tensor<2x1xf32>)",
      "2:10: stablehlo.custom_call does not say which func" },
    { "  %0:2 = stablehlo.custom_call @ApproxTopK(%x, %x) {called_computations = [@g]} : (tensor<2x3xf32>, "
      "tensor<2x3xf32>) -> (tensor<2x1xf32>, tensor<2x1xf32>)",
      "2:10: there is no func @g" },
    { "  %0:2 = stablehlo.custom_call @ApproxTopK(%x, %x) {called_computations = [@h]} : (tensor<2x3xf32>, "
      "tensor<2x3xf32>) -> (tensor<2x1xf32>, tensor<2x1xf32>)",
      "2:10: ApproxTopK takes values, positions and what stands for none of each" },
    { "  %0:2 = stablehlo.custom_call @ApproxTopK(%x, %x, %x, %x) {called_computations = [@h], "
      "mhlo.backend_config = {reduction_dim = 1 : i64}} : (tensor<2x3xf32>, tensor<2x3xf32>, "
      "tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x1xf32>, tensor<2x1xf32>)",
      "2:10: stablehlo.custom_call: " },
    { "  %0 = call @h(%x) : (tensor<2x3xf32>) -> tensor<f32>",
      "2:8: @h has 0 parameters and 0 results, the call 1 and 1" },
    { "  %0 = stablehlo.while(%a = %x) : tensor<2x3xf32>", "3:3: saw `return`, wanted `cond`" },
    { "  %0 = stablehlo.while(%a = %x, %b = %i) : tensor<2x3xf32>",
      "2:8: stablehlo.while carries 2 values and has 1 types" },
    { "  %0 = stablehlo.while(%a = %x) : tensor<2x3xf32> cond {\n  stablehlo.return %a : tensor<2x3xf32>\n  "
      "} do {\n  stablehlo.return %a : tensor<2x3xf32>\n  }",
      "2:8: stablehlo.while: output 0 of the condition is f32[2,3], not bool" },
    { "  %0 = stablehlo.while(%a = %x) : tensor<2x3xf32> cond {\n  %p = stablehlo.constant dense<true> : "
      "tensor<i1>\n  stablehlo.return %p : tensor<i1>\n  } do {\n  stablehlo.return %i : tensor<4xi32>\n  }",
      "2:8: stablehlo.while: output 0 of the body is i32[4], not f32[2,3]" },
    { "  %0 = \"stablehlo.while\"(%x) ({\n  ^bb0(%a: tensor<2x3xf32>):\n  stablehlo.return %a : "
      "tensor<2x3xf32>\n  }) : (tensor<2x3xf32>) -> tensor<2x3xf32>",
      "stablehlo.while has 2 regions, the text gives 1" },
    { "  %t = stablehlo.create_token : !stablehlo.token\n  %0:2 = stablehlo.while(%k = %t, %a = %x) : "
      "!stablehlo.token, tensor<2x3xf32> cond {\n  %p = stablehlo.constant dense<true> : tensor<i1>\n  "
      "stablehlo.return %p : tensor<i1>\n  } do {\n  stablehlo.return %a : tensor<2x3xf32>\n  }",
      "3:10: stablehlo.while has 2 results, its region gives 1" },
    { "  %t = stablehlo.create_token : !stablehlo.token\n  %c = stablehlo.constant dense<0> : tensor<i32>\n"
      "  %0:2 = \"stablehlo.case\"(%c) ({\n  stablehlo.return %t, %x : !stablehlo.token, tensor<2x3xf32>\n  "
      "}, {\n  stablehlo.return %x : tensor<2x3xf32>\n  }) : (tensor<i32>) -> (!stablehlo.token, "
      "tensor<2x3xf32>)",
      "4:10: stablehlo.case has 2 results, its region gives 1" },
    { "  %c = stablehlo.constant dense<0> : tensor<i32>\n  \"stablehlo.case\"(%c) ({\n  stablehlo.return %x "
      ": "
      "tensor<2x3xf32>\n  }) : (tensor<i32>) -> ()",
      "3:3: stablehlo.case has 0 results, its region gives 1" },
    { "  %n = stablehlo.constant dense<> : tensor<0xi1>\n  %c = stablehlo.constant dense<0> : tensor<i32>\n"
      "  %0 = \"stablehlo.case\"(%c) ({\n  stablehlo.return %n : tensor<0xi1>\n  }) : (tensor<i32>) -> "
      "!stablehlo.token",
      "4:8: stablehlo.case: result 0 is of token elements, its region gives others" },
    { "  %t = stablehlo.create_token : !stablehlo.token\n  call @h(%t) : (!stablehlo.token) -> ()",
      "3:3: @h has 0 parameters and 0 results, the call 1 and 0" },
    { "  %0 = \"stablehlo.case\"(%i) ({\n  stablehlo.return %x : tensor<2x3xf32>\n  }) : (tensor<4xi32>) -> "
      "tensor<2x3xf32>",
      "the index must be i32[], not i32[4]" },
    { "  %0 = \"stablehlo.case\"(%i) : (tensor<4xi32>) -> tensor<2x3xf32>", "needs at least one branch" },
    { "  %0 = \"stablehlo.if\"(%i) ({\n  stablehlo.return %x : tensor<2x3xf32>\n  }, {\n  stablehlo.return "
      "%x : tensor<2x3xf32>\n  }) : (tensor<4xi32>) -> tensor<2x3xf32>",
      "the predicate is tensor<i1>" },
    { "  %0 = \"stablehlo.map\"(%x) ({\n  ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n  stablehlo.return %a : "
      "tensor<f32>\n  }) : (tensor<2x3xf32>) -> tensor<2x3xf32>",
      "the region must take 1 scalars" },
    { "  %0 = \"stablehlo.sort\"(%x) <{dimension = 2 : i64}> ({\n  ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n "
      " %p = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>\n  stablehlo.return %p "
      ": tensor<i1>\n  }) : (tensor<2x3xf32>) -> tensor<2x3xf32>",
      "2:8: stablehlo.sort: axis 2" },
    { "  %0 = \"stablehlo.sort\"(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>",
      "stablehlo.sort needs a region" },
    { "  %0 = stablehlo.dynamic_slice %x, sizes = [1, 1] : (tensor<2x3xf32>) -> tensor<1x1xf32>",
      "2:8: stablehlo.dynamic_slice: " },
    { "  %0 = \"stablehlo.scatter\"(%x, %i, %x) : (tensor<2x3xf32>, tensor<4xi32>, tensor<2x3xf32>) -> "
      "tensor<2x3xf32>",
      "needs the attribute scatter_dimension_numbers" },
    { "  %0 = \"stablehlo.reduce_window\"(%x, %x) <{window_dimensions = array<i64: 1>}> ({\n  ^bb0(%a: "
      "tensor<f32>, %b: tensor<f32>):\n  stablehlo.return %a : tensor<f32>\n  }) : (tensor<2x3xf32>, "
      "tensor<2x3xf32>) -> tensor<2x3xf32>",
      "window_dimensions lists 1 numbers for 2 axes" },
    { "  %0:2 = chlo.top_k(%x, k = 4) : tensor<2x3xf32> -> (tensor<2x4xf32>, tensor<2x4xi32>)",
      "gives two results of the greatest 4 of an axis" },
    { "  %0:2 = stablehlo.rng_bit_generator %i, algorithm = MERSENNE : (tensor<4xi32>) -> (tensor<4xi32>, "
      "tensor<4xi32>)",
      "the algorithm is one of DEFAULT THREE_FRY PHILOX" },
    { "  %0 = chlo.scan(%x) inits() dimension=5 {\n  ^bb0(%a: tensor<3xf32>):\n  stablehlo.return %a : "
      "tensor<3xf32>\n  } : (tensor<2x3xf32>) -> tensor<2x3xf32>",
      "axis 5 of a value of rank 2" },
    { "  %0 = stablehlo.composite \"weft.scan\" %x {composite_attributes = {body = @h}} : (tensor<2x3xf32>) "
      "-> tensor<2x3xf32>",
      "needs the attribute length" },
    { "  %0 = stablehlo.composite \"weft.scan\" %x {decomposition = @h} : (tensor<2x3xf32>) -> "
      "tensor<2x3xf32>",
      "does not say which func" },
    { "  %0 = stablehlo.sine %x : tensor<2x3xf32> $", "a character that means nothing here (code 36)" },
    { "  %0 = \"stablehlo.sine(%x) : tensor<2x3xf32>", "2:8: a string without its closing quote" },
    { "  %0 = \"stablehlo.sine\"(%x) {a = [1} : (tensor<2x3xf32>) -> tensor<2x3xf32>",
      "2:36: saw `}`, wanted `,` or `]`" },
    { "  %0 = stablehlo.custom_call @tridiagonal_solve_perturbed_ffi(%x, %x, %x) : (tensor<2x3xf32>, "
      "tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>",
      "a tridiagonal solve has 4 operands and 1 results" },
    { "  %0 = stablehlo.custom_call @tridiagonal_solve_perturbed_ffi(%x, %x, %x, %x) : (tensor<2x3xf32>, "
      "tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>",
      "f32[2,3] is not as many right-hand sides as f32[2,3] has systems" },
    { "  %0 = stablehlo.custom_call @lapack_sormqr_ffi(%x, %x, %x) : (tensor<2x3xf32>, tensor<2x3xf32>, "
      "tensor<2x3xf32>) -> tensor<2x3xf32>",
      "mhlo.backend_config has no left, true or false" },
    { "  %0 = stablehlo.custom_call @lapack_sormqr_ffi(%x, %x, %x) {mhlo.backend_config = {left = true, "
      "transpose = false}} : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>",
      "reflections f32[2,3] with factors f32[2,3] are none of the rows of f32[2,3]" },
    { "  %s = stablehlo.slice %x [0:2, 0:2] : (tensor<2x3xf32>) -> tensor<2x2xf32>\n"
      "  %0:6 = stablehlo.custom_call @lapack_sgees_ffi(%s) {mhlo.backend_config = {mode = 86 : ui8, sort = "
      "83 : "
      "ui8}} : (tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2xf32>, tensor<2xf32>, "
      "tensor<i32>, "
      "tensor<i32>)",
      "sort: eigenvalues in an order are not known" },
    { "  return %x : tensor<2x3xf32>", "3:3: an op behind the return" },
};

static const BadText bad_texts[] = {
    { "", "1:1: the text has no func" },
    { "module {\n}\n", "1:1: the text has no func" },
    { "func.func @f() {\n  return\n", "`{` is never closed" },
    { "func.func @f() {\n}\n", "a region must end with a return" },
    { "func.func @f() {\n  return\n}\nfunc.func @f() {\n  return\n}\n", "4:1: two funcs are called @f" },
    { "func.func @f() -> tensor<f32> {\n  return\n}\n", "1:1: the func returns 0 values and declares 1" },
    { "func.func @f(%x: tensor<f32>) -> tensor<i32> {\n  return %x : tensor<f32>\n}\n",
      "value 0 that the func returns is of another type than declared" },
    { "func.func @f(%t: !stablehlo.token) -> tensor<0xi1> {\n  return %t : !stablehlo.token\n}\n",
      "1:1: value 0 that the func returns is of another type than declared" },
    { "func.func @f(%t: !stablehlo.token, %x: tensor<f32>) -> (tensor<f32>) {\n"
      "  return %x : !stablehlo.token\n}\n",
      "2:3: return: operand 0 is of other elements, the text gives token" },
    { "func.func @f(%x: tensor<f32>) -> (tensor<f32>, !stablehlo.token) {\n  return %x : tensor<f32>\n}\n",
      "1:1: the func returns 1 values and declares 2" },
    { "func.func private @f(%t: !stablehlo.token) {\n  return %t : !stablehlo.token\n}\n",
      "1:1: the func returns 1 values and declares 0" },
    { "\"func.func\"() <{function_type = (tensor<f32>) -> (tensor<f32>, !stablehlo.token), sym_name = "
      "\"f\"}> "
      "({\n^bb0(%x: tensor<f32>):\n  \"func.return\"(%x) : (tensor<f32>) -> ()\n}) : () -> ()\n",
      "1:1: the func returns 1 values and declares 2" },
    { "\"func.func\"() <{sym_name = \"f\"}> ({\n  \"func.return\"() : () -> ()\n}) : () -> ()\n",
      "1:1: a func without a type" },
    { "func.func private @f(%t: !stablehlo.token) -> !stablehlo.token {\n  return %t : !stablehlo.token\n}\n"
      "func.func @g(%t: !stablehlo.token) {\n  %0 = call @f(%t) : (!stablehlo.token) -> tensor<0xi1>\n"
      "  return\n}\n",
      "5:8: @f: result 0 is of another type than the func gives" },
    { "func.func f() {\n  return\n}\n", "1:11: saw `f`, wanted a name like @f" },
    { "%0 = stablehlo.constant dense<1> : tensor<i32>\n",
      "1:6: stablehlo.constant stands outside of a function" },
    { "func.func @f(%x: f32) {\n  return\n}\n", "1:18: saw `f32`, wanted a type like tensor<2x3xf32>" },
    { "func.func @f(%x: tensor<f32>, %x: tensor<f32>) {\n  return\n}\n", "1:31: %x is defined twice" },
    { "} ", "1:1: saw `}`, wanted an op" },
};

static void check_message(const char *text, const char *message)
{
    Arena a;
    Failure f = { 0 };
    const char *unsupported = NULL;
    arena_open(&a);
    cr_expect(!text_parse(&a, text, strlen(text), "bad.mlir", &f, &unsupported),
              "parses, but should say: %s\n%s", message, text);
    cr_expect(f.code == WEFT_IO && !unsupported, "%d", f.code);
    cr_expect(strstr(f.text, message), "says: %s\nshould say: %s\n%s", f.text, message, text);
    arena_free(&a);
}

Test(parse, says_what_is_wrong_and_where)
{
    for (size_t i = 0; i < sizeof bad_texts / sizeof *bad_texts; i++)
        check_message(bad_texts[i].body, bad_texts[i].message);
    for (size_t i = 0; i < sizeof bad_bodies / sizeof *bad_bodies; i++) {
        char text[2048];
        snprintf(text, sizeof text,
                 "func.func @f(%%x: tensor<2x3xf32>, %%i: tensor<4xi32>) {\n%s\n  return\n}\nfunc.func @h() "
                 "{\n  return\n}\n",
                 bad_bodies[i].body);
        check_message(text, bad_bodies[i].message);
    }
}

/* Well-formed, and not for weft: a reason fit for counting. */
Test(parse, says_what_it_does_not_support)
{
    static const BadText cases[] = {
        { "  %0 = stablehlo.constant dense<(1.0,2.0)> : tensor<complex<f16>>",
          "complex numbers of other than f32 and f64" },
        { "  %0 = stablehlo.convert %x : (tensor<2x3xf32>) -> tensor<?x3xi8>", "dynamic shapes" },
        { "  %0 = stablehlo.convert %x : (tensor<2x3xf32>) -> tensor<2x3xi5>", "integers of other widths" },
        { "  %0 = stablehlo.convert %x : (tensor<2x3xf32>) -> tensor<2x3xf128>", "floats of other widths" },
        { "  %0 = stablehlo.convert %x : (tensor<2x3xf32>) -> tensor<2x3x!quant.uniform<i8:f32, 0.1:-30>>",
          "quantized types" },
        { "  %0 = stablehlo.custom_call @lapack_sgesdd(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>",
          "custom_call @lapack_sgesdd" },
        { "  %0 = stablehlo.custom_call @lapack_sgeqp3_ffi(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>",
          "custom_call @lapack_sgeqp3_ffi" },
        { "  %0 = stablehlo.custom_call @xla_ffi_python_cpu_callback(%x) : (tensor<2x3xf32>) -> "
          "tensor<2x3xf32>",
          "callbacks (custom_call @xla_ffi_python_cpu_callback)" },
        { "  %0 = arith.addf %x, %x : tensor<2x3xf32>", "ops of the dialect arith (arith.addf)" },
        { "  %0 = call @f(%x, %i) : (tensor<2x3xf32>, tensor<4xi32>) -> tensor<f32>", "recursive calls" },
        { "  %0 = \"stablehlo.all_gather\"(%i) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> "
          ": "
          "tensor<1x2xi64>}> : (tensor<4xi32>) -> tensor<8xi32>",
          "collectives over several devices (stablehlo.all_gather)" },
        { "  %0 = \"stablehlo.collective_permute\"(%i) <{source_target_pairs = dense<[[0, 1]]> : "
          "tensor<1x2xi64>}> : (tensor<4xi32>) -> tensor<4xi32>",
          "collectives over several devices (stablehlo.collective_permute)" },
        { "  %0 = sdy.reshard %i <mesh<[\"x\"=1, \"y\"=12]>, [{}]> : tensor<4xi32>",
          "many devices (sdy.reshard)" },
        { "  %0 = stablehlo.negate %i : tensor<4xi32>\n  return\n}\nsdy.mesh @m = <[\"x\"=2]>\nfunc.func "
          "@g(%y: "
          "tensor<4xf32>) {\n  %1 = sdy.manual_computation(%y) in_shardings=[<@m, [{\"x\"}]>] "
          "out_shardings=[<@m, [{\"x\"}]>] manual_axes={\"x\"} (%a: tensor<2xf32>) {\n    sdy.return %a : "
          "tensor<2xf32>\n  } : (tensor<4xf32>) -> tensor<4xf32>",
          "many devices (sdy.manual_computation)" },
        { "  %0 = stablehlo.custom_call @SPMDFullToShardShape(%i) : (tensor<4xi32>) -> tensor<2xi32>",
          "many devices (custom_call @SPMDFullToShardShape)" },
        { "  %0 = stablehlo.custom_call @xla.sdy.GlobalToLocalShape(%i) : (tensor<4xi32>) -> tensor<2xi32>",
          "many devices (custom_call @xla.sdy.GlobalToLocalShape)" },
        { "  %0:2 = stablehlo.custom_call @mhlo.topk(%i) {mhlo.attributes = {k = 1, largest = false}} : "
          "(tensor<4xi32>) -> (tensor<1xi32>, tensor<1xi32>)",
          "the least of an axis (custom_call @mhlo.topk)" },
        { "  %0 = stablehlo.custom_call @mhlo.copy(%i) : (tensor<4xi32>) -> tensor<4xi32>",
          "custom_call @mhlo.copy" },
        { "  %0 = \"stablehlo.async_start\"(%i) ({", "asynchronous collectives (stablehlo.async_start)" },
        { "  %0 = sdy.scatter_edge %i : tensor<4xi32>", "ops of the dialect sdy (sdy.scatter_edge)" },
        { "  %0 = sdy.sharded_to_unreduced [{\"x\"}] %i out_sharding=<mesh<[\"x\"=2]>, [{}], "
          "unreduced={\"x\"}> : tensor<4xi32>",
          "many devices (sdy.sharded_to_unreduced)" },
        { "  %0 = stablehlo.create_token : !stablehlo.token\n  %1 = \"stablehlo.send\"(%x, %0) : "
          "(tensor<2x3xf32>, "
          "!stablehlo.token) -> !stablehlo.token",
          "infeed, outfeed, send, recv (stablehlo.send)" },
        { "  %0 = stablehlo.dynamic_pad %x, %x, %i, %i, %i : (tensor<2x3xf32>, tensor<2x3xf32>, "
          "tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) -> tensor<2x3xf32>",
          "dynamic shapes (stablehlo.dynamic_pad)" },
        { "  %c = stablehlo.constant dense<0.0> : tensor<f32>\n  %k = stablehlo.slice %x [0:1, 0:1] : "
          "(tensor<2x3xf32>) -> tensor<1x1xf32>\n"
          "  %s = stablehlo.reshape %k : (tensor<1x1xf32>) -> tensor<f32>\n"
          "  %0 = stablehlo.reduce(%x init: %c) across dimensions = [0, 1] : (tensor<2x3xf32>, tensor<f32>) "
          "-> tensor<f32>\n"
          "   reducer(%a: tensor<f32>, %b: tensor<f32>) {\n  %1 = stablehlo.add %a, %s : tensor<f32>\n  "
          "stablehlo.return %1 : tensor<f32>\n  }",
          "values from outside of a region that folds or compares elements" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1024];
        Arena a;
        Failure f = { 0 };
        const char *unsupported = NULL;
        snprintf(text, sizeof text,
                 "func.func @f(%%x: tensor<2x3xf32>, %%i: tensor<4xi32>) {\n%s\n  return\n}\n",
                 cases[i].body);
        arena_open(&a);
        cr_expect(!text_parse(&a, text, strlen(text), NULL, &f, &unsupported));
        cr_expect(f.code == WEFT_ARGUMENT && unsupported && strcmp(unsupported, cases[i].message) == 0,
                  "%s: %s", f.text, unsupported ? unsupported : "-");
        arena_free(&a);
    }
}

static uint32_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

static void mutate(char *text, size_t *n, uint64_t *random)
{
    static const char letters[] = "()[]{}<>%@#!^:,=-\"x0919.eE \nA\x80";
    size_t at = next_random(random) % *n, from = next_random(random) % *n, span = next_random(random) % 24;
    switch (next_random(random) % 5) {
    case 0: text[at] = letters[next_random(random) % (sizeof letters - 1)]; break;
    case 1: text[at] = (char)(text[at] ^ 1 << next_random(random) % 8); break;
    case 2: text[at] = text[from]; break;
    case 3:
        if (at + span < *n && from + span < *n) memmove(text + at, text + from, span);
        break;
    default:
        if (at + span < *n) {
            memmove(text + at, text + at + span, *n - at - span);
            *n -= span;
        }
    }
}

Test(parse, truncated_and_mutated_files_do_no_harm)
{
    uint64_t random = 1;
    static const char *const patterns[] = { WEFT_SOURCE_DIR "/tests/golden/text/*.mlir",
                                            WEFT_SOURCE_DIR "/tests/golden/jax/*.mlir" };
    for (int k = 0; k < 2; k++) {
        size_t n_sources;
        Source *s = read_sources(patterns[k], &n_sources);
        for (size_t i = 0; i < n_sources; i++) {
            char *copy = malloc(s[i].n);
            for (int round = 0; round < 40 && s[i].n > 2; round++) {
                size_t n = s[i].n;
                parse_anything(s[i].text, next_random(&random) % n);
                memcpy(copy, s[i].text, n);
                for (uint32_t times = 1 + next_random(&random) % 4; times > 0 && n > 2; times--)
                    mutate(copy, &n, &random);
                parse_anything(copy, n);
            }
            free(copy);
        }
        free_sources(s, n_sources);
    }
}
