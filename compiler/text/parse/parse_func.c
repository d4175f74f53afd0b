/* parse_func.c: modules, funcs and calls: text_parse.
 *
 * The whole text is read first, for a func may call one that stands behind it. Then the funcs are built,
 * callees before callers (depth first with a stack of our own; a func that calls itself is an error), and
 * each call inlines the callee's finished graph. Where calls nest deeper than in any program that people
 * write, a func that is called once is built where it is called: a chain of copies would take time and memory
 * that grow with the square of its length. At the end a func's graph is compacted: what the text
 * computes and nobody uses is gone.
 */
#include <stdlib.h>
#include <string.h>
#include "compiler/text/decimal.h"
#include "parse_build.h"
#include "compiler/text/spell.h"

/* Inlining multiplies: funcs that call funcs twice double at each level, every region of an op takes what
 * any of them captures, and a loop that calls a func with a loop nests deeper than the text does. */
enum { MAX_INLINED_OPS = 1 << 20, MAX_NESTED_REGIONS = 100 };

/* Calls in calls from which on they are deep; and how many funcs are built in each other: by recursion. */
enum { DEEP_CALLS = 32, MAX_IN_PLACE = 64 };

typedef struct Func {
    const char *name;
    const OpSyntax *op;
    Graph *graph;
    Check *checks;
    uint32_t n_checks, cap_checks;
    enum { UNSEEN, OPEN, DONE } state;
    bool is_private;
    bool in_place;         /* it has no graph: its one call builds it */
    bool has_checks;       /* or calls of what is no func */
    bool is_called_inside; /* by a region, or by an op that makes a region of it */
    uint32_t n_callers;
    uint32_t height, nested; /* calls in calls, it included; and those in place */
    uint64_t n_ops;          /* in it and in what it calls, regions included */
    uint32_t depth;          /* of its regions, those of what it calls included */
    /* at any depth of regions */
    struct Call {
        const OpSyntax *op;
        const char *name;
    } *calls;
    uint32_t n_calls, cap_calls, next_call;
} Func;

struct FuncBuild {
    Func *funcs;
    uint32_t n_funcs, capacity;
    NameTable names; /* index + 1 */
    Func *current;
};

/* Collecting. */

static bool is_module(const OpSyntax *op) { return op->rule->syntax == syntax_module; }
static bool is_func(const OpSyntax *op) { return op->rule->syntax == syntax_func; }

static Func *find_func(const FuncBuild *all, const char *name)
{
    uint32_t i = names_get(&all->names, name);
    return i ? &all->funcs[i - 1] : NULL;
}

static bool is_private(const OpSyntax *op)
{
    return strcmp(attr_word(attr_find(op, "sym_visibility", NULL)), "private") == 0;
}

/* What a func says under a key of a parameter or result stands behind it, or in the generic form in one list.
 * NULL: nothing. */
static const AttrSyntax *port_field(const OpSyntax *op, bool result, uint32_t i, const char *key)
{
    const RegionSyntax *r = &op->regions[0];
    const AttrSyntax *all = attr_find(op, result ? "res_attrs" : "arg_attrs", NULL);
    const AttrSyntax *dict = !result && r->arg_attrs ? &r->arg_attrs[i] : NULL;
    if (all && all->kind == ATTR_LIST && i < all->n_items) dict = &all->items[i];
    return attr_field(dict, key);
}

static bool add_func(Parser *p, FuncBuild *all, const OpSyntax *op)
{
    const AttrSyntax *name = attr_find(op, "sym_name", NULL);
    if (!name || !name->text) return parse_error(p, op->at, "a func without a name");
    if (find_func(all, name->text)) return parse_error(p, op->at, "two funcs are called @%.100s", name->text);
    if (op->n_regions != 1) return parse_error(p, op->at, "a func has one region");
    ARENA_PUSH(p->arena, all->funcs, all->n_funcs, all->capacity) =
        (Func){ .name = name->text, .op = op, .is_private = is_private(op) };
    names_add(p->arena, &all->names, name->text, all->n_funcs);
    return true;
}

/* Recursion is limited: the parser has limited how deep modules nest. */
static void collect(Parser *p, FuncBuild *all, const OpSyntax *op, const char **module_name)
{
    for (; op && !p->failed; op = op->next) {
        if (is_func(op)) add_func(p, all, op);
        else if (is_module(op)) {
            const AttrSyntax *name = attr_find(op, "sym_name", NULL);
            if (name && !*module_name) *module_name = name->text;
            for (uint32_t i = 0; i < op->n_regions; i++) collect(p, all, op->regions[i].ops, module_name);
        } else if (op->rule->syntax == syntax_mesh) parse_add_mesh(p, op);
        else if (op->rule->results != NOT_A_VALUE)
            parse_error(p, op->at, "%s stands outside of a function", op->rule->name);
    }
}

