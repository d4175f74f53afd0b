/* cost.h: the constants of fusion. Each says what it bounds, and which cases of bench/ run other kernels if
 * it is changed far enough. What no case of bench/ depends on has the measurement that set it, or is a limit:
 * a limit keeps the compiler's own time and memory in bounds and is no measurement.
 *
 * Costs are counted in additions of one element, as in ops.def.
 */
#ifndef WEFT_FUSE_COST_H
#define WEFT_FUSE_COST_H

/* ---- arithmetic ---- */

/* A math function; exp is the cheapest. From here on it pays to give an op lanes of its own (a recurrent step
 * of 128: 0.99 -> 0.64 us), and to compute a scalar once for several kernels (an epoch of Adam: 165 -> 146
 * us). mlp_sgd_step. */
#define COST_MATH_FUNCTION 12.0f
/* One of many steps, which wait for each other: several vectors of it are computed at once even where it
 * stands written out for each element of a short axis (powers by six exponents, AVX-512: 79 -> 64 us, AVX2:
 * 120 -> 90; sin, tanh and exp would be 4 to 7 % slower). */
#define COST_LONG_MATH 40.0f
/* A load of lanes from as many places (512 x 512 to 1024 x 1024 by weft_resize: 1.35 -> 0.46 ms). */
#define COST_GATHERED 12.0f
/* The same under masks, beyond vectors that are shuffled: what is read so twice is better stored (gradient of
 * 64 x 64 x 3 to 128 x 128 x 3, lanczos3, where it is read once: 63 us, stored 80). */
#define COST_MASKED 4.0f
/* Vectors of fewer bytes are not gathered: each element is loaded, as it is under masks. */
enum { LEAST_GATHERED = 32 };
/* Divisions, roots and math functions, which are computed again only where that is less than to store. */
#define COST_DEAR 4.0f
/* A fold, as a part of what is made of it: more than each rule asks for. */
#define COST_FOLD 20.0f
/* Where the sum over what is fused into a node ends: a limit. */
#define COST_MOST 1e6f
/* Branches of a case that cost more together are jumped to; of cheaper ones all are computed, in lanes. A
 * limit. */
#define COST_CHEAP_BRANCHES 48.0f

/* ---- which nodes get memory ---- */

/* An element that costs so much (a division is 4) and would be computed so many times. ensemble_mlp,
 * mlp_sgd_step, gather_rows. */
#define COST_EXPENSIVE  8.0f
#define EXPENSIVE_TIMES 4.0
/* The same for floats that a product of matrices reads many times (gradient of a batched RNN: 41.6 -> 14
 * ms; one_hot(x) w, 4000 x 64 times 64 x 32: 203 -> 153 us, AVX2: 250 -> 165). */
#define COST_READ_BY_PRODUCT  2.0f
#define READ_BY_PRODUCT_TIMES 32.0
/* What costs so much, stands in so many serial steps without lanes, and need not: it is done before, in
 * lanes. */
#define COST_IN_STEPS 4.0f
#define MANY_STEPS    64.0
/* To store an element and to load it again: in the caches (mlp_sgd_step: 5.2 -> 4.2 us), and past them, where
 * 64 additions of vectors take as long as 192 bytes of traffic. */
#define COST_STORE_NEAR 8.0
#define COST_STORE_FAR  64.0
/* The same for what holds a math function, whose cost counts less than half of its time: two of them in a
 * chain of which all is needed (the gradient of 100 sines, sums and products by turns, of 1M elements: 386
 * -> 94 ms). */
#define COST_STORE_DEAR 24.0
/* Less arithmetic on indices alone counts nothing to who uses it: most is decided by ranges
 * (point_range.c). */
#define COST_INDICES 24.0f
/* What a stencil reads at several indices of one loop is stored if computing it again costs as much: to store
 * and load it, in a kernel of its own that loads its operands, too. A blur, then Sobel's operator; hdiff. */
