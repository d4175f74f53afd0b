/* foreign_op.h: a C function that is not ours, as an op over whole arrays.
 *
 * The graph knows it by the address of its ForeignOp, which lives as long as any graph or code that names it.
 * It gets pointers to the row-major elements of its operands and to memory for its results, none of which
 * overlap, and the node's numbers (what else the caller wants to say: sizes). */
#ifndef WEFT_GRAPH_FOREIGN_OP_H
#define WEFT_GRAPH_FOREIGN_OP_H
#include "graph.h"

typedef struct ForeignOp ForeignOp;
struct ForeignOp {
    const char *name;
    void (*call)(const ForeignOp *, const int64_t *numbers, const void *const *in, void *const *out);
    bool batches;   /* vmap may call it for one example after the other */
    bool complains; /* it may find something wrong: runtime/library/checks.h */
    const void *user;
};
static inline const ForeignOp *foreign_op(const int64_t *attr)
{
    return (const ForeignOp *)(intptr_t)attr[0];
}

/* serial: 0 if equal calls give equal results and do nothing else, so that they may become one, or leave a
 * loop; else a number of this call's own. In either case a call whose results nothing needs may go. */
bool build_foreign(Graph *, const ForeignOp *, int64_t serial, const int64_t *numbers, uint32_t n_numbers,
                   const Ref *args, uint32_t n, const Type *results, uint32_t n_results, Ref *out);
#endif