/* Calls. */

bool parse_count_ops(TextBuild *b, const OpSyntax *op, uint64_t n)
{
    b->func->current->n_ops += n;
    if (b->func->current->n_ops > MAX_INLINED_OPS)
        parse_unsupported(b->p, op->at, "a func that expands to more than %d ops", MAX_INLINED_OPS);
    return !b->p->failed;
}

static const Func *count_callee(TextBuild *b, const OpSyntax *op, const char *name, uint32_t regions)
{
    const Func *callee = name ? find_func(b->func, name) : NULL;
    Func *caller = b->func->current;
    if (!name || !*name) parse_error(b->p, op->at, "%s does not say which func", op->rule->name);
    else if (!callee || (!callee->graph && !callee->in_place))
        parse_error(b->p, op->at, "there is no func @%.100s", name);
    if (b->p->failed) return NULL;
    uint32_t depth = b->depth + regions + callee->depth;
    if (depth > caller->depth) caller->depth = depth;
    parse_count_ops(b, op, callee->n_ops);
    if (depth > MAX_NESTED_REGIONS)
        parse_unsupported(b->p, op->at, "loops nested deeper than %d levels", MAX_NESTED_REGIONS);
    return b->p->failed ? NULL : callee;
}

const Graph *parse_callee(TextBuild *b, const OpSyntax *op, const char *name, uint32_t regions)
{
    const Func *callee = count_callee(b, op, name, regions);
    return callee ? callee->graph : NULL;
}

/* A composite with the name of an op of weft's is that op, whatever its decomposition; any other is a call of
 * its decomposition. */

/* The op that a composite names; OP_COUNT: none. */
static Op own_composite(const OpSyntax *op)
{
    const char *name = op->rule->syntax == syntax_composite ? attr_word(attr_find(op, "name", NULL)) : "";
    for (int i = 0; *name && i < OP_COUNT; i++) {
        const CompositeForm *form = spell_composite((Op)i);
        bool named = form || op_is_ew((Op)i) || i == OP_ARGMAX || i == OP_ARGMIN;
        if (named && strcmp(form ? form->name : op_info[i].text, name) == 0) return (Op)i;
    }
    return OP_COUNT;
}

static const AttrSyntax *composite_field(const OpSyntax *op, const char *key)
{
    return attr_field(attr_find(op, "composite_attributes", NULL), key);
}

/* Which funcs an op needs: the callee of a call, the decomposition of a composite, the comparator of an
 * approximate top_k, the regions of an op of weft's in their order. NULL among them: the text does not
 * say. */
enum { MAX_CALLEES = 3 };
typedef struct Callees {
    const char *name[MAX_CALLEES];
    uint32_t n;
} Callees;

static void add_callee(Callees *c, const AttrSyntax *a)
{
    /* VHLO has strings for symbols */
    c->name[c->n++] = a && (a->kind == ATTR_SYMBOL || a->kind == ATTR_STRING) ? a->text : NULL;
}

static Callees callees_of(const OpSyntax *op)
{
    Callees c = { .n = 0 };
    if (op->rule->build != rule_call) { /* a dialect's call */
        if (op->rule->syntax == syntax_call) add_callee(&c, attr_find(op, "callee", "fn"));
        if (parse_is_approx_top_k(op)) add_callee(&c, parse_called_computation(op));
        return c;
    }
    Op own = own_composite(op);
    const CompositeForm *form = spell_composite(own);
    if (own == OP_COUNT) add_callee(&c, attr_find(op, "callee", "decomposition"));
    for (uint32_t i = 0; form && i < form->n_regions; i++)
        add_callee(&c, form->regions[i] ? composite_field(op, form->regions[i])
                                        : attr_find(op, "decomposition", NULL));
    return c;
}

/* The op that an attribute names. */
static bool named_op(TextBuild *b, const AttrSyntax *a, int64_t *v)
{
    const char *name = attr_word(a);
    const OpRule *rule = *name ? rule_find(b->p, name, strlen(name)) : NULL;
    if (rule) *v = rule->op;
    return rule != NULL;
}

static bool composite_number(TextBuild *b, const OpSyntax *op, const CompositeNumber *n, int64_t *v)
{
    const AttrSyntax *a = composite_field(op, n->key);
    if (!a && n->kind == NUMBER_OPTIONAL) return true;
    if (n->kind == NUMBER_MONOID && named_op(b, a, v)) return true;
    if (!a || n->kind == NUMBER_MONOID)
        return parse_error(b->p, op->at, "%s needs the attribute %s", op->rule->name, n->key);
    if (a->kind != ATTR_BOOL) return attr_int(b->p, a, v);
    *v = strcmp(a->text, "true") == 0;
    return true;
}

