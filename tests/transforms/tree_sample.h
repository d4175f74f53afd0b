/* tree_sample.h: for suites of structs: a struct with every kind of field, and a sample of it. */
#ifndef WEFT_TESTS_TREE_SAMPLE_H
#define WEFT_TESTS_TREE_SAMPLE_H
#include "tests/support/context_suite.h"
#include <string.h>

typedef struct {
    weft_array *w, *b;
} layer;
typedef struct {
    layer l[2];
    int uses;
} net;
typedef enum { RELU, TANH } activation;
typedef struct node node;
struct node {
    weft_array *v;
    node *next;
};

/* Every kind of field. */
typedef struct {
    weft_array *a, *pair[2];
    layer inner;
    uint8_t n_ws;
    weft_array **ws;
    layer *layers;
    int64_t n_layers;
    node *list, *ends[2];
    activation act;
    bool flag;
    double eps;
    short dims[3];
    void *user;
    weft_array *cov;
} every;

WEFT_STRUCT(layer, WEFT_ARRAY(layer, w), WEFT_ARRAY(layer, b));
WEFT_STRUCT(net, WEFT_TREE(net, l, layer), WEFT_HIDDEN(net, uses));
WEFT_STRUCT(node, WEFT_ARRAY(node, v), WEFT_POINTER(node, next, node));
WEFT_STRUCT(every, WEFT_ARRAY(every, a), WEFT_ARRAY(every, pair), WEFT_TREE(every, inner, layer),
            WEFT_ARRAYS(every, ws, n_ws), WEFT_TREES(every, layers, layer, n_layers),
            WEFT_POINTER(every, list, node), WEFT_POINTER(every, ends, node), WEFT_STATIC(every, act),
            WEFT_STATIC(every, flag), WEFT_STATIC(every, eps), WEFT_STATIC(every, dims),
            WEFT_HIDDEN(every, user), WEFT_LAZY(every, cov));

/* A suite's .init. */
static inline void open_tree_context(void)
{
    open_context();
    weft_describe(ctx, net);
    weft_describe(ctx, every);
}

static inline double item(weft_array *a) { return a ? weft_item(a) : -1e9; }

/* Arrays 1, 2, ... in the order of the leaves; lists of 2 and 1, a linked list of 3, an end that is there and
 * one that is not. */
typedef struct {
    every e;
    weft_array *ws[2];
    layer layers[1];
    node nodes[4];
} Sample;
static inline void make_sample(Sample *s)
{
    memset(s, 0, sizeof *s);
    every *e = &s->e;
    int k = 1;
    e->a = number(k++), e->pair[0] = number(k++), e->pair[1] = number(k++);
    e->inner = (layer){ number(k), number(k + 1) };
    k += 2;
    e->n_ws = 2, e->ws = s->ws;
    for (int i = 0; i < 2; i++) e->ws[i] = number(k++);
    e->n_layers = 1, e->layers = s->layers;
    s->layers[0] = (layer){ number(k), number(k + 1) };
    k += 2;
    for (int i = 0; i < 4; i++) s->nodes[i] = (node){ number(k++), i < 2 ? &s->nodes[i + 1] : NULL };
    e->list = &s->nodes[0], e->ends[1] = &s->nodes[3];
    e->act = TANH, e->flag = true, e->eps = 0.5, e->dims[1] = -7;
    e->user = s;
    e->cov = number(99);
}

enum { SAMPLE_LEAVES = 13 };
#endif
