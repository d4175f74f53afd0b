/* decimal.h: floats of every element type as decimal text and back, exactly rounded and independent of the
 * locale. */
#ifndef WEFT_TEXT_DECIMAL_H
#define WEFT_TEXT_DECIMAL_H
#include "compiler/graph/types/dtype.h"

/* Reads [-]digits[.digits][e[+-]digits], all n characters, rounded once to nearest even into float type t
 * (too big: infinity). */
bool decimal_parse(const char *text, size_t n, DType t, uint64_t *bits);

/* Writes the float as MLIR does, "1.000000e+00": six decimals, or as many more as decimal_parse needs to
 * return the same bits; infinities and NaN as the hex of their bits, "0x7FC00000". */
enum { DECIMAL_SIZE = 40 };
void decimal_print(char out[DECIMAL_SIZE], DType t, uint64_t bits);
#endif
