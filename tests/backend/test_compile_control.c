/* test_compile_control.c: programs with control flow, mapped in every way, compiled in strict mode: eager
 * mode's bits. */
#include "compiler/vmap/vmap.h"
#include "tests/support/control_programs.h"
#include "tests/support/graph_support.h"
#include "runtime/exec/compile.h"
#include "runtime/eager/eager.h"
#include <criterion/criterion.h>
#include <math.h>

static Guard guard;
static Arena arena;
static uint64_t random_state = 88172645463325252u;

static void open_arena(void) { arena_init(&arena, &support_allocator, &guard); }
static void close_arena(void) { arena_free(&arena); }
TestSuite(compile_control, .init = open_arena, .fini = close_arena, .timeout = 300);

static uint32_t random_below(uint32_t n)
{
    random_state ^= random_state << 13, random_state ^= random_state >> 7, random_state ^= random_state << 17;
    return (uint32_t)(random_state >> 33) % n;
}

static size_t bytes_of(Type t) { return (size_t)type_count(t) * dtype_bytes((DType)t.dtype); }

static void *random_array(Type t)
{
    char *p = arena_alloc(&arena, bytes_of(t) + 64);
    for (int64_t i = 0; i < type_count(t); i++) {
        double v = random_below(12) == 0 ? (double[]){ -0.0, INFINITY, NAN, 1e30 }[random_below(4)]
                                         : (int)random_below(2001) / 200.0 - 4;
        scalar_store((DType)t.dtype, p + (size_t)i * dtype_bytes((DType)t.dtype),
                     scalar_from_double((DType)t.dtype, v));
    }
    return p;
}

static void expect_same(const char *name, Type t, const void *a, const void *b)
{
    size_t bytes = dtype_bytes((DType)t.dtype);
    for (int64_t i = 0; i < type_count(t); i++) {
        uint64_t x = scalar_load((DType)t.dtype, (const char *)a + (size_t)i * bytes),
                 y = scalar_load((DType)t.dtype, (const char *)b + (size_t)i * bytes);
        bool nans = dtype_is_float((DType)t.dtype) && isnan(scalar_to_double((DType)t.dtype, x)) &&
                    isnan(scalar_to_double((DType)t.dtype, y));
        cr_assert(x == y || nans, "%s, element %lld: %g, eagerly %g", name, (long long)i,
                  scalar_to_double((DType)t.dtype, y), scalar_to_double((DType)t.dtype, x));
    }
}

static void compare(const char *name, const Graph *g)
{
    Failure f = { 0 };
    Code *code =
        compile_graph(g, &(CompileOptions){ .mode = MODE_STRICT, .name = "control" }, &support_allocator, &f);
    cr_assert(code, "%s: %s", name, f.text);
    const void **in = arena_alloc(&arena, (g->n_params + 1) * sizeof *in);
    void **want = arena_alloc(&arena, (g->n_outputs + 1) * sizeof *want),
         **got = arena_alloc(&arena, (g->n_outputs + 1) * sizeof *got);
    char *scratch = arena_alloc(&arena, code->scratch_bytes + 128);
    for (int round = 0; round < 3; round++) {
        for (uint32_t i = 0; i < g->n_params; i++) in[i] = random_array(graph_type(g, g->params[i]));
        for (uint32_t i = 0; i < g->n_outputs; i++) {
            size_t bytes = bytes_of(graph_type(g, g->outputs[i]));
            want[i] = arena_alloc(&arena, bytes + 64), got[i] = arena_alloc(&arena, bytes + 64);
            memset(got[i], 0xa5, bytes);
        }
        cr_assert(eager_graph(g, in, want, &support_allocator, &f), "%s", f.text);
        code->entry(in, got, (char *)(((uintptr_t)scratch + 63) & ~(uintptr_t)63), code->consts);
        for (uint32_t i = 0; i < g->n_outputs; i++)
            expect_same(name, graph_type(g, g->outputs[i]), want[i], got[i]);
    }
    code_free(code, &support_allocator);
}

static void compare_mapped(size_t program, uint32_t subset, int64_t size)
{
    const ControlProgram *p = &control_programs[program];
    int64_t in[8], out[8] = { 0 };
    Graph *g = p->make(&arena);
    for (uint32_t i = 0; i < g->n_params; i++) in[i] = subset >> i & 1 ? 0 : VMAP_NONE;
    const char *name =
        arena_printf(&arena, "%s, operands %x mapped over %lld", p->name, subset, (long long)size);
    compare(name, subset ? vmap_graph(&arena, g, in, size, out, NULL, NULL) : g);
    arena_free(&arena);
}

Test(compile_control, programs_are_eager_modes)
{
    static const int64_t sizes[] = { 3, 37, 0, 1 };
    for (size_t i = 0; i < N_CONTROL_PROGRAMS; i++) {
        uint32_t n = control_programs[i].make(&arena)->n_params;
        for (uint32_t subset = 0; subset < 1u << n; subset++) compare_mapped(i, subset, sizes[subset % 2]);
        for (int k = 2; k < 4; k++) compare_mapped(i, (1u << n) - 1, sizes[k]);
    }
}