/* The numbers in the order in which the node holds them. */
static bool composite_numbers(TextBuild *b, const OpSyntax *op, const CompositeForm *form, int64_t *attr,
                              uint32_t *n_attr)
{
    for (int at = 0; at < MAX_COMPOSITE_ATTRS; at++)
        for (const CompositeNumber *n = form->numbers; n->key; n++) {
            if (n->at != at) continue;
            if (!composite_number(b, op, n, &attr[at])) return false;
            *n_attr = (uint32_t)at + 1;
        }
    if (form->op == OP_SCAN) attr[5] = (int64_t)op->n_operands - attr[3] - attr[4];
    return true;
}

static bool build_form(TextBuild *b, const OpSyntax *op, const CompositeForm *form, const Ref *args,
                       Ref *results)
{
    const Graph *regions[MAX_REGION_KEYS];
    Callees callees = callees_of(op);
    int64_t attr[MAX_COMPOSITE_ATTRS] = { 0 };
    uint32_t n_attr = 0;
    for (uint32_t i = 0; i < callees.n; i++)
        if (!(regions[i] = parse_callee(b, op, callees.name[i], 1))) return false;
    if (!composite_numbers(b, op, form, attr, &n_attr)) return false;
    if (form->op == OP_CUMULATIVE && op->n_operands != 1)
        return parse_error(b->p, op->at, "%s takes one operand", op->rule->name);
    if (op->n_results == 0) return form->n_regions || need_result(b, op);
    NodeSpec s = { .op = form->op,
                   .args = args,
                   .n_args = op->n_operands,
                   .attr = attr,
                   .n_attr = n_attr,
                   .regions = regions,
                   .n_regions = callees.n };
    return take_node(b, op, build_given(b->g, s, op->results, op->n_results), results);
}

/* An op of operands and perhaps a list of numbers. */
static bool build_plain(TextBuild *b, const OpSyntax *op, Op own, const Ref *args, Ref *results)
{
    const AttrSyntax *a = composite_field(op, "attr");
    Ints attr = { 0 };
    if (a && !attr_ints(b->p, a, &attr.at, &attr.n)) return false;
    if (op->n_results != 1) return parse_error(b->p, op->at, "%s has one result", op_info[own].text);
    if (op_info[own].args >= 0 && (uint32_t)op_info[own].args != op->n_operands)
        return parse_error(b->p, op->at, "%s takes %d operands, saw %u", op_info[own].text, op_info[own].args,
                           op->n_operands);
    results[0] = build_typed(b->g, own, args, op->n_operands, attr.at, attr.n, op->results[0]);
    return true;
}

/* A func that may be called from outside takes and gives values of narrow types as bytes: what a call hands
 * over, and what it gets. */

static Ref *outside(TextBuild *b, const Func *callee, const Ref *args)
{
    const RegionSyntax *r = &callee->op->regions[0];
    Ref *given = arena_alloc(b->p->arena, (r->n_args + 1) * sizeof *given);
    for (uint32_t i = 0; i < r->n_args; i++)
        given[i] = callee->is_private ? args[i] : narrow_result(b, r->first_arg + i, args[i]);
    return given;
}

static void inside(TextBuild *b, const Func *callee, Ref *results)
{
    const OpSyntax *end = callee->op->regions[0].last;
    for (uint32_t i = 0; i < end->n_operands && !callee->is_private; i++)
        results[i] = narrow_value_of(b, end->operands[i], results[i]);
}

static bool returns_as_declared(TextBuild *b, const OpSyntax *op, uint32_t n)
{
    if (n != op->n_results)
        return parse_error(b->p, op->at, "the func returns %u values and declares %u", n, op->n_results);
    uint32_t other = find_other_type(b->p, op->regions[0].last->operands, op->results, n);
    return other == n ||
           parse_error(b->p, op->at, "value %u that the func returns is of another type than declared",
                       other);
}

/* The callee's values become values of the graph at hand. */
static bool build_in_place(TextBuild *b, const Func *callee, const Ref *given, Ref *results)
{
    const RegionSyntax *r = &callee->op->regions[0];
    Ref *outputs;
    uint32_t n_outputs;
    for (uint32_t i = 0; i < r->n_args; i++) {
        b->refs[r->first_arg + i] = given[i];
        b->owner[r->first_arg + i] = b->g;
    }
    b->pins = NULL;
    if (!build_region(b, r, &outputs, &n_outputs) || !returns_as_declared(b, callee->op, n_outputs))
        return false;
    if (n_outputs) memcpy(results, outputs, n_outputs * sizeof *results);
    return true;
}

