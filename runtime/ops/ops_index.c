/* ops_index.c: picking elements: NumPy's basic indexing by text (one slice, one reverse, one reshape) and by
 * arrays of indices (gather).
 *
 * Gather clamps indices; JAX's default for out-of-range indices is a fill value, so a select over "was the
 * index in range" follows.
 */
#include "ops_index.h"
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include "runtime/memory/text_writer.h"

/* ---- by text ---- */

typedef enum { ITEM_INT, ITEM_SLICE, ITEM_ELLIPSIS, ITEM_NEW } ItemKind;
/* start, stop, step; an int is in start */
typedef struct Item {
    ItemKind kind;
    int64_t part[3];
    bool given[3];
} Item;
enum { MAX_ITEMS = 2 * WEFT_MAX_RANK + 1 };

/* axes: how many the items stand for */
typedef struct Index {
    int n, axes;
    bool ellipsis;
    Item item[MAX_ITEMS];
} Index;

static const char *read_word(const char *s, const char *word)
{
    size_t n = strlen(word);
    return strncmp(s, word, n) == 0 ? ops_skip_spaces(s + n) : NULL;
}

/* start:stop:step, each part optional, or one int. NULL: neither. */
static const char *read_slice(const char *s, Item *it)
{
    int colons = 0;
    for (;; s = ops_skip_spaces(s + 1), colons++) {
        const char *end;
        if (colons == 3) return NULL;
        it->part[colons] = ops_number(s, &end);
        it->given[colons] = end != s;
        s = ops_skip_spaces(end);
        if (*s != ':') break;
    }
    it->kind = colons ? ITEM_SLICE : ITEM_INT;
    return colons || it->given[0] ? s : NULL;
}

static const char *read_item(const char *s, Item *it)
{
    const char *end;
    if ((end = read_word(s, "..."))) it->kind = ITEM_ELLIPSIS;
    else if ((end = read_word(s, "None")) || (end = read_word(s, "newaxis"))) it->kind = ITEM_NEW;
    else return read_slice(s, it);
    return end;
}

static bool index_fail(const char *text, const char *why)
{
    return op_fail(WEFT_ARGUMENT, "index \"%s\" %s", text, why);
}

static bool read_index(const char *text, Index *ix)
{
    *ix = (Index){ 0 };
    const char *s = ops_skip_spaces(text);
    while (*s) {
        if (ix->n == MAX_ITEMS) return index_fail(text, "has too many entries");
        Item *it = &ix->item[ix->n++];
        s = read_item(s, it);
        if (!s || (*s && *s != ','))
            return index_fail(text,
                              "cannot be read (entries like 3, 1:-1, ::2, ..., None, separated by commas)");
        if (*s == ',') s = ops_skip_spaces(s + 1);
        if (it->kind == ITEM_ELLIPSIS && ix->ellipsis) return index_fail(text, "has two ellipses (\"...\")");
        ix->ellipsis |= it->kind == ITEM_ELLIPSIS;
        ix->axes += it->kind == ITEM_INT || it->kind == ITEM_SLICE;
    }
    return true;
}

static void cut_axis(IndexCut *c, int rank, int64_t start, int64_t count, int64_t step)
{
    int64_t stride = step < 0 ? -step : step;
    int64_t first = count == 0 ? 0 : step < 0 ? start - (count - 1) * stride : start;
    if (step < 0) c->backwards.axis[c->backwards.n++] = c->axis;
    c->attr[c->axis] = first;
    c->attr[rank + c->axis] = count == 0 ? first : first + (count - 1) * stride + 1;
    c->attr[2 * rank + c->axis++] = stride;
}

static bool add_dim(IndexCut *c, int64_t size)
{
    if (!ops_rank_ok(c->shape.rank + 1)) return false;
    c->shape.dim[c->shape.rank++] = size;
    return true;
}

static bool cut_int(IndexCut *c, Type t, int64_t i)
{
    int64_t n = t.dim[c->axis];
    if (i < -n || i >= n) {
        if (n == 0)
            return op_fail(WEFT_ARGUMENT, "index %lld is out of range: axis %d of %s has no elements",
                           (long long)i, c->axis, TYPE_TEXT(t));
        return op_fail(WEFT_ARGUMENT, "index %lld is out of range for axis %d of %s (%lld to %lld)",
                       (long long)i, c->axis, TYPE_TEXT(t), (long long)-n, (long long)n - 1);
    }
    cut_axis(c, t.rank, i < 0 ? i + n : i, 1, 1);
    return true;
}

