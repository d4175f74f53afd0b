/* loaded.c: programs that others wrote (weft/program.h): parsed, raised, compiled, run on raw memory. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "cache.h"
#include "compiler/graph/work.h"
#include "compiler/passes/layouts.h"
#include "compiler/passes/raise.h"
#include "compiler/text/narrow.h"
#include "compiler/text/parse/parse.h"
#include "loaded.h"
#include "runtime/eager/eager.h"
#include "runtime/exec/code_run.h"
#include "runtime/library/checks.h"
#include "runtime/memory/floating.h"
#include "runtime/memory/list.h"
#include "runtime/memory/reserve.h"
#include "runtime/memory/stack.h"
#include "weft/program.h"

struct weft_program {
    Home home;                  /* first, so that it stays when the program is freed */
    weft_context *ctx;          /* NULL: it was freed */
    weft_program *next, **link; /* among the context's, under its lock */
    Arena arena;                /* of the graph */
    Guard guard;
    const char *name;
    const Graph *said, *graph; /* as the text says it; over what lies in memory: layouts.h */
    const bool *donated;       /* by input */
    const uint8_t *narrow[2];  /* as in Loaded */
    const char *const *memory[2];
    const int64_t *const *layout[2];
    Type *out;
    Code *code;
    size_t scratch;
    bool calls_host; /* as in Loaded */
    HostOp *host_ops;
};

static Reserve programs = RESERVE_OF(weft_program, sizeof(Home));

/* ---- reading ---- */

/* main, or the only one that can be called. */
static const ParsedFunc *choose_func(const Parsed *parsed, Failure *f)
{
    const ParsedFunc *only = NULL;
    uint32_t n = 0;
    for (uint32_t i = 0; i < parsed->n_funcs; i++) {
        const ParsedFunc *p = &parsed->funcs[i];
        if (!strcmp(p->name, "main")) return p;
        if (!p->is_private) only = p, n++;
    }
    if (n != 1) fail(f, WEFT_ARGUMENT, "there is no func main, and %u others that could be meant", n);
    return n == 1 ? only : NULL;
}

/* "model.mlir:3:14: ..." */
static bool name_file(const char *name, Failure *f)
{
    const Failure why = *f;
    bool has_place = why.text[0] >= '0' && why.text[0] <= '9'; /* line:column */
    f->code = WEFT_OK;
    return fail(f, why.code, "%.150s:%s%s", name, has_place ? "" : " ", why.text);
}

bool loaded_parse(Arena *a, weft_context *ctx, const char *chars, size_t n, const char *name, Loaded *p,
                  HostOp **made, Failure *f)
{
    const Dialect more = { NULL, 0, host_functions(ctx), made };
    *made = NULL;
    const Parsed *parsed = text_parse_with(a, &more, chars, n, name, f, NULL);
    const ParsedFunc *func = parsed ? choose_func(parsed, f) : NULL;
    if (!func) return name ? name_file(name, f) : false;
    *p = (Loaded){ .name = parsed->name && *parsed->name ? parsed->name : "main",
                   .graph = raise_graph(a, func->graph),
                   .donated = func->donated,
                   .narrow = { func->narrow_in, func->narrow_out },
                   .memory = { func->memory_in, func->memory_out },
                   .layout = { func->layout_in, func->layout_out },
                   .exported = parsed->exported,
                   .calls_host = func->calls_host };
    return true;
}

static char *read_whole(Memory *m, FILE *file, const char *path, size_t *n, size_t *room, Failure *f)
{
    char *chars = NULL;
    *n = *room = 0;
    do {
        size_t more = *room ? 2 * *room : 1 << 16;
        char *grown = memory_resize(m, chars, *room, more);
        if (!grown) {
            memory_free(m, chars, *room);
            return fail(f, WEFT_MEMORY, "no memory left to read it in"), NULL;
        }
        chars = grown;
        *room = more;
        *n += fread(chars + *n, 1, *room - *n, file);
    } while (*n == *room);
    if (!ferror(file)) return chars;
    fail(f, WEFT_IO, "%s cannot be read: %s", path, strerror(errno));
    memory_free(m, chars, *room);
    return NULL;
}

