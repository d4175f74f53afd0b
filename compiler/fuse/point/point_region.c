/* point_region.c: regions at a point: point_value of a region's nodes, whose parameters are values of the
 * kernel or elements of the graph around. */
#include "point.h"
#include <string.h>

/* Depth of what is fused into an operand: nothing if it is loaded. */
static uint32_t fused_depth(const Build *b, Ref r)
{
    bool leaf = !b->frame &&
                (node_of(b, r)->op == OP_PARAMETER || (b->plan[r].materialized && !b->plan[r].in_passing));
    return leaf ? 0 : b->plan[r].round.depth;
}

void frame_enter(Build *b, RegionFrame *f, const Graph *region, const Bound *bound, uint32_t block,
                 uint32_t phase, bool known, Val active, Val mask)
{
    *f = (RegionFrame){ .parent = b->frame,
                        .outer_graph = b->graph,
                        .outer_plan = b->plan,
                        .graph = region,
                        .bound = bound,
                        .block = block,
                        .phase = phase,
                        .active = active,
                        .mask = mask };
    if (b->n_keys < b->graph->n_nodes) b->n_keys = b->graph->n_nodes;
    f->first_key = b->n_keys;
    b->n_keys += region->n_nodes;
    f->plan = arena_alloc(b->arena, (region->n_nodes + 1) * sizeof *f->plan);
    for (Ref r = 0; r < region->n_nodes; r++) {
        const Node *n = &region->nodes[r];
        f->plan[r].build.row_loop = VAL_NONE;
        if (n->op == OP_PARAMETER && !known && bound[n->attr[0]].value == VAL_NONE)
            f->plan[r].round.depth = fused_depth(b, bound[n->attr[0]].outer);
        for (uint32_t i = 0; i < n->n_args; i++)
            f->plan[r].round.depth = point_deeper(n, f->plan[r].round.depth, f->plan[n->args[i]].round.depth);
        f->plan[r].round.depth += point_levels(n);
    }
    b->graph = region;
    b->plan = f->plan;
    b->frame = f;
}

void frame_leave(Build *b)
{
    b->graph = b->frame->outer_graph;
    b->plan = b->frame->outer_plan;
    b->frame = b->frame->parent;
}

static void frame_again(Build *b, const RegionFrame *f)
{
    b->graph = f->graph;
    b->plan = f->plan;
    b->frame = f;
}

void region_values(Build *b, const Graph *region, const Val *args, uint32_t block, uint32_t phase,
                   Val *outputs)
{
    RegionFrame f;
    Bound *bound = arena_alloc(b->arena, (region->n_params + 1) * sizeof *bound);
    for (uint32_t i = 0; i < region->n_params; i++) {
        bound[i] = (Bound){ .value = args[i] };
        if (nest_phase(&b->nest, args[i], block) > phase) phase = nest_phase(&b->nest, args[i], block);
    }
    frame_enter(b, &f, region, bound, block, phase, true, VAL_NONE, VAL_NONE);
    const bool *reached = graph_reached(b->arena, region);
    /* In order, so that a long chain of ops is no deep recursion. */
    for (Ref r = 0; r < region->n_nodes; r++)
        if (reached[r] && region->nodes[r].rank == 0 && op_is_ew((Op)region->nodes[r].op))
            point_value(b, r, NULL, VAL_NONE);
    for (uint32_t i = 0; i < region->n_outputs; i++)
        outputs[i] = point_value(b, region->outputs[i], NULL, VAL_NONE);
    frame_leave(b);
}

/* A parameter of the region: a value of the kernel, or an element of what the graph around gives. */
Val bound_value(Build *b, const Node *n, const Address *at, Val mask)
{
    const RegionFrame *f = b->frame;
    const Bound *p = &f->bound[n->attr[0]];
    if (p->value != VAL_NONE) return p->value;
    Address *in = new_index(b, p->n_prefix + n->rank);
    if (p->n_prefix) memcpy(in, p->prefix, (size_t)p->n_prefix * sizeof *in);
    memcpy(in + p->n_prefix, at, n->rank * sizeof *in);
    frame_leave(b);
    Val v = point_value(b, p->outer, in, mask);
    frame_again(b, f);
    return v;
}

/* A constant array of a region: one buffer for all that read it. */
Val region_constant(Build *b, const Node *n, const Address *at, Val mask)
{
    Program *p = b->program;
    uint32_t buffer = 0;
    while (buffer < p->n_buffers &&
           (p->buffers[buffer].kind != BUF_CONST || p->buffers[buffer].data != n->data))
        buffer++;
    if (buffer == p->n_buffers)
        buffer = program_add_buffer(p, (Buffer){ .kind = BUF_CONST,
                                                 .dtype = n->dtype,
                                                 .index = p->n_consts++,
                                                 .count = type_count(node_type(n)),
                                                 .data = n->data });
    return nest_load(&b->nest, (DType)n->dtype, buffer, point_address(b, node_type(n), at), mask, 0, 0);
}
