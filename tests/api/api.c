/* api.c: see api.h. */
#include "api.h"
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "third_party/dlpack/dlpack.h"

/* ---- the functions ---- */

#define A(i, kind)          a[i].kind
#define GIVES_array(call)   o->array = (call)
#define GIVES_fn(call)      o->fn = (call)
#define GIVES_status(call)  o->status = (call)
#define GIVES_nothing(call) (call)
#define GIVES_tensor(call)  end_tensor(call)
#define GIVES_other(call)   (void)(call)

static void end_tensor(struct DLManagedTensorVersioned *t)
{
    if (t) t->deleter(t);
}

#define ROW(name, result, call, n, ...) \
    static void call_##name(const ApiValue *a, ApiOutcome *o) \
    { \
        (void)a, (void)o; \
        GIVES_##result(call); \
    }
#include "api_table.h"
#undef ROW

const ApiFunction api_functions[] = {
#define ROW(name, result, call, n, ...) { #name, call_##name, n, { __VA_ARGS__ } },
#include "api_table.h"
#undef ROW
};
const int api_function_count = sizeof api_functions / sizeof *api_functions;

bool api_gives_unary(const ApiFunction *f)
{
    int texts = 0;
    for (int i = 0; i < f->n; i++) texts += f->kind[i] == KIND_text;
    return texts <= 1 && strcmp(f->name, "weft_associative_scan_") && strcmp(f->name, "weft_sort_with_") &&
           !strstr(f->name, "_stablehlo_");
}

bool api_believed(const ApiFunction *f, ApiKind kind, const ApiValue *v)
{
    static const char *const functions[] = { "weft_split_", "weft_random_keys_", "weft_unstack_",
                                             "weft_stack_", "weft_stack_pointers_" };
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (kind == KIND_count && v->count > 64 && !strcmp(functions[i], f->name)) return true;
    return kind == KIND_dims && v->dims && v->dims[0] > INT_MAX && !strcmp("weft_borrow_", f->name);
}

/* ---- memory: large, of which only the beginning is ever touched ---- */

enum { LIST_ITEMS = 64 };
#define LARGE ((size_t)1 << 36)

static void *large(size_t bytes)
{
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) perror("mmap"), exit(2);
    return p;
}

/* ---- the world ---- */

typedef struct pair {
    weft_array *x, *y;
} pair;
WEFT_STRUCT(pair, WEFT_ARRAY(pair, x), WEFT_ARRAY(pair, y));
WEFT_OPT_STATE(pair_state, pair);

static weft_array *plus(weft_array *x) { return weft_add(x, 1); }
static weft_array *total(weft_array *x) { return weft_sum(x); }
static weft_array *undeclared(weft_array *x) { return x; }
static weft_array *traced;
static weft_array *leaks(weft_array *x) { return traced = weft_add(x, 1); }
static weft_array *at_will(weft_array *x) { return weft_neg(x); }

enum { MANY = 200 };
static struct {
    ApiWorld world;
    weft_context *closed;
    weft_array *freed, *orphan, *stale, *foreign, *ints, *flag, *rank31, *rank32, *empty, *key, *many;
    weft_scope *scope, *scope_closed, *scope_orphan;
    weft_plan *plan_freed, *plan_orphan;
    weft_program *program_freed, *program_orphan;
    weft_fn jitted, orphan_fn, foreign_fn, forgotten;
    weft_hook_id hook, hook_removed, hook_foreign;
} w;

static weft_context *open_one(void)
{
    weft_context *ctx = weft_open(&(weft_options){ .memory_limit = 64 << 20 });
    if (!ctx) printf("%s\n", weft_error(NULL)), exit(2);
    weft_declare(ctx, plus, weft_unary);
    weft_declare(ctx, total, weft_unary);
    weft_describe(ctx, pair_state);
    return ctx;
}

static weft_array *ranked(weft_context *ctx, int rank)
{
    int64_t dim[WEFT_MAX_RANK];
    for (int i = 0; i < rank; i++) dim[i] = 1;
    return weft_ones_(ctx, WEFT_F32, rank, dim, NULL);
}

static weft_plan *plan_of(weft_context *ctx)
{
    weft_unary *f = weft_jit(ctx, plus);
    weft_array *x = weft_reshape(weft_arange(ctx, 0, 6, 1.0), 2, 3);
    weft_plan_options none = { 0 };
    return weft_compile(ctx, none, f(x));
}

