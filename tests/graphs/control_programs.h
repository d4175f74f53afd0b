/* control_programs.h: programs built by hand around ops with regions, and around factorizations, of matrices
 * that have them: every way in which loops, branches and
 * what they are handed can depend on each other. All of them end for any input, whichever parameters are
 * mapped; a few would not if a pass made a step for an example that does not ask for one. */
#ifndef WEFT_TESTS_CONTROL_PROGRAMS_H
#define WEFT_TESTS_CONTROL_PROGRAMS_H
#include "compiler/graph/foreign_op.h"
#include "compiler/graph/matrix/matrix_build.h"
#include "compiler/graph/matrix/matrix_call.h"

typedef Graph *MakeProgram(Arena *);
typedef struct ControlProgram {
    const char *name;
    Op op;
    MakeProgram *make;
} ControlProgram;

static const Type program_f = { WEFT_F32, 0, NULL }, program_i = { WEFT_I32, 0, NULL },
                  program_b = { WEFT_BOOL, 0, NULL };
static const Type program_v = { WEFT_F32, 1, (const int64_t[]){ 3 } },
                  program_m = { WEFT_F32, 2, (const int64_t[]){ 4, 3 } };
static const Type program_steps = { WEFT_I32, 1, (const int64_t[]){ 4 } };

static inline Graph *program_outputs(Graph *g, const Ref *out, uint32_t n)
{
    graph_set_outputs(g, out, n);
    return g;
}
#define OUTPUTS(g, ...) program_outputs(g, (Ref[]){ __VA_ARGS__ }, sizeof(Ref[]){ __VA_ARGS__ } / sizeof(Ref))

/* A region over these types. */
static inline Graph *program_region(Arena *a, const Type *types, uint32_t n)
{
    Graph *g = graph_new(a, NULL);
    for (uint32_t i = 0; i < n; i++) build_param(g, types[i]);
    return g;
}
#define REGION(a, ...) \
    program_region(a, (Type[]){ __VA_ARGS__ }, sizeof(Type[]){ __VA_ARGS__ } / sizeof(Type))
#define P(k) g->params[k]

static inline Ref program_int(Graph *g, int v) { return build_number(g, WEFT_I32, v); }
static inline Ref program_next(Graph *g, Ref i) { return build_binary(g, OP_ADD, i, program_int(g, 1)); }
static inline Ref program_less(Graph *g, Ref a, Ref b) { return build_compare(g, CMP_LT, a, b); }
static inline Ref program_spread(Graph *g, Ref x, Type t)
{
    return build_broadcast(g, x, t.dim, t.rank, NULL);
}
static inline Ref program_largest(Graph *g, Ref x) { return build_reduce(g, OP_MAX, x, (int64_t[]){ 0 }, 1); }

/* ---- while */

/* (limit, x): at most six times x = x * 1.5 + 1, while x < limit: scalars. */
static inline Graph *program_while_scalar(Arena *a)
{
    Graph *g = REGION(a, program_f, program_i, program_f), *cond = g;
    OUTPUTS(g,
            build_binary(g, OP_AND, program_less(g, P(1), program_int(g, 6)), program_less(g, P(2), P(0))));
    Graph *body = g = REGION(a, program_f, program_i, program_f);
    OUTPUTS(g, program_next(g, P(1)),
            build_binary(g, OP_ADD, build_binary(g, OP_MUL, P(2), build_number(g, WEFT_F32, 1.5)),
                         build_number(g, WEFT_F32, 1)));
    g = REGION(a, program_f, program_f);
    Ref out[2];
    build_while(g, cond, body, (Ref[]){ P(0), program_int(g, 0), P(1) }, 1, 2, out);
    return program_outputs(g, out, 2);
}

/* (w, x, limit, kept): while the largest of x is below the limit, x = x + |w| + 1; `kept` is a carry that
 * never changes. */
static inline Graph *program_while_arrays(Arena *a)
{
    Graph *g = REGION(a, program_v, program_i, program_v, program_f, program_v), *cond = g;
    OUTPUTS(g, build_binary(g, OP_AND, program_less(g, P(1), program_int(g, 5)),
                            program_less(g, program_largest(g, P(2)), P(3))));
    Graph *body = g = REGION(a, program_v, program_i, program_v, program_f, program_v);
    Ref step = build_binary(g, OP_ADD, build_unary(g, OP_ABS, P(0)),
                            program_spread(g, build_number(g, WEFT_F32, 1), program_v));
    OUTPUTS(g, program_next(g, P(1)), build_binary(g, OP_ADD, P(2), step), P(3), P(4));
    g = REGION(a, program_v, program_v, program_f, program_v);
    Ref out[4];
    build_while(g, cond, body, (Ref[]){ P(0), program_int(g, 0), P(1), P(2), P(3) }, 1, 4, out);
    return program_outputs(g, out, 4);
}

/* (n, x, y): a count up to n % 5, with a chain x <- y <- z that the start of z fills, and a sum that stands
 * apart. */
static inline Graph *program_while_chain(Arena *a)
{
    Graph *g = REGION(a, program_i, program_i, program_f, program_f, program_f, program_i), *cond = g;
    OUTPUTS(g, program_less(g, P(1), build_binary(g, OP_REM, P(0), program_int(g, 5))));
    Graph *body = g = REGION(a, program_i, program_i, program_f, program_f, program_f, program_i);
    OUTPUTS(g, program_next(g, P(1)), P(3), P(4), P(4), build_binary(g, OP_ADD, P(5), P(1)));
    g = REGION(a, program_i, program_f, program_f);
    Ref out[5];
    build_while(g, cond, body, (Ref[]){ P(0), program_int(g, 0), P(1), P(1), P(2), program_int(g, 7) }, 1, 5,
                out);
    return program_outputs(g, out, 5);
}

