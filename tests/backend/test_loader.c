/* test_loader.c: objects are loaded, run and unloaded; damaged ones are refused without a read or write
 * outside; no page is writable and executable. */
#include "tests/support/heap.h"
#include "tests/support/programs.h"
#include "runtime/process/backend_open.h"
#include "runtime/exec/loader.h"
#include "runtime/team/team.h"
#include <criterion/criterion.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 37 };

typedef const Program *MakeProgram(ProgramBuilder *b, Arena *arena);

static BackendOutput compile(MakeProgram *make, const Workers *w)
{
    Arena arena;
    ProgramBuilder b;
    Target t;
    BackendOutput out;
    Failure f = { 0 };
    const Backend *backend = backend_get(&f);
    cr_assert(backend && backend->target("host", &t), "%s", f.text);
    arena_open(&arena);
    cr_assert(backend->compile(make(&b, &arena), &t, 0, w, &out), "%s", out.error);
    arena_free(&arena);
    return out;
}

/* exp(x) * 3 + a table entry: code, constants, a relocation of each kind that occurs. */
static const Program *one_kernel(ProgramBuilder *b, Arena *arena)
{
    program_begin(b, arena, MODE_DEFAULT);
    uint32_t x = program_buffer(b, BUF_INPUT, WEFT_F32, N), y = program_buffer(b, BUF_OUTPUT, WEFT_F32, N);
    Val i = put_loop(b, N, 4, 2), v = put_unary(b, OP_EXP, put_load(b, x, AT(0, { i, 1 })));
    put_store(b, y, AT(0, { i, 1 }), put_binary(b, OP_MUL, v, put_const(b, WEFT_F32, 3)));
    put_end(b, i);
    return b->program;
}

static BackendOutput compiled(void) { return compile(one_kernel, NULL); }

/* ---- several objects ---- */

enum { KERNELS = 24 };

static void run_backwards(const Workers *w, PieceFn *fn, const void *frame, void *local,
                          const ParallelLoop *l)
{
    (void)w;
    for (int64_t i = l->pieces; i-- > 0;) fn(frame, i, local);
}

/* Kernel k: tanh, exp(tanh(x)) and so on, 3 k + 1 times over, so that no two are the same, constants stand
 * in memory, and there are functions for more than two shares. */
static const Program *chains(ProgramBuilder *b, Arena *arena)
{
    static const Op op[] = { OP_TANH, OP_EXP, OP_SIN, OP_ERF };
    program_begin(b, arena, MODE_DEFAULT);
    uint32_t x = program_buffer(b, BUF_INPUT, WEFT_F32, N);
    for (uint32_t k = 0; k < KERNELS; k++) {
        uint32_t y = program_buffer(b, BUF_OUTPUT, WEFT_F32, N);
        if (k) program_kernel(b, arena_printf(arena, "k%u", k));
        Val i = put_loop(b, N, 4, 8), v = put_load(b, x, AT(0, { i, 1 }));
        for (uint32_t n = 0; n <= 3 * k; n++) v = put_unary(b, op[n % 4], v);
        put_store(b, y, AT(0, { i, 1 }), v);
        put_end(b, i);
    }
    return b->program;
}

static BackendOutput compiled_with(const Workers *w) { return compile(chains, w); }

static size_t first_object(const BackendOutput *o)
{
    const Elf64_Ehdr *h = o->object;
    return (h->e_shoff + h->e_shnum * sizeof(Elf64_Shdr) + OBJECT_ALIGN - 1) & ~(size_t)(OBJECT_ALIGN - 1);
}

static void run_chains(const BackendOutput *o, float y[KERNELS][N])
{
    Failure f = { 0 };
    Loaded l;
    EntryFn entry;
    float x[N];
    void *out[KERNELS];
    for (int i = 0; i < N; i++) x[i] = (float)i / N;
    for (int k = 0; k < KERNELS; k++) out[k] = y[k];
    cr_assert(loader_load(o->object, o->object_bytes, "weft_entry", &l, &f), "%s", f.text);
    memcpy(&entry, &l.entry, sizeof entry);
    entry((const void *[]){ x }, out, NULL, NULL, &workers_alone);
    loader_unload(&l);
}

/* A copy that may be damaged, in a block of just its size, so that the address sanitizer sees a read past
 * it. */
static char *copy_of(const BackendOutput *o, size_t bytes)
{
    char *copy = malloc(bytes ? bytes : 1);
    memcpy(copy, o->object, bytes);
    return copy;
}

