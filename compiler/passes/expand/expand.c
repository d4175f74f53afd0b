/* expand.c: the pass, windows and blocks along one axis after the other, long folds, and powers by a
 * constant. See expand_rng.c for random bits, expand_sort.c for sorts, expand_conv.c for convolutions,
 * expand_chosen.c for SELECT_AND_SCATTER, expand_dot.c for sums of products. */
#include "compiler/graph/attributes.h"
#include "expand.h"
#include "compiler/passes/rewrite.h"

bool expand_node(Graph *g, const Node *n, const Ref *args, Ref *out)
{
    if (n->op == OP_RNG_BITS) return expand_rng(g, n, args[0], out);
    *out = n->op == OP_CONVOLUTION ? expand_convolution(g, n, args) : expand_select_and_scatter(g, n, args);
    return *out != REF_NONE;
}

/* ---- windows */

/* Lanes that go across windows read elements `step` pixels of `few` numbers apart. These are shuffled out of
 * whole vectors, once for each element of a window. If the columns of windows are folded first, in lanes
 * along whole rows of the operand, only their results are shuffled. (Blocks of k x k pixels of c f32 in 240 x
 * 240, AVX-512, in us: c = 1, k = 4: 13 -> 7, k = 8: 16 -> 3; c = 3, k = 4: 32 -> 13. But k = 2: 12 -> 17;
 * and c = 4, where lanes along a pixel read neighbours: 10 -> 19.)
 *
 * column: elements of a column; row: pixels of the operand's row. */
enum { MOST_SHUFFLED = 3, LEAST_SHUFFLED = 4, FARTHEST_SHUFFLED = 32, MOST_COLUMN = 16, LEAST_RUN = 64 };
static bool is_shuffled(int64_t column, int64_t step, int64_t few, int64_t row)
{
    return column > 1 && column <= MOST_COLUMN && few <= MOST_SHUFFLED && step >= LEAST_SHUFFLED &&
           step <= FARTHEST_SHUFFLED / few && row >= LEAST_RUN / few;
}

/* Windows beside each other, or with gaps, along the last axis that they have. */
static bool windows_are_shuffled(Type t, WindowDims d)
{
    int64_t few = 1, column = 1;
    int last = t.rank - 1;
    while (last > 0 && d.size[last] == 1 && few <= MOST_SHUFFLED) few *= t.dim[last--];
    for (int i = 0; i < last; i++) column *= d.size[i];
    return few > 0 && d.stride[last] >= d.size[last] && is_shuffled(column, d.stride[last], few, t.dim[last]);
}

/* Is the fold of a window that of its columns' folds, and are these so much fewer that it pays to store
 * them? (720 x 1280: a maximum of 7 x 7 1,800 us at once and 490 in two passes; of 3 x 3, AVX2, 291 and 185,
 * of i32 214 and 149, of u8 103 and 47, by steps of 2 138 and 101; a sum of 15 x 15 6,060 and 1,560. Fewer
 * sums that round take as long both ways.) */
enum { MANY_IN_WINDOW = 16 };
static bool separates(const Graph *to, const Node *n, const Ref *args, Type t, WindowDims d, bool strict)
{
    Op monoid = n->n_args == 2 ? region_monoid(n->region) : OP_COUNT;
    int axes = 0;
    int64_t all = 1, sum = 0, later = 1; /* later: how many of an axis's folds the axes behind it ask for */
    for (int i = t.rank; i-- > 0;) {
        bool dense = d.base_dilation[i] == 1 && d.dilation[i] == 1;
        int64_t folded;
        if (!dense || __builtin_mul_overflow(all, d.size[i], &all) ||
            __builtin_mul_overflow(later, d.size[i], &folded) ||
            __builtin_mul_overflow(later, d.stride[i], &later))
            return false;
        if (d.size[i] > 1) sum += folded, axes++;
    }
    if (axes < 2) return false;
    if (monoid == OP_COUNT || !is_monoid_start(to, args[1], monoid)) return false;
    bool is_exact = monoid_is_exact(monoid, (DType)t.dtype);
    if (!is_exact && (strict || dtype_bytes((DType)t.dtype) < 4)) return false;
    if (windows_are_shuffled(t, d)) return true;
    if (is_exact) return later > 1 ? all >= sum : 2 * all >= 3 * sum;
    return all >= MANY_IN_WINDOW && all >= (later > 1 ? 1 : 2) * sum;
}

