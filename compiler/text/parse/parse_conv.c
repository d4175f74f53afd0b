/* parse_conv.c: convolutions, of which the pretty form has names of its own for what the generic one says:
 *
 *     stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
 *       window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1],
 *       reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (T, T) -> T
 */
#include <string.h>
#include "compiler/graph/attributes.h"
#include "parse_build.h"
#include "compiler/text/spell.h"

/* Syntax. */

bool parse_conv_numbers(Parser *p, AttrSyntax *a)
{
    AttrSyntax *lists = arena_alloc(p->arena, 3 * sizeof *lists);
    a->kind = ATTR_LIST;
    a->at = p->tok.at;
    a->items = lists;
    a->n_items = 3;
    for (int i = 0; i < 3; i++) {
        if (i == 1 && !parse_take_word(p, "x")) return parse_unexpected(p, "`x` and the weights' axes");
        if (i == 2 && !parse_expect(p, TOK_ARROW, "`->` and the result's axes")) return false;
        if (p->tok.kind != '[') return parse_unexpected(p, "`[` and the axes' roles, as in [b, 0, 1, f]");
        if (!parse_attr(p, ATTR_TYPED, &lists[i])) return false;
    }
    return !p->failed;
}

/* window = {stride = [...], ...} as the attributes of the generic form */
static bool window(Parser *p, OpSyntax *op)
{
    static const char *const names[][2] = { { "stride", "window_strides" },
                                            { "pad", "padding" },
                                            { "lhs_dilate", "lhs_dilation" },
                                            { "rhs_dilate", "rhs_dilation" },
                                            { "reverse", "window_reversal" } };
    AttrSyntax dict = { 0 };
    if (p->tok.kind != '{') return parse_unexpected(p, "`{` and the window");
    if (!parse_attr(p, ATTR_BARE, &dict)) return false;
    for (uint32_t i = 0; i < dict.n_items; i++) {
        size_t k = 0, n = sizeof names / sizeof *names;
        while (k < n && strcmp(names[k][0], dict.items[i].key) != 0) k++;
        if (k == n)
            return parse_error(p, dict.items[i].at,
                               "a window has no %.60s; it has: stride pad lhs_dilate rhs_dilate reverse",
                               dict.items[i].key);
        AttrSyntax *a = parse_add_attr(p, op, names[k][1]);
        *a = dict.items[i];
        a->key = names[k][1];
    }
    return !p->failed;
}

bool syntax_convolution(Parser *p, OpSyntax *op)
{
    if (!parse_operands_in_parens(p, op)) return false;
    if (!parse_take_word(p, "dim_numbers")) return parse_unexpected(p, "`dim_numbers =` and the axes");
    if (!parse_expect(p, '=', "`=`") || !parse_conv_numbers(p, parse_add_attr(p, op, "dimension_numbers")) ||
        !parse_expect(p, ',', "`,` and the window"))
        return false;
    if (!parse_take_word(p, "window")) return parse_unexpected(p, "`window =`");
    return parse_expect(p, '=', "`=`") && window(p, op) && parse_attr_dict(p, op) && parse_types_of_op(p, op);
}

/* Attributes. */

/* Axes listed in order, each by its role: a letter, or the number of a spatial one. */
static bool listed_roles(TextBuild *b, const AttrSyntax *list, const char *letters, int rank, int64_t *axes)
{
    if (list->kind != ATTR_LIST || (int)list->n_items != rank)
        return parse_error(b->p, list->at, "wanted the roles of %d axes", rank);
    for (int i = 0; i < rank; i++) axes[i] = -1;
    for (int i = 0; i < rank; i++) {
        const AttrSyntax *role = &list->items[i];
        const char *word = attr_word(role), *letter = *word && !word[1] ? strchr(letters, *word) : NULL;
        int64_t at = letter ? letter - letters : -3;
        if (role->kind == ATTR_NUMBER && !attr_int(b->p, role, &at)) return false;
        if (role->kind == ATTR_NUMBER) at += at < 0 || at > rank ? rank : 2;
        if (at < 0 || at >= rank)
            return parse_error(b->p, role->at, "an axis is %c, %c or the number of a spatial one, below %d",
                               letters[0], letters[1], rank - 2);
        if (axes[at] >= 0) return parse_error(b->p, role->at, "two axes with one role");
        axes[at] = i;
    }
    return true;
}

/* The same by the names of the roles. */
static bool named_roles(TextBuild *b, const AttrSyntax *dict, const char *const *keys, int rank,
                        int64_t *axes)
{
    Ints spatial;
    if (!field_ints(b, dict, keys[2], &spatial)) return false;
    if (spatial.n + 2 != (uint32_t)rank)
        return parse_error(b->p, dict->at, "%s lists %u axes, not %d", keys[2], spatial.n, rank - 2);
    for (int i = 0; i < 2; i++) {
        const AttrSyntax *a = attr_field(dict, keys[i]);
        axes[i] = 0;
        if (a && !attr_int(b->p, a, &axes[i])) return false;
    }
    if (rank > 2) memcpy(axes + 2, spatial.at, spatial.n * sizeof *axes);
    return true;
}