/* (x, n): outer loop over arrays; the inner one runs n % 4 times more with each step, and would never end
 * once the outer condition is false. */
static inline Graph *program_while_in_while(Arena *a)
{
    Graph *g = REGION(a, program_i, program_i, program_f), *cond = g; /* inner: bound, k, s */
    OUTPUTS(g, build_compare(g, CMP_NE, P(1), P(0)));
    Graph *body = g = REGION(a, program_i, program_i, program_f);
    OUTPUTS(g, program_next(g, P(1)), build_binary(g, OP_ADD, P(2), build_convert(g, P(1), WEFT_F32)));
    Graph *outer_cond = g = REGION(a, program_i, program_i, program_v); /* outer: n, i, x */
    Ref bound = build_binary(g, OP_REM, build_unary(g, OP_ABS, P(0)), program_int(g, 4));
    OUTPUTS(g, program_less(g, P(1), bound));
    Graph *outer_body = g = REGION(a, program_i, program_i, program_v);
    Ref inner[2], n = build_binary(g, OP_REM, build_unary(g, OP_ABS, P(0)), program_int(g, 4));
    /* k goes from i to n - 1: with i = n, the state of an example that has ended, it would go round all
     * ints */
    build_while(g, cond, body,
                (Ref[]){ build_binary(g, OP_SUB, n, program_int(g, 1)), P(1), build_number(g, WEFT_F32, 0) },
                1, 2, inner);
    OUTPUTS(g, program_next(g, P(1)), build_binary(g, OP_ADD, P(2), program_spread(g, inner[1], program_v)));
    g = REGION(a, program_v, program_i);
    Ref out[2];
    build_while(g, outer_cond, outer_body, (Ref[]){ P(1), program_int(g, 0), P(0) }, 1, 2, out);
    return program_outputs(g, out, 2);
}

/* (x, n): a while whose body is a loop of a known number of steps with a branch in it, all scalars. */
static inline Graph *program_while_of_steps(Arena *a)
{
    Graph *g = REGION(a, program_f), *up = g;
    OUTPUTS(g, build_binary(g, OP_ADD, P(0), build_number(g, WEFT_F32, 1)));
    Graph *down = g = REGION(a, program_f);
    OUTPUTS(g, build_binary(g, OP_MUL, P(0), build_number(g, WEFT_F32, 0.5)));
    Graph *step = g = REGION(a, program_f, program_i);
    Ref out[2], next;
    build_case(g, build_convert(g, program_less(g, P(0), build_number(g, WEFT_F32, 2)), WEFT_I32),
               (const Graph *[]){ down, up }, 2, (Ref[]){ P(0) }, 1, &next);
    OUTPUTS(g, next, program_next(g, P(1)));
    Graph *cond = g = REGION(a, program_i, program_f, program_i);
    OUTPUTS(g, program_less(g, P(2), build_binary(g, OP_REM, P(0), program_int(g, 7))));
    Graph *body = g = REGION(a, program_i, program_f, program_i);
    build_scan(g, (ScanShape){ .length = 3, .unroll = 1, .n_carry = 2 }, step, (Ref[]){ P(1), P(2) }, out);
    OUTPUTS(g, out[0], out[1]);
    g = REGION(a, program_f, program_i);
    build_while(g, cond, body, (Ref[]){ P(1), P(0), program_int(g, 0) }, 1, 2, out);
    return program_outputs(g, out, 2);
}

static const Type program_long = { WEFT_F32, 1, (const int64_t[]){ 20 } },
                  program_two = { WEFT_F32, 1, (const int64_t[]){ 2 } };

/* (n, y): while c < n % 9: two elements of y at 3 c % 20 take values from two others, and the first is
 * counted up: examples that have ended write nothing. */
static inline Graph *program_while_updates(Arena *a)
{
    Graph *g = REGION(a, program_i, program_long, program_i), *cond = g;
    OUTPUTS(g, program_less(g, P(2), build_binary(g, OP_REM, P(0), program_int(g, 9))));
    Graph *body = g = REGION(a, program_i, program_long, program_i);
    Ref at = build_binary(g, OP_REM, build_binary(g, OP_MUL, P(2), program_int(g, 3)), program_int(g, 20)),
        one = build_number(g, WEFT_F32, 1);
    Ref from = build_dynamic_slice(g, P(1), (Ref[]){ P(2) }, program_two.dim);
    Ref once = build_dynamic_update_slice(
        g, P(1), build_binary(g, OP_ADD, from, program_spread(g, one, program_two)), (Ref[]){ at });
    OUTPUTS(g,
            build_dynamic_update_slice(
                g, once, build_reshape(g, build_convert(g, P(2), WEFT_F32), (int64_t[]){ 1 }, 1),
                (Ref[]){ program_int(g, 0) }),
            program_next(g, P(2)));
    g = REGION(a, program_i, program_long);
    Ref out[2];
    build_while(g, cond, body, (Ref[]){ P(0), P(1), program_int(g, 0) }, 1, 2, out);
    return program_outputs(g, out, 2);
}

/* (index, y, at): one branch updates y, another leaves it, the third updates it twice; and a select of an
 * update by its side. */
static inline Graph *program_case_updates(Arena *a)
{
    Graph *branch[3], *g = branch[0] = REGION(a, program_long, program_i);
    OUTPUTS(g, P(0));
    for (int k = 1; k < 3; k++) {
        g = branch[k] = REGION(a, program_long, program_i);
        Ref y = P(0);
        for (int i = 0; i < k; i++)
            y = build_dynamic_update_slice(
                g, y, build_unary(g, OP_SQUARE, build_dynamic_slice(g, y, (Ref[]){ P(1) }, program_two.dim)),
                (Ref[]){ P(1) });
        OUTPUTS(g, y);
    }
    g = REGION(a, program_i, program_long, program_i);
    Ref out, sum, two = build_slice(g, P(1), (int64_t[]){ 3 }, (int64_t[]){ 5 }, (int64_t[]){ 1 });
    build_case(g, P(0), (const Graph *[]){ branch[0], branch[1], branch[2] }, 3, (Ref[]){ P(1), P(2) }, 2,
               &out);
    sum = build_select(g, program_less(g, P(0), P(2)), P(1),
                       build_dynamic_update_slice(g, P(1), two, (Ref[]){ P(2) }));
    return OUTPUTS(g, out, sum);
}

