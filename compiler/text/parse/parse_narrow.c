/* parse_narrow.c: ops on values that a wider type holds (narrow.h). The op's rule makes the node on what
 * holds them, and its result is rounded to the type. A few ops mean something else on the wider type: those
 * that look at bits, and conversions. */
#include <math.h>
#include <string.h>
#include "parse_build.h"

bool has_narrow(const Parser *p, const OpSyntax *op)
{
    for (uint32_t i = 0; i < op->n_operands; i++)
        if (p->narrow[op->operands[i]]) return true;
    for (uint32_t i = 0; i < op->n_results; i++)
        if (type_narrow(op->results[i]) != NARROW_NONE) return true;
    return false;
}

static Narrow operand_narrow(TextBuild *b, const OpSyntax *op, uint32_t i)
{
    return op->n_operands > i ? (Narrow)b->p->narrow[op->operands[i]] : NARROW_NONE;
}

/* ---- bits ---- */

/* A value's bits as a number without a sign, and how many there are. */
static Ref bits_of_value(TextBuild *b, Ref a, Narrow narrow, int *n)
{
    DType t = (DType)graph_type(b->g, a).dtype;
    *n = narrow ? narrow_bits(narrow) : dtype_bits(t);
    if (!narrow) return build_bitcast(b->g, a, unsigned_of(t));
    Ref byte = build_bitcast(b->g, narrow_store(b->g, narrow, a), WEFT_U8);
    uint64_t ones = ((uint64_t)1 << *n) - 1;
    return build_binary(b->g, OP_AND, byte, build_splat(b->g, graph_type(b->g, byte), ones));
}

static Ref value_of_bits(TextBuild *b, Ref bits, Narrow narrow, Type result)
{
    if (!narrow) return build_typed(b->g, OP_BITCAST, &bits, 1, NULL, 0, result);
    Ref byte = build_bitcast(b->g, build_convert(b->g, bits, WEFT_U8), narrow_bytes(narrow));
    return narrow_read(b->g, narrow, byte);
}

/* Elements of as many bits, or of fewer along a new last axis, or the last axis as one element. */
static Ref bitcast(TextBuild *b, const OpSyntax *op, Ref a, Narrow from, Narrow to)
{
    Type is = graph_type(b->g, a), want = op->results[0];
    int n, n_to = to ? narrow_bits(to) : dtype_bits((DType)want.dtype);
    Ref bits = bits_of_value(b, a, from, &n);
    bool splits = n > n_to && want.rank == is.rank + 1 && want.dim[is.rank] * n_to == n;
    bool joins = n < n_to && is.rank == want.rank + 1 && is.dim[want.rank] * n == n_to;
    if (splits) bits = split_bits(b, bits, n_to, n / n_to);
    if (joins)
        bits = join_bits(b, build_convert(b->g, bits, to ? WEFT_U8 : unsigned_of((DType)want.dtype)), n);
    if (n != n_to && !splits && !joins)
        return parse_error(b->p, op->at, "%s: elements of %d bits as elements of %d in these shapes",
                           op->rule->name, n, n_to),
               REF_NONE;
    return value_of_bits(b, bits, to, want);
}

/* The upper bits of what holds a signed number are its sign: a shift without a sign, and counts of bits,
 * must not see them. */
static Ref without_sign(TextBuild *b, Ref a, Narrow narrow)
{
    Type t = graph_type(b->g, a);
    uint64_t ones = ((uint64_t)1 << narrow_bits(narrow)) - 1;
    return build_binary(b->g, OP_AND, a, build_splat(b->g, t, ones));
}

/* What holds a number without a sign has no sign where an arithmetic shift looks for one: its upper bits
 * become what its own highest bit is. */
static Ref with_sign(TextBuild *b, Ref a, Narrow narrow)
{
    Type t = graph_type(b->g, a);
    if (narrow_held(narrow) != WEFT_U8) return a;
    Ref up = build_splat(b->g, t, (uint64_t)(8 - narrow_bits(narrow)));
    return build_binary(b->g, OP_SHR_ARITH, build_binary(b->g, OP_SHL, a, up), up);
}

