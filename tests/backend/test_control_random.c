/* test_control_random.c: random graphs inside scans, while loops and cases, inside each other: the fused
 * program, interpreted and compiled in strict mode, against eager mode on the graph unrolled. WEFT_SEED=n
 * runs and shows one program. */
#include <criterion/criterion.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "compiler/graph/check.h"
#include "compiler/pipeline.h"
#include "compiler/text/text.h"
#include "tests/support/heap.h"
#include "tests/graphs/graphs.h"
#include "tests/support/program_run.h"
#include "runtime/exec/compile.h"
#include "runtime/eager/eager.h"
#include "tests/graphs/unrolled.h"

enum { MOST = 14, PROGRAMS = 300 };

typedef struct Maker {
    Arena *arena;
    Rng *rng;
} Maker;

/* Another value of the same type. */
static Ref changed(Maker *m, Graph *g, Ref x)
{
    Type t = graph_type(g, x);
    if (t.rank && rng_chance(m->rng, 40))
        return build_reverse(g, x, (int64_t[]){ rng_below(m->rng, t.rank) }, 1);
    if (rng_chance(m->rng, 30))
        return build_binary(g, dtype_is_inexact((DType)t.dtype) ? OP_MAX : OP_XOR, x, x);
    return t.dtype == WEFT_BOOL ? build_unary(g, OP_NOT, x) : build_unary(g, OP_NEG, x);
}

/* The next value of carry i: something of its type. */
static Ref next_value(Maker *m, Graph *g, Ref carry, const Ref *values, uint32_t n)
{
    Ref fit[2 * MOST];
    uint32_t count = 0;
    for (uint32_t i = 0; i < n && count < 2 * MOST; i++)
        if (type_equal(graph_type(g, values[i]), graph_type(g, carry))) fit[count++] = values[i];
    if (count && rng_chance(m->rng, 80)) return fit[rng_below(m->rng, count)];
    return rng_chance(m->rng, 25) ? carry : changed(m, g, carry);
}

/* Now and then one that is equal along an axis, or all. */
static Ref operand(Maker *m, Graph *g, Type t)
{
    if (t.rank && rng_chance(m->rng, 15))
        return build_broadcast(g, build_param(g, type_scalar(t.dtype)), t.dim, t.rank, NULL);
    if (t.rank && rng_chance(m->rng, 15)) {
        int64_t axis = rng_below(m->rng, t.rank);
        Type along = { t.dtype, 1, &t.dim[axis] };
        return build_broadcast(g, build_param(g, along), t.dim, t.rank, &axis);
    }
    Ref p = build_param(g, t);
    if (rng_chance(m->rng, 15)) return build_splat(g, t, 1);
    return rng_chance(m->rng, 50) ? p : changed(m, g, p);
}

static void finish(Maker *m, Graph *g, Ref *out, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (rng_chance(m->rng, 30)) out[i] = changed(m, g, out[i]);
    graph_set_outputs(g, out, n);
}

/* Parameters of `inner` in the order invariants, carries, slices; a region that makes the carries' next
 * values and some of its outputs. */
static Graph *loop_body(Maker *m, const Graph *inner, const uint32_t *order, uint32_t n_invariant,
                        uint32_t n_carry, bool counted, bool stacked)
{
    Graph *g = graph_new(m->arena, "body");
    Ref args[MOST], values[2 * MOST], out[2 * MOST];
    uint32_t n = 0, n_out = 0;
    for (uint32_t i = 0; i < inner->n_params; i++)
        args[order[i]] = build_param(g, graph_type(inner, inner->params[order[i]]));
    Ref count = counted ? build_param(g, (Type){ WEFT_I32, 0, NULL }) : REF_NONE;
    graph_inline(g, inner, args, values);
    n = inner->n_outputs;
    for (uint32_t i = 0; i < n_carry; i++) values[n++] = args[order[n_invariant + i]];
    for (uint32_t i = 0; i < n_carry; i++)
        out[n_out++] = next_value(m, g, args[order[n_invariant + i]], values, n);
    if (counted) out[n_out++] = build_binary(g, OP_ADD, count, build_number(g, WEFT_I32, 1));
    for (uint32_t i = 0; stacked && i < inner->n_outputs; i++)
        if (rng_chance(m->rng, 60)) out[n_out++] = values[i];
    graph_set_outputs(g, out, n_out);
    return g;
}