#define COST_TAPS 24.0f
/* The same of elements that data chooses: in a kernel of its own, their operands are not gathered (gradient
 * of 8 x 8 to 12 x 12, linear, 200 times, AVX-512: 23 -> 8 us). */
#define COST_TAPS_GATHERED 8.0f
/* A part of a concatenation, or an update, that must be computed beside another because the index does not
 * say which it is: to choose (20 steps of a lattice Boltzmann
 * method: 1.77 -> 0.17 ms). */
#define COST_CHOICE 2.0f
/* A value that several loops of a row need is kept in a row buffer. softmax_4096x1000, layernorm_4096x768. */
#define COST_ROW 4.0f
/* A kernel that a step of a loop calls: the call, and to load what the one before has just stored. (5,000
 * steps of a matrix of n x n times a vector, n = 6: 50 -> 34 us without; n = 8: 37 -> 47.) */
#define COST_CALL 60.0
/* To fold the lanes of a vector into one. */
#define COST_ACROSS_LANES 4.0
/* So many steps of a fold in lanes take as long as one addition outside of lanes. logsumexp_4096x1000;
 * measured on recurrent steps of 16 and 128. */
#define FOLDED_STEPS_PER_OP 4.0

enum {
    /* Rounds, each of which gives a right program: a limit. */
    MAX_ROUNDS = 8,
    /* Nodes looked at in one search: a limit. */
    MAX_SEARCHED = 64,
    /* Ops on top of each other without memory: code generation is superlinear in a block's size.
     * chain320_1M. */
    MAX_LEVELS = 200,
    /* A math function counts as so many. */
    MATH_LEVELS = 4,
    /* What is used so many levels later belongs to another chain: its height does not count. A chain that
     * ends so soon is not cut. */
    LATE_LEVELS = 50,
    /* All together: a limit. */
    MOST_LEVELS = 3 * MAX_LEVELS,
    /* Ops in one kernel: a limit, for the same reason. */
    MAX_KERNEL_OPS = 2000,
    /* Nodes of a part of what is made of more ops than that: some are several ops. (10,000 random sums and
     * minima of which the last 400 are used: parts of 500, 1000, 2000 compile in the same time.) */
    MAX_PART = MAX_KERNEL_OPS / 2,
    /* Operands of a concatenation in one kernel, of which each is a store at least: a limit, for the same
     * reason. Their buffers are few enough for LLVM to be told which are apart (MOST_BUFFERS). */
    MAX_CONCATENATED = 128,
    /* Loops, one after another, that a node waits for: a limit. */
    MAX_FOLDS_DEEP = 64,
    /* Indices at which one kernel computes a node; of one that costs next to nothing, more, until COST_TAPS
     * are reached: a limit. Stencils of stencils would ask for ever more. */
    MAX_POINTS = 8,
    /* A last axis of so many elements is written out, and lanes go along the axis before it. */
    MAX_SHORT_AXIS = 5,
    /* So are last axes of so many elements together where something is folded: lanes along them would be
     * masked, and folded across (300000 x 3 divided by its norms, AVX-512: 1.05 ms, written out 0.17). */
    MAX_SHORT_ROW = 9,
    /* Rows of a result that are walked by the axes of a finer shape, however short these are; and an axis
     * that is one loop with the axis before it though indices along that decide (collapse.c). */
    MAX_SHORT_RUN = 16,
    /* Of narrow elements such rows are longer. */
    SHORT_RUN_BYTES = 64,
    /* Elements of a fold that is written out with them. So few terms, if none takes a math function, are
     * summed in order wherever they stand, not in lanes: a step that is computed again for its derivative has
     * the sums that it had. (In loops of 2,000 steps, us: softmax of 3 x 3 155 in lanes, 76 in order; rows of
     * 2 to 8 of large arrays take the same; but a sum of 8 tanh takes 9.7 in lanes, 15 in order.) */
    MAX_SHORT_FOLD = 8,
    /* Cuts of one loop; statements of all pieces of a kernel together; how often a kernel is cut, for in
     * pieces more may be found: limits. */
    MAX_SEAMS = 8,
    MAX_CUTS = 3,
    /* A loop's index goes by its rest by a number up to this; by a larger one, it has two loops, unless they
     * would be cut at so few places instead: limits. */
    MAX_PERIOD = 8,
    /* Elements so far apart are shuffled out of vectors whatever they are, and on all machines. */
    MAX_NARROW_PERIOD = 4,
    MAX_CROSSED = 4,
    MAX_PIECED_STMTS = 800,
    /* Statements from which on a piece that is shorter than a vector stays with its neighbour. */
    LARGE_PIECE = 100,
    /* Of more, two loops are better than pieces, the inner one of whole vectors (512 x 512 numbers
     * transformed: compiled in 60 instead of 78 ms, run in 530 instead of 600 us). */
    LONG_PIECED_STMTS = 256,
    /* Vectors of a rest that is cut once more so that they are stored to whole lines. jacobi2d_256_100. */
    LONG_REST = 4,
    /* Row buffers of one kernel: a limit. */
    MAX_ROWS = 8,
    /* A slice is looked through if it keeps at least one element in so many: the gates of an LSTM. */
    MOST_SLICED = 8,
    /* An update writes a small part if it writes at most one element in so many. */
    SMALL_PART = 4,
    /* A broadcast from one element to so many: its operand is computed once for all, outside of their
     * loop. */
    SPREAD = 4,
    /* A product that is tiled: the rows and columns that use each element, and the elements of each sum.
     * mlp_sgd_step. */
    PRODUCT_SIDE = 4,
    PRODUCT_SUM = 8,
    /* Multiplications of one that is worth a kernel of its own beside another. */
    LEAST_PARTED = 1 << 14,
    /* Neighbours that lanes go along without a division: what is put together of such runs is read as it
     * lies (attention of 64 numbers in a head: 1.63 ms, stored first 1.84). */
    LONG_RUN = 32,
    /* Elements that are folded to say where a gather reads: of fewer a kernel of their own would take longer
     * to begin. */
    MANY_FOLDED = 1024,
    /* How often a loop of unknown length is taken to run. */
    WHILE_RUNS = 16
};

