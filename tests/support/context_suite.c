/* context_suite.c: see context_suite.h. */
#include "tests/support/context_suite.h"
#include "runtime/exec/compile.h"
#include "tests/support/error_at.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

weft_context *ctx;

void open_context(void) { ctx = weft_open(NULL); }
void close_context(void) { weft_close(ctx); }

void close_context_without_error(void)
{
    const char *error = weft_error(ctx);
    cr_expect_null(error, "%s", error);
    weft_clear(ctx);
    weft_close(ctx);
}

bool have_backend(void)
{
    Failure f = { .code = WEFT_OK };
    return backend_get(&f);
}

void need_backend(void)
{
    if (!have_backend()) cr_skip_test("no compiler back end");
}

weft_array *number(double v) { return weft_scalar(ctx, v); }

weft_array *array_of(int n, const double *v)
{
    float data[32];
    cr_assert_leq(n, 32);
    for (int i = 0; i < n; i++) data[i] = (float)v[i];
    return weft_from(ctx, data, n);
}

void expect_numbers(int line, const weft_array *a, int n, const double *want)
{
    cr_assert(a, "line %d: %s", line, weft_error(ctx) ? weft_error(ctx) : "no result");
    cr_assert_eq(weft_count(a), n, "line %d: %lld elements, not %d", line, (long long)weft_count(a), n);
    weft_array *d = weft_astype(a, WEFT_F64);
    for (int i = 0; i < n; i++) {
        double is = weft_f64(d)[i];
        cr_expect(fabs(is - want[i]) <= 1e-5 * (1 + fabs(want[i])), "line %d: element %d is %g, not %g", line,
                  i, is, want[i]);
    }
}

void expect_close(int line, const char *what, const weft_array *a, const weft_array *want, double tolerance)
{
    cr_assert(a && want, "line %d, %s: %s", line, what, weft_error(ctx) ? weft_error(ctx) : "no result");
    cr_assert_eq(weft_rank(a), weft_rank(want), "line %d, %s: rank %d, not %d", line, what, weft_rank(a),
                 weft_rank(want));
    for (int d = 0; d < weft_rank(a); d++)
        cr_assert_eq(weft_dim(a, d), weft_dim(want, d), "line %d, %s: axis %d has %lld", line, what, d,
                     (long long)weft_dim(a, d));
    if (weft_count(a) == 0) return;
    weft_array *x = weft_astype(a, WEFT_F64), *y = weft_astype(want, WEFT_F64);
    double worst = weft_item(weft_max(weft_abs(weft_sub(x, y)))), large = weft_item(weft_max(weft_abs(y)));
    cr_expect(worst <= tolerance * (1 + large), "line %d, %s: differs by %g", line, what, worst);
}

bool error_has(const char *text)
{
    const char *error = weft_error(ctx);
    bool has = error && strstr(error, text);
    if (!has) cr_log_error("wanted '%s', the error is %s", text, error ? error : "(none)");
    weft_clear(ctx);
    return has;
}

void expect_refusal(const char *file, int line, weft_status status, bool failed, size_t arrays,
                    const char *const *words)
{
    char text[4096];
    const char *error = weft_error(ctx);
    snprintf(text, sizeof text, "%s", error ? error : "no error");
    const char *said = file ? error_at(text, file, line) : text;
    cr_expect(failed, "line %d: a result came back", line);
    cr_expect_eq(weft_clear(ctx), status, "line %d: another status: %s", line, text);
    for (; *words; words++)
        cr_expect(said && (file ? !strcmp(said, *words) : strstr(said, *words) != NULL),
                  "line %d:\n  got  %s\n  want %s", line, text, *words);
    cr_expect_eq(weft_stats(ctx).arrays, arrays, "line %d: %zu arrays are left over", line,
                 weft_stats(ctx).arrays - arrays);
    weft_scope *scope = weft_scope_open(ctx);
    cr_expect_eq(weft_item(weft_sum(weft_ones(ctx, WEFT_F32, 3))), 3,
                 "line %d: the context does not work any more", line);
    weft_scope_close(scope);
}

static bool is_refused(Composition *f, weft_array *a, Counter *c, long k, size_t which)
{
    size_t arrays = weft_stats(ctx).arrays;
    weft_scope *scope = weft_scope_open(ctx);
    c->calls = 0, c->fail_at = k;
    weft_array *r = f(a);
    bool done = c->calls < k;
    c->fail_at = 0;
    cr_assert(done ? r && !weft_error(ctx) : !r && weft_error(ctx), "function %zu, allocation %ld: %s", which,
              k, weft_error(ctx));
    cr_assert_eq(weft_clear(ctx), done ? WEFT_OK : WEFT_MEMORY, "function %zu, allocation %ld", which, k);
    weft_scope_close(scope);
    cr_assert_eq(weft_stats(ctx).arrays, arrays, "function %zu, allocation %ld leaves arrays", which, k);
    return !done;
}

void each_allocation_fails_once(Composition *const *f, size_t n)
{
    Counter c = { 0 };
    weft_context *old = ctx;
    ctx = weft_open(&(weft_options){ .resize = counter_resize, .resize_user = &c, .recycle_bytes = 1 });
    weft_array *a = weft_reshape(weft_arange(ctx, 0, 64, 1.0), 8, 8);
    for (size_t i = 0; i < n; i++)
        for (long k = 1; is_refused(f[i], a, &c, k, i);) k++;
    weft_close(ctx);
    ctx = old;
}

static bool in_scope(bool exercise(void))
{
    weft_scope *s = weft_scope_open(ctx);
    bool good = s && exercise();
    weft_scope_close(s);
    return good;
}

void every_allocation_may_fail(long most, void declare(void), bool exercise(void))
{
    bool finished = false;
    weft_context *old = ctx;
    for (long n = 1; n < most && !finished; n++) {
        Counter c = { 0 };
        ctx = weft_open(&(weft_options){ .resize = counter_resize, .resize_user = &c });
        if (declare) declare();
        c.calls = 0, c.fail_at = n;
        bool good = in_scope(exercise);
        finished = good && c.calls < n;
        cr_expect(good || weft_clear(ctx) == WEFT_MEMORY, "allocation %ld: %s", n, weft_error(ctx));
        weft_clear(ctx);
        c.fail_at = 0;
        cr_expect(in_scope(exercise), "after allocation %ld: %s", n, weft_error(ctx));
        weft_close(ctx);
        cr_assert_eq(c.live, 0, "allocation %ld leaks %zu bytes", n, c.live);
    }
    ctx = old;
    cr_expect(finished);
}
