/* parse_matrix.c: factorizations. */
#include <string.h>
#include "compiler/graph/matrix/matrix_build.h"
#include "compiler/graph/matrix/matrix_call.h"
#include "parse_build.h"
#include "compiler/text/spell.h"

/* A flag, false if it is left out. */
static bool flag(TextBuild *b, const OpSyntax *op, const char *key, int64_t *to)
{
    static const char *const words[] = { "false", "true" };
    const AttrSyntax *a = attr_find(op, key, NULL);
    int which = a && a->kind == ATTR_BOOL ? find_word(a, words, 2) : -1;
    *to = which > 0;
    return !a || which >= 0 || parse_error(b->p, a->at, "%s must be true or false", key);
}

/* Of narrow floats factors are computed in f32 and rounded at the end. */
static Ref widened(TextBuild *b, Ref x)
{
    DType t = (DType)graph_type(b->g, x).dtype;
    return convert_typed(b, x, compute_type(t));
}

bool rule_cholesky(TextBuild *b, const OpSyntax *op, const Ref *args, Ref *out)
{
    int64_t lower;
    if (!flag(b, op, "lower", &lower)) return false;
    Ref x = widened(b, args[0]);
    out[0] = convert_typed(b, build_node(b->g, OP_CHOLESKY, &x, 1, &lower, 1),
                           (DType)graph_type(b->g, args[0]).dtype);
    return true;
}

bool rule_triangular_solve(TextBuild *b, const OpSyntax *op, const Ref *args, Ref *out)
{
    int64_t attr[4];
    const AttrSyntax *a = need_attr(b, op, "transpose_a", NULL);
    if (!a || !flag(b, op, "left_side", &attr[0]) || !flag(b, op, "lower", &attr[1]) ||
        !flag(b, op, "unit_diagonal", &attr[2]))
        return false;
    attr[3] = find_word(a, spell_transposes, N_TRANSPOSES);
    if (attr[3] < 0)
        return parse_error(b->p, a->at, "transpose_a must be NO_TRANSPOSE, TRANSPOSE or ADJOINT");
    Ref wide[] = { widened(b, args[0]), widened(b, args[1]) };
    out[0] = convert_typed(b, build_node(b->g, OP_TRIANGULAR_SOLVE, wide, 2, attr, 4),
                           (DType)graph_type(b->g, args[1]).dtype);
    return true;
}

/* ---- what is no op of StableHLO: custom_calls, by weft's names and by JAX's */

typedef enum { CALL_WEFT, CALL_JAX, CALL_LAPACK } CallStyle;
typedef struct MatrixCallName {
    CallStyle style;
    Op op;
} MatrixCallName;

/* lapack_{s,d,c,z}NAME_ffi */
static bool lapack_name(const char *name, Op *op)
{
    static const struct {
        const char *name;
        Op op;
    } names[] = {
        { "potrf", OP_CHOLESKY },
        { "trsm", OP_TRIANGULAR_SOLVE },
        { "getrf", OP_LU },
        { "geqrf", OP_GEQRF },
        { "orgqr", OP_HOUSEHOLDER_PRODUCT },
        { "ungqr", OP_HOUSEHOLDER_PRODUCT },
        { "syevd", OP_EIGH },
        { "heevd", OP_EIGH },
        { "gehrd", OP_GEHRD },
        { "geev", OP_EIG },
        { "gees", OP_SCHUR },
        { "gesdd", OP_SVD },
        { "gesvd", OP_SVD },
    };
    if (strncmp(name, "lapack_", 7) != 0 || !name[7] || !strchr("sdcz", name[7])) return false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t n = strlen(names[i].name);
        if (strncmp(name + 8, names[i].name, n) != 0 || strcmp(name + 8 + n, "_ffi") != 0) continue;
        *op = names[i].op;
        return true;
    }
    return false;
}