/* ---- which nodes share a kernel ---- */

enum {
    /* Nodes of one kernel: a limit. Those of one part may be as many as it has. */
    MAX_JOINED = 16,
    /* Nodes with memory, each of which is compared with each: a limit. gelu_grad_1M, masked_mean_grad_1M. */
    MANY_ROOTS = 64,
    /* Nodes between the first of a kernel and the last: a limit, as many as so many long chains have. */
    FARTHEST_JOINED = MANY_ROOTS * MAX_LEVELS,
    /* The same where there are more: neighbours join. Kernels of what stands far apart are no longer the
     * same as the next layer's, which share a function. 3000 products of one array: 1.9 -> 0.8 s to
     * compile. */
    NEAR_JOINED = 128
};

/* ---- kernels in bands (bands.c), in parts of the L2 cache ---- */

/* Arrays between kernels that are larger in sum do not stay there beside what else a kernel reads. */
#define LEAST_BANDED 0.25
/* What a band touches in all, of the L2 cache, or of the first where rows are independent (a maximum of 3 x 3
 * by columns and then along rows: 232 -> 188 us): the rest is for what the next one reads. blur_sobel_512,
 * vadv. */
#define BAND_PART 0.5
/* Rows of a band for each that is moved for the next, where L2 holds them. (Six passes of five taps over
 * 720 x 1280: 815 -> 770 us, one by one 760.) */
#define MOVES_PAID 4
/* Rows of one step, by those. */
#define MOST_STEP 2.0
/* The most that it may touch where rows are long: the next cache holds it. hdiff, whose rows of five arrays
 * are 1.6 MB: 1.6 -> 1.1 times the time of C. */
#define MOST_BAND 8.0

/* What halos may add to a band's work, on one thread too. */
#define MOST_HALO 0.125

