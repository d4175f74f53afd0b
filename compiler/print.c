/* print.c: a graph as StableHLO text, the pretty form that JAX prints.
 *
 * Nodes that an output reaches are printed in their order, so that reading the text gives the same order back. What the text needs and the graph has not
 * got, the start values of reductions, are constants printed in front of the op; where such a constant equals one that the graph has further on, it is
 * marked {weft.start}, and the parser keeps it from taking the later one's place.
 * An op that StableHLO has no word for is a composite; its decomposition, a graph built here, is printed behind as a private func.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "decimal.h"
#include "parse.h"

enum { MAX_ELEMENTS = 100 };        /* constants of more print as hex, as in MLIR */

typedef struct Start { DType dtype; uint64_t bits; const char *name; } Start;

typedef struct Printer {
    Text text;
    const PrintOptions *options;
    int64_t max_elements;
    uint32_t values, ints, floats, args;        /* names given so far: %0, %c_0, %cst_0, %arg0 */
    Start *starts; uint32_t n_starts, cap_starts;
    const Graph **decompositions; uint32_t n_decompositions, cap_decompositions;
    bool in_decomposition;
} Printer;

/* One graph's names; regions have their own. */
typedef struct Names { const Graph *g; const char **of; const bool *reached; int indent; } Names;

/* -- text ------------------------------------------------------------------------------------------------------------------------------- */

static void reserve(Text *t, size_t n) {
    t->chars = arena_grow(t->arena, t->chars, t->length, &t->capacity, t->length + (uint32_t)n + 1, 1);
}

void text_append(Text *t, const char *chars, size_t n) {
    reserve(t, n);
    if (n) memcpy(t->chars + t->length, chars, n);
    t->length += (uint32_t)n;
    t->chars[t->length] = 0;
}

void text_printf(Text *t, const char *format, ...) {
    va_list list, again;
    va_start(list, format);
    va_copy(again, list);
    int n = vsnprintf(NULL, 0, format, list);
    va_end(list);
    if (n > 0) {
        reserve(t, (size_t)n);
        vsnprintf(t->chars + t->length, (size_t)n + 1, format, again);
        t->length += (uint32_t)n;
    }
    va_end(again);
}

static void put(Printer *p, const char *words) { text_append(&p->text, words, strlen(words)); }

/* -- types and constants ---------------------------------------------------------------------------------------------------------------- */

static void put_type(Printer *p, Type t) {
    put(p, "tensor<");
    for (int i = 0; i < t.rank; i++) text_printf(&p->text, "%lldx", (long long)t.dim[i]);
    text_printf(&p->text, "%s>", dtype_info[t.dtype].mlir);
}

static void put_element(Printer *p, DType t, const void *at) {
    uint64_t bits = scalar_load(t, at);
    char number[DECIMAL_SIZE];
    if (t == WEFT_BOOL) put(p, bits ? "true" : "false");
    else if (dtype_kind(t) == KIND_UNSIGNED) text_printf(&p->text, "%llu", (unsigned long long)bits);
    else if (dtype_is_int(t)) text_printf(&p->text, "%lld", (long long)scalar_to_i64(t, bits));
    else { decimal_print(number, t, bits); put(p, number); }
}

/* Element i opens as many lists as axes begin with it, and closes as many as end. */
static void put_list(Printer *p, Type t, int64_t count, const char *data) {
    for (int64_t i = 0; i < count; i++) {
        int64_t block = 1;
        int opened = 0, closed = 0;
        if (i) put(p, ", ");
        for (int axis = t.rank; axis-- > 0; ) {
            block *= t.dim[axis];
            opened += i % block == 0;
            closed += (i + 1) % block == 0;
        }
        for (; opened > 0; opened--) put(p, "[");
        put_element(p, (DType)t.dtype, data + (size_t)i * dtype_bytes((DType)t.dtype));
        for (; closed > 0; closed--) put(p, "]");
    }
}

