/* loaded.c: programs that others wrote (weft/program.h): parsed, raised, compiled, run on raw memory. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "cache.h"
#include "compiler/passes/raise.h"
#include "compiler/text/text.h"
#include "runtime/eager/eager.h"
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
    const Graph *graph;
    const bool *donated; /* by input */
    Type *out;
    Code *code;
    Workers workers;
    size_t scratch;
};

enum { PARSE_STACK = 256 << 10 };

static Reserve programs = RESERVE_OF(weft_program, sizeof(Home));

/* ---- making ---- */

typedef struct Making {
    weft_program *program;
    const char *chars, *name;
    size_t n;
    Failure failure;
} Making;

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

static void make(void *user)
{
    Making *m = user;
    weft_program *p = m->program;
    if (setjmp(p->guard.env)) {
        fail(&m->failure, WEFT_MEMORY, "no memory left to read it in");
        return;
    }
    const Parsed *parsed = text_parse(&p->arena, m->chars, m->n, m->name, &m->failure, NULL);
    const ParsedFunc *func = parsed ? choose_func(parsed, &m->failure) : NULL;
    if (!func) return;
    p->graph = raise_graph(&p->arena, func->graph);
    p->donated = func->donated;
    p->name = parsed->name && *parsed->name ? parsed->name : "main";
    p->out = arena_alloc(&p->arena, (p->graph->n_outputs + 1) * sizeof *p->out);
    for (uint32_t i = 0; i < p->graph->n_outputs; i++) p->out[i] = graph_type(p->graph, p->graph->outputs[i]);
    uint64_t donated = 0; /* the first inputs, as in calls */
    for (uint32_t i = 0; i < p->graph->n_params && i < 64; i++) donated |= (uint64_t)p->donated[i] << i;
    p->code = program_compile(p->ctx, p->graph, donated, p->name, &m->failure);
    if (p->code) p->scratch = p->code->entry ? (code_scratch(p->code, &p->workers) + 63) & ~(size_t)63 : 0;
}

static void release(weft_program *p)
{
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
    p->workers = l->ctx->workers;
    arena_init(&p->arena, context_allocator(l->ctx), &p->guard);
    Making m = { .program = p, .chars = chars, .n = n, .name = name };
    if (!stack_call(PARSE_STACK, make, &m)) fail(&m.failure, WEFT_MEMORY, STACK_NONE, PARSE_STACK >> 10);
    if (!p->code) {
        char what[200] = "";
        bool has_place = m.failure.text[0] >= '0' && m.failure.text[0] <= '9'; /* line:column */
        if (name) snprintf(what, sizeof what, "%.150s:%s", name, has_place ? "" : " ");
        error_failure(l, who, at, what, &m.failure);
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

/* All of the file; *size for memory_free. NULL and f set: it cannot be read. */
static char *read_whole(Memory *m, FILE *file, const char *path, size_t *n, size_t *size, Failure *f)
{
    char *chars = NULL;
    *n = *size = 0;
    do {
        size_t more = *size ? 2 * *size : 1 << 16;
        char *grown = memory_resize(m, chars, *size, more);
        if (!grown) {
            memory_free(m, chars, *size);
            return fail(f, WEFT_MEMORY, "no memory left to read it in"), NULL;
        }
        chars = grown;
        *size = more;
        *n += fread(chars + *n, 1, *size - *n, file);
    } while (*n == *size);
    if (!ferror(file)) return chars;
    fail(f, WEFT_IO, "%s cannot be read: %s", path, strerror(errno));
    memory_free(m, chars, *size);
    return NULL;
}

weft_program *weft_program_load_(weft_context *ctx, const char *path, const char *at)
{
    const char *who = "weft_program_load";
    Local *l = context_enter(ctx, who, at);
    if (!l) return NULL;
    if (!path) return error_set(l, WEFT_ARGUMENT, who, at, "the path is NULL"), NULL;
    Failure f = { .code = WEFT_OK };
    size_t n, size;
    FILE *file = fopen(path, "rbe");
    if (!file) return error_set(l, WEFT_IO, who, at, "%s cannot be opened: %s", path, strerror(errno)), NULL;
    char *chars = read_whole(&l->ctx->memory, file, path, &n, &size, &f);
    fclose(file);
    if (!chars) return error_failure(l, who, at, "", &f), NULL;
    weft_program *p = program_make(l, who, at, chars, n, path);
    memory_free(&l->ctx->memory, chars, size);
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
}

/* ---- what it is ---- */

const char *weft_program_name(const weft_program *p)
{
    return is_there(p, "weft_program_name") ? p->name : "";
}

static uint32_t count(const weft_program *p, bool outputs)
{
    return outputs ? p->graph->n_outputs : p->graph->n_params;
}

static Type type_at(const weft_program *p, bool output, uint32_t i)
{
    return output ? p->out[i] : graph_type(p->graph, i);
}

int weft_program_count(const weft_program *p, bool outputs)
{
    return is_there(p, "weft_program_count") ? (int)count(p, outputs) : 0;
}

#define PROGRAM_FAIL(p, who, ...) \
    (error_set(context_local((p)->ctx), WEFT_ARGUMENT, who, NULL, __VA_ARGS__), WEFT_ARGUMENT)

weft_type weft_program_type(const weft_program *p, bool output, int i)
{
    weft_type none = { WEFT_F32, 0, NULL };
    if (!is_there(p, "weft_program_type")) return none;
    if (i < 0 || (uint32_t)i >= count(p, output)) {
        (void)PROGRAM_FAIL(p, "weft_program_type", "there is no %s %d: the program has %u",
                           output ? "result" : "input", i, count(p, output));
        return none;
    }
    Type t = type_at(p, output, (uint32_t)i);
    return (weft_type){ (weft_dtype)t.dtype, t.rank, t.dim };
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
    return (weft_program_figures){ .code = p->code->code_bytes,
                                   .inputs = bytes_of(p, false),
                                   .outputs = bytes_of(p, true),
                                   .scratch = p->scratch,
                                   .kernels = p->code->n_kernels };
}

size_t weft_program_scratch(const weft_program *p)
{
    return is_there(p, "weft_program_scratch") ? p->scratch : 0;
}

int weft_program_donor(const weft_program *p, int output)
{
    if (!is_there(p, "weft_program_donor")) return -1;
    if (output >= 0 && (uint32_t)output < count(p, true))
        return p->code->entry && output < 64 ? p->code->alias[output] : -1;
    (void)PROGRAM_FAIL(p, "weft_program_donor", "there is no result %d: the program has %u", output,
                       count(p, true));
    return -1;
}

bool weft_program_donated(const weft_program *p, int input)
{
    if (!is_there(p, "weft_program_donated")) return false;
    if (input >= 0 && (uint32_t)input < count(p, false)) return p->donated[input];
    return PROGRAM_FAIL(p, "weft_program_donated", "there is no input %d: the program has %u", input,
                        count(p, false)) == WEFT_OK;
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
    if (p->code->entry) p->code->entry(in, out, scratch, p->code->consts, &p->workers);
    else eager_graph(p->graph, in, out, context_allocator(p->ctx), &f);
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
