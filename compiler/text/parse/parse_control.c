/* parse_control.c: the rules of while, case, if, map and scan.
 *
 * Regions of the text use what is around them; regions of a graph take all they use as parameters. What they
 * capture is handed to them: as invariants of a while and a scan, as operands of a case, and spread over the
 * shape of a map. `if` is a case whose branch 0 is the false one, chosen by the predicate as a number.
 */
#include <string.h>
#include "parse_build.h"

static bool need_regions(TextBuild *b, const OpSyntax *op, uint32_t n)
{
    if (op->n_regions == n) return true;
    return parse_error(b->p, op->at, "%s has %u region%s, the text gives %u", op->rule->name, n,
                       n == 1 ? "" : "s", op->n_regions);
}

bool take_node(TextBuild *b, const OpSyntax *op, Ref node, Ref *out)
{
    if (node == REF_NONE) return false;
    uint32_t n = graph_node(b->g, node)->n_results;
    if (n == op->n_results) return build_results(b->g, node, n, out);
    return parse_error(b->p, op->at, "%s has %u result%s, the text gives %u", op->rule->name, n,
                       n == 1 ? "" : "s", op->n_results);
}

static Ref *join(TextBuild *b, const Ref *left, uint32_t n_left, const Ref *right, uint32_t n_right)
{
    Ref *all = arena_alloc(b->p->arena, (n_left + n_right + 1) * sizeof *all);
    if (n_left) memcpy(all, left, n_left * sizeof *all);
    if (n_right) memcpy(all + n_left, right, n_right * sizeof *all);
    return all;
}

bool rule_while(TextBuild *b, const OpSyntax *op, const Ref *args, Ref *out)
{
    Ref *captured;
    uint32_t n_captured, n = op->n_operands;
    if (!need_regions(b, op, 2)) return false;
    const Graph **r = build_open_regions(b, op, &captured, &n_captured);
    if (!r) return false;
    if (n == 0) return true; /* without carries it has no effect */
    NodeSpec s = { .op = OP_WHILE,
                   .args = join(b, captured, n_captured, args, n),
                   .n_args = n_captured + n,
                   .attr = (int64_t[]){ n_captured },
                   .n_attr = 1,
                   .regions = r,
                   .n_regions = 2 };
    return take_node(b, op, graph_add(b->g, &s), out);
}

/* The regions as branches, in this order; index: which. */
static bool branches(TextBuild *b, const OpSyntax *op, Ref index, const Graph *const *r, const Ref *captured,
                     uint32_t n_captured, Ref *out)
{
    if (op->n_results == 0) return true;
    NodeSpec s = { .op = OP_CASE,
                   .args = join(b, &index, 1, captured, n_captured),
                   .n_args = n_captured + 1,
                   .regions = r,
                   .n_regions = op->n_regions };
    return take_node(b, op, build_given(b->g, s, op->results, op->n_results), out);
}

bool rule_case(TextBuild *b, const OpSyntax *op, const Ref *args, Ref *out)
{
    Ref *captured;
    uint32_t n_captured;
    if (op->n_regions == 0) return parse_error(b->p, op->at, "%s needs at least one branch", op->rule->name);
    const Graph **r = build_open_regions(b, op, &captured, &n_captured);
    return r && branches(b, op, args[0], r, captured, n_captured, out);
}

bool rule_if(TextBuild *b, const OpSyntax *op, const Ref *args, Ref *out)
{
    Ref *captured;
    uint32_t n_captured;
    Type t = graph_type(b->g, args[0]);
    if (!need_regions(b, op, 2)) return false;
    if (t.rank != 0 || t.dtype != WEFT_BOOL)
        return parse_error(b->p, op->at, "%s: the predicate is tensor<i1>", op->rule->name);
    OpSyntax turned = *op;
    turned.regions = (RegionSyntax[]){ op->regions[1], op->regions[0] };
    const Graph **r = build_open_regions(b, &turned, &captured, &n_captured);
    if (!r) return false;
    Ref index = build_typed(b->g, OP_CONVERT, args, 1, NULL, 0, type_scalar(WEFT_I32));
    return branches(b, op, index, r, captured, n_captured, out);
}

/* Map. */

/* Broadcasts captured scalars over the map's shape. */
static bool spread(TextBuild *b, const OpSyntax *op, Ref *captured, uint32_t n, Type shape)
{
    for (uint32_t i = 0; i < n; i++) {
        Type t = graph_type(b->g, captured[i]);
        if (t.rank != 0) return parse_unsupported(b->p, op->at, "arrays from outside of a map's region");
        captured[i] =
            build_typed(b->g, OP_BROADCAST, &captured[i], 1, NULL, 0, type_like(shape, (DType)t.dtype));
    }
    return true;
}

