/* test_bytecode.c: MLIR's bytecode, of StableHLO and of VHLO, becomes the graphs that text becomes; what is
 * damaged or not supported is refused with its place. The files are made by tests/data/bytecode/make.py. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "compiler/text/text.h"
#include "tests/support/heap.h"
#include "tests/support/text_suite.h"

#define FOLDER WEFT_SOURCE_DIR "/tests/data/bytecode/"

/* The text of the same program: NAME.mlir of NAME.1.17.0.mlirbc. */
static Source text_of(const Source *bytecode)
{
    char path[512];
    size_t n;
    const char *name = strrchr(bytecode->path, '/') + 1;
    snprintf(path, sizeof path, FOLDER "%.*s.mlir", (int)strcspn(name, "."), name);
    Source *found = read_sources(path, &n), one = found[0];
    cr_assert_eq(n, 1, "%s", path);
    free(found);
    return one;
}

static const Parsed *parse(Arena *a, const Source *s)
{
    Failure f = { 0 };
    const Parsed *p = text_parse(a, s->text, s->n, s->path, &f, NULL);
    cr_assert(p, "%s: %s", s->path, f.text);
    return p;
}

Test(bytecode, becomes_the_graph_that_its_text_becomes)
{
    size_t n;
    Source *s = read_sources(FOLDER "*.mlirbc", &n);
    cr_expect_eq(n, 32, "%zu files", n);
    for (size_t i = 0; i < n; i++) {
        Arena a;
        Source text = text_of(&s[i]);
        arena_open(&a);
        const Parsed *is = parse(&a, &s[i]), *should = parse(&a, &text);
        cr_assert_eq(is->n_funcs, should->n_funcs, "%s", s[i].path);
        cr_expect_str_eq(is->name, should->name);
        for (uint32_t k = 0; k < is->n_funcs; k++) {
            cr_expect_str_eq(is->funcs[k].name, should->funcs[k].name);
            cr_expect_eq(is->funcs[k].is_private, should->funcs[k].is_private, "%s", s[i].path);
            cr_expect(graph_equal(is->funcs[k].graph, should->funcs[k].graph), "%s: @%s is another graph",
                      s[i].path, is->funcs[k].name);
        }
        arena_free(&a);
        free(text.path);
        free(text.text);
    }
    free_sources(s, n);
}

/* The end of every prefix, each byte wrong in turn. */
Test(bytecode, damaged_files_are_refused_or_parse)
{
    size_t n;
    Source *s = read_sources(FOLDER "p*.mlirbc", &n);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < s[i].n; k++) {
            char was = s[i].text[k];
            parse_anything(s[i].text, k);
            s[i].text[k] = (char)(was ^ (1 << k % 8));
            parse_anything(s[i].text, s[i].n);
            s[i].text[k] = (char)(37 * k);
            parse_anything(s[i].text, s[i].n);
            s[i].text[k] = was;
        }
    free_sources(s, n);
}

static void expect_refusal(const char *bytes, size_t n, const char *words)
{
    Arena a;
    Failure f = { 0 };
    arena_open(&a);
    cr_expect(!text_parse(&a, bytes, n, "x", &f, NULL));
    cr_expect(strstr(f.text, words), "says: %s\nshould say: %s", f.text, words);
    arena_free(&a);
}

Test(bytecode, messages_say_where)
{
    expect_refusal("ML\xEFR\x0Dx", 6, "byte 6: the bytes end early");
    expect_refusal("ML\xEFR\x0Fx\0", 7, "byte 4: not supported: MLIR's bytecode of version 7, above 6");
    expect_refusal("ML\xEFR\x0Dx\0\x00\xFF", 9, "byte 9: 127 bytes where 0 are left");
    expect_refusal("ML\xEFR\x0Dx\0", 7, "byte 7: there is no section of strings");
}

/* Where these bytes stand in the file. */
static char *find_bytes(Source *s, const char *bytes, size_t n)
{
    char *at = s->text, *end = s->text + s->n - n;
    while (at < end && memcmp(at, bytes, n) != 0) at++;
    cr_assert(at < end, "the file does not hold them");
    return at;
}

/* An op says its number and where it was traced. */
Test(bytecode, ops_have_numbers_and_places)
{
    size_t n;
    Source *s = read_sources(FOLDER "products.exported.mlirbc", &n);
    find_bytes(s, "dot_general_v2", 14)[13] = '9';
    expect_refusal(s->text, s->n, "op 5 (make.py:");
    expect_refusal(s->text, s->n, "not supported: the attributes of this version of vhlo.dot_general_v9");
    free_sources(s, n);
}

/* Shardy's attributes have a form of their own, of which the sizes of meshes are read. */
Test(bytecode, many_devices_are_refused)
{
    size_t n;
    Source *s = read_sources(FOLDER "refused/placed_apart.plain.mlirbc", &n);
    cr_assert_eq(n, 1);
    expect_refusal(s->text, s->n, "not supported: many devices (sdy.all_gather)");
    free_sources(s, n);
}

/* In front of a resource's elements stand how they are aligned and how many bytes they are. */
Test(bytecode, resources_hold_what_they_say)
{
    size_t n;
    Source *s = read_sources(FOLDER "parameters.plain.mlirbc", &n);
    char *weights = find_bytes(s, "\0\0\x80\x3F\0\0\0\x40", 8);
    do weights--;
    while (*weights == '\xCB');
    *weights = '\x13';
    expect_refusal(s->text, s->n, "9 bytes where 8 are left");
    *weights = '\x0F';
    expect_refusal(s->text, s->n, "7 bytes for 2 elements of 4 bytes");
    weights[-1] = '\x01';
    expect_refusal(s->text, s->n, "what is aligned to 0 bytes");
    free_sources(s, n);
}
