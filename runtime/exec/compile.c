/* compile.c: the passes (compiler/pipeline.h), each with its check and its dump; the back end; then the
 * object is loaded and constants are copied. */
#include "compile.h"
#include "compiler/pipeline.h"
#include "compiler/text/text.h"
#include "loader.h"
#include "perf.h"
#include "runtime/library/checks.h"
#include "runtime/library/library.h"
#include "runtime/memory/context.h"
#include "runtime/memory/stack.h"
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#ifdef WEFT_CHECKS
#include "compiler/graph/check.h"
#endif

enum { CONST_ALIGN = 64 };

/* Code and what it owns beside its pages: one block of the caller's allocator. */
typedef struct CodeBlock {
    Code code;
    size_t bytes;
    const void *consts[];
} CodeBlock;

typedef struct Compilation {
    const CompileOptions *options;
    const Backend *backend;
    Target target;
    Arena arena;
    Failure *failure;
    const Graph *graph;
    const Program *program;
    BackendOutput output;
    double since; /* the last pass */
    Code times;   /* figures and pages, as they come */
} Compilation;

/* The folder itself, no link in its place; a slash at the end would follow one. -1: there is no such
 * folder. */
static int open_folder(const char *path)
{
    char folder[4096];
    int n = snprintf(folder, sizeof folder, "%s", path);
    if (n < 0 || (size_t)n >= sizeof folder) return -1;
    while (n > 1 && folder[n - 1] == '/') folder[--n] = '\0';
    return open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* A new file that its owner alone reads. What had the name goes; a link is neither followed nor written
 * through. NULL: there can be none. */
static FILE *create(const char *path, const char *name)
{
    int folder = open_folder(path);
    if (folder < 0) return NULL;
    unlinkat(folder, name, 0);
    int fd = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
    if (fd >= 0 && !file) close(fd);
    close(folder);
    return file;
}

/* A file that cannot be written is no reason for a compile to fail: dumps are for people who look. */
static void dump(const Compilation *c, const char *stage, const char *text)
{
    char name[4096];
    const char *of = c->options->name && *c->options->name ? c->options->name : "weft";
    int n = snprintf(name, sizeof name, "%s.%s", of, stage);
    FILE *file = n > 0 && (size_t)n < sizeof name && text ? create(c->options->dump_dir, name) : NULL;
    if (!file) return;
    fputs(text, file);
    fclose(file);
}

static bool checked(const Graph *g, const Program *program, Failure *f)
{
#ifdef WEFT_CHECKS
    return program ? program_check(program, f) : graph_check(g, f);
#else
    (void)g, (void)program, (void)f;
    return true;
#endif
}

/* Between passes: the times, the dumps, the checks. */
static bool between(void *user, Stage stage, const Graph *g, const Program *program)
{
    static const char *const file[] = {
        [STAGE_TRACED] = "graph.mlir", [STAGE_SIMPLIFIED] = "simplified.mlir", [STAGE_FUSED] = "fused.txt"
    };
    Compilation *c = user;
    double now = context_now_us();
    if (stage == STAGE_FUSED) c->times.fuse_us = now - c->since;
    else if (stage != STAGE_TRACED) c->times.simplify_us += now - c->since;
    if (c->options->dump_dir && file[stage])
        dump(c, file[stage],
             program ? program_print(&c->arena, program)
                     : graph_print(&c->arena, g, &(PrintOptions){ .locs = true }));
    bool sound = checked(g, program, c->failure);
    c->since = context_now_us();
    return sound;
}

static bool make_program(Compilation *c)
{
    Pipeline way = { .target = &c->target,
                     .mode = c->options->mode,
                     .donated = c->options->donated,
                     .between = between,
                     .user = c };
    c->since = context_now_us();
    c->program = pipeline_run(&way, &c->arena, c->graph, c->failure);
    return c->program;
}

static bool run_backend(Compilation *c)
{
    unsigned also = c->options->dump_dir ? BACKEND_IR | BACKEND_ASM : 0;
    const CompileOptions *o = c->options;
    bool ok = !o->process ? c->backend->compile(c->program, &c->target, also, &o->workers, &c->output)
                          : process_compile(o->process, &c->arena, c->program, &c->target, also,
                                            o->workers.most, &c->output, c->failure);
    if (c->options->dump_dir) {
        dump(c, "ll", c->output.ir);
        dump(c, "s", c->output.assembly);
    }
    c->times.emit_us = c->output.emit_us;
    c->times.codegen_us = c->output.codegen_us;
    c->times.piece_stack = c->output.stack_bytes + STACK_RUN;
    return ok || fail(c->failure, WEFT_COMPILER, "the compiler back end failed: %s", c->output.error);
}

static void show_function(void *user, const char *name, const void *code, size_t bytes)
{
    const Compilation *c = user;
    perf_add(c->options->name ? c->options->name : "weft", name, code, bytes);
}

static bool run_loader(Compilation *c)
{
    Loaded loaded;
    double start = context_now_us();
    if (!loader_load(c->output.object, c->output.object_bytes, "weft_entry", &loaded, c->failure))
        return false;
    c->times.pages = loaded.pages;
    c->times.pages_bytes = loaded.bytes;
    memcpy(&c->times.entry, &loaded.entry, sizeof c->times.entry);
    c->times.load_us = context_now_us() - start;
    if (c->options->perf)
        loader_functions(c->output.object, c->output.object_bytes, &loaded, show_function, c);
    return true;
}

static size_t const_bytes(const Buffer *b)
{
    size_t bytes = (size_t)b->count * dtype_bytes((DType)b->dtype);
    return (bytes + CONST_ALIGN - 1) & ~(size_t)(CONST_ALIGN - 1);
}

static void take_aliases(Code *code, const Program *p)
{
    memset(code->alias, -1, sizeof code->alias);
    for (uint32_t i = 0; i < p->n_buffers; i++) {
        const Buffer *b = &p->buffers[i];
        if (b->kind == BUF_OUTPUT && b->index < sizeof code->alias) code->alias[b->index] = (int8_t)b->alias;
    }
}

/* weft's own checks run anywhere (code_run.c). */
static bool calls_user(const Program *p)
{
    for (uint32_t i = 0; i < p->n_steps; i++) {
        const ProgramStep *s = &p->steps[i];
        if (s->kind == STEP_CALL && s->function == LIBRARY_FOREIGN && foreign_op(s->numbers + 1) != &check_op)
            return true;
    }
    return false;
}

static bool hands_pieces(const Program *p)
{
    bool does = p->library & ~(1u << LIBRARY_FOREIGN);
    for (uint32_t i = 0; i < p->n_steps; i++) does |= p->steps[i].kind == STEP_LOOP && p->steps[i].parallel;
    return does;
}

/* The code with its constants: the graph they came from may go. */
static Code *take_code(Compilation *c, const Allocator *allocator)
{
    const Program *p = c->program;
    size_t bytes = sizeof(CodeBlock) + (p->n_consts + LIBRARY_COUNT) * sizeof(void *) + CONST_ALIGN, data = 0;
    for (uint32_t i = 0; i < p->n_buffers; i++)
        if (p->buffers[i].kind == BUF_CONST) data += const_bytes(&p->buffers[i]);
    CodeBlock *held = allocator->resize(allocator->user, NULL, 0, bytes + data);
    if (!held)
        return fail(c->failure, WEFT_MEMORY, "no memory for %zu bytes of constants of compiled code", data),
               NULL;
    uintptr_t next = ((uintptr_t)held + bytes) & ~(uintptr_t)(CONST_ALIGN - 1);
    for (uint32_t i = 0; i < p->n_buffers; i++) {
        const Buffer *b = &p->buffers[i];
        if (b->kind != BUF_CONST) continue;
        held->consts[b->index] =
            memcpy((void *)next, b->data, (size_t)b->count * dtype_bytes((DType)b->dtype));
        next += const_bytes(b);
    }
    library_addresses(p, held->consts + p->n_consts);
    held->bytes = bytes + data;
    held->code = c->times;
    held->code.consts = held->consts;
    held->code.code_bytes = c->times.pages_bytes + data;
    held->code.scratch_bytes = p->scratch_bytes;
    held->code.local_bytes = p->local_bytes;
    held->code.piece_stack += library_stack(p);
    held->code.stack_bytes = held->code.piece_stack + (hands_pieces(p) ? STACK_WORKERS : 0);
    held->code.stays = calls_user(p);
    held->code.workers = workers_alone;
    held->code.n_kernels = p->n_kernels;
    held->code.fused_bytes = p->fused_bytes;
    take_aliases(&held->code, p);
    return &held->code;
}

/* May the function run op by op instead? Where no process of this build has ever run, what is installed is
 * wrong, and people should know. */
static bool goes_on(const CompileOptions *o, const Failure *f)
{
    return o->process && !o->code_or_fail && f->code == WEFT_COMPILER && process_installed(o->process);
}

/* A Code without code that says why. */
static Code *take_reason(const CompileOptions *o, const Code *times, const Allocator *allocator, Failure *f)
{
    if (!goes_on(o, f)) return NULL;
    size_t text = strlen(f->text) + 1;
    CodeBlock *held = allocator->resize(allocator->user, NULL, 0, sizeof(CodeBlock) + text);
    if (!held) return NULL;
    *held = (CodeBlock){ .code = *times, .bytes = sizeof(CodeBlock) + text };
    held->code.why_not = memcpy(held->consts, f->text, text);
    memset(held->code.alias, -1, sizeof held->code.alias);
    *f = (Failure){ .code = WEFT_OK };
    return &held->code;
}

Code *compile_without_target(const CompileOptions *options, const Allocator *allocator, Failure *f)
{
    return take_reason(options, &(Code){ 0 }, allocator, f);
}

/* What the passes leave in c is its caller's, so it is whole also after the jump. */
static bool run_passes(Compilation *c)
{
    Guard guard;
    c->arena.guard = &guard;
    if (setjmp(guard.env)) return fail(c->failure, WEFT_MEMORY, "no memory left to compile in");
    return make_program(c) && run_backend(c) && run_loader(c);
}

static bool find_target(Compilation *c)
{
    if (!c->options->process && !(c->backend = backend_get(c->failure))) return false;
    if (c->options->target) c->target = *c->options->target;
    else if (!c->backend->host(&c->target))
        return fail(c->failure, WEFT_COMPILER, "the compiler back end does not know this machine");
    return true;
}

Code *compile_graph(const Graph *g, const CompileOptions *options, const Allocator *allocator, Failure *f)
{
    Compilation c = { .options = options, .failure = f, .graph = g };
    if (!find_target(&c)) return NULL;
    arena_init(&c.arena, allocator, NULL);
    Code *code = run_passes(&c) ? take_code(&c, allocator) : take_reason(options, &c.times, allocator, f);
    if (!code) loader_unload(&(Loaded){ .pages = c.times.pages, .bytes = c.times.pages_bytes });
    backend_release(&c.output);
    arena_free(&c.arena);
    return code;
}

void code_free(Code *code, const Allocator *allocator)
{
    if (!code) return;
    CodeBlock *held = (CodeBlock *)code;
    loader_unload(&(Loaded){ .pages = code->pages, .bytes = code->pages_bytes });
    allocator->resize(allocator->user, held, held->bytes, 0);
}

bool compile_target(const char *text, CompilerProcess *process, Target *t, Failure *f)
{
    const Backend *b = process ? NULL : backend_get(f);
    if (process ? process_target(process, text, t, f) : b && b->target(text, t)) return true;
    return fail(f, WEFT_ARGUMENT, "no target \"%s\": there are host, avx512, avx2, sse2 and aarch64", text);
}
