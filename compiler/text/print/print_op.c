/* print_op.c: the pretty form of each op: operands, attributes, types. */
#include <assert.h>
#include <string.h>
#include "compiler/graph/attributes.h"
#include "compiler/graph/foreign_op.h"
#include "compiler/graph/matrix/matrix_call.h"
#include "print.h"

static bool all_of_type(const Names *n, const Node *node)
{
    for (uint32_t i = 0; i < node->n_args; i++)
        if (!type_equal(graph_type(n->g, node->args[i]), node_type(node))) return false;
    return true;
}

/* StableHLO: `: T` where all are alike; CHLO: `: T, T -> T` */
static void put_op_type(GraphPrinter *p, const Names *n, const Node *node)
{
    if (strncmp(op_info[node->op].text, "chlo.", 5) == 0) {
        print_words(p, " : ");
        print_types(p, n, node->args, node->n_args);
        print_words(p, " -> ");
        print_type(p, node_type(node));
    } else if (all_of_type(n, node)) {
        print_words(p, " : ");
        print_type(p, node_type(node));
    } else print_function_type(p, n, node->args, node->n_args, node);
}

static void put_compare(GraphPrinter *p, const Names *n, const Node *node)
{
    text_printf(&p->text, " %s, ", spell_directions[node->attr[0]]);
    print_values(p, n, node->args, 2);
    text_printf(&p->text, ", %s", spell_orders[node->attr[1]]);
    print_function_type(p, n, node->args, node->n_args, node);
}

static void put_select(GraphPrinter *p, const Names *n, const Node *node)
{
    print_words(p, " ");
    print_values(p, n, node->args, 3);
    print_words(p, " : ");
    print_types(p, n, node->args, 2);
}

static void put_slice(GraphPrinter *p, const Names *n, const Node *node)
{
    int r = node->rank;
    print_words(p, " ");
    print_values(p, n, node->args, 1);
    print_words(p, " [");
    for (int i = 0; i < r; i++) {
        text_printf(&p->text, "%s%lld:%lld", i ? ", " : "", (long long)node->attr[i],
                    (long long)node->attr[r + i]);
        if (node->attr[2 * r + i] != 1) text_printf(&p->text, ":%lld", (long long)node->attr[2 * r + i]);
    }
    print_words(p, "]");
    print_function_type(p, n, node->args, node->n_args, node);
}

static void put_pair(GraphPrinter *p, const char *key, const int64_t *left, const int64_t *right, int64_t n)
{
    print_words(p, ", ");
    print_list(p, key, left, n);
    print_words(p, " x [");
    print_ints(p, right, n);
    print_words(p, "]");
}

static void put_dot(GraphPrinter *p, const Names *n, const Node *node)
{
    int64_t nb = node->attr[0], nc = node->attr[1];
    const int64_t *batch = node->attr + 2, *sum = batch + 2 * nb;
    print_words(p, " ");
    print_values(p, n, node->args, 2);
    if (nb) put_pair(p, "batching_dims", batch, batch + nb, nb);
    put_pair(p, "contracting_dims", sum, sum + nc, nc);
    print_function_type(p, n, node->args, node->n_args, node);
}

/* Axes in order, each by its role: [b, 0, 1, f] */
static void put_roles(GraphPrinter *p, const int64_t *axes, int rank, const char *letters)
{
    for (int i = 0; i < rank; i++) {
        int role = 0;
        while (axes[role] != i) role++;
        print_words(p, i ? ", " : "[");
        if (role < 2) text_printf(&p->text, "%c", letters[role]);
        else text_printf(&p->text, "%d", role - 2);
    }
    print_words(p, "]");
}

static void put_conv_window(GraphPrinter *p, const ConvDims *d)
{
    print_words(p, ", window = {");
    print_list(p, "stride", d->stride, d->spatial);
    print_words(p, ", pad = [");
    for (int i = 0; i < d->spatial; i++)
        text_printf(&p->text, "%s[%lld, %lld]", i ? ", " : "", (long long)d->low[i], (long long)d->high[i]);
    print_words(p, "], ");
    print_list(p, "lhs_dilate", d->base_dilation, d->spatial);
    print_words(p, ", ");
    print_list(p, "rhs_dilate", d->dilation, d->spatial);
    print_words(p, ", reverse = [");
    for (int i = 0; i < d->spatial; i++)
        text_printf(&p->text, "%s%s", i ? ", " : "", d->reverse[i] ? "true" : "false");
    print_words(p, "]}");
}