static bool roles(TextBuild *b, const OpSyntax *op, int rank, ConvDims *d)
{
    const AttrSyntax *a = need_attr(b, op, "dimension_numbers", NULL);
    int64_t *axes[] = { d->lhs, d->rhs, d->out };
    if (!a) return false;
    if (a->kind != ATTR_DICT && (a->kind != ATTR_LIST || a->n_items != 3))
        return parse_error(b->p, a->at, "wanted #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>");
    for (int i = 0; i < 3; i++)
        if (!(a->kind == ATTR_DICT ? named_roles(b, a, spell_conv[i], rank, axes[i])
                                   : listed_roles(b, &a->items[i], spell_conv_letters[i], rank, axes[i])))
            return false;
    return true;
}

/* [false, true], or as a dense list; all false if it is left out. */
static bool reversed(TextBuild *b, const OpSyntax *op, int n, int64_t *to)
{
    const AttrSyntax *a = attr_find(op, "window_reversal", NULL);
    bool words = a && a->kind == ATTR_LIST && a->n_items == (uint32_t)n;
    for (int i = 0; i < n; i++) {
        to[i] = 0;
        words = words && a->items[i].kind == ATTR_BOOL;
        if (words) to[i] = strcmp(a->items[i].text, "true") == 0;
    }
    return !a || words || ints_per_axis(b, op, "window_reversal", n, to);
}

/* Pairs in the pretty form; a list of both otherwise. */
static bool padded(TextBuild *b, const OpSyntax *op, ConvDims *d)
{
    const AttrSyntax *a = attr_find(op, "padding", NULL);
    bool pairs = a && a->kind == ATTR_LIST && a->n_items && a->items[0].kind == ATTR_LIST;
    if (!pairs) return padding_per_axis(b, op, d->spatial, d->low, d->high);
    if (a->n_items != (uint32_t)d->spatial)
        return parse_error(b->p, a->at, "padding of %u axes, not %d", a->n_items, d->spatial);
    for (int i = 0; i < d->spatial; i++) {
        Ints pair;
        if (!attr_ints(b->p, &a->items[i], &pair.at, &pair.n)) return false;
        if (pair.n != 2) return parse_error(b->p, a->items[i].at, "wanted [low, high]");
        d->low[i] = pair.at[0];
        d->high[i] = pair.at[1];
    }
    return true;
}

/* dynamic_conv has its padding as an operand. */
static bool padding_operand(TextBuild *b, const OpSyntax *op, Ref operand, ConvDims *d)
{
    Ints v;
    if (!constant_ints(b, op, operand, &v)) return false;
    if (v.n != 2u * (uint32_t)d->spatial)
        return parse_error(b->p, op->at, "padding lists %u numbers, not two for each of %d axes", v.n,
                           d->spatial);
    for (int i = 0; i < d->spatial; i++) d->low[i] = v.at[2 * i], d->high[i] = v.at[2 * i + 1];
    return true;
}

bool rule_convolution(TextBuild *b, const OpSyntax *op, const Ref *args, Ref *out)
{
    ConvDims d;
    Type lhs = graph_type(b->g, args[0]), rhs = graph_type(b->g, args[1]);
    if (!need_result(b, op)) return false;
    if (lhs.rank < 2 || rhs.rank != lhs.rank || op->results[0].rank != lhs.rank)
        return parse_error(b->p, op->at, "%s takes and gives arrays of one rank, 2 or more", op->rule->name);
    d.spatial = lhs.rank - 2;
    if (!roles(b, op, lhs.rank, &d) || !need_int(b, op, "feature_group_count", NULL, &d.feature_groups) ||
        !need_int(b, op, "batch_group_count", NULL, &d.batch_groups) ||
        !ints_per_axis(b, op, "window_strides", d.spatial, d.stride) ||
        !ints_per_axis(b, op, "lhs_dilation", d.spatial, d.base_dilation) ||
        !ints_per_axis(b, op, "rhs_dilation", d.spatial, d.dilation) ||
        !reversed(b, op, d.spatial, d.reverse) || !padded(b, op, &d))
        return false;
    if (op->n_operands == 3 && !padding_operand(b, op, args[2], &d)) return false;
    Ref pair[] = { args[0], args[1] };
    DType want = (DType)op->results[0].dtype, sum = sum_dtype(b, pair, want);
    int64_t attr[CONV_ATTR];
    uint32_t n = conv_attr(&d, attr);
    Ref y = build_typed(b->g, OP_CONVOLUTION, pair, 2, attr, n, type_like(op->results[0], sum));
    out[0] = y == REF_NONE ? y : convert_typed(b, y, want);
    return true;
}
