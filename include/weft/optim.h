/* weft/optim.h: optimizers and schedules: from parameters and gradients to the next parameters. Trees in and
 * out.
 *
 *     typedef struct { weft_array *w, *b; } net;
 *     WEFT_STRUCT(net, WEFT_ARRAY(net, w), WEFT_ARRAY(net, b));
 *     WEFT_OPT_STATE(net_state, net);                                 what an optimizer remembers of a net:
 *                                                                     a described struct as well
 *
 *     WEFT_SIGNATURE(step_fn, weft_array *, (net *m, net_state *s, weft_array *x, weft_array *y));
 *     static weft_array *step(net *m, net_state *s, weft_array *x, weft_array *y)
 *     {
 *         net g;
 *         weft_array *value = loss_and_gradient(m, x, y, &g);
 *         weft_opt_update(NULL, weft_adam(.rate = 1e-3), net_state, m, &g, s);
 *         return value;
 *     }
 *     ...
 *     weft_describe(ctx, net_state);                                  net too
 *     net_state s;
 *     weft_opt_init(ctx, weft_adam(.rate = 1e-3), net_state, &m, &s);
 *     value = weft_jit(ctx, step)(&m, &s, x, y);
 *
 * An optimizer is a plain value, a list of C numbers: they are static, as all C numbers are. What changes
 * from step to step is the count of updates in the state, so schedules need no new compile; a rate that is
 * data is .rate_array.
 * Updates are made of weft's ops: they run at once or are traced, in weft_jit, weft_scan (the state is a
 * carry), weft_cond, weft_vmap (an ensemble: models and states with leading axes, made by weft_opt_init under
 * weft_vmap too, or by weft_stack), and can be differentiated. Compiled, all that happens to one leaf is one
 * pass over its memory (.clip_norm: one more, which reads).
 *
 * Formulas are optax's. t counts from 1; g is the gradient after clipping; r is the rate; all numbers are of
 * the parameter's type, but f32 where that is f16 or bf16: moments are kept in f32 then, and the parameter is
 * rounded once. Leaves of integer and bool type are left alone.
 *     sgd     p - r g
 *             with .momentum: m = momentum m + g;  p - r m;  with .nesterov: p - r (momentum m + g)
 *     adam    m = b1 m + (1 - b1) g;  v = b2 v + (1 - b2) g^2;
 *             p - r (m / (1 - b1^t)) / (sqrt(v / (1 - b2^t) + eps_root) + eps)
 *             with .nesterov: b1 m / (1 - b1^(t+1)) + (1 - b1) g / (1 - b1^t) instead of m / (1 - b1^t)
 *     all     with .weight_decay: r weight_decay p is subtracted too, apart from the moments: adamw
 *
 * MEMORY. Updates change the structs given, as in-outs do: their pointers to arrays are replaced, the old
 * arrays stay with their owners. So a loop that must not grow works on copies in a scope, and keeps what came
 * out, as everywhere (weft/array.h):
 *     weft_scope *scope = weft_scope_open(ctx);
 *     net next = m; net_state next_s = s;                             (structs with lists or pointers:
 *     fast(&next, &next_s, x, y);                                     weft_copy_tree(ctx, net, &m, &next))
 *     weft_assign(&net_tree, &m, &next);  weft_assign(&net_state_tree, &s, &next_s);
 *     weft_scope_close(scope);
 */
