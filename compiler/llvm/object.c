/* object.c: the back end's door: a program and a target in, relocatable objects out, one for each share of
 * the program (functions.h). A share has a module in a context of its own, so that shares are compiled side
 * by side; what each function becomes does not depend on what else is in its module. All that is made is gone
 * when the call returns, but for machines (machines.c); calls from several threads do not meet.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "emit.h"
#include "frames.h"

static double now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

/* ---- one share ---- */

typedef struct ObjectJob {
    Emitter e;
    Arena arena;
    Guard guard;
    Machine *machine;
    Frames frames;
    BackendOutput out; /* of this share */
    bool ok;
} ObjectJob;

static void *resize_heap(void *user, void *p, size_t old_bytes, size_t new_bytes)
{
    (void)user, (void)old_bytes;
    if (new_bytes) return realloc(p, new_bytes);
    free(p);
    return NULL;
}

static const Allocator heap = { resize_heap, NULL };

static void say(BackendOutput *out, const char *what, const char *why)
{
    snprintf(out->error, sizeof out->error, "%s: %s", what, why);
}

static void note_features(Emitter *e)
{
    const Target *t = e->target;
    e->is_x86 = !strncmp(t->triple, "x86_64", 6);
    e->has_avx512 = e->is_x86 && t->vector_bytes == 64;
    e->has_vbmi = e->has_avx512 && target_has(t, "avx512vbmi");
    e->gathers_slowly = e->has_avx512 && !strncmp(t->cpu, "znver", 5);
    e->has_sse41 = e->is_x86 && (t->vector_bytes >= 32 || strstr(t->features, "+sse4.1"));
}

/* Entries begin with endbr64: the one place where indirect jumps may land if the processor watches them. */
static void mark_landings(Emitter *e)
{
    static const char flag[] = "cf-protection-branch";
    if (!e->is_x86) return;
    LLVMMetadataRef yes = LLVMValueAsMetadata(LLVMConstInt(e->i32, 1, false));
    LLVMAddModuleFlag(e->module, LLVMModuleFlagBehaviorOverride, flag, strlen(flag), yes);
}

/* LLVM's own way would be to write to stderr, and to end the process if it is an error. */
static void take_diagnostic(LLVMDiagnosticInfoRef d, void *job)
{
    ObjectJob *j = job;
    char *text = LLVMGetDiagInfoDescription(d);
    if (LLVMGetDiagInfoSeverity(d) == LLVMDSError) say(&j->out, "no machine code", text);
    else frames_note(&j->frames, text);
    LLVMDisposeMessage(text);
}

static void open_context(ObjectJob *j)
{
    Emitter *e = &j->e;
    LLVMContextRef c = LLVMContextCreate();
    LLVMContextSetDiagnosticHandler(c, take_diagnostic, j);
    e->context = c;
    e->module = LLVMModuleCreateWithNameInContext(e->program->name ? e->program->name : "program", c);
    e->b = LLVMCreateBuilderInContext(c);
    e->i1 = LLVMInt1TypeInContext(c);
    e->i8 = LLVMInt8TypeInContext(c);
    e->i16 = LLVMInt16TypeInContext(c);
    e->i32 = LLVMInt32TypeInContext(c);
    e->i64 = LLVMInt64TypeInContext(c);
    e->half = LLVMHalfTypeInContext(c);
    e->f32 = LLVMFloatTypeInContext(c);
    e->f64 = LLVMDoubleTypeInContext(c);
    e->ptr = LLVMPointerTypeInContext(c, 0);
    e->void_type = LLVMVoidTypeInContext(c);
    note_features(e);
    mark_landings(e);
}

static bool open_machine(ObjectJob *j)
{
    char *error = NULL;
    j->machine = machine_take(j->e.target, &error);
    if (!j->machine) {
        say(&j->out, "no such target", error ? error : j->e.target->triple);
        LLVMDisposeMessage(error);
        return false;
    }
    LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(j->machine->llvm);
    LLVMSetTarget(j->e.module, j->e.target->triple);
    LLVMSetModuleDataLayout(j->e.module, layout);
    LLVMDisposeTargetData(layout);
    return true;
}

static char *copy_text(const char *text, size_t n)
{
    char *copy = malloc(n + 1);
    if (!copy) return NULL;
    memcpy(copy, text, n);
    copy[n] = '\0';
    return copy;
}