bool rule_call(TextBuild *b, const OpSyntax *op, const Ref *args, Ref *results)
{
    Op own = own_composite(op);
    const CompositeForm *form = spell_composite(own);
    if (form) return build_form(b, op, form, args, results);
    if (own != OP_COUNT) return build_plain(b, op, own, args, results);
    const char *name = callees_of(op).name[0];
    const Func *callee = count_callee(b, op, name, 0);
    if (!callee) return false;
    const Graph *g = callee->graph;
    const RegionSyntax *r = &callee->op->regions[0];
    uint32_t n_params = r->n_args, n_outputs = g ? g->n_outputs : r->last ? r->last->n_operands : 0;
    if (op->n_operands != n_params || op->n_results != n_outputs)
        return parse_error(b->p, op->at, "@%.100s has %u parameters and %u results, the call %u and %u", name,
                           n_params, n_outputs, op->n_operands, op->n_results);
    Ref *given = outside(b, callee, args);
    const uint8_t *narrow = b->p->narrow, *wanted = narrow + r->first_arg;
    for (uint32_t i = 0; i < n_params; i++) {
        Type t = g ? graph_type(g, g->params[i]) : b->p->types[r->first_arg + i];
        if (!type_equal(graph_type(b->g, given[i]), t) || narrow[op->operands[i]] != wanted[i])
            return parse_error(b->p, op->at, "@%.100s: argument %u is of another type than the parameter",
                               name, i);
    }
    const Type *said = op->said ? op->said : op->results;
    uint32_t other = r->last ? find_other_type(b->p, r->last->operands, said, n_outputs) : n_outputs;
    if (other < n_outputs)
        return parse_error(b->p, op->at, "@%.100s: result %u is of another type than the func gives", name,
                           other);
    if (!g) return build_in_place(b, callee, given, results);
    graph_inline(b->g, g, given, results);
    inside(b, callee, results);
    return true;
}

/* Checks. */

/* ULP bounds are unsigned in the text; the greatest means any distance. */
static bool ulp_bound(Parser *p, const AttrSyntax *a, int64_t *v)
{
    if (a->kind == ATTR_NUMBER && strlen(a->text) >= 19 && strspn(a->text, "0123456789") == strlen(a->text)) {
        *v = INT64_MAX;
        return true;
    }
    return attr_int(p, a, v);
}

static bool check_attrs(TextBuild *b, const OpSyntax *op, Check *c)
{
    const AttrSyntax *max = attr_find(op, "max_ulp_difference", NULL),
                     *min = attr_find(op, "min_ulp_difference", NULL);
    const AttrSyntax *tolerance = attr_find(op, "tolerance", NULL);
    uint64_t bits;
    if (max && !ulp_bound(b->p, max, &c->max_ulp)) return false;
    if (min && !ulp_bound(b->p, min, &c->min_ulp)) return false;
    if (!tolerance) return true;
    if (tolerance->kind != ATTR_NUMBER ||
        !decimal_parse(tolerance->text, strlen(tolerance->text), WEFT_F64, &bits))
        return parse_error(b->p, tolerance->at, "wanted a number");
    c->tolerance = scalar_to_double(WEFT_F64, bits);
    return true;
}

static bool add_check(TextBuild *b, const OpSyntax *op, Check c)
{
    if (b->outer) return parse_unsupported(b->p, op->at, "checks in regions");
    if (!check_attrs(b, op, &c)) return false;
    Func *f = b->func->current;
    c.line = (int)op->line;
    ARENA_PUSH(b->p->arena, f->checks, f->n_checks, f->cap_checks) = c;
    return true;
}

/* expect_..._const: the literal has the operand's type */
static bool check_literal(TextBuild *b, const OpSyntax *op, Ref actual, Ref *expected)
{
    const AttrSyntax *a = attr_find(op, "value", NULL);
    const void *data;
    bool splat;
    Type t = graph_type(b->g, actual);
    if (!a || a->kind != ATTR_DENSE)
        return parse_error(b->p, op->at, "%s needs a literal, dense<...>", op->rule->name);
    Type said = t;
    Narrow narrow = (Narrow)b->p->narrow[op->operands[0]];
    if (narrow) said.dtype = (uint8_t)(TYPE_NARROW + narrow);
    if (!parse_dense(b->p, a, said, &data, &splat)) return false;
    *expected = splat ? build_filled(b->g, t, data) : build_constant(b->g, t, data);
    return true;
}

