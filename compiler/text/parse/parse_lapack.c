/* parse_lapack.c: functions of LAPACK's that JAX calls and that are no op of ours: made of others. */
#include <string.h>
#include "compiler/graph/matrix/matrix_build.h"
#include "compiler/graph/rebuild.h"
#include "parse_build.h"

/* Each element of a for all of the type's last axes. */
static Ref along_first(Graph *g, Ref a, Type t)
{
    int64_t axes[WEFT_MAX_RANK];
    for (int i = 0; i < t.rank; i++) axes[i] = i;
    return build_broadcast(g, a, t.dim, t.rank, axes);
}

/* ---- gtsv: tridiagonal systems
 *
 * Gauss with exchanges of neighbours: u has two diagonals beside its main one. Three scans over the rows,
 * of all systems [..] and right-hand sides [.., k] at once. */

typedef struct Tridiagonal {
    Graph *g;
    Type system, sides; /* [..], [.., k] */
    int64_t n;          /* rows */
} Tridiagonal;

static Ref number_of(Graph *g, Type t, double v)
{
    return build_splat(g, t, scalar_from_double((DType)t.dtype, v));
}

/* Rows from..to - 1 of what has them along axis 0; one row alone. */
static Ref rows_of(Graph *g, Ref a, int64_t from, int64_t to)
{
    return build_slice_along(g, a, 0, from, to, 1);
}
static Ref row_of(Graph *g, Ref a, int64_t row)
{
    Type t = graph_type(g, a);
    return build_reshape(g, rows_of(g, a, row, row + 1), t.dim + 1, t.rank - 1);
}
static Ref with_last(Graph *g, Ref rows, Ref last)
{
    Type t = graph_type(g, rows);
    int64_t one[WEFT_MAX_RANK] = { 1 };
    memcpy(one + 1, t.dim + 1, (size_t)(t.rank - 1) * sizeof *one);
    return build_concatenate(g, (Ref[]){ rows, build_reshape(g, last, one, t.rank) }, 2, 0);
}

/* |re| + |im|: what LAPACK compares pivots by */
static Ref pivot_size(Graph *g, Ref a)
{
    if (!dtype_is_complex((DType)graph_type(g, a).dtype)) return build_unary(g, OP_ABS, a);
    Ref re = build_unary(g, OP_REAL, a), im = build_unary(g, OP_IMAG, a);
    return build_binary(g, OP_ADD, build_unary(g, OP_ABS, re), build_unary(g, OP_ABS, im));
}

/* What is kept of two rows, and what is left of the other one. */
static void take_from(Graph *g, const Ref how[2], Ref first, Ref second, Ref *kept, Ref *left)
{
    *kept = build_select(g, how[0], second, first);
    Ref other = build_select(g, how[0], first, second);
    *left = build_binary(g, OP_SUB, other, build_binary(g, OP_MUL, how[1], *kept));
}

/* The row above, as far as it is known, and the next one: whichever has the larger first element is a row of
 * u, and is taken from the other. in: diagonals below, on and above. u: three diagonals. how: of each row but
 * the first, was it exchanged, and how often is it taken from the other? */
static bool factor(const Tridiagonal *t, const Ref *in, Ref *u, Ref how[2])
{
    Graph *g = t->g;
    RegionBuild body = region_begin(g, NULL, 5, 7);
    Graph *r = body.g;
    Ref above[2], next[3], row[3], left[2], out[7], of_row[2];
    for (int i = 0; i < 2; i++) above[i] = region_take(&body, t->system, row_of(g, in[1 + i], 0));
    for (int i = 0; i < 3; i++) next[i] = region_take(&body, t->system, rows_of(g, in[i], 1, t->n));
    Ref zero = build_zeros(r, t->system), is_zero = build_compare(r, CMP_EQ, next[0], zero),
        swap = build_compare(r, CMP_GT, pivot_size(r, next[0]), pivot_size(r, above[0]));
    row[0] = build_select(r, swap, next[0], above[0]);
    of_row[0] = swap;
    of_row[1] = build_binary(r, OP_DIV, build_select(r, swap, above[0], next[0]), row[0]);
    of_row[1] = build_select(r, is_zero, zero, of_row[1]);
    take_from(r, of_row, above[1], next[1], &row[1], &left[0]);
    take_from(r, of_row, zero, next[2], &row[2], &left[1]);
    for (int i = 0; i < 2; i++) region_give(&body, left[i]);
    for (int i = 0; i < 3; i++) region_give(&body, row[i]);
    for (int i = 0; i < 2; i++) region_give(&body, of_row[i]);
    const Graph *region = region_end(&body, g);
    ScanShape s = { .length = t->n - 1, .unroll = 1, .n_carry = 2, .n_xs = 3 };
    if (!region || !build_scan(g, s, region, body.args, out)) return false;
    for (int i = 0; i < 3; i++) u[i] = with_last(g, out[2 + i], i ? build_zeros(g, t->system) : out[0]);
    memcpy(how, out + 5, 2 * sizeof *how);
    return true;
}

