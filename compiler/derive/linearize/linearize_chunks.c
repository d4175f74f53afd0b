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

/* invariants, carries, inputs of `steps` steps -> carries, outputs of as many: a scan without checkpoints of
 * its own */
static const Graph *chunk_region(const Chunks *c, int64_t steps)
{
    Graph *g = graph_new(arena_of(c), NULL);
    Ref *args = refs(c, c->n->n_args), *out = refs(c, c->n->n_results);
    ScanShape shape = c->shape;
    shape.length = steps;
    shape.checkpoint = 0;
    for (uint32_t i = 0; i < c->n->n_args; i++)
        args[i] = build_param(g, i < c->n_kept ? operand_type(c, i) : steps_of(c, operand_type(c, i), steps));
    build_scan(g, shape, c->n->regions[0], args, out);
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
    Graph *g = graph_new(arena_of(c), NULL);
    Ref *args = refs(c, c->n->n_args), *out = refs(c, c->n->n_results);
    for (uint32_t i = 0; i < c->n->n_args; i++)
        args[i] = build_param(g, i < c->n_kept ? operand_type(c, i)
                                               : steps_of(c, operand_type(c, i), c->shape.checkpoint));
    chunk(c, g, c->shape.checkpoint, args, out);
    graph_set_outputs(g, out, c->n->n_results);
    return g;
}

/* [chunks k, ...] as [chunks, k, ...] */
static Ref in_rows(Graph *g, Ref x, int64_t k)
{
    const Node *n = graph_node(g, x);
    int64_t dim[WEFT_MAX_RANK + 1] = { n->dim[0] / k, k };
    if (n->rank == WEFT_MAX_RANK) {
        fail(&g->failure, WEFT_SHAPE, "checkpoints need one axis more than the %d of an input",
             WEFT_MAX_RANK);
        return REF_NONE;
    }
    for (int i = 1; i < n->rank; i++) dim[i + 1] = n->dim[i];
    return build_reshape(g, x, dim, n->rank + 1);
}

static Ref out_of_rows(Graph *g, Ref y)
{
    const Node *n = graph_node(g, y);
    int64_t dim[WEFT_MAX_RANK] = { n->dim[0] * n->dim[1] };
    for (int i = 2; i < n->rank; i++) dim[i - 1] = n->dim[i];
    return build_reshape(g, y, dim, n->rank - 1);
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
    Graph *g = graph_new(s->w.to->arena, NULL);
    c.n_kept = c.shape.n_invariant + c.shape.n_carry;
    Ref *params = refs(&c, n->n_args), *args = refs(&c, n->n_args), *results = refs(&c, n->n_results);
    bool *linear = arena_alloc(arena_of(&c), n->n_args + 1);
    for (uint32_t i = 0; i < n->n_args; i++) {
        params[i] = build_param(g, operand_type(&c, i));
        args[i] = rebuild_arg(&s->w, n, i);
        linear[i] = flow_arg(s->flow, n, i);
    }
    if (!run(&c, g, params, results)) return fail_as(&s->w.to->failure, &g->failure);
    graph_set_outputs(g, results, n->n_results);
    return split_inline(s, flow_from(arena_of(&c), g, &linear_flow, linear), args, out);
}
