/* small.c: the small languages: texts that stand in a program, but may come from a file or a user of its. The
 * first line of an input names the language, what follows is the text, or several, each on a line. An error
 * with a message or a result, never both, and nothing left behind. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "target.h"
#include "weft.h"

enum { MOST_TEXTS = 5 };
static weft_context *ctx;
static weft_array *x, *v; /* f32[2,3,4], f32[4] */

static void no_print(void *user, weft_status code, const char *text)
{
    (void)user;
    target_require(code != WEFT_OK && text && *text, "an error without words");
}

/* ---- the functions that texts are about ---- */

typedef struct {
    weft_array *w, *b;
} layer;
typedef struct {
    layer l[2];
    weft_array **more;
    int n;
} net;
WEFT_STRUCT(layer, WEFT_ARRAY(layer, w), WEFT_ARRAY(layer, b));
WEFT_STRUCT(net, WEFT_TREE(net, l, layer), WEFT_ARRAYS(net, more, n));
WEFT_SIGNATURE(net_fn, weft_array *, (const net *m, weft_array *x));
WEFT_SIGNATURE(step_fn, weft_array *, (weft_array * h, weft_array *x, WEFT_OUT weft_array **y));
WEFT_SIGNATURE(net_vjp, weft_array *, (const net *m, weft_array *x, weft_array *ct, WEFT_OUT net *dm));
WEFT_SIGNATURE(scale_c, float, (const float *a, int64_t n, float by, float *out));
WEFT_SIGNATURE(test_fn, weft_array *, (weft_array * h));

static weft_array *run_net(const net *m, weft_array *a)
{
    a = weft_add(weft_mul(weft_mul(a, m->l[0].w), m->l[1].w), weft_mul(m->l[0].b, m->l[1].b));
    for (int i = 0; i < m->n; i++) a = weft_add(a, m->more[i]);
    return a;
}

static weft_array *run_step(weft_array *h, weft_array *a, weft_array **y)
{
    *y = weft_add(h, a);
    return weft_tanh(*y);
}

static weft_array *less(weft_array *a, weft_array *b) { return weft_lt(a, b); }
static weft_array *plus(weft_array *a, weft_array *b) { return weft_add(a, b); }
static weft_array *whole(weft_array *a) { return weft_sum(weft_square(a)); }
static weft_array *goes_on(weft_array *a) { return weft_any(weft_lt(a, 3)); }
static weft_array *grow(weft_array *a) { return weft_add(a, 1); }
static float scale(const float *a, int64_t n, float by, float *out)
{
    for (int64_t i = 0; i < n; i++) out[i] = a[i] * by;
    return by;
}

static net make_net(weft_array *leaf, weft_array **more, int n)
{
    for (int i = 0; i < n; i++) more[i] = leaf;
    return (net){ { { leaf, leaf }, { leaf, leaf } }, more, n };
}

/* ---- the languages: true: there is a result ---- */

static bool axes(char **t)
{
    weft_transpose(x, t[0]);
    weft_clear(ctx);
    weft_flip(x, t[0]);
    weft_clear(ctx);
    weft_squeeze(x, t[0]);
    weft_clear(ctx);
    weft_random_permutation(weft_key(ctx, 1), x, .axis = t[0]);
    weft_clear(ctx);
    return weft_sum(x, .axes = t[0]);
}

static bool slice(char **t)
{
    weft_array *part = weft_at(x, t[0]);
    if (!part) return false;
    return weft_set(x, t[0], 1) && weft_set_add(x, t[0], part);
}

static bool einsum(char **t) { return weft_einsum(t[0], x, v); }
static bool tensordot(char **t) { return weft_tensordot(x, x, t[0], t[1]); }
static bool pad(char **t) { return weft_pad(x, 0, t[0]); }

static const char *unless_empty(const char *t) { return *t ? t : NULL; }

static size_t most_digits(const char *s)
{
    size_t most = 0, n;
    for (; *s; s += n + !n)
        if ((n = strspn(s, "0123456789")) > most) most = n;
    return most;
}

/* Large windows over much padding are real work, which takes its time, so they are left out. */
static bool window(char **t)
{
    bool large = most_digits(t[0]) + most_digits(t[2]) > 6 && most_digits(t[2]) > 1;
    return weft_reduce_window(x, WEFT_ADD, large ? "1" : t[0], .stride = unless_empty(t[1]),
                              .pad = unless_empty(large ? "" : t[2]), .dilation = unless_empty(t[3]),
                              .base_dilation = unless_empty(t[4]));
}

/* Functions of such signatures are never called, for nobody wrote any. */
static bool signature(char **t)
{
    weft_declare(ctx, less, weft_binary);
    weft_declare(ctx, plus, weft_binary);
    weft_sort_with_(ctx, (weft_fn)less, t[0], (weft_control){ 0 }, WEFT_HERE);
    weft_associative_scan_(ctx, (weft_fn)plus, t[0], (weft_control){ 0 }, WEFT_HERE);
    weft_clear(ctx);
    return weft_declare_(ctx, (weft_fn)grow, "grow", t[0], WEFT_HERE) == WEFT_OK;
}

static bool vmap(char **t)
{
    weft_array *more[2];
    net m = make_net(x, more, 2);
    weft_declare(ctx, run_net, net_fn);
    return weft_vmap(ctx, run_net, t[0])(&m, x);
}

