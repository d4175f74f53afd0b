/* parse_einsum.c: einsum and unary_einsum: sums of products whose axes are named by letters.
 *
 * "ij,jk->ik" gives each axis of an operand a letter; "..." stands for the axes that are left, and is aligned
 * at the right. A letter that an operand has twice means its diagonal; one that nobody else has is summed at
 * once. What two operands have then is one contraction, transposed to the order of the result. An axis of
 * length 1 goes with any length.
 */
#include <ctype.h>
#include <string.h>
#include "parse_build.h"

enum { FROM_RIGHT = 256 }; /* labels from here on are the axes of "...", the last one first */

typedef struct Term {
    Ref x;
    int label[WEFT_MAX_RANK];
    int n;
} Term;

typedef struct Einsum {
    TextBuild *b;
    const OpSyntax *op;
    uint32_t at; /* of the text of letters */
    Term in[2], out;
    int n;
} Einsum;

static int where(const Term *t, int label)
{
    int i = 0;
    while (i < t->n && t->label[i] != label) i++;
    return i < t->n ? i : -1;
}

static void drop(Term *t, int i)
{
    memmove(t->label + i, t->label + i + 1, (size_t)(--t->n - i) * sizeof *t->label);
}

/* ---- the text ---- */

/* One operand's letters, or the result's, up to `end`. */
static bool read_term(Einsum *e, const char *s, const char *end, int rank, Term *t)
{
    t->n = 0;
    for (; s < end; s++) {
        int rest = 0, n = t->n;
        if (*s == ' ') continue;
        if (end - s >= 3 && !strncmp(s, "...", 3)) {
            for (const char *r = s + 3; r < end; r++) rest += isalpha((unsigned char)*r) != 0;
            for (int left = rank - n - rest; left > 0 && t->n < rank; left--)
                t->label[t->n++] = FROM_RIGHT + left;
            s += 2;
        } else if (!isalpha((unsigned char)*s) || n == rank) {
            return parse_error(
                e->b->p, e->at, "\"%.*s\" has %s, for an array of %d axes", (int)(end - s), s,
                isalpha((unsigned char)*s) ? "a letter too many" : "what is neither a letter nor ...", rank);
        } else t->label[t->n++] = (unsigned char)*s;
    }
    return t->n == rank || parse_error(e->b->p, e->at, "%d letters for an array of %d axes", t->n, rank);
}

static bool read_einsum(Einsum *e, const Ref *args)
{
    const AttrSyntax *a = need_attr(e->b, e->op, "config", "einsum_config");
    if (!a || !need_result(e->b, e->op)) return false;
    e->at = a->at;
    e->n = (int)e->op->n_operands;
    const char *text = a->kind == ATTR_STRING ? a->text : "", *arrow = strstr(text, "->"),
               *comma = strchr(text, ',');
    if (!arrow || !comma != (e->n == 1) || (comma && (comma > arrow || strchr(comma + 1, ','))))
        return parse_error(e->b->p, a->at, "wanted letters as in \"%s\"", e->n == 1 ? "ij->ji" : "ij,jk->ik");
    for (int i = 0; i < e->n; i++) {
        e->in[i].x = args[i];
        if (!read_term(e, i ? comma + 1 : text, i + 1 < e->n ? comma : arrow,
                       graph_type(e->b->g, args[i]).rank, &e->in[i]))
            return false;
    }
    if (!read_term(e, arrow + 2, text + strlen(text), e->op->results[0].rank, &e->out)) return false;
    for (int i = 0; i < e->out.n; i++) {
        int label = e->out.label[i];
        if (where(&e->out, label) != i) return parse_error(e->b->p, a->at, "the result has an axis twice");
        if (where(&e->in[0], label) < 0 && (e->n == 1 || where(&e->in[1], label) < 0))
            return parse_error(e->b->p, a->at, "no operand has the axis %d of the result", i);
    }
    return true;
}

/* ---- one operand ---- */

/* Zeros off the diagonal of axes i and k, then the sum over k. */
static bool take_diagonal(Einsum *e, Term *t, int i, int k)
{
    Graph *g = e->b->g;
    Type x = graph_type(g, t->x), index = type_like(x, WEFT_I32);
    int64_t axis = k;
    if (x.dim[i] != x.dim[k])
        return parse_error(e->b->p, e->at, "axes %d and %d of %s have one letter and two lengths", i, k,
                           TYPE_TEXT(x));
    Ref same = build_compare(g, CMP_EQ, build_iota(g, index, i), build_iota(g, index, k));
    t->x = build_reduce(g, OP_ADD, build_select(g, same, t->x, build_zeros(g, x)), &axis, 1);
    drop(t, k);
    return true;
}

