/* parse_rules.c: the rules that make nodes of constants, comparisons, conversions, shape ops, and CHLO's ops
 * with implicit broadcasting. */
#include <string.h>
#include "compiler/text/decimal.h"
#include "parse_build.h"
#include "compiler/text/spell.h"

const AttrSyntax *need_attr(TextBuild *b, const OpSyntax *op, const char *key, const char *other_key)
{
    const AttrSyntax *a = attr_find(op, key, other_key);
    if (!a) parse_error(b->p, op->at, "%s needs the attribute %s", op->rule->name, key);
    return a;
}

bool need_int(TextBuild *b, const OpSyntax *op, const char *key, const char *other_key, int64_t *v)
{
    const AttrSyntax *a = need_attr(b, op, key, other_key);
    return a && attr_int(b->p, a, v);
}

bool need_ints(TextBuild *b, const OpSyntax *op, const char *key, const char *other_key, Ints *v)
{
    const AttrSyntax *a = need_attr(b, op, key, other_key);
    return a && attr_ints(b->p, a, &v->at, &v->n);
}

/* A shape that is an operand is known only if that is a constant. */
bool constant_ints(TextBuild *b, const OpSyntax *op, Ref r, Ints *v)
{
    const Node *n = graph_node(b->g, r);
    if (n->op != OP_CONSTANT || !dtype_is_int((DType)n->dtype) || type_count(node_type(n)) > WEFT_MAX_RANK)
        return parse_unsupported(b->p, op->at, "dynamic shapes (%s)", op->rule->name);
    v->n = (uint32_t)type_count(node_type(n));
    v->at = arena_alloc(b->p->arena, (v->n + 1) * sizeof *v->at);
    for (uint32_t i = 0; i < v->n; i++) v->at[i] = scalar_to_i64((DType)n->dtype, node_element(n, i));
    return true;
}

void append_ints(Ints *to, Ints part)
{
    if (part.n) memcpy(to->at + to->n, part.at, part.n * sizeof *part.at);
    to->n += part.n;
}

bool field_ints(TextBuild *b, const AttrSyntax *dict, const char *key, Ints *v)
{
    const AttrSyntax *a = attr_field(dict, key);
    *v = (Ints){ 0 };
    return !a || attr_ints(b->p, a, &v->at, &v->n);
}

bool need_result(TextBuild *b, const OpSyntax *op)
{
    if (op->n_results == 1) return true;
    return parse_error(b->p, op->at, "%s has one result, the text gives %u", op->rule->name, op->n_results);
}

void sort_axes(int64_t *v, uint32_t n)
{
    for (uint32_t i = 1; i < n; i++)
        for (uint32_t k = i; k > 0 && v[k] < v[k - 1]; k--) {
            int64_t t = v[k];
            v[k] = v[k - 1];
            v[k - 1] = t;
        }
}

Type type_like(Type shape, DType t)
{
    shape.dtype = (uint8_t)t;
    return shape;
}

bool rule_plain(TextBuild *b, const OpSyntax *op, const Ref *args, Ref *out)
{
    out[0] = build_node(b->g, op->rule->op, args, op->n_operands, NULL, 0);
    return true;
}

/* How many operands the node takes. An op of the text that states a shape by operands has more. */
static uint32_t n_node_args(const OpSyntax *op)
{
    int n = op_info[op->rule->op].args;
    return n < 0 ? op->n_operands : (uint32_t)n;
}

bool rule_typed(TextBuild *b, const OpSyntax *op, const Ref *args, Ref *out)
{
    if (!need_result(b, op)) return false;
    out[0] = build_typed(b->g, op->rule->op, args, n_node_args(op), NULL, 0, op->results[0]);
    return true;
}

/* {weft.captures} only lists what the next op captures. */
bool rule_barrier(TextBuild *b, const OpSyntax *op, const Ref *args, Ref *out)
{
    if (op->n_operands == 0 || op->n_results != op->n_operands || attr_find(op, "weft.captures", NULL))
        return rule_identity(b, op, args, out);
    return build_barrier(b->g, args, op->n_operands, out);
}

bool rule_identity(TextBuild *b, const OpSyntax *op, const Ref *args, Ref *out)
{
    if (op->n_results != op->n_operands)
        return parse_error(b->p, op->at, "%s has %u operands and %u results", op->rule->name, op->n_operands,
                           op->n_results);
    memcpy(out, args, op->n_operands * sizeof *out);
    return true;
}

/* Elements of a list that are all alike make a splat; hex stays as it is written. */
static Ref constant(TextBuild *b, Type t, const void *data, bool splat, bool as_written)
{
    if (as_written && (!splat || t.rank == 0))
        return build_given(
            b->g, (NodeSpec){ .op = OP_CONSTANT, .attr = (int64_t[]){ 0 }, .n_attr = 1, .data = data }, &t,
            1);
    return splat ? build_filled(b->g, t, data) : build_constant(b->g, t, data);
}

