/* test_golden.c: text in, passes, text out. Every tests/golden/FOLDER/NAME.mlir whose first line is
 *
 *     // RUN: vmap 8 0,none -> 0 | simplify
 *
 * is a case: the first func behind it goes through the passes, and what they print must be what stands behind
 * the line `// ----- becomes`. Passes: print (nothing), vmap SIZE [in axes] [-> out axes] (axes are numbers
 * or none, separated by commas; 0 where not given), inline_rules, planes, simplify, and, last, fuse [MODE].
 * A text that the parser or a pass refuses becomes `error: ...`. WEFT_REWRITE_GOLDEN=1 writes what came out
 * into the files.
 */
#include <criterion/criterion.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "compiler/derive/jvp/jvp.h"
#include "compiler/derive/linearize/linearize.h"
#include "compiler/derive/transpose/transpose.h"
#include "compiler/derive/vjp.h"
#include "compiler/fuse/fuse.h"
#include "compiler/passes/expand/expand.h"
#include "compiler/passes/inline_rules.h"
#include "compiler/passes/raise.h"
#include "compiler/passes/simplify.h"
#include "compiler/planes/planes.h"
#include "compiler/text/text.h"
#include "tests/support/heap.h"
#include "tests/support/enzyme.h"
#include "compiler/vmap/vmap.h"

static const char becomes[] = "// ----- becomes\n";

static char *read_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    cr_assert(f, "%s", path);
    fseek(f, 0, SEEK_END);
    size_t n = (size_t)ftell(f);
    rewind(f);
    char *text = calloc(n + 1, 1);
    cr_assert(fread(text, 1, n, f) == n, "%s", path);
    fclose(f);
    return text;
}

/* "0,none,1" into axes; what is not listed stays as it is. */
static char *read_axes(char *s, int64_t *axes, uint32_t n)
{
    for (uint32_t i = 0; i < n && *s && strncmp(s, "->", 2) != 0; i++) {
        axes[i] = strncmp(s, "none", 4) == 0 ? VMAP_NONE : strtoll(s, NULL, 10);
        s += strcspn(s, ", ");
        s += strspn(s, ", ");
    }
    return s;
}

static Graph *run_vmap(Arena *a, const Graph *g, char *words, Failure *f)
{
    int64_t *in = arena_alloc(a, (g->n_params + 1) * sizeof *in),
            *out = arena_alloc(a, (g->n_outputs + 1) * sizeof *out);
    int64_t size = strtoll(words, &words, 10);
    words = read_axes(words + strspn(words, " "), in, g->n_params);
    if (strncmp(words, "->", 2) == 0) read_axes(words + 2 + strspn(words + 2, " "), out, g->n_outputs);
    return vmap_graph(a, g, in, size, out, NULL, f);
}

static bool *floats(Arena *a, const Graph *g, const Ref *refs, uint32_t n)
{
    bool *is = arena_alloc(a, n + 1);
    for (uint32_t i = 0; i < n; i++) is[i] = dtype_is_float((DType)graph_type(g, refs[i]).dtype);
    return is;
}

/* "0,2": these parameters; nothing: all floats. */
static bool *read_active(Arena *a, const Graph *g, char *words)
{
    if (!*words) return floats(a, g, g->params, g->n_params);
    bool *active = arena_alloc(a, g->n_params + 1);
    for (; *words; words += *words == ',') {
        unsigned long i = strtoul(words, &words, 10);
        if (i < g->n_params) active[i] = true;
    }
    return active;
}

/* NULL: f says why, or it is none of these. */
static const Graph *run_derivative(Arena *a, const Graph *g, char *pass, Failure *f)
{
    char *words = pass + strcspn(pass, " ");
    words += strspn(words, " ");
    bool *active = read_active(a, g, words), *outputs = floats(a, g, g->outputs, g->n_outputs);
    if (strncmp(pass, "jvp", 3) == 0) return jvp_graph(a, g, active, outputs, f);
    if (strncmp(pass, "vjp", 3) == 0) return vjp_graph(a, g, active, outputs, 0, f);
    if (strncmp(pass, "grad", 4) == 0) return grad_graph(a, g, active, 0, f);
    return transpose_graph(a, g, (uint32_t)strtoul(words, NULL, 10), f);
}

static const char *print_halves(Arena *a, const Graph *g, char *pass)
{
    Failure f = { 0 };
    Linearized l;
    char *words = pass + strcspn(pass, " ");
    bool *active = read_active(a, g, words + strspn(words, " ")),
         *outputs = floats(a, g, g->outputs, g->n_outputs);
    if (!linearize_graph(a, g, active, outputs, 0, &l, &f)) return arena_printf(a, "error: %s\n", f.text);
    return arena_printf(a, "%s// ----- %u residuals\n%s", graph_print(a, l.known, NULL),
                        (unsigned)l.n_residuals, graph_print(a, l.linear, NULL));
}

static bool is_derivative(const char *pass)
{
    static const char *const names[] = { "jvp", "vjp", "grad", "transpose" };
    size_t n = strcspn(pass, " ");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == n && strncmp(pass, names[i], n) == 0) return true;
    return false;
}