static void put_hex(Printer *p, const uint8_t *bytes, size_t n) {
    static const char digits[] = "0123456789ABCDEF";
    put(p, "\"0x");
    reserve(&p->text, 2 * n);
    for (size_t i = 0; i < n; i++) text_append(&p->text, (char[]){ digits[bytes[i] >> 4], digits[bytes[i] & 15] }, 2);
    put(p, "\"");
}

/* Would a list of these elements be read as a splat? (The constructor makes splats of small constants whose elements are all alike.) Hex is read as it stands. */
static bool reads_as_splat(Type t, int64_t count, const char *data) {
    size_t item = dtype_bytes((DType)t.dtype);
    return t.rank == 0 || memcmp(data, data + item, ((size_t)count - 1) * item) == 0;
}

static void put_dense(Printer *p, Type t, const void *data, bool splat) {
    int64_t count = type_count(t);
    put(p, "dense<");
    if (splat) put_element(p, (DType)t.dtype, data);
    else if (count > 0 && (count > p->max_elements || reads_as_splat(t, count, data))) put_hex(p, data, (size_t)count * dtype_bytes((DType)t.dtype));
    else put_list(p, t, count, data);
    put(p, "> : ");
    put_type(p, t);
}

static void put_ints(Printer *p, const int64_t *v, int64_t n) {
    for (int64_t i = 0; i < n; i++) text_printf(&p->text, "%s%lld", i ? ", " : "", (long long)v[i]);
}

static void put_key_ints(Printer *p, const char *key, const int64_t *v, int64_t n) {
    text_printf(&p->text, ", %s = [", key);
    put_ints(p, v, n);
    put(p, "]");
}

/* -- names ------------------------------------------------------------------------------------------------------------------------------ */

/* %cst for floats, %c for the rest, as MLIR names constants */
static const char *constant_name(Printer *p, DType t) {
    bool is_float = dtype_is_float(t);
    uint32_t k = is_float ? p->floats++ : p->ints++;
    const char *stem = is_float ? "%cst" : "%c";
    return k == 0 ? stem : arena_printf(p->text.arena, "%s_%u", stem, k - 1);
}

static const char *value_name(Printer *p) { return arena_printf(p->text.arena, "%%%u", p->values++); }

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

static void put_value(Printer *p, const Names *n, Ref r) {
    const Node *node = graph_node(n->g, r);
    if (node->op == OP_RESULT) text_printf(&p->text, "%s#%lld", n->of[node->args[0]], (long long)node->attr[0]);
    else put(p, n->of[r]);
}

static void put_values(Printer *p, const Names *n, const Ref *r, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        if (i) put(p, ", ");
        put_value(p, n, r[i]);
    }
}

static void put_types(Printer *p, const Names *n, const Ref *r, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        if (i) put(p, ", ");
        put_type(p, graph_type(n->g, r[i]));
    }
}

static void indent(Printer *p, int depth) { text_printf(&p->text, "%*s", 2 * depth, ""); }

/* "file.c:42" as loc("file.c":42:0) */
static void put_loc(Printer *p, const Names *n, const Node *node) {
    if (!p->options || !p->options->locs || !node->loc) return;
    const char *at = n->g->locs[node->loc], *colon = strrchr(at, ':');
    size_t length = colon ? (size_t)(colon - at) : strlen(at);
    put(p, " loc(\"");
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)at[i];
        if (c == '"' || c == '\\' || c < 32 || c > 126) text_printf(&p->text, "\\%02X", c);
        else text_append(&p->text, at + i, 1);
    }
    if (colon) text_printf(&p->text, "\":%s:0)", colon + 1);
    else put(p, "\")");
}

/* -- types behind the colon ------------------------------------------------------------------------------------------------------------- */

static bool all_of_type(const Names *n, const Node *node) {
    for (uint32_t i = 0; i < node->n_args; i++) if (!type_equal(graph_type(n->g, node->args[i]), node_type(node))) return false;
    return true;
}

static void put_function_type(Printer *p, const Names *n, const Node *node) {
    put(p, " : (");
    put_types(p, n, node->args, node->n_args);
    put(p, ") -> ");
    put_type(p, node_type(node));
}