/* ---- conversions ---- */

/* Floats are rounded once, so from the widest of what they are; what an integer cannot be becomes the
 * nearest that it can. */
static Ref convert(TextBuild *b, Ref a, Narrow to)
{
    DType t = (DType)graph_type(b->g, a).dtype;
    if (narrow_is_float(to)) {
        if (t != WEFT_F64) a = convert_typed(b, a, WEFT_F32);
        return convert_typed(b, narrow_round(b->g, to, a), WEFT_F32);
    }
    if (dtype_is_float(t)) {
        bool sign = narrow_held(to) == WEFT_I8;
        double most = ldexp(1, narrow_bits(to) - sign) - 1, least = sign ? -most - 1 : 0;
        Type shape = graph_type(b->g, a);
        Ref low = build_splat(b->g, shape, scalar_from_double(t, least)),
            high = build_splat(b->g, shape, scalar_from_double(t, most));
        a = build_binary(b->g, OP_MIN, build_binary(b->g, OP_MAX, a, low), high);
    }
    return narrow_round(b->g, to, convert_typed(b, a, narrow_held(to)));
}

/* ---- any op ---- */

/* Does it give the elements that it takes? Then they are of the type. */
static bool only_moves(const OpRule *rule)
{
    static BuildFn *const moving[] = { rule_identity,      rule_barrier,    rule_constant,
                                       rule_while,         rule_case,       rule_if,
                                       rule_call,          rule_collective, rule_permute_devices,
                                       rule_sort,          rule_top_k,      rule_sharded,
                                       rule_sharded_region };
    for (size_t i = 0; i < sizeof moving / sizeof *moving; i++)
        if (rule->build == moving[i]) return true;
    if (rule->op == OP_COUNT) return false;
    return rule->op == OP_SELECT || op_info[rule->op].kind == OPKIND_SHAPE || rule->op == OP_GATHER ||
           rule->op == OP_DYNAMIC_SLICE || rule->op == OP_DYNAMIC_UPDATE_SLICE;
}

/* In a region that is one op, which folds elements, sums stay wide until they are done. */
static bool stays_wide(const TextBuild *b) { return b->outer && !b->captures && b->one_op; }

static bool build_held(TextBuild *b, const OpSyntax *op, const Ref *args, Ref *out)
{
    Narrow from = operand_narrow(b, op, 0), to = op->n_results ? type_narrow(op->said[0]) : NARROW_NONE;
    if (op->rule->op == OP_BITCAST) return (out[0] = bitcast(b, op, args[0], from, to)) != REF_NONE;
    if (op->rule->op == OP_CONVERT && to) return out[0] = convert(b, args[0], to), true;
    bool arithmetic = op->rule->op == OP_SHR_ARITH;
    bool by_bits =
        arithmetic || op->rule->op == OP_SHR_LOGIC || op->rule->op == OP_POPCNT || op->rule->op == OP_CLZ;
    if (!by_bits || !from || narrow_is_float(from)) return op->rule->build(b, op, args, out);
    Ref bare[2] = { arithmetic ? with_sign(b, args[0], from) : without_sign(b, args[0], from),
                    op->n_operands > 1 ? args[1] : REF_NONE };
    if (!op->rule->build(b, op, bare, out)) return false;
    Type t = graph_type(b->g, args[0]);
    if (op->rule->op == OP_CLZ)
        out[0] = build_binary(b->g, OP_SUB, out[0], build_splat(b->g, t, (uint64_t)(8 - narrow_bits(from))));
    return true;
}