/* The tolerances of the interpreter that StableHLO comes with. */
static bool call_check(TextBuild *b, const OpSyntax *op, const char *name, const Ref *args)
{
    static const struct {
        const char *name;
        Check check;
        bool literal;
    } kinds[] = {
        { "check.eq", { .kind = CHECK_ALMOST_EQ, .tolerance = 1e-4 }, false },
        { "check.expect_eq", { .kind = CHECK_EQ }, false },
        { "check.expect_eq_const", { .kind = CHECK_EQ }, true },
        { "check.expect_close", { .kind = CHECK_CLOSE, .max_ulp = 3 }, false },
        { "check.expect_almost_eq", { .kind = CHECK_ALMOST_EQ, .tolerance = 1e-3 }, false },
        { "check.expect_almost_eq_const", { .kind = CHECK_ALMOST_EQ, .tolerance = 1e-4 }, true },
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (strcmp(kinds[i].name, name) != 0) continue;
        Check c = kinds[i].check;
        if (op->n_operands != (kinds[i].literal ? 1u : 2u))
            return parse_error(b->p, op->at, "%s takes %d operands", name, kinds[i].literal ? 1 : 2);
        c.actual = args[0];
        if (!kinds[i].literal) c.expected = args[1];
        else if (!check_literal(b, op, args[0], &c.expected)) return false;
        if (!type_equal(graph_type(b->g, c.actual), graph_type(b->g, c.expected)))
            return parse_error(b->p, op->at, "%s compares two types", name);
        return add_check(b, op, c);
    }
    if (attr_find(op, "weft.foreign", NULL))
        return parse_unsupported(b->p, op->at, "custom_call to a function of the program");
    if (strstr(name, "callback"))
        return parse_unsupported(b->p, op->at, "callbacks (custom_call @%.60s)", name);
    return parse_unsupported(b->p, op->at, "custom_call @%.60s", name);
}

/* Marks of where an array is to live, and how. One device has the whole array and its shard alike, and the
 * order of an array's elements within a program is the compiler's. */
static bool is_placement(const char *name)
{
    static const char *const marks[] = { "Sharding",
                                         "SPMDFullToShardShape",
                                         "SPMDShardToFullShape",
                                         "xla.sdy.FuncResultSharding",
                                         "xla.sdy.GlobalToLocalShape",
                                         "xla.sdy.LocalToGlobalShape",
                                         "MoveToHost",
                                         "MoveToDevice",
                                         "annotate_device_placement",
                                         "LayoutConstraint" };
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (strcmp(marks[i], name) == 0) return true;
    return false;
}

static bool build_placement(TextBuild *b, const OpSyntax *op, const char *name, const Ref *args, Ref *results)
{
    bool same = op->n_operands == op->n_results;
    for (uint32_t i = 0; i < op->n_results && same; i++)
        same = type_equal(graph_type(b->g, args[i]), op->results[i]) &&
               b->p->narrow[op->operands[i]] == b->p->narrow[op->first_result + i];
    if (!same && strstr(name, "Shape"))
        return parse_unsupported(b->p, op->at, "many devices (custom_call @%s)", name);
    if (!same) return parse_error(b->p, op->at, "custom_call @%s: operand and result are of one type", name);
    return rule_identity(b, op, args, results);
}

/* Ops that HLO has and StableHLO has not: a program that was HLO calls MHLO's, which are CHLO's. NULL:
 * none. */
static const OpRule *mhlo_rule(const TextBuild *b, const char *name)
{
    if (strncmp(name, "mhlo.", 5) != 0) return NULL;
    const char *chlo =
        strcmp(name + 5, "topk") ? arena_printf(b->p->arena, "chlo.%s", name + 5) : "chlo.top_k";
    const OpRule *rule = rule_find(b->p, chlo, strlen(chlo));
    bool known = rule && (rule->build == rule_top_k || (rule->op != OP_COUNT && op_is_ew(rule->op)));
    return known ? rule : NULL;
}

static bool build_mhlo(TextBuild *b, const OpSyntax *op, const OpRule *rule, const Ref *args, Ref *results)
{
    const AttrSyntax *dict = attr_find(op, "mhlo.attributes", NULL), *largest = attr_field(dict, "largest");
    OpSyntax is = *op;
    is.rule = rule;
    is.attrs = dict && dict->kind == ATTR_DICT ? dict->items : NULL;
    is.n_attrs = is.attrs ? dict->n_items : 0;
    if (op->n_operands != (uint32_t)rule->args)
        return parse_error(b->p, op->at, "%s takes %d operands, saw %u", rule->name, rule->args,
                           op->n_operands);
    if (largest && largest->kind == ATTR_BOOL && !strcmp(largest->text, "false"))
        return parse_unsupported(b->p, op->at, "the least of an axis (custom_call @mhlo.topk)");
    return rule->build(b, &is, args, results);
}

/* A custom_call is a function of the host's, a check, a mark that says where arrays are to live or that they
 * are not used (nothing to us), jax.lax.approx_max_k's and approx_min_k's, a factorization, an op of
 * MHLO's, or not supported. */
