/* places.c: where in memory the values of a graph lie, afresh for each round. */
#include "compiler/fuse/fuse_state.h"
#include <string.h>

uint32_t fuse_new_buffer(GraphFusion *f, Buffer b) { return program_add_buffer(f->program, b); }

Buffer fuse_buffer_of(Type t, BufferKind kind, uint32_t index)
{
    return (Buffer){ .kind = (uint8_t)kind, .dtype = t.dtype, .index = index, .count = type_count(t) };
}

bool place_is_whole(const Program *p, Place x, Type t)
{
    return x.kind == PLACE_BUFFER && !x.base.n_terms && !x.base.offset &&
           p->buffers[x.buffer].count == type_count(t);
}

Place fuse_operand_place(const GraphFusion *f, Ref r)
{
    const Node *n = &f->g->nodes[r];
    if (n->op == OP_CONSTANT && n->attr[0])
        return (Place){ .kind = PLACE_SPLAT, .bits = scalar_load((DType)n->dtype, n->data) };
    if (n->op == OP_IOTA && !f->plan[r].materialized) return (Place){ .kind = PLACE_INDEX };
    return f->plan[r].round.place;
}

/* ---- views ---- */

/* Do its elements lie in its operand's memory as they are, from *start on? So do those of the same in another
 * shape, and of a part of its rows. */
static bool lies_in_operand(const Graph *g, const Node *n, int64_t *start)
{
    int64_t row = 1;
    *start = 0;
    if (n->op != OP_SLICE) return n->op == OP_RESHAPE;
    for (int d = 1; d < n->rank; row *= n->dim[d++])
        if (n->dim[d] != g->nodes[n->args[0]].dim[d]) return false;
    *start = n->attr[0] * row;
    return n->attr[2 * n->rank] == 1;
}

Ref fuse_viewed(const GraphFusion *f, Ref r, int64_t *start)
{
    int64_t more;
    for (*start = 0; f->plan[r].is_view; r = f->g->nodes[r].args[0]) {
        lies_in_operand(f->g, &f->g->nodes[r], &more);
        *start += more;
    }
    return r;
}

/* What it is a view of. */
static Ref behind_views(const GraphFusion *f, Ref r, bool parts)
{
    int64_t start;
    while (!f->plan[r].materialized && lies_in_operand(f->g, &f->g->nodes[r], &start) &&
           (parts || f->g->nodes[r].op == OP_RESHAPE))
        r = f->g->nodes[r].args[0];
    return r;
}

/* Steps read what an operand is made of where it lies, if it is but a view: a batch cut into chunks is not
 * copied for the loop over them. A part is not a reason to compute the whole. */
Ref fuse_choose_views(GraphFusion *f, Ref operand)
{
    Ref r = behind_views(f, operand, true);
    if (!fuse_has_memory(f, r)) r = behind_views(f, operand, false);
    if (f->g->nodes[r].op == OP_IOTA || f->g->nodes[r].op == OP_CONSTANT) return operand;
    for (Ref v = operand; v != r; v = f->g->nodes[v].args[0]) f->plan[v].is_view = true;
    return r;
}

/* What is computed whole, and an output in another shape, is stored there. */
bool fuse_is_stored_as(GraphFusion *f, Ref output)
{
    Ref r = behind_views(f, output, false);
    if (r == output || point_behind_barriers(f->g, r) != r) return false;
    if (!fuse_is_whole_result(f, r) && !(fuse_is_whole(f, r) && f->g->nodes[r].n_results == 1)) return false;
    for (Ref v = output; v != r; v = f->g->nodes[v].args[0]) f->plan[v].is_view = true;
    return true;
}

/* ---- a round ---- */

static void also_at(GraphFusion *f, Ref r, Place place)
{
    NodeRound *now = &f->plan[r].round;
    Place *all = arena_alloc(f->arena, (now->n_also + 1) * sizeof *all);
    if (now->n_also) memcpy(all, now->also, now->n_also * sizeof *all);
    all[now->n_also++] = place;
    now->also = all;
}