enum {
    /* Fewer bands save too little. */
    LEAST_BANDS = 4,
    /* Kernels of a run; their outermost loops; buffers, each as often as such a loop touches it: limits. */
    MAX_BAND_KERNELS = 128,
    MAX_BAND_PIECES = 256,
    MAX_BAND_TOUCHES = 4096,
    /* Where kernels are no run, another is looked for after this part of them. */
    SHORTER_RUN = 8,
    /* STOREs of a kernel that is put into another form for it: a limit. */
    MAX_FORMED_STORES = 64
};

/* ---- turns of a loop together (turns.c) ---- */

/* Arrays of less than this part of the last cache are not worth it (a heat equation over 100 x 100 x 100, two
 * arrays of 8 MB: 14.1 -> 12.2 ms; over 80 x 80 x 80 5.05 -> 4.92, and 4 ms more to compile). */
#define LEAST_TURNED_BYTES 0.4
/* What a group of turns touches at once, of it. */
#define TURNS_PART 0.25
/* The least that a band touches, of the near cache: some microseconds of work. */
#define LEAST_BAND (1.0 / 64)
/* More gain nothing. */
enum { LEAST_TURNS = 2, MOST_TURNS = 16 };
/* For threads: the part of all turns that may be left over, and for each band that not all threads have work
 * in, so many that they have. */
#define MOST_ALONE 0.25
enum { LEAST_FULL = 4 };
/* Elements that all numbers of a loop have for its turns: 1 MB of doubles. */
enum { MOST_NUMBERED = 1 << 17 };

/* ---- kernels in pieces, for threads (parallel.c) ---- */

/* A vector operation of a kernel, about, and a byte that comes from the last cache or memory. gelu_1M: 0.64
 * ms by these, 0.47 measured; only what pays for threads depends on it. */
#define NS_PER_OP   0.2
#define NS_PER_BYTE 0.08
/* What a core has stored and another one reads, of arrays of at most so much of a core's cache, where a
 * thread alone would have them: against the time by the two constants above, whose bytes are memory's.
 * (fft_64k 160 -> 113 us, adi 1.05 -> 0.59 ms, with two threads in an hour when their cores lay far apart;
 * fft_512x512, whose arrays are larger, takes 455 us on one thread, 254 on two.) */
#define NS_PER_MOVED_BYTE 0.2
#define MOST_MOVED_PART   0.5
/* In a loop of steps threads stay awake from step to step, so that a smaller part of what pays elsewhere
 * pays, if the steps together take a multiple of that, for which they are woken. jacobi_1d, adi. */
#define AWAKE_PART  0.2
#define LEAST_AWAKE 5.0
/* A piece takes so much at least of what pays for several threads: to begin one counts nothing. */
#define LEAST_PIECE 0.25
/* And each kernel of a loop that is cut as a whole, at each step, so much: its call counts nothing. */
#define LEAST_CALL 0.005

enum {
    /* Fewer pieces than threads there could be are not worth it; more even out what they take. */
    LEAST_PIECES = 2,
    MOST_PIECES = 256,
    /* A limit. */
    MAX_PIECE_TOUCHES = 256
};

/* ---- folds along rows, and across them ---- */

/* Elements that are folded, and folds: of fewer it does not matter where the lanes are. */
enum { LONG_FOLD = 16 };

/* ---- folds in parts (parts.c) ---- */

/* Arithmetic of a fold that is made in parts though it has few elements, and of each part, at least. */
#define DEAR_FOLD_NS 50e3
#define PART_NS      10e3

/* ---- stores that go past the caches (streams.c), in parts of the last one ---- */

/* A smaller array is still there when it is read. transpose_add_2048. */
#define LEAST_STREAMED 0.5
/* What the cache counts for a transpose, and bytes of vectors with which it does: smaller ones fill a line
 * step by step. (1536 x 1536 f32, and with a sum of it after: 1.0 -> 0.7, 1.17 -> 1.05 ms; 1920 x 1920, AVX2:
 * 1.44 -> 0.98, 1.78 -> 1.39; SSE2, 1544 x 1544: 0.58 -> 1.24.) */