/* (y): each element from two before it, in place. */
static inline Graph *program_scan_updates(Arena *a)
{
    Graph *g = REGION(a, program_i, program_long), *body = g;
    Ref before = build_dynamic_slice(g, P(1), (Ref[]){ build_binary(g, OP_SUB, P(0), program_int(g, 3)) },
                                     program_two.dim),
        one = build_number(g, WEFT_F32, 1);
    OUTPUTS(g, program_next(g, P(0)),
            build_dynamic_update_slice(g, P(1),
                                       build_binary(g, OP_ADD, before, program_spread(g, one, program_two)),
                                       (Ref[]){ P(0) }));
    g = REGION(a, program_long);
    Ref out[2];
    build_scan(g, (ScanShape){ .length = 17, .unroll = 1, .n_carry = 2 }, body,
               (Ref[]){ program_int(g, 2), P(0) }, out);
    return OUTPUTS(g, out[1]);
}

/* (y, at): elements change places, step by step; every fourth step two places get the same. */
static inline Graph *program_scan_swaps(Arena *a)
{
    const int64_t one[] = { 1 };
    Graph *g = REGION(a, program_i, program_long, program_i), *body = g;
    Ref x = build_dynamic_slice(g, P(1), (Ref[]){ P(0) }, one),
        y = build_dynamic_slice(g, P(1), (Ref[]){ P(2) }, one);
    Ref once = build_dynamic_update_slice(g, P(1), y, (Ref[]){ P(0) }),
        twice = build_dynamic_update_slice(g, once, x, (Ref[]){ P(2) });
    Ref again = build_dynamic_slice(g, twice, (Ref[]){ program_int(g, 5) }, one);
    OUTPUTS(g, program_next(g, P(0)),
            build_dynamic_update_slice(g, twice, again,
                                       (Ref[]){ build_binary(g, OP_MUL, P(0), program_int(g, 4)) }));
    g = REGION(a, program_long, program_steps);
    Ref out[2];
    build_scan(g, (ScanShape){ .length = 4, .unroll = 1, .n_carry = 2, .n_xs = 1 }, body,
               (Ref[]){ program_int(g, 0), P(0), P(1) }, out);
    return OUTPUTS(g, out[1]);
}

/* ---- case */

/* (index, x, y): three branches, one of which ignores x, one of which gives what does not depend on
 * either. */
static inline Graph *program_case(Arena *a)
{
    Graph *branch[3], *g = branch[0] = REGION(a, program_v, program_f);
    OUTPUTS(g, build_unary(g, OP_NEG, P(0)), P(1));
    g = branch[1] = REGION(a, program_v, program_f);
    OUTPUTS(g, program_spread(g, P(1), program_v), build_number(g, WEFT_F32, 3));
    g = branch[2] = REGION(a, program_v, program_f);
    OUTPUTS(g, program_spread(g, build_number(g, WEFT_F32, 2), program_v), P(1));
    g = REGION(a, program_i, program_v, program_f);
    Ref out[2];
    build_case(g, P(0), (const Graph *[]){ branch[0], branch[1], branch[2] }, 3, (Ref[]){ P(1), P(2) }, 2,
               out);
    return program_outputs(g, out, 2);
}

/* A loop over `c` that ends if and only if i is 1, for a branch that is taken only then. With arrays or of
 * scalars. */
static inline Graph *program_loop_of_branch(Arena *a, Type t)
{
    Graph *g = REGION(a, program_i, program_i, t), *cond = g;
    OUTPUTS(g, build_binary(g, OP_OR, program_less(g, P(1), program_int(g, 3)),
                            build_compare(g, CMP_NE, P(0), program_int(g, 1))));
    Graph *body = g = REGION(a, program_i, program_i, t);
    OUTPUTS(g, program_next(g, P(1)), build_binary(g, OP_ADD, P(2), P(2)));
    Graph *branch = g = REGION(a, program_i, t);
    Ref out[2];
    build_while(g, cond, body, (Ref[]){ P(0), program_int(g, 0), P(1) }, 1, 2, out);
    return OUTPUTS(branch, out[1]);
}

static inline Graph *program_identity_branch(Arena *a, Type t)
{
    Graph *g = REGION(a, program_i, t);
    return OUTPUTS(g, P(1));
}

static inline Graph *program_case_around(Arena *a, Type t, const Graph *loop)
{
    const Graph *same = program_identity_branch(a, t), *branches[] = { same, loop, same };
    Graph *g = REGION(a, program_i, t);
    Ref out;
    build_case(g, P(0), branches, 3, (Ref[]){ P(0), P(1) }, 2, &out);
    return OUTPUTS(g, out);
}

static inline Graph *program_case_of_while(Arena *a)
{
    return program_case_around(a, program_f, program_loop_of_branch(a, program_f));
}
static inline Graph *program_case_of_array_while(Arena *a)
{
    return program_case_around(a, program_v, program_loop_of_branch(a, program_v));
}

