/* eager_region.c: reduce by any region: a left fold over the reduced axes in row-major order, for each result in turn.
 *
 * The region runs once per element, so it is made ready beforehand: memory for every value, one instruction per node with its operands bound.
 * Running it is then a loop of eager_op without allocation.
 */
#include "compiler/graph/infer.h"
#include "eager_parts.h"

typedef struct Instruction { NodeSpec spec; const Type *arg_types, *out_types; const void **args; void **outs; } Instruction;

/* Memory is the arena's. param[i] is where the region reads its parameter i; output[i] where it leaves its output i. */
typedef struct Ready { Arena arena; Instruction *code; uint32_t n_code; void **param, **output; } Ready;

static bool *needed_nodes(Arena *arena, const Graph *g)
{
    bool *needed = arena_alloc(arena, g->n_nodes);
    for (uint32_t k = 0; k < g->n_outputs; k++) needed[g->outputs[k]] = true;
    for (uint32_t i = g->n_nodes; i-- > 0; )
        for (uint32_t k = 0; needed[i] && k < g->nodes[i].n_args; k++) needed[g->nodes[i].args[k]] = true;
    return needed;
}

static Instruction make_instruction(Arena *arena, const Graph *g, Ref r, void **const *value)
{
    const Node *n = &g->nodes[r];
    Instruction in = { .spec = node_spec(n), .outs = value[r] };
    Type *types = arena_alloc(arena, n->n_args * sizeof(Type));
    in.args = arena_alloc(arena, n->n_args * sizeof(void *));
    for (uint32_t k = 0; k < n->n_args; k++) {
        types[k] = graph_type(g, n->args[k]);
        in.args[k] = value[n->args[k]][0];
    }
    Type type = node_type(n);
    in.arg_types = types;
    in.out_types = n->n_results > 1 ? n->results : arena_copy(arena, &type, sizeof type);
    return in;
}

/* value[r]: the memory of each of node r's results. RESULT nodes share that of the node they belong to. Constants run here, once. */
static void make_ready(Ready *ready, const Graph *g, const Allocator *allocator)
{
    Arena *arena = &ready->arena;
    bool *needed = needed_nodes(arena, g);
    void ***value = arena_alloc(arena, g->n_nodes * sizeof *value);
    ready->code = arena_alloc(arena, g->n_nodes * sizeof *ready->code);
    ready->param = arena_alloc(arena, g->n_params * sizeof(void *));
    ready->output = arena_alloc(arena, g->n_outputs * sizeof(void *));
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        const Node *n = &g->nodes[i];
        if (!needed[i] && n->op != OP_PARAMETER) continue;
        if (n->op == OP_RESULT) {
            value[i] = value[n->args[0]] + n->attr[0];
            continue;
        }
        value[i] = arena_alloc(arena, n->n_results * sizeof(void *));
        for (uint32_t k = 0; k < n->n_results; k++) value[i][k] = arena_alloc(arena, eager_bytes(node_result(n, k)));
        if (n->op == OP_PARAMETER) {
            ready->param[n->attr[0]] = value[i][0];
            continue;
        }
        Instruction in = make_instruction(arena, g, i, value);
        if (n->op == OP_CONSTANT) eager_op(&in.spec, in.arg_types, in.args, in.out_types, in.outs, allocator, NULL);
        else ready->code[ready->n_code++] = in;
    }
    for (uint32_t k = 0; k < g->n_outputs; k++) ready->output[k] = value[g->outputs[k]][0];
}

/* Steps through the positions of some axes in row-major order; offset is in elements. */
typedef struct Odometer { int rank; int64_t dim[WEFT_MAX_RANK], stride[WEFT_MAX_RANK], at[WEFT_MAX_RANK], offset; } Odometer;

static bool odometer_next(Odometer *o)
{
    for (int k = o->rank - 1; k >= 0; k--) {
        o->offset += o->stride[k];
        if (++o->at[k] < o->dim[k]) return true;
        o->offset -= o->stride[k] * o->dim[k];
        o->at[k] = 0;
    }
    return false;
}

