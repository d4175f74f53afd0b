/* program.h: the fused program: what fuse.c makes of a graph and the back end makes machine code of.
 *
 * A program is a list of buffers, a list of kernels, and a list of steps that say in which order kernels run.
 * A kernel is a tree of loops, written as a flat list of statements between LOOP and END. Statements that
 * have a value are named by their index (Val) and used by later statements of the same or of an inner loop: a
 * value never leaves the loop it was made in; reducers and buffers carry results out.
 *
 *     kernel softmax {
 *       parallel i : 4096 {
 *         reducer m max f32
 *         lanes j : 1000 by 16 x 4 { x = load %0[1000 i + j];  fold m x }
 *         t = total m
 *         reducer s add f32
 *         lanes j : 1000 by 16 x 4 { e = exp (load %0[1000 i + j]) - t;  store %row[j] e;  fold s e }
 *         r = 1 / total s
 *         lanes j : 1000 by 16 x 4 { store %1[1000 i + j] (load %row[j]) * r }
 *       }
 *     }
 *
 * LANES AND TILES. A loop of `lanes` W > 1 handles W consecutive indices in the lanes of one vector; a loop
 * of `tile` T > 1 keeps T such steps in registers at once (unroll and jam): one iteration of the machine loop
 * does W * T indices. A value that depends on the indices of such loops is an array [tile of outer] ... [tile
 * of inner] of vectors (or scalars, where no lane loop is around it); one that does not is computed once and
 * used for all. So `tile i : 4, lanes j : 16 x 2, k serial { fold s a[i,k] * b[k,j] }` holds 8 accumulator
 * vectors, 4 broadcasts, 2 loads: a register-tiled product. At most one loop with lanes encloses a statement.
 * What does not fill a step at a loop's end is done by the same body with smaller tile, and then with masked
 * lanes: masked loads read nothing and give 0, masked stores write nothing, masked folds change nothing.
 *
 * REDUCERS. REDUCER opens an accumulator at its place; FOLDs in loops inside that place feed it; TOTAL after
 * those loops (same block as the REDUCER) has the value. Accumulators exist per register index of all lane
 * and tile loops between the two, and of those around that what is folded varies with; those opened after the
 * REDUCER are folded together by TOTAL, in halves: tile halves first (t, t + T/2), then lane halves. So a
 * lanes loop with W * T = 64 is eager's order of 64 accumulators whatever W is. Accumulation of f16, bf16 is
 * in f32: the reducer's dtype says.
 * op OP_ARGMIN/OP_ARGMAX: FOLD takes a value (args[1]) and an index (args[2], same int dtype as the reducer's
 * `index_dtype`); TOTAL gives the index, or with an imm of 1 the value. First index wins among equals; the
 * first NaN wins over all. Starts: worst value, index 0.
 *
 * CARRIES. CARRY opens a variable with a start value (args[0]); its own index, used inside the loop that
 * follows, is the current value; SET (args[0] = the carry, args[1] = value) in that loop's body, at its top
 * level, gives the next iteration's; all SETs take effect together at the end of the body. TOTAL gives the
 * value after the loop. Loops between a CARRY and its SET have neither lanes nor tile.
 *
 * WHILE. A LOOP of extent EXTENT_WHILE is left by its TEST (args[0]: a BOOL, at the top level of the body,
 * once): when it is false. What stands before the TEST runs once more than what stands behind. Such a loop
 * has neither lanes nor tile itself; its own index counts its iterations. Under lanes or a tile the meaning
 * is that of each index alone: the machine loop runs until the TEST has been false once for every index that
 * counts; an index that has left keeps its carries, folds nothing, stores nothing and reads nothing, whatever
 * the others do. TOTALs of carries give the values at the TEST that was false. SETs stand behind the TEST.
 *
 * PREFIX. PREFIX (args[0] a REDUCER opened outside the loop that it stands in, args[1] the value) is the
 * running fold: value k has the reducer's value before this step combined with the step's values 0..k; the
 * reducer then has the last, for TOTAL and for the next step. In a loop with lanes these are always
 * PREFIX_LANES, whatever the type and the machine are, of any tile (4 hides latency): index order, in blocks
 * of 16 from index 0: within a block by doubling distances 1, 2, 4, 8 (x[k] = x[k - d] op x[k], all k >= d at
 * once), then the carry before the block combined on the left, for the first block too: the carry is then the
 * monoid's start. In a loop without lanes and tile it is the plain running fold (the lanes may then be those
 * of a loop outside the REDUCER). A reducer has one PREFIX and no FOLDs. A prefix from the other end is a
 * loop whose addresses run backwards: { -1 } strides are one shuffle.
 *
 * STEPS. A program's steps run in order. Most are one kernel; control flow is steps around steps:
 *     LOOP (extent, counter) ... END              the steps between, extent times; kernels inside read the
 *                                                 counter by COUNTER
 *     WHILE (counter) ... TEST (buffer) ... END   leaves at TEST when element 0 of the BOOL buffer is false
 *     CASE (buffer, n) BRANCH ... BRANCH ... END  element 0 of the I32 buffer chooses the branch; out of
 *                                                 range: the last
 *     SWAP (buffer, other)                        from here on each buffer's name means the other's memory:
 *                                                 how carries go from one iteration to the next without a
 *                                                 copy. Both are TEMP of one type and size, or one is an
 *                                                 OUTPUT (never an INPUT): what its name means at the
 *                                                 program's end is not looked at, what is in its own memory
 *                                                 is the result.
 *     COUNT (counter, at)                         from here to the end of what it stands in the counter is
 *                                                 the number `at`, of counters around, by number; it may be
 *                                                 below 0
 *     CALL (function, buffers, numbers)           a function of runtime/library, by number: LIBRARY_FOREIGN
 *                                                 calls a ForeignOp's function with them, LIBRARY_LAPACK
 *                                                 does what LIBRARY_MATRIX does (matrix/matrix_call.h) by
 *                                                 LAPACK where that is installed. Each buffer is
 *                                                 handed over from the element on that its address, of
 *                                                 counters, says.
 * TEST stands at the top level of its WHILE. What names mean behind a loop or a CASE is what they mean where
 * it was left. Memory of buffers that are swapped with each other is disjoint, so that two names never mean
 * the same bytes.
 *
 * ROWS. A kernel runs all iterations of its outermost loops, or a part of them, its ROWS. A kernel of `rows`
 * B > 0 is in the step loop of its counter: in iteration b of that, each outermost loop runs from
 * b B + lead to (b + 1) B + lead - 1, so far as it has these indices, and in iteration 0 from its own index
 * 0. The counter may be a COUNT, where no lead is above 0: it has no rows then below 0. The lead is the
 * LOOP's imm; a loop that later kernels read from leads theirs. Together the iterations
 * of the step loop run each index once, and in order, but for halos: a loop with a HALO H begins H indices
 * earlier in each iteration, and what these store once more is a window's. B, leads and halos are multiples
 * of the loop's lanes * tile, so that steps of lanes and tiles are those that a kernel without rows has.
 * Outside of its outermost loops such a kernel has constants, indices, counters, ops and loads; and reducers,
 * which fold the rows of one iteration, and what they begin with, their totals, and stores of these at
 * elements that the counter tells apart.
 *     So a buffer between kernels need not hold all of its rows: it is a window, whose addresses have a term
 * of the counter and go down by B rows with each iteration; a kernel at the end of the iteration moves the
 * rows that are read again, or halos compute them again, and no iteration needs another one.
 *
 * PARALLEL STEPS. The iterations of a step LOOP that is `parallel` are PIECES: they run in any order,
 * several at once on as many threads, each once. Its kernels have rows of its counter, or of a COUNT of it,
 * so that a piece is a range of rows; what a piece reads no other one writes, and each thread has LOCAL
 * memory of its own. No TEST, CASE, CALL stands in it, nor another such loop; a SWAP only in a loop inside,
 * where each piece has names of its own, which mean the same at the end. Results do not depend on which
 * pieces there are.
 *
 * STREAMED STORES. What a STORE that is `streamed` writes would leave the caches before anybody reads it, and
 * no kernel of the program loads the buffer, whose memory is that of no input. So whole vectors may go past
 * the caches to memory. The kernel's end waits for them.
 *
 * ORDER. Steps run in order; statements run as written, an iteration of a loop after the other, but for
 * `parallel` loops (outermost only), whose iterations are independent and may run in any order, and
 * lanes/tiles, whose iterations run statement by statement.
 * Within a kernel, a buffer that is both stored and loaded is only so between different loops, at the same
 * address, or in a loop without lanes and tile that is not parallel.
 */
