/* graph.c: the hash-consing arena of nodes.
 *
 * A node's variable parts (sizes, attributes, operands) lie in one block behind each other. Equal nodes are
 * found in an open-addressing table of node numbers, whose hash is kept in the node; the table is at most
 * three quarters full. Regions of other arenas are copied in, so a graph lives by its own arena alone (and
 * the bytes of big constants).
 */
#include "compiler/graph/fold/fold.h"
#include "graph.h"
#include "compiler/graph/infer/infer.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { FIRST_TABLE = 32, FIRST_LOCS = 16, CONSTANT_COPY_BYTES = 4096, LOCAL_ARGS = 16 };

bool fail(Failure *f, weft_status code, const char *format, ...)
{
    if (!f || f->code != WEFT_OK) return false;
    va_list args;
    va_start(args, format);
    f->code = code;
    vsnprintf(f->text, sizeof f->text, format, args);
    va_end(args);
    return false;
}

bool fail_as(Failure *f, const Failure *why) { return fail(f, why->code, "%s", why->text); }

Graph *graph_new(Arena *a, const char *name)
{
    Graph *g = arena_alloc(a, sizeof *g);
    g->arena = a;
    g->name = name ? arena_printf(a, "%s", name) : NULL;
    return g;
}

Graph *graph_new_raw(Arena *arena, const char *name)
{
    Graph *g = graph_new(arena, name);
    g->raw = true;
    return g;
}

static uint64_t mix(uint64_t h, uint64_t word)
{
    h = (h ^ word) * 0x9e3779b97f4a7c15u;
    return h ^ h >> 32;
}

static uint64_t mix_bytes(uint64_t h, const void *data, size_t bytes)
{
    const char *p = data;
    for (; bytes >= 8; p += 8, bytes -= 8) {
        uint64_t word;
        memcpy(&word, p, 8);
        h = mix(h, word);
    }
    uint64_t last = bytes;
    if (bytes) memcpy(&last, p, bytes);
    return mix(h, last);
}

static size_t constant_bytes(const Node *n)
{
    return (size_t)(n->attr[0] ? 1 : type_count(node_type(n))) * dtype_bytes((DType)n->dtype);
}

static bool by_content(const Node *n) { return constant_bytes(n) <= CONSTANT_COPY_BYTES; }

void *graph_elements(Graph *g, size_t bytes)
{
    return bytes <= CONSTANT_COPY_BYTES ? arena_alloc(g->arena, bytes) : arena_lasting(g->arena, bytes);
}

static uint32_t hash_node(const Node *n)
{
    uint64_t h =
        mix(0, n->op | (uint64_t)n->dtype << 8 | (uint64_t)n->rank << 16 | (uint64_t)n->n_args << 24);
    for (uint32_t i = 0; i < n->n_args; i++) h = mix(h, n->args[i]);
    for (uint32_t i = 0; i < n->n_attr; i++) h = mix(h, (uint64_t)n->attr[i]);
    for (int i = 0; i < n->rank; i++) h = mix(h, (uint64_t)n->dim[i]);
    if (n->op == OP_CONSTANT)
        h = by_content(n) ? mix_bytes(h, n->data, constant_bytes(n)) : mix(h, (uintptr_t)n->data);
    for (uint32_t i = 0; i < n->n_regions; i++) h = mix(h, graph_hash(n->regions[i]));
    return (uint32_t)h;
}

static bool equal_words(const void *a, const void *b, size_t bytes)
{
    return bytes == 0 || memcmp(a, b, bytes) == 0;
}

static bool equal_data(const Node *a, const Node *b)
{
    if (a->op != OP_CONSTANT || a->data == b->data) return true;
    return by_content(a) && equal_words(a->data, b->data, constant_bytes(a));
}

static bool equal_regions(const Node *a, const Node *b)
{
    if (a->n_regions != b->n_regions) return false;
    for (uint32_t i = 0; i < a->n_regions; i++)
        if (a->regions[i] != b->regions[i] && !graph_equal(a->regions[i], b->regions[i])) return false;
    return true;
}

/* Ops whose results' types are given can agree in the first and differ in another (random bits of two
 * shapes). */
