/* parse_op.c: one op of text as an OpSyntax record, whatever its form; operands, types, regions.
 *
 * Generic form: %r:2 = "dialect.op"(%a, %b) <{properties}> ({region}, {region}) {attributes} : (T) -> (T, T)
 * Pretty form: most ops are `dialect.op %a, %b, key = value, ... {attributes} : types`, and that is read
 * without knowing the op. Those that differ have a reader of their own, named in their row of the rule table.
 */
#include <string.h>
#include "parse.h"

/* Operands. */

void parse_add_operand(Parser *p, OpSyntax *op, ValueId v)
{
    ARENA_PUSH(p->arena, op->operands, op->n_operands, op->cap_operands) = v;
}

bool parse_operand(Parser *p, OpSyntax *op)
{
    Token t = p->tok;
    if (t.kind != TOK_VALUE) return parse_unexpected(p, "an operand like %0");
    const ValueName *b = parse_lookup(p, &t);
    int shown = t.length > 60 ? 60 : (int)t.length;
    if (!b) return parse_error(p, t.at, "%%%.*s is not defined here", shown, t.text);
    if (t.result >= (int64_t)b->count)
        return parse_error(p, t.at, "%%%.*s has %u result%s, no number %d", shown, t.text, b->count,
                           b->count == 1 ? "" : "s", t.result);
    parse_add_operand(p, op, b->first + (uint32_t)(t.result > 0 ? t.result : 0));
    parse_next(p);
    return !p->failed;
}

bool parse_operands(Parser *p, OpSyntax *op)
{
    if (p->tok.kind != TOK_VALUE) return !p->failed;
    do parse_operand(p, op);
    while (parse_take(p, ','));
    return !p->failed;
}

bool parse_operands_in_parens(Parser *p, OpSyntax *op)
{
    return parse_expect(p, '(', "`(`") && parse_operands(p, op) &&
           parse_expect(p, ')', "`)` behind the operands");
}

/* Types of operands and results. */

static void repeat_type(Parser *p, OpSyntax *op, Type t, uint32_t n)
{
    op->operand_types = arena_alloc(p->arena, (n + 1) * sizeof t);
    op->n_operand_types = n;
    for (uint32_t i = 0; i < n; i++) op->operand_types[i] = t;
}

/* One type is that of all operands and the result. Several are the operands', and the result has the last
 * one; two for three operands are those of a select. */
static void short_types(Parser *p, OpSyntax *op)
{
    Type last = op->operand_types[op->n_operand_types - 1];
    if (op->n_operand_types == 1) repeat_type(p, op, last, op->n_operands);
    if (op->n_operand_types == op->n_operands &&
        op->rule->op == OP_COMPLEX) /* the type said is the result's */
        for (uint32_t i = 0; i < op->n_operands; i++)
            op->operand_types[i].dtype = (uint8_t)dtype_part((DType)last.dtype);
    else if (op->n_operand_types == 2 && op->n_operands == 3) {
        Type first = op->operand_types[0];
        repeat_type(p, op, last, 3);
        op->operand_types[0] = first;
    }
    if (op->rule->results == RESULTS_NONE) return;
    bool all = op->rule->results == RESULTS_LIKE_OPERANDS;
    op->n_results = all ? op->n_operand_types : 1;
    op->results = all ? op->operand_types : arena_copy(p->arena, &last, sizeof last);
}

/* (T, T) -> T */
static bool function_type(Parser *p, OpSyntax *op)
{
    return parse_type_or_list(p, &op->operand_types, &op->n_operand_types) &&
           parse_expect(p, TOK_ARROW, "`->` and the result types") &&
           parse_type_or_list(p, &op->results, &op->n_results);
}

bool parse_types_of_op(Parser *p, OpSyntax *op)
{
    if (!parse_take(p, ':')) {
        bool none = op->rule->results == RESULTS_NONE ||
                    (op->rule->results == RESULTS_LIKE_OPERANDS && op->n_operands == 0);
        return none || parse_unexpected(p, "`:` and the op's types");
    }
    if (p->tok.kind == '(') return function_type(p, op);
    if (!parse_types(p, &op->operand_types, &op->n_operand_types)) return false;
    if (parse_take(p, TOK_ARROW)) return parse_type_or_list(p, &op->results, &op->n_results);
    short_types(p, op);
    return true;
}

/* Regions. */

RegionSyntax *parse_add_region(Parser *p, OpSyntax *op)
{
    RegionSyntax *r = &ARENA_PUSH(p->arena, op->regions, op->n_regions, op->cap_regions);
    r->first_arg = p->n_values;
    return r;
}