#ifndef WEFT_PROGRAM_PROGRAM_H
#define WEFT_PROGRAM_PROGRAM_H
#include "compiler/graph/graph.h"
#include "compiler/target.h"
#include "workers.h"

typedef uint32_t Val; /* index of a statement within its kernel */
#define VAL_NONE UINT32_MAX

typedef enum {
    BUF_INPUT,  /* in[index] of the entry */
    BUF_OUTPUT, /* out[index] */
    BUF_CONST,  /* consts[index]: data held by the program */
    BUF_TEMP,   /* scratch + offset; planned: several may share memory */
    /* as TEMP, but private to one thread and dead at each iteration's end of the outermost loop: row
     * buffers */
    BUF_LOCAL
} BufferKind;

typedef struct Buffer {
    uint8_t kind, dtype;
    uint32_t index;   /* INPUT, OUTPUT, CONST: which. TEMP: 1 + the output that it lies in; 0: scratch */
    int64_t count;    /* elements */
    int64_t offset;   /* TEMP, LOCAL: bytes into scratch, or into that output; 64-aligned */
    const void *data; /* CONST */
    int32_t alias;    /* OUTPUT: the input whose memory it may be (donated), else -1 */
} Buffer;             /* elements as in arrays: a bool is a byte 0 or 1 */