#ifndef WEFT_OPTIM_H
#define WEFT_OPTIM_H
#include "weft/ops.h"
#include "weft/tree.h"
#ifdef __cplusplus
extern "C" {
#endif

/* ---- schedules: a rate as a function of the number of updates made before: 0 in the first ----
 *   weft_schedule_constant(.rate = 0.1)
 *        the rate, always
 *   weft_schedule_linear(.rate = 0.1, .end = 0.01, .steps = 1000)
 *        from rate to end; .begin: stays at rate for so many steps first
 *   weft_schedule_exponential(.rate = 0.1, .decay = 0.5, .steps = 1000)
 *        rate * decay^(step / steps); .staircase: whole powers; .begin as above; .end: not beyond it, unless
 *        it is 0
 *   weft_schedule_cosine(.rate = 0.1, .steps = 1000)
 *        half a cosine from rate down to .end (0). .warmup = 100: the first so many of the steps go in a line
 *        from .start (0) up to rate. .exponent of the cosine (1)
 *   weft_schedule_piecewise(.rate = 0.1, .n = 2, .at = at, .scale = scale)
 *        from step at[i] on (ascending) times scale[i]; the two lists are borrowed
 *   weft_schedule_own(f)
 *        your own: f(step) is the rate, of ops; step is an i32 of rank 0
 * A field that a kind does not have is an error, and so is no .rate (nor .end, of linear and cosine).
 * In C++17: weft_schedule_cosine(weft::schedule().rate(0.1).steps(1000)). */
typedef struct weft_schedule {
    int kind_;
    double rate, start, end, decay, exponent;
    int64_t steps, warmup, begin;
    bool staircase;
    int n; const int64_t *at; const double *scale;
    weft_array *(*own_)(weft_array *step);
} weft_schedule;

/* The rate at a step, or at each of an int array's: f32 (weft_options.real), step's shape. */
weft_array *weft_schedule_at_(weft_context *, weft_schedule, weft_operand step, const char *at);
#define weft_schedule_at(ctx, schedule, step) \
    weft_schedule_at_(WEFT_A_CONTEXT_(ctx), (schedule), WEFT_ARG_(step), WEFT_HERE)

/* ---- optimizers: weft_sgd(.rate = 0.1, .momentum = 0.9), weft_adam(.rate = 1e-3), weft_adamw(.rate = 1e-3,
 * .weight_decay = 0.01) ----
 * Zero stands for each field's default; a true zero where the default is another number is 1e-300. One of
 * rate, schedule, rate_array is needed. In C++17: weft_adam(weft::optimizer().rate(1e-3).b2(0.99)). */
typedef struct weft_optimizer {
    int kind_;
    double rate;
    weft_schedule schedule;
    /* borrowed: one float, rank 0, traced or not; may be vmapped: one rate for each model */
    const weft_array *rate_array;
    double momentum; bool nesterov;     /* sgd: 0; nesterov is adam's too */
    double b1, b2, eps, eps_root;       /* adam: 0.9, 0.999, 1e-8, 0 */
    double weight_decay;                /* 0; adamw: 1e-4 */
    double clip_value;                  /* each element of the gradient to at most this size; 0: not */
    double clip_norm;                   /* then all of it to at most this norm (weft_global_norm); 0: not */
} weft_optimizer;

/* What an optimizer remembers of a T: name is a described struct of this content. T: described before. */
#define WEFT_OPT_STATE(name, T) \
    typedef struct name { \
        weft_array *step;               /* i32, rank 0: updates made */ \
        T m, v;                         /* as the parameters; what is not used holds zeros of rank 0 */ \
    } name; \
    WEFT_STRUCT(name, WEFT_ARRAY(name, step), WEFT_TREE(name, m, T), WEFT_TREE(name, v, T))

weft_status weft_opt_init_(weft_context *, weft_optimizer, const weft_tree *state_tree, const void *params,
                           void *state, const char *at);
weft_status weft_opt_update_(weft_context *, weft_optimizer, const weft_tree *state_tree, void *params,
                             const void *grads, void *state, const char *at);
weft_array *weft_global_norm_(weft_context *, const weft_tree *, const void *structure, const char *at);

/* The state before the first update. params: only its structure, shapes and element types are looked at. On
 * an error the state is empty. */
#define weft_opt_init(ctx, opt, S, params, state) \
    weft_opt_init_(WEFT_A_CONTEXT_(ctx), (opt), &S##_tree, WEFT_PTR_(WEFT_OPT_OF_(S), params), \
                   WEFT_PTR_(S, state), WEFT_HERE)
/* One update, of params and state in place. Structures and shapes that differ are errors that name the leaf;
 * on an error nothing is changed. */
#define weft_opt_update(ctx, opt, S, params, grads, state) \
    weft_opt_update_(WEFT_A_CONTEXT_(ctx), (opt), &S##_tree, WEFT_OUT_PTR_(WEFT_OPT_OF_(S), params), \
                     WEFT_PTR_(WEFT_OPT_OF_(S), grads), WEFT_OUT_PTR_(S, state), WEFT_HERE)
/* The square root of the sum of the squares of all elements of all float leaves, rank 0; f16 and bf16 by way
 * of f32. */
#define weft_global_norm(ctx, T, structure) \
    weft_global_norm_(WEFT_A_CONTEXT_(ctx), &T##_tree, WEFT_PTR_(T, structure), WEFT_HERE)

enum { WEFT_SGD_ = 1, WEFT_ADAM_, WEFT_ADAMW_ };
enum { WEFT_SCHEDULE_CONSTANT_ = 1, WEFT_SCHEDULE_LINEAR_, WEFT_SCHEDULE_EXPONENTIAL_, WEFT_SCHEDULE_COSINE_,
       WEFT_SCHEDULE_PIECEWISE_, WEFT_SCHEDULE_OWN_ };

#ifdef __cplusplus
}
namespace weft {
struct schedule : weft_schedule {
    schedule() : weft_schedule() {}
    schedule &rate(double v)            { weft_schedule::rate = v; return *this; }
    schedule &start(double v)           { weft_schedule::start = v; return *this; }
    schedule &end(double v)             { weft_schedule::end = v; return *this; }
    schedule &decay(double v)           { weft_schedule::decay = v; return *this; }
    schedule &exponent(double v)        { weft_schedule::exponent = v; return *this; }
    schedule &steps(int64_t v)          { weft_schedule::steps = v; return *this; }
    schedule &warmup(int64_t v)         { weft_schedule::warmup = v; return *this; }
    schedule &begin(int64_t v)          { weft_schedule::begin = v; return *this; }
    schedule &staircase(bool yes = true) { weft_schedule::staircase = yes; return *this; }
    schedule &pieces(int count, const int64_t *steps_at, const double *scales)
    {
        n = count;
        at = steps_at;
        scale = scales;
        return *this;
    }
};
struct optimizer : weft_optimizer {
    optimizer() : weft_optimizer() {}
    optimizer &rate(double v)           { weft_optimizer::rate = v; return *this; }
    optimizer &schedule(const weft_schedule &s) { weft_optimizer::schedule = s; return *this; }
    optimizer &rate_array(const weft_array *a)  { weft_optimizer::rate_array = a; return *this; }
    optimizer &momentum(double v)       { weft_optimizer::momentum = v; return *this; }
    optimizer &nesterov(bool yes = true) { weft_optimizer::nesterov = yes; return *this; }
    optimizer &b1(double v)             { weft_optimizer::b1 = v; return *this; }
    optimizer &b2(double v)             { weft_optimizer::b2 = v; return *this; }
    optimizer &eps(double v)            { weft_optimizer::eps = v; return *this; }
    optimizer &eps_root(double v)       { weft_optimizer::eps_root = v; return *this; }
    optimizer &weight_decay(double v)   { weft_optimizer::weight_decay = v; return *this; }
    optimizer &clip_value(double v)     { weft_optimizer::clip_value = v; return *this; }
    optimizer &clip_norm(double v)      { weft_optimizer::clip_norm = v; return *this; }
};
}
template <class Base, int Kind> inline Base weft_of_kind_(Base o) { o.kind_ = Kind; return o; }
#define WEFT_OPT_MAKE_(T, kind, ...)    weft_of_kind_<T, kind>(T{ __VA_ARGS__ })
#define WEFT_OPT_OF_(S)                 decltype(((S *)nullptr)->m)
#define WEFT_OUT_PTR_(T, p)             weft_out_ptr_<T>(p)
template <class T> inline T *weft_out_ptr_(std::common_type_t<T> *p) { return p; }
static inline weft_schedule weft_schedule_own(weft_array *(*f)(weft_array *))
{
    weft_schedule s = weft_schedule();
    s.kind_ = WEFT_SCHEDULE_OWN_;
    s.own_ = f;
    return s;
}
#else
#define WEFT_OPT_MAKE_(T, kind, ...)    (WEFT_IS_NAMED_(__VA_ARGS__), (T){ .kind_ = kind, __VA_ARGS__ })
#define WEFT_OPT_OF_(S)                 __typeof__(((S *)0)->m)
#define WEFT_OUT_PTR_(T, p)             _Generic((p), T *: (p))
#define weft_schedule_own(f)            ((weft_schedule){ .kind_ = WEFT_SCHEDULE_OWN_, .own_ = (f) })
#endif
#define weft_sgd(...)                   WEFT_OPT_MAKE_(weft_optimizer, WEFT_SGD_, __VA_ARGS__)
#define weft_adam(...)                  WEFT_OPT_MAKE_(weft_optimizer, WEFT_ADAM_, __VA_ARGS__)
#define weft_adamw(...)                 WEFT_OPT_MAKE_(weft_optimizer, WEFT_ADAMW_, __VA_ARGS__)
#define weft_schedule_constant(...)     WEFT_OPT_MAKE_(weft_schedule, WEFT_SCHEDULE_CONSTANT_, __VA_ARGS__)
#define weft_schedule_linear(...)       WEFT_OPT_MAKE_(weft_schedule, WEFT_SCHEDULE_LINEAR_, __VA_ARGS__)
#define weft_schedule_exponential(...)  WEFT_OPT_MAKE_(weft_schedule, WEFT_SCHEDULE_EXPONENTIAL_, __VA_ARGS__)
#define weft_schedule_cosine(...)       WEFT_OPT_MAKE_(weft_schedule, WEFT_SCHEDULE_COSINE_, __VA_ARGS__)
#define weft_schedule_piecewise(...)    WEFT_OPT_MAKE_(weft_schedule, WEFT_SCHEDULE_PIECEWISE_, __VA_ARGS__)
#endif
