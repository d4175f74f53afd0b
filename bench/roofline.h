/* roofline.h: what limits a case: arithmetic, or the memory that its operands fit in. */
#ifndef WEFT_BENCH_ROOFLINE_H
#define WEFT_BENCH_ROOFLINE_H
#include "cases.h"

typedef enum { L1, L2, L3, MEMORY, LEVELS } Level;
typedef struct Peaks {
    int threads;     /* all is what so many reach together */
    double flops[2]; /* of f32 and f64, a microsecond */
    /* of each level: its bytes, and what it moves a microsecond: read, copied by ordinary stores, by
     * streaming ones (a byte that is copied is moved twice) */
    double size[LEVELS], read[LEVELS], copy[LEVELS], stream[LEVELS];
    double alone[3]; /* what one thread reads, copies and streams from memory */
    float *room[2];  /* more than the caches hold */
} Peaks;

/* Measures with the vectors of the loops that are open; large gives memory in large pages. False: there is
 * none. */
bool peaks_open(Peaks *, void *(*large)(size_t bytes));
/* Once more: the best is kept, what the machine could do in a moment when it was left alone. */
void peaks_measure(Peaks *);
void peaks_close(Peaks *);
void peaks_print(const Peaks *);

/* The shortest time that the case can take, in microseconds, and the name of what limits it; 0 and NULL where
 * its operations are not known. */
double roofline(const Peaks *, const Case *, const char **limit);
#endif