static bool take_diagonals(Einsum *e, Term *t)
{
    for (int k = t->n - 1; k > 0; k--) {
        int i = where(t, t->label[k]);
        if (i < k && (!take_diagonal(e, t, i, k) || build_failed(e->b, e->op))) return false;
    }
    return true;
}

/* The axes that neither the result nor the other operand has. */
static void sum_own(Einsum *e, Term *t, const Term *other)
{
    int64_t axes[WEFT_MAX_RANK];
    int n = 0;
    for (int i = 0; i < t->n; i++)
        if (where(&e->out, t->label[i]) < 0 && (!other || where(other, t->label[i]) < 0)) axes[n++] = i;
    if (n) t->x = build_reduce(e->b->g, OP_ADD, t->x, axes, n);
    while (n) drop(t, (int)axes[--n]);
}

/* An axis of length 1 where the other operand's is longer. */
static void drop_ones(Einsum *e, Term *t, const Term *other)
{
    Type theirs = graph_type(e->b->g, other->x);
    for (int i = t->n - 1; i >= 0; i--) {
        int k = where(other, t->label[i]);
        Type own = graph_type(e->b->g, t->x);
        int64_t dim[WEFT_MAX_RANK];
        if (k < 0 || own.dim[i] != 1 || theirs.dim[k] == 1) continue;
        drop(t, i);
        for (int d = 0; d < t->n; d++) dim[d] = own.dim[d + (d >= i)];
        t->x = build_reshape(e->b->g, t->x, dim, t->n);
    }
}

/* ---- two ---- */

static void append(Ints *to, int64_t v) { append_ints(to, (Ints){ &v, 1 }); }

static Ints room(Einsum *e)
{
    return (Ints){ arena_alloc(e->b->p->arena, WEFT_MAX_RANK * sizeof(int64_t)), 0 };
}

/* The axes of both, then the left one's and the right one's own, as a contraction has them. They are those of
 * the result. */
static void multiply(Einsum *e, Term *made)
{
    Term *left = &e->in[0], *right = &e->in[1];
    drop_ones(e, left, right);
    drop_ones(e, right, left);
    ContractedAxes axes = { { room(e), room(e) }, { room(e), room(e) } };
    Type l = graph_type(e->b->g, left->x), r = graph_type(e->b->g, right->x), result = e->op->results[0];
    int64_t dim[WEFT_MAX_RANK];
    made->n = 0;
    for (int i = 0; i < left->n; i++) {
        int k = where(right, left->label[i]);
        if (k < 0) continue;
        bool kept = where(&e->out, left->label[i]) >= 0;
        append(kept ? &axes.batch[0] : &axes.sum[0], i);
        append(kept ? &axes.batch[1] : &axes.sum[1], k);
        if (kept) dim[made->n] = l.dim[i], made->label[made->n++] = left->label[i];
    }
    for (int i = 0; i < left->n; i++)
        if (where(right, left->label[i]) < 0)
            dim[made->n] = l.dim[i], made->label[made->n++] = left->label[i];
    for (int k = 0; k < right->n; k++)
        if (where(left, right->label[k]) < 0)
            dim[made->n] = r.dim[k], made->label[made->n++] = right->label[k];
    made->x = build_contraction(e->b, &axes, (const Ref[]){ left->x, right->x },
                                (Type){ result.dtype, (uint8_t)made->n, dim });
}

static Ref in_order(Einsum *e, const Term *t)
{
    int64_t from[WEFT_MAX_RANK];
    for (int i = 0; i < t->n; i++) from[i] = where(t, e->out.label[i]);
    return build_transpose(e->b->g, t->x, from);
}

bool rule_einsum(TextBuild *b, const OpSyntax *op, const Ref *args, Ref *out)
{
    Einsum e = { .b = b, .op = op };
    if (!read_einsum(&e, args)) return false;
    for (int i = 0; i < e.n; i++) {
        if (!take_diagonals(&e, &e.in[i])) return false;
        sum_own(&e, &e.in[i], e.n == 2 ? &e.in[1 - i] : NULL);
    }
    if (build_failed(b, op)) return false;
    Term made = e.in[0];
    if (e.n == 2) multiply(&e, &made);
    if (build_failed(b, op)) return false;
    out[0] = convert_typed(b, in_order(&e, &made), (DType)op->results[0].dtype);
    return true;
}
