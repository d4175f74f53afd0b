/* ops_linalg.c: products of arrays. All of them are einsums of two operands: each axis has a label, and
 * contract() decides which labels are batch, contracted or free, and finds the dot_general, with transposes
 * and reductions around it as needed. matmul, dot, inner, outer and tensordot only make up labels;
 * weft_einsum reads them from its text.
 */
#include "runtime/ops/ops_compose.h"
#include <math.h>
#include <string.h>

/* Labels 0-51 are letters as einsum sorts them (A-Z, a-z); 52 and up axes under an ellipsis, counted from the
 * last. */
enum { LETTERS = 52, LABELS = LETTERS + WEFT_MAX_RANK };
typedef uint8_t Label;
/* an operand, one label per axis */
typedef struct EinsumTerm {
    weft_array *x;
    int n;
    Label label[2 * WEFT_MAX_RANK];
} EinsumTerm;

static int find(const Label *list, int n, Label l)
{
    for (int i = 0; i < n; i++)
        if (list[i] == l) return i;
    return -1;
}

static bool has(const EinsumTerm *t, Label l) { return find(t->label, t->n, l) >= 0; }
static int64_t size_of(const EinsumTerm *t, Label l) { return array_type(t->x).dim[find(t->label, t->n, l)]; }

/* ---- one operand ---- */

/* Sums over the labels that keep lacks. */
static bool sum_others(EinsumTerm *t, const bool *keep)
{
    AxisList axes = { 0 };
    int n = 0;
    for (int i = 0; i < t->n; i++) {
        if (keep[t->label[i]]) t->label[n++] = t->label[i];
        else axes.axis[axes.n++] = i;
    }
    t->n = n;
    return (t->x = ops_reduce(OP_ADD, t->x, &axes, false)) != NULL;
}

/* Drops axes of size 1 that stretch to another operand's. */
static bool drop_ones(EinsumTerm *t, const EinsumTerm *other)
{
    int64_t dim[WEFT_MAX_RANK];
    int n = 0;
    Type type = array_type(t->x);
    for (int i = 0; i < t->n; i++) {
        bool stretches = type.dim[i] == 1 && has(other, t->label[i]) && size_of(other, t->label[i]) != 1;
        if (stretches) continue;
        dim[n] = type.dim[i];
        t->label[n++] = t->label[i];
    }
    t->n = n;
    return (t->x = ops_reshape(t->x, dim, n)) != NULL;
}

/* Puts the axes into the order of out, which has the same labels. */
static bool order(EinsumTerm *t, const Label *out)
{
    int64_t perm[2 * WEFT_MAX_RANK];
    for (int i = 0; i < t->n; i++) perm[i] = find(t->label, t->n, out[i]);
    memcpy(t->label, out, (size_t)t->n);
    return (t->x = ops_transpose(t->x, perm)) != NULL;
}

/* Axes i and j, of one size, become their diagonal, at i: of the flattened [n, n] every (n + 1)th. */
static bool take_diagonal(EinsumTerm *t, int i, int j)
{
    Type type = array_type(t->x);
    int64_t perm[WEFT_MAX_RANK], dim[WEFT_MAX_RANK], n = type.dim[i];
    int k = axes_without((uint32_t)1 << i | (uint32_t)1 << j, t->n, perm);
    for (int a = 0; a < k; a++) dim[a] = type.dim[perm[a]];
    perm[k] = i;
    perm[k + 1] = j;
    dim[k] = n * n;
    weft_array *x = ops_reshape(ops_transpose(t->x, perm), dim, k + 1);
    t->x = ops_slice_axis(x, k, 0, n * n, n + 1);
    Label l = t->label[i];
    for (int a = 0; a < k; a++) t->label[a] = t->label[perm[a]];
    t->label[k] = l;
    t->n = k + 1;
    return t->x != NULL;
}

static bool take_diagonals(EinsumTerm *t)
{
    for (int j = 1; j < t->n; j++) {
        int i = find(t->label, j, t->label[j]);
        if (i < 0) continue;
        if (!take_diagonal(t, i, j)) return false;
        j = 0;
    }
    return true;
}

/* ---- two operands ---- */

