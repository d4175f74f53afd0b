/* parse_form.c: the pretty forms that differ from the regular one: one reader each. */
#include <string.h>
#include "parse.h"

/* An attribute that stands without its name. */
static bool attr_as(Parser *p, OpSyntax *op, const char *key)
{
    return parse_attr(p, ATTR_BARE, parse_add_attr(p, op, key));
}

static bool attrs_and_types(Parser *p, OpSyntax *op)
{
    parse_attr_dict(p, op);
    return parse_types_of_op(p, op);
}

static bool expect_word(Parser *p, const char *word, const char *wanted)
{
    return parse_take_word(p, word) || parse_unexpected(p, wanted);
}

/* A region whose arguments are named in front of it. */
static bool region_over(Parser *p, OpSyntax *op, const Token *names, const Type *types, uint32_t n)
{
    uint32_t scope = parse_open_scope(p);
    RegionSyntax *r = parse_add_region(p, op);
    for (uint32_t i = 0; i < n; i++) parse_define(p, &names[i], types[i]);
    r->n_args = n;
    parse_region(p, r);
    parse_close_scope(p, scope);
    return !p->failed;
}

/* stablehlo.constant dense<...> : T    stablehlo.constant {attributes} dense<...> : T */
bool syntax_constant(Parser *p, OpSyntax *op)
{
    parse_attr_dict(p, op);
    AttrSyntax *a = parse_add_attr(p, op, "value");
    if (!parse_attr(p, ATTR_TYPED, a)) return false;
    if (a->kind != ATTR_DENSE) return parse_error(p, a->at, "wanted dense<...> : type");
    op->results = arena_copy(p->arena, &a->type, sizeof a->type);
    op->n_results = 1;
    return true;
}

/* stablehlo.compare  LT, %a, %b,  FLOAT : (T, T) -> tensor<i1> */
bool syntax_compare(Parser *p, OpSyntax *op)
{
    if (!attr_as(p, op, "comparison_direction") || !parse_expect(p, ',', "`,` behind the direction") ||
        !parse_operand(p, op) || !parse_expect(p, ',', "`,` and the second operand") || !parse_operand(p, op))
        return false;
    if (parse_take(p, ',')) attr_as(p, op, "compare_type");
    return attrs_and_types(p, op);
}

static AttrSyntax *add_list(Parser *p, OpSyntax *op, const char *key)
{
    AttrSyntax *a = parse_add_attr(p, op, key);
    a->kind = ATTR_LIST;
    a->items = arena_alloc(p->arena, WEFT_MAX_RANK * sizeof *a->items);
    return a;
}

/* stablehlo.slice %a [0:1, 2:8:3] : (T) -> T */
bool syntax_slice(Parser *p, OpSyntax *op)
{
    parse_operand(p, op);
    add_list(p, op, "start_indices");
    add_list(p, op, "limit_indices");
    add_list(p, op, "strides");
    AttrSyntax *part = op->attrs;
    if (!parse_expect(p, '[', "`[` and the ranges")) return false;
    for (uint32_t i = 0; p->tok.kind != ']' && !p->failed; i++) {
        if (i == WEFT_MAX_RANK) return parse_error(p, p->tok.at, "more than %d ranges", WEFT_MAX_RANK);
        if (i > 0 && !parse_expect(p, ',', "`,` or `]`")) return false;
        part[2].items[i] = (AttrSyntax){ .kind = ATTR_NUMBER, .text = "1" };
        if (!parse_attr(p, ATTR_BARE, &part[0].items[i]) ||
            !parse_expect(p, ':', "`:` and the range's end") ||
            !parse_attr(p, ATTR_BARE, &part[1].items[i]) ||
            (parse_take(p, ':') && !parse_attr(p, ATTR_BARE, &part[2].items[i])))
            return false;
        part[0].n_items = part[1].n_items = part[2].n_items = i + 1;
    }
    parse_take(p, ']');
    return attrs_and_types(p, op);
}

static bool symbol(Parser *p, OpSyntax *op, const char *key)
{
    return p->tok.kind == TOK_SYMBOL ? attr_as(p, op, key) : parse_unexpected(p, "a name like @f");
}

