/* expand_scatter.c: a scatter of many single elements into few (a histogram) in parts, each into a copy of
 * its own, which take turns, so that an update seldom waits for the one before it; of very many, so many
 * parts that they may run on several threads. The copies are folded together. What parts there are depends
 * on shapes alone. */
#include "expand.h"
#include "compiler/graph/attributes.h"

enum {
    MOST_PARTS = 16,
    WORTH_A_COPY = 8,  /* so many updates for each element of a copy */
    TURNS = 4,         /* parts that take turns (SCATTER_ROWS in cost.h) */
    WORTH_TURNS = 1024 /* so many updates (1500 into 10 sorted segments, AVX2: 5.7 -> 1.7 us) */
};

/* How many parts; 0: it stays as it is. */
static int64_t parts_of(const Graph *g, const Node *n, const Ref *args, const IndexDims *d, bool strict)
{
    Type t = graph_type(g, args[0]), indices = graph_type(g, args[1]);
    Op monoid = region_monoid(n->region);
    int64_t updates = type_count(graph_type(g, args[2])), parts = updates / FOLD_PART,
            worth = updates / WORTH_A_COPY / (type_count(t) + 1);
    if (parts < TURNS) parts = TURNS;
    if (parts > MOST_PARTS) parts = MOST_PARTS;
    if (parts > worth) parts = worth;
    if (parts > TURNS) parts -= parts % TURNS;
    if (n->n_args != 3 || d->n_window || d->n_batching || t.rank == WEFT_MAX_RANK) return 0;
    if (d->index_vector_dim < indices.rank - 1 || !op_is_monoid(monoid)) return 0;
    if (strict && !monoid_is_exact(monoid, (DType)t.dtype)) return 0;
    return updates >= WORTH_TURNS && parts > 1 ? parts : 0;
}

/* The scatter's attributes with a batch axis ahead of all others, or without one; positions are in a list. */
static Ref scatter_list(Graph *g, const Node *n, IndexDims d, bool batch, Ref operand, Ref indices,
                        Ref updates)
{
    static const int64_t first = 0;
    int64_t collapsed[WEFT_MAX_RANK], map[WEFT_MAX_RANK];
    for (int i = 0; i < d.n_collapsed; i++) collapsed[i] = d.collapsed[i] + batch;
    for (int i = 0; i < d.n_map; i++) map[i] = d.map[i] + batch;
    d.collapsed = collapsed;
    d.map = map;
    d.n_batching = batch;
    d.operand_batching = d.indices_batching = &first;
    d.index_vector_dim = 1 + batch;
    d.sorted = false;
    return build_scatter(g, &d, n->region, operand, indices, updates);
}

bool expand_long_scatter(Graph *g, const Node *n, const Ref *args, bool strict, Ref *out)
{
    IndexDims d;
    scatter_dims(n->attr, n->n_attr, &d);
    int64_t parts = parts_of(g, n, args, &d, strict);
    if (!parts) return false;
    Type t = graph_type(g, args[0]), updates = graph_type(g, args[2]);
    Op monoid = region_monoid(n->region);
    int64_t count = type_count(updates), each = count / parts,
            line = 64 / (int64_t)dtype_bytes((DType)t.dtype),
            numbers = type_count(graph_type(g, args[1])) / count;
    if (each % (64 * line) == 0) each -= line; /* 4096 bytes apart, parts would push each other out of L1 */
    int64_t whole = each * parts;
    int64_t dim[WEFT_MAX_RANK] = { parts };
    for (int i = 0; i < t.rank; i++) dim[1 + i] = t.dim[i];
    Ref where = build_reshape(g, args[1], (int64_t[]){ count, numbers }, 2),
        what = build_reshape(g, args[2], &count, 1), result = args[0];
    /* Of floats -0 + x is x, but 0 + -0 is 0: what gets no update keeps its sign. */
    bool is_float_sum = monoid == OP_ADD && dtype_is_float((DType)t.dtype);
    uint64_t bits =
        is_float_sum ? scalar_from_double((DType)t.dtype, -0.0) : monoid_start(monoid, (DType)t.dtype);
    Ref start = build_splat(g, (Type){ t.dtype, 0, NULL }, bits),
        copies = build_broadcast(g, start, dim, t.rank + 1, NULL);
    if (whole < count)
        result = scatter_list(g, n, d, false, result, build_slice_along(g, where, 0, whole, count, 1),
                              build_slice_along(g, what, 0, whole, count, 1));
    where =
        build_reshape(g, build_slice_along(g, where, 0, 0, whole, 1), (int64_t[]){ parts, each, numbers }, 3);
    what = build_reshape(g, build_slice_along(g, what, 0, 0, whole, 1), (int64_t[]){ parts, each }, 2);
    copies = scatter_list(g, n, d, true, copies, where, what);
    for (int64_t k = 0; k < parts; k++)
        result = build_binary(g, monoid, result,
                              build_reshape(g, build_slice_along(g, copies, 0, k, k + 1, 1), t.dim, t.rank));
    *out = result;
    return true;
}
