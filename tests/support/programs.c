/* programs.c: see programs.h. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "tests/support/programs.h"
#include "tests/support/heap.h"
#include "tests/support/long_run.h"
#include "tests/support/program_run.h"
#include "runtime/process/backend_open.h"
#include "runtime/library/library.h"
#include "runtime/exec/loader.h"
#include "runtime/team/team.h"
#include <elf.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void program_begin(ProgramBuilder *b, Arena *arena, NumericMode mode)
{
    b->arena = arena;
    b->program = arena_alloc(arena, sizeof *b->program);
    b->program->arena = arena;
    b->program->name = "test";
    b->program->mode = mode;
    program_kernel(b, "k0");
}

void program_kernel(ProgramBuilder *b, const char *name)
{
    Program *p = b->program;
    p->kernels =
        arena_grow(b->arena, p->kernels, p->n_kernels, &p->cap_kernels, p->n_kernels + 1, sizeof *p->kernels);
    b->kernel = &p->kernels[p->n_kernels++];
    b->kernel->name = name;
    b->cap_stmts = 0;
}

static uint32_t add_buffer(ProgramBuilder *b, Buffer buffer)
{
    Program *p = b->program;
    p->buffers =
        arena_grow(b->arena, p->buffers, p->n_buffers, &p->cap_buffers, p->n_buffers + 1, sizeof *p->buffers);
    p->buffers[p->n_buffers] = buffer;
    return p->n_buffers++;
}

uint32_t program_buffer(ProgramBuilder *b, BufferKind kind, DType t, int64_t count)
{
    Program *p = b->program;
    Buffer buffer = { .kind = (uint8_t)kind, .dtype = (uint8_t)t, .count = count, .alias = -1 };
    if (kind == BUF_INPUT) buffer.index = p->n_inputs++;
    if (kind == BUF_OUTPUT) buffer.index = p->n_outputs++;
    if (kind == BUF_TEMP || kind == BUF_LOCAL) {
        buffer.offset = (int64_t)p->scratch_bytes;
        p->scratch_bytes += ((size_t)count * dtype_bytes(t) + 63) & ~(size_t)63;
    }
    return add_buffer(b, buffer);
}

uint32_t program_const(ProgramBuilder *b, DType t, int64_t count, const void *data)
{
    return add_buffer(b, (Buffer){ .kind = BUF_CONST,
                                   .dtype = (uint8_t)t,
                                   .count = count,
                                   .alias = -1,
                                   .data = data,
                                   .index = b->program->n_consts++ });
}

static Val newest(const ProgramBuilder *b) { return b->kernel->n_stmts - 1; }

Stmt *put_stmt(ProgramBuilder *b, StmtKind kind)
{
    Kernel *k = b->kernel;
    k->stmts = arena_grow(b->arena, k->stmts, k->n_stmts, &b->cap_stmts, k->n_stmts + 1, sizeof *k->stmts);
    Stmt *s = &k->stmts[k->n_stmts++];
    *s = (Stmt){ .kind = (uint8_t)kind, .args = { VAL_NONE, VAL_NONE, VAL_NONE }, .lanes = 1, .tile = 1 };
    return s;
}

Val put_loop(ProgramBuilder *b, int64_t extent, int lanes, int tile)
{
    Stmt *s = put_stmt(b, ST_LOOP);
    s->extent = extent;
    s->lanes = (uint16_t)lanes;
    s->tile = (uint16_t)tile;
    return newest(b);
}

void put_end(ProgramBuilder *b, Val loop) { put_stmt(b, ST_END)->args[0] = loop; }

Val put_const(ProgramBuilder *b, DType t, double v)
{
    Stmt *s = put_stmt(b, ST_CONST);
    s->dtype = (uint8_t)t;
    s->imm = scalar_from_double(t, v);
    return newest(b);
}

static void give_address(ProgramBuilder *b, Stmt *s, int64_t offset, const Term *terms, uint32_t n)
{
    s->address = (Address){ offset, n, n ? arena_copy(b->arena, terms, n * sizeof *terms) : NULL };
}

Val put_index(ProgramBuilder *b, DType t, int64_t offset, const Term *terms, uint32_t n)
{
    Stmt *s = put_stmt(b, ST_INDEX);
    s->dtype = (uint8_t)t;
    give_address(b, s, offset, terms, n);
    return newest(b);
}

Val put_load_masked(ProgramBuilder *b, Val mask, uint32_t buffer, int64_t offset, const Term *terms,
                    uint32_t n)
{
    Stmt *s = put_stmt(b, ST_LOAD);
    s->dtype = b->program->buffers[buffer].dtype;
    s->buffer = buffer;
    s->args[0] = mask;
    give_address(b, s, offset, terms, n);
    return newest(b);
}

Val put_load(ProgramBuilder *b, uint32_t buffer, int64_t offset, const Term *terms, uint32_t n)
{
    return put_load_masked(b, VAL_NONE, buffer, offset, terms, n);
}

void put_store_masked(ProgramBuilder *b, Val mask, uint32_t buffer, int64_t offset, const Term *terms,
                      uint32_t n, Val value)
{
    Stmt *s = put_stmt(b, ST_STORE);
    s->buffer = buffer;
    s->args[0] = value;
    s->args[1] = mask;
    give_address(b, s, offset, terms, n);
}

void put_store(ProgramBuilder *b, uint32_t buffer, int64_t offset, const Term *terms, uint32_t n, Val value)
{
    put_store_masked(b, VAL_NONE, buffer, offset, terms, n, value);
}

Val put_op(ProgramBuilder *b, Op op, DType result, Val x, Val y, Val z)
{
    Stmt *s = put_stmt(b, ST_OP);
    s->op = (uint8_t)op;
    s->dtype = (uint8_t)result;
    s->args[0] = x;
    s->args[1] = y;
    s->args[2] = z;
    return newest(b);
}

Val put_compare(ProgramBuilder *b, CompareDir dir, Val x, Val y)
{
    int64_t attr[2] = { dir, ORDER_FLOAT };
    Val v = put_op(b, OP_COMPARE, WEFT_BOOL, x, y, VAL_NONE);
    b->kernel->stmts[v].attr = arena_copy(b->arena, attr, sizeof attr);
    return v;
}

Val put_unary(ProgramBuilder *b, Op op, Val a)
{
    return put_op(b, op, b->kernel->stmts[a].dtype, a, VAL_NONE, VAL_NONE);
}
Val put_binary(ProgramBuilder *b, Op op, Val x, Val y)
{
    return put_op(b, op, b->kernel->stmts[x].dtype, x, y, VAL_NONE);
}

Val put_arg_reducer(ProgramBuilder *b, Op op, DType t, DType index)
{
    Stmt *s = put_stmt(b, ST_REDUCER);
    s->op = (uint8_t)op;
    s->dtype = (uint8_t)t;
    s->index_dtype = (uint8_t)index;
    return newest(b);
}

Val put_reducer(ProgramBuilder *b, Op op, DType t) { return put_arg_reducer(b, op, t, WEFT_I32); }

void put_fold(ProgramBuilder *b, Val reducer, Val value, Val index)
{
    Stmt *s = put_stmt(b, ST_FOLD);
    s->args[0] = reducer;
    s->args[1] = value;
    s->args[2] = index;
}

Val put_total(ProgramBuilder *b, Val reducer)
{
    Stmt *s = put_stmt(b, ST_TOTAL), *r = &b->kernel->stmts[reducer];
    bool is_arg = r->kind == ST_REDUCER && (r->op == OP_ARGMIN || r->op == OP_ARGMAX);
    s->args[0] = reducer;
    s->dtype = is_arg ? r->index_dtype : r->dtype;
    return newest(b);
}

Val put_carry(ProgramBuilder *b, Val start)
{
    Stmt *s = put_stmt(b, ST_CARRY);
    s->dtype = b->kernel->stmts[start].dtype;
    s->args[0] = start;
    return newest(b);
}

void put_set(ProgramBuilder *b, Val carry, Val value)
{
    Stmt *s = put_stmt(b, ST_SET);
    s->args[0] = carry;
    s->args[1] = value;
}

Val put_while(ProgramBuilder *b) { return put_loop(b, EXTENT_WHILE, 1, 1); }
void put_test(ProgramBuilder *b, Val test) { put_stmt(b, ST_TEST)->args[0] = test; }

Val put_prefix(ProgramBuilder *b, Val reducer, Val value)
{
    Stmt *s = put_stmt(b, ST_PREFIX);
    s->dtype = b->kernel->stmts[reducer].dtype;
    s->args[0] = reducer;
    s->args[1] = value;
    return newest(b);
}

Val put_counter(ProgramBuilder *b, uint32_t counter)
{
    Stmt *s = put_stmt(b, ST_COUNTER);
    s->dtype = WEFT_I64;
    s->imm = counter;
    return newest(b);
}

/* ---- steps ---- */