/* Without contracted labels a product is elementwise, and fuses as such. */
static bool multiply(EinsumTerm *a, const EinsumTerm *b, const Label *out, int n_out)
{
    weft_array *side[2];
    const EinsumTerm *term[2] = { a, b };
    int64_t dim[WEFT_MAX_RANK];
    if (!ops_rank_ok(n_out)) return false;
    for (int i = 0; i < n_out; i++) dim[i] = size_of(has(a, out[i]) ? a : b, out[i]);
    for (int k = 0; k < 2; k++) {
        int64_t axes[WEFT_MAX_RANK];
        for (int i = 0; i < term[k]->n; i++) axes[i] = find(out, n_out, term[k]->label[i]);
        bool same = term[k]->n == n_out;
        for (int i = 0; same && i < n_out; i++) same = axes[i] == i;
        side[k] = same ? term[k]->x : ops_broadcast_axes(term[k]->x, dim, n_out, axes);
    }
    a->x = op_binary(OP_MUL, side[0], side[1]);
    a->n = n_out;
    memcpy(a->label, out, (size_t)n_out);
    return a->x != NULL;
}

/* dot_general's axes for both sides, and the labels of its result. */
typedef struct DotRoles {
    int nb, nc, n;
    int64_t batch[2][WEFT_MAX_RANK], contract[2][WEFT_MAX_RANK];
    Label result[2 * WEFT_MAX_RANK];
} DotRoles;

static void find_roles(const EinsumTerm *a, const EinsumTerm *b, const bool *keep, DotRoles *r)
{
    *r = (DotRoles){ 0 };
    for (int i = 0; i < a->n; i++) {
        int j = find(b->label, b->n, a->label[i]);
        if (j < 0) continue;
        bool batch = keep[a->label[i]];
        int k = batch ? r->nb++ : r->nc++;
        (batch ? r->batch : r->contract)[0][k] = i;
        (batch ? r->batch : r->contract)[1][k] = j;
        if (batch) r->result[r->n++] = a->label[i];
    }
    for (int i = 0; i < a->n; i++)
        if (!has(b, a->label[i])) r->result[r->n++] = a->label[i];
    for (int j = 0; j < b->n; j++)
        if (!has(a, b->label[j])) r->result[r->n++] = b->label[j];
}

static weft_array *dot(const EinsumTerm *a, const EinsumTerm *b, const DotRoles *r)
{
    int64_t attr[2 + 4 * WEFT_MAX_RANK] = { r->nb, r->nc };
    int n = 2;
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < r->nb; i++) attr[n++] = r->batch[side][i];
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < r->nc; i++) attr[n++] = r->contract[side][i];
    DType t = ops_dtype(a->x);
    return op_apply(OP_DOT, (weft_array *[]){ a->x, b->x }, 2, attr, n, &(NodeSpec){ .dtype = t });
}

/* a := the product, with the labels that keep has, in the order of out if that is given (n_out >= 0). Both
 * have one element type, and no label twice. */
static bool contract(EinsumTerm *a, EinsumTerm *b, const bool *keep, const Label *out, int n_out)
{
    bool of_a[LABELS], of_b[LABELS];
    if (!drop_ones(a, b) || !drop_ones(b, a)) return false;
    for (int l = 0; l < LABELS; l++) {
        of_a[l] = keep[l] || has(b, (Label)l);
        of_b[l] = keep[l] || has(a, (Label)l);
    }
    if (!sum_others(a, of_a) || !sum_others(b, of_b)) return false;
    DotRoles r, swapped;
    find_roles(a, b, keep, &r);
    if (r.nc == 0) return multiply(a, b, n_out >= 0 ? out : r.result, r.n);
    find_roles(b, a, keep, &swapped);
    bool swap = n_out >= 0 && memcmp(r.result, out, (size_t)n_out) != 0 &&
                memcmp(swapped.result, out, (size_t)n_out) == 0;
    weft_array *x = swap ? dot(b, a, &swapped) : dot(a, b, &r);
    if (!x) return false;
    const DotRoles *used = swap ? &swapped : &r;
    a->x = x;
    a->n = used->n;
    memcpy(a->label, used->result, (size_t)used->n);
    return n_out < 0 || order(a, out);
}

static weft_array *product(weft_array *a, const Label *la, weft_array *b, const Label *lb, const Label *out,
                           int n_out)
{
    EinsumTerm ta = { .x = a, .n = array_type(a).rank }, tb = { .x = b, .n = array_type(b).rank };
    bool keep[LABELS] = { false };
    memcpy(ta.label, la, (size_t)ta.n);
    memcpy(tb.label, lb, (size_t)tb.n);
    for (int i = 0; i < n_out; i++) keep[out[i]] = true;
    return contract(&ta, &tb, keep, out, n_out) ? ta.x : NULL;
}

