/* schrodinger.c: an electron meets a wall that it cannot climb, and some of it comes out behind.
 *
 * i psi' = -psi'' / 2 + V psi on a ring of N points, in atomic units. The potential is simple where psi is,
 * the kinetic energy where its Fourier transform is, so a step turns the phase of each by what the other
 * leaves alone, half of V before and half after (Strang's splitting). step() is that formula; weft_fori
 * makes many steps of it, weft_scan a picture of what there is after each so many, one native loop with
 * complex numbers in it.
 *
 *     schrodinger [picture.png]
 */
#include <complex.h>
#include <math.h>
#include <png.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include "weft.h"

enum { N = 1024, ROWS = 512, STEPS_A_ROW = 8 };
static const double PI = 3.14159265358979323846, LENGTH = 200, DT = 0.01; /* Bohr, atomic units of time */
/* the packet's place, width and momentum: an energy of 1.125; the wall's height and half its width */
static const double FROM = -40, WIDTH = 5, MOMENTUM = 1.5, WALL = 1.25, HALF = 1;

WEFT_SIGNATURE(step_fn, weft_array *, (weft_array * psi, weft_array *half, weft_array *kinetic));
WEFT_SIGNATURE(row_fn, void,
               (weft_array * psi, weft_array *half, weft_array *kinetic, WEFT_OUT weft_array **next,
                WEFT_OUT weft_array **density));
WEFT_SIGNATURE(run_fn, weft_array *,
               (weft_array * x, WEFT_OUT weft_array **energy, WEFT_OUT weft_array **last));

static weft_array *density_of(weft_array *psi)
{
    return weft_add(weft_square(weft_real(psi)), weft_square(weft_imag(psi)));
}

/* half, kinetic: what a step turns each place and each frequency by */
static weft_array *step(weft_array *psi, weft_array *half, weft_array *kinetic)
{
    psi = weft_fft(weft_mul(psi, half), -1);
    return weft_mul(weft_ifft(weft_mul(psi, kinetic), -1), half);
}

/* So many steps; the density that they leave is a row of the picture. */
static void row(weft_array *psi, weft_array *half, weft_array *kinetic, weft_array **next,
                weft_array **density)
{
    *next = weft_fori(NULL, step, "carry, none, none", .count = STEPS_A_ROW)(psi, half, kinetic);
    *density = density_of(*next);
}

static weft_array *potential(weft_array *x)
{
    return weft_mul(weft_astype(weft_lt(weft_abs(x), HALF), WEFT_F64), WALL);
}

/* <psi| H |psi>, by the density of the places and of the frequencies */
static weft_array *energy_of(weft_array *psi, weft_array *x, weft_array *k)
{
    weft_array *there = weft_mul(density_of(psi), potential(x)),
               *moving =
                   weft_mul(density_of(weft_fft(psi, -1, .norm = "ortho")), weft_mul(weft_square(k), 0.5));
    return weft_mul(weft_sum(weft_add(there, moving)), LENGTH / N);
}

/* f64[ROWS, N]: the density over time; the energy before and after: f64[2]; the last psi */
static weft_array *run(weft_array *x, weft_array **energy, weft_array **last)
{
    weft_array *k = weft_mul(weft_astype(weft_fftfreq(NULL, N, LENGTH / N), WEFT_F64), 2 * PI);
    weft_array *half = weft_exp(weft_mul(potential(x), -0.5 * DT * I)),
               *kinetic = weft_exp(weft_mul(weft_square(k), -0.5 * DT * I));
    weft_array *away = weft_div(weft_sub(x, FROM), WIDTH),
               *bell = weft_div(weft_exp(weft_mul(weft_square(away), -0.25)), sqrt(sqrt(2 * PI) * WIDTH));
    weft_array *psi = weft_mul(bell, weft_exp(weft_mul(x, MOMENTUM * I))), *density;
    weft_scan(NULL, row, "carry, none, none", .length = ROWS)(psi, half, kinetic, last, &density);
    *energy = weft_stack_arrays(0, energy_of(psi, x, k), energy_of(*last, x, k));
    return density;
}

/* Dark where it is likely to be; the wall is a red line. */
static bool write_png(const char *path, const double *density)
{
    static uint8_t pixel[ROWS * N][3];
    png_image png = { .version = PNG_IMAGE_VERSION, .width = N, .height = ROWS, .format = PNG_FORMAT_RGB };
    for (int i = 0; i < ROWS * N; i++) {
        double x = (i % N - N / 2) * LENGTH / N, shade = 255 * (1 - sqrt(fmin(density[i] / 0.08, 1)));
        for (int c = 0; c < 3; c++) pixel[i][c] = (uint8_t)(fabs(x) < HALF && c ? shade / 2 : shade);
    }
    if (png_image_write_to_file(&png, path, 0, pixel, 0, NULL)) return true;
    fprintf(stderr, "%s: %s\n", path, png.message);
    return false;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

int main(int argc, char **argv)
{
    const char *path = argc > 1 ? argv[1] : "schrodinger.png";
    weft_context *ctx = weft_open(&(weft_options){ .real = WEFT_F64 });
    weft_declare(ctx, step, step_fn);
    weft_declare(ctx, row, row_fn);
    weft_declare(ctx, run, run_fn);
    weft_array *x = weft_mul(weft_arange(ctx, -N / 2, N / 2, 1), LENGTH / N), *energy, *last;
    run_fn *fast = weft_jit(ctx, run);
    double t = now();
    weft_array *density = fast(x, &energy, &last);
    if (!density) return fprintf(stderr, "%s\n", weft_error(ctx)), 1;
    double first = now() - t;
    t = now();
    fast(x, &energy, &last);
    double ms = now() - t;

    /* How much there is at all, in each row; and how much behind the wall, at the end. */
    weft_array *all = weft_mul(weft_sum(density, .axes = "1"), LENGTH / N),
               *behind = weft_sum(weft_where(weft_gt(x, HALF), weft_at(density, "-1"), 0));
    double off = weft_item(weft_max(weft_abs(weft_sub(all, 1)))), through = weft_item(behind) * LENGTH / N,
           change = fabs(weft_f64(energy)[1] - weft_f64(energy)[0]);
    printf("%d steps on %d points: %.1f ms, the first time %.1f ms\n", ROWS * STEPS_A_ROW, N, ms, first);
    printf("the norm is 1 to %.1e in each row; energy %.4f, changed by %.1e\n", off, weft_f64(energy)[0],
           change);
    printf("%.1f %% of the electron is behind a wall of %.2f; %s\n", 100 * through, WALL, path);
    bool good = write_png(path, weft_f64(density));
    weft_close(ctx);
    return !(good && off < 1e-11 && change < 1e-3 && through > 0.01 && through < 0.99);
}
