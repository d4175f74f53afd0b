/* graphs_run.c: inputs for random graphs, comparison of results, and making a failing graph small. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "compiler/text/text.h"
#include "tests/support/graph_support.h"
#include "tests/support/heap.h"
#include "tests/graphs/graphs.h"
#include "runtime/eager/eager.h"

enum { GUARD = 64, PATTERN = 0xa5 };

Values values_of(const Graph *g, const Ref *refs, uint32_t n)
{
    Values v = { n, calloc(n + 1, sizeof(Type)), calloc(n + 1, sizeof(void *)) };
    for (uint32_t i = 0; i < n; i++) {
        v.type[i] = graph_type(g, refs[i]);
        size_t room = (bytes_of(v.type[i]) + GUARD + 63) & ~(size_t)63;
        v.at[i] = memset(aligned_alloc(64, room), PATTERN, room);
    }
    return v;
}

Values values_of_params(const Graph *g) { return values_of(g, g->params, g->n_params); }
Values values_of_outputs(const Graph *g) { return values_of(g, g->outputs, g->n_outputs); }

bool values_guards_hold(const Values *v)
{
    for (uint32_t i = 0; i < v->n; i++) {
        const unsigned char *end = (const unsigned char *)v->at[i] + bytes_of(v->type[i]);
        for (int k = 0; k < GUARD; k++)
            if (end[k] != PATTERN) return false;
    }
    return true;
}

void values_free(Values *v)
{
    for (uint32_t i = 0; i < v->n; i++) free(v->at[i]);
    free(v->at);
    free(v->type);
    *v = (Values){ 0, NULL, NULL };
}

static double random_number(Rng *rng)
{
    double u = (double)rng_bits(rng) / 0x1p64;
    switch (rng_below(rng, 4)) {
    case 0:  return (double)rng_below(rng, 9) - 4;
    case 1:  return (u - 0.5) * 200;
    default: return (u - 0.5) * 4;
    }
}

/* Where functions and formats have their edges. */
static double special_number(Rng *rng)
{
    static const double special[] = { 0.0,
                                      -0.0,
                                      INFINITY,
                                      -INFINITY,
                                      NAN,
                                      1.0,
                                      -1.0,
                                      0.5,
                                      1e-7,
                                      1e-40,
                                      -1e-310,
                                      5e-324,
                                      0x1p-126,
                                      0x1p-1022,
                                      0x1p-14,
                                      65504,
                                      1e30,
                                      -3e38,
                                      0x1.fffffep127,
                                      -0x1.fffffffffffffp1023,
                                      1e200,
                                      2147483648.0,
                                      -9223372036854775808.0,
                                      16777217.0,
                                      88.7,
                                      -87.4,
                                      -103.3,
                                      709.7,
                                      -745.0,
                                      35.0,
                                      171.0,
                                      1.5707963267948966 };
    return special[rng_below(rng, sizeof special / sizeof *special)];
}

/* What an array holds. Special numbers are rare, frequent, or all there is; few numbers are often equal, and
 * often zeros to divide by; any bits are of any size. */
typedef enum { MODERATE, USUAL, SPECIAL, FEW, ANY_BITS, ALL_EQUAL } Style;

static uint64_t random_float(DType t, Rng *rng, Style style)
{
    static const double few[] = { 0, 0, 0, 1, 1, -1, 2, -0.0 };
    switch (style) {
    case MODERATE: return scalar_from_double(t, random_number(rng) / 100);
    case FEW:      return scalar_from_double(t, few[rng_below(rng, 8)]);
    case ANY_BITS: return rng_bits(rng) >> (64 - 8 * dtype_bytes(t));
    default:
        return scalar_from_double(t, rng_chance(rng, style == USUAL ? 4 : 40) ? special_number(rng)
                                                                              : random_number(rng));
    }
}