/* False: it stays. */
static bool in_axes(Graph *to, const Node *n, const Ref *args, bool strict, Ref *out)
{
    Type t = graph_type(to, args[0]);
    WindowDims d = window_dims(OP_REDUCE_WINDOW, n->attr, t.rank);
    if (!separates(to, n, args, t, d, strict)) return false;
    Ref x = args[0];
    for (int axis = 0; axis < t.rank; axis++) {
        if (d.size[axis] == 1 && d.stride[axis] == 1 && !d.low[axis] && !d.high[axis]) continue;
        int64_t attr[6 * WEFT_MAX_RANK];
        for (int i = 0; i < t.rank; i++) {
            const int64_t along[] = { d.size[i], d.stride[i], 1, 1, d.low[i], d.high[i] },
                          across[] = { 1, 1, 1, 1, 0, 0 };
            for (int k = 0; k < 6; k++) attr[k * t.rank + i] = i == axis ? along[k] : across[k];
        }
        if (x != args[0]) build_barrier(to, &x, 1, &x);
        x = graph_add(to, &(NodeSpec){ .op = OP_REDUCE_WINDOW,
                                       .args = (Ref[]){ x, args[1] },
                                       .n_args = 2,
                                       .attr = attr,
                                       .n_attr = 6 * (uint32_t)t.rank,
                                       .region = n->region });
    }
    *out = x;
    return true;
}

static bool separate_window(const Replacement *w, Graph *to, const Node *n, const Ref *args, Ref *out)
{
    return in_axes(to, n, args, false, out) || rewrite_keep(w, to, n, args, out);
}

static bool separate_window_strict(const Replacement *w, Graph *to, const Node *n, const Ref *args, Ref *out)
{
    return in_axes(to, n, args, true, out) || rewrite_keep(w, to, n, args, out);
}

/* ---- blocks */

/* Of a reduction over blocks of rows and columns: does it pay to fold the columns first? *first: where its
 * axes of rows begin, which are folded then. */
static bool folds_blocks(const Node *n, Type t, bool strict, int *first)
{
    const int64_t *axes = n->attr + 1;
    Op monoid = (Op)n->attr[0];
    int count = (int)n->n_attr - 1, at = count - 1;
    int64_t few = 1, step = 1, column = 1, row = 1;
    if (count < 2 || type_count(t) == 0) return false;
    if (!monoid_is_exact(monoid, (DType)t.dtype) && (strict || dtype_bytes((DType)t.dtype) < 4)) return false;
    while (at > 0 && axes[at - 1] == axes[at] - 1) at--;
    if (at == 0) return false;
    *first = at;
    for (int k = 0; k < count; k++) *(k < at ? &column : &step) *= t.dim[axes[k]];
    for (int64_t d = axes[at - 1] + 1; d < t.rank; d++) *(d > axes[count - 1] ? &few : &row) *= t.dim[d];
    return is_shuffled(column, step, few, row);
}

static bool separate_blocks(Graph *to, const Node *n, const Ref *args, bool strict, Ref *out)
{
    int first, n_axes = (int)n->n_attr - 1;
    int64_t axes[WEFT_MAX_RANK];
    if (!folds_blocks(n, graph_type(to, args[0]), strict, &first)) return false;
    Ref columns = build_reduce(to, (Op)n->attr[0], args[0], n->attr + 1, first);
    build_barrier(to, &columns, 1, &columns);
    for (int k = first; k < n_axes; k++) axes[k - first] = n->attr[1 + k] - first;
    *out = build_reduce(to, (Op)n->attr[0], columns, axes, n_axes - first);
    return true;
}

static bool separate_block(const Replacement *w, Graph *to, const Node *n, const Ref *args, Ref *out)
{
    return separate_blocks(to, n, args, false, out) || rewrite_keep(w, to, n, args, out);
}

/* ---- long folds */

/* The last axes as one, of more than MOST_AT_ONCE elements: eager's order is that of parts
 * (runtime/eager/eager.h). 0: others, or fewer. */
static int64_t long_block(const Node *n, Type t)
{
    int axes = (int)n->n_attr - 1;
    int64_t block = 1;
    for (int i = 0; i < axes; i++) {
        if (n->attr[1 + i] != t.rank - axes + i) return 0;
        block *= t.dim[n->attr[1 + i]];
    }
    return block > MOST_AT_ONCE && type_count(t) ? block : 0;
}

/* Parts of FOLD_PART elements and the last, shorter one; and these as elements. In the type of
 * accumulators. */
