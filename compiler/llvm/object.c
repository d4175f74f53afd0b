/* object.c: the back end's door: a program and a target in, a relocatable object out.
 *
 * One module per program: a function weft_entry, and one internal function per kernel that takes the addresses of the buffers it uses. All that is made
 * lives in a context of its own and is gone when the call returns, so calls from several threads do not meet.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "emit.h"

static double now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

/* ---- functions ---- */

static void text_attribute(Emitter *e, LLVMValueRef f, const char *key, const char *value)
{
    LLVMAddAttributeAtIndex(f, LLVMAttributeFunctionIndex,
                            LLVMCreateStringAttribute(e->context, key, (unsigned)strlen(key), value, (unsigned)strlen(value)));
}

static void flag_attribute(Emitter *e, LLVMValueRef f, LLVMAttributeIndex at, const char *name)
{
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    LLVMAddAttributeAtIndex(f, at, LLVMCreateEnumAttribute(e->context, kind, 0));
}

/* Some CPUs' tuning splits 512-bit operations: vectors are of the width that the program was made for. */
void function_attributes(Emitter *e, LLVMValueRef f)
{
    char width[16];
    snprintf(width, sizeof width, "%d", 8 * e->target->vector_bytes);
    flag_attribute(e, f, LLVMAttributeFunctionIndex, "nounwind");
    text_attribute(e, f, "prefer-vector-width", width);
    text_attribute(e, f, "min-legal-vector-width", width);
    text_attribute(e, f, "no-builtins", "true");
}

static bool uses(const Kernel *k, uint32_t buffer)
{
    for (uint32_t i = 0; i < k->n_stmts; i++)
        if ((k->stmts[i].kind == ST_LOAD || k->stmts[i].kind == ST_STORE) && k->stmts[i].buffer == buffer) return true;
    return false;
}

static bool is_scratch(const Buffer *b) { return b->kind == BUF_TEMP || b->kind == BUF_LOCAL; }

static bool overlap(const Buffer *a, const Buffer *b)
{
    int64_t na = a->count * (int64_t)dtype_bytes((DType)a->dtype), nb = b->count * (int64_t)dtype_bytes((DType)b->dtype);
    return a->offset < b->offset + nb && b->offset < a->offset + na;
}

/* May the memory of two buffers be one? Scratch is shared by plan, a donated input by its output. */
static bool may_alias(const Buffer *a, const Buffer *b)
{
    if (is_scratch(a) && is_scratch(b)) return overlap(a, b);
    if (a->kind == BUF_OUTPUT && a->alias >= 0) return b->kind == BUF_INPUT && b->index == (uint32_t)a->alias;
    if (b->kind == BUF_OUTPUT && b->alias >= 0) return a->kind == BUF_INPUT && a->index == (uint32_t)b->alias;
    return false;
}

typedef struct KernelBuffers { uint32_t *which, n; } KernelBuffers;

static KernelBuffers kernel_buffers(Emitter *e, const Kernel *k)
{
    KernelBuffers out = { arena_alloc(e->arena, e->program->n_buffers * sizeof(uint32_t) + 1), 0 };
    for (uint32_t i = 0; i < e->program->n_buffers; i++)
        if (uses(k, i)) out.which[out.n++] = i;
    return out;
}

static bool is_apart(const Emitter *e, const KernelBuffers *used, uint32_t i)
{
    for (uint32_t j = 0; j < used->n; j++)
        if (j != i && may_alias(&e->program->buffers[used->which[i]], &e->program->buffers[used->which[j]])) return false;
    return true;
}

static LLVMValueRef kernel_function(Emitter *e, const Kernel *k, const KernelBuffers *used)
{
    LLVMTypeRef *types = arena_alloc(e->arena, (used->n + 1) * sizeof *types);
    Pool *pool = &e->pool;
    *pool = (Pool){ .base = NULL };
    bool has_pool = pool_wanted(e, k);
    for (uint32_t i = 0; i < used->n + has_pool; i++) types[i] = e->ptr;
    LLVMTypeRef type = LLVMFunctionType(e->void_type, types, used->n + has_pool, false);
    LLVMValueRef f = LLVMAddFunction(e->module, k->name ? k->name : "kernel", type);
    if (has_pool) pool->base = LLVMGetParam(f, used->n);
    pool->here = has_pool;
    LLVMSetLinkage(f, LLVMInternalLinkage);
    function_attributes(e, f);
    for (uint32_t i = 0; i < used->n; i++) {
        if (is_apart(e, used, i)) flag_attribute(e, f, i + 1, "noalias");
        e->buffers[used->which[i]] = LLVMGetParam(f, i);
    }
    return f;
}