static uint64_t random_element(DType t, Rng *rng, Style style)
{
    if (t == WEFT_BOOL) return rng_below(rng, 2);
    if (dtype_is_float(t)) return random_float(t, rng, style);
    if (style == MODERATE || rng_chance(rng, 70))
        return scalar_from_i64(t, (int64_t)rng_below(rng, 24) - (dtype_is_signed(t) ? 8 : 0));
    uint64_t bits = rng_bits(rng) >> rng_below(rng, 64);
    return scalar_from_i64(t, (int64_t)bits);
}

void random_fill(Type t, void *memory, Rng *rng, bool moderate)
{
    static const Style styles[] = {
        USUAL, USUAL, USUAL, USUAL, USUAL, SPECIAL, FEW, FEW, ANY_BITS, ALL_EQUAL
    };
    Style style = moderate ? MODERATE : styles[rng_below(rng, sizeof styles / sizeof *styles)];
    DType part = dtype_part((DType)t.dtype);
    size_t bytes = dtype_bytes(part);
    int64_t parts = 1 + dtype_is_complex((DType)t.dtype), n = parts * type_count(t);
    for (int64_t i = 0; i < n; i++) {
        bool again = style == ALL_EQUAL && i >= parts;
        scalar_store(part, (char *)memory + (size_t)i * bytes,
                     again ? scalar_load(part, (char *)memory + (size_t)(i % parts) * bytes)
                           : random_element(part, rng, style));
    }
}

void values_fill(Values *v, uint64_t seed, bool moderate)
{
    Rng rng = { seed };
    for (uint32_t i = 0; i < v->n; i++) random_fill(v->type[i], v->at[i], &rng, moderate);
}

static double tolerance_of(DType t, double tolerance)
{
    return t == WEFT_F16 ? tolerance * 0x1p13 : t == WEFT_BF16 ? tolerance * 0x1p16 : tolerance;
}

static bool same_element(DType t, const void *a, const void *b, double tolerance, double scale)
{
    if (!memcmp(a, b, dtype_bytes(t))) return true;
    if (!dtype_is_float(t)) return false;
    double x = scalar_to_double(t, scalar_load(t, a)), y = scalar_to_double(t, scalar_load(t, b));
    if (x != x || y != y) return x != x && y != y;
    return tolerance > 0 && fabs(x - y) <= tolerance_of(t, tolerance) * scale;
}

int64_t first_difference(Type t, const void *a, const void *b, double tolerance, double scale)
{
    DType part = dtype_part((DType)t.dtype);
    int64_t parts = 1 + dtype_is_complex((DType)t.dtype), n = parts * type_count(t);
    size_t bytes = dtype_bytes(part);
    if (!memcmp(a, b, bytes_of(t))) return -1;
    for (int64_t i = 0; i < n; i++)
        if (!same_element(part, (const char *)a + (size_t)i * bytes, (const char *)b + (size_t)i * bytes,
                          tolerance, scale))
            return i / parts;
    return -1;
}

/* The nodes that have one value and that the outputs reach. */
static uint32_t computed_nodes(const Graph *g, Ref *refs)
{
    bool *needed = calloc(g->n_nodes, 1);
    for (uint32_t k = 0; k < g->n_outputs; k++) needed[g->outputs[k]] = true;
    for (uint32_t i = g->n_nodes; i-- > 0;)
        for (uint32_t k = 0; needed[i] && k < g->nodes[i].n_args; k++) needed[g->nodes[i].args[k]] = true;
    uint32_t n = 0;
    for (uint32_t i = 0; i < g->n_nodes; i++)
        if (needed[i] && g->nodes[i].n_results == 1) refs[n++] = i;
    free(needed);
    return n;
}

/* All values of a graph, by eager mode: at[] is indexed like refs. */
static Values all_values(const Graph *g, void *const *inputs, Ref *refs)
{
    Graph all = *g;
    all.n_outputs = computed_nodes(g, refs);
    all.outputs = refs;
    Values v = values_of_outputs(&all);
    Failure f = { .code = WEFT_OK };
    if (!eager_graph(&all, (const void *const *)inputs, v.at, &heap, &f))
        fprintf(stderr, "eager: %s\n", f.text);
    return v;
}