/* The positions of the kept axes, and of the reduced ones. */
static void split_axes(const NodeSpec *spec, Type a, Odometer *kept, Odometer *reduced)
{
    int64_t stride = 1;
    bool gone[WEFT_MAX_RANK] = { false };
    for (uint32_t i = 0; i < spec->n_attr; i++) gone[spec->attr[i]] = true;
    for (int i = 0; i < a.rank; i++) {
        Odometer *o = gone[i] ? reduced : kept;
        o->dim[o->rank++] = a.dim[i];
    }
    for (int i = a.rank - 1, k = kept->rank, r = reduced->rank; i >= 0; stride *= a.dim[i--]) {
        if (gone[i]) reduced->stride[--r] = stride;
        else kept->stride[--k] = stride;
    }
}

typedef struct Fold { const Ready *ready; uint32_t n; const Type *types; const void *const *args; size_t bytes[INFER_MAX_RESULTS]; } Fold;

static bool run_region(const Ready *ready, const Allocator *allocator, Failure *f)
{
    for (uint32_t i = 0; i < ready->n_code; i++) {
        const Instruction *in = &ready->code[i];
        if (!eager_op(&in->spec, in->arg_types, in->args, in->out_types, in->outs, allocator, f)) return false;
    }
    return true;
}

/* One result: accumulators live in the region's first n parameters; outputs pass through a copy, for one may be another's parameter. */
static bool fold_one(const Fold *fold, int64_t base, Odometer reduced, bool empty, const Allocator *allocator, Failure *f)
{
    uint64_t next[INFER_MAX_RESULTS];
    const Ready *ready = fold->ready;
    for (uint32_t k = 0; k < fold->n; k++) memcpy(ready->param[k], fold->args[fold->n + k], fold->bytes[k]);
    if (empty) return true;
    do {
        for (uint32_t k = 0; k < fold->n; k++)
            memcpy(ready->param[fold->n + k], (const char *)fold->args[k] + (size_t)(base + reduced.offset) * fold->bytes[k], fold->bytes[k]);
        if (!run_region(ready, allocator, f)) return false;
        for (uint32_t k = 0; k < fold->n; k++) memcpy(&next[k], ready->output[k], fold->bytes[k]);
        for (uint32_t k = 0; k < fold->n; k++) memcpy(ready->param[k], &next[k], fold->bytes[k]);
    } while (odometer_next(&reduced));
    return true;
}

static bool fold_all(const NodeSpec *spec, const Ready *ready, const Type *arg_types, const void *const *args, Type out_type, void *const *outs,
                     const Allocator *allocator, Failure *f)
{
    Odometer kept = { .rank = 0 }, reduced = { .rank = 0 };
    split_axes(spec, arg_types[0], &kept, &reduced);
    Fold fold = { .ready = ready, .n = spec->n_args / 2, .types = arg_types, .args = args };
    for (uint32_t k = 0; k < fold.n; k++) fold.bytes[k] = dtype_bytes((DType)arg_types[k].dtype);
    bool empty = eager_count(arg_types[0]) == 0;
    size_t n = eager_count(out_type);
    for (size_t i = 0; i < n; i++) {
        if (!fold_one(&fold, kept.offset, reduced, empty, allocator, f)) return false;
        for (uint32_t k = 0; k < fold.n; k++) memcpy((char *)outs[k] + i * fold.bytes[k], ready->param[k], fold.bytes[k]);
        odometer_next(&kept);
    }
    return true;
}

bool eager_reduce_region(const NodeSpec *spec, const Type *arg_types, const void *const *args, const Type *out_types, void *const *outs,
                         const Allocator *allocator, Failure *f)
{
    Ready ready = { .n_code = 0 };
    Guard guard;
    arena_init(&ready.arena, allocator, &guard);
    if (setjmp(guard.env)) {
        arena_free(&ready.arena);
        return fail(f, WEFT_MEMORY, "out of memory");
    }
    make_ready(&ready, spec_region(spec, 0), allocator);
    bool ok = fold_all(spec, &ready, arg_types, args, out_types[0], outs, allocator, f);
    arena_free(&ready.arena);
    return ok;
}
