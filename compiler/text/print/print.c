/* print.c: a graph as StableHLO text, the pretty form that JAX prints.
 *
 * Nodes that an output reaches are printed in their order, so that reading the text gives the same order
 * back. What the text needs and the graph has not got, the start values of reductions, are constants printed
 * in front of the op; they are gone when the text has been read, and where constants stand follows from who
 * uses them (graph_compact). An op that StableHLO has no word for is a composite; its decomposition, a graph
 * built here, is printed behind as a private func.
 */
#include <stdio.h>
#include <string.h>
#include "print.h"

enum { MAX_ELEMENTS = 100 }; /* constants of more print as hex, as in MLIR */

/* Names and places. */

/* Can the user's name of a parameter be printed? It must not collide with a name made here. */
static bool usable_name(const Graph *g, uint32_t i)
{
    const char *s = g->param_names ? g->param_names[i] : NULL;
    if (!s || !((*s | 32) >= 'a' && (*s | 32) <= 'z') || strlen(s) > 64) return false;
    for (const char *c = s; *c; c++)
        if (!(((*c | 32) >= 'a' && (*c | 32) <= 'z') || (*c >= '0' && *c <= '9') || *c == '_')) return false;
    if (strcmp(s, "c") == 0 || strncmp(s, "c_", 2) == 0 || strncmp(s, "cst", 3) == 0) return false;
    if (strncmp(s, "arg", 3) == 0 || strncmp(s, "iterArg", 7) == 0) return false;
    for (uint32_t k = 0; k < i && k < 256; k++)
        if (g->param_names[k] && strcmp(g->param_names[k], s) == 0) return false;
    return i < 256;
}

static void name_params(GraphPrinter *p, Names *n)
{
    for (uint32_t i = 0; i < n->g->n_params; i++)
        n->of[n->g->params[i]] = usable_name(n->g, i)
                                     ? arena_printf(p->text.arena, "%%%s", n->g->param_names[i])
                                     : arena_printf(p->text.arena, "%%arg%u", i);
}

/* "file.c:42" as loc("file.c":42:0) */
static void put_loc(GraphPrinter *p, const Names *n, const Node *node)
{
    if (!p->options || !p->options->locs || !node->loc) return;
    const char *at = n->g->locs[node->loc], *colon = strrchr(at, ':');
    size_t length = colon ? (size_t)(colon - at) : strlen(at);
    print_words(p, " loc(\"");
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)at[i];
        if (c == '"' || c == '\\' || c < 32 || c > 126) text_printf(&p->text, "\\%02X", c);
        else text_append(&p->text, at + i, 1);
    }
    if (colon) text_printf(&p->text, "\":%s:0)", colon + 1);
    else print_words(p, "\")");
}

/* Reductions. */

Names print_open(GraphPrinter *p, const Graph *g, int indent)
{
    Arena *arena = p->text.arena;
    Ref *scalars = NULL;
    uint32_t n = 0, capacity = 0;
    const bool *reached = graph_reached(arena, g);
    for (Ref r = 0; r < g->n_nodes; r++) {
        const Node *c = graph_node(g, r);
        if (c->op != OP_CONSTANT || c->rank != 0 || !c->attr[0] || !reached[r]) continue;
        ARENA_PUSH(arena, scalars, n, capacity) = r;
    }
    return (Names){ g, arena_alloc(arena, (g->n_nodes + 1) * sizeof(char *)), reached, scalars, n, indent };
}

/* Is there a scalar constant of these bits in the graph, and where? */
static Ref find_scalar(const Names *n, DType t, uint64_t bits)
{
    for (uint32_t i = 0; i < n->n_scalars; i++) {
        const Node *c = graph_node(n->g, n->scalars[i]);
        if (c->dtype == t && is_splat(c) && node_bits(c) == bits) return n->scalars[i];
    }
    return REF_NONE;
}

/* The name of a start value. It is printed in front of the reduction, unless an equal constant has been. */
static const char *start_name(GraphPrinter *p, const Names *n, Ref user, DType t, uint64_t bits)
{
    Ref same = find_scalar(n, t, bits);
    if (same != REF_NONE && same < user) return n->of[same];
    for (uint32_t i = 0; i < p->n_starts; i++)
        if (p->starts[i].dtype == t && p->starts[i].bits == bits) return p->starts[i].name;
    char item[16];
    Type type = type_scalar(t);
    scalar_store(t, item, bits);
    const char *name = print_constant_name(p, t);
    print_indent(p, n->indent);
    text_printf(&p->text, "%s = stablehlo.constant ", name);
    print_dense(p, type, item, true);
    /* the parser will make that constant of this line, so it has its place */
    if (same != REF_NONE) put_loc(p, n, graph_node(n->g, same));
    print_words(p, "\n");
    ARENA_PUSH(p->text.arena, p->starts, p->n_starts, p->cap_starts) = (StartValue){ t, bits, name };
    return name;
}

