/* test_turns.c: several turns of a loop go over arrays together, band after band, where the last cache does
 * not hold these; and every element is what it is without. The caches are taken to be small. */
#include "tests/fuse/fuse_words.h"
#include "tests/support/long_run.h"
#include <stdio.h>

enum { CACHE = 1 << 14 };

/* How many turns go together, in the first such loop; 0: none do. */
static int64_t turns_of(const Graph *g, uint32_t *pieces)
{
    Arena a;
    const Program *p = fused(&a, g);
    int64_t turns = 0;
    *pieces = 0;
    for (uint32_t i = 0; i < p->n_steps; i++) {
        const ProgramStep *s = &p->steps[i];
        if (s->kind != STEP_COUNT) continue;
        turns = s[1].at->terms[0].coef;
        for (uint32_t b = i; b-- > 0 && p->steps[b].kind == STEP_LOOP;) *pieces += p->steps[b].parallel;
        break;
    }
    arena_free(&a);
    return turns;
}

/* Values are eager's, on one thread and in pieces; and turns go together, if they are to. In pieces not all
 * do: not many may be left over. */
static void check(const char *what, const Graph *g, bool together)
{
    uint32_t pieces;
    fuse_cache = CACHE;
    int64_t turns = turns_of(g, &pieces);
    cr_expect((turns > 1) == together && !pieces, "%s: %lld turns together, %u loops of pieces", what,
              (long long)turns, pieces);
    fuse_compare(what, g);
    fuse_parallel = 1;
    turns = turns_of(g, &pieces);
    cr_expect((turns > 1) == (pieces > 0) && (together || !pieces),
              "%s: %lld turns together, %u loops of pieces", what, (long long)turns, pieces);
    fuse_compare(what, g);
    fuse_parallel = fuse_cache = 0;
}

/* ---- stencils ---- */

/* x without `low` and `high` elements of an axis. */
static Ref inner(Graph *g, Ref x, int axis, int64_t low, int64_t high)
{
    int64_t n = graph_type(g, x).dim[axis];
    return build_slice_along(g, x, axis, low, n - high, 1);
}

/* x without its edges, moved by -1, 0 or 1 along an axis. */
static Ref middle(Graph *g, Ref x, int axis, int by)
{
    for (int a = 0; a < graph_type(g, x).rank; a++)
        x = inner(g, x, a, a == axis ? 1 + by : 1, a == axis ? 1 - by : 1);
    return x;
}

/* `into`, with the means of x's neighbours in all but its edges. */
static Ref smooth(Graph *g, Ref into, Ref x)
{
    Ref sum = middle(g, x, 0, 0), starts[4];
    int rank = graph_type(g, x).rank;
    for (int axis = 0; axis < rank; axis++) {
        starts[axis] = n(g, 1);
        for (int by = -1; by < 2; by += 2) sum = add(g, sum, middle(g, x, axis, by));
    }
    sum = mul(
        g, sum,
        spread(g, build_number(g, (DType)graph_type(g, x).dtype, 1. / (2 * rank + 1)), graph_type(g, sum)));
    return build_dynamic_update_slice(g, into, sum, starts);
}

static void loop(Graph *g, const Graph *body, int64_t length, uint32_t carries, uint32_t xs, const Ref *args,
                 Ref *out)
{
    build_scan(g, (ScanShape){ length, false, 1, 0, carries, xs, 0 }, body, args, out);
}

/* From one array into the other, and back. */
static void check_pair(const char *what, Type t, int64_t length, bool together)
{
    GRAPH(pair);
    REGION(pair, body, t, t);
    Ref a = body->params[0], b = body->params[1], out[2];
    b = smooth(body, b, a);
    a = smooth(body, a, b);
    GIVES(body, a, b);
    loop(pair, body, length, 2, 0, (Ref[]){ build_param(pair, t), build_param(pair, t) }, out);
    GIVES(pair, out[0], out[1]);
    check(what, pair, together);
    arena_free(&pair_arena);
}

