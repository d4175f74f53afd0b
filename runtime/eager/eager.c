/* eager.c: one op at once: which file does it. */
#include "compiler/graph/foreign_op.h"
#include "eager.h"
#include "runtime/library/checks.h"
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

static bool eager_barrier(const EagerCall *c)
{
    for (uint32_t i = 0; i < c->spec->n_args; i++)
        eager_copy_bytes(c->outs[i], c->args[i], eager_bytes(c->arg_types[i]));
    return true;
}

/* Not inlined: other ops need no room for the words. */
__attribute__((noinline)) static bool run_complaining(const EagerCall *c, const ForeignOp *f)
{
    char words[CHECK_WORDS];
    Failure *outer = run_failure, why;
    why.code = WEFT_OK;
    run_failure = &why;
    check_complaint.numbers = NULL;
    f->call(f, c->spec->attr + 2, c->args, c->outs);
    run_failure = outer;
    if (why.code) return fail(c->failure, why.code, "%s", why.text);
    return !check_complaint.numbers || fail(c->failure, WEFT_ARGUMENT, "%s", check_words(words));
}

static bool eager_foreign(const EagerCall *c)
{
    const ForeignOp *f = foreign_op(c->spec->attr);
    if (f->complains) return run_complaining(c, f);
    f->call(f, c->spec->attr + 2, c->args, c->outs);
    return true;
}

/* What has rules of the user's is its region 0. */
static bool run_region(const EagerCall *c)
{
    return eager_graph(spec_region(c->spec, 0), c->args, c->outs, c->allocator, c->failure);
}

/* Is there nothing to compute? All results have one shape, except those of control flow, of factorizations
 * and of the user's functions, which are always run. */
static bool gives_nothing(const EagerCall *c)
{
    OpKind kind = op_kind(c->spec->op);
    return kind != OPKIND_CONTROL && kind != OPKIND_OTHER && kind != OPKIND_MATRIX &&
           eager_count(c->out_types[0]) == 0;
}

/* Never run as an op: projections are the graph's affair, and inline_rules refuses a BACKWARD. */
#define eager_result              NULL
#define eager_backward            NULL
#define eager_fft                 NULL /* eager_planes */
#define eager_cholesky            eager_matrix
#define eager_triangular_solve    eager_matrix
#define eager_lu                  eager_matrix
#define eager_qr                  eager_matrix
#define eager_geqrf               eager_matrix
#define eager_householder_product eager_matrix
#define eager_gehrd               eager_matrix
#define eager_eigh                eager_matrix
#define eager_eig                 eager_matrix
#define eager_schur               eager_matrix
#define eager_svd                 eager_matrix
#define eager_custom_jvp          run_region
#define eager_custom_vjp          run_region
#define eager_custom_vmap         run_region
#define eager_checkpoint          run_region

static EagerRule *const rules[OP_COUNT] = {
#define EW(NAME, ...)                         [OP_##NAME] = eager_ew,
#define OP(NAME, text, args, kind, rule, ...) [OP_##NAME] = eager_##rule,
#include "compiler/graph/ops.def"
};

bool eager_here(const EagerCall *c)
{
    if (gives_nothing(c)) return true;
    return eager_is_complex(c) ? eager_planes(c) : rules[c->spec->op](c);
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
