/* eager.c: one op at once: which file does it. */
#include "compiler/graph/foreign_op.h"
#include "eager_parts.h"
#include "runtime/memory/stack.h"

void *eager_take(const Allocator *allocator, size_t bytes)
{
    return allocator->resize(allocator->user, NULL, 0, bytes ? bytes : 1);
}

void eager_drop(const Allocator *allocator, void *p, size_t bytes)
{
    if (p) allocator->resize(allocator->user, p, bytes ? bytes : 1, 0);
}

bool eager_out_of_memory(Failure *f, size_t bytes)
{
    return fail(f, WEFT_MEMORY, "out of memory (%zu bytes)", bytes);
}

static void barrier(uint32_t n, const Type *types, const void *const *args, void *const *outs)
{
    for (uint32_t i = 0; i < n; i++) eager_copy_bytes(outs[i], args[i], eager_bytes(types[i]));
}

/* Results without elements, which are of one shape but where control flow or a function of the user's gives
 * them. */
static bool gives_nothing(const NodeSpec *spec, const Type *out_types)
{
    OpKind kind = op_kind(spec->op);
    return kind != OPKIND_CONTROL && kind != OPKIND_OTHER && eager_count(out_types[0]) == 0;
}

bool eager_here(const NodeSpec *spec, const Type *arg_types, const void *const *args, const Type *out_types,
                void *const *outs, const Allocator *allocator, Failure *f)
{
    if (gives_nothing(spec, out_types)) return true;
    switch (spec->op) {
    case OP_REDUCE:        return eager_reduce(spec, arg_types, args, out_types[0], outs[0], allocator, f);
    case OP_ARGMAX:
    case OP_ARGMIN:        return eager_arg_reduce(spec, arg_types, args, out_types[0], outs[0], allocator, f);
    case OP_REDUCE_REGION: return eager_reduce_region(spec, arg_types, args, out_types, outs, allocator, f);
    case OP_DOT:           return eager_dot(spec, arg_types, args, out_types[0], outs[0], allocator, f);
    case OP_REDUCE_WINDOW: return eager_reduce_window(spec, arg_types, args, out_types, outs, allocator, f);
    case OP_SELECT_AND_SCATTER:
        return eager_select_and_scatter(spec, arg_types, args, out_types, outs, allocator, f);
    case OP_SCATTER:     return eager_scatter(spec, arg_types, args, out_types, outs, allocator, f);
    case OP_SORT:        return eager_sort(spec, arg_types, args, out_types, outs, allocator, f);
    case OP_MAP:         return eager_map(spec, arg_types, args, out_types, outs, allocator, f);
    case OP_WHILE:       return eager_while(spec, arg_types, args, out_types, outs, allocator, f);
    case OP_CASE:        return eager_case(spec, arg_types, args, out_types, outs, allocator, f);
    case OP_SCAN:        return eager_scan(spec, arg_types, args, out_types, outs, allocator, f);
    case OP_CUSTOM_JVP:
    case OP_CUSTOM_VJP:
    case OP_CUSTOM_VMAP:
    case OP_CHECKPOINT:  return eager_graph(spec_region(spec, 0), args, outs, allocator, f);
    case OP_FOREIGN:
        foreign_op(spec->attr)->call(foreign_op(spec->attr), spec->attr + 2, args, outs);
        return true;
    case OP_BARRIER:              barrier(spec->n_args, arg_types, args, outs); return true;
    case OP_CUMULATIVE:           return eager_cumulative(spec, arg_types[0], args[0], outs[0], allocator, f);
    case OP_DYNAMIC_SLICE:        eager_dynamic_slice(arg_types, args, out_types[0], outs[0]); return true;
    case OP_DYNAMIC_UPDATE_SLICE: eager_dynamic_update_slice(arg_types, args, outs[0]); return true;
    case OP_RNG_BITS:             eager_rng_bits(spec, args[0], out_types, outs); return true;
    case OP_GATHER:               eager_gather(spec, arg_types, args, out_types[0], outs[0]); return true;
    default:                      break;
    }
    if (op_is_ew(spec->op)) eager_ew(spec, arg_types, args, out_types[0], outs[0]);
    else eager_shape(spec, arg_types, args, out_types[0], outs[0]);
    return true;
}

typedef struct Job {
    const NodeSpec *spec;
    const Type *arg_types, *out_types;
    const void *const *args;
    void *const *outs;
    const Allocator *allocator;
    Failure *failure;
    bool done;
} Job;

static void do_job(void *user)
{
    Job *j = user;
    j->done = eager_here(j->spec, j->arg_types, j->args, j->out_types, j->outs, j->allocator, j->failure);
}

/* A foreign function expects the thread that it was called on, and so it runs there, as does a graph of
 * ops. */
static bool belongs_here(Op op)
{
    return op == OP_FOREIGN || op == OP_CASE || op == OP_CUSTOM_JVP || op == OP_CUSTOM_VJP ||
           op == OP_CUSTOM_VMAP || op == OP_CHECKPOINT;
}

bool eager_op(const NodeSpec *spec, const Type *arg_types, const void *const *args, const Type *out_types,
              void *const *outs, const Allocator *allocator, Failure *f)
{
    Job job = { spec, arg_types, out_types, args, outs, allocator, f, false };
    if (stack_has(STACK_EAGER) || belongs_here(spec->op)) do_job(&job);
    else if (!stack_call(STACK_EAGER, do_job, &job))
        return fail(f, WEFT_MEMORY, STACK_NONE, STACK_EAGER >> 10);
    return job.done;
}
