/* graphs.h: random graphs, valid by construction, with inputs to run them on; and what to do with one that
 * fails: make it small and print it.
 *
 * A graph is a function of its seed and the options. Ops come from the op table, so a new elementwise op is
 * in as soon as it has a row.
 */
#ifndef WEFT_TESTS_GRAPHS_H
#define WEFT_TESTS_GRAPHS_H
#include "compiler/graph/graph.h"

typedef struct Rng {
    uint64_t state;
} Rng;
uint64_t rng_bits(Rng *);
uint32_t rng_below(Rng *, uint32_t n); /* 0 .. n-1; n > 0 */
bool rng_chance(Rng *, uint32_t percent);

typedef struct RandomOptions {
    int nodes; /* about as many ops */
    bool raw;  /* built without the fold rules */
    /* only ops that hardly change when their operands hardly change, on moderate numbers: for comparing
     * within a tolerance */
    bool smooth;
    /* only ops of floats that have a slope almost everywhere, and what is not looked at bit by bit; on
     * moderate numbers: for differences */
    bool curved;
} RandomOptions;
/* Outputs: one to four values; all that nothing else uses is among them while there is room. NULL if a
 * constructor refused (a bug): says why on stderr. */
Graph *random_graph(Arena *, uint64_t seed, const RandomOptions *);

/* Memory of some types: 64-aligned, each array followed by a guard. */
typedef struct Values {
    uint32_t n;
    Type *type;
    void **at;
} Values;
Values values_of(const Graph *, const Ref *refs, uint32_t n);
Values values_of_params(const Graph *);
Values values_of_outputs(const Graph *); /* filled with a pattern */
bool values_guards_hold(const Values *); /* nothing wrote past an end */
void values_free(Values *);
/* Ordinary and special numbers mixed; moderate: small numbers only. */
void values_fill(Values *, uint64_t seed, bool moderate);
void random_fill(Type, void *, Rng *, bool moderate);

/* The index of the first element that differs, -1 if none does. NaN equals NaN whatever its bits; tolerance
 * 0: otherwise bits must be equal; else floats may be tolerance * scale apart (the tolerance is that of f32;
 * narrower types get theirs). */
int64_t first_difference(Type, const void *a, const void *b, double tolerance, double scale);
/* The largest finite magnitude among all values of g's float nodes on these inputs, at least 1: what a
 * tolerance is relative to. all_ordinary (may be NULL): is none infinite or NaN, nor so small that its square
 * is nothing? */
double graph_scale(const Graph *, void *const *inputs, bool *all_ordinary);

/* Whether eager runs of g in which every rounding is larger, at random, are as far from `want` as `got` is:
 * elements within that distance, and NaN, infinity or an integer only where those runs have the same or do
 * not agree. any_order: terms of all sums may have changed places, not only those of folds. Else false and
 * the first element that is not explained. */
bool rounding_explains(Arena *, const Graph *, void *const *inputs, const Values *got, const Values *want,
                       bool any_order, uint32_t *output, int64_t *element);

/* Whether a graph on these inputs shows the failure. */
typedef bool FailsFn(void *user, const Graph *, void *const *inputs);
/* A small graph that fails too: one output if that will do, and as many values as possible turned into
 * parameters. Its inputs are written to small_inputs. */
Graph *graph_shrink(Arena *, const Graph *, void *const *inputs, FailsFn *, void *user, Values *small_inputs);
/* A case as a file: why it was kept, the program as func main, and its inputs as what func inputs returns;
 * and back. NULL and f set: no such text. */
const char *graph_case_text(Arena *, const Graph *, const Values *inputs, uint64_t seed, const char *why);
const Graph *graph_case_parse(Arena *, const char *text, Values *inputs, uint64_t *seed, Failure *f);

/* Ways to run a graph that must agree with eager mode on it. Nothing means: no difference is allowed but in a
 * NaN's bits. */