char *loaded_read(Memory *m, const char *path, size_t *n, size_t *room, Failure *f)
{
    FILE *file = path ? fopen(path, "rbe") : NULL;
    if (!path) return fail(f, WEFT_ARGUMENT, "the path is NULL"), NULL;
    if (!file) return fail(f, WEFT_IO, "%s cannot be opened: %s", path, strerror(errno)), NULL;
    char *chars = read_whole(m, file, path, n, room, f);
    fclose(file);
    return chars;
}

/* ---- making ---- */

typedef struct Making {
    weft_program *program;
    const char *chars, *name;
    size_t n;
    Failure failure;
} Making;

static void make(void *user)
{
    Making *m = user;
    weft_program *p = m->program;
    Loaded text;
    if (setjmp(p->guard.env)) {
        fail(&m->failure, WEFT_MEMORY, "no memory left to read it in");
        return;
    }
    if (!loaded_parse(&p->arena, p->ctx, m->chars, m->n, m->name, &text, &p->host_ops, &m->failure)) return;
    p->said = text.graph;
    p->graph = layouts_apply(&p->arena, p->said, text.layout[0], text.layout[1], &m->failure);
    if (!p->graph) return;
    p->calls_host = text.calls_host;
    memcpy(p->narrow, text.narrow, sizeof p->narrow);
    memcpy(p->memory, text.memory, sizeof p->memory);
    memcpy(p->layout, text.layout, sizeof p->layout);
    p->donated = text.donated;
    p->name = text.name;
    p->out = arena_alloc(&p->arena, (p->said->n_outputs + 1) * sizeof *p->out);
    for (uint32_t i = 0; i < p->said->n_outputs; i++) p->out[i] = graph_type(p->said, p->said->outputs[i]);
    uint64_t donated = 0; /* the first inputs, as in calls */
    for (uint32_t i = 0; i < p->graph->n_params && i < 64; i++) donated |= (uint64_t)p->donated[i] << i;
    p->code = program_compile(p->ctx, p->graph, donated, p->name, &m->failure);
    if (p->code && p->code->entry) p->scratch = (code_scratch(p->code, &p->code->workers) + 63) & ~(size_t)63;
    if (!p->code && m->name) name_file(m->name, &m->failure);
}

static void release(weft_program *p)
{
    host_ops_end(p->host_ops);
    if (p->code) code_free(p->code, context_allocator(p->ctx));
    arena_free(&p->arena);
    reserve_give(&programs, p);
}

static weft_program *program_make(Local *l, const char *who, const char *at, const char *chars, size_t n,
                                  const char *name)
{
    weft_program *p = reserve_take(&programs);
    if (!p) return error_memory(l, who, at), NULL;
    p->home = context_home(l->ctx);
    p->ctx = l->ctx;
    arena_init(&p->arena, context_allocator(l->ctx), &p->guard);
    Making m = { .program = p, .chars = chars, .n = n, .name = name };
    if (!stack_call(LOADED_STACK, make, &m)) fail(&m.failure, WEFT_MEMORY, STACK_NONE, LOADED_STACK >> 10);
    if (!p->code) {
        error_failure(l, who, at, "", &m.failure);
        return release(p), NULL;
    }
    LOCK(&l->ctx->lock);
    LIST_ADD(&l->ctx->programs, p, next, link);
    return p;
}

weft_program *weft_program_parse_(weft_context *ctx, const void *chars, size_t n, const char *name,
                                  const char *at)
{
    Local *l = context_enter(ctx, "weft_program_parse", at);
    if (!l) return NULL;
    if (chars && n <= PTRDIFF_MAX) return program_make(l, "weft_program_parse", at, chars, n, name);
    error_set(l, WEFT_ARGUMENT, "weft_program_parse", at, chars ? "its length is %zu" : "the text is NULL",
              n);
    return NULL;
}