static bool call(Parser *p, OpSyntax *op, const char *key)
{
    return symbol(p, op, key) && parse_operands_in_parens(p, op) && attrs_and_types(p, op);
}

/* call @f(%a) {attributes} : (T) -> T */
bool syntax_call(Parser *p, OpSyntax *op) { return call(p, op, "callee"); }

/* stablehlo.custom_call @target(%a) {attributes} : (T) -> T */
bool syntax_custom_call(Parser *p, OpSyntax *op) { return call(p, op, "call_target_name"); }

/* stablehlo.composite "name" %a {composite_attributes = {...}, decomposition = @f} : (T) -> T */
bool syntax_composite(Parser *p, OpSyntax *op)
{
    if (p->tok.kind != TOK_STRING) return parse_unexpected(p, "the composite's name as a string");
    return attr_as(p, op, "name") && parse_operands(p, op) && attrs_and_types(p, op);
}

/* return %a, %b : T, T */
bool syntax_return(Parser *p, OpSyntax *op)
{
    parse_operands(p, op);
    parse_attr_dict(p, op);
    return !parse_take(p, ':') || parse_types(p, &op->operand_types, &op->n_operand_types);
}

static bool is_open(const Parser *p)
{
    return p->tok.kind == '<' || p->tok.kind == '[' || p->tok.kind == '{';
}

/* A group, a word or a number, kept as it is spelled. */
static bool spelled(Parser *p, AttrSyntax *a)
{
    uint32_t from = p->tok.at;
    a->kind = ATTR_OPAQUE;
    if (is_open(p)) parse_skip_group(p);
    else parse_next(p);
    a->bytes = parse_spelling(p, from);
    return !p->failed;
}

/* (%a: T, %b: T) { ... } */
static bool region_with_args(Parser *p, OpSyntax *op)
{
    uint32_t scope = parse_open_scope(p);
    RegionSyntax *r = parse_add_region(p, op);
    parse_next(p);
    if (p->tok.kind != ')') do
            parse_arg(p, r);
        while (parse_take(p, ','));
    parse_expect(p, ')', "`,` or `)` behind the region's arguments");
    parse_region(p, r);
    parse_close_scope(p, scope);
    return !p->failed;
}

/* sdy.sharding_constraint %a <@mesh, [...]> : T
 * sdy.sharding_group %a group_id=3 : T
 * sdy.all_gather [{"x"}, {}] %a out_sharding=<@mesh, [...]> : T
 * sdy.manual_computation(%a) in_shardings=[...] out_shardings=[...] manual_axes={} (%b: T) {...} : (T) -> T
 * All but the operands and the region is kept as it is spelled. */
bool syntax_sharding(Parser *p, OpSyntax *op)
{
    if (is_open(p) && !spelled(p, parse_add_attr(p, op, "axes"))) return false;
    if (!(p->tok.kind == '(' ? parse_operands_in_parens : parse_operand)(p, op)) return false;
    if (p->tok.kind == '<' && !spelled(p, parse_add_attr(p, op, "sharding"))) return false;
    while (p->tok.kind == TOK_WORD && parse_peek(p, '=')) {
        AttrSyntax *a = parse_add_attr(p, op, parse_token_text(p));
        parse_next(p);
        parse_next(p);
        if (!is_open(p) && p->tok.kind != TOK_WORD && p->tok.kind != TOK_NUMBER)
            return parse_unexpected(p, "`<`, `[`, `{`, a word or a number");
        if (!spelled(p, a)) return false;
    }
    if (p->tok.kind == '(' && !region_with_args(p, op)) return false;
    return attrs_and_types(p, op);
}

/* sdy.mesh @mesh = <["x"=2]> {attributes} */
bool syntax_mesh(Parser *p, OpSyntax *op)
{
    return symbol(p, op, "sym_name") && (!parse_take(p, '=') || attr_as(p, op, "mesh")) &&
           parse_attr_dict(p, op);
}

enum { MAX_REDUCED = 64 };

/* (%l: T, %r: T) (%m: U, %s: U) { ... }: pairs in the text, all left ones and then all right ones as the
 * region's arguments. */
