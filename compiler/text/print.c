/* print.c: a graph as StableHLO text, the pretty form that JAX prints.
 *
 * Nodes that an output reaches are printed in their order, so that reading the text gives the same order back. What the text
 * needs and the graph has not got, the start values of reductions, are constants printed in front of the op; where such a
 * constant equals one that the graph has further on, it is marked {weft.start}, and the parser keeps it from taking the later
 * one's place. An op that StableHLO has no word for is a composite; its decomposition, a graph built here, is printed behind
 * as a private func.
 */
#include <stdio.h>
#include <string.h>
#include "print_parts.h"

enum { MAX_ELEMENTS = 100 };        /* constants of more print as hex, as in MLIR */

/* Names and places. */

/* A user's parameter name serves if it cannot meet a name made here. */
static bool usable_name(const Graph *g, uint32_t i) {
    const char *s = g->param_names ? g->param_names[i] : NULL;
    if (!s || !((*s | 32) >= 'a' && (*s | 32) <= 'z') || strlen(s) > 64) return false;
    for (const char *c = s; *c; c++)
        if (!(((*c | 32) >= 'a' && (*c | 32) <= 'z') || (*c >= '0' && *c <= '9') || *c == '_')) return false;
    if (strcmp(s, "c") == 0 || strncmp(s, "c_", 2) == 0 || strncmp(s, "cst", 3) == 0) return false;
    if (strncmp(s, "arg", 3) == 0) return false;
    for (uint32_t k = 0; k < i && k < 256; k++) if (g->param_names[k] && strcmp(g->param_names[k], s) == 0) return false;
    return i < 256;
}

static void name_params(Printer *p, Names *n) {
    for (uint32_t i = 0; i < n->g->n_params; i++)
        n->of[n->g->params[i]] = usable_name(n->g, i) ? arena_printf(p->text.arena, "%%%s", n->g->param_names[i])
                                                      : arena_printf(p->text.arena, "%%arg%u", i);
}