static weft_program *program_of(weft_context *ctx)
{
    static const char text[] = "func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {"
                               " %y = stablehlo.add %x, %x : tensor<2x3xf32> return %y : tensor<2x3xf32> }";
    return weft_program_parse(ctx, text, sizeof text - 1, "twice");
}

/* What is left of a context. */
static void leave_orphans(void)
{
    w.closed = open_one();
    w.orphan = weft_ones(w.closed, WEFT_F32, 2, 3);
    w.scope_orphan = weft_scope_open(w.closed);
    w.plan_orphan = plan_of(w.closed);
    w.program_orphan = program_of(w.closed);
    w.orphan_fn = (weft_fn)weft_jit(w.closed, plus);
    weft_close(w.closed);
}

static void leave_dead(weft_context *ctx)
{
    weft_declare(ctx, leaks, weft_unary);
    weft_declare(ctx, at_will, weft_unary);
    w.forgotten = (weft_fn)weft_vmap(ctx, at_will, "0");
    weft_forget(ctx, at_will);
    weft_vmap(ctx, leaks, "0")(w.world.x);
    w.stale = traced;
    weft_array *deep[500]; /* the handle freed last is used again first */
    for (int i = 0; i < 500; i++) deep[i] = weft_ones(ctx, WEFT_F32, 2, 3);
    for (int i = 0; i < 500; i++) weft_free(deep[i]);
    w.freed = deep[0];
    w.scope_closed = weft_scope_open(ctx);
    weft_scope_close(w.scope_closed);
    w.plan_freed = plan_of(ctx);
    weft_plan_free(w.plan_freed);
    w.program_freed = program_of(ctx);
    weft_program_free(w.program_freed);
    w.hook_removed = weft_hook_add(ctx, total, "", plus);
    weft_hook_remove(ctx, w.hook_removed);
}

void api_open(ApiWorld *world)
{
    leave_orphans();
    weft_context *ctx = w.world.ctx = open_one();
    w.world.x = weft_keep(weft_reshape(weft_arange(ctx, 0, 6, 1.0), 2, 3));
    leave_dead(ctx);
    w.ints = weft_keep(weft_from(ctx, ((int32_t[]){ 1, 0 }), 2));
    w.flag = weft_keep(weft_gt(weft_scalar(ctx, 1), 0));
    w.rank31 = weft_keep(ranked(ctx, 31));
    w.rank32 = weft_keep(ranked(ctx, 32));
    w.empty = weft_keep(weft_zeros(ctx, WEFT_F64, 0, 3));
    w.many = weft_keep(weft_ones(ctx, WEFT_F32, MANY));
    w.key = weft_keep(weft_key(ctx, 1));
    w.hook = weft_hook_add(ctx, total, "", plus);
    w.world.jitted = weft_jit(ctx, plus);
    w.jitted = (weft_fn)w.world.jitted;
    w.world.plan = plan_of(ctx);
    w.world.program = program_of(ctx);
    w.scope = weft_scope_open(ctx);
    w.world.scoped = weft_ones(ctx, WEFT_F32, 2, 3);
    w.world.other = open_one();
    w.foreign = weft_keep(weft_ones(w.world.other, WEFT_F32, 2, 3));
    w.foreign_fn = (weft_fn)weft_jit(w.world.other, plus);
    weft_hook_add(w.world.other, total, "", plus);
    w.hook_foreign = weft_hook_add(w.world.other, total, "", plus);
    weft_scope_open(w.world.other); /* the current context is the other one */
    *world = w.world;
}

void api_no_files(void)
{
    if (chdir("/proc/self")) perror("/proc/self"), exit(2);
}

bool api_intact(const ApiWorld *o)
{
    weft_scope *s = weft_scope_open(o->ctx);
    weft_array *y = o->jitted(o->x);
    bool good = y && weft_item(weft_sum(y)) == 21 && weft_count(o->scoped) == 6;
    good = good && weft_plan_count(o->plan, true) == 1 && weft_program_count(o->program, true) == 1;
    good = good && weft_item(weft_sum(w.foreign)) == 6 && weft_item(weft_sum(w.many)) == MANY &&
           !weft_is_traced(o->scoped);
    good = good && !weft_error(o->ctx) && !weft_error(o->other) && !weft_error(NULL);
    weft_scope_close(s);
    return good;
}

/* ---- the values ---- */

enum { MOST = 64, SLOT = 1 << 16 };
static struct {
    ApiValue value[MOST];
    int n;
} values[KINDS];

static void add(ApiKind kind, ApiValue v)
{
    if (values[kind].n == MOST) printf("too many values of kind %d\n", kind), exit(2);
    values[kind].value[values[kind].n++] = v;
}