static bool equal_results(const Node *a, const Node *b)
{
    if (a->n_results != b->n_results) return false;
    for (uint32_t i = 1; i < a->n_results; i++)
        if (!type_equal(node_result(a, i), node_result(b, i))) return false;
    return true;
}

static bool equal_nodes(const Node *a, const Node *b)
{
    return a->hash == b->hash && a->op == b->op && a->dtype == b->dtype && a->rank == b->rank &&
           a->n_args == b->n_args && a->n_attr == b->n_attr &&
           equal_words(a->args, b->args, a->n_args * sizeof *a->args) &&
           equal_words(a->attr, b->attr, a->n_attr * sizeof *a->attr) &&
           equal_words(a->dim, b->dim, a->rank * sizeof *a->dim) && equal_data(a, b) && equal_regions(a, b) &&
           equal_results(a, b);
}

/* The slot of an equal node, or the free one where it belongs. */
static uint32_t *find_slot(const Graph *g, const Node *n)
{
    uint32_t mask = g->table_size - 1, at = n->hash & mask;
    while (g->table[at] && !equal_nodes(&g->nodes[g->table[at] - 1], n)) at = (at + 1) & mask;
    return &g->table[at];
}

/* Of a node that no other is equal to. */
static void put_in_table(Graph *g, Ref r)
{
    uint32_t mask = g->table_size - 1, at = g->nodes[r].hash & mask;
    while (g->table[at]) at = (at + 1) & mask;
    g->table[at] = r + 1;
}

/* The table gets room for n nodes. */
static void grow_table(Graph *g, uint64_t n)
{
    uint32_t size = g->table_size ? g->table_size : FIRST_TABLE;
    while (4 * n > 3 * (uint64_t)size && size < UINT32_MAX / 2) size *= 2;
    if (size == g->table_size) return;
    g->table = arena_alloc(g->arena, size * sizeof *g->table);
    g->table_size = size;
    for (uint32_t i = 0; i < g->n_nodes; i++) put_in_table(g, i);
}

void graph_expect(Graph *g, const Graph *like)
{
    if (g->n_nodes || g->n_locs) return;
    g->nodes = arena_grow(g->arena, g->nodes, 0, &g->capacity, like->n_nodes, sizeof *g->nodes);
    grow_table(g, like->n_nodes);
    if (g->arena != like->arena) return;
    g->n_locs = g->cap_locs = like->n_locs;
    g->locs = arena_copy(g->arena, like->locs, like->n_locs * sizeof *g->locs);
    g->loc_table_size = like->loc_table_size;
    g->loc_table = arena_copy(g->arena, like->loc_table, like->loc_table_size * sizeof *g->loc_table);
}

Ref graph_find(const Graph *g, Ref r)
{
    const uint32_t *slot = find_slot(g, &g->nodes[r]);
    return *slot ? *slot - 1 : REF_NONE;
}

/* For each node of several results where its RESULT nodes that are reached stand, by number; NULL for the
 * others. */
static Ref **reached_results(Arena *a, const Graph *g, const bool *reached)
{
    Ref **of = arena_alloc(a, (g->n_nodes + 1) * sizeof *of);
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        const Node *n = &g->nodes[i];
        if (n->op == OP_RESULT && reached[i]) of[n->args[0]][n->attr[0]] = i;
        if (n->n_results == 1 || !reached[i]) continue;
        of[i] = arena_alloc(a, n->n_results * sizeof **of);
        for (uint32_t k = 0; k < n->n_results; k++) of[i][k] = REF_NONE;
    }
    return of;
}

typedef struct Order {
    const Graph *g;
    Ref *nodes;
    uint32_t n;
    bool *placed;
} Order;

static void place_constant(Order *o, Ref r)
{
    if (r == REF_NONE || o->g->nodes[r].op != OP_CONSTANT || o->placed[r]) return;
    o->placed[r] = true;
    o->nodes[o->n++] = r;
}

/* The nodes of a compact copy in its order, and how many: parameters first; a constant in front of the first
 * node that uses it, or last; RESULTs behind theirs. */
