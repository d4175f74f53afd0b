/* graphs_derive.c: derivatives of a random program, in f64 so that differences can be taken: forward mode
 * against central differences, reverse mode against forward mode (they are each other's transposes), and the
 * same of what reverse mode made of it. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "compiler/derive/jvp/jvp.h"
#include "compiler/derive/vjp.h"
#include "compiler/graph/check.h"
#include "compiler/passes/inline_rules.h"
#include "tests/support/graph_support.h"
#include "tests/support/heap.h"
#include "tests/graphs/graphs.h"
#include "runtime/eager/eager.h"
#include "tests/graphs/widen.h"

typedef struct Derivation {
    Arena arena;
    Rng rng;
    char *why;
    size_t size;
    int order;
} Derivation;

static bool explain(Derivation *d, const char *what, const char *text)
{
    snprintf(d->why, d->size, "order %d, %s: %s", d->order, what, text);
    return false;
}

static bool is_float(Type t) { return dtype_is_float((DType)t.dtype); }

static double *elements(const Values *v, uint32_t i) { return v->at[i]; }

/* Which of these are floats; how many. */
static bool *floats(Derivation *d, const Graph *g, const Ref *refs, uint32_t n, uint32_t *count)
{
    bool *is = arena_alloc(&d->arena, n + 1);
    *count = 0;
    for (uint32_t i = 0; i < n; i++) *count += is[i] = is_float(graph_type(g, refs[i]));
    return is;
}

static bool run(Derivation *d, const Graph *g, void *const *inputs, Values *out)
{
    Failure f = { .code = WEFT_OK };
    *out = values_of_outputs(g);
    return eager_graph(g, (const void *const *)inputs, out->at, &heap, &f) || explain(d, "eager", f.text);
}

static bool check_graph(Derivation *d, const char *what, const Graph *g, const Failure *f)
{
    Failure broken = { .code = WEFT_OK };
    if (!g) return explain(d, what, f->text);
    return graph_check(g, &broken) || explain(d, what, broken.text);
}

/* From -1 to 1: equal to nothing else. */
static void fill_floats(Derivation *d, Values *v, uint32_t first)
{
    for (uint32_t i = first; i < v->n; i++)
        for (int64_t k = 0; is_float(v->type[i]) && k < type_count(v->type[i]); k++)
            elements(v, i)[k] = (double)rng_bits(&d->rng) / 0x1p63 - 1;
}

/* x + h t: the floats of x and, in their order, the values of t from `first` on. */
static Values moved(const Graph *g, const Values *x, const Values *t, uint32_t first, double h)
{
    Values v = values_of_params(g);
    for (uint32_t i = 0; i < v.n; i++) {
        int64_t n = type_count(v.type[i]);
        if (!is_float(v.type[i])) memcpy(v.at[i], x->at[i], (size_t)n * dtype_bytes((DType)v.type[i].dtype));
        else
            for (int64_t k = 0; k < n; k++)
                elements(&v, i)[k] = elements(x, i)[k] + h * elements(t, first)[k];
        first += is_float(v.type[i]);
    }
    return v;
}

/* Where the slopes to both sides differ there is a bend nearby, and differences say nothing. */
static bool slope_agrees(double below, double here, double above, double h, double got)
{
    double slope = (above - below) / (2 * h), bend = (above - here) / h - (here - below) / h,
           unit = 1e-3 * (1 + fabs(slope));
    return !isfinite(slope) || !(fabs(bend) <= unit) || fabs(got - slope) <= 2 * unit;
}