static Graph *in_scan(Maker *m, const Graph *inner, const uint32_t *order, uint32_t n_invariant,
                      uint32_t n_carry)
{
    int64_t length = rng_below(m->rng, 5);
    Graph *body = loop_body(m, inner, order, n_invariant, n_carry, false, true),
          *g = graph_new(m->arena, "scan");
    Ref args[MOST], out[2 * MOST];
    if (!body->n_outputs) return NULL;
    for (uint32_t i = 0; i < inner->n_params; i++) {
        Type t = graph_type(body, body->params[i]),
             stack = { t.dtype, (uint8_t)(t.rank + 1),
                       (int64_t[]){ length, t.rank > 0 ? t.dim[0] : 0, t.rank > 1 ? t.dim[1] : 0,
                                    t.rank > 2 ? t.dim[2] : 0, t.rank > 3 ? t.dim[3] : 0 } };
        if (t.rank > 4) return NULL;
        args[i] = operand(m, g, i < n_invariant + n_carry ? t : stack);
    }
    build_scan(g,
               (ScanShape){ length, rng_chance(m->rng, 40), 1, n_invariant, n_carry,
                            inner->n_params - n_invariant - n_carry, 0 },
               body, args, out);
    finish(m, g, out, body->n_outputs);
    return g;
}

static Graph *in_while(Maker *m, const Graph *inner, const uint32_t *order, uint32_t n_invariant)
{
    uint32_t n_carry = inner->n_params - n_invariant;
    Graph *body = loop_body(m, inner, order, n_invariant, n_carry, true, false),
          *cond = graph_new(m->arena, "cond"), *g = graph_new(m->arena, "while");
    Ref args[MOST + 1], out[MOST + 1], count = REF_NONE;
    for (uint32_t i = 0; i < body->n_params; i++)
        count = build_param(cond, graph_type(body, body->params[i]));
    graph_set_outputs(
        cond,
        (Ref[]){ build_compare(cond, CMP_LT, count, build_number(cond, WEFT_I32, rng_below(m->rng, 5))) }, 1);
    for (uint32_t i = 0; i < inner->n_params; i++) args[i] = operand(m, g, graph_type(body, body->params[i]));
    args[inner->n_params] = build_number(g, WEFT_I32, 0);
    build_while(g, cond, body, args, n_invariant, n_carry + 1, out);
    finish(m, g, out, n_carry + 1);
    return g;
}

static Graph *in_case(Maker *m, const Graph *inner)
{
    const Graph *branches[3];
    Graph *g = graph_new(m->arena, "case");
    Ref args[MOST], out[MOST];
    uint32_t n = 1 + rng_below(m->rng, 3);
    for (uint32_t k = 0; k < n; k++) {
        Graph *b = graph_new(m->arena, "branch");
        for (uint32_t i = 0; i < inner->n_params; i++)
            args[i] = build_param(b, graph_type(inner, inner->params[i]));
        graph_inline(b, inner, args, out);
        for (uint32_t i = 0; i < inner->n_outputs && k; i++)
            out[i] = next_value(m, b, out[i], args, inner->n_params);
        graph_set_outputs(b, out, inner->n_outputs);
        branches[k] = b;
    }
    Ref index = build_param(g, (Type){ WEFT_I32, 0, NULL });
    for (uint32_t i = 0; i < inner->n_params; i++)
        args[i] = operand(m, g, graph_type(inner, inner->params[i]));
    build_case(g, index, branches, n, args, inner->n_params, out);
    finish(m, g, out, inner->n_outputs);
    return g;
}

static Graph *wrapped(Maker *m, const Graph *inner)
{
    uint32_t order[MOST], n = inner->n_params;
    if (n == 0 || n > MOST - 2 || inner->n_outputs > MOST - 2 || inner->n_outputs == 0) return NULL;
    for (uint32_t i = 0; i < n; i++) order[i] = i;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t k = i + rng_below(m->rng, n - i), was = order[i];
        order[i] = order[k];
        order[k] = was;
    }
    uint32_t n_invariant = rng_below(m->rng, n), n_carry = rng_below(m->rng, n - n_invariant + 1);
    switch (rng_below(m->rng, 5)) {
    case 0:  return in_case(m, inner);
    case 1:  return in_while(m, inner, order, n_invariant);
    default: return in_scan(m, inner, order, n_invariant, n_carry);
    }
}

static bool differs(const char *what, const Values *got, const Values *want, double tolerance, double scale,
                    char *why)
{
    for (uint32_t k = 0; k < want->n; k++) {
        int64_t i = first_difference(want->type[k], got->at[k], want->at[k], tolerance, scale);
        if (i < 0) continue;
        size_t bytes = dtype_bytes((DType)want->type[k].dtype);
        char text[64];
        snprintf(
            why, 1100, "%s: output %u %s, element %lld: %g, not %g", what, (unsigned)k,
            type_text(text, sizeof text, want->type[k]), (long long)i,
            scalar_to_double((DType)want->type[k].dtype,
                             scalar_load((DType)want->type[k].dtype, (char *)got->at[k] + (size_t)i * bytes)),
            scalar_to_double(
                (DType)want->type[k].dtype,
                scalar_load((DType)want->type[k].dtype, (char *)want->at[k] + (size_t)i * bytes)));
        return true;
    }
    if (values_guards_hold(got)) return false;
    snprintf(why, 1100, "%s: wrote past the end of an output", what);
    return true;
}