static bool call_name(const OpSyntax *op, MatrixCallName *to)
{
    static const struct {
        const char *name;
        Op op;
    } names[] = { { "LuDecomposition", OP_LU },
                  { "Qr", OP_GEQRF },
                  { "ProductOfElementaryHouseholderReflectors", OP_HOUSEHOLDER_PRODUCT },
                  { "Eigh", OP_EIGH } };
    const char *name = attr_word(attr_find(op, "call_target_name", NULL));
    to->style = CALL_JAX;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i].name) == 0) return to->op = names[i].op, true;
    to->style = CALL_LAPACK;
    if (lapack_name(name, &to->op)) return true;
    to->style = CALL_WEFT;
    for (int i = 0; i < OP_COUNT; i++)
        if (op_is_matrix((Op)i) && strcmp(name, op_info[i].text) == 0) return to->op = (Op)i, true;
    return false;
}

bool parse_is_matrix_call(const OpSyntax *op)
{
    MatrixCallName name;
    return op->rule->syntax == syntax_custom_call && call_name(op, &name);
}

/* A letter of LAPACK's in mhlo.backend_config, {uplo = 76 : ui8}: its place among the words. */
static bool letter(TextBuild *b, const OpSyntax *op, const char *key, const char *letters, int64_t *to)
{
    const AttrSyntax *dict = attr_find(op, "mhlo.backend_config", NULL),
                     *a = dict && dict->kind == ATTR_DICT ? attr_field(dict, key) : NULL;
    int64_t code = 0;
    if (!a) return parse_error(b->p, op->at, "mhlo.backend_config has no %s", key);
    if (!attr_int(b->p, a, &code)) return false;
    const char *at = code > 0 && code < 128 ? strchr(letters, (int)code) : NULL;
    if (!at) return parse_error(b->p, a->at, "%s must be the code of one of the letters %s", key, letters);
    *to = at - letters;
    return true;
}

/* Rows and columns low to high, from 1, are reduced: all of them, as JAX has it. */
static bool whole_range(TextBuild *b, const OpSyntax *op, const Ref *args)
{
    static const char *const keys[] = { "low", "high" };
    const AttrSyntax *dict = attr_find(op, "mhlo.backend_config", NULL);
    Type t = graph_type(b->g, args[0]);
    int64_t want[] = { 1, t.rank ? t.dim[t.rank - 1] : 0 };
    for (int i = 0; i < 2; i++) {
        const AttrSyntax *a = dict && dict->kind == ATTR_DICT ? attr_field(dict, keys[i]) : NULL;
        int64_t number = 0;
        if (!a) return parse_error(b->p, op->at, "mhlo.backend_config has no %s", keys[i]);
        if (!attr_int(b->p, a, &number)) return false;
        if (number != want[i])
            return parse_error(b->p, a->at, "%s is %lld: only a whole matrix is reduced (%lld)", keys[i],
                               (long long)number, (long long)want[i]);
    }
    return true;
}

static bool lapack_numbers(TextBuild *b, const OpSyntax *op, Op of, const Ref *args, int64_t *attr)
{
    int64_t mode = 1;
    switch (of) {
    case OP_CHOLESKY: return letter(b, op, "uplo", "UL", &attr[0]);
    case OP_EIGH:     return letter(b, op, "uplo", "UL", &attr[0]) && letter(b, op, "mode", "NV", &mode);
    case OP_TRIANGULAR_SOLVE:
        return letter(b, op, "side", "RL", &attr[0]) && letter(b, op, "uplo", "UL", &attr[1]) &&
               letter(b, op, "diag", "NU", &attr[2]) && letter(b, op, "trans_x", "NTC", &attr[3]);
    case OP_EIG: {
        int64_t left, right;
        if (!letter(b, op, "compute_left", "NV", &left) || !letter(b, op, "compute_right", "NV", &right))
            return false;
        attr[0] = (left ? EIG_LEFT : 0) | (right ? EIG_RIGHT : 0);
        return true;
    }
    case OP_GEHRD: return whole_range(b, op, args);
    case OP_SCHUR: {
        int64_t sorted;
        if (!letter(b, op, "mode", "NV", &attr[0]) || !letter(b, op, "sort", "NS", &sorted)) return false;
        return !sorted || parse_error(b->p, op->at, "sort: eigenvalues in an order are not known");
    }
    case OP_SVD:
        if (!letter(b, op, "mode", "SAN", &mode)) return false;
        attr[0] = mode == 1;
        attr[1] = mode != 2;
        return true;
    default: return true;
    }
}

