/* optim.c: optimizers (weft/optim.h): the parameters' leaves one by one, and the few numbers that all leaves
 * share.
 *
 * A leaf computes in its own type, but in f32 if that is f16 or bf16. The shared numbers (rate, corrections
 * of the moments' start at 0) are of rank 0 and made once for each type that occurs; a leaf multiplies by
 * them, so that it has no division but adam's own. Nothing is written back before all is computed: an error
 * changes nothing.
 */
#include "optim.h"
#include <float.h>
#include <math.h>
#include "runtime/tree/tree_whole.h"

/* ---- the optimizer ---- */

static double or_default(double v, double otherwise) { return v == 0 ? otherwise : v; }

static bool is_adam(const weft_optimizer *o) { return o->kind_ != WEFT_SGD_; }

static const char *name_of(const weft_optimizer *o)
{
    return o->kind_ == WEFT_SGD_ ? "weft_sgd" : o->kind_ == WEFT_ADAM_ ? "weft_adam" : "weft_adamw";
}

static bool in_range(const weft_optimizer *o, const char *field, double v, double limit)
{
    if (v >= 0 && v < limit) return true;
    if (isinf(limit))
        return op_fail(WEFT_ARGUMENT, "%s: .%s must be a number, not negative: it is %g", name_of(o), field,
                       v);
    return op_fail(WEFT_ARGUMENT, "%s: .%s must be at least 0 and less than %g: it is %g", name_of(o), field,
                   limit, v);
}

static bool not_taken(const weft_optimizer *o, const char *field, double v)
{
    return v == 0 || op_fail(WEFT_ARGUMENT, "%s does not take .%s", name_of(o), field);
}

static bool rate_good(const weft_optimizer *o)
{
    bool scheduled = o->schedule.kind_ != 0;
    int given = (o->rate != 0) + scheduled + (o->rate_array != NULL);
    if (given != 1)
        return op_fail(WEFT_ARGUMENT, "%s: %s of .rate, .schedule and .rate_array", name_of(o),
                       given ? "more than one" : "none");
    if (!isfinite(o->rate)) return op_fail(WEFT_ARGUMENT, "%s: .rate is %g", name_of(o), o->rate);
    if (scheduled) return schedule_check(&o->schedule, ".schedule: ");
    if (!o->rate_array) return true;
    if (!op_check(o->rate_array, ".rate_array")) return false;
    Type t = array_type(o->rate_array);
    return (t.rank == 0 && dtype_is_float((DType)t.dtype)) ||
           op_fail(WEFT_SHAPE, "%s: .rate_array must be one float of rank 0, not %s", name_of(o),
                   TYPE_TEXT(t));
}

static bool optimizer_good(const weft_optimizer *o)
{
    if (o->kind_ < WEFT_SGD_ || o->kind_ > WEFT_ADAMW_)
        return op_fail(WEFT_ARGUMENT,
                       "no optimizer: make one by weft_sgd(...), weft_adam(...) or weft_adamw(...)");
    bool good = in_range(o, "weight_decay", o->weight_decay, INFINITY) &&
                in_range(o, "clip_value", o->clip_value, INFINITY) &&
                in_range(o, "clip_norm", o->clip_norm, INFINITY);
    if (is_adam(o))
        good = good && in_range(o, "b1", o->b1, 1) && in_range(o, "b2", o->b2, 1) &&
               in_range(o, "eps", o->eps, INFINITY) && in_range(o, "eps_root", o->eps_root, INFINITY) &&
               not_taken(o, "momentum", o->momentum);
    else
        good = good && in_range(o, "momentum", o->momentum, 1) && not_taken(o, "b1", o->b1) &&
               not_taken(o, "b2", o->b2) && not_taken(o, "eps", o->eps) &&
               not_taken(o, "eps_root", o->eps_root) &&
               (!o->nesterov || o->momentum != 0 ||
                op_fail(WEFT_ARGUMENT, "weft_sgd: .nesterov needs .momentum"));
    return good && rate_good(o);
}

static bool uses_m(const weft_optimizer *o) { return is_adam(o) || o->momentum != 0; }
static bool uses_v(const weft_optimizer *o) { return is_adam(o); }

/* ---- leaves ---- */