uint32_t put_step(ProgramBuilder *b, StepKind kind)
{
    Program *p = b->program;
    p->steps = arena_grow(b->arena, p->steps, p->n_steps, &p->cap_steps, p->n_steps + 1, sizeof *p->steps);
    p->steps[p->n_steps] = (ProgramStep){ .kind = (uint8_t)kind };
    return p->n_steps++;
}

void put_step_kernel(ProgramBuilder *b, const char *name)
{
    bool is_first = true;
    for (uint32_t i = 0; i < b->program->n_steps; i++) is_first &= b->program->steps[i].kind != STEP_KERNEL;
    if (!is_first) program_kernel(b, name);
    uint32_t step = put_step(b, STEP_KERNEL);
    b->program->steps[step].kernel = b->program->n_kernels - 1;
}

uint32_t put_step_loop(ProgramBuilder *b, int64_t extent)
{
    uint32_t step = put_step(b, extent == EXTENT_WHILE ? STEP_WHILE : STEP_LOOP);
    b->program->steps[step].extent = extent;
    b->program->steps[step].counter = b->program->n_counters++;
    return step;
}

static uint32_t put_inner_step(ProgramBuilder *b, StepKind kind, uint32_t opened)
{
    uint32_t step = put_step(b, kind);
    b->program->steps[step].opened = opened;
    return step;
}