/* The loop inside a scan inside the branch. */
static inline Graph *program_case_of_scan_of_while(Arena *a)
{
    const Graph *loop = program_loop_of_branch(a, program_v);
    Graph *g = REGION(a, program_i, program_v), *body = g;
    Ref out;
    graph_inline(g, loop, (Ref[]){ P(0), P(1) }, &out);
    OUTPUTS(g, out);
    Graph *branch = g = REGION(a, program_i, program_v);
    build_scan(g, (ScanShape){ .length = 2, .unroll = 1, .n_invariant = 1, .n_carry = 1 }, body,
               (Ref[]){ P(0), P(1) }, &out);
    return program_case_around(a, program_v, OUTPUTS(branch, out));
}

/* The loop in a branch of a branch, and in the region of a MAP. */
static inline Graph *program_case_of_case(Arena *a)
{
    Graph *inner = program_case_around(a, program_f, program_loop_of_branch(a, program_f));
    return program_case_around(a, program_f, inner);
}

static inline Graph *program_case_of_map(Arena *a)
{
    Graph *g = REGION(a, program_i, program_v);
    Ref out;
    build_map(g, (Ref[]){ program_spread(g, P(0), (Type){ WEFT_I32, 1, program_v.dim }), P(1) }, 2, program_v,
              program_loop_of_branch(a, program_f), &out);
    return program_case_around(a, program_v, OUTPUTS(g, out));
}

/* ---- scan */

/* (w, start, xs, steps): carries a sum and a count; ys: the weighted sum, what depends on the steps only, a
 * constant. */
static inline Graph *program_scan_of(Arena *a, bool reverse)
{
    Graph *g = REGION(a, program_v, program_v, program_i, program_v, program_i), *body = g;
    Ref sum = build_binary(g, OP_ADD, P(1), build_binary(g, OP_MUL, P(0), P(3))),
        count = build_binary(g, OP_ADD, P(2), P(4));
    OUTPUTS(g, sum, count, build_binary(g, OP_MUL, sum, P(0)), build_binary(g, OP_SUB, count, P(4)),
            build_number(g, WEFT_F32, 2));
    g = REGION(a, program_v, program_v, program_m, program_steps);
    Ref out[5];
    build_scan(g,
               (ScanShape){
                   .length = 4, .reverse = reverse, .unroll = 1, .n_invariant = 1, .n_carry = 2, .n_xs = 2 },
               body, (Ref[]){ P(0), P(1), program_int(g, 3), P(2), P(3) }, out);
    return program_outputs(g, out, 5);
}
static inline Graph *program_scan(Arena *a) { return program_scan_of(a, false); }
static inline Graph *program_scan_backwards(Arena *a) { return program_scan_of(a, true); }

/* (x, y, z, s): no inputs or outputs; a <- b <- c <- s: marks need as many rounds as carries; d stands
 * apart. */
static inline Graph *program_scan_chain(Arena *a)
{
    Graph *g = REGION(a, program_f, program_f, program_f, program_f, program_i), *body = g;
    OUTPUTS(g, P(2), P(3), P(0), program_next(g, P(4)));
    g = REGION(a, program_f, program_f, program_f, program_f);
    Ref out[4];
    build_scan(g, (ScanShape){ .length = 5, .unroll = 2, .n_invariant = 1, .n_carry = 4 }, body,
               (Ref[]){ P(3), P(0), P(1), P(2), program_int(g, 0) }, out);
    return program_outputs(g, out, 4);
}

/* No carries; no steps. */
static inline Graph *program_scan_maps(Arena *a)
{
    Graph *g = REGION(a, program_v, program_v), *body = g;
    OUTPUTS(g, build_binary(g, OP_MUL, P(0), P(1)));
    g = REGION(a, program_v, program_m);
    Ref out;
    build_scan(g, (ScanShape){ .length = 4, .unroll = 1, .n_invariant = 1, .n_xs = 1 }, body,
               (Ref[]){ P(0), P(1) }, &out);
    return OUTPUTS(g, out);
}

/* (f, xs): c starts alike and is alike in each step; d starts alike, but takes what is not; h takes both.
 * c is stacked, too. */
static inline Graph *program_scan_alike(Arena *a)
{
    Graph *g = REGION(a, program_v, program_v, program_v, program_v), *body = g;
    Ref half = program_spread(g, build_number(g, WEFT_F32, 0.5), program_v),
        c = build_binary(g, OP_ADD, build_binary(g, OP_MUL, P(0), half), half),
        h = build_binary(g, OP_ADD, build_binary(g, OP_MUL, P(2), c), P(1));
    OUTPUTS(g, c, build_binary(g, OP_ADD, P(1), P(3)), h, c);
    g = REGION(a, program_f, program_m);
    Ref out[4], start = program_spread(g, P(0), program_v);
    build_scan(g, (ScanShape){ .length = 4, .unroll = 1, .n_carry = 3, .n_xs = 1 }, body,
               (Ref[]){ start, start, start, P(1) }, out);
    return program_outputs(g, out, 4);
}

/* (v, f): all rows of r are alike, so are all elements of s. */
static inline Graph *program_scan_rows(Arena *a)
{
    Graph *g = REGION(a, program_m, program_m), *body = g;
    Ref r = build_binary(g, OP_MUL, P(0), P(1));
    OUTPUTS(g, r, build_unary(g, OP_ABS, P(1)), r);
    g = REGION(a, program_v, program_f);
    Ref out[3], rows = build_broadcast(g, P(0), program_m.dim, 2, (int64_t[]){ 1 });
    build_scan(g, (ScanShape){ .length = 3, .unroll = 1, .n_carry = 2 }, body,
               (Ref[]){ rows, program_spread(g, P(1), program_m) }, out);
    return program_outputs(g, out, 3);
}

static inline Graph *program_scan_of_nothing(Arena *a)
{
    Type none = { WEFT_F32, 2, (int64_t[]){ 0, 3 } };
    Graph *g = REGION(a, program_v, program_v), *body = g;
    OUTPUTS(g, build_binary(g, OP_ADD, P(0), P(1)), P(0));
    g = REGION(a, program_v, none);
    Ref out[2];
    build_scan(g, (ScanShape){ .length = 0, .unroll = 1, .n_carry = 1, .n_xs = 1 }, body,
               (Ref[]){ P(0), P(1) }, out);
    return program_outputs(g, out, 2);
}

