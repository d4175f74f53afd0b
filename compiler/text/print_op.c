/* print_op.c: the pretty form of each op: operands, attributes, types. */
#include <string.h>
#include "compiler/graph/foreign_op.h"
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
    if (op != OP_BITCAST && (op_is_ew(op) || op == OP_REVERSE || op == OP_IOTA)) put_op_type(p, n, node);
    else print_function_type(p, n, node->args, node->n_args, node);
}

void print_op(GraphPrinter *p, const Names *n, const Node *node)
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