/* The new array takes the place of the old one. */
static void check_one(const char *what, Type t, int64_t length, bool together)
{
    GRAPH(one);
    REGION(one, body, t);
    Ref out[1];
    GIVES(body, smooth(body, body->params[0], body->params[0]));
    loop(one, body, length, 1, 0, (Ref[]){ build_param(one, t) }, out);
    GIVES(one, out[0]);
    check(what, one, together);
    arena_free(&one_arena);
}

Test(turns, numbers)
{
    for (int64_t length = 4; length < 24; length += length < 8 ? 1 : 5) {
        check_pair("a pair", F32(40, 45), length, true);
        check_one("one array", F32(60, 33), length, true);
    }
}

/* A multiple of as many as there are threads, of exchanged arrays of twice as many. */
Test(turns, pieces)
{
    GRAPH(one);
    Type t = F32(60, 33);
    REGION(one, body, t);
    Ref out[1];
    GIVES(body, smooth(body, body->params[0], body->params[0]));
    loop(one, body, 12, 1, 0, (Ref[]){ build_param(one, t) }, out);
    GIVES(one, out[0]);
    uint32_t pieces;
    fuse_cache = CACHE;
    fuse_parallel = 1;
    int64_t turns = turns_of(one, &pieces);
    fuse_cache = fuse_parallel = 0;
    cr_expect(turns == 4 && pieces == 1, "%lld turns together, %u loops of pieces", (long long)turns, pieces);
    arena_free(&one_arena);
}

Test(turns, shapes)
{
    check_pair("a line", F32(3000), 7, true);
    check_pair("a cube", F32(30, 6, 7), 7, true);
    check_one("a line", F32(3000), 8, true);
    check_one("a cube", F32(60, 5, 7), 8, true);
    check_pair("doubles", TYPE(WEFT_F64, 50, 20), 6, true);
    check_one("many rows", F32(400, 17), 33, true);
    check_one("what the cache holds", F32(10, 20), 8, false);
}

/* ---- what turns know ---- */

/* Each turn has an input of its own, from the last to the first, too. */
Test(turns, counters)
{
    for (int reverse = 0; reverse < 2; reverse++) {
        GRAPH(fed);
        Type t = F32(60, 24), row = F32(24);
        REGION(fed, body, t, t, row);
        Ref a = body->params[0], b = body->params[1], x = body->params[2], out[2], zero = n(body, 0);
        x = build_reshape(body, x, (int64_t[]){ 1, 24 }, 2);
        b = smooth(body, b, a);
        a = smooth(body, a, b);
        a = build_dynamic_update_slice(body, a, x, (Ref[]){ zero, zero });
        GIVES(body, a, b);
        Ref args[] = { build_param(fed, t), build_param(fed, t), build_param(fed, F32(11, 24)) };
        build_scan(fed, (ScanShape){ 11, reverse, 1, 0, 2, 1, 0 }, body, args, out);
        GIVES(fed, out[0], out[1]);
        check("fed", fed, true);
        arena_free(&fed_arena);
    }
}

/* A number of what was computed in front of the loop, for kernels of which one is far ahead of the other;
 * and the same handed out. */
static void check_numbers_of_inputs(bool handed_out)
{
    GRAPH(g);
    Type t = F32(400, 24), part = F32(340, 24), scalar = type_scalar(WEFT_F32);
    REGION(g, body, t, t, scalar, scalar);
    Ref u = body->params[0], v = body->params[1], time = body->params[2], out[4];
    time = add(body, mul(body, time, f(body, 0.5)), body->params[3]);
    u = build_unary(body, OP_TANH, add(body, u, spread(body, time, t)));
    Ref ahead = mul(body, inner(body, u, 0, 60, 0), spread(body, time, part));
    v = build_dynamic_update_slice(body, v, add(body, inner(body, v, 0, 0, 60), ahead),
                                   (Ref[]){ n(body, 0), n(body, 0) });
    graph_set_outputs(body, (Ref[]){ u, v, time, time }, 3 + handed_out);
    Ref xs = build_cumulative(g, OP_ADD, build_param(g, F32(12)), 0, false);
    loop(g, body, 12, 3, 1, (Ref[]){ build_param(g, t), build_param(g, t), build_param(g, scalar), xs }, out);
    graph_set_outputs(g, out, 3 + handed_out);
    uint32_t pieces;
    fuse_cache = CACHE;
    cr_expect(turns_of(g, &pieces) > 1, "turns are alone");
    fuse_compare("numbers of inputs", g);
    fuse_cache = 0;
    arena_free(&g_arena);
}