static void put_convolution(GraphPrinter *p, const Names *n, const Node *node)
{
    ConvDims d;
    conv_dims(node->attr, node->n_attr, node->rank, &d);
    print_words(p, "(");
    print_values(p, n, node->args, 2);
    print_words(p, ") dim_numbers = ");
    put_roles(p, d.lhs, node->rank, spell_conv_letters[0]);
    print_words(p, "x");
    put_roles(p, d.rhs, node->rank, spell_conv_letters[1]);
    print_words(p, "->");
    put_roles(p, d.out, node->rank, spell_conv_letters[2]);
    put_conv_window(p, &d);
    text_printf(&p->text, " {batch_group_count = %lld : i64, feature_group_count = %lld : i64}",
                (long long)d.batch_groups, (long long)d.feature_groups);
    print_function_type(p, n, node->args, node->n_args, node);
}

static void put_gather(GraphPrinter *p, const Names *n, const Node *node)
{
    print_words(p, "(");
    print_values(p, n, node->args, 2);
    print_words(p, ") <{dimension_numbers = #stablehlo.gather<");
    const int64_t *sizes = print_axis_lists(p, spell_gather, node->attr, 0);
    print_words(p, ">, indices_are_sorted = false, ");
    print_array(p, "slice_sizes", sizes, graph_type(n->g, node->args[0]).rank);
    print_words(p, "}>");
    print_function_type(p, n, node->args, node->n_args, node);
}

/* The text has the function's name and numbers, not its address. */
static void put_foreign(GraphPrinter *p, const Names *n, const Node *node)
{
    print_words(p, " @");
    print_symbol(p, foreign_op(node->attr)->name);
    print_words(p, "(");
    print_values(p, n, node->args, node->n_args);
    print_words(p, ") {");
    print_array(p, "weft.foreign", node->attr + 2, node->n_attr - 2);
    print_words(p, "}");
    print_function_type(p, n, node->args, node->n_args, node);
}

bool print_is_factors(const Node *n)
{
    return op_is_matrix((Op)n->op) &&
           (strncmp(op_info[n->op].text, "weft.", 5) == 0 || matrix_of_pairs((Op)n->op, n->n_attr));
}

/* custom_call @weft.svd(%a) {weft.numbers = array<i64: 1, 1>}: what StableHLO has no word for. One number
 * more says of pairs. */
static void put_factors(GraphPrinter *p, const Names *n, const Node *node)
{
    text_printf(&p->text, " @%s(", op_info[node->op].text);
    print_values(p, n, node->args, node->n_args);
    print_words(p, ") {");
    print_array(p, "weft.numbers", node->attr, node->n_attr);
    print_words(p, "}");
    print_function_type(p, n, node->args, node->n_args, node);
}

static void put_triangular_solve(GraphPrinter *p, const Names *n, const Node *node)
{
    static const char *const word[] = { "false", "true" };
    const int64_t *a = node->attr;
    print_words(p, "(");
    print_values(p, n, node->args, 2);
    text_printf(
        &p->text,
        ") <{left_side = %s, lower = %s, transpose_a = #stablehlo<transpose %s>, unit_diagonal = %s}>",
        word[a[0]], word[a[1]], spell_transposes[a[3]], word[a[2]]);
    print_function_type(p, n, node->args, node->n_args, node);
}

/* Attributes whose numbers the node holds as they are. */
static void put_numbers(GraphPrinter *p, const Node *node)
{
    const NumberAttr *form;
    uint32_t n = spell_numbers((Op)node->op, &form);
    for (uint32_t i = 0; i < n; i++) {
        int64_t count = node->n_attr / n;
        if (i || node->n_args) print_words(p, ", ");
        if (form[i].is_list) print_list(p, form[i].pretty, node->attr + i * count, count);
        else text_printf(&p->text, "%s = %lld", form[i].pretty, (long long)node->attr[i]);
    }
}