bool parse_arg(Parser *p, RegionSyntax *r)
{
    Token name = p->tok;
    Type t;
    OpSyntax said = { 0 };
    uint32_t before = r->n_args;
    if (!parse_expect(p, TOK_VALUE, "an argument like %arg0") ||
        !parse_expect(p, ':', "`:` and the argument's type") || !parse_type(p, &t))
        return false;
    parse_attr_dict(p, &said);
    parse_loc(p);
    parse_define(p, &name, t);
    ARENA_PUSH(p->arena, r->arg_attrs, before, r->cap_attrs) =
        (AttrSyntax){ .kind = ATTR_DICT, .items = said.attrs, .n_items = said.n_attrs };
    ARENA_PUSH(p->arena, r->arg_names, r->n_args, r->cap_names) =
        arena_printf(p->arena, "%.*s", name.length > 64 ? 64 : (int)name.length, name.text);
    return !p->failed;
}

/* ^bb0(%a: T, %b: T): the head of the only block; optional if it has no arguments */
static bool block_head(Parser *p, RegionSyntax *r)
{
    if (!parse_take(p, TOK_BLOCK)) return true;
    if (r->n_args || r->ops) return parse_unsupported(p, p->tok.at, "several blocks");
    if (parse_take(p, '(') && !parse_take(p, ')')) {
        do parse_arg(p, r);
        while (parse_take(p, ','));
        parse_expect(p, ')', "`,` or `)` behind the block's arguments");
    }
    return parse_expect(p, ':', "`:` behind the block's name");
}

bool parse_region(Parser *p, RegionSyntax *r)
{
    uint32_t start = p->tok.at, scope = parse_open_scope(p);
    if (!parse_expect(p, '{', "`{`")) return false;
    if (parse_enter(p)) {
        block_head(p, r);
        while (p->tok.kind != '}' && p->tok.kind != TOK_END) {
            if (p->tok.kind == TOK_BLOCK) parse_unsupported(p, p->tok.at, "several blocks");
            else parse_op(p, r);
        }
    }
    parse_leave(p);
    if (!p->failed && p->tok.kind == TOK_END) parse_error(p, start, "`{` is never closed");
    parse_take(p, '}');
    parse_close_scope(p, scope);
    return !p->failed;
}

/* %a, %b, key = value, [1] x [0], dense<...> {attributes} : types; parentheses around the operands are
 * allowed (chlo.top_k(%a, k = 3)) */
static bool syntax_regular(Parser *p, OpSyntax *op)
{
    parse_attr_dict(p, op); /* a few ops have it first */
    bool parens = parse_take(p, '(');
    bool more = p->tok.kind == TOK_VALUE || p->tok.kind == TOK_WORD;
    while (more && !p->failed) {
        if (p->tok.kind == TOK_VALUE) parse_operand(p, op);
        else if (parse_is_word(p, "dense")) parse_attr(p, ATTR_BARE, parse_add_attr(p, op, "value"));
        else if (p->tok.kind == TOK_WORD && parse_peek(p, '=')) {
            AttrSyntax *a = parse_add_attr(p, op, parse_token_text(p));
            parse_next(p);
            parse_next(p);
            parse_attr(p, ATTR_BARE, a);
        } else parse_unexpected(p, "an operand or `attribute = value`");
        more = parse_take(p, ',');
    }
    if (parens) parse_expect(p, ')', "`)`");
    parse_attr_dict(p, op);
    parse_types_of_op(p, op);
    return parse_attr_dict(p, op); /* or last */
}

/* Any op. */

bool parse_has_key(const OpRule *rule, const char *key)
{
    size_t n = strlen(key);
    /* jax.result_info, mhlo.frontend_attributes: metadata of other dialects; xla_shape: that of XLA, of
     * programs that were HLO */
    bool known = !rule->keys || strchr(key, '.') != NULL || strcmp(key, "result_accuracy") == 0 ||
                 strcmp(key, "xla_shape") == 0;
    for (const char *at = rule->keys; n > 0 && !known && (at = strstr(at, key)); at += n)
        known = (at == rule->keys || at[-1] == ' ') && (at[n] == ' ' || at[n] == 0);
    return known;
}

void parse_check_keys(Parser *p, const OpSyntax *op)
{
    for (uint32_t i = 0; i < op->n_attrs; i++)
        if (!parse_has_key(op->rule, op->attrs[i].key))
            parse_error(p, op->attrs[i].at, "%s has no attribute %.60s; it has: %s", op->rule->name,
                        op->attrs[i].key, op->rule->keys[0] ? op->rule->keys : "none");
}

static bool generic(Parser *p, OpSyntax *op)
{
    parse_operands_in_parens(p, op);
    if (p->tok.kind == '[') return parse_unsupported(p, p->tok.at, "several blocks");
    parse_attr_props(p, op);
    if (p->tok.kind == '(' && parse_peek(p, '{')) {
        parse_next(p);
        do parse_region(p, parse_add_region(p, op));
        while (parse_take(p, ','));
        parse_expect(p, ')', "`,` or `)` behind the regions");
    }
    parse_attr_dict(p, op);
    return parse_expect(p, ':', "`:` and the function type") && function_type(p, op);
}