Test(turns, numbers_of_inputs)
{
    check_numbers_of_inputs(false);
    check_numbers_of_inputs(true);
}

/* Two arrays, of which the older one becomes the newer. */
Test(turns, wave)
{
    for (int64_t length = 5; length < 9; length++) {
        GRAPH(wave);
        Type t = F32(50, 30);
        REGION(wave, body, t, t);
        Ref now = body->params[0], before = body->params[1], out[2];
        Ref next = build_binary(body, OP_SUB, smooth(body, now, now),
                                mul(body, before, spread(body, f(body, 0.25), t)));
        GIVES(body, next, now);
        loop(wave, body, length, 2, 0, (Ref[]){ build_param(wave, t), build_param(wave, t) }, out);
        GIVES(wave, out[0], out[1]);
        check("wave", wave, true);
        arena_free(&wave_arena);
    }
}

/* A loop of turns in the turns of another. */
Test(turns, nested)
{
    GRAPH(nested);
    Type t = F32(60, 30);
    REGION(nested, outer, t);
    REGION(nested, body, t);
    Ref out[1];
    GIVES(body, smooth(body, body->params[0], body->params[0]));
    loop(outer, body, 6, 1, 0, outer->params, out);
    int64_t axis = 0;
    Ref sum = build_reduce(outer, OP_MAX, out[0], &axis, 1);
    GIVES(outer, add(outer, out[0], build_broadcast(outer, sum, t.dim, 2, (int64_t[]){ 1 })));
    loop(nested, outer, 3, 1, 0, (Ref[]){ build_param(nested, t) }, out);
    GIVES(nested, out[0]);
    check("nested", nested, true);
    arena_free(&nested_arena);
}

/* Rows that need no others: all turns, of the rows that the near cache holds. */
Test(turns, rows_alone)
{
    GRAPH(rows);
    Type t = F32(300, 24);
    REGION(rows, body, t);
    Ref x = body->params[0], out[1];
    int64_t axis = 1;
    Ref sum = build_reduce(body, OP_ADD, build_unary(body, OP_ABS, x), &axis, 1),
        all = build_broadcast(body, sum, t.dim, 2, (int64_t[]){ 0 });
    GIVES(body, build_binary(body, OP_DIV, build_unary(body, OP_TANH, x), all));
    loop(rows, body, 21, 1, 0, (Ref[]){ build_param(rows, t) }, out);
    GIVES(rows, out[0]);
    uint32_t pieces;
    fuse_cache = CACHE;
    int64_t turns = turns_of(rows, &pieces);
    cr_expect(turns >= 10, "%lld turns together", (long long)turns);
    fuse_compare("rows", rows);
    fuse_parallel = 1;
    fuse_compare("rows", rows);
    fuse_parallel = fuse_cache = 0;
    arena_free(&rows_arena);
}

/* ---- what must wait ---- */

/* A sum of all rows, the first row in the place of the last, rows in another order: a turn needs all of the
 * one before it. What each turn hands out, nobody waits for. */
