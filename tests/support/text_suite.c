/* text_suite.c: see text_suite.h. */
#include "tests/support/text_suite.h"
#include "tests/support/heap.h"
#include <criterion/criterion.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Source *read_sources(const char *pattern, size_t *count)
{
    glob_t found;
    cr_assert(glob(pattern, 0, NULL, &found) == 0, "%s", pattern);
    Source *sources = calloc(found.gl_pathc, sizeof *sources);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        FILE *f = fopen(found.gl_pathv[i], "rb");
        cr_assert(f, "%s", found.gl_pathv[i]);
        fseek(f, 0, SEEK_END);
        sources[i].n = (size_t)ftell(f);
        rewind(f);
        sources[i].text = calloc(sources[i].n + 1, 1);
        sources[i].path = strdup(found.gl_pathv[i]);
        cr_assert(fread(sources[i].text, 1, sources[i].n, f) == sources[i].n);
        fclose(f);
        char *split = strstr(sources[i].text, "// ----- becomes");
        if (!split) continue;
        *split = 0;
        sources[i].n = (size_t)(split - sources[i].text);
    }
    *count = found.gl_pathc;
    globfree(&found);
    return sources;
}

void free_sources(Source *s, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        free(s[i].path);
        free(s[i].text);
    }
    free(s);
}

void check_round_trip(Arena *a, const Graph *g, const char *what)
{
    const PrintOptions options[] = { { false, 0 }, { true, 0 }, { false, 1 } };
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        Failure f = { 0 };
        const char *text = graph_print(a, g, &options[i]);
        const Parsed *again = text_parse(a, text, strlen(text), NULL, &f, NULL);
        cr_assert(again, "%s: its print does not parse: %s\n%s", what, f.text, text);
        cr_assert(graph_equal(again->funcs[0].graph, g), "%s: printing and parsing changed the graph\n%s",
                  what, text);
        cr_assert_str_eq(graph_print(a, again->funcs[0].graph, &options[i]), text);
    }
}

void parse_anything(const char *text, size_t n)
{
    Arena a;
    Failure f = { 0 };
    const char *unsupported = NULL;
    char *copy = malloc(n ? n : 1);
    memcpy(copy, text, n);
    arena_open(&a);
    const Parsed *p = text_parse(&a, copy, n, "x", &f, &unsupported);
    if (!p) cr_assert(f.text[0] && f.code == (unsupported ? WEFT_ARGUMENT : WEFT_IO), "%s", f.text);
    for (uint32_t i = 0; p && i < p->n_funcs; i++)
        check_round_trip(&a, graph_compact(&a, p->funcs[i].graph), "a mutated text");
    arena_free(&a);
    free(copy);
}
