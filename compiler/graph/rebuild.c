/* rebuild.c: see rebuild.h. */
#include "rebuild.h"

Rebuild rebuild_open(const Graph *from, Graph *to)
{
    size_t n = from->n_nodes + 1u;
    graph_expect(to, from);
    return (Rebuild){ .from = from,
                      .to = to,
                      .map = arena_alloc(to->arena, n * sizeof(Ref)),
                      .results = arena_alloc(to->arena, n * sizeof(Ref *)) };
}

void rebuild_params(const Rebuild *w)
{
    for (uint32_t i = 0; i < w->from->n_params; i++) {
        Ref p = w->from->params[i];
        w->map[p] = graph_copy_node(w->to, w->from, p, w->map);
    }
    w->to->param_names = graph_copy_names(w->to->arena, w->from);
}

Ref *rebuild_args(const Rebuild *w, const Node *n)
{
    Ref *args = graph_refs(w->to->arena, n->n_args);
    for (uint32_t i = 0; i < n->n_args; i++) args[i] = rebuild_arg(w, n, i);
    return args;
}

bool rebuild_copy(const Rebuild *w, Ref r, Ref *out)
{
    return build_results(w->to, graph_copy_node(w->to, w->from, r, w->map), graph_node(w->from, r)->n_results,
                         out);
}

static bool visit(const Rebuild *w, Ref r, RebuildNode *node, void *user)
{
    const Node *n = graph_node(w->from, r);
    uint32_t loc = w->to->loc;
    if (n->op == OP_RESULT) {
        w->map[r] = w->results[n->args[0]][n->attr[0]];
        return true;
    }
    if (n->n_results > 1) w->results[r] = arena_alloc(w->to->arena, n->n_results * sizeof(Ref));
    if (n->loc) w->to->loc = graph_copy_loc(w->to, w->from, n->loc);
    bool ok = node(user, r, n->n_results > 1 ? w->results[r] : &w->map[r]);
    w->to->loc = loc;
    return ok;
}

bool rebuild_nodes(const Rebuild *w, RebuildNode *node, void *user)
{
    const bool *reached = graph_reached(w->to->arena, w->from);
    for (Ref r = 0; r < w->from->n_nodes; r++)
        if (reached[r] && graph_node(w->from, r)->op != OP_PARAMETER && !visit(w, r, node, user))
            return false;
    return true;
}

bool rebuild_outputs(const Rebuild *w, Ref *out)
{
    bool whole = true;
    for (uint32_t i = 0; i < w->from->n_outputs; i++) {
        Ref r = w->from->outputs[i];
        out[i] = r == REF_NONE ? REF_NONE : w->map[r];
        whole = whole && out[i] != REF_NONE;
    }
    return whole;
}

Graph *rebuild_close(const Rebuild *w)
{
    Ref *outputs = graph_refs(w->to->arena, w->from->n_outputs);
    rebuild_outputs(w, outputs);
    graph_set_outputs(w->to, outputs, w->from->n_outputs);
    if (w->from->failure.code != WEFT_OK) w->to->failure = w->from->failure;
    return w->to;
}

static bool copy(void *user, Ref r, Ref *out)
{
    rebuild_copy(user, r, out);
    return true;
}

static bool bind_arguments(const Rebuild *w, const Ref *args)
{
    const Graph *callee = w->from;
    for (uint32_t i = 0; i < callee->n_params; i++) {
        if (args[i] == REF_NONE) return false;
        Type want = graph_type(callee, callee->params[i]), got = graph_type(w->to, args[i]);
        if (!type_equal(got, want))
            return fail(&w->to->failure, WEFT_ARGUMENT, "argument %u is %s, not %s", (unsigned)i,
                        TYPE_TEXT(got), TYPE_TEXT(want));
        w->map[callee->params[i]] = args[i];
    }
    return true;
}

bool graph_inline(Graph *g, const Graph *callee, const Ref *args, Ref *outputs)
{
    Rebuild w = rebuild_open(callee, g);
    for (uint32_t i = 0; i < callee->n_outputs; i++) outputs[i] = REF_NONE;
    return bind_arguments(&w, args) && rebuild_nodes(&w, copy, &w) && rebuild_outputs(&w, outputs);
}

bool rebuild_refuse(const Rebuild *w, Ref r, const char *doing, const char *how)
{
    const Node *n = graph_node(w->from, r);
    const char *at = n->loc ? w->from->locs[n->loc] : NULL;
    Failure *failure = &w->to->failure, f = { 0 };
    fail(&f, failure->code, "%s %s%s%s%s%s: %s", doing, op_info[n->op].name, at ? " (" : "", at ? at : "",
         at ? ")" : "", how, failure->text);
    *failure = f;
    return false;
}

RegionBuild region_begin(const Graph *around, const char *name, size_t n_args, size_t n_out)
{
    Arena *a = around->arena;
    return (RegionBuild){ graph_new(a, name), graph_refs(a, n_args), graph_refs(a, n_out), 0, 0 };
}

Ref region_take(RegionBuild *r, Type t, Ref arg)
{
    r->args[r->g->n_params] = arg;
    return build_param(r->g, t);
}

uint32_t region_count(RegionBuild *r)
{
    uint32_t before = r->n_counted;
    r->n_counted = r->g->n_params;
    return r->n_counted - before;
}

const Graph *region_end(const RegionBuild *r, Graph *around)
{
    if (r->g->failure.code != WEFT_OK) return fail_as(&around->failure, &r->g->failure), NULL;
    graph_set_outputs(r->g, r->out, r->n_out);
    return r->g;
}