static bool verified(ObjectJob *j)
{
    char *message = NULL;
    bool bad = LLVMVerifyModule(j->e.module, LLVMReturnStatusAction, &message);
    if (bad) say(&j->out, "the emitted module is not valid", message);
    LLVMDisposeMessage(message);
    return !bad;
}

static LLVMMemoryBufferRef machine_code(ObjectJob *j, LLVMCodeGenFileType kind)
{
    LLVMMemoryBufferRef buffer = NULL;
    char *error = NULL;
    if (!LLVMTargetMachineEmitToMemoryBuffer(j->machine->llvm, j->e.module, kind, &error, &buffer))
        return buffer;
    say(&j->out, "no machine code", error ? error : "unknown");
    LLVMDisposeMessage(error);
    return NULL;
}

/* The assembly comes from a copy: emitting code changes the module. */
static bool emit_assembly(ObjectJob *j)
{
    LLVMModuleRef whole = j->e.module;
    j->e.module = LLVMCloneModule(whole);
    LLVMMemoryBufferRef text = machine_code(j, LLVMAssemblyFile);
    LLVMDisposeModule(j->e.module);
    j->e.module = whole;
    if (!text) return false;
    j->out.assembly = copy_text(LLVMGetBufferStart(text), LLVMGetBufferSize(text));
    LLVMDisposeMemoryBuffer(text);
    return true;
}

static bool emit_object(ObjectJob *j)
{
    frames_open(&j->frames, &j->e);
    LLVMMemoryBufferRef object = machine_code(j, LLVMObjectFile);
    if (!object) return false;
    j->out.object_bytes = LLVMGetBufferSize(object);
    j->out.object = copy_text(LLVMGetBufferStart(object), j->out.object_bytes);
    LLVMDisposeMemoryBuffer(object);
    if (!j->out.object) say(&j->out, "out of memory", "the object");
    else if (!frames_depth(&j->frames, &j->out.stack_bytes))
        say(&j->out, "no machine code", "its stack is not known");
    return !j->out.error[0];
}

static bool make_object(ObjectJob *j, const FunctionPlan *plan, unsigned also)
{
    double start = now_us();
    open_context(j);
    if (!open_machine(j)) return false;
    emit_share(&j->e, plan);
    j->out.emit_us = now_us() - start;
    if (j->e.missing) {
        say(&j->out, "no code for the op", j->e.missing);
        return false;
    }
    if (also & BACKEND_IR) {
        char *text = LLVMPrintModuleToString(j->e.module);
        j->out.ir = copy_text(text, strlen(text));
        LLVMDisposeMessage(text);
    }
    if (also && !verified(j)) return false;
    if (also & BACKEND_ASM && !emit_assembly(j)) return false;
    start = now_us();
    bool ok = emit_object(j);
    j->out.codegen_us = now_us() - start;
    return ok;
}

static void close_job(ObjectJob *j)
{
    machine_give(j->machine);
    if (j->e.b) LLVMDisposeBuilder(j->e.b);
    if (j->e.module) LLVMDisposeModule(j->e.module);
    if (j->e.context) LLVMContextDispose(j->e.context);
    arena_free(&j->arena);
    backend_release(&j->out);
}

/* ---- all shares ---- */

typedef struct Shares {
    const Program *program;
    const Target *target;
    const FunctionPlan *plan;
    ObjectJob *job; /* [plan->n_shares] */
    unsigned also;
} Shares;

static void run_share(const void *frame, int64_t share, void *local)
{
    const Shares *s = frame;
    ObjectJob *j = &s->job[share];
    (void)local;
    arena_init(&j->arena, &heap, &j->guard);
    j->e =
        (Emitter){ .arena = &j->arena, .program = s->program, .target = s->target, .share = (uint32_t)share };
    if (setjmp(j->guard.env)) say(&j->out, "out of memory", "the emitter");
    else j->ok = make_object(j, s->plan, s->also);
}

static size_t padded(size_t bytes) { return (bytes + OBJECT_ALIGN - 1) & ~(size_t)(OBJECT_ALIGN - 1); }

