/* integers.h: arithmetic that C leaves out. */
#ifndef WEFT_FUSE_INTEGERS_H
#define WEFT_FUSE_INTEGERS_H
#include <stdint.h>

static inline int64_t min_i64(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t max_i64(int64_t a, int64_t b) { return a > b ? a : b; }
static inline int64_t common_divisor(int64_t a, int64_t b) { return b ? common_divisor(b, a % b) : a; }
#endif