static uint32_t compact_order(Arena *a, const Graph *g, Ref *order)
{
    const bool *reached = graph_reached(a, g);
    Ref **results = reached_results(a, g, reached);
    Order o = { g, order, 0, arena_alloc(a, g->n_nodes + 1) };
    for (uint32_t i = 0; i < g->n_params; i++) order[o.n++] = g->params[i];
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        const Node *n = &g->nodes[i];
        if (!reached[i] || n->op == OP_PARAMETER || n->op == OP_RESULT || n->op == OP_CONSTANT) continue;
        for (uint32_t k = 0; k < n->n_args; k++) place_constant(&o, n->args[k]);
        order[o.n++] = i;
        for (uint32_t k = 0; results[i] && k < n->n_results; k++)
            if (results[i][k] != REF_NONE) order[o.n++] = results[i][k];
    }
    for (uint32_t i = 0; i < g->n_outputs; i++) place_constant(&o, g->outputs[i]);
    return o.n;
}

/* As graph_compact leaves it? */
static bool is_compact(Arena *arena, const Graph *g)
{
    Ref *order = graph_refs(arena, g->n_nodes);
    if (compact_order(arena, g, order) != g->n_nodes) return false;
    for (uint32_t i = 0; i < g->n_nodes; i++)
        if (order[i] != i) return false;
    return true;
}

/* A region as nodes hold it: in the graph's own arena and compact, so that equal reducers spelled in another
 * order are equal. */
static const Graph *own_region(Graph *g, const Graph *region)
{
    if (!region) return NULL;
    bool own = region->arena == g->arena && is_compact(g->arena, region);
    return own ? region : graph_compact(g->arena, region);
}

static void own_regions(Graph *g, const NodeSpec *s, Node *n)
{
    n->n_regions = (uint8_t)spec_n_regions(s);
    if (!n->n_regions) return;
    const Graph **regions = arena_alloc(g->arena, n->n_regions * sizeof *regions);
    for (uint32_t i = 0; i < n->n_regions; i++) regions[i] = own_region(g, spec_region(s, i));
    n->regions = regions;
    n->region = regions[0];
}

static const Type *copy_results(Graph *g, const Inferred *t, const int64_t *first_dim)
{
    Type *results = arena_copy(g->arena, t->type, (size_t)t->n_results * sizeof *results);
    for (int i = 0; i < t->n_results; i++)
        results[i].dim = t->type[i].dim == t->dim
                             ? first_dim
                             : arena_copy(g->arena, t->type[i].dim, t->type[i].rank * sizeof *t->dim);
    return results;
}

/* An empty list is a place, too: the lists of a node are never NULL. */
static void *put(void *to, const void *from, size_t bytes) { return bytes ? memcpy(to, from, bytes) : to; }

/* Gives the node memory of its own. Sizes equal to the first operand's are shared with it: most nodes are
 * elementwise. */
static void own_parts(Graph *g, Node *n)
{
    const Node *like = n->n_args ? &g->nodes[n->args[0]] : NULL;
    bool shared = like && like->rank == n->rank && equal_words(like->dim, n->dim, n->rank * sizeof *n->dim);
    size_t dim_bytes = shared ? 0 : n->rank * sizeof *n->dim, attr_bytes = n->n_attr * sizeof *n->attr,
           arg_bytes = n->n_args * sizeof *n->args;
    char *p = arena_alloc(g->arena, dim_bytes + attr_bytes + arg_bytes);
    n->dim = shared ? like->dim : put(p, n->dim, dim_bytes);
    n->attr = put(p + dim_bytes, n->attr, attr_bytes);
    n->args = put(p + dim_bytes + attr_bytes, n->args, arg_bytes);
    if (n->op == OP_CONSTANT && by_content(n)) n->data = arena_copy(g->arena, n->data, constant_bytes(n));
}