/* V(array, GOOD, x): a value named by its own text. */
#define V(kind, nature, ...) add(KIND_##kind, (ApiValue){ #__VA_ARGS__, nature, .kind = __VA_ARGS__ })
#define EACH(kind, nature, type, ...) \
    do { \
        const type list_[] = { __VA_ARGS__ }; \
        for (size_t i_ = 0; i_ < sizeof list_ / sizeof *list_; i_++) { \
            char *name_ = malloc(40); \
            snprintf(name_, 40, "%.17g", (double)list_[i_]); \
            add(KIND_##kind, (ApiValue){ name_, nature, .kind = list_[i_] }); \
        } \
    } while (0)

static void add_handles(void)
{
    weft_array *x = w.world.x, *foreign = w.foreign, *freed = w.freed, *orphan = w.orphan, *stale = w.stale;
    weft_array *good[] = { x, w.ints, w.flag, w.rank31, w.rank32, w.empty, w.many, w.key, w.world.scoped };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        static const char *const name[] = { "x",     "ints", "flag", "rank31", "rank32",
                                            "empty", "many", "key",  "scoped" };
        add(KIND_array, (ApiValue){ name[i], GOOD, .array = good[i] });
        add(KIND_operand, (ApiValue){ name[i], GOOD, .operand = weft_of_array(good[i]) });
    }
    V(array, GOOD, NULL);
    V(array, FOREIGN, foreign);
    V(array, DEAD, freed);
    V(array, DEAD, orphan);
    V(array, DEAD, stale);
    V(operand, GOOD, weft_of_array(NULL));
    V(operand, FOREIGN, weft_of_array(foreign));
    V(operand, DEAD, weft_of_array(freed));
    V(operand, DEAD, weft_of_array(orphan));
    V(operand, DEAD, weft_of_array(stale));
    V(operand, GOOD, weft_of_float(NAN));
    V(operand, GOOD, weft_of_float(1e308));
    V(operand, GOOD, weft_of_int(INT64_MIN));
    V(operand, GOOD, weft_of_uint(UINT64_MAX));
    V(operand, GOOD, weft_of_bool(true));
    V(operand, DEAD, { .kind = 99 });
    V(operand, DEAD, { .kind = -1 });
    V(key, GOOD, { w.key, 0 });
    V(key, GOOD, { NULL, 0 });
    V(key, GOOD, { x, 0 });
    V(key, GOOD, { w.key, 2 });
    V(key, DEAD, { w.key, 3 });
    V(key, DEAD, { w.key, -1 });
    V(key, DEAD, { freed, 0 });
    V(key, DEAD, { orphan, 0 });
    V(context, GOOD, w.world.ctx);
    V(context, GOOD, NULL);
    V(context, FOREIGN, w.world.other);
    V(context, DEAD, w.closed);
    V(scope, GOOD, w.scope);
    V(scope, GOOD, NULL);
    V(scope, DEAD, w.scope_closed);
    V(scope, DEAD, w.scope_orphan);
    V(plan, GOOD, w.world.plan);
    V(plan, DEAD, NULL);
    V(plan, DEAD, w.plan_freed);
    V(plan, DEAD, w.plan_orphan);
    V(program, GOOD, w.world.program);
    V(program, DEAD, NULL);
    V(program, DEAD, w.program_freed);
    V(program, DEAD, w.program_orphan);
    V(hook, GOOD, w.hook);
    V(hook, DEAD, w.hook_removed);
    V(hook, DEAD, w.hook_foreign);
    EACH(hook, DEAD, weft_hook_id, 0, 77, UINT64_MAX);
    V(fn, GOOD, (weft_fn)plus);
    V(fn, GOOD, (weft_fn)total);
    V(fn, GOOD, w.jitted);
    V(fn, GOOD, (weft_fn)(weft_tanh));
    V(fn, DEAD, NULL);
    V(fn, DEAD, (weft_fn)undeclared);
    V(fn, DEAD, w.orphan_fn);
    V(fn, FOREIGN, w.foreign_fn);
    V(fn, DEAD, w.forgotten);
    static weft_fn none[2], dead[2];
    weft_fn *list = large(LARGE);
    for (int i = 0; i < LIST_ITEMS; i++) list[i] = (weft_fn)plus;
    dead[0] = (weft_fn)plus;
    dead[1] = w.orphan_fn;
    V(fns, GOOD, list);
    V(fns, GOOD, NULL);
    V(fns, DEAD, none);
    V(fns, DEAD, dead);
}