static bool needs_buffers(const GraphFusion *f, Ref r)
{
    return f->computed[r] == COMPUTED_BY_KERNELS && own_kernels_need_buffers(f->g, r);
}

/* The first output that a node is is its memory; it is stored at the others, too. Those that are inputs or
 * constants are copied in the end. */
static void assign_outputs(GraphFusion *f)
{
    for (uint32_t i = 0; i < f->g->n_outputs; i++) {
        int64_t start;
        Ref r = point_behind_barriers(f->g, f->g->outputs[i]);
        if (!f->plan[r].materialized) r = fuse_viewed(f, r, &start);
        Place *place = &f->plan[r].round.place;
        const Node *n = &f->g->nodes[r];
        if (f->outs[i].kind == PLACE_NONE || n->op == OP_CONSTANT || n->op == OP_PARAMETER) continue;
        if (place->kind == PLACE_NONE && needs_buffers(f, n->op == OP_RESULT ? n->args[0] : r) &&
            !place_is_whole(f->program, f->outs[i], node_type(n)))
            *place = place_temporary(f->program, node_type(n));
        if (place->kind == PLACE_NONE) *place = f->outs[i];
        else also_at(f, r, f->outs[i]);
    }
}

/* What has memory and is no output. */
static void assign_others(GraphFusion *f)
{
    Program *p = f->program;
    for (Ref r = 0; r < f->g->n_nodes; r++) {
        const Node *n = &f->g->nodes[r];
        Place *place = &f->plan[r].round.place;
        if (!f->used[r] || place->kind != PLACE_NONE || !fuse_has_memory(f, r) || n->op == OP_PARAMETER ||
            point_behind_barriers(f->g, r) != r)
            continue;
        if (n->op != OP_CONSTANT) {
            *place = place_temporary(p, node_type(n));
            continue;
        }
        Buffer b = fuse_buffer_of(node_type(n), BUF_CONST, p->n_consts++);
        b.data = n->data;
        *place = (Place){ .kind = PLACE_BUFFER, .buffer = fuse_new_buffer(f, b) };
    }
}

/* Places of all results of nodes that are computed whole. */
static void assign_results(GraphFusion *f)
{
    Place **results = arena_alloc(f->arena, (f->g->n_nodes + 1) * sizeof *results);
    for (Ref r = 0; r < f->g->n_nodes; r++) {
        const Node *n = &f->g->nodes[r];
        NodeRound *now = &f->plan[r].round;
        if (!f->used[r]) continue;
        if (fuse_is_whole(f, r))
            now->results = results[r] = arena_alloc(f->arena, (n->n_results + 1) * sizeof **results);
        Ref of = n->op == OP_RESULT ? n->args[0] : r;
        if (!results[of] || (of == r && n->n_results > 1)) continue;
        Place *first = &results[of][of == r ? 0 : n->attr[0]];
        if (first->kind == PLACE_NONE) *first = now->place;
        else if (now->place.kind == PLACE_BUFFER) also_at(f, r, now->place);
        now->place = *first;
    }
    for (Ref r = 0; r < f->g->n_nodes; r++)
        for (uint32_t i = 0; results[r] && needs_buffers(f, r) && i < f->g->nodes[r].n_results; i++)
            if (results[r][i].kind == PLACE_NONE)
                results[r][i] = place_temporary(f->program, node_result(&f->g->nodes[r], i));
}

void fuse_assign_places(GraphFusion *f)
{
    f->program->n_buffers = f->first_buffer;
    f->program->n_consts = f->first_const;
    for (uint32_t i = 0; i < f->g->n_params; i++) f->plan[f->g->params[i]].round.place = f->params[i];
    assign_outputs(f);
    assign_others(f);
    assign_results(f);
    for (Ref r = 0; r < f->g->n_nodes; r++) {
        Ref owner = point_behind_barriers(f->g, r);
        if (f->used[r] && owner != r) f->plan[r].round.place = fuse_operand_place(f, owner);
    }
}