static bool has_gradient(const weft_array *leaf) { return dtype_is_float(ops_dtype(leaf)); }
static DType computed_in(Type t) { return dtype_is_narrow_float((DType)t.dtype) ? WEFT_F32 : (DType)t.dtype; }

/* The numbers that leaves of one type share. */
typedef struct Shared {
    weft_array *rate, *m_scale, *g_scale, *v_scale, *clip;
} Shared;

typedef struct Update {
    const weft_optimizer *o;
    weft_array *step;    /* updates made before */
    weft_array *squares; /* of all gradients, their sum; NULL: not asked for */
    Shared shared[2];    /* of f32, of f64 */
    bool has[2];
} Update;

typedef struct LeafUpdate {
    weft_array *p, *m, *v;
} LeafUpdate;

static weft_array *scaled(weft_array *x, double by) { return ops_with(OP_MUL, x, by); }
static weft_array *times(weft_array *x, weft_array *by) { return x && by ? ops_binary(OP_MUL, x, by) : NULL; }
static weft_array *sum_of(weft_array *a, weft_array *b) { return a && b ? ops_binary(OP_ADD, a, b) : NULL; }

/* a x + b y */
static weft_array *blend(double a, weft_array *x, double b, weft_array *y)
{
    return sum_of(scaled(x, a), scaled(y, b));
}

/* 1 / (1 - b^t). By expm1: 1 - b^t itself would lose half of its digits for b near 1. */
static weft_array *correction(double b, weft_array *t)
{
    return ops_from(OP_DIV, -1, op_unary(OP_EXPM1, scaled(t, log(b))));
}

/* The factor that brings the norm of the gradients down to the limit: 1, or limit / norm. It has a
 * derivative at a norm of 0 too, where the root itself has none. */
static weft_array *clip_factor(const Update *u, DType t)
{
    weft_array *norm = op_unary(
        OP_SQRT, ops_with(OP_MAX, ops_convert(u->squares, t), t == WEFT_F64 ? DBL_MIN : (double)FLT_MIN));
    return ops_from(OP_DIV, u->o->clip_norm, ops_with(OP_MAX, norm, u->o->clip_norm));
}

static void share(const Update *u, DType t, Shared *s)
{
    const weft_optimizer *o = u->o;
    if (o->rate_array) s->rate = ops_convert(ops_in(o->rate_array), t);
    else if (o->schedule.kind_) s->rate = schedule_value(&o->schedule, u->step, t);
    else s->rate = op_number(t, o->rate);
    if (u->squares) s->clip = clip_factor(u, t);
    if (!is_adam(o)) return;
    double b1 = or_default(o->b1, 0.9);
    weft_array *now = ops_with(OP_ADD, ops_convert(u->step, t), 1);
    s->m_scale = correction(b1, o->nesterov ? ops_with(OP_ADD, now, 1) : now);
    if (o->nesterov) s->g_scale = correction(b1, now);
    s->v_scale = correction(or_default(o->b2, 0.999), now);
}

static const Shared *shared(Update *u, DType t)
{
    int k = t == WEFT_F64;
    if (!u->has[k]) share(u, t, &u->shared[k]);
    u->has[k] = true;
    return &u->shared[k];
}

static weft_array *sgd_direction(const weft_optimizer *o, weft_array *g, LeafUpdate *l)
{
    if (o->momentum == 0) return g;
    l->m = sum_of(scaled(l->m, o->momentum), g);
    return o->nesterov ? sum_of(scaled(l->m, o->momentum), g) : l->m;
}

static weft_array *adam_direction(const weft_optimizer *o, weft_array *g, const Shared *s, LeafUpdate *l)
{
    double b1 = or_default(o->b1, 0.9), b2 = or_default(o->b2, 0.999);
    l->m = blend(b1, l->m, 1 - b1, g);
    l->v = blend(b2, l->v, 1 - b2, op_unary(OP_SQUARE, g));
    weft_array *m = times(l->m, s->m_scale), *v = times(l->v, s->v_scale);
    if (o->nesterov) m = blend(b1, m, 1 - b1, times(g, s->g_scale));
    if (o->eps_root != 0) v = ops_with(OP_ADD, v, o->eps_root);
    v = ops_with(OP_ADD, op_unary(OP_SQRT, v), or_default(o->eps, 1e-8));
    return m && v ? ops_binary(OP_DIV, m, v) : NULL;
}