/* Nobody's: they have no deleter, and may be given again and again. */
static void add_tensors(void)
{
    static float data[6] = { 1, 2, 3, 4, 5, 6 };
    static int64_t shape[] = { 2, 3 }, strides[] = { 1, 2 };
    static struct DLManagedTensorVersioned t[6];
    for (int i = 0; i < 6; i++)
        t[i] = (struct DLManagedTensorVersioned){
            .version = { 1, 1 },
            .dl_tensor = { data, { kDLCPU, 0 }, 2, { kDLFloat, 32, 1 }, shape, i == 1 ? strides : NULL, 0 }
        };
    t[2].version.major = 2;
    t[3].dl_tensor.dtype.code = kDLComplex;
    t[4].dl_tensor.device.device_type = kDLCUDA;
    t[5].dl_tensor.data = NULL;
    V(tensor, GOOD, &t[0]);
    V(tensor, GOOD, &t[1]);
    for (int i = 2; i < 6; i++) V(tensor, DEAD, &t[i]);
    V(tensor, DEAD, NULL);
}

static void add_numbers(void)
{
    enum { LAST = WEFT_C128 };
    EACH(dtype, GOOD, weft_dtype, WEFT_F32, WEFT_BOOL, WEFT_I8, WEFT_I32, WEFT_I64, WEFT_U32, WEFT_F16,
         WEFT_BF16, WEFT_F64, WEFT_C64, WEFT_C128);
    EACH(dtype, DEAD, weft_dtype, (weft_dtype)-1, (weft_dtype)(LAST + 1), (weft_dtype)99,
         (weft_dtype)1000000);
    EACH(combine, GOOD, weft_combine, WEFT_ADD, WEFT_SET, WEFT_MUL, WEFT_MIN, WEFT_MAX);
    EACH(combine, DEAD, weft_combine, (weft_combine)-1, (weft_combine)5, (weft_combine)99,
         (weft_combine)1000000);
    EACH(derivative, GOOD, weft_derivative, WEFT_JACFWD, WEFT_GRAD, WEFT_VALUE_AND_GRAD, WEFT_JVP, WEFT_VJP,
         WEFT_JACREV, WEFT_HESSIAN, WEFT_HVP, WEFT_TRANSPOSE_LINEAR, WEFT_LINEARIZE, WEFT_LINEAR_JVP,
         WEFT_LINEAR_VJP);
    EACH(derivative, DEAD, weft_derivative, (weft_derivative)-1, (weft_derivative)12, (weft_derivative)99,
         (weft_derivative)1000000);
    EACH(rank, GOOD, int, 2, 0, 1, 3, 31, 32);
    EACH(rank, DEAD, int, 33, -1, INT_MAX, INT_MIN);
    EACH(count, GOOD, int, 2, 0, 1, 3, 31, 32, 33, 64, -1, -2, INT_MAX, INT_MIN);
    EACH(number, GOOD, int, 0, 1, 2, -1, -2, -3, 8, 31, 32, 33, INT_MAX, INT_MIN);
    EACH(integer, GOOD, int64_t, 2, 0, 1, 3, -1, -5, 100, (int64_t)1 << 31, (int64_t)1 << 40,
         (int64_t)1 << 62, INT64_MAX, INT64_MIN);
    EACH(real, GOOD, double, 1, 0, -1, 0.5, 1e308, 1e-310, NAN, INFINITY, -INFINITY);
    EACH(size, GOOD, size_t, 64, 0, 1, 4096, (size_t)1 << 40, SIZE_MAX);
    EACH(flag, GOOD, bool, false, true);
}

/* These lists are longer than any count that a call may ask for. */
static void add_lists(void)
{
    static const int64_t dim[][4] = {
        { 2, 3, 1, 1 },
        { 3, 2, 1, 1 },
        { 0, 1, 2, 3 },
        { -1, 2, 1, 1 },
        { INT64_MAX, INT64_MAX, 1, 1 },
        { (int64_t)1 << 31, (int64_t)1 << 33, 1, 1 },
        { (int64_t)1 << 40, 1, 1, 1 },
        { 1, 0, 1, 1 },
        { 0, INT64_MAX, 1, 1 },
        { INT64_MIN, 1, 1, 1 },
    };
    for (size_t i = 0; i < sizeof dim / sizeof *dim; i++) {
        int64_t *list = large(LARGE);
        for (int k = 0; k < LIST_ITEMS; k++) list[k] = k < 4 ? dim[i][k] : 1;
        char *name = malloc(80);
        snprintf(name, 80, "{ %lld, %lld, .. }", (long long)dim[i][0], (long long)dim[i][1]);
        add(KIND_dims, (ApiValue){ name, GOOD, .dims = list });
    }
    V(dims, GOOD, NULL);
    weft_array *ends[] = { w.world.x, NULL, w.freed, w.foreign, w.orphan };
    for (int i = 0; i < 5; i++) {
        static const char *const name[] = { "all x", "x, then NULL", "x, then freed", "x, then foreign",
                                            "x, then orphan" };
        weft_array **list = large(LARGE);
        for (int k = 0; k < LIST_ITEMS; k++) list[k] = k ? ends[i] : w.world.x;
        list[LIST_ITEMS] = (weft_array *)(uintptr_t)WEFT_LIST_END_;
        add(KIND_list, (ApiValue){ name[i], i == 3 ? FOREIGN : GOOD, .list = list });
    }
    V(list, GOOD, NULL);
}