/* backend_config = "1,1,100,1e-6": lower, sorted, sweeps, tolerance */
static bool eigh_numbers(TextBuild *b, const OpSyntax *op, int64_t *attr)
{
    const AttrSyntax *a = attr_find(op, "backend_config", NULL);
    const char *text = a && a->kind == ATTR_STRING ? a->text : "";
    if ((*text != '0' && *text != '1') || text[1] != ',')
        return parse_error(b->p, op->at,
                           "backend_config must begin with 0, or 1,: is it the lower triangle?");
    attr[0] = *text == '1';
    return true;
}

enum { MOST_NUMBERS = 5 }; /* those of a solve, and that it is of pairs */

static bool weft_numbers(TextBuild *b, const OpSyntax *op, int64_t *attr, uint32_t *n)
{
    Ints list;
    if (!need_ints(b, op, "weft.numbers", NULL, &list)) return false;
    if (list.n > MOST_NUMBERS) return parse_error(b->p, op->at, "weft.numbers are at most %d", MOST_NUMBERS);
    if (list.n) memcpy(attr, list.at, list.n * sizeof *attr);
    *n = list.n;
    return true;
}

/* LAPACK's info of each matrix: not 0 where the result's first element is NaN. */
static Ref info_of(TextBuild *b, const OpSyntax *op, Ref result, int axes)
{
    Type want = op->results[op->n_results - 1];
    if (result == REF_NONE) return result;
    Type t = graph_type(b->g, result);
    for (int i = t.rank - axes; i < t.rank; i++)
        if (t.dim[i] == 0) return build_zeros(b->g, want);
    for (int i = t.rank - axes; i < t.rank; i++) result = build_slice_along(b->g, result, i, 0, 1, 1);
    result = build_reshape(b->g, result, t.dim, t.rank - axes);
    return build_convert(b->g, build_compare(b->g, CMP_NE, result, result), (DType)want.dtype);
}

/* Diagonal k of [.., n, n], [.., n - |k|]. */
static Ref diagonal(TextBuild *b, Ref a, int k)
{
    if (a == REF_NONE) return a;
    Type t = graph_type(b->g, a);
    int64_t n = t.dim[t.rank - 1], rest = n > 0 && k ? n - 1 : n;
    Ref kept = build_select(b->g, matrix_mask(b->g, t, CMP_EQ, k), a, build_zeros(b->g, t));
    kept = build_reduce(b->g, OP_ADD, kept, (int64_t[]){ t.rank - 1 }, 1);
    return build_slice_along(b->g, kept, t.rank - 2, k < 0 ? n - rest : 0, k < 0 ? n : rest, 1);
}

/* Imaginary parts of the eigenvalues of a real Schur form: of two rows [p, b; c, p] +- sqrt(-b c). */
static Ref imaginary_parts(TextBuild *b, Ref t)
{
    Graph *g = b->g;
    Ref root[2];
    int64_t low[WEFT_MAX_RANK] = { 0 }, high[WEFT_MAX_RANK] = { 0 }, none[WEFT_MAX_RANK] = { 0 };
    Type of = graph_type(g, t);
    if (of.dim[of.rank - 1] == 0) return diagonal(b, t, 0);
    for (int i = 0; i < 2; i++)
        root[i] = build_unary(g, OP_SQRT, build_unary(g, OP_ABS, diagonal(b, t, 2 * i - 1)));
    Ref part = build_binary(g, OP_MUL, root[0], root[1]), zero = build_zeros(g, type_scalar(of.dtype));
    high[of.rank - 2] = low[of.rank - 2] = 1;
    return build_binary(g, OP_SUB, build_pad(g, part, zero, none, high, none),
                        build_pad(g, part, zero, low, none, none));
}