/* The gradient as computed with; elements clipped. */
static weft_array *gradient(const weft_optimizer *o, weft_array *g)
{
    g = ops_convert(g, computed_in(array_type(g)));
    return o->clip_value != 0 ? ops_with(OP_MIN, ops_with(OP_MAX, g, -o->clip_value), o->clip_value) : g;
}

/* l holds the moments of the leaf, and then their next values. False: an error is set. */
static bool update_leaf(Update *u, weft_array *p, weft_array *g, LeafUpdate *l)
{
    const weft_optimizer *o = u->o;
    DType own = ops_dtype(p), t = computed_in(array_type(p));
    const Shared *s = shared(u, t);
    weft_array *wide = ops_convert(p, t);
    g = ops_convert(gradient(o, g), t);
    if (s->clip) g = times(g, s->clip);
    weft_array *off = g && is_adam(o) ? adam_direction(o, g, s, l) : g ? sgd_direction(o, g, l) : NULL;
    double decay = o->kind_ == WEFT_ADAMW_ ? or_default(o->weight_decay, 1e-4) : o->weight_decay;
    if (decay != 0) off = sum_of(off, scaled(wide, decay));
    off = times(off, s->rate);
    l->p = off && wide ? ops_convert(ops_binary(OP_SUB, wide, off), own) : NULL;
    return l->p && l->m && l->v;
}

/* ---- norms of trees ---- */

static weft_array *leaf_squares(weft_array *x)
{
    AxisList all;
    if (!x || !ops_axes_ascending(NULL, array_type(x), &all)) return NULL;
    return ops_reduce(OP_ADD, op_unary(OP_SQUARE, x), &all, false);
}

/* The sum of the squares of the float leaves, their elements clipped as o says. NULL: an error is set. */
static weft_array *sum_of_squares(const weft_optimizer *o, const Flat *x)
{
    weft_array *sum = NULL;
    for (uint32_t i = 0; i < x->n_leaves; i++) {
        if (!has_gradient(x->leaf[i])) continue;
        weft_array *one = leaf_squares(gradient(o, x->leaf[i]));
        if (!one || !(sum = sum ? sum_of(sum, one) : one)) return NULL;
    }
    return sum ? sum : op_number(ops_real(), 0);
}

static bool leaves_good(TreeCall *c, const Flat *x, const char *of)
{
    for (uint32_t i = 0; i < x->n_leaves; i++)
        if (!tree_leaf_good(c, x, i, of)) return false;
    return true;
}

/* Ends the call. The error of an op inside is reported as it is. */
static weft_status finish(TreeCall *c, bool good)
{
    if (!good && c->l && c->failure.code == WEFT_OK && c->reported == WEFT_OK) c->reported = c->l->error;
    return tree_end(c);
}

weft_array *weft_global_norm_(weft_context *ctx, const weft_tree *tree, const void *structure, const char *at)
{
    TreeCall c;
    Flat *x = c.flat;
    OpsCall call;
    if (!tree_begin(&c, ctx, "weft_global_norm", at, tree, structure)) return tree_end(&c), NULL;
    weft_array *norm = NULL, *sum;
    if (tree_read(&c, x, structure) && leaves_good(&c, x, "")) {
        sum = ops_begin(&call, c.who, at, c.l->ctx, NULL, 0)
                  ? sum_of_squares(&(weft_optimizer){ .kind_ = 0 }, x)
                  : NULL;
        norm = ops_end(&call, sum ? op_unary(OP_SQRT, sum) : NULL);
    }
    finish(&c, norm);
    return norm;
}

/* ---- states ---- */

enum { STATE_STEP, STATE_M, STATE_V, STATE_FIELDS };

/* The description of the parameters: that of field m of the state's. NULL: this does not describe a state. */
static const weft_tree *params_tree(const weft_tree *state)
{
    if (!state || state->fields != STATE_FIELDS || state->field[STATE_STEP].kind != WEFT_FIELD_ARRAY)
        return NULL;
    const weft_field *m = &state->field[STATE_M], *v = &state->field[STATE_V];
    bool good = m->kind == WEFT_FIELD_TREE && v->kind == WEFT_FIELD_TREE && m->tree == v->tree && m->tree &&
                m->bytes == m->tree->bytes;
    return good ? m->tree : NULL;
}