#define STREAMED_TURNED 0.5
/* What it counts for kernels that run band by band: padded images are there too, and a convolution's
 * stores do not go on while it waits for them. (3 x 3 over each of 64 features, images of 56 x 56 x 64 f32,
 * 24, 28, 50 MB in all: 1.38 -> 0.86, 2.06 -> 1.38, 3.64 -> 2.53 ms; AVX2 1.46 -> 0.93, 1.92 -> 1.32, 3.83
 * -> 2.42; maxima of 3 x 3: 0.86, 0.91, 0.97 of the time.) */
#define STREAMED_IN_BANDS 0.75
enum { LEAST_TURNED = 32, LINE_BYTES = 64 };
/* Lines of a run that is streamed though it ends within lines. (Sums of 3 x 3 over 8M f32, AVX2, rows of
 * 7 lines: 37 -> 4.2 ms, of 8: 12.7 -> 6.7, of 16: 7.9 -> 7.2; of 24 the same, of 32 streamed 6.0, stored
 * 7.4.) */
enum { MANY_LINES = 24 };

/* ---- folds of columns, row by row (column_folds.c) ---- */

/* What the last cache does not hold, in parts of it. sum_axis0_2000_f64. */
#define LEAST_FOLDED 0.75
enum {
    /* What is read, in bytes: of less the time to compile does not pay. (Sums of 64 x 2048, 512 x 1024, 1000
     * x 1000, 2000 x 2000 f32, AVX2: 0.5, 0.5, 0.7, 0.5 of the time; AVX-512: 0.9, 0.7, 0.85, 0.55; logsumexp
     * of 333 x 257, 700 x 700, 2000 x 1999, AVX2: 60, 410, 10,040 -> 60, 300, 3500 us.) */
    LEAST_NEAR_FOLDED = 1 << 18,
    /* Shorter rows are neighbours to the machine (4000 x 64: 1.07 of the time, 1000 x 100: 0.8). */
    LEAST_ROW_BYTES = 320,
    /* Rows that are read at once, out of memory (3000 x 3000 f64: 1, 2, 4, 8 in 6.0, 4.3, 3.1, 2.6 ms) and
     * out of the caches, where 16 whose lines all have the same place in the L1 cache would drive each other
     * out of it (512 x 1024 f32: 52 us, 8 rows 25); if rows are stored as well, half of that (running sums of
     * 512 x 1024 f32, AVX2: 8 rows 68 us, 4 rows 52). Of math functions, which take longer than to read, one:
     * more is only more code. */
    FAR_ROWS_AT_ONCE = 16,
    ROWS_AT_ONCE = 8,
    STORED_ROWS_AT_ONCE = 4,
    MATH_ROWS_AT_ONCE = 1,
    /* Bytes of a block of columns: whole rows are read fastest (16 rows of 4096: 2.75 ms). Where threads
     * share the blocks of what takes so many bytes, each thread has one, if blocks are not narrower than this
     * (1000 x 1000 f32 in blocks of 2048 bytes, on one thread: 1.1 of the time, of 1024: 1.3). */
    COLUMNS_BYTES = 8192,
    LEAST_COLUMNS_BYTES = 1024,
    LEAST_SHARED_BYTES = 1 << 19,
    /* Vectors of a row at once: out of memory, and of a math function, which waits for its steps, 4; out of
     * the caches 2 are as fast, and compile sooner. */
    WAITING_FOLDED_TILE = 4,
    FOLDED_TILE = 2,
    /* Statements that are computed for each element; folds, one after the other, as of a variance: limits. */
    MOST_FOLDED_BODY = 24,
    MOST_FOLDS = 3
};

/* ---- places of updates (update_places.c) ---- */

