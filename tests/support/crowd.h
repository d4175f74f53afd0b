/* crowd.h: workers of 2, 3, 7 or 64 threads that all take part in every loop, however short it is. */
#ifndef WEFT_TESTS_CROWD_H
#define WEFT_TESTS_CROWD_H
#include "compiler/program/workers.h"
enum { CROWDS = 4 };
/* One of them in turn. */
Workers crowd(unsigned number);
#endif
