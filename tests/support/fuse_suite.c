/* fuse_suite.c: see fuse_suite.h. */
#include "tests/support/fuse_suite.h"
#include "compiler/fuse/memory/alias.h"
#include "compiler/planes/planes.h"
#include "compiler/text/text.h"
#include "runtime/eager/eager.h"
#include "runtime/exec/compile.h"
#include "tests/support/program_run.h"
#include "tests/support/programs.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const Target wide = {
    .vector_bytes = 64, .vector_registers = 32, .l1_bytes = 48 << 10, .l2_bytes = 1 << 20, .fma = true
};

uint32_t fuse_cache, fuse_parallel;
const char *fuse_target = "host";

const Graph *fuse_parsed(Arena *a, const char *text)
{
    Failure f = { 0 };
    const Parsed *p = text_parse(a, text, strlen(text), "test", &f, NULL);
    cr_assert(p, "%s\n%s", f.text, text);
    return p->funcs[0].graph;
}

void fuse_product_text(char *text, size_t size, const ConvertedProduct *p)
{
    char a[2][64], b[2][64], c[64];
    for (int i = 0; i < 2; i++) {
        int rows = p->turn_left ? p->k : p->m, columns = p->turn_right ? p->k : p->n;
        snprintf(a[i], sizeof a[i], "tensor<%dx%dx%s>", rows, p->m + p->k - rows, p->left[i]);
        snprintf(b[i], sizeof b[i], "tensor<%dx%dx%s>", p->n + p->k - columns, columns, p->right[i]);
    }
    snprintf(c, sizeof c, "tensor<%dx%dx%s>", p->m, p->n, p->result);
    snprintf(text, size,
             "func.func @main(%%a: %s, %%b: %s) -> %s {\n"
             " %%x = stablehlo.convert %%a : (%s) -> %s\n"
             " %%y = stablehlo.convert %%b : (%s) -> %s\n"
             " %%0 = stablehlo.dot_general %%x, %%y, contracting_dims = [%d] x [%d] : (%s, %s) -> %s\n"
             " return %%0 : %s\n}\n",
             a[0], b[0], c, a[0], a[1], b[0], b[1], !p->turn_left, p->turn_right, a[1], b[1], c, c);
}

/* Is what is said of a kernel's buffers by its list of uses what the kernel itself says? */
static void check_listed_uses(const char *what, const Program *p)
{
    enum { MOST_STMTS = 150 }; /* each LOAD against each STORE, each a walk over all */
    KernelUses *uses = alias_new_uses(p);
    for (uint32_t n = 0; n < p->n_kernels; n++) {
        const Kernel *k = &p->kernels[n];
        alias_list_uses(p, uses, k);
        for (Val i = 0; k->n_stmts <= MOST_STMTS && i < k->n_stmts; i++)
            for (Val j = 0; k->stmts[i].kind == ST_LOAD && j < k->n_stmts; j++) {
                uint32_t from = k->stmts[i].buffer, to = k->stmts[j].buffer;
                cr_assert(k->stmts[j].kind != ST_STORE ||
                              alias_in_listed(p, uses, from, to) == alias_in_kernel(p, k, from, to),
                          "%s: buffers %u and %u of kernel %u", what, from, to, n);
            }
    }
}

static Program *checked(Arena *a, const char *what, const Graph *g, NumericMode mode)
{
    Failure wrong = { 0 };
    Target target = wide;
    if (fuse_cache) target.l2_bytes = target.l3_bytes = fuse_cache;
    if (fuse_parallel) target.parallel_ns = fuse_parallel, target.threads = 2;
    Program *p = fuse(a, g, &target, mode, 0);
    if (getenv("WEFT_SHOW")) printf("== %s, mode %d\n%s\n", what, (int)mode, program_print(a, p));
    cr_assert(program_check(p, &wrong), "%s: %s\n%s", what, wrong.text, program_print(a, p));
    check_listed_uses(what, p);
    return p;
}

Program *fused(Arena *a, const Graph *g)
{
    arena_open(a);
    return checked(a, g->name, g, MODE_DEFAULT);
}