/* StableHLO: `: T` where all are alike; CHLO: `: T, T -> T` */
static void put_op_type(Printer *p, const Names *n, const Node *node) {
    if (strncmp(op_info[node->op].text, "chlo.", 5) == 0) {
        put(p, " : ");
        put_types(p, n, node->args, node->n_args);
        put(p, " -> ");
        put_type(p, node_type(node));
    } else if (all_of_type(n, node)) {
        put(p, " : ");
        put_type(p, node_type(node));
    } else put_function_type(p, n, node);
}

/* -- ops with attributes ---------------------------------------------------------------------------------------------------------------- */

static void put_compare(Printer *p, const Names *n, const Node *node) {
    static const char *const dirs[] = { "EQ", "NE", "LT", "LE", "GT", "GE" }, *const orders[] = { "FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED" };
    text_printf(&p->text, " %s, ", dirs[node->attr[0]]);
    put_values(p, n, node->args, 2);
    text_printf(&p->text, ", %s", orders[node->attr[1]]);
    put_function_type(p, n, node);
}

static void put_select(Printer *p, const Names *n, const Node *node) {
    put(p, " ");
    put_values(p, n, node->args, 3);
    put(p, " : ");
    put_types(p, n, node->args, 2);
}

static void put_slice(Printer *p, const Names *n, const Node *node) {
    int r = node->rank;
    put(p, " ");
    put_values(p, n, node->args, 1);
    put(p, " [");
    for (int i = 0; i < r; i++) {
        text_printf(&p->text, "%s%lld:%lld", i ? ", " : "", (long long)node->attr[i], (long long)node->attr[r + i]);
        if (node->attr[2 * r + i] != 1) text_printf(&p->text, ":%lld", (long long)node->attr[2 * r + i]);
    }
    put(p, "]");
    put_function_type(p, n, node);
}

static void put_pair(Printer *p, const char *key, const int64_t *left, const int64_t *right, int64_t n) {
    put_key_ints(p, key, left, n);
    put(p, " x [");
    put_ints(p, right, n);
    put(p, "]");
}

static void put_dot(Printer *p, const Names *n, const Node *node) {
    int64_t nb = node->attr[0], nc = node->attr[1];
    const int64_t *batch = node->attr + 2, *sum = batch + 2 * nb;
    put(p, " ");
    put_values(p, n, node->args, 2);
    if (nb) put_pair(p, "batching_dims", batch, batch + nb, nb);
    put_pair(p, "contracting_dims", sum, sum + nc, nc);
    put_function_type(p, n, node);
}

/* The five lists that name axes; empty ones are left out, as MLIR leaves them. */
static const int64_t *put_field(Printer *p, const char *key, const int64_t *v, int64_t n) {
    if (n == 0) return v;
    text_printf(&p->text, "%s = [", key);
    put_ints(p, v, n);
    put(p, "], ");
    return v + n;
}

static void put_gather(Printer *p, const Names *n, const Node *node) {
    const int64_t *a = node->attr, *v = a + 5;
    put(p, "(");
    put_values(p, n, node->args, 2);
    put(p, ") <{dimension_numbers = #stablehlo.gather<");
    v = put_field(p, "offset_dims", v, a[0]);
    v = put_field(p, "collapsed_slice_dims", v, a[1]);
    v = put_field(p, "operand_batching_dims", v, a[2]);
    v = put_field(p, "start_indices_batching_dims", v, a[2]);
    v = put_field(p, "start_index_map", v, a[3]);
    int64_t rank = graph_type(n->g, node->args[0]).rank;
    text_printf(&p->text, "index_vector_dim = %lld>, indices_are_sorted = false, slice_sizes = array<i64%s", (long long)a[4], rank ? ": " : "");
    put_ints(p, v, rank);
    put(p, ">}>");
    put_function_type(p, n, node);
}