static void add_texts(void)
{
    static char longest[5000];
    memset(longest, '0', sizeof longest - 1);
    static const char *const text[] = {
        "0",
        "",
        "1",
        "-1",
        "0,1",
        "0, none",
        "none",
        "carry",
        "carry, 0",
        "index, end, carry",
        "x",
        "x.y",
        "{x: 0}",
        "0 -> 1",
        "[0, none]",
        ":",
        "::-1",
        "1:-1, ::2",
        "..., None",
        "ij,ij->ij",
        "ii->i",
        "->",
        "same",
        "1:2:3",
        "-5:5",
        "5",
        "-9",
        "99999999999999999999",
        "9223372036854775807",
        "-9223372036854775808:",
        "::9223372036854775807",
        "%d, %d",
        "%n%s",
        "\x01\xff",
        ",,",
        "{",
        "}",
        "weft_array *(weft_array *x)",
        "weft_array *(weft_array *x",
        "void(const pair *p, WEFT_OUT pair *q)",
        "x[2,3] -> out[2,3]",
        longest,
        NULL,
    };
    for (size_t i = 0; i < sizeof text / sizeof *text; i++)
        add(KIND_text, (ApiValue){ text[i] ? text[i] : "NULL", GOOD, .text = text[i] });
    V(place, GOOD, "api.c:1");
    V(place, GOOD, NULL);
    V(place, GOOD, "%s%n");
    V(place, GOOD, longest);
    V(path, GOOD, "x");
    V(path, GOOD, "return");
    V(path, GOOD, "");
    V(path, GOOD, NULL);
    V(path, GOOD, "/dev/null");
    V(path, GOOD, "/");
    V(path, GOOD, "/nonexistent/file");
    V(path, GOOD, longest);
}

