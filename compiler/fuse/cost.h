/* cost.h: the constants of fusion. Each says what it bounds, and either the case of bench/ that moves when it
 * changes or that it is a limit: a limit keeps time and memory of the compiler in bounds, or says how large a
 * table is, and is no measurement.
 *
 * Costs are counted in additions of one element, as in ops.def.
 */
#ifndef WEFT_FUSE_COST_H
#define WEFT_FUSE_COST_H

/* ---- arithmetic ---- */

/* A math function; exp is the cheapest of them. From here on it pays to give an op lanes of its own
 * (fuse_lanes.c: rnn128_1000) and to compute a number once for several kernels (adam_1M, mlp_epoch_scan). */
#define COST_MATH_FUNCTION 12.0f
/* A fold, as a part of what is made of it: more than each rule asks for. */
#define COST_FOLD 20.0f
/* Where the sum over what is fused into a node ends: a limit. */
#define COST_MOST 1e6f
/* Branches of a case that cost more together are jumped to, cheaper ones are all computed: ensemble_mlp. */
#define COST_CHEAP_BRANCHES 48.0f

/* ---- which nodes get memory ---- */

/* An element that costs so much (a division is 4) and would be computed so many times. */
#define COST_EXPENSIVE        8.0f /* softmax_4096x1000 */
#define EXPENSIVE_TIMES       4.0
#define COST_READ_BY_PRODUCT  3.0f /* rnn16_1000_grad: what a product of matrices reads many times */
#define READ_BY_PRODUCT_TIMES 32.0
/* What stands in serial steps, without lanes, and need not: rnn128_1000. */
#define COST_IN_STEPS 4.0f
#define STEPS_LONG    64.0
/* To store an element and load it again: in the caches, and past them, where 64 additions of vectors take as
 * long as 192 bytes of traffic (mlp_sgd_step, masked_mean_grad_1M). */
#define COST_STORE_NEAR 8.0
#define COST_STORE_FAR  64.0
/* A value that several loops of a row need is kept in a row buffer: layernorm_4096x768. */
#define COST_ROW 4.0f
/* A fold in lanes takes as long for so many steps as one op of a math function beside it, one by one:
 * rnn16_1000. */
#define FOLDED_STEPS_PER_OP 4.0

enum {
    MAX_ROUNDS = 6,    /* a limit: each round's program is right */
    MAX_SEARCHED = 64, /* a limit: nodes looked at in one search */
    /* ops on top of each other in one block: LLVM's time grows faster than blocks do */
    MAX_LEVELS = 200,
    MAX_FOLDS_DEEP = 64,   /* a limit: loops one after another that a node waits for */
    MAX_POINTS = 8,        /* indices at which one kernel computes a node: jacobi2d_256_100 */
    MAX_KERNEL_OPS = 2000, /* ops in one kernel: as for MAX_LEVELS */
    MAX_ROWS = 8,          /* a limit: row buffers of one kernel */
    MOST_SLICED = 8,       /* a slice is looked through if it keeps at least one element in so many */
    SMALL_PART = 4,        /* an update writes into a small part if into at most one element in so many */
    SPREAD = 4,            /* a broadcast to so many elements for one computes its operand once for all */
    PRODUCT_SIDE = 4,      /* rows and columns of a product that is tiled: mlp_sgd_step */
    PRODUCT_SUM = 8,       /* elements of each of its sums */
    WHILE_RUNS = 16        /* how often a loop of unknown length is taken to run */
};

/* ---- which nodes share a kernel ---- */

enum {
    MAX_JOINED = 16,       /* a limit: nodes of one kernel */
    MAX_ROOTS_TO_JOIN = 64 /* a limit: each is compared with each */
};

/* ---- control flow in a kernel: limits, larger loops are steps ---- */

enum {
    MAX_REGION = 512,     /* nodes of a region, operands and results of its op */
    MAX_REGION_OPS = 300, /* nodes of all its regions */
    MAX_NESTING = 16,     /* regions in each other */
    MAX_WRITTEN_OUT = 16  /* elements of a window without a loop: LLVM's time */
};

/* ---- lanes and tiles ---- */

enum {
    ACCUMULATORS = 64,   /* of a sum in lanes: eager's order (runtime/eager/eager.h), so no free choice */
    SHORTEST_LANES = 4,  /* a loop that is shorter gets no lanes: bmm_1000x16x16 */
    REUSE_THAT_PAYS = 8, /* reads of each element of a packed copy: matmul_64 */
    FEW_TO_PACK =
        1024,       /* so few elements are gathered: 320 of them take 0.06 us, not 0.01, and 1 ms to compile,
                                 not 4.5 (mlp_sgd_step) */
    MAX_PACKED = 4, /* a limit: packed copies that a kernel reads */
    MAX_SCALAR_FOLDS = 4, /* a limit: folds that give their lanes to one inside them */
    PREFIX_TILE = 4,      /* hides the latency of a prefix: cumsum_1M */
    SCATTER_TILE = 4,     /* of a window that has so many vectors: gather_rows, backwards */
    COPY_TILE = 4,
    RECIPE_REGISTERS = 5, /* of a math function beside its operand; coefficients come from memory */
    MOST_CODE = 512,      /* values of a loop's body, times its tile: chain20_1k */
    LONG_LOOP = 1 << 16,  /* iterations from which larger code pays: random_normal_1M 1.04 ms, not 1.32 */
    LONG_CODE = 1280,     /* MOST_CODE of such a loop: random_normal_1M, chain320_1M */
    SHORT_CHAIN =
        /* values of a body that has one vector if there is little to do: a permutation of 1437 */
    64,
    SHORT_WORK = 1 << 14,  /* values in all: compiles in 18 ms, not 27, and is as fast */
    SUMS_AT_ONCE = 8,      /* a multiply-add takes 4 cycles, and 2 can start in each: rnn16_1000 */
    TOO_FEW_SUMS = 2,      /* vectors of sums that wait for each other */
    FEW_PRODUCTS = 1 << 18 /* multiply-adds of a product that is tiled 4 x 2: mlp_sgd_step */
};

#endif
