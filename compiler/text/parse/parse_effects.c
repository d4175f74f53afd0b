/* parse_effects.c: calls of functions of the host (HostFunction), which may do more than compute. A graph
 * orders nothing but by what is computed from what, and what nobody uses is not computed. So once the text is
 * read, one more value is led through all ops that have such a call in them, a bool: has one failed? A call
 * takes it and gives the next; a while carries it, and ends when it is true; branches give it on, so does a
 * func that is called; the func that is called from outside returns it behind its own results. */
#include <string.h>
#include "parse_build.h"

typedef struct Effects {
    Parser *p;
    ValueId *now; /* of each value that the text has: what it became */
} Effects;

enum { PRIVATE = 1, PUBLIC };

const HostFunction *parse_host_function(const Parser *p, const OpSyntax *op)
{
    const HostFunction *f = p->more && op->rule->syntax == syntax_custom_call ? p->more->host : NULL;
    const AttrSyntax *target = f ? attr_find(op, "call_target_name", NULL) : NULL;
    while (f && (!target || strcmp(f->name, attr_word(target)) != 0)) f = f->next;
    return f;
}

/* ---- which have effects ---- */

/* Of the func that it calls: 0, PRIVATE or PUBLIC. */
static uint32_t callee_effects(const Parser *p, const OpSyntax *op)
{
    const AttrSyntax *a = attr_find(op, "callee", "decomposition");
    return op->rule->build == rule_call && a && a->text ? names_get(&p->effects, a->text) : 0;
}

/* Recursion is limited: the parser has limited how deep regions nest. */
static bool has_effects(const Parser *p, const OpSyntax *op)
{
    if (parse_host_function(p, op) || callee_effects(p, op)) return true;
    for (uint32_t i = 0; i < op->n_regions; i++)
        for (const OpSyntax *in = op->regions[i].ops; in; in = in->next)
            if (has_effects(p, in)) return true;
    return false;
}

/* The funcs in order, those in modules too; returns how many. NULL: only counts. */
static uint32_t list_funcs(OpSyntax *op, OpSyntax **to)
{
    uint32_t n = 0;
    for (; op; op = op->next) {
        if (op->rule->syntax == syntax_func && to) to[n] = op;
        n += op->rule->syntax == syntax_func;
        for (uint32_t i = 0; op->rule->syntax == syntax_module && i < op->n_regions; i++)
            n += list_funcs(op->regions[i].ops, to ? to + n : NULL);
    }
    return n;
}

/* JAX writes a func behind those that call it. */
static void find_effects(Parser *p, OpSyntax **funcs, uint32_t n)
{
    for (uint32_t known = UINT32_MAX; known != p->effects.n;) {
        known = p->effects.n;
        for (uint32_t i = n; i-- > 0;) {
            const AttrSyntax *name = attr_find(funcs[i], "sym_name", NULL);
            bool is_private = !strcmp(attr_word(attr_find(funcs[i], "sym_visibility", NULL)), "private");
            if (name && name->text && !names_get(&p->effects, name->text) && has_effects(p, funcs[i]))
                names_add(p->arena, &p->effects, name->text, is_private ? PRIVATE : PUBLIC);
        }
    }
}

/* ---- the mark ---- */

static Type mark_type(void) { return type_scalar(WEFT_BOOL); }

static Type *one_type_more(const Parser *p, const Type *types, uint32_t n)
{
    Type *to = arena_alloc(p->arena, (n + 1) * sizeof *to);
    if (n) memcpy(to, types, n * sizeof *to);
    to[n] = mark_type();
    return to;
}

/* n values and a mark behind them, in place of those n. The mark. */
static ValueId one_value_more(const Effects *e, ValueId *first, uint32_t n)
{
    Type *types = arena_alloc(e->p->arena, (n + 1) * sizeof *types);
    for (uint32_t i = 0; i < n; i++) types[i] = parse_type_said(e->p, *first + i);
    types[n] = mark_type();
    ValueId made = parse_new_values(e->p, types, n + 1);
    for (uint32_t i = 0; i < n; i++) e->now[*first + i] = made + i;
    *first = made;
    return made + n;
}

static void take_mark(const Effects *e, OpSyntax *op, ValueId mark)
{
    bool written = op->n_operand_types == op->n_operands;
    parse_add_operand(e->p, op, mark);
    if (!written) return;
    op->operand_types = one_type_more(e->p, op->operand_types, op->n_operand_types);
    op->n_operand_types++;
}

static ValueId give_mark(const Effects *e, OpSyntax *op)
{
    ValueId mark = one_value_more(e, &op->first_result, op->n_results);
    op->results = one_type_more(e->p, op->results, op->n_results);
    op->n_results++;
    return mark;
}

static bool rule_no_failure(TextBuild *b, const OpSyntax *op, const Ref *args, Ref *results)
{
    (void)op;
    (void)args;
    results[0] = build_splat(b->g, mark_type(), false);
    return true;
}

