/* test_compile_control.c: programs with control flow, mapped in every way, compiled in strict mode: eager
 * mode's bits. */
#include "compiler/vmap/vmap.h"
#include "tests/graphs/control_programs.h"
#include "tests/support/graph_suite.h"
#include "runtime/exec/compile.h"
#include <criterion/criterion.h>
#include <string.h>

TestSuite(compile_control, .init = open_arena, .fini = close_arena, .timeout = 300);

static void compare(const char *name, const Graph *g)
{
    Failure f = { 0 };
    Code *code = compile_graph(g, &(CompileOptions){ .mode = MODE_STRICT, .name = "control" }, &heap, &f);
    cr_assert(code, "%s: %s", name, f.text);
    const void **in = arena_alloc(&arena, (g->n_params + 1) * sizeof *in);
    void **want = outputs_of(g), **got = outputs_of(g);
    char *scratch = arena_alloc(&arena, code->scratch_bytes + 128);
    for (int round = 0; round < 3; round++) {
        for (uint32_t i = 0; i < g->n_params; i++) in[i] = random_array(graph_type(g, g->params[i]));
        for (uint32_t i = 0; i < g->n_outputs; i++)
            memset(got[i], 0xa5, bytes_of(graph_type(g, g->outputs[i])));
        eager_run(g, in, want);
        code->entry(in, got, (char *)(((uintptr_t)scratch + 63) & ~(uintptr_t)63), code->consts,
                    &workers_alone);
        for (uint32_t i = 0; i < g->n_outputs; i++) {
            Type t = graph_type(g, g->outputs[i]);
            int64_t at = differs_at(t, want[i], got[i]);
            cr_assert(at < 0, "%s, element %lld: %g, eagerly %g", name, (long long)at, get(t, got[i], at),
                      get(t, want[i], at));
        }
    }
    code_free(code, &heap);
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