/* An end of a slice as Python takes it: negative ones count from the end, then both are clamped. */
static int64_t clamp_end(const Item *it, int which, int64_t missing, int64_t n, int64_t least,
                         int64_t greatest)
{
    if (!it->given[which]) return missing;
    int64_t v = it->part[which] < 0 ? it->part[which] + n : it->part[which];
    return v < least ? least : v > greatest ? greatest : v;
}

static bool cut_slice(IndexCut *c, Type t, const Item *it)
{
    int64_t n = t.dim[c->axis], step = it->given[2] ? it->part[2] : 1;
    if (step == 0) return op_fail(WEFT_ARGUMENT, "the step of axis %d must not be 0", c->axis);
    if (step < -INT64_MAX) step = -INT64_MAX; /* no axis is as long */
    bool down = step < 0;
    int64_t least = down ? -1 : 0, greatest = down ? n - 1 : n;
    int64_t start = clamp_end(it, 0, down ? n - 1 : 0, n, least, greatest);
    int64_t stop = clamp_end(it, 1, down ? -1 : n, n, least, greatest);
    int64_t span = down ? start - stop : stop - start, stride = down ? -step : step;
    int64_t count = span <= 0 ? 0 : (span - 1) / stride + 1;
    if (count <= 1) step = 1;
    cut_axis(c, t.rank, start, count, step);
    return add_dim(c, count);
}

static bool cut_whole(IndexCut *c, Type t, int n)
{
    for (; n > 0; n--) {
        int64_t size = t.dim[c->axis];
        cut_axis(c, t.rank, 0, size, 1);
        if (!add_dim(c, size)) return false;
    }
    return true;
}

static bool cut_item(IndexCut *c, Type t, const Index *ix, const Item *it)
{
    switch (it->kind) {
    case ITEM_INT:      return cut_int(c, t, it->part[0]);
    case ITEM_SLICE:    return cut_slice(c, t, it);
    case ITEM_ELLIPSIS: return cut_whole(c, t, t.rank - ix->axes);
    default:            return add_dim(c, 1);
    }
}

weft_array *index_cut_out(weft_array *x, const IndexCut *c)
{
    Type t = array_type(x);
    bool whole = true;
    for (int i = 0; i < t.rank; i++)
        whole = whole && c->attr[i] == 0 && c->attr[t.rank + i] == t.dim[i] && c->attr[2 * t.rank + i] == 1;
    if (!whole) x = op_apply(OP_SLICE, &x, 1, c->attr, 3 * t.rank, NULL);
    if (c->backwards.n) x = op_apply(OP_REVERSE, &x, 1, c->backwards.axis, c->backwards.n, NULL);
    return ops_reshape(x, c->shape.dim, c->shape.rank);
}

bool index_cut(Type t, const char *text, IndexCut *c)
{
    Index ix;
    *c = (IndexCut){ .axis = 0 };
    if (!read_index(text, &ix)) return false;
    if (ix.axes > t.rank)
        return op_fail(WEFT_ARGUMENT, "index \"%s\" is for %d axes, but %s has %d", text, ix.axes,
                       TYPE_TEXT(t), t.rank);
    for (int i = 0; i < ix.n; i++)
        if (!cut_item(c, t, &ix, &ix.item[i])) return false;
    return cut_whole(c, t, t.rank - c->axis);
}

/* The text behind a form such as %d, %u or %ld; NULL: the form is not one of an integer. */
static const char *past_form(const char *s)
{
    s += 1 + strspn(s + 1, "hlzjt");
    return *s && strchr("diu", *s) ? s + 1 : NULL;
}

static bool check_forms(const char *written, int n)
{
    int forms = 0;
    for (const char *s = strchr(written, '%'); s; s = strchr(s, '%'), forms++)
        if (!(s = past_form(s)))
            return index_fail(written, "has another % than those of integers (%d, %u, %ld, ...)");
    return forms == n || op_fail(WEFT_ARGUMENT, "index \"%s\" wants %d number%s, one for each %%, and has %d",
                                 written, forms, forms == 1 ? "" : "s", n);
}

/* Is the form in front of `behind` an end of a slice, with a colon at one of its sides? */
static bool is_end(const char *start, const char *behind)
{
    const char *before = behind - 1;
    while (*before != '%') before--;
    while (before > start && isspace((unsigned char)before[-1])) before--;
    return *ops_skip_spaces(behind) == ':' || (before > start && before[-1] == ':');
}