/* (index, x, limit): scan in while in case. */
static inline Graph *program_three_deep(Arena *a)
{
    Graph *g = REGION(a, program_v, program_v, program_i), *step = g; /* scan: w, x, k */
    OUTPUTS(g, build_binary(g, OP_ADD, P(1), P(0)), program_next(g, P(2)), build_convert(g, P(2), WEFT_F32));
    Graph *cond = g = REGION(a, program_v, program_f, program_v, program_i); /* while: w, limit, x, k */
    OUTPUTS(g, build_binary(g, OP_AND, program_less(g, P(3), program_int(g, 9)),
                            program_less(g, program_largest(g, P(2)), P(1))));
    Graph *body = g = REGION(a, program_v, program_f, program_v, program_i);
    Ref out[3];
    build_scan(g, (ScanShape){ .length = 3, .unroll = 1, .n_invariant = 1, .n_carry = 2 }, step,
               (Ref[]){ P(0), P(2), P(3) }, out);
    Type ramp = graph_type(g, out[2]);
    OUTPUTS(
        g,
        build_binary(g, OP_ADD, out[0], build_slice(g, out[2], (int64_t[]){ 0 }, ramp.dim, (int64_t[]){ 1 })),
        out[1]);
    Graph *branch = g = REGION(a, program_v, program_f);
    Ref w = build_unary(g, OP_ABS, P(0)), last[2];
    build_while(g, cond, body, (Ref[]){ w, P(1), P(0), program_int(g, 0) }, 2, 2, last);
    OUTPUTS(branch, last[0]);
    Graph *other = g = REGION(a, program_v, program_f);
    OUTPUTS(g, build_binary(g, OP_MUL, P(0), program_spread(g, P(1), program_v)));
    g = REGION(a, program_i, program_v, program_f);
    Ref result;
    build_case(g, P(0), (const Graph *[]){ branch, other }, 2, (Ref[]){ P(1), P(2) }, 2, &result);
    return OUTPUTS(g, result);
}

/* ---- map, windows, order, random bits */

static inline Graph *program_map(Arena *a)
{
    Graph *g = REGION(a, program_f, program_i), *region = g;
    OUTPUTS(g, build_binary(g, OP_MUL, P(0), build_convert(g, P(1), WEFT_F32)), program_next(g, P(1)));
    g = REGION(a, program_v, (Type){ WEFT_I32, 1, program_v.dim });
    Ref out[2];
    build_map(g, (Ref[]){ P(0), P(1) }, 2, program_v, region, out);
    return program_outputs(g, out, 2);
}

/* Total order, so that NaN and -0 have places. */
static inline Ref program_before(Graph *g, Ref x, Ref y)
{
    return graph_add(g, &(NodeSpec){ .op = OP_COMPARE,
                                     .args = (Ref[]){ x, y },
                                     .n_args = 2,
                                     .attr = (int64_t[]){ CMP_LT, ORDER_TOTAL },
                                     .n_attr = 2 });
}

static inline Graph *program_sort(Arena *a)
{
    Graph *g = REGION(a, program_f, program_f), *before = g;
    OUTPUTS(g, program_before(g, P(0), P(1)));
    g = REGION(a, program_m);
    Ref out;
    build_sort(g, (Ref[]){ P(0) }, 1, 0, true, before, &out);
    return OUTPUTS(g, out);
}

static inline Graph *program_sort_several(Arena *a)
{
    Graph *g = REGION(a, program_i, program_i, program_f, program_f), *before = g;
    OUTPUTS(g, program_less(g, P(0), P(1)));
    Type keys = { WEFT_I32, 2, program_m.dim };
    g = REGION(a, keys, program_m);
    Ref out[2];
    build_sort(g, (Ref[]){ P(0), P(1) }, 2, 1, true, before, out);
    return program_outputs(g, out, 2);
}

static inline Graph *program_select_and_scatter(Arena *a)
{
    Graph *g = REGION(a, program_f, program_f), *select = g;
    OUTPUTS(g, build_compare(g, CMP_GE, P(0), P(1)));
    Graph *add = g = REGION(a, program_f, program_f);
    OUTPUTS(g, build_binary(g, OP_ADD, P(0), P(1)));
    Type source = { WEFT_F32, 2, (int64_t[]){ 2, 3 } };
    g = REGION(a, program_m, source, program_f);
    Ref out = graph_add(g, &(NodeSpec){ .op = OP_SELECT_AND_SCATTER,
                                        .args = g->params,
                                        .n_args = 3,
                                        .attr = (int64_t[]){ 2, 2, 2, 1, 0, 1, 0, 0 },
                                        .n_attr = 8,
                                        .regions = (const Graph *[]){ select, add },
                                        .n_regions = 2 });
    return OUTPUTS(g, out);
}

static inline Graph *program_random_bits(Arena *a)
{
    Type state = { WEFT_U64, 1, (int64_t[]){ 2 } }, bits = { WEFT_U32, 2, (int64_t[]){ 2, 3 } };
    Graph *g = REGION(a, state);
    Ref r = graph_add(g, &(NodeSpec){ .op = OP_RNG_BITS,
                                      .args = g->params,
                                      .n_args = 1,
                                      .attr = (int64_t[]){ 1 },
                                      .n_attr = 1,
                                      .results = (Type[]){ state, bits },
                                      .n_results = 2 });
    return OUTPUTS(g, build_result(g, r, 0), build_result(g, r, 1));
}

/* ---- rules, foreign functions, barriers */

static inline Ref program_mul(Graph *g, Ref a, Ref b) { return build_binary(g, OP_MUL, a, b); }
static inline Ref program_add(Graph *g, Ref a, Ref b) { return build_binary(g, OP_ADD, a, b); }