bool rule_check(TextBuild *b, const OpSyntax *op, const Ref *args, Ref *results)
{
    const AttrSyntax *target = attr_find(op, "call_target_name", NULL);
    if (!target) return call_check(b, op, op->rule->name, args);
    if (parse_host_function(b->p, op)) return build_host_call(b, op, args, results);
    const char *name = attr_word(target);
    if (parse_is_approx_top_k(op)) return build_approx_top_k(b, op, args, results);
    if (parse_is_matrix_call(op)) return build_matrix_call(b, op, args, results);
    if (parse_is_lapack_call(op)) return build_lapack_call(b, op, args, results);
    if (!strcmp(name, "dce_sink") && op->n_results == 0) return true;
    const OpRule *mhlo = mhlo_rule(b, name);
    if (mhlo) return build_mhlo(b, op, mhlo, args, results);
    return is_placement(name) ? build_placement(b, op, name, args, results) : call_check(b, op, name, args);
}

/* Building in order. */

/* A func's outputs and the two sides of its checks keep what they need alive through compaction. */
static void finish_func(Parser *p, Func *f, Graph *g, const Ref *outputs, uint32_t n_outputs)
{
    uint32_t n = n_outputs + 2 * f->n_checks;
    Ref *all = arena_alloc(p->arena, (n + 1) * sizeof *all);
    if (n_outputs) memcpy(all, outputs, n_outputs * sizeof *all);
    for (uint32_t i = 0; i < f->n_checks; i++) {
        all[n_outputs + 2 * i] = f->checks[i].actual;
        all[n_outputs + 2 * i + 1] = f->checks[i].expected;
    }
    graph_set_outputs(g, all, n);
    f->graph = graph_compact(p->arena, g);
    for (uint32_t i = 0; i < f->n_checks; i++) {
        f->checks[i].actual = f->graph->outputs[n_outputs + 2 * i];
        f->checks[i].expected = f->graph->outputs[n_outputs + 2 * i + 1];
    }
    f->graph->n_outputs = n_outputs;
}

static void build_func(Parser *p, FuncBuild *all, Func *f, TextBuild *b)
{
    const RegionSyntax *r = &f->op->regions[0];
    Ref *outputs;
    uint32_t n_outputs;
    b->g = graph_new_raw(p->arena, f->name);
    b->func = all;
    all->current = f;
    build_params(b, r, !f->is_private);
    b->g->param_names = r->arg_names;
    if (build_failed(b, f->op) || !build_region(b, r, &outputs, &n_outputs) ||
        !returns_as_declared(b, f->op, n_outputs))
        return;
    for (uint32_t i = 0; i < n_outputs && !f->is_private; i++)
        outputs[i] = narrow_result(b, r->last->operands[i], outputs[i]);
    finish_func(p, f, b->g, outputs, n_outputs);
}

/* Recursion is limited: the parser has limited how deep regions nest. */
static void find_calls(Parser *p, FuncBuild *all, Func *f, const RegionSyntax *r, uint32_t depth)
{
    if (depth > f->depth) f->depth = depth;
    for (const OpSyntax *op = r->ops; op; op = op->next) {
        f->n_ops++;
        f->has_checks |= op->rule->build == rule_check;
        Callees c = callees_of(op);
        for (uint32_t i = 0; i < c.n; i++) {
            if (!c.name[i]) continue;
            ARENA_PUSH(p->arena, f->calls, f->n_calls, f->cap_calls) = (struct Call){ op, c.name[i] };
            Func *callee = find_func(all, c.name[i]);
            if (!callee) continue;
            callee->n_callers++;
            callee->is_called_inside |=
                depth > 0 || op->rule->build != rule_call || own_composite(op) != OP_COUNT;
        }
        for (uint32_t i = 0; i < op->n_regions; i++) find_calls(p, all, f, &op->regions[i], depth + 1);
    }
}

/* The next func that f calls and that is not built yet. NULL: none, or an error. */
static Func *next_callee(Parser *p, const FuncBuild *all, Func *f)
{
    for (; f->next_call < f->n_calls; f->next_call++) {
        const OpSyntax *op = f->calls[f->next_call].op;
        Func *callee = find_func(all, f->calls[f->next_call].name);
        if (!callee) parse_error(p, op->at, "there is no func @%.100s", f->calls[f->next_call].name);
        else if (callee->state == OPEN) parse_unsupported(p, op->at, "recursive calls");
        else if (callee->state == UNSEEN) return callee;
        if (p->failed) return NULL;
    }
    return NULL;
}

static Func *open_func(Func *f)
{
    f->state = OPEN;
    return f;
}

/* Its callees are done. */
static bool find_place(const FuncBuild *all, Func *f)
{
    f->height = f->nested = 1;
    for (uint32_t i = 0; i < f->n_calls; i++) {
        const Func *callee = find_func(all, f->calls[i].name);
        if (callee->height >= f->height) f->height = callee->height + 1;
        if (callee->in_place && callee->nested >= f->nested) f->nested = callee->nested + 1;
    }
    f->in_place = f->is_private && strcmp(f->name, "main") != 0 && f->n_callers == 1 &&
                  !f->is_called_inside && !f->has_checks && f->height > DEEP_CALLS &&
                  f->nested <= MAX_IN_PLACE;
    return f->in_place;
}