/* ---- matmul, dot, inner, outer, tensordot ---- */

typedef weft_array *Product(weft_array *, weft_array *);

static weft_array *mismatch(Type a, int i, Type b, int j)
{
    return op_fail(
        WEFT_SHAPE,
        "shapes %s and %s do not multiply (axis %d of the first: %lld against axis %d of the second: %lld)",
        TYPE_TEXT(a), TYPE_TEXT(b), i, (long long)a.dim[i], j, (long long)b.dim[j]);
}

/* The axes before the last two of each, broadcast. */
static bool leading_shape(Type a, Type b, Shape *out)
{
    Type lead[2] = { a, b };
    for (int k = 0; k < 2; k++) lead[k].rank = lead[k].rank > 2 ? (uint8_t)(lead[k].rank - 2) : 0;
    for (int i = 1; i <= lead[0].rank && i <= lead[1].rank; i++) {
        int64_t p = a.dim[lead[0].rank - i], q = b.dim[lead[1].rank - i];
        if (p == q || p == 1 || q == 1) continue;
        return op_fail(WEFT_SHAPE, "the leading axes of %s and %s do not broadcast (%lld against %lld)",
                       TYPE_TEXT(a), TYPE_TEXT(b), (long long)p, (long long)q);
    }
    return ops_common_shape(lead, 2, out);
}

/* Labels: leading axes 3, 4, ... counted from the last; rows 0, contracted 1, columns 2. */
static void matmul_labels(Type t, Label inner_first, Label inner_second, Label *l)
{
    int n = 0;
    for (int k = t.rank; k > 2 && n < WEFT_MAX_RANK; k--) l[n++] = (Label)k;
    if (t.rank > 1) l[n++] = inner_first;
    l[n] = t.rank > 1 ? inner_second : 1;
}

static weft_array *matmul(weft_array *a, weft_array *b)
{
    Type ta = array_type(a), tb = array_type(b);
    if (ta.rank == 0 || tb.rank == 0)
        return op_fail(WEFT_SHAPE, "operands %s and %s must have rank 1 or more (use weft_mul)",
                       TYPE_TEXT(ta), TYPE_TEXT(tb));
    Label la[WEFT_MAX_RANK], lb[WEFT_MAX_RANK], out[WEFT_MAX_RANK];
    int of_b = tb.rank > 1 ? tb.rank - 2 : 0, n = 0;
    if (ta.dim[ta.rank - 1] != tb.dim[of_b]) return mismatch(ta, ta.rank - 1, tb, of_b);
    Shape batch;
    if (!leading_shape(ta, tb, &batch)) return NULL;
    matmul_labels(ta, 0, 1, la);
    matmul_labels(tb, 1, 2, lb);
    for (int i = batch.rank; i > 0; i--) out[n++] = (Label)(2 + i);
    if (ta.rank > 1) out[n++] = 0;
    if (tb.rank > 1) out[n++] = 2;
    return product(a, la, b, lb, out, n);
}

/* The contraction of axis i of a with axis j of b; the result has the others in order. */
static weft_array *contract_axes(weft_array *a, const AxisList *of_a, weft_array *b, const AxisList *of_b)
{
    Type ta = array_type(a), tb = array_type(b);
    Label la[WEFT_MAX_RANK], lb[WEFT_MAX_RANK], out[2 * WEFT_MAX_RANK];
    int n = 0;
    for (int i = 0; i < ta.rank; i++) la[i] = (Label)i;
    for (int j = 0; j < tb.rank; j++) lb[j] = (Label)(WEFT_MAX_RANK + j);
    for (int k = 0; k < of_a->n; k++) {
        if (ta.dim[of_a->axis[k]] != tb.dim[of_b->axis[k]])
            return mismatch(ta, (int)of_a->axis[k], tb, (int)of_b->axis[k]);
        lb[of_b->axis[k]] = (Label)of_a->axis[k];
    }
    for (int i = 0; i < ta.rank; i++)
        if (find(lb, tb.rank, la[i]) < 0) out[n++] = la[i];
    for (int j = 0; j < tb.rank; j++)
        if (find(la, ta.rank, lb[j]) < 0) out[n++] = lb[j];
    return ops_rank_ok(n) ? product(a, la, b, lb, out, n) : NULL;
}

