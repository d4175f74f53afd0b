/* library_matrix.h: factorizations, as compiler/graph/matrix/matrix_call.h says them. */
#ifndef WEFT_LIBRARY_LIBRARY_MATRIX_H
#define WEFT_LIBRARY_LIBRARY_MATRIX_H
#include "compiler/program/program.h"

LibraryFn library_matrix; /* by weft's own code */
LibraryFn library_lapack; /* by LAPACK, if it was opened and has what it takes; else by weft's own */
#endif