weft_program *weft_program_load_(weft_context *ctx, const char *path, const char *at)
{
    const char *who = "weft_program_load";
    Local *l = context_enter(ctx, who, at);
    if (!l) return NULL;
    Failure f = { .code = WEFT_OK };
    size_t n, room;
    char *chars = loaded_read(&l->ctx->memory, path, &n, &room, &f);
    if (!chars) return error_failure(l, who, at, "", &f), NULL;
    weft_program *p = program_make(l, who, at, chars, n, path);
    memory_free(&l->ctx->memory, chars, room);
    return p;
}

static bool is_there(const weft_program *p, const char *who)
{
    if (p && p->ctx) return true;
    Local *l = p ? context_blamed(p->home) : context_local(NULL);
    return error_set(l, WEFT_ARGUMENT, who, NULL,
                     p ? "the program was freed, or its context was closed" : "the program is NULL");
}

void weft_program_free(weft_program *p)
{
    if (!p || !is_there(p, "weft_program_free")) return;
    {
        LOCK(&p->ctx->lock);
        LIST_REMOVE(p, next, link);
    }
    release(p);
}

void loaded_close(weft_context *ctx)
{
    while (ctx->programs) weft_program_free(ctx->programs);
    hosts_close(ctx);
}

/* ---- what it is ---- */

const char *weft_program_name(const weft_program *p)
{
    return is_there(p, "weft_program_name") ? p->name : "";
}

static uint32_t count(const weft_program *p, bool outputs)
{
    return outputs ? p->graph->n_outputs - p->calls_host : p->graph->n_params;
}

static Type type_at(const weft_program *p, bool output, uint32_t i)
{
    return output ? p->out[i] : graph_type(p->said, i);
}

int weft_program_count(const weft_program *p, bool outputs)
{
    return is_there(p, "weft_program_count") ? (int)count(p, outputs) : 0;
}

#define PROGRAM_FAIL(p, who, ...) \
    (error_set(context_local((p)->ctx), WEFT_ARGUMENT, who, NULL, __VA_ARGS__), WEFT_ARGUMENT)

static bool has_port(const weft_program *p, bool output, int i, const char *who)
{
    if (!is_there(p, who)) return false;
    if (i >= 0 && (uint32_t)i < count(p, output)) return true;
    return PROGRAM_FAIL(p, who, "there is no %s %d: the program has %u", output ? "result" : "input", i,
                        count(p, output)) == WEFT_OK;
}

weft_type weft_program_type(const weft_program *p, bool output, int i)
{
    if (!has_port(p, output, i, "weft_program_type")) return (weft_type){ WEFT_F32, 0, NULL, NULL };
    Type t = type_at(p, output, (uint32_t)i);
    const uint8_t *narrow = p->narrow[output];
    const char *element = narrow ? narrow_name((Narrow)narrow[i]) : NULL;
    return (weft_type){ (weft_dtype)t.dtype, t.rank, t.dim, element };
}

const char *weft_program_memory(const weft_program *p, bool output, int i)
{
    return has_port(p, output, i, "weft_program_memory") ? p->memory[output][i] : "";
}

const int64_t *weft_program_layout(const weft_program *p, bool output, int i)
{
    return has_port(p, output, i, "weft_program_layout") ? p->layout[output][i] : NULL;
}

static size_t bytes_of(const weft_program *p, bool outputs)
{
    size_t bytes = 0;
    for (uint32_t i = 0; i < count(p, outputs); i++) {
        Type t = type_at(p, outputs, i);
        bytes += (size_t)type_count(t) * dtype_bytes((DType)t.dtype);
    }
    return bytes;
}

weft_program_figures weft_program_cost(const weft_program *p)
{
    if (!is_there(p, "weft_program_cost")) return (weft_program_figures){ 0 };
    Work work = graph_work(p->graph);
    return (weft_program_figures){ .code = p->code->code_bytes,
                                   .inputs = bytes_of(p, false),
                                   .outputs = bytes_of(p, true),
                                   .scratch = p->scratch,
                                   .kernels = p->code->n_kernels,
                                   .flops = work.flops,
                                   .transcendentals = work.transcendentals,
                                   .open_ended = work.open_ended,
                                   .calls_host = p->calls_host };
}