static inline int64_t buffer_bytes(const Buffer *b)
{
    return b->count * (int64_t)dtype_bytes((DType)b->dtype);
}

/* offset + sum of coef * (index of a loop, or an integer value). Counted in elements. */
typedef struct Term {
    Val of;
    int64_t coef;
} Term; /* of: a LOOP statement, or an I32/I64 value */
typedef struct Address {
    int64_t offset;
    uint32_t n_terms;
    const Term *terms;
} Address;

static inline bool address_equal(Address x, Address y)
{
    if (x.offset != y.offset || x.n_terms != y.n_terms) return false;
    for (uint32_t i = 0; i < x.n_terms; i++)
        if (x.terms[i].of != y.terms[i].of || x.terms[i].coef != y.terms[i].coef) return false;
    return true;
}

/* Equal, but for the offset? */
static inline bool address_moves_alike(Address x, Address y)
{
    x.offset = y.offset = 0;
    return address_equal(x, y);
}

/* How far the address moves with each step of a loop, or of a value; each has one term at most. */
static inline int64_t address_coefficient(Address a, Val of)
{
    for (uint32_t i = 0; i < a.n_terms; i++)
        if (a.terms[i].of == of) return a.terms[i].coef;
    return 0;
}

typedef enum {
    /* with a value: stmt_has_value */
    ST_CONST, /* dtype, imm: raw bits */
    ST_INDEX, /* dtype I32 or I64; address: its value as a number */
    /* dtype, buffer, address; args[0]: mask (BOOL) or VAL_NONE; where false nothing is read and the value is
     * 0 */
    ST_LOAD,
    ST_OP,     /* op (elementwise), dtype; args; attr */
    ST_TOTAL,  /* args[0]: reducer or carry; dtype: its own; of an ARG reducer index_dtype, if imm is 0 */
    ST_CARRY,  /* dtype, args[0]: start */
    ST_PREFIX, /* args[0]: reducer, args[1]: value; dtype: the reducer's */
    /* dtype I64: how often the step loop with counter number imm has run before; or what a COUNT says */
    ST_COUNTER,
    /* without */
    ST_LOOP,  /* extent, lanes, tile, parallel */
    ST_END,   /* args[0]: the LOOP */
    ST_STORE, /* buffer, address, args[0]: value; args[1]: mask or VAL_NONE */
    /* buffer, address, in no lanes: its line is asked for, since it will be stored to soon. It may be any
     * address */
    ST_FETCH,
    ST_REDUCER, /* op (monoid or ARGMIN/ARGMAX), dtype of the accumulator; index_dtype */
    ST_FOLD,    /* args[0]: reducer, args[1]: value, args[2]: index */
    ST_SET,     /* args[0]: carry, args[1]: value */
    ST_TEST     /* args[0]: BOOL; leaves the loop of EXTENT_WHILE around it */
} StmtKind;

#define EXTENT_WHILE INT64_C(-1) /* of a LOOP: until its TEST says so */
enum { PREFIX_LANES = 16 };
enum { MAX_LOOP_DEPTH = 24 }; /* loops around one statement */