static LLVMValueRef item_of(Emitter *e, LLVMValueRef list, uint32_t index)
{
    LLVMValueRef at = const_i64(e, index);
    return LLVMBuildLoad2(e->b, e->ptr, LLVMBuildGEP2(e->b, e->ptr, list, &at, 1, ""), "");
}

static LLVMValueRef buffer_address(Emitter *e, LLVMValueRef entry, const Buffer *b)
{
    LLVMValueRef offset = const_i64(e, b->offset);
    switch ((BufferKind)b->kind) {
    case BUF_INPUT:  return item_of(e, LLVMGetParam(entry, 0), b->index);
    case BUF_OUTPUT: return item_of(e, LLVMGetParam(entry, 1), b->index);
    case BUF_CONST:  return item_of(e, LLVMGetParam(entry, 3), b->index);
    default:         return LLVMBuildGEP2(e->b, e->i8, LLVMGetParam(entry, 2), &offset, 1, "");
    }
}

static void emit_call(Emitter *e, LLVMValueRef entry, LLVMBasicBlockRef block, LLVMValueRef kernel, const KernelBuffers *used)
{
    LLVMValueRef *args = arena_alloc(e->arena, (used->n + 1) * sizeof *args);
    LLVMPositionBuilderAtEnd(e->b, block);
    for (uint32_t i = 0; i < used->n; i++) args[i] = buffer_address(e, entry, &e->program->buffers[used->which[i]]);
    if (e->pool.base) args[used->n] = pool_global(e);
    LLVMBuildCall2(e->b, LLVMGlobalGetValueType(kernel), kernel, args, used->n + !!e->pool.base, "");
}

static void emit_program(Emitter *e)
{
    const Program *p = e->program;
    LLVMTypeRef params[4] = { e->ptr, e->ptr, e->ptr, e->ptr };
    LLVMValueRef entry = LLVMAddFunction(e->module, "weft_entry", LLVMFunctionType(e->void_type, params, 4, false));
    LLVMBasicBlockRef calls = LLVMAppendBasicBlockInContext(e->context, entry, "entry");
    function_attributes(e, entry);
    flag_attribute(e, entry, LLVMAttributeFunctionIndex, "noinline");
    flag_attribute(e, entry, LLVMAttributeFunctionIndex, "optnone");
    e->buffers = arena_alloc(e->arena, p->n_buffers * sizeof *e->buffers + 1);
    for (uint32_t i = 0; i < p->n_kernels; i++) {
        KernelBuffers used = kernel_buffers(e, &p->kernels[i]);
        LLVMValueRef f = kernel_function(e, &p->kernels[i], &used);
        LLVMPositionBuilderAtEnd(e->b, LLVMAppendBasicBlockInContext(e->context, f, "entry"));
        emit_kernel(e, &p->kernels[i], f);
        emit_call(e, entry, calls, f, &used);
    }
    LLVMPositionBuilderAtEnd(e->b, calls);
    LLVMBuildRetVoid(e->b);
}

/* ---- one compilation ---- */

typedef struct Job {
    Emitter e;
    Arena arena;
    LLVMTargetMachineRef machine;
    BackendOutput *out;
} Job;

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
    e->has_sse41 = e->is_x86 && (t->vector_bytes >= 32 || strstr(t->features, "+sse4.1"));
}

static void open_context(Job *j, const Program *p, const Target *t)
{
    Emitter *e = &j->e;
    LLVMContextRef c = LLVMContextCreate();
    e->arena = &j->arena;
    e->program = p;
    e->target = t;
    e->context = c;
    e->module = LLVMModuleCreateWithNameInContext(p->name ? p->name : "program", c);
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
}