static void add_options(void)
{
    weft_array *x = w.world.x;
    static weft_array *out[4];
    static const int64_t at[] = { 1, 2 };
    static const double scale[] = { 0.5, 0.5 };
    V(over, GOOD, { 0 });
    V(over, GOOD, { .axes = "0" });
    V(over, GOOD, { .axes = "7" });
    V(over, GOOD, { .keep = true });
    V(over, GOOD, { .ddof = INT_MIN });
    V(over, GOOD, { .ord = NAN });
    V(over, GOOD, { .ord = -1e308 });
    V(over, DEAD, { .axes = (const char *)1 });
    V(over, DEAD, { .axes = (const char *)-1 });
    V(over, FOREIGN, { .where = w.foreign });
    V(over, DEAD, { .where = w.freed });
    V(over, DEAD, { .where = w.orphan });
    V(order, GOOD, { 0 });
    V(order, GOOD, { .descending = true });
    V(order, GOOD, { .right = true });
    V(order, GOOD, { .reverse = true });
    V(update, GOOD, { .with = WEFT_ADD });
    V(update, GOOD, { .clip = true });
    V(update, DEAD, { .with = (weft_combine)-1 });
    V(update, DEAD, { .with = (weft_combine)5 });
    V(update, DEAD, { .with = (weft_combine)1000000 });
    V(factor, GOOD, { 0 });
    V(factor, GOOD, { .upper = true });
    V(factor, GOOD, { .transpose = true, .unit = true });
    V(factor, GOOD, { .full = true });
    V(factor, GOOD, { .rcond = 1e-3 });
    V(factor, GOOD, { .rcond = NAN });
    V(factor, GOOD, { .rcond = -INFINITY });
    V(interpolation, GOOD, { 0 });
    V(interpolation, GOOD, { .left = NAN, .right = 1, .given_ = WEFT_LEFT_ | WEFT_RIGHT_ });
    V(interpolation, GOOD, { .period = 360, .given_ = WEFT_PERIOD_ });
    V(interpolation, GOOD, { .period = NAN, .given_ = WEFT_PERIOD_ });
    V(interpolation, GOOD, { .period = 1, .extrapolate = true });
    V(interpolation, GOOD, { .given_ = ~0u });
    V(fourier, GOOD, { 0 });
    V(fourier, GOOD, { .n = 3, .norm = "ortho" });
    V(fourier, GOOD, { .n = -1 });
    V(fourier, GOOD, { .n = INT64_MAX });
    V(fourier, GOOD, { .norm = "" });
    V(fourier, DEAD, { .norm = (const char *)1 });
    V(convolution, GOOD, { 0 });
    V(convolution, GOOD, { .stride = "0" });
    V(convolution, GOOD, { .stride = "9223372036854775807" });
    V(convolution, GOOD, { .pad = "same", .layout = "xc,xio" });
    V(convolution, GOOD, { .pad = "-9223372036854775808" });
    V(convolution, GOOD, { .dilation = "9223372036854775807" });
    V(convolution, GOOD, { .base_dilation = "9223372036854775807" });
    V(convolution, GOOD, { .layout = "nc,io" });
    V(convolution, GOOD, { .groups = INT64_MIN });
    V(convolution, GOOD, { .groups = 2 });
    V(convolution, DEAD, { .stride = (const char *)1 });
    V(convolution, DEAD, { .layout = (const char *)-1 });
    V(window, GOOD, { 0 });
    V(window, GOOD, { .stride = "0" });
    V(window, GOOD, { .stride = "9223372036854775807" });
    V(window, GOOD, { .pad = "same" });
    V(window, GOOD, { .pad = "9223372036854775807" });
    V(window, GOOD, { .pad = "-9223372036854775808" });
    V(window, GOOD, { .dilation = "9223372036854775807" });
    V(window, GOOD, { .base_dilation = "9223372036854775807" });
    V(window, GOOD, { .inside = true });
    V(window, DEAD, { .stride = (const char *)1 });
    V(window, DEAD, { .pad = (const char *)-1 });
    V(counting, GOOD, { 0 });
    V(counting, GOOD, { .weights = x });
    V(counting, GOOD, { .from = NAN, .to = 1 });
    V(counting, GOOD, { .from = 1, .to = -INFINITY });
    V(counting, GOOD, { .edges = &out[0] });
    V(counting, DEAD, { .weights = w.freed });
    V(counting, FOREIGN, { .weights = w.foreign });
    V(uniques, GOOD, { 0 });
    V(uniques, GOOD, { .fill = x });
    V(uniques, GOOD, { .indices = &out[0], .inverse = &out[1], .counts = &out[2] });
    V(uniques, DEAD, { .fill = w.freed });
    V(uniques, FOREIGN, { .fill = w.foreign });
    V(positions, GOOD, { 0 });
    V(positions, GOOD, { .fill = x, .count = &out[0] });
    V(positions, DEAD, { .fill = w.freed });
    V(positions, FOREIGN, { .fill = w.foreign });
    V(control, GOOD, { 0 });
    V(control, GOOD, { .count = 3 });
    V(control, GOOD, { .length = 3 });
    V(control, GOOD, { .length = -1 });
    V(control, ENDLESS, { .length = INT64_MAX });
    V(control, ENDLESS, { .count = INT64_MAX });
    V(control, ENDLESS, { .count = INT64_MIN });
    V(control, GOOD, { .unroll = INT_MAX });
    V(control, GOOD, { .unroll = -1 });
    V(control, GOOD, { .batch = 1 });
    V(control, GOOD, { .batch = INT64_MIN });
    V(control, GOOD, { .batch = INT64_MAX });
    V(control, GOOD, { .chunk = 1 });
    V(control, GOOD, { .chunk = INT64_MAX });
    V(control, GOOD, { .chunk = -1 });
    V(control, GOOD, { .batch_ndims = INT_MAX });
    V(control, GOOD, { .batch_ndims = INT_MIN });
    V(control, GOOD, { .axis = INT_MAX });
    V(control, GOOD, { .axis = INT_MIN });
    V(control, GOOD, { .count = 3, .checkpoint = INT64_MIN });
    V(control, GOOD, { .count = 3, .checkpoint = INT64_MAX });
    V(control, GOOD, { .reverse = true });
    V(vmap, GOOD, { 0 });
    V(vmap, GOOD, { .size = 2 });
    V(vmap, GOOD, { .size = -1 });
    V(vmap, GOOD, { .size = INT64_MAX });
    V(vmap, GOOD, { .max_bytes = 1 });
    V(vmap, GOOD, { .max_bytes = SIZE_MAX });
    V(foreign, GOOD, { 0 });
    V(foreign, DEAD, { .batch = 2 });
    V(foreign, DEAD, { .batch = -1 });
    V(planning, GOOD, { 0 });
    V(planning, GOOD, { .realtime = true });
    V(planning, GOOD, { .threads = -1 });
    V(planning, GOOD, { .threads = INT_MAX });
    V(schedule, GOOD, { .kind_ = WEFT_SCHEDULE_CONSTANT_, .rate = 0.1 });
    V(schedule, GOOD, { .kind_ = WEFT_SCHEDULE_PIECEWISE_, .rate = 0.1, .n = 2, .at = at, .scale = scale });
    V(schedule, GOOD, { .kind_ = WEFT_SCHEDULE_COSINE_, .rate = 0.1, .steps = INT64_MAX });
    V(schedule, GOOD, { .kind_ = WEFT_SCHEDULE_LINEAR_, .rate = 0.1, .steps = INT64_MIN });
    V(schedule, GOOD, { .kind_ = WEFT_SCHEDULE_OWN_, .own_ = plus });
    V(schedule, DEAD, { .kind_ = WEFT_SCHEDULE_OWN_ });
    V(schedule, DEAD, { .kind_ = WEFT_SCHEDULE_PIECEWISE_, .rate = 0.1, .n = 2 });
    V(schedule, DEAD, { .kind_ = WEFT_SCHEDULE_PIECEWISE_, .rate = 0.1, .n = -2, .at = at, .scale = scale });
    V(schedule, DEAD, { .kind_ = -1, .rate = 0.1 });
    V(schedule, DEAD, { .kind_ = 0, .rate = 0.1 });
    V(schedule, DEAD, { .kind_ = 7, .rate = 0.1 });
    V(optimizer, GOOD, { .kind_ = WEFT_ADAM_, .rate = 0.1 });
    V(optimizer, GOOD, { .kind_ = WEFT_SGD_, .rate = NAN });
    V(optimizer, GOOD, { .kind_ = WEFT_ADAMW_, .rate = -1, .clip_norm = INFINITY });
    V(optimizer, GOOD, { .kind_ = WEFT_SGD_, .rate_array = x });
    V(optimizer, DEAD, { .kind_ = WEFT_SGD_, .rate_array = w.freed });
    V(optimizer, DEAD, { .kind_ = WEFT_SGD_, .rate_array = w.orphan });
    V(optimizer, DEAD, { .kind_ = WEFT_SGD_, .schedule = { .kind_ = 99, .rate = 1 } });
    V(optimizer, DEAD, { .kind_ = 0, .rate = 0.1 });
    V(optimizer, DEAD, { .kind_ = 99, .rate = 0.1 });
    V(draw, GOOD, { 0 });
    V(draw, GOOD, { .axis = "1" });
    V(draw, GOOD, { .axis = "9" });
    V(draw, DEAD, { .axis = (const char *)1 });
    V(draw, GOOD, { .shape = { 2, at } });
    V(draw, DEAD, { .shape = { 33, values[KIND_dims].value[0].dims } });
    V(draw, DEAD, { .shape = { -1, at } });
    V(draw, DEAD, { .shape = { 2, NULL } });
    V(draw, GOOD, { .p = x });
    V(draw, DEAD, { .p = w.freed });
    V(draw, DEAD, { .p = w.orphan });
    V(draw, GOOD, { .distinct = true });
    V(draw, GOOD, { .each = true });
    enum { LIMIT = 64 << 20 };
    static const weft_options plain = { .memory_limit = LIMIT }, no_memory = { .memory_limit = 1 };
    static const weft_options below = { .mode = (weft_mode)-1 }, above = { .mode = (weft_mode)99 };
    static const weft_options one_entry = { .memory_limit = LIMIT, .cache_entries = 1 };
    static const weft_options no_target = { .target = "z80" }, other_machine = { .target = "sparc" };
    static const weft_options not_apart = { .memory_limit = LIMIT, .compile_memory = LIMIT };
    static const weft_options empty = { .memory_limit = LIMIT, .target = "" };
    static const weft_options no_folder = { .memory_limit = LIMIT, .dump_dir = "/nonexistent/folder" };
    static const weft_options recycles = { .memory_limit = LIMIT, .recycle_bytes = SIZE_MAX };
    V(options, GOOD, &plain);
    V(options, DEAD, &below);
    V(options, DEAD, &above);
    V(options, DEAD, &no_memory);
    V(options, DEAD, &not_apart);
    V(options, GOOD, &one_entry);
    V(options, DEAD, &no_target);
    V(options, DEAD, &other_machine);
    V(options, GOOD, &empty);
    V(options, GOOD, &no_folder);
    V(options, GOOD, &recycles);
}