typedef struct Stmt {
    uint8_t kind, op, dtype, index_dtype;
    bool parallel;        /* LOOP: iterations are independent and may be split among threads */
    bool streamed;        /* STORE: may go past the caches */
    uint16_t lanes, tile; /* LOOP: at least 1 */
    uint32_t buffer;      /* LOAD, STORE, FETCH: into program->buffers */
    Val args[3];
    uint32_t halo;  /* LOOP: of an outermost one, of a kernel with rows */
    int64_t extent; /* LOOP: iterations from 0 */
    /* CONST, COUNTER, TOTAL; MUL: 1: only sums take it, with which it is rounded once; LOOP: lead of an
     * outermost one, of a kernel with rows */
    uint64_t imm;
    const int64_t *attr; /* OP: the node's attributes (COMPARE, REDUCE_PRECISION) */
    Address address;
} Stmt;

/* Is it a product that is rounded once with the sum that takes it? */
static inline bool stmt_is_summed_product(const Stmt *s)
{
    return s->kind == ST_OP && s->op == OP_MUL && s->imm;
}

static inline Stmt stmt_new(StmtKind kind, DType t)
{
    return (Stmt){ .kind = (uint8_t)kind,
                   .dtype = (uint8_t)t,
                   .args = { VAL_NONE, VAL_NONE, VAL_NONE },
                   .lanes = 1,
                   .tile = 1 };
}

static inline Stmt stmt_op(Op op, DType t, Val a, Val b, Val c)
{
    Stmt s = stmt_new(ST_OP, t);
    s.op = (uint8_t)op;
    s.args[0] = a;
    s.args[1] = b;
    s.args[2] = c;
    return s;
}

static inline bool stmt_has_value(const Stmt *s) { return s->kind <= ST_COUNTER; }

static inline bool stmt_has_attr(const Stmt *s) /* two numbers */
{
    return s->kind == ST_OP && (s->op == OP_COMPARE || s->op == OP_REDUCE_PRECISION);
}

/* May it stand outside of the loops of a kernel with rows, which runs several times? */
static inline bool stmt_may_repeat(const Stmt *s) { return s->kind <= ST_OP || s->kind == ST_COUNTER; }

static inline bool stmt_uses_buffer(const Stmt *s)
{
    return s->kind == ST_LOAD || s->kind == ST_STORE || s->kind == ST_FETCH;
}

typedef struct Kernel {
    const char *name; /* "k0_softmax_4096x1000": an identifier */
    Stmt *stmts;
    uint32_t n_stmts;
    uint32_t counter; /* if it has rows: of the step loop */
    int64_t rows;     /* of each iteration; 0: all */
} Kernel;

/* The END of a LOOP. */
static inline Val loop_end(const Kernel *k, Val loop)
{
    Val v = loop + 1;
    while (k->stmts[v].kind != ST_END || k->stmts[v].args[0] != loop) v++;
    return v;
}

/* Is it at another element for each count of this counter? */
static inline bool address_counts(const Kernel *k, Address a, uint32_t counter)
{
    for (uint32_t i = 0; i < a.n_terms; i++) {
        const Stmt *of = &k->stmts[a.terms[i].of];
        if (of->kind == ST_COUNTER && of->imm == counter && a.terms[i].coef) return true;
    }
    return false;
}

typedef enum {
    STEP_KERNEL,
    STEP_LOOP,
    STEP_WHILE,
    STEP_TEST,
    STEP_CASE,
    STEP_BRANCH,
    STEP_END,
    STEP_SWAP,
    STEP_COUNT,
    STEP_CALL
} StepKind;

/* What code may call: pure C functions of weft's own, given to it as further entries of consts. They neither
 * allocate nor keep anything, and may hand pieces to the workers, which are the entry's. */
typedef enum { LIBRARY_SORT, LIBRARY_MATRIX, LIBRARY_LAPACK, LIBRARY_FOREIGN, LIBRARY_COUNT } Library;
typedef void LibraryFn(void *const *buffers, const int64_t *numbers, const Workers *);
/* LIBRARY_FOREIGN's numbers: how many buffers it only reads, the node's attributes: a ForeignOp, its serial,
 * numbers of the caller's */
enum { FOREIGN_NUMBERS = 3 };