/* values: g's outputs, then their tangents. */
static bool slopes_agree(Derivation *d, const Graph *g, const Values *x, const Values *tangents,
                         const Values *values, double h)
{
    Values up = moved(g, x, tangents, x->n, h), down = moved(g, x, tangents, x->n, -h), above, below;
    bool ok = run(d, g, up.at, &above);
    ok &= run(d, g, down.at, &below);
    for (uint32_t i = 0, at = g->n_outputs; ok && i < g->n_outputs; i++) {
        int64_t n = is_float(above.type[i]) ? type_count(above.type[i]) : 0;
        for (int64_t k = 0; ok && k < n; k++) {
            double *y = elements(values, i), *dy = elements(values, at);
            ok = slope_agrees(elements(&below, i)[k], y[k], elements(&above, i)[k], h, dy[k]);
            if (!ok)
                snprintf(d->why, d->size,
                         "order %d: output %u, element %lld: tangent %.12g, differences say %.12g", d->order,
                         (unsigned)i, (long long)k, dy[k],
                         (elements(&above, i)[k] - elements(&below, i)[k]) / (2 * h));
        }
        at += is_float(above.type[i]);
    }
    values_free(&up), values_free(&down), values_free(&above), values_free(&below);
    return ok;
}

/* Tries a smaller step before it fails: thousands of sorted numbers may change places within the larger
 * one. */
static bool tangents_agree(Derivation *d, const Graph *g, const Values *x, const Values *tangents,
                           const Values *values)
{
    return slopes_agree(d, g, x, tangents, values, 1e-5) || slopes_agree(d, g, x, tangents, values, 1e-7);
}

/* The sum of the products of two lists of arrays, and that of their magnitudes. */
static double inner(const Values *a, uint32_t first_a, const Values *b, uint32_t first_b, double *magnitude)
{
    double sum = 0;
    for (; first_a < a->n; first_a++, first_b++)
        for (int64_t k = 0; k < type_count(a->type[first_a]); k++) {
            double product = elements(a, first_a)[k] * elements(b, first_b)[k];
            sum += product;
            *magnitude += fabs(product);
        }
    return sum;
}

/* One mode: its inputs, of which those behind g's are tangents or cotangents, and what it gives, the
 * derivatives behind g's outputs. */
typedef struct Mode {
    Values in, out;
} Mode;

/* <cotangents, tangents of outputs> is <cotangents of parameters, tangents>. The constants in a rule of a
 * narrow type stay as they were rounded. */
static bool transposes_agree(Derivation *d, const Graph *g, const Mode *forward, const Mode *reverse,
                             double scale)
{
    double magnitude = 0, a = inner(&reverse->in, g->n_params, &forward->out, g->n_outputs, &magnitude);
    double b = inner(&forward->in, g->n_params, &reverse->out, g->n_outputs, &magnitude);
    if (fabs(a - b) <= (has_op(g, OP_CUSTOM_VJP) ? 5e-3 : 1e-9) * magnitude + 1e-11 * scale) return true;
    snprintf(d->why, d->size, "order %d: reverse mode says %.12g, forward mode %.12g", d->order, b, a);
    return false;
}

/* A rule for reverse mode has no forward mode that could run, so forward mode of the function itself
 * stands in. */
static Graph *forward_of(Derivation *d, const Graph *g, const bool *active, const bool *want, Failure *f)
{
    if (has_op(g, OP_CUSTOM_VJP)) g = inline_rules(&d->arena, g, f);
    return jvp_graph(&d->arena, g, active, want, f);
}

/* Values of d's parameters: x and random numbers behind. */
static Values extended(Derivation *d, const Graph *g, const Values *x)
{
    Values v = values_of_params(g);
    for (uint32_t i = 0; i < x->n; i++)
        memcpy(v.at[i], x->at[i], (size_t)type_count(x->type[i]) * dtype_bytes((DType)x->type[i].dtype));
    fill_floats(d, &v, x->n);
    return v;
}

static bool has_empty_arrays(const Graph *g)
{
    for (Ref r = 0; r < g->n_nodes; r++) {
        for (uint32_t i = 0; i < g->nodes[r].n_results; i++)
            if (type_count(node_result(&g->nodes[r], i)) == 0) return true;
        for (uint32_t i = 0; i < g->nodes[r].n_regions; i++)
            if (has_empty_arrays(g->nodes[r].regions[i])) return true;
    }
    return false;
}