/* What the same does to right-hand sides. */
static Ref forward(const Tridiagonal *t, Ref right, const Ref how[2])
{
    Graph *g = t->g;
    RegionBuild body = region_begin(g, NULL, 4, 2);
    Ref above = region_take(&body, t->sides, row_of(g, right, 0)), of_row[2], kept, left, out[2];
    for (int i = 0; i < 2; i++) {
        Type type = { graph_type(g, how[i]).dtype, t->system.rank, t->system.dim };
        of_row[i] = along_first(body.g, region_take(&body, type, how[i]), t->sides);
    }
    Ref next = region_take(&body, t->sides, rows_of(g, right, 1, t->n));
    take_from(body.g, of_row, above, next, &kept, &left);
    region_give(&body, left);
    region_give(&body, kept);
    const Graph *region = region_end(&body, g);
    ScanShape s = { .length = t->n - 1, .unroll = 1, .n_carry = 1, .n_xs = 3 };
    if (!region || !build_scan(g, s, region, body.args, out)) return REF_NONE;
    return with_last(g, out[1], out[0]);
}

/* pivots too small to divide a row by, whose largest element is `most` */
static Ref too_small(Graph *r, Ref pivot, Ref most)
{
    Type t = graph_type(r, most);
    double tiny = dtype_tiny((DType)t.dtype);
    Ref size = build_unary(r, OP_ABS, pivot), least = number_of(r, t, tiny),
        over = build_compare(r, CMP_GT, build_binary(r, OP_MUL, most, least), size);
    return build_binary(r, OP_AND, build_compare(r, CMP_LT, size, number_of(r, t, 1)),
                        build_binary(r, OP_OR, build_compare(r, CMP_LT, size, least), over));
}

/* What xLAGTS does to a pivot that is next to nothing: `by` is added to it, twice that, and so on. */
static Ref perturbed(Graph *g, Ref pivot, Ref by, Ref most)
{
    Ref start[] = { most, pivot, by }, out[2], in[2][3];
    RegionBuild loop[2];
    for (int i = 0; i < 2; i++) {
        loop[i] = region_begin(g, NULL, 3, 2);
        for (int k = 0; k < 3; k++) in[i][k] = region_take(&loop[i], graph_type(g, start[k]), start[k]);
    }
    int64_t axes[WEFT_MAX_RANK];
    int rank = graph_type(g, most).rank;
    for (int i = 0; i < rank; i++) axes[i] = i;
    region_give(&loop[0],
                build_reduce(loop[0].g, OP_OR, too_small(loop[0].g, in[0][1], in[0][0]), axes, rank));
    Graph *r = loop[1].g;
    Ref small = too_small(r, in[1][1], in[1][0]),
        more = build_convert(r, in[1][2], (DType)graph_type(r, in[1][1]).dtype);
    region_give(&loop[1], build_select(r, small, build_binary(r, OP_ADD, in[1][1], more), in[1][1]));
    region_give(&loop[1], build_select(r, small, build_binary(r, OP_ADD, in[1][2], in[1][2]), in[1][2]));
    const Graph *cond = region_end(&loop[0], g), *body = region_end(&loop[1], g);
    return cond && body && build_while(g, cond, body, loop[1].args, 1, 2, out) ? out[0] : REF_NONE;
}