/* 300,000 sums into an array of f32, us, AVX2 with an L2 cache of 512 KB; places of two numbers, one of which
 * may count from the end, and of one:
 *
 *     KB                    250   976  1950  3900   15600       976  1950  3900  15600
 *     in one loop           815  1594  2019  6265   11697      1008  1233  3137   7959
 *     64 ahead              748  1312  1644  3777       -         -     -     -      -
 *     64 ahead and fetched  806  1453  1573  3068    6435      1318  1288  2696   7024 */
enum {
    FAR_UPDATES = 4,    /* L2 caches that the array is larger than, where lines are fetched, */
    COST_OF_PLACES = 8, /* or what is computed ahead for each */
    UPDATES_AT_ONCE = 64,
    MANY_UPDATES = 2048
};

/* ---- transposes by panels (panels.c) ---- */

enum {
    /* Rows a multiple of so many bytes apart have the same place in an L1 cache. transpose_add_2048. */
    ROWS_THAT_MEET = 4096,
    /* A row of a panel: long enough to read neighbouring lines, and the panel stays in the L2 cache (1024 x
     * 1024 by panels of 256, 512, 1024 bytes, AVX-512: 60, 74, 69 GB/s; without: 57). */
    PANEL_BYTES = 512,
    /* Statements that are computed for several vectors at once. */
    SMALL_PANEL_BODY = 16
};

/* ---- control flow in a kernel: limits; what is larger becomes steps, or a loop ---- */

enum {
    MAX_REGION = 512,     /* nodes of a region, operands and results of its op */
    MAX_REGION_OPS = 300, /* nodes of all regions of a loop */
    MAX_NESTING = 16,     /* regions in each other */
    MAX_WRITTEN_OUT = 16  /* elements of a window that is no loop */
};

/* ---- lanes and tiles ---- */

/* Of a contraction whose last axis uses more of its lanes, that axis keeps them: of fewer, lanes go across it
 * (90 x 200 times 100 x 90 x c, AVX-512: c = 8, 0.39 -> 0.27 ms; AVX2, which 8 fill: as fast). */
#define LANES_WELL_USED 0.75