bool rule_constant(TextBuild *b, const OpSyntax *op, const Ref *args, Ref *out)
{
    (void)args;
    const AttrSyntax *a = need_attr(b, op, "value", NULL);
    const void *data;
    bool splat;
    if (!a || !need_result(b, op)) return false;
    if (a->kind != ATTR_DENSE) return parse_error(b->p, a->at, "wanted dense<...>");
    Type t = op->results[0];
    Type said = op->said ? op->said[0] : t;
    if (a->typed && !type_equal(a->type, said))
        return parse_error(b->p, a->at, "the literal's type is not the result's");
    if (!parse_dense(b->p, a, said, &data, &splat)) return false;
    bool as_written = !a->bytes.at && b->p->chars[a->at] == '"';
    out[0] = constant(b, t, data, splat, as_written && !op->said);
    return true;
}

/* A number of an attribute as an element of t. */
bool attr_number(TextBuild *b, const AttrSyntax *a, DType t, uint64_t *bits)
{
    int64_t v;
    if (a->kind == ATTR_NUMBER && dtype_is_float(t) && strncmp(a->text, "0x", 2) != 0)
        return decimal_parse(a->text, strlen(a->text), t, bits);
    if (!attr_int(b->p, a, &v)) return false;
    *bits = scalar_from_i64(t, v);
    return true;
}

bool rule_constant_like(TextBuild *b, const OpSyntax *op, const Ref *args, Ref *out)
{
    (void)args;
    uint64_t bits;
    const AttrSyntax *a = need_attr(b, op, "value", NULL);
    if (!a || !need_result(b, op) || !attr_number(b, a, (DType)op->results[0].dtype, &bits)) return false;
    out[0] = build_splat(b->g, op->results[0], bits);
    return true;
}

/* Ops whose attributes are numbers that the node holds as they are: spell_numbers. */

/* Lists of n attributes, one behind the other; they are equally long. */
static bool read_lists(TextBuild *b, const OpSyntax *op, const NumberAttr *form, uint32_t n, Ints *all)
{
    *all = (Ints){ arena_alloc(b->p->arena, MAX_NUMBER_ATTRS * WEFT_MAX_RANK * sizeof(int64_t)), 0 };
    for (uint32_t i = 0; i < n; i++) {
        Ints part;
        if (!need_ints(b, op, form[i].pretty, form[i].generic, &part)) return false;
        if (part.n > WEFT_MAX_RANK)
            return parse_error(b->p, op->at, "%s is longer than %d", form[i].pretty, WEFT_MAX_RANK);
        append_ints(all, part);
        if (all->n != (i + 1) * part.n)
            return parse_error(b->p, op->at, "%s and %s differ in length", form[0].pretty, form[i].pretty);
    }
    return true;
}

static bool read_numbers(TextBuild *b, const OpSyntax *op, const NumberAttr *form, uint32_t n, Ints *all)
{
    if (n > 1) return read_lists(b, op, form, n, all);
    if (form->is_list) return need_ints(b, op, form->pretty, form->generic, all);
    *all = (Ints){ arena_alloc(b->p->arena, sizeof(int64_t)), 1 };
    return need_int(b, op, form->pretty, form->generic, all->at);
}

bool rule_numbers(TextBuild *b, const OpSyntax *op, const Ref *args, Ref *out)
{
    const NumberAttr *form;
    uint32_t n = spell_numbers(op->rule->op, &form);
    uint32_t n_args = n_node_args(op);
    bool typed = form->op == OP_IOTA || form->op == OP_BROADCAST;
    Ints all;
    if (!read_numbers(b, op, form, n, &all)) return false;
    if (form->op == OP_REVERSE) sort_axes(all.at, all.n);
    if (typed && !need_result(b, op)) return false;
    out[0] = typed ? build_typed(b->g, form->op, args, n_args, all.at, all.n, op->results[0])
                   : build_node(b->g, form->op, args, n_args, all.at, all.n);
    return true;
}

/* Comparisons, shapes. */

int find_word(const AttrSyntax *a, const char *const *words, int n)
{
    for (int i = 0; i < n; i++)
        if (strcmp(attr_word(a), words[i]) == 0) return i;
    return -1;
}