bool index_text(char text[INDEX_TEXT], const char *written, int n, const int64_t *numbers)
{
    TextWriter w = { text, INDEX_TEXT };
    const char *start = written;
    if (!written) return op_fail(WEFT_ARGUMENT, "the index is NULL");
    if (!check_forms(written, n)) return false;
    if (n && !numbers) return op_fail(WEFT_ARGUMENT, "the list of %d numbers is NULL", n);
    for (;;) {
        int plain = (int)strcspn(written, "%");
        text_write(&w, "%.*s", plain, written);
        if (!written[plain]) break;
        written = past_form(written + plain);
        if (written[-1] == 'u') text_write(&w, "%" PRIu64, (uint64_t)*numbers++);
        else if (*numbers == WEFT_OPEN) {
            if (!is_end(start, written)) return index_fail(start, "has WEFT_OPEN where an index stands");
            numbers++;
        } else text_write(&w, "%" PRId64, *numbers++);
    }
    if (w.room == 1) return op_fail(WEFT_ARGUMENT, "the index has more than %d characters", INDEX_TEXT - 2);
    return true;
}

weft_array *weft_at_(const weft_array *x, const char *text, int n, const int64_t *numbers, const char *at)
{
    OpsCall call;
    IndexCut cut;
    char whole[INDEX_TEXT];
    bool good = ops_begin_on(&call, "weft_at", at, x, NULL) && index_text(whole, text, n, numbers) &&
                index_cut(array_type(x), whole, &cut);
    return ops_end(&call, good ? index_cut_out(ops_in(x), &cut) : NULL);
}

/* ---- by arrays of indices ---- */

/* jax.numpy.take's fill value: NaN, the least signed, the greatest unsigned, true. */
static weft_array *fill_value(weft_array *like)
{
    if (!like) return NULL;
    Type t = array_type(like);
    DType dtype = (DType)t.dtype;
    if (dtype_is_inexact(dtype)) return ops_fill(like, NAN);
    return ops_splat(dtype, t.dim, t.rank, monoid_start(dtype_is_signed(dtype) ? OP_MAX : OP_AND, dtype));
}

weft_array *index_fill(const weft_array *like, int64_t v)
{
    if (!like) return NULL;
    Type t = array_type(like);
    return ops_broadcast(op_integer((DType)t.dtype, v), t.dim, t.rank);
}

weft_array *index_wrapped(weft_array *indices, int64_t n)
{
    if (!indices) return NULL;
    Type t = array_type(indices);
    DType own = (DType)t.dtype;
    if (!ops_int_ok(t, "the indices must be integers")) return NULL;
    bool small = n <= INT32_MAX && (dtype_bits(own) < 32 || own == WEFT_I32);
    indices = ops_convert(indices, small ? WEFT_I32 : WEFT_I64);
    weft_array *size = index_fill(indices, n);
    if (!dtype_is_signed(own)) return indices;
    return ops_select(ops_compare_with(CMP_LT, indices, 0), op_binary(OP_ADD, indices, size), indices);
}

/* bool: 0 <= index < n. */
static weft_array *in_range(weft_array *indices, int64_t n)
{
    weft_array *size = index_fill(indices, n);
    return op_binary(OP_AND, ops_compare_with(CMP_GE, indices, 0), ops_compare(CMP_LT, indices, size));
}

/* Has an axis of n elements one for every number of this type: a byte, a table of 256? */
static bool holds_all(DType t, int64_t n)
{
    return !dtype_is_signed(t) && dtype_bits(t) < 32 && n >= INT64_C(1) << dtype_bits(t);
}

static weft_array *empty_axis(Type t, int a)
{
    return op_fail(WEFT_SHAPE, "nothing can be taken from axis %d of %s, which has no elements", a,
                   TYPE_TEXT(t));
}

bool index_shape(Type t, Type ti, int a, Shape *out)
{
    out->rank = t.rank - 1 + ti.rank;
    if (!ops_rank_ok(out->rank)) return false;
    for (int i = 0; i < out->rank; i++)
        out->dim[i] = i < a ? t.dim[i] : i < a + ti.rank ? ti.dim[i - a] : t.dim[i - ti.rank + 1];
    return true;
}

AttrList index_attr(int rank, int axis, int k, int q, int flags)
{
    AttrList attr = { .n = 5 + flags, .v = { rank - k, k, 0, k, q } };
    uint32_t of_indices = (uint32_t)(((uint64_t)1 << q) - 1) << axis;
    attr.n += axes_without(of_indices, rank - k + q, attr.v + attr.n);
    for (int twice = 0; twice < 2; twice++)
        for (int i = 0; i < k; i++) attr_put(&attr, axis + i);
    return attr;
}