static bool reducer(Parser *p, OpSyntax *op, uint32_t n)
{
    Token names[2 * MAX_REDUCED];
    Type types[2 * MAX_REDUCED];
    if (n > MAX_REDUCED) return parse_error(p, op->at, "a reduction of more than %d operands", MAX_REDUCED);
    for (uint32_t i = 0; i < n; i++) {
        if (!parse_expect(p, '(', "`(` and the reducer's two arguments")) return false;
        for (uint32_t side = 0; side < 2; side++) {
            names[side * n + i] = p->tok;
            if (!parse_expect(p, TOK_VALUE, "an argument of the reducer") || !parse_expect(p, ':', "`:`") ||
                !parse_type(p, &types[side * n + i]))
                return false;
            parse_loc(p);
            if (side == 0 && !parse_expect(p, ',', "`,` and the second argument")) return false;
        }
        if (!parse_expect(p, ')', "`)`")) return false;
    }
    return region_over(p, op, names, types, 2 * n);
}

/* (%x init: %c), (%i init: %d) applies stablehlo.add across dimensions = [0] {attributes} : types
 * or without applies, and then  reducer(%l: T, %r: T) (%m: U, %s: U) { ... } */
bool syntax_reduce(Parser *p, OpSyntax *op)
{
    OpSyntax inits = { 0 };
    do {
        if (!parse_expect(p, '(', "`(` and an operand of the reduction") || !parse_operand(p, op) ||
            !expect_word(p, "init", "`init:` and the start value") ||
            !parse_expect(p, ':', "`:` and the start value") || !parse_operand(p, &inits) ||
            !parse_expect(p, ')', "`)`"))
            return false;
    } while (parse_take(p, ','));
    for (uint32_t i = 0; i < inits.n_operands; i++) parse_add_operand(p, op, inits.operands[i]);
    if (parse_take_word(p, "applies") && !attr_as(p, op, "applies")) return false;
    return expect_word(p, "across", "`across dimensions = [...]`") &&
           expect_word(p, "dimensions", "`across dimensions = [...]`") && parse_expect(p, '=', "`=`") &&
           attr_as(p, op, "dimensions") && attrs_and_types(p, op) &&
           (!parse_take_word(p, "reducer") || reducer(p, op, inits.n_operands));
}

/* %a, %b : tuple<T, U> */
bool syntax_tuple(Parser *p, OpSyntax *op)
{
    return parse_operands(p, op) && parse_attr_dict(p, op) &&
           parse_expect(p, ':', "`:` and the tuple's type") && parse_types(p, &op->results, &op->n_results);
}

/* %t[1] : (tuple<T, U>) -> U */
bool syntax_tuple_element(Parser *p, OpSyntax *op)
{
    return parse_operand(p, op) && parse_expect(p, '[', "`[` and which element") &&
           parse_attr(p, ATTR_BARE, parse_add_attr(p, op, "index")) && parse_expect(p, ']', "`]`") &&
           parse_attr_dict(p, op) && parse_types_of_op(p, op);
}

/* (%a = %x, %b = %y) : T, U attributes {...} cond { ... } do { ... }: both regions take %a, %b */
bool syntax_while(Parser *p, OpSyntax *op)
{
    Token *names = NULL;
    uint32_t capacity = 0, n = 0;
    if (!parse_expect(p, '(', "`(` and the values that the loop carries")) return false;
    while (p->tok.kind == TOK_VALUE) {
        ARENA_PUSH(p->arena, names, n, capacity) = p->tok;
        parse_next(p);
        if (!parse_expect(p, '=', "`=` and the start value") || !parse_operand(p, op)) return false;
        if (!parse_take(p, ',')) break;
    }
    if (!parse_expect(p, ')', "`,` or `)`")) return false;
    if (n && (!parse_expect(p, ':', "`:` and the types of what the loop carries") ||
              !parse_types(p, &op->results, &op->n_results)))
        return false;
    if (n != op->n_results)
        return parse_error(p, op->at, "stablehlo.while carries %u values and has %u types", n, op->n_results);
    op->operand_types = op->results;
    op->n_operand_types = n;
    if (parse_take_word(p, "attributes")) parse_attr_dict(p, op);
    return expect_word(p, "cond", "`cond`") && region_over(p, op, names, op->results, n) &&
           expect_word(p, "do", "`do`") && region_over(p, op, names, op->results, n);
}