enum {
    /* Of a sum in lanes: eager's order (runtime/eager/eager.h), so no free choice. */
    ACCUMULATORS = 64,
    /* So many ops of at most 4 bytes for one of f64: lanes are those of 4 bytes. complex_ratio_64k. */
    MOSTLY_NARROW = 2,
    /* A shorter loop gets no lanes. bmm_1000x16x16, nbody_1024. */
    SHORTEST_LANES = 4,
    /* Reads of each element of a packed copy. matvec_1024, mlp_sgd_step. */
    REUSE_THAT_PAYS = 8,
    /* Size of an element of which one read, by lanes across rows in a scan, pays for a packed copy; of
     * larger ones it takes more (moving averages along rows of 256 x 256, f32: 87 -> 35 us; f64: as fast;
     * three reads of 198 x 198, f64: 150 -> 90 us). adi. */
    BYTES_A_READ_PAYS = 4,
    /* Rows and columns of a product that reads its operands from panels, and what it sums; twice as many
     * columns if its rows lie in memory one behind the other: these can be read as they are (2048 x 2048
     * times 2048 x 128: 4.6 ms, from panels 6.9; but 128 x 2048 times 2048 x 2048: 13.2 and 6.3). Two panels
     * of columns, where one is more than the L2 cache holds (200 x 20,000 times 20,000 x 200: 159 -> 28 ms,
     * 50 x 100,000 times 100,000 x 50: 71 -> 24, left side transposed 124 -> 20). matmul_1024. */
    LEAST_SIDE = 128,
    LEAST_SUM = 64,
    /* Fewer rows: so many, if they sum so much; or so many, if the columns are so many bytes, past the caches
     * (AVX2, f32, ms: 100 x 2048 times 2048 x 2048: 150 -> 19, 16 x 2048 times the same 26 -> 9.4; 32 x 256
     * times 256 x 512: 0.14 -> 0.12; but 16 x 1024 times 1024 x 1024: 0.69 and 0.77, 100 x 100 times 100 x
     * 10,000: 3.9 and 5.2). */
    FEW_ROWS = 32,
    LONG_SUM = 256,
    LEAST_ROWS = 8,
    FAR_COLUMNS = 8 << 20,
    /* Strips that are copied just before they are read (AVX2, f32, all before and so, ms: 16 x 2048 times
     * 2048 x 2048: 8.6 and 5.3, 64 x 768 times 768 x 3072: 7.7 and 5.7, 50 x 50 times 50 x 50,000: 6.0 and
     * 4.4; copies alone of 2048 x 2048 in runs of 64, 128, 256, 512 bytes: 4.1, 2.1, 1.4, 1.2), if the rows
     * are no larger than so many L2 caches (512 x 2048 times 2048 x 2048: 57 and 49; 8192 x 512 times 512 x
     * 512: 62 and 109), and threads find so many groups. From LEAST_ROWS on; of columns of FAR_COLUMNS, from
     * two. */
    NEAR_RUN = 512,
    NEAR_ROWS = 8,
    NEAR_GROUPS = 8,
    /* In shorter runs, if the columns are no larger than so many L2 caches (64 x 512 times 512 x 512, runs of
     * 64, 128, 256, 512 bytes: 0.54, 0.50, 0.61, 0.62 ms; 768 x 768: 1.51, 1.49, 1.57, 1.28).
     * swiglu_128x256. */
    NEAR_SHORT_RUN = 128,
    NEAR_FAR = 4,
    /* Rows that are no larger than so many L2 caches are read across memory by fewer than LEAST_SIDE columns
     * (the left side transposed, read so and packed, ms: 512 x 512 by 100 columns 0.99 and 1.20, 1000 x 1000
     * 4.7 and 4.0, 3000 x 3000 112 and 35). */
    NEAR_LEFT = 2,
    /* Bytes of neighbours that a copy in panels reads at once. */
    LINES_AT_ONCE = 128,
    /* Bytes of a row's part of a sum that is made in parts; with 32 registers mostly twice as many, in blocks
     * of twice as many bytes, for fewer loads and stores of sums. matmul_2048. */
    MOST_IN_PART = 1024,
    /* Sums of a tile, with 32 registers: 12 rows of two vectors, 8 of three. 12 of three spill: 2000 x 256 by
     * 256 x 2000, 19 -> 37 ms. */
    PANEL_SUMS = 24,
    /* Tiles of rows in one of its blocks. matmul_4096. */
    LEAST_BLOCK = 4,
    /* Products that wait for their own sums: fewer rows at once take as long. Blocks of rows at least, for
     * threads (of 8 each would be too low: swiglu_128x256, SSE2: 0.94 -> 1.25 ms), and their tiles at most
     * (1024 x 1024, AVX2: blocks of 96 rows 26 ms, of 192 20; 2048 x 2048: 162 and 158); but no more than
     * half the L2 cache holds, if it holds so many (512 x 512 f64, AVX2: 7.17 -> 6.66 ms, with the left
     * side transposed 7.95 -> 7.28, the right one 8.95 -> 8.36). */
    WAITING_ROWS = 4,
    /* Steps of a loop in whose body tiles of 6 rows stand: LLVM writes out shorter ones. */
    LEAST_LOOP_OF_SIX = 32,
    STRIP_BLOCKS = 4,
    MOST_STRIP_TILES = 32,
    LEAST_HELD_ROWS = 64,
    /* Threads that share fewer rows wait for the one that makes the strips, and for its cache to hand them
     * over (swiglu_128x256, AVX2, two threads: 193 -> 247 us, one: 388 -> 337). */
    THREADS_LEAST_ROWS = 256,
    /* So few elements are gathered: 320 of them take 0.06 us instead of 0.01, but 1 ms to compile instead of
     * 4.5. nbody_1024, rnn128_1000. */
    FEW_TO_PACK = 1024,
    /* A strided load that runs so much more rarely than what is folded costs less than to lose the lanes
     * (a product of 64 x 64 times a transposed matrix: 72 -> 3 us). */
    RARE_STRIDED = 8,
    /* Rows are walked several as one if at least one element in so many of their vectors is nothing, and the
     * copies of what is read again for each row are that small. eos. */
    WASTE_THAT_PAYS = 10,
    MOST_REPEATED = 1 << 12,
    /* Packed copies that one kernel reads: a limit. */
    MAX_PACKED = 4,
    /* Folds that leave their lanes to one inside them: a limit. */
    MAX_SCALAR_FOLDS = 4,
    /* Vectors at once that hide the latency of a prefix. cumsum_1M. */
    PREFIX_TILE = 4,
    /* Vectors at once in a scatter's window that has so many. */
    SCATTER_TILE = 4,
    /* Rows of a batch that take turns in a scatter, a position of each (64 sums of 16,000 elements into 200
     * sorted segments, AVX2: 1 row 3.1 ms, 2 1.8, 4 1.0, 8 0.8; into random ones all 0.7). */
    SCATTER_ROWS = 4,
    /* Elements in a row of which an update overwrites some: what is left of so few is not copied by
     * itself, but all are (x[..., 1] += y of three levels: 13.6 -> 6.3 ms). */
    SHORTEST_COPY = 64,
    /* Vectors at once in a copy. jacobi2d_256_100, rnn16_1000. */
    COPY_TILE = 4,
    /* Registers that a math function's steps need beside its operand: coefficients come from memory.
     * exp_1M. */
    RECIPE_REGISTERS = 5,
    /* Of AVX-512 and AArch64. */
    MANY_REGISTERS = 32,
    /* Values of a loop's body times its tile; and in a long loop, whose larger code pays for the time to
     * compile it. chain320_1M. */
    MOST_CODE = 512,
    LONG_LOOP = 1 << 16,
    LONG_CODE = 1280,
    /* Values of a body times the rows of the square that it would stand for. transpose_add_2048, and 300
     * transposes and sums of 64 x 64. */
    MOST_SQUARE_CODE = 1024,
    /* Rows at once that lanes gather from in the same places: 8 are as fast where they do not spill.
     * columns_3000x17, columns_3000x17_f64. */
    MOST_ROWS_GATHERED = 4,
    /* Pixels along a side of the squares that are transposed: more is much code, and no faster; fewer need as
     * many instructions as one by one. */
    MOST_SQUARE_PIXELS = 16,
    LEAST_SQUARE_PIXELS = 4,
    /* Values of a body that the machine does not look beyond: in loops within each other it has two vectors,
     * whatever they spill, if they go over so many elements in all and registers are few (eos, AVX2: 14.7 ->
     * 12.0 ms; with 32 registers 8.8 -> 8.6, for twice the time to compile). */
    LONG_CHAIN = 256,
    OFTEN_IN_ALL = 500000,
    FEW_REGISTERS = 16,
    /* A body of such length has two vectors, whatever they spill, if it is no more than so many times the
     * longest chain in it: each waits 4 cycles for the one before, and two others can start in each. */
    WAITS_OF_CHAIN = 8,
    /* A body of so many values has one vector if there are at most so many to compute in all: a permutation
     * of 1,437 compiles in 18 ms instead of 27 and is as fast. */
    SHORT_CHAIN = 64,
    SHORT_WORK = 1 << 14,
    /* The same of a body with one math function, which has two. log_16k: log of 16,384 would be 3 %
     * slower with two vectors, of 1,000 it is 4 % faster. */
    SHORT_MATH = 1 << 12,
    /* Serial loops inside that do so many times the work of what is around them: that may spill. */
    SERIAL_WORK = 8,
    /* A multiply-add takes 4 cycles, and 2 can start in each; so many vectors of sums, which wait for each
     * other, are too few. rnn16_1000, rnn128_1000. */
    SUMS_AT_ONCE = 8,
    TOO_FEW_SUMS = 2,
    /* Multiply-adds of a product that is tiled 4 x 2, which is half the code of 8 x 2. mlp_sgd_step. */
    FEW_PRODUCTS = 1 << 18
};
#endif