/* The attributes of the regular form: operands, then these, then types. */
static void put_attributes(Printer *p, const Names *n, const Node *node) {
    const int64_t *a = node->attr;
    switch ((Op)node->op) {
    case OP_IOTA:             text_printf(&p->text, "dim = %lld", (long long)a[0]); break;
    case OP_REDUCE_PRECISION: text_printf(&p->text, ", format = e%lldm%lld", (long long)a[0], (long long)a[1]); break;
    case OP_BROADCAST: case OP_TRANSPOSE: case OP_REVERSE: put_key_ints(p, "dims", a, node->n_attr); break;
    case OP_CONCATENATE:      text_printf(&p->text, ", dim = %lld", (long long)a[0]); break;
    case OP_PAD: {
        int64_t r = graph_type(n->g, node->args[0]).rank;
        put_key_ints(p, "low", a, r);
        put_key_ints(p, "high", a + r, r);
        put_key_ints(p, "interior", a + 2 * r, r);
        break;
    }
    default: break;
    }
}

static void put_regular(Printer *p, const Names *n, const Node *node) {
    put(p, " ");
    put_values(p, n, node->args, node->n_args);
    put_attributes(p, n, node);
    Op op = (Op)node->op;
    if (op != OP_BITCAST && (op_is_ew(op) || op == OP_REVERSE || op == OP_IOTA)) put_op_type(p, n, node);
    else put_function_type(p, n, node);
}

/* -- reductions ------------------------------------------------------------------------------------------------------------------------- */

static void put_nodes(Printer *p, Names *n);

/* Is there a scalar constant of these bits in the graph, and where? */
static Ref find_scalar(const Names *n, DType t, uint64_t bits) {
    for (Ref r = 0; r < n->g->n_nodes; r++) {
        const Node *c = graph_node(n->g, r);
        if (c->op == OP_CONSTANT && n->reached[r] && c->rank == 0 && c->dtype == t && c->attr[0] && scalar_load(t, c->data) == bits) return r;
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
    const char *name = constant_name(p, t);
    indent(p, n->indent);
    text_printf(&p->text, "%s = stablehlo.constant %s", name, same != REF_NONE ? "{weft.start} " : "");
    put_dense(p, type, &item, true);
    put(p, "\n");
    p->starts = arena_grow(p->text.arena, p->starts, p->n_starts, &p->cap_starts, p->n_starts + 1, sizeof *p->starts);
    p->starts[p->n_starts++] = (Start){ t, bits, name };
    return name;
}

static void put_reduce(Printer *p, const Names *n, const Node *node, const char *start) {
    Type t = graph_type(n->g, node->args[0]), scalar = { t.dtype, 0, NULL };
    put(p, "(");
    put_value(p, n, node->args[0]);
    text_printf(&p->text, " init: %s) applies %s across dimensions = [", start, op_info[node->attr[0]].text);
    put_ints(p, node->attr + 1, node->n_attr - 1);
    put(p, "] : (");
    put_type(p, t);
    put(p, ", ");
    put_type(p, scalar);
    put(p, ") -> ");
    put_type(p, node_type(node));
}

static void put_reducer(Printer *p, const Names *outer, const Node *node) {
    const Graph *r = node->region;
    uint32_t operands = node->n_args / 2;
    Names n = { r, arena_alloc(p->text.arena, r->n_nodes * sizeof(char *)), graph_reached(p->text.arena, r), outer->indent + 1 };
    uint32_t n_starts = p->n_starts;
    put(p, "\n");
    indent(p, outer->indent);
    put(p, " reducer");
    for (uint32_t i = 0; i < r->n_params; i++) n.of[r->params[i]] = arena_printf(p->text.arena, "%%arg%u", p->args++);
    for (uint32_t i = 0; i < operands; i++) {
        text_printf(&p->text, "%s(%s: ", i ? " " : "", n.of[r->params[i]]);
        put_type(p, graph_type(r, r->params[i]));
        text_printf(&p->text, ", %s: ", n.of[r->params[operands + i]]);
        put_type(p, graph_type(r, r->params[operands + i]));
        put(p, ")");
    }
    put(p, "  {\n");
    p->n_starts = 0;
    put_nodes(p, &n);
    p->n_starts = n_starts;
    indent(p, outer->indent + 1);
    put(p, "stablehlo.return ");
    put_values(p, &n, r->outputs, r->n_outputs);
    put(p, " : ");
    put_types(p, &n, r->outputs, r->n_outputs);
    put(p, "\n");
    indent(p, outer->indent);
    put(p, "}");
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
        put(p, i ? ", (" : "(");
        put_value(p, n, node->args[i]);
        put(p, " init: ");
        put_value(p, n, node->args[operands + i]);
        put(p, ")");
    }
    put(p, " across dimensions = [");
    put_ints(p, node->attr, node->n_attr);
    put(p, means_more(p, node) ? "] {weft.region} : (" : "] : (");
    put_types(p, n, node->args, node->n_args);
    put(p, operands == 1 ? ") -> " : ") -> (");
    for (uint32_t i = 0; i < operands; i++) {
        if (i) put(p, ", ");
        put_type(p, operands == 1 ? node_type(node) : node->results[i]);
    }
    if (operands != 1) put(p, ")");
    put_reducer(p, n, node);
}