static weft_array *contract_one(weft_array *a, int i, weft_array *b, int j)
{
    return contract_axes(a, &(AxisList){ .n = 1, .axis = { i } }, b, &(AxisList){ .n = 1, .axis = { j } });
}

static weft_array *dot_product(weft_array *a, weft_array *b)
{
    int ra = array_type(a).rank, rb = array_type(b).rank;
    return ra && rb ? contract_one(a, ra - 1, b, rb > 1 ? rb - 2 : 0) : ops_binary(OP_MUL, a, b);
}

static weft_array *inner(weft_array *a, weft_array *b)
{
    int ra = array_type(a).rank, rb = array_type(b).rank;
    return ra && rb ? contract_one(a, ra - 1, b, rb - 1) : ops_binary(OP_MUL, a, b);
}

static weft_array *outer(weft_array *a, weft_array *b)
{
    a = ops_reshape(a, (int64_t[]){ type_count(array_type(a)) }, 1);
    b = ops_reshape(b, (int64_t[]){ type_count(array_type(b)) }, 1);
    return a && b ? contract_axes(a, &(AxisList){ .n = 0 }, b, &(AxisList){ .n = 0 }) : NULL;
}

static bool promote_pair(const weft_operand *o, weft_array **x)
{
    DType t = ops_common_dtype(o, 2, RULE_SAME);
    return (x[0] = ops_operand(o[0], t)) && (x[1] = ops_operand(o[1], t));
}

static weft_array *promoted_product(const weft_operand *o, Product *f)
{
    weft_array *x[2];
    return promote_pair(o, x) ? f(x[0], x[1]) : NULL;
}

#define PRODUCT(name, f) \
    OPS_ENTRY_OF(name, (weft_operand a, weft_operand b, const char *at), (a, b), \
                 promoted_product(operands, f)) \
    OPS_OF_ARRAYS(name)

PRODUCT(matmul, matmul)
PRODUCT(dot, dot_product)
PRODUCT(inner, inner)
PRODUCT(outer, outer)

static weft_array *tensordot(const weft_operand *o, const char *a_axes, const char *b_axes)
{
    AxisList of_a, of_b;
    weft_array *x[2];
    if (!promote_pair(o, x)) return NULL;
    if (!a_axes || !b_axes)
        return op_fail(WEFT_ARGUMENT, "the axes of the %s are NULL", a_axes ? "second" : "first");
    if (!ops_axes(a_axes, array_type(x[0]), &of_a) || !ops_axes(b_axes, array_type(x[1]), &of_b)) return NULL;
    if (of_a.n != of_b.n)
        return op_fail(WEFT_ARGUMENT, "axes \"%s\" and \"%s\" are %d and %d (as many of each)", a_axes,
                       b_axes, of_a.n, of_b.n);
    return contract_axes(x[0], &of_a, x[1], &of_b);
}

OPS_ENTRY_OF(tensordot,
             (weft_operand a, weft_operand b, const char *a_axes, const char *b_axes, const char *at), (a, b),
             tensordot(operands, a_axes, b_axes))

/* ---- einsum ---- */

enum { MAX_TERMS = 64 };
typedef struct Einsum {
    const char *text;
    int n, spread; /* operands; greatest number of axes under an ellipsis */
    bool ellipsis;
    uint16_t uses[LABELS]; /* axes that have the label */
    int64_t size[LABELS];
    int n_out;
    Label out[LABELS];
    EinsumTerm term[MAX_TERMS];
} Einsum;

static bool text_fail(const Einsum *e, const char *why)
{
    return op_fail(WEFT_ARGUMENT, "einsum text \"%s\" %s", e->text, why);
}

static int letter(char c)
{
    return c >= 'A' && c <= 'Z' ? c - 'A' : c >= 'a' && c <= 'z' ? 26 + c - 'a' : -1;
}

static char label_name(Label l)
{
    return l < 26 ? (char)('A' + l) : l < LETTERS ? (char)('a' + l - 26) : '.';
}

/* Letters and at most one "..." up to ',', '-' or the end. ellipsis: how many labels come before it, or
 * -1. */
