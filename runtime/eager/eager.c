/* eager.c: one op at once: which file does it. */
#include <assert.h>
#include "compiler/graph/foreign_op.h"
#include "eager.h"
#include "runtime/memory/stack.h"

void *eager_take(const Allocator *allocator, size_t bytes, Failure *f)
{
    void *p = allocator->resize(allocator->user, NULL, 0, bytes ? bytes : 1);
    if (!p) fail(f, WEFT_MEMORY, "out of memory (%zu bytes)", bytes);
    return p;
}

void eager_drop(const Allocator *allocator, void *p, size_t bytes)
{
    if (p) allocator->resize(allocator->user, p, bytes ? bytes : 1, 0);
}

static bool barrier(const EagerCall *c)
{
    for (uint32_t i = 0; i < c->spec->n_args; i++)
        eager_copy_bytes(c->outs[i], c->args[i], eager_bytes(c->arg_types[i]));
    return true;
}

static bool call_foreign(const EagerCall *c)
{
    const ForeignOp *f = foreign_op(c->spec->attr);
    f->call(f, c->spec->attr + 2, c->args, c->outs);
    return true;
}

/* What has rules of the user's is its region 0. */
static bool run_region(const EagerCall *c)
{
    return eager_graph(spec_region(c->spec, 0), c->args, c->outs, c->allocator, c->failure);
}

/* Is there nothing to compute? All results have one shape, except those of control flow and of the user's
 * functions, which are always run. */
static bool gives_nothing(const EagerCall *c)
{
    OpKind kind = op_kind(c->spec->op);
    return kind != OPKIND_CONTROL && kind != OPKIND_OTHER && eager_count(c->out_types[0]) == 0;
}

/* The cases of the elementwise ops, from the table of ops. The switch has no default, so that the compiler
 * names each op of another kind that has no case. */
#define EW(NAME, ...) case OP_##NAME:
#define OP(NAME, ...)

bool eager_here(const EagerCall *c)
{
    if (gives_nothing(c)) return true;
    switch (c->spec->op) {
#include "compiler/graph/ops.def"
        return eager_ew(c);
    case OP_PARAMETER:
    case OP_RESULT:
    case OP_BACKWARD:
    case OP_COUNT:                assert(0 && "it is no op to run"); return true;
    case OP_CONSTANT:             return eager_constant(c);
    case OP_IOTA:                 return eager_iota(c);
    case OP_BROADCAST:            return eager_broadcast(c);
    case OP_RESHAPE:              return eager_reshape(c);
    case OP_TRANSPOSE:            return eager_transpose(c);
    case OP_SLICE:                return eager_slice(c);
    case OP_REVERSE:              return eager_reverse(c);
    case OP_PAD:                  return eager_pad(c);
    case OP_CONCATENATE:          return eager_concatenate(c);
    case OP_REDUCE:               return eager_reduce(c);
    case OP_ARGMAX:
    case OP_ARGMIN:               return eager_arg_reduce(c);
    case OP_REDUCE_REGION:        return eager_reduce_region(c);
    case OP_DOT:                  return eager_dot(c);
    case OP_GATHER:               return eager_gather(c);
    case OP_SCATTER:              return eager_scatter(c);
    case OP_DYNAMIC_SLICE:        return eager_dynamic_slice(c);
    case OP_DYNAMIC_UPDATE_SLICE: return eager_dynamic_update_slice(c);
    case OP_REDUCE_WINDOW:        return eager_reduce_window(c);
    case OP_SELECT_AND_SCATTER:   return eager_select_and_scatter(c);
    case OP_CUMULATIVE:           return eager_cumulative(c);
    case OP_SORT:                 return eager_sort(c);
    case OP_MAP:                  return eager_map(c);
    case OP_WHILE:                return eager_while(c);
    case OP_CASE:                 return eager_case(c);
    case OP_SCAN:                 return eager_scan(c);
    case OP_CUSTOM_JVP:
    case OP_CUSTOM_VJP:
    case OP_CUSTOM_VMAP:
    case OP_CHECKPOINT:           return run_region(c);
    case OP_RNG_BITS:             return eager_rng_bits(c);
    case OP_FOREIGN:              return call_foreign(c);
    case OP_BARRIER:              return barrier(c);
    }
    return true;
}

typedef struct EagerJob {
    const EagerCall *call;
    bool done;
} EagerJob;

static void do_job(void *user)
{
    EagerJob *j = user;
    j->done = eager_here(j->call);
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
    EagerCall call = { spec, arg_types, out_types, args, outs, allocator, f };
    if (stack_has(STACK_EAGER) || belongs_here(spec->op)) return eager_here(&call);
    EagerJob job = { &call, false };
    if (!stack_call(STACK_EAGER, do_job, &job)) return fail(f, WEFT_MEMORY, STACK_NONE, STACK_EAGER >> 10);
    return job.done;
}