static bool rule_unless_failed(TextBuild *b, const OpSyntax *op, const Ref *args, Ref *results)
{
    (void)op;
    Ref good = build_typed(b->g, OP_NOT, &args[1], 1, NULL, 0, mark_type());
    results[0] = build_typed(b->g, OP_AND, (Ref[]){ args[0], good }, 2, NULL, 0, mark_type());
    return true;
}

/* An op of our own, which stands where `like` does. Its one result is a mark, or a bool like it. */
static OpSyntax *own_op(const Effects *e, const OpSyntax *like, BuildFn *build, int8_t n_operands)
{
    OpSyntax *op = arena_alloc(e->p->arena, sizeof *op);
    OpRule *rule = arena_alloc(e->p->arena, sizeof *rule);
    *rule = (OpRule){ .name = like->rule->name, .build = build, .op = OP_COUNT, .args = n_operands };
    rule->results = RESULTS_TYPED;
    *op = (OpSyntax){ .rule = rule, .at = like->at, .line = like->line, .place = like->place };
    give_mark(e, op);
    return op;
}

static ValueId first_mark(const Effects *e, RegionSyntax *r)
{
    OpSyntax *op = own_op(e, r->ops, rule_no_failure, 0);
    op->next = r->ops;
    r->ops = op;
    return op->first_result;
}

/* The condition of a while also asks whether a call has failed. */
static void end_when_failed(const Effects *e, RegionSyntax *r, ValueId mark)
{
    OpSyntax *end = r->last, **link = &r->ops;
    if (end->n_operands != 1) return; /* an error of the text's */
    OpSyntax *op = own_op(e, end, rule_unless_failed, 2);
    parse_add_operand(e->p, op, end->operands[0]);
    parse_add_operand(e->p, op, mark);
    end->operands[0] = op->first_result;
    while (*link != end) link = &(*link)->next;
    op->next = end;
    *link = op;
}

static ValueId add_argument(const Effects *e, RegionSyntax *r)
{
    uint32_t n = r->n_args;
    ValueId mark = one_value_more(e, &r->first_arg, n);
    r->n_args = n + 1;
    if (r->arg_names) {
        const char **names = arena_alloc(e->p->arena, (n + 1) * sizeof *names);
        memcpy(names, r->arg_names, n * sizeof *names);
        names[n] = "failed";
        r->arg_names = names;
    }
    if (r->arg_attrs) {
        AttrSyntax *attrs = arena_alloc(e->p->arena, (n + 1) * sizeof *attrs);
        memcpy(attrs, r->arg_attrs, n * sizeof *attrs);
        attrs[n] = (AttrSyntax){ .kind = ATTR_DICT };
        r->arg_attrs = attrs;
    }
    return mark;
}

/* ---- leading it through ---- */

static ValueId order_region(const Effects *e, RegionSyntax *r, ValueId mark);

/* Ops that have effects in other regions than these would have to say how often, and in which order. */
static bool can_have_effects(const Parser *p, const OpSyntax *op)
{
    BuildFn *build = op->rule->build;
    if (parse_host_function(p, op) || build == rule_case || build == rule_if) return true;
    if (build == rule_while) return op->n_regions == 2 && op->regions[0].last && op->regions[1].last;
    return op->rule->syntax == syntax_call && callee_effects(p, op) == PRIVATE;
}

/* The mark behind the op. */
static ValueId order_op(const Effects *e, OpSyntax *op, ValueId mark)
{
    Parser *p = e->p;
    bool effects = has_effects(p, op), loop = op->rule->build == rule_while;
    for (uint32_t i = 0; i < op->n_operands; i++) op->operands[i] = e->now[op->operands[i]];
    if (effects && !can_have_effects(p, op))
        return parse_unsupported(p, op->at, "calls of the host's functions in %s", op->rule->name), mark;
    if (effects && (loop || op->n_regions == 0)) take_mark(e, op, mark);
    for (uint32_t i = 0; i < op->n_regions && !p->failed; i++) {
        RegionSyntax *r = &op->regions[i];
        ValueId inner = order_region(e, r, effects && loop ? add_argument(e, r) : mark);
        if (!effects || p->failed || !r->last) continue;
        if (loop && i == 0) end_when_failed(e, r, inner);
        else take_mark(e, r->last, inner);
    }
    return effects ? give_mark(e, op) : mark;
}

static ValueId order_region(const Effects *e, RegionSyntax *r, ValueId mark)
{
    for (OpSyntax *op = r->ops; op && !e->p->failed; op = op->next) mark = order_op(e, op, mark);
    return mark;
}

static void order_func(const Effects *e, OpSyntax *f)
{
    const AttrSyntax *name = attr_find(f, "sym_name", NULL);
    uint32_t effects = name && name->text ? names_get(&e->p->effects, name->text) : 0;
    RegionSyntax *r = f->n_regions == 1 ? &f->regions[0] : NULL;
    if (!effects || !r || !r->last) return;
    OpSyntax *first = r->ops;
    ValueId mark = effects == PRIVATE ? add_argument(e, r) : first_mark(e, r);
    for (OpSyntax *op = first; op && !e->p->failed; op = op->next) mark = order_op(e, op, mark);
    take_mark(e, r->last, mark);
    f->results = one_type_more(e->p, f->results, f->n_results);
    f->n_results++;
}

