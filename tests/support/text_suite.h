/* text_suite.h: for suites of StableHLO text: the golden files as input, and printing and parsing again. */
#ifndef WEFT_TESTS_TEXT_SUITE_H
#define WEFT_TESTS_TEXT_SUITE_H
#include "compiler/text/text.h"

/* A file's text, up to what a golden file becomes. */
typedef struct Source {
    char *path, *text;
    size_t n;
} Source;
/* The files of a pattern, to be freed. */
Source *read_sources(const char *pattern, size_t *count);
void free_sources(Source *, size_t n);

/* What is printed, in each way, parses to an equal graph. */
void check_round_trip(Arena *, const Graph *, const char *what);
/* Parses a copy that ends where the memory ends, so that a sanitizer sees any step past it. */
void parse_anything(const char *text, size_t n);
#endif