static Ref append(Graph *g, Node *n, const Inferred *t)
{
    if (g->n_nodes >= REF_NONE - 1) {
        fail(&g->failure, WEFT_MEMORY, "a graph of more than %u nodes", (unsigned)(REF_NONE - 1));
        return REF_NONE;
    }
    own_parts(g, n);
    if (t->n_results > 1) n->results = copy_results(g, t, n->dim);
    n->loc = g->loc;
    ARENA_PUSH(g->arena, g->nodes, g->n_nodes, g->capacity) = *n;
    return g->n_nodes - 1;
}

static Ref intern(Graph *g, const NodeSpec *s, const Inferred *t)
{
    Node n = { .op = (uint8_t)s->op,
               .dtype = t->type[0].dtype,
               .rank = t->type[0].rank,
               .n_results = (uint32_t)t->n_results,
               .n_args = s->n_args,
               .n_attr = s->n_attr,
               .dim = t->type[0].dim,
               .args = s->args,
               .attr = s->attr,
               .data = s->op == OP_CONSTANT ? s->data : NULL };
    n.results = n.n_results > 1 ? t->type : NULL;
    own_regions(g, s, &n);
    n.hash = hash_node(&n);
    grow_table(g, (uint64_t)g->n_nodes + 1);
    uint32_t *slot = find_slot(g, &n);
    if (*slot) return *slot - 1;
    Ref r = append(g, &n, t);
    if (r != REF_NONE) *slot = r + 1;
    return r;
}

/* Parameters are numbered without gaps, and a number has one type. */
static bool number_parameter(Graph *g, const NodeSpec *s, const Type *type)
{
    int64_t number = s->attr[0];
    if (number < g->n_params) {
        Type old = graph_type(g, g->params[number]);
        if (type_equal(old, *type)) return true;
        return fail(&g->failure, WEFT_ARGUMENT, "parameter %lld is %s and %s", (long long)number,
                    TYPE_TEXT(old), TYPE_TEXT(*type));
    }
    if (number > g->n_params)
        return fail(&g->failure, WEFT_ARGUMENT, "parameter %lld comes after %u others", (long long)number,
                    (unsigned)g->n_params);
    return true;
}

/* The operand's type as infer wants it; false for a RESULT of a single value, for several values used as one,
 * and for no node at all. */
static bool operand_type(Graph *g, const NodeSpec *s, Ref r, Type *type)
{
    if (r >= g->n_nodes)
        return fail(&g->failure, WEFT_ARGUMENT, "operand %u of a graph of %u nodes", (unsigned)r,
                    (unsigned)g->n_nodes);
    const Node *n = &g->nodes[r];
    *type = node_type(n);
    if ((n->n_results > 1) != (s->op == OP_RESULT))
        return fail(&g->failure, WEFT_ARGUMENT,
                    s->op == OP_RESULT ? "%s has a single result"
                                       : "one of several results of %s must be chosen",
                    op_info[n->op].name);
    if (s->op != OP_RESULT) return true;
    if (s->n_attr != 1 || s->attr[0] < 0 || s->attr[0] >= n->n_results)
        return fail(&g->failure, WEFT_ARGUMENT, "result %lld of %s, which has %u",
                    s->n_attr ? (long long)s->attr[0] : -1LL, op_info[n->op].name, n->n_results);
    *type = n->results[s->attr[0]];
    return true;
}

static Ref add(Graph *g, const NodeSpec *s, bool folding)
{
    Type local[LOCAL_ARGS], *types = local;
    for (uint32_t i = 0; i < s->n_args; i++)
        if (s->args[i] == REF_NONE) return REF_NONE;
    if (s->n_args > LOCAL_ARGS) types = arena_alloc(g->arena, s->n_args * sizeof *types);
    for (uint32_t i = 0; i < s->n_args; i++)
        if (!operand_type(g, s, s->args[i], &types[i])) return REF_NONE;

    Inferred t;
    if (!infer(s, types, &t, &g->failure)) return REF_NONE;
    if (s->op == OP_PARAMETER && !number_parameter(g, s, &t.type[0])) return REF_NONE;
    if (folding && !g->raw && t.n_results == 1) {
        Ref simpler = fold(g, s, t.type[0]);
        if (simpler != REF_NONE) return simpler;
    }
    Ref r = intern(g, s, &t);
    if (s->op == OP_PARAMETER && r != REF_NONE && s->attr[0] == g->n_params)
        ARENA_PUSH(g->arena, g->params, g->n_params, g->cap_params) = r;
    return r;
}