/* Huge and infinite values are useless for differences, and so is a division by subnormal ones. */
static bool is_moderate(const Graph *g, const Values *x)
{
    bool ordinary;
    return graph_scale(g, x->at, &ordinary) < 1e6 && ordinary;
}

static void mode_free(Mode *m) { values_free(&m->in), values_free(&m->out); }

/* backward: NULL where there is none; back: what it ran on. */
static bool order_agrees(Derivation *d, const Graph *g, const Values *x, Graph **backward, Values *back)
{
    uint32_t n_active, n_given;
    Failure f = { .code = WEFT_OK };
    bool *active = floats(d, g, g->params, g->n_params, &n_active),
         *given = floats(d, g, g->outputs, g->n_outputs, &n_given);
    if (!n_active || !n_given || !is_moderate(g, x)) return true;
    Graph *forward = forward_of(d, g, active, given, &f);
    if (!check_graph(d, "jvp", forward, &f)) return false;
    *backward = vjp_graph(&d->arena, g, active, given, 0, &f);
    if ((*backward || !has_op(g, OP_WHILE)) && !check_graph(d, "vjp", *backward, &f)) return false;
    Mode jvp = { .in = extended(d, forward, x) }, vjp = { { 0, NULL, NULL }, { 0, NULL, NULL } };
    bool ok = run(d, forward, jvp.in.at, &jvp.out) && tangents_agree(d, g, x, &jvp.in, &jvp.out);
    if (ok && *backward) {
        vjp.in = extended(d, *backward, x);
        ok = run(d, *backward, vjp.in.at, &vjp.out);
        /* what fills an empty array may be taken out of there, and a sum of nothing is then multiplied by
         * infinity */
        bool comparable = !has_empty_arrays(*backward) || is_moderate(*backward, &vjp.in);
        ok = ok &&
             (!comparable || transposes_agree(d, g, &jvp, &vjp, graph_scale(*backward, vjp.in.at, NULL)));
        *back = extended(d, *backward, &vjp.in);
    }
    mode_free(&jvp), mode_free(&vjp);
    return ok;
}

/* The inputs in f64, each float moved a little: random programs' inputs are often equal, and where they are
 * maxima bend. */
static Values inputs_of(Derivation *d, const Graph *g, const Graph *wide, void *const *inputs)
{
    Values v = values_of_params(wide);
    for (uint32_t i = 0; i < v.n; i++) {
        Type t = graph_type(g, g->params[i]);
        size_t bytes = dtype_bytes((DType)t.dtype);
        for (int64_t k = 0; k < type_count(t); k++) {
            uint64_t bits = scalar_load((DType)t.dtype, (const char *)inputs[i] + (size_t)k * bytes);
            if (is_float(t))
                elements(&v, i)[k] =
                    scalar_to_double((DType)t.dtype, bits) + 0.02 * ((double)rng_bits(&d->rng) / 0x1p63 - 1);
            else scalar_store((DType)t.dtype, (char *)v.at[i] + (size_t)k * bytes, bits);
        }
    }
    return v;
}

static bool orders_agree(Derivation *d, const Graph *g, void *const *inputs)
{
    enum { ORDERS = 2, MOST_NODES = 3000 };
    Graph *wide = widened(&d->arena, g);
    if (!wide) return true;
    Values x = inputs_of(d, g, wide, inputs);
    bool ok = true;
    for (d->order = 1; ok && wide && d->order <= ORDERS && wide->n_nodes < MOST_NODES; d->order++) {
        Values next = { 0, NULL, NULL };
        Graph *backward = NULL;
        ok = order_agrees(d, wide, &x, &backward, &next);
        values_free(&x);
        x = next;
        wide = backward;
    }
    values_free(&x);
    return ok;
}

bool graph_derivatives_agree(const Graph *g, void *const *inputs, uint64_t seed, char *why, size_t size)
{
    Derivation d = { .rng = { seed }, .why = why, .size = size };
    arena_open(&d.arena);
    bool ok = orders_agree(&d, g, inputs);
    arena_free(&d.arena);
    return ok;
}