static void build_all(Parser *p, FuncBuild *all)
{
    TextBuild b = { .p = p,
                    .refs = arena_alloc(p->arena, (p->n_values + 1) * sizeof(Ref)),
                    .owner = arena_alloc(p->arena, (p->n_values + 1) * sizeof(Graph *)) };
    Func **stack = arena_alloc(p->arena, (all->n_funcs + 1) * sizeof *stack);
    for (uint32_t i = 0; i < all->n_funcs; i++)
        find_calls(p, all, &all->funcs[i], &all->funcs[i].op->regions[0], 0);
    for (uint32_t i = 0; i < all->n_funcs; i++) {
        if (all->funcs[i].state == DONE) continue;
        uint32_t depth = 0;
        stack[depth++] = open_func(&all->funcs[i]);
        while (depth > 0 && !p->failed) {
            Func *f = stack[depth - 1], *callee = next_callee(p, all, f);
            if (p->failed) break;
            if (callee) stack[depth++] = open_func(callee);
            else {
                if (!find_place(all, f)) build_func(p, all, f, &b);
                f->state = DONE;
                depth--;
            }
        }
    }
}

/* The door. */

static bool is_donated(const OpSyntax *op, uint32_t i)
{
    const AttrSyntax *donor = port_field(op, false, i, "jax.buffer_donor");
    bool given = donor && (donor->kind != ATTR_BOOL || strcmp(donor->text, "false"));
    return given || port_field(op, false, i, "tf.aliasing_output");
}

static bool *find_donated(Arena *arena, const OpSyntax *op)
{
    uint32_t n = op->regions[0].n_args;
    bool *donated = arena_alloc(arena, n + 1);
    for (uint32_t i = 0; i < n; i++) donated[i] = is_donated(op, i);
    return donated;
}

static const char **find_memories(Arena *arena, const OpSyntax *op, bool result, uint32_t n)
{
    const char **memory = arena_alloc(arena, (n + 1) * sizeof *memory);
    for (uint32_t i = 0; i < n; i++) memory[i] = attr_word(port_field(op, result, i, "mhlo.memory_kind"));
    return memory;
}

/* How XLA writes a layout: {0,2,1}, the axes from the one that varies fastest on, with spaces between as one
 * likes. Behind a colon stand letters, each with something in brackets: memory spaces (S) and the bits of an
 * element (E) are nothing here. */
typedef struct LayoutText {
    const char *at;
    bool wrong;
} LayoutText;

static char layout_peek(LayoutText *t)
{
    while (*t->at == ' ') t->at++;
    return *t->at;
}

static bool layout_take(LayoutText *t, char c)
{
    bool there = layout_peek(t) == c;
    t->at += there;
    return there;
}

static void layout_need(LayoutText *t, char c) { t->wrong |= !layout_take(t, c); }

static int64_t layout_number(LayoutText *t)
{
    int64_t n = 0;
    if (layout_peek(t) < '0' || *t->at > '9') t->wrong = true;
    for (; *t->at >= '0' && *t->at <= '9'; t->at++) n = n > WEFT_MAX_RANK ? n : 10 * n + *t->at - '0';
    return n;
}

/* False: it is no order of so many axes; at is where what stands behind the colon is more than that. */
static bool read_order(LayoutText *t, int rank, int64_t *axis)
{
    bool seen[WEFT_MAX_RANK] = { false };
    layout_need(t, '{');
    for (int i = 0; i < rank && !t->wrong; i++) {
        if (i) layout_need(t, ',');
        axis[i] = layout_number(t);
        t->wrong |= axis[i] >= rank || seen[axis[i]];
        if (!t->wrong) seen[axis[i]] = true;
    }
    if (layout_take(t, ':'))
        while (!t->wrong && (layout_peek(t) == 'S' || *t->at == 'E')) {
            t->at++;
            layout_need(t, '(');
            layout_number(t);
            layout_need(t, ')');
        }
    return !t->wrong;
}

/* The order of bytes that a func asks for of a parameter or result: its axes from the fastest on; NULL: as
 * weft's own arrays. */
static const int64_t *find_layout(Parser *p, const OpSyntax *op, bool result, uint32_t i, int rank)
{
    const AttrSyntax *mode = port_field(op, result, i, "mhlo.layout_mode");
    const char *what = result ? "result" : "parameter", *asked = attr_word(mode);
    if (!mode || !strcmp(asked, "default") || !strcmp(asked, "auto")) return NULL;
    int64_t *axis = arena_alloc(p->arena, ((size_t)rank + 1) * sizeof *axis);
    LayoutText t = { asked, false };
    bool order = read_order(&t, rank, axis);
    if (order && layout_peek(&t) >= 'A' && *t.at <= 'Z')
        parse_unsupported(p, mode->at, "%s %u in layout %.40s; known are orders of its axes", what, i, asked);
    else if (!order || !layout_take(&t, '}') || layout_peek(&t))
        parse_error(p, mode->at, "mhlo.layout_mode of %s %u is no order of %d axes: \"%.40s\"", what, i, rank,
                    asked);
    bool row_major = true;
    for (int k = 0; k < rank; k++) row_major &= axis[k] == rank - 1 - k;
    return row_major ? NULL : axis;
}