static bool begin(TreeCall *c, weft_context *ctx, const char *who, const char *at, const weft_tree *state,
                  bool pointers)
{
    if (!tree_begin(c, ctx, who, at, state, pointers)) return false;
    c->tree = params_tree(state);
    return c->tree ||
           fail(&c->failure, WEFT_ARGUMENT, "the state's description was not made by WEFT_OPT_STATE");
}

/* ---- init ---- */

/* A moment's first value for a parameter, in the caller's scope. */
static weft_array *first_moment(OpsCall *call, const weft_array *p, bool used)
{
    Type t = array_type(p);
    bool full = used && has_gradient(p);
    return ops_keep(call,
                    ops_splat(has_gradient(p) ? computed_in(t) : WEFT_F32, t.dim, full ? t.rank : 0, 0));
}

/* All of the state as leaves and words. */
static bool first_state(OpsCall *call, const weft_optimizer *o, const Flat *params, Flat *s)
{
    weft_array *step = ops_keep(call, op_integer(WEFT_I32, 0));
    bool good = step && flat_leaf(s, step), used[2] = { uses_m(o), uses_v(o) };
    for (int k = 0; k < 2 && good; k++) {
        for (uint32_t i = 0; i < params->n_leaves && good; i++) {
            weft_array *a = first_moment(call, params->leaf[i], used[k]);
            good = a && flat_leaf(s, a);
        }
        good = good && flat_words(s, params->word, params->n_words);
    }
    return good || op_fail(WEFT_MEMORY, "out of memory");
}

weft_status weft_opt_init_(weft_context *ctx, weft_optimizer o, const weft_tree *state_tree,
                           const void *params, void *state, const char *at)
{
    TreeCall c;
    Flat *p = &c.flat[0], *s = &c.flat[1];
    OpsCall call;
    if (!begin(&c, ctx, "weft_opt_init", at, state_tree, params && state)) return tree_end(&c);
    bool good = tree_read(&c, p, params) && leaves_good(&c, p, "the parameters");
    if (good) {
        good = ops_begin(&call, c.who, at, c.l->ctx, NULL, 0) && optimizer_good(&o) &&
               first_state(&call, &o, p, s);
        ops_end(&call, NULL);
    }
    good = good && flat_write(s, state_tree, state, &c.room, &c.failure);
    if (!good) tree_clear(state_tree, state);
    return finish(&c, good);
}

/* ---- update ---- */

static bool leaf_fails(TreeCall *c, const Flat *p, uint32_t i, weft_status code, const char *what,
                       const weft_array *is, Type wanted)
{
    char path[TREE_PATH];
    tree_leaf_path(c->tree, p->word, p->n_words, i, path, sizeof path);
    return fail(&c->failure, code, "leaf %s: %s is %s, for a parameter %s it must be %s", path, what,
                TYPE_TEXT(array_type(is)), TYPE_TEXT(array_type(p->leaf[i])), TYPE_TEXT(wanted));
}

/* Is the moment what weft_opt_init made it? One that is not used may be anything. */
static bool moment_good(TreeCall *c, const Flat *p, uint32_t i, const char *what, const weft_array *m,
                        bool used)
{
    Type t = array_type(p->leaf[i]), is = array_type(m), wanted = { (uint8_t)computed_in(t), t.rank, t.dim };
    if (!used || type_equal(is, wanted)) return true;
    return leaf_fails(c, p, i, shape_equal(is, wanted) ? WEFT_DTYPE : WEFT_SHAPE, what, m, wanted);
}

static bool moments_good(TreeCall *c, const weft_optimizer *o, const Flat *p, const Flat *s)
{
    Type step = array_type(s->leaf[0]);
    if (step.rank || step.dtype != WEFT_I32)
        return fail(&c->failure, WEFT_SHAPE, "the state's step is %s, not i32 of rank 0", TYPE_TEXT(step));
    for (uint32_t i = 0; i < p->n_leaves; i++) {
        if (!has_gradient(p->leaf[i])) continue;
        if (!moment_good(c, p, i, "the state's m", s->leaf[1 + i], uses_m(o))) return false;
        if (!moment_good(c, p, i, "the state's v", s->leaf[1 + p->n_leaves + i], uses_v(o))) return false;
    }
    return true;
}

