/* matrix_cases.h: to be included in a switch over ops without a default: a case for each factorization, that
 * is, for each op whose row in ops.def is of kind MATRIX. */
#define EW(NAME, ...)
#define OP(NAME, text, args, kind, ...) IF_MATRIX(kind, case OP_##NAME:)
#include "compiler/graph/ops.def"