static bool join_objects(const Shares *s, BackendOutput *out)
{
    size_t bytes = 0;
    for (uint32_t i = 0; i < s->plan->n_shares; i++) bytes += padded(s->job[i].out.object_bytes);
    char *at = out->object = calloc(1, bytes);
    if (!at) {
        say(out, "out of memory", "the object");
        return false;
    }
    out->object_bytes = bytes;
    for (uint32_t i = 0; i < s->plan->n_shares; i++) {
        const BackendOutput *one = &s->job[i].out;
        memcpy(at, one->object, one->object_bytes);
        at += padded(one->object_bytes);
    }
    return true;
}

/* Functions of share 0 call those of the others, which call none but their own. */
static size_t stack_of(const Shares *s)
{
    size_t others = 0;
    for (uint32_t i = 1; i < s->plan->n_shares; i++)
        if (others < s->job[i].out.stack_bytes) others = s->job[i].out.stack_bytes;
    return s->job[0].out.stack_bytes + others;
}

/* The times are those of the clock on the wall, dealt out as the shares had them. */
static bool take_shares(const Shares *s, double us, BackendOutput *out)
{
    double emit = 0, codegen = 0;
    for (uint32_t i = 0; i < s->plan->n_shares; i++) {
        emit += s->job[i].out.emit_us;
        codegen += s->job[i].out.codegen_us;
        if (s->job[i].ok) continue;
        memcpy(out->error, s->job[i].out.error, sizeof out->error);
        return false;
    }
    out->emit_us = us * emit / (emit + codegen);
    out->codegen_us = us * codegen / (emit + codegen);
    out->stack_bytes = stack_of(s);
    return join_objects(s, out);
}

/* A share alone is the output as it is. */
static bool run_shares(Shares *s, const Workers *workers, BackendOutput *out)
{
    double start = now_us();
    uint32_t n = s->plan->n_shares;
    s->job = calloc(n, sizeof *s->job);
    if (!s->job) {
        say(out, "out of memory", "the emitter");
        return false;
    }
    if (n == 1) run_share(s, 0, NULL);
    else workers->run(workers, run_share, s, NULL, &(ParallelLoop){ .pieces = n, .cost = s->plan->ns });
    bool ok = n == 1 ? s->job[0].ok : take_shares(s, now_us() - start, out);
    if (n == 1) {
        *out = s->job[0].out;
        memset(&s->job[0].out, 0, sizeof *out);
    }
    for (uint32_t i = 0; i < n; i++) close_job(&s->job[i]);
    free(s->job);
    return ok;
}

/* Are loops nested more deeply than the emitter's tables allow? */
static bool too_deep(const Kernel *k)
{
    int depth = 0, most = 0;
    for (Val i = 0; i < k->n_stmts; i++) {
        depth += k->stmts[i].kind == ST_LOOP ? 1 : k->stmts[i].kind == ST_END ? -1 : 0;
        if (depth > most) most = depth;
    }
    return most > MAX_LOOP_DEPTH;
}

/* Texts are of one module. */
static bool plan_and_run(Arena *arena, Shares *s, const Workers *workers, BackendOutput *out)
{
    if (setjmp(arena->guard->env)) {
        say(out, "out of memory", "the emitter");
        return false;
    }
    s->plan = plan_functions(arena, s->program, workers && !s->also ? workers->most : 1);
    return run_shares(s, workers, out);
}

static bool compile(const Program *p, const Target *t, unsigned also, const Workers *workers,
                    BackendOutput *out)
{
    Guard guard;
    Arena arena;
    Shares s = { .program = p, .target = t, .also = also };
    memset(out, 0, sizeof *out);
    for (uint32_t i = 0; i < p->n_kernels; i++)
        if (too_deep(&p->kernels[i])) {
            say(out, "too many loops inside each other", p->kernels[i].name);
            return false;
        }
    arena_init(&arena, &heap, &guard);
    bool ok = plan_and_run(&arena, &s, workers, out);
    arena_free(&arena);
    return ok;
}

/* Registers the targets in libLLVM's own table; the one who opens the back end calls this once, ahead of all
 * else. */
const Backend *weft_backend(void);
const Backend *weft_backend(void)
{
    static const Backend door = { WEFT_BUILD_ID, target_host, target_named, compile, backend_release };
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    LLVMInitializeAArch64TargetInfo();
    LLVMInitializeAArch64Target();
    LLVMInitializeAArch64TargetMC();
    LLVMInitializeAArch64AsmPrinter();
    return &door;
}