/* The attributes of the regular form: operands, then these, then types. */
static void put_attributes(GraphPrinter *p, const Node *node)
{
    const int64_t *a = node->attr;
    if (node->op == OP_REDUCE_PRECISION)
        text_printf(&p->text, ", format = e%lldm%lld", (long long)a[0], (long long)a[1]);
    else if (node->op == OP_FFT) {
        text_printf(&p->text, ", type = %s, ", fft_names[a[0]]);
        print_list(p, "length", a + 1, node->n_attr - 1);
    } else if (node->op == OP_CHOLESKY) print_words(p, a[0] ? ", lower = true" : "");
    else if (node->op == OP_RNG_BITS) text_printf(&p->text, ", algorithm = %s", spell_algorithms[a[0]]);
    else put_numbers(p, node);
}

static void put_regular(GraphPrinter *p, const Names *n, const Node *node)
{
    Op op = (Op)node->op;
    print_words(p, " ");
    if (op == OP_BARRIER) {
        print_typed_values(p, n, node->args, node->n_args);
        return;
    }
    print_values(p, n, node->args, node->n_args);
    put_attributes(p, node);
    if (op != OP_BITCAST && (op_is_ew(op) || op == OP_REVERSE || op == OP_IOTA || op == OP_CHOLESKY))
        put_op_type(p, n, node);
    else print_function_type(p, n, node->args, node->n_args, node);
}

static void put_ew(GraphPrinter *p, const Names *n, const Node *node)
{
    if (node->op == OP_COMPARE) put_compare(p, n, node);
    else if (node->op == OP_SELECT) put_select(p, n, node);
    else put_regular(p, n, node);
}

static void put_matrix(GraphPrinter *p, const Names *n, const Node *node)
{
    if (print_is_factors(node)) put_factors(p, n, node);
    else if (node->op == OP_TRIANGULAR_SOLVE) put_triangular_solve(p, n, node);
    else put_regular(p, n, node);
}

/* The switch has no default, so that the compiler names each op that has no form. */
#define EW(NAME, ...) case OP_##NAME:
#define OP(NAME, ...)

void print_op(GraphPrinter *p, const Names *n, const Node *node)
{
    switch ((Op)node->op) {
#include "compiler/graph/ops.def"
        put_ew(p, n, node);
        break;
#include "compiler/graph/matrix/matrix_cases.h"
        put_matrix(p, n, node);
        break;
    case OP_SLICE:                put_slice(p, n, node); break;
    case OP_DOT:                  put_dot(p, n, node); break;
    case OP_CONVOLUTION:          put_convolution(p, n, node); break;
    case OP_GATHER:               put_gather(p, n, node); break;
    case OP_FOREIGN:              put_foreign(p, n, node); break;
    case OP_IOTA:
    case OP_BROADCAST:
    case OP_RESHAPE:
    case OP_TRANSPOSE:
    case OP_REVERSE:
    case OP_PAD:
    case OP_CONCATENATE:
    case OP_DYNAMIC_SLICE:
    case OP_DYNAMIC_UPDATE_SLICE:
    case OP_BARRIER:
    case OP_FFT:
    case OP_RNG_BITS:             put_regular(p, n, node); break;
    case OP_CONSTANT:
    case OP_REDUCE:
    case OP_REDUCE_REGION:        assert(0 && "it has a form in print.c"); break;
    case OP_SCATTER:
    case OP_REDUCE_WINDOW:
    case OP_SELECT_AND_SCATTER:
    case OP_SORT:
    case OP_MAP:
    case OP_WHILE:
    case OP_CASE:                 assert(0 && "it has a form in print_region.c"); break;
    case OP_ARGMAX:
    case OP_ARGMIN:
    case OP_CUMULATIVE:
    case OP_SCAN:
    case OP_CUSTOM_JVP:
    case OP_CUSTOM_VJP:
    case OP_CUSTOM_VMAP:
    case OP_CHECKPOINT:
    case OP_BACKWARD:             assert(0 && "it is a composite"); break;
    case OP_PARAMETER:
    case OP_RESULT:
    case OP_COUNT:                assert(0 && "it has no line of its own"); break;
    }
}