bool rule_compare(TextBuild *b, const OpSyntax *op, const Ref *args, Ref *out)
{
    const AttrSyntax *dir = need_attr(b, op, "comparison_direction", NULL),
                     *order = attr_find(op, "compare_type", NULL);
    if (!dir) return false;
    DType t = (DType)graph_type(b->g, args[0]).dtype;
    bool said = order && strcmp(attr_word(order), "NOTYPE") != 0;
    int64_t attr[] = { find_word(dir, spell_directions, N_DIRECTIONS),
                       said ? find_word(order, spell_orders, N_ORDERS) : (int)compare_order(t) };
    if (attr[0] < 0)
        return parse_error(b->p, dir->at, "the direction of a comparison is one of EQ NE LT LE GT GE");
    if (attr[1] < 0)
        return parse_error(b->p, order->at,
                           "the order of a comparison is one of FLOAT TOTALORDER SIGNED UNSIGNED");
    out[0] = build_node(b->g, OP_COMPARE, args, 2, attr, 2);
    return true;
}

/* format = e5m10 */
static bool format_bits(Parser *p, const AttrSyntax *a, int64_t attr[2])
{
    const char *s = attr_word(a);
    int k = 0;
    attr[0] = attr[1] = 0;
    for (const char *letters = "em"; k < 2 && *s == letters[k]; k++)
        for (s++; *s >= '0' && *s <= '9' && attr[k] < 1000; s++) attr[k] = 10 * attr[k] + (*s - '0');
    if (k == 2 && *s == 0) return true;
    return parse_error(p, a->at, "wanted a format like e5m10");
}

bool rule_reduce_precision(TextBuild *b, const OpSyntax *op, const Ref *args, Ref *out)
{
    int64_t attr[2];
    const AttrSyntax *format = attr_find(op, "format", NULL);
    if (format) {
        if (!format_bits(b->p, format, attr)) return false;
    } else if (!need_int(b, op, "exponent_bits", NULL, &attr[0]) ||
               !need_int(b, op, "mantissa_bits", NULL, &attr[1]))
        return false;
    out[0] = build_node(b->g, OP_REDUCE_PRECISION, args, 1, attr, 2);
    return true;
}

/* PAD and SLICE whose numbers are constants: three operands behind the node's own list one number per axis
 * each. */
bool rule_constant_lists(TextBuild *b, const OpSyntax *op, const Ref *args, Ref *out)
{
    uint32_t n = n_node_args(op);
    Ints all = { arena_alloc(b->p->arena, 3 * WEFT_MAX_RANK * sizeof(int64_t)), 0 };
    for (uint32_t i = n; i < op->n_operands; i++) {
        Ints part;
        if (!constant_ints(b, op, args[i], &part)) return false;
        append_ints(&all, part);
    }
    out[0] = build_node(b->g, op->rule->op, args, n, all.at, all.n);
    return true;
}

/* complex(real(z), -imag(z)), as JAX writes it; of a real number itself */
bool rule_conj(TextBuild *b, const OpSyntax *op, const Ref *args, Ref *out)
{
    (void)op;
    *out = *args;
    if (!dtype_is_complex((DType)graph_type(b->g, *args).dtype)) return true;
    Ref re = build_unary(b->g, OP_REAL, *args),
        im = build_unary(b->g, OP_NEG, build_unary(b->g, OP_IMAG, *args));
    *out = build_node(b->g, OP_COMPLEX, (Ref[]){ re, im }, 2, NULL, 0);
    return true;
}

/* The old broadcast puts new axes in front. */
bool rule_broadcast(TextBuild *b, const OpSyntax *op, const Ref *args, Ref *out)
{
    Ints sizes;
    int64_t axes[WEFT_MAX_RANK];
    int rank = graph_type(b->g, args[0]).rank;
    if (!need_ints(b, op, "sizes", "broadcast_sizes", &sizes) || !need_result(b, op)) return false;
    for (int i = 0; i < rank; i++) axes[i] = (int64_t)sizes.n + i;
    out[0] = build_typed(b->g, OP_BROADCAST, args, 1, axes, (uint32_t)rank, op->results[0]);
    return true;
}

bool rule_dimension_size(TextBuild *b, const OpSyntax *op, const Ref *args, Ref *out)
{
    int64_t axis;
    Type t = graph_type(b->g, args[0]);
    if (!need_int(b, op, "dim", "dimension", &axis)) return false;
    if (axis < 0 || axis >= t.rank)
        return parse_error(b->p, attr_find(op, "dim", "dimension")->at, "axis %lld of a value of rank %d",
                           (long long)axis, t.rank);
    out[0] = build_splat(b->g, type_scalar(WEFT_I32), scalar_from_i64(WEFT_I32, t.dim[axis]));
    return true;
}

/* Bools as bits. */

DType unsigned_of(DType t)
{
    switch (dtype_bytes(t)) {
    case 1:  return WEFT_U8;
    case 2:  return WEFT_U16;
    case 4:  return WEFT_U32;
    default: return WEFT_U64;
    }
}

