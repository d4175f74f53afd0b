/* eager_region.c: see eager_region.h. Values that are dead lend their memory to later ones of the same size,
 * so a long body holds little at once. */
#include "eager_region.h"
#include <setjmp.h>

/* A region while it is made. last[r]: the last node that reads a result of node r. value[r]: the memory of
 * each result; a RESULT node shares that of its node. */
typedef struct RegionMaker {
    EagerRegion *region;
    const Graph *g;
    bool *needed;
    uint32_t *last;
    void ***value;
    struct Spare {
        void *memory;
        size_t bytes;
    } *spare;
    uint32_t n_spare;
} RegionMaker;

static bool is_lanewise(const Graph *g, const bool *needed)
{
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        const Node *n = &g->nodes[i];
        if (n->op == OP_PARAMETER ? n->rank != 0
                                  : needed[i] && (n->rank || (n->op != OP_CONSTANT && !op_is_ew((Op)n->op))))
            return false;
    }
    return true;
}

/* The node that makes the value: a RESULT node only names one of several results. */
static uint32_t producer(const Graph *g, Ref r)
{
    return g->nodes[r].op == OP_RESULT ? g->nodes[r].args[0] : r;
}

static void mark_needed(RegionMaker *m)
{
    const Graph *g = m->g;
    for (uint32_t k = 0; k < g->n_outputs; k++) {
        m->needed[g->outputs[k]] = true;
        m->last[producer(g, g->outputs[k])] = g->n_nodes;
    }
    for (uint32_t i = g->n_nodes; i-- > 0;)
        for (uint32_t k = 0; m->needed[i] && k < g->nodes[i].n_args; k++) {
            Ref a = g->nodes[i].args[k], p = producer(g, a);
            m->needed[a] = true;
            if (!m->last[p]) m->last[p] = i;
        }
}

static Type lane_type(EagerRegion *region, Type t)
{
    return region->lanes > 1 ? (Type){ t.dtype, 1, &region->n } : t;
}

static size_t value_bytes(const EagerRegion *region, Type t)
{
    return region->lanes > 1 ? (size_t)region->lanes * dtype_bytes((DType)t.dtype) : eager_bytes(t);
}

static void *take_value(RegionMaker *m, size_t bytes)
{
    for (uint32_t i = m->n_spare; i-- > 0;) {
        if (m->spare[i].bytes != bytes) continue;
        void *memory = m->spare[i].memory;
        m->spare[i] = m->spare[--m->n_spare];
        return memory;
    }
    return arena_alloc(&m->region->arena, bytes);
}

/* Memory that node i was the last to read is free again, unless it holds an output, a parameter or a
 * constant. */
static void spare_dead(RegionMaker *m, Ref i)
{
    const Node *n = &m->g->nodes[i];
    for (uint32_t k = 0; k < n->n_args; k++) {
        Ref p = producer(m->g, n->args[k]);
        const Node *dead = &m->g->nodes[p];
        if (m->last[p] != i || dead->op == OP_PARAMETER || dead->op == OP_CONSTANT) continue;
        m->last[p] = UINT32_MAX;
        for (uint32_t j = 0; j < dead->n_results; j++)
            m->spare[m->n_spare++] =
                (struct Spare){ m->value[p][j], value_bytes(m->region, node_result(dead, j)) };
    }
}

static ElementLoop *loop_of(const Node *n, DType t)
{
    if (n->op == OP_CONVERT) return kernel_convert(t, (DType)n->dtype);
    return kernel_of((Op)n->op, n->op == OP_SELECT ? (DType)n->dtype : t, n->attr);
}

/* A loop in a region that runs often is made ready once. */
static bool make_loop(RegionMaker *m, Instruction *in)
{
    EagerRegion *region = m->region;
    uint32_t n_invariant = (uint32_t)in->call.spec->attr[0];
    EagerLoop *loop = arena_alloc(&region->arena, sizeof *loop);
    if (!loop_open(loop, &in->call, n_invariant, in->call.spec->n_args - n_invariant)) return false;
    loop->next = region->loops;
    region->loops = in->loop = loop;
    return true;
}

static Instruction make_instruction(RegionMaker *m, Ref r)
{
    EagerRegion *region = m->region;
    Arena *arena = &region->arena;
    const Graph *g = m->g;
    const Node *n = &g->nodes[r];
    NodeSpec spec = node_spec(n);
    Type *arg_types = arena_alloc(arena, (n->n_args + 1) * sizeof(Type)),
         *out_types = arena_alloc(arena, n->n_results * sizeof(Type));
    const void **args = arena_alloc(arena, (n->n_args + 3) * sizeof(void *));
    bool scalars = n->rank == 0;
    for (uint32_t k = 0; k < n->n_args; k++) {
        arg_types[k] = lane_type(region, graph_type(g, n->args[k]));
        args[k] = m->value[n->args[k]][0];
        scalars &= graph_node(g, n->args[k])->rank == 0;
    }
    for (uint32_t k = 0; k < n->n_results; k++) out_types[k] = lane_type(region, node_result(n, k));
    ElementLoop *kernel = scalars && n->n_args ? loop_of(n, (DType)graph_type(g, n->args[0]).dtype) : NULL;
    return (Instruction){ .kernel = kernel,
                          .call = { arena_copy(arena, &spec, sizeof spec), arg_types, out_types, args,
                                    m->value[r], region->allocator, region->failure } };
}