double graph_scale(const Graph *g, void *const *inputs, bool *all_ordinary)
{
    Ref *refs = calloc(g->n_nodes, sizeof *refs);
    Values v = all_values(g, inputs, refs);
    double scale = 1;
    bool ordinary = true;
    /* what fills arrays without elements counts too: it may be taken out of there */
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        const Node *n = &g->nodes[i];
        if (n->op == OP_CONSTANT && n->attr[0] && dtype_is_float((DType)n->dtype))
            ordinary &=
                isfinite(scalar_to_double((DType)n->dtype, scalar_load((DType)n->dtype, n->data))) != 0;
    }
    for (uint32_t i = 0; i < v.n; i++) {
        DType t = dtype_part((DType)v.type[i].dtype);
        int64_t n = dtype_is_float(t) ? type_count(v.type[i]) * (1 + (t != v.type[i].dtype)) : 0;
        for (int64_t k = 0; k < n; k++) {
            double x =
                fabs(scalar_to_double(t, scalar_load(t, (char *)v.at[i] + (size_t)k * dtype_bytes(t))));
            if (x > scale && x < INFINITY) scale = x;
            ordinary = ordinary && isfinite(x) && (x == 0 || x > 1e-150);
        }
    }
    if (all_ordinary) *all_ordinary = ordinary;
    values_free(&v);
    free(refs);
    return scale;
}

/* Some outputs of a program. */
typedef struct Kept {
    Ref *output;
    uint32_t n;
} Kept;

/* The part of g that these outputs need, with the cut nodes turned into parameters. source[k]: which node of
 * g parameter k stands for. */
static Graph *cut_graph(Arena *arena, const Graph *g, const Kept *kept, const bool *cut, Ref *source)
{
    Graph *small = graph_new(arena, g->name);
    bool *needed = arena_alloc(arena, g->n_nodes);
    Ref *map = arena_alloc(arena, g->n_nodes * sizeof *map),
        *outputs = arena_alloc(arena, kept->n * sizeof *outputs);
    for (uint32_t i = 0; i < kept->n; i++) needed[kept->output[i]] = true;
    for (uint32_t i = g->n_nodes; i-- > 0;)
        for (uint32_t k = 0; needed[i] && !cut[i] && k < g->nodes[i].n_args; k++)
            needed[g->nodes[i].args[k]] = true;
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        const Node *n = &g->nodes[i];
        if (!needed[i]) continue;
        if (cut[i] || n->op == OP_PARAMETER) {
            source[small->n_params] = i;
            map[i] = build_param(small, node_type(n));
            continue;
        }
        Ref *args = arena_alloc(arena, n->n_args * sizeof *args);
        for (uint32_t k = 0; k < n->n_args; k++) args[k] = map[n->args[k]];
        NodeSpec spec = node_spec(n);
        spec.args = args;
        map[i] = graph_add_raw(small, &spec);
    }
    for (uint32_t i = 0; i < kept->n; i++) outputs[i] = map[kept->output[i]];
    graph_set_outputs(small, outputs, kept->n);
    return small;
}

typedef struct Shrinking {
    Arena *arena;
    const Graph *g;
    const Ref *refs;
    Values values;
    FailsFn *fails;
    void *user;
    Ref *source;
    void **inputs;
} Shrinking;

static Graph *try_cut(Shrinking *s, const Kept *kept, const bool *cut, bool *failed)
{
    Graph *small = cut_graph(s->arena, s->g, kept, cut, s->source);
    for (uint32_t k = 0; k < small->n_params; k++)
        for (uint32_t i = 0; i < s->values.n; i++)
            if (s->refs[i] == s->source[k]) s->inputs[k] = s->values.at[i];
    *failed = s->fails(s->user, small, s->inputs);
    return small;
}

/* The first value that fails as the only output; where none does, those outputs without which it does not
 * fail. */
