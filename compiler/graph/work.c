/* work.c: one rule for each kind of op, by its operands' and results' elements. */
#include <math.h>
#include "attributes.h"
#include "work.h"

enum { TRANSCENDENTAL = 12 }; /* op_cost from which an op is one: exp; a square root is 5 */

static void add(Work *to, Work w, double times)
{
    to->flops += times * w.flops;
    to->transcendentals += times * w.transcendentals;
    to->open_ended |= w.open_ended;
}

static double elements(const Graph *g, Ref r) { return (double)type_count(graph_type(g, r)); }

static Work elementwise(const Node *n)
{
    double count = (double)type_count(node_type(n));
    if (n->op == OP_STOP_GRADIENT) return (Work){ 0 };
    if (dtype_is_float((DType)n->dtype) && op_cost((Op)n->op, (DType)n->dtype) >= TRANSCENDENTAL)
        return (Work){ .transcendentals = count };
    return (Work){ .flops = count };
}

/* Each element of the result sums as many products as the contracting axes have. */
static double contraction(const Graph *g, const Node *n)
{
    Type lhs = graph_type(g, n->args[0]);
    DotDims d = dot_dims(n->attr);
    double products = (double)type_count(node_type(n));
    for (int i = 0; i < d.n_summed; i++) products *= (double)lhs.dim[d.summed[0][i]];
    return 2 * products;
}

/* Each element of the result sums the weights of its feature; padding is multiplied, too. */
static double convolution(const Graph *g, const Node *n)
{
    ConvDims d;
    Type weights = graph_type(g, n->args[1]);
    conv_dims(n->attr, n->n_attr, n->rank, &d);
    int64_t features = weights.dim[d.rhs[1]];
    return features ? 2 * (double)type_count(node_type(n)) * ((double)type_count(weights) / (double)features)
                    : 0;
}

static double window(const Node *n)
{
    const int64_t *size = window_dims((Op)n->op, n->attr, n->rank).size;
    double elements = 1;
    for (int i = 0; i < n->rank; i++) elements *= (double)size[i];
    return elements;
}

/* How often the first region of an op runs that folds or orders elements by one. */
static double region_runs(const Graph *g, const Node *n)
{
    double in = elements(g, n->args[0]), out = (double)type_count(node_result(n, 0));
    switch ((Op)n->op) {
    case OP_REDUCE_REGION:      return in - out;
    case OP_REDUCE_WINDOW:      return out * window(n);
    case OP_SELECT_AND_SCATTER: return elements(g, n->args[1]) * window(n);
    case OP_SCATTER:            return elements(g, n->args[n->n_args - 1]);
    case OP_SORT:               return out * ceil(log2((double)node_result(n, 0).dim[n->attr[0]] + 1));
    case OP_MAP:                return out;
    case OP_SCAN:               return (double)scan_shape(n->attr).length;
    default:                    return 1;
    }
}

static Work most(const Node *n)
{
    Work best = { 0 };
    for (uint32_t i = 0; i < n->n_regions; i++) {
        Work w = graph_work(n->regions[i]);
        if (w.flops > best.flops || !i) best = w;
    }
    return best;
}

static Work of_regions(const Graph *g, const Node *n)
{
    Work w = { 0 };
    if (n->op == OP_CASE) return most(n);
    add(&w, graph_work(n->regions[0]), region_runs(g, n));
    if (n->op == OP_WHILE) add(&w, graph_work(n->regions[1]), 1), w.open_ended = true;
    return w;
}

/* 5 n log n, as is the custom, for n complex numbers; half of that where they are real. */
static double fourier(const Graph *g, const Node *n)
{
    Type a = graph_type(g, n->args[0]);
    double size = 1, batch = 1;
    for (uint32_t i = 1; i < n->n_attr; i++) size *= (double)n->attr[i];
    for (uint32_t i = 0; i + n->n_attr - 1 < a.rank; i++) batch *= (double)a.dim[i];
    return (n->attr[0] >= FFT_OF_REAL ? 2.5 : 5) * batch * size * log2(size < 1 ? 1 : size);
}

static Work of_node(const Graph *g, const Node *n)
{
    if (n->n_regions) return of_regions(g, n);
    if (op_is_ew((Op)n->op)) return elementwise(n);
    switch ((Op)n->op) {
    case OP_DOT:         return (Work){ .flops = contraction(g, n) };
    case OP_CONVOLUTION: return (Work){ .flops = convolution(g, n) };
    case OP_REDUCE:
    case OP_ARGMAX:
    case OP_ARGMIN:      return (Work){ .flops = elements(g, n->args[0]) - (double)type_count(node_type(n)) };
    case OP_FFT:         return (Work){ .flops = fourier(g, n) };
    case OP_CUMULATIVE:  return (Work){ .flops = elements(g, n->args[0]) };
    default:             return (Work){ 0 };
    }
}

Work graph_work(const Graph *g)
{
    Work w = { 0 };
    for (Ref r = 0; r < g->n_nodes; r++) add(&w, of_node(g, &g->nodes[r]), 1);
    return w;
}