static bool make_node(RegionMaker *m, Ref i, void *const *fixed)
{
    EagerRegion *region = m->region;
    const Node *n = &m->g->nodes[i];
    if (n->op == OP_RESULT) {
        m->value[i] = m->value[n->args[0]] + n->attr[0];
        return true;
    }
    m->value[i] = arena_alloc(&region->arena, n->n_results * sizeof(void *));
    if (n->op == OP_PARAMETER && fixed && fixed[n->attr[0]]) m->value[i][0] = fixed[n->attr[0]];
    else
        for (uint32_t k = 0; k < n->n_results; k++) {
            size_t bytes = value_bytes(region, node_result(n, k));
            m->value[i][k] = n->op == OP_PARAMETER || n->op == OP_CONSTANT
                                 ? arena_alloc(&region->arena, bytes)
                                 : take_value(m, bytes);
        }
    if (n->op == OP_PARAMETER) {
        region->param[n->attr[0]] = m->value[i][0];
        return true;
    }
    Instruction in = make_instruction(m, i);
    if (n->op == OP_WHILE && !make_loop(m, &in)) return false;
    if (n->op != OP_CONSTANT) region->code[region->n_code++] = in;
    else if (region->lanes > 1)
        eager_fill(dtype_bytes((DType)n->dtype), (size_t)region->lanes, n->data, in.call.outs[0]);
    else return eager_here(&in.call);
    return true;
}

/* An output that is a parameter gets memory of its own: what is fed back into parameters must not change on
 * the way. */
static void make_output(RegionMaker *m, uint32_t k)
{
    EagerRegion *region = m->region;
    Ref r = m->g->outputs[k];
    const Node *n = &m->g->nodes[r];
    region->output[k] = m->value[r][0];
    if (n->op != OP_PARAMETER) return;
    Type type = lane_type(region, node_type(n));
    const NodeSpec spec = { .op = OP_RESHAPE, .n_args = 1 };
    const Type *types = arena_copy(&region->arena, &type, sizeof type);
    void *to = arena_alloc(&region->arena, value_bytes(region, node_type(n)));
    region->code[region->n_code++] =
        (Instruction){ .call = { arena_copy(&region->arena, &spec, sizeof spec), types, types,
                                 arena_copy(&region->arena, &m->value[r][0], sizeof(void *)),
                                 arena_copy(&region->arena, &to, sizeof to), region->allocator,
                                 region->failure } };
    region->output[k] = to;
}

static bool make_region(EagerRegion *region, const Graph *g, void *const *fixed, bool wide)
{
    Arena *arena = &region->arena;
    RegionMaker m = { .region = region,
                      .g = g,
                      .needed = arena_alloc(arena, g->n_nodes),
                      .last = arena_alloc(arena, g->n_nodes * sizeof *m.last),
                      .value = arena_alloc(arena, g->n_nodes * sizeof *m.value) };
    uint32_t n_values = 0;
    for (uint32_t i = 0; i < g->n_nodes; i++) n_values += g->nodes[i].n_results;
    m.spare = arena_alloc(arena, n_values * sizeof *m.spare);
    mark_needed(&m);
    region->lanes = wide && !fixed && is_lanewise(g, m.needed) ? REGION_LANES : 1;
    region->code = arena_alloc(arena, (g->n_nodes + g->n_outputs) * sizeof *region->code);
    region->param = arena_alloc(arena, g->n_params * sizeof(void *));
    region->output = arena_alloc(arena, g->n_outputs * sizeof(void *));
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        if (!m.needed[i] && g->nodes[i].op != OP_PARAMETER) continue;
        if (!make_node(&m, i, fixed)) return false;
        spare_dead(&m, i);
    }
    for (uint32_t k = 0; k < g->n_outputs; k++) make_output(&m, k);
    return true;
}

bool region_open(EagerRegion *region, const Graph *g, void *const *fixed, bool wide,
                 const Allocator *allocator, Failure *f)
{
    Guard guard;
    *region = (EagerRegion){ .allocator = allocator, .failure = f };
    arena_init(&region->arena, allocator, &guard);
    if (setjmp(guard.env)) {
        region_close(region);
        return fail(f, WEFT_MEMORY, "out of memory");
    }
    bool ok = make_region(region, g, fixed, wide);
    if (!ok) region_close(region);
    return ok;
}

bool region_run(EagerRegion *region, int64_t n)
{
    region->n = n;
    for (uint32_t i = 0; i < region->n_code; i++) {
        const Instruction *in = &region->code[i];
        const EagerCall *c = &in->call;
        if (in->kernel) in->kernel((size_t)n, c->args[0], c->args[1], c->args[2], c->outs[0]);
        else if (!(in->loop ? loop_while(in->loop) : eager_here(c))) return false;
    }
    return true;
}

void region_feed(const EagerRegion *region, uint32_t first, uint32_t n, const size_t *bytes)
{
    for (uint32_t k = 0; k < n; k++) eager_copy_bytes(region->param[first + k], region->output[k], bytes[k]);
}

void region_close(EagerRegion *region)
{
    for (EagerLoop *loop = region->loops; loop; loop = loop->next) loop_close(loop);
    region->loops = NULL;
    arena_free(&region->arena);
}