/* The results as LAPACK gives them, of ours. */
static void lapack_results(TextBuild *b, const OpSyntax *op, Op of, const int64_t *attr, const Ref *args,
                           const Ref *ours, Ref *out)
{
    memcpy(out, ours, 3 * sizeof *out);
    if (of == OP_CHOLESKY) out[1] = info_of(b, op, ours[0], 2);
    if (of == OP_EIGH) out[2] = info_of(b, op, ours[1], 1);
    if (of == OP_LU) { /* rows count from 1, and a matrix without an inverse is no error */
        Type t = graph_type(b->g, ours[1]);
        out[1] = build_binary(b->g, OP_ADD, ours[1], build_splat(b->g, t, 1));
        out[2] = build_zeros(b->g, op->results[2]);
    }
    if (of == OP_GEHRD) out[2] = info_of(b, op, ours[0], 2);
    if (of == OP_SCHUR) {
        bool real = op->n_results == 6;
        out[1] = attr[0] ? ours[1] : build_zeros(b->g, op->results[1]);
        out[2] = diagonal(b, ours[0], 0);
        if (real) out[3] = imaginary_parts(b, ours[0]);
        out[3 + real] = build_zeros(b->g, op->results[3 + real]); /* how many were selected */
        out[4 + real] = info_of(b, op, ours[0], 2);
    }
    if (of == OP_EIG) { /* of real matrices the parts of w are apart; arrays for what nobody wants, too */
        bool real = op->n_results == 5;
        Ref *rest = out + 1 + real;
        if (real) {
            out[0] = build_unary(b->g, OP_REAL, ours[0]);
            out[1] = build_unary(b->g, OP_IMAG, ours[0]);
        }
        bool right = attr[0] & EIG_RIGHT;
        rest[0] = attr[0] & EIG_LEFT ? ours[1 + right] : build_zeros(b->g, op->results[1 + real]);
        rest[1] = right ? ours[1] : build_zeros(b->g, op->results[2 + real]);
        rest[2] = info_of(b, op, build_unary(b->g, OP_REAL, ours[0]), 1);
    }
    if (of != OP_SVD) return;
    out[0] = args[0]; /* overwritten, by what is not said */
    out[1] = ours[0];
    for (int i = 1; i < 3; i++) /* LAPACK has arrays for vectors that nobody wants, too */
        out[1 + i] = attr[1] ? ours[i] : build_zeros(b->g, op->results[1 + i]);
    out[4] = info_of(b, op, ours[0], 1);
}

bool build_matrix_call(TextBuild *b, const OpSyntax *op, const Ref *args, Ref *out)
{
    MatrixCallName name;
    int64_t attr[MOST_NUMBERS] = { 0 };
    Ref ours[3], all[6];
    call_name(op, &name);
    uint32_t n_attr = matrix_attributes(name.op), n = n_attr;
    if (op->n_operands != (uint32_t)matrix_operands(name.op))
        return parse_error(b->p, op->at, "%s has %d operands", op_info[name.op].text,
                           matrix_operands(name.op));
    bool read = name.style == CALL_LAPACK ? lapack_numbers(b, op, name.op, args, attr)
                : name.style == CALL_WEFT ? weft_numbers(b, op, attr, &n) && (n == n_attr || n == n_attr + 1)
                : name.op == OP_EIGH      ? eigh_numbers(b, op, attr)
                                          : true;
    if (!read)
        return b->p->failed
                   ? false
                   : parse_error(b->p, op->at, "%s has %u weft.numbers", op_info[name.op].text, n_attr);
    uint32_t want = (uint32_t)matrix_results(name.op, attr);
    bool lapack = name.style == CALL_LAPACK;
    bool real = !dtype_is_complex((DType)graph_type(b->g, args[0]).dtype);
    if (lapack && name.op == OP_SVD) want = 5;
    if (lapack && name.op == OP_EIG) want = 4 + (uint32_t)real;
    if (lapack && name.op == OP_SCHUR) want = 5 + (uint32_t)real;
    if (lapack && (name.op == OP_CHOLESKY || name.op == OP_EIGH || name.op == OP_GEHRD)) want++;
    if (op->n_results != want)
        return parse_error(b->p, op->at, "%s has %u results", op_info[name.op].text, want);
    build_matrix(b->g, name.op, args, attr, n, ours);
    if (b->g->failure.code != WEFT_OK) return false;
    if (lapack) lapack_results(b, op, name.op, attr, args, ours, all);
    else memcpy(all, ours, sizeof ours);
    if (b->g->failure.code != WEFT_OK) return false;
    for (uint32_t i = 0; i < want; i++) {
        if (!type_equal(graph_type(b->g, all[i]), op->results[i]))
            return parse_error(b->p, op->at, "result %u is %s, not %s", i,
                               TYPE_TEXT(graph_type(b->g, all[i])), TYPE_TEXT(op->results[i]));
        out[i] = all[i];
    }
    return true;
}