static bool grads_good(TreeCall *c, const Flat *p, const Flat *g)
{
    for (uint32_t i = 0; i < p->n_leaves; i++) {
        Type t = array_type(p->leaf[i]), is = array_type(g->leaf[i]);
        if (!has_gradient(p->leaf[i])) continue;
        if (!shape_equal(t, is)) return leaf_fails(c, p, i, WEFT_SHAPE, "the gradient", g->leaf[i], t);
        if (!dtype_is_float((DType)is.dtype))
            return leaf_fails(c, p, i, WEFT_DTYPE, "the gradient", g->leaf[i], t);
    }
    return true;
}

/* Is this half of the state structured as the parameters are? */
static bool state_alike(TreeCall *c, const Flat *p, const Flat *s, int half)
{
    TreeDifference d;
    uint32_t n = s->n_words / 2;
    if (!tree_difference(c->tree, p->word, p->n_words, s->word + (half ? n : 0), half ? s->n_words - n : n,
                         &d))
        return true;
    return fail(&c->failure, WEFT_TREE_MISMATCH,
                "the structures differ: %s is %s in the parameters but %s in the state, so %s", d.path, d.a,
                d.b, d.why);
}

/* New values of all leaves: params' into p, the state's into s. */
static bool compute(OpsCall *call, const weft_optimizer *o, Flat *p, const Flat *g, Flat *s)
{
    Update u = { .o = o, .step = s->leaf[0] };
    uint32_t n = p->n_leaves;
    if (o->clip_norm != 0 && !(u.squares = sum_of_squares(o, g))) return false;
    for (uint32_t i = 0; i < n; i++) {
        weft_array **m = &s->leaf[1 + i], **v = &s->leaf[1 + n + i];
        LeafUpdate l = { .m = *m, .v = *v };
        if (!has_gradient(p->leaf[i])) continue;
        if (!update_leaf(&u, p->leaf[i], g->leaf[i], &l)) return false;
        p->leaf[i] = ops_keep(call, l.p);
        if (uses_m(o)) *m = ops_keep(call, l.m);
        if (uses_v(o)) *v = ops_keep(call, l.v);
        if (!p->leaf[i] || !*m || !*v) return false;
    }
    weft_array *more = ops_compare_with(CMP_LT, u.step, INT32_MAX); /* the count stays at the greatest int */
    return (s->leaf[0] = ops_keep(call, sum_of(u.step, ops_convert(more, WEFT_I32)))) != NULL;
}

static bool read_all(TreeCall *c, const weft_tree *state_tree, const void *params, const void *grads,
                     const void *state, Flat *p, Flat *g, Flat *s)
{
    const weft_tree *tree = c->tree;
    bool good = tree_read(c, p, params) && tree_read(c, g, grads) &&
                tree_same(c, p, "the parameters", g, "the gradients") &&
                flat_read(s, state_tree, state, &c->failure) && leaves_good(c, p, "the parameters") &&
                leaves_good(c, g, "the gradients");
    c->tree = state_tree;
    good = good && leaves_good(c, s, "the state");
    c->tree = tree;
    return good && state_alike(c, p, s, 0) && state_alike(c, p, s, 1) && grads_good(c, p, g);
}

weft_status weft_opt_update_(weft_context *ctx, weft_optimizer o, const weft_tree *state_tree, void *params,
                             const void *grads, void *state, const char *at)
{
    TreeCall c;
    Flat *p = &c.flat[0], *g = &c.flat[1], *s = &c.flat[2];
    OpsCall call;
    if (!begin(&c, ctx, "weft_opt_update", at, state_tree, params && grads && state)) return tree_end(&c);
    Memory *memory = &c.l->ctx->memory;
    bool good = read_all(&c, state_tree, params, grads, state, p, g, s);
    if (good) {
        good = ops_begin(&call, c.who, at, c.l->ctx, NULL, 0) && optimizer_good(&o) &&
               moments_good(&c, &o, p, s) && compute(&call, &o, p, g, s);
        ops_end(&call, NULL);
    }
    if (good) tree_put(c.tree, memory, params, p->leaf);
    if (good) tree_put(state_tree, memory, state, s->leaf);
    return finish(&c, good);
}
