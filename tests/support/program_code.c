/* program_code.c: see program_code.h. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "tests/support/heap.h"
#include "tests/support/program_code.h"
#include "tests/support/program_run.h"
#include "runtime/process/backend_open.h"
#include "runtime/library/library.h"
#include "runtime/exec/loader.h"
#include <elf.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

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
    require(code_backend()->compile(p, &t, BACKEND_IR, &out), "%s: %s\n%s", target, out.error,
            out.ir ? out.ir : "");
    return out;
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
    entry(in, outs, scratch, consts);
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

/* make writes the program for vectors of this many f32. */
void code_check(void make(ProgramBuilder *, int lanes))
{
    for (int i = 0; i < CODE_TARGETS; i++) {
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