static void release(BackendOutput *o) { backend_get(NULL)->release(o); }

static const Workers backwards = { .run = run_backwards, .most = 3 };

/* A large program is compiled in shares, whose objects are loaded as one. */
Test(loader, loads_several_objects)
{
    float one[KERNELS][N], several[KERNELS][N];
    BackendOutput alone = compiled_with(NULL), shared = compiled_with(&backwards);
    cr_assert(first_object(&alone) >= alone.object_bytes);
    cr_assert(first_object(&shared) < shared.object_bytes / 2);
    run_chains(&alone, one);
    run_chains(&shared, several);
    cr_assert(!memcmp(one, several, sizeof one));
    release(&alone);
    release(&shared);
}

static void expect_refusal(const char *object, size_t bytes, const char *words)
{
    Failure f = { 0 };
    Loaded l;
    cr_assert(!loader_load(object, bytes, "weft_entry", &l, &f));
    cr_assert(strstr(f.text, words), "%s", f.text);
}

Test(loader, refuses_objects_that_do_not_fit_together)
{
    BackendOutput o = compiled_with(&backwards);
    size_t first = first_object(&o);
    char *twice = calloc(2, o.object_bytes);
    expect_refusal(o.object, first, "needs a symbol from outside");
    expect_refusal(o.object, first + 8, "no ELF header");
    memcpy(twice, o.object, o.object_bytes);
    memcpy(twice + o.object_bytes, (char *)o.object + first, o.object_bytes - first);
    expect_refusal(twice, 2 * o.object_bytes - first, "two symbols of one name");
    free(twice);
    release(&o);
}

Test(loader, runs_what_it_loads)
{
    BackendOutput o = compiled();
    Failure f = { 0 };
    Loaded l;
    EntryFn entry;
    float x[N] = { 0 }, y[N];
    cr_assert(loader_load(o.object, o.object_bytes, "weft_entry", &l, &f), "%s", f.text);
    release(&o);
    memcpy(&entry, &l.entry, sizeof entry);
    entry((const void *[]){ x }, (void *[]){ y }, NULL, NULL, &workers_alone);
    for (int i = 0; i < N; i++) cr_assert(y[i] == 3);
    loader_unload(&l);
    cr_assert(!l.pages && !l.entry);
    loader_unload(&l);
}

Test(loader, pages_are_never_writable_and_executable)
{
    BackendOutput o = compiled();
    Failure f = { 0 };
    Loaded l;
    char line[512];
    bool seen = false;
    cr_assert(loader_load(o.object, o.object_bytes, "weft_entry", &l, &f), "%s", f.text);
    FILE *maps = fopen("/proc/self/maps", "r");
    cr_assert(maps);
    while (fgets(line, sizeof line, maps)) {
        unsigned long from, to;
        char rights[5];
        if (sscanf(line, "%lx-%lx %4s", &from, &to, rights) != 3) continue;
        cr_assert(!(rights[1] == 'w' && rights[2] == 'x'), "%s", line);
        if ((uintptr_t)l.pages < from || (uintptr_t)l.pages >= to) continue;
        seen = true;
        cr_assert(!strncmp(rights, "r-x", 3), "%s", line);
    }
    fclose(maps);
    cr_assert(seen);
    loader_unload(&l);
    release(&o);
}

/* The object asks for no stack that can be executed, and its entry is marked as a place to jump to. */
Test(loader, objects_are_hardened)
{
    BackendOutput o = compiled();
    const Elf64_Ehdr *h = o.object;
    const Elf64_Shdr *s = (const void *)((const char *)o.object + h->e_shoff);
    const char *names = (const char *)o.object + s[h->e_shstrndx].sh_offset;
    bool seen = false;
    for (int i = 0; i < h->e_shnum; i++) {
        if (strcmp(names + s[i].sh_name, ".note.GNU-stack")) continue;
        seen = true;
        cr_expect(!(s[i].sh_flags & SHF_EXECINSTR));
    }
    cr_expect(seen);
#if defined __x86_64__
    Failure f = { 0 };
    Loaded l;
    cr_assert(loader_load(o.object, o.object_bytes, "weft_entry", &l, &f), "%s", f.text);
    cr_expect_arr_eq(l.entry, "\xf3\x0f\x1e\xfa", 4); /* endbr64 */
    loader_unload(&l);
#endif
    release(&o);
}