weft_array *index_gather(weft_array *x, weft_array *indices, int a)
{
    if (!x || !indices) return NULL;
    Type t = array_type(x);
    AttrList attr = index_attr(t.rank, a, 1, array_type(indices).rank, 0);
    for (int i = 0; i < t.rank; i++) attr_put(&attr, i == a ? 1 : t.dim[i]);
    return op_apply(OP_GATHER, (weft_array *[]){ x, indices }, 2, attr.v, attr.n, NULL);
}

OPS_ENTRY(take, (weft_operand positions, int axis), (positions), (positions, axis))
{
    Type t = array_type(x);
    Shape s;
    int a;
    weft_array *indices = ops_value(positions);
    if (!indices || !ops_axis(axis, t.rank, t, &a)) return NULL;
    Type ti = array_type(indices);
    if (!index_shape(t, ti, a, &s)) return NULL;
    if (t.dim[a] == 0 && type_count(ti) != 0) return empty_axis(t, a);
    if (t.dim[a] == 0) return ops_splat((DType)t.dtype, s.dim, s.rank, 0);
    indices = index_wrapped(indices, t.dim[a]);
    weft_array *r = index_gather(x, indices, a);
    if (holds_all((DType)ti.dtype, t.dim[a])) return r;
    weft_array *good = in_range(indices, t.dim[a]);
    int64_t at_axis[WEFT_MAX_RANK];
    for (int i = 0; i < ti.rank; i++) at_axis[i] = a + i;
    return r ? ops_select(ops_broadcast_axes(good, s.dim, s.rank, at_axis), r, fill_value(r)) : NULL;
}

/* The shapes that x and the indices stretch to: axes but a agree. */
static bool along_shapes(Type t, Type ti, int a, int64_t *of_x, int64_t *of_indices)
{
    for (int i = 0; i < t.rank; i++) {
        of_x[i] = t.dim[i];
        of_indices[i] = ti.dim[i];
        if (i == a) continue;
        if (t.dim[i] != ti.dim[i] && t.dim[i] != 1 && ti.dim[i] != 1) {
            return op_fail(WEFT_SHAPE, "%s and the indices %s do not broadcast (axis %d: %lld against %lld)",
                           TYPE_TEXT(t), TYPE_TEXT(ti), i, (long long)t.dim[i], (long long)ti.dim[i]);
        }
        of_x[i] = of_indices[i] = t.dim[i] == 1 ? ti.dim[i] : t.dim[i];
    }
    return true;
}

OPS_ENTRY(take_along_axis, (const weft_array *positions, int axis), (weft_of_array(positions)),
          (positions, axis))
{
    Type t = array_type(x), ti = array_type(positions);
    int a;
    int64_t of_x[WEFT_MAX_RANK], of_indices[WEFT_MAX_RANK];
    if (!ops_axis(axis, t.rank, t, &a)) return NULL;
    if (t.rank != ti.rank)
        return op_fail(WEFT_SHAPE, "%s and the indices %s differ in rank", TYPE_TEXT(t), TYPE_TEXT(ti));
    if (!along_shapes(t, ti, a, of_x, of_indices)) return NULL;
    weft_array *indices = ops_broadcast(index_wrapped(ops_in(positions), t.dim[a]), of_indices, t.rank);
    if (!indices) return NULL;
    if (type_count(array_type(indices)) == 0) return ops_splat((DType)t.dtype, of_indices, t.rank, 0);
    if (t.dim[a] == 0) return empty_axis(t, a);
    AttrList attr = { .n = 6, .v = { 0, 1, t.rank - 1, 1, t.rank, a } };
    for (int twice = 0; twice < 2; twice++) attr.n += axes_without((uint32_t)1 << a, t.rank, attr.v + attr.n);
    attr_put(&attr, a);
    for (int i = 0; i < t.rank; i++) attr_put(&attr, 1);
    weft_array *whole = ops_broadcast(x, of_x, t.rank);
    weft_array *r = op_apply(OP_GATHER, (weft_array *[]){ whole, indices }, 2, attr.v, attr.n, NULL);
    return holds_all((DType)ti.dtype, t.dim[a]) ? r
                                                : ops_select(in_range(indices, t.dim[a]), r, fill_value(r));
}