/* (x, w, i): x * w, i + 1, and a number that depends on nothing; regions take x, w, i. */
static inline const Graph *program_primal(Arena *a)
{
    Graph *g = REGION(a, program_v, program_v, program_i);
    return OUTPUTS(g, program_mul(g, P(0), P(1)), program_next(g, P(2)), build_number(g, WEFT_F32, 3));
}

static inline Graph *program_custom_jvp(Arena *a)
{
    Graph *g = REGION(a, program_v, program_v, program_i, program_v, program_v), *rule = g;
    OUTPUTS(g, program_mul(g, P(0), P(1)), program_next(g, P(2)), build_number(g, WEFT_F32, 3),
            program_add(g, program_mul(g, P(3), P(1)), program_mul(g, P(0), P(4))),
            build_number(g, WEFT_F32, 0));
    g = REGION(a, program_v, program_v, program_i);
    Ref out[3];
    build_ruled(g, OP_CUSTOM_JVP, 0, (const Graph *[]){ program_primal(a), rule }, 2, g->params, 3, out);
    return program_outputs(g, out, 3);
}

static inline Graph *program_custom_vjp(Arena *a)
{
    Graph *g = REGION(a, program_v, program_v, program_i), *forward = g;
    OUTPUTS(g, program_mul(g, P(0), P(1)), program_next(g, P(2)), build_number(g, WEFT_F32, 3), P(1), P(0));
    Graph *backward = g = REGION(a, program_v, program_v, program_v, program_f);
    OUTPUTS(g, program_mul(g, P(0), P(2)), program_mul(g, P(1), P(2)));
    g = REGION(a, program_v, program_v, program_i);
    Ref out[3];
    build_ruled(g, OP_CUSTOM_VJP, 0, (const Graph *[]){ program_primal(a), forward, backward }, 3, g->params,
                3, out);
    return program_outputs(g, out, 3);
}

static inline Graph *program_custom_vmap(Arena *a)
{
    Graph *g = REGION(a, program_v, program_v, program_i);
    const Graph *primal = program_primal(a);
    Ref out[3];
    build_ruled(g, OP_CUSTOM_VMAP, 7, &primal, 1, g->params, 3, out);
    return program_outputs(g, out, 3);
}

/* (limit, x, y): a loop that is computed again, twice nested; y goes through untouched. */
static inline Graph *program_checkpoint(Arena *a)
{
    Graph *g = REGION(a, program_f, program_f, program_v), *inner = program_while_scalar(a), *outer = g;
    Ref out[3];
    build_ruled(g, OP_CHECKPOINT, 0, (const Graph *[]){ inner }, 1, g->params, 2, out);
    OUTPUTS(g, out[0], out[1], build_unary(g, OP_STOP_GRADIENT, P(2)));
    g = REGION(a, program_f, program_f, program_v);
    build_ruled(g, OP_CHECKPOINT, 0, (const Graph *[]){ outer }, 1, g->params, 3, out);
    return program_outputs(g, out, 3);
}

/* A rule around a loop that never ends for the examples that take the other branch: k from 0 until it is
 * n. */
static inline const Graph *program_count_to(Arena *a)
{
    Graph *g = REGION(a, program_i, program_i, program_f), *cond = g;
    OUTPUTS(g, build_compare(g, CMP_NE, P(1), P(0)));
    Graph *body = g = REGION(a, program_i, program_i, program_f);
    OUTPUTS(g, program_next(g, P(1)), program_add(g, P(2), build_number(g, WEFT_F32, 0.5)));
    g = REGION(a, program_i, program_f);
    Ref out[2];
    build_while(g, cond, body, (Ref[]){ P(0), program_int(g, 0), P(1) }, 1, 2, out);
    return OUTPUTS(g, out[1]);
}

static inline const Graph *program_ruled_branch(Arena *a, Op op)
{
    const Graph *count = program_count_to(a);
    Graph *g = REGION(a, program_i, program_f, program_f), *jvp = g;
    Ref value;
    graph_inline(g, count, g->params, &value);
    OUTPUTS(g, value, P(2));
    Graph *forward = g = REGION(a, program_i, program_f);
    graph_inline(g, count, g->params, &value);
    OUTPUTS(g, value, P(0));
    Graph *backward = g = REGION(a, program_i, program_f);
    graph_inline(g, count, g->params, &value);
    OUTPUTS(g, value);
    g = REGION(a, program_i, program_f);
    build_ruled(g, op, 0,
                op == OP_CUSTOM_JVP ? (const Graph *[]){ count, jvp }
                                    : (const Graph *[]){ count, forward, backward },
                op == OP_CUSTOM_JVP   ? 2
                : op == OP_CUSTOM_VJP ? 3
                                      : 1,
                g->params, 2, &value);
    return OUTPUTS(g, value);
}

/* (n, x): the loop to |n| % 4, by one branch each of all kinds of rules; n < 0: x. */
static inline Graph *program_case_of_rules(Arena *a)
{
    static const Op ops[] = { OP_CUSTOM_JVP, OP_CUSTOM_VJP, OP_CUSTOM_VMAP, OP_CHECKPOINT };
    const Graph *branch[5];
    for (int i = 0; i < 4; i++) branch[i] = program_ruled_branch(a, ops[i]);
    Graph *g = REGION(a, program_i, program_f);
    branch[4] = OUTPUTS(g, P(1));
    g = REGION(a, program_i, program_f);
    Ref out, index = build_binary(g, OP_REM, P(0), program_int(g, 4));
    build_case(g, index, branch, 5, (Ref[]){ index, P(1) }, 2, &out);
    return OUTPUTS(g, out);
}