void put_step_test(ProgramBuilder *b, uint32_t opened, uint32_t buffer)
{
    uint32_t step = put_inner_step(b, STEP_TEST, opened);
    b->program->steps[step].buffer = buffer;
}

void put_step_branch(ProgramBuilder *b, uint32_t opened) { put_inner_step(b, STEP_BRANCH, opened); }
void put_step_end(ProgramBuilder *b, uint32_t opened) { put_inner_step(b, STEP_END, opened); }

uint32_t put_step_case(ProgramBuilder *b, uint32_t buffer, int64_t branches)
{
    uint32_t step = put_step(b, STEP_CASE);
    b->program->steps[step].buffer = buffer;
    b->program->steps[step].extent = branches;
    return step;
}

void put_step_swap(ProgramBuilder *b, uint32_t buffer, uint32_t other)
{
    uint32_t step = put_step(b, STEP_SWAP);
    ProgramStep *s = &b->program->steps[step];
    s->buffer = buffer;
    s->other = other;
}

void put_step_call(ProgramBuilder *b, Library function, const uint32_t *buffers, uint32_t n_buffers,
                   const int64_t *numbers, uint32_t n_numbers)
{
    uint32_t step = put_step(b, STEP_CALL);
    ProgramStep *s = &b->program->steps[step];
    s->function = (uint8_t)function;
    s->buffers = arena_copy(b->arena, buffers, n_buffers * sizeof *buffers);
    s->n_buffers = n_buffers;
    s->numbers = arena_copy(b->arena, numbers, n_numbers * sizeof *numbers);
    s->n_numbers = n_numbers;
    b->program->library |= 1u << function;
}

/* ---- machine code ---- */

/* A test that fails says why and crashes: so this needs nothing of the test framework. */
#define require(condition, ...) \
    ((condition) ? (void)0 : (fprintf(stderr, __VA_ARGS__), fputc('\n', stderr), abort()))

Arena *code_arena(void)
{
    static Arena arena;
    arena_open(&arena);
    return &arena;
}

const Backend *code_backend(void)
{
    Failure f = { 0 };
    const Backend *b = backend_get(&f);
    require(b, "%s", f.text);
    return b;
}

const char *const code_targets[CODE_TARGETS] = { "avx512", "avx2", "sse2", "aarch64" };