static void keep_outputs(Shrinking *s, const bool *cut, Kept *kept)
{
    bool failed = false;
    for (uint32_t i = 0; i < s->values.n; i++) {
        *kept->output = s->refs[i];
        kept->n = 1;
        try_cut(s, kept, cut, &failed);
        if (failed) return;
    }
    kept->n = s->g->n_outputs;
    memcpy(kept->output, s->g->outputs, kept->n * sizeof *kept->output);
    for (uint32_t i = kept->n; i-- > 0 && kept->n > 1;) {
        Ref dropped = kept->output[i];
        kept->output[i] = kept->output[--kept->n];
        try_cut(s, kept, cut, &failed);
        if (failed) continue;
        kept->output[kept->n++] = kept->output[i];
        kept->output[i] = dropped;
    }
}

static Values copy_inputs(const Shrinking *s, const Graph *small)
{
    Values v = values_of_params(small);
    for (uint32_t k = 0; k < small->n_params; k++) memcpy(v.at[k], s->inputs[k], bytes_of(v.type[k]));
    return v;
}

Graph *graph_shrink(Arena *arena, const Graph *g, void *const *inputs, FailsFn *fails, void *user,
                    Values *small_inputs)
{
    Ref *refs = arena_alloc(arena, g->n_nodes * sizeof *refs);
    bool *cut = arena_alloc(arena, g->n_nodes), failed;
    Shrinking s = { arena,
                    g,
                    refs,
                    all_values(g, inputs, refs),
                    fails,
                    user,
                    arena_alloc(arena, g->n_nodes * sizeof(Ref)),
                    arena_alloc(arena, g->n_nodes * sizeof(void *)) };
    Kept kept = { arena_alloc(arena, (g->n_outputs + 1) * sizeof(Ref)), 0 };
    keep_outputs(&s, cut, &kept);
    for (uint32_t i = s.values.n; i-- > 0;) {
        if (g->nodes[refs[i]].op == OP_PARAMETER) continue;
        cut[refs[i]] = true;
        try_cut(&s, &kept, cut, &failed);
        cut[refs[i]] = failed;
    }
    Graph *small = try_cut(&s, &kept, cut, &failed);
    *small_inputs = copy_inputs(&s, small);
    values_free(&s.values);
    return small;
}

/* The func whose results these values are. */
static const Graph *inputs_func(Arena *arena, const Values *inputs)
{
    Graph *g = graph_new(arena, "inputs");
    Ref *outputs = arena_alloc(arena, (inputs->n + 1) * sizeof *outputs);
    for (uint32_t i = 0; i < inputs->n; i++) outputs[i] = build_constant(g, inputs->type[i], inputs->at[i]);
    graph_set_outputs(g, outputs, inputs->n);
    return g;
}

const char *graph_case_text(Arena *arena, const Graph *g, const Values *inputs, uint64_t seed,
                            const char *why)
{
    const PrintOptions plain = { .locs = false };
    Graph main = *graph_compact(arena, g);
    main.name = "main";
    return arena_printf(arena, "// seed %llu: %s\n%s%s", (unsigned long long)seed, why,
                        graph_print(arena, &main, &plain),
                        graph_print(arena, inputs_func(arena, inputs), &plain));
}

static const Graph *func_named(const Parsed *p, const char *name)
{
    for (uint32_t i = 0; p && i < p->n_funcs; i++)
        if (!strcmp(p->funcs[i].name, name)) return p->funcs[i].graph;
    return NULL;
}

const Graph *graph_case_parse(Arena *arena, const char *text, Values *inputs, uint64_t *seed, Failure *f)
{
    const Parsed *p = text_parse(arena, text, strlen(text), NULL, f, NULL);
    const Graph *g = func_named(p, "main"), *values = func_named(p, "inputs");
    unsigned long long number = 0;
    if (!p) return NULL;
    if (!g || !values || values->n_outputs != g->n_params)
        return fail(f, WEFT_ARGUMENT,
                    "a case has a func main, and a func inputs that returns main's arguments"),
               NULL;
    sscanf(text, "// seed %llu", &number);
    *seed = number;
    *inputs = values_of_params(g);
    return eager_graph(values, NULL, inputs->at, &heap, f) ? g : NULL;
}