/* numbers[0] times x in reverse, and its sum. */
static inline void program_call(const ForeignOp *op, const int64_t *numbers, const void *const *in,
                                void *const *out)
{
    const float *x = in[0];
    float *y = out[0], *sum = out[1];
    (void)op;
    *sum = 0;
    for (int i = 0; i < 3; i++) y[2 - i] = (float)numbers[0] * x[i], *sum += x[i];
}
static const ForeignOp program_foreign_op = { "reversed", program_call, true, false, NULL };

static inline Graph *program_foreign(Arena *a)
{
    Graph *g = REGION(a, program_v, program_v);
    Ref first[2], second[2];
    build_foreign(g, &program_foreign_op, 0, (int64_t[]){ 3 }, 1, g->params, 1,
                  (Type[]){ program_v, program_f }, 2, first);
    build_foreign(g, &program_foreign_op, 5, (int64_t[]){ 2 }, 1, (Ref[]){ program_mul(g, first[0], P(1)) },
                  1, (Type[]){ program_v, program_f }, 2, second);
    return OUTPUTS(g, first[1], second[0]);
}

static inline Graph *program_barrier(Arena *a)
{
    Graph *g = REGION(a, program_v, program_v);
    Ref out[2], one;
    build_barrier(g, (Ref[]){ program_mul(g, P(0), P(0)), P(1) }, 2, out);
    build_barrier(g, &out[1], 1, &one);
    return OUTPUTS(g, out[0], program_add(g, out[0], one));
}

static const Type program_square = { WEFT_F32, 2, (const int64_t[]){ 3, 3 } };

/* a + 6 I */
static inline Ref program_dominant(Graph *g, Ref a)
{
    Type t = graph_type(g, a);
    return build_select(g, matrix_mask(g, t, CMP_EQ, 0),
                        program_add(g, a, build_splat(g, t, scalar_from_double((DType)t.dtype, 6))), a);
}

/* x^T x + 6 I */
static inline Ref program_positive(Graph *g, Ref x)
{
    return program_dominant(g, matrix_product_of(g, x, 1, x, 0));
}

static inline Graph *program_cholesky(Arena *a)
{
    Graph *g = REGION(a, program_m);
    Ref x = program_positive(g, P(0));
    int64_t lower[] = { 1, 0 };
    return OUTPUTS(g, build_node(g, OP_CHOLESKY, &x, 1, lower, 1),
                   build_node(g, OP_CHOLESKY, &x, 1, lower + 1, 1));
}

static inline Graph *program_triangular_solve(Arena *a)
{
    Type b = { WEFT_F32, 2, (int64_t[]){ 3, 2 } };
    Graph *g = REGION(a, program_square, b, program_m);
    Ref x = program_dominant(g, P(0));
    return OUTPUTS(g, matrix_solve(g, x, P(1), (MatrixSolve){ .left = true, .lower = true }),
                   matrix_solve(g, x, P(1), (MatrixSolve){ .left = true, .unit = true, .transpose = 1 }),
                   matrix_solve(g, x, P(2), (MatrixSolve){ .transpose = 2 }),
                   matrix_solve(g, x, P(2), (MatrixSolve){ .lower = true, .unit = true }));
}

static inline Graph *program_lu(Arena *a)
{
    Graph *g = REGION(a, program_m);
    Ref square[3], tall[3];
    build_matrix(g, OP_LU, (Ref[]){ program_positive(g, P(0)) }, NULL, 0, square);
    build_matrix(g, OP_LU, (Ref[]){ P(0) }, NULL, 0, tall);
    return OUTPUTS(g, square[0], tall[0], tall[2]);
}

static inline Graph *program_qr(Arena *a)
{
    Graph *g = REGION(a, program_m);
    Ref out[2];
    build_matrix(g, OP_QR, (Ref[]){ P(0) }, (int64_t[]){ 0 }, 1, out);
    return OUTPUTS(g, out[0], out[1]);
}

/* Of a matrix whose eigenvalues are apart, what signs of vectors do not change. */
static inline Graph *program_eigh(Arena *a)
{
    Graph *g = REGION(a, program_square);
    Type t = program_square, index = { WEFT_I32, 2, t.dim };
    Ref apart = build_convert(g, build_iota(g, index, 0), WEFT_F32), twenty = build_number(g, WEFT_F32, 20),
        out[2];
    apart = program_mul(g, apart, build_broadcast(g, twenty, t.dim, 2, NULL));
    Ref x = build_select(g, matrix_mask(g, t, CMP_EQ, 0), program_add(g, P(0), apart), P(0));
    build_matrix(g, OP_EIGH, &x, (int64_t[]){ 1 }, 1, out);
    return OUTPUTS(g, program_mul(g, out[0], out[0]), out[1]);
}

/* Of a complex matrix whose eigenvalues are apart. */
static inline Graph *program_eig(Arena *a)
{
    Graph *g = REGION(a, program_square);
    Type t = program_square, index = { WEFT_I32, 2, t.dim };
    Ref apart = build_convert(g, build_iota(g, index, 0), WEFT_F32), twenty = build_number(g, WEFT_F32, 20),
        out[2];
    apart = program_mul(g, apart, build_broadcast(g, twenty, t.dim, 2, NULL));
    Ref x = build_select(g, matrix_mask(g, t, CMP_EQ, 0), program_add(g, P(0), apart), P(0));
    x = build_binary(g, OP_COMPLEX, x, P(0));
    build_matrix(g, OP_EIG, &x, (int64_t[]){ 1 }, 1, out);
    return OUTPUTS(g, build_unary(g, OP_REAL, out[0]), build_unary(g, OP_IMAG, out[0]),
                   build_unary(g, OP_REAL, out[1]), build_unary(g, OP_IMAG, out[1]));
}