Ref graph_add(Graph *g, const NodeSpec *s) { return add(g, s, true); }
Ref graph_add_raw(Graph *g, const NodeSpec *s) { return add(g, s, false); }

void graph_set_outputs(Graph *g, const Ref *outputs, uint32_t n)
{
    g->outputs = arena_copy(g->arena, outputs, n * sizeof *outputs);
    g->n_outputs = n;
}

static uint32_t hash_text(const char *s) { return (uint32_t)mix_bytes(0, s, strlen(s)); }

static void grow_loc_table(Graph *g)
{
    uint32_t size = g->loc_table_size ? 2 * g->loc_table_size : FIRST_LOCS;
    uint32_t *table = arena_alloc(g->arena, size * sizeof *table);
    for (uint32_t i = 1; i < g->n_locs; i++) {
        uint32_t at = hash_text(g->locs[i]) & (size - 1);
        while (table[at]) at = (at + 1) & (size - 1);
        table[at] = i;
    }
    g->loc_table = table;
    g->loc_table_size = size;
}

uint32_t graph_loc(Graph *g, const char *at)
{
    if (!at) return 0;
    if (g->loc && strcmp(g->locs[g->loc], at) == 0) return g->loc; /* several nodes of one line in a row */
    if (2 * (uint64_t)(g->n_locs + 1) > g->loc_table_size) grow_loc_table(g);
    uint32_t mask = g->loc_table_size - 1, slot = hash_text(at) & mask;
    for (; g->loc_table[slot]; slot = (slot + 1) & mask)
        if (strcmp(g->locs[g->loc_table[slot]], at) == 0) return g->loc_table[slot];
    g->locs = arena_grow(g->arena, g->locs, g->n_locs, &g->cap_locs, g->n_locs + 2, sizeof *g->locs);
    if (g->n_locs == 0) g->n_locs = 1;
    g->locs[g->n_locs] = arena_copy(g->arena, at, strlen(at) + 1);
    return g->loc_table[slot] = g->n_locs++;
}

uint32_t graph_copy_loc(Graph *dst, const Graph *src, uint32_t loc)
{
    bool same = loc < dst->n_locs && dst->locs[loc] == src->locs[loc];
    return same ? loc : graph_loc(dst, src->locs[loc]);
}

bool *graph_reached(Arena *a, const Graph *g)
{
    bool *reached = arena_alloc(a, g->n_nodes * sizeof *reached);
    for (uint32_t i = 0; i < g->n_outputs; i++)
        if (g->outputs[i] != REF_NONE) reached[g->outputs[i]] = true;
    for (uint32_t i = g->n_nodes; i-- > 0;) {
        if (!reached[i]) continue;
        const Node *n = &g->nodes[i];
        for (uint32_t k = 0; k < n->n_args; k++) reached[n->args[k]] = true;
    }
    return reached;
}

bool graph_holds(const Graph *g, Op op, bool everywhere)
{
    for (Ref r = 0; r < g->n_nodes; r++)
        if (node_holds(&g->nodes[r], op, everywhere)) return true;
    return false;
}

bool node_holds(const Node *n, Op op, bool everywhere)
{
    if (n->op == op) return true;
    if (!everywhere && op_kind((Op)n->op) != OPKIND_CONTROL) return false;
    for (uint32_t k = 0; k < n->n_regions; k++)
        if (graph_holds(n->regions[k], op, everywhere)) return true;
    return false;
}

/* A node of src with its operands in dst: args has room for them. */
static NodeSpec respell(const Node *n, const Ref *map, Ref *args)
{
    for (uint32_t i = 0; i < n->n_args; i++) args[i] = map[n->args[i]];
    NodeSpec s = node_spec(n);
    s.args = args;
    return s;
}