Test(loader, refuses_every_truncation)
{
    BackendOutput o = compiled();
    for (size_t n = 0; n < o.object_bytes; n++) {
        Failure f = { 0 };
        Loaded l;
        char *copy = copy_of(&o, n);
        cr_assert(!loader_load(copy, n, "weft_entry", &l, &f), "%zu bytes of %zu were loaded", n,
                  o.object_bytes);
        cr_assert(f.code == WEFT_COMPILER && f.text[0]);
        cr_assert(!l.pages && !l.entry);
        free(copy);
    }
    release(&o);
}

/* Each byte, damaged in several ways: refused or loaded, but no crash; a loaded entry is inside the code. */
Test(loader, survives_every_damaged_byte)
{
    static const unsigned char masks[] = { 0xff, 0x80, 0x01, 0x10 };
    BackendOutput o = compiled();
    for (size_t at = 0; at < o.object_bytes; at++)
        for (size_t m = 0; m < sizeof masks; m++) {
            Failure f = { 0 };
            Loaded l;
            char *copy = copy_of(&o, o.object_bytes);
            copy[at] = (char)(copy[at] ^ masks[m]);
            if (loader_load(copy, o.object_bytes, "weft_entry", &l, &f)) {
                cr_assert((char *)l.entry >= (char *)l.pages && (char *)l.entry < (char *)l.pages + l.bytes);
                loader_unload(&l);
            } else cr_assert(f.code != WEFT_OK);
            free(copy);
        }
    release(&o);
}

/* Several bytes of headers and tables at once, cut off or not. */
static void damage_at_random(BackendOutput o, int rounds)
{
    uint64_t random = 1;
    for (int round = 0; round < rounds; round++) {
        Failure f = { 0 };
        Loaded l;
        size_t n = round % 3 ? o.object_bytes : round % o.object_bytes;
        char *copy = copy_of(&o, n);
        for (int i = 0; n && i <= round % 7; i++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            size_t from = round % 2 ? n / 2 : 0; /* tables are in the second half */
            copy[from + (random >> 33) % (n - from)] = (char)(random >> 24);
        }
        if (loader_load(copy, n, "weft_entry", &l, &f)) loader_unload(&l);
        else cr_assert(f.code != WEFT_OK && f.text[0]);
        free(copy);
    }
    release(&o);
}

Test(loader, survives_random_damage)
{
    damage_at_random(compiled(), 20000);
    damage_at_random(compiled_with(&backwards), 2000);
}

static Elf64_Shdr *section_of_type(char *object, uint32_t type)
{
    Elf64_Ehdr *h = (void *)object;
    Elf64_Shdr *s = (void *)(object + h->e_shoff);
    for (int i = 0; i < h->e_shnum; i++)
        if (s[i].sh_type == type) return &s[i];
    return NULL;
}

Test(loader, refuses_undefined_symbols)
{
    BackendOutput o = compiled();
    Failure f = { 0 };
    Loaded l;
    Elf64_Shdr *table = section_of_type(o.object, SHT_SYMTAB);
    Elf64_Sym *symbol = (void *)((char *)o.object + table->sh_offset);
    for (size_t i = 1; i < table->sh_size / sizeof *symbol; i++)
        if (ELF64_ST_TYPE(symbol[i].st_info) == STT_FUNC && ELF64_ST_BIND(symbol[i].st_info) == STB_LOCAL)
            symbol[i].st_shndx = SHN_UNDEF;
    cr_assert(!loader_load(o.object, o.object_bytes, "weft_entry", &l, &f));
    cr_assert(strstr(f.text, "needs a symbol from outside"), "%s", f.text);
    release(&o);
}

Test(loader, refuses_writable_sections_and_missing_entries)
{
    BackendOutput o = compiled();
    Failure f = { 0 }, g = { 0 };
    Loaded l;
    cr_assert(!loader_load(o.object, o.object_bytes, "another_entry", &l, &f));
    cr_assert(strstr(f.text, "another_entry"), "%s", f.text);
    Elf64_Ehdr *h = o.object;
    Elf64_Shdr *s = (void *)((char *)o.object + h->e_shoff);
    for (int i = 0; i < h->e_shnum; i++)
        if (s[i].sh_flags & SHF_EXECINSTR) s[i].sh_flags |= SHF_WRITE;
    cr_assert(!loader_load(o.object, o.object_bytes, "weft_entry", &l, &g));
    cr_assert(strstr(g.text, "writable"), "%s", g.text);
    release(&o);
}