/* As much as u is certain to, with the sign of the pivot. */
static Ref least_change(Graph *r, Ref pivot, Ref largest)
{
    Type t = graph_type(r, largest);
    DType part = (DType)t.dtype;
    Ref real = dtype_is_complex((DType)graph_type(r, pivot).dtype) ? build_unary(r, OP_REAL, pivot) : pivot,
        bits = build_bitcast(r, real, part == WEFT_F64 ? WEFT_I64 : WEFT_I32),
        by = build_binary(r, OP_MUL, number_of(r, t, dtype_epsilon(part)), largest);
    by = build_binary(r, OP_MAX, by, number_of(r, t, dtype_tiny(part)));
    return build_select(r, build_compare(r, CMP_LT, bits, build_zeros(r, graph_type(r, bits))),
                        build_unary(r, OP_NEG, by), by);
}

/* x of u x = right, from the last row up. largest: of u, where pivots are perturbed; else REF_NONE. */
static Ref substitute(const Tridiagonal *t, const Ref *u, Ref largest)
{
    Graph *g = t->g;
    RegionBuild body = region_begin(g, NULL, 7, 3);
    Graph *r = body.g;
    Ref below[2], row[4], zero = build_zeros(g, t->sides), out[3], by = REF_NONE;
    if (largest != REF_NONE) by = region_take(&body, graph_type(g, largest), largest);
    for (int i = 0; i < 2; i++) below[i] = region_take(&body, t->sides, zero);
    for (int i = 0; i < 4; i++) row[i] = region_take(&body, i < 3 ? t->system : t->sides, u[i]);
    Ref x = row[3], pivot = row[0];
    for (int i = 0; i < 2; i++)
        x = build_binary(r, OP_SUB, x,
                         build_binary(r, OP_MUL, along_first(r, row[1 + i], t->sides), below[i]));
    if (by != REF_NONE) {
        Ref most = build_reduce(r, OP_MAX, build_unary(r, OP_ABS, x), (int64_t[]){ t->sides.rank - 1 }, 1);
        pivot = perturbed(r, pivot, least_change(r, pivot, by), most);
        if (pivot == REF_NONE) return fail_as(&g->failure, &r->failure), REF_NONE;
    }
    x = build_binary(r, OP_DIV, x, along_first(r, pivot, t->sides));
    region_give(&body, x);
    region_give(&body, below[0]);
    region_give(&body, x);
    const Graph *region = region_end(&body, g);
    ScanShape s = {
        .length = t->n, .reverse = true, .unroll = 1, .n_invariant = by != REF_NONE, .n_carry = 2, .n_xs = 4
    };
    return region && build_scan(g, s, region, body.args, out) ? out[2] : REF_NONE;
}

/* The largest element of u, of each system. */
static Ref largest_of(Graph *g, const Ref *u)
{
    Ref most = REF_NONE;
    for (int i = 0; i < 3; i++) {
        Ref one = build_reduce(g, OP_MAX, build_unary(g, OP_ABS, u[i]), (int64_t[]){ 0 }, 1);
        most = i ? build_binary(g, OP_MAX, most, one) : one;
    }
    return most;
}

/* The diagonals that are read: of the upper one not the last element. Rows first. */
static void rows_first(const Tridiagonal *t, const Ref *args, Ref *in)
{
    Graph *g = t->g;
    int64_t none[WEFT_MAX_RANK] = { 0 }, end[WEFT_MAX_RANK] = { 1 };
    Ref zero = build_zeros(g, type_scalar(t->system.dtype));
    for (int i = 0; i < 4; i++) in[i] = build_move_axis(g, args[i], t->system.rank, 0);
    in[2] = build_pad(g, rows_of(g, in[2], 0, t->n - 1), zero, none, end, none);
}

