/* weft_dump.c: weft-dump: a StableHLO text file, what each stage makes of it, and what it computes. The man
 * page is docs/weft-dump.1. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "compiler/derive/jvp/jvp.h"
#include "compiler/derive/vjp.h"
#include "compiler/passes/raise.h"
#include "compiler/vmap/vmap.h"
#include "compiler/text/text.h"
#include "dump.h"

double dump_now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static void *resize(void *user, void *p, size_t old_bytes, size_t new_bytes)
{
    (void)user;
    (void)old_bytes;
    if (new_bytes) return realloc(p, new_bytes);
    free(p);
    return NULL;
}

const Allocator dump_allocator = { resize, NULL };

/* Reading. */

static char *read_text(Arena *a, const char *path, size_t *n, Failure *f)
{
    FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
    uint32_t capacity = 0, used = 0;
    char *text = NULL;
    if (!file) {
        fail(f, WEFT_IO, "%s cannot be opened", path);
        return NULL;
    }
    for (;;) {
        if (used > UINT32_MAX / 2) {
            fail(f, WEFT_IO, "%s is too long", path);
            break;
        }
        text = arena_grow(a, text, used, &capacity, used + 65536, 1);
        size_t got = fread(text + used, 1, capacity - used, file);
        if (got == 0) break;
        used += (uint32_t)got;
    }
    if (ferror(file)) fail(f, WEFT_IO, "%s cannot be read", path);
    if (file != stdin) fclose(file);
    *n = used;
    return f->code == WEFT_OK ? text : NULL;
}

static const ParsedFunc *pick_func(const Parsed *parsed, const char *name, Failure *f)
{
    const char *wanted = name ? name : "main";
    for (uint32_t i = 0; i < parsed->n_funcs; i++) {
        if (strcmp(parsed->funcs[i].name, wanted) != 0) continue;
        if (!parsed->funcs[i].graph)
            fail(f, WEFT_ARGUMENT, "@%s stands at the end of a long chain of calls, and is built there only",
                 wanted);
        return parsed->funcs[i].graph ? &parsed->funcs[i] : NULL;
    }
    for (uint32_t i = 0; !name && i < parsed->n_funcs; i++)
        if (!parsed->funcs[i].is_private) return &parsed->funcs[i];
    char names[400] = "";
    for (uint32_t i = 0; i < parsed->n_funcs && strlen(names) < 300; i++)
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s@%.80s", i ? ", " : "",
                 parsed->funcs[i].name);
    fail(f, WEFT_ARGUMENT, "there is no func @%s; there is %s", wanted, names);
    return NULL;
}

/* Vmap. */

/* Axes up to the end or "->"; false for what is no axis or one too many. */
static bool read_axes(const char **s, int64_t *axes, uint32_t n, const char *of, Failure *f)
{
    for (uint32_t i = 0; **s && strncmp(*s, "->", 2) != 0; i++) {
        char *end = (char *)*s;
        if (i == n) return fail(f, WEFT_ARGUMENT, "--vmap lists more axes than the func has %s (%u)", of, n);
        if (strncmp(*s, "none", 4) == 0) {
            axes[i] = VMAP_NONE;
            end += 4;
        } else axes[i] = strtoll(*s, &end, 10);
        if (end == *s) return fail(f, WEFT_ARGUMENT, "--vmap: '%s' is no axis (a number or none)", *s);
        *s = end + (*end == ',');
    }
    return true;
}

static const Graph *run_vmap(Arena *a, const Graph *g, const char *spec, Failure *f)
{
    int64_t *in = arena_alloc(a, (g->n_params + 1) * sizeof *in),
            *out = arena_alloc(a, (g->n_outputs + 1) * sizeof *out);
    char *end;
    int64_t size = strtoll(spec, &end, 10);
    const char *s = end + (*end == ':');
    if (end == spec || size < 0) {
        fail(f, WEFT_ARGUMENT, "--vmap=%s: wanted SIZE, SIZE:AXES or SIZE:AXES->AXES", spec);
        return NULL;
    }
    if (!read_axes(&s, in, g->n_params, "parameters", f)) return NULL;
    if (*s) s += 2;
    if (!read_axes(&s, out, g->n_outputs, "results", f)) return NULL;
    return vmap_graph(a, g, in, size, out, NULL, f);
}

/* Derivatives. */

static bool is_float(const Graph *g, Ref r) { return dtype_is_inexact((DType)graph_type(g, r).dtype); }