static bool run_compiled(const Graph *g, void *const *inputs, Values *out, Failure *f)
{
    Code *code = compile_graph(g, &(CompileOptions){ .mode = MODE_STRICT, .name = "random" }, &heap, f);
    if (!code) return false;
    void *scratch = aligned_alloc(64, (code->scratch_bytes + 64) & ~(size_t)63);
    code->entry((const void *const *)inputs, out->at, scratch, code->consts, &workers_alone);
    free(scratch);
    code_free(code, &heap);
    return true;
}

static bool agrees(Arena *arena, const Graph *g, uint64_t seed, bool smooth, char *why)
{
    static const Target target = {
        .vector_bytes = 64, .vector_registers = 32, .l1_bytes = 48 << 10, .l2_bytes = 1 << 20, .fma = true
    };
    Failure f = { .code = WEFT_OK };
    const Graph *plain = unrolled(arena, g);
    Values inputs = values_of_params(g), want = values_of_outputs(g), fused = values_of_outputs(g),
           compiled = values_of_outputs(g);
    values_fill(&inputs, seed, smooth);
    bool ok = eager_graph(plain, (const void *const *)inputs.at, want.at, &heap, &f);
    Pipeline way = { .target = &target, .mode = smooth ? MODE_DEFAULT : MODE_STRICT };
    Program *p = pipeline_run(&way, arena, g, NULL);
    if (getenv("WEFT_SEED")) printf("%s\n%s\n", graph_print(arena, g, NULL), program_print(arena, p));
    if (ok) ok = program_check(p, &f);
    if (!ok) snprintf(why, 1100, "%s", f.text);
    if (ok) ok = program_run(p, (const void *const *)inputs.at, fused.at, why, 1100);
    double scale = smooth && ok ? graph_scale(plain, inputs.at, NULL) : 1;
    if (ok && smooth) ok = !differs("interpreted", &fused, &want, 1e-4, scale * scale, why);
    if (ok && !smooth) {
        ok = run_compiled(g, inputs.at, &compiled, &f);
        if (!ok) snprintf(why, 1100, "%s", f.text);
        else ok = !differs("compiled", &compiled, &want, 0, 1, why);
    }
    values_free(&inputs);
    values_free(&want);
    values_free(&fused);
    values_free(&compiled);
    return ok;
}

static bool try_seed(uint64_t seed, bool smooth, uint64_t *made)
{
    Arena arena;
    Rng rng = { seed * 77 + 5 };
    char why[1100] = "";
    arena_open(&arena);
    Maker m = { &arena, &rng };
    Graph *g = random_graph(&arena, seed, &(RandomOptions){ .nodes = 8, .smooth = smooth });
    for (uint32_t depth = 1 + rng_below(&rng, 2); g && depth--;) {
        g = wrapped(&m, g);
        if (g && g->failure.code != WEFT_OK) {
            fprintf(stderr, "seed %llu: %s\n", (unsigned long long)seed, g->failure.text);
            g = NULL;
        }
    }
    *made += g != NULL;
    const bool ok = !g || agrees(&arena, g, seed, smooth, why);
    if (!ok) fprintf(stderr, "seed %llu%s: %s\n", (unsigned long long)seed, smooth ? " (smooth)" : "", why);
    arena_free(&arena);
    return ok;
}

static void try_seeds(bool smooth)
{
    const char *one = getenv("WEFT_SEED"), *many = getenv("WEFT_PROGRAMS");
    uint64_t first = one ? strtoull(one, NULL, 10) : 0,
             n = one    ? 1
                 : many ? strtoull(many, NULL, 10)
                        : PROGRAMS,
             failed = 0, made = 0;
    for (uint64_t seed = first; seed < first + n; seed++) failed += !try_seed(seed, smooth, &made);
    cr_expect(failed == 0, "%llu of %llu programs differ", (unsigned long long)failed,
              (unsigned long long)made);
    cr_expect(one || made > n / 2, "only %llu of %llu programs could be made", (unsigned long long)made,
              (unsigned long long)n);
}

Test(control_random, strict, .timeout = 280) { try_seeds(false); }
Test(control_random, default_mode, .timeout = 280) { try_seeds(true); }