static bool open_machine(Job *j)
{
    char *error = NULL;
    j->machine = target_machine(j->e.target, &error);
    if (!j->machine) {
        say(j->out, "no such target", error ? error : j->e.target->triple);
        LLVMDisposeMessage(error);
        return false;
    }
    LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(j->machine);
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

static bool verified(Job *j)
{
    char *message = NULL;
    bool bad = LLVMVerifyModule(j->e.module, LLVMReturnStatusAction, &message);
    if (bad) say(j->out, "the emitted module is not valid", message);
    LLVMDisposeMessage(message);
    return !bad;
}

static LLVMMemoryBufferRef machine_code(Job *j, LLVMCodeGenFileType kind)
{
    LLVMMemoryBufferRef buffer = NULL;
    char *error = NULL;
    if (!LLVMTargetMachineEmitToMemoryBuffer(j->machine, j->e.module, kind, &error, &buffer)) return buffer;
    say(j->out, "no machine code", error ? error : "unknown");
    LLVMDisposeMessage(error);
    return NULL;
}

/* The assembly comes from a copy: emitting code changes the module. */
static bool emit_assembly(Job *j)
{
    LLVMModuleRef whole = j->e.module;
    j->e.module = LLVMCloneModule(whole);
    LLVMMemoryBufferRef text = machine_code(j, LLVMAssemblyFile);
    LLVMDisposeModule(j->e.module);
    j->e.module = whole;
    if (!text) return false;
    j->out->assembly = copy_text(LLVMGetBufferStart(text), LLVMGetBufferSize(text));
    LLVMDisposeMemoryBuffer(text);
    return true;
}

static bool emit_object(Job *j)
{
    LLVMMemoryBufferRef object = machine_code(j, LLVMObjectFile);
    if (!object) return false;
    j->out->object_bytes = LLVMGetBufferSize(object);
    j->out->object = copy_text(LLVMGetBufferStart(object), j->out->object_bytes);
    LLVMDisposeMemoryBuffer(object);
    if (!j->out->object) say(j->out, "out of memory", "the object");
    return j->out->object;
}

static bool run_job(Job *j, const Program *p, const Target *t, unsigned also)
{
    double start = now_us();
    open_context(j, p, t);
    if (!open_machine(j)) return false;
    emit_program(&j->e);
    j->out->emit_us = now_us() - start;
    if (j->e.missing) {
        say(j->out, "no code for the op", j->e.missing);
        return false;
    }
    if (also & BACKEND_IR) {
        char *text = LLVMPrintModuleToString(j->e.module);
        j->out->ir = copy_text(text, strlen(text));
        LLVMDisposeMessage(text);
    }
    if (also && !verified(j)) return false;
    if (also & BACKEND_ASM && !emit_assembly(j)) return false;
    start = now_us();
    bool ok = emit_object(j);
    j->out->codegen_us = now_us() - start;
    return ok;
}

static void close_job(Job *j)
{
    if (j->machine) LLVMDisposeTargetMachine(j->machine);
    if (j->e.b) LLVMDisposeBuilder(j->e.b);
    if (j->e.module) LLVMDisposeModule(j->e.module);
    if (j->e.context) LLVMContextDispose(j->e.context);
    arena_free(&j->arena);
}

static void release(BackendOutput *out)
{
    free(out->object);
    free(out->ir);
    free(out->assembly);
    memset(out, 0, sizeof *out);
}

static bool compile(const Program *p, const Target *t, unsigned also, BackendOutput *out)
{
    Guard guard;
    Job *j = calloc(1, sizeof *j);
    memset(out, 0, sizeof *out);
    if (!j) {
        say(out, "out of memory", "the emitter");
        return false;
    }
    j->out = out;
    arena_init(&j->arena, &heap, &guard);
    bool ok = false;
    if (setjmp(guard.env)) say(out, "out of memory", "the emitter");
    else ok = run_job(j, p, t, also);
    close_job(j);
    free(j);
    return ok;
}

/* Registers the targets in libLLVM's own table; the one who opens the back end calls this once, ahead of all else. */
const Backend *weft_backend(void);
const Backend *weft_backend(void)
{
    static const Backend door = { WEFT_BUILD_ID, LLVM_VERSION_MAJOR, target_host, target_named, compile, release };
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
