/* graphs_parts.h: the random program generator's state, and what its makers share. */
#ifndef WEFT_TESTS_GRAPHS_PARTS_H
#define WEFT_TESTS_GRAPHS_PARTS_H
#include "compiler/graph/infer/infer.h"
#include "tests/graphs/graphs.h"

enum {
    POOL = 128,
    MAX_ELEMENTS = 1 << 13,
    MAX_PRODUCTS = 1 << 17,
    MAX_OUTPUTS = 4,
    RANK = 5,
    MAX_NESTING = 2
};

/* closed: g is a region; leaves are constants, for its parameters are given. */
typedef struct Maker {
    Graph *g;
    Rng rng;
    RandomOptions options;
    int64_t axis[4];
    Ref pool[POOL];
    bool used[POOL];
    int n_pool, nesting;
    bool failed, closed;
    bool favours_pieces; /* most steps are those of graphs_pieces.c */
} Maker;

typedef struct Shape {
    int rank;
    int64_t dim[WEFT_MAX_RANK];
} Shape;

static inline uint32_t below(Maker *m, uint32_t n) { return rng_below(&m->rng, n); }
static inline bool chance(Maker *m, uint32_t p) { return rng_chance(&m->rng, p); }
static inline Type type_of(const Maker *m, Ref r) { return graph_type(m->g, r); }
static inline DType dtype_of(const Maker *m, Ref r) { return (DType)type_of(m, r).dtype; }
Shape shape_of(const Maker *, Ref);
int64_t shape_count(const Shape *);
bool random_shape_equal(const Shape *, const Shape *);

Ref maker_put(Maker *, const NodeSpec *); /* every node goes through here */
Ref maker_binary(Maker *, Op, Ref, Ref);
Ref maker_attr(Maker *, Op, Ref, const int64_t *attr, uint32_t n);
Ref maker_reduce(Maker *, Op monoid, Ref, const int64_t *axes, int n);
Ref maker_compare(Maker *, CompareDir, CompareOrder, Ref, Ref);
void maker_keep(Maker *, Ref);                 /* into the pool */
Ref maker_any(Maker *);                        /* of the pool */
Ref maker_like(Maker *, DType, const Shape *); /* of the pool, made to fit, or new */
Ref maker_leaf(Maker *, DType, const Shape *);
Ref maker_without_nan(Maker *, Ref); /* zero instead of NaN, whose bits nobody promises */
DType maker_dtype(Maker *);
DType maker_int(Maker *);
Shape maker_shape(Maker *);
void maker_shuffle(Maker *, int64_t *, int n);
Ref make_step(Maker *); /* any maker's */
/* Of the pool, or new, with an axis of at least `least`: *axis. */
Ref maker_with_axis(Maker *, int64_t least, int *axis);
/* An array of rank 1 or more with some of it read, and some of it set to what that gives; where may go with
 * the counter, a scalar i32. */
Ref maker_update_part(Maker *, Ref x, Ref counter);
/* The same of one element, made of two near it. */
Ref maker_update_element(Maker *, Ref x, Ref counter);

/* graphs_shape.c, graphs_control.c, graphs_along.c, graphs_masked.c, graphs_pieces.c */
Ref make_broadcast(Maker *), make_reshape(Maker *), make_transpose(Maker *), make_slice(Maker *),
    make_reverse(Maker *), make_pad(Maker *), make_concatenate(Maker *), make_reduce(Maker *),
    make_arg_reduce(Maker *), make_reduce_region(Maker *), make_dot(Maker *), make_convolution(Maker *),
    make_gather(Maker *);
Ref make_cumulative(Maker *), make_sort(Maker *), make_dynamic_slice(Maker *), make_update_slice(Maker *),
    make_scatter(Maker *), make_window(Maker *);
Ref make_select_and_scatter(Maker *), make_map(Maker *), make_case(Maker *), make_while(Maker *),
    make_while_any(Maker *), make_scan(Maker *), make_rng_bits(Maker *), make_ruled(Maker *);
Ref make_fft(Maker *), make_barrier(Maker *), make_masked(Maker *), make_spread(Maker *);
Ref make_moved(Maker *), make_stencil(Maker *), make_set_slices(Maker *), make_taken(Maker *),
    make_chosen(Maker *), make_strided(Maker *), make_shared(Maker *), make_updated(Maker *),
    make_updating_scan(Maker *);
#endif