static inline Graph *program_svd(Arena *a)
{
    Graph *g = REGION(a, program_square);
    Type t = program_square, index = { WEFT_I32, 2, t.dim };
    Ref apart = build_convert(g, build_iota(g, index, 0), WEFT_F32), twenty = build_number(g, WEFT_F32, 20),
        out[3], alone;
    apart = program_mul(g, program_add(g, apart, build_splat(g, t, scalar_from_double(WEFT_F32, 1))),
                        build_broadcast(g, twenty, t.dim, 2, NULL));
    Ref x = build_select(g, matrix_mask(g, t, CMP_EQ, 0), program_add(g, P(0), apart), P(0));
    x = build_concatenate(g, (Ref[]){ x, P(0) }, 2, 0);
    build_matrix(g, OP_SVD, &x, (int64_t[]){ 0, 1 }, 2, out);
    x = matrix_transpose(g, x);
    build_matrix(g, OP_SVD, &x, (int64_t[]){ 0, 0 }, 2, &alone);
    return OUTPUTS(g, out[0], program_mul(g, out[1], out[1]), program_mul(g, out[2], out[2]), alone);
}

/* Without a derivative; so of values that have none. */
static inline Graph *program_reflections(Arena *a)
{
    Graph *g = REGION(a, program_m);
    Ref x = build_unary(g, OP_SIGN, P(0)), out[2], q;
    build_matrix(g, OP_GEQRF, &x, NULL, 0, out);
    build_matrix(g, OP_HOUSEHOLDER_PRODUCT, out, NULL, 0, &q);
    return OUTPUTS(g, out[0], out[1], q);
}

/* Of a matrix whose eigenvalues are apart, real ones and a pair; without a derivative. */
static inline Graph *program_schur(Arena *a)
{
    Graph *g = REGION(a, program_square);
    Type t = program_square, index = { WEFT_I32, 2, t.dim };
    Ref apart = build_convert(g, build_iota(g, index, 0), WEFT_F32), twenty = build_number(g, WEFT_F32, 20),
        form[2], real[2], reflections[2];
    apart = program_mul(g, apart, build_broadcast(g, twenty, t.dim, 2, NULL));
    Ref x = build_unary(g, OP_SIGN, P(0));
    x = build_select(g, matrix_mask(g, t, CMP_EQ, 0), program_add(g, x, apart), x);
    build_matrix(g, OP_SCHUR, &x, (int64_t[]){ 1 }, 1, form);
    build_matrix(g, OP_GEHRD, &x, NULL, 0, reflections);
    build_matrix(g, OP_EIG, &x, (int64_t[]){ 1 }, 1, real);
    return OUTPUTS(g, form[0], form[1], reflections[0], reflections[1], build_unary(g, OP_REAL, real[0]),
                   build_unary(g, OP_IMAG, real[1]));
}

static const ControlProgram control_programs[] = {
    { "while of scalars", OP_WHILE, program_while_scalar },
    { "while of arrays", OP_WHILE, program_while_arrays },
    { "while with a chain", OP_WHILE, program_while_chain },
    { "while in while", OP_WHILE, program_while_in_while },
    { "while of steps", OP_WHILE, program_while_of_steps },
    { "while of updates", OP_WHILE, program_while_updates },
    { "case of updates", OP_CASE, program_case_updates },
    { "scan of updates", OP_SCAN, program_scan_updates },
    { "scan of swaps", OP_SCAN, program_scan_swaps },
    { "case", OP_CASE, program_case },
    { "case of while", OP_CASE, program_case_of_while },
    { "case of while of arrays", OP_CASE, program_case_of_array_while },
    { "case of scan of while", OP_CASE, program_case_of_scan_of_while },
    { "case of case of while", OP_CASE, program_case_of_case },
    { "case of map of while", OP_CASE, program_case_of_map },
    { "scan", OP_SCAN, program_scan },
    { "scan backwards", OP_SCAN, program_scan_backwards },
    { "scan with a chain", OP_SCAN, program_scan_chain },
    { "scan that maps", OP_SCAN, program_scan_maps },
    { "scan of what is alike", OP_SCAN, program_scan_alike },
    { "scan of equal rows", OP_SCAN, program_scan_rows },
    { "scan of nothing", OP_SCAN, program_scan_of_nothing },
    { "scan in while in case", OP_SCAN, program_three_deep },
    { "map", OP_MAP, program_map },
    { "sort", OP_SORT, program_sort },
    { "sort of several", OP_SORT, program_sort_several },
    { "cholesky", OP_CHOLESKY, program_cholesky },
    { "triangular solve", OP_TRIANGULAR_SOLVE, program_triangular_solve },
    { "lu", OP_LU, program_lu },
    { "qr", OP_QR, program_qr },
    { "eigh", OP_EIGH, program_eigh },
    { "eig", OP_EIG, program_eig },
    { "svd", OP_SVD, program_svd },
    { "schur", OP_SCHUR, program_schur },
    { "hessenberg", OP_GEHRD, program_schur },
    { "reflections", OP_GEQRF, program_reflections },
    { "product of reflections", OP_HOUSEHOLDER_PRODUCT, program_reflections },
    { "select and scatter", OP_SELECT_AND_SCATTER, program_select_and_scatter },
    { "random bits", OP_RNG_BITS, program_random_bits },
    { "custom jvp", OP_CUSTOM_JVP, program_custom_jvp },
    { "custom vjp", OP_CUSTOM_VJP, program_custom_vjp },
    { "custom vmap", OP_CUSTOM_VMAP, program_custom_vmap },
    { "checkpoint", OP_CHECKPOINT, program_checkpoint },
    { "case of rules", OP_CASE, program_case_of_rules },
    { "foreign function", OP_FOREIGN, program_foreign },
    { "barrier", OP_BARRIER, program_barrier },
};
enum { N_CONTROL_PROGRAMS = sizeof control_programs / sizeof *control_programs };
#undef P
#endif
