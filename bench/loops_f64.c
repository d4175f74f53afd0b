/* loops_f64.c: the loops of loops.c on f64. */
#define WEFT_LOOPS_F64
#include "loops.c"