void parse_order_effects(Parser *p, const RegionSyntax *top)
{
    uint32_t n = p->more && p->more->host ? list_funcs(top->ops, NULL) : 0;
    OpSyntax **funcs = arena_alloc(p->arena, (n + 1) * sizeof *funcs);
    if (n) list_funcs(top->ops, funcs);
    find_effects(p, funcs, n);
    if (p->effects.n == 0) return;
    Effects e = { p, arena_alloc(p->arena, (p->n_values + 1) * sizeof *e.now) };
    for (ValueId v = 0, n_values = p->n_values; v < n_values; v++) e.now[v] = v;
    for (uint32_t i = 0; i < n && !p->failed; i++) order_func(&e, funcs[i]);
}

/* ---- the call ---- */

/* The host's functions see no tokens: what orders the calls is the mark, the last operand and result. Values
 * of narrow.h come and go as bytes. */
static Type bytes_of(Type held, Narrow t) { return t ? type_like(held, narrow_bytes(t)) : held; }

/* operand_layouts or result_layouts, if they are there: the axes of each from the fastest. */
static bool is_row_major(Parser *p, const AttrSyntax *layouts)
{
    for (uint32_t i = 0; layouts && i < layouts->n_items; i++) {
        int64_t *axis;
        uint32_t n;
        if (!attr_ints(p, &layouts->items[i], &axis, &n)) return false;
        for (uint32_t k = 0; k < n; k++)
            if (axis[k] != n - 1 - k) return false;
    }
    return true;
}

/* Its attributes that say how it is called. JAX writes an empty dictionary beside a string. */
static bool check_host_call(Parser *p, const OpSyntax *op, const char *name, const AttrSyntax *config)
{
    const AttrSyntax *dict = attr_find(op, "mhlo.backend_config", NULL);
    if ((dict && (dict->kind != ATTR_DICT || dict->n_items)) || (config && config->kind != ATTR_STRING))
        return parse_unsupported(p, op->at, "a backend_config that is no string (custom_call @%.60s)", name);
    if (is_row_major(p, attr_find(op, "operand_layouts", NULL)) &&
        is_row_major(p, attr_find(op, "result_layouts", NULL)))
        return true;
    return !p->failed &&
           parse_unsupported(p, op->at, "a layout that is not row-major (custom_call @%.60s)", name);
}

bool build_host_call(TextBuild *b, const OpSyntax *op, const Ref *args, Ref *results)
{
    const HostFunction *f = parse_host_function(b->p, op);
    const AttrSyntax *config = attr_find(op, "backend_config", NULL);
    if (!check_host_call(b->p, op, f->name, config)) return false;
    uint32_t n_in = 0, n_out = 0, most = op->n_operands + op->n_results;
    Arena *a = b->p->arena;
    Type *types = arena_alloc(a, most * sizeof *types), *out = types + op->n_operands;
    uint8_t *narrow = arena_alloc(a, most), *narrow_out = narrow + op->n_operands;
    Ref *given = arena_alloc(a, most * sizeof *given), *got = given + op->n_operands;
    for (uint32_t i = 0; i < op->n_operands; i++) {
        if ((narrow[n_in] = b->p->narrow[op->operands[i]]) == NARROW_TOKEN) continue;
        given[n_in] = narrow_result(b, op->operands[i], args[i]);
        types[n_in] = graph_type(b->g, given[n_in]);
        n_in++;
    }
    for (uint32_t i = 0; i < op->n_results; i++) {
        if ((narrow_out[n_out] = b->p->narrow[op->first_result + i]) == NARROW_TOKEN) continue;
        out[n_out] = bytes_of(op->results[i], (Narrow)narrow_out[n_out]);
        n_out++;
    }
    HostCall call = { .name = f->name,
                      .config = config ? config->text : "",
                      .in = types,
                      .out = out,
                      .narrow_in = narrow,
                      .narrow_out = narrow_out,
                      .n_in = n_in - 1,
                      .n_out = n_out - 1,
                      .made = b->p->more->made };
    Failure why = { .code = WEFT_OK };
    const ForeignOp *foreign = f->op(f, a, &call, &why);
    if (!foreign) return parse_error(b->p, op->at, "custom_call @%s", why.text);
    if (!build_foreign(b->g, foreign, 1, NULL, 0, given, n_in, out, n_out, got)) return false;
    for (uint32_t i = 0; i < op->n_results; i++) {
        ValueId v = op->first_result + i;
        results[i] = b->p->narrow[v] == NARROW_TOKEN ? build_token(b) : narrow_value_of(b, v, *got++);
    }
    return true;
}