static bool custom_fails(const weft_custom_call *call, char *error, size_t room)
{
    (void)call;
    snprintf(error, room, "always");
    return false;
}

static void let_go(void *user, void *data) { (void)user, (void)data; }

static void add_trees(void)
{
    static const weft_field no_name = { .bytes = 8 };
    static const weft_field bad_kind = { "x", 0, 8, 99, 0, NULL, 0, NULL };
    static const weft_field no_tree = { "x", 0, 8, WEFT_FIELD_TREE, 0, NULL, 0, NULL };
    static const weft_field outside = { "x", 1 << 20, 8, WEFT_FIELD_ARRAY, 0, NULL, 0, NULL };
    static const weft_field odd = { "x", 0, 7, WEFT_FIELD_ARRAY, 0, NULL, 0, NULL };
    static const weft_field no_count = { "x", 0, 8, WEFT_FIELD_ARRAYS, 99, NULL, 1 << 20, NULL };
    static const weft_tree bad[] = {
        { "", 0, 0, NULL },
        { "no fields", 16, 3, NULL },
        { "no name", 16, 1, &no_name },
        { "bad kind", 16, 1, &bad_kind },
        { "no tree", 16, 1, &no_tree },
        { "outside", 16, 1, &outside },
        { "odd", 16, 1, &odd },
        { "no count", 16, 1, &no_count },
        { NULL, 16, 0, NULL },
    };
    V(tree, GOOD, &pair_state_tree);
    V(tree, DEAD, NULL);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        add(KIND_tree, (ApiValue){ bad[i].name ? bad[i].name : "nameless", DEAD, .tree = &bad[i] });
    static pair_state state[5];
    static const char *const name[] = { "a struct", "with a NULL", "with a freed one", "with a foreign one",
                                        "with an orphan" };
    weft_array *leaf[] = { w.world.x, NULL, w.freed, w.foreign, w.orphan };
    for (int i = 0; i < 5; i++) {
        state[i] = (pair_state){ w.ints, { w.world.x, w.world.x }, { w.world.x, leaf[i] } };
        add(KIND_structure, (ApiValue){ name[i], i == 3 ? FOREIGN : GOOD, .structure = &state[i] });
    }
    V(structure, GOOD, NULL);
    static void *several[LIST_ITEMS], *with_null[2];
    for (int i = 0; i < LIST_ITEMS; i++) several[i] = &state[0];
    with_null[0] = &state[0];
    V(structs, GOOD, several);
    V(structs, GOOD, with_null);
    V(structs, GOOD, NULL);
    V(results, GOOD, large(LARGE));
    V(results, GOOD, NULL);
    V(buffer, GOOD, large(SLOT));
    V(buffer, GOOD, NULL);
    V(memory, GOOD, large(LARGE));
    V(memory, GOOD, (char *)large(LARGE) + 1);
    V(memory, GOOD, NULL);
    V(block, GOOD, NULL);
    void **pointers = large(SLOT);
    for (int i = 0; i < LIST_ITEMS; i++) pointers[i] = large(SLOT);
    V(pointers, GOOD, pointers);
    V(pointers, GOOD, large(SLOT));
    V(pointers, GOOD, NULL);
    V(release, GOOD, let_go);
    V(release, GOOD, NULL);
    static const weft_custom_fn fails = { .call = custom_fails }, empty = { .user = NULL };
    V(custom, GOOD, &fails);
    V(custom, GOOD, &empty);
    V(custom, GOOD, NULL);
}

const ApiValue *api_values(ApiKind kind, int *n)
{
    if (!values[KIND_context].n) {
        add_handles();
        add_tensors();
        add_numbers();
        add_lists();
        add_texts();
        add_options();
        add_trees();
    }
    *n = values[kind].n;
    return values[kind].value;
}

ApiValue api_fresh(ApiValue v, ApiKind kind, int param)
{
    static pair_state *slot[API_PARAMS];
    if (kind != KIND_structure || !v.structure) return v;
    if (!slot[param]) slot[param] = large(LARGE);
    for (int i = 0; i < LIST_ITEMS; i++) slot[param][i] = *(const pair_state *)v.structure;
    v.structure = slot[param];
    return v;
}