bool parse_func_results(Parser *p, OpSyntax *func)
{
    const AttrSyntax *t = attr_find(func, "function_type", NULL);
    if (!t || t->kind != ATTR_PAIR) return parse_error(p, func->at, "a func without a type");
    func->n_results = t->items[1].n_items;
    func->results = arena_alloc(p->arena, ((size_t)func->n_results + 1) * sizeof *func->results);
    for (uint32_t i = 0; i < func->n_results; i++) func->results[i] = t->items[1].items[i].type;
    return true;
}

enum { MAX_NAMES = 64 };
typedef struct ResultName {
    Token token;
    uint32_t count;
} ResultName;

/* %a:2, %b = */
static int result_names(Parser *p, ResultName *names)
{
    int n = 0;
    if (p->tok.kind != TOK_VALUE) return 0;
    do {
        if (n == MAX_NAMES) return parse_error(p, p->tok.at, "more than %d names for results", MAX_NAMES), 0;
        names[n] = (ResultName){ p->tok, 1 };
        if (!parse_expect(p, TOK_VALUE, "a result's name")) return 0;
        if (p->tok.kind == ':') {
            AttrSyntax count = { 0 };
            int64_t v = 0;
            parse_next(p);
            if (!parse_attr(p, ATTR_BARE, &count) || !attr_int(p, &count, &v)) return 0;
            if (v < 1 || v > 65535) return parse_error(p, count.at, "%lld results", (long long)v), 0;
            names[n].count = (uint32_t)v;
        }
        n++;
    } while (parse_take(p, ','));
    parse_expect(p, '=', "`=` behind the results' names");
    return n;
}

static void define_results(Parser *p, OpSyntax *op, const ResultName *names, int n)
{
    uint32_t named = 0;
    if (op->rule->results == NOT_A_VALUE) return; /* func.func: its result types are the function's */
    op->first_result = parse_new_values(p, op->results, op->n_results);
    for (int i = 0; i < n && !p->failed; i++) {
        if (named + names[i].count > op->n_results) break;
        parse_bind(p, &names[i].token, op->first_result + named, names[i].count);
        named += names[i].count;
    }
    if (n > 0 && named != op->n_results)
        parse_error(p, op->at, "%s has %u results, not as many as are named", op->rule->name, op->n_results);
}

/* #loc3 = loc("f.c":42:0); other aliases mean nothing to us */
static bool alias(Parser *p)
{
    const char *name = parse_token_text(p);
    parse_next(p);
    if (!parse_expect(p, '=', "`=` behind the alias")) return false;
    AttrSyntax ignored = { 0 };
    if (!parse_is_word(p, "loc")) return parse_attr(p, ATTR_TYPED, &ignored);
    const char *place = parse_loc(p);
    if (!place) return !p->failed;
    ARENA_PUSH(p->arena, p->places, p->n_places, p->cap_places) = place;
    names_add(p->arena, &p->aliases, name, p->n_places);
    return true;
}

/* The rule of the op whose name is the current token. */
static bool op_rule(Parser *p, OpSyntax *op)
{
    const Token *t = &p->tok;
    if (t->kind != TOK_STRING && t->kind != TOK_WORD) return parse_unexpected(p, "an op");
    op->rule = rule_find(p, t->text, t->length);
    if (!op->rule)
        return parse_error(p, op->at, "no op is called `%.*s`", t->length > 60 ? 60 : (int)t->length,
                           t->text);
    if (!op->rule->build && op->rule->results != NOT_A_VALUE)
        return parse_unsupported(p, op->at, "%s (%s)", op->rule->keys, op->rule->name);
    return true;
}

bool parse_op(Parser *p, RegionSyntax *into)
{
    ResultName names[MAX_NAMES];
    if (p->tok.kind == TOK_HASH) return alias(p);
    int n_names = result_names(p, names);
    OpSyntax *op = arena_alloc(p->arena, sizeof *op);
    op->at = p->tok.at;
    op->line = parse_line(p, op->at);
    bool is_generic = p->tok.kind == TOK_STRING;
    if (!op_rule(p, op)) return false;
    parse_next(p);
    SyntaxFn *read = is_generic ? generic : op->rule->syntax ? op->rule->syntax : syntax_regular;
    read(p, op);
    op->place = parse_loc(p);
    if (p->failed) return false;
    if (is_generic && op->rule->syntax == syntax_func) parse_func_results(p, op);
    parse_check_keys(p, op);
    define_results(p, op, names, n_names);
    if (into->last) into->last->next = op;
    else into->ops = op;
    into->last = op;
    return !p->failed;
}