/* -- composites ------------------------------------------------------------------------------------------------------------------------- */

static Ref raw(Graph *g, NodeSpec s) { return graph_add_raw(g, &s); }

static Ref scalar(Graph *g, DType t, uint64_t bits) { return build_splat(g, (Type){ (uint8_t)t, 0, NULL }, bits); }

/* argmax as JAX writes it: a reduction over the values beside their positions. */
static Ref decompose_argmax(Graph *g, const Node *node, Ref x) {
    Type t = graph_type(g, x), value = { t.dtype, 0, NULL }, index = { node->dtype, 0, NULL };
    Op op = (Op)node->op;
    Ref position = raw(g, (NodeSpec){ .op = OP_IOTA, .attr = node->attr, .n_attr = 1, .dtype = (DType)node->dtype, .dim = t.dim, .rank = t.rank });
    Ref args[] = { x, position, scalar(g, (DType)t.dtype, monoid_start(op == OP_ARGMAX ? OP_MAX : OP_MIN, (DType)t.dtype)), scalar(g, (DType)node->dtype, 0) };
    const Graph *region = reduce_argmax_pattern(g->arena, value, index, op == OP_ARGMAX ? CMP_GT : CMP_LT, dtype_is_float((DType)t.dtype));
    Ref both = raw(g, (NodeSpec){ .op = OP_REDUCE_REGION, .args = args, .n_args = 4, .attr = node->attr, .n_attr = 1, .region = region });
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
    p->decompositions = arena_grow(arena, p->decompositions, p->n_decompositions, &p->cap_decompositions, p->n_decompositions + 1, sizeof *p->decompositions);
    p->decompositions[p->n_decompositions++] = g;
    return g->name;
}

/* CHLO squares floats only. */
static bool is_composite(const Node *n) {
    return n->op == OP_ARGMAX || n->op == OP_ARGMIN || n->op == OP_FMA || (n->op == OP_SQUARE && !dtype_is_float((DType)n->dtype));
}

static void put_composite(Printer *p, const Names *n, const Node *node) {
    text_printf(&p->text, " \"%s\" ", op_info[node->op].text);
    put_values(p, n, node->args, node->n_args);
    put(p, " {");
    if (node->n_attr) {
        put(p, "composite_attributes = {attr = array<i64: ");
        put_ints(p, node->attr, node->n_attr);
        put(p, ">}, ");
    }
    text_printf(&p->text, "decomposition = @%s}", add_decomposition(p, n, node));
    put_function_type(p, n, node);
}

/* -- ops, funcs ------------------------------------------------------------------------------------------------------------------------- */