static const int64_t **find_layouts(Parser *p, const OpSyntax *op, bool result, uint32_t n)
{
    const RegionSyntax *r = &op->regions[0];
    const int64_t **layout = arena_alloc(p->arena, (n + 1) * sizeof *layout);
    for (uint32_t i = 0; i < n && !p->failed; i++) {
        ValueId value = result ? r->last->operands[i] : r->first_arg + i;
        layout[i] = find_layout(p, op, result, i, p->types[value].rank);
    }
    return layout;
}

/* What n values that stand one behind the other, or in a list, hold; NULL: all are of weft's types. */
static const uint8_t *narrow_list(const Parser *p, uint32_t n, ValueId first, const ValueId *list)
{
    uint8_t *narrow = arena_alloc(p->arena, n + 1);
    bool any = false;
    for (uint32_t i = 0; i < n; i++) {
        narrow[i] = p->narrow[list ? list[i] : first + i];
        any |= narrow[i] != NARROW_NONE;
    }
    return any ? narrow : NULL;
}

static Parsed *all_parsed(Parser *p, const FuncBuild *all, const char *name)
{
    Arena *arena = p->arena;
    Parsed *parsed = arena_alloc(arena, sizeof *parsed);
    *parsed = (Parsed){ arena_alloc(arena, all->n_funcs * sizeof *parsed->funcs), all->n_funcs, name, NULL };
    for (uint32_t i = 0; i < all->n_funcs; i++) {
        const Func *from = &all->funcs[i];
        const RegionSyntax *r = &from->op->regions[0];
        parsed->funcs[i] =
            (ParsedFunc){ .name = from->name,
                          .graph = from->graph,
                          .checks = from->checks,
                          .n_checks = from->n_checks,
                          .narrow_in = narrow_list(p, r->n_args, r->first_arg, NULL),
                          .narrow_out = narrow_list(p, r->last->n_operands, 0, r->last->operands),
                          .donated = find_donated(arena, from->op),
                          .memory_in = find_memories(arena, from->op, false, r->n_args),
                          .memory_out = find_memories(arena, from->op, true, r->last->n_operands),
                          .layout_in = find_layouts(p, from->op, false, r->n_args),
                          .layout_out = find_layouts(p, from->op, true, r->last->n_operands),
                          .is_private = from->is_private,
                          .calls_host = names_get(&p->effects, from->name) != 0 };
    }
    return p->failed ? NULL : parsed;
}

Parsed *text_parse_with(Arena *arena, const Dialect *more, const char *chars, size_t n, const char *file,
                        Failure *f, const char **unsupported)
{
    Failure own = { 0 };
    Exported e;
    bool exported = exported_open(chars, n, &e);
    if (exported) chars = e.module, n = e.bytes;
    Parser p = { .arena = arena,
                 .more = more,
                 .chars = chars,
                 .n = (uint32_t)n,
                 .file = file,
                 .failure = f ? f : &own,
                 .line = 1 };
    RegionSyntax top = { 0 };
    FuncBuild all = { 0 };
    const char *name = NULL;
    if (unsupported) *unsupported = NULL;
    if (n > INT32_MAX) return fail(p.failure, WEFT_IO, "1:1: the text is longer than 2 GiB"), NULL;
    if (parse_is_bytecode(chars, n)) parse_bytecode(&p, &top);
    else
        for (parse_next(&p); p.tok.kind != TOK_END;) parse_op(&p, &top);
    if (!p.failed) parse_spread_tuples(&p, &top);
    if (!p.failed) parse_order_effects(&p, &top);
    collect(&p, &all, top.ops, &name);
    if (!p.failed && all.n_funcs == 0) parse_error(&p, 0, "the text has no func");
    if (!p.failed) build_all(&p, &all);
    Parsed *parsed = p.failed ? NULL : all_parsed(&p, &all, name);
    if (parsed && exported) parsed->exported = arena_copy(arena, &e, sizeof e);
    if (!parsed && unsupported) *unsupported = p.unsupported;
    return parsed;
}

Parsed *text_parse(Arena *arena, const char *chars, size_t n, const char *file, Failure *f,
                   const char **unsupported)
{
    return text_parse_with(arena, NULL, chars, n, file, f, unsupported);
}
