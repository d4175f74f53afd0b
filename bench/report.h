/* report.h: the table, a row a case, and what can be said of all. */
#ifndef WEFT_BENCH_REPORT_H
#define WEFT_BENCH_REPORT_H
#include "roofline.h"
#include "run.h"
#include <stdio.h>

typedef struct Report {
    Peaks *peaks;
    const Peers *peers; /* or NULL */
    const char *target;
    FILE *json; /* or NULL */
    int threads;
} Report;

void report_begin(const Report *);
void report_case(const Report *, const Case *, const Result *);
void report_tracing(const Report *, double ns);
void report_end(const Report *);
#endif