static void put_reduce(GraphPrinter *p, const Names *n, const Node *node, const char *start)
{
    Type t = graph_type(n->g, node->args[0]), scalar = type_scalar(t.dtype);
    text_printf(&p->text, "(%s init: %s) applies %s across ", print_name(p, n, node->args[0]), start,
                op_info[node->attr[0]].text);
    print_list(p, "dimensions", node->attr + 1, node->n_attr - 1);
    print_words(p, " : (");
    print_type(p, t);
    print_words(p, ", ");
    print_type(p, scalar);
    print_words(p, ") -> ");
    print_type(p, node_type(node));
}

static void put_reduce_region(GraphPrinter *p, const Names *n, const Node *node)
{
    uint32_t operands = node->n_args / 2;
    for (uint32_t i = 0; i < operands; i++)
        text_printf(&p->text, "%s(%s init: %s)", i ? ", " : "", print_name(p, n, node->args[i]),
                    print_name(p, n, node->args[operands + i]));
    print_words(p, " across ");
    print_list(p, "dimensions", node->attr, node->n_attr);
    print_function_type(p, n, node->args, node->n_args, node);
    print_reducer(p, n, node);
}

/* Ops, funcs. */

static void put_body(GraphPrinter *p, const Names *n, const Node *node, const char *start, const char *pins)
{
    Op op = (Op)node->op;
    if (op == OP_CONSTANT) {
        print_words(p, " ");
        print_dense(p, node_type(node), node->data, node->attr[0]);
    } else if (op == OP_REDUCE) put_reduce(p, n, node, start);
    else if (op == OP_REDUCE_REGION) put_reduce_region(p, n, node);
    else if (print_is_composite(node)) print_composite(p, n, node);
    else if (print_has_regions(op)) print_regions(p, n, node, pins);
    else print_op(p, n, node);
}

static const char *op_text(const Node *n)
{
    return print_is_composite(n)          ? "stablehlo.composite"
           : n->op == OP_GATHER           ? "\"stablehlo.gather\""
           : print_is_factors(n)          ? "stablehlo.custom_call"
           : n->op == OP_TRIANGULAR_SOLVE ? "\"stablehlo.triangular_solve\""
                                          : op_info[n->op].text;
}

static void put_node(GraphPrinter *p, Names *n, Ref r)
{
    const Node *node = graph_node(n->g, r);
    Op op = (Op)node->op;
    DType t = (DType)node->dtype;
    const char *start = op != OP_REDUCE ? NULL : start_name(p, n, r, t, monoid_start((Op)node->attr[0], t));
    const char *pins = print_pins(p, n, node);
    n->of[r] = op == OP_CONSTANT ? print_constant_name(p, (DType)node->dtype) : print_value_name(p);
    print_indent(p, n->indent);
    print_words(p, n->of[r]);
    if (node->n_results > 1) text_printf(&p->text, ":%u", node->n_results);
    if (print_has_regions(op) && !print_is_composite(node)) print_words(p, " = ");
    else text_printf(&p->text, " = %s", op_text(node));
    put_body(p, n, node, start, pins);
    put_loc(p, n, node);
    print_words(p, "\n");
}

void print_nodes(GraphPrinter *p, Names *n)
{
    for (Ref r = 0; r < n->g->n_nodes; r++) {
        Op op = (Op)graph_node(n->g, r)->op;
        if (n->reached[r] && op != OP_PARAMETER && op != OP_RESULT) put_node(p, n, r);
    }
}

static void put_head(GraphPrinter *p, const Names *n, const char *name, bool is_private)
{
    const Graph *g = n->g;
    print_words(p, is_private ? "func.func private @" : "func.func @");
    print_symbol(p, name && *name ? name : "main");
    print_words(p, "(");
    for (uint32_t i = 0; i < g->n_params; i++) {
        text_printf(&p->text, "%s%s: ", i ? ", " : "", n->of[g->params[i]]);
        print_type(p, graph_type(g, g->params[i]));
    }
    print_words(p, ")");
    if (g->n_outputs) print_words(p, g->n_outputs == 1 ? " -> " : " -> (");
    print_types(p, n, g->outputs, g->n_outputs);
    print_words(p, g->n_outputs > 1 ? ") {\n" : " {\n");
}

static void put_func(GraphPrinter *p, const Graph *g, const char *name, bool is_private)
{
    Names n = print_open(p, g, 1);
    p->values = p->ints = p->floats = p->iters = p->n_starts = 0;
    p->args = g->n_params;
    name_params(p, &n);
    put_head(p, &n, name, is_private);
    print_nodes(p, &n);
    print_return(p, &n, "  return");
    print_words(p, "}\n");
}

const char *graph_print(Arena *arena, const Graph *g, const PrintOptions *options)
{
    GraphPrinter p = {
        .text = { .arena = arena }, .name = g->name, .options = options, .max_elements = MAX_ELEMENTS
    };
    if (options && options->max_elements) p.max_elements = options->max_elements;
    text_append(&p.text, "", 0);
    put_func(&p, g, g->name, false);
    for (uint32_t i = 0; i < p.n_later; i++) {
        p.in_decomposition = p.later[i].is_decomposition;
        put_func(&p, p.later[i].g, p.later[i].name, true);
    }
    return p.text.chars;
}