static void put_body(Printer *p, const Names *n, const Node *node, const char *start) {
    switch ((Op)node->op) {
    case OP_CONSTANT: put(p, " "); put_dense(p, node_type(node), node->data, node->attr[0]); break;
    case OP_COMPARE:  put_compare(p, n, node); break;
    case OP_SELECT:   put_select(p, n, node); break;
    case OP_SLICE:    put_slice(p, n, node); break;
    case OP_DOT:      put_dot(p, n, node); break;
    case OP_GATHER:   put_gather(p, n, node); break;
    case OP_REDUCE:   put_reduce(p, n, node, start); break;
    case OP_REDUCE_REGION: put_reduce_region(p, n, node); break;
    default:
        if (is_composite(node)) put_composite(p, n, node);
        else put_regular(p, n, node);
    }
}

static const char *op_text(const Node *n) {
    return is_composite(n) ? "stablehlo.composite" : n->op == OP_GATHER ? "\"stablehlo.gather\"" : op_info[n->op].text;
}

static void put_node(Printer *p, Names *n, Ref r) {
    const Node *node = graph_node(n->g, r);
    Op op = (Op)node->op;
    const char *start = op != OP_REDUCE ? NULL : start_name(p, n, r, (DType)node->dtype, monoid_start((Op)node->attr[0], (DType)node->dtype));
    n->of[r] = op == OP_CONSTANT ? constant_name(p, (DType)node->dtype) : value_name(p);
    indent(p, n->indent);
    put(p, n->of[r]);
    if (node->n_results > 1) text_printf(&p->text, ":%u", node->n_results);
    text_printf(&p->text, " = %s", op_text(node));
    put_body(p, n, node, start);
    put_loc(p, n, node);
    put(p, "\n");
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
        if (!(((*s | 32) >= 'a' && (*s | 32) <= 'z') || (*s >= '0' && *s <= '9') || *s == '_' || *s == '.' || *s == '$')) return false;
    return true;
}

static void put_symbol(Printer *p, const char *s) {
    if (plain_symbol(s)) { put(p, s); return; }
    put(p, "\"");
    for (; *s; s++)
        if (*s == '"' || *s == '\\' || (unsigned char)*s < 32) text_printf(&p->text, "\\%02X", (unsigned char)*s);
        else text_append(&p->text, s, 1);
    put(p, "\"");
}

static void put_head(Printer *p, const Names *n, bool is_private) {
    const Graph *g = n->g;
    put(p, is_private ? "func.func private @" : "func.func @");
    put_symbol(p, g->name && *g->name ? g->name : "main");
    put(p, "(");
    for (uint32_t i = 0; i < g->n_params; i++) {
        text_printf(&p->text, "%s%s: ", i ? ", " : "", n->of[g->params[i]]);
        put_type(p, graph_type(g, g->params[i]));
    }
    put(p, ")");
    if (g->n_outputs) put(p, g->n_outputs == 1 ? " -> " : " -> (");
    put_types(p, n, g->outputs, g->n_outputs);
    put(p, g->n_outputs > 1 ? ") {\n" : " {\n");
}

static void put_func(Printer *p, const Graph *g, bool is_private) {
    Arena *arena = p->text.arena;
    Names n = { g, arena_alloc(arena, (g->n_nodes + 1) * sizeof(char *)), graph_reached(arena, g), 1 };
    p->values = p->ints = p->floats = p->n_starts = 0;
    p->args = g->n_params;
    name_params(p, &n);
    put_head(p, &n, is_private);
    put_nodes(p, &n);
    put(p, "  return");
    if (g->n_outputs) {
        put(p, " ");
        put_values(p, &n, g->outputs, g->n_outputs);
        put(p, " : ");
        put_types(p, &n, g->outputs, g->n_outputs);
    }
    put(p, "\n}\n");
}

const char *graph_print(Arena *arena, const Graph *g, const PrintOptions *options) {
    Printer p = { .text = { .arena = arena }, .options = options, .max_elements = options && options->max_elements ? options->max_elements : MAX_ELEMENTS };
    text_append(&p.text, "", 0);
    put_func(&p, g, false);
    p.in_decomposition = true;
    for (uint32_t i = 0; i < p.n_decompositions; i++) put_func(&p, p.decompositions[i], true);
    return p.text.chars;
}