Values fuse_inputs(const Graph *g, unsigned seed, int least, unsigned ints)
{
    Values in = values_of_params(g);
    for (uint32_t k = 0; k < in.n; k++)
        for (int64_t i = 0; i < type_count(in.type[k]); i++) {
            seed = seed * 1664525u + 1013904223u;
            double v = (double)(seed >> 8) / (1 << 24) * 4 - 2;
            if (dtype_is_int((DType)in.type[k].dtype)) v = (double)(seed >> 16 & (ints - 1)) + least;
            if (in.type[k].dtype == WEFT_BOOL) v = seed >> 20 & 1;
            put(in.type[k], in.at[k], i, v);
        }
    return in;
}

static void close_to(const char *what, NumericMode mode, const Values *got, const Values *want)
{
    for (uint32_t k = 0; k < got->n; k++)
        for (int64_t i = 0; i < type_count(got->type[k]); i++) {
            double x = get(got->type[k], got->at[k], i), y = get(want->type[k], want->at[k], i);
            cr_assert(x == y || (x != x && y != y) || fabs(x - y) / (1 + fabs(y)) < 1e-4,
                      "%s, mode %d: output %u at %lld is %.9g, not %.9g", what, (int)mode, k, (long long)i, x,
                      y);
        }
}

uint32_t fuse_agrees(const char *what, const Graph *g, NumericMode mode, const Values *in, const Values *want)
{
    Arena a;
    char why[256] = "";
    Values got = values_of_outputs(g);
    arena_open(&a);
    Program *p = checked(&a, what, g, mode);
    cr_assert(program_run(p, (const void *const *)in->at, got.at, why, sizeof why), "%s: %s", what, why);
    close_to(what, mode, &got, want);
    uint32_t kernels = p->n_kernels;
    values_free(&got);
    arena_free(&a);
    return kernels;
}

bool fuse_runs(const char *target) { return !strcmp(target, "host") || code_can_run(target); }

Values fuse_run(const char *what, const Graph *g, const Target *t, NumericMode mode, const Values *in)
{
    Failure wrong = { 0 };
    CompileOptions options = { .mode = mode, .name = what, .target = t };
    Code *code = compile_graph(g, &options, &heap, &wrong);
    cr_assert(code, "%s for %s, mode %d: %s", what, t->cpu, (int)mode, wrong.text);
    Values got = values_of_outputs(g);
    void *scratch = aligned_alloc(64, (code->scratch_bytes + 127) / 64 * 64);
    memset(scratch, 0xff, code->scratch_bytes);
    code->entry((const void *const *)in->at, got.at, scratch, code->consts, &workers_alone);
    free(scratch);
    code_free(code, &heap);
    return got;
}

void fuse_code_agrees(const char *what, const Graph *g, NumericMode mode, const Values *in,
                      const Values *want)
{
    Failure wrong = { 0 };
    Target target;
    cr_assert(compile_target(fuse_target, NULL, &target, &wrong), "%s", wrong.text);
    if (fuse_cache) target.l2_bytes = target.l3_bytes = fuse_cache;
    if (fuse_parallel) target.parallel_ns = fuse_parallel, target.threads = 2;
    Values got = fuse_run(what, g, &target, mode, in);
    for (uint32_t k = 0; k < got.n; k++)
        if (mode == MODE_STRICT || !dtype_is_float((DType)got.type[k].dtype)) {
            int64_t at = differs_at(got.type[k], got.at[k], want->at[k]);
            cr_assert(at < 0, "%s, compiled, mode %d: output %u at %lld is %.9g, not %.9g", what, (int)mode,
                      k, (long long)at, get(got.type[k], got.at[k], at), get(got.type[k], want->at[k], at));
        }
    close_to(what, mode, &got, want);
    values_free(&got);
}

void fuse_compare(const char *what, const Graph *g)
{
    Failure wrong = { 0 };
    cr_assert(g->failure.code == WEFT_OK, "%s: %s", what, g->failure.text);
    g = planes(g->arena, g, false, &wrong); /* programs hold no complex numbers */
    cr_assert(g, "%s: %s", what, wrong.text);
    for (unsigned seed = 1; seed < 4; seed++) {
        Values in = fuse_inputs(g, seed, -3, 16), want = values_of_outputs(g);
        cr_assert(eager_graph(g, (const void *const *)in.at, want.at, &heap, &wrong), "%s: %s", what,
                  wrong.text);
        for (int mode = MODE_STRICT; mode >= MODE_DEFAULT; mode--) {
            fuse_agrees(what, g, (NumericMode)mode, &in, &want);
            fuse_code_agrees(what, g, (NumericMode)mode, &in, &want);
        }
        values_free(&in), values_free(&want);
    }
}
