/* openmp.c: weft's parallel loops on OpenMP's threads.
 *
 * A program that has a pool of threads already does not want a second one beside it: the two would fight for
 * the cores. So weft hands the pieces of its loops to a function of the program's. Results have the same bits
 * as on one thread. Built without OpenMP, it runs them in turn.
 */
#include <stdio.h>
#include <string.h>
#include "weft.h"
#ifdef _OPENMP
#include <omp.h>
#endif

enum { POINTS = 1 << 20 };

static int loops;

static void omp_for(void *user, int64_t n, void (*task)(void *arg, int64_t i), void *arg)
{
    ++*(int *)user;
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic, 1)
#endif
    for (int64_t i = 0; i < n; i++) task(arg, i);
}

/* Great-circle distances from Greenwich, in radians. */
WEFT_SIGNATURE(distance_fn, weft_array *, (weft_array * latitude, weft_array *longitude));
static weft_array *distance(weft_array *latitude, weft_array *longitude)
{
    weft_array *a = weft_square(weft_sin(weft_mul(weft_sub(latitude, 0.8985), 0.5))),
               *b = weft_square(weft_sin(weft_mul(longitude, 0.5)));
    a = weft_add(a, weft_mul(weft_mul(weft_cos(latitude), 0.6233), b));
    return weft_mul(weft_atan2(weft_sqrt(a), weft_sqrt(weft_sub(1, a))), 2);
}

static weft_array *distances(weft_context *ctx)
{
    weft_declare(ctx, distance, distance_fn);
    weft_array *latitude = weft_linspace(ctx, -1.5, 1.5, POINTS),
               *longitude = weft_linspace(ctx, -3, 3, POINTS);
    return weft_jit(ctx, distance)(latitude, longitude);
}

int main(void)
{
    int threads = 4;
#ifdef _OPENMP
    threads = omp_get_max_threads() > 1 ? omp_get_max_threads() : 2;
#endif
    weft_context *alone = weft_open(&(weft_options){ .threads = 1 }),
                 *shared = weft_open(
                     &(weft_options){ .threads = threads, .parallel_for = omp_for, .parallel_user = &loops });
    if (!alone || !shared) return 1;
    weft_array *a = distances(alone), *b = distances(shared);
    bool good = a && b && !memcmp(weft_data(a), weft_data(b), POINTS * sizeof(float));
    if (a && b)
        printf("%d points, %d loop%s on OpenMP's threads: %s bits\n", POINTS, loops, loops == 1 ? "" : "s",
               good ? "the same" : "OTHER");
    weft_close(shared);
    weft_close(alone);
    return good && loops ? 0 : 1;
}