static Ref fold_in_parts(Graph *g, Op monoid, Ref x, int64_t block)
{
    Type t = graph_type(g, x);
    int64_t dim[] = { type_count(t) / block, block / FOLD_PART, FOLD_PART }, whole = dim[1] * FOLD_PART,
            last = 1;
    Ref rows = build_reshape(g, x, (int64_t[]){ dim[0], block }, 2),
        parts = build_reduce(g, monoid, build_reshape(g, build_slice_along(g, rows, 1, 0, whole, 1), dim, 3),
                             (int64_t[]){ 2 }, 1);
    if (whole < block) {
        Ref rest = build_reduce(g, monoid, build_slice_along(g, rows, 1, whole, block, 1), &last, 1);
        parts =
            build_concatenate(g, (Ref[]){ parts, build_reshape(g, rest, (int64_t[]){ dim[0], 1 }, 2) }, 2, 1);
    }
    return build_reduce(g, monoid, parts, &last, 1);
}

static bool part_long_fold(const Replacement *w, Graph *to, const Node *n, const Ref *args, Ref *out)
{
    Type t = graph_type(to, args[0]), result = node_type(n);
    Op monoid = (Op)n->attr[0];
    int64_t block = long_block(n, t);
    if (separate_blocks(to, n, args, true, out)) return true;
    if (!block || monoid_is_exact(monoid, (DType)t.dtype)) return rewrite_keep(w, to, n, args, out);
    Ref x = build_convert(to, args[0], compute_type((DType)t.dtype)),
        y = build_convert(to, fold_in_parts(to, monoid, x, block), (DType)t.dtype);
    *out = build_reshape(to, y, result.dim, result.rank);
    return true;
}

static bool part_scatter(const Replacement *w, Graph *to, const Node *n, const Ref *args, Ref *out)
{
    return expand_to_chosen(to, n, args, out) || expand_long_scatter(to, n, args, false, out) ||
           rewrite_keep(w, to, n, args, out);
}

static bool part_scatter_strict(const Replacement *w, Graph *to, const Node *n, const Ref *args, Ref *out)
{
    return expand_to_chosen(to, n, args, out) || expand_long_scatter(to, n, args, true, out) ||
           rewrite_keep(w, to, n, args, out);
}

/* ---- the pass */

/* A builder's failure is the new graph's. */
static bool replace_node(const Replacement *w, Graph *to, const Node *n, const Ref *args, Ref *out)
{
    (void)w;
    expand_node(to, n, args, out);
    return true;
}

static bool replace_power(const Replacement *w, Graph *to, const Node *n, const Ref *args, Ref *out)
{
    return expand_power(to, n, args, out) || rewrite_keep(w, to, n, args, out);
}

static bool replace_sum(const Replacement *w, Graph *to, const Node *n, const Ref *args, Ref *out)
{
    return (w->uses[n->args[0]] == 1 && w->uses[n->args[1]] == 1 && expand_sum_of_dots(to, n, args, out)) ||
           rewrite_keep(w, to, n, args, out);
}

static bool replace_dot(const Replacement *w, Graph *to, const Node *n, const Ref *args, Ref *out)
{
    return expand_dot_of_halves(to, n, args, out) || expand_dot_wide(to, n, args, false, out) ||
           rewrite_keep(w, to, n, args, out);
}

static bool replace_dot_fma(const Replacement *w, Graph *to, const Node *n, const Ref *args, Ref *out)
{
    return expand_dot_of_halves(to, n, args, out) || expand_dot_wide(to, n, args, true, out) ||
           rewrite_keep(w, to, n, args, out);
}

static bool replace_sort(const Replacement *w, Graph *to, const Node *n, const Ref *args, Ref *out)
{
    return expand_sort(w->from, n, to, args, false, out) || rewrite_keep(w, to, n, args, out);
}

static bool replace_sort_fma(const Replacement *w, Graph *to, const Node *n, const Ref *args, Ref *out)
{
    return expand_sort(w->from, n, to, args, true, out) || rewrite_keep(w, to, n, args, out);
}

const Graph *expand(Arena *a, const Graph *g, bool strict, bool fast, bool has_fma)
{
    bool sums_dots = fast && graph_holds(g, OP_DOT, false);
    ReplaceRule *const rules[OP_COUNT] = {
        [OP_RNG_BITS] = replace_node,
        [OP_SELECT_AND_SCATTER] = replace_node,
        [OP_CONVOLUTION] = replace_node,
        [OP_REDUCE_WINDOW] = strict ? separate_window_strict : separate_window,
        [OP_DOT] = has_fma ? replace_dot_fma : replace_dot,
        [OP_SORT] = has_fma ? replace_sort_fma : replace_sort,
        [OP_REDUCE] = strict ? part_long_fold : separate_block,
        [OP_SCATTER] = strict ? part_scatter_strict : part_scatter,
        [OP_ADD] = sums_dots ? replace_sum : NULL,
        [OP_SUB] = sums_dots ? replace_sum : NULL,
        [OP_POW] = strict ? NULL : replace_power,
    };
    return rewrite(a, g, &(Replacement){ .rules = rules, .counts_uses = sums_dots });
}