static const char *read_term(const Einsum *e, const char *s, Label *label, int room, int *n, int *ellipsis)
{
    *n = 0;
    *ellipsis = -1;
    for (; *s && *s != ',' && *s != '-'; s++) {
        if (*s == ' ') continue;
        if (strncmp(s, "...", 3) == 0) {
            if (*ellipsis >= 0) return text_fail(e, "has two ellipses in one term"), NULL;
            *ellipsis = *n;
            s += 2;
            continue;
        }
        if (letter(*s) < 0) {
            op_fail(WEFT_ARGUMENT, "einsum text \"%s\": '%c' is not a letter, \"...\", ',' or \"->\"",
                    e->text, *s);
            return NULL;
        }
        if (*n == room) return text_fail(e, "has a term with too many letters"), NULL;
        label[(*n)++] = (Label)letter(*s);
    }
    return s;
}

/* Axes under an ellipsis are the last labels of LABELS, aligned at the last axis; put before position `at` of
 * the list. */
static void spread_ellipsis(Label *label, int *n, int at, int count)
{
    memmove(label + at + count, label + at, (size_t)(*n - at));
    for (int i = 0; i < count; i++) label[at + i] = (Label)(LETTERS + count - 1 - i);
    *n += count;
}

static bool note_sizes(Einsum *e, int k)
{
    const EinsumTerm *t = &e->term[k];
    Type type = array_type(t->x);
    for (int i = 0; i < t->n; i++) {
        Label l = t->label[i];
        int64_t d = type.dim[i], seen = e->size[l];
        int earlier = find(t->label, i, l);
        bool clash = earlier >= 0 ? type.dim[earlier] != d : e->uses[l] && d != 1 && seen != 1 && d != seen;
        if (clash) {
            if (l >= LETTERS)
                return op_fail(
                    WEFT_SHAPE,
                    "einsum text \"%s\": the axes under \"...\" do not broadcast (%lld against %lld)",
                    e->text, (long long)seen, (long long)d);
            return op_fail(WEFT_SHAPE, "einsum text \"%s\": axis '%c' has size %lld and %lld", e->text,
                           label_name(l), (long long)(earlier >= 0 ? type.dim[earlier] : seen), (long long)d);
        }
        if (!e->uses[l] || seen == 1) e->size[l] = d;
        e->uses[l]++;
    }
    return true;
}

static const char *read_operand(Einsum *e, const char *s, int k)
{
    EinsumTerm *t = &e->term[k];
    Type type = array_type(t->x);
    int ellipsis;
    s = read_term(e, s, t->label, WEFT_MAX_RANK, &t->n, &ellipsis);
    if (!s) return NULL;
    int hidden = type.rank - t->n;
    if (hidden < 0 || (hidden > 0 && ellipsis < 0)) {
        op_fail(WEFT_SHAPE, "einsum text \"%s\": term %d has %d letters%s for %s", e->text, k + 1, t->n,
                ellipsis < 0 ? "" : " beside \"...\"", TYPE_TEXT(type));
        return NULL;
    }
    if (ellipsis >= 0) {
        spread_ellipsis(t->label, &t->n, ellipsis, hidden);
        e->ellipsis = true;
        if (hidden > e->spread) e->spread = hidden;
    }
    return note_sizes(e, k) ? s : NULL;
}

static void implicit_output(Einsum *e)
{
    spread_ellipsis(e->out, &e->n_out, 0, e->spread);
    for (int l = 0; l < LETTERS; l++)
        if (e->uses[l] == 1) e->out[e->n_out++] = (Label)l;
}

static bool read_output(Einsum *e, const char *s)
{
    int ellipsis;
    s = read_term(e, s, e->out, LETTERS, &e->n_out, &ellipsis);
    if (!s) return false;
    if (*s) return text_fail(e, "goes on after its output");
    for (int i = 0; i < e->n_out; i++) {
        Label l = e->out[i];
        if (!e->uses[l] || find(e->out, i, l) >= 0) {
            return op_fail(WEFT_ARGUMENT, "einsum text \"%s\": '%c' is %s", e->text, label_name(l),
                           e->uses[l] ? "twice in the output" : "in the output but in no operand");
        }
    }
    if (e->ellipsis && ellipsis < 0 && e->spread) return text_fail(e, "lacks \"...\" in its output");
    if (ellipsis >= 0 && !e->ellipsis) return text_fail(e, "has \"...\" in its output but in no operand");
    if (ellipsis >= 0) spread_ellipsis(e->out, &e->n_out, ellipsis, e->spread);
    return true;
}