/* Where part i of a last axis begins: width * i */
static Ref bit_places(TextBuild *b, Type t, int width)
{
    Ref i = build_iota(b->g, t, t.rank - 1);
    return width == 1 ? i : build_binary(b->g, OP_MUL, i, build_splat(b->g, t, (uint64_t)width));
}

/* x >> width * i & ones */
Ref split_bits(TextBuild *b, Ref a, int width, int64_t n)
{
    Type t = graph_type(b->g, a);
    int64_t axes[WEFT_MAX_RANK], dim[WEFT_MAX_RANK + 1];
    for (int i = 0; i < t.rank; i++) axes[i] = i, dim[i] = t.dim[i];
    dim[t.rank] = n;
    Type wide = { t.dtype, (uint8_t)(t.rank + 1), dim };
    Ref bits = build_broadcast(b->g, a, dim, wide.rank, axes);
    Ref part = build_binary(b->g, OP_SHR_LOGIC, bits, bit_places(b, wide, width));
    return build_binary(b->g, OP_AND, part, build_splat(b->g, wide, ((uint64_t)1 << width) - 1));
}

/* The sum, that is the or, of x[i] << width * i. */
Ref join_bits(TextBuild *b, Ref a, int width)
{
    Type t = graph_type(b->g, a);
    Ref part = build_binary(b->g, OP_SHL, a, bit_places(b, t, width));
    return build_reduce(b->g, OP_OR, part, (int64_t[]){ t.rank - 1 }, 1);
}

/* A number's bits along a new last axis of bools. */
static Ref bits_of(TextBuild *b, Ref a)
{
    DType t = (DType)graph_type(b->g, a).dtype;
    return build_convert(b->g, split_bits(b, build_bitcast(b->g, a, unsigned_of(t)), 1, dtype_bits(t)),
                         WEFT_BOOL);
}

/* The last axis of bools as one number. */
static Ref number_of(TextBuild *b, Ref a, Type result)
{
    Ref number = join_bits(b, build_convert(b->g, a, unsigned_of((DType)result.dtype)), 1);
    return build_typed(b->g, OP_BITCAST, &number, 1, NULL, 0, result);
}

bool rule_bitcast(TextBuild *b, const OpSyntax *op, const Ref *args, Ref *out)
{
    if (!need_result(b, op)) return false;
    Type from = graph_type(b->g, args[0]), to = op->results[0];
    bool splits = to.dtype == WEFT_BOOL && from.dtype != WEFT_BOOL && to.rank == from.rank + 1 &&
                  to.dim[from.rank] == dtype_bits((DType)from.dtype);
    bool joins = from.dtype == WEFT_BOOL && to.dtype != WEFT_BOOL && from.rank == to.rank + 1 &&
                 from.dim[to.rank] == dtype_bits((DType)to.dtype);
    out[0] = splits  ? bits_of(b, args[0])
             : joins ? number_of(b, args[0], to)
                     : build_typed(b->g, OP_BITCAST, args, 1, NULL, 0, to);
    return true;
}

/* CHLO's implicit broadcasting. */

/* Broadcasts to the result's shape: by the last axes; an operand of lower rank by broadcast_dimensions if
 * given. */
static bool broadcast_to(TextBuild *b, const OpSyntax *op, Ref *a, Type shape, bool lower)
{
    Type t = graph_type(b->g, *a), want = type_like(shape, (DType)t.dtype);
    const AttrSyntax *given = attr_find(op, "broadcast_dimensions", NULL);
    int64_t axes[WEFT_MAX_RANK];
    Ints dims = { axes, t.rank };
    if (type_equal(t, want)) return true;
    if (t.rank > shape.rank)
        return parse_error(b->p, op->at, "%s: an operand of rank %d for a result of rank %d", op->rule->name,
                           t.rank, shape.rank);
    for (int i = 0; i < t.rank; i++) axes[i] = shape.rank - t.rank + i;
    if (given && lower && !attr_ints(b->p, given, &dims.at, &dims.n)) return false;
    *a = build_typed(b->g, OP_BROADCAST, a, 1, dims.at, dims.n, want);
    return true;
}

static bool broadcast_operands(TextBuild *b, const OpSyntax *op, const Ref *args, Ref *wide)
{
    if (!need_result(b, op)) return false;
    for (uint32_t i = 0; i < op->n_operands; i++) {
        wide[i] = args[i];
        if (!broadcast_to(b, op, &wide[i], op->results[0],
                          graph_type(b->g, args[i]).rank < op->results[0].rank))
            return false;
    }
    return true;
}

bool rule_broadcast_ew(TextBuild *b, const OpSyntax *op, const Ref *args, Ref *out)
{
    Ref wide[3];
    return broadcast_operands(b, op, args, wide) &&
           (op->rule->op == OP_COMPARE ? rule_compare : rule_plain)(b, op, wide, out);
}