Test(turns, alone)
{
    GRAPH(mean);
    Type t = F32(60, 30);
    REGION(mean, of_mean, t);
    Ref out[2], x = of_mean->params[0];
    int64_t axis = 0;
    Ref sum = build_reduce(of_mean, OP_ADD, x, &axis, 1);
    sum = mul(of_mean, sum, spread(of_mean, f(of_mean, 1. / 60), F32(30)));
    GIVES(of_mean,
          mul(of_mean, smooth(of_mean, x, x), build_broadcast(of_mean, sum, t.dim, 2, (int64_t[]){ 1 })));
    loop(mean, of_mean, 6, 1, 0, (Ref[]){ build_param(mean, t) }, out);
    GIVES(mean, out[0]);
    check("a mean in each turn", mean, false);
    arena_free(&mean_arena);

    GRAPH(turned);
    REGION(turned, rolled, t);
    x = rolled->params[0];
    Ref moved =
        build_concatenate(rolled, (Ref[]){ inner(rolled, x, 0, 59, 0), inner(rolled, x, 0, 0, 1) }, 2, 0);
    GIVES(rolled, build_unary(rolled, OP_TANH, add(rolled, x, moved)));
    loop(turned, rolled, 6, 1, 0, (Ref[]){ build_param(turned, t) }, out);
    GIVES(turned, out[0]);
    check("rolled", turned, false);
    arena_free(&turned_arena);

    GRAPH(backwards);
    REGION(backwards, reversed, t);
    x = reversed->params[0];
    GIVES(reversed,
          build_unary(reversed, OP_TANH, add(reversed, x, build_reverse(reversed, x, (int64_t[]){ 0 }, 1))));
    loop(backwards, reversed, 6, 1, 0, (Ref[]){ build_param(backwards, t) }, out);
    GIVES(backwards, out[0]);
    check("backwards", backwards, false);
    arena_free(&backwards_arena);

    GRAPH(kept);
    REGION(kept, handed, t);
    x = smooth(handed, handed->params[0], handed->params[0]);
    GIVES(handed, x, inner(handed, x, 0, 30, 29));
    loop(kept, handed, 6, 1, 0, (Ref[]){ build_param(kept, t) }, out);
    GIVES(kept, out[0], out[1]);
    check("a row of each turn", kept, true);
    arena_free(&kept_arena);
}

/* ---- random turns ---- */

enum { MOST_CARRIES = 3 };

typedef struct Chooser {
    Graph *g;
    uint64_t state;
    Ref carry[MOST_CARRIES], input, number; /* number: of the turn; REF_NONE: there is none */
    uint32_t n, n_out;
    Type type;
} Chooser;

static uint32_t choose(Chooser *c, uint32_t n)
{
    c->state = c->state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(c->state >> 33) % n;
}

static Ref scaled(Chooser *c, Ref x, double by)
{
    return mul(c->g, x, spread(c->g, f(c->g, by), graph_type(c->g, x)));
}

/* What lies `by` rows or columns away, with zeros from outside. */
static Ref moved(Chooser *c, Ref x, int axis, int64_t by)
{
    int64_t low[2] = { 0, 0 }, high[2] = { 0, 0 }, none[2] = { 0, 0 };
    low[axis] = by;
    high[axis] = -by;
    return build_pad(c->g, x, f(c->g, 0), low, high, none);
}

static Ref padded_stencil(Chooser *c, Ref x)
{
    Ref sum = scaled(c, x, 0.3);
    for (uint32_t taps = 1 + choose(c, 3); taps > 0; taps--)
        sum = add(c->g, sum, scaled(c, moved(c, x, (int)choose(c, 2), (int64_t)choose(c, 5) - 2), 0.2));
    return choose(c, 2) ? sum : build_unary(c->g, OP_TANH, sum);
}

/* A row or a column of `into` from `x`, or a row of the turn's input. */
static Ref set_line(Chooser *c, Ref into, Ref x)
{
    int axis = (int)choose(c, 2);
    int64_t at = choose(c, 3), size = c->type.dim[axis];
    Ref line = inner(c->g, x, axis, at, size - at - 1), starts[2] = { n(c->g, 0), n(c->g, 0) };
    if (axis == 0 && choose(c, 2)) line = build_reshape(c->g, c->input, (int64_t[]){ 1, c->type.dim[1] }, 2);
    starts[axis] = n(c->g, (int)(choose(c, 2) ? size - 1 : choose(c, 4)));
    return build_dynamic_update_slice(c->g, into, line, starts);
}

/* The next number; seldom one that a turn must wait for. */
static void step_number(Chooser *c)
{
    if (c->number == REF_NONE) return;
    Ref more = f(c->g, 0.125);
    if (!choose(c, 16))
        more = build_reshape(
            c->g, inner(c->g, inner(c->g, c->carry[0], 0, 9, c->type.dim[0] - 10), 1, 3, c->type.dim[1] - 4),
            NULL, 0);
    c->number = add(c->g, mul(c->g, c->number, f(c->g, 0.75)), more);
    if (choose(c, 2)) c->number = build_unary(c->g, OP_SIN, c->number);
}

