/* fuse_words.h: short words for the graphs of suites of fusion. It comes behind control_programs.h, whose
 * REGION makes a graph in another way. */
#ifndef WEFT_TESTS_FUSE_WORDS_H
#define WEFT_TESTS_FUSE_WORDS_H
#include "compiler/graph/attributes.h"
#include "tests/support/fuse_suite.h"

/* A graph beside `parent` with parameters of these types. */
#undef REGION
#define REGION(parent, name, ...) \
    Graph *name = graph_new(parent->arena, #name); \
    for (size_t i_ = 0; i_ < sizeof(Type[]){ __VA_ARGS__ } / sizeof(Type); i_++) \
    build_param(name, (Type[]){ __VA_ARGS__ }[i_])
/* The graph of GRAPH(name) gives these and is compared; it is freed then. */
#define CHECK(name, ...) \
    do { \
        GIVES(name, __VA_ARGS__); \
        fuse_compare(#name, name); \
        arena_free(&name##_arena); \
    } while (0)

static inline Ref add(Graph *g, Ref a, Ref b) { return build_binary(g, OP_ADD, a, b); }
static inline Ref mul(Graph *g, Ref a, Ref b) { return build_binary(g, OP_MUL, a, b); }
static inline Ref f(Graph *g, double v) { return build_number(g, WEFT_F32, v); }
static inline Ref n(Graph *g, int v) { return build_number(g, WEFT_I32, v); }
/* Images [n, rows, columns, features] by windows [rows, columns, features of a group, features], one step at a
 * time and no padding. */
static inline ConvDims conv_of_images(int64_t groups)
{
    return (ConvDims){ .spatial = 2,
                       .feature_groups = groups,
                       .batch_groups = 1,
                       .lhs = { 0, 3, 1, 2 },
                       .rhs = { 2, 3, 0, 1 },
                       .out = { 0, 3, 1, 2 },
                       .stride = { 1, 1 },
                       .dilation = { 1, 1 },
                       .base_dilation = { 1, 1 } };
}
static inline Ref spread(Graph *g, Ref x, Type t) { return build_broadcast(g, x, t.dim, t.rank, NULL); }
#endif