static bool wrt(char **t)
{
    weft_array *more[2];
    net m = make_net(v, more, 2), dm = { 0 };
    weft_declare(ctx, run_net, net_fn);
    weft_declare(ctx, whole, test_fn);
    weft_derive_(ctx, WEFT_VJP, (weft_fn)run_net, t[0], t[1], WEFT_HERE);
    weft_clear(ctx);
    return weft_vjp(ctx, net_vjp, run_net, t[0])(&m, v, v, &dm);
}

static bool scan(char **t)
{
    weft_array *y;
    weft_declare(ctx, run_step, step_fn);
    return weft_scan(ctx, run_step, t[0], .length = 2)(v, v, &y);
}

static bool fori(char **t)
{
    weft_declare(ctx, plus, weft_binary);
    return weft_fori(ctx, plus, t[0], .count = 2)(weft_sum(v), weft_sum(v));
}

static bool until(char **t)
{
    weft_declare(ctx, goes_on, test_fn);
    weft_declare(ctx, grow, weft_unary);
    return weft_while(ctx, goes_on, grow, t[0])(v);
}

static bool map(char **t)
{
    weft_declare(ctx, plus, weft_binary);
    weft_map(ctx, plus, t[0], .batch = 2)(x, v);
    weft_clear(ctx);
    weft_soft_vmap(ctx, plus, t[0], .chunk = 1)(x, x);
    weft_clear(ctx);
    return weft_map(ctx, plus, t[0])(x, v);
}

static bool foreign(char **t)
{
    weft_foreign_(ctx, (weft_fn)scale, "scale", t[1], t[2], t[0], (weft_foreign_options){ 0 }, WEFT_HERE);
    weft_clear(ctx);
    return weft_foreign(ctx, weft_binary, scale, scale_c, t[0])(v, weft_scalar(ctx, 2));
}

static bool hook(char **t)
{
    weft_declare(ctx, run_net, net_fn);
    weft_declare(ctx, grow, weft_unary);
    return weft_hook_add_(ctx, (weft_fn)run_net, t[0], (weft_fn)grow, WEFT_HERE) != 0;
}

/* One plan for all inputs, of a context that lasts; none where there is no back end. */
static bool bind(char **t)
{
    static weft_context *lasting;
    static weft_plan *plan;
    const void *in[16];
    void *out[1];
    if (!lasting) {
        weft_array *more[2];
        lasting = weft_open(&(weft_options){ .on_error = no_print });
        weft_describe(lasting, net);
        weft_declare(lasting, run_net, net_fn);
        weft_array *leaf = weft_ones(lasting, WEFT_F32, 4);
        net m = make_net(leaf, more, 2);
        plan = weft_compile(lasting, (weft_plan_options){ 0 }, weft_jit(lasting, run_net)(&m, leaf));
        weft_clear(lasting);
    }
    if (!plan) return true;
    bool bound = weft_bind(plan, in, out, t[0], out) == WEFT_OK;
    target_require(bound == !weft_error(lasting), "bound and an error, or neither: %s", weft_error(lasting));
    weft_clear(lasting);
    return true;
}

static bool target(char **t)
{
    weft_context *other = weft_open(&(weft_options){ .target = t[0] });
    weft_close(other);
    weft_clear(NULL);
    return true;
}

typedef struct Language {
    const char *name;
    bool (*run)(char **texts);
} Language;
static const Language languages[] = {
    { "axes", axes },     { "slice", slice },     { "einsum", einsum },       { "tensordot", tensordot },
    { "pad", pad },       { "window", window },   { "signature", signature }, { "vmap", vmap },
    { "wrt", wrt },       { "scan", scan },       { "fori", fori },           { "while", until },
    { "map", map },       { "foreign", foreign }, { "hook", hook },           { "bind", bind },
    { "target", target },
};

/* ---- the target ---- */

static size_t held;

static void *resize(void *user, void *p, size_t old_bytes, size_t new_bytes)
{
    (void)user;
    held += new_bytes - old_bytes;
    if (new_bytes) return realloc(p, new_bytes);
    free(p);
    return NULL;
}

static void run_language(const Language *l, char **texts)
{
    ctx = weft_open(&(weft_options){ .memory_limit = 8 << 20, .on_error = no_print, .resize = resize });
    weft_describe(ctx, net);
    x = weft_ones(ctx, WEFT_F32, 2, 3, 4);
    v = weft_ones(ctx, WEFT_F32, 4);
    bool result = l->run(texts);
    const char *error = weft_error(ctx);
    target_require(result == !error, "%s: %s",
                   result ? "a result and an error" : "neither a result nor an error",
                   error ? error : "none");
    weft_close(ctx);
    target_require(held == 0, "%zu bytes are left behind", held);
}

/* Each text is a block of its own, so that a sanitizer sees its end. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *texts[MOST_TEXTS + 1];
    const char *at = (const char *)data, *end = at + size;
    for (int i = 0; i <= MOST_TEXTS; i++) {
        const char *line = memchr(at, '\n', (size_t)(end - at));
        texts[i] = strndup(at, (size_t)((line ? line : end) - at));
        at = line ? line + 1 : end;
    }
    for (size_t i = 0; i < sizeof languages / sizeof *languages; i++)
        if (!strcmp(texts[0], languages[i].name)) run_language(&languages[i], texts + 1);
    for (int i = 0; i <= MOST_TEXTS; i++) free(texts[i]);
    return 0;
}