static bool read_text(Einsum *e)
{
    const char *s = e->text;
    for (int k = 0; k < e->n; k++) {
        if (!(s = read_operand(e, s, k))) return false;
        if ((*s == ',') == (k + 1 < e->n)) {
            s += *s == ',';
            continue;
        }
        int terms = 1;
        for (const char *c = e->text; *c && *c != '-'; c++) terms += *c == ',';
        return op_fail(WEFT_ARGUMENT, "einsum text \"%s\" has %d terms for %d operands", e->text, terms,
                       e->n);
    }
    if (!*s) implicit_output(e);
    else if (strncmp(s, "->", 2) != 0) return text_fail(e, "has a '-' without '>'");
    else if (!read_output(e, s + 2)) return false;
    return ops_rank_ok(e->n_out);
}

/* Labels that the output has, or an operand other than these two. */
static void needed(const Einsum *e, int a, int b, bool *keep)
{
    memset(keep, 0, LABELS);
    for (int i = 0; i < e->n_out; i++) keep[e->out[i]] = true;
    for (int k = 0; k < e->n; k++)
        for (int i = 0; k != a && k != b && i < e->term[k].n; i++) keep[e->term[k].label[i]] = true;
}

typedef struct PairCost {
    double products, elements; /* of the sums; of what comes out */
} PairCost;

static PairCost cost_of(const Einsum *e, int a, int b)
{
    PairCost c = { 1, 1 };
    bool keep[LABELS];
    needed(e, a, b, keep);
    for (int l = 0; l < LABELS; l++) {
        if (!has(&e->term[a], (Label)l) && !has(&e->term[b], (Label)l)) continue;
        c.products *= (double)e->size[l];
        if (keep[l]) c.elements *= (double)e->size[l];
    }
    return c;
}

/* The two operands that cost least together; of equal pairs those that leave least, then the first. */
static void cheapest_pair(const Einsum *e, int *a, int *b)
{
    PairCost least = { INFINITY, INFINITY };
    for (int i = 0; i < e->n; i++)
        for (int k = i + 1; k < e->n; k++) {
            PairCost c = cost_of(e, i, k);
            if (c.products > least.products || (c.products == least.products && c.elements >= least.elements))
                continue;
            least = c, *a = i, *b = k;
        }
}

static weft_array *einsum(Einsum *e)
{
    bool keep[LABELS];
    for (int k = 0; k < e->n; k++)
        if (!take_diagonals(&e->term[k])) return NULL;
    while (e->n > 1) {
        int a = 0, b = 1;
        bool last = e->n == 2;
        cheapest_pair(e, &a, &b);
        needed(e, a, b, keep);
        if (!contract(&e->term[a], &e->term[b], keep, last ? e->out : NULL, last ? e->n_out : -1))
            return NULL;
        memmove(&e->term[b], &e->term[b + 1], (size_t)(--e->n - b) * sizeof *e->term);
    }
    needed(e, 0, 0, keep);
    return sum_others(e->term, keep) && order(e->term, e->out) ? e->term->x : NULL;
}

static bool take_terms(Einsum *e, const weft_array *const *x)
{
    DType t = ops_dtype(x[0]);
    for (int k = 1; k < e->n; k++) t = ops_promote(t, ops_dtype(x[k]));
    for (int k = 0; k < e->n; k++)
        if (!(e->term[k].x = ops_convert(ops_in(x[k]), t))) return false;
    return true;
}

/* An Einsum is too large for a small stack, so it lies on the heap. */
weft_array *weft_einsum_(const char *text, int n, const weft_array *const *x, const char *at)
{
    OpsCall call;
    n = ops_list_length(x, n);
    if (!ops_begin_list(&call, "weft_einsum", at, x, n)) return ops_end(&call, NULL);
    if (!text) return ops_end(&call, op_fail(WEFT_ARGUMENT, "the text is NULL"));
    if (n < 1 || n > MAX_TERMS)
        return ops_end(&call, op_fail(WEFT_ARGUMENT, "%d operands (1 to %d)", n, MAX_TERMS));
    Memory *memory = &op_local()->ctx->memory;
    Einsum *e = memory_alloc(memory, sizeof *e);
    if (!e) return ops_end(&call, op_fail(WEFT_MEMORY, "out of memory"));
    e->text = text, e->n = n;
    weft_array *r = take_terms(e, x) && read_text(e) ? einsum(e) : NULL;
    memory_free(memory, e, sizeof *e);
    return ops_end(&call, r);
}
