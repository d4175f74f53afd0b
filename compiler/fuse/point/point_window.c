/* point_window.c: REDUCE_WINDOW at a point: the region folds the window's elements in index order onto the
 * start value. Where the window looks at padding or between dilated elements it sees the start value. Small
 * windows are written out, large ones are serial loops with carries; lanes go along the result's axes. */
#include "point.h"
#include "compiler/graph/infer/infer.h"
#include <string.h>

typedef struct PointWindow {
    const Node *node;
    WindowDims dims;
    Type t; /* of the operands */
    const Address *at;
    Val mask;
    const Val *start; /* [count] */
    uint32_t count;
} PointWindow;

/* A window of one element, where it is. */
static bool is_whole(const WindowDims *w, int d)
{
    return w->size[d] == 1 && w->stride[d] == 1 && w->base_dilation[d] == 1 && w->low[d] == 0 &&
           w->high[d] == 0;
}

/* The operands' elements number k[] of the window at the point; the starts where there is none. */
static void window_elements(Build *b, const PointWindow *w, const Address *k, Val *elements)
{
    Address *in = new_index(b, w->t.rank);
    Val inside = VAL_NONE;
    memcpy(elements, w->start, w->count * sizeof *elements);
    if (type_count(w->t) == 0) return;
    for (int d = w->t.rank, end = d; d-- > 0;) {
        in[d] = w->at[d];
        if (is_whole(&w->dims, d)) continue; /* and perhaps walked together with its neighbour */
        Address p = address_add(b->arena, address_scale(b->arena, w->at[d], w->dims.stride[d]),
                                address_scale(b->arena, k[d], w->dims.dilation[d]));
        in[d] = address_shift(p, -w->dims.low[d]);
        undilate(b, w->t, in, d, end, w->dims.base_dilation[d], &inside);
        end = d;
    }
    for (uint32_t i = 0; i < w->count && !is_never(b, inside); i++) {
        Val v = point_value(b, w->node->args[i], in, both(b, w->mask, inside));
        elements[i] = inside == VAL_NONE ? v : select_value(b, dtype_of(b, v), inside, v, w->start[i]);
    }
}

/* One step: state[0..count) becomes the region of it and the window's element number k[]. */
static void window_step(Build *b, const PointWindow *w, const Address *k, uint32_t block, uint32_t phase,
                        Val *state)
{
    window_elements(b, w, k, state + w->count);
    Val *next = arena_alloc(b->arena, w->count * sizeof *next);
    region_values(b, w->node->region, state, block, phase, next);
    memcpy(state, next, w->count * sizeof *next);
}

static void written_out(Build *b, const PointWindow *w, int64_t total, uint32_t block, uint32_t phase,
                        Val *state)
{
    Address *k = new_index(b, w->t.rank);
    for (int64_t e = 0; e < total; e++) {
        int64_t rest = e;
        for (int d = w->t.rank; d-- > 0; rest /= w->dims.size[d])
            k[d] = address_number(rest % w->dims.size[d]);
        window_step(b, w, k, block, phase, state);
    }
}

static void looped(Build *b, const PointWindow *w, uint32_t block, uint32_t phase, Val *state)
{
    Address *k = new_index(b, w->t.rank);
    CarryLoop nest[WEFT_MAX_RANK];
    int levels = 0;
    for (int d = 0; d < w->t.rank; d++) {
        k[d] = address_number(0);
        if (w->dims.size[d] == 1) continue;
        nest[levels] = carry_open(b, block, phase, w->dims.size[d], w->count, state);
        k[d] = address_of(b->arena, nest[levels].loop, 1);
        block = nest[levels++].body;
    }
    window_step(b, w, k, block, phase, state);
    while (levels--) carry_close(b, &nest[levels], 0, state);
}

void window_values(Build *b, Ref ref, const Address *at, Val mask, uint32_t block, Val *results)
{
    const Node *n = node_of(b, ref);
    uint32_t count = n->n_args / 2, phase = loops_phase(b, ref, at, n->rank, mask, block, point_levels(n));
    Type t = type_of(b, n->args[0]);
    Val *start = arena_alloc(b->arena, count * sizeof *start),
        *state = arena_alloc(b->arena, 2 * count * sizeof *state);
    PointWindow w = { n, window_dims(OP_REDUCE_WINDOW, n->attr, t.rank), t, at, mask, start, count };
    double total = 1;
    for (int d = 0; d < t.rank; d++) total *= (double)w.dims.size[d];
    for (uint32_t i = 0; i < count; i++)
        state[i] = start[i] = point_value(b, n->args[count + i], NULL, VAL_NONE);
    if (total <= MAX_WRITTEN_OUT) written_out(b, &w, (int64_t)total, block, phase, state);
    else looped(b, &w, block, phase, state);
    memcpy(results, state, count * sizeof *results);
}