size_t weft_program_scratch(const weft_program *p)
{
    return is_there(p, "weft_program_scratch") ? p->scratch : 0;
}

int weft_program_donor(const weft_program *p, int output)
{
    if (!has_port(p, true, output, "weft_program_donor")) return -1;
    return p->code->entry && output < 64 ? p->code->alias[output] : -1;
}

bool weft_program_donated(const weft_program *p, int input)
{
    return has_port(p, false, input, "weft_program_donated") && p->donated[input];
}

/* ---- running ---- */

static weft_status check_pointers(const weft_program *p, const void *const *of, bool outputs)
{
    const char *what = outputs ? "out" : "in";
    if (!of && count(p, outputs))
        return PROGRAM_FAIL(p, "weft_program_run", "%s is NULL: this program takes %u pointers", what,
                            count(p, outputs));
    for (uint32_t i = 0; i < count(p, outputs); i++)
        if (!of[i]) return PROGRAM_FAIL(p, "weft_program_run", "%s[%u] is NULL", what, i);
    return WEFT_OK;
}

static void run(const weft_program *p, const void *const in[], void *const out[], void *scratch, Failure *f)
{
    const Code *code = p->code;
    if (!code->entry) eager_graph(p->graph, in, out, context_allocator(p->ctx), f);
    else if (!code_run(code, in, out, scratch, &code->workers, false))
        fail(f, WEFT_MEMORY, CODE_SHORT, code->piece_stack >> 10);
}

/* Behind the results comes whether a call failed, which f says, too. */
static void run_with_calls(const weft_program *p, const void *const in[], void *const out[], void *scratch,
                           Failure *f)
{
    uint32_t n = count(p, true);
    size_t bytes = (n + 1) * sizeof(void *);
    void **all = memory_alloc(&p->ctx->memory, bytes);
    bool failed;
    Failure *outer = run_failure;
    if (!all) {
        fail(f, WEFT_MEMORY, "no memory left to run it");
        return;
    }
    if (n) memcpy(all, out, n * sizeof *all);
    all[n] = &failed;
    run_failure = f;
    run(p, in, all, scratch, f);
    run_failure = outer;
    memory_free(&p->ctx->memory, all, bytes);
}

weft_status weft_program_run(const weft_program *p, const void *const in[], void *const out[], void *scratch)
{
    const char *who = "weft_program_run";
    Failure f = { .code = WEFT_OK };
    if (!is_there(p, who)) return WEFT_ARGUMENT;
    if (p->scratch && (!scratch || (uintptr_t)scratch % 64))
        return PROGRAM_FAIL(p, who, "scratch is %s: this program takes %zu bytes, at a multiple of 64",
                            scratch ? "not aligned" : "NULL", p->scratch);
    if (check_pointers(p, in, false) || check_pointers(p, (const void *const *)out, true))
        return WEFT_ARGUMENT;
    uint32_t mode = floating_enter();
    (p->calls_host ? run_with_calls : run)(p, in, out, scratch, &f);
    floating_leave(mode);
    if (f.code == WEFT_OK) return WEFT_OK;
    error_failure(context_local(p->ctx), who, NULL, "", &f);
    return f.code;
}

/* ---- memory ---- */

void *weft_block(weft_context *ctx, size_t bytes)
{
    size_t capacity;
    Local *l = context_enter(ctx, "weft_block", NULL);
    if (!l) return NULL;
    void *block = memory_block(&l->ctx->memory, bytes, &capacity);
    if (!block) error_memory(l, "weft_block", NULL);
    return block;
}

void weft_block_free(weft_context *ctx, void *block, size_t bytes)
{
    if (!block) return;
    Local *l = context_enter(ctx, "weft_block_free", NULL);
    if (l) memory_block_free(&l->ctx->memory, block, bytes);
}
