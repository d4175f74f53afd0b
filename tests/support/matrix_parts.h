/* matrix_parts.h: what tests of factors share: the other results of a function, in the order in which C gives
 * them, and small names. */
#ifndef WEFT_TESTS_MATRIX_PARTS_H
#define WEFT_TESTS_MATRIX_PARTS_H
#include "weft.h"

static inline weft_array *second(weft_array *first, weft_array *r) { return first ? r : NULL; }
static inline weft_array *turned(weft_array *a) { return weft_swapaxes(a, -1, -2); }
static inline weft_array *adjoint(weft_array *a) { return weft_conj(turned(a)); }
static inline weft_array *part(weft_array *a, const char *at) { return weft_at(a, at); }
static inline weft_array *squared(weft_array *x) { return weft_mul(x, x); }
static inline weft_array *lu(weft_array *a, bool order)
{
    weft_array *o = NULL, *r = weft_lu(a, &o);
    return order ? second(r, o) : r;
}
static inline weft_array *qr_r(weft_array *a, bool full)
{
    weft_array *r = NULL, *q = weft_qr(a, &r, .full = full);
    return second(q, r);
}
static inline weft_array *eigh_v(weft_array *a)
{
    weft_array *v = NULL, *w = weft_eigh(a, &v);
    return second(w, v);
}
static inline weft_array *svd(weft_array *a, bool full, int which)
{
    weft_array *u = NULL, *vt = NULL, *s = weft_svd(a, &u, &vt, .full = full);
    return which == 0 ? s : second(s, which == 1 ? u : vt);
}
static inline weft_array *hess(weft_array *a, bool of_q)
{
    weft_array *q = NULL, *h = weft_hessenberg(a, of_q ? &q : NULL);
    return of_q ? q : h;
}
static inline weft_array *schur(weft_array *a, bool vectors)
{
    weft_array *z = NULL, *t = weft_schur(a, vectors ? &z : NULL);
    return vectors ? z : t;
}
static inline weft_array *sign_of(weft_array *a)
{
    weft_array *sign = NULL, *log = weft_slogdet(a, &sign);
    return second(log, sign);
}
static inline weft_array *gradient(weft_unary *f, weft_array *x)
{
    weft_declare(NULL, f, weft_unary);
    return weft_grad(NULL, weft_unary, f, "x")(x);
}
#endif
