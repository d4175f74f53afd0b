/* linearize_chunks.c: a SCAN with a checkpoint every k steps, before it is split: an outer scan over the
 * chunks of k steps, each a CHECKPOINT of a scan, and what is left over as one more chunk (behind the others,
 * or before them in a scan that goes backwards). Inputs are reshaped to rows of k, outputs joined again. */
#include "linearize_split.h"

typedef struct Chunks {
    const Split *s;
    const Node *n;
    ScanShape shape;
    uint32_t n_kept; /* invariants and carries */
} Chunks;

static Arena *arena_of(const Chunks *c) { return c->s->w.to->arena; }
static Ref *refs(const Chunks *c, size_t n) { return graph_refs(arena_of(c), n); }

/* t with its first axis of this many steps. */
static Type steps_of(const Chunks *c, Type t, int64_t steps)
{
    int64_t *dim = arena_alloc(arena_of(c), t.rank * sizeof *dim);
    memcpy(dim, t.dim, t.rank * sizeof *dim);
    dim[0] = steps;
    return (Type){ t.dtype, t.rank, dim };
}

static Type operand_type(const Chunks *c, uint32_t i) { return graph_type(c->s->w.from, c->n->args[i]); }

/* A graph that takes invariants, carries, and inputs of so many steps. */
static Graph *open_steps(const Chunks *c, int64_t steps)
{
    Graph *g = graph_new(arena_of(c), NULL);
    for (uint32_t i = 0; i < c->n->n_args; i++)
        build_param(g, i < c->n_kept ? operand_type(c, i) : steps_of(c, operand_type(c, i), steps));
    return g;
}

/* It gives carries, and outputs of as many steps: a scan without checkpoints of its own. */
static const Graph *chunk_region(const Chunks *c, int64_t steps)
{
    Graph *g = open_steps(c, steps);
    Ref *out = refs(c, c->n->n_results);
    ScanShape shape = c->shape;
    shape.length = steps;
    shape.checkpoint = 0;
    build_scan(g, shape, c->n->regions[0], g->params, out);
    graph_set_outputs(g, out, c->n->n_results);
    return g;
}

static bool chunk(const Chunks *c, Graph *g, int64_t steps, const Ref *args, Ref *out)
{
    const Graph *region = chunk_region(c, steps);
    return build_ruled(g, OP_CHECKPOINT, 0, &region, 1, args, c->n->n_args, out);
}

/* The body of the scan over chunks. */
static const Graph *chunks_body(const Chunks *c)
{
    Graph *g = open_steps(c, c->shape.checkpoint);
    Ref *out = refs(c, c->n->n_results);
    chunk(c, g, c->shape.checkpoint, g->params, out);
    graph_set_outputs(g, out, c->n->n_results);
    return g;
}

/* [chunks k, ...] as [chunks, k, ...] */
static Ref in_rows(Graph *g, Ref x, int64_t k)
{
    const Node *n = graph_node(g, x);
    if (n->rank < WEFT_MAX_RANK) return build_leading(g, x, 1, (int64_t[]){ n->dim[0] / k, k }, 2);
    fail(&g->failure, WEFT_SHAPE, "checkpoints need one axis more than the %d of an input", WEFT_MAX_RANK);
    return REF_NONE;
}

static Ref out_of_rows(Graph *g, Ref y)
{
    const Node *n = graph_node(g, y);
    return build_leading(g, y, 2, (int64_t[]){ n->dim[0] * n->dim[1] }, 1);
}

/* args: invariants and carries are there; inputs: of all steps. */
static bool run_chunks(const Chunks *c, Graph *g, int64_t whole, Ref *args, const Ref *inputs, Ref *out)
{
    int64_t k = c->shape.checkpoint, from = c->shape.reverse ? c->shape.length - whole * k : 0;
    ScanShape outer = c->shape;
    outer.length = whole;
    outer.checkpoint = 0;
    outer.unroll = 1;
    for (uint32_t i = 0; i < c->shape.n_xs; i++)
        args[c->n_kept + i] = in_rows(g, build_slice_along(g, inputs[i], 0, from, from + whole * k, 1), k);
    if (!build_scan(g, outer, chunks_body(c), args, out)) return false;
    for (uint32_t i = c->shape.n_carry; i < c->n->n_results; i++) out[i] = out_of_rows(g, out[i]);
    return true;
}

static bool run_rest(const Chunks *c, Graph *g, int64_t rest, Ref *args, const Ref *inputs, Ref *out)
{
    int64_t from = c->shape.reverse ? 0 : c->shape.length - rest;
    for (uint32_t i = 0; i < c->shape.n_xs; i++)
        args[c->n_kept + i] = build_slice_along(g, inputs[i], 0, from, from + rest, 1);
    return chunk(c, g, rest, args, out);
}

static bool run(const Chunks *c, Graph *g, const Ref *operands, Ref *out)
{
    int64_t whole = c->shape.length / c->shape.checkpoint, rest = c->shape.length % c->shape.checkpoint;
    Ref *args = refs(c, c->n->n_args), *last = refs(c, c->n->n_results);
    memcpy(args, operands, c->n_kept * sizeof *args);
    if (whole && !run_chunks(c, g, whole, args, operands + c->n_kept, out)) return false;
    if (whole) memcpy(args + c->shape.n_invariant, out, c->shape.n_carry * sizeof *args);
    if (rest == 0 && whole) return true;
    if (!run_rest(c, g, rest, args, operands + c->n_kept, last)) return false;
    for (uint32_t i = c->shape.n_carry; whole && i < c->n->n_results; i++) {
        Ref parts[] = { c->shape.reverse ? last[i] : out[i], c->shape.reverse ? out[i] : last[i] };
        last[i] = build_concatenate(g, parts, 2, 0);
    }
    memcpy(out, last, c->n->n_results * sizeof *out);
    return true;
}

bool scan_in_chunks(const Split *s, const Node *n, Ref *out)
{
    Chunks c = { .s = s, .n = n, .shape = scan_shape(n->attr) };
    c.n_kept = c.shape.n_invariant + c.shape.n_carry;
    Graph *g = open_steps(&c, c.shape.length);
    Ref *args = rebuild_args(&s->w, n), *results = refs(&c, n->n_results);
    const bool *linear = flow_args(s->flow, n, 0);
    if (!run(&c, g, g->params, results)) return fail_as(&s->w.to->failure, &g->failure);
    graph_set_outputs(g, results, n->n_results);
    return split_inline(s, flow_from(arena_of(&c), g, &linear_flow, linear), args, out);
}