static AttrSyntax *number_attr(Parser *p, AttrSyntax *a, uint32_t v)
{
    *a = (AttrSyntax){
        .key = a->key, .kind = ATTR_NUMBER, .at = a->at, .text = arena_printf(p->arena, "%u", v)
    };
    return a;
}

/* (%x, %y) inits(%c) dimension=0 attributes {...} { ^bb0(...): ... } : (T, T, U) -> (T, U) */
bool syntax_scan(Parser *p, OpSyntax *op)
{
    parse_operands_in_parens(p, op);
    uint32_t n_xs = op->n_operands;
    if (!expect_word(p, "inits", "`inits` and the start values") || !parse_operands_in_parens(p, op))
        return false;
    AttrSyntax *sizes = parse_add_attr(p, op, "operandSegmentSizes");
    sizes->kind = ATTR_LIST;
    sizes->n_items = 2;
    sizes->items = arena_alloc(p->arena, 2 * sizeof *sizes->items);
    number_attr(p, &sizes->items[0], n_xs);
    number_attr(p, &sizes->items[1], op->n_operands - n_xs);
    if (!expect_word(p, "dimension", "`dimension=`") || !parse_expect(p, '=', "`=`") ||
        !attr_as(p, op, "dimension"))
        return false;
    if (parse_take_word(p, "attributes")) parse_attr_dict(p, op);
    return parse_region(p, parse_add_region(p, op)) && parse_types_of_op(p, op);
}

/* module @name attributes {...} { ... } */
bool syntax_module(Parser *p, OpSyntax *op)
{
    if (p->tok.kind == TOK_SYMBOL) symbol(p, op, "sym_name");
    if (parse_take_word(p, "attributes")) parse_attr_dict(p, op);
    return parse_region(p, parse_add_region(p, op));
}

static bool func_results(Parser *p, OpSyntax *op)
{
    uint32_t capacity = 0, cap_items = 0;
    if (p->tok.kind != '(') return parse_type_or_list(p, &op->results, &op->n_results);
    parse_next(p);
    if (parse_take(p, ')')) return true;
    AttrSyntax said = { .kind = ATTR_LIST };
    do {
        OpSyntax one = { 0 };
        if (!parse_type(p, &ARENA_PUSH(p->arena, op->results, op->n_results, capacity))) return false;
        parse_attr_dict(p, &one);
        ARENA_PUSH(p->arena, said.items, said.n_items, cap_items) =
            (AttrSyntax){ .kind = ATTR_DICT, .items = one.attrs, .n_items = one.n_attrs };
    } while (parse_take(p, ','));
    said.key = "res_attrs";
    *parse_add_attr(p, op, said.key) = said;
    return parse_expect(p, ')', "`,` or `)` behind the result types");
}

/* func.func public @f(%a: T {..}) -> (T {..}) attributes {..} { ... }; without a body it is a declaration */
bool syntax_func(Parser *p, OpSyntax *op)
{
    if (parse_is_word(p, "public") || parse_is_word(p, "private") || parse_is_word(p, "nested"))
        attr_as(p, op, "sym_visibility");
    symbol(p, op, "sym_name");
    if (!parse_expect(p, '(', "`(` and the parameters")) return false;
    uint32_t scope = parse_open_scope(p);
    RegionSyntax *r = parse_add_region(p, op);
    if (p->tok.kind != ')' && p->tok.kind != TOK_VALUE)
        return parse_unsupported(p, p->tok.at, "declarations without a body");
    if (p->tok.kind != ')') do
            parse_arg(p, r);
        while (parse_take(p, ','));
    parse_expect(p, ')', "`,` or `)` behind the parameters");
    if (parse_take(p, TOK_ARROW)) func_results(p, op);
    if (parse_take_word(p, "attributes")) parse_attr_dict(p, op);
    if (p->tok.kind != '{') return parse_unsupported(p, p->tok.at, "declarations without a body");
    parse_region(p, r);
    parse_close_scope(p, scope);
    return !p->failed;
}
