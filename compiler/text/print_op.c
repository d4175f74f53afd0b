/* print_op.c: the pretty form of each op: operands, attributes, types. */
#include <string.h>
#include "compiler/graph/foreign_op.h"
#include "print_parts.h"

static bool all_of_type(const Names *n, const Node *node)
{
    for (uint32_t i = 0; i < node->n_args; i++)
        if (!type_equal(graph_type(n->g, node->args[i]), node_type(node))) return false;
    return true;
}

/* StableHLO: `: T` where all are alike; CHLO: `: T, T -> T` */
static void put_op_type(Printer *p, const Names *n, const Node *node)
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

static void put_compare(Printer *p, const Names *n, const Node *node)
{
    static const char *const dirs[] = { "EQ", "NE", "LT", "LE", "GT", "GE" };
    static const char *const orders[] = { "FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED" };
    text_printf(&p->text, " %s, ", dirs[node->attr[0]]);
    print_values(p, n, node->args, 2);
    text_printf(&p->text, ", %s", orders[node->attr[1]]);
    print_function_type(p, n, node->args, node->n_args, node);
}

static void put_select(Printer *p, const Names *n, const Node *node)
{
    print_words(p, " ");
    print_values(p, n, node->args, 3);
    print_words(p, " : ");
    print_types(p, n, node->args, 2);
}

static void put_slice(Printer *p, const Names *n, const Node *node)
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

static void put_pair(Printer *p, const char *key, const int64_t *left, const int64_t *right, int64_t n)
{
    print_key_ints(p, key, left, n);
    print_words(p, " x [");
    print_ints(p, right, n);
    print_words(p, "]");
}

static void put_dot(Printer *p, const Names *n, const Node *node)
{
    int64_t nb = node->attr[0], nc = node->attr[1];
    const int64_t *batch = node->attr + 2, *sum = batch + 2 * nb;
    print_words(p, " ");
    print_values(p, n, node->args, 2);
    if (nb) put_pair(p, "batching_dims", batch, batch + nb, nb);
    put_pair(p, "contracting_dims", sum, sum + nc, nc);
    print_function_type(p, n, node->args, node->n_args, node);
}

/* The five lists that name axes; empty ones are left out, as MLIR leaves them. */
static const int64_t *put_field(Printer *p, const char *key, const int64_t *v, int64_t n)
{
    if (n == 0) return v;
    text_printf(&p->text, "%s = [", key);
    print_ints(p, v, n);
    print_words(p, "], ");
    return v + n;
}

static void put_gather(Printer *p, const Names *n, const Node *node)
{
    const int64_t *a = node->attr, *v = a + 5;
    print_words(p, "(");
    print_values(p, n, node->args, 2);
    print_words(p, ") <{dimension_numbers = #stablehlo.gather<");
    v = put_field(p, "offset_dims", v, a[0]);
    v = put_field(p, "collapsed_slice_dims", v, a[1]);
    v = put_field(p, "operand_batching_dims", v, a[2]);
    v = put_field(p, "start_indices_batching_dims", v, a[2]);
    v = put_field(p, "start_index_map", v, a[3]);
    int64_t rank = graph_type(n->g, node->args[0]).rank;
    text_printf(&p->text, "index_vector_dim = %lld>, indices_are_sorted = false, slice_sizes = array<i64%s",
                (long long)a[4], rank ? ": " : "");
    print_ints(p, v, rank);
    print_words(p, ">}>");
    print_function_type(p, n, node->args, node->n_args, node);
}

/* The call says what the function is called, and its numbers; where it lies is not for text. */
static void put_foreign(Printer *p, const Names *n, const Node *node)
{
    print_words(p, " @");
    print_symbol(p, foreign_op(node->attr)->name);
    print_words(p, "(");
    print_values(p, n, node->args, node->n_args);
    text_printf(&p->text, ") {weft.foreign = array<i64%s", node->n_attr > 2 ? ": " : "");
    print_ints(p, node->attr + 2, node->n_attr - 2);
    print_words(p, ">}");
    print_function_type(p, n, node->args, node->n_args, node);
}

/* The attributes of the regular form: operands, then these, then types. */
static void put_attributes(Printer *p, const Names *n, const Node *node)
{
    static const char *const algorithms[] = { "DEFAULT", "THREE_FRY", "PHILOX" };
    const int64_t *a = node->attr;
    switch ((Op)node->op) {
    case OP_IOTA: text_printf(&p->text, "dim = %lld", (long long)a[0]); break;
    case OP_REDUCE_PRECISION:
        text_printf(&p->text, ", format = e%lldm%lld", (long long)a[0], (long long)a[1]);
        break;
    case OP_BROADCAST:
    case OP_TRANSPOSE:
    case OP_REVERSE:       print_key_ints(p, "dims", a, node->n_attr); break;
    case OP_CONCATENATE:   text_printf(&p->text, ", dim = %lld", (long long)a[0]); break;
    case OP_DYNAMIC_SLICE: print_key_ints(p, "sizes", a, node->n_attr); break;
    case OP_RNG_BITS:      text_printf(&p->text, ", algorithm = %s", algorithms[a[0]]); break;
    case OP_PAD:           {
        int64_t r = graph_type(n->g, node->args[0]).rank;
        print_key_ints(p, "low", a, r);
        print_key_ints(p, "high", a + r, r);
        print_key_ints(p, "interior", a + 2 * r, r);
        break;
    }
    default: break;
    }
}

static void put_regular(Printer *p, const Names *n, const Node *node)
{
    print_words(p, " ");
    print_values(p, n, node->args, node->n_args);
    put_attributes(p, n, node);
    Op op = (Op)node->op;
    if (op != OP_BITCAST && (op_is_ew(op) || op == OP_REVERSE || op == OP_IOTA)) put_op_type(p, n, node);
    else if (op == OP_BARRIER) {
        print_words(p, " : ");
        print_types(p, n, node->args, node->n_args);
    } else print_function_type(p, n, node->args, node->n_args, node);
}

void print_op(Printer *p, const Names *n, const Node *node)
{
    switch ((Op)node->op) {
    case OP_COMPARE: put_compare(p, n, node); break;
    case OP_SELECT:  put_select(p, n, node); break;
    case OP_SLICE:   put_slice(p, n, node); break;
    case OP_DOT:     put_dot(p, n, node); break;
    case OP_GATHER:  put_gather(p, n, node); break;
    case OP_FOREIGN: put_foreign(p, n, node); break;
    default:         put_regular(p, n, node);
    }
}
