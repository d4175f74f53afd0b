/* written_out.h: kernels of a few short loops as statements without loops. */
#ifndef WEFT_FUSE_WRITTEN_OUT_H
#define WEFT_FUSE_WRITTEN_OUT_H
#include "compiler/program/program.h"

/* What a kernel comes to without its loops; stmts: UINT32_MAX if it cannot be written without. */
typedef struct WrittenOut {
    uint32_t stmts;
    double cost, cost_of_loops; /* of its ops, one by one; and as the loops are, with their lanes */
} WrittenOut;

WrittenOut written_out_size(const Program *, const Kernel *);
/* The same kernel, each loop's iterations one behind the other. */
Kernel write_out(const Program *, const Kernel *);
#endif