bool code_can_run(const char *target)
{
#ifdef __x86_64__
    if (!strcmp(target, "avx512"))
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512bw");
    if (!strcmp(target, "avx2"))
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
               __builtin_cpu_supports("f16c");
    return !strcmp(target, "sse2");
#else
    return !strcmp(target, "aarch64");
#endif
}

BackendOutput code_compile(const Program *p, const char *target)
{
    Target t;
    BackendOutput out;
    Failure f = { 0 };
    require(program_check(p, &f), "%s", f.text);
    require(code_backend()->target(target, &t), "%s is no target", target);
    require(code_backend()->compile(p, &t, BACKEND_IR, NULL, &out), "%s: %s\n%s", target, out.error,
            out.ir ? out.ir : "");
    return out;
}

int code_count(const char *target, void make(ProgramBuilder *, int lanes), const char *const *words, size_t n)
{
    Arena *arena = code_arena();
    ProgramBuilder b;
    Target t;
    BackendOutput out;
    int count = 0;
    program_begin(&b, arena, MODE_DEFAULT);
    make(&b, code_lanes(target));
    require(code_backend()->target(target, &t), "%s is no target", target);
    require(code_backend()->compile(b.program, &t, BACKEND_ASM, NULL, &out), "%s: %s", target, out.error);
    for (size_t k = 0; k < n; k++)
        for (const char *at = out.assembly; (at = strstr(at, words[k])); at++) count++;
    code_backend()->release(&out);
    arena_free(arena);
    return count;
}

/* The first undefined symbol of an object, NULL if there is none. */
const char *code_undefined(const BackendOutput *out)
{
    const char *file = out->object;
    const Elf64_Ehdr *h = out->object;
    const Elf64_Shdr *s = (const void *)(file + h->e_shoff);
    for (int i = 0; i < h->e_shnum; i++) {
        if (s[i].sh_type != SHT_SYMTAB) continue;
        const Elf64_Sym *symbol = (const void *)(file + s[i].sh_offset);
        for (size_t k = 1; k < s[i].sh_size / sizeof *symbol; k++)
            if (symbol[k].st_shndx == SHN_UNDEF) return file + s[s[i].sh_link].sh_offset + symbol[k].st_name;
    }
    return NULL;
}

void code_run(const BackendOutput *out, const Program *p, const void *const *in, void *const *outs)
{
    Loaded l;
    Failure f = { 0 };
    EntryFn entry;
    const void *consts[16];
    void *scratch = aligned_alloc(64, p->scratch_bytes + 64);
    for (uint32_t i = 0; i < p->n_buffers; i++)
        if (p->buffers[i].kind == BUF_CONST) consts[p->buffers[i].index] = p->buffers[i].data;
    library_addresses(p, consts + p->n_consts);
    require(loader_load(out->object, out->object_bytes, "weft_entry", &l, &f), "%s", f.text);
    memcpy(&entry, &l.entry, sizeof entry);
    entry(in, outs, scratch, consts, &workers_alone);
    loader_unload(&l);
    free(scratch);
}

static uint64_t random_state = 88172645463325252u;
uint64_t code_random(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    return random_state ^= random_state << 17;
}

bool code_same(DType t, uint64_t a, uint64_t b)
{
    if (a == b) return true;
    return dtype_is_float(t) && isnan(scalar_to_double(t, a)) && isnan(scalar_to_double(t, b));
}

int code_lanes(const char *target)
{
    Target t;
    code_backend()->target(target, &t);
    return t.vector_bytes / 4;
}

bool code_full_bits;

/* Inputs stand at one edge of pages with none to read on either side: what a lane that does not count reads
 * past the end, or before the start, is seen. */
typedef struct Fenced {
    char *map;
    size_t bytes;
} Fenced;

static void *fenced_alloc(Fenced *f, size_t bytes, bool at_start)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), inside = (bytes + page - 1) / page * page;
    f->bytes = inside + 2 * page;
    f->map = mmap(NULL, f->bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    require(f->map != MAP_FAILED && (!inside || !mprotect(f->map + page, inside, PROT_READ | PROT_WRITE)),
            "no pages");
    return f->map + page + (at_start ? 0 : inside - bytes);
}