static Ref changed(Chooser *c, Ref into, Ref x)
{
    if (c->number != REF_NONE && !choose(c, 4)) return mul(c->g, into, spread(c->g, c->number, c->type));
    switch (choose(c, 6)) {
    case 0:  return set_line(c, into, x);
    case 1:  return add(c->g, scaled(c, into, 0.5), scaled(c, x, 0.25));
    case 2:  return padded_stencil(c, x);
    case 3:  return smooth(c->g, into, padded_stencil(c, x));
    default: return smooth(c->g, into, x);
    }
}

/* What a turn hands out: a row, a column, sums of rows, all. */
static Ref handed_out(Chooser *c, Ref x)
{
    int64_t along = 1, at = choose(c, 5), rows = c->type.dim[0], columns = c->type.dim[1];
    switch (choose(c, 4)) {
    case 0:  return inner(c->g, x, 0, at, rows - at - 1);
    case 1:  return inner(c->g, x, 1, at, columns - at - 1);
    case 2:  return build_reduce(c->g, OP_ADD, x, &along, 1);
    default: return x;
    }
}

static const Graph *random_body(Chooser *c, const Graph *parent, bool numbered)
{
    Graph *g = graph_new(parent->arena, "turn");
    Ref out[2 * MOST_CARRIES + 1];
    c->g = g;
    for (uint32_t i = 0; i < c->n; i++) c->carry[i] = build_param(g, c->type);
    c->number = numbered ? build_param(g, type_scalar(WEFT_F32)) : REF_NONE;
    c->input = build_param(g, F32(c->type.dim[1]));
    if (choose(c, 2)) step_number(c);
    for (uint32_t steps = 1 + choose(c, 4); steps > 0; steps--) {
        uint32_t to = choose(c, c->n);
        c->carry[to] = changed(c, c->carry[to], c->carry[choose(c, c->n)]);
    }
    uint32_t turn = choose(c, 2) ? choose(c, c->n) : 0;
    for (uint32_t i = 0; i < c->n; i++) out[i] = c->carry[(i + turn) % c->n];
    c->n_out = c->n;
    if (choose(c, 2)) step_number(c);
    if (numbered) out[c->n_out++] = c->number;
    for (uint32_t i = 0; i < c->n; i++)
        if (!choose(c, 3)) out[c->n_out++] = handed_out(c, c->carry[i]);
    graph_set_outputs(g, out, c->n_out);
    return g;
}

/* Most go together, so that there is something to compare. */
Test(turns, random)
{
    uint32_t together = 0, pieces, programs = (uint32_t)rounds(24, 60);
    for (uint64_t seed = 1; seed <= programs; seed++) {
        GRAPH(some);
        Chooser c = { .state = seed, .n = 1 };
        for (int i = 0; i < 3; i++) choose(&c, 2);
        c.n += choose(&c, MOST_CARRIES);
        Type t = F32(40 + choose(&c, 40), 8 + choose(&c, 20));
        c.type = t;
        bool numbered = choose(&c, 2);
        const Graph *body = random_body(&c, some, numbered);
        Ref args[MOST_CARRIES + 2], out[2 * MOST_CARRIES + 1];
        int64_t length = 4 + choose(&c, 12);
        for (uint32_t i = 0; i < c.n; i++) args[i] = build_param(some, t);
        if (numbered) args[c.n] = build_param(some, type_scalar(WEFT_F32));
        args[c.n + numbered] = build_param(some, F32(length, t.dim[1]));
        loop(some, body, length, c.n + numbered, 1, args, out);
        graph_set_outputs(some, out, c.n_out);
        char name[32];
        snprintf(name, sizeof name, "seed %d", (int)seed);
        fuse_cache = CACHE;
        together += turns_of(some, &pieces) > 1;
        fuse_parallel = seed % 2;
        fuse_compare(name, some);
        fuse_cache = fuse_parallel = 0;
        arena_free(&some_arena);
    }
    cr_expect(together > programs / 5, "of %u programs %u go together", programs, together);
}