static Ref copy_node(Graph *dst, const Graph *src, Ref r, const Ref *map, bool folding)
{
    const Node *n = &src->nodes[r];
    Ref local[LOCAL_ARGS],
        *args = n->n_args > LOCAL_ARGS ? arena_alloc(dst->arena, n->n_args * sizeof *args) : local;
    NodeSpec s = respell(n, map, args);
    uint32_t loc = dst->loc;
    dst->loc = n->loc ? graph_copy_loc(dst, src, n->loc) : loc;
    Ref copy = add(dst, &s, folding);
    dst->loc = loc;
    return copy;
}

Ref graph_copy_node(Graph *dst, const Graph *src, Ref n, const Ref *map)
{
    return copy_node(dst, src, n, map, true);
}

const char **graph_copy_names(Arena *a, const Graph *g)
{
    if (!g->param_names) return NULL;
    const char **names = arena_alloc(a, g->n_params * sizeof *names);
    for (uint32_t i = 0; i < g->n_params; i++)
        names[i] = g->param_names[i] ? arena_printf(a, "%s", g->param_names[i]) : NULL;
    return names;
}

void graph_name_params(Graph *g, const Graph *from)
{
    if (!from->param_names) return;
    g->param_names = arena_alloc(g->arena, g->n_params * sizeof *g->param_names);
    memcpy(g->param_names, graph_copy_names(g->arena, from), from->n_params * sizeof *g->param_names);
}

/* Node r of a graph in the same arena, whose parts it shares, but for its operands. No node is equal to
 * it. */
static Ref share_node(Graph *dst, const Graph *src, Ref r, const Ref *map)
{
    Node n = src->nodes[r];
    Ref *args = arena_alloc(dst->arena, n.n_args * sizeof *args);
    for (uint32_t i = 0; i < n.n_args; i++) args[i] = map[n.args[i]];
    n.args = args;
    if (n.loc) n.loc = graph_copy_loc(dst, src, n.loc);
    n.hash = hash_node(&n);
    grow_table(dst, (uint64_t)dst->n_nodes + 1);
    ARENA_PUSH(dst->arena, dst->nodes, dst->n_nodes, dst->capacity) = n;
    put_in_table(dst, dst->n_nodes - 1);
    if (n.op == OP_PARAMETER)
        ARENA_PUSH(dst->arena, dst->params, dst->n_params, dst->cap_params) = dst->n_nodes - 1;
    return dst->n_nodes - 1;
}

Graph *graph_compact(Arena *a, const Graph *g)
{
    Graph *to = graph_new(a, g->name);
    Ref *map = graph_refs(a, g->n_nodes), *order = graph_refs(a, g->n_nodes);
    uint32_t n = compact_order(a, g, order);
    graph_expect(to, g);
    for (uint32_t i = 0; i < n; i++)
        map[order[i]] =
            g->arena == a ? share_node(to, g, order[i], map) : copy_node(to, g, order[i], map, false);
    Ref *outputs = arena_alloc(a, g->n_outputs * sizeof *outputs);
    for (uint32_t i = 0; i < g->n_outputs; i++)
        outputs[i] = g->outputs[i] == REF_NONE ? REF_NONE : map[g->outputs[i]];
    to->outputs = outputs;
    to->n_outputs = g->n_outputs;
    to->param_names = graph_copy_names(a, g);
    to->failure = g->failure;
    return to;
}

bool graph_equal(const Graph *a, const Graph *b)
{
    if (a == b) return true;
    if (a->n_nodes != b->n_nodes || a->n_params != b->n_params || a->n_outputs != b->n_outputs) return false;
    if (!equal_words(a->params, b->params, a->n_params * sizeof *a->params)) return false;
    if (!equal_words(a->outputs, b->outputs, a->n_outputs * sizeof *a->outputs)) return false;
    for (uint32_t i = 0; i < a->n_nodes; i++)
        if (!equal_nodes(&a->nodes[i], &b->nodes[i])) return false;
    return true;
}

uint64_t graph_hash(const Graph *g)
{
    uint64_t h = mix(g->n_params, g->n_nodes);
    for (uint32_t i = 0; i < g->n_nodes; i++) h = mix(h, g->nodes[i].hash);
    for (uint32_t i = 0; i < g->n_outputs; i++) h = mix(h, g->outputs[i]);
    return h;
}
