/* roofline.c: see roofline.h. Arithmetic and traffic overlap, so the longer of them is the limit. Traffic is
 * each operand read once and each result written once, from and to the smallest level that holds them all:
 * what a loop of many steps reads and writes in between could stay in registers. */
#include "roofline.h"
#include "libraries.h"
#include "measure.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Rounds are shorter than the time that a system gives to a process at once: most are not interrupted. */
enum { ROUNDS = 3 };
static const double ROUND_SECONDS = 50e-6;
static const char *const level_name[LEVELS] = { "L1", "L2", "L3", "memory" };

typedef void Mover(const float *from, float *to, size_t bytes);
typedef void Together(Mover *, const float *from, float *to, size_t bytes, int n);

/* What each of some threads moves of its bytes, times their number: the best of some rounds, the first of
 * which brings the bytes there. */
static double moved(const char *name, const Peaks *p, int threads, size_t bytes, size_t each)
{
    Mover *f = (Mover *)library_find(LIB_LOOPS, name);
    Together *together = (Together *)library_find(LIB_LOOPS, "peak_together");
    double best = 0;
    int n = 1 + (int)(ROUND_SECONDS * 200e9 / (double)bytes);
    for (int k = 0; k <= ROUNDS; k++) {
        double start = now();
        if (threads > 1) together(f, p->room[0], p->room[1], bytes, n);
        else
            for (int i = 0; i < n; i++) f(p->room[0], p->room[1], bytes);
        best = fmax(best, threads * n * (double)each / ((now() - start) * 1e6));
    }
    return best;
}

#define FLOPS(real, name) \
    static double name(void) \
    { \
        static real io[256 / sizeof(real)] __attribute__((aligned(64))); \
        double (*f)(real *) = (double (*)(real *))library_find(LIB_LOOPS, "peak_" #name), best = 0; \
        for (size_t i = 0; i < 256 / sizeof(real); i++) io[i] = (real)0.5; \
        for (int k = 0; k < ROUNDS; k++) { \
            double start = now(), n = f(io); \
            best = fmax(best, n / ((now() - start) * 1e6)); \
        } \
        return best; \
    }
FLOPS(float, f32)
FLOPS(double, f64)

/* One word about cache number index of the first core, or an empty one. */
static void read_cache(int index, const char *what, char word[32])
{
    char path[96];
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/%s", index, what);
    FILE *f = fopen(path, "r");
    if (!f || fscanf(f, "%31s", word) != 1) *word = 0;
    if (f) fclose(f);
}

/* The C library's own answer counts what a virtual machine does not have. */
static double cache_bytes(int level, double otherwise)
{
    char type[32], at[32], size[32];
    for (int i = 0; i < 8; i++) {
        read_cache(i, "type", type);
        read_cache(i, "level", at);
        read_cache(i, "size", size);
        if (atoi(at) == level && *type && *type != 'I' && atof(size) > 0) return atof(size) * 1024;
    }
    return otherwise;
}

/* A level is measured with what fills half of it; memory with four times what the caches hold. */
static size_t measured_bytes(const Peaks *p, Level l, int threads)
{
    return (size_t)(l == MEMORY ? 4 * p->size[L3] : p->size[l] / 2) / (size_t)threads / 4096 * 4096;
}

bool peaks_open(Peaks *p, void *(*large)(size_t bytes))
{
    p->threads = libraries_threads();
    p->size[L1] = p->threads * cache_bytes(1, 32 << 10);
    p->size[L2] = p->threads * cache_bytes(2, 1 << 20);
    p->size[L3] = cache_bytes(3, 32 << 20);
    p->size[MEMORY] = INFINITY;
    for (int k = 0; k < 2; k++) {
        if (!(p->room[k] = large(measured_bytes(p, MEMORY, 1)))) return false;
        memset(p->room[k], 0, measured_bytes(p, MEMORY, 1));
    }
    for (int k = 0; k < ROUNDS; k++) peaks_measure(p);
    return true;
}

void peaks_close(Peaks *p)
{
    for (int k = 0; k < 2; k++) free(p->room[k]);
}

/* What one thread makes of memory while the others sleep. */
static void measure_alone(Peaks *p)
{
    size_t bytes = measured_bytes(p, MEMORY, 1);
    p->alone[0] = fmax(p->alone[0], moved("peak_read", p, 1, bytes, bytes));
    p->alone[1] = fmax(p->alone[1], moved("peak_copy", p, 1, bytes / 2, bytes));
    p->alone[2] = fmax(p->alone[2], moved("peak_stream", p, 1, bytes / 2, bytes));
}

/* Cores are alike: one's flops tell the others'. */
void peaks_measure(Peaks *p)
{
    if (p->threads > 1) pin(1); /* the first of the loops' threads */
    p->flops[0] = fmax(p->flops[0], p->threads * f32());
    p->flops[1] = fmax(p->flops[1], p->threads * f64());
    for (Level l = L1; l <= MEMORY; l++) {
        size_t bytes = measured_bytes(p, l, p->threads);
        p->read[l] = fmax(p->read[l], moved("peak_read", p, p->threads, bytes, bytes));
        p->copy[l] = fmax(p->copy[l], moved("peak_copy", p, p->threads, bytes / 2, bytes));
        p->stream[l] = fmax(p->stream[l], moved("peak_stream", p, p->threads, bytes / 2, bytes));
    }
    if (p->threads > 1) measure_alone(p), pin(p->threads);
}

void peaks_print(const Peaks *p)
{
    printf("peaks: f32 %.0f, f64 %.0f Gflop/s; GB/s read, copied, copied by streaming stores:",
           p->flops[0] / 1e3, p->flops[1] / 1e3);
    for (int l = L1; l <= MEMORY; l++)
        printf("%s %s %.0f, %.0f, %.0f", l ? ";" : "", level_name[l], p->read[l] / 1e3, p->copy[l] / 1e3,
               p->stream[l] / 1e3);
    if (p->threads > 1)
        printf("; memory by one of the %d threads %.0f, %.0f, %.0f", p->threads, p->alone[0] / 1e3,
               p->alone[1] / 1e3, p->alone[2] / 1e3);
    printf("\n");
}

static double bytes_of(const Spec *s, int n)
{
    double bytes = 0;
    for (int i = 0; i < n; i++) bytes += (double)spec_bytes(&s[i]);
    return bytes;
}

/* A byte written takes what a byte copied takes longer than one read. */
static double traffic_us(const Peaks *p, Level l, double in, double out)
{
    double write = 2 / fmax(p->copy[l], p->stream[l]) - 1 / p->read[l];
    return in / p->read[l] + out * fmax(write, 0);
}

double roofline(const Peaks *p, const Case *c, const char **limit)
{
    double in = bytes_of(c->in, c->n_in), out = bytes_of(c->out, c->n_out);
    Level l = L1;
    *limit = NULL;
    if (c->flops < 0) return 0;
    while (in + out > p->size[l]) l++;
    double arithmetic = c->flops / p->flops[case_is_f64(c)], traffic = traffic_us(p, l, in, out);
    *limit = arithmetic > traffic ? "flops" : level_name[l];
    return fmax(arithmetic, traffic);
}
