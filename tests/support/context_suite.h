/* context_suite.h: for suites of the public functions: a context that each test has, and what is expected of
 * results and of errors. */
#ifndef WEFT_TESTS_CONTEXT_SUITE_H
#define WEFT_TESTS_CONTEXT_SUITE_H
#include "tests/support/heap.h"
#include "weft.h"
#include <criterion/criterion.h>

extern weft_context *ctx; /* the running test's */
/* A suite's .init and .fini. The second .fini expects that no error is left. */
void open_context(void);
void close_context(void);
void close_context_without_error(void);

bool have_backend(void);
void need_backend(void); /* skips the test where there is none */

/* BOTH EXPECT(MAYBE_JIT(f)(x), ...): as it is, and compiled. */
#define BOTH         for (int compiled = 0; compiled < 2; compiled++)
#define MAYBE_JIT(f) (compiled ? weft_jit(ctx, f) : (f))

/* f32[n] of these numbers; an array of just these elements, nearly. */
#define NUMBERS(...) \
    (int)(sizeof(double[]){ __VA_ARGS__ } / sizeof(double)), (double[]) { __VA_ARGS__ }
#define ARRAY(...)     array_of(NUMBERS(__VA_ARGS__))
#define EXPECT(a, ...) expect_numbers(__LINE__, (a), NUMBERS(__VA_ARGS__))
weft_array *number(double);
weft_array *array_of(int n, const double *);
void expect_numbers(int line, const weft_array *, int n, const double *want);
/* The same shape, and elements as close as this, for numbers of the size of the largest. */
void expect_close(int line, const char *what, const weft_array *, const weft_array *want, double tolerance);

bool error_has(const char *text); /* which it clears; false says what the error is */

#define WORDS(...) \
    (const char *const[]) { __VA_ARGS__, NULL }
/* The call `failed`, with this status and one error that has all the words; no array is left over, and the
 * context works. Clears the error. `file` not NULL: the error is "file:line: word" to the letter, at a
 * line of the call. */
void expect_refusal(const char *file, int line, weft_status, bool failed, size_t arrays_before,
                    const char *const *words);
/* Both for calls in scopes of their own: what is left over is counted when this is closed, or before. */
#define REFUSED(status, failed, ...) \
    do { \
        weft_scope *scope_ = weft_scope_open(ctx); \
        size_t arrays_ = weft_stats(ctx).arrays; \
        bool failed_ = (failed); \
        weft_scope_close(scope_); \
        expect_refusal(NULL, __LINE__, status, failed_, arrays_, WORDS(__VA_ARGS__)); \
    } while (0)
#define REFUSED_AT_ONCE(file, status, failed, text) \
    do { \
        weft_scope *scope_ = weft_scope_open(ctx); \
        size_t arrays_ = weft_stats(ctx).arrays; \
        bool failed_ = (failed); \
        expect_refusal(file, __LINE__, status, failed_, arrays_, WORDS(text)); \
        weft_scope_close(scope_); \
    } while (0)

/* Runs each function on an f32[8,8] with each of its allocations refused in turn: NULL and an error each
 * time, nothing left over, and with enough memory the result. */
typedef weft_array *Composition(weft_array *);
void each_allocation_fails_once(Composition *const *, size_t n);
/* Runs `exercise` in contexts whose n-th allocation after `declare` is refused, for each n until none is (at
 * most `most`): it fails by WEFT_MEMORY, the next time it succeeds, and nothing leaks. */
void every_allocation_may_fail(long most, void declare(void), bool exercise(void));
#endif