/* The parameters to differentiate by. */
static bool *read_active(Arena *a, const Graph *g, const char *list, Failure *f)
{
    bool *active = arena_alloc(a, g->n_params + 1), any = false;
    for (uint32_t i = 0; i < g->n_params; i++) any |= active[i] = !list && is_float(g, g->params[i]);
    for (const char *s = list ? list : ""; *s;) {
        char *end, type[128];
        long i = strtol(s, &end, 10);
        if (end == s || (*end && *end != ',')) {
            fail(f, WEFT_ARGUMENT, "'%s' is no list of arguments, as in 0,2", list);
            return NULL;
        }
        if (i < 0 || i >= (long)g->n_params) {
            fail(f, WEFT_ARGUMENT, "there is no argument %ld to differentiate by: the func takes %u", i,
                 g->n_params);
            return NULL;
        }
        if (!is_float(g, g->params[i])) {
            fail(f, WEFT_ARGUMENT, "argument %ld is %s: there are derivatives by floats only", i,
                 type_text(type, sizeof type, graph_type(g, g->params[i])));
            return NULL;
        }
        any = active[i] = true;
        s = end + (*end == ',');
    }
    if (!any) fail(f, WEFT_ARGUMENT, "the func takes no argument of a float type to differentiate by");
    return any ? active : NULL;
}

static const Graph *run_derivative(Arena *a, const Graph *g, const Transform *t, Failure *f)
{
    const bool *active = read_active(a, g, t->spec, f);
    bool *smooth = arena_alloc(a, g->n_outputs + 1);
    if (!active) return NULL;
    for (uint32_t i = 0; i < g->n_outputs; i++) smooth[i] = is_float(g, g->outputs[i]);
    switch (t->kind) {
    case TRANSFORM_JVP: return jvp_graph(a, g, active, smooth, f);
    case TRANSFORM_VJP: return vjp_graph(a, g, active, smooth, 0, f);
    default:            return grad_graph(a, g, active, 0, f);
    }
}

/* Stages. */

/* A place in the text, line:column, stands directly behind the file. */
static const Parsed *parse(const DumpOptions *o, Arena *a, const char *text, size_t n, Failure *f)
{
    Failure why = { 0 };
    const Parsed *parsed = text_parse(a, text, n, o->file, &why, NULL);
    bool has_place = why.text[0] >= '0' && why.text[0] <= '9';
    if (!parsed) fail(f, why.code, "%s:%s%s", o->file, has_place ? "" : " ", why.text);
    return parsed;
}

/* Not inlined, so that what it keeps in registers is not where main jumps back to. */
__attribute__((noinline)) static bool run(const DumpOptions *o, Arena *a, Failure *f)
{
    size_t n;
    Times times = { 0 };
    const char *text = read_text(a, o->file, &n, f);
    if (!text) return false;

    double start = dump_now_us();
    const Parsed *parsed = parse(o, a, text, n, f);
    const ParsedFunc *func = parsed ? pick_func(parsed, o->func, f) : NULL;
    if (!func) return false;
    const Graph *g = raise_graph(a, func->graph);
    times.parse_us = dump_now_us() - start;
    dump_graph(o, SHOW_GRAPH, "graph", a, g);

    start = dump_now_us();
    for (int i = 0; i < o->n_transforms; i++) {
        const Transform *t = &o->transforms[i];
        bool last = i + 1 == o->n_transforms || dump_stage_of(t) != dump_stage_of(t + 1);
        g = t->kind == TRANSFORM_VMAP ? run_vmap(a, g, t->spec, f) : run_derivative(a, g, t, f);
        if (!g) return false;
        if (last) dump_graph(o, dump_stage_of(t), t->kind == TRANSFORM_VMAP ? "vmap" : "grad", a, g);
    }
    times.transforms_us = dump_now_us() - start;
    if (!(g = dump_stages(o, g, a, f))) return false;
    Slots args = dump_arguments(a, g, func, strcmp(func->name, "main") == 0 ? parsed->exported : NULL);
    Slots results = dump_results(a, g, func);
    return !(o->run || o->time) || dump_run(o, g, &args, &results, &times, a, f);
}

int main(int argc, char **argv)
{
    DumpOptions options = dump_options(argc, argv);
    Failure failure = { 0 };
    Arena a;
    Guard guard;
    volatile bool ok = false;
    arena_init(&a, &dump_allocator, &guard);
    if (setjmp(guard.env)) fail(&failure, WEFT_MEMORY, "out of memory");
    else ok = run(&options, &a, &failure);
    fflush(stdout);
    if (!ok) fprintf(stderr, "weft-dump: %s\n", failure.text);
    arena_free(&a);
    return !ok;
}