typedef struct Memory {
    void *in[8], *out[8], *want[8];
    Fenced fenced[8];
} Memory;

static Memory memory_of(const Program *p, bool at_start)
{
    Memory m = { .in = { NULL } };
    for (uint32_t i = 0; i < p->n_buffers; i++) {
        const Buffer *b = &p->buffers[i];
        size_t bytes = (size_t)b->count * dtype_bytes((DType)b->dtype);
        if (b->kind == BUF_INPUT) m.in[b->index] = fenced_alloc(&m.fenced[b->index], bytes, at_start);
        if (b->kind == BUF_OUTPUT) {
            m.out[b->index] = malloc(bytes + 64);
            m.want[b->index] = malloc(bytes + 64);
            memset(m.out[b->index], 0xa5, bytes + 64);
            memset(m.want[b->index], 0xa5, bytes + 64);
        }
        for (int64_t k = 0; b->kind == BUF_INPUT && k < b->count; k++) {
            /* few bits: sums of products are exact in any order */
            double v = (double)(int64_t)(code_random() >> 20 & 0xffff) / 65536 * 4 - 2;
            v = code_full_bits ? v + ldexp((double)(code_random() >> 20), -45) : ldexp(rint(ldexp(v, 4)), -4);
            if (b->dtype == WEFT_BOOL) v = v > 0;
            if (dtype_is_int((DType)b->dtype)) v = (double)(code_random() % 64);
            scalar_store((DType)b->dtype, (char *)m.in[b->index] + (size_t)k * dtype_bytes((DType)b->dtype),
                         scalar_from_double((DType)b->dtype, v));
        }
    }
    return m;
}

static void memory_free(Memory *m)
{
    for (int i = 0; i < 8; i++) {
        if (m->fenced[i].map) munmap(m->fenced[i].map, m->fenced[i].bytes);
        free(m->out[i]);
        free(m->want[i]);
    }
}

static void check_outputs(const Program *p, const Memory *m, const char *target)
{
    for (uint32_t i = 0; i < p->n_buffers; i++) {
        const Buffer *b = &p->buffers[i];
        size_t bytes = dtype_bytes((DType)b->dtype);
        if (b->kind != BUF_OUTPUT) continue;
        for (int64_t k = 0; k < b->count; k++) {
            uint64_t g = scalar_load((DType)b->dtype, (char *)m->out[b->index] + (size_t)k * bytes);
            uint64_t w = scalar_load((DType)b->dtype, (char *)m->want[b->index] + (size_t)k * bytes);
            require(code_same((DType)b->dtype, g, w), "%s: output %u at %lld: %g, not %g", target, b->index,
                    (long long)k, scalar_to_double((DType)b->dtype, g), scalar_to_double((DType)b->dtype, w));
        }
        for (size_t k = 0; k < 64; k++)
            require(((unsigned char *)m->out[b->index])[(size_t)b->count * bytes + k] == 0xa5,
                    "%s: output %u is written past its end", target, b->index);
    }
}

/* What can't run here is compiled now and then: that LLVM takes it. */
static bool is_checked(const char *target)
{
    static int number;
    return code_can_run(target) || long_run() || number++ % 8 == 0;
}

/* make writes the program for vectors of this many f32. */
void code_check(void make(ProgramBuilder *, int lanes))
{
    for (int i = 0; i < CODE_TARGETS; i++) {
        if (!is_checked(code_targets[i])) continue;
        char why[512] = "";
        ProgramBuilder b;
        Arena *arena = code_arena();
        program_begin(&b, arena, MODE_STRICT);
        make(&b, code_lanes(code_targets[i]));
        Memory m = memory_of(b.program, code_random() % 2);
        const void *const *in = (const void *const *)m.in;
        require(program_run(b.program, in, m.want, why, sizeof why), "%s", why);
        BackendOutput o = code_compile(b.program, code_targets[i]);
        require(!code_undefined(&o), "%s: %s is undefined", code_targets[i], code_undefined(&o));
        if (code_can_run(code_targets[i])) {
            code_run(&o, b.program, in, m.out);
            check_outputs(b.program, &m, code_targets[i]);
        }
        code_backend()->release(&o);
        memory_free(&m);
        arena_free(arena);
    }
}