/* x, and where there is none: systems with a pivot that is 0. */
static Ref tridiagonal_solve(const Tridiagonal *t, const Ref *args, bool perturb, Ref *singular)
{
    Graph *g = t->g;
    Ref in[4], u[4], how[2];
    rows_first(t, args, in);
    if (!factor(t, in, u, how)) return REF_NONE;
    u[3] = forward(t, in[3], how);
    if (u[3] == REF_NONE) return REF_NONE;
    Ref is_zero = build_compare(g, CMP_EQ, u[0], build_zeros(g, graph_type(g, u[0])));
    *singular = build_reduce(g, OP_OR, is_zero, (int64_t[]){ 0 }, 1);
    Ref x = substitute(t, u, perturb ? largest_of(g, u) : REF_NONE);
    return x == REF_NONE ? x : build_move_axis(g, x, 0, t->system.rank);
}

static bool check_operands(TextBuild *b, const OpSyntax *op, const Ref *args, uint32_t n_results)
{
    if (op->n_operands != 4 || op->n_results != n_results)
        return parse_error(b->p, op->at, "a tridiagonal solve has 4 operands and %u results", n_results);
    Type d = graph_type(b->g, args[0]), x = graph_type(b->g, args[3]);
    bool good = d.rank >= 1 && dtype_is_inexact((DType)d.dtype) && x.dtype == d.dtype && x.rank == d.rank + 1;
    for (int i = 1; good && i < 3; i++) good = type_equal(graph_type(b->g, args[i]), d);
    for (int i = 0; good && i < d.rank; i++) good = x.dim[i] == d.dim[i];
    return good || parse_error(b->p, op->at,
                               "%s is not as many right-hand sides as %s has systems, or the "
                               "diagonals differ",
                               TYPE_TEXT(x), TYPE_TEXT(d));
}

static bool build_gtsv(TextBuild *b, const OpSyntax *op, const Ref *args, Ref *out)
{
    bool perturb = attr_word(attr_find(op, "call_target_name", NULL))[0] == 't';
    if (!check_operands(b, op, args, perturb ? 1 : 5)) return false;
    Type d = graph_type(b->g, args[0]), x = graph_type(b->g, args[3]);
    int64_t system[WEFT_MAX_RANK], sides[WEFT_MAX_RANK];
    int rank = d.rank - 1;
    memcpy(system, d.dim, (size_t)rank * sizeof *system);
    memcpy(sides, d.dim, (size_t)rank * sizeof *sides);
    sides[rank] = x.dim[rank + 1];
    Tridiagonal t = {
        b->g, { d.dtype, (uint8_t)rank, system }, { d.dtype, (uint8_t)(rank + 1), sides }, d.dim[rank]
    };
    Ref singular = REF_NONE, y = args[3];
    if (type_count(x) != 0) y = tridiagonal_solve(&t, args, perturb, &singular);
    if (b->g->failure.code != WEFT_OK) return false;
    if (perturb) return out[0] = y, true;
    memcpy(out, args, 3 * sizeof *out); /* overwritten, by what is not said */
    out[3] = y;
    out[4] =
        singular == REF_NONE ? build_zeros(b->g, op->results[4]) : build_convert(b->g, singular, WEFT_I32);
    return true;
}

/* ---- ormqr, unmqr: q c, where q is a product of reflections I - tau v v^H
 *
 * q = I - v t v^H, t = (I + d w)^-1 d: d has the taus, w is what is above the diagonal of v^H v. */

static Ref reflections(Graph *g, Ref a, int64_t k)
{
    Type t = graph_type(g, a);
    a = build_slice_along(g, a, t.rank - 1, 0, k, 1);
    t = graph_type(g, a);
    Ref one = build_splat(g, t, scalar_from_double((DType)t.dtype, 1));
    return build_select(g, matrix_mask(g, t, CMP_EQ, 0), one, matrix_triangle(g, a, true, -1));
}