typedef enum {
    AGAINST_SIMPLIFIED, /* simplify, then eager mode */
    /* the default mode's fused program, interpreted, but for what rounding explains */
    AGAINST_FUSED,
    AGAINST_STRICT,  /* compiled in strict mode */
    AGAINST_DEFAULT, /* compiled in default mode, but for what rounding explains */
    AGAINST_FAST,    /* compiled in fast mode, but for what rounding explains */
    AGAINST_TEXT,    /* printed, parsed again, then eager mode; and the texts agree */
    AGAINST_LOOP,    /* vmap, then eager mode, against a loop over the batch */
    /* as a function over a list of arrays: a batch in chunks, against eager mode on each example */
    AGAINST_CHUNKS,
    AGAINST_VMAPPED, /* vmap, then compiled in strict mode, against vmap and eager mode */
    /* its derivatives: forward mode, reverse mode and central differences against each other, in orders 1 and
     * 2 */
    AGAINST_DERIVED,
    AGAINST_GRADIENT,         /* a derivative (either mode, order 1 or 2), compiled in strict mode */
    AGAINST_GRADIENT_DEFAULT, /* the same in default mode, but for what rounding explains */
    AGAINST_GRADIENT_LOOP,    /* such a derivative, then vmap, against a loop over the batch */
    AGAINST_COUNT
} Against;
extern const char *const against_text[AGAINST_COUNT];
/* Code is compiled for the target that WEFT_TARGET names, or the host. These are worth a run, if this machine
 * can run them; one of those, number by number. */
enum { TARGETS = 3 };
extern const char *const target_names[TARGETS];
/* Bytes of the L2 cache that programs are made for; 0: those of the target. Where it is small, kernels run in
 * bands of few rows. */
extern uint32_t random_graphs_cache;
/* Programs are made for a machine on which everything pays for several threads that takes so many ns; 0: as
 * the target has it. The pieces of parallel loops run in order, from the last to the first, each in memory
 * with rubbish in it, and on 2, 3, 7 or 64 threads: with the same bits. */
extern uint32_t random_graphs_parallel;
bool target_runs_here(const char *name);
const char *target_in_turn(uint64_t number);
/* False with a reason in why. The seed chooses batch size, axes and the other examples of a batch; its first
 * example is `inputs`. */
bool graph_agrees(const Graph *, void *const *inputs, Against, uint64_t seed, char *why, size_t size);
/* The same for a case in a file. */
bool graph_case_agrees(const char *path, Against, char *why, size_t size);
/* AGAINST_CHUNKS: the rule, the batch and the chunks are the seed's; inputs are random. */
bool graph_agrees_in_chunks(const Graph *, uint64_t seed, char *why, size_t size);
/* AGAINST_DERIVED, of a smooth graph; floats are f64 then, and each input a little off, so that none are
 * equal. An unbounded loop has no reverse mode: then without. */
bool graph_derivatives_agree(const Graph *, void *const *inputs, uint64_t seed, char *why, size_t size);
/* Random graph number seed, its inputs, and the comparison; a failing one is made small and printed as a
 * case, on stderr and into a file of the folder random_graphs_kept if that is not NULL. */
extern const char *random_graphs_kept;
/* apart: in processes of their own; then a crash is made small as well. */
bool random_graph_agrees(uint64_t seed, int nodes, Against, bool apart);
void random_graph_print(uint64_t seed, int nodes, Against); /* on stdout */

/* a in front of b, or behind it; complex numbers by their real and then by their imaginary parts. */
static inline Ref build_order(Graph *g, CompareDir dir, Ref a, Ref b)
{
    if (!dtype_is_complex((DType)graph_type(g, a).dtype)) return build_compare(g, dir, a, b);
    Ref x = build_unary(g, OP_REAL, a), y = build_unary(g, OP_REAL, b);
    Ref rest = build_compare(g, dir, build_unary(g, OP_IMAG, a), build_unary(g, OP_IMAG, b));
    return build_select(g, build_compare(g, CMP_EQ, x, y), rest, build_compare(g, dir, x, y));
}
#endif