bool rule_map(TextBuild *b, const OpSyntax *op, const Ref *args, Ref *out)
{
    Ref *captured;
    uint32_t n_captured;
    if (!need_regions(b, op, 1) || !need_result(b, op)) return false;
    const Graph **r = build_open_regions(b, op, &captured, &n_captured);
    if (!r || !spread(b, op, captured, n_captured, op->results[0])) return false;
    NodeSpec s = { .op = OP_MAP,
                   .args = join(b, captured, n_captured, args, op->n_operands),
                   .n_args = n_captured + op->n_operands,
                   .region = r[0] };
    return take_node(b, op, build_given(b->g, s, op->results, 1), out);
}

/* Scan. */

/* The region with carries in front of inputs, and next carries in front of outputs. */
static const Graph *carries_first(TextBuild *b, const Graph *r, uint32_t n_captured, uint32_t n_xs,
                                  uint32_t n_ys)
{
    Graph *g = graph_new_raw(b->p->arena, NULL);
    uint32_t n = r->n_params, n_carry = n - n_captured - n_xs;
    Ref *params = arena_alloc(b->p->arena, (n + 1) * sizeof *params),
        *outputs = arena_alloc(b->p->arena, (r->n_outputs + 1) * sizeof *outputs);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t from = i < n_captured ? i : i < n_captured + n_carry ? i + n_xs : i - n_carry;
        params[from] = build_param(g, graph_type(r, r->params[from]));
    }
    graph_inline(g, r, params, outputs);
    Ref *turned = join(b, outputs + n_ys, r->n_outputs - n_ys, outputs, n_ys);
    graph_set_outputs(g, turned, r->n_outputs);
    return graph_compact(b->p->arena, g);
}

/* What the text of a chlo.scan says: all but what it captures, and along which axis it runs. */
static bool read_scan(TextBuild *b, const OpSyntax *op, const Ref *args, ScanShape *s, int64_t *axis)
{
    const AttrSyntax *dim = need_attr(b, op, "dimension", "scan_dimension"),
                     *reverse = attr_find(op, "is_reverse", NULL);
    const AttrSyntax *sizes = need_attr(b, op, "operandSegmentSizes", "operand_segment_sizes");
    Ints n;
    if (!dim || !sizes || !attr_int(b->p, dim, axis) || !attr_ints(b->p, sizes, &n.at, &n.n)) return false;
    if (n.n < 2 || n.at[0] < 0 || n.at[1] < 0 || n.at[0] > op->n_operands ||
        n.at[0] + n.at[1] != op->n_operands || op->n_results < n.at[1])
        return parse_error(b->p, op->at, "%s: inputs and carries do not make up the %u operands",
                           op->rule->name, op->n_operands);
    *s = (ScanShape){ .reverse = reverse && strcmp(attr_word(reverse), "true") == 0,
                      .unroll = 1,
                      .n_xs = (uint32_t)n.at[0],
                      .n_carry = (uint32_t)n.at[1] };
    for (uint32_t i = 0; i < s->n_xs + op->n_results - s->n_carry; i++) {
        Type t = i < s->n_xs ? graph_type(b->g, args[i]) : op->results[i - s->n_xs];
        if (*axis < 0 || *axis >= t.rank)
            return parse_error(b->p, dim->at, "axis %lld of a value of rank %d", (long long)*axis, t.rank);
        s->length = t.dim[*axis];
    }
    return true;
}

/* chlo.scan(inputs) inits(carries) dimension=d. It has inputs and outputs before carries, and runs along
 * any axis, which is moved to the front here. */
bool rule_scan(TextBuild *b, const OpSyntax *op, const Ref *args, Ref *out)
{
    ScanShape s;
    int64_t axis;
    Ref *captured;
    uint32_t n;
    if (!need_regions(b, op, 1) || !read_scan(b, op, args, &s, &axis)) return false;
    const Graph **r = build_open_regions(b, op, &captured, &n);
    if (!r) return false;
    if (op->regions[0].n_args != op->n_operands || r[0]->n_outputs != op->n_results)
        return parse_error(b->p, op->at, "%s: the region takes %u values and gives %u, not %u and %u",
                           op->rule->name, op->regions[0].n_args, r[0]->n_outputs, op->n_operands,
                           op->n_results);
    Ref *all = join(b, captured, n, args + s.n_xs, s.n_carry), *made = graph_refs(b->p->arena, op->n_results);
    all = join(b, all, n + s.n_carry, args, s.n_xs);
    for (uint32_t i = n + s.n_carry; i < n + op->n_operands; i++)
        all[i] = build_move_axis(b->g, all[i], (int)axis, 0);
    s.n_invariant = n;
    uint32_t n_ys = op->n_results - s.n_carry;
    if (!build_scan(b->g, s, carries_first(b, r[0], n, s.n_xs, n_ys), all, made)) return false;
    for (uint32_t i = 0; i < n_ys; i++) out[i] = build_move_axis(b->g, made[s.n_carry + i], 0, (int)axis);
    for (uint32_t i = 0; i < s.n_carry; i++) out[n_ys + i] = made[i];
    return true;
}