/* A machine that never changes, whatever runs the test. */
static const Target machine = { .triple = "x86_64-unknown-linux-gnu",
                                .cpu = "x86-64-v4",
                                .vector_bytes = 64,
                                .vector_registers = 32,
                                .l1_bytes = 32768,
                                .l2_bytes = 1 << 20,
                                .fma = true,
                                .f16c = true };

static NumericMode mode_named(const char *s)
{
    return strcmp(s, "strict") == 0 ? MODE_STRICT : strcmp(s, "fast") == 0 ? MODE_FAST : MODE_DEFAULT;
}

/* What the passes make of the text. */
static const char *run(Arena *a, const char *input, size_t n, char *passes)
{
    Failure f = { 0 };
    char *rest = NULL;
    Parsed *parsed = text_parse_with(a, &enzyme, input, n, NULL, &f, NULL);
    const Graph *g = parsed ? parsed->funcs[0].graph : NULL;
    for (char *pass = strtok_r(passes, "|", &rest); g && pass; pass = strtok_r(NULL, "|", &rest)) {
        pass += strspn(pass, " ");
        pass[strcspn(pass, "\n")] = 0;
        while (*pass && pass[strlen(pass) - 1] == ' ') pass[strlen(pass) - 1] = 0;
        if (strncmp(pass, "vmap ", 5) == 0) g = run_vmap(a, g, pass + 5, &f);
        else if (strcmp(pass, "inline_rules") == 0) g = inline_rules(a, g, &f);
        else if (strcmp(pass, "planes") == 0) g = planes(a, g, false, &f);
        else if (strcmp(pass, "raise") == 0) g = raise_graph(a, g);
        else if (strcmp(pass, "simplify") == 0) g = simplify(a, g);
        else if (is_derivative(pass)) g = run_derivative(a, g, pass, &f);
        else if (strncmp(pass, "linearize", 9) == 0) return print_halves(a, g, pass);
        else if (strncmp(pass, "fuse", 4) == 0) {
            NumericMode mode = mode_named(pass + 4 + strspn(pass + 4, " "));
            return program_print(a, fuse(a, expand(a, g, mode == MODE_STRICT, mode == MODE_FAST, machine.fma),
                                         &machine, mode, 0));
        } else if (strcmp(pass, "print") != 0)
            return arena_printf(a, "error: no pass is called '%s'\n", pass);
    }
    return g ? graph_print(a, g, NULL) : arena_printf(a, "error: %s\n", f.text);
}

static void rewrite(const char *path, const char *text, size_t n_kept, const char *now)
{
    FILE *f = fopen(path, "wb");
    cr_assert(f, "%s", path);
    fwrite(text, 1, n_kept, f);
    fprintf(f, "%s%s", becomes, now);
    fclose(f);
}

/* Shows the first line that differs. */
static void show_difference(const char *path, const char *now, const char *wanted)
{
    int line = 1;
    while (*now && *now == *wanted) {
        line += *now == '\n';
        now++;
        wanted++;
    }
    while (now[-1] != '\n' && line > 1) {
        now--;
        wanted--;
    }
    fprintf(stderr, "%s: line %d of the result is\n    %.*s\nexpected\n    %.*s\n", path, line,
            (int)strcspn(now, "\n"), now, (int)strcspn(wanted, "\n"), wanted);
}

static bool run_file(const char *path)
{
    char *text = read_file(path);
    const char run_mark[] = "// RUN:";
    bool ok = true;
    if (strncmp(text, run_mark, sizeof run_mark - 1) == 0) {
        Arena a;
        arena_open(&a);
        const char *body = strchr(text, '\n'), *split = strstr(text, becomes);
        size_t n_kept = split ? (size_t)(split - text) : strlen(text);
        char *passes = arena_printf(&a, "%.*s", body ? (int)(body - text) - (int)sizeof run_mark + 1 : 0,
                                    text + sizeof run_mark - 1);
        /* Behind the RUN line, so that lines in messages are counted from there. */
        const char *now = run(&a, body, (size_t)(text + n_kept - body), passes),
                   *wanted = split ? split + sizeof becomes - 1 : "";
        ok = strcmp(now, wanted) == 0;
        if (!ok && getenv("WEFT_REWRITE_GOLDEN")) {
            rewrite(path, text, n_kept, now);
            ok = true;
        } else if (!ok) show_difference(path, now, wanted);
        arena_free(&a);
    }
    free(text);
    return ok;
}

Test(golden, files)
{
    glob_t found;
    size_t wrong = 0;
    cr_assert(glob(WEFT_SOURCE_DIR "/tests/golden/*/*.mlir", 0, NULL, &found) == 0);
    for (size_t i = 0; i < found.gl_pathc; i++) wrong += !run_file(found.gl_pathv[i]);
    cr_expect(wrong == 0, "%zu of %zu golden files differ; WEFT_REWRITE_GOLDEN=1 writes them anew", wrong,
              found.gl_pathc);
    globfree(&found);
}
