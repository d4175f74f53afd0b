/* digits.h: what the two programs that learn to read digits share: the images and their labels, from a table
 * of a row for each, and a clock. Rows whose number divides by 5 are held out. */
#ifndef DIGITS_H
#define DIGITS_H
#include <stdbool.h>
#include <stdio.h>
#include <time.h>

enum { ROWS = 1797, HELD_OUT = 360, TRAINED = ROWS - HELD_OUT, SIDE = 8, PIXELS = SIDE * SIDE, DIGITS = 10 };

typedef struct {
    float pixel[ROWS][PIXELS];
    int label[ROWS];
} digits;

/* Held-out rows first. */
static bool read_digits(const char *path, digits *d)
{
    FILE *f = fopen(path, "r");
    if (!f) {
        perror(path);
        return false;
    }
    bool good = true;
    for (int row = 0, held = 0, trained = HELD_OUT; row < ROWS && good; row++) {
        int i = row % 5 ? trained++ : held++;
        for (int k = 0; k < PIXELS && good; k++) good = fscanf(f, "%f,", &d->pixel[i][k]) == 1;
        good = good && fscanf(f, "%d", &d->label[i]) == 1;
        for (int k = 0; k < PIXELS; k++) d->pixel[i][k] /= 16;
    }
    fclose(f);
    if (!good) fprintf(stderr, "%s: not %d rows of %d pixels and a label\n", path, ROWS, PIXELS);
    return good;
}

/* Milliseconds. */
static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}
#endif
