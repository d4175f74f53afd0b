/* eager_region.h: a region made ready to run many times: memory for every value, one instruction per node
 * with its operands bound. Running it is a loop over instructions, without allocation but for what single ops
 * need as scratch.
 *
 * LANES. A region of nothing but elementwise ops on scalars can run on up to REGION_LANES sets of values at
 * once: every value then is a dense array of that many, and an instruction one loop of an elementwise kernel.
 * So folds of independent results, maps and scatters are not interpreted element by element.
 */
#ifndef WEFT_EAGER_EAGER_REGION_H
#define WEFT_EAGER_EAGER_REGION_H
#include "eager.h"

enum { REGION_LANES = 256 };

typedef struct EagerLoop EagerLoop;
typedef struct Instruction {
    ElementLoop *kernel; /* of an op that is one loop; it takes three operands, NULL where there are fewer */
    EagerLoop *loop;     /* of a WHILE, whose regions are ready too */
    EagerCall call;
} Instruction;

typedef struct EagerRegion {
    Arena arena;
    const Allocator *allocator;
    Failure *failure;
    Instruction *code;
    uint32_t n_code;
    EagerLoop *loops; /* all of code's */
    void **param;     /* [n_params]: where it reads its parameters */
    /* [n_outputs]: where it leaves its outputs; never a parameter's memory; may be another output's */
    const void **output;
    int64_t lanes; /* most sets of values at once: 1 or REGION_LANES */
    int64_t n;     /* sets in this run: the size of every scalar's type */
} EagerRegion;

/* fixed, or NULL: for each parameter memory of the caller's that it stays in, or NULL for memory of the
 * region's own. wide: lanes are wanted. On false nothing is held. What fails here or in a run says so in the
 * failure, which must live as long as the region. */
bool region_open(EagerRegion *, const Graph *, void *const *fixed, bool wide, const Allocator *, Failure *);
/* Runs on the first n sets; n is 1 if lanes are. */
bool region_run(EagerRegion *, int64_t n);
/* Outputs 0 .. n - 1 become parameters first .. first + n - 1 of the next run: bytes[k] of each. */
void region_feed(const EagerRegion *, uint32_t first, uint32_t n, const size_t *bytes);
void region_close(EagerRegion *);

/* A WHILE or SCAN made ready: its regions find invariants where the operands are, and carries where the
 * results are. */
struct EagerLoop {
    EagerLoop *next; /* in the same region */
    EagerCall call;
    EagerRegion region[2];
    uint32_t n_open, n_invariant, n_carry;
    void **param;
    size_t *bytes; /* of each result */
    size_t taken;  /* bytes of param and bytes */
};
/* On false nothing is held. */
bool loop_open(EagerLoop *, const EagerCall *, uint32_t n_invariant, uint32_t n_carry);
bool loop_while(EagerLoop *); /* runs a WHILE */
void loop_close(EagerLoop *);
#endif