/* What holds two types may be one: the graph would not see that they differ. */
static bool is_of_one_type(TextBuild *b, const OpSyntax *op)
{
    Op is = op->rule->op;
    if (is == OP_COUNT || !op_is_ew(is) || is == OP_CONVERT || is == OP_BITCAST || op->n_results != 1)
        return true;
    uint32_t first = is == OP_SELECT;
    Narrow t = operand_narrow(b, op, first);
    Type result = type_held(op->results[0]);
    bool same = type_narrow(op->results[0]) == t || result.dtype == WEFT_BOOL;
    for (uint32_t i = first + 1; i < op->n_operands; i++) same &= operand_narrow(b, op, i) == t;
    return same ||
           parse_error(b->p, op->at, "%s: operands and result are not of one element type", op->rule->name);
}

bool build_narrow(TextBuild *b, const OpSyntax *op, const Ref *args, Ref *out)
{
    OpSyntax held = *op;
    if (!is_of_one_type(b, op)) return false;
    held.said = op->results;
    held.results = arena_alloc(b->p->arena, (op->n_results + 1) * sizeof *held.results);
    for (uint32_t i = 0; i < op->n_results; i++) held.results[i] = type_held(op->results[i]);
    if (!build_held(b, &held, args, out)) return false;
    bool whole =
        only_moves(op->rule) || op->rule->op == OP_CONVERT || op->rule->op == OP_BITCAST || stays_wide(b);
    for (uint32_t i = 0; i < op->n_results && !whole; i++) {
        Narrow t = type_narrow(op->results[i]);
        if (t && out[i] != REF_NONE) out[i] = narrow_round(b->g, t, out[i]);
    }
    return true;
}

/* ---- tokens ---- */

static bool takes_tokens(const OpRule *rule)
{
    static BuildFn *const taking[] = { rule_token, rule_identity, rule_barrier, rule_while,         rule_case,
                                       rule_if,    rule_call,     rule_check,   rule_sharded_region };
    for (size_t i = 0; i < sizeof taking / sizeof *taking; i++)
        if (rule->build == taking[i]) return true;
    return false;
}

bool check_tokens(TextBuild *b, const OpSyntax *op)
{
    static const char *const what[] = { "operand", "result" };
    for (uint32_t i = 0; i < op->n_operands + op->n_results; i++) {
        bool result = i >= op->n_operands;
        uint32_t k = result ? i - op->n_operands : i;
        if (b->p->narrow[result ? op->first_result + k : op->operands[k]] != NARROW_TOKEN) continue;
        return takes_tokens(op->rule) || parse_error(b->p, op->at, "%s: %s %u is a token (!stablehlo.token)",
                                                     op->rule->name, what[result], k);
    }
    return true;
}

Ref build_token(TextBuild *b) { return build_constant(b->g, type_held(type_token()), ""); }

bool rule_token(TextBuild *b, const OpSyntax *op, const Ref *args, Ref *out)
{
    (void)args;
    bool ok = op->n_results == 1 && b->p->narrow[op->first_result] == NARROW_TOKEN;
    for (uint32_t i = 0; i < op->n_operands; i++) ok &= b->p->narrow[op->operands[i]] == NARROW_TOKEN;
    if (!ok)
        return parse_error(b->p, op->at, "%s: its operands and its one result are tokens (!stablehlo.token)",
                           op->rule->name);
    out[0] = build_token(b);
    return true;
}

/* ---- at the door of a func ---- */

Ref narrow_value_of(TextBuild *b, ValueId v, Ref bytes)
{
    Narrow t = (Narrow)b->p->narrow[v];
    return t && bytes != REF_NONE ? narrow_read(b->g, t, bytes) : bytes;
}

Ref narrow_param(TextBuild *b, ValueId v)
{
    Narrow t = (Narrow)b->p->narrow[v];
    Type held = b->p->types[v];
    return narrow_value_of(b, v, build_param(b->g, t ? type_like(held, narrow_bytes(t)) : held));
}

Ref narrow_result(TextBuild *b, ValueId v, Ref r)
{
    Narrow t = (Narrow)b->p->narrow[v];
    return t && r != REF_NONE ? narrow_store(b->g, t, r) : r;
}