/* "file.c:42" as loc("file.c":42:0) */
static void put_loc(Printer *p, const Names *n, const Node *node) {
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

static void put_nodes(Printer *p, Names *n);

static Names names_of(Arena *arena, const Graph *g, int indent) {
    Ref *scalars = NULL;
    uint32_t n = 0, capacity = 0;
    const bool *reached = graph_reached(arena, g);
    for (Ref r = 0; r < g->n_nodes; r++) {
        const Node *c = graph_node(g, r);
        if (c->op != OP_CONSTANT || c->rank != 0 || !c->attr[0] || !reached[r]) continue;
        scalars = arena_grow(arena, scalars, n, &capacity, n + 1, sizeof *scalars);
        scalars[n++] = r;
    }
    return (Names){ g, arena_alloc(arena, (g->n_nodes + 1) * sizeof(char *)), reached, scalars, n, indent };
}

/* Is there a scalar constant of these bits in the graph, and where? */
static Ref find_scalar(const Names *n, DType t, uint64_t bits) {
    for (uint32_t i = 0; i < n->n_scalars; i++) {
        const Node *c = graph_node(n->g, n->scalars[i]);
        if (c->dtype == t && scalar_load(t, c->data) == bits) return n->scalars[i];
    }
    return REF_NONE;
}

/* The name of a start value, printed in front of the reduction if no constant printed before serves. */
static const char *start_name(Printer *p, const Names *n, Ref user, DType t, uint64_t bits) {
    Ref same = find_scalar(n, t, bits);
    if (same != REF_NONE && same < user) return n->of[same];
    for (uint32_t i = 0; i < p->n_starts; i++) if (p->starts[i].dtype == t && p->starts[i].bits == bits) return p->starts[i].name;
    uint64_t item;
    Type type = { (uint8_t)t, 0, NULL };
    scalar_store(t, &item, bits);
    const char *name = print_constant_name(p, t);
    print_indent(p, n->indent);
    text_printf(&p->text, "%s = stablehlo.constant %s", name, same != REF_NONE ? "{weft.start} " : "");
    print_dense(p, type, &item, true);
    print_words(p, "\n");
    p->starts = arena_grow(p->text.arena, p->starts, p->n_starts, &p->cap_starts, p->n_starts + 1, sizeof *p->starts);
    p->starts[p->n_starts++] = (Start){ t, bits, name };
    return name;
}

static void put_reduce(Printer *p, const Names *n, const Node *node, const char *start) {
    Type t = graph_type(n->g, node->args[0]), scalar = { t.dtype, 0, NULL };
    print_words(p, "(");
    print_value(p, n, node->args[0]);
    text_printf(&p->text, " init: %s) applies %s across dimensions = [", start, op_info[node->attr[0]].text);
    print_ints(p, node->attr + 1, node->n_attr - 1);
    print_words(p, "] : (");
    print_type(p, t);
    print_words(p, ", ");
    print_type(p, scalar);
    print_words(p, ") -> ");
    print_type(p, node_type(node));
}

static void put_reducer(Printer *p, const Names *outer, const Node *node) {
    const Graph *r = node->region;
    uint32_t operands = node->n_args / 2;
    Names n = names_of(p->text.arena, r, outer->indent + 1);
    uint32_t n_starts = p->n_starts;
    print_words(p, "\n");
    print_indent(p, outer->indent);
    print_words(p, " reducer");
    for (uint32_t i = 0; i < r->n_params; i++) n.of[r->params[i]] = arena_printf(p->text.arena, "%%arg%u", p->args++);
    for (uint32_t i = 0; i < operands; i++) {
        text_printf(&p->text, "%s(%s: ", i ? " " : "", n.of[r->params[i]]);
        print_type(p, graph_type(r, r->params[i]));
        text_printf(&p->text, ", %s: ", n.of[r->params[operands + i]]);
        print_type(p, graph_type(r, r->params[operands + i]));
        print_words(p, ")");
    }
    print_words(p, "  {\n");
    p->n_starts = 0;
    put_nodes(p, &n);
    p->n_starts = n_starts;
    print_indent(p, outer->indent + 1);
    print_words(p, "stablehlo.return ");
    print_values(p, &n, r->outputs, r->n_outputs);
    print_words(p, " : ");
    print_types(p, &n, r->outputs, r->n_outputs);
    print_words(p, "\n");
    print_indent(p, outer->indent);
    print_words(p, "}");
}

/* Would the parser make another op of it? */
static bool means_more(Printer *p, const Node *node) {
    if (p->in_decomposition) return false;
    return (node->n_args == 2 && reduce_monoid(node->region) != OP_COUNT)
        || (node->n_args == 4 && reduce_argmax(p->text.arena, node->region) != OP_COUNT);
}

static void put_reduce_region(Printer *p, const Names *n, const Node *node) {
    uint32_t operands = node->n_args / 2;
    for (uint32_t i = 0; i < operands; i++) {
        print_words(p, i ? ", (" : "(");
        print_value(p, n, node->args[i]);
        print_words(p, " init: ");
        print_value(p, n, node->args[operands + i]);
        print_words(p, ")");
    }
    print_words(p, " across dimensions = [");
    print_ints(p, node->attr, node->n_attr);
    print_words(p, means_more(p, node) ? "] {weft.region} : (" : "] : (");
    print_types(p, n, node->args, node->n_args);
    print_words(p, operands == 1 ? ") -> " : ") -> (");
    for (uint32_t i = 0; i < operands; i++) {
        if (i) print_words(p, ", ");
        print_type(p, operands == 1 ? node_type(node) : node->results[i]);
    }
    if (operands != 1) print_words(p, ")");
    put_reducer(p, n, node);
}

/* Composites. */

static Ref raw(Graph *g, NodeSpec s) { return graph_add_raw(g, &s); }

static Ref scalar(Graph *g, DType t, uint64_t bits) { return build_splat(g, (Type){ (uint8_t)t, 0, NULL }, bits); }

/* argmax as JAX writes it: a reduction over the values beside their positions. */
static Ref decompose_argmax(Graph *g, const Node *node, Ref x) {
    Type t = graph_type(g, x), value = { t.dtype, 0, NULL }, index = { node->dtype, 0, NULL };
    Op op = (Op)node->op;
    Ref position = raw(g, (NodeSpec){ .op = OP_IOTA, .attr = node->attr, .n_attr = 1, .dtype = (DType)node->dtype, .dim = t.dim,
                                      .rank = t.rank });
    Ref args[] = { x, position, scalar(g, (DType)t.dtype, monoid_start(op == OP_ARGMAX ? OP_MAX : OP_MIN, (DType)t.dtype)),
                   scalar(g, (DType)node->dtype, 0) };
    const Graph *region = reduce_argmax_pattern(g->arena, value, index, op == OP_ARGMAX ? CMP_GT : CMP_LT,
                                                dtype_is_float((DType)t.dtype));
    Ref both = raw(g, (NodeSpec){ .op = OP_REDUCE_REGION, .args = args, .n_args = 4, .attr = node->attr, .n_attr = 1,
                                  .region = region });
    return raw(g, (NodeSpec){ .op = OP_RESULT, .args = &both, .n_args = 1, .attr = (int64_t[]){ 1 }, .n_attr = 1 });
}

static Ref decompose_square(Graph *g, Ref x) { return raw(g, (NodeSpec){ .op = OP_MUL, .args = (Ref[]){ x, x }, .n_args = 2 }); }

static Ref decompose_fma(Graph *g, const Ref *x) {
    Ref product = raw(g, (NodeSpec){ .op = OP_MUL, .args = x, .n_args = 2 });
    return raw(g, (NodeSpec){ .op = OP_ADD, .args = (Ref[]){ product, x[2] }, .n_args = 2 });
}

static const char *add_decomposition(Printer *p, const Names *n, const Node *node) {
    Arena *arena = p->text.arena;
    Graph *g = graph_new(arena, arena_printf(arena, "%s_%u", op_info[node->op].text, p->n_decompositions));
    Ref *params = arena_alloc(arena, node->n_args * sizeof *params), result;
    for (uint32_t i = 0; i < node->n_args; i++) params[i] = build_param(g, graph_type(n->g, node->args[i]));
    switch ((Op)node->op) {
    case OP_FMA:    result = decompose_fma(g, params); break;
    case OP_SQUARE: result = decompose_square(g, params[0]); break;
    default:        result = decompose_argmax(g, node, params[0]);
    }
    graph_set_outputs(g, &result, 1);
    p->decompositions = arena_grow(arena, p->decompositions, p->n_decompositions, &p->cap_decompositions,
                                   p->n_decompositions + 1, sizeof *p->decompositions);
    p->decompositions[p->n_decompositions++] = g;
    return g->name;
}

/* CHLO squares floats only. */
static bool is_composite(const Node *n) {
    return n->op == OP_ARGMAX || n->op == OP_ARGMIN || n->op == OP_FMA || (n->op == OP_SQUARE && !dtype_is_float((DType)n->dtype));
}

static void put_composite(Printer *p, const Names *n, const Node *node) {
    text_printf(&p->text, " \"%s\" ", op_info[node->op].text);
    print_values(p, n, node->args, node->n_args);
    print_words(p, " {");
    if (node->n_attr) {
        print_words(p, "composite_attributes = {attr = array<i64: ");
        print_ints(p, node->attr, node->n_attr);
        print_words(p, ">}, ");
    }
    text_printf(&p->text, "decomposition = @%s}", add_decomposition(p, n, node));
    print_function_type(p, n, node);
}

/* Ops, funcs. */

static void put_body(Printer *p, const Names *n, const Node *node, const char *start) {
    switch ((Op)node->op) {
    case OP_CONSTANT: print_words(p, " "); print_dense(p, node_type(node), node->data, node->attr[0]); break;
    case OP_REDUCE:   put_reduce(p, n, node, start); break;
    case OP_REDUCE_REGION: put_reduce_region(p, n, node); break;
    default:
        if (is_composite(node)) put_composite(p, n, node);
        else print_op(p, n, node);
    }
}

static const char *op_text(const Node *n) {
    return is_composite(n) ? "stablehlo.composite" : n->op == OP_GATHER ? "\"stablehlo.gather\"" : op_info[n->op].text;
}

static void put_node(Printer *p, Names *n, Ref r) {
    const Node *node = graph_node(n->g, r);
    Op op = (Op)node->op;
    DType t = (DType)node->dtype;
    const char *start = op != OP_REDUCE ? NULL : start_name(p, n, r, t, monoid_start((Op)node->attr[0], t));
    n->of[r] = op == OP_CONSTANT ? print_constant_name(p, (DType)node->dtype) : print_value_name(p);
    print_indent(p, n->indent);
    print_words(p, n->of[r]);
    if (node->n_results > 1) text_printf(&p->text, ":%u", node->n_results);
    text_printf(&p->text, " = %s", op_text(node));
    put_body(p, n, node, start);
    put_loc(p, n, node);
    print_words(p, "\n");
}

static void put_nodes(Printer *p, Names *n) {
    for (Ref r = 0; r < n->g->n_nodes; r++) {
        Op op = (Op)graph_node(n->g, r)->op;
        if (n->reached[r] && op != OP_PARAMETER && op != OP_RESULT) put_node(p, n, r);
    }
}

static bool plain_symbol(const char *s) {
    if (!*s || (*s >= '0' && *s <= '9')) return false;
    for (; *s; s++)
        if (!(((*s | 32) >= 'a' && (*s | 32) <= 'z') || (*s >= '0' && *s <= '9') || *s == '_' || *s == '.'
              || *s == '$')) return false;
    return true;
}

static void put_symbol(Printer *p, const char *s) {
    if (plain_symbol(s)) { print_words(p, s); return; }
    print_words(p, "\"");
    for (; *s; s++)
        if (*s == '"' || *s == '\\' || (unsigned char)*s < 32) text_printf(&p->text, "\\%02X", (unsigned char)*s);
        else text_append(&p->text, s, 1);
    print_words(p, "\"");
}

static void put_head(Printer *p, const Names *n, bool is_private) {
    const Graph *g = n->g;
    print_words(p, is_private ? "func.func private @" : "func.func @");
    put_symbol(p, g->name && *g->name ? g->name : "main");
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

static void put_func(Printer *p, const Graph *g, bool is_private) {
    Arena *arena = p->text.arena;
    Names n = names_of(arena, g, 1);
    p->values = p->ints = p->floats = p->n_starts = 0;
    p->args = g->n_params;
    name_params(p, &n);
    put_head(p, &n, is_private);
    put_nodes(p, &n);
    print_words(p, "  return");
    if (g->n_outputs) {
        print_words(p, " ");
        print_values(p, &n, g->outputs, g->n_outputs);
        print_words(p, " : ");
        print_types(p, &n, g->outputs, g->n_outputs);
    }
    print_words(p, "\n}\n");
}

const char *graph_print(Arena *arena, const Graph *g, const PrintOptions *options) {
    Printer p = { .text = { .arena = arena }, .options = options, .max_elements = MAX_ELEMENTS };
    if (options && options->max_elements) p.max_elements = options->max_elements;
    text_append(&p.text, "", 0);
    put_func(&p, g, false);
    p.in_decomposition = true;
    for (uint32_t i = 0; i < p.n_decompositions; i++) put_func(&p, p.decompositions[i], true);
    return p.text.chars;
}