typedef struct ProgramStep {
    uint8_t kind;
    uint32_t kernel;        /* KERNEL */
    uint32_t counter;       /* LOOP, WHILE, COUNT: its number, from 0 upwards in the program */
    int64_t extent;         /* LOOP: runs; CASE: branches */
    bool bands;             /* LOOP: over rows; what an iteration leaves in a TEMP the next one may read */
    bool parallel;          /* LOOP: its iterations are pieces */
    int64_t cost;           /* of a parallel LOOP, all iterations: ns on one thread, about */
    uint32_t buffer, other; /* TEST, CASE: condition; SWAP */
    uint32_t opened;        /* TEST, BRANCH, END: index of the LOOP, WHILE, CASE step */
    uint8_t function;       /* CALL: a Library */
    const uint32_t *buffers;
    uint32_t n_buffers;
    /* CALL: the first buffers, so many, are only read, and none of the others is one of them */
    uint32_t n_read;
    /* terms are of counters, by number. CALL: [n_buffers] or NULL: from their first elements
     * on. COUNT: one */
    const Address *at;
    const int64_t *numbers;
    uint32_t n_numbers;
} ProgramStep;

static inline bool step_opens(const ProgramStep *s)
{
    return s->kind == STEP_LOOP || s->kind == STEP_WHILE || s->kind == STEP_CASE;
}
/* Does it belong to the step `opened`? */
static inline bool step_has_opened(const ProgramStep *s)
{
    return s->kind == STEP_TEST || s->kind == STEP_BRANCH || s->kind == STEP_END;
}

typedef struct Program {
    Arena *arena; /* borrowed: holds it */
    const char *name;
    NumericMode mode;
    Buffer *buffers;
    uint32_t n_buffers, cap_buffers;
    Kernel *kernels;
    uint32_t n_kernels, cap_kernels;
    /* every kernel is run by exactly one step; no steps: each in turn */
    ProgramStep *steps;
    uint32_t n_steps, cap_steps;
    uint32_t n_counters;
    /* bit f: Library function f is called; its address is consts[n_consts + the number of lower bits set] */
    uint32_t library;
    uint32_t n_inputs, n_outputs, n_consts;
    size_t scratch_bytes; /* TEMP memory and, behind it, LOCAL, 64-aligned */
    size_t local_bytes;   /* LOCAL memory alone: further threads have as much each, behind that */
    int64_t fused_bytes;  /* bytes of intermediate arrays of the graph that are never written */
} Program;

/* What the machine code's one entry is called as. It allocates nothing, calls nothing outside itself but the
 * workers, and is re-entrant. */
typedef void (*EntryFn)(const void *const *in, void *const *out, void *scratch, const void *const *consts,
                        const Workers *);

/* Appends a buffer (not aliased) and returns its number. */
static inline uint32_t program_add_buffer(Program *p, Buffer b)
{
    b.alias = -1;
    ARENA_PUSH(p->arena, p->buffers, p->n_buffers, p->cap_buffers) = b;
    return p->n_buffers - 1;
}

/* By buffer: itself; of a donated input, the output that may be the same memory. */
static inline const uint32_t *program_memories(Arena *a, const Program *p)
{
    uint32_t *memory = arena_alloc(a, (p->n_buffers + 1) * sizeof *memory),
             *input = arena_alloc(a, (p->n_inputs + 1) * sizeof *input); /* 1 + the output it is */
    for (uint32_t o = p->n_buffers; o-- > 0;)
        if (p->buffers[o].kind == BUF_OUTPUT && p->buffers[o].alias >= 0) input[p->buffers[o].alias] = o + 1;
    for (uint32_t b = 0; b < p->n_buffers; b++) {
        bool given = p->buffers[b].kind == BUF_INPUT && input[p->buffers[b].index];
        memory[b] = given ? input[p->buffers[b].index] - 1 : b;
    }
    return memory;
}

/* The fused program as text, in the notation of the drawing above. */
const char *program_print(Arena *, const Program *);
/* Checks the rules above; false and f set when one is broken (debug builds run it between fuse and the back
 * end). */
bool program_check(const Program *, Failure *f);

/* The program as one block of bytes, in the arena, for another process of this build; without the data of
 * constants. */
void *program_pack(Arena *, const Program *, size_t *bytes);
/* The program in a block that program_pack made, at a 16-aligned address: it is changed in place and holds
 * all of the program. NULL: the block is damaged. That indices are in range is not checked. */
Program *program_unpack(void *block, size_t bytes);
#endif