/* q c, or q^H c */
static Ref reflected(Graph *g, Ref v, Ref taus, Ref c, bool adjoint)
{
    Ref w = matrix_product_of(g, v, 2, v, 0), vc = matrix_product_of(g, v, 2, c, 0);
    MatrixSolve s = { .left = true, .unit = true, .transpose = adjoint ? 2 : 0 };
    Ref d = build_binary(g, OP_MUL, along_first(g, taus, graph_type(g, w)), w), x;
    Ref scale = along_first(g, adjoint ? matrix_conjugate(g, taus) : taus, graph_type(g, vc));
    if (adjoint) x = build_binary(g, OP_MUL, scale, matrix_solve(g, d, vc, s));
    else x = matrix_solve(g, d, build_binary(g, OP_MUL, scale, vc), s);
    return build_binary(g, OP_SUB, c, matrix_product(g, v, x));
}

static bool config_flag(TextBuild *b, const OpSyntax *op, const char *key, bool *to)
{
    const AttrSyntax *dict = attr_find(op, "mhlo.backend_config", NULL),
                     *a = dict && dict->kind == ATTR_DICT ? attr_field(dict, key) : NULL;
    static const char *const words[] = { "false", "true" };
    int which = a && a->kind == ATTR_BOOL ? find_word(a, words, 2) : -1;
    if (which < 0) return parse_error(b->p, op->at, "mhlo.backend_config has no %s, true or false", key);
    *to = which;
    return true;
}

static bool build_ormqr(TextBuild *b, const OpSyntax *op, const Ref *args, Ref *out)
{
    Graph *g = b->g;
    bool left, adjoint;
    if (op->n_operands != 3 || op->n_results != 1)
        return parse_error(b->p, op->at, "a product with reflections has 3 operands and 1 result");
    if (!config_flag(b, op, "left", &left) || !config_flag(b, op, "transpose", &adjoint)) return false;
    Type a = graph_type(g, args[0]), taus = graph_type(g, args[1]), c = graph_type(g, args[2]);
    bool good = dtype_is_inexact((DType)a.dtype) && taus.dtype == a.dtype && c.dtype == a.dtype &&
                a.rank >= 2 && c.rank == a.rank && taus.rank == a.rank - 1;
    for (int i = 0; good && i < a.rank - 2; i++) good = a.dim[i] == c.dim[i] && a.dim[i] == taus.dim[i];
    int64_t k = good ? taus.dim[taus.rank - 1] : 0;
    good = good && k <= a.dim[a.rank - 1] && k <= a.dim[a.rank - 2] &&
           c.dim[c.rank - (left ? 2 : 1)] == a.dim[a.rank - 2];
    if (!good)
        return parse_error(b->p, op->at, "reflections %s with factors %s are none of the %s of %s",
                           TYPE_TEXT(a), TYPE_TEXT(taus), left ? "rows" : "columns", TYPE_TEXT(c));
    Ref v = reflections(g, args[0], k);
    if (k == 0) out[0] = args[2];
    else if (left) out[0] = reflected(g, v, args[1], args[2], adjoint);
    else out[0] = matrix_adjoint(g, reflected(g, v, args[1], matrix_adjoint(g, args[2]), !adjoint));
    return g->failure.code == WEFT_OK;
}

static BuildFn *find_build(const OpSyntax *op)
{
    const char *name = attr_word(attr_find(op, "call_target_name", NULL));
    if (!strcmp(name, "tridiagonal_solve_perturbed_ffi")) return build_gtsv;
    if (strncmp(name, "lapack_", 7) != 0 || !name[7] || !strchr("sdcz", name[7])) return NULL;
    if (!strcmp(name + 8, "gtsv_ffi")) return build_gtsv;
    return !strcmp(name + 8, "ormqr_ffi") || !strcmp(name + 8, "unmqr_ffi") ? build_ormqr : NULL;
}

bool parse_is_lapack_call(const OpSyntax *op) { return find_build(op) != NULL; }

bool build_lapack_call(TextBuild *b, const OpSyntax *op, const Ref *args, Ref *out)
{
    if (!find_build(op)(b, op, args, out)) return false;
    for (uint32_t i = 0; i < op->n_results; i++)
        if (!type_equal(graph_type(b->g, out[i]), op->results[i]))
            return parse_error(b->p, op->at, "result %u is %s, not %s", i,
                               TYPE_TEXT(graph_type(b->g, out[i])), TYPE_TEXT(op->results[i]));
    return true;
}
